"""Impact laws by name in steps of batches: closed forms, the laws on plain matrices, energy, runs with events, targets."""

import functools
import math
from collections.abc import Sequence

import numpy as np
import pytest

import locomotor as lm
from locomotor.complementarity import impact
from locomotor.model import ContactLaw

RULES = ("newton", "poisson", "stronge", "moreau")
SWEPT = lm.ContactSettings(sweeps=400)
SHORT = 1e-9
"""A step in which nothing but an impact happens (s)."""

TURNED = 1e-7
"""Velocities (m/s) of a body whose axes turn within that step: 20 rad/s times 2 m/s times the step."""


def ball(law: lm.Unilateral, g: float = 0.0) -> lm.System:
    """A solid ball of 1 kg and 0.1 m."""
    return lm.System(
        "ball",
        [lm.Body("ball", 1.0, inertia=(0.004,) * 3)],
        [lm.Free(name="base", parent="world", child="ball")],
        contacts=[lm.RollingSphere("floor", "ball", (0.0, 0.0, 0.0), 0.1, law=law)],
        forces=[lm.Gravity((0.0, 0.0, -g))],
        nominal={"z": 0.1},
    )


@functools.cache
def bar(rule: str, friction: str | None = "mu", g: float = 0.0) -> lm.System:
    """A slender bar, half length and mass 1, in the plane x, z; `pitch` turns its right end down."""
    law = lm.Unilateral(restitution="e", friction=friction, rule=rule)
    return lm.System(
        "bar",
        [lm.Frame("cart"), lm.Frame("lift"), lm.Body("bar", 1.0, inertia=(0.001, 1.0 / 3.0, 1.0 / 3.0))],
        [
            lm.Prismatic(name="along", parent="world", child="cart", axis=(1.0, 0.0, 0.0)),
            lm.Prismatic(name="up", parent="cart", child="lift", axis=(0.0, 0.0, 1.0)),
            lm.Revolute(name="pitch", parent="lift", child="bar", axis=(0.0, 1.0, 0.0)),
        ],
        contacts=[lm.StickingPoint("end", "bar", (1.0, 0.0, 0.0), law=law)],
        forces=[lm.Gravity((0.0, 0.0, -g))],
        parameters={"e": 0.5, "mu": 0.5},
    )


def struck(compiled: lm.CompiledSystem, given: dict[str, float], values: Sequence[float] = ()) -> dict[str, float]:
    """Velocities after a step that is all impact, from a state that `start` would not make: it touches and approaches."""
    state = compiled.start({"z": 1.0} if "z" in compiled.state_names else {})
    open_ = {name: 0.0 for name in compiled.state_names if name.endswith("_closed")}
    for name, value in {**open_, **given}.items():
        state[compiled.state_names.index(name)] = value
    batch = compiled.rollout(state[None], 1, SHORT, parameters=np.array([values]) if len(values) else None)
    assert (np.asarray(batch.status) == 0).all(), batch.reasons
    return dict(zip(compiled.state_names, np.asarray(batch.final)[0].tolist(), strict=True))


@pytest.mark.parametrize(("rule", "mu"), [(rule, mu) for rule in RULES for mu in (0.1, 0.5)])
def test_a_ball_that_slips_and_one_that_is_stopped(rule: str, mu: float) -> None:
    """Friction takes mu (1 + e) m u, or what ends the slip, 2/7 m v; by Moreau's rule what turns it back, (1 + e) 2/7 m v."""
    e, u, v = 0.6, 1.0, 2.0
    compiled = lm.compile(ball(lm.Unilateral(e, friction=mu, rule=rule)), contacts="time-stepping", target="interpreter")
    after = struck(compiled, {"z": 0.1, "speed": v, "heave_speed": -u})
    most = mu * (1.0 + e) * u
    taken = min(most, 2.0 / 7.0 * v * ((1.0 + e) if rule == "moreau" else 1.0))
    assert after["heave_speed"] == pytest.approx(e * u, abs=TURNED)
    assert after["speed"] == pytest.approx(v - taken, abs=TURNED)
    assert after["pitch_rate"] == pytest.approx(taken * 0.1 / 0.004, rel=TURNED)


