"""A fall is a result: a run is over where one of its ends is reached, to round-off, and says which, when and where."""

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle, bouncing_ball
from locomotor.errors import (
    DuplicateNameError,
    InconsistentStartError,
    InvalidNameError,
    LocomotorError,
    QuantityError,
    UnknownNameError,
)
from locomotor.model import Body, Input, Prismatic, System, Torque, parse
from locomotor.model.serialise import from_data, to_data
from locomotor.simulation import Outcome
from locomotor.simulation.ends import Watch, cut
from locomotor.simulation.singular import Piece

GAMMA = 3.0


def growing() -> System:
    """x_ddot = gamma² x with x = cosh(gamma t) from x = 1 at rest: it reaches any a > 1 at arcosh(a) / gamma."""
    return System(
        "growing",
        [Body("mass", mass=1.0, inertia=(1.0, 1.0, 1.0))],
        [Prismatic(name="x", parent="world", child="mass", axis=(1.0, 0.0, 0.0), drive=Torque(f"{GAMMA**2}*x + push"))],
        inputs=[Input("push", "N")],
        ends={"gone": "4 - x"},
    )


def reaches(x: float) -> float:
    """When it is there."""
    return math.acosh(x) / GAMMA


@pytest.mark.parametrize(
    ("stepper", "options", "error"),
    [
        # Steps of 2 ms: the error of RK4 over half a second is some h^4 = 1e-11; one of DOP853 that of its tolerance.
        ("rk4", {"step": 0.002}, 1e-10),
        ("rk4", {"step": 0.002, "sample": 0.1}, 1e-10),
        ("abm4", {"step": 0.002}, 1e-9),
        ("abm5", {"step": 0.002, "sample": 0.05}, 1e-9),
        ("dop853", {"sample": 0.1}, 1e-9),
    ],
)
def test_the_instant_of_an_end_is_found_on_the_motion_between_samples(
    stepper: str, options: dict[str, float], error: float
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a fall is a result, not a failure
        run = lm.simulate(growing(), 2.0, start={"x": 1.0}, stepper=stepper, **options)
    assert run.status.outcome is Outcome.ENDED and run.status.end == "gone"
    assert run.status.ok and not run.status.completed
    assert run.status.time == run.time[-1] == pytest.approx(reaches(4.0), abs=error)
    # The sample there lies on the end itself, to the round-off of the time that was looked for.
    assert run["x"][-1] == pytest.approx(4.0, abs=1e-13)
    assert run["x_rate"][-1] == pytest.approx(GAMMA * math.sqrt(15.0), abs=20 * error)
    assert (np.diff(run.time) > 0.0).all() and (run["x"][:-1] < 4.0).all()
    assert str(run.status) == f"gone at t = {reaches(4.0):.6g} s (x 4 m)"
    assert [(event.name, event.kind, event.time) for event in run.events] == [("gone", "end", run.status.time)]


def test_a_controller_in_python_may_fall_too() -> None:
    def law(c: Mapping[str, Any]) -> dict[str, float]:
        return {"push": 1.0 if c["x"] > 100.0 else 0.0}

    run = lm.simulate(growing(), 0.9, start={"x": 1.0}, step=0.01, controller=law)
    assert run.status.time == pytest.approx(reaches(4.0), abs=1e-7)


def stepping(c: Mapping[str, Any]) -> dict[str, float]:
    """Pushes with x once x is beyond 2; called from Python, because it branches."""
    return {"push": float(c["x"]) if c["x"] > 2.0 else 0.0}


@pytest.mark.parametrize("how", [{}, {"sample": 0.2}, {"stepper": "dop853", "step": None}])
@pytest.mark.parametrize(
    "end",
    [
        "1 - push",
        "if_else(push > 1, -1, 1)",  # a comparison with what is not known would be false without a word
        "10*9 - x_drive_torque",
    ],
)
def test_an_end_may_read_what_a_controller_in_python_computes(end: str, how: dict[str, Any]) -> None:
    """The push sets in at x = 2 = cosh(3 t); from there x'' = 10 x, and the drive does 9 x + push = 10 x."""
    run = lm.simulate(growing(), 1.2, start={"x": 1.0}, controller=stepping, ends={"pushed": end}, **{"step": 0.01} | how)
    assert run.status.end == "pushed"
    if "torque" in end:
        # x = 9 on a cosh(w s) + b sinh(w s) with w² = 10, a = 2 and b w = 3 sqrt(3).
        w, b = math.sqrt(10.0), 3.0 * math.sqrt(3.0 / 10.0)
        e = (9.0 + math.sqrt(81.0 - (4.0 - b**2))) / (2.0 + b)
        assert run["x"][-1] == pytest.approx(9.0, abs=1e-9)
        assert run.status.time == pytest.approx(reaches(2.0) + math.log(e) / w, abs=0.004)  # a step that straddles the jump
    else:
        assert run.status.time == pytest.approx(reaches(2.0), abs=1e-6)
        assert run["x"][-1] == pytest.approx(2.0, abs=1e-12)  # on either side of the jump


def test_an_end_of_an_event_driven_run_may_read_it_too() -> None:
    """A ball dropped by 0.5 m falls at g t; the law pushes at nothing, and the end is where it says 3 m/s."""
    ball = bouncing_ball()
    pushed = ball.replace(
        inputs=[*ball.inputs, Input("told", "m/s")],
    )
    law = lambda c: {"told": float(c["heave_speed"]) if c["z"] < 10.0 else 0.0}  # noqa: E731
    run = lm.simulate(pushed, 1.0, start={"z": 0.6}, controller=law, ends={"quick": "told + 3"})
    assert run.status.end == "quick" and run.status.time == pytest.approx(3.0 / 9.81, abs=1e-9)


def test_the_first_of_several_ends_counts_and_an_end_that_is_left_again_between_samples_is_seen() -> None:
    ends = {"late": "3 - x", "early": "2 - x", "never": "100 - x"}
    assert lm.simulate(growing(), 2.0, start={"x": 1.0}, ends=ends).status.end == "early"
    # Within one step of 0.2 s (x from 1.19 to 1.81) the earlier counts too, whichever is named first.
    for both in ({"late": "1.7 - x", "early": "1.3 - x"}, {"early": "1.3 - x", "late": "1.7 - x"}):
        run = lm.simulate(growing(), 1.0, start={"x": 1.0}, step=0.2, ends=both)
        assert run.status.end == "early" and 0.2 < run.status.time == pytest.approx(reaches(1.3), abs=2e-3)
    # Negative only between 1.9 and 2.1, which is shorter than a sample.
    passing = {"passing": "abs(x - 2) - 0.1"}
    run = lm.simulate(growing(), 1.0, start={"x": 1.0}, sample=0.5, ends=passing)
    assert run.status.time == pytest.approx(reaches(1.9), abs=1e-10) and len(run) == 2


def test_a_piece_that_begins_beyond_an_end_is_told_by_that_end() -> None:
    """By round-off a piece may begin a little beyond the end at which the one before it was cut."""
    ends = (("far", parse("9 - x")), ("near", parse("4 - x")))
    compiled = lm.compile(growing(), target="interpreter")
    watch = Watch(ends, compiled.watch(ends), np.zeros(1), compiled.default_parameters)
    times, states = np.array([1.0, 1.1]), np.array([[4.0 + 1e-12, 1.0], [4.2, 1.0]])
    piece = Piece(compiled, times, states, Outcome.COMPLETED, 1.1, states[1], -1, 0.0)
    found = cut(piece, watch, 0.1, lambda *_: np.zeros((0, 2)))
    assert (found.end, found.outcome, found.times.tolist(), found.end_time) == ("near", Outcome.ENDED, [1.0], 1.0)


def test_ends_are_the_systems_own_unless_others_or_none_are_asked_for() -> None:
    free = lm.simulate(growing(), 1.0, start={"x": 1.0}, ends=None)
    assert free.status.completed and free.time[-1] == 1.0
    other = lm.simulate(growing(), 1.0, start={"x": 1.0}, ends={"fast": "10 - x_rate"})
    assert other.status.time == pytest.approx(math.asinh(10.0 / GAMMA) / GAMMA, abs=1e-10)
    assert "x_rate 10 m/s" in str(other.status)
    # What is the same up to the end is the same in every bit.
    ended = lm.simulate(growing(), 1.0, start={"x": 1.0})
    np.testing.assert_array_equal(ended["x"][:-1], free["x"][: len(ended) - 1])


def test_an_end_of_an_event_driven_run_comes_between_its_events() -> None:
    """A ball dropped from h onto a floor, restitution 1/2, rises to h/4 after sqrt(2 h / g) (1 + 2 / 2 / 2)."""
    g, height = 9.81, 1.0
    ball = bouncing_ball(restitution=0.5)
    start = {"z": height + 0.1}
    fall = math.sqrt(2 * height / g)
    run = lm.simulate(ball, 2.0, start=start, ends={"falls again": "heave_speed if t > 0.5 else 1"}, step=0.003)
    assert run.status.end == "falls again" and len(run.events.of(kind="impact")) == 1
    assert run.status.time == pytest.approx(1.5 * fall, abs=1e-12)
    assert run["z"][-1] == pytest.approx(0.1 + height / 4, abs=1e-12)
    # Velocities that jump past an end end the run at once; the impact is told.
    run = lm.simulate(ball, 2.0, start=start, ends={"bounced": "1 - heave_speed"}, step=0.003)
    assert run.status.time == pytest.approx(fall, abs=1e-12)
    assert run["heave_speed"][-1] == pytest.approx(g * fall / 2, abs=1e-11)
    assert [event.kind for event in run.events] == ["impact", "end"]
    # An end before the impact, within the step in which the ball would hit the floor.
    run = lm.simulate(ball, 2.0, start=start, ends={"low": "z - 0.1001"}, step=0.01)
    assert run.status.time == pytest.approx(math.sqrt(2 * 0.9999 / g), abs=1e-12) and not run.events.of(kind="impact")


def test_forces_of_open_contacts_may_be_ends() -> None:
    run = lm.simulate(bouncing_ball(restitution=0.0), 1.0, start={"z": 0.6}, ends={"carried": "1 - floor_force_z"}, step=0.01)
    assert run.status.end == "carried" and run.status.time == pytest.approx(math.sqrt(1.0 / 9.81), abs=1e-12)


def test_a_bicycle_that_falls_says_so_and_none_of_its_pivots_fails_before() -> None:
    run = lm.simulate(bicycle(), 5.0, start={"speed": 3.0, "roll_rate": 0.5})
    assert run.status.end in ("fallen", "jackknifed") and run.settings["repivots"] == 0
    assert abs(run["steer"]).max() <= 1.4 + 1e-12 and abs(run["roll"]).max() <= 1.2 + 1e-12
    assert "end" in dict(run.audit(halve=True).lines) and run.audit()["energy_balance"] < 1e-6


def test_the_end_is_kept_in_files_and_the_ends_in_the_data_of_the_system(tmp_path) -> None:  # type: ignore[no-untyped-def]
    run = lm.simulate(growing(), 1.0, start={"x": 1.0})
    again = lm.load(run.save(tmp_path / "run.nc"))
    assert again.status == run.status and str(again.status) == str(run.status) and again.system == run.system
    system = growing()
    assert from_data(to_data(system)) == system and hash(from_data(to_data(system))) == hash(system)
    assert system.replace(ends={}) != system and system.replace(ends={}).ends == ()


def test_wrong_ends_are_refused_with_words() -> None:
    system = growing()
    with pytest.raises(InconsistentStartError, match=r"growing starts beyond its end 'gone': 4 - x is -1, .* ends=None"):
        lm.simulate(system, 1.0, start={"x": 5.0})
    with pytest.raises(UnknownNameError, match=r"'x_rat'.*'x_rate'"):
        lm.simulate(system, 1.0, ends={"fast": "1 - x_rat"})
    for ends, error, words in (
        ({"fallen": "x < 3"}, LocomotorError, "end 'fallen' must be positive .*it is a condition"),
        ({"fallen": "3"}, QuantityError, "is always 3.0"),
        ({"": "x"}, InvalidNameError, "no line of text"),
        ({"a\nb": "x"}, InvalidNameError, "no line of text"),
        ({3: "x"}, InvalidNameError, "3"),
        ([("a", "x"), ("a", "x")], DuplicateNameError, "twice"),
        ("fallen", QuantityError, "'declared'"),
        (5, QuantityError, "ends is 5"),
    ):
        with pytest.raises(error, match=words):
            lm.simulate(system, 1.0, ends=ends)


def test_an_end_that_is_not_a_number_at_the_start_is_refused() -> None:
    with pytest.raises(InconsistentStartError, match=r"'gone' is not a number: log\(x - 2\) is nan"):
        lm.simulate(growing(), 0.1, start={"x": 1.0}, ends={"gone": "log(x - 2)"})


def test_an_end_of_time_alone_has_nothing_in_brackets() -> None:
    assert str(lm.simulate(growing(), 1.0, start={"x": 1.0}, ends={"late": "0.25 - t"}).status) == "late at t = 0.25 s"


@pytest.mark.slow
def test_every_ready_system_declares_ends_of_channels_that_it_has() -> None:
    falling = {entry.name for entry in lm.catalogue.systems() if entry.make().ends}
    assert {"bicycle/meijaard2007", "bicycle/SE2", "bicycle/unilateral", "compass_walker", "hopper"} <= falling
    assert any(name.startswith("belkhiri_bicycle") for name in falling)
    for name in ("bicycle/meijaard2007", "bicycle/SE2", "belkhiri_bicycle/printed", "compass_walker", "hopper"):
        lm.simulate(lm.catalogue.system(name), 0.001, target="interpreter")
