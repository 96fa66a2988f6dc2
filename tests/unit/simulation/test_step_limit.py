"""Explicit steps beyond the limit of stability: an error with the limit, at every door, and none where a run would be fine."""

import math
import warnings
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import TaskError, UnstableStepError
from locomotor.simulation.driven import Driven
from locomotor.simulation.step_limit import SHORTER
from locomotor.simulation.stiffness import rounded_down
from locomotor.sweeps.measure import PointStatus

OMEGA = 1000.0
"""Of the stiff mode (rad/s)."""
RK4, LEAPFROG = math.sqrt(8.0) / OMEGA, 2.0 / OMEGA
"""Limits of an oscillation: Hairer, Wanner, section IV.2; x'' = -w² x by mid-points is the leapfrog, stable for w h < 2."""


def weights(stiffness: Any = OMEGA**2 / 2, law: str = "", damper: float = 0.0, **more: Any) -> lm.System:
    """Two weights of 1 kg on a rail, tied by a spring: the mode in which they move apart has w² = 2 k / m."""
    forces: list[Any] = [lm.JointSpring("spring", "apart", stiffness)]
    forces += [lm.JointForce("law", "apart", law)] if law else []
    forces += [lm.JointDamper("damper", "apart", damper)] if damper else []
    body = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    rail = {"axis": (1, 0, 0)}
    return lm.System(
        "weights",
        [lm.Body("one", **body), lm.Body("two", **body)],
        [
            lm.Prismatic(name="x", parent="world", child="one", drive=lm.Torque("u"), **rail),
            lm.Prismatic(name="apart", parent="one", child="two", **rail),
        ],
        forces=forces,
        inputs=[lm.Input("u", "N")],
        **more,
    )


def bouncing() -> lm.System:
    """The weights above each other, the lower of them above the ground."""
    system = weights()
    joints = [lm.Prismatic(name=j.name, parent=j.parent, child=j.child, axis=(0, 0, 1)) for j in system.joints]
    foot = lm.SlidingPoint("foot", "one", (0, 0, 0), law=lm.Unilateral())
    return system.replace(joints=joints, contacts=(foot,), forces=(*system.forces, lm.Gravity()), inputs=())


@pytest.mark.parametrize(("stepper", "limit"), [("rk4", 2.828), ("abm4", 0.29), ("abm5", 0.32)])
def test_a_run_is_refused_with_the_limit_and_the_remedy(stepper: str, limit: float) -> None:
    with pytest.raises(UnstableStepError, match=f"{stepper} is stable with steps below .* stepper='generalised-alpha'") as told:
        lm.simulate(weights(), 1.0, start={"x_rate": 1.0}, stepper=stepper, step=4 * limit / OMEGA)
    assert told.value.longest == pytest.approx(limit / OMEGA, rel=0.01)
    run = lm.simulate(weights(), 0.1, start={"x_rate": 1.0}, stepper=stepper, step=rounded_down(told.value.longest))
    assert run.status.completed


