"""Restitution as a parameter and as a matrix: closed forms, in runs, in batches of both schemes, and through files."""

import dataclasses
import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError, UnknownNameError
from locomotor.model import Body, Coupling, Parameter, Prismatic, System, Unilateral
from locomotor.model.expressions.expression import QuantityLike
from locomotor.model.serialise import from_data, to_data

G, DROP, RADIUS = 9.81, 0.5, 0.1


def ball(restitution: QuantityLike, tangential: QuantityLike = -1.0, **values: float) -> System:
    """The bouncing ball with parameters in its law."""
    system = lm.catalogue.bouncing_ball(tangential=0.0)  # a ball that grips: the smooth one has no tangential law
    law = Unilateral(restitution, tangential)
    parameters = [Parameter(name, value, "1") for name, value in values.items()]
    return system.replace(
        contacts=(dataclasses.replace(system.contacts[0], law=law),),
        parameters=(*(system.parameters[name] for name in system.parameters), *parameters),
    )


# -- a parameter ----------------------------------------------------------------------------------------------


def test_a_bounce_leaves_the_share_that_a_parameter_says() -> None:
    """Two bounces on, the times are those of the closed form; the spin of a ball that grips backwards is reversed."""
    for e, grip in ((0.3, 0.0), (0.9, 0.5)):
        system = ball("e", "grip", e=e, grip=grip)
        run = lm.simulate(system, 1.0, start={"z": RADIUS + DROP, "speed": 1.0}, step=0.001)
        fall = math.sqrt(2 * DROP / G)
        assert run.events.times[:2] == pytest.approx([fall, fall * (1 + 2 * e)], abs=1e-9)
        hit = run.events[0]
        m = run.parameters["m"]
        # The contact point moves on at -grip times its speed: u+ = (v + L/m) + (5/2) L/m.
        assert hit.impulse[0] == pytest.approx(m * (1 + e) * G * fall, rel=1e-9)
        assert hit.impulse[1] == pytest.approx(-(1 + grip) * 1.0 * m / 3.5, rel=1e-9)


@pytest.mark.parametrize("contacts", ["time-stepping", pytest.param("events", marks=pytest.mark.slow)])
def test_every_instance_of_a_batch_has_its_own(contacts: str) -> None:
    """The height of the second flight is e² of the drop; without restitution the ball stays down."""
    compiled = lm.compile(ball("e", e=0.5), contacts=contacts, free=("e",))
    shares = np.array([[0.0], [0.4], [0.8], [1.0]])
    start = np.repeat(compiled.start({"z": RADIUS + DROP})[None], len(shares), axis=0)
    steps, dt = 3600, 0.0002
    batch = compiled.rollout(start, steps, dt, parameters=shares, save_every=10, channels=("z",))
    fall = math.sqrt(2 * DROP / G)
    flown = batch.times > fall + 2 * dt
    top = batch["z"][:, flown].max(axis=1) - RADIUS
    # Of ten steps one is saved, so that the top may be missed by g (5 dt)²/2; time-stepping takes an impact at the end of its
    # step, up to 3.1 m/s dt below the floor.
    assert top == pytest.approx(shares[:, 0] ** 2 * DROP, abs=5e-6 if contacts == "events" else 4 * 3.13 * dt)
    for k, e in enumerate(shares[:, 0]):
        alone = lm.compile(ball(float(e)), contacts=contacts, target="interpreter")
        same = alone.rollout(alone.start({"z": RADIUS + DROP}), 1800, dt, save_every=100, channels=("z",))
        assert same["z"] == pytest.approx(batch["z"][k][:181:10], abs=1e-9)


# -- a matrix -------------------------------------------------------------------------------------------------


