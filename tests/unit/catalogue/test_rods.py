"""Rods of the catalogue: an arm bent by tendons, a column that flutters, a thread that hangs."""

import re

import numpy as np
import pytest

import locomotor as lm


@pytest.mark.slow
def test_a_tendon_bends_the_arm_away_from_gravity_alone() -> None:
    """The first tendon lies along +y of the arm: it bends it about z, shortens it and does not twist it."""
    hanging, pulled = (lm.equilibrium(lm.catalogue.soft_manipulator(), inputs={"pull_1": pull}) for pull in (0.0, 0.5))
    assert hanging.stable and pulled.stable and pulled.found
    # Hanging, it carries the weight of what is below: stretch rho g l/E times 3/4 and 1/4.
    strain = 1070.0 * 9.81 * 0.4 / 2e5
    assert np.allclose([hanging["arm_stretch_0"], hanging["arm_stretch_1"]], [0.75 * strain, 0.25 * strain], rtol=1e-9)
    assert pulled["arm_bend_z_1"] > 0.5 and abs(pulled["arm_twist_0"]) < 1e-12 and abs(pulled["arm_bend_y_1"]) < 1e-12
    assert pulled["arm_stretch_1"] < hanging["arm_stretch_1"]


@pytest.mark.slow
@pytest.mark.parametrize(("load", "flutters"), [(19.9, False), (20.5, True)])
def test_the_column_flutters_beyond_beck_s_load(load: float, flutters: bool) -> None:
    system = lm.catalogue.follower_column().with_parameters(P=load)
    assert lm.equilibrium(system).stable is None  # its stiffness is not symmetric, and does not tell
    growth = lm.linearise(system).eigenvalues.real.max()
    assert growth > 0.1 if flutters else growth < 1e-6


@pytest.mark.slow
def test_the_dead_column_buckles_at_euler_s_load() -> None:
    (change,) = lm.continue_equilibrium(lm.catalogue.follower_column("dead"), "P", 3.0).changes
    assert change.kind == "branch" and abs(change.load / (0.25 * np.pi**2) - 1.0) < 1e-4


@pytest.mark.slow
def test_the_thread_swings_with_implicit_steps() -> None:
    """Two seconds in steps far beyond what explicit ones bear; energy is lost by the stepper alone, and little."""
    run = lm.simulate(lm.catalogue.suture_thread(), 2.0, step=1e-3, stepper="generalised-alpha")
    assert run.time[-1] == 2.0 and run.audit()["energy_balance"] < 1e-4


@pytest.mark.slow
def test_the_path_of_the_thread_converges_and_tells_its_error() -> None:
    """Two seconds at 1, 1/2 and 1/4 ms: second order, so that a third of the difference of two paths is the error of the finer.

    At 1 ms all strains are within 7e-3 (1/m) of the limit, of 4 (1/m) that they reach.
    """
    thread = lm.catalogue.suture_thread()
    paths = []
    for step in (1e-3, 5e-4, 2.5e-4):
        run = lm.simulate(thread, 2.0, step=step, stepper="generalised-alpha", sample=1e-2)
        paths.append(np.array(list(run.group("coordinates").values())))
    changes = [float(np.abs(paths[k] - paths[k + 1]).max()) for k in range(2)]
    assert changes[0] / changes[1] == pytest.approx(4.0, abs=0.2)
    assert changes[0] * 4.0 / 3.0 < 1e-2 and np.abs(paths[2]).max() > 4.0


@pytest.mark.slow
def test_explicit_steps_beyond_the_limit_of_the_thread_are_told_with_it() -> None:
    """Runge-Kutta 4 is stable along the imaginary axis up to 2 sqrt(2) (Hairer and Wanner, section IV.2)."""
    thread = lm.catalogue.suture_thread().with_parameters(d=0.0)
    limit = 2.0 * np.sqrt(2.0) / np.abs(lm.linearise(thread).all_eigenvalues).max()
    with pytest.raises(lm.errors.UnstableStepError, match="rk4 is stable with steps below") as told:
        lm.simulate(thread, 2.0, step=2.0 * limit, stepper="rk4")
    found = re.search(r"below ([\d.e-]+) s", str(told.value))
    assert found and float(found[1]) == pytest.approx(limit, rel=0.05)  # two digits


@pytest.mark.slow
def test_the_eel_swims_against_the_wave_of_its_muscles() -> None:
    """A wave that runs to the tail drives it head first, one to the head tail first; energy and work balance."""
    for waves in (1.0, -1.0):
        run = lm.simulate(lm.catalogue.soft_eel().with_parameters(k=waves), 4.0, step=2e-3)
        assert run.status.ok and run.audit()["energy_balance"] < 1e-4
        # The head lies at smaller x than the tail; the head itself swings too far to tell a direction.
        assert waves * (run["x"][1000] - run["x"][-1]) > 0.02


