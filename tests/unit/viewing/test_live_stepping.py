"""A live page of many contacts: one compiled step holds them, and the page says so."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.viewing.live import stepping
from locomotor.viewing.live.choices import choices_of, chosen, made_ready
from locomotor.viewing.live.controls import controls_of
from locomotor.viewing.live.engine import Engine
from locomotor.viewing.live.push import Push

THROWN = {"x_rate": 3.0, "spin_wy": 0.0}


@pytest.fixture
def bowling(monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(stepping, "COSTLY", 0)
    ball = lm.catalogue.bowling_ball()
    return Engine(ball, tuple(ball.parameters))


def test_many_modes_of_a_large_system_are_stepped_and_few_are_not() -> None:
    assert stepping.stepped_of(lm.catalogue.soft_snake(), ()) is not None
    for small in (lm.catalogue.tumbling_box(), lm.catalogue.bouncing_ball(), lm.catalogue.rocr()):
        assert stepping.stepped_of(small, ()) is None


def test_a_ball_that_slips_rolls_with_five_sevenths_of_its_speed(bowling: Engine) -> None:
    """Angular momentum about the point of contact is conserved; friction brakes by mu g until t = 2 v / (7 mu g)."""
    mu, g = (bowling.system.parameters[name].value for name in ("mu", "g"))
    for friction in (mu, 0.5 * mu):
        run = bowling.run(2.0, THROWN, {"mu": friction}, {})
        rolls = 2.0 * THROWN["x_rate"] / (7.0 * friction * g)
        expected = np.maximum(THROWN["x_rate"] - friction * g * run.time, 5.0 / 7.0 * THROWN["x_rate"])
        assert rolls < 2.0
        assert np.abs(run["x_rate"] - expected).max() < 3e-3 * THROWN["x_rate"]


def test_a_stepped_run_says_how_it_was_made_and_tells_no_forces(bowling: Engine) -> None:
    run = bowling.run(2.0, THROWN, {}, {})
    audit = run.audit()
    assert run.settings["stepper"] == "time-stepping"
    assert not run.forces
    m, v = bowling.system.parameters["m"].value, THROWN["x_rate"]
    assert audit.work["contacts"] == pytest.approx(-m * v**2 / 7.0, rel=5e-3)  # what slipping takes until it rolls
    assert 0.0 <= audit["contact_gain"] < 1e-3
    assert "energy_balance" not in audit
    assert "first order" in str(audit)
    way = made_ready(bowling, chosen(choices_of({}, {}), ""), THROWN, {}, 0.1, True)
    assert "time-stepping" in controls_of(choices_of({}, {}), chosen(choices_of({}, {}), ""), way, None)["note"]


def test_a_push_is_felt_between_steps(bowling: Engine) -> None:
    ball = bowling.system.bodies[-1].name
    before = bowling.run(0.2, THROWN, {}, {})
    after = bowling.run(0.2, THROWN, {}, {}, [Push(0.1, ball, (0.0, 0.0, 0.0), (7.0, 0.0, 0.0))])
    early = before.time < 0.099
    assert np.array_equal(before["x_rate"][early], after["x_rate"][: len(before["x_rate"])][early])
    assert after["x_rate"][-1] > before["x_rate"][-1] + 0.5
    assert [event.kind for event in after.events] == ["push"]
