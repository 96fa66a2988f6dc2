"""Contacts that open and close beside constraints that move: flights and impacts in closed form.

A particle of mass m in the plane of x and z, above a smooth ground.

- `carried`: z' = x' + cos t. In flight m x'' = -f and m z'' = f - m g give z'' = -(g + sin t)/2. An impact turns z' into -e z',
  and x' follows. The constraint does work, in flight and in impacts.
- `turning`: it moves along a direction that turns, (x', z') = u (cos t, sin t), and in flight u' = -g sin t. An impact turns u
  into -e u: with the direction of another instant it would not.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import locomotor as lm
from oracles.moving import G, inclined

E = 0.6
HEIGHT, SPAN = 0.05, 0.5
CARRIED: dict[str, Any] = {"z_rate": 1.0, "x_rate": -1.0}
TURNING: dict[str, Any] = {"z_rate": "cos(t)", "x_rate": "-sin(t)"}

Flight = Callable[[float], tuple[float, float, float]]
"""z, z' and x' at an instant."""


def carried(at: float, z: float, z_rate: float, _: float) -> Flight:
    """The flight from an instant on."""

    def flight(t: float) -> tuple[float, float, float]:
        s = t - at
        rate = z_rate - 0.5 * G * s + 0.5 * (math.cos(t) - math.cos(at))
        height = z + z_rate * s - 0.25 * G * s**2 + 0.5 * (math.sin(t) - math.sin(at) - s * math.cos(at))
        return height, rate, rate - math.cos(t)

    return flight


def turning(at: float, z: float, z_rate: float, x_rate: float) -> Flight:
    """The same along the direction that turns."""
    c = z_rate * math.sin(at) + x_rate * math.cos(at) - G * math.cos(at)

    def flight(t: float) -> tuple[float, float, float]:
        u = c + G * math.cos(t)
        height = z + c * (math.cos(at) - math.cos(t)) + 0.5 * G * (math.sin(t) ** 2 - math.sin(at) ** 2)
        return height, u * math.sin(t), u * math.cos(t)

    return flight


def bounces(kind: Callable[..., Flight], start: tuple[float, ...], at: float, end: float) -> list[tuple[float, Flight]]:
    """Flights, each with the instant it begins at."""
    found = [(at, kind(at, *start))]
    while True:
        begins, flight = found[-1]
        times = np.linspace(begins + 1e-6, end, 4000)
        below = np.flatnonzero(np.array([flight(float(t))[0] for t in times]) < 0.0)
        if not below.size:
            return found
        k = int(below[0])
        hit = float(brentq(lambda t, flight=flight: flight(t)[0], times[k - 1], times[k], xtol=1e-15))
        _, z_rate, x_rate = flight(hit)
        after = (0.0, -E * z_rate, -E * x_rate if kind is turning else -E * z_rate - math.cos(hit))
        found.append((hit, kind(hit, *after)))


CASES: list[tuple[Callable[..., Flight], dict[str, Any], Any, float, dict[str, float], tuple[float, float, float]]] = [
    (carried, CARRIED, "cos(t)", 0.3, {"z": HEIGHT, "z_rate": 0.1}, (HEIGHT, 0.1, 0.1 - math.cos(0.3))),
    (turning, TURNING, 0.0, 0.5, {"z": HEIGHT}, (HEIGHT, 0.0, 0.0)),
]
every = pytest.mark.parametrize(("kind", "row", "equals", "at", "start", "values"), CASES, ids=["carried", "turning"])


@every
def test_an_event_driven_run_meets_the_closed_form(
    kind: Any, row: Any, equals: Any, at: float, start: dict[str, float], values: tuple[float, float, float]
) -> None:
    run = lm.simulate(inclined(row, equals, E), SPAN, start=start, start_time=at)
    assert run.status.ok
    flights = bounces(kind, values, at, at + SPAN)
    hits = [event.time for event in run.events if event.kind == "impact"]
    assert len(hits) == len(flights) - 1 >= 2
    np.testing.assert_allclose(hits, [begins for begins, _ in flights[1:]], rtol=0, atol=1e-9)
    for k in range(0, len(run), 7):
        t = float(run.time[k])
        if min(abs(t - begins) for begins, _ in flights[1:]) < 1e-9:
            continue  # one of the two samples of an impact
        _, flight = [each for each in flights if each[0] <= t][-1]
        np.testing.assert_allclose([run[name][k] for name in ("z", "z_rate", "x_rate")], flight(t), rtol=0, atol=1e-8)
    audit = run.audit()
    assert audit["energy_balance"] < 1e-8
    assert audit["impact_energy"] < 1e-10
    assert audit["largest_slip"] < 1e-12
    assert audit["impact_gain"] == 0.0  # what the moving constraint does is not made by the law


@every
@pytest.mark.parametrize(("contacts", "step", "allowed"), [("events", 2.5e-3, 1e-8), ("time-stepping", 2.5e-4, 1e-3)])
def test_batches_with_contacts_meet_it_too(
    kind: Any, row: Any, equals: Any, at: float, start: dict[str, float], values: tuple[float, float, float],
    contacts: str, step: float, allowed: float,
) -> None:  # fmt: skip
    """After two bounces: fourth-order steps that find events, and Moreau-Jean steps, whose impacts are late by up to a step."""
    compiled = lm.compile(inclined(row, equals, E), contacts=contacts)
    flights = bounces(kind, values, at, at + SPAN)
    end = 0.5 * (flights[2][0] + (flights[3][0] if len(flights) > 3 else at + SPAN))
    state = compiled.start(start, time=at)
    steps = round((end - at) / step)
    batch = compiled.rollout(np.tile(state, (3, 1)), steps, step, start_time=at, save_every=0)
    names = list(compiled.state_names)
    z = batch.final[:, names.index("z")]
    np.testing.assert_allclose(z, flights[2][1](at + steps * step)[0], rtol=0, atol=allowed)