def row_of_balls(
    masses: tuple[float, ...], own: tuple[QuantityLike, ...], others: tuple[dict[str, QuantityLike], ...], **values: float
) -> System:
    """Balls of no size on a rail, each gap a contact: hit_1 between the first two."""
    n = len(masses)
    return System(
        "row",
        [Body(f"ball_{i}", mass, inertia=(1.0, 1.0, 1.0)) for i, mass in enumerate(masses, 1)],
        [Prismatic(name=f"x_{i}", parent="world", child=f"ball_{i}", axis=(1.0, 0.0, 0.0)) for i in range(1, n + 1)],
        constraints=[
            Coupling(f"hit_{i}", f"x_{i + 1} - x_{i}", law=Unilateral(e, from_others=more))
            for i, (e, more) in enumerate(zip(own, others, strict=True), 1)
        ],
        parameters=[Parameter(name, value) for name, value in values.items()],
    )


def after(masses: tuple[float, ...], E: np.ndarray, v: tuple[float, ...]) -> np.ndarray:
    """Velocities with the momentum of before and the relative velocities -E times those of before."""
    D = np.diff(np.eye(len(masses)), axis=0)
    return np.linalg.solve(np.vstack([masses, D]), [np.dot(masses, v), *(-E @ D @ v)])


CRADLE = row_of_balls((1.0, 1.0, 1.0), (0.0, 0.0), ({"hit_2": 1.0}, {"hit_1": 1.0}))


def test_newtons_cradle() -> None:
    """One ball comes, two rest against each other: the last one leaves, the others stand still."""
    run = lm.simulate(CRADLE, 1.0, start={"x_1": -0.5, "x_1_rate": 1.0}, step=0.01)
    assert [run[f"x_{i}_rate"][-1] for i in (1, 2, 3)] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    assert run.events[0].time == pytest.approx(0.5, abs=1e-12)
    assert {event.contact for event in run.events.of(kind="impact")} == {"hit_1", "hit_2"}
    # Without the shares the law is that of two impacts at once, and the balls stay together.
    plain = lm.simulate(row_of_balls((1.0,) * 3, (0.0,) * 2, ({}, {})), 1.0, start={"x_1": -0.5, "x_1_rate": 1.0}, step=0.01)
    assert [plain[f"x_{i}_rate"][-1] for i in (1, 2, 3)] == pytest.approx([1 / 3] * 3, abs=1e-12)


@pytest.mark.parametrize("both", [False, True])
def test_a_matrix_of_restitution_is_what_it_says(both: bool) -> None:
    """Any masses and any matrix; the second gap rests, or closes at the same instant."""
    masses, E = (1.0, 2.0, 1.5), np.array([[0.3, 0.1], [0.4, 0.2]])
    v = (1.0, 0.0, -0.5 if both else 0.0)
    system = row_of_balls(masses, ("a", 0.2), ({"hit_2": 0.1}, {"hit_1": "b"}), a=0.3, b=0.4)
    start = {"x_1": -0.5, "x_1_rate": v[0], "x_3": -0.5 * v[2], "x_3_rate": v[2]}
    run = lm.simulate(system, 0.8, start=start, step=0.01)
    wanted = after(masses, E, v)
    assert [run[f"x_{i}_rate"][-1] for i in (1, 2, 3)] == pytest.approx(wanted, abs=1e-12)
    lost = 0.5 * np.dot(masses, np.square(v) - wanted**2)
    assert run.events[0].energy_lost == pytest.approx(lost, abs=1e-12)


@pytest.mark.parametrize("contacts", ["time-stepping", "events"])
def test_the_matrix_in_batches(contacts: str) -> None:
    masses = (1.0, 2.0, 1.5)
    system = row_of_balls(masses, ("a", 0.2), ({"hit_2": 0.1}, {"hit_1": "b"}), a=0.3, b=0.4)
    compiled = lm.compile(system, contacts=contacts, free=("a", "b"), target="interpreter")
    values = np.array([[0.3, 0.4], [0.0, 1.0], [0.5, 0.0]])
    state = compiled.start({"x_1": -0.503, "x_1_rate": 1.0}, closed=("hit_2",))
    batch = compiled.rollout(np.repeat(state[None], 3, axis=0), 80, 0.01, parameters=values, save_every=0)
    rates = [compiled.state_names.index(f"x_{i}_rate") for i in (1, 2, 3)]
    for final, (a, b) in zip(batch.final, values, strict=True):
        wanted = after(masses, np.array([[a, 0.1], [b, 0.2]]), (1.0, 0.0, 0.0))
        assert final[rates] == pytest.approx(wanted, abs=1e-9)


