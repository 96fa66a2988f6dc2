"""Derivatives of Poincaré maps by parameters: closed forms, and differences that come nearer with the square of their size."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.cycles import poincare_map
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.catalogue.rocr import rocr
from locomotor.model import SlidingPoint, System, Unilateral
from oracles.cycle_systems import closed_form, driven_pendulum, shaker, spoked

EXCHANGE = {"leg_b": "leg_a", "leg_a_rate": "leg_b_rate", "leg_b_rate": "leg_a_rate"}


def driven_foot() -> System:
    """A shaker whose foot is on the driven body: the event and the jump depend on the amplitude themselves."""
    law = Unilateral(0.7)
    return shaker(0.7, amplitude=0.045).replace(contacts=(SlidingPoint("foot", body="core", at=(0.0, 0.0, 0.0), law=law),))


CASES: dict[str, tuple[System, str, dict[str, float], dict[str, Any]]] = {
    "an impact": (spoked(), "slope", {"yaw_rate": -1.5}, {"section": "impact", "step": 0.01}),
    "a crossing": (
        spoked(), "slope", {"yaw": -0.1, "yaw_rate": -1.5},
        {"section": "sin(8*yaw) falling", "modulo": ("x", "yaw"), "symmetry": {"yaw_rate": "yaw_rate"}, "step": 0.01},
    ),
    "a length": (
        lm.catalogue.rimless_wheel(), "l", {"pitch_rate": 1.5}, {"section": "impact", "step": 0.01},
    ),
    "a driven impact": (driven_foot(), "amplitude", {"height": 0.05}, {"settle": 40, "step": 1.0 / 300.0}),
    "a frequency": (driven_pendulum(), "w", {"swing": 0.3}, {"settle": 3}),
    "a phase": (rocr(phase=2.0), "phase", {"yaw": 3.0, "yaw_rate": 6.0}, {}),
    "exchanged legs": (
        lm.catalogue.compass_walker(foot_mass=1e-2), "slope", GARCIA_CYCLE,
        {"section": "impact", "closed": ("foot_a",), "symmetry": EXCHANGE, "step": 0.01},
    ),
}  # fmt: skip


SLOW = ("exchanged legs", "a length", "a phase")


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in CASES])
@pytest.mark.sampled(2)
def test_differences_come_nearer_with_the_square_of_their_size(name: str) -> None:
    system, parameter, guess, options = CASES[name]
    settle = options.get("settle", 0)
    here = poincare_map(system, guess, free=(parameter,), **options)
    u = here.unknowns_of(here.reference[None], here.parameters[None])
    for _ in range(settle if here.by_clock else 0):
        u = here(u, tangent=False).values
    returned = here(u, by_parameters=True)
    assert returned.by_parameters is not None and returned.good.all()
    exact, value = returned.by_parameters[0, :, 0], float(here.parameters[0])
    assert np.abs(exact).max() > 1e-3
    errors = []
    for size in (2e-3, 1e-3):
        ahead, back = (here(u, np.array([[value * (1.0 + sign * size)]]), tangent=False).values[0] for sign in (1.0, -1.0))
        errors.append(np.abs((ahead - back) / (2.0 * size * value) - exact).max())
    scale = float(np.abs(exact).max())
    assert errors[1] < 2e-3 * scale  # a share of the size of the difference, by a bend of a few
    # Towards zero with the square of the size, unless they are at the round-off and the error of the steps already.
    assert errors[1] < 0.3 * errors[0] or errors[1] < 1e-6 * scale


@pytest.mark.slow
def test_the_slope_of_a_wheel_and_its_rate() -> None:
    """The rate of the rimless wheel grows as the root of sin(slope): d(rate)/d(slope) = rate/(2 tan(slope))."""
    cycle = lm.find_cycle(spoked(), {"yaw_rate": -1.5}, section="impact", step=0.005)
    here = poincare_map(spoked(), dict(cycle.start), section="impact", step=0.005, closed=cycle.closed, free=("slope",))
    returned = here(cycle.values[None], by_parameters=True)
    assert returned.jacobian is not None and returned.by_parameters is not None
    found = np.linalg.solve(np.eye(1) - returned.jacobian[0], returned.by_parameters[0])[0, 0]
    rate, _, _ = closed_form(8, 0.1, 0.1)
    assert found == pytest.approx(-0.5 * rate / math.tan(0.1), rel=1e-6)


@pytest.mark.slow
def test_a_ball_on_a_vibrating_table_and_the_amplitude() -> None:
    """It bounces at the phase with cos(w t) = -c/A, and moves on a parabola between: a closed form of the state at t = 0."""
    e, m, w, g = 0.7, 0.8, 6.0 * math.pi, 9.81
    period = 2.0 * math.pi / w

    def at_zero(amplitude: float) -> np.ndarray[Any, Any]:
        table = amplitude / (1.0 + m)
        bounce = math.acos(-0.5 * g * period * (1.0 - e) / (1.0 + e) / (table * w)) / w
        bounce = period - bounce  # where the table, -sin, slows down
        left = period - bounce
        # The centre of mass just after the bounce: the foot is on the ground, its rate is g T/2.
        centre = -table * math.sin(w * bounce) + 0.5 * g * period * left - 0.5 * g * left**2
        rate = 0.5 * g * period - g * left
        share = m / (1.0 + m) * amplitude  # of the core's place and rate in those of the centre, at t = T
        return np.array([centre, rate - share * w])

    system = driven_foot()
    cycle = lm.find_cycle(system, {"height": 0.05}, settle=40, step=1.0 / 600.0)
    np.testing.assert_allclose(cycle.values, at_zero(0.045), atol=1e-7)
    here = poincare_map(system, dict(cycle.start), step=1.0 / 600.0, free=("amplitude",))
    returned = here(cycle.values[None], by_parameters=True)
    assert returned.jacobian is not None and returned.by_parameters is not None
    found = np.linalg.solve(np.eye(2) - returned.jacobian[0], returned.by_parameters[0, :, 0])
    h = 1e-6
    np.testing.assert_allclose(found, (at_zero(0.045 + h) - at_zero(0.045 - h)) / (2.0 * h), rtol=1e-5)
