"""Terrain: a ground made of triangles, and the usual ones ready to use."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import checks
from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, QuantityError, TerrainShapeError
from locomotor.model.contacts.triangulation import Triangulation, triangulate
from locomotor.model.description import Description
from locomotor.model.expressions import Expression, as_list
from locomotor.names import WORLD
from locomotor.typing import Floats, Integers

Rows: TypeAlias = "Sequence[Sequence[float]] | NDArray[Any]"
Profile: TypeAlias = "Sequence[tuple[float, float]]"
MOST_STEPS = 100_000
"""Largest number of steps of a staircase."""
RULES = ("complete", "source")


@checks.doors
@dataclass(frozen=True, repr=False)
class Terrain(Description):
    """A fixed surface of triangles: `vertices` (n x 3, m) and `triangles` (m x 3, numbers of vertices).

    The corners of a triangle, seen from the free side, go round counter-clockwise: the outward normal is
    (P2 - P1) x (P3 - P2), normalised (Mauny 2018, section 4.2.2). An edge belongs to at most two triangles.
    Numbers only: parameters and expressions have no place here. Compared and hashed by content.

    `rule` says what of the surface a body may touch: by "complete" every face, edge and corner that it can, several at once
    too; by "source" one, faces before edges before corners, however near those are (Mauny 2018, appendix D).

    The ready-made ones extend along x, the direction of travel, and are level along y. A `slope` is a rotation about y
    as for a `Plane` of normal (sin(slope), 0, cos(slope)): positive goes down in the direction of travel, negative up.
    """

    name: str = "ground"
    vertices: Rows = ()
    triangles: Rows = ()
    rule: str = "complete"
    body: ClassVar[str] = WORLD
    """What carries it."""

    def __post_init__(self) -> None:
        self._read_name("a terrain")
        checks.choice(*RULES, error=TerrainShapeError)(self.rule, f"{self.label}: the rule")
        vertices = _array(self.vertices, f"{self.label}: vertices", "x, y, z in metres", np.float64)
        triangles = _array(self.triangles, f"{self.label}: triangles", "three numbers of vertices", np.int64)
        triangulation = triangulate(self.label, vertices, triangles)
        self._store(vertices=_tuples(vertices), triangles=_tuples(triangles), triangulation=triangulation)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.vertices, self.triangles, self.rule))

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilding leaves the cached hash behind: hashes of text differ from process to process.
        return type(self), (self.name, self.vertices, self.triangles, self.rule)

    def __repr__(self) -> str:
        return f"Terrain({self.name!r}: {len(self.vertices)} vertices, {len(self.triangles)} triangles)"

    def expressions(self, laws: bool) -> Iterator[tuple[str, Expression]]:
        """None: a terrain is plain numbers."""
        return iter(())

    @cached_property
    def triangulation(self) -> Triangulation:
        """The same surface with coinciding vertices merged, and its edges."""
        return triangulate(self.label, np.array(self.vertices, dtype=float), np.array(self.triangles, dtype=np.int64))

    def with_rule(self, rule: str) -> Terrain:
        """The same surface with another rule for contacts."""
        return type(self)(self.name, self.vertices, self.triangles, rule)

    # --- ready-made ---

    @classmethod
    def from_profile(cls, points: Profile, *, width: float = 20.0, name: str = "ground") -> Terrain:
        """A profile of points (x, z) in metres, swept along y over `width`: the free side is on the left of its direction.

        A road in the direction of travel has increasing x; walls (equal x) and overhangs (decreasing x) are allowed.
        """
        rows = as_list(points)
        pairs = [as_list(row) for row in rows or ()]
        if len(pairs) < 2 or any(pair is None or len(pair) != 2 for pair in pairs):
            raise TerrainShapeError(f"Terrain.from_profile: points are {shown(points)}; give two or more pairs (x, z)")
        read = partial(checks.number, what="Terrain.from_profile: a coordinate", error=TerrainShapeError)
        line = [(read(x), read(z)) for x, z in (pair for pair in pairs if pair is not None)]
        width = checks.number(width, "Terrain.from_profile: width", above=0.0, error=TerrainShapeError)
        for k, (one, two) in enumerate(pairwise(line)):
            if one == two:
                raise TerrainShapeError(f"Terrain.from_profile: points {k} and {k + 1} are both {one}; leave one of them out")
        return cls._strip(line, width, name)

    @classmethod
    def plane(cls, slope: float = 0.0, *, length: float = 200.0, width: float = 200.0, name: str = "ground") -> Terrain:
        """An inclined plane through the origin, `length` along the slope and `width` across, centred there."""
        _check_slope("plane", slope)
        _check_sizes("plane", length=length, width=width)
        c, s = 0.5 * length * math.cos(slope), 0.5 * length * math.sin(slope)
        return cls._strip(((-c, s), (c, -s)), width, name)

    @classmethod
    def ramp(
        cls,
        slope: float,
        drop: float,
        *,
        approach: float = 50.0,
        landing: float = 100.0,
        width: float = 20.0,
        overhang: float | None = None,
        name: str = "ground",
    ) -> Terrain:
        """A ramp that ends at the origin, and from there a level plane `drop` (m) lower (Mauny 2018, section 4.3.2).

        `slope=-0.1745` climbs by 10° in the direction of travel over the horizontal distance `approach`; the level plane
        is `landing` long. The ramp is solid and hangs over the level plane by `overhang`, half the drop by default, so that
        a wheel has the plane below it as soon as it is off the ramp; zero makes a vertical wall. A negative drop is a
        step up.
        """
        _check_slope("ramp", slope)
        _check_sizes("ramp", approach=approach, landing=landing, width=width)
        _check_finite("ramp", drop=drop, overhang=0.0 if overhang is None else overhang)
        start = (-approach, approach * math.tan(slope))
        if drop == 0.0:
            return cls._strip((start, (0.0, 0.0), (landing, 0.0)), width, name)
        # Where the level plane would come out of a climbing ramp, the underside stays well below it.
        room = min(approach, drop / math.tan(-slope) if slope < 0.0 else math.inf)
        back = min(0.5 * drop, 0.5 * room) if overhang is None else overhang
        if drop > 0.0 and not 0.0 <= back < room:
            raise TerrainShapeError(f"Terrain.ramp: the overhang is {back!r} m; give a length from 0 to less than {room!r} m")
        under = (-back if drop > 0.0 and back else 0.0, -drop)
        return cls._strip((start, (0.0, 0.0), under, (landing, -drop)), width, name)

    @classmethod
    def kerb(
        cls, height: float, *, approach: float = 50.0, length: float = 50.0, width: float = 20.0, name: str = "ground"
    ) -> Terrain:
        """A level road, a kerb of `height` (m) across it at x = 0, and a level pavement; a negative height goes down."""
        _check_sizes("kerb", approach=approach, length=length, width=width)
        _check_finite("kerb", height=height)
        if height == 0.0:
            raise TerrainShapeError("Terrain.kerb: the height is 0.0 m; give a height, or use Terrain.plane()")
        return cls._strip(((-approach, 0.0), (0.0, 0.0), (0.0, height), (length, height)), width, name)

    @classmethod
    def steps(
        cls,
        count: int,
        rise: float,
        tread: float,
        *,
        approach: float = 50.0,
        landing: float = 50.0,
        width: float = 20.0,
        name: str = "ground",
    ) -> Terrain:
        """A staircase of `count` steps that begins at x = 0: each `rise` (m) high, negative going down, and `tread` deep."""
        count = checks.whole(count, "Terrain.steps: count", least=1, most=MOST_STEPS, error=TerrainShapeError)
        _check_sizes("steps", tread=tread, approach=approach, landing=landing, width=width)
        _check_finite("steps", rise=rise)
        if rise == 0.0:
            raise TerrainShapeError("Terrain.steps: the rise is 0.0 m; give the height of a step, or use Terrain.plane()")
        profile = [(-approach, 0.0)]
        for i in range(count):
            profile += [(i * tread, i * rise), (i * tread, (i + 1) * rise)]
        profile.append(((count - 1) * tread + landing, count * rise))
        return cls._strip(profile, width, name)

    @classmethod
    def heightfield(cls, x: ArrayLike, y: ArrayLike, z: ArrayLike, *, name: str = "ground") -> Terrain:
        """Heights z[i, j] (m) over a grid of x[i], y[j], both increasing; each cell is cut along its shorter diagonal."""
        xs, ys, zs = (
            checks.floats(values, f"Terrain.heightfield: {axis}", error=TerrainShapeError)
            for axis, values in (("x", x), ("y", y), ("z", z))
        )
        for axis, values in (("x", xs), ("y", ys)):
            if values.ndim != 1 or len(values) < 2 or not (np.diff(values) > 0.0).all():
                raise TerrainShapeError(f"Terrain.heightfield: {axis} must be two or more numbers in increasing order")
        if zs.shape != (len(xs), len(ys)):
            raise TerrainShapeError(
                f"Terrain.heightfield: z has the shape {zs.shape}; it must be {(len(xs), len(ys))}, one row for each x"
            )
        grid = np.stack([*np.meshgrid(xs, ys, indexing="ij"), zs], axis=-1).reshape(-1, 3)
        number = np.arange(len(grid)).reshape(zs.shape)
        a, b, c, d = (part.reshape(-1) for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
        along = np.linalg.norm(grid[a] - grid[c], axis=1) <= np.linalg.norm(grid[b] - grid[d], axis=1)
        first = np.where(along[:, None], np.column_stack((a, b, c)), np.column_stack((a, b, d)))
        second = np.where(along[:, None], np.column_stack((a, c, d)), np.column_stack((b, c, d)))
        return cls(name, grid, np.stack((first, second), axis=1).reshape(-1, 3))

    @classmethod
    def _strip(cls, profile: Profile, width: float, name: str) -> Terrain:
        return cls(name, *_strip(profile, width))


def _strip(profile: Profile, width: float) -> tuple[Floats, Integers]:
    """The surface swept along y by a line of points (x, z), seen from the left of its direction."""
    line = np.array(profile, dtype=float)
    right = np.column_stack((line[:, 0], np.full(len(line), -0.5 * width), line[:, 1]))
    left = right * (1.0, -1.0, 1.0)
    i, n = np.arange(len(line) - 1), len(line)
    quads = np.stack((np.column_stack((i, i + 1, n + i + 1)), np.column_stack((i, n + i + 1, n + i))), axis=1)
    return np.concatenate((right, left)), quads.reshape(-1, 3)


def _array(value: Any, what: str, wanted: str, kind: type) -> NDArray[Any]:
    try:
        rows = checks.floats(value, what)
    except ArgumentError:
        raise QuantityError(f"{what} must be rows of {wanted}; expressions and texts have no place here") from None
    if rows.ndim != 2 or rows.shape[1] != 3 or not len(rows):
        raise QuantityError(f"{what} have the shape {rows.shape}; give one or more rows of {wanted}")
    if kind is np.int64:
        if not (np.isfinite(rows) & (rows == np.floor(rows))).all():
            raise QuantityError(f"{what} must be rows of {wanted}; they hold {float(rows[rows != np.floor(rows)][0])!r}")
        if np.abs(rows).max() > 2.0**53:
            raise QuantityError(f"{what} hold {float(np.abs(rows).max())!r}; give {wanted}")
        return rows.astype(np.int64)
    return rows


def _tuples(rows: NDArray[Any]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row) for row in rows.tolist())


def _check_finite(where: str, **sizes: float) -> None:
    for name, size in sizes.items():
        checks.number(size, f"Terrain.{where}: {name}", error=TerrainShapeError)


def _check_sizes(where: str, **sizes: float) -> None:
    _check_finite(where, **sizes)
    for name, size in sizes.items():
        if not size > 0.0:
            raise TerrainShapeError(f"Terrain.{where}: {name} is {size!r}; it must be positive")


def _check_slope(where: str, slope: float) -> None:
    checks.number(slope, f"Terrain.{where}: the slope", error=TerrainShapeError)
    if not abs(slope) < 0.5 * math.pi:
        raise TerrainShapeError(f"Terrain.{where}: the slope is {slope!r} rad; give an angle between -pi/2 and pi/2")
