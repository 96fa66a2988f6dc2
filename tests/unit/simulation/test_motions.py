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
    NotFiniteError,
    QuantityError,
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


@pytest.mark.parametrize(
    ("law", "what"),
    [
        ("log(t)", "position is not finite at t = 0 s"),
        ("1/t", "position is not finite at t = 0 s"),
        ("1/(t - 1.00037)", "position is not finite at t = 1.00037 s"),
        ("log(0.5 - t)", "position is not finite from t = 0.5 s"),
        ("sqrt(t - 0.5)", "position is not finite from t = 0 s"),
        ("tan(t)", "position is not finite at t = 1.5708 s"),
        ("t**1.5", "acceleration is not finite at t = 0 s"),
        ("abs(t - 1)**1.5", "acceleration is not finite at t = 1 s"),
    ],
)
def test_a_law_that_is_not_finite_is_refused_with_its_instant(law: str, what: str) -> None:
    with pytest.raises(NotFiniteError, match=rf"joint 'rotor': its {what}; give a law that is finite"):
        turn(law)


@pytest.mark.parametrize(
    ("law", "size", "where"),
    [
        ("max(0.001 - abs(t - 1.0003), 0)", 1.0, 0.9993),
        ("max(1e-6 - abs(t - 1.23456789), 0)", 1.0, 1.2345679),
        ("atan2(sin(t + 2), cos(t + 2))", 6.2832, 1.14159),
    ],
)
def test_the_formula_itself_tells_where_it_breaks_however_narrow(law: str, size: float, where: float) -> None:
    with pytest.raises(MotionJumpError) as caught:
        turn(law)
    found_size, found_time = str(caught.value).split(" by ")[1].split(" s;")[0].split(" near t = ")
    assert float(found_size) == pytest.approx(size, rel=1e-2)
    assert float(found_time) == pytest.approx(where, abs=1e-5)


@pytest.mark.parametrize("law", ["abs(sin(5*t))", "abs(t)", "t*abs(t)", "abs(t - 1)"])
def test_a_kink_that_the_run_does_not_pass_is_none(law: str) -> None:
    """A law that begins on its kink has the velocity of the side it is used on."""
    assert turn(law, 0.5).status.ok
    if law == "abs(t)":
        np.testing.assert_array_equal(turn(law, 0.5)["rotor_rate"], 1.0)


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


@pytest.mark.parametrize(
    ("motions", "complaint"),
    [
        (["rotor"], r"motions is \['rotor'\]; give a mapping by name"),
        ("rotor", "motions is 'rotor'; give a mapping by name"),
        ({3: "t"}, "motions is 3; give it as text"),
        ({"rotor": None}, "the motion of joint 'rotor': the law of a Motion is None"),
        ({"rotor": ([0.0, 1.0], [0.0, 1.0])}, r"joint 'rotor' is a tuple of 2; .* samples as Motion.sampled\(times, values\)"),
    ],
)
def test_motions_that_are_none(motions: object, complaint: str) -> None:
    with pytest.raises(QuantityError, match=complaint):
        lm.simulate(BEANIE, 1.0, motions=motions)  # type: ignore[arg-type]


def test_an_input_of_an_imposed_joint_is_refused() -> None:
    with pytest.raises(QuantityError, match="the input 'rotor_torque' drives joint 'rotor', whose motion is imposed"):
        lm.simulate(BEANIE, 1.0, motions={"rotor": "t"}, inputs={"rotor_torque": 1.0})


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
        (["a", "b", "c", "d"], [0.0, 1.0, 2.0, 3.0], "the times of a sampled motion is .*; give an array of real numbers"),
        ([0.0, 1.0, 2.0, 3.0], [1j, 1.0, 2.0, 3.0], "the values of a sampled motion is .*; give an array of real numbers"),
    ],
)
def test_samples_that_make_no_spline(times: object, values: object, complaint: str) -> None:
    with pytest.raises(SampledMotionError, match=complaint):
        lm.Motion.sampled(times, values)  # type: ignore[arg-type]


def test_a_run_longer_than_its_samples() -> None:
    motion = lm.Motion.sampled([0.0, 0.5, 1.0, 1.5], [0.0, 0.1, 0.3, 0.2])
    with pytest.raises(SampledMotionError, match=r"sampled from 0 to 1.5 s and is asked for from 0 to 2 s; shorten"):
        turn(motion)


