"""What a slender body is made of, per length: stiffness against stretch, shear, twist and bending, and mass.

The axis of the body is x; y and z are across. A section is given by its numbers, or made of a material and an outline
(`circle`, `tube`, `rectangle`). Every value may be an expression of parameters and of `s`, which runs from 0 at the start of
the body to 1 at its end: "0.01*(1 - s/2)" tapers; a pair of values is short for a linear taper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import ModelError, SoftBodyError
from locomotor.model.description import Description
from locomotor.model.expressions import (
    Expression,
    Name,
    Quantity,
    QuantityLike,
    apply,
    as_list,
    as_quantity,
    free_names,
)

ALONG = "s"
"""Name of the place along a body in the values of its section: 0 at the start, 1 at the end."""
ALONG_THE_BODY = (0.03, 0.25, 0.5, 0.75, 0.97)
"""Where values are checked; not at the ends, where a wing may come to a point."""
DRAWN = ("outline", "rounded")
"""What is for pictures only."""
STIFFNESSES = ("EA", "GAy", "GAz", "GJ", "EIy", "EIz")

Along = QuantityLike | tuple[QuantityLike, QuantityLike]
"""A value, or those at both ends of the body."""


@dataclass(frozen=True)
class SliceAt:
    """A section at one place: floats, or symbols of parameters."""

    mass: Any
    """Mass per length (kg/m)."""
    moment: tuple[Any, Any]
    """Integrals of y and z over the mass, per length (kg)."""
    second: tuple[Any, Any, Any]
    """Integrals of y², z² and y z over the mass, per length (kg m)."""
    stiffness: Mapping[str, Any]
    """EA, GAy, GAz (N) and GJ, EIy, EIz (N m²) by name; None for one that is not given."""


@dataclass(frozen=True)
class CrossSection(Description):
    """Stiffnesses and mass of a slender body, per length, about its axis x.

    `mass` (kg/m); `EA` against stretch, `GAy` and `GAz` against shear along y and z (N); `GJ` against twist, `EIy` and `EIz`
    against bending about y and about z (N m²): a beam that sags along z bends about y. What is not given is not needed or
    held rigid, as the body says. `moment` (kg) are the integrals of y and z over the mass of a slice, for mass that is not on
    the axis, such as that of a wing behind its leading edge; `second` (kg m) those of y², z² and y z.
    `poisson` is Poisson's ratio, if one was given, and `outline` what is drawn: (width along y, height along z), as an ellipse
    where it is `rounded`; circles are round anyhow.
    """

    mass: Along
    EA: Along | None = None
    GJ: Along | None = None
    EIy: Along | None = None
    EIz: Along | None = None
    GAy: Along | None = None
    GAz: Along | None = None
    moment: tuple[Along, Along] = (0.0, 0.0)
    second: tuple[Along, Along, Along] = (0.0, 0.0, 0.0)
    outline: tuple[Along, Along] | None = None
    poisson: Along | None = None
    rounded: bool = False

    def __post_init__(self) -> None:
        """Read and check the values."""
        self._store(rounded=checks.flag(self.rounded, f"{self.label}: rounded", error=SoftBodyError))
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "rounded":
                continue
            if entry.name in ("moment", "second") or (entry.name == "outline" and value is not None):
                length = 3 if entry.name == "second" else 2
                given = as_list(value)
                if given is None or len(given) != length:
                    raise SoftBodyError(f"{self.label}: {entry.name} is {checks.shown(value)}; give {length} values")
                self._store(**{entry.name: tuple(along(each, f"{self.label}: {entry.name}") for each in given)})
            elif value is not None or entry.name == "mass":
                self._store(**{entry.name: along(value, f"{self.label}: {entry.name}")})
        self.check({})

    def check(self, values: Mapping[str, float]) -> None:
        """Raise if a value is wrong; Poisson's ratio first, since the shear modulus made of it may not even be finite."""
        if self.poisson is not None and free_names(self.poisson) <= values.keys() | {ALONG}:
            for place in ALONG_THE_BODY:
                _check_poisson(_value(self.poisson, values, place), self.label)
        self._check_outline(values)  # of which the numbers below are made
        super().check(values)

    def check_for(self, owner: str, values: Mapping[str, float]) -> None:
        """Raise if a value is wrong, with the name of the body that has this section."""
        try:
            self.check(values)
        except ModelError as error:
            raise type(error)(f"{owner}: {error}") from None

    # -- made of a material and an outline ------------------------------------------------------------------------

    @classmethod
    @checks.fitting
    def circle(
        cls, radius: Along, *, young: Along, density: Along, poisson: Along | None = None, shear: Along | None = None
    ) -> CrossSection:
        """A full round section of `radius` (m); material as in `rectangle`."""
        return cls._ring("CrossSection.circle", radius, 0.0, young, density, poisson, shear)

    @classmethod
    @checks.fitting
    def tube(
        cls,
        radius: Along,
        inner: Along,
        *,
        young: Along,
        density: Along,
        poisson: Along | None = None,
        shear: Along | None = None,
    ) -> CrossSection:
        """A ring with an outer `radius` and an `inner` one (m); material as in `rectangle`."""
        return cls._ring("CrossSection.tube", radius, inner, young, density, poisson, shear)

    @classmethod
    def _ring(cls, label: str, radius: Along, inner: Along, *material: Along | None) -> CrossSection:
        outer, hole = along(radius, f"{label}: radius"), along(inner, f"{label}: inner")
        _positive(outer, f"{label}: radius", "m")
        if not isinstance(hole, Expression) and hole < 0.0:
            raise SoftBodyError(f"{label}: inner is {hole!r} m; it must not be negative")
        if not isinstance(outer, Expression) and not isinstance(hole, Expression) and hole >= outer:
            raise SoftBodyError(f"{label}: the inner radius {hole!r} m is not smaller than the outer {outer!r} m")
        area = np.pi * (outer * outer - hole * hole)
        about = np.pi / 4.0 * (outer * outer * outer * outer - hole * hole * hole * hole)
        size = 2.0 * outer
        return cls._of_material(label, area, (about, about), 2.0 * about, 6.0 / 7.0, (size, size), *material)

    @classmethod
    @checks.fitting
    def rectangle(
        cls,
        width: Along,
        height: Along,
        *,
        young: Along,
        density: Along,
        poisson: Along | None = None,
        shear: Along | None = None,
    ) -> CrossSection:
        """A full rectangle, `width` (m) along y and `height` along z, of a material.

        The material has Young's modulus `young` (Pa), a `density` (kg/m³), and Poisson's ratio `poisson` or a `shear` modulus
        (Pa). Without either it is neither twisted nor sheared. Torsion is that of Saint-Venant, shear with the factor 5/6
        (6/7 of a round section).
        """
        label = "CrossSection.rectangle"
        b, h = along(width, f"{label}: width"), along(height, f"{label}: height")
        _positive(b, f"{label}: width", "m")
        _positive(h, f"{label}: height", "m")
        about = (b * h * h * h / 12.0, h * b * b * b / 12.0)
        return cls._of_material(label, b * h, about, _torsion(b, h), 5.0 / 6.0, (b, h), young, density, poisson, shear)

    @classmethod
    def _of_material(
        cls,
        label: str,
        area: Quantity,
        about: tuple[Quantity, Quantity],
        torsion: Quantity,
        factor: float,
        outline: tuple[Quantity, Quantity],
        young: Along | None,
        density: Along | None,
        poisson: Along | None,
        shear: Along | None,
    ) -> CrossSection:
        E, rho = along(young, f"{label}: young"), along(density, f"{label}: density")
        _positive(E, f"{label}: young", "Pa")
        _positive(rho, f"{label}: density", "kg/m³")
        if poisson is not None and shear is not None:
            raise SoftBodyError(f"{label}: poisson={poisson!r} and shear={shear!r} are given; give one of the two")
        G: Quantity | None = None
        if shear is not None:
            G = along(shear, f"{label}: shear")
            _positive(G, f"{label}: shear", "Pa")
        if poisson is not None:
            nu = along(poisson, f"{label}: poisson")
            _check_poisson(nu, label)
            G = E / (2.0 * (1.0 + nu))
        Iy, Iz = about
        sheared = None if G is None else factor * G * area
        return cls(
            mass=rho * area,
            EA=E * area,
            GJ=None if G is None else G * torsion,
            EIy=E * Iy,
            EIz=E * Iz,
            GAy=sheared,
            GAz=sheared,
            second=(rho * Iz, rho * Iy, 0.0),
            outline=outline,
            poisson=poisson,
        )

    # -- values ---------------------------------------------------------------------------------------------------

    @property
    def names(self) -> frozenset[str]:
        """Parameters that it depends on."""
        return free_names(tuple(getattr(self, entry.name) for entry in fields(self))) - {ALONG}

    @property
    def is_uniform(self) -> bool:
        """Whether it is the same all along the body; what is drawn does not count."""
        return ALONG not in free_names(tuple(getattr(self, entry.name) for entry in fields(self) if entry.name not in DRAWN))

    @checks.fitting
    def at(self, place: Any, values: Mapping[str, Any]) -> SliceAt:
        """The section at a place from 0 to 1, with values of the parameters (numbers or symbols)."""
        here = {**values, ALONG: place}

        def of(value: Any) -> Any:
            return value.evaluate(here) if isinstance(value, Expression) else value

        moment, second = (tuple(map(of, value)) for value in (self.moment, self.second))
        return SliceAt(of(self.mass), moment, second, {name: of(getattr(self, name)) for name in STIFFNESSES})

    def expressions(self, laws: bool) -> Any:
        """Field name and expression, with the place along the body taken in the middle: what is left are parameters."""
        for name, expression in super().expressions(laws):
            yield name, expression.substitute({ALONG: 0.5})

    def _check(self, values: Mapping[str, float]) -> None:
        for name, unit in (("mass", "kg/m"), *((name, "") for name in STIFFNESSES)):
            value = getattr(self, name)
            if value is None or not free_names(value) <= values.keys() | {ALONG}:
                continue
            for place in ALONG_THE_BODY:
                number = _value(value, values, place)
                if not number > 0.0:
                    unit = unit or ("N" if "A" in name else "N m²")
                    where = f" at s = {place}" if ALONG in free_names(value) else ""
                    remedy = "" if name == "mass" else "; leave it out where the body is rigid against it"
                    raise SoftBodyError(
                        f"{self.label}: {name} is {number!r} {unit}{where}{self._origin(name)}; it must be positive{remedy}"
                    )
        self._check_mass(values)

    def _check_outline(self, values: Mapping[str, float]) -> None:
        """No negative measure: area and stiffness have even powers of them, which do not tell; a point at an end may be."""
        for value, side in zip(self.outline or (), ("width", "height"), strict=False):
            if not free_names(value) <= values.keys() | {ALONG}:
                continue
            for place in (0.0, *ALONG_THE_BODY, 1.0):
                number = _value(value, values, place)
                if not (number > 0.0 or (number == 0.0 and place in (0.0, 1.0) and ALONG in free_names(value))):
                    where = f" at s = {place}" if ALONG in free_names(value) else ""
                    raise SoftBodyError(
                        f"{self.label}: its {side} is {number!r} m{where}{self._origin('outline')}; it must be positive"
                    )

    def _check_mass(self, values: Mapping[str, float]) -> None:
        """No slice of positive mass has second moments smaller than its moments make necessary."""
        if not free_names((self.mass, self.moment, self.second)) <= values.keys() | {ALONG}:
            return
        for place in ALONG_THE_BODY:
            mass = _value(self.mass, values, place)
            (y, z), (yy, zz, yz) = (
                tuple(_value(each, values, place) for each in group) for group in (self.moment, self.second)
            )
            about = np.array([[mass, y, z], [y, yy, yz], [z, yz, zz]], dtype=float)
            size = np.sqrt(np.maximum(np.diag(about), np.finfo(float).tiny))
            if yy < 0.0 or zz < 0.0 or np.linalg.eigvalsh(about / np.outer(size, size)).min() < -1e-9:
                raise SoftBodyError(
                    f"{self.label}: no mass has the moments {(y, z)} kg and second moments {(yy, zz, yz)} kg m about the axis, "
                    f"with {mass!r} kg/m; second holds the integrals of y², z² and y z about the axis, not about the centre"
                )


