"""Event-driven runs with dry friction against closed forms: slip, roll, stick, reversal, lift-off, impact, paradox."""

import dataclasses
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError, UnknownNameError
from locomotor.model import (
    Body,
    Frame,
    Gravity,
    Prismatic,
    RollingSphere,
    Spherical,
    StickingPoint,
    System,
    Translation,
    Unilateral,
)
from locomotor.simulation.events import loop
from locomotor.simulation.status import Outcome

G = 9.81


@cache
def thrown_ball() -> System:
    rolls = "2*m*r**2/5"
    return System(
        "thrown_ball",
        [Frame("carrier"), Body("ball", mass="m", inertia=(rolls, rolls, rolls))],
        [
            Translation(name="base", parent="world", child="carrier"),
            Spherical(name="spin", parent="carrier", child="ball"),
        ],
        contacts=[RollingSphere("lane", "ball", (0.0, 0.0, 0.0), "r", law=Unilateral(friction="mu"))],
        forces=[Gravity((0.0, 0.0, -G))],
        parameters={"m": 6.0, "r": 0.11, "mu": 0.3},
        nominal={"z": "r"},
    )


@cache
def block(drive: str | None = None) -> System:
    """A point mass on a plate, in the vertical plane; the plate is level, or the mass is driven by a horizontal force."""
    return System(
        "block",
        [Frame("slider"), Body("mass", mass=1.0, inertia=(0.01, 0.01, 0.01))],
        [
            Prismatic(name="along", parent="world", child="slider", axis=(1.0, 0.0, 0.0)),
            Prismatic(name="up", parent="slider", child="mass", axis=(0.0, 0.0, 1.0)),
        ],
        contacts=[StickingPoint("foot", "mass", (0.0, 0.0, 0.0), law=Unilateral(friction="mu"))],
        forces=[
            Gravity(("g*sin(slope)", 0.0, "-g*cos(slope)")),
            lm.JointForce("push", "along", drive or "0*t"),
        ],
        parameters={"mu": 0.5, "g": G, "slope": 0.0, "w": 3.0},
    )


def test_a_thrown_ball_slips_and_then_rolls() -> None:
    """Slip ends at 2 v/(7 mu g) with 5/7 of the speed."""
    run = lm.simulate(thrown_ball(), 1.0, start={"x_rate": 5.0, "spin_wy": 0.0}, step=0.01)
    assert [event.name for event in run.events] == ["lane rolls"]
    # The motion is a polynomial of second order, which the steps make exactly.
    assert run.events[0].time == pytest.approx(2.0 * 5.0 / (7.0 * 0.3 * G), abs=1e-12)
    assert run["x_rate"][-1] == pytest.approx(5.0 * 5.0 / 7.0, abs=1e-12)
    assert run["spin_wy"][-1] == pytest.approx(5.0 * 5.0 / 7.0 / 0.11, abs=1e-10)
    assert abs(run.audit()["energy_balance"]) < 1e-12


def test_a_ball_with_side_spin_slips_along_a_parabola() -> None:
    """Its slip keeps its direction, at an angle to its motion: a constant force, then rolling on a straight line."""
    v, w, r, mu = 4.0, 30.0, 0.11, 0.3
    run = lm.simulate(thrown_ball(), 1.0, start={"x_rate": v, "spin_wx": w, "spin_wy": 0.0, "spin_wz": 0.0}, step=0.001)
    slip = np.array([v, r * w])  # of the lowest point: v - w x r n
    speed = float(np.linalg.norm(slip))
    end = 2.0 * speed / (7.0 * mu * G)
    # Spin is integrated in axes that turn by 0.03 rad a step.
    assert run.events.of(kind="rolls")[0].time == pytest.approx(end, abs=1e-7)
    final = np.array([v, 0.0]) - mu * G * end * slip / speed
    assert [run["x_rate"][-1], run["y_rate"][-1]] == pytest.approx(final, abs=1e-6)


