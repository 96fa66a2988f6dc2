"""Vehicles in the plane by Lagrange's equations with multipliers, in SymPy: nothing shared with the library but numbers.

Coordinates are the place (x, y) and heading of a frame and angles of what it carries; bodies are points with mass and moment of
inertia about the vertical, given by their place and turn as functions of the coordinates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

Array = Any
X, Y, HEADING = sp.symbols("x y heading")


def turned(angle: Any, point: Sequence[Any]) -> sp.Matrix:
    """A point seen from axes that are turned back by an angle."""
    return sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]]) * sp.Matrix(point)


@dataclass
class Vehicle:
    """Coordinates, kinetic energy and velocities that must vanish."""

    coordinates: tuple[sp.Symbol, ...]

    def __post_init__(self) -> None:
        self.rates = tuple(sp.Symbol(f"{q}_rate") for q in self.coordinates)
        self.kinetic: Any = sp.Integer(0)
        self.blocked: list[Any] = []

    def rate(self, expression: Any) -> Any:
        """Time derivative of a function of the coordinates."""
        return sum((sp.diff(expression, q) * v for q, v in zip(self.coordinates, self.rates, strict=True)), sp.Integer(0))

    def place(self, angle: Any, *points: Sequence[Any]) -> sp.Matrix:
        """Place in the world: the first point in the frame, a further one turned against it by the angle."""
        result = sp.Matrix([X, Y]) + turned(HEADING, points[0])
        return result + turned(HEADING + angle, points[1]) if len(points) > 1 else result

    def body(self, place: sp.Matrix, turn: Any, mass: Any, inertia: Any) -> None:
        """Add the energy of a body."""
        v = place.applyfunc(self.rate)
        self.kinetic += mass * (v.T * v)[0] / 2 + inertia * self.rate(turn) ** 2 / 2

    def spin(self, angle: Any, inertia: Any) -> None:
        """Add the energy of a wheel's spin about a level axle."""
        self.kinetic += inertia * self.rate(angle) ** 2 / 2

    def velocity(self, place: sp.Matrix, turn: Any, *, along: bool) -> Any:
        """Velocity of a place along a heading, or across it to the left."""
        unit = turned(turn, (1, 0) if along else (0, 1))
        return (place.applyfunc(self.rate).T * unit)[0]

    @cached_property
    def _numbers(self) -> Any:
        """Mass matrix, remaining terms, blocked directions, their bias and the energy as one function of numbers."""
        symbols, rates, T = self.coordinates, self.rates, self.kinetic
        momenta = [sp.diff(T, r) for r in rates]
        M = sp.Matrix([[sp.diff(p, r) for r in rates] for p in momenta])
        other = sp.Matrix([self.rate(p) - sp.diff(T, s) for p, s in zip(momenta, symbols, strict=True)])
        C = sp.Matrix([[sp.diff(b, r) for r in rates] for b in self.blocked])
        bias = sp.Matrix([self.rate(b) for b in self.blocked])
        return sp.lambdify([*symbols, *rates], [M, other, C, bias, T])

    def solve(self, q: Array, v: Array, forces: Array) -> tuple[Array, float, Array]:
        """Accelerations, kinetic energy and matrix of the blocked velocities, at numbers."""
        M, other, C, bias, energy = self._numbers(*q, *v)
        m = len(C)
        matrix = np.block([[M, -C.T], [C, np.zeros((m, m))]])
        # Two wheels on one axle block one direction twice: the least multipliers, accelerations are unique.
        right = np.concatenate([np.asarray(forces) - other[:, 0], -bias[:, 0]])
        return np.linalg.lstsq(matrix, right, rcond=1e-12)[0][: len(q)], float(energy), C


def body_rates(acceleration: Array, velocity: Array, heading: float) -> Array:
    """Rates of (forward, sideways, turning) velocity of the frame from accelerations in the world."""
    c, s = np.cos(heading), np.sin(heading)
    R = np.array([[c, s], [-s, c]])
    forward, sideways = R @ velocity[:2]
    turning = velocity[2]
    return np.append(R @ acceleration[:2] + turning * np.array([sideways, -forward]), acceleration[2])


def trident_snake(n: Mapping[str, float]) -> Vehicle:
    """Ishikawa (2004): hips at 120 degrees on a circle r about the middle, legs of length l, a wheel along each at its tip."""
    legs = sp.symbols("leg_1 leg_2 leg_3")
    found = Vehicle((X, Y, HEADING, *legs))
    found.body(found.place(0, (0, 0)), HEADING, n["m"], n["m"] * n["r"] ** 2 / 4)
    for k, leg in enumerate(legs):
        bearing = 2 * sp.pi * k / 3
        hip = n["r"] * sp.Matrix([sp.cos(bearing), sp.sin(bearing)])
        middle, tip = (found.place(bearing + leg, hip, (reach, 0)) for reach in (n["l"] / 2, n["l"]))
        turn = HEADING + bearing + leg
        found.body(middle, turn, n["m_l"], n["m_l"] * (n["l"] ** 2 + (n["l"] / 10) ** 2) / 12)
        found.blocked.append(found.velocity(tip, turn, along=False))
    return found


def trikke(n: Mapping[str, float]) -> Vehicle:
    """Chitta, Cheng, Frazzoli and Kumar (2005): rear axle at the frame's origin, steering column at b.

    The front wheel touches c behind the column, as a castor does, so that it swings to the right when the fork turns left.
    """
    steer, rider, right, left, front = sp.symbols("steer rider right_wheel left_wheel front_wheel")
    found = Vehicle((X, Y, HEADING, steer, rider, right, left, front))
    rho, disc = n["rho"], n["m_w"] * n["rho"] ** 2
    found.body(found.place(0, (n["b"] / 3, 0)), HEADING, n["m"], n["m"] * (n["b"] ** 2 + (2 * n["d"]) ** 2) / 12)
    found.body(found.place(0, (n["b"], 0)), HEADING + steer, n["m_f"], n["m_f"] * (0.1**2 + 0.4**2) / 12)
    found.body(found.place(rider, (n["b"], 0), (-n["s"], 0)), HEADING + rider, n["m_r"], n["I_r"])
    wheels = (
        (right, found.place(0, (0, -n["d"])), HEADING),
        (left, found.place(0, (0, n["d"])), HEADING),
        (front, found.place(steer, (n["b"], 0), (-n["c"], 0)), HEADING + steer),
    )
    for angle, place, turn in wheels:
        found.body(place, turn, n["m_w"], disc / 4)
        found.spin(angle, disc / 2)
        found.blocked.append(found.velocity(place, turn, along=False))
        found.blocked.append(found.velocity(place, turn, along=True) - rho * found.rate(angle))
    return found
