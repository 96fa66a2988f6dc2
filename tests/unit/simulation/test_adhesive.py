"""Contacts that pull before they let go.

A mass that rests on a cup under an upward force k t leaves when k t = m g + s. Then m z'' = s + k u with u = t - t0, so that
z = s u²/(2 m) + k u³/(6 m).
"""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import locomotor as lm
from locomotor.errors import ContactLawError, SectionError, UnknownNameError
from locomotor.model import impossible_rows
from locomotor.simulation.events import collisions, impacts, loop

M, G, K, S = 2.0, 9.81, 20.0, 15.0
END = 2.5


def block(law: Any, lift: Any = "k*t") -> lm.System:
    """A mass that moves up and down on a point, with a force that lifts it."""
    return lm.System(
        "block",
        bodies=(lm.Body("block", M, inertia=(0.01, 0.01, 0.01)),),
        joints=(lm.Prismatic(name="z", parent="world", child="block", axis=(0.0, 0.0, 1.0)),),
        contacts=(lm.SlidingPoint("foot", "block", at=(0.0, 0.0, 0.0), law=law),),
        forces=(lm.Gravity((0.0, 0.0, -G)), lm.BodyForce("lift", "block", (0.0, 0.0, 0.0), (0.0, 0.0, lift))),
        parameters=(lm.Parameter("k", K, "N/s"), lm.Parameter("s", S, "N")),
    )


def leaves(strength: float = S) -> float:
    """When k t = m g + s."""
    return (M * G + strength) / K


def height(t: Any, strength: float = S) -> Any:
    """Of the mass."""
    u = np.maximum(t - leaves(strength), 0.0)
    return strength * u**2 / (2.0 * M) + K * u**3 / (6.0 * M)


@cache
def lifted() -> lm.Run:
    return lm.simulate(block(lm.Adhesive("s")), END, step=0.01)


def test_it_leaves_when_the_pull_is_its_strength_and_then_flies() -> None:
    run = lifted()
    assert [event.name for event in run.events] == ["foot lift-off"]
    assert run.events[0].time == pytest.approx(leaves(), abs=1e-12)  # the force is linear in time: round-off only
    assert run["z"] == pytest.approx(height(run.time), abs=1e-12)  # a cubic: exact for rk4
    assert run["foot_normal_force"].min() == pytest.approx(-S, rel=1e-9) and run["foot_normal_force"][-1] == 0.0


def test_the_audit_allows_the_pull_and_says_so() -> None:
    audit = lifted().audit()
    assert audit["largest_pull"] < 1e-9 and audit["energy_balance"] < 1e-12
    assert audit["largest_adhesion"] == pytest.approx(S)
    assert "one holds on with up to 15 N" in str(audit) and "beyond what its law allows" in str(audit)
    # Held against a law that allows less, the same forces are 5 N too much.
    weaker = replace(lifted(), system=block(lm.Adhesive(S - 5.0)))
    assert weaker.audit()["largest_pull"] == pytest.approx(5.0)


def test_without_strength_it_is_a_unilateral() -> None:
    for law, same, lift in ((lm.Adhesive(0.0), lm.Unilateral(), "k*t"), (lm.Adhesive(S, 0.5), lm.Unilateral(0.5), 0.0)):
        start = {"z": 0.5} if lift == 0.0 else {}
        a, b = (lm.simulate(block(each, lift), 1.5, start=start, step=0.01) for each in (law, same))
        assert [e.time for e in a.events] == [e.time for e in b.events] and len(a.events)
        assert np.array_equal(a["z"], b["z"])


@pytest.mark.parametrize(("contacts", "h", "tolerance"), [("events", 0.01, 1e-12), ("time-stepping", 0.001, 0.01)])
def test_a_batch_leaves_in_closed_form(contacts: str, h: float, tolerance: float) -> None:
    """Time-stepping holds on over the whole step in which it lets go: s h/m (t - t0) too little, 7.5 mm at most here."""
    compiled = lm.compile(block(lm.Adhesive("s")), contacts=contacts, free=("s",))
    strengths = (S, 0.0, 5.0)
    starts, values = [compiled.start({"z": 0.0})] * 3, [[s] for s in strengths]
    batch = compiled.rollout(starts, round(END / h), h, save_every=0, parameters=values)
    assert np.asarray(batch.final)[:, 0] == pytest.approx([height(END, s) for s in strengths], abs=tolerance)


