"""Soft bodies in the second derivation (`virtual_power`): clouds of mass points whose places are written down.

Slices stand at points of Gauss along the body, each as four masses with the mass, the moments and the second moments of its
section. Where they are is all that is said of them, beside elastic energy and Rayleigh's function: no integral of shapes, no
differential of an exponential, no recursion of `mechanics`. Of shapes only the values are used; slopes are their derivatives.
"""

from collections.abc import Iterator
from functools import singledispatch
from itertools import pairwise
from typing import Any

import casadi
import numpy as np

from locomotor.model import ALONG, STIFFNESS_OF, FlexibleBody, Rod, evaluate
from locomotor.model.expressions import Expression
from locomotor.tracing.readings.child_poses import about, refuse
from locomotor.typing import Floats

Pose = tuple[Any, Any]
"""Rotation and place in the frame of the body."""
SLICES = 60
"""Points of Gauss along a flexible body, crowded at the ends, where a section may come to a point."""
STIFFNESSES = {"stretch": ("EA", 1), "y": ("EIz", 2), "z": ("EIy", 2), "twist": ("GJ", 1)}
"""What resists each kind of deformation, and which derivative of its displacement."""
SERIES = 12
"""Terms of the series of an exponential: enough for all digits up to an angle of 2 rad from one section to the next."""


@singledispatch
def site(body: Any, at: Any, e: Any, values: dict[str, Any]) -> Pose:
    """Pose of what was at a point of the undeformed body, parallel to its frame."""
    refuse("soft body", body)


@singledispatch
def cloud(body: Any, e: Any, values: dict[str, Any]) -> tuple[Floats, Any]:
    """Masses, and their places in the frame of the body (3 x N)."""
    refuse("soft body", body)


@singledispatch
def strained(body: Any, e: Any, values: dict[str, Any]) -> Any:
    """Elastic energy."""
    refuse("soft body", body)


@singledispatch
def lost(body: Any, e: Any, e_dot: Any, values: dict[str, Any]) -> Any:
    """Rayleigh's function: half the power that damping takes."""
    refuse("soft body", body)


def gauss(start: float, end: float, count: int) -> Iterator[tuple[float, float]]:
    """Points and weights of Gauss."""
    points, weights = np.polynomial.legendre.leggauss(count)
    for point, weight in zip(points, weights, strict=True):
        yield start + 0.5 * (end - start) * (1.0 + float(point)), 0.5 * (end - start) * float(weight)


def _four(mass: Any, moment: Any, second: Any) -> Iterator[tuple[float, float, float]]:
    """Four masses with y and z that have the given mass, moments and second moments."""
    m, (yy, zz, yz) = float(mass), (float(each) for each in second)
    centre = np.array([float(each) for each in moment]) / m
    sizes, axes = np.linalg.eigh(np.array([[yy, yz], [yz, zz]]) / m - np.outer(centre, centre))
    for k in range(2):
        arm = axes[:, k] * np.sqrt(2.0 * max(float(sizes[k]), 0.0))
        for y, z in (centre + arm, centre - arm):
            yield 0.25 * m, float(y), float(z)


# -- assumed modes -----------------------------------------------------------------------------------------------------


class _Displaced:
    """Displacements of the axis of a flexible body by its coordinates, from the values of its shapes."""

    def __init__(self, body: FlexibleBody, values: dict[str, Any]) -> None:
        self.body, self.length = body, float(evaluate(body.length, values))
        s = casadi.SX.sym("s")
        self._functions: dict[str, Any] = {}
        self.places: dict[str, slice] = {}
        first = 0
        for kind, shapes in body.slender.shapes.items():
            value = casadi.vertcat(*(each[0] for each in shapes.at(s))) if len(shapes) else casadi.SX(0, 1)
            slope = casadi.jacobian(value, s)
            self._functions[kind] = casadi.Function(kind, [s], [value, slope, casadi.jacobian(slope, s)])
            self.places[kind] = slice(first, first + len(shapes))
            first += len(shapes)

    def shapes(self, kind: str, s: float, derivative: int = 0) -> Floats:
        """Shapes of a kind, or their derivatives by the arc length."""
        return np.array(self._functions[kind](s)[derivative]).ravel() / self.length**derivative

    def along(self, kind: str, s: float, e: Any, derivative: int = 0) -> Any:
        """Displacement (or twist) of the axis, or its derivative."""
        if self.places[kind].start == self.places[kind].stop:
            return 0.0
        return casadi.dot(casadi.DM(self.shapes(kind, s, derivative)), e[self.places[kind]])

    def shortened(self, s: float, e: Any) -> Any:
        """Half the integral of the squares of both slopes up to a place."""
        total: Any = 0.0
        for kind in ("y", "z") if self.body.stiffening else ():
            own = e[self.places[kind]]
            if own.numel():
                slopes = [(w * self.length, self.shapes(kind, x, 1)) for x, w in gauss(0.0, s, 30)]
                squares = sum((share * np.outer(slope, slope) for share, slope in slopes), np.zeros((own.numel(),) * 2))
                total = total + 0.5 * casadi.bilin(casadi.DM(squares), own, own)
        return total

    def section(self, s: float, e: Any) -> tuple[Any, Any, Any]:
        """Where the axis is at a place, and what a point of the section moves by per unit of y and of z."""
        u, v, w, twist = (self.along(kind, s, e) for kind in ("stretch", "y", "z", "twist"))
        centre = casadi.vertcat(self.length * s + u - self.shortened(s, e), v, w)
        across = casadi.vertcat(-self.along("y", s, e, 1), 1.0, twist)
        return centre, across, casadi.vertcat(-self.along("z", s, e, 1), -twist, 1.0)


