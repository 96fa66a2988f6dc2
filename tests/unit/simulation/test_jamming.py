"""Runs up to Painlevé's border and next to it end with the last good state: rods beside another program, boxes by energy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomotor as lm
from locomotor.simulation.events import jamming, loop
from locomotor.simulation.status import Outcome
from locomotor.typing import Vector

G = 9.81
pytestmark = pytest.mark.filterwarnings("ignore::locomotor.simulation.RunWarning")


def thrown(angle: float, rate: float, slip: float, radius: float = 0.0) -> dict[str, float]:
    """A start of `painleve_rod` whose tip slides."""
    return {
        "pitch": -angle,
        "pitch_rate": -rate,
        "up": math.sin(angle) + radius,
        "up_rate": rate * math.cos(angle),
        "forward_rate": slip - rate * (math.sin(angle) + radius),
    }


def energy(run: lm.Run) -> Vector:
    return np.asarray(run["kinetic_energy"] + run["potential_energy"])


@pytest.fixture(params=["compiled", "readable"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "readable":
        monkeypatch.setattr(loop, "follower_of", lambda plan: None)
    return str(request.param)


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_a_run_ends_with_its_last_good_state(form: str, step: float) -> None:
    """An orbit in a stretched time goes right into the singular point (Génot and Brogliato 1999)."""
    orbit = lm.catalogue.sliding_orbit(1.6, 0.7, 2.0, -50.0)
    run = lm.simulate(lm.catalogue.painleve_rod(friction=1.6), 0.2, start=thrown(0.7, 2.0, -50.0), step=step)
    assert orbit.end == "singular point" and run.status.outcome is Outcome.INCONSISTENT
    assert run.time[-1] == run.status.time == pytest.approx(orbit.time[-1], abs=2e-9)
    assert -run["pitch_rate"][-1] == pytest.approx(orbit.rate[-1], abs=2e-6)
    assert run["tip_slip_speed"][-1] == pytest.approx(-orbit.slip[-1], abs=5e-6)
    assert (np.diff(energy(run)) <= 0.0).all()
    force = run["tip_normal_force"]
    assert np.isfinite(force).all() and (force > 0.0).all() and force[-1] == force.max()


def test_friction_takes_what_the_energy_loses_up_to_the_border() -> None:
    run = lm.simulate(lm.catalogue.painleve_rod(friction=1.6), 0.2, start=thrown(0.7, 2.0, -50.0), step=1e-3)
    lost = float(np.sum(0.5 * np.diff(run.time) * (run["tip_friction_power"][1:] + run["tip_friction_power"][:-1])))
    assert lost == pytest.approx(np.ptp(energy(run)) * math.copysign(1.0, lost), rel=1e-3)


@pytest.mark.parametrize("rate", [3.2, 3.4])
def test_an_orbit_that_lifts_off_next_to_the_border_does(form: str, rate: float) -> None:
    """At 3.2 rad/s the force vanishes 7e-7 rad before the singular angle."""
    orbit = lm.catalogue.sliding_orbit(1.6, 0.7, rate, -50.0)
    run = lm.simulate(lm.catalogue.painleve_rod(friction=1.6), 0.1, start=thrown(0.7, rate, -50.0), step=1e-3)
    assert orbit.end == "no force" and run.status.completed
    assert [event.name for event in run.events] == ["tip lift-off"]
    assert run.events[0].time == pytest.approx(orbit.time[-1], abs=5e-9)
    assert -run["pitch_rate"][-1] == pytest.approx(orbit.rate[-1], abs=1e-7)


def test_a_rod_with_a_round_tip_comes_to_the_border_as_by_another_program(form: str) -> None:
    """N B = A with B = 1 + 3 c (c - mu (s + r)), A = 9.8 - w^2 s, followed by dt = B ds to a push B/(1 + 3 c^2) of 1e-9."""
    mu, radius, angle, rate, slip = 1.3, 0.5, 0.4, 1.0, -50.0

    def rates(_: float, y: Vector) -> list[float]:
        c, s, w = math.cos(y[0]), math.sin(y[0]), y[1]
        B, A = 1.0 + 3.0 * c * (c - mu * (s + radius)), 9.8 - w * w * s
        spin = 3.0 * (mu * (s + radius) - c) * A
        along = mu * A + spin * (s + radius) + w * w * c * B
        return [w * B, spin, along, B]

    def push(_: float, y: Vector) -> float:
        c, s = math.cos(y[0]), math.sin(y[0])
        return math.log(max((1.0 + 3.0 * c * (c - mu * (s + radius))) / (1.0 + 3.0 * c * c), 1e-15) / jamming.JAMMED)

    push.terminal = True  # type: ignore[attr-defined]
    found = solve_ivp(rates, (0.0, 1e4), [angle, rate, slip, 0.0], "DOP853", events=push, rtol=1e-11, atol=1e-13)
    end = found.y[:, -1]
    run = lm.simulate(
        lm.catalogue.painleve_rod(friction=mu, radius=radius), 0.3, start=thrown(angle, rate, slip, radius), step=1e-3
    )
    assert run.status.outcome is Outcome.INCONSISTENT and found.t_events[0].size == 1
    assert run.time[-1] == pytest.approx(end[3], abs=2e-9)
    assert -run["pitch"][-1] == pytest.approx(end[0], abs=1e-8)
    assert -run["pitch_rate"][-1] == pytest.approx(end[1], abs=1e-3)
    assert run["tip_slip_speed"][-1] == pytest.approx(-end[2], abs=2e-3)
    assert (np.diff(energy(run)) <= 0.0).all() and np.isfinite(run["tip_normal_force"]).all()


def thrown_box(friction: float) -> lm.System:
    return lm.System(
        "box",
        [lm.Body("b", 1.0, inertia=(0.01, 0.02, 0.03))],
        [lm.Free(name="a", parent="world", child="b")],
        contacts=lm.box_corners("c", "b", (0.2, 0.15, 0.05), law=lm.Unilateral(friction=friction)),
        forces=[lm.Gravity((0, 0, -G))],
    )


def test_a_slip_that_all_but_vanishes_flings_nobody(form: str) -> None:
    """A corner of a box slips through zero, and friction of 6.2 turns to where no force pushes, within one step."""
    start = {
        "z": 0.6,
        "speed": -0.555805376,
        "sway_speed": 0.183746202,
        "pitch_rate": -5.394269065,
        "yaw_rate": -2.101319401,
        "roll_rate": -10.248909006,
        "pitch": 0.537396615,
        "roll": 0.226402393,
    }
    run = lm.simulate(thrown_box(6.202997118905374), 0.9, step=0.002, start=start)
    total = energy(run)
    assert run.time[-1] > 0.554 and run.status.outcome is not Outcome.NOT_FINITE
    assert (np.diff(total) <= 1e-9 * total[0]).all()
    for event in run.events:
        assert event.kind == "end" or event.energy_lost >= -1e-9


def test_a_corner_does_not_begin_to_slip_to_where_it_jams(form: str) -> None:
    """Where friction is exhausted a slip has a force all the same, with a push below zero; that is none: the corner opens."""
    start = {
        "z": 0.6,
        "speed": -0.015,
        "sway_speed": -0.8591,
        "pitch_rate": -3.7794,
        "yaw_rate": 4.4997,
        "roll_rate": -7.8818,
        "pitch": -0.045,
        "roll": -0.3159,
    }
    box = thrown_box(4.72511)
    for step in (0.002, 0.0005):
        run = lm.simulate(box, 0.36, step=step, start=start)
        assert run.status.completed and [event.name for event in run.events] == ["c_ppp impact", "c_ppp lift-off"]
        off = run.events[1]
        assert off.time == pytest.approx(0.344456392, abs=2e-9)
        ways = lm.contact_report(box, run.before(off)).solutions  # sticking is one to the last
        assert [way.modes["c_ppp"] for way in ways] == ["open", "stick"]
        assert (np.diff(energy(run)) <= 1e-9).all()