@pytest.mark.parametrize(
    ("strength", "let_go"),
    [("s*(1 if t < 0.5 else -1)", 0.5), ("s*(1 - t)", 1.0 - (30.0 - M * G) / S), (f"{S} - 1000*z_rate", np.inf)],
)
def test_a_strength_may_follow_the_clock_and_the_motion(strength: str, let_go: float) -> None:
    """A magnet that is switched off, under a force of 30 N: then m z'' = 30 - m g. Without its t one holds on for ever."""
    run = lm.simulate(block(lm.Adhesive(strength), 30.0), 1.0, step=0.01)
    assert [event.time for event in run.events] == pytest.approx([let_go] if let_go < 1.0 else [], abs=1e-12)
    u = np.maximum(run.time - let_go, 0.0)
    assert run["z"] == pytest.approx((30.0 - M * G) * u**2 / (2.0 * M), abs=1e-12)
    assert run.audit()["largest_pull"] < 1e-9 and run["foot_normal_force"].min() == pytest.approx(M * G - 30.0)


def test_batches_follow_a_strength_in_time_too() -> None:
    """One that fades, s (1 - t); time-stepping takes it in the middle of a step and lets go a step late at most."""
    system, let_go, h = block(lm.Adhesive("s*(1 - t)"), 30.0), 1.0 - (30.0 - M * G) / S, 0.001
    expected = (30.0 - M * G) * (0.5 - let_go) ** 2 / (2.0 * M)
    for contacts, allowed in (("events", 1e-9), ("time-stepping", (30.0 - M * G) / M * (0.5 - let_go) * 2.0 * h)):
        compiled = lm.compile(system, contacts=contacts, target="interpreter")
        final = compiled.rollout([compiled.start({"z": 0.0})], 500, h, save_every=0).final
        assert np.asarray(final)[0, 0] == pytest.approx(expected, abs=allowed)


def test_a_pendulum_swings_on_a_cup_in_steps_of_time() -> None:
    """A mass on a rod below a ceiling (gravity points up here): its cup always pulls, and nothing but the steps keeps its gap.

    Time-stepping is compared with the pendulum itself, integrated apart.
    """
    mass, length, angle = 2.0, 0.5, 0.6
    ceiling = lm.System(
        "hanging",
        bodies=(lm.Frame("cart"), lm.Frame("lift"), lm.Body("rod", mass, inertia=(0.01, 0.01, 0.01))),
        joints=(
            lm.Prismatic(name="x", parent="world", child="cart", axis=(1.0, 0.0, 0.0)),
            lm.Prismatic(name="z", parent="cart", child="lift", axis=(0.0, 0.0, 1.0)),
            lm.Revolute(name="angle", parent="lift", child="rod", axis=(0.0, 1.0, 0.0)),
        ),
        contacts=(lm.StickingPoint("cup", "rod", at=(0.0, 0.0, -length), law=lm.Adhesive(60.0)),),
        forces=(lm.Gravity((0.0, 0.0, G)),),
    )
    compiled = lm.compile(ceiling, contacts="time-stepping", target="interpreter")
    start = compiled.start({"angle": angle}, closed=("cup",))
    moment = 0.01 + mass * length**2

    def errors(h: float) -> tuple[float, float]:
        steps = round(1.0 / h)
        last = dict(zip(compiled.state_names, compiled.rollout(start, steps, h, save_every=0).final.tolist(), strict=True))
        wanted = solve_ivp(
            lambda t, y: (y[1], -mass * G * length / moment * np.sin(y[0])), (0.0, 1.0), (angle, 0.0), rtol=1e-11
        ).y[0, -1]
        assert last["cup_closed"] == 1.0
        return abs(last["angle"] - wanted), abs(last["z"] - length * np.cos(last["angle"]))

    (coarse, gap), (fine, finer_gap) = errors(0.01), errors(0.0025)
    assert fine < 0.1 * coarse < 1e-3  # of second order, as nothing opens
    assert finer_gap < 0.1 * gap < 1e-5


