"""Starting with many contacts closed: velocities that as many of them as can be allow, found on the rows as numbers.

For a few contacts the model of each mode that is tried tells (`friction_start`); for many there are too many of those.
"""

from collections.abc import Mapping

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError
from locomotor.simulation.events.collisions import rows_at
from locomotor.simulation.events.mode import Closed, Mode
from locomotor.simulation.events.modes import Modes
from locomotor.simulation.events.probe import Probe
from locomotor.simulation.events.slip import by_velocity
from locomotor.simulation.events.stances import stances_of
from locomotor.simulation.starts import SPEED_TOLERANCE, conditions_of, most_responsive
from locomotor.simulation.terrain import Footholds
from locomotor.typing import Floats, Vector

MANY_CLOSED = 12
"""From so many closed contacts on a start is found on their rows."""
DEPENDENT = 1e-9
"""Share of a row that others leave, below which it depends on them."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Linear conditions on velocities, that agree with each other: a v = b, as orthonormal rows and as given."""

    basis: Floats
    values: Floats
    rows: Floats
    right: Floats

    def also(self, rows: Floats, right: Floats, scale: float) -> "Wanted | None":
        """With more conditions; None where they contradict those there are."""
        basis, values = self.basis, self.values
        for a, b in zip(rows, right, strict=True):
            size, left, rest = float(np.linalg.norm(a)), a, b
            for _ in range(2):
                along = basis @ left
                left, rest = left - along @ basis, rest - along @ values
            remains = float(np.linalg.norm(left))
            if remains > DEPENDENT * size:
                basis, values = np.vstack([basis, left / remains]), np.append(values, rest / remains)
            elif abs(rest) > SPEED_TOLERANCE * scale:
                return None
        return Wanted(basis, values, np.vstack([self.rows, rows]), np.append(self.right, right))

    def solution(self) -> Floats:
        """Velocities with as few that move as it takes."""
        n = self.rows.shape[1]
        moving = most_responsive(self.rows)
        found = np.zeros(n)
        found[moving] = np.linalg.lstsq(self.rows[:, moving], self.right, rcond=None)[0]
        return found


def landed_on_rows(
    modes: Modes, closed: Closed, holds: Footholds, start: Mapping[str, float] | None, time: float, assemble: bool | str
) -> tuple[Mode, Vector, Footholds]:
    """Mode, state and footholds with contacts closed, that stick or roll where the velocities given allow it, else slip."""
    flight = modes.mode(frozenset(), time=time)
    p = modes.parameters_on(flight, holds)
    whole = Probe(flight, {}, p).whole(time, flight.start(start, time, p, assemble))
    rows = rows_at(modes, whole.q, holds, time)
    layout = modes.system.layout
    scale = max(1.0, float(np.abs(whole.v).max(initial=0.0)))
    own = layout.v[modes.system.joints[0].name]
    given = [i for i, symbol in enumerate(layout.velocities) if symbol.name in (start or {})]
    chosen = [i for i, name in enumerate(modes.names) if name in closed]
    slips = [i for i in chosen if modes.switching[i].law.slips]
    keeps = [rows.held, np.eye(layout.nv)[given]]
    normals = [rows.switching[i] if i not in slips else rows.switching[i][:1] for i in chosen]
    known = np.vstack(keeps)
    first = _none(layout.nv).also(known, known @ whole.v, scale)
    standing = None if first is None else first.also(np.vstack(normals), np.zeros(sum(map(len, normals))), scale)
    if standing is None:
        what = conditions_of(modes.system)
        raise InconsistentStartError(f"start: the velocities that are given contradict {what}; give fewer, or others")
    tangents = [rows.switching[i][1:] for i in slips]
    together = standing.also(np.vstack(tangents), np.zeros(sum(map(len, tangents))), scale) if tangents else standing
    if together is None:
        # What is not told of the root is zero, and as many as possible stick beside it.
        root = np.eye(layout.nv)[own]
        together = standing.also(root, root @ whole.v, scale) or standing
        for along in tangents:
            together = together.also(along, np.zeros(len(along)), scale) or together
    v = together.solution()
    slipping = by_velocity(modes, rows, closed, v)
    holds = holds.slipping(slipping)
    mode = modes.mode(closed, time=time, stances=stances_of(modes.switching, sorted(slipping), (), holds.sides))
    return mode, mode.state_of(whole.q, v, whole.own), holds


def _none(n: int) -> Wanted:
    return Wanted(np.zeros((0, n)), np.zeros(0), np.zeros((0, n)), np.zeros(0))
