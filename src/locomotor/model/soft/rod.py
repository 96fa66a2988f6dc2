"""A geometrically exact rod: large bending, twist, shear and stretch, described by its strains along it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import SoftBodyError
from locomotor.lie import SE3, ops
from locomotor.model.body import Body
from locomotor.model.expressions import (
    Expression,
    QuantityLike,
    VectorLike,
    as_expression,
    as_list,
    as_quantity,
    evaluate,
    expressions,
    free_names,
)
from locomotor.model.layout import Symbol
from locomotor.model.shapes import Shape, read_shapes
from locomotor.model.soft.section import ALONG, CrossSection, along
from locomotor.model.soft.slender import check_within
from locomotor.model.soft.strain import STIFFNESS_OF, STRAINS, read_damping, read_strains
from locomotor.names import latex_of
from locomotor.typing import Array

MANY_POINTS = 400
FINE = 128
"""Steps by which the shape without load is followed where it is curved."""
LOOKED_AT = 33
"""Places along a rod at which its length is looked at."""
SIGNS = {
    "stretch": r"\epsilon",
    "shear_y": r"\gamma_y",
    "shear_z": r"\gamma_z",
    "twist": r"\tau",
    "bend_y": r"\kappa_y",
    "bend_z": r"\kappa_z",
}


class QuadratureWarning(UserWarning):
    """Points along a rod that are too few for the functions its strains are made of."""


@dataclass(frozen=True, kw_only=True)
class Rod(Body):
    """A slender body that bends, twists, shears and stretches as much as it likes: an exact rod of Cosserat.

    Its frame is that of its first section, with x along the rod; joints attach anywhere along it, at points given in that frame
    while nothing deforms it. `section` are stiffness and mass per length, `length` in m. `strains` name what varies, each with
    its functions (`Strain`): {"bend_y": 4, "bend_z": 4, "twist": 2} are ten coordinates; strains that are not named keep their
    values without load. Those are zero but for `curvature` (1/m): twist about x and curvature about y and z of the rod without
    load, which may depend on the place s from 0 to 1.

    `damping` (s) are times of retardation (Kelvin and Voigt): one for all strains, or by name; stress is stiffness times
    (strain + damping times its rate). `energy` replaces linear elasticity by a law of your own: elastic energy per length (J/m)
    as a formula of the strains by name, counted from those without load, such as "0.5*k*bend_z**2 + c*bend_z**4".

    Inertia and elastic energy are integrated with `points` (Gauss) on each piece on which the strains are smooth.
    """

    section: CrossSection
    length: QuantityLike
    strains: Any
    curvature: VectorLike = (0.0, 0.0, 0.0)
    points: int | None = None
    damping: Any = 0.0
    energy: QuantityLike | None = None
    shapes: Iterable[Shape] = field(default=(), compare=False, repr=False)
    mass: Any = field(init=False, default=0.0, repr=False, compare=False)
    com: Any = field(init=False, default=(0.0, 0.0, 0.0), repr=False, compare=False)
    inertia: Any = field(init=False, default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read and check the fields."""
        self._read_name("a rod")
        if not isinstance(self.section, CrossSection):
            raise SoftBodyError(
                f"{self.label}: the section is {checks.shown(self.section)}; give CrossSection(...), or one of a material "
                "such as CrossSection.circle(0.01, young=1e6, poisson=0.45, density=1000)"
            )
        bent = as_list(self.curvature)
        if bent is None or len(bent) != 3:
            raise SoftBodyError(
                f"{self.label}: curvature is {checks.shown(self.curvature)}; give three values: twist about x, curvature "
                "about y and about z (1/m)"
            )
        self._store(
            length=as_quantity(self.length, f"{self.label}: length"),
            strains=read_strains(self.strains, self.label),
            curvature=tuple(along(each, f"{self.label}: curvature") for each in bent),
            damping=read_damping(self.damping, read_strains(self.strains, self.label), self.label),
            energy=None if self.energy is None else as_expression(as_quantity(self.energy, f"{self.label}: energy")),
            shapes=read_shapes(self.shapes, f"{self.label}: shapes"),
        )
        for each, time in zip(self.strains, self.damping, strict=True):
            needless = self.energy is not None and not isinstance(time, Expression) and time == 0.0
            if getattr(self.section, STIFFNESS_OF[each.strain]) is None and not needless:
                raise SoftBodyError(
                    f"{self.label}: the strain {each.strain!r} varies, and the section has no {STIFFNESS_OF[each.strain]} "
                    f"against it; give it, or leave {each.strain!r} out of strains"
                )
        self._read_points()
        self.check({})

    def _read_points(self) -> None:
        needed = self.needed_points
        if self.points is None:
            self._store(points=needed + 1)
            return
        self._store(points=checks.whole(self.points, f"{self.label}: points", least=1, most=MANY_POINTS, error=SoftBodyError))
        if self.points < needed:
            warnings.warn(
                f"{self.label}: {self.points} points a piece are too few to integrate functions of degree "
                f"{max(each.degree for each in self.strains)}; give points={needed} or more",
                QuadratureWarning,
                stacklevel=4,
            )

    # -- coordinates ----------------------------------------------------------------------------------------------

    @property
    def needed_points(self) -> int:
        """Points a piece with which the inertia of a rod that bends little is integrated exactly.

        A strain of degree d turns sections by degree d + 1 and moves them by d + 2: the integrand has twice that.
        """
        return max(each.degree for each in self.strains) + 3

    @cached_property
    def coordinates(self) -> tuple[Symbol, ...]:
        """One for every function of every strain."""
        found = []
        for each in self.strains:
            words = each.strain.replace("_", " about ") if each.axis > 3 else each.strain.replace("_", " along ")
            for k in range(each.terms):
                name = f"{self.name}_{each.strain}" + (f"_{k}" if each.terms > 1 else "")
                sign = SIGNS[each.strain]
                index = latex_of(self.name) if each.terms == 1 else f"{latex_of(self.name)},{k}"
                latex = f"{{{sign}}}^{{{index}}}"
                found.append(
                    Symbol(name, each.unit, latex, f"{words} of {self.name!r}" + (f", term {k}" if each.terms > 1 else ""))
                )
        return tuple(found)

    @property
    def deformations(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Strains of the rod in words, each with the names of its coordinates."""
        given = {each.strain for each in self.strains}
        both = {"bend_y", "bend_z"} <= given
        words = {"twist": "torsion", **{f"bend_{k}": f"bending about {k}" if both else "bending" for k in "yz"}}
        words |= {f"shear_{k}": f"shear along {k}" for k in "yz"}
        found, first = [], 0
        for each in self.strains:
            names = tuple(symbol.name for symbol in self.coordinates[first : first + each.terms])
            found.append((words.get(each.strain, each.strain), names))
            first += each.terms
        return tuple(found)

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """Ends of the pieces on which all strains are smooth, 0 and 1 included."""
        inner = sorted({round(each, 12) for strain in self.strains for each in strain.breaks})
        return (0.0, *inner, 1.0)

    # -- without load ---------------------------------------------------------------------------------------------

    @property
    def is_straight(self) -> bool:
        """Whether it is straight and untwisted without load."""
        return all(not isinstance(each, Expression) and each == 0.0 for each in self.curvature)

    @property
    def varies_without_load(self) -> bool:
        """Whether the strain without load depends on the place."""
        return ALONG in free_names(self.curvature)

    @property
    def names_without_load(self) -> frozenset[str]:
        """Parameters on which the shape without load depends."""
        return free_names((self.length, self.curvature)) - {ALONG}

    def free_strain(self, place: Any, values: Mapping[str, Any]) -> Array:
        """Strain twist without load at a place from 0 to 1."""
        here = {**values, ALONG: place}
        bent = [each.evaluate(here) if isinstance(each, Expression) else each for each in self.curvature]
        return ops.vector(1.0, 0.0, 0.0, *bent)

    def pose_at(self, place: float, values: Mapping[str, Any] | None = None) -> SE3:
        """Pose of the section at a place from 0 to 1 in the frame of the rod, without load."""
        known = values or {}
        length = evaluate(self.length, known)
        if self.is_straight:
            return SE3(np.eye(3), ops.vector(place * length, 0.0, 0.0))
        used = {name: known[name] for name in sorted(self.names_without_load)}
        symbolic = any(ops.is_symbolic(each) for each in used.values())
        nodes = _nodes(self, used) if symbolic else _known_nodes(self, tuple((name, float(x)) for name, x in used.items()))
        k = min(max(int(place * FINE), 0), FINE)
        return nodes[k] @ _step(self, k / FINE, place, used)

    def mass_properties(self, values: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Mass, centre of mass and inertia about it, without load."""
        length = evaluate(self.length, values)
        places, weights = np.polynomial.legendre.leggauss(12)
        mass: Any = 0.0
        moment: Any = np.zeros(3)
        inertia: Any = np.zeros((3, 3))
        for place, weight in zip(0.5 * (places + 1.0), 0.5 * weights, strict=True):
            here = self.section.at(float(place), values)
            pose = self.pose_at(float(place), values)
            share = weight * length
            m, c = share * here.mass, share * ops.vector(0.0, *here.moment)
            own = share * slice_inertia(here.second)
            R, p = pose.rotation, pose.translation
            d = R @ c
            hat_p, hat_d = ops.skew(p), ops.skew(d)
            mass = mass + m
            moment = moment + d + m * p
            inertia = inertia + R @ own @ R.T - hat_p @ hat_d - hat_d @ hat_p - m * (hat_p @ hat_p)
        centre = (1.0 / mass) * moment
        hat = ops.skew(centre)
        return mass, centre, inertia + mass * (hat @ hat)

    def least_length(self, coordinates: Any) -> float:
        """Least stretched length along it, of samples (..., coordinates)."""
        column = 0
        for each in self.strains:
            if each.strain == "stretch":
                rows = np.array([each.row(place) for place in np.linspace(0.0, 1.0, LOOKED_AT)])
                with np.errstate(all="ignore"):  # of a run that blew up
                    lengths = 1.0 + np.asarray(coordinates)[..., column : column + each.terms] @ rows.T
                return float(np.min(lengths, initial=1.0, where=np.isfinite(lengths)))
            column += each.terms
        return 1.0

    # -- checks ---------------------------------------------------------------------------------------------------

    def expressions(self, laws: bool) -> Iterator[tuple[str, Expression]]:
        """Field name and expression, with the place along the rod taken in the middle: what is left are parameters."""
        if laws:
            return
        yield from (("length", each) for each in expressions(self.length))
        yield from (("curvature", each.substitute({ALONG: 0.5})) for each in expressions(self.curvature))
        yield from (("damping", each) for each in expressions(self.damping))
        anywhere = {ALONG: 0.5, **dict.fromkeys(STRAINS, 0.25)}
        yield from (("energy", each.substitute(anywhere)) for each in expressions(self.energy))
        yield from ((f"section: {name}", each) for name, each in self.section.expressions(laws=False))

    def check_place(self, at: VectorLike, what: str, values: Mapping[str, float]) -> None:
        """Refuse a point beyond the ends; where along a bent rod a point lies is found when it is traced."""
        if self.is_straight:
            check_within(self, at, what, values)

    def _check(self, values: Mapping[str, float]) -> None:
        length = self._known("length", values)
        if length is not None and not length > 0.0:
            raise SoftBodyError(f"{self.label}: the length is {length!r} m{self._origin('length')}; it must be positive")
        self.section.check_for(self.label, values)
        times = self._known("damping", values)
        if times is not None and not (np.asarray(times) >= 0.0).all():
            raise SoftBodyError(f"{self.label}: damping is {min(map(float, times))!r} s; it must not be negative")
        if free_names(self.curvature) <= values.keys() | {ALONG}:
            for place in (0.0, 0.5, 1.0):
                bent = np.asarray(self.free_strain(place, values), dtype=float)
                if not np.isfinite(bent).all():
                    raise SoftBodyError(f"{self.label}: the curvature at s = {place} is {bent[3:]}; give finite numbers")


def _step(rod: Rod, start: float, end: float, values: Mapping[str, Any]) -> SE3:
    """From one place to another along the rod without load: one step of Magnus, of fourth order."""
    middle, share = 0.5 * (start + end), (end - start) / (2.0 * np.sqrt(3.0))
    first, second = (rod.free_strain(place, values) for place in (middle - share, middle + share))
    h = (end - start) * evaluate(rod.length, values)
    return SE3.exp(0.5 * h * (first + second) + (np.sqrt(3.0) / 12.0 * h * h) * (SE3.ad(first) @ second))


def _nodes(rod: Rod, values: Mapping[str, Any]) -> tuple[SE3, ...]:
    found = [SE3.identity()]
    for k in range(FINE):
        found.append(found[-1] @ _step(rod, k / FINE, (k + 1) / FINE, values))
    return tuple(found)


@lru_cache(maxsize=64)
def _known_nodes(rod: Rod, values: tuple[tuple[str, float], ...]) -> tuple[SE3, ...]:
    return _nodes(rod, dict(values))


def slice_inertia(second: tuple[Any, Any, Any]) -> Array:
    """Inertia per length of a slice about its axes, from the integrals of y², z² and y z over its mass."""
    yy, zz, yz = second
    return ops.matrix([[yy + zz, 0.0, 0.0], [0.0, zz, -yz], [0.0, -yz, yy]])
