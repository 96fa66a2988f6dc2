"""Imposed motions that cannot be: each mistake has its own error with the thing, the value and the remedy; sampled motions."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import (
    ExpressionError,
    IncompatibleMotionError,
    MotionJumpError,
    MotionLawError,
    SampledMotionError,
    UnknownJointError,
    UnknownNameError,
)
from locomotor.simulation import RunWarning
from locomotor.simulation.status import Outcome

BEANIE = lm.catalogue.elroy_beanie()


def turn(law: object, duration: float = 2.0) -> lm.Run:
    return lm.simulate(BEANIE, duration, motions={"rotor": law}, step=0.01, target="interpreter")


# -- jumps ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "what", "size", "where"),
    [
        ("abs(t - 1.003)", "velocity", "2", "1.003"),
        ("max(t, 0.7)", "velocity", "1", "0.7"),
        ("if_else(t < 1.25, 0, t - 1.25)", "velocity", "1", "1.25"),
        ("if_else(t < 0.5, 0, 0.3)", "position", "0.3", "0.5"),
        ("0.1*sign(sin(2*t + 0.1))", "position", "0.2", "1.5208"),
        ("1e-3*abs(t - 1.003)", "velocity", "0.002", "1.003"),
    ],
)
def test_a_jump_is_refused_with_its_size_and_instant(law: str, what: str, size: str, where: str) -> None:
    with pytest.raises(MotionJumpError) as caught:
        turn(law)
    message = str(caught.value)
    assert f"imposed on joint 'rotor' jumps in {what} by " in message
    assert "smooth_step(t, start, end)" in message
    found_size, found_time = message.split(f"jumps in {what} by ")[1].split(" s;")[0].split(" near t = ")
    assert float(found_size) == pytest.approx(float(size), rel=1e-2)
    assert float(found_time) == pytest.approx(float(where), abs=1e-3)


def test_a_law_that_is_not_finite_is_refused() -> None:
    with pytest.raises(MotionJumpError, match=r"joint 'rotor' jumps in position by nan near t = 0 s"):
        turn("log(t)")


@pytest.mark.parametrize(
    "law",
    [
        "smooth_step(t, 0.3, 0.31)",
        "sin(200*t)",
        "exp(-1000*(t - 1)**2)",
        "t**2*sign(t)",
        "if_else(t < 1, 0, (t - 1)**3)",
        "1e6*sin(t)",
        "0",
    ],
)
def test_smooth_laws_pass_however_steep(law: str) -> None:
    assert turn(law).status.ok


def test_a_jump_in_acceleration_is_allowed() -> None:
    """A force may jump."""
    run = turn("if_else(t < 1, 0, (t - 1)**2)")
    assert run.status.ok and np.abs(np.diff(run.torques["rotor"])).max() > 0.1


# -- names and texts --------------------------------------------------------------------------------------------


def test_unknown_joint() -> None:
    with pytest.raises(UnknownJointError, match="no joint is named 'roter': did you mean 'rotor'"):
        lm.simulate(BEANIE, 1.0, motions={"roter": "t"})


def test_text_that_does_not_parse() -> None:
    with pytest.raises(ExpressionError, match=r"'sin\(t': it does not parse"):
        turn("sin(t")


def test_a_function_that_does_not_exist() -> None:
    with pytest.raises(ExpressionError, match="sinh"):
        turn("sinh(t)")


def test_unknown_name_in_a_law() -> None:
    with pytest.raises(UnknownNameError, match=r"Motion 'omega\*t': the name 'omega' is unknown"):
        turn("omega*t")


def test_a_law_of_the_state() -> None:
    with pytest.raises(MotionLawError, match=r"depends on 'yaw', a coordinate; an imposed motion may depend on t and param"):
        turn("0.1*yaw")


def test_code_is_never_run() -> None:
    for text in ("__import__('os').getcwd()", "t.__class__", "(lambda: 1)()", "open('x')"):
        with pytest.raises(ExpressionError):
            turn(text)


# -- samples ----------------------------------------------------------------------------------------------------


def test_samples_whose_times_do_not_increase() -> None:
    with pytest.raises(SampledMotionError, match=r"must increase: sample 2 is at 0.2 s and sample 3 at 0.2 s"):
        lm.Motion.sampled([0.0, 0.1, 0.2, 0.2, 0.3], [0.0, 1.0, 2.0, 3.0, 4.0])
    with pytest.raises(SampledMotionError, match=r"sample 0 is at 1.0 s and sample 1 at 0.5 s"):
        lm.Motion.sampled([1.0, 0.5, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("times", "values", "complaint"),
    [
        ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], "at least 4 samples for two derivatives, got 3"),
        ([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0], r"as many values as times.*\(4,\) and \(3,\)"),
        ([0.0, 1.0, 2.0, 3.0], [0.0, float("nan"), 2.0, 3.0], "sample 1 of the motion is t=1.0, r=nan; all must be finite"),
        (np.arange(3000.0), np.zeros(3000), "at most 2000 samples, got 3000"),
    ],
)
def test_samples_that_make_no_spline(times: object, values: object, complaint: str) -> None:
    with pytest.raises(SampledMotionError, match=complaint):
        lm.Motion.sampled(times, values)  # type: ignore[arg-type]


def test_a_run_longer_than_its_samples() -> None:
    motion = lm.Motion.sampled([0.0, 0.5, 1.0, 1.5], [0.0, 0.1, 0.3, 0.2])
    with pytest.raises(MotionJumpError, match=r"sampled from 0 to 1.5 s and the run goes from 0 to 2 s"):
        turn(motion)


def test_a_sampled_motion_has_two_continuous_derivatives_and_meets_its_samples() -> None:
    t = np.linspace(0.0, 2.0, 21)
    motion = lm.Motion.sampled(t, np.sin(2 * t))
    at = {"t": t}
    np.testing.assert_allclose(motion.position.evaluate(at), np.sin(2 * t), atol=1e-15)
    fine = np.linspace(0.0, 2.0, 4001)
    # A cubic spline of spacing 0.1 through sin(2t): errors h^4/24 16, and near the ends some ten times that.
    np.testing.assert_allclose(motion.position.evaluate({"t": fine}), np.sin(2 * fine), atol=2e-4)
    second = np.asarray(motion.acceleration.evaluate({"t": fine}))
    # Continuous: its steps are its slope (8 at most, a little more at the ends) times the spacing.
    assert np.abs(np.diff(second)).max() < 12 * 0.0005
    run = turn(motion)
    exact = turn("sin(2*t)")
    # The spline does not start at rest exactly: 3e-4 rad/s of the body after 2 s.
    np.testing.assert_allclose(run["yaw"], exact["yaw"], atol=1e-3)


# -- constraints --------------------------------------------------------------------------------------------------


def test_motions_that_contradict_the_constraints_name_rows_and_amounts() -> None:
    """A wave of all joints is nearly what a snake can do, but not quite: 0.085 mm/s at the tail."""
    snake = lm.catalogue.wheeled_snake(8)
    laws = {f"joint_{k}": f"0.3*sin(t + {k})" for k in range(1, 8)}
    with pytest.raises(IncompatibleMotionError) as caught:
        lm.simulate(snake, 1.0, motions=laws)
    message = str(caught.value)
    assert re.search(r"imposed on joint_1, .*joint_7 contradict the constraints: at t = 0 s they move ", message)
    assert re.search(r"axle_7_lateral by -8.5e-05 m/s, axle_6_lateral by .* and 1 more, which must be zero; impose", message)


def test_motions_that_contradict_the_constraints_later() -> None:
    """All rates vanish at the start; the contradiction shows on the way, and the status says where and by how much."""
    snake = lm.catalogue.wheeled_snake(4)
    laws = {"joint_1": "0.5 + 0.1*(1 - cos(t))", "joint_2": "0.1*(cos(t) - 1)", "joint_3": "-0.5"}
    with pytest.warns(RunWarning, match="the motion violates the constraints"):
        run = lm.simulate(snake, 2.0, motions=laws, target="interpreter", step=0.01)
    assert run.status.outcome is Outcome.INCOMPATIBLE
    assert re.search(r"axle_3_lateral moves at up to 0.005\d*, which must be zero", str(run.status))
    assert "impose fewer, or make them agree" in str(run.status)


def test_motions_that_agree_pass() -> None:
    cart = lm.catalogue.cart_pendulum()
    laws = {"front_wheel": "sin(t)", "rear_wheel": "sin(t)"}
    assert lm.simulate(cart, 0.5, motions=laws, target="interpreter", step=0.01).status.ok


def test_the_start_cannot_give_an_imposed_joint() -> None:
    with pytest.raises(lm.errors.InconsistentStartError, match="'rotor' is imposed by a motion; leave it out of the start"):
        lm.simulate(BEANIE, 1.0, motions={"rotor": "t"}, start={"rotor": 0.1})


# -- a singular shape on the way -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stepper", ["rk4", "dop853"])
@pytest.mark.parametrize("modules", [3, 6])
def test_a_singular_shape_on_the_way_ends_the_run_with_time_joints_and_velocity(stepper: str, modules: int) -> None:
    """The neck passes through constant curvature at t = 1 s, where two joints determine nothing."""
    snake = lm.catalogue.wheeled_snake(modules)
    laws = {"joint_1": "0.5 - 0.4*t", "joint_2": "0.1*t"}
    with pytest.warns(RunWarning, match="the constraints became singular"):
        run = lm.simulate(snake, 2.0, motions=laws, stepper=stepper)
    assert run.status.outcome is Outcome.SINGULAR
    assert run.status.time == pytest.approx(1.0, abs=2e-3)
    text = str(run.status)
    assert "'axle_2 lateral (which determines " in text
    assert "the imposed joints are at joint_1 = 0.1" in text and "joint_2 = 0." in text
    assert run.events[-1].name == "end"
    # What there is, is good.
    assert run.time[-1] <= run.status.time + 1e-9 and run.time[-1] > 0.9
    assert all(np.isfinite(values).all() for values in run.channels.values())


def test_nothing_half_written_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for laws in ({"rotor": "abs(t - 1)"}, {"rotor": "sin(t"}, {"roter": "t"}):
        with pytest.raises(lm.errors.LocomotorError):
            lm.simulate(BEANIE, 2.0, motions=laws).save(tmp_path / "run.nc")
    snake = lm.catalogue.wheeled_snake(4)
    laws = {f"joint_{k}": f"0.3*sin(t + {k})" for k in (1, 2, 3)}
    with pytest.raises(IncompatibleMotionError):
        lm.simulate(snake, 2.0, motions=laws, target="interpreter", step=0.01).save(tmp_path / "run.nc")
    assert list(tmp_path.iterdir()) == []
    # A run that ended early is whole as far as it goes, and saves.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        run = lm.simulate(snake, 2.0, motions={"joint_1": "0.5 - 0.4*t", "joint_2": "0.1*t"})
    run.save(tmp_path / "short.nc")
    assert [path.name for path in tmp_path.iterdir()] == ["short.nc"]
    assert lm.load(tmp_path / "short.nc").status.outcome is Outcome.SINGULAR
