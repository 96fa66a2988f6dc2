"""Cables that pull and never push, against closed forms."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import LocomotorError

G, L, M = 9.81, 0.8, 0.5


def bob(**options: float) -> lm.System:
    """A point mass in a vertical plane on a cable from the world."""
    body = lm.Body("bob", M, inertia=(1e-6,) * 3)
    frames = [lm.Frame("rail")]
    joints = [
        lm.Prismatic(name="x", parent="world", child="rail", axis=(1, 0, 0)),
        lm.Prismatic(name="z", parent="rail", child="bob", axis=(0, 0, 1)),
    ]
    plain = lm.System("bob", [*frames, body], joints, forces=[lm.Gravity()], grounds=(), nominal={"z": -L})
    return lm.with_cable(plain, "string", "world", "bob", length=L, **options)


@pytest.mark.slow
def test_a_bob_leaves_its_circle_where_the_string_would_have_to_push() -> None:
    """v² = 3.5 g L at the bottom: slack at cos = (v² - 2 g L)/(3 g L) = 1/2 above the centre, a parabola, and taut again."""
    v = math.sqrt(3.5 * G * L)
    run = lm.simulate(bob(), 1.3, start={"x": 0.0, "z": -L, "x_rate": v}, closed=("string",), step=1e-3)
    assert run["string_normal_force"][0] == pytest.approx(M * (G + v * v / L), rel=1e-9)
    slack = next(event for event in run.events if "lift-off" in event.name)
    at = run.at(slack.time)
    assert at["z"] == pytest.approx(0.5 * L, abs=2e-3)  # of the sample next to it
    speed = math.sqrt(0.5 * G * L)  # v² = g L cos
    flight = run.time[(run.time > slack.time + 2e-3) & (run.time < slack.time + 0.15)]
    k = np.searchsorted(run.time, flight)
    t = flight - slack.time
    assert run["z"][k] == pytest.approx(0.5 * L + speed * math.sqrt(0.75) * t - 0.5 * G * t**2, abs=1e-6)
    assert run["x"][k] == pytest.approx(math.sqrt(0.75) * L - 0.5 * speed * t, abs=1e-6)
    assert np.hypot(run["x"], run["z"]).max() < L + 1e-9
    assert any("impact" in event.name for event in run.events if event.time > slack.time)


def test_a_taut_cable_between_two_bodies_keeps_their_momentum() -> None:
    """Two masses that fly apart: plastic, they go on together; the impulse is that of the closed form."""
    bodies = [lm.Body(name, m, inertia=(1e-6,) * 3) for name, m in (("a", 2.0), ("b", 3.0))]
    joints = [lm.Prismatic(name=f"x_{b.name}", parent="world", child=b.name, axis=(1, 0, 0)) for b in bodies]
    plain = lm.System("two", bodies, joints, grounds=(), nominal={"x_b": 0.2})
    system = lm.with_cable(plain, "rope", "a", "b", length=0.5)
    run = lm.simulate(system, 1.0, start={"x_b_rate": 1.0}, step=0.01)
    assert run["x_b_rate"][-1] == pytest.approx(0.6) and run["x_a_rate"][-1] == pytest.approx(0.6)
    assert run["x_b"][-1] - run["x_a"][-1] == pytest.approx(0.5)
    assert run.events[0].time == pytest.approx(0.3)


def test_cables_that_cannot_be_are_refused() -> None:
    with pytest.raises(LocomotorError, match="two different bodies"):
        lm.with_cable(bob(), "other", "bob", "bob", length=1.0)
    refused = {
        "the length of cable 'other' is -1.0 m": {"length": -1.0},
        "cable 'other': length 'q'": {"length": "q"},
        "cable 'other': at_a is 'here'": {"length": 1.0, "at_a": "here"},
        "cable 'other': at_b is 'there'": {"length": 1.0, "at_b": "there"},
    }
    for words, given in refused.items():
        with pytest.raises(LocomotorError, match=words) as raised:
            lm.with_cable(bob(), "other", "world", "bob", **given)
        assert "Ball" not in str(raised.value) and "SlidingPoint" not in str(raised.value)  # nobody wrote one
    with pytest.raises(LocomotorError, match=r"body_b of cable 'other': no body is named 'bop'.*'bob'"):
        lm.with_cable(bob(), "other", "world", "bop", length=1.0)
    with pytest.raises(LocomotorError, match="needs the name 'string', which is taken"):
        lm.with_cable(bob(), "string", "world", "bob", length=1.0)