@pytest.mark.slow
def test_a_slip_that_fades_is_followed_in_few_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are shortened with the slip, four at a time: 152 pieces were taken one by one, and time goes into their number."""
    pieces = []
    monkeypatch.setattr(loop, "advance", lambda plan, moment, own=loop.advance: pieces.append(moment.time) or own(plan, moment))
    start = {"x_rate": 8.0, "spin_wy": 0.0, "spin_wx": 20.0, "y_rate": 0.0, "spin_wz": 0.0}
    run = lm.simulate(lm.catalogue.bowling_ball(friction=0.2), 3.0, start=start, step=0.01)
    assert [event.name for event in run.events] == ["lane rolls"] and len(pieces) < 50
    slip = math.hypot(8.0, 20.0 * 0.108)
    assert run.events[0].time == pytest.approx(2.0 * slip / (7.0 * 0.2 * G), abs=1e-5)


def test_what_is_not_given_rolls_and_what_is_given_slips() -> None:
    rolling = lm.simulate(thrown_ball(), 0.1, start={"x_rate": 5.0}, step=0.01)
    assert not rolling.events and rolling["spin_wy"][0] == pytest.approx(5.0 / 0.11)


@pytest.mark.parametrize("slope", [0.4, 0.46])
def test_a_block_within_its_cone_does_not_move_at_all(slope: float) -> None:
    assert math.tan(slope) < 0.5
    run = lm.simulate(block().with_parameters(slope=slope), 2.0, step=0.05)
    assert not run.events and not run["along"].any() and not run["along_rate"].any()


def test_a_block_beyond_its_cone_slides_with_the_acceleration_of_the_textbook() -> None:
    slope = 0.5
    run = lm.simulate(block().with_parameters(slope=slope), 2.0, step=0.05)
    a = G * (math.sin(slope) - 0.5 * math.cos(slope))
    assert run["along"] == pytest.approx(0.5 * a * run.time**2, abs=1e-12)
    assert run["foot_force_x"][-1] == pytest.approx(-0.5 * G * math.cos(slope), rel=1e-12)


def test_a_block_that_is_thrown_up_a_slope_stops_and_slides_back_or_stays() -> None:
    for slope, back in ((0.5, True), (0.4, False)):
        run = lm.simulate(block().with_parameters(slope=slope), 1.0, start={"along_rate": -2.0}, step=0.01)
        stop = 2.0 / (G * (math.sin(slope) + 0.5 * math.cos(slope)))
        assert [event.name for event in run.events] == ["foot slips" if back else "foot sticks"]
        assert run.events[0].time == pytest.approx(stop, abs=1e-12)
        a = G * (math.sin(slope) - 0.5 * math.cos(slope)) if back else 0.0
        # A shorter step to the event, and shorter ones from it, are as exact.
        assert run["along_rate"][-1] == pytest.approx(a * (1.0 - stop), abs=1e-12)


def test_a_block_under_a_growing_force_sticks_until_friction_is_exhausted() -> None:
    """Force F t on a unit mass: it slips from mu g/F on, with acceleration F (t - t0)."""
    run = lm.simulate(block("4*t"), 2.0, step=0.05)
    begins = 0.5 * G / 4.0
    assert [event.name for event in run.events] == ["foot slips"]
    assert run.events[0].time == pytest.approx(begins, abs=1e-10)
    late = run.time > begins
    assert run["along"][~late] == pytest.approx(0.0, abs=0.0)
    assert run["along"][late] == pytest.approx(4.0 * (run.time[late] - begins) ** 3 / 6.0, abs=1e-9)


def test_a_slip_that_is_reversed_by_a_force_is_an_event() -> None:
    """A force large enough never to let the block stick: between events the motion is known."""
    run = lm.simulate(block("20*sin(w*t)"), 4.0, start={"along_rate": 1.0}, step=0.01)
    turns = run.events.of(kind="slips").times
    assert len(turns) >= 3
    friction, v, t0, sense = 0.5 * G, 1.0, 0.0, 1.0

    def speed(t: float) -> float:
        return v - 20.0 / 3.0 * (math.cos(3.0 * t) - math.cos(3.0 * t0)) - sense * friction * (t - t0)

    for turn in turns:
        assert speed(turn) == pytest.approx(0.0, abs=1e-6)
        v, t0, sense = 0.0, turn, -sense


@pytest.mark.filterwarnings("ignore::locomotor.simulation.RunWarning")
@pytest.mark.slow
def test_the_rod_of_painleve_lifts_off_or_stops_where_no_force_pushes() -> None:
    """Sliding rods (Genot and Brogliato 1999): lift-off at mu = 1.4, a singular point with an unbounded force at 1.6."""
    for mu, outcome, end in ((1.4, Outcome.COMPLETED, 0.10043887), (1.6, Outcome.INCONSISTENT, 0.04665369)):
        angle, rate, slip = 0.7, 2.0, -50.0
        start = {
            "up": math.sin(angle),
            "pitch": -angle,
            "pitch_rate": -rate,
            "forward_rate": slip - math.sin(angle) * rate,
        }
        run = lm.simulate(lm.catalogue.painleve_rod(friction=mu), 0.12, start=start, step=2e-4)
        assert run.status.outcome is outcome
        last = run.events[-1]
        assert last.name == ("tip lift-off" if mu < 1.5 else "end")
        assert last.time == pytest.approx(end, abs=2e-8)
    assert "Painlevé" in str(run.status) and "contact_report" in str(run.status)


def test_a_ball_that_lands_with_friction_leaves_with_the_spin_of_coulomb() -> None:
    """A plastic impact at speed (v, -w): impulse m w, friction mu m w if it slips on; it rolls after a short flight of slip."""
    v, w, mu = 5.0, 2.0, 0.3
    run = lm.simulate(thrown_ball(), 0.3, start={"x_rate": v, "z_rate": -w, "z": 0.31}, step=0.005)
    struck = run.events.of(kind="impact")[0]
    speed = math.sqrt(w * w + 2.0 * G * 0.2)
    assert struck.impulse[0] == pytest.approx(6.0 * speed, rel=1e-10)
    assert np.hypot(*struck.impulse[1:]) == pytest.approx(mu * 6.0 * speed, rel=1e-10)
    assert [event.name for event in run.events][:2] == ["lane impact", "lane slips"]
    after = float(run["x_rate"][run.time > struck.time][0])
    assert after < v - mu * speed + 1e-9


# -- coefficients ---------------------------------------------------------------------------------------------


def with_friction(system: System, **law: object) -> System:
    (contact,) = system.contacts
    return system.replace(contacts=(dataclasses.replace(contact, law=Unilateral(**law)),))  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["newton", "poisson"])
def test_a_block_that_bounces_to_rest_goes_on_slipping(rule: str) -> None:
    """From no vertical speed to none all impulses of the ground are m g t, so that friction has taken mu g t of the speed."""
    system = with_friction(block().with_parameters(mu=0.1), friction="mu", restitution=0.5, rule=rule)
    run = lm.simulate(system, 1.0, start={"up": 0.05, "along_rate": 5.0}, step=0.01)
    kinds = [event.kind for event in run.events]
    assert kinds.count("impact") > 10 and kinds[-1] == "rest"
    # The bounces last (1 + e)/(1 - e) of the first fall.
    assert run.events[-1].time == pytest.approx(3.0 * math.sqrt(0.1 / G), abs=1e-9)
    later = run.time > run.events[-1].time + 1e-6
    assert run["along_rate"][later] == pytest.approx(5.0 - 0.1 * G * run.time[later], abs=1e-10)
    assert run["along"][-1] == pytest.approx(5.0 - 0.05 * G, abs=1e-2)


def test_a_block_pulled_by_a_spring_sticks_and_slips_with_the_known_period() -> None:
    """A spring whose end moves at a constant speed V, static above kinetic friction (Den Hartog 1931).

    While it slips x' = V (1 - cos wt) + D/(m w) sin wt with D = (mu_s - mu_k) m g, which vanishes at
    w t = 2 pi - 2 atan(D w/(k V)). Between slips the spring stretches by 2 D/k.
    """
    k, V, mu, static = 40.0, 0.3, 0.2, 0.35
    system = with_friction(block(f"{k}*({V}*t - along)"), friction=mu, static=static)
    run = lm.simulate(system, 6.0, step=0.005)
    w, D = math.sqrt(k), (static - mu) * G
    slipping = (2.0 * math.pi - 2.0 * math.atan(D * w / (k * V))) / w
    sticking = 2.0 * D / (k * V)
    slips, sticks = run.events.of(kind="slips").times, run.events.of(kind="sticks").times
    assert slips[0] == pytest.approx(static * G / (k * V), abs=1e-9) and len(slips) >= 3
    # Runge and Kutta's fourth order at 0.03 rad a step.
    assert np.array(sticks) - np.array(slips[: len(sticks)]) == pytest.approx(slipping, abs=1e-8)
    assert np.array(slips[1:]) - np.array(sticks[: len(slips) - 1]) == pytest.approx(sticking, abs=1e-8)
    assert run["foot_force_x"].min() >= -static * G - 1e-9


def test_friction_that_grows_with_the_slip_brakes_exponentially() -> None:
    """mu = a + b v: v' = -g (a + b v), at rest after ln(1 + b v/a)/(g b)."""
    a, b, v = 0.2, 0.1, 3.0
    run = lm.simulate(with_friction(block(), friction=f"{a} + {b}*slip"), 2.0, start={"along_rate": v}, step=0.01)
    assert run.events[0].name == "foot sticks"
    assert run.events[0].time == pytest.approx(math.log(1.0 + b * v / a) / (G * b), abs=1e-9)
    assert abs(run.audit()["energy_balance"]) < 1e-7


