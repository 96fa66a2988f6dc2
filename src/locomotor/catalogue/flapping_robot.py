"""The flapping robot EVA and the wing kinematics of insects (Belkhiri 2013, sections 1.3 and 1.5).

EVA is a specification, not a machine with one set of numbers: every entry is a range. Wing angles are Fourier series,

    theta(t) = sum_n theta_cn cos(n omega t) + theta_sn sin(n omega t),     n = 0 ... N     (1.1)

and likewise for the feathering and the elevation: of third order in the source, of any order here. The coefficients are the
user's (those of Willmott and Ellington 1997 are not printed); from samples of a period, `FourierAngle.through` finds them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import QuantityError, UnknownNameError
from locomotor.model import Expression, Motion, Quantity, QuantityLike, as_quantity
from locomotor.model.expressions import Name, Number, apply, as_expression
from locomotor.names import TIME, suggestion

SOURCE = "Belkhiri, PhD thesis (2013), section 1.3"
MOST = 64
"""Highest harmonic of a wing angle: more is noise, and a long formula."""


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


@checks.doors
@dataclass(frozen=True)
class Measured:
    """Values measured or computed once, in the order of the source, with what is to be known about them."""

    name: str
    values: tuple[float, ...]
    unit: str
    source: str
    remark: str = ""


MANDUCA_MODES = Measured(
    "modes of a fore wing of Manduca sexta, clamped", (85.0, 105.0, 138.0, 170.0), "Hz",
    "Norris et al., in Belkhiri, PhD thesis (2013), section 4.1", "flexion, torsion, saddle, bisaddle; a cut wing, which dries",
)  # fmt: skip
"""Measured on a cut fore wing."""
VEIN_DIAMETERS = Measured(
    "diameters of the three veins and of the frame of the window of EVA's wing", (0.6e-3, 0.6e-3, 0.6e-3, 0.7e-3), "m",
    "Belkhiri, PhD thesis (2013), Table 4.1", "diameter of the leading edge, membrane and places of the veins are not given",
)  # fmt: skip
"""Of the veins N1 to N3 and of the window F."""
VEIN_ANGLES = Measured(
    "inclinations of the three veins of EVA's wing", tuple(map(math.radians, (10.0, 20.0, 45.0))), "rad",
    "Belkhiri, PhD thesis (2013), Table 4.1",
)  # fmt: skip
"""Of the veins N1 to N3."""
WING_MODES = Measured(
    "modes of EVA's wing, alone", (17.0, 35.0, 60.0), "Hz", "Belkhiri, PhD thesis (2013), section 4.2", "by finite elements"
)
"""Of EVA's wing alone."""
ASSEMBLED_MODES = Measured(
    "modes of wing, thorax and actuator", (7.24, 26.3, 88.0), "Hz", "Belkhiri, PhD thesis (2013), section 4.2",
    "the source says that all are lower than those of the wing alone; the third is higher. The lift is largest near the second",
)  # fmt: skip
"""Of EVA's wing on its bench."""
EVA_LIFT = Measured(
    "largest mean lift of both wings", (3.5e-3 * 9.81,), "N", "Belkhiri, PhD thesis (2013), section 4.2",
    "printed as 3.5e-3 N, that is 3.5 g: 3.5 g weigh 34e-3 N, and 3.5e-3 is in kgf",
)  # fmt: skip
"""What the bench measured, with a remark on its unit."""


@checks.doors
@dataclass(frozen=True)
class FourierAngle:
    """One wing angle: coefficients of cos(n omega t), n = 0 ... N, and of sin(n omega t), n = 1 ... N.

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
        if len(self.cosines) > MOST + 1 or len(self.sines) > MOST:
            raise QuantityError(
                f"a wing angle has {len(self.cosines)} cosines and {len(self.sines)} sines; give at most {MOST + 1} cosines "
                f"(from n = 0) and {MOST} sines (from n = 1)"
            )
        frequency = as_quantity(self.frequency, "frequency of a wing")
        cosines = tuple(as_quantity(c, f"cosine {n} of a wing angle") for n, c in enumerate(self.cosines))
        sines = tuple(as_quantity(s, f"sine {n} of a wing angle") for n, s in enumerate(self.sines, 1))
        total: Expression = as_expression(cosines[0]) if cosines else Number(0.0)
        for n in range(1, max(len(cosines), len(sines) + 1)):
            phase = 2.0 * math.pi * n * (as_expression(frequency) * Name(TIME))
            for function, terms, k in (("cos", cosines, n), ("sin", sines, n - 1)):
                if k < len(terms) and terms[k] != 0.0:
                    total = as_expression(terms[k]) * apply(function, phase) + total
        for name, value in (("frequency", frequency), ("cosines", cosines), ("sines", sines), ("law", total)):
            object.__setattr__(self, name, value)

    @classmethod
    def through(cls, frequency: QuantityLike, samples: Sequence[float], order: int = 3) -> FourierAngle:
        """The series of an order through angles (rad) measured at even instants of one period, by least squares."""
        values = checks.floats(samples, "the samples of a wing angle", dimensions=(1,), finite=True, error=QuantityError)
        if isinstance(order, bool) or not isinstance(order, int) or not 0 <= order <= min(MOST, (len(values) - 1) // 2):
            most = max(min(MOST, (len(values) - 1) // 2), 0)
            raise QuantityError(
                f"the order is {checks.shown(order)} for {len(values)} samples; give a whole number from 0 to {most}"
            )
        phases = 2.0 * math.pi * np.arange(len(values)) / len(values)
        cosines = [float(np.mean(values)), *(2.0 * float(np.mean(values * np.cos(n * phases))) for n in range(1, order + 1))]
        return cls(frequency, cosines, [2.0 * float(np.mean(values * np.sin(n * phases))) for n in range(1, order + 1)])

    @property
    def motion(self) -> Motion:
        """The angle as an imposed motion, with exact velocity and acceleration."""
        law: Quantity = as_quantity(self.law)
        return Motion(law)


@checks.doors
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
