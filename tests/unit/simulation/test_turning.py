"""Angles go on turning however sparse the samples: whole turns between two of them are counted along the motion."""

import math
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import locomotor as lm
from locomotor.catalogue import bouncing_ball
from locomotor.errors import UnstableStepError
from locomotor.model import Body, Free, System
from locomotor.simulation import ends, turning
from locomotor.simulation.records import Channel
from locomotor.viewing.live.engine import Engine
from oracles.simple import rolling_disc

Vector = NDArray[np.float64]

LEAN, PRECESSION = 0.5, 40.0
ALONG, ACROSS = 1.0, 2.5
"""Moments of inertia of the top about its axis, y, and across it."""
DISC = {"roll": 0.3, "pitch_rate": 7.0, "yaw_rate": 1.0}
HOW = [
    {},
    {"sample": 0.5},
    {"sample": 1.7},
    {"sample": [0.9, 1.0, 2.3]},
    {"sample": 0.5, "stepper": "abm4"},
    {"sample": 0.5, "stepper": "dop853"},
    {"stepper": "dop853"},
]


def top() -> System:
    """A free body, symmetric about its axis y."""
    return System(
        "top", [Body("top", mass=1.0, inertia=(ACROSS, ALONG, ACROSS))], [Free(name="base", parent="world", child="top")]
    )


def same_at_common_instants(run: lm.Run, dense: lm.Run, atol: float) -> None:
    places = np.searchsorted(dense.time, run.time - 1e-9)
    np.testing.assert_allclose(dense.time[places], run.time, atol=1e-9)
    assert run.group("angles")
    for name, values in run.group("angles").items():
        np.testing.assert_allclose(values, dense[name][places], atol=atol, err_msg=name)


@pytest.mark.parametrize("how", HOW)
def test_a_free_top_precesses_and_spins_as_its_closed_form(how: dict[str, Any]) -> None:
    """Leaning by s about its momentum, it precesses by p and spins by p sin(s) (I_across / I_along - 1).

    In the frame that yaws and leans with it the rates are (0, spin + p sin s, p cos s), and the momentum points upwards,
    along (0, sin s, cos s): I_along (spin + p sin s) / sin s = I_across p.
    """
    spin = PRECESSION * math.sin(LEAN) * (ACROSS / ALONG - 1.0)
    start = {"roll": LEAN, "pitch_rate": spin + PRECESSION * math.sin(LEAN), "yaw_rate": PRECESSION * math.cos(LEAN)}
    run = lm.simulate(top(), 3.0, start=start, **how)
    # Runge-Kutta 4 turns by 0.05 rad a step: some 1e-6 in 3,000 steps.
    np.testing.assert_allclose(run["yaw"], PRECESSION * run.time, atol=1e-4)
    np.testing.assert_allclose(run["pitch"], spin * run.time, atol=1e-4)


@pytest.mark.parametrize("how", [{"step": 0.1}, {"step": 0.1, "sample": 1.0}, {"sample": 0.999}, {"stepper": "dop853"}])
def test_more_than_a_turn_in_a_step_is_counted(how: dict[str, Any]) -> None:
    """A ball held at its centre turns evenly, and the steps on the group are exact however long: here up to 30 rad each."""
    joint = lm.Spherical(name="base", parent="world", child="ball")
    ball = System("ball", [Body("ball", mass=1.0, inertia=(ALONG, ALONG, ALONG))], [joint])
    run = lm.simulate(ball, 3.0, start={"base_wy": -300.0}, **how)
    np.testing.assert_allclose(run["base_pitch"], -300.0 * run.time, atol=1e-6)


def test_a_top_that_would_tumble_by_its_steps_is_refused() -> None:
    """About its axis it turns evenly, too; but the least touch would grow 30,000 times a step."""
    with pytest.raises(UnstableStepError, match="rk4 is stable with steps below"):
        lm.simulate(top(), 3.0, start={"pitch_rate": -300.0}, step=0.1)