def test_coefficients_that_cannot_be_are_refused() -> None:
    for law, words in (
        ({"friction": -0.1}, r"friction is -0\.1"),
        ({"friction": 0.5, "static": 0.4}, r"static is 0\.4, and friction where a slip begins 0\.5"),
        ({"static": 0.4}, "there is no friction"),
        ({"friction": "0.3 - slip"}, r"at a slip of 1 m/s \(from '0\.3 - slip'\)"),
        ({"friction": "0.3 + 0.2*exp(-slip)", "static": 0.4}, "a contact that sticks must bear"),
    ):
        with pytest.raises(ContactLawError, match=words):
            Unilateral(**law)  # type: ignore[arg-type]
    with pytest.raises(ContactLawError, match=r"static is 0\.1"):
        with_friction(block(), friction="mu", static=0.1)
    with pytest.raises(UnknownNameError, match="'slop', which is no parameter"):
        with_friction(block(), friction="mu*slop")


# -- records --------------------------------------------------------------------------------------------------


def test_the_audit_measures_cones_and_directions() -> None:
    run = lm.simulate(thrown_ball(), 0.8, start={"x_rate": 4.0, "spin_wx": 30.0, "spin_wy": 0.0, "spin_wz": 0.0}, step=0.002)
    audit = run.audit()
    assert audit["beyond_friction"] < 1e-12 and audit["against_slip"] < 1e-12
    assert "friction" in dict(audit.lines) and "lane_friction" in audit.work
    # Work of friction alone, and none while it rolls: mu N times the slip, which is linear in time.
    slip = math.hypot(4.0, 3.3)
    assert audit.work["lane_friction"] == pytest.approx(-slip * slip * 6.0 / 7.0, rel=1e-5)
    assert run["lane_slip_speed"][0] == pytest.approx(slip) and run["lane_slip_speed"][-1] == 0.0
    twice = dataclasses.replace(run, channels={**run.channels, "lane_force_x": 2.0 * run["lane_force_x"]})
    assert twice.audit()["beyond_friction"] > 0.5
    lazy = dataclasses.replace(run, channels={**run.channels, "lane_friction_power": 0.9 * run["lane_friction_power"]})
    assert lazy.audit()["against_slip"] == pytest.approx(0.1, abs=1e-6)


