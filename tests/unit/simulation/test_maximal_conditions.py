"""Contacts, imposed motions, laws of time and constraints by formula between free bodies: the motion of reduced coordinates."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import IncompatibleMotionError, ModelError
from locomotor.simulation.maximal import Maximal
from locomotor.simulation.status import Outcome

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


def test_closures_of_one_kind_and_another_choice_are_not_taken_for_each_other() -> None:
    """A belt and a crossed one: the third wheel turns against the others. They had one function, that of the first."""
    wheels = [lm.Body(name, 1.0, inertia=(0.02, 0.02, 0.01 * (k + 1))) for k, name in enumerate("abc")]
    places: list[dict[str, Any]] = [{"at": (k, 0, 0), "drive": lm.Torque(0.1 * k)} for k in range(3)]
    system = lm.System(
        "belts",
        wheels,
        [
            lm.Revolute(name=f"turn_{wheel.name}", parent="world", child=wheel.name, axis=Z, **place)
            for wheel, place in zip(wheels, places, strict=True)
        ],
        loops=[
            lm.Belt("straight", "a", "b", axis_a=Z, radius_a=0.1, radius_b=0.2),
            lm.Belt("crossed", "b", "c", axis_a=Z, radius_a=0.2, radius_b=0.1, crossed=True),
        ],
        grounds=(),
    )
    run = lm.simulate(system, 0.2, step=0.01, coordinates="maximal")
    rate = (0.1 * 0.5 - 0.2) / (0.01 + 0.02 * 0.25 + 0.03)  # of a, to which b gives half and c minus one
    assert run["turn_a_rate"][-1] == pytest.approx(0.2 * rate, rel=1e-9)
    assert run["turn_c_rate"][-1] == pytest.approx(-0.2 * rate, rel=1e-9)


def test_a_ball_between_a_sphere_and_a_shell() -> None:
    """On one and inside the other: Willis, 2 (R + r) times the rate of its centre is R w + (R + 2 r) W."""
    system = lm.System(
        "bearing",
        [lm.Body(name, 1.0, inertia=(size,) * 3) for name, size in (("shell", 0.4), ("ball", 0.004), ("sun", 0.04))],
        [
            lm.Spherical(name="shell_turn", parent="world", child="shell"),
            lm.Free(name="ball_root", parent="world", child="ball"),
            lm.Revolute(name="sun_turn", parent="world", child="sun", axis=(0, 0, 1)),
        ],
        loops=[
            lm.RollingSpheres("within", "sun", "ball", radius_a=0.3, radius_b=0.1),
            lm.RollingSpheres("around", "shell", "ball", radius_a=0.5, radius_b=0.1, inside=True),
        ],
        grounds=(),
        nominal={"ball_root_x": 0.4},
    )
    run = lm.simulate(system, 0.5, start={"sun_turn_rate": 3.0, "ball_root_yaw_rate": 1.0}, step=0.01, coordinates="maximal")
    angle = (0.3 * 3.0 + 0.5 * run["shell_turn_wz"][0]) / (2 * 0.4) * run.time
    assert run.status.ok and run["ball_root_y"] == pytest.approx(0.4 * np.sin(angle), abs=1e-8)


def test_rods_that_contradict_each_other_are_named() -> None:
    """At once, or later: 2 m and 2 m + t³/10 agree, and so do their rates, at t = 0."""

    def held(law: str) -> lm.System:
        rods = [lm.RodClosure("first", "world", "a", length=2.0), lm.RodClosure("second", "world", "a", length=law)]
        root = lm.Free(name="root", parent="world", child="a")
        return lm.System(
            "held", [lm.Body("a", 1.5, inertia=(0.02, 0.03, 0.025))], [root], loops=rods, grounds=(), nominal={"x": 2.0}
        )

    for coordinates in ("reduced", "maximal"):
        with pytest.raises(IncompatibleMotionError, match="at t = 0 s what some ask for violates second by"):
            lm.simulate(held("2 + 0.1*t"), 0.1, coordinates=coordinates)
    with pytest.warns(
        lm.RunWarning, match=r"(first|second) is open by .* m, and moves.*given in time \(second\) contradicts the rest"
    ):
        run = lm.simulate(held("2 + 0.1*t**3"), 0.5, coordinates="maximal", step=0.01)
    assert run.status.outcome is Outcome.INCOMPATIBLE and run.time[-1] < 0.03  # 1e-6 m after 0.02 s


def test_a_rod_that_leads_beyond_reach_is_named() -> None:
    """Two bars of 1 m and a rod that grows to 2 m at t = 0.8 s: no coordinates pass that."""
    bars = [lm.Body(name, 1.0, (0.5, 0.0, 0.0), (0.01, 0.08, 0.08)) for name in ("a", "b")]
    first = lm.Revolute(name="p", parent="world", child="a", axis=Z)
    second = lm.Revolute(name="q", parent="a", child="b", at=X, axis=Z)
    rod = lm.RodClosure("rod", "world", "b", at_b=X, length="1.6 + 0.5*t")
    system = lm.System("arm", bars, [first, second], loops=[rod], grounds=(), nominal={"q": 1.0})
    for coordinates, words in (
        ("reduced", "a law of time leads there"),
        ("maximal", r"given in time \(rod\) .* beyond what can be"),
    ):
        with pytest.warns(lm.RunWarning, match=words) as told:
            run = lm.simulate(system, 1.0, coordinates=coordinates, step=0.005)
        assert not run.status.ok and run.time[-1] == pytest.approx(0.8, abs=0.011)
        assert "coordinates='maximal'" not in str(told[0].message) and "smaller step" not in str(told[0].message)