def test_an_open_one_does_not_pull() -> None:
    """Time-stepping too: thrown up from the ground, it flies."""
    compiled = lm.compile(block(lm.Adhesive(S, 0.5), 0.0), contacts="time-stepping")
    batch = compiled.rollout([compiled.start({"z": 0.2, "z_rate": 1.0})], 200, 0.001, save_every=0)
    assert np.asarray(batch.final)[0, 0] == pytest.approx(0.2 + 0.2 - 0.5 * G * 0.04, abs=1e-12)


# -- several --------------------------------------------------------------------------------------------------

HALF = 0.5
UP, STILL = (0.0, 0.0, 1.0), (0.01, 0.01, 0.01)


def beam(inertia: float, at: float) -> lm.System:
    """A beam on two cups, lifted `at` so far from its centre by k t; half its mass is a carriage that goes up and down."""
    return lm.System(
        "beam",
        bodies=(lm.Body("carriage", M / 2.0, inertia=STILL), lm.Body("beam", M / 2.0, inertia=(inertia, inertia, inertia))),
        joints=(
            lm.Prismatic(name="z", parent="world", child="carriage", axis=UP),
            lm.Revolute(name="tilt", parent="carriage", child="beam", axis=(0.0, 1.0, 0.0)),
        ),
        contacts=tuple(
            lm.SlidingPoint(name, "beam", at=(x, 0.0, 0.0), law=lm.Adhesive(S))
            for name, x in (("left", -HALF), ("right", HALF))
        ),
        forces=(lm.Gravity((0.0, 0.0, -G)), lm.BodyForce("lift", "beam", (at, 0.0, 0.0), (0.0, 0.0, f"{K}*t"))),
    )


def first_leaves(at: float) -> float:
    """Moments about the right cup: the left force is m g/2 - k t (1/2 - at/(2 HALF)), and -s when it lets go."""
    return (M * G / 2.0 + S) / (K * (0.5 - at / (2.0 * HALF)))


@pytest.mark.parametrize(("inertia", "both"), [(0.1 * M * HALF**2, False), (3.0 * M * HALF**2, True)])
def test_one_that_lets_go_may_take_the_other_with_it(inertia: float, both: bool) -> None:
    """With the left open the beam turns about the right cup, and its force is m a - (P - m g), a = HALF times

    ((P - m g) HALF - P at)/(I + m HALF²). Where I is large that is a pull beyond s: the right one opens in the same instant.
    """
    at = -0.02
    time = first_leaves(at)
    lift = K * time
    angular = ((lift - M * G) * HALF - lift * at) / (inertia + M * HALF**2)
    assert (M * HALF * angular - (lift - M * G) < -S) is both
    run = lm.simulate(beam(inertia, at), time + 0.02, step=0.005)
    opened = [event for event in run.events if event.time < time + 1e-9]
    assert sorted(event.name for event in opened) == (["left lift-off", "right lift-off"] if both else ["left lift-off"])
    assert [event.time for event in opened] == pytest.approx([time] * len(opened), abs=1e-12)
    after = int(np.searchsorted(run.time, time, side="right")) + 1
    # All forces are gone: z'' = (P - m g)/m from then on, not what is left of a pull.
    expected = (lift - M * G) / M if both else HALF * angular
    slope = (run["z_rate"][after] - 0.0) / (run.time[after] - time)
    assert slope == pytest.approx(expected, rel=0.02)  # P grows by 0.1 N in these 5 ms


def test_one_that_opens_counts_with_no_force(monkeypatch: pytest.MonkeyPatch) -> None:
    """What opens is asked once: the left cup has lost its whole pull, so that the right must go too."""
    asked = []

    def releases(*arguments: Any) -> Any:
        asked.append(collisions.releases(*arguments))
        return asked[-1]

    system, until = beam(3.0 * M * HALF**2, -0.02), first_leaves(-0.02) + 0.02
    followed = lm.simulate(system, until, step=0.005)
    monkeypatch.setattr(impacts, "releases", releases)
    monkeypatch.setattr(loop, "follower_of", lambda plan: None)
    readable = lm.simulate(system, until, step=0.005)
    assert asked == [(frozenset({"left", "right"}), True)]
    for run in (followed, readable):
        assert [event.name for event in run.events] == ["left lift-off", "right lift-off"]
        assert [event.time for event in run.events] == pytest.approx([first_leaves(-0.02)] * 2, abs=1e-9)


