"""The forces that contacts may have at one state, as a problem on plain matrices: u = W r + q."""

from collections.abc import Collection
from typing import NamedTuple

from locomotor.errors import ContactLawError
from locomotor.lie import ops
from locomotor.model import System
from locomotor.tracing.contacts.switching import FlyingSystem, SwitchingRows, in_flight, rows_of
from locomotor.tracing.core import Field, Port, Traced


class ContactProblem(NamedTuple):
    """The forces that contacts may have, as a function of the arguments of the system in flight.

    Outputs: `delassus` W, row by row; `acceleration` q of the rows without forces; `velocity` of the rows; `gap` of each
    contact.
    """

    flight: FlyingSystem
    function: Traced
    sizes: tuple[int, ...]
    """How many rows each contact that may open has: the normal first, those along the ground, rolling if that is resisted."""
    spins: tuple[bool, ...]
    """Whether the last along the ground is the turning of a patch."""
    rolling: tuple[int, ...]
    """How many of the rows are rolling."""


def contact_problem(
    system: System, free: tuple[str, ...] = (), *, rolling: bool = True, turning: Collection[str] = ()
) -> ContactProblem:
    """The problem of the contacts of a system that may open.

    `free` parameters are arguments; the normals of contacts in `turning` may be anything. Without `rolling` there are no rows
    of it, whether it is resisted or not.
    """
    flight = in_flight(system, free, ())
    motion = flight.motion
    rows = rows_of(motion, flight.switching, system.parameters.values, turning)
    for row in rows:
        if row.law.adheres:
            raise ContactLawError(
                f"contact {row.entry.name!r} may pull, which reports of contacts do not know; give it the law Unilateral"
            )
    turns = tuple(row.rolling if rolling else 0 for row in rows)
    sizes = tuple(int(row.rows.shape[0]) - row.rolling + kept for row, kept in zip(rows, turns, strict=True))
    names = [f"{row.entry.name}_{k}" for row, size in zip(rows, sizes, strict=True) for k in range(size)]
    C = ops.block([[row.rows[:size, :]] for row, size in zip(rows, sizes, strict=True)])
    reduced = C @ motion.H_r
    W = reduced @ ops.solve_spd(motion.reduced_mass, reduced.T)
    q = reduced @ motion.v_r_dot + ops.concat(*(row.bias[:size] for row, size in zip(rows, sizes, strict=True)))
    each = [row.entry.name for row in rows]
    outputs = [
        (Port("delassus", tuple(Field(f"{a}_{b}", "") for a in names for b in names)), W),
        (Port("acceleration", tuple(Field(name, "m/s^2") for name in names)), q),
        (Port("velocity", tuple(Field(name, "m/s") for name in names)), C @ motion.v),
        (Port("gap", tuple(Field(name, "m") for name in each)), ops.vector(*(row.gap for row in rows))),
    ]
    function = flight.build("contacts", outputs, "contacts that may open: W, and accelerations without forces")
    return ContactProblem(flight, function, sizes, tuple(row.spins for row in rows), turns)


def _plain(rows: list[SwitchingRows]) -> list[SwitchingRows]:
    """The rows, of contacts that roll freely."""
    for row in rows:
        if row.rolling:
            raise ContactLawError(
                f"contact {row.entry.name!r} resists rolling, which reports of contacts do not know; leave `rolling` out of "
                "its law"
            )
    return rows


def support_rows(system: System) -> tuple[FlyingSystem, Traced, tuple[int, ...]]:
    """The system in flight, a function of its arguments, and how many rows each contact has.

    Outputs: its masses, the rows of its contacts over its velocities, and their gaps.
    """
    flight = in_flight(system, (), ())
    motion = flight.motion
    rows = _plain(rows_of(motion, flight.switching, system.parameters.values))
    sizes = tuple(int(row.rows.shape[0]) for row in rows)
    C = ops.block([[row.rows] for row in rows]) @ motion.H_r
    n = int(motion.reduced_mass.shape[0])
    outputs = [
        (Port("mass", tuple(Field(f"{a}_{b}") for a in range(n) for b in range(n)), (n, n)), motion.reduced_mass),
        (Port("rows", tuple(Field(f"{a}_{b}") for a in range(sum(sizes)) for b in range(n)), (sum(sizes), n)), C),
        (Port("gap", tuple(Field(row.entry.name, "m") for row in rows)), ops.vector(*(row.gap for row in rows))),
    ]
    return flight, flight.build("support", outputs, "masses and rows of contacts that may open"), sizes