@pytest.mark.parametrize("damper", [1e3, 1e13])
def test_what_is_stiff_beyond_measure_is_refused_as_soon(damper: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runge-Kutta 4 is stable for 2.785 of a decay, here of 2 c/m; and no motion is followed by a trillion shorter steps."""
    asked: list[int] = []
    roll = Driven.roll

    def counted(self: Driven, t: float, x: Any, steps: int, h: float, **options: Any) -> Any:
        asked.append(steps)
        assert steps <= SHORTER
        return roll(self, t, x, steps, h, **options)

    monkeypatch.setattr(Driven, "roll", counted)
    with pytest.raises(UnstableStepError, match="rk4 is stable with steps below") as told:
        lm.simulate(weights(1.0, damper=damper), 0.1, start={"x_rate": 1.0}, step=0.01)
    assert told.value.longest == pytest.approx(2.785 / (2.0 * damper), rel=0.02)
    assert asked


def test_what_rests_is_refused_too() -> None:
    """The least push would be its end, and it may come in a second."""
    with pytest.raises(UnstableStepError):
        lm.simulate(weights(), 2.0, inputs={"u": "1 if t > 1 else 0"}, step=0.01)


@pytest.mark.parametrize("share", [0.99, 1.03])
def test_the_limit_is_where_it_is(share: float) -> None:
    """Within three parts in a hundred: below it both weights go on as one, above it no run is made."""
    if share < 1:
        run = lm.simulate(weights(), 1.0, start={"x_rate": 1.0, "apart": 1e-9}, step=share * RK4)
        assert run.status.completed and abs(run["apart"]).max() <= 1e-9
    else:
        with pytest.raises(UnstableStepError):
            lm.simulate(weights(), 1.0, start={"x_rate": 1.0, "apart": 1e-9}, step=share * RK4)


def test_damping_has_a_limit_of_its_own() -> None:
    """A decay of 1e4 1/s: 2.785 (rk4) over the rate."""
    damped = weights(0.0, damper=5e3)
    with pytest.raises(UnstableStepError, match=r"decays at 1e\+04 1/s, so that rk4 is stable with steps below 0\.00027 s"):
        lm.simulate(damped, 1.0, start={"apart_rate": 1.0})
    assert lm.simulate(damped, 0.1, start={"x_rate": 1.0, "apart_rate": 1e-9}, step=2.7e-4).status.completed


# -- where a run would be fine -----------------------------------------------------------------------------------


def test_friction_that_saturates_trembles_and_is_not_refused() -> None:
    """Slopes of 2e6 1/s at rest, which the law leaves at a micrometre a second: steps of 1 ms only tremble."""
    smooth = weights(0.0, law="-tanh(apart_rate/1e-6)")
    for start in ({}, {"apart_rate": 0.3}):
        run = lm.simulate(smooth, 1.0, start=start)
        assert run.status.ok and abs(run["apart_rate"][-1]) < 2e-3


def test_what_grows_by_itself_is_not_refused() -> None:
    """An upright rod of 0.1 mm falls at 400 1/s; steps of 1 ms make it grow by half, rightly."""
    falls = weights(-(400.0**2) / 2)
    assert lm.simulate(falls, 0.03, start={"apart": 1e-9}).status.ok
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lm.RunWarning)
        lm.simulate(falls, 0.2, start={"apart": 1e-12})  # e^80: no error, whatever becomes of it


def test_what_grows_for_a_while_is_not_refused() -> None:
    """Slopes far from normal: two decays at 1 1/s with 1e6 between them let a deviation grow many thousand times, and go."""
    body = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    sheared = lm.System(
        "sheared",
        [lm.Body("one", **body), lm.Body("two", **body)],
        [lm.Prismatic(name=name, parent="world", child=child, axis=(1, 0, 0)) for name, child in (("x", "one"), ("y", "two"))],
        forces=[lm.JointForce("a", "x", "1e6*y_rate - x_rate"), lm.JointDamper("b", "y", 1.0)],
    )
    run = lm.simulate(sheared, 20.0, start={"y_rate": 1e-3}, step=0.01)
    assert run.status.completed and abs(run["x_rate"]).max() > 300 > 1e-3 > abs(run["x_rate"][-1])


def test_a_run_too_short_to_be_spoilt_is_not_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lm.RunWarning)
        run = lm.simulate(weights(), 3 * 1.05 * RK4, start={"apart": 1e-3}, step=1.05 * RK4)
    assert "stable with steps below" in str(run.status)


def test_what_becomes_stiff_on_the_way_keeps_its_data() -> None:
    """A spring that hardens: nothing is stiff at the start, and the run holds what there was before it went wrong."""
    hardens = weights(1.0, law="-1e9*apart**3")
    with pytest.warns(lm.RunWarning):
        run = lm.simulate(hardens, 1.0, start={"apart_rate": -50.0}, step=5e-3)
    assert not run.status.ok and len(run) >= 1


def test_a_law_called_from_python_is_not_asked_beforehand() -> None:
    """It may remember: nothing is tried with it, and the status tells."""

    def law(channels: Any) -> dict[str, float]:
        return {"u": math.sin(channels["x"])}  # `math` takes no symbols

    with pytest.warns(lm.RunWarning, match="stable with steps below"):
        run = lm.simulate(weights(), 2.0, start={"apart": 1e-3}, step=0.01, controller=law)
    assert not run.status.ok


# -- other doors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["c", "simd", "interpreter"])
def test_a_batch_is_refused_where_all_of_it_is_lost(target: str) -> None:
    compiled = lm.compile(weights(), target=target)
    states = np.tile(compiled.start({"x_rate": 1.0}), (8, 1))
    with pytest.raises(UnstableStepError, match="give a smaller dt, or stepper='generalised-alpha'"):
        compiled.rollout(states, 200, 0.01)
    with pytest.raises(UnstableStepError, match="derivatives are carried along by explicit steps"):
        compiled.jacobians(states, 200, 0.01)
    assert (compiled.rollout(states, 200, 0.01, stepper="auto").status == 0).all()
    assert (compiled.rollout(states, 200, 0.99 * RK4).status == 0).all()


def test_instances_with_parameters_of_their_own_are_told_one_by_one() -> None:
    """As impossible parameters are: a sweep over stiffness goes on beyond the limit."""
    stiff = weights("k", parameters=[lm.Parameter("k", 1.0, "N/m")])
    compiled = lm.compile(stiff, free=("k",))
    states = np.tile(compiled.start({"apart": 1e-3}), (3, 1))
    batch = compiled.rollout(states, 1000, 0.01, parameters=np.array([[1.0], [5e5], [5e9]]))
    assert batch.status.tolist() == [0, 2, 2]
    assert "rk4 is stable with steps below 0.0028 s" in batch.reasons[1] and "2.8e-05 s" in batch.reasons[2]
    found = lm.sweep(
        stiff, {"k": [1.0, 5e5]}, measure={"most": lm.Maximum("abs(apart)")}, duration=5.0, dt=0.01, start={"apart": 1e-3}
    )
    assert [int(status) for status in found["status"].values] == [PointStatus.OK, PointStatus.STOPPED]


@pytest.mark.parametrize(("contacts", "limit"), [("time-stepping", LEAPFROG), ("events", RK4)])
def test_steps_with_contacts(contacts: str, limit: float) -> None:
    """Their limits are found from the steps themselves; what is said is stable, and a little more is not."""
    compiled = lm.compile(bouncing(), contacts=contacts)
    states = np.tile(compiled.start({"x": 0.3}), (4, 1))
    with pytest.raises(UnstableStepError, match=r"stable below .*ContactSettings\(theta=0.75\)") as told:
        compiled.rollout(states, 500, 0.01)
    assert told.value.longest == pytest.approx(limit, rel=0.04)
    fallen = compiled.rollout(states, 80, rounded_down(told.value.longest), channels=("x", "apart"))
    np.testing.assert_allclose(fallen["x"][0], 0.3 - 0.5 * 9.81 * fallen.times**2, atol=1e-9)  # and no impact before 0.2 s
    if contacts == "time-stepping":
        implicit = lm.compile(bouncing(), contacts=contacts, settings=lm.ContactSettings(theta=0.75))
        assert (implicit.rollout(states, 500, 0.01).status == 0).all()


def test_a_run_with_events_and_a_cycle() -> None:
    with pytest.raises(UnstableStepError, match="stepper='midpoint'"):
        lm.simulate(bouncing(), 1.0, start={"x": 0.3}, step=0.01)
    assert lm.simulate(bouncing(), 0.2, start={"x": 0.3}, step=0.01, stepper="midpoint").status.ok
    with pytest.raises(UnstableStepError, match="give a smaller step"):
        lm.find_cycle(weights(), {"x": 0.0}, period=1.0, inputs={"u": "sin(2*pi*t)"}, step=0.005)


def test_a_task_of_learning_takes_implicit_steps() -> None:
    task = lm.learning.Task("apart", weights(), {"u": (-1.0, 1.0)}, ("x", "apart"), reward="-x**2", dt=0.01)
    with pytest.raises(UnstableStepError, match="give task 'apart' a smaller dt, or stepper='generalised-alpha'"):
        lm.learning.Engine(task)
    engine = lm.learning.Engine(task.replace(stepper="generalised-alpha"))
    states, parameters = engine.start(np.zeros((2, 0)))
    ends, failed = engine.step(states, engine.inputs(np.ones((2, 1))), parameters)
    assert not failed.any() and ends[0, 0] == pytest.approx(0.5 * 0.5 * 0.04**2, rel=0.1)  # 1 N on 2 kg for 0.04 s
    with pytest.raises(TaskError, match="stepper is 'abm4'"):
        task.replace(stepper="abm4")


def test_a_limit_is_rounded_down() -> None:
    assert rounded_down(7.56e-5) == pytest.approx(7.5e-5) and rounded_down(2.0e-3) == pytest.approx(2.0e-3)
    assert rounded_down(math.inf) == math.inf