def test_a_run_with_friction_is_saved_and_loaded(tmp_path: Path) -> None:
    run = lm.simulate(with_friction(block(), friction="mu", static=0.7), 1.0, start={"along_rate": 1.0}, step=0.05)
    loaded = lm.load(run.save(tmp_path / "run.nc"))
    assert loaded.system == run.system and [e.name for e in loaded.events] == ["foot sticks"]
    assert loaded.audit()["beyond_friction"] == run.audit()["beyond_friction"] < 1e-12


# -- systems of the catalogue ---------------------------------------------------------------------------------


def leaning(angle: float, length: float = 2.0) -> dict[str, float]:
    return {"pitch": -angle, "up": 0.5 * length * math.sin(angle), "forward": -0.5 * length * math.cos(angle)}


def test_a_rod_leans_on_a_wall_down_to_the_angle_of_the_textbook() -> None:
    """tan(angle) = (1 - mu mu_w)/(2 mu): above it nothing moves at all, although no single set of forces is determined."""
    rod = lm.catalogue.leaning_rod(friction=0.4, wall_friction=0.3)
    limit = math.atan((1.0 - 0.4 * 0.3) / (2.0 * 0.4))
    for angle in (limit + 0.3, limit + 1e-7):
        run = lm.simulate(rod, 0.5, start=leaning(angle), step=0.01)
        assert run.status.completed and not run.events
        assert not any(run[name].any() for name in ("forward_rate", "up_rate", "pitch_rate"))
        assert run.audit()["beyond_friction"] < 1e-12
    falls = lm.simulate(rod, 0.5, start=leaning(limit - 1e-4), step=0.01)
    assert abs(falls["forward_rate"][-1]) > 1e-4 and falls.audit()["beyond_friction"] < 1e-9


