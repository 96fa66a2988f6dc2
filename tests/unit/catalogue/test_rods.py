"""Rods of the catalogue: an arm bent by tendons, a column that flutters, a thread that hangs."""

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
    assert run.time[-1] == 2.0 and run.audit()["energy_balance"] < 1e-2


@pytest.mark.slow
def test_the_eel_swims_against_the_wave_of_its_muscles() -> None:
    """A wave that runs to the tail drives it head first, one to the head tail first; energy and work balance."""
    for waves in (1.0, -1.0):
        run = lm.simulate(lm.catalogue.soft_eel().with_parameters(k=waves), 4.0, step=2e-3)
        assert run.status.ok and run.audit()["energy_balance"] < 1e-4
        # The head lies at smaller x than the tail; the head itself swings too far to tell a direction.
        assert waves * (run["x"][1000] - run["x"][-1]) > 0.02