def test_two_let_go_at_once() -> None:
    """Lifted in the middle: both at k t = m g + 2 s."""
    time = (M * G + 2.0 * S) / K
    run = lm.simulate(beam(0.2, 0.0), time + 0.1, step=0.01)
    assert [event.name for event in run.events] == ["left lift-off", "right lift-off"]
    assert [event.time for event in run.events] == pytest.approx([time, time], abs=1e-12)
    u = run.time[-1] - time
    assert run["z"][-1] == pytest.approx((2.0 * S * u**2 / 2.0 + K * u**3 / 6.0) / M, abs=1e-12)


def test_a_batch_lets_go_of_both() -> None:
    """The second lets go after the first: two events in a step, at one instant."""
    time = first_leaves(-0.02)
    system = beam(3.0 * M * HALF**2, -0.02)
    compiled = lm.compile(system, contacts="events", settings=lm.EventSettings(events=2))
    h = (time + 0.1) / 300
    final = np.asarray(compiled.rollout([compiled.start({})], 300, h, save_every=0).final)[0]
    run = lm.simulate(system, time + 0.1, step=h)
    u = 0.1
    net = K * time - M * G
    # Both are off: the centre moves by its own equation, whatever the beam turns by (cos(tilt) does not enter).
    assert run["z"][-1] == pytest.approx((net * u**2 / 2.0 + K * u**3 / 6.0) / M, abs=1e-9)
    assert final[0] == pytest.approx((net * u**2 / 2.0 + K * u**3 / 6.0) / M, abs=1e-9)


def test_a_wheel_holds_on_to_an_edge() -> None:
    """A wheel faster than sqrt(g r) would fly from the edge. Held, it turns about it until m g cos(a) - m v²/r = -s, with

    (m + I/r²) v² = (m + I/r²) u² + 2 m g r (1 - cos(a)).
    """
    r, u, spin = 0.3, 2.0, 0.15
    wheel = lm.System(
        "wheel",
        bodies=(lm.Body("wheel", M, inertia=(0.1, spin, 0.1)),),
        joints=(lm.Free(name="base", parent="world", child="wheel"),),
        contacts=(lm.RollingDisc("tread", "wheel", (0, 0, 0), (0, 1, 0), r, law=lm.Adhesive(S)),),
        forces=(lm.Gravity((0, 0, -G)),),
        grounds=(lm.Terrain.kerb(-2.0),),
        nominal={"z": r},
    )
    run = lm.simulate(wheel, 0.3, start={"x": -0.2, "pitch_rate": u / r}, closed=("tread",), step=0.002)
    assert [event.name for event in run.events] == ["tread crossing", "tread lift-off"]
    share = 1.0 + spin / (M * r * r)
    angle = np.arccos(brentq(lambda c: M * G * c - M * (u * u + 2.0 * G * r * (1.0 - c) / share) / r + S, 0.0, 1.0))
    at = int(np.searchsorted(run.time, run.events[1].time))
    assert np.arctan2(run["x"][at], run["z"][at]) == pytest.approx(angle, abs=1e-9)  # rk4 with 2 ms
    assert run.audit()["largest_adhesion"] == pytest.approx(S, rel=1e-6) and run.audit()["largest_pull"] < 1e-9


