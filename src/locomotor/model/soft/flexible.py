"""Slender bodies that deform little about a frame that floats with them: `FlexibleBody`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import NegativeLengthError, SoftBodyError
from locomotor.model.body import Body
from locomotor.model.expressions import Expression, QuantityLike, as_list, as_quantity, evaluate, free_names
from locomotor.model.joint import Free, Planar
from locomotor.model.layout import Symbol
from locomotor.model.shapes import Shape, read_shapes
from locomotor.model.soft.craig_bampton import check_stiffness, nodal_mass, reduce
from locomotor.model.soft.damped import check_damping, read_damping
from locomotor.model.soft.field import Integrals, Place
from locomotor.model.soft.modal import ModalBody
from locomotor.model.soft.mode_shapes import Shapes, check_independent, read_family, read_shapes_of, shapes
from locomotor.model.soft.section import ALONG, CrossSection
from locomotor.model.soft.slender import STIFFNESS, Slender, check_within, points_along, slender_integrals
from locomotor.names import latex_of

MOST_MODES = 200
"""More modes of finite elements than this are refused: each is a coordinate."""
GIVEN = {"stretch": "stretch", "y": "bending_y", "z": "bending_z", "twist": "torsion"}
"""Kind of deformation -> field that says how many shapes it has."""
WORDS = {
    "stretch": ("stretch", "m", "u", "stretch along its axis"),
    "y": ("y", "m", "v", "deflection along y"),
    "z": ("z", "m", "w", "deflection along z"),
    "twist": ("twist", "rad", r"\vartheta", "twist"),
}


@dataclass(frozen=True)
class FlexibleBody(Body):
    """A slender body along x from the origin of its frame to `length` (m), which bends, twists and stretches a little.

    `section` is its `CrossSection`. `bending_y` and `bending_z` are numbers of shapes with deflections along y and along z,
    `torsion` and `stretch` those of twist and of stretch: each shape is a coordinate of the body, named `<body>_y1`,
    `<body>_z1`, `<body>_twist1`, `<body>_stretch1`, whose value is the deflection (m) or the angle (rad) at its end. In place
    of a number stands a list of formulas of `s`, which runs from 0 to 1 along the body: `bending_z=["s**2", "s**3"]`.

    The shapes are of the family `modes`: "clamped-free" (those of a uniform beam clamped to the frame at the start),
    "polynomial" (clamped to the frame too; they suit tapered sections and whatever the ends are made to do), "free-free" (the
    frame floats along, for a body that a Free joint carries) and "pinned-pinned" (both ends stay on the axis of the frame).

    `damping` is the ratio of every mode of the clamped body to critical damping; `rayleigh` instead the factors (1/s, s) of
    mass and stiffness. `stiffening` adds the shortening of the axis by bending, of second order: what spins fast needs it.
    Kinetic energy is exact for the assumed field, docs/theory.md (U1)-(U3).
    """

    mass: QuantityLike = field(init=False, repr=False, compare=False)
    com: Any = field(init=False, repr=False, compare=False)
    inertia: Any = field(init=False, repr=False, compare=False)
    shapes: Iterable[Shape] = field(default=(), compare=False, repr=False, kw_only=True)
    length: QuantityLike
    section: CrossSection
    bending_y: int | Iterable[str] = 0
    bending_z: int | Iterable[str] = 0
    torsion: int | Iterable[str] = 0
    stretch: int | Iterable[str] = 0
    modes: str = "clamped-free"
    damping: QuantityLike | None = None
    rayleigh: tuple[QuantityLike, QuantityLike] | None = None
    stiffening: bool = False

    def __post_init__(self) -> None:
        """Read and check the fields, and sum up the mass."""
        self._read_name("a body")
        label = self.label
        if not isinstance(self.section, CrossSection):
            raise SoftBodyError(
                f"{label}: section is {checks.shown(self.section)}; give a CrossSection, such as "
                "CrossSection.circle(0.01, young=2e11, density=7800)"
            )
        self._store(
            shapes=read_shapes(self.shapes, f"{label}: shapes"),
            length=as_quantity(self.length, f"{label}: length"),
            modes=read_family(self.modes, f"{label}: modes"),
            stiffening=checks.flag(self.stiffening, f"{label}: stiffening", error=SoftBodyError),
        )
        for kind, name in GIVEN.items():
            self._store(**{name: read_shapes_of(getattr(self, name), f"{label}: {name}", self.is_clamped)})
            if isinstance(getattr(self, name), tuple):
                check_independent(self._shapes(kind), f"{label}: {name}", self.is_clamped, kind in ("y", "z"))
        if not self.coordinates:
            raise SoftBodyError(
                f"{label} has no shapes; give bending_y, bending_z, torsion or stretch a number of them. A rigid one is a Body"
            )
        read_damping(self)
        self._check_measures({})
        self._read_mass()
        self.check({})

    def _read_mass(self) -> None:
        """Mass, centre and inertia of the undeformed body, as numbers or expressions of parameters."""
        L: Any = self.length
        places, weights = points_along(self.section, 0)

        def whole(value: Any, power: int) -> Any:
            """Integral along the body of a value times s^power."""
            if not isinstance(value, Expression) or ALONG not in value.names:
                return value * (1.0 / (power + 1))
            total: Any = 0.0
            for s, weight in zip(places, weights, strict=True):
                total = total + float(weight * s**power) * value.substitute({ALONG: float(s)})
            return total if total.names else float(total.evaluate({}))

        section = self.section
        (y, z), (yy, zz, yz) = section.moment, section.second
        m = L * whole(section.mass, 0)
        S = (L * L * whole(section.mass, 1), L * whole(y, 0), L * whole(z, 0))
        xx, xy, xz = L * L * L * whole(section.mass, 2), L * L * whole(y, 1), L * L * whole(z, 1)
        # Second moments about the centre: int r r^T dm - S S^T/m.
        J = [[xx, xy, xz], [xy, L * whole(yy, 0), L * whole(yz, 0)], [xz, L * whole(yz, 0), L * whole(zz, 0)]]
        J = [[J[i][j] - S[i] * S[j] / m for j in range(3)] for i in range(3)]
        inertia = tuple(tuple((J[0][0] + J[1][1] + J[2][2] if i == j else 0.0) - J[i][j] for j in range(3)) for i in range(3))
        self._store(mass=m, com=tuple(S[i] / m for i in range(3)), inertia=inertia)

    @classmethod
    @checks.fitting
    def from_matrices(
        cls,
        name: str,
        positions: Any,
        mass: Any,
        stiffness: Any,
        interfaces: Iterable[Iterable[int]],
        modes: int = 4,
        *,
        damping: QuantityLike | None = None,
        rayleigh: tuple[QuantityLike, QuantityLike] | None = None,
        shapes: Iterable[Shape] = (),
    ) -> ModalBody:
        """A body of finite elements: nodes at `positions` (N x 3, m), their `mass` and `stiffness` matrices.

        `mass` are N masses (kg), or a matrix of N or 3 N rows; `stiffness` (N/m) has 3 N rows, the displacements node by node.
        `interfaces` are lists of nodes, from 0, that move as rigid patches: the first is held by the frame of the body, to the
        middles of the others joints, contacts and forces can be attached. The body is reduced by Craig and Bampton to the
        static shapes of those and `modes` modes with all interfaces held.
        """
        label = f"FlexibleBody.from_matrices {checks.shown(name)}"
        places = np.asarray(checks.floats(positions, f"{label}: positions", finite=True, error=SoftBodyError), dtype=float)
        if places.ndim != 2 or places.shape[1] != 3 or len(places) < 4:
            raise SoftBodyError(
                f"{label}: positions has the shape {places.shape}; give four nodes or more, with x, y and z each"
            )
        nodes = len(places)
        K = np.asarray(checks.floats(stiffness, f"{label}: stiffness", finite=True, error=SoftBodyError), dtype=float)
        if K.shape != (3 * nodes, 3 * nodes):
            raise SoftBodyError(f"{label}: stiffness has the shape {K.shape}; {nodes} nodes need {3 * nodes} rows and columns")
        check_stiffness(K, places, label)
        m = nodal_mass(mass, nodes, f"{label}: mass")
        given = checks.entries(interfaces, f"{label}: interfaces", "give lists of nodes", SoftBodyError)
        patches = tuple(
            tuple(checks.whole(node, f"{label}: a node", most=nodes - 1, error=SoftBodyError) for node in as_list(patch) or ())
            for patch in given
        )
        used = [node for patch in patches for node in patch]
        if not patches or not all(patches) or len(set(used)) != len(used):
            raise SoftBodyError(f"{label}: interfaces is {checks.shown(interfaces)}; give lists of nodes that share none")
        count = checks.whole(modes, f"{label}: modes", most=MOST_MODES, error=SoftBodyError)
        found = reduce(places, m, K, patches, count, label)
        if not found.names:
            raise SoftBodyError(f"{label} has no shapes; give modes, or a second interface. A rigid one is a Body")
        total = float(m.sum())
        com = m.sum(axis=0) @ places / total
        J = places.T @ m @ places - total * np.outer(com, com)
        flat = found.shapes.reshape(len(found.names), -1)
        return ModalBody(
            name,
            total,
            tuple(com),
            tuple(map(tuple, np.trace(J) * np.eye(3) - J)),
            first=np.einsum("kl,ila->ia", m, found.shapes),
            rigid=np.einsum("ka,kl,ilb->iab", places, m, found.shapes),
            pairs=np.einsum("ika,kl,jlb->ijab", found.shapes, m, found.shapes, optimize=True),
            stiffness=flat @ K @ flat.T,
            points=found.points,
            displacements=found.displacements,
            rotations=found.rotations,
            names=found.names,
            units=found.units,
            damping=damping,
            rayleigh=rayleigh,
            shapes=shapes,
        )

    # -- what it is -----------------------------------------------------------------------------------------------

    @property
    def is_clamped(self) -> bool:
        """Whether its start stays where its frame is."""
        return self.modes in ("clamped-free", "polynomial")

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """One coordinate for each assumed shape."""
        found = []
        for kind, name in GIVEN.items():
            word, unit, letter, meaning = WORDS[kind]
            given = getattr(self, name)
            for k in range(1, (len(given) if isinstance(given, tuple) else given) + 1):
                latex = f"{letter}_{{{latex_of(self.name)},{k}}}"
                about = f"{meaning} of {self.name!r} at its end, shape {k}"
                found.append(Symbol(f"{self.name}_{word}{k}", unit, latex, about))
        return tuple(found)

    @property
    def deformations(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Bending, torsion and stretch, where it has shapes of them."""
        both = bool(self.bending_y) and bool(self.bending_z)
        words = {"stretch": "stretch", "twist": "torsion", **{k: f"bending along {k}" if both else "bending" for k in "yz"}}
        named = [(words[kind], f"{self.name}_{WORDS[kind][0]}") for kind in GIVEN if getattr(self, GIVEN[kind])]
        return tuple(
            (word, tuple(s.name for s in self.coordinates if s.name.rstrip("0123456789") == prefix)) for word, prefix in named
        )

    @cached_property
    def slender(self) -> Slender:
        """Shapes of the deformation, kind by kind, and whether it stiffens."""
        return Slender({kind: self._shapes(kind) for kind in GIVEN}, self.stiffening)

    def _shapes(self, kind: str) -> Shapes:
        given: Any = getattr(self, GIVEN[kind])
        return shapes(given, self.modes, kind in ("y", "z"))

    @cached_property
    def free_names(self) -> frozenset[str]:
        """Parameters that its mass and stiffness depend on."""
        return self.section.names | free_names(self.length)

    def integrals(self, values: Mapping[str, Any]) -> Integrals:
        """Integrals of its field over its mass, with values of the parameters (numbers or symbols)."""
        return slender_integrals(self.slender, self.section, evaluate(self.length, values), values)

    def place(self, point: Any, values: Mapping[str, Any]) -> Place:
        """The field at a point of the undeformed body."""
        return self.slender.place(evaluate(self.length, values), [point[i] for i in range(3)])

    def largest_turn(self, coordinates: Any, values: Mapping[str, float]) -> float:
        """Largest slope or twist (rad) along it."""
        length = float(evaluate(self.length, values))
        found = 0.0
        for s in (0.0, 0.25, 0.5, 0.75, 1.0):
            turns = np.array(self.slender.place(length, (s * length, 0.0, 0.0)).turns, dtype=float)
            with np.errstate(all="ignore"):  # of a run that blew up
                angles = np.abs(np.asarray(coordinates) @ turns)
            found = max(found, float(np.max(angles, initial=0.0, where=np.isfinite(angles))))
        return found

    # -- checks ---------------------------------------------------------------------------------------------------

    def expressions(self, laws: bool) -> Any:
        """Expressions of the body's own fields and of its section."""
        for name, expression in super().expressions(laws):
            if name not in GIVEN.values():
                yield name, expression
        for name, expression in self.section.expressions(laws):
            yield f"section: {name}", expression

    def check(self, values: Mapping[str, float]) -> None:
        """Raise if a value is wrong; length and section first, of which the mass is made."""
        self._check_measures(values)
        super().check(values)

    def _check_measures(self, values: Mapping[str, float]) -> None:
        length = self._known("length", values)
        if length is not None and not length > 0.0:
            raise NegativeLengthError(f"{self.label}: length is {length!r} m{self._origin('length')}; it must be positive")
        self.section.check_for(self.label, values)

    def _check(self, values: Mapping[str, float]) -> None:
        for kind, name in GIVEN.items():
            needed = STIFFNESS[kind][0]
            if getattr(self, name) not in (0, ()) and getattr(self.section, needed) is None:
                remedy = "give poisson= or shear= too" if kind == "twist" else f"give {needed}="
                raise SoftBodyError(
                    f"{self.label}: {name} needs {needed} of the section, which is not given; {remedy}, or leave {name} out"
                )
        check_damping(self, values)
        super()._check(values)

    def check_carrier(self, joint: Any) -> None:
        """Free-free shapes float about a frame that is no point of the body, so that no hinge or clamp can hold it."""
        if self.modes == "free-free" and not isinstance(joint, Free | Planar):
            raise SoftBodyError(
                f"{self.label} has the modes 'free-free', whose frame is no point of the body: {joint.label} cannot hold it; "
                "take 'clamped-free' or 'polynomial', whose start is held, or carry it by a Free or Planar joint"
            )

    def check_place(self, at: Any, what: str, values: Mapping[str, float]) -> None:
        """Refuse a point beyond the ends."""
        check_within(self, at, what, values)