@pytest.mark.parametrize("how", HOW[1:])
def test_a_rolling_disc(how: dict[str, Any]) -> None:
    dense = lm.simulate(rolling_disc(), 3.0, start=DISC)
    if "sample" not in how:
        how = how | {"sample": 0.25}
    same_at_common_instants(lm.simulate(rolling_disc(), 3.0, start=DISC, **how), dense, 1e-6)


def test_between_samples_that_have_other_pivots() -> None:
    system = rolling_disc(independent=("speed", "roll_rate", "yaw_rate"))
    start = {"roll": 0.2, "yaw_rate": 0.6, "pitch_rate": 30.0}
    dense = lm.simulate(rolling_disc(), 1.0, start=start, step=0.0005)
    run = lm.simulate(system, 1.0, start=start, step=0.0005, sample=0.05)
    assert run.settings["repivots"] >= 1 and run["pitch"][-1] > 4.0 * math.pi
    same_at_common_instants(run, dense, 1e-5)


@pytest.mark.parametrize("how", [{}, {"sample": 0.5}, {"sample": [0.3, 1.9]}])
def test_a_ball_that_bounces_goes_on_spinning(how: dict[str, Any]) -> None:
    """A smooth floor leaves its spin alone."""
    run = lm.simulate(bouncing_ball(), 2.0, start={"z": 0.6, "pitch_rate": 40.0}, **how)
    assert run.events.of(kind="impact")
    np.testing.assert_allclose(run["pitch"], 40.0 * run.time, atol=1e-9)
    after = run.after(run.events.of(kind="impact")[0])
    assert after["pitch"] == pytest.approx(40.0 * run.events.of(kind="impact")[0].time, abs=1e-9)


def test_motions_too_long_to_keep_every_step_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ends, "MOST_LOOKED_AT", 100)
    monkeypatch.setattr(turning, "MOST_STEPS", 2100)
    dense = lm.simulate(rolling_disc(), 3.0, start=DISC)
    same_at_common_instants(lm.simulate(rolling_disc(), 3.0, start=DISC, sample=0.5), dense, 1e-12)


def test_a_slow_body_is_looked_at_no_oftener_than_its_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turning, "_blocks", lambda where, *_: pytest.fail("made again") if len(where) else [])
    lm.simulate(rolling_disc(), 1.0, start=DISC)
    lm.simulate(rolling_disc(), 1.0, start=DISC, sample=0.5)


@pytest.mark.parametrize("system", [rolling_disc(), bouncing_ball()], ids=lambda system: system.name)
def test_samples_one_step_apart_are_read_from_the_record(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turning, "look_of", lambda *_: pytest.fail("angles computed again"))
    run = lm.simulate(system, 2.0, start=DISC if system.name == "hoop" else {"z": 0.6, "pitch_rate": 7.0})
    assert run["pitch"].max() > math.pi


def test_the_live_page_counts_the_same_turns() -> None:
    system = rolling_disc()
    run = Engine(system, ()).run(5.0, DISC | {"pitch_rate": 60.0}, {}, {})
    dense = lm.simulate(system, 5.0, start=DISC | {"pitch_rate": 60.0})
    assert run["pitch"][-1] == pytest.approx(dense["pitch"][-1], abs=1e-6)


@pytest.mark.parametrize("by", [4.0, -4.0])
def test_a_quick_turn_within_one_step_beside_a_pole_of_the_chart_is_seen(by: float) -> None:
    """Beside a pole angles turn much faster than the body, which the speed of the body does not tell."""

    def look(times: Vector, states: Vector) -> tuple[Vector, Vector]:
        return np.arctan2(np.sin(states), np.cos(states)), np.ones(len(times))

    def roll(t: float, x: Vector, count: int, h: float) -> Vector:
        times = t + h * np.arange(count + 1)
        return np.asarray(0.5 * by * np.tanh((times - 0.55) / 0.01)[:, None])

    times = np.linspace(0.0, 1.0, 11)
    angles = turning.followed(times, roll(0.0, np.zeros(1), 10, 0.1), look, roll, 0.1)[:, 0]
    assert angles[-1] - angles[0] == pytest.approx(by, abs=1e-3)


