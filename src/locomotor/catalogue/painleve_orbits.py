"""Painlevé's rod while it slides to the left: its singular points, the line that parts its motions there, and its orbits.

With A = g - l rate^2 sin(angle), B = (1 + 3 cos(angle) (cos(angle) - mu sin(angle)))/m and C = 3 (mu sin - cos)/(m l), the
normal force is F = A/B and the angle accelerates by C F. Both vanish at P = (angle_c, rate_c), where the field has no value. In
the time s with dt = B ds the same orbits follow a smooth field,

    d(angle)/ds = B rate,      d(rate)/ds = C A,      d(impulse)/ds = A,

of which P is a point of rest with the derivative ((a1, 0), (a2, a3)): orbits reach it, or do not, by a1 - a3, which changes its
sign at mu = 8/(3 sqrt 3) (Génot 1998, chapter II; Génot and Brogliato 1999).
"""

import math
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from locomotor.catalogue.painleve_rod import PARADOX_FRICTION, paradox_angles
from locomotor.checks import door, number
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError

Floats = NDArray[np.float64]

SINGULAR_FRICTION = 8.0 / (3.0 * math.sqrt(3.0))
"""From this coefficient on sliding motions may reach a singular point, with a force without bound."""
NEAREST = -150.0
"""Logarithm of the distance (rad) from the singular angle at which a singular point counts as reached."""
BEGINNING = -40.0
"""Logarithm of the distance from which the parting motion is followed back."""
LONGEST = 1e4
"""Time s after which an orbit is given up."""
SAMPLES = 6
"""Samples of an orbit in each step of its integration."""
LIFTS, STICKS, SINGULAR = "no force", "slip ends", "singular point"
"""Ends of an orbit: the force vanishes (beyond, the rod lifts off, or has no motion); the tip stops; P is reached."""


@dataclass(frozen=True)
class SingularPoint:
    """Where A and B vanish together at the smaller of the angles that bound B < 0."""

    angle: float
    rate: float
    a1: float
    """Derivatives of the field in the time s: of B rate by the angle, of C A by angle and rate, of B by the angle."""
    a2: float
    a3: float
    a4: float
    force_gain: float
    """C: angular acceleration by a unit normal force."""

    @property
    def h(self) -> float:
        """a1 - a3, whose sign decides whether orbits can come here."""
        return self.a1 - self.a3

    @property
    def slope(self) -> float:
        """Slope of the line in the plane of angle and rate that parts the orbits near the point."""
        return self.a2 / self.h

    @property
    def acceleration(self) -> float:
        """Limit of the angular acceleration along that line (rad/s²)."""
        return self.a1 * self.a2 / (self.a4 * self.h) if self.a4 else -self.rate * self.a2 / self.a3

    @property
    def force(self) -> float:
        """Limit of the normal force along that line (N)."""
        return self.acceleration / self.force_gain

    @property
    def exponent(self) -> float:
        """Exponent of the time left to the point, by which the force grows towards it beside that line."""
        return self.a3 / self.a1 - 1.0


_friction = partial(number, least=0.0, most=1e6)
"""Up to where the two angles of the paradox are numbers that differ."""


@door(friction=_friction, mass=number, half_length=number, gravity=number)
def singular_point(
    friction: float, turning: float = 1.0, *, mass: float = 1.0, half_length: float = 1.0, gravity: float = 9.8
) -> SingularPoint:
    """The singular point that sliding motions may reach; `turning` is 1 where the rod rises towards it, -1 where it falls."""
    angles = paradox_angles(friction)
    if angles is None:
        raise ArgumentError(
            f"singular_point: with a friction of {friction:g} every sliding motion has one acceleration; give one from 4/3 on"
        )
    angle, m, half, mu = angles[0], mass, half_length, friction
    c, s = math.cos(angle), math.sin(angle)
    rate = math.copysign(math.sqrt(gravity / (half * s)), turning)
    a4 = 3.0 / m * (mu - 2.0 * c * (s + mu * c)) if friction > PARADOX_FRICTION else 0.0
    gain = 3.0 / (m * half) * (mu * s - c)
    return SingularPoint(angle, rate, a4 * rate, -rate * rate / m, 6.0 / m * (c - mu * s) * rate * s, a4, gain)


