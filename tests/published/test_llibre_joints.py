"""Force elements, coordinates of joints, imposed motions and multipliers (Llibre, ONERA, 2009, chapter 4)."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, forward


@pytest.mark.slow
def test_25_elements_between_two_bodies(rng: np.random.Generator) -> None:
    """Net force and moment vanish; forces are minus the gradient of the energy."""
    bodies = [lm.Body("a", 2.0, (0.1, 0, 0), (0.3, 0.4, 0.5)), lm.Body("b", 1.5, (0, 0.1, 0), (0.2, 0.25, 0.3))]
    joints = [lm.Free(name=f"f{n}", parent="world", child=n) for n in "ab"]
    spring = lm.PointSpring("s", "a", (0.2, 0.1, 0.0), "b", (-0.1, 0.3, 0.2), 40.0, 0.3)
    system = lm.System("two", bodies, joints, forces=[spring], nominal={"fb_x": 0.8})
    q, nv = system.nominal_pose(), system.layout.nv
    q = system.layout.manifold.retract(q, rng.uniform(-0.4, 0.4, nv))
    found = forward(Instant(system, q, np.zeros(nv)))
    wrenches = applied_forces(found).wrenches
    total, moment, power = np.zeros(3), np.zeros(3), np.zeros(nv)
    for i, pose in enumerate(found.poses):
        w = np.asarray(wrenches[i], dtype=float)
        R, p = np.asarray(pose.rotation, dtype=float), np.asarray(pose.translation, dtype=float)
        total, moment = total + R @ w[:3], moment + R @ w[3:] + np.cross(p, R @ w[:3])
        power[6 * i : 6 * i + 6] = w
    assert np.abs(total).max() < 1e-13 and np.abs(moment).max() < 1e-13 and np.abs(power).max() > 1.0

    def energy(delta: np.ndarray) -> float:
        moved = forward(Instant(system, system.layout.manifold.retract(q, delta), np.zeros(nv)))
        ends = [np.asarray(moved.poses[i].act(np.array(at))) for i, at in enumerate((spring.at_a, spring.at_b))]
        return 20.0 * (float(np.linalg.norm(ends[1] - ends[0])) - 0.3) ** 2

    h = 1e-5
    tangent = np.array([(energy(h * e) - energy(-h * e)) / (2 * h) for e in np.eye(nv)])
    for i, pose in enumerate(found.poses):  # the chart moves the origin along world axes
        w = power[6 * i : 6 * i + 6]
        given = np.concatenate([np.asarray(pose.rotation, dtype=float) @ w[:3], w[3:]])
        assert given == pytest.approx(-tangent[6 * i : 6 * i + 6], abs=1e-7)


def hinged() -> lm.System:
    """Two bodies that fly together on a hinge with a rotary spring, askew."""
    bodies = [lm.Body("a", 2.0, (0.1, 0, 0), (0.3, 0.4, 0.5)), lm.Body("b", 1.5, (0, 0.1, 0), (0.2, 0.25, 0.3))]
    joints = [
        lm.Free(name="fly", parent="world", child="a"),
        lm.Revolute(name="turn", parent="a", child="b", at=(0.3, 0.1, 0.0), axis=(0.6, 0.0, 0.8)),
    ]
    return lm.System("hinged", bodies, joints, forces=[lm.JointSpring("s", "turn", 12.0, 0.3)])


def test_25_a_rotary_element() -> None:
    """Its effort is minus the gradient of its energy, along the angle alone: no net force or moment on the whole."""
    system = hinged()
    for angle in (-0.4, 0.9):
        applied = applied_forces(forward(Instant(system, np.array([0, 0, 0, 1.0, 0, 0, 0, angle]), np.zeros(7))))
        energy = [6.0 * (angle + side * 1e-5 - 0.3) ** 2 for side in (1.0, -1.0)]
        assert np.asarray(applied.forces(), dtype=float) == pytest.approx(
            [*([0.0] * 6), -(energy[0] - energy[1]) / 2e-5], abs=1e-8
        )
        assert not applied.wrenches


@pytest.mark.slow
def test_25_momentum_and_energy_are_kept() -> None:
    """By a rotary spring between two bodies, and by one between points of two that fly alone."""
    spring = lm.PointSpring("s", "a", (0.2, 0.1, 0.0), "b", (-0.1, 0.3, 0.2), 40.0, 0.3)
    joints = [lm.Free(name=f"f{n}", parent="world", child=n) for n in "ab"]
    apart = lm.System("two", hinged().bodies, joints, forces=[spring], nominal={"fb_x": 0.8})
    for system, start in ((hinged(), {"turn": 1.0, "turn_rate": 2.0, "yaw_rate": 1.0}), (apart, {"fb_x": 0.8})):
        run = lm.simulate(system, 1.0, start=start, step=0.002, sample=0.02)
        assert np.ptp(run.energy) < 1e-8 and np.ptp(run["potential_energy"]) > 0.1
        for kind in ("linear", "angular"):
            for axis in "xyz":
                assert np.ptp(run[f"{kind}_momentum_{axis}"]) < 1e-9


@pytest.mark.slow
def test_26_rates_and_accelerations_are_differences() -> None:
    """Along a run of free bodies: angle, slide and screw, their rates, and accelerations of the tree at the same states."""
    bodies = [lm.Body(n, 1.0, (0.1, 0.2, 0.0), (0.3, 0.3, 0.3)) for n in "abc"]
    joints = [
        lm.Revolute(name="turn", parent="world", child="a", axis=(0.6, 0.0, 0.8), at=(0.1, 0.0, 0.2)),
        lm.Prismatic(name="slide", parent="a", child="b", axis=(0.0, 1.0, 0.0), rotation=(0.3, -0.2, 0.5)),
        lm.Helical(name="screw", parent="b", child="c", axis=(0.0, 0.6, 0.8), pitch=0.05),
    ]
    system = lm.System("chain", bodies, joints, forces=[lm.Gravity()])
    start = {"turn": 3.0, "turn_rate": 2.0, "screw": 3.1, "screw_rate": 4.0}  # both pass pi
    run = lm.simulate(system, 0.1, start=start, step=0.001, coordinates="maximal")
    assert run["turn"][-1] > np.pi and run["screw"][-1] > np.pi
    k, h = 50, 1e-3
    at = {s.name: run[s.name][k] for s in (*system.layout.coordinates, *system.layout.velocities)}
    accelerations = lm.accelerations(system, at)
    for name in ("turn", "slide", "screw"):
        q, rate = run[name], run[f"{name}_rate"]
        assert (q[k + 1] - q[k - 1]) / (2 * h) == pytest.approx(rate[k], abs=1e-4)  # h²/6 of a third derivative of some tens
        assert (rate[k + 1] - rate[k - 1]) / (2 * h) == pytest.approx(accelerations[f"{name}_rate"], abs=1e-3)


@pytest.mark.slow
def test_26_coordinates_of_joints(rng: np.random.Generator) -> None:
    """From poses of the bodies, after several turns of a screw, and rates from their twists, against those that were given."""
    from locomotor.simulation.maximal import Maximal

    bodies = [lm.Body(n, 1.0, (0.1, 0.2, 0.0), (0.3, 0.3, 0.3)) for n in "abc"]
    joints = [
        lm.Revolute(name="turn", parent="world", child="a", axis=(0.6, 0.0, 0.8), at=(0.1, 0.0, 0.2)),
        lm.Prismatic(name="slide", parent="a", child="b", axis=(0.0, 1.0, 0.0), rotation=(0.3, -0.2, 0.5)),
        lm.Helical(name="screw", parent="b", child="c", axis=(0.0, 0.6, 0.8), pitch=0.05),
    ]
    motion = Maximal(lm.System("chain", bodies, joints))
    motion.efforts.begin(np.array([3.0, 0.0, 0.0]))
    for k in range(60):
        q = np.array([3.0 + 0.1 * k, 0.02 * k, -0.3 * k])
        v = rng.normal(size=3)
        found, rates = motion.efforts.tree(motion.state(q, v))
        assert found == pytest.approx(q, abs=1e-12) and rates == pytest.approx(v, abs=1e-12)


@pytest.mark.slow
def test_27_driven_crank() -> None:
    """A crank that follows a law: its multiplier is the drive's torque, whose power is what energy gains."""
    system = lm.catalogue.slider_crank().with_motions({"crank": "0.5 + 3*t + 0.4*sin(5*t)"})
    run = lm.simulate(system, 1.0, step=1e-3)
    t = run.time
    assert run["crank"] == pytest.approx(0.5 + 3 * t + 0.4 * np.sin(5 * t), abs=1e-12)
    power = run["crank_drive_torque"] * run["crank_rate"]
    energy = run["kinetic_energy"] + run["potential_energy"]
    h = t[1] - t[0]
    simpson = h / 3 * (power[0:-1:2] + 4 * power[1::2] + power[2::2]).cumsum()
    assert energy[2::2] - energy[0] == pytest.approx(simpson, abs=1e-8)


