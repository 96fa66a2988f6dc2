"""Self-checks: random states and what the reference computes there, as numbers that every language can read."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import NumericsError
from locomotor.exports.model import Model
from locomotor.tracing import rk4_map
from locomotor.typing import Floats

TOLERANCE = 1e-12
"""Largest difference, relative to the largest entry of a result, or to one where that is smaller."""
ANGLE, VELOCITY, INPUT, CHANGE = 0.4, 1.5, 1.0, 0.1
"""Random states: coordinates and angles about the start, velocities, inputs; parameters change by this part."""
STEP = 0.01
"""Length of the step that is checked (s), up to a random factor."""
NEARER = (1.0, 0.1, 0.01, 1e-3)
"""Shares of these numbers and of the step that are tried in turn: light, stiff and fast systems move in a small room only."""
ROUNDS = 20
"""Draws with each share."""
REGULAR = 1e-3
"""States at which a pivot is smaller are left out: round-off grows with its inverse."""
ROUNDED, SHARE, TIMES = 2e-16, 0.1, 3
"""How far numbers of a state are moved, in random directions, to see how round-off grows, the part of the
tolerance that it may fill, and how often: one direction alone may by chance be one in which it does not grow."""


@dataclass(frozen=True, eq=False)
class Cases:
    """Arguments and expected results by name, one row a case, in the order in which they stand in the file."""

    arguments: Mapping[str, Floats]
    expected: Mapping[str, Floats]

    def __len__(self) -> int:
        return len(self.arguments["time"])

    @property
    def text(self) -> str:
        """One line a case: time, state, inputs, parameters, step, then every result; decimals that are read back exactly."""
        table = np.hstack([*self.arguments.values(), *self.expected.values()])
        return "".join(" ".join(map(repr, row)) + "\n" for row in table.tolist())


def draw_cases(model: Model, count: int, seed: int = 0) -> Cases:
    """Random states about the start at which everything is finite and regular, and the reference's results."""
    rng = np.random.default_rng(seed)
    kept: list[Cases] = []
    found = 0
    for share in np.repeat(NEARER, ROUNDS):
        if found >= count:
            break
        drawn = _evaluate(model, _draw(model, max(2 * (count - found), 8), rng, share))
        good = _regular(drawn) & _steady(model, drawn, rng)
        kept.append(_rows(drawn, good))
        found += int(good.sum())
    if found < count:
        raise NumericsError(
            f"{model.title}: only {found} of {count} random states are regular, where the self-check needs {count}; "
            "give a start around which the system moves freely"
        )
    joined = _joined(kept)
    return _rows(joined, np.arange(len(joined)) < count)


def _draw(model: Model, count: int, rng: np.random.Generator, share: float) -> dict[str, Floats]:
    nq = model.system.nq
    nx, nd = model.state.size, model.manifold.tangent_size
    delta = np.zeros((count, nd))
    velocities = nx - nq
    delta[:, : nd - velocities] = rng.uniform(-ANGLE, ANGLE, (count, nd - velocities))
    delta[:, nd - velocities :] = rng.uniform(-VELOCITY, VELOCITY, (count, velocities))
    state = model.manifold.normalise(model.manifold.retract(np.tile(model.start, (count, 1)), share * delta))
    inputs = share * rng.uniform(-INPUT, INPUT, (count, model.inputs.size))
    parameters = model.defaults * (1.0 + rng.uniform(-CHANGE, CHANGE, (count, model.parameters.size)))
    step = share * STEP * rng.uniform(0.5, 1.0, (count, 1))
    return {"time": rng.uniform(0.0, 2.0, (count, 1)), "state": state, "inputs": inputs, "parameters": parameters, "step": step}


def _evaluate(model: Model, arguments: dict[str, Floats]) -> Cases:
    """Results of the reference: CasADi's own evaluation of the traced functions, and the library's Runge-Kutta step."""
    four = [arguments[name] for name in ("time", "state", "inputs", "parameters")]
    count = len(four[0])
    (tangent,) = model.tangent.traced.evaluate(four, count)
    expected = {"rate": model.manifold.ambient_rate(arguments["state"], tangent)}
    stepper = rk4_map(model.system.dynamics, model.manifold)
    expected["next"] = stepper.evaluate([*four, arguments["step"]], count)[0]
    for function in model.read:
        expected[function.name] = function.traced.evaluate(four, count)[0]
    return Cases(arguments, expected)


def _regular(cases: Cases) -> np.ndarray:
    good = np.ones(len(cases), dtype=bool)
    for values in cases.expected.values():
        good &= np.isfinite(values).all(axis=1)
    margins = cases.expected.get("margins")
    return good if margins is None else good & (margins > REGULAR).all(axis=1)


def _steady(model: Model, cases: Cases, rng: np.random.Generator) -> np.ndarray:
    """Where the last digits of a state change no result by a good part of the tolerance, which no language could keep then."""
    state, good = cases.arguments["state"], np.ones(len(cases), dtype=bool)
    for _ in range(TIMES):
        moved = state + ROUNDED * np.maximum(np.abs(state), 1.0) * rng.choice((-1.0, 1.0), state.shape)
        others = _evaluate(model, {**cases.arguments, "state": moved}).expected
        for name, values in cases.expected.items():
            scale = np.maximum(np.abs(values).max(axis=1, initial=0.0), 1.0)
            with np.errstate(invalid="ignore"):
                good &= np.abs(others[name] - values).max(axis=1, initial=0.0) <= SHARE * TOLERANCE * scale
    return good


def _rows(cases: Cases, which: np.ndarray) -> Cases:
    return Cases(
        {name: values[which] for name, values in cases.arguments.items()},
        {name: values[which] for name, values in cases.expected.items()},
    )


def _joined(parts: list[Cases]) -> Cases:
    def stack(tables: list[Mapping[str, Floats]]) -> dict[str, Floats]:
        return {name: np.vstack([table[name] for table in tables]) for name in tables[0]}

    return Cases(stack([part.arguments for part in parts]), stack([part.expected for part in parts]))
