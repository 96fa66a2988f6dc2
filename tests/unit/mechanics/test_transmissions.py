"""Gears, belts, racks and round bodies that roll on each other: rows by differences, and closed forms of their motions."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ClosureError, ModelError, NonPositiveRadiusError
from locomotor.lie import SE3, quaternion
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree import Instant, forward

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
KINDS: dict[str, lm.model.Closure] = {
    "gear": lm.Gear("loop", "a", "b", carrier="c", axis_a=Z, axis_b=(0.6, 0.0, 0.8), ratio=-2.5),
    "belt": lm.Belt("loop", "a", "b", carrier="c", axis_a=Z, radius_a=0.1, radius_b=0.3, crossed=True),
    "rack": lm.RackAndPinion("loop", "a", "b", at_b=(0.1, 0.0, 0.2), axis_a=Y, axis_b=Z, radius=0.2),
    "spheres": lm.RollingSpheres("loop", "a", "b", (0.1, 0.0, 0.0), (0.0, 0.2, 0.0), radius_a=0.4, radius_b=0.3),
    "shell": lm.RollingSpheres("loop", "a", "b", radius_a=0.9, radius_b=0.3, inside=True),
    "cylinders": lm.RollingCylinders("loop", "a", "b", (0.0, 0.1, 0.0), axis_a=Z, radius_a=0.4, radius_b=0.3),
}


def three(kind: str) -> lm.System:
    bodies = [lm.Body(name, 1.0, (0.1, 0.0, 0.0), (0.2, 0.25, 0.3)) for name in "abc"]
    return lm.System(
        "three",
        bodies=bodies,
        joints=[lm.Free(name=f"free_{body.name}", parent="world", child=body.name) for body in bodies],
        loops=[KINDS[kind]],
        nominal={"free_b_x": 0.5, "free_b_z": 0.3},
    )


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_bias_follow_the_motion(kind: str, rng: np.random.Generator) -> None:
    """J v is the velocity that is kept at zero (its own definition is tested below); its bias by differences along a motion.

    Twists are constant, so that d/dt (J v) is the bias; gaps of position change at the rate of their row.
    """
    system = three(kind)
    manifold, nv = system.layout.manifold, system.layout.nv
    q, v = manifold.retract(system.nominal_pose(), rng.uniform(-0.3, 0.3, nv)), rng.uniform(-1.0, 1.0, nv)

    def at(s: float) -> Any:
        parts = []
        for k in range(3):
            own = q[7 * k : 7 * k + 7]
            moved = SE3(quaternion.to_matrix(own[3:7]), own[:3]) @ SE3.exp(s * v[6 * k : 6 * k + 6])
            parts += [moved.translation, quaternion.from_matrix(moved.rotation)]
        return constraint_set(forward(Instant(system, np.concatenate(parts), v)))

    h, here = 1e-3, at(0.0)
    slips = {k: np.array([row.slip[0] for row in at(k * h).loops], dtype=float) for k in (-2, -1, 1, 2)}
    rate = (slips[-2] - 8 * slips[-1] + 8 * slips[1] - slips[2]) / (12 * h)
    J = np.array([row.normal_row for row in here.loops], dtype=float)
    assert J @ v == pytest.approx([row.slip[0] for row in here.loops], abs=1e-13)
    assert [float(row.bias) for row in here.loops] == pytest.approx(rate, abs=1e-9)
    for which in range(len(here.conditions)):
        gaps = {k: float(at(k * h).conditions[which].gap) for k in (-2, -1, 1, 2)}
        grown = (gaps[-2] - 8 * gaps[-1] + 8 * gaps[1] - gaps[2]) / (12 * h)
        assert float(here.conditions[which].normal_row @ v) == pytest.approx(grown, abs=1e-9)


def wheel(name: str, mass: float = 1.0, inertia: float = 0.02) -> lm.Body:
    return lm.Body(name, mass, (0, 0, 0), (inertia, inertia, inertia))


def test_a_planet_obeys_willis() -> None:
    """Sun, arm and planet, a ring at rest: (w_ring - w_arm)/(w_sun - w_arm) = -z_sun/z_ring, from two meshes."""
    system = lm.System(
        "planet",
        bodies=[wheel("sun"), wheel("arm"), wheel("planet")],
        joints=[
            lm.Revolute(name="s", parent="world", child="sun", axis=Z),
            lm.Revolute(name="c", parent="world", child="arm", axis=Z),
            lm.Revolute(name="p", parent="arm", child="planet", at=(0.3, 0, 0), axis=Z),
        ],
        loops=[
            lm.Gear("inner", "sun", "planet", carrier="arm", axis_a=Z, ratio=-20 / 10),
            lm.Gear("outer", "planet", "world", carrier="arm", axis_a=Z, ratio=10 / 40),
        ],
        independent=("s_rate",),
    )
    compiled = lm.compile(system, target="interpreter")
    state = compiled.start({"s_rate": 3.0})
    (kernel,) = compiled.traced.velocity_map(np.zeros(1), state, np.zeros(0), np.zeros(0))
    arm = kernel[1, 0]
    assert (0.0 - arm) / (1.0 - arm) == pytest.approx(-20 / 40, rel=1e-12)


def test_a_rack_falls_as_its_pinion_lets_it() -> None:
    """Mass m on a rack, a pinion of inertia J and radius r: a = -g m/(m + J/r²), and the force on the pinion is J a/r²."""
    r, m, inertia = 0.1, 2.0, 0.02
    system = lm.System(
        "rack",
        bodies=[wheel("bar", m), wheel("pinion", 1.0, inertia)],
        joints=[
            lm.Prismatic(name="z", parent="world", child="bar", axis=Z),
            lm.Revolute(name="p", parent="world", child="pinion", axis=Y),
        ],
        loops=[lm.RackAndPinion("mesh", "bar", "pinion", axis_a=Z, axis_b=Y, radius=r)],
        forces=[lm.Gravity()],
    )
    found = lm.accelerations(system, {})
    a = -9.81 * m / (m + inertia / r**2)
    assert found["z_rate"] == pytest.approx(a, rel=1e-12)
    assert found["p_rate"] == pytest.approx(-a / r, rel=1e-12)
    run = lm.simulate(system, 0.01, step=0.01, target="interpreter")
    assert run["mesh_multiplier"][0] == pytest.approx(inertia * a / r**2, rel=1e-12)


@pytest.mark.slow
def test_a_ball_in_a_shell_swings_as_a_pendulum_five_sevenths_as_quick() -> None:
    """A homogeneous ball that rolls in a fixed shell: w² = 5 g/(7 (R - r)) for small swings."""
    R, r = 1.0, 0.2
    system = lm.System(
        "bowl",
        bodies=[wheel("ball", 1.0, 0.4 * r**2)],
        joints=[lm.Free(name="base", parent="world", child="ball")],
        loops=[lm.RollingSpheres("bowl", "world", "ball", radius_a=R, radius_b=r, inside=True)],
        forces=[lm.Gravity()],
        nominal={"z": -(R - r)},
    )
    eigenvalues = lm.linearise(system, about={"x": 0.0, "y": 0.0}).eigenvalues
    swing = sorted(abs(value.imag) for value in eigenvalues)[-4:]
    assert swing == pytest.approx([math.sqrt(5 * 9.81 / (7 * (R - r)))] * 4, rel=1e-9)
    run = lm.simulate(system, 2.0, start={"x": 0.3, "y": 0.0, "pitch": 0.0, "roll": 0.0, "yaw": 0.0}, step=1e-3)
    audit = run.audit()
    assert audit["largest_gap"] < 1e-12 and audit["energy_balance"] < 1e-9


@pytest.mark.slow
def test_a_wheel_in_a_ring_that_turns_freely() -> None:
    """Plane: disc in a ring on an axle; energy, and the momentum that the ring and the disc exchange, against a fixed ring."""
    R, r, m, inertia = 0.5, 0.1, 1.0, 0.005

    def ring(heavy: float) -> lm.System:
        return lm.System(
            "ring",
            bodies=[wheel("hoop", 1.0, heavy), wheel("disc", m, inertia)],
            joints=[
                lm.Revolute(name="h", parent="world", child="hoop", axis=Y),
                lm.Planar(name="d", parent="world", child="disc", rotation=(math.pi / 2, 0.0, 0.0)),
            ],
            loops=[lm.RollingCylinders("rim", "hoop", "disc", axis_a=Y, radius_a=R, radius_b=r, inside=True)],
            forces=[lm.Gravity()],
            nominal={"d_y": -(R - r)},
        )

    def frequency(heavy: float) -> float:
        return max(abs(value.imag) for value in lm.linearise(ring(heavy), about={"h": 0.0}).eigenvalues)

    # A fixed hoop: (m + J/r²) (R - r)² w² = m g (R - r); a light one follows the disc, which then swings as a point.
    assert frequency(1e9) == pytest.approx(math.sqrt(m * 9.81 / ((m + inertia / r**2) * (R - r))), rel=1e-6)
    assert frequency(1e-9) == pytest.approx(math.sqrt(9.81 / (R - r)), rel=1e-5)


def test_bad_transmissions_are_refused() -> None:
    with pytest.raises(ClosureError, match="the ratio is 0"):
        lm.Gear("g", "a", "b", axis_a=Z, ratio=0.0)
    with pytest.raises(ClosureError, match="does not fit inside"):
        lm.RollingSpheres("s", "a", "b", radius_a=0.1, radius_b=0.2, inside=True)
    with pytest.raises(ClosureError, match="does not fit inside"):
        lm.RollingCylinders("s", "a", "b", axis_a=Y, radius_a=0.1, radius_b=0.2, inside=True)
    with pytest.raises(NonPositiveRadiusError, match=r"radius_b is -0\.1"):
        lm.Belt("s", "a", "b", axis_a=Z, radius_a=0.1, radius_b=-0.1)


def test_a_gear_is_one_condition() -> None:
    assert lm.mobility(three("gear")).freedoms == 3 * 6 - 1


AXIS = (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "empty",
    [
        {"loops": [lm.Gear("void", "a", "b", axis_a=(1.0, 0.0, 0.0), ratio=2.0)]},
        {"constraints": [lm.Coupling("void", "turn_a - turn_a")]},
        {"constraints": [lm.VelocityConstraint("void", {"turn_a_rate": 0.0})]},
    ],
    ids=["gear", "coupling", "velocities"],
)
def test_conditions_that_say_nothing_are_refused(empty: dict[str, Any]) -> None:
    bodies = [lm.Body(name, 1.0, inertia=(0.01, 0.01, 0.01)) for name in "ab"]
    joints = [lm.Revolute(name=f"turn_{name}", parent="world", child=name, axis=AXIS) for name in "ab"]
    with pytest.raises(ModelError, match="'void' says 0 = 0, whatever moves"):
        lm.trace(lm.System("wheels", bodies, joints, grounds=(), **empty))
    # What a plane implies anyway is another matter: joints say it, and it is true.
    assert lm.trace(lm.System("wheels", bodies, joints, grounds=(), loops=[lm.Parallel("plane", "a", "b", axis_a=AXIS)]))