@pytest.mark.slow
def test_28_slider_crank() -> None:
    """Against the equation of the crank alone, M(phi) phi'' + M'/2 phi'² = -dV/dphi, by differences of energies."""
    system = lm.catalogue.slider_crank()
    for phi in (0.3, 1.9):
        state = {"crank": phi, "crank_rate": 4.0}
        seen = lm.observe(system, state)

        def of(x: float, name: str) -> float:
            return lm.observe(system, {"crank": x, "crank_rate": 1.0})[name]

        h = 1e-3
        T = [2.0 * of(phi + k * h, "kinetic_energy") for k in (-2, -1, 0, 1, 2)]
        V = [of(phi + k * h, "potential_energy") for k in (-2, -1, 0, 1, 2)]
        slope = [(y[0] - 8 * y[1] + 8 * y[3] - y[4]) / (12 * h) for y in (T, V)]
        wanted = -(0.5 * slope[0] * 16.0 + slope[1]) / T[2]
        assert lm.accelerations(system, state)["crank_rate"] == pytest.approx(wanted, rel=1e-6)
        assert seen["kinetic_energy"] == pytest.approx(0.5 * T[2] * 16.0, rel=1e-9)


def test_29_hanging_chain() -> None:
    """At rest the force in each joint is the weight below it; a rod carries f = lambda d, here in tension."""
    from locomotor.simulation.maximal import Maximal

    n, m = 4, 0.7
    bodies = [lm.Body(f"l{k}", m, (0, 0, -0.5), (0.06, 0.06, 0.001)) for k in range(n)]
    joints = [
        lm.Spherical(name=f"j{k}", parent="world" if k == 0 else f"l{k - 1}", child=f"l{k}", at=(0, 0, 0.0 if k == 0 else -1.0))
        for k in range(n)
    ]
    system = lm.System("chain", bodies, joints, forces=[lm.Gravity()])
    motion = Maximal(system)
    twists, lam = motion.accelerations(0.0, motion.state(system.nominal_pose(), np.zeros(system.layout.nv)))
    assert np.abs(twists).max() < 1e-12
    weights = [m * 9.81 * (n - k) for k in range(n)]
    assert lam.reshape(-1, 3) == pytest.approx(np.array([[0.0, 0.0, w] for w in weights]), abs=1e-10)
    bob = lm.System(
        "bob",
        [lm.Body("bob", m, inertia=(1e-6,) * 3)],
        [lm.Translation(name="p", parent="world", child="bob")],
        loops=[lm.RodClosure("rod", "world", "bob", length=0.8)],
        forces=[lm.Gravity()],
        nominal={"z": -0.8},
    )
    assert lm.observe(bob, {})["rod_multiplier"] == pytest.approx(-m * 9.81)