def rates(state: dict[str, float]) -> np.ndarray:  # type: ignore[type-arg]
    return np.array([state[name] for name in ("along_rate", "up_rate", "pitch_rate")])


def of_the_end(angle: float) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    """Masses, and rows (up, along) over (along, up, pitch): height of the end is up - sin(pitch)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.diag([1.0, 1.0, 1.0 / 3.0]), np.array([[0.0, 1.0, -c], [1.0, 0.0, -s]])


@pytest.mark.parametrize("rule", RULES)
def test_the_end_of_a_bar_does_what_the_law_says(rule: str, rng: np.random.Generator) -> None:
    """In a step without forces it is the law on the Delassus matrix, solved there by pivoting, where that gains nothing."""
    compiled = lm.compile(bar(rule), contacts="time-stepping", free=("e", "mu"), target="c", settings=SWEPT)
    compared = 0
    for _ in range(60):
        angle, v = rng.uniform(0.1, 1.5), rng.normal(size=3)
        e, mu = rng.uniform(), rng.uniform(0.0, 1.2)
        M, C = of_the_end(angle)
        u = C @ v
        if u[0] > -0.1:
            continue
        options = {"dissipation": (1 - e) / (1 + e)} if rule == "moreau" else {"restitution": e}
        wanted = impact(C @ np.linalg.solve(M, C.T), u, [mu], law=rule, **options)
        if wanted.gained:  # batches give then only so much of a bounce that nothing is gained
            continue
        start = {"up": math.sin(angle), "pitch": angle, "along_rate": v[0], "up_rate": v[1], "pitch_rate": v[2]}
        assert C @ rates(struck(compiled, start, [e, mu])) == pytest.approx(wanted.velocities, abs=2e-7), (angle, v, e, mu)
        compared += 1
    assert compared > 15


@pytest.mark.parametrize("contacts", ["time-stepping", "events"])
@pytest.mark.parametrize("rule", ["poisson", "stronge"])
def test_a_bar_that_sticks_whatever_it_takes(rule: str, contacts: str, rng: np.random.Generator) -> None:
    """Compression ends at rest, L_C = -W^-1 u. Poisson: e L_CN more along the normal while the tangent holds, u_N = e L_CN w.

    w = 1/(W^-1)_NN. Stronge: half of that velocity times its impulse is e² of half the approach times L_CN.
    """
    compiled = lm.compile(bar(rule, None), contacts=contacts, free=("e",), target="interpreter")
    compared = 0
    for _ in range(40):
        angle, v, e = rng.uniform(0.1, 1.4), rng.normal(size=3), rng.uniform(0.1, 1.0)
        M, C = of_the_end(angle)
        inverse, u = np.linalg.inv(C @ np.linalg.solve(M, C.T)), C @ v
        first = -inverse @ u
        friction_helps = first[1] * u[1] > 0.0  # then less is given back
        if u[0] > -0.1 or first[0] < 0.0 or friction_helps:
            continue
        w = 1.0 / inverse[0, 0]
        leaves = e * first[0] * w if rule == "poisson" else e * math.sqrt(-u[0] * first[0] * w)
        start = {"up": math.sin(angle), "pitch": angle, "along_rate": v[0], "up_rate": v[1], "pitch_rate": v[2]}
        assert C @ rates(struck(compiled, start, [e])) == pytest.approx([leaves, 0.0], abs=2e-7)
        compared += 1
    assert compared > 8


@pytest.mark.parametrize("rule", ["newton", "poisson", "stronge"])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_three_balls_in_a_row(rule: str, e: float) -> None:
    """By symmetry of the equal masses: together (1/3, 1/3, 1/3), and e times what compression took (Génot 1998, table I.1)."""
    compiled = lm.compile(lm.catalogue.three_balls(restitution=e, rule=rule), contacts="time-stepping", target="interpreter")
    after = struck(compiled, {"first_rate": 1.0})
    assert [after[f"{name}_rate"] for name in ("first", "second", "third")] == pytest.approx(
        [1.0 / 3.0 - 2.0 / 3.0 * e, 1.0 / 3.0 + e / 3.0, 1.0 / 3.0 + e / 3.0], abs=1e-6
    )


# -- energy ---------------------------------------------------------------------------------------------------


@functools.cache
def box(rule: str) -> lm.System:
    """A box of which four corners touch."""
    places = [(0.2 * i, 0.15 * j, 0.1 * k) for i, j, k in ((-1, -1, -1), (1, -1, -1), (-1, 1, -1), (1, 1, 1))]
    law = lm.Unilateral(restitution="e", friction="mu", rule=rule)
    return lm.System(
        "box",
        [lm.Body("box", 1.0, inertia=(0.0108, 0.0167, 0.0208))],
        [lm.Free(name="base", parent="world", child="box")],
        contacts=[lm.StickingPoint(f"corner_{k}", "box", at, law=law) for k, at in enumerate(places)],
        forces=[lm.Gravity((0.0, 0.0, "-g"))],
        parameters={"e": 0.5, "mu": 0.5, "g": 0.0},
        nominal={"z": 1.0},
    )


def kinetic(states: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Of boxes: masses over the velocities of the body frame."""
    return np.asarray(0.5 * (states[:, 7:] ** 2) @ np.array([1.0, 1.0, 1.0, 0.0108, 0.0167, 0.0208]))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.sampled(2)