def test_a_rod_that_slides_down_a_wall_comes_to_lie_on_the_ground() -> None:
    """Its head leaves the wall, and the rod ends flat on the ground, at rest."""
    rod = lm.catalogue.leaning_rod(friction=0.4, wall_friction=0.3)
    run = lm.simulate(rod, 1.5, start=leaning(0.7), step=0.005)
    assert run.status.completed
    assert [e.name for e in run.events][:4] == ["foot slips", "head slips", "head lift-off", "tip impact"]
    assert run["up"].min() > -1e-9 and abs(run["pitch"][-1]) < 1e-9
    assert not any(run[name][-1] for name in ("forward_rate", "up_rate", "pitch_rate"))
    assert run.audit()["beyond_friction"] < 1e-9


def test_a_falling_rod_slips_where_its_foot_leaves_the_cone() -> None:
    """While it sticks, with c and s of its angle from the vertical, released from rest at c0: w^2 = 3 g (c0 - c)/l,
    alpha = 3 g s/(2 l), N = m (g - l/2 (alpha s + w^2 c)) and T = m l/2 (alpha c - w^2 s).
    """
    mu, length, first = 0.25, 2.0, 0.2
    rod = lm.catalogue.leaning_rod(friction=mu, wall=False)

    def ratio(angle: float) -> float:
        c, s = math.cos(angle), math.sin(angle)
        w2, alpha = 3.0 * G * (math.cos(first) - c) / length, 1.5 * G * s / length
        return abs(0.5 * length * (alpha * c - w2 * s)) / (G - 0.5 * length * (alpha * s + w2 * c))

    low, high = first, 1.0
    assert ratio(low) < mu
    angles = np.linspace(low, high, 4001)
    beyond = int(np.argmax([ratio(angle) > mu for angle in angles]))
    low, high = float(angles[beyond - 1]), float(angles[beyond])
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if ratio(middle) < mu else (low, middle)
    start = {"pitch": first - 0.5 * math.pi, "up": math.cos(first)}
    run = lm.simulate(rod, 1.2, start=start, step=0.002)
    slips = run.events.of("foot", "slips")[0]
    at = float(np.interp(slips.time, run.time, run["pitch"])) + 0.5 * math.pi
    assert at == pytest.approx(low, abs=1e-8)
    assert run.status.ok and run.audit()["beyond_friction"] < 1e-9


@pytest.mark.slow
def test_a_box_on_a_slope_stays_or_slides() -> None:
    """On four corners, whose forces are not determined: nothing moves below the angle of friction.

    Not at all in a model of its own mode; in one that serves all modes by the round-off of its rows, 1e-32 m/s.
    """
    for solver, most in (("traced", 0.0), ("runtime", 1e-30)):
        still = lm.simulate(lm.catalogue.tumbling_box(friction=0.5, slope=0.4), 1.0, step=0.02, solver=solver)
        assert not still.events
        assert max(float(np.abs(still[name]).max()) for name in ("speed", "heave_speed", "pitch_rate")) <= most
    slope = 0.5
    slides = lm.simulate(lm.catalogue.tumbling_box(friction=0.5, slope=slope), 1.0, step=0.02)
    a = G * (math.sin(slope) - 0.5 * math.cos(slope))
    assert slides["x"] == pytest.approx(0.5 * a * slides.time**2, abs=1e-12)


@pytest.mark.slow
def test_a_tall_box_tips_over_its_lower_edge() -> None:
    """Beyond tan(slope) = width/height it tips if friction holds, at first with a known acceleration."""
    slope, half = 0.5, (0.05, 0.15, 0.2)
    box = lm.catalogue.tumbling_box(friction=2.0, slope=slope).with_parameters(a=0.1, b=0.3, c=0.4)
    run = lm.simulate(box, 0.004, start={"z": 0.2}, step=0.001)
    inertia = (0.1**2 + 0.4**2) / 12.0 + half[0] ** 2 + half[2] ** 2
    alpha = G * (math.sin(slope) * half[2] - math.cos(slope) * half[0]) / inertia
    # It turns by 7e-5 rad meanwhile.
    assert run["pitch_rate"][-1] == pytest.approx(alpha * 0.004, rel=2e-4)