def _slices(body: FlexibleBody) -> Iterator[tuple[float, float]]:
    """Places and weights along the body."""
    for t, weight in gauss(0.0, 1.0, SLICES):
        yield t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) * weight


@site.register
def _(body: FlexibleBody, at: Any, e: Any, values: dict[str, Any]) -> Pose:
    """Turned by the slopes and the twist there, one after the other: about z, then y, then x."""
    moved, (x, y, z) = _Displaced(body, values), (float(each) for each in at)
    s = x / moved.length
    turns = ((2, moved.along("y", s, e, 1)), (1, -moved.along("z", s, e, 1)), (0, moved.along("twist", s, e)))
    R = casadi.SX.eye(3)
    for axis, angle in turns:
        R = R @ about(np.eye(3)[axis], angle)
    centre, across, up = moved.section(s, e)
    return R, centre + y * across + z * up


@cloud.register
def _(body: FlexibleBody, e: Any, values: dict[str, Any]) -> tuple[Floats, Any]:
    moved = _Displaced(body, values)
    masses, places = [], []
    for s, weight in _slices(body):
        here = body.section.at(s, values)
        centre, across, up = moved.section(s, e)
        for mass, y, z in _four(here.mass, here.moment, here.second):
            masses.append(weight * moved.length * mass)
            places.append(centre + y * across + z * up)
    return np.array(masses), casadi.horzcat(*places)


@strained.register
def _(body: FlexibleBody, e: Any, values: dict[str, Any]) -> Any:
    moved, total = _Displaced(body, values), casadi.SX(0)
    for s, weight in _slices(body):
        here = body.section.at(s, values).stiffness
        for kind, (name, derivative) in STIFFNESSES.items():
            if len(body.slender.shapes[kind]):
                total += 0.5 * weight * moved.length * here[name] * moved.along(kind, s, e, derivative) ** 2
    return total


@lost.register
def _(body: FlexibleBody, e: Any, e_dot: Any, values: dict[str, Any]) -> Any:
    """Every mode of the clamped body with its ratio to critical damping, or shares of mass and stiffness (Rayleigh)."""
    if body.damping is None and body.rayleigh is None:
        return casadi.SX(0)
    x = casadi.SX.sym("e", e.numel())
    masses, places = cloud(body, x, values)
    J = casadi.jacobian(casadi.vec(places), x)
    formulas = [J.T @ casadi.diag(casadi.DM(np.repeat(masses, 3))) @ J, casadi.hessian(strained(body, x, values), x)[0]]
    M, K = (np.array(each) for each in casadi.Function("at_rest", [x], formulas)(np.zeros(e.numel())))
    if body.rayleigh is not None:
        share, other = (float(evaluate(each, values)) for each in body.rayleigh)
        D = share * M + other * K
    else:
        from scipy.linalg import eigh  # slow to load, and wanted here only

        squares, modes = eigh(K, M)
        D = (M @ modes * (2.0 * float(evaluate(body.damping, values)) * np.sqrt(squares))) @ (M @ modes).T
    return 0.5 * casadi.bilin(casadi.DM(D), e_dot, e_dot)


# -- exact rods --------------------------------------------------------------------------------------------------------


def strain(rod: Rod, s: float, e: Any) -> Any:
    """Strain twist at a place less that without load."""
    found, first = [casadi.SX(0)] * 6, 0
    for each in rod.strains:
        found[each.axis] = casadi.dot(casadi.DM(each.row(s)), e[first : first + each.terms])
        first += each.terms
    return casadi.vertcat(*found)


def _moved(twist: Any) -> Pose:
    """Exponential of a twist, by series: sin x/x, (1 - cos x)/x² and (x - sin x)/x³ of the square of the angle."""
    V, W = twist[0:3], twist[3:6]
    square, K = casadi.dot(W, W), casadi.skew(W)
    factors = []
    for first in (1, 2, 3):
        term, total = 1.0 / float(np.prod(range(1, first + 1))), casadi.SX(0)
        for k in range(SERIES):
            total, term = total + term, -term * square / ((first + 2 * k + 1) * (first + 2 * k + 2))
        factors.append(total)
    a, b, c = factors
    return casadi.SX.eye(3) + a * K + b * (K @ K), V + b * (K @ V) + c * (K @ (K @ V))


