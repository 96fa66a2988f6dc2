"""How the rate of a state changes with the state: the matrices of implicit steps, without their zeros.

With B(x) the derivative of a state along its tangent, the slopes of a rate f(t, x, u, p) are A = df/dx B(x): both sides are
tangent vectors, three numbers for each quaternion. Where a row depends on the turning of a quaternion at all, it has entries
for all three of its numbers, so that a rotation of them stays within the pattern.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi
import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.lie import Manifold
from locomotor.tracing.core.derivatives import tangent_basis
from locomotor.tracing.core.signature import Field, Port
from locomotor.tracing.core.traced import Traced, derivative_of
from locomotor.typing import Flags, Floats

LONG = 20_000
"""Operations of all slopes, as estimated, above which they are computed column by column: less to compile, as much to run."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """Entries of the slopes of a rate, row by row, and a function for them.

    `function` has the inputs of the rate and gives all entries; or, where there are `colours`, it takes a tangent `direction`
    besides and gives the change of the rate along it: along the sum of all columns of one colour, which share no row.
    """

    function: Traced
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    colours: tuple[int, ...] = ()
    """For each column its colour, from 0 on."""

    def matrices(self, evaluate: Callable[..., Floats], size: int) -> Floats:
        """Matrices (batch, size, size); `evaluate` calls the function (batch, ...), with a direction if it takes one."""
        rows, columns = (np.array(places, dtype=int) for places in (self.rows, self.columns))
        if not self.colours:
            entries = evaluate()
            found = np.zeros((len(entries), size, size))
            found[:, rows, columns] = entries
            return found
        colours = np.array(self.colours)
        changes = [evaluate((colours == colour).astype(float)) for colour in range(max(self.colours) + 1)]
        found = np.zeros((len(changes[0]), size, size))
        for colour, change in enumerate(changes):
            of = colours[columns] == colour
            found[:, rows[of], columns[of]] = change[:, rows[of]]
        return found


def slopes_of(dynamics: Traced, manifold: Manifold, longest: int | None = None) -> Slopes:
    """The slopes of the first output of a dynamics by its state, which lives on the manifold."""
    if dynamics.slopes is not None:
        found: Slopes = dynamics.slopes(manifold)
        return found
    if dynamics.calls:
        raise ArgumentError(
            f"{dynamics.name}: it calls {dynamics.calls[0].name}, which has no derivatives; take explicit steps"
        )
    function, at = dynamics.differentiable, dynamics.input("state")
    pattern = _pattern(function, at, manifold)
    rows, columns = (tuple(int(k) for k in places) for places in np.nonzero(pattern))
    symbols = [casadi.SX.sym(port.name, port.size) for port in dynamics.inputs]
    x, rate = symbols[at], function.call(symbols)[0]
    basis = tangent_basis(manifold, x)
    inputs = list(zip(dynamics.inputs, symbols, strict=True))
    n = manifold.tangent_size
    colours = colours_of(pattern)
    if (max(colours, default=-1) + 1) * dynamics.operations > (LONG if longest is None else longest):
        d = casadi.SX.sym("direction", n)
        along = casadi.jtimes(rate, x, basis @ d)
        port = Port("direction", tuple(Field(f"direction_{k}") for k in range(n)))
        change = Port("change", tuple(Field(f"change_{k}") for k in range(n)))
        traced = Traced.build(f"{dynamics.name}_along", [*inputs, (port, d)], [(change, along)], "change of the rate")
        return Slopes(traced, rows, columns, colours)
    matrix = derivative_of(dynamics, symbols, 0, at) @ basis
    entries = [matrix[i, j] for i, j in zip(rows, columns, strict=True)]
    port = Port("slopes", tuple(Field(f"slope_{i}_{j}") for i, j in zip(rows, columns, strict=True)))
    values = casadi.vertcat(*entries) if entries else casadi.SX(0, 1)
    return Slopes(Traced.build(f"{dynamics.name}_slopes", inputs, [(port, values)], "slopes of the rate"), rows, columns)


def _pattern(function: casadi.Function, at: int, manifold: Manifold) -> Flags:
    """Where the slopes may have entries (tangent, tangent)."""
    by_state = _flags(function.jac_sparsity(0, at))
    x = casadi.SX.sym("x", manifold.size)
    pattern = (by_state.astype(int) @ _flags(tangent_basis(manifold, x).sparsity()).astype(int)) > 0
    for turning, _, d in manifold.slices():
        if turning:
            pattern[:, d] = pattern[:, d].any(axis=1, keepdims=True)
    return np.asarray(pattern)


def _flags(sparsity: casadi.Sparsity) -> Flags:
    found = np.zeros(sparsity.size(), dtype=bool)
    found[tuple(np.array(places, dtype=int) for places in sparsity.get_triplet())] = True
    return found


def colours_of(pattern: Flags) -> tuple[int, ...]:
    """Columns that share no row get the same colour, from the left."""
    taken: list[Flags] = []
    found = []
    for column in pattern.T:
        colour = next((k for k, rows in enumerate(taken) if not (rows & column).any()), len(taken))
        if colour == len(taken):
            taken.append(np.zeros(len(pattern), dtype=bool))
        taken[colour] |= column
        found.append(colour)
    return tuple(found)
