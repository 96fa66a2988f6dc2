"""Jacobians of steps that hold contacts: a closed form across an impact, differences of roll-outs, targets, refusals."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.errors import StepperError, UnknownNameError
from locomotor.simulation.compiled.jacobians import tangent_names
from locomotor.simulation.stepping.time_stepping import SteppedSystem, compile_stepping

Array = NDArray[np.float64]
G, E = 9.81, 0.8
EPS = 1e-6
"""Step of central differences: truncation 1e-12 times third derivatives (1e5 across two impacts), round-off 1e-16 / EPS."""


def differences(compiled: SteppedSystem, x: Array, steps: int, dt: float, columns: tuple[str, ...]) -> Array:
    """Derivative of the final state by differences of roll-outs."""
    space, names = compiled.stepping.flight.moving_manifold, tangent_names(compiled.traced)
    found = np.zeros((len(names), len(columns)))
    for j, name in enumerate(columns):
        ends = []
        for sign in (1.0, -1.0):
            y, p = x.copy(), compiled.default_parameters.copy()
            if name in names:
                y[: space.size] = space.retract(x[None, : space.size], sign * EPS * np.eye(len(names))[[names.index(name)]])[0]
            else:
                p[compiled.parameter_names.index(name)] += sign * EPS
            ends.append(compiled.rollout(y, steps, dt, parameters=p, save_every=0).final)
        plus, minus = ends
        for turning, place, d in space.slices():
            if turning:
                a, b = minus[place], plus[place]
                found[d, j] = (a[0] * b[1:] - b[0] * a[1:] - np.cross(a[1:], b[1:])) / EPS
            else:
                found[d, j] = (plus[place] - minus[place]) / (2.0 * EPS)
    return found


def bounced(target: str = "interpreter") -> tuple[SteppedSystem, Array]:
    compiled = compile_stepping(lm.catalogue.bouncing_ball(restitution=E), "events", target=target)
    return compiled, compiled.start({"z": 0.4})


def test_the_instant_of_an_impact_moves_with_the_start() -> None:
    """A ball that falls from z has v = e g T - g (t - T) after its bounce at T = sqrt(2 z/g): dv/dz = (1 + e) g dT/dz.

    An impact whose instant did not move would give zero.
    """
    compiled, x = bounced()
    found = compiled.jacobians(x, 40, 0.01, with_respect_to=("z", "heave_speed"))
    assert found["heave_speed", "z"] == pytest.approx((1.0 + E) * math.sqrt(G / (2.0 * 0.3)), rel=1e-9)
    assert np.array_equal(found.final, compiled.rollout(x, 40, 0.01, save_every=0).final)
    assert "floor_closed" not in found.row_names


CASES: dict[str, tuple[Any, str, dict[str, float], list[str] | None, int, float, tuple[str, ...], float]] = {
    # system, kind, start, closed, steps, dt, directions, relative error
    "ball, events": (
        lambda: lm.catalogue.bouncing_ball(restitution=E),
        "events",
        {"z": 0.3, "speed": 1.0, "heave_speed": -0.5, "roll_rate": 1.3},
        None,
        60,
        0.01,
        ("z", "turn_y", "roll_rate"),
        1e-7,
    ),
    "ball, time-stepping": (
        lambda: lm.catalogue.bouncing_ball(restitution=E),
        "time-stepping",
        {"z": 0.3, "speed": 1.0, "heave_speed": -0.5, "roll_rate": 1.3},
        None,
        60,
        0.01,
        ("z", "turn_y", "roll_rate", "speed"),
        1e-7,
    ),
    "walker, events": (
        lm.catalogue.compass_walker,
        "events",
        GARCIA_CYCLE,
        ["foot_a"],
        450,
        0.01,
        ("leg_a_rate", "slope"),
        1e-7,
    ),
    "climbing robot": (lm.catalogue.rocr, "events", {}, None, 290, 0.01, ("yaw", "speed"), 1e-6),
    # The rear wheel lands, then rolls.
    "bicycle, time-stepping": (
        lambda: lm.catalogue.bicycle("mauny2018", contacts="unilateral"),
        "time-stepping",
        {"z": 0.3, "pitch": -0.174, "speed": 3.0},
        None,
        60,
        0.005,
        ("roll_rate",),
        1e-6,
    ),
    # An edge lands and slides.
    "box, friction": (
        lm.catalogue.tumbling_box,
        "time-stepping",
        {"z": 0.2, "speed": 1.0, "pitch": 0.3},
        None,
        80,
        0.002,
        ("pitch_rate",),
        1e-5,
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_against_differences(name: str) -> None:
    make, kind, start, closed, steps, dt, wrt, bound = CASES[name]
    system = make()
    free = tuple(entry for entry in wrt if entry in system.parameters)
    compiled = compile_stepping(system, kind, target="interpreter", free=free)
    x = compiled.start(start, closed=closed)
    found = compiled.jacobians(x, steps, dt, with_respect_to=wrt)
    wanted = differences(compiled, x, steps, dt, found.column_names)
    assert found.status == 0 and np.array_equal(found.final, compiled.rollout(x, steps, dt, save_every=0).final)
    assert np.abs(found.matrix - wanted).max() < bound * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("target", ["c", "simd"])
def test_targets_agree(target: str) -> None:
    system = lm.catalogue.bouncing_ball(restitution=E)
    compiled = [compile_stepping(system, "time-stepping", target=t) for t in ("interpreter", target)]
    states = np.tile(compiled[0].start({"z": 0.3, "heave_speed": -0.5}), (9, 1))
    states[:, 7] = np.linspace(-1.0, 1.0, 9)
    wanted, found = (c.jacobians(states, 60, 0.01, with_respect_to=("z", "turn_y")) for c in compiled)
    assert found.matrix.shape == (9, 12, 2)
    np.testing.assert_allclose(found.matrix, wanted.matrix, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.final, wanted.final, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "simd"])
def test_targets_agree_on_a_walker(target: str) -> None:
    walker = lm.catalogue.compass_walker()
    compiled = [compile_stepping(walker, "events", target=t, free=("slope",)) for t in ("interpreter", target)]
    x = np.tile(compiled[0].start(GARCIA_CYCLE, closed=["foot_a"]), (9, 1))
    wanted, found = (c.jacobians(x, 450, 0.01, with_respect_to=("leg_a_rate", "slope")) for c in compiled)
    # The step is magnified 30 times by the impact, and rows of a foot of a millionth of the mass cost four digits.
    np.testing.assert_allclose(found.matrix, wanted.matrix, rtol=0, atol=1e-8 * np.abs(wanted.matrix).max())


def test_what_makes_no_sense_is_refused() -> None:
    compiled, x = bounced()
    for call in (compiled.rollout, compiled.jacobians):
        with pytest.raises(StepperError, match=r"stepper is 'abm4'.*leave stepper out"):
            call(x, 1, 0.01, stepper="abm4")
        with pytest.raises(StepperError, match="cannot be run backwards; give dt > 0"):
            call(x, 1, -0.01)
    with pytest.raises(UnknownNameError, match="floor_closed"):
        compiled.jacobians(x, 1, 0.01, with_respect_to=("floor_closed",))