def test_no_impact_of_a_box_gains_energy(rule: str, rng: np.random.Generator) -> None:
    """Without gravity energy only falls, whatever strikes with whatever friction; and some of it is given back."""
    compiled = lm.compile(box(rule), contacts="time-stepping", free=("e", "mu"))
    count = 400
    states = np.tile(compiled.start({"z": 0.35}), (count, 1))
    attitude = rng.normal(size=(count, 4))
    states[:, 3:7] = attitude / np.linalg.norm(attitude, axis=1, keepdims=True)
    states[:, 7:] = rng.uniform((-2, -2, -2, -8, -8, -8), (2, 2, 2, 8, 8, 8), (count, 6))
    values = np.column_stack([rng.uniform(0.0, 1.0, count), rng.uniform(0.0, 1.5, count)])
    batch = compiled.rollout(states, 400, 0.001, parameters=values, save_every=1)
    saved = np.asarray(batch.states)
    assert (
        np.asarray(batch.status) == 0
    ).mean() > 0.99  # one that hardly bounces may be pressed in by its neighbour, and is told
    energy = np.array([kinetic(saved[:, k]) for k in range(saved.shape[1])])
    # A step without impacts keeps it to the third order of the turn in it. Newton's share is cut where it would gain, by the
    # velocities along rows, whose turning in the step is of second order.
    grown = np.diff(energy, axis=0) / energy[:1]
    turned = np.linalg.norm(saved[:, :-1, 10:13], axis=2).T * 0.001
    assert (np.nan_to_num(grown) <= np.nan_to_num(turned**2 if rule == "newton" else turned**3) + 1e-12).all()
    assert (energy[-1] < 0.999 * energy[0]).mean() > 0.2  # many struck


@pytest.mark.parametrize("rule", ["poisson", "stronge"])
def test_an_elastic_ball_keeps_its_energy(rule: str) -> None:
    """It falls 0.2 m and bounces for 2 s: half of what gravity does in a step comes before an impact, half after it."""
    compiled = lm.compile(
        ball(lm.Unilateral(1.0, friction=0.3, rule=rule), 9.81), contacts="time-stepping", target="interpreter"
    )
    start = compiled.start({"z": 0.3})
    saved = np.asarray(compiled.rollout(start[None], 2000, 0.001, save_every=1).states)[0]
    energy = 0.5 * saved[:, 9] ** 2 + 9.81 * saved[:, 2]
    assert np.abs(energy - energy[0]).max() < 1e-10
    assert saved[:, 9].max() == pytest.approx(math.sqrt(2 * 9.81 * 0.2), abs=9.81 * 0.001)


