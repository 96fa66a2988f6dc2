"""Contacts, imposed motions, laws of time and constraints by formula between free bodies: the motion of reduced coordinates."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError
from locomotor.simulation.maximal import Maximal

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def link(name: str) -> lm.Body:
    return lm.Body(name, 1.0, (0.02, 0.01, -0.3), (0.05, 0.06, 0.01))


def links(first: Any, **more: Any) -> lm.System:
    """A second link on the first, about another axis."""
    second = lm.Revolute(name="q", parent="a", child="c", at=(0.1, 0.0, -0.6), axis=X)
    return lm.System("links", [link("a"), link("c")], [first, second], forces=[lm.Gravity()], **more)


def imposed(kind: Callable[..., Any], **fields: Any) -> lm.System:
    return links(
        kind(name="p", parent="world", child="a", at=(0.1, 0.2, 0.3), axis=Y, drive=lm.Motion("1.5*sin(4*t) + 4*t"), **fields)
    )


def moving_rod() -> lm.System:
    joints = [
        lm.Revolute(name="p", parent="world", child="a", axis=Y),
        lm.Spherical(name="q", parent="world", child="c", at=(0.8, 0.0, 0.0)),
    ]
    rod = lm.RodClosure("rod", "a", "c", (0, 0, -0.6), (0, 0, -0.6), length="0.8 + 0.1*sin(rate*t)")
    return lm.System(
        "rod", [link("a"), link("c")], joints, loops=[rod], forces=[lm.Gravity()], parameters=[lm.Parameter("rate", 3.0)]
    )


def formulas() -> lm.System:
    """A slide that follows a hinge, and a condition on velocities that turns with time and has a right-hand side."""
    joints = [
        lm.Revolute(name="p", parent="world", child="a", axis=Y),
        lm.Revolute(name="q", parent="a", child="c", at=(0.1, 0.0, -0.6), axis=X),
        lm.Prismatic(name="z", parent="c", child="d", axis=Z),
    ]
    ties = [
        lm.Coupling("follows", "z - 0.1*q - 0.05*sin(p)"),
        lm.VelocityConstraint("turns", {"p_rate": 1.0, "q_rate": "0.3 + 0.2*sin(p + 2*t)"}, equals="0.2*sin(3*t)"),
    ]
    return lm.System("formulas", [link("a"), link("c"), link("d")], joints, forces=[lm.Gravity()], constraints=ties)


def on_a_cart() -> lm.System:
    """A ball out of balance that rolls on the deck of a cart, on a slope."""
    return lm.System(
        "cart",
        [lm.Body("cart", 3.0, inertia=(0.1, 0.1, 0.1)), lm.Body("ball", 1.0, (0.01, 0.0, 0.02), (0.01, 0.01, 0.012))],
        [lm.Prismatic(name="c", parent="world", child="cart", axis=X), lm.Free(name="fly", parent="world", child="ball")],
        contacts=[lm.RollingSphere("roll", "ball", (0, 0, 0), radius=0.1, ground="deck")],
        grounds=[lm.Plane("deck", body="cart", point=(0, 0, 0.05))],
        forces=[lm.Gravity((1.0, 0.3, -9.7))],
        nominal={"fly_z": 0.15},
    )


def planet(loop: Any) -> lm.System:
    def wheel(name: str) -> lm.Body:
        return lm.Body(name, 1.0, inertia=(0.0025, 0.005, 0.0025))

    joints = [
        lm.Revolute(name="s", parent="world", child="sun", axis=Y),
        lm.Revolute(name="a", parent="world", child="arm", axis=Y),
        lm.Revolute(name="p", parent="arm", child="planet", at=(0.3, 0.0, 0.0), axis=Y),
    ]
    bodies = [wheel("sun"), lm.Body("arm", 0.5, (0.15, 0, 0), (0.001, 0.01, 0.01)), wheel("planet")]
    return lm.System("planet", bodies, joints, loops=[loop], forces=[lm.Gravity()])


ROLLS = lm.RollingCylinders("mesh", "sun", "planet", axis_a=Y, radius_a=0.2, radius_b=0.1)
GEAR = lm.Gear("mesh", "sun", "planet", carrier="arm", axis_a=Y, ratio=-2.0)
CASES: dict[str, tuple[Callable[[], lm.System], dict[str, float]]] = {
    "a rod that grows": (moving_rod, {}),
    "an imposed hinge": (lambda: imposed(lm.Revolute), {}),
    "an imposed slide": (lambda: imposed(lm.Prismatic), {}),
    "an imposed screw": (lambda: imposed(lm.Helical, pitch=0.1), {}),
    "formulas": (formulas, {}),
    "a wheel with a castor": (lm.catalogue.unicycle, {"speed": 1.0}),
    "a bicycle": (lm.catalogue.bicycle, {"speed": 5.0, "roll_rate": 0.2}),
    "a ball on a cart": (on_a_cart, {"c_rate": 0.3}),
    "a planet that rolls": (lambda: planet(ROLLS), {"a_rate": 2.0}),
    "a planet on gears": (lambda: planet(GEAR), {"a_rate": 2.0}),
}
QUICK = ("an imposed hinge", "formulas")


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in CASES])
def test_both_forms_make_the_same_motion(name: str) -> None:
    """Both step with rk4 in coordinates of their own, so that they come together with the fourth order."""
    make, start = CASES[name]
    system, apart, target = make(), [], "interpreter" if name in QUICK else "auto"
    for step in (0.004, 0.002):
        options = {"start": start, "step": step, "sample": 0.04, "ends": None, "target": target}
        reduced, maximal = (lm.simulate(system, 0.12, coordinates=form, **options) for form in ("reduced", "maximal"))
        assert maximal.status.ok and maximal.settings["largest_gap"] < 1e-12 and maximal.settings["largest_slip"] < 1e-12
        names = [s.name for s in (*system.layout.coordinates, *system.layout.velocities)]
        apart.append(max(float(np.abs(reduced[n] - maximal[n]).max() / (1.0 + np.abs(reduced[n]).max())) for n in names))
    assert apart[1] < 1e-6 and (apart[1] < apart[0] / 10.0 or apart[1] < 1e-10)


def test_multipliers_of_a_rolling_wheel_are_the_forces_of_the_ground() -> None:
    """The force across the ground of reduced coordinates, found there by elimination."""
    system = lm.catalogue.unicycle()
    run = lm.simulate(system, 0.1, start={"speed": 1.0}, step=0.01, target="interpreter")
    motion = Maximal(system, target="interpreter")
    q, v = (np.array([run[s.name][-1] for s in part]) for part in (system.layout.coordinates, system.layout.velocities))
    motion.efforts.begin(q)
    _, multipliers = motion.accelerations(float(run.time[-1]), motion.state(q, v))
    found = dict(zip(motion.graph.names, multipliers, strict=True))
    for contact in system.contacts:
        assert found[f"{contact.name}_normal"] == pytest.approx(run[f"{contact.name}_force_z"][-1], rel=1e-9)


def test_drive_of_an_imposed_hinge() -> None:
    system = imposed(lm.Revolute)
    run = lm.simulate(system, 0.3, step=0.01, target="interpreter")
    motion = Maximal(system, target="interpreter")
    q, v = (np.array([run[s.name][-1] for s in part]) for part in (system.layout.coordinates, system.layout.velocities))
    _, multipliers = motion.accelerations(float(run.time[-1]), motion.state(q, v))
    found = dict(zip(motion.graph.names, multipliers, strict=True))
    assert found["p_motion"] == pytest.approx(run["p_drive_torque"][-1], rel=1e-9)


def test_what_has_no_form_is_refused_by_name() -> None:
    board = lm.System(
        "board",
        [link("a")],
        [lm.Planar(name="p", parent="world", child="a")],
        constraints=[lm.VelocityConstraint("keel", {"sway_speed": 1.0})],
    )
    with pytest.raises(ModelError, match="rates of a Planar"):
        lm.simulate(board, 0.1, coordinates="maximal")
