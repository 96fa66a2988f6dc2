"""Impacts of contacts that resist turning: patches and rolling resistance, beside closed forms."""

import math
from functools import cache, partial

import numpy as np
import pytest
from scipy.optimize import brentq

import locomotor as lm
from locomotor.errors import ContactLawError
from locomotor.simulation.events.rolling_impact import braking_moment
from locomotor.simulation.status import Event
from oracles.farkas import farkas

GRAVITY, MASS, RADIUS, FRICTION, SPEED = 9.81, 2.0, 0.1, 0.3, 1.5
DISC, BALL = 0.5 * MASS * RADIUS**2, 0.4 * MASS * RADIUS**2
ARM = 2.0 / 3.0 * RADIUS
HEIGHT = SPEED**2 / (2.0 * GRAVITY)


@cache
def thing(law: lm.Unilateral, ball: bool = False) -> lm.System:
    """A puck that only turns about the vertical, or a ball in space."""
    turns = lm.Spherical(name="spin", parent="carrier", child="body")
    about = lm.Revolute(name="yaw", parent="carrier", child="body", axis=(0.0, 0.0, 1.0))
    kind = partial(lm.RollingSphere, radius=RADIUS) if ball else lm.StickingPoint
    inertia = np.full(3, BALL) if ball else (0.5 * DISC, 0.5 * DISC, DISC)
    return lm.System(
        "thing",
        bodies=[lm.Frame("carrier"), lm.Body("body", mass=MASS, inertia=inertia)],
        joints=[lm.Translation(name="base", parent="world", child="carrier"), turns if ball else about],
        contacts=[kind("foot", "body", (0.0, 0.0, 0.0), law=law)],
        forces=[lm.Gravity((0.0, 0.0, -GRAVITY))],
    )


def struck(system: lm.System, start: dict[str, float]) -> tuple[dict[str, float], Event]:
    """Velocities just after the first impact, and the event."""
    run = lm.simulate(system, SPEED / GRAVITY + 1e-3, start={"z": HEIGHT, **start}, step=0.01)
    landing = next(event for event in run.events if event.kind == "impact")
    k = int(np.searchsorted(run.time, landing.time, side="right")) - 1
    return {name: float(run[name][k]) for name in run.channels if name.endswith(("_rate", "_wx", "_wy", "_wz"))}, landing


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("spin", [40.0, 5.0])
def test_a_puck_that_lands_turning_is_braked_by_its_patch(spin: float, restitution: float) -> None:
    law = lm.Unilateral(friction=FRICTION, restitution=restitution, patch=RADIUS)
    found, event = struck(thing(law), {"yaw_rate": spin})
    brake = FRICTION * MASS * SPEED * (1.0 + restitution) * ARM / DISC
    assert found["yaw_rate"] == pytest.approx(max(spin - brake, 0.0), abs=1e-9)
    turning = 0.5 * DISC * (spin**2 - found["yaw_rate"] ** 2)
    assert event.energy_lost == pytest.approx(turning + 0.5 * MASS * SPEED**2 * (1.0 - restitution**2), rel=1e-9)


def test_a_puck_that_lands_sliding_and_turning_is_braked_along_its_slip() -> None:
    """s+ = s- - mu L diag(1/m, a²/I) r, both in (v, a omega), with r the friction of even pressure for s+ (Farkas 2003)."""
    law = lm.Unilateral(friction=FRICTION, restitution=0.5, patch=RADIUS)
    before = np.array([1.2, ARM * 30.0])
    masses = FRICTION * MASS * SPEED * 1.5 * np.array([1.0 / MASS, ARM**2 / DISC])

    def friction(angle: float) -> np.ndarray:
        force, torque = farkas(ARM / RADIUS / math.tan(angle))
        return np.array([force, torque * RADIUS / ARM])

    def across(angle: float) -> float:
        left = before - masses * friction(angle)
        return float(left[0] * math.sin(angle) - left[1] * math.cos(angle))

    angle = brentq(across, 1e-3, 0.5 * math.pi - 1e-3, xtol=1e-15)
    wanted = before - masses * friction(angle)
    found, _ = struck(thing(law), {"x_rate": 1.2, "yaw_rate": 30.0})
    # Directions of slip are exchanged until they agree to 1e-8.
    assert (found["x_rate"], ARM * found["yaw_rate"]) == pytest.approx(tuple(wanted), rel=3e-8)


@pytest.mark.parametrize("resistance", [0.004, 0.5])
def test_a_ball_that_lands_rolling_is_braked_by_its_resistance(resistance: float) -> None:
    """The moment impulse r L_N against the inertia about the point of contact, or as much as stops it."""
    law = lm.Unilateral(friction=0.9, restitution=0.5, rolling=resistance)
    v = np.array([0.6, -0.8])
    start = {"z": HEIGHT + RADIUS, "x_rate": v[0], "y_rate": v[1], "spin_wx": -v[1] / RADIUS, "spin_wy": v[0] / RADIUS}
    found, _ = struck(thing(law, ball=True), start)
    brake = resistance * MASS * SPEED * 1.5 * RADIUS / (BALL + MASS * RADIUS**2)
    assert (found["x_rate"], found["y_rate"]) == pytest.approx(tuple(v * max(1.0 - brake, 0.0)), abs=1e-9)
    assert found["spin_wy"] * RADIUS == pytest.approx(found["x_rate"], abs=1e-9)


def test_a_braking_moment_is_against_what_is_left(rng: np.random.Generator) -> None:
    for _ in range(200):
        A = rng.normal(size=(2, 2))
        W, w, bound = A @ A.T, rng.normal(size=2), rng.uniform(0.01, 3.0)
        m = braking_moment(W, w, bound)
        left = w + W @ m
        if np.linalg.norm(np.linalg.solve(W, w)) <= bound:
            assert left == pytest.approx(np.zeros(2), abs=1e-9)
        else:
            assert m == pytest.approx(-bound * left / np.linalg.norm(left), rel=1e-9)


@pytest.mark.parametrize("other", [{"rule": "poisson"}, {"tangential": 0.2}, {"from_others": {"toe": 0.5}}])
@pytest.mark.parametrize("what", ["patch", "rolling"])
def test_laws_without_a_word_for_turning_are_refused(what: str, other: dict) -> None:
    with pytest.raises(ContactLawError, match=f"{what} is 0.1.*rule 'newton'"):
        lm.Unilateral(friction=0.3, **{what: 0.1}, **other)
