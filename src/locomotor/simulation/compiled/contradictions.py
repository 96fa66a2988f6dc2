"""Batches whose constraints contradict each other on the way: instances end there, where a run is called incompatible.

Rows that others imply are left out of the equations of motion. Right-hand sides and imposed motions may ask of such a row what
the others do not give: its blocked velocity is no longer zero, which nothing else would notice.
"""

from locomotor.model import Ends, Expression, parse
from locomotor.simulation.status import HOLLOW, LOST_TOUCH, NARROW
from locomotor.tracing import TracedSystem

SLIP = {"float64": 1e-5, "float32": 1e-2}
"""A blocked velocity above this, relative to the fastest and at least to 1 (m/s, rad/s), is no error of steps."""
WHY = "it is violated; imposed motions contradict the constraints, or right-hand sides each other: make them agree"


def crowding(traced: TracedSystem) -> Ends:
    """For each ball on a surface: what becomes negative when it comes into a hollow that it does not fit into."""
    if traced.roundness is None:
        return ()
    contacts = [name.removesuffix("_roundness") for name in traced.roundness.outputs[0].names]
    return tuple((f"the ball of contact {name!r} {HOLLOW}", _fits(name)) for name in contacts)


def _fits(contact: str) -> Expression:
    off = f"{LOST_TOUCH!r} - abs({contact}_gap)"
    return parse(f"min({contact}_roundness, if_else({contact}_roundness < {NARROW!r}, {off}, 1))")


def contradictions(traced: TracedSystem, precision: str = "float64") -> Ends:
    """For each row that is left out, where something is driven: what becomes negative when the others violate it."""
    if not traced.reduction.pivots.redundant_rows or traced.motion.driven is None:
        return ()
    names = traced.slips.outputs[0].names
    speeds = " + ".join(f"{symbol.name}**2" for symbol in traced.system.layout.velocities)
    return tuple(
        (
            f"{names[row].removesuffix('_slip')}: {WHY}",
            _margin(names[row], speeds, SLIP[precision]),
        )
        for row in traced.reduction.pivots.redundant_rows
        if row < len(names)
    )


def _margin(slip: str, speeds: str, limit: float) -> Expression:
    return parse(f"{limit**2!r}*(1 + {speeds}) - {slip}**2")