@dataclass(frozen=True, eq=False)
class Orbit:
    """A sliding motion in the plane of angle and rate, up to where it cannot go on."""

    time: Floats
    angle: Floats
    rate: Floats
    slip: Floats
    """Velocity of the tip (m/s); the rod slides to the left while it is negative."""
    impulse: Floats
    """Of the normal force so far (N s)."""
    force: Floats
    """Normal force (N)."""
    end: str
    """Why it ends: `LIFTS`, `STICKS` or `SINGULAR`."""


@door(friction=_friction, angle=number, rate=number, slip=number, mass=number, half_length=number, gravity=number)
def sliding_orbit(
    friction: float,
    angle: float,
    rate: float,
    slip: float,
    *,
    mass: float = 1.0,
    half_length: float = 1.0,
    gravity: float = 9.8,
) -> Orbit:
    """The motion with a normal force A/B from an angle (rad), its rate and a velocity of the tip to the left (m/s).

    It is followed in the time s, by ln|z| and (rate - rate_c)/z with z = angle - angle_c: distances from the singular angle may
    become as small as exp(-60) before the force vanishes, which no difference of angles can tell from zero.
    """
    from scipy.integrate import solve_ivp

    if slip >= 0.0:
        raise ArgumentError(
            f"sliding_orbit: the slip is {slip:g} m/s; give a negative one, to the left (the other is its mirror)"
        )
    point = singular_point(friction, math.copysign(1.0, rate), mass=mass, half_length=half_length, gravity=gravity)
    field = _Field(point, friction, mass, half_length)
    z = angle - point.angle
    if z == 0.0:
        raise ArgumentError(f"sliding_orbit: {angle:g} rad is the singular angle itself; begin beside it")
    sign = math.copysign(1.0, z)
    start = [math.log(abs(z)), (rate - point.rate) / z, 0.0, slip - half_length * rate * math.sin(angle), 0.0]
    B, A = (value * z for value in field.ratios(z, start[1]))
    if not A / B > 0.0:
        raise ArgumentError(
            f"sliding_orbit: at the angle {angle:g} rad and the rate {rate:g} rad/s no normal force pushes; it lifts off, "
            "or has no motion (see contact_report)"
        )

    def ahead(_: float, y: Floats) -> list[float]:
        return field.derivative(y, sign)

    def no_force(_: float, y: Floats) -> float:
        return field.ratios(sign * math.exp(y[0]), y[1])[1]

    def stops(_: float, y: Floats) -> float:
        return field.slip(y, sign)

    def arrives(_: float, y: Floats) -> float:
        return float(y[0]) - NEAREST

    events = (no_force, stops, arrives)
    for event in events:
        event.terminal = True  # type: ignore[attr-defined]
    # Real time goes on with dt = B ds.
    found = solve_ivp(
        ahead, (0.0, math.copysign(LONGEST, B)), start, "DOP853", events=events, rtol=1e-12, atol=1e-13, dense_output=True
    )
    end = next((name for name, times in zip((LIFTS, STICKS, SINGULAR), found.t_events, strict=True) if len(times)), "")
    if not end:
        raise ArgumentError(f"sliding_orbit: no end by s = {LONGEST:g}; {found.message}")
    between = (np.linspace(a, b, SAMPLES, endpoint=False) for a, b in pairwise(found.t))
    logs, ratio, time, _, impulse = y = found.sol(np.append(np.concatenate([*between]), found.t[-1]))
    zs = sign * np.exp(logs)
    pushes = np.array([field.ratios(float(z), float(rho)) for z, rho in zip(zs, ratio, strict=True)])
    slips = np.array([field.slip(column, sign) for column in y.T])
    return Orbit(time, point.angle + zs, point.rate + ratio * zs, slips, impulse, pushes[:, 1] / pushes[:, 0], end)


