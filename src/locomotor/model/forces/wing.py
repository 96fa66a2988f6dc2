"""Wings and fins: thin surfaces cut into sections, on each of which the air acts as if the section were alone.

A wing lies along its `span` axis from `root`; `chord_axis` points from the trailing to the leading edge, and the normal from
the lower to the upper side. At the distance X from the root the section has the chord c(X), of which the share `axis` lies
ahead of the span line, and is turned about that line by `twist`(X), leading edge towards the upper side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import AxisError, CoefficientError, WingError
from locomotor.lie import ops
from locomotor.model.description import check_axis
from locomotor.model.expressions import Expression, QuantityLike, VectorLike, as_quantity, as_vector, evaluate, free_names
from locomotor.model.expressions import known as known_value
from locomotor.model.forces.coefficients import ANGLE, as_coefficient
from locomotor.model.forces.force import Force
from locomotor.names import suggestion

PLACE_ALONG = "X"
"""The distance from the root (m) in the chord, the twist and the coefficients of a wing."""
MECHANISMS = ("translation", "rotation", "added_mass", "viscous", "spin")
"""What the air does, in the order in which it is reported."""
FRAMES, LINEAR = ("exact", "linear"), ("translation", "rotation")
"""How sections of a soft body turn with it, and what acts where they turn to the first order."""
MOST_SECTIONS = 64
ANGLES = np.linspace(-math.pi, math.pi, 181)
"""Angles of attack at which coefficients are tried."""

Coefficient = QuantityLike | Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Station:
    """One section of a wing in the frame of its body, on numbers or symbols."""

    place: Any
    """Distance from the root."""
    width: Any
    """Length of span that it stands for: the weight of the quadrature times the length."""
    chord: Any
    line: Any
    """Its point on the span line."""
    normal: Any
    forward: Any
    """Direction from the trailing to the leading edge."""
    about: Any = None
    """Direction about which it pitches, where that is not across the other two."""

    @property
    def pitching(self) -> Any:
        """Direction about which the section pitches, leading edge away from the normal."""
        return ops.cross(self.normal, self.forward) if self.about is None else self.about

    def behind(self, share: Any, axis: Any) -> Any:
        """The point of the section at a share of its chord behind the leading edge."""
        return self.line - ((share - axis) * self.chord) * self.forward


@dataclass(frozen=True)
class Wing(Force):
    """A wing on a body: air forces by sections (blade elements), quasi-steady.

    `root` (m) and the axes are in the frame of the body; `length` (m) is along `span`. The `normal` points to the upper side:
    of the two directions across span and chord the one that points up (along z; else forward, along x; else along y), unless it
    is given; with axes that depend on parameters, chord times span. `chord` (m) and `twist` (rad) are
    numbers or expressions of `X`, the distance from the root. The forces are integrated by Gauss's rule with `sections`
    points. `lift` and `drag` are coefficients of the angle of attack `alpha` (and `X`): a name of `lm.COEFFICIENTS`, a
    number, an expression or a function of `alpha`. `centre` is the centre of pressure, as a share of the chord behind the
    leading edge, a number or an expression of `alpha`; the velocity of a section is taken at `probe` (the centre of
    pressure by default, the middle of the chord where that moves).

    `mechanisms` are those that act: "translation" (lift and drag of the attached leading-edge vortex), "rotation" (the
    circulation of pitching, coefficient `rotation`, by default pi (3/4 - axis)), "added_mass" (inertia of the air, pi/4
    rho c² along the normal at the share `inertia_centre` of the chord and, with `inertia_turns`, pi/128 rho c⁴ about the
    middle), "viscous" (laminar friction along the chord) and "spin" (drag against pitching, coefficient `spin`).

    Sections of a soft body turn with it: `frame` is "exact", or "linear" for their rotation to the first order, 1 + phi x, as
    in works on small deformations. That one stretches what it turns, by sqrt(1 + phi²), and serves to compare with them; it
    takes "translation" and "rotation", at a centre of pressure that does not move.

    `report` lists sections (from 0, root first) whose angle of attack, speed, lift and drag a run records.
    """

    VECTORS: ClassVar[tuple[str, ...]] = ("root", "span", "chord_axis")
    SCALARS: ClassVar[tuple[str, ...]] = (
        "length", "chord", "twist", "axis", "centre", "inertia_centre", "spin",
    )  # fmt: skip
    BODIES: ClassVar[tuple[str, ...]] = ("body",)
    FLUIDS: ClassVar[tuple[str, ...]] = ("air",)
    ALONG_BODY: ClassVar[bool] = True
    OWN_NAMES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "chord": (PLACE_ALONG,),
        "twist": (PLACE_ALONG,),
        "lift": (ANGLE, PLACE_ALONG),
        "drag": (ANGLE, PLACE_ALONG),
        "centre": (ANGLE, PLACE_ALONG),
    }

    name: str
    body: str
    length: QuantityLike
    chord: QuantityLike
    root: VectorLike = (0.0, 0.0, 0.0)
    span: VectorLike = (0.0, -1.0, 0.0)
    chord_axis: VectorLike = (1.0, 0.0, 0.0)
    normal: VectorLike | None = None
    twist: QuantityLike = 0.0
    axis: QuantityLike = 0.0
    centre: QuantityLike = 0.4
    probe: QuantityLike | None = None
    sections: int = 6
    lift: Coefficient = "belkhiri2013"
    drag: Coefficient = "belkhiri2013"
    rotation: QuantityLike | None = None
    inertia_centre: QuantityLike = 0.5
    inertia_turns: bool = True
    spin: QuantityLike = 2.0
    mechanisms: Sequence[str] = ("translation", "rotation", "added_mass")
    air: str = "air"
    report: Sequence[int] = ()
    frame: str = "exact"

    def __post_init__(self) -> None:
        """Read and check the fields of the description."""
        self._read_name("a force")
        for which in ("lift", "drag"):
            self._store(**{which: as_coefficient(getattr(self, which), which, f"{self.label}: {which}")})
        for which in ("probe", "rotation"):
            if getattr(self, which) is not None:
                self._store(**{which: as_quantity(getattr(self, which), f"{self.label}: {which}")})
        if self.normal is not None:
            self._store(normal=as_vector(self.normal, f"{self.label}: normal"))
        self._store(mechanisms=self._chosen(), report=self._reported())
        if not isinstance(self.inertia_turns, bool):
            raise WingError(f"{self.label}: inertia_turns is {shown(self.inertia_turns)}; give True or False")
        super().__post_init__()
        self._check_frame()

    def _chosen(self) -> tuple[str, ...]:
        given = self.mechanisms
        names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Sequence | set | frozenset) else None
        if names is None:
            raise WingError(f"{self.label}: mechanisms is {shown(given)}; give names out of {', '.join(MECHANISMS)}")
        for name in names:
            if not isinstance(name, str) or name not in MECHANISMS:
                raise WingError(f"{self.label}: no mechanism is named {shown(name)}: {suggestion(shown(name), MECHANISMS)}")
        return tuple(name for name in MECHANISMS if name in names)

    def _check_frame(self) -> None:
        if not isinstance(self.frame, str) or self.frame not in FRAMES:
            raise WingError(f"{self.label}: frame is {shown(self.frame)}; give one of {', '.join(map(repr, FRAMES))}")
        if self.frame == "exact":
            return
        others = [name for name in self.mechanisms if name not in LINEAR]
        if others:
            raise WingError(f"{self.label}: the linear frame has no {others[0]}; give mechanisms={LINEAR!r}, or frame='exact'")
        if self.probe is not None or ANGLE in free_names(self.centre):
            raise WingError(f"{self.label}: in the linear frame the centre of pressure is fixed, and the velocity that of it")

    def _reported(self) -> tuple[int, ...]:
        count = self.sections
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_SECTIONS:
            raise WingError(f"{self.label}: sections is {shown(count)}; give a whole number from 1 to {MOST_SECTIONS}")
        if not isinstance(self.report, Sequence) or isinstance(self.report, str):
            raise WingError(f"{self.label}: report is {shown(self.report)}; give the numbers of sections, such as (0, 5)")
        for k in self.report:
            if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k < count:
                raise WingError(f"{self.label}: section {shown(k)} is outside the wing, which has sections 0 to {count - 1}")
        return tuple(sorted(set(self.report)))

    # --- what is checked with numbers ---

    def _check(self, values: Mapping[str, float]) -> None:
        self._check_axes(values)
        length = known_value(self.length, values)
        if length is not None and not length > 0.0:
            raise WingError(f"{self.label}: the length is {length!r} m{self._origin('length')}; give a positive length")
        for field in ("axis", "inertia_centre"):
            share = known_value(getattr(self, field), values)
            if share is not None and not 0.0 <= share <= 1.0:
                raise WingError(f"{self.label}: {field} is {share!r}{self._origin(field)}; give a share of the chord, 0 to 1")
        if length is not None:
            self._check_chords(length, values)
            self._check_coefficients(length, values)

    def _check_axes(self, values: Mapping[str, float]) -> None:
        for field in ("span", "chord_axis", "normal"):
            if getattr(self, field) is not None:
                check_axis(getattr(self, field), f"{self.label}: {field}", values)
        axes = (self.span, self.chord_axis, *(() if self.normal is None else (self.normal,)))
        if not free_names(axes) <= values.keys():
            return
        known = [np.asarray(evaluate(axis, values), dtype=float) for axis in axes]
        off = max(abs(float(a @ b)) for i, a in enumerate(known) for b in known[:i])
        if off > 1e-9:
            raise AxisError(
                f"{self.label}: span, chord_axis and normal must be at right angles; the cosine between two is {off:.3g}"
            )

    def _check_chords(self, length: float, values: Mapping[str, float]) -> None:
        if not free_names(self.chord) - {PLACE_ALONG} <= values.keys():
            return
        for place in gauss(self.sections)[0]:
            X = length * float(place)
            chord = _tried(self.chord, {**values, PLACE_ALONG: X})
            if not (math.isfinite(chord) and chord > 0.0):
                raise WingError(
                    f"{self.label}: the chord is {chord!r} m{self._origin('chord')} at X = {X:.6g} m of {length:.6g} m; give a "
                    "positive chord at every section, or a shorter length"
                )

    def _check_coefficients(self, length: float, values: Mapping[str, float]) -> None:
        for which in ("lift", "drag", "centre", "twist"):
            given = getattr(self, which)
            names = free_names(given)
            if not names - {ANGLE, PLACE_ALONG} <= values.keys():
                continue
            places = [length * float(place) for place in gauss(self.sections)[0]] if PLACE_ALONG in names else [0.5 * length]
            for k, X in enumerate(places):
                # All angles at the first section; at the others, where the place may do harm, some.
                for angle in ANGLES[:: 1 if k == 0 else 20] if ANGLE in names else (0.0,):
                    found = _tried(given, {**values, ANGLE: float(angle), PLACE_ALONG: X})
                    if not math.isfinite(found):
                        at = f"at X = {X:.6g} m" + (f" and the angle of attack {angle:.4g} rad" if ANGLE in names else "")
                        raise CoefficientError(
                            f"{self.label}: {which} is {found!r}{self._origin(which)} {at}; it must be a finite number at "
                            "every section, from -pi to pi"
                        )

    def sites(self, values: Mapping[str, float]) -> Iterator[tuple[str, Any]]:
        """Where its sections are on its span line, as far as parameters tell."""
        if free_names((self.length, self.root, self.span)) <= values.keys():
            length, root, span = (evaluate(each, values) for each in (self.length, self.root, self.span))
            for place in gauss(self.sections)[0]:
                yield self.body, root + float(place) * length * span

    # --- what the mechanics reads ---

    def has(self, mechanism: str) -> bool:
        """Whether a mechanism acts."""
        return mechanism in self.mechanisms

    @cached_property
    def probed(self) -> Any:
        """Where the velocity of a section is taken, as a share of the chord."""
        if self.probe is not None:
            return self.probe
        return 0.5 if ANGLE in free_names(self.centre) else self.centre

    @cached_property
    def _side(self) -> float:
        """Which of the two normals is the upper one: up along z, else forward along x, else along y, so that wings mirror."""
        if free_names((self.span, self.chord_axis)):
            return 1.0
        x, y, z = np.cross(np.asarray(evaluate(self.chord_axis, {})), np.asarray(evaluate(self.span, {}))).tolist()
        return next((math.copysign(1.0, part) for part in (z, x, y) if abs(part) > 1e-6), 1.0)

    def rotational(self, values: Mapping[str, Any]) -> Any:
        """Coefficient of the circulation that pitching makes."""
        if self.rotation is not None:
            return evaluate(self.rotation, values)
        return math.pi * (0.75 - evaluate(self.axis, values))

    def stations(self, values: Mapping[str, Any]) -> list[Station]:
        """The sections, root first, from values of the parameters: numbers or symbols."""
        length, root = evaluate(self.length, values), evaluate(self.root, values)
        span, forward = evaluate(self.span, values), evaluate(self.chord_axis, values)
        normal = self._side * ops.cross(forward, span) if self.normal is None else evaluate(self.normal, values)
        found = []
        for place, weight in zip(*gauss(self.sections), strict=True):
            X = float(place) * length
            own = {**values, PLACE_ALONG: X}
            ahead, up = forward, normal
            twist = evaluate(self.twist, own)
            if not ops.is_zero(twist):
                c, s = ops.cos(twist), ops.sin(twist)
                ahead, up = c * forward + s * normal, c * normal - s * forward
            found.append(Station(X, float(weight) * length, evaluate(self.chord, own), root + X * span, up, ahead))
        return found


@dataclass(frozen=True)
class Fin(Wing):
    """A fin, a tail or a blade: a wing about its quarter line with the coefficients of a flat plate in attached flow."""

    axis: QuantityLike = 0.25
    centre: QuantityLike = 0.25
    lift: Coefficient = "plate"
    drag: Coefficient = "plate"


def gauss(count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Places and weights of Gauss's rule on 0 to 1."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * (1.0 + places), 0.5 * weights


def _tried(quantity: Any, values: Mapping[str, Any]) -> float:
    """The number of a quantity, not a number where it has none."""
    try:
        with np.errstate(all="ignore"):
            return float(quantity.evaluate(values)) if isinstance(quantity, Expression) else float(quantity)
    except (ValueError, TypeError, ArithmeticError):
        return math.nan