def wedge(rule: str, e: float, mu: float) -> lm.System:
    """A ball that falls between two walls of 70 degrees, which wedge it with friction."""
    law = lm.Unilateral(restitution=e, friction=mu, rule=rule)
    walls = {"left": math.radians(70), "right": -math.radians(70)}
    return lm.System(
        "wedge",
        [lm.Body("ball", 1.0, inertia=(0.004,) * 3)],
        [lm.Free(name="base", parent="world", child="ball")],
        grounds=[lm.Plane(name, normal=(math.sin(a), 0.0, math.cos(a))) for name, a in walls.items()],
        contacts=[lm.RollingSphere(f"{name}_side", "ball", (0.0, 0.0, 0.0), 0.1, law=law, ground=name) for name in walls],
    )


@pytest.mark.parametrize("mu", [0.3, 1.0, 1.4])
@pytest.mark.parametrize("rule", ["poisson", "stronge"])
def test_a_wedge_gives_back_no_more_than_it_took(rule: str, mu: float) -> None:
    """Poisson's law can gain there with high friction; a step gives only so much of a bounce that none is gained."""
    compiled = lm.compile(wedge(rule, 0.9, mu), contacts="time-stepping", target="interpreter")
    after = struck(compiled, {"z": 0.1 / math.cos(math.radians(70)), "heave_speed": -1.0, "speed": 0.2, "pitch_rate": 3.0})
    energy = (
        0.5 * (after["speed"] ** 2 + after["sway_speed"] ** 2 + after["heave_speed"] ** 2) + 0.002 * after["pitch_rate"] ** 2
    )
    assert energy <= 0.5 * (1.0 + 0.04) + 0.002 * 9.0 + 1e-9


# -- runs with events, mixed rules, targets -------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "friction"), [(rule, mu) for rule in RULES for mu in ("mu", None) if rule != "moreau" or mu])
def test_steps_converge_to_runs_with_events(rule: str, friction: str | None) -> None:
    """A bar whose end strikes and slips, first order: a sixteenth of the step has at most an eighth of the error."""
    system = bar(rule, friction, 9.81)
    start = {"up": 1.0, "pitch": 0.7, "along_rate": 0.4, "up_rate": 0.0, "pitch_rate": -0.5}
    values = {"e": 0.7, "mu": 0.4}
    run = lm.simulate(system, 0.35, start=start, parameters=values, step=1e-3)
    assert len(run.events.of(kind="impact")) == 1
    names = ("along_rate", "up_rate", "pitch_rate")
    compiled = lm.compile(system.replace(parameters=values), contacts="time-stepping", settings=SWEPT)
    errors = []
    for h in (2e-3, 1.25e-4):
        steps = round(0.35 / h)
        final = np.asarray(compiled.rollout(compiled.start(start)[None], steps, h).final)[0]
        got = dict(zip(compiled.state_names, final, strict=True))
        errors.append(max(abs(got[name] - float(run[name][-1])) for name in names))
    assert errors[1] < 2e-3 and errors[1] < errors[0] / 4.0


def beam(laws: Sequence[ContactLaw], g: float = 0.0) -> lm.System:
    """A slender beam, half length and mass 1, on its two ends."""
    ends = [lm.StickingPoint(f"end_{k}", "beam", (2.0 * k - 1.0, 0.0, 0.0), law=law) for k, law in enumerate(laws)]
    return lm.System(
        "beam",
        [lm.Body("beam", 1.0, inertia=(0.01, 1.0 / 3.0, 1.0 / 3.0))],
        [lm.Free(name="base", parent="world", child="beam")],
        contacts=ends,
        forces=[lm.Gravity((0.0, 0.0, -g))],
    )


def of_the_ends(after: dict[str, float]) -> list[float]:
    """Velocities of both ends of a level beam, upwards."""
    return [after["heave_speed"] + after["pitch_rate"], after["heave_speed"] - after["pitch_rate"]]


