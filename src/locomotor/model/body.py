"""Rigid bodies and massless frames."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import (
    InertiaDefinitenessError,
    InertiaError,
    InertiaSymmetryError,
    InertiaTriangleError,
    NonPositiveMassError,
    NotFiniteError,
    ShapeMassError,
)
from locomotor.lie import ops
from locomotor.model.description import Description
from locomotor.model.expressions import (
    Expression,
    MatrixLike,
    QuantityLike,
    VectorLike,
    as_matrix,
    as_quantity,
    as_vector,
    evaluate,
    is_nested,
    show_numbers,
)
from locomotor.model.inertia_rule import ASYMMETRIC, NEGATIVE, NO_TRIANGLE, POSSIBLE, judge_inertias, principal_moments
from locomotor.model.layout import Symbol
from locomotor.model.shapes import Shape, mass_of, read_shapes, together


class InertiaWarning(UserWarning):
    """Moments of inertia that no body has exactly, but measured ones may have."""


@dataclass(frozen=True)
class Body(Description):
    """A rigid body: mass (kg), centre of mass (m) in the body's frame, inertia (kg m²) about that centre.

    The inertia is in the body's axes: three rows, or the three diagonal values. Every value may be an
    expression of the system's parameters. A point mass has none, (0, 0, 0), and a rod none about its axis: both are fine
    where joints and contacts do not let them turn about what has no inertia, which is checked when the system is traced.

    `shapes` are what is drawn of it, in its frame: `Box`, `Cylinder`, `Capsule`, `Sphere`, `Ellipsoid`, `Tube`, `Plate`,
    `Wheel`, `Mesh`. They take no part in the motion: bodies that differ in them only are equal.
    """

    name: str
    mass: QuantityLike
    com: VectorLike = (0.0, 0.0, 0.0)
    inertia: MatrixLike | VectorLike = ()
    shapes: Iterable[Shape] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        self._read_name("a body")
        self._store(shapes=read_shapes(self.shapes, f"{self.label}: shapes"))
        if isinstance(self.inertia, tuple) and not self.inertia:
            raise InertiaError(
                f"{self.label} has no inertia; give inertia= three diagonal values or three rows, about the "
                "centre of mass. A link without mass is a Frame"
            )
        if is_nested(self.inertia):
            inertia = as_matrix(self.inertia, f"{self.label}: inertia")
        else:
            a, b, c = as_vector(self.inertia, f"{self.label}: inertia")
            inertia = ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))
        self._store(
            mass=as_quantity(self.mass, f"{self.label}: mass"),
            com=as_vector(self.com, f"{self.label}: com"),
            inertia=inertia,
        )
        self.check({})

    @classmethod
    @checks.fitting
    def from_shape(
        cls,
        shape: Shape | Iterable[Shape],
        *,
        density: QuantityLike | None = None,
        mass: QuantityLike | None = None,
        name: str = "body",
    ) -> Body:
        """The body that a shape of even density (kg/m³) is, or of a given mass (kg): mass, centre, inertia and looks.

        Several shapes make one body; where they overlap, both count. Dimensions and density may be expressions of parameters.
        """
        label = f"Body {checks.shown(name)}: from_shape"
        shapes = read_shapes(shape, label)
        if not shapes:
            raise ShapeMassError(f"{label} has no shapes; give one, or a list of them")
        if (density is None) == (mass is None):
            raise ShapeMassError(f"{label} has density={density!r} and mass={mass!r}; give one of the two")
        weight = as_quantity(density if mass is None else mass, f"{label}: {'density' if mass is None else 'mass'}")
        if not isinstance(weight, Expression) and not weight > 0.0:
            raise NonPositiveMassError(
                f"{label}: the {'density' if mass is None else 'mass'} is {weight!r}; it must be positive"
            )
        whole = together([mass_of(each, 1.0) for each in shapes])
        # For a density of one the mass is the volume.
        share = weight if mass is None else weight / whole.mass
        inertia = tuple(tuple(share * entry for entry in row) for row in whole.inertia)
        return cls(name, weight if mass is not None else share * whole.mass, whole.com, inertia, shapes)

    @property
    def looks(self) -> tuple[Any, ...]:
        """The shapes that it is drawn by."""
        return tuple(self.shapes)

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """The body's own coordinates; a rigid body has none."""
        return ()

    @property
    def deformations(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Kinds of deformation in words, such as "torsion", each with the names of its coordinates; a rigid body has none."""
        return ()

    def check_carrier(self, joint: Any) -> None:
        """Refuse a joint that cannot carry this kind of body; a rigid body is carried by any."""

    def check_place(self, at: VectorLike, what: str, values: Mapping[str, float]) -> None:
        """Refuse a point where nothing can be attached; a rigid body has its points anywhere."""

    def largest_turn(self, coordinates: Any, values: Mapping[str, float]) -> float:
        """Largest angle (rad) by which assumed small deformations turn a slice, over samples of the own coordinates."""
        return 0.0

    def least_length(self, coordinates: Any) -> float:
        """Least length of a piece over that without load, over samples of the own coordinates; below zero it is inside out."""
        return 1.0

    def mass_properties(self, values: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Mass, centre of mass and inertia about it, with the parameter values (numbers or symbols)."""
        return evaluate(self.mass, values), evaluate(self.com, values), evaluate(self.inertia, values)

    def _check(self, values: Mapping[str, float]) -> None:
        mass = self._known("mass", values)
        if mass is not None and not mass > 0.0:
            raise NonPositiveMassError(
                f"{self.label}: mass is {mass!r} kg{self._origin('mass')}; it must be positive. A link "
                f"without mass is a Frame({self.name!r})"
            )
        inertia = self._known("inertia", values)
        if inertia is not None:
            matrix = np.asarray(inertia, dtype=float)
            doubt = _check_inertia(matrix, self.label)
            # A body is judged again with every system that it becomes part of; the same doubt is told once.
            if doubt and self.__dict__.get("_told") != matrix.tobytes():
                self._store(_told=matrix.tobytes())
                warnings.warn(doubt, InertiaWarning, stacklevel=2)


@dataclass(frozen=True)
class Frame(Description):
    """A massless link between joints, declared as such so that a forgotten mass is still an error; `shapes` as of a `Body`."""

    name: str
    shapes: Iterable[Shape] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        self._read_name("a frame")
        self._store(shapes=read_shapes(self.shapes, f"{self.label}: shapes"))

    @property
    def looks(self) -> tuple[Any, ...]:
        """The shapes that it is drawn by."""
        return tuple(self.shapes)

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """The frame's own coordinates: none."""
        return ()

    @property
    def deformations(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Kinds of deformation: none."""
        return ()

    def mass_properties(self, values: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Zero mass, centre and inertia."""
        return 0.0, ops.zeros(3), ops.zeros(3, 3)


def _check_inertia(inertia: np.ndarray[Any, Any], label: str) -> str:
    """Raise unless a distribution of positive mass has it: I = sum m (|r|² 1 - r r^T); doubt that is left in words."""
    rows = "(" + ", ".join(show_numbers(row) for row in inertia) + ")"
    fault = int(judge_inertias(inertia[None])[0])
    if fault == ASYMMETRIC:
        i, j = np.unravel_index(int(np.abs(inertia - inertia.T).argmax()), (3, 3))
        raise InertiaSymmetryError(
            f"{label}: inertia {rows} is not symmetric: entry ({i}, {j}) is {float(inertia[i, j])!r} and "
            f"entry ({j}, {i}) is {float(inertia[j, i])!r}; make them equal (minus the product of inertia)"
        )
    scale = float(np.abs(inertia).max()) or 1.0  # so that nothing overflows
    low, middle, high = (scale * float(moment) for moment in principal_moments(inertia[None] / scale)[0])
    if not math.isfinite(high):
        raise NotFiniteError(f"{label}: inertia {rows} has moments too large for a number; check its unit, kg m²")
    if fault == POSSIBLE:
        return ""
    moments = f"principal moments {show_numbers((low, middle, high))} kg m²"
    if fault == NEGATIVE:
        raise InertiaDefinitenessError(
            f"{label}: inertia {rows} is negative about an axis ({moments}); check the signs of the products of inertia"
        )
    excess = high - low - middle
    if fault == NO_TRIANGLE:
        raise InertiaTriangleError(
            f"{label}: no body has the {moments}: the largest exceeds the sum of the two others by "
            f"{excess!r}; check units and that the inertia is about the centre of mass"
        )
    return (
        f"{label}: no body has exactly the {moments}: the largest exceeds the sum of the two others by "
        f"{100 * excess / high:.2g} %, as within the error of a measurement; it is taken as it is"
    )