def _beyond(rod: Rod, here: Pose, start: float, end: float, e: Any, values: dict[str, Any]) -> Pose:
    """The section at `end` from that at `start`: exp(m_0 + [m_0, m_1]) of the two first moments of the strain (Magnus)."""
    length = float(evaluate(rod.length, values))
    whole, tilted = casadi.SX.zeros(6), casadi.SX.zeros(6)
    # as many points as the description of the rod says: a free curvature that varies is taken at four of them
    for s, weight in gauss(start, end, 4 if rod.varies_without_load else 1):
        free = casadi.SX(rod.free_strain(s, values))
        whole, tilted = whole + weight * free, tilted + weight * (s - 0.5 * (start + end)) / (end - start) * free
    for s, weight in gauss(start, end, max(each.degree for each in rod.strains) + 2):
        bent = strain(rod, s, e)
        whole, tilted = whole + weight * bent, tilted + weight * (s - 0.5 * (start + end)) / (end - start) * bent
    x, y = length * whole, length * tilted
    bracket = casadi.vertcat(casadi.cross(x[3:6], y[0:3]) + casadi.cross(x[0:3], y[3:6]), casadi.cross(x[3:6], y[3:6]))
    R, p = _moved(x + bracket)
    return here[0] @ R, here[1] + here[0] @ p


def sections(rod: Rod, e: Any, values: dict[str, Any]) -> Iterator[tuple[float, float, Pose]]:
    """Place, weight and pose of the sections at which the rod is summed up; those between its pieces have no weight."""
    assert rod.points is not None
    here: Pose = (casadi.SX.eye(3), casadi.SX.zeros(3))
    yield 0.0, 0.0, here
    for start, end in pairwise(rod.breaks):
        at = start
        for s, weight in (*gauss(start, end, rod.points), (end, 0.0)):
            here = _beyond(rod, here, at, s, e, values)
            at = s
            yield s, weight, here


@site.register
def _(body: Rod, at: Any, e: Any, values: dict[str, Any]) -> Pose:
    if not body.is_straight:
        refuse("joint on a rod that is curved without load, here", body)
    s = float(at[0]) / float(evaluate(body.length, values))
    last, pose = max(((place, pose) for place, _, pose in sections(body, e, values) if place <= s + 1e-9), key=lambda x: x[0])
    R, p = _beyond(body, pose, last, s, e, values) if s > last + 1e-9 else pose
    return R, p + R @ casadi.vertcat(0.0, float(at[1]), float(at[2]))


@cloud.register
def _(body: Rod, e: Any, values: dict[str, Any]) -> tuple[Floats, Any]:
    length = float(evaluate(body.length, values))
    masses, places = [], []
    for s, weight, (R, p) in sections(body, e, values):
        here = body.section.at(s, values)
        for mass, y, z in _four(here.mass, here.moment, here.second) if weight else ():
            masses.append(weight * length * mass)
            places.append(p + R @ casadi.vertcat(0.0, y, z))
    return np.array(masses), casadi.horzcat(*places)


def _along(rod: Rod) -> Iterator[tuple[float, float]]:
    """Places and weights at which it is summed up."""
    assert rod.points is not None
    for start, end in pairwise(rod.breaks):
        yield from gauss(start, end, rod.points)


@strained.register
def _(body: Rod, e: Any, values: dict[str, Any]) -> Any:
    length, total = float(evaluate(body.length, values)), casadi.SX(0)
    for s, weight in _along(body):
        bent, here = strain(body, s, e), body.section.at(s, values).stiffness
        if isinstance(body.energy, Expression):
            named = {name: bent[k] for k, name in enumerate(STIFFNESS_OF)}
            total += weight * length * body.energy.evaluate({**values, ALONG: s, **named})
        else:
            for each in body.strains:
                total += 0.5 * weight * length * here[STIFFNESS_OF[each.strain]] * bent[each.axis] ** 2
    return total


@lost.register
def _(body: Rod, e: Any, e_dot: Any, values: dict[str, Any]) -> Any:
    """Kelvin and Voigt: each stiffness times a time of retardation."""
    length, total = float(evaluate(body.length, values)), casadi.SX(0)
    for each, time in zip(body.strains, body.damping, strict=True):
        lag = float(evaluate(time, values))
        for s, weight in _along(body) if lag else ():
            stiffness = body.section.at(s, values).stiffness[STIFFNESS_OF[each.strain]]
            total += 0.5 * lag * weight * length * stiffness * strain(body, s, e_dot)[each.axis] ** 2
    return total