def test_angles_that_come_and_go_with_a_contact_continue_where_they_were() -> None:
    whole = 2.0 * math.pi
    parts = [[3.0, 3.2 - whole], [np.nan], [3.3 - whole, 3.5 - whole]]
    instants = [[0.0, 0.1], [0.1], [0.1, 0.2]]
    compiled: Any = None  # nothing turns far, so that nothing is asked of it
    tracks = [
        turning.Track(
            compiled, np.array(t), np.zeros((len(t), 0)), np.zeros(0), lambda *_: pytest.fail("made again"), lambda *_: {}
        )
        for t in instants
    ]
    about = {"lean": Channel("rad", "", "", "angles")}
    found = turning.continuous(tracks, {"lean": np.concatenate(parts)}, about, 0.1)
    np.testing.assert_allclose(found["lean"], [3.0, 3.2, np.nan, 3.3, 3.5])


def test_turns_that_no_step_could_follow_are_left_alone() -> None:
    """A body thrown at 1e200 rad/s turns 1e197 times a step: nothing is made again for that, and the run ends at once."""
    body = lm.Body("top", mass=1.0, inertia=(1.0, 1.0, 1.5))
    top = lm.System("top", [body], [lm.Free(name="base", parent="world", child="top")])
    began = time.process_time()
    with pytest.warns(lm.RunWarning, match="not a number"):
        lm.simulate(top, 0.1, start={"yaw_rate": 1e200, "roll": 0.1}, target="interpreter")
    assert time.process_time() - began < 10.0  # a tenth of a second; without a limit it goes on for hours


def test_a_calm_motion_is_not_looked_at_again_and_a_quick_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between samples 10 ms apart a bicycle turns nowhere far; with samples 0.2 s apart its wheels may."""
    looked = []
    follow = turning._follow
    monkeypatch.setattr(turning, "_follow", lambda *arguments: (looked.append(1), follow(*arguments)))
    bike = lm.catalogue.bicycle("meijaard2007")
    lm.simulate(bike, 0.4, start={"speed": 4.6, "roll_rate": 0.5}, sample=0.01)
    assert not looked
    lm.simulate(bike, 0.4, start={"speed": 4.6, "roll_rate": 0.5}, sample=0.2)
    assert looked


@pytest.mark.parametrize("imposed", [False, True], ids=["pushed", "imposed"])
def test_a_turn_between_samples_at_which_all_is_slow_is_counted(imposed: bool) -> None:
    """A body turns by 2 pi + 0.1 within each sample and almost rests at all of them: yaw rate = 0.01 + a (1 - cos(2 pi t/T)).

    Pushed, its velocity is one of the state; imposed by a constraint, it is in no state at all.
    """
    sample = 0.5
    a = (2.0 * math.pi + 0.1) / sample
    rate = f"0.01 + {a!r}*(1 - cos(2*pi*t/{sample}))"
    push = f"{ACROSS * a * 2.0 * math.pi / sample!r}*sin(2*pi*t/{sample})"
    system = System(
        "flywheel",
        [Body("top", mass=1.0, inertia=(ACROSS, ALONG, ACROSS))],
        [Free(name="base", parent="world", child="top")],
        forces=[] if imposed else [lm.BodyTorque("push", "top", (0, 0, push))],
        constraints=[lm.VelocityConstraint("turn", {"yaw_rate": 1.0}, equals=rate)] if imposed else [],
    )
    run = lm.simulate(system, 3.0, start={} if imposed else {"yaw_rate": 0.01}, sample=sample)
    assert np.abs(run["yaw_rate"]).max() < 0.0101
    np.testing.assert_allclose(run["yaw"], (a + 0.01) * run.time, atol=1e-6)
