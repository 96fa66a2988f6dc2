"""The audit: energy and work balance, and halving the step tells the true error."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.records.audit import Audit
from locomotor.simulation.records.step_error import difference


def pendulum(**joint_options: object) -> lm.System:
    """A rod of 1 kg and 1 m on a revolute joint about y, which hangs at zero, with a torque input and a damper."""
    return lm.System(
        "pendulum",
        bodies=[lm.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 1e-3))],
        joints=[lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0), **joint_options)],
        forces=[lm.Gravity((0, 0, -9.81)), lm.JointDamper("friction", joint="swing", damping=0.05)],
        inputs=[lm.Input("push", "N m")],
    )


@pytest.fixture(scope="module")
def bicycle_run() -> lm.Run:
    return lm.simulate(lm.catalogue.bicycle(), duration=2.0, start={"speed": 4.6, "roll_rate": 0.5}, step=0.01)


def test_work_of_damper_and_drive_balances_the_energy() -> None:
    run = lm.simulate(pendulum(drive=lm.Torque("push")), duration=4.0, start={"swing": 1.0}, inputs={"push": "0.8*sin(3*t)"})
    audit = run.audit()
    assert set(audit.work) == {"swing_drive", "friction"}
    # Dissipated: the integral of damping times the square of the rate, by another quadrature (second order at 1 ms).
    lost = np.trapezoid(0.05 * run["swing_rate"] ** 2, run.time)
    assert audit.work["friction"] == pytest.approx(-lost, rel=1e-6)
    assert audit["energy_drift"] > 1e-2
    # RK4 at 1 ms: about (1e-3)^4 of the energy, with room for the constant.
    assert audit["energy_balance"] < 1e-11
    assert audit["quadrature_error"] < 1e-10


def test_imposed_motion_does_the_work() -> None:
    one = pendulum(drive=lm.Motion("0.5*sin(2*t)"))
    system = one.replace(
        bodies=(*one.bodies, lm.Body("tip", mass=0.5, com=(0, 0, -0.2), inertia=(0.01, 0.01, 1e-3))),
        joints=(*one.joints, lm.Revolute(name="knee", parent="rod", child="tip", at=(0, 0, -1), axis=(0, 1, 0))),
    )
    audit = lm.simulate(system, duration=2.0).audit()
    assert set(audit.work) == {"swing_imposed", "friction"}
    assert abs(audit.work["swing_imposed"]) > 0.01
    assert audit["energy_balance"] < 1e-10  # RK4 at 1 ms, and the quadrature of the power


def test_power_of_a_body_force_is_force_times_velocity() -> None:
    system = lm.System(
        "thrown",
        bodies=[lm.Body("stone", mass=2.0, inertia=(1, 1, 1))],
        joints=[lm.Free(name="base", parent="world", child="stone")],
        forces=[lm.Gravity((0, 0, -9.81)), lm.BodyForce("wind", body="stone", at=(0, 0, 0), components=(3, 0, 0))],
    )
    run = lm.simulate(system, duration=1.0, start={"speed": 1.0})
    # x(1) - x(0) = 1 + 3/2/2, and the work of a constant force is force times way.
    assert run.audit().work["wind"] == pytest.approx(3.0 * 1.75, rel=1e-12)
    assert run["wind_power"] == pytest.approx(3.0 * run["speed"], rel=1e-12)
    assert run.audit()["energy_balance"] < 1e-13


def test_forces_with_a_potential_have_no_power_channel() -> None:
    system = pendulum().replace(forces=(lm.Gravity(), lm.JointSpring("spring", joint="swing", stiffness=3.0)))
    run = lm.simulate(system, duration=1.0, start={"swing": 0.5})
    assert not run.group("powers")
    assert run.audit()["energy_balance"] == run.audit()["energy_drift"] < 1e-12


def test_halving_the_step_tells_the_true_error(bicycle_run: lm.Run) -> None:
    audit = bicycle_run.audit(halve=True)
    exact = lm.simulate(
        lm.catalogue.bicycle(),
        duration=2.0,
        start={"speed": 4.6, "roll_rate": 0.5},
        stepper=lm.Adaptive(rtol=1e-12, atol=1e-13),
        sample=0.01,
    )
    true, _, shift = difference(bicycle_run, exact)
    assert shift is None  # nothing happened on the way
    # Richardson's estimate is right to the next order of the step: 10 per cent is ample.
    assert audit["step_error"] == pytest.approx(true, rel=0.1)
    assert audit.digits == math.floor(-math.log10(audit["step_error"]))


def test_a_step_too_long_is_not_trusted() -> None:
    bike = lm.catalogue.bicycle()
    coarse = lm.simulate(bike, duration=2.0, start={"speed": 4.6, "roll_rate": 0.5}, step=0.1).audit(halve=True)
    fine = lm.simulate(bike, duration=2.0, start={"speed": 4.6, "roll_rate": 0.5}, step=0.001).audit(halve=True)
    assert coarse.digits is not None and fine.digits is not None
    assert coarse.digits <= 2 < 9 <= fine.digits
    assert "smaller step" in str(coarse)


def test_residuals_read_like_a_mapping_and_like_sentences(bicycle_run: lm.Run) -> None:
    audit = bicycle_run.audit()
    assert isinstance(audit, Audit)
    assert {"energy_drift", "energy_balance", "largest_gap", "largest_slip", "quaternion_norm_error"} <= set(audit)
    assert audit.digits is None and "halve=True" in str(audit)
    assert "nothing does work" in str(audit)
    assert [subject for subject, _ in audit.lines] == ["energy", "contacts", "rotations", "step", "trust"]


def test_gaps_that_are_open_from_the_start_are_not_held_against_the_run() -> None:
    start = {"pitch": -0.17, "z": 0.3, "speed": 4.5}
    audit = lm.simulate(lm.catalogue.bicycle(), duration=0.5, start=start, assemble=False).audit()
    assert audit["largest_gap"] > 0.1 and audit["gap_drift"] < 1e-12  # round-off of 500 steps
    assert "change by less than" in str(audit)


def test_a_run_that_ended_early_says_so() -> None:
    # r'' = r^3 from r = 5 is infinite after a fraction of a second.
    system = pendulum(drive=lm.Torque("swing**3"))
    with pytest.warns(lm.RunWarning):
        run = lm.simulate(system, duration=5.0, start={"swing": 5.0, "swing_rate": 30.0})
    assert not run.status.ok
    assert dict(run.audit(halve=True).lines)["end"] == str(run.status)
    assert run.events[-1].name == "end" and run.events[-1].time == run.status.time


def test_a_run_from_a_file_is_audited_too(bicycle_run: lm.Run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    read = lm.load(bicycle_run.save(tmp_path / "run.nc"))
    assert dict(read.audit()) == dict(bicycle_run.audit())
    assert read.audit(halve=True).digits is None  # what moved is not in the file: it cannot run again