@pytest.mark.parametrize(
    ("rules", "contacts"),
    [
        *((rules, "time-stepping") for rules in (("newton", "poisson"), ("poisson", "stronge"), ("stronge", "moreau"))),
        *((rules, "events") for rules in (("newton", "poisson"), ("poisson", "stronge"))),
    ],
)
def test_contacts_of_two_rules_follow_newtons_where_both_strike(rules: tuple[str, str], contacts: str) -> None:
    """As in runs with events. A beam comes down flat on two ends: each leaves at e times its approach."""
    e, u = (0.3, 0.8), 1.0
    friction = 0.2 if contacts == "time-stepping" else None
    laws = [lm.Unilateral(share, friction=friction, rule=rule) for share, rule in zip(e, rules, strict=True)]
    settings = SWEPT if contacts == "time-stepping" else None
    compiled = lm.compile(beam(laws), contacts=contacts, settings=settings, target="interpreter")
    after = struck(compiled, {"z": 0.0, "heave_speed": -u})
    assert of_the_ends(after) == pytest.approx([e[0] * u, e[1] * u], abs=1e-6)


@pytest.mark.parametrize("rule", ["poisson", "stronge"])
def test_an_end_that_the_other_presses_down_stays_closed(rule: str) -> None:
    """Each end is stopped by 1/2; W = [[4, -2], [-2, 4]]. A share of 0.9 lifts one end and presses the other (0.01) in.

    Restitution: L = s (0.45, 0.225), so that the first leaves with 1.35 s and the second rests. By Poisson's rule s = 1; by
    Stronge's the work (1.35 * 0.45 s²)/2 is what is stored, (0.9² + 0.01²)/4.
    """
    laws = [lm.Unilateral(e, rule=rule) for e in (0.9, 0.01)]
    compiled = lm.compile(beam(laws), contacts="events", target="interpreter")
    after = struck(compiled, {"z": 0.0, "heave_speed": -1.0})
    s = 1.0 if rule == "poisson" else math.sqrt((0.9**2 + 0.01**2) / 4.0 / (0.5 * 1.35 * 0.45))
    assert of_the_ends(after) == pytest.approx([1.35 * s, 0.0], abs=1e-6)
    assert (after["end_0_closed"], after["end_1_closed"]) == (0.0, 1.0)


@pytest.mark.parametrize("friction", [None, 0.2])
def test_who_takes_from_the_approach_of_others_has_newtons_rule(friction: float | None) -> None:
    """One end leaves at 0.3 times its own approach, the other, whose own coefficient is zero, at a half of that of the first.

    By Poisson's rule alone the second would stay down: its share was lost without a word. Runs and both kinds of steps agree.
    """
    first, second = (0.3, "poisson"), lm.Unilateral(0.0, friction=friction, from_others={"end_0": 0.5})
    fall, u = beam([lm.Unilateral(first[0], friction=friction, rule=first[1]), second], 9.81), 2.0
    run = lm.simulate(fall, 0.01, start={"z": 0.01, "heave_speed": -u}, step=1e-3)
    hits = run.events.of(kind="impact")
    approach = math.sqrt(u * u + 2.0 * 9.81 * 0.01)
    after = {name: float(run[name][run.time.searchsorted(hits[0].time, "right")]) for name in ("heave_speed", "pitch_rate")}
    assert of_the_ends(after) == pytest.approx([0.3 * approach, 0.5 * approach], abs=9.81 * 1e-3)
    resting = beam([law.law for law in fall.contacts])
    for contacts in ("time-stepping", *(["events"] if friction is None else [])):
        settings = SWEPT if contacts == "time-stepping" else None
        compiled = lm.compile(resting, contacts=contacts, settings=settings, target="interpreter")
        assert of_the_ends(struck(compiled, {"z": 0.0, "heave_speed": -u})) == pytest.approx([0.3 * u, 0.5 * u], abs=1e-6)