# -- elsewhere ------------------------------------------------------------------------------------------------


def test_a_ball_slips_on_terrain_as_on_a_plane() -> None:
    """It rolls from 2 v/(7 mu g) on, on a face of a terrain, before it comes to the kerb."""
    terrain = lm.Terrain.kerb(0.05)
    ball = thrown_ball()
    (contact,) = ball.contacts
    ball = ball.replace(grounds=(terrain,), contacts=(dataclasses.replace(contact, ground=terrain.name),))
    run = lm.simulate(ball, 0.25, start={"x": -3.0, "x_rate": 2.0, "spin_wy": 0.0, "z": 0.11}, step=0.005)
    assert [event.name for event in run.events] == ["lane rolls"]
    assert run.events[0].time == pytest.approx(2.0 * 2.0 / (7.0 * 0.3 * G), abs=1e-10)
    assert run["lane_friction_power"][0] == pytest.approx(-0.3 * 6.0 * G * 2.0, rel=1e-12)


def test_a_run_with_friction_is_drawn(tmp_path: Path) -> None:
    run = lm.simulate(block(), 0.5, start={"along_rate": 1.0}, step=0.05)
    run.plot("along_rate", "foot_slip_speed", path=tmp_path / "slip.png")
    run.to_html(tmp_path / "run.html")
    assert (tmp_path / "slip.png").stat().st_size > 0 and "sticks" in (tmp_path / "run.html").read_text(encoding="utf-8")


# -- many contacts in space -----------------------------------------------------------------------------------


def plate(count: int, law: Unilateral, pull: str = "0") -> System:
    """A round plate of 1 kg on feet around it."""
    angles = 2.0 * np.pi * np.arange(count) / count + 0.1
    return System(
        "plate",
        [Body("plate", mass=1.0, inertia=(0.05, 0.05, 0.1))],
        [lm.Free(name="free", parent="world", child="plate")],
        contacts=[
            StickingPoint(f"foot_{k}", "plate", (0.3 * math.cos(a), 0.3 * math.sin(a), -0.1), law=law)
            for k, a in enumerate(angles)
        ],
        forces=[Gravity((pull, 0.0, -G))],
        nominal={"z": 0.1},
    )


def test_eight_feet_begin_to_slip_at_the_start() -> None:
    """Six thousand combinations of modes, and all of them slip: with F/m - mu g, from the first instant."""
    run = lm.simulate(plate(8, Unilateral(friction=0.3, static=0.4), "5.0"), 0.02)
    assert run.status.completed and run["speed"][-1] == pytest.approx((5.0 - 0.3 * G) * 0.02, rel=1e-12)


@pytest.mark.slow
def test_twenty_feet_stop_together() -> None:
    """A plate that slides and spins comes to rest on all of its feet at one instant, and what it loses they rubbed."""
    run = lm.simulate(plate(20, Unilateral(friction=0.3)), 0.32, start={"speed": 0.4, "yaw_rate": 2.0}, step=0.002)
    assert run.status.completed
    stops = [event.time for event in run.events if event.name.endswith("sticks")]
    assert len(stops) == 20 and max(stops) == min(stops)
    assert np.abs([run["speed"][-1], run["sway_speed"][-1], run["yaw_rate"][-1]]).max() < 1e-12
    work = sum(np.trapezoid(run[f"foot_{k}_friction_power"], run.time) for k in range(20))
    assert work == pytest.approx(-0.5 * 0.4**2 - 0.5 * 0.1 * 2.0**2, rel=1e-4)  # samples of 2 ms


def test_the_scheme_of_the_sources_ends_slips_too() -> None:
    """They have no friction: taken to end a little early, a slip would go on and end again without end."""
    block = lm.System(
        "block",
        bodies=(lm.Body("block", 1.5, inertia=(1, 1, 1)),),
        joints=(lm.Translation(name="base", parent="world", child="block"),),
        contacts=(lm.StickingPoint("sole", "block", (0, 0, 0), law=lm.Unilateral(friction=0.3)),),
        forces=(lm.Gravity((0, 0, -G)),),
    )
    run = lm.simulate(block, 1.0, start={"x_rate": 1.0}, step=0.01, scheme="source")
    assert run.status.completed and [event.name for event in run.events] == ["sole sticks"]
    assert run.events[0].time == pytest.approx(1.0 / (0.3 * G), rel=1e-12)
