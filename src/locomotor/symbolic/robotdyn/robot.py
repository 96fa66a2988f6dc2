"""A robot as RobotDyn describes it: segments by Denavit-Hartenberg parameters with a parent each, and their masses.

F. Génot, PhD thesis (1998), appendix D. Quantities are expressions of names; coordinates are q1, q2, ... A segment's frame sits
at its end, and its centre and inertia are given there: A = Rot_z(theta) Trans(a cos theta, a sin theta, d) Rot_x(alpha), the
distal convention of Spong and Vidyasagar.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.model.expressions import evaluate, free_names
from locomotor.names import TIME

COORDINATE = re.compile(r"q([1-9]\d*)")
REVOLUTE, PRISMATIC = "REVOLUTE", "PRISMATIC"
KINDS = (REVOLUTE, PRISMATIC)


@dataclass(frozen=True)
class Segment:
    """One segment, or an extremity without mass: the parent's number is `ref`, 0 for the base."""

    alpha: Any
    theta: Any
    d: Any
    a: Any
    ref: int
    kind: str = REVOLUTE
    mass: Any = 0.0
    centre: tuple[Any, Any, Any] = (0.0, 0.0, 0.0)
    inertia: tuple[tuple[Any, ...], ...] = ((0.0,) * 3,) * 3

    @property
    def variable(self) -> Any:
        """The quantity that holds the coordinate of the joint."""
        return self.theta if self.kind == REVOLUTE else self.d


@dataclass(frozen=True)
class Robot:
    """Segments in order, the base, and minus the acceleration of free fall; `extremities` are further points on segments."""

    name: str
    coordinates: int
    segments: tuple[Segment, ...]
    base: tuple[Any, Any, Any] = (0.0, 0.0, 0.0)
    gravity: tuple[Any, Any, Any] = (0.0, 0.0, 0.0)
    extremities: tuple[Segment, ...] = ()
    export: bool = field(default=False, compare=False)
    """Whether the files asked for Fortran and Scilab."""

    def __post_init__(self) -> None:
        """Parents come before their children, and every coordinate moves something."""
        for number, segment in enumerate((*self.segments, *self.extremities), 1):
            what = f"robot {self.name!r}: segment {number}"
            last = min(number - 1, len(self.segments))
            if not 0 <= segment.ref <= last:
                raise ModelError(
                    f"{what}: ref_{number} is {segment.ref}; give 0 for the base, or a segment before it, up to {last}"
                )
            if segment.kind not in KINDS:
                raise ModelError(f"{what}: type_{number} is {segment.kind!r}; give 'REVOLUTE' or 'PRISMATIC'")
            for i, j in ((0, 1), (0, 2), (1, 2)):
                if not _same(segment.inertia[i][j], segment.inertia[j][i]):
                    raise ModelError(
                        f"{what}: I_{number} is not symmetric: {segment.inertia[i][j]} in row {i + 1}, column {j + 1}, and "
                        f"{segment.inertia[j][i]} across the diagonal; give the same"
                    )
        beyond = {k for k in self._used() if k > self.coordinates}
        if beyond:
            raise ModelError(f"robot {self.name!r}: q[{min(beyond)}] is used, and NDDL is {self.coordinates}; raise NDDL")
        missing = set(range(1, self.coordinates + 1)) - self._used()
        if missing:
            names = ", ".join(f"q[{k}]" for k in sorted(missing))
            raise ModelError(f"robot {self.name!r}: {names} moves nothing; lower NDDL, or use it in a segment or in base")

    def _used(self) -> set[int]:
        return {int(match[1]) for name in self._names() if (match := COORDINATE.fullmatch(name))}

    def _names(self) -> Iterator[str]:
        for segment in (*self.segments, *self.extremities):
            yield from free_names((segment.alpha, segment.theta, segment.d, segment.a))
            yield from free_names((segment.mass, segment.centre, segment.inertia))
        yield from free_names((self.base, self.gravity))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names that are neither coordinates nor time, in order of appearance by kind and alphabet."""
        return tuple(sorted({n for n in self._names() if not COORDINATE.fullmatch(n) and n not in (TIME, "pi")}))

    # -- the names RobotDyn leaves behind, by kind ------------------------------------------------------------------------

    @property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """Names of variable masses, lengths, inertias and components of gravity: `liste_masse` and so on."""
        kinds = {
            "liste_masse": [s.mass for s in self.segments],
            "liste_longueur": [x for s in (*self.segments, *self.extremities) for x in (s.a, s.d, s.alpha, s.theta)],
            "liste_inertie": [s.inertia for s in self.segments],
            "liste_gravite": [self.gravity],
        }
        known = set(self.parameters)
        return {kind: tuple(sorted({n for v in values for n in free_names(v)} & known)) for kind, values in kinds.items()}


def _same(a: Any, b: Any) -> bool:
    """Whether two quantities are equal: as they are written, or at odd values of their names."""
    if a == b:
        return True
    values = {name: math.sin(12.9898 * k) + 2.0 for k, name in enumerate(sorted(free_names((a, b))), 1)}
    return math.isclose(float(evaluate(a, values)), float(evaluate(b, values)), rel_tol=1e-12)
