"""Events of contacts on terrain along an integrated motion: parts of the terrain that are entered, supports that end.

After some steps the places of the bodies are known. Stretches of them are left out where nothing can happen: where no triangle
is within reach, or only those of the flat piece that a contact stands on, away from its edges. The rest is looked up sample
by sample, all at once, and an event is then located within its step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np

from locomotor.codegen import TerrainWatch, Told
from locomotor.dataclass import dataclass
from locomotor.geometry import KINDS, Candidate, Feature, Found, Surface, cross, part_of, search, triangles_near
from locomotor.lie import SE3
from locomotor.simulation.roots import root_between
from locomotor.simulation.terrain.chords import ends_along, is_rim, other_end
from locomotor.simulation.terrain.footholds import SAME_NORMAL, SAME_PLACE, Footholds, Place, place_of
from locomotor.simulation.terrain.footing import REACH, Rough
from locomotor.typing import Flags, Integers, Vector

PARTS = 32
"""More parts than any shape has."""
WHAT = ("touch", "graze", "end")
"""Kinds of events, as machine code numbers them."""
STRETCH = 64
"""Samples that are looked up together at least."""
TOUCH = 1e-13
"""A gap is negative when it is below zero by more than this (m)."""
SEAM = 1e-12
"""Triangles of one flat piece are taken to overlap by this (m): on the line between two of them nothing ends."""
SAME_END = 0.1
"""Share of its size by which no contact point of a body moves in a small part of a step."""
INSTANT = 1e-13
"""To which the end of a support is located (s)."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A part of the terrain that a contact enters (or may enter and leave) by a sample, or leaves."""

    sample: int
    rough: Rough
    feature: Feature
    what: str
    """ "touch", "graze" or "end"."""


def entries(holds: Footholds, rough: Rough, rows: Vector, lengths: Vector) -> list[Entry]:
    """The first events of a contact among samples of the place of its body (see `tracing.contacts.places`).

    `lengths` are those of the steps between them.

    Whether the contact takes part then (`Unilateral.when`) is not asked here.
    """
    watch, known = _watch_of(rough), holds.stands_on(rough)
    if watch is not None:
        events = _first(watch, holds, rough, known, rows, lengths)
        end = events[0].sample + 1 if events else len(rows)  # what chords do after that does not matter
        return _earliest([*events, *_of_chords(holds, rough, known, rows[:end], lengths[: end - 1])])
    centres = rows[:, 9:12] + rows[:, 0:9].reshape(-1, 3, 3) @ rough.shape.centre
    # How far any of its points comes in a step: what is farther away cannot be met between two samples.
    speed = np.sqrt((rows[:, 12:15] ** 2).sum(axis=1)) + rough.shape.size * np.sqrt((rows[:, 15:18] ** 2).sum(axis=1))
    reach = REACH + float(lengths.max() * speed.max())
    for first, last, surface in _stretches(holds, rough, centres, reach):
        some, between = rows[first : last + 1], lengths[first:last]
        found = _look(rough, surface, some, reach)
        events = [*_ends(holds, rough, found, known), *_touches(holds, rough, found, known, some, between)]
        events += _of_chords(holds, rough, known, some, between)
        if events:
            return [Entry(first + e.sample, rough, e.feature, e.what) for e in _earliest(events)]
    return []


def _earliest(events: list[Entry]) -> list[Entry]:
    """Those of the first sample."""
    earliest = min((event.sample for event in events), default=0)
    return [event for event in events if event.sample == earliest]


@lru_cache(maxsize=256)
def _watch_of(rough: Rough) -> TerrainWatch | None:
    """What looks for events in machine code; None where Python does."""
    if rough.search is None:
        return None
    surface, shape = rough.surface, rough.shape
    groups, same = (surface.faces.patch, surface.edges.chain), (TOUCH, SAME_PLACE, SAME_NORMAL)
    return TerrainWatch(rough.search, Told(*groups, PARTS, shape.centre, shape.size, REACH, *same))


