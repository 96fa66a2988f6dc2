"""The flapping robot EVA and the wing kinematics of insects (Belkhiri 2013, sections 1.3 and 1.5).

EVA is a specification, not a machine with one set of numbers: every entry is a range. Wing angles are Fourier series of
third order,

    theta(t) = sum_n theta_cn cos(n omega t) + theta_sn sin(n omega t),     n = 0 ... 3     (1.1)

and likewise for the feathering and the elevation; the coefficients are the user's (those of Willmott and Ellington 1997
are not printed).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from locomotor import checks
from locomotor.errors import QuantityError, UnknownNameError
from locomotor.model import Expression, Motion, Quantity, QuantityLike, as_quantity
from locomotor.model.expressions import Name, Number, apply, as_expression
from locomotor.names import TIME, suggestion

SOURCE = "Belkhiri, PhD thesis (2013), section 1.3"
ORDER = 3
"""Highest harmonic of (1.1)."""


@dataclass(frozen=True)
class Range:
    """A specified quantity: from `low` to `high` in SI units, equal where one value is given."""

    name: str
    low: float
    high: float
    unit: str
    description: str
    source: str = SOURCE

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise QuantityError(
                f"range {self.name!r} goes from {self.low!r} to {self.high!r}; give two finite numbers in order"
            )

    def __contains__(self, value: object) -> bool:
        """Whether a value satisfies the specification; round-off does not decide."""
        slack = 1e-9 * max(abs(self.low), abs(self.high))
        return isinstance(value, int | float) and self.low - slack <= value <= self.high + slack

    @property
    def middle(self) -> float:
        """The value half way between the ends of the range."""
        return 0.5 * (self.low + self.high)


@dataclass(frozen=True)
class Specification:
    """Ranges by name: `EVA["frequency"].low`, `0.005 in EVA["mass"]`."""

    name: str
    ranges: tuple[Range, ...]

    def __getitem__(self, name: str) -> Range:
        """The range of that name."""
        for entry in self.ranges:
            if entry.name == name:
                return entry
        raise UnknownNameError(f"{self.name} specifies no {name!r}: {suggestion(name, [r.name for r in self.ranges])}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities that have a range."""
        return tuple(entry.name for entry in self.ranges)


EVA = Specification(
    "EVA",
    (
        Range("mass", 3e-3, 7e-3, "kg", "total mass"),
        Range("wing_mass_fraction", 0.05, 0.05, "1", "mass of the wings over the total mass"),
        Range("wing_mass", 150e-6, 350e-6, "kg", "mass of the wings"),
        Range("wing_area", 15e-4, 30e-4, "m^2", "wing area; planform close to that of Manduca sexta"),
        Range("wing_span", 0.07, 0.07, "m", "span of one wing"),
        Range("wing_chord", 0.05, 0.05, "m", "largest chord"),
        Range("membrane_thickness", 45e-6, 250e-6, "m", "thickness of the membrane"),
        Range("flapping_amplitude", math.radians(40.0), math.radians(60.0), "rad", "amplitude of flapping"),
        Range("frequency", 25.0, 35.0, "Hz", "frequency of flapping"),
    ),
)
"""Specification of the project's flapping robot, for hover and forward flight."""


@dataclass(frozen=True)
class FourierAngle:
    """One wing angle: coefficients of cos(n omega t), n = 0 ... 3, and of sin(n omega t), n = 1 ... 3.

    Coefficients and frequency are numbers or expressions of parameters; missing harmonics are zero.
    """

    frequency: QuantityLike
    """Frequency of the flapping (Hz)."""
    cosines: Sequence[QuantityLike] = (0.0,)
    sines: Sequence[QuantityLike] = ()
    law: Expression = field(init=False, compare=False)
    """The angle as an expression of t."""

    def __post_init__(self) -> None:
        for name in ("cosines", "sines"):
            given = checks.entries(getattr(self, name), f"the {name} of a wing angle", "give a list of numbers", QuantityError)
            object.__setattr__(self, name, given)
        if len(self.cosines) > ORDER + 1 or len(self.sines) > ORDER:
            raise QuantityError(
                f"a wing angle has {len(self.cosines)} cosines and {len(self.sines)} sines; the series (1.1) ends with the "
                f"third harmonic: give at most {ORDER + 1} cosines (from n = 0) and {ORDER} sines (from n = 1)"
            )
        frequency = as_quantity(self.frequency, "frequency of a wing")
        cosines = tuple(as_quantity(c, f"cosine {n} of a wing angle") for n, c in enumerate(self.cosines))
        sines = tuple(as_quantity(s, f"sine {n} of a wing angle") for n, s in enumerate(self.sines, 1))
        total: Expression = as_expression(cosines[0]) if cosines else Number(0.0)
        for n in range(1, ORDER + 1):
            phase = 2.0 * math.pi * n * (as_expression(frequency) * Name(TIME))
            for function, terms, k in (("cos", cosines, n), ("sin", sines, n - 1)):
                if k < len(terms) and terms[k] != 0.0:
                    total = as_expression(terms[k]) * apply(function, phase) + total
        for name, value in (("frequency", frequency), ("cosines", cosines), ("sines", sines), ("law", total)):
            object.__setattr__(self, name, value)

    @property
    def motion(self) -> Motion:
        """The angle as an imposed motion, with exact velocity and acceleration."""
        law: Quantity = as_quantity(self.law)
        return Motion(law)


@dataclass(frozen=True)
class WingKinematics:
    """The three angles of a wing at one frequency (1.1): stroke theta, feathering alpha, elevation psi."""

    stroke: FourierAngle
    feathering: FourierAngle
    elevation: FourierAngle

    def __post_init__(self) -> None:
        for name in ("stroke", "feathering", "elevation"):
            checks.instance(FourierAngle, error=QuantityError)(getattr(self, name), f"wing: {name}")

    @classmethod
    def of(
        cls,
        frequency: QuantityLike,
        *,
        stroke: tuple[Sequence[QuantityLike], Sequence[QuantityLike]],
        feathering: tuple[Sequence[QuantityLike], Sequence[QuantityLike]] = ((0.0,), ()),
        elevation: tuple[Sequence[QuantityLike], Sequence[QuantityLike]] = ((0.0,), ()),
    ) -> WingKinematics:
        """Kinematics from (cosines, sines) of each angle; the elevation, a few degrees, is usually neglected."""
        angles = {"stroke": stroke, "feathering": feathering, "elevation": elevation}
        pairs = [checks.entries(pair, name, "give (cosines, sines)", QuantityError) for name, pair in angles.items()]
        if any(len(pair) != 2 for pair in pairs):
            raise QuantityError(f"the wing angles are {checks.shown(tuple(pairs))}; give (cosines, sines) of each")
        return cls(*(FourierAngle(frequency, *pair) for pair in pairs))

    @property
    def motions(self) -> dict[str, Motion]:
        """The imposed motions by the name of the angle."""
        return {"stroke": self.stroke.motion, "feathering": self.feathering.motion, "elevation": self.elevation.motion}