def along(value: Any, what: str) -> Quantity:
    """A quantity of parameters and of the place along the body; a pair of values is a linear taper between them."""
    pair = as_list(value)
    if pair is None:
        return as_quantity(value, what)
    if len(pair) != 2:
        raise SoftBodyError(
            f"{what} is {checks.shown(value)}; give one value, two for a linear taper, or an expression of {ALONG}, which runs "
            "from 0 to 1 along the body"
        )
    start, end = (as_quantity(each, what) for each in pair)
    return start + (end - start) * Name(ALONG)


def _value(value: Any, values: Mapping[str, float], place: float) -> float:
    return float(value.evaluate({**values, ALONG: place})) if isinstance(value, Expression) else float(value)


def _positive(value: Quantity, what: str, unit: str) -> None:
    if not isinstance(value, Expression) and not value > 0.0:
        raise SoftBodyError(f"{what} is {value!r} {unit}; it must be positive")


def _check_poisson(value: Quantity, label: str) -> None:
    if not isinstance(value, Expression) and not -1.0 < value < 0.5:
        raise SoftBodyError(
            f"{label}: Poisson's ratio is {value!r}; it lies between -1 and 0.5 for every stable material, 0.3 for steel. What "
            "hardly changes its volume has one a little below 0.5"
        )


def _torsion(b: Quantity, h: Quantity) -> Quantity:
    """Saint-Venant's constant of a rectangle with sides a >= c: J = a c³ (1/3 - 64/pi⁵ (c/a) sum tanh(n pi a/2c)/n⁵), odd n.

    Timoshenko and Goodier, Theory of Elasticity, section 109.
    """
    if isinstance(b, Expression) or isinstance(h, Expression):
        sides: tuple[Quantity, Quantity] = apply("max", b, h), apply("min", b, h)
    else:
        sides = max(b, h), min(b, h)
    long, short = sides
    ratio = long / short
    total: Any = 0.0
    for n in range(1, 20, 2):
        angle = ratio * (n * np.pi / 2.0)
        total = total + (apply("tanh", angle) if isinstance(angle, Expression) else float(np.tanh(angle))) / n**5
    return long * short * short * short * (1.0 / 3.0 - (64.0 / np.pi**5) * total / ratio)