def _first(
    watch: TerrainWatch, holds: Footholds, rough: Rough, known: dict[Feature, str], rows: Vector, lengths: Vector
) -> list[Entry]:
    """What `_ends` and `_touches` find first, by machine code, which leaves out the same stretches."""
    ends = {_code_of(feature): _is_searched(holds, known, feature) for feature in known}
    levels = {_code_of(feature): level for feature, level in holds.levels_of(rough).items()}
    pieces = _flat_pieces(rough, known)
    flat = None if pieces is None or len(pieces) > 1 else next(iter(pieces), -1)
    sample, found = watch(rows, lengths, ends, levels, flat, rough.contact.law.is_gated)
    return [Entry(sample, rough, _feature(code), WHAT[what]) for code, what in found]


def _flat_pieces(rough: Rough, known: dict[Feature, str]) -> set[int] | None:
    """Flat pieces that a contact stands on, where it stands on nothing else; None where it must be looked at."""
    # A body that stands with one part may come down on the same flat piece with another.
    lone = rough.shape.parts == 1 or not known
    return {feature.number for feature in known} if lone and all(f.kind == "face" for f in known) else None


def _stretches(holds: Footholds, rough: Rough, centres: Vector, hop: float) -> Iterator[tuple[int, int, Surface]]:
    """First and last samples of stretches where something may happen, and what of the terrain is near."""
    flat = _flat_pieces(rough, holds.stands_on(rough))
    pending = [(0, len(centres) - 1)]
    while pending:
        first, last = pending.pop()
        if first >= last:
            continue
        middle = centres[(first + last) // 2]
        way = float(np.sqrt(((centres[first : last + 1] - middle) ** 2).sum(axis=1).max()))
        reach = rough.shape.size + way + hop
        triangles = triangles_near(rough.surface, middle, reach)
        if _nothing_there(rough, triangles, middle, reach, flat):
            continue
        if last - first > STRETCH:
            half = (first + last) // 2
            pending += [(half, last), (first, half)]
            continue
        whole = len(rough.surface.tree.levels) == 1 or rough.rule == "source"
        yield first, last, rough.surface if whole else part_of(rough.surface, triangles)


def _nothing_there(rough: Rough, triangles: Integers, middle: Vector, reach: float, flat: set[int] | None) -> bool:
    """Whether there is nothing near but the flat piece that a contact stands on, far from its edges."""
    surface = rough.surface
    if flat is None:
        return False
    if not flat:
        boxes = surface.faces.corners[triangles]
        outside = np.maximum(np.maximum(boxes.min(axis=1) - middle, middle - boxes.max(axis=1)), 0.0)
        return bool((np.einsum("ij,ij->i", outside, outside) > reach * reach).all())
    if len(flat) > 1 or not (surface.faces.patch[triangles] == next(iter(flat))).all():
        return False
    return not _edge_near(surface, triangles, middle, reach)


def _edge_near(surface: Surface, triangles: Integers, middle: Vector, reach: float) -> bool:
    """Whether an edge that can be touched is within reach of a point."""
    number = surface.edge_of[triangles]
    number = number[number >= 0]
    if not number.size:
        return False
    start, direction = surface.edges.start[number], surface.edges.direction[number]
    along = np.clip(np.einsum("ij,ij->i", middle - start, direction), 0.0, surface.edges.length[number])
    w = middle - start - along[:, None] * direction
    return bool((np.einsum("ij,ij->i", w, w) <= reach * reach).any())


# -- samples --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Look:
    """Hits at all samples of a stretch, the features as numbers."""

    found: Found
    feature: Integers
    count: int


def _look(rough: Rough, surface: Surface, rows: Vector, reach: float) -> _Look:
    found = search(surface, rough.shape, *_poses(rows), reach, rough.rule)
    if rough.rule == "source":
        order = np.lexsort((found.kind, found.hits.gap, found.part, found.owner))
        each = found.owner * rough.shape.parts + found.part
        found = found.take(order[np.diff(each[order], prepend=-1) > 0])
    number = found.hits.number.copy()
    for kind, table in ((0, surface.faces.patch), (1, surface.edges.chain)):
        chosen = found.kind == kind
        number[chosen] = table[number[chosen]]
    return _Look(found, _code(number, found.part, found.kind), len(rows))


def _code(number: Any, part: Any, kind: Any) -> Any:
    return (number * PARTS + part) * len(KINDS) + kind


def _code_of(feature: Feature) -> int:
    return int(_code(feature.number, feature.part, KINDS.index(feature.kind)))


def _feature(code: int) -> Feature:
    rest, kind = divmod(int(code), len(KINDS))
    return Feature(KINDS[kind], *divmod(rest, PARTS))


def _is_searched(holds: Footholds, known: dict[Feature, str], feature: Feature) -> bool:
    """Whether a support ends where a search no longer finds it.

    What lies on its side has no lowest point: its face ends where the force comes to its border. Ends of chords know theirs.
    """
    return holds.sides.get(known[feature]) != () and not _is_chord(holds, known, feature)


def _is_chord(holds: Footholds, known: dict[Feature, str], feature: Feature) -> bool:
    """Whether a disc stands with both ends of a chord on an edge."""
    return is_rim(holds.footings[known[feature]]) and other_end(feature) in known


def _ends(holds: Footholds, rough: Rough, look: _Look, known: dict[Feature, str]) -> Iterator[Entry]:
    """Supports that a contact no longer stands on."""
    for feature in known:
        if _is_searched(holds, known, feature):
            there = np.zeros(look.count, dtype=bool)
            there[look.found.owner[look.feature == _code_of(feature)]] = True
            yield from _gone(rough, feature, there)


def _of_chords(holds: Footholds, rough: Rough, known: dict[Feature, str], rows: Vector, lengths: Vector) -> list[Entry]:
    """Events of discs that stand on edges with the ends of chords."""
    if not any(is_rim(holds.footings[slot]) for slot in known.values()):
        return []
    return [*_ends_of_chords(holds, rough, known, rows), *_other_ends(holds, rough, known, rows, lengths)]


def _ends_of_chords(holds: Footholds, rough: Rough, known: dict[Feature, str], rows: Vector) -> Iterator[Entry]:
    """Ends of chords that a disc no longer stands on."""
    for feature, slot in known.items():
        if holds.sides.get(slot) != () and _is_chord(holds, known, feature):
            there = ends_along(holds.footings[slot], _poses(rows), place_of(rows[0]).pose, False).there
            yield from _gone(rough, feature, there)


def _gone(rough: Rough, feature: Feature, there: Flags) -> Iterator[Entry]:
    gone = np.flatnonzero(~there[1:])
    if gone.size:
        yield Entry(int(gone[0]) + 1, rough, feature, "end")


def _touches(
    holds: Footholds, rough: Rough, look: _Look, known: dict[Feature, str], rows: Vector, lengths: Vector
) -> Iterator[Entry]:
    """Parts of the terrain that are entered by some sample, or perhaps between two."""
    hits, owner = look.found.hits, look.found.owner
    for code in np.unique(look.feature).tolist():
        feature = _feature(code)
        if feature in known:
            continue
        mine = np.flatnonzero(look.feature == code)
        mine = mine[np.argsort(owner[mine], kind="stable")]
        mine = mine[np.diff(owner[mine], prepend=-1) > 0]  # one hit a sample is enough: coplanar triangles have the same gap
        mine = mine[~_is_border(look, mine, known)]
        if not mine.size:
            continue
        gap = np.full(look.count, np.inf)
        gap[owner[mine]] = hits.gap[mine] - holds.level(rough, feature)
        # What is inside from the first sample on is entered by its step; unless it was passed by while it did not count.
        inside = (np.arange(look.count - 1) == 0) & (not rough.contact.law.is_gated)
        entered = np.flatnonzero((gap[1:] < -TOUCH) & ((gap[:-1] >= -TOUCH) | inside))
        if entered.size:
            yield Entry(int(entered[0]) + 1, rough, feature, "touch")
        rate = np.full(look.count, np.nan)
        place = rows[owner[mine]]
        arm = hits.point[mine] - place[:, 9:12]
        velocity = place[:, 12:15] + cross(place[:, 15:18], arm)
        rate[owner[mine]] = np.einsum("ij,ij->i", hits.normal[mine], velocity)
        grazed = _grazes(gap, rate, lengths)
        if grazed.size and not (entered.size and entered[0] <= grazed[0]):
            yield Entry(int(grazed[0]) + 1, rough, feature, "graze")


def _other_ends(holds: Footholds, rough: Rough, known: dict[Feature, str], rows: Vector, lengths: Vector) -> Iterator[Entry]:
    """Ends of chords that come down on an edge on which a disc stands with the other end."""
    for feature, slot in known.items():
        footing, other = holds.footings[slot], other_end(feature)
        if not is_rim(footing) or other in known or rough.rule == "source":
            continue
        end = ends_along(footing, _poses(rows), place_of(rows[0]).pose, True)
        gap = np.where(end.there, end.gap - holds.level(rough, other), np.inf)
        velocity = rows[:, 12:15] + cross(rows[:, 15:18], end.point - rows[:, 9:12])
        rate = np.where(end.there, np.einsum("ij,ij->i", end.normal, velocity), np.nan)
        entered = np.flatnonzero((gap[1:] < -TOUCH) & ((gap[:-1] >= -TOUCH) | (np.arange(len(gap) - 1) == 0)))
        grazed = _grazes(gap, rate, lengths)
        for what, where in (("touch", entered), ("graze", grazed)):
            if where.size:
                yield Entry(int(where[0]) + 1, rough, other, what)


def _poses(rows: Vector) -> tuple[Vector, Vector]:
    """Rotations and translations of a body at some samples."""
    return rows[:, 0:9].reshape(-1, 3, 3), rows[:, 9:12]


def _is_border(look: _Look, mine: Integers, known: dict[Feature, str]) -> Flags:
    """Hits that are where a contact stands already: the edge that its face ends at."""
    hits, owner = look.found.hits, look.found.owner
    border = np.zeros(len(mine), dtype=bool)
    for feature in known:
        where = np.full(look.count, -1)
        other = np.flatnonzero(look.feature == _code_of(feature))
        where[owner[other]] = other
        at = where[owner[mine]]
        near = np.abs(hits.foot[mine] - hits.foot[at]).max(axis=1) <= SAME_PLACE
        alike = np.abs(hits.normal[mine] - hits.normal[at]).max(axis=1) <= SAME_NORMAL
        border |= (at >= 0) & near & alike
    return border


def _grazes(gap: Vector, rate: Vector, lengths: Vector) -> Integers:
    """Steps over which a gap may become negative and come back: the tangents at both ends meet below zero."""
    g0, g1, r0, r1 = gap[:-1], gap[1:], rate[:-1], rate[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        dips = (r0 < 0.0) & (r1 > 0.0) & (g0 > TOUCH) & (g1 >= -TOUCH)
        dips &= g0 + r0 * (g1 - g0 - r1 * lengths) / (r0 - r1) < 0.0
    return np.flatnonzero(dips)


# -- within a step --------------------------------------------------------------------------------------------

At = Callable[[float], Place]


def gap_and_rate(holds: Footholds, rough: Rough, place: Place, of: Candidate | None = None) -> tuple[float, float]:
    """Least gap to what a contact does not stand on, and its rate; out of sight where there is nothing within reach.

    Which part of the terrain that is may change within a step: a face that is entered may end before the step does. With `of`
    it is that part alone, touched with the same end: the rim of a disc that lies along an edge has two.
    """
    near = [c for c in holds.open_candidates(rough, place) if of is None or _same_end(rough, c, of)]
    if not near:
        return 1.0, 0.0
    least = min(near, key=lambda c: c.gap - holds.level(rough, c.feature))
    return least.gap - holds.level(rough, least.feature), place.speed(least.point, least.normal)


def nearest_part(holds: Footholds, rough: Rough, place: Place) -> Candidate | None:
    """What of a terrain is nearest that a contact does not stand on; None where nothing is within reach."""
    return min(holds.open_candidates(rough, place), key=lambda c: c.gap - holds.level(rough, c.feature), default=None)


def _same_end(rough: Rough, one: Candidate, other: Candidate) -> bool:
    """Whether two of about one instant are one part of a terrain, touched with one part of the body."""
    return one.feature == other.feature and float(np.abs(one.point - other.point).max()) < SAME_END * rough.shape.size


def length_to_end(holds: Footholds, rough: Rough, feature: Feature, at: At, high: float) -> float:
    """Length of the step after which a support has ended; it is there at the beginning."""
    there = _finder(holds, rough, feature, at)
    if feature.kind == "face":
        beyond, source = partial(_beyond_border, holds, rough, feature, at), rough.rule == "source"
        begin = beyond(0.0)
        if begin >= 0.0 and not source:
            return 0.0
        if begin < 0.0 < beyond(high):
            border = root_between(beyond, 0.0, high, xtol=INSTANT)
            # By the rule of the source a face may end before its border: where another one is nearer.
            if not source or (there(at(max(border - INSTANT, 0.0)).pose) and not there(at(border + INSTANT).pose)):
                return border
    low = 0.0
    while high - low > INSTANT and low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if there(at(middle).pose) is not None else (low, middle)
    return high


def _finder(holds: Footholds, rough: Rough, feature: Feature, at: At) -> Callable[[SE3], object]:
    """What tells whether a support is there with the body at a pose: none where it is not."""
    known = holds.stands_on(rough)
    if other_end(feature) not in known or not is_rim(holds.footings[known[feature]]):
        return partial(holds.tracker(rough).find, feature, strict=True)
    first = at(0.0).pose

    def there(pose: SE3) -> object:
        place = np.asarray(pose.rotation)[None], np.asarray(pose.translation)[None]
        end = ends_along(holds.footings[known[feature]], place, first, False)
        return end if end.there[0] else None

    return there


def _beyond_border(holds: Footholds, rough: Rough, feature: Feature, at: At, s: float) -> float:
    """How far the lowest point of a body is outside of a flat piece of the terrain, negative inside."""
    pose = at(s).pose
    near = holds.tracker(rough).around(pose).tree.order
    triangles = near[rough.surface.faces.patch[near] == feature.number]
    if not triangles.size:
        return rough.shape.size
    normal = rough.surface.faces.normal[triangles[0]]
    return _outside(rough.surface, triangles, rough.shape.piece(feature.part).lowest(normal, pose))


def beyond_face(rough: Rough, feature: Feature, point: Vector) -> float:
    """How far a point is outside of a flat piece of the terrain, seen along its normal, negative inside."""
    return _outside(rough.surface, np.flatnonzero(rough.surface.faces.patch == feature.number), point)


def _outside(surface: Surface, triangles: Integers, point: Vector) -> float:
    faces = surface.faces
    normal = faces.normal[triangles[0]]
    foot = point - (normal @ point - faces.offset[triangles[0]]) * normal
    outside = (faces.bounds[triangles] - SEAM * faces.is_seam[triangles] - faces.sides[triangles] @ foot).max(axis=1)
    return float(outside.min())