@dataclass(frozen=True)
class _Field:
    """The field about a singular point, in differences from it, so that nothing cancels there."""

    point: SingularPoint
    mu: float
    m: float
    half: float

    def ratios(self, z: float, rho: float) -> tuple[float, float]:
        """Ratios B/z and A/z."""
        c, rate = self.point.angle, self.point.rate
        near, half = float(np.sinc(z / math.pi)), float(np.sinc(0.5 * z / math.pi))
        single, double = math.sin(z) * near, 2.0 * math.cos(z) * near  # sin²z/z, sin(2 z)/z
        B = 1.5 * (-2.0 * math.cos(2 * c) * single - math.sin(2 * c) * double)
        B -= 1.5 * self.mu * (-2.0 * math.sin(2 * c) * single + math.cos(2 * c) * double)
        A = (2.0 * rate * rho + rho * rho * z) * math.sin(c + z) + rate * rate * math.cos(c + 0.5 * z) * half
        return B / self.m, -self.half * A

    def derivative(self, y: Floats, sign: float) -> list[float]:
        """By s: of ln|z|, of (rate - rate_c)/z, of the time, of the velocity of the middle, and of the impulse."""
        z, rho = sign * math.exp(y[0]), float(y[1])
        b, a = self.ratios(z, rho)
        angle, rate = self.point.angle + z, self.point.rate + rho * z
        gain = 3.0 / (self.m * self.half) * (self.mu * math.sin(angle) - math.cos(angle))
        return [b * rate, gain * a - rho * b * rate, b * z, self.mu / self.m * a * z, a * z]

    def slip(self, y: Floats, sign: float) -> float:
        """Velocity of the tip."""
        z = sign * math.exp(y[0])
        return float(y[3]) + self.half * (self.point.rate + float(y[1]) * z) * math.sin(self.point.angle + z)


@door(friction=_friction, angle=number)
def separatrix(friction: float, angle: float, turning: float = 1.0) -> float:
    """Rate (rad/s) at an angle of the motion that reaches the singular point with a finite force, and parts the others.

    Below it (of a rod that falls: at larger rates) fast slides reach the point with a force without bound, beyond it the force
    vanishes before. It is followed back from the point. The rod is that of the source, 1 kg and 2 m long.
    """
    from scipy.integrate import solve_ivp

    if friction <= SINGULAR_FRICTION:
        raise ArgumentError(
            f"separatrix: up to a friction of 8/(3 sqrt 3) no motion comes there, and it is {friction:g}; give more"
        )
    point = singular_point(friction, turning)
    field, z = _Field(point, friction, 1.0, 1.0), angle - point.angle
    sign = math.copysign(1.0, z)

    def back(log: float, y: Floats) -> list[float]:
        ahead = field.derivative(np.array([log, y[0], 0.0, 0.0, 0.0]), sign)
        return [ahead[1] / ahead[0]]

    found = solve_ivp(back, (BEGINNING, math.log(abs(z))), [point.slope], "DOP853", rtol=1e-12, atol=1e-13)
    return point.rate + float(found.y[0, -1]) * z


@door(friction=_friction, angle=number, rate=number)
def stopping_slip(friction: float, angle: float, rate: float) -> float:
    """Velocity of the tip (m/s, to the left) up to which it stops before a singular point is reached; faster ones get there."""
    fast = -1e6
    orbit = sliding_orbit(friction, angle, rate, fast)
    if orbit.end != SINGULAR:
        raise ArgumentError(
            f"stopping_slip: from {angle:g} rad at {rate:g} rad/s no singular point is reached, however fast it slides"
        )
    point = singular_point(friction, math.copysign(1.0, rate))
    return rate * math.sin(angle) - point.rate * math.sin(point.angle) - friction * float(orbit.impulse[-1])


@door(friction=_friction, angle=number)
def cone_primitive(friction: float, angle: float) -> float:
    """L: the integral of d(angle)/(m B), with poles at both angles where B vanishes; its real part (Génot 1998, lemma II.2)."""
    if not 3.0 * friction > 4.0:
        raise ArgumentError(f"cone_primitive: friction is {friction:g}; B vanishes nowhere up to 4/3: give a larger one")
    D = math.sqrt(9.0 * friction * friction - 16.0)
    u = (3.0 * friction - 2.0 * math.tan(angle)) / D
    if abs(u) == 1.0:
        return math.copysign(math.inf, u)
    return math.log(abs((1.0 + u) / (1.0 - u))) / D