@pytest.mark.slow
def test_the_wake_of_the_eel_takes_the_momentum_of_lighthill() -> None:
    """In an ideal fluid all momentum that eel and water gain is given by the tail, m w²/2 ahead and -m u w across it."""
    eel = lm.catalogue.soft_eel("ideal", wake=True)
    run = lm.simulate(eel, 2.0, step=1e-3, sample=1e-3)
    tail, m = run.pose("tail"), 1000.0 * np.pi * 0.04**2 / 4.0
    velocity = np.gradient(tail.position, run.time, axis=0, edge_order=2)
    ahead, across = -tail.rotation[:, :, 0], tail.rotation[:, :, 1]
    u, w = np.einsum("ti,ti->t", velocity, ahead), np.einsum("ti,ti->t", velocity, across)
    force = 0.5 * m * (w**2)[:, None] * ahead - (m * u * w)[:, None] * across
    gained = np.trapezoid(force, run.time, axis=0)
    for k, axis in enumerate("xy"):
        momentum = run[f"linear_momentum_{axis}"]
        assert momentum[-1] - momentum[0] == pytest.approx(gained[k], rel=2e-3)
    assert np.trapezoid(run["wake_power"], run.time) == pytest.approx(np.trapezoid(-0.5 * m * u * w**2, run.time), rel=2e-3)
    alone = lm.simulate(lm.catalogue.soft_eel("ideal"), 2.0, step=1e-3, sample=1e-3)
    assert run["x"][-1] < -0.2 < alone["x"][-1]  # most of its thrust


def chained(count: int) -> tuple[lm.System, dict[str, float]]:
    """The strip that jumps with rigid segments for its halves, hinged with springs; and its bent start."""
    system = lm.catalogue.jumping_elastica().with_parameters(damping=0.0)
    h, EI, mass = 0.15 / count, 2.5e9 * 0.02 * 0.001**3 / 12.0, 0.024
    curvature = np.polynomial.legendre.Legendre([lm.catalogue.bent_elastica()[f"right_bend_y_{k}"] for k in range(3)])
    bodies, joints, springs, start = [], [], [], {}
    for half in ("right", "left"):
        grip = next(joint for joint in system.joints if joint.name == f"grip_{half}")
        for k in range(count):
            moment = mass * h**3 / 12.0
            bodies.append(lm.Body(f"{half}_{k}", mass * h, com=(0.5 * h, 0.0, 0.0), inertia=(0.0, moment, moment)))
            where = {"at": (h, 0.0, 0.0)} if k else {"rotation": grip.rotation}
            parent = f"{half}_{k - 1}" if k else "clip"
            joints.append(lm.Revolute(name=f"{half}_bend_{k}", parent=parent, child=f"{half}_{k}", axis=(0, 1, 0), **where))
            share = 1.0 if k else 0.5
            springs.append(lm.JointSpring(f"{half}_spring_{k}", f"{half}_bend_{k}", EI / (share * h)))
            start[f"{half}_bend_{k}"] = share * h * float(curvature(2.0 * k / count - 1.0))
    kept = tuple(body for body in system.bodies if body.name not in ("right", "left") and "_at_" not in body.name)
    carried = tuple(joint for joint in system.joints if joint.child in {body.name for body in kept})
    chain = lm.System(
        "chain", (*kept, *bodies), (*carried, *joints), (system.contacts[0],), (*system.forces, *springs),
        parameters=system.parameters, nominal={"up": "h"},
    )  # fmt: skip
    return chain, start


@pytest.mark.slow
def test_chains_of_segments_jump_as_the_strip_does() -> None:
    """What the ground gives to a strip that is bent far: where chains of 4, 8 and 16 segments converge to (Aitken)."""
    strip = lm.catalogue.jumping_elastica().with_parameters(damping=0.0)
    cases = [(strip, lm.catalogue.bent_elastica()), *(chained(count) for count in (4, 8, 16))]
    flights = [lm.simulate(system, 0.04, start=start, step=5e-5, sample=0.01) for system, start in cases]
    exact, few, some, many = (float(run["linear_momentum_z"][-1]) for run in flights)
    ratio = (few - some) / (some - many)
    assert exact > 5e-3 and ratio > 2.0  # kg m/s; segments that swing by themselves make it less than four
    assert many - (some - many) / (ratio - 1.0) == pytest.approx(exact, rel=2e-3)  # extrapolated from errors of 1 %