@pytest.mark.parametrize("rule", ["newton", "poisson", "stronge"])
@pytest.mark.parametrize("rate", [0.0, 0.9])
def test_steps_with_events_are_runs_with_events(rule: str, rate: float) -> None:
    """To fourth order, through impacts of one end and of both: half the step leaves less than an eighth of the error."""
    system = beam([lm.Unilateral(0.5, rule=rule)] * 2, 9.81)
    start = {"z": 0.4, "pitch": -0.05 if rate else 0.0, "pitch_rate": rate, "speed": 0.5, "heave_speed": -1.0}
    run = lm.simulate(system, 0.3, start=start, step=1e-3)
    assert len(run.events.of(kind="impact")) == (3 if rate else 2)
    compiled = lm.compile(system, contacts="events", target="interpreter")
    names = ("z", "x", "speed", "heave_speed", "pitch_rate")
    errors = []
    for steps in (30, 60):
        final = np.asarray(compiled.rollout(compiled.start(start)[None], steps, 0.3 / steps).final)[0]
        got = dict(zip(compiled.state_names, final, strict=True))
        errors.append(max(abs(got[name] - float(run[name][-1])) for name in names))
    assert errors[1] < 1e-9 and (errors[1] < errors[0] / 8.0 or errors[0] < 1e-13)


@pytest.mark.parametrize("rule", ["poisson", "stronge"])
def test_an_impact_is_differentiated_with_its_rule(rule: str) -> None:
    """Against central differences of the roll-out itself, through an impact whose instant moves with the state."""
    compiled = lm.compile(bar(rule, None, 9.81), contacts="events", free=("e",), target="interpreter")
    start = compiled.start({"up": 1.0, "pitch": 0.7, "along_rate": 0.4, "up_rate": 0.0, "pitch_rate": -0.5})
    found = compiled.jacobians(start[None], 70, 0.005, with_respect_to=("pitch", "pitch_rate", "e"), parameters=[0.7])
    ends = []
    for k, name in enumerate(("pitch", "pitch_rate", "e")):
        sides = []
        for sense in (1.0, -1.0):
            moved, e = start.copy(), 0.7
            if name == "e":
                e += sense * 1e-6
            else:
                moved[compiled.state_names.index(name)] += sense * 1e-6
            sides.append(np.asarray(compiled.rollout(moved[None], 70, 0.005, parameters=[e]).final)[0][:6])
        ends.append((sides[0] - sides[1]) / 2e-6)
        assert np.asarray(found.matrix)[0][:6, k] == pytest.approx(ends[k], abs=1e-6), name
    assert np.abs(ends[2]).max() > 0.1


@pytest.mark.parametrize("target", ["c", "simd"])
@pytest.mark.parametrize("rule", ["poisson", "stronge", "moreau"])
@pytest.mark.sampled(3)
def test_targets_agree(rule: str, target: str, rng: np.random.Generator) -> None:
    """With the form that is written out, round for round."""
    system = box(rule).replace(contacts=box(rule).contacts[:2])
    plain = lm.compile(system, contacts="time-stepping", free=("e", "mu", "g"), target="interpreter")
    other = lm.compile(system, contacts="time-stepping", free=("e", "mu", "g"), target=target)
    states = np.tile(plain.start({"z": 0.2, "pitch": 0.2, "roll": 0.1}), (16, 1))
    states[:, 2] = 0.152  # a corner touches
    states[:, 7:] = rng.uniform(-2, 2, (16, 6))
    values = np.column_stack([rng.uniform(0, 1, 16), rng.uniform(0, 1, 16), np.full(16, 9.81)])
    one, two = (np.asarray(c.rollout(states, 20, 0.001, parameters=values).final) for c in (plain, other))
    assert two == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize("target", ["c", "simd"])
@pytest.mark.parametrize("rule", ["poisson", "stronge"])
@pytest.mark.sampled(2)
def test_targets_agree_with_events(rule: str, target: str, rng: np.random.Generator) -> None:
    """Beams that fall on one end and on both."""
    system = beam([lm.Unilateral(0.6, rule=rule)] * 2, 9.81)
    plain, other = (lm.compile(system, contacts="events", target=name) for name in ("interpreter", target))
    states = np.tile(plain.start({"z": 0.3, "heave_speed": -1.0}), (16, 1))
    states[1:, plain.state_names.index("pitch_rate")] = rng.uniform(-0.8, 0.8, 15)
    one, two = (np.asarray(c.rollout(states, 40, 0.005).final) for c in (plain, other))
    assert two == pytest.approx(one, abs=1e-9)
