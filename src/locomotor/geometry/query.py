"""Where a shape can touch a ground: candidates with gap, normal, points and frame, nearest first; and the least gap.

Two rules choose among the features. `complete` keeps every face, edge and vertex that can touch, so that a wheel may rest
on the road and against a kerb at once. `source` is that of Mauny 2018, section 4.2.2 and appendix D: one candidate for each
part of the shape, and any face before edges and vertices, however near they are.
"""

from __future__ import annotations

from dataclasses import field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from locomotor.dataclass import dataclass
from locomotor.errors import NotFiniteError, QuantityError, UnknownNameError
from locomotor.geometry.features import Surface, surface_of
from locomotor.geometry.pairs import search
from locomotor.geometry.shapes import Shape
from locomotor.lie import SE3
from locomotor.model import Plane, Terrain
from locomotor.model.contacts import RULES
from locomotor.names import suggestion
from locomotor.typing import Floats, Values

Ground = Plane | Terrain | Surface

KINDS = ("face", "edge", "vertex")
REACH = 0.1
"""Candidates up to this gap (m) are listed, and the nearest one in any case."""
DIGITS = 12
"""Decimal places to which gaps (m) are told apart when candidates are put in order."""
SAME_PLACE, SAME_NORMAL = 1e-7, 1e-6
"""Candidates of one part nearer to each other (m, rad) are one contact, found from both sides of a border."""


class Feature(NamedTuple):
    """A feature of a ground: its kind and number, and the part of the shape that it is for (see `Candidate.part`).

    Coplanar neighbours are one face, edges in one line one edge.
    """

    kind: str
    number: int
    part: int = 0


@dataclass(frozen=True, eq=False)
class Candidate:
    """A pair of pre-contact points, in the world."""

    feature: Feature
    part: int
    """Of the shape: end 0 or 1 of a capsule, 2 its side; of a box a corner, 0 to 7, an edge, 8 to 19, or a face; else 0."""
    gap: float
    """N . (C - C'), negative where shape and obstacle overlap; its rate is N . v(C)."""
    normal: Floats
    """N, unit, from the obstacle to the shape."""
    point: Floats
    """C, on the shape."""
    foot: Floats
    """C', on the obstacle."""
    heading: Floats = field(repr=False)

    @property
    def frame(self) -> Floats:
        """Contact frame with columns (N, T, B), B = N x T; T is the direction in which a wheel rolls."""
        tangent = self.heading - (self.heading @ self.normal) * self.normal
        tangent = tangent / np.linalg.norm(tangent)
        return np.column_stack((self.normal, tangent, np.cross(self.normal, tangent)))


def query(
    ground: Ground,
    shape: Shape,
    pose: SE3,
    *,
    reach: float = REACH,
    rule: str = "complete",
    values: Values | None = None,
    distinct: bool = True,
) -> tuple[Candidate, ...]:
    """Candidates of a shape on a body at a pose, nearest first: those with a gap up to `reach`, and the nearest at least.

    `values` are those of the parameters, where the ground is a plane that depends on some. Of those that are one contact, found
    from both sides of a border, only one is listed if they shall be `distinct`.
    """
    surface = as_surface(ground, values)
    rotations, translations = _poses(pose.rotation, pose.translation)
    found = search(surface, shape, rotations, translations, _checked_reach(reach), _checked_rule(rule))
    gap, kind = found.hits.gap, found.kind
    listed = gap <= max(reach, float(gap.min()))
    order = np.lexsort((kind, np.round(gap, DIGITS)))  # of equal ones the face first, whatever the rounding
    candidates: list[Candidate] = []
    for i in order[listed[order]].tolist():
        normal, foot = found.hits.normal[i], found.hits.foot[i]
        part = int(found.part[i])
        if any(other.part == part and (rule == "source" or (distinct and _same(other, normal, foot))) for other in candidates):
            continue
        feature = Feature(KINDS[kind[i]], found.feature(surface, i), part)
        heading = shape.heading_in(pose, normal)
        candidates.append(Candidate(feature, part, float(gap[i]), normal, found.hits.point[i], foot, heading))
    return tuple(candidates)


def _same(other: Candidate, normal: Floats, foot: Floats) -> bool:
    """Whether a candidate is one already listed."""
    return float(np.abs(other.foot - foot).max()) <= SAME_PLACE and float(np.abs(other.normal - normal).max()) <= SAME_NORMAL


def gap(ground: Ground, shape: Shape, pose: SE3, *, rule: str = "complete", values: Values | None = None) -> float:
    """The least gap (m) of a shape on a body at a pose: defined everywhere, negative where they overlap."""
    return float(gaps(ground, shape, *_poses(pose.rotation, pose.translation), rule=rule, values=values)[0])


def gaps(
    ground: Ground,
    shape: Shape,
    rotations: ArrayLike,
    translations: ArrayLike,
    *,
    rule: str = "complete",
    values: Values | None = None,
) -> Floats:
    """The least gaps of a shape at n poses of its body: rotations n x 3 x 3, translations n x 3."""
    R, p = _poses(rotations, translations)
    found = search(as_surface(ground, values), shape, R, p, -np.inf, _checked_rule(rule))
    least = np.full(len(R), np.inf)
    np.minimum.at(least, found.owner, found.hits.gap)
    return least


# --- reading ------------------------------------------------------------------------------------------------


def as_surface(ground: Ground, values: Values | None = None) -> Surface:
    """A ground made ready, if it is not already."""
    return ground if isinstance(ground, Surface) else surface_of(ground, values)


def _poses(rotations: ArrayLike, translations: ArrayLike) -> tuple[Floats, Floats]:
    R, p = np.asarray(rotations, dtype=float), np.asarray(translations, dtype=float)
    R, p = R.reshape(-1, 3, 3), p.reshape(-1, 3)
    if len(R) != len(p):
        raise QuantityError(f"there are {len(R)} rotations and {len(p)} translations; give as many of both")
    if not (np.isfinite(R).all() and np.isfinite(p).all()):
        raise NotFiniteError("a pose is not finite: the motion has blown up before its gap was asked for")
    return R, p


def _checked_rule(rule: str) -> str:
    if rule not in RULES:
        raise UnknownNameError(f"no rule for contacts is named {rule!r}: {suggestion(rule, RULES)}")
    return rule


def _checked_reach(reach: float) -> float:
    if not reach >= 0.0:
        raise QuantityError(f"the reach is {reach!r} m; give a number that is not negative")
    return float(reach)