def test_a_law_with_a_span_of_its_own_is_looked_at_like_any_other() -> None:
    with pytest.raises(MotionJumpError, match="jumps in velocity by 2 near t = 1 s"):
        turn(lm.Motion("abs(t - 1)", (0.0, 2.0)))


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


def test_samples_cost_few_operations() -> None:
    """Two joints filmed at the same times share their comparisons: five choices and one comparison a sample each at most."""
    t = np.linspace(0.0, 10.0, 201)
    laws = {"steer": lm.Motion.sampled(t, 0.3 * np.sin(t)), "rotor": lm.Motion.sampled(t, 0.7 * np.sin(t))}
    plain = lm.trace(lm.catalogue.snakeboard().with_motions({"steer": "0.3*sin(t)", "rotor": "0.7*sin(t)"}))
    filmed = lm.trace(lm.catalogue.snakeboard().with_motions(laws))
    assert filmed.dynamics.operations - plain.dynamics.operations < 10.5 * 200


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
    assert re.search(r"axle_3_lateral moves at up to 0.005\d* m/s, which must be zero", str(run.status))
    assert "impose fewer, or make them agree" in str(run.status)
    assert run.status.time == pytest.approx(0.01), "where it shows first, not where it is largest"


def test_a_coupling_is_violated_in_its_own_unit() -> None:
    """The axles of the snakeboard turn against each other; imposed alike, they break their coupling by 0.2 rad/s."""
    with pytest.raises(IncompatibleMotionError, match=r"they move opposite_axles by 0\.2 rad/s"):
        lm.simulate(lm.catalogue.snakeboard(), 1.0, motions={"steer": "0.1*t", "front_steer": "0.1*t"})


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
    """The neck passes through constant curvature at t = 1 s, where two joints determine nothing.

    Its three axles meet in one point there: each of their rows is a combination of the two others, and any may be named.
    """
    snake = lm.catalogue.wheeled_snake(modules)
    laws = {"joint_1": "0.5 - 0.4*t", "joint_2": "0.1*t"}
    with pytest.warns(RunWarning, match="the constraints became singular"):
        run = lm.simulate(snake, 2.0, motions=laws, stepper=stepper)
    assert run.status.outcome is Outcome.SINGULAR
    assert run.status.time == pytest.approx(1.0, abs=1e-5)
    text = str(run.status)
    assert re.search(r"contact 'axle_[123]' \(direction lateral\) no longer determines ", text)
    assert "joint_1 = 0.1" in text and "joint_2 = 0." in text and "joint_3" not in text
    assert "stay away from this shape" in text and "smaller step" not in text
    assert run.events[-1].name == "end"
    # What there is, is good: nothing is kept from where the velocities grow without bound.
    assert f"the samples are kept up to t = {run.time[-1]:.6g} s" in text
    assert 0.9 < run.time[-1] < 1.0
    assert all(np.isfinite(values).all() for values in run.channels.values())
    assert max(float(np.abs(values).max()) for values in run.group("velocities").values()) < 200


def test_a_run_does_not_step_across_a_singular_shape() -> None:
    """The legs of the trident snake meet one at t = 1.8819 s; the last samples before it are kept, none behind.

    Each of the three wheels follows from the others there; which of them is named depends on the pivots.
    """
    laws = {"leg_1": "t", "leg_2": "0.4*t", "leg_3": "-0.5*t"}
    with pytest.warns(RunWarning, match="contact 'wheel_[123]'"):
        run = lm.simulate(lm.catalogue.trident_snake(), 6.0, motions=laws, step=0.005, target="interpreter")
    assert run.status.time == pytest.approx(1.8819, abs=1e-4) and 1.7 < run.time[-1] < 1.8819
    # Velocities have a pole there: what they are times the time that is left tends to 0.425.
    fastest = max(float(np.abs(values[-1])) for values in run.group("velocities").values())
    assert fastest * (run.status.time - run.time[-1]) == pytest.approx(0.42, abs=0.01)


@pytest.mark.parametrize("laws", [{"joint_1": "0.3*t", "joint_2": "0.2*t"}, {"joint_1": "0.3 + t", "joint_2": "0.3 + 2*t"}])
def test_a_singular_shape_at_the_start_is_refused(laws: dict[str, str]) -> None:
    with pytest.raises(lm.errors.InconsistentStartError, match=r"starts at a singular shape at joint_[12] = 0.*joint_[12] = 0"):
        lm.simulate(lm.catalogue.wheeled_snake(5), 3.0, motions=laws, target="interpreter")


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
