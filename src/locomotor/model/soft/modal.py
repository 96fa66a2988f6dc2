"""Bodies whose shapes come from elsewhere, such as finite elements: integrals over their mass, and where they are held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import SoftBodyError
from locomotor.lie import ops
from locomotor.model.body import Body
from locomotor.model.expressions import QuantityLike, VectorLike, as_list, known
from locomotor.model.layout import Symbol
from locomotor.model.shapes import Shape, read_shapes
from locomotor.model.soft.damped import check_damping, read_damping
from locomotor.model.soft.field import Integrals, Place
from locomotor.names import latex_of

NEAR = 1e-6
"""A point is that of an interface if it is nearer than this, in units of the size of the body."""

Numbers = Any
"""Nested lists or arrays of numbers, kept as tuples."""


@dataclass(frozen=True)
class ModalBody(Body):
    """A body that deforms little in shapes known by numbers: see `FlexibleBody.from_matrices`, which makes them.

    With r0 the place of a material point and phi_i the shapes: `first` are the integrals of phi_i over the mass (n x 3),
    `rigid` those of r0 phi_i^T (n x 3 x 3), `pairs` those of phi_i phi_j^T (n x n x 3 x 3); `stiffness` is n x n. `names` and
    `units` are those of the coordinates. `points` are the places (m) where something can be attached, with the displacement
    (3 x n) and the small rotation (3 x n) that the shapes have there. `damping` and `rayleigh` as of a `FlexibleBody`.
    """

    shapes: Iterable[Shape] = field(default=(), compare=False, repr=False, kw_only=True)
    first: Numbers = field(kw_only=True, repr=False)
    rigid: Numbers = field(kw_only=True, repr=False)
    pairs: Numbers = field(kw_only=True, repr=False)
    stiffness: Numbers = field(kw_only=True, repr=False)
    points: Numbers = field(kw_only=True)
    displacements: Numbers = field(kw_only=True, repr=False)
    rotations: Numbers = field(kw_only=True, repr=False)
    names: Numbers = field(kw_only=True)
    units: Numbers = field(kw_only=True, repr=False)
    damping: QuantityLike | None = field(default=None, kw_only=True)
    rayleigh: tuple[QuantityLike, QuantityLike] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Read and check the fields."""
        self._read_name("a body")
        label = self.label
        names = as_list(self.names)
        if not names or not all(isinstance(name, str) for name in names):
            raise SoftBodyError(f"{label}: names is {checks.shown(self.names)}; give the name of each coordinate")
        n = len(names)
        m = len(as_list(self.points) or ())
        wanted = {
            "first": (n, 3), "rigid": (n, 3, 3), "pairs": (n, n, 3, 3), "stiffness": (n, n),
            "points": (m, 3), "displacements": (m, 3, n), "rotations": (m, 3, n),
        }  # fmt: skip
        for key, shape in wanted.items():
            self._store(**{key: _numbers(getattr(self, key), shape, f"{label}: {key}")})
        self._store(
            names=tuple(names), units=tuple(as_list(self.units) or ()), shapes=read_shapes(self.shapes, f"{label}: shapes")
        )
        if len(self.units) != n:
            raise SoftBodyError(f"{label}: {n} coordinates have {len(self.units)} units; give one for each")
        read_damping(self)
        mass = np.trace(np.asarray(self.pairs), axis1=2, axis2=3)
        if np.abs(mass - mass.T).max() > 1e-9 * np.abs(mass).max() or np.linalg.eigvalsh(0.5 * (mass + mass.T))[0] <= 0.0:
            raise SoftBodyError(
                f"{label}: the shapes are not mass-normalisable: the mass matrix of them is not positive definite"
            )
        super().__post_init__()

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """One coordinate for each mode shape."""
        return tuple(
            Symbol(f"{self.name}_{name}", unit, f"q_{{{latex_of(self.name)},{k + 1}}}", f"{name} of {self.name!r}")
            for k, (name, unit) in enumerate(zip(self.names, self.units, strict=True))
        )

    @property
    def deformations(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """All shapes together: what they look like is not known."""
        return (("vibration", tuple(symbol.name for symbol in self.coordinates)),)

    @property
    def free_names(self) -> frozenset[str]:
        """Parameters that its mass and stiffness depend on: none."""
        return frozenset()

    def integrals(self, values: Mapping[str, Any]) -> Integrals:
        """Integrals of its field over its mass."""
        n = len(self.names)
        mass, com, inertia = (np.asarray(each, dtype=float) for each in self.mass_properties({}))
        about = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
        N: dict[tuple[int, int, int, int], Any] = {}
        blocks = {(0, 0): 0.5 * np.trace(about) * np.eye(3) - about}
        for i in range(n):
            blocks[0, i + 1] = np.asarray(self.rigid[i])
            blocks[i + 1, 0] = np.asarray(self.rigid[i]).T
            for j in range(n):
                blocks[i + 1, j + 1] = np.asarray(self.pairs[i][j])
        for (a, b), block in blocks.items():
            N |= {(a, b, int(r), int(c)): float(block[r, c]) for r, c in zip(*np.nonzero(block), strict=True)}
        first = {(0, k): float(mass * com[k]) for k in range(3) if com[k] != 0.0}
        first |= {(i + 1, k): self.first[i][k] for i in range(n) for k in range(3) if self.first[i][k] != 0.0}
        stiffness = {(i, j): self.stiffness[i][j] for i in range(n) for j in range(n) if self.stiffness[i][j] != 0.0}
        return Integrals(((), *((i,) for i in range(n))), float(mass), first, N, stiffness)

    def place(self, point: Any, values: Mapping[str, Any]) -> Place:
        """The field at a point where something can be attached."""
        k = self._nearest([point[i] for i in range(3)])
        shape, turn = self.displacements[k], self.rotations[k]
        n = len(self.names)
        columns = (self.points[k], *(tuple(shape[r][i] for r in range(3)) for i in range(n)))
        return Place(columns, tuple(tuple(turn[r][i] for r in range(3)) for i in range(n)))  # type: ignore[arg-type]

    def _nearest(self, point: list[Any]) -> int:
        if any(ops.is_symbolic(each) for each in point):
            raise SoftBodyError(f"{self.label}: what is attached to it stands at numbers, not at parameters that stay free")
        places = np.asarray(self.points)
        apart = np.linalg.norm(places - np.asarray(point, dtype=float), axis=1)
        size = float(np.ptp(places, axis=0).max()) or 1.0
        if apart.min() > NEAR * size:
            raise SoftBodyError(
                f"{self.label}: nothing can be attached at {tuple(map(float, point))} m; its interfaces are at {self.points}"
            )
        return int(apart.argmin())

    def check_place(self, at: VectorLike, what: str, values: Mapping[str, float]) -> None:
        """Refuse a point that is no interface."""
        place = known(tuple(at), values)  # type: ignore[arg-type]
        if place is not None:
            self._nearest([float(each) for each in place])

    def _check(self, values: Mapping[str, float]) -> None:
        check_damping(self, values)
        super()._check(values)


def _numbers(given: Any, shape: tuple[int, ...], what: str) -> Any:
    found = checks.floats(given, what, error=SoftBodyError)
    array = np.asarray(found, dtype=float)
    if array.size == 0 and 0 in shape:
        array = np.zeros(shape)
    if array.shape != shape:
        raise SoftBodyError(f"{what} has the shape {array.shape}; it must be {shape}")
    return _tuples(array)


def _tuples(array: Any) -> Any:
    return float(array) if np.ndim(array) == 0 else tuple(_tuples(each) for each in array)