def test_laws_survive_files() -> None:
    system = row_of_balls((1.0, 2.0, 1.5), ("a", 0.2), ({"hit_2": 0.1}, {"hit_1": "b*a"}), a=0.3, b=0.4)
    again = from_data(to_data(system))
    assert again == system and str(dict(again.laws["hit_2"].from_others)["hit_1"]) == "b*a"  # type: ignore[union-attr]
    assert hash(again) == hash(system)


# -- refused --------------------------------------------------------------------------------------------------


def test_coefficients_out_of_range_are_refused_with_their_origin() -> None:
    with pytest.raises(ContactLawError, match=r"restitution is 1\.2; it must lie between 0 and 1"):
        Unilateral(1.2)
    with pytest.raises(ContactLawError, match=r"restitution is 1.4 \(from '2\*e'\); it must lie between 0 and 1"):
        ball("2*e", e=0.7)
    with pytest.raises(ContactLawError, match=r"tangential is -3.0 \(from 'k'\)"):
        ball(0.5, "k", k=-3.0)
    with pytest.raises(UnknownNameError, match="'floor': the restitution 'f' depends on 'f', which is no parameter"):
        ball("f", e=0.5)
    with pytest.raises(ContactLawError, match=r"share of 'hit_2' in from_others is -0\.1; it must be zero or positive"):
        row_of_balls((1.0,) * 3, (0.0, 0.0), ({"hit_2": -0.1}, {}))
    with pytest.raises(UnknownNameError, match="'hit_1': from_others names 'hit_3', which is no other contact"):
        row_of_balls((1.0,) * 3, (0.0, 0.0), ({"hit_3": 0.1}, {}))
    with pytest.raises(ContactLawError, match="from_others is for the rule 'newton'"):
        Unilateral(0.5, rule="poisson", from_others={"other": 0.5})
    with pytest.raises(ContactLawError, match="from_others is 7; give a mapping"):
        Unilateral(from_others=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [lm.StickingPoint, lm.SlidingPoint])
@pytest.mark.parametrize("contacts", [None, "events", "time-stepping"])
def test_the_tip_of_a_pendulum_leaves_at_its_coefficient(kind: type, contacts: str | None) -> None:
    """It moves along a circle, obliquely to the ground: however it sticks, its normal velocity is reversed and takes 0.6."""
    tip = kind("tip", "rod", (0.0, 0.0, -1.0), law=lm.Unilateral(restitution=0.6))
    system = lm.System(
        "pendulum",
        [lm.Body("rod", 1.0, com=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.01))],
        [lm.Revolute(name="swing", parent="world", child="rod", axis=(0.0, 1.0, 0.0), at=(0.0, 0.0, 0.9))],
        contacts=[tip],
        forces=[lm.Gravity()],
    )
    start = {"swing": -0.6}
    # Energy: I w²/2 = m g (0.5 m) (cos -cos 0.6) with I = 0.1 + 0.25 about the hinge; the tip touches at cos = 0.9.
    before = math.sqrt(2.0 * 9.81 * 0.5 * (0.9 - math.cos(0.6)) / 0.35)
    if contacts is None:
        run = lm.simulate(system, 0.3, start=start, target="interpreter")
        rates = run["swing_rate"][np.isclose(run.time, run.events[0].time, rtol=0, atol=1e-12)]
        np.testing.assert_allclose(rates, [before, -0.6 * before], rtol=1e-9)
        return
    compiled = lm.compile(system, contacts=contacts, target="interpreter")
    rates = compiled.rollout(compiled.start(start), 300, 1e-3)["swing_rate"]
    # A step is 1 ms long, in which gravity changes the rate by 7e-3 rad/s at most, before and after.
    assert rates.max() == pytest.approx(before, abs=8e-3) and rates.min() == pytest.approx(-0.6 * before, abs=8e-3)