# -- cycles, files --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cycle_is_cut_at_its_lift_off() -> None:
    """A leg with a spring tau hops: its foot leaves where m_f g + tau = -s."""
    tau, foot, strength = "-100*leg + leg_rate*(1 - (leg/0.12)**2)", 0.1, 0.3
    system = lm.System(
        "sticky_leg",
        bodies=(lm.Body("foot", foot, inertia=STILL), lm.Body("top", 1.0, inertia=STILL)),
        joints=(
            lm.Prismatic(name="height", parent="world", child="foot", axis=UP),
            lm.Prismatic(name="leg", parent="foot", child="top", axis=UP, drive=lm.Torque(tau)),
        ),
        contacts=(lm.SlidingPoint("sole", "foot", at=(0.0, 0.0, 0.0), law=lm.Adhesive(strength)),),
        forces=(lm.Gravity((0.0, 0.0, -G)),),
    )
    cycle = lm.find_cycle(system, {"leg": 0.05, "height": 0.02}, section="sole lift-off", settle=30, step=0.002)
    leg, rate = cycle.start["leg"], cycle.start["leg_rate"]
    assert -100.0 * leg + rate * (1.0 - (leg / 0.12) ** 2) == pytest.approx(-(foot * G + strength), abs=1e-9)
    assert cycle.stable and cycle.check(1e-5) < 1e-4  # differences of 1e-5 of a steep map


def test_a_saved_run_knows_it(tmp_path: Path) -> None:
    again = lm.load(lifted().save(tmp_path / "run.nc"))
    assert again.system == lifted().system and again.audit().residuals == lifted().audit().residuals


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(ContactLawError, match=r"strength is -1.0 N; it must be zero or positive"):
        lm.Adhesive(-1.0)
    with pytest.raises(ContactLawError, match=r"restitution is 2.0; it must lie between 0 and 1"):
        lm.Adhesive(1.0, 2.0)
    with pytest.raises(ContactLawError, match=r"strength is -1.0 N \(from 's - 16'\)"):
        block(lm.Adhesive("s - 16"))
    bad = impossible_rows(block(lm.Adhesive("s")), ("s",), np.array([[1.0], [-1.0], [0.0]]))  # instances of a batch, a sweep
    assert bad.tolist() == [False, True, False]
    with pytest.raises(UnknownNameError, match=r"the largest pull 's\*height' of its Adhesive: the name 'height' is unknown"):
        block(lm.Adhesive("s*height"))
    with pytest.raises(SectionError, match="the system depends on time"):
        lm.find_cycle(block(lm.Adhesive("s*(1 - t)", 1.0), 0.0), {"z": 0.1}, section="foot impact")


ARMS = (0.5, 1.0)


@cache
def lever() -> lm.System:
    """A bar on a hinge with two cups on one side, which a torque that grows turns off the ground."""
    return lm.System(
        "lever",
        bodies=(lm.Body("bar", M, inertia=(1.0, 1.0, 1.0)),),
        joints=(lm.Revolute(name="hinge", parent="world", child="bar", axis=(0.0, 1.0, 0.0)),),
        contacts=tuple(lm.SlidingPoint(f"cup_{k}", "bar", at=(r, 0.0, 0.0), law=lm.Adhesive(S)) for k, r in enumerate(ARMS)),
        forces=(lm.JointForce("lift", "hinge", f"-{K}*t"),),
    )


@pytest.mark.parametrize("contacts", ["simulate", "events", "time-stepping"])
def test_cups_of_which_one_would_do_share_by_the_smallest_forces(contacts: str) -> None:
    """f_i = T r_i/sum(r²): the outer one lets go first, at T = s sum(r²)/r, and the inner one, T/r > s, with it."""
    leaves_at = S * sum(r * r for r in ARMS) / max(ARMS) / K
    h = 1e-3
    if contacts == "simulate":
        run = lm.simulate(lever(), 1.2 * leaves_at, step=h)
        assert run.events[0].time == pytest.approx(leaves_at, abs=1e-9)
        return
    compiled = lm.compile(lever(), contacts=contacts, target="interpreter")
    x = np.asarray(compiled.start({}, closed=("cup_0", "cup_1")))
    batch = compiled.rollout(x, int(1.2 * leaves_at / h), h)
    held = np.flatnonzero(batch["cup_1_closed"] > 0.5)[-1] * h
    assert held == pytest.approx(leaves_at, abs=1.5 * h)
    assert abs(batch["hinge"][int(0.99 * leaves_at / h)]) < 1e-12 and batch["hinge"][-1] < -1e-3
