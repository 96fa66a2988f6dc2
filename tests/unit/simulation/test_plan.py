"""A run is planned, compiled, started, integrated and recorded, each by its stage; options as objects or one by one."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from backends.problems import needs_compiler
from locomotor.catalogue import bouncing_ball
from locomotor.codegen import _compile, driver
from locomotor.errors import LocomotorError, StepperError
from locomotor.simulation.options import Method, Start
from locomotor.simulation.recorder import record
from locomotor.simulation.run_plan import Plan, plan_run
from locomotor.simulation.smooth import SmoothMotion
from oracles.simple import rolling_disc

DISC = {"roll": 0.2, "pitch_rate": 6.0, "yaw_rate": 0.4}


def equal(one: lm.Run, other: lm.Run) -> None:
    assert one.settings == other.settings and list(one.channels) == list(other.channels)
    np.testing.assert_array_equal(one.time, other.time)
    for name, values in one.channels.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


@pytest.mark.parametrize(
    "plain",
    [{"stepper": "abm4", "step": 0.01}, {"stepper": "dop853"}, {"project": True, "target": "interpreter", "step": 0.02}],
)
def test_a_method_is_its_options_one_by_one(plain: dict[str, Any]) -> None:
    runs = [lm.simulate(rolling_disc(), 0.2, start=DISC, **how) for how in (plain, {"method": lm.Method(**plain)})]
    equal(*runs)


def test_a_start_is_its_options_one_by_one() -> None:
    begin = lm.Start(DISC, time=1.0, assemble=False)
    equal(
        lm.simulate(rolling_disc(), 0.2, start=begin, inputs={}, target="interpreter", step=0.02),
        lm.simulate(rolling_disc(), 0.2, start=DISC, start_time=1.0, assemble=False, target="interpreter", step=0.02),
    )
    resting = lm.Start({"speed": 0.5}, closed=("floor",))
    ball = bouncing_ball()
    equal(*(lm.simulate(ball, 0.1, **how) for how in ({"start": resting}, {"start": {"speed": 0.5}, "closed": ("floor",)})))


def test_objects_serve_many_runs_and_stay_as_they_are() -> None:
    values = {"pitch_rate": 6.0}
    begin, how = lm.Start(values), lm.Method(step=0.05, target="interpreter")
    first = lm.simulate(rolling_disc(), 0.2, start=begin, method=how)
    values["pitch_rate"] = 1.0
    equal(first, lm.simulate(rolling_disc(), 0.2, start=begin, method=how))
    with pytest.raises(AttributeError):
        how.step = 0.1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: lm.Method(step=-1.0), "Method: step is -1.0; it must be a finite number, positive"),
        (lambda: lm.Method(stepper="euler"), "no stepper is named 'euler'; there are rk4"),
        (lambda: lm.Method(stepper="dop853", project=True), "project=True needs a fixed step, and dop853 has none"),
        (lambda: lm.Method(scheme="near"), "Method: scheme is 'near'; give one of 'exact', 'source'"),
        (lambda: lm.Method(target="gpu"), "Method: target is 'gpu'; give one of"),
        (lambda: lm.Start({"speed": 1.0}, time="now"), "Start: time is 'now'"),
        (lambda: lm.Start(5.0), "Start: values is 5.0"),
        (lambda: lm.Start({}, closed=3), "Start: closed is 3"),
        (
            lambda: lm.simulate(rolling_disc(), 1.0, method=lm.Method(), step=0.01),
            r"method is a Method, and step is given besides; write Method\(step=...\), or no Method at all",
        ),
        (
            lambda: lm.simulate(rolling_disc(), 1.0, start=lm.Start(DISC), start_time=2.0),
            r"start is a Start, and time is given besides; write Start\(time=...\), or no Start at all",
        ),
        (lambda: lm.simulate(rolling_disc(), 1.0, method="rk4"), "simulate: method is 'rk4'"),
    ],
)
def test_bad_options_are_refused_in_words(wrong: Any, words: str) -> None:
    with pytest.raises(LocomotorError, match=words):
        wrong()


def plan_of(system: lm.System, **how: Any) -> Plan:
    """A run of a tenth of a second as `simulate` plans it."""
    rest: dict[str, Any] = dict.fromkeys(("inputs", "controller", "motions", "static", "parameters", "sample", "ends"))
    return plan_run(system, 0.1, Start(DISC), Method(step=0.01), **{**rest, **how})


@needs_compiler
@pytest.mark.parametrize("stepper", ["rk4", "dop853"])
def test_what_is_compiled_is_compiled_by_the_stage_called_so(monkeypatch: pytest.MonkeyPatch, stepper: str) -> None:
    """Planning builds nothing; compiling builds everything; starting, moving and recording build nothing more."""
    built: list[str] = []
    originals = {module: module.build for module in (driver, _compile)}

    def watched(module: Any) -> Any:
        return lambda text, *rest: (built.append(text), originals[module](text, *rest))[1]

    for module in originals:
        monkeypatch.setattr(module, "build", watched(module))
    # A system of its own: what another test has compiled would not be compiled again.
    system = rolling_disc().replace(name=f"staged_{stepper}", ends={"fallen": "1.2 - abs(roll)"})

    plan = plan_run(system, 0.1, Start(DISC), Method(stepper), {}, None, None, None, None, None, "declared")
    assert not built
    motion = SmoothMotion(plan)
    driven = motion.compile(None, 0.0)
    assert built
    for module in originals:
        monkeypatch.setattr(module, "build", lambda *_: pytest.fail("a compiler was called"))
    state = motion.start(driven)
    run = record(system, motion.course(*motion.integrate(driven, state)))
    assert run.status.ok and run.time[-1] == pytest.approx(0.1)


def test_the_same_run_at_half_the_step() -> None:
    plan = plan_of(rolling_disc())
    finer = plan.finer()
    assert finer.stepper.step == 0.5 * plan.stepper.step == 0.005  # type: ignore[union-attr]
    np.testing.assert_allclose(finer.samples.times, plan.samples.times, rtol=0.0, atol=1e-15)
    assert finer.samples.substeps == 2 and finer.system is plan.system and finer.start is plan.start


def test_a_plan_refuses_what_cannot_be_before_anything_is_traced() -> None:
    with pytest.raises(StepperError, match=r"sample is 2\.0 s; it must be positive and at most the duration"):
        plan_of(rolling_disc(), sample=2.0)
