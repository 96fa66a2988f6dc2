"""Rows of the constraints that were chosen to determine velocities, as a function of the state."""

from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem


def dependent_rows(traced: TracedSystem) -> Traced:
    """C v = b, the rows that have a pivot, in the order of elimination, over all velocities."""
    constraints, velocities = traced.motion.constraints, traced.system.layout.velocities
    rows = [row for row, _ in traced.reduction.pivots.steps]
    fields = tuple(Field(f"{constraints.labels[row]} by {symbol.name}", "") for row in rows for symbol in velocities)
    matrix = constraints.matrix[rows, :]
    return traced.build(
        "dependent_rows",
        [(Port("rows", fields, (len(rows), len(velocities))), matrix)],
        "rows of the constraints that determine velocities",
    )


def row_labels(traced: TracedSystem) -> list[str]:
    """Names of these rows."""
    return [traced.motion.constraints.labels[row] for row, _ in traced.reduction.pivots.steps]
