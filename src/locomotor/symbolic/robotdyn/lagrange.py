"""What RobotDyn derives, by its own formulas (Génot 1998, appendix D, misprints corrected).

T_i = A_0 ... A_ref A_i; M = sum m_i Jv_i^T Jv_i + Jw_i^T R_i I_i R_i^T Jw_i; C by the symbols of Christoffel; G = dEp/dq; the
extremities, their gradients and what is left of their accelerations at q_ddot = 0. This is Lagrange's way, and shares no line
with the recursions of `mechanics`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.model import evaluate
from locomotor.names import TIME
from locomotor.symbolic.collecting import collected
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.robotdyn.robot import REVOLUTE, Robot, Segment


@dataclass(frozen=True, eq=False)
class RobotEquations:
    """The matrices of a robot by the names of RobotDyn, each derived when first asked for."""

    robot: Robot

    # -- symbols ----------------------------------------------------------------------------------------------------------

    @cached_property
    def q(self) -> tuple[Any, ...]:
        """Coordinates, printed as q[1], q[2], ..."""
        sp = sympy_library()
        return tuple(sp.Symbol(f"q[{k}]", real=True) for k in range(1, self.robot.coordinates + 1))

    @cached_property
    def qdot(self) -> tuple[Any, ...]:
        """Rates of the coordinates, qdot[1], ..."""
        sp = sympy_library()
        return tuple(sp.Symbol(f"qdot[{k}]", real=True) for k in range(1, self.robot.coordinates + 1))

    @cached_property
    def symbols(self) -> Mapping[str, Any]:
        """Symbols of parameters, by name."""
        sp = sympy_library()
        return {name: sp.Symbol(name, real=True) for name in (*self.robot.parameters, TIME)}

    def _value(self, quantity: Any) -> Any:
        sp = sympy_library()
        names = {**self.symbols, **{f"q{k}": symbol for k, symbol in enumerate(self.q, 1)}}
        value = sp.sympify(evaluate(quantity, names))
        return value.xreplace({number: _exact(number) for number in value.atoms(sp.Float)})

    def _vector(self, quantities: Any) -> Any:
        return sympy_library().Matrix([self._value(entry) for entry in quantities])

    # -- kinematics -------------------------------------------------------------------------------------------------------

    @cached_property
    def _frames(self) -> list[tuple[Any, Any]]:
        """Rotation and origin of every frame, seen from the base: the base, the segments, the further extremities."""
        sp = sympy_library()
        found = [(sp.eye(3), sp.zeros(3, 1))]
        for segment in (*self.robot.segments, *self.robot.extremities):
            rotation, origin = self._step(segment)
            R, D = found[segment.ref]
            found.append(((R * rotation).applyfunc(collected), (R * origin + D).applyfunc(collected)))
        return found

    def _step(self, segment: Segment) -> tuple[Any, Any]:
        sp = sympy_library()
        alpha, theta, d, a = (self._value(x) for x in (segment.alpha, segment.theta, segment.d, segment.a))
        c, s, ca, sa = sp.cos(theta), sp.sin(theta), sp.cos(alpha), sp.sin(alpha)
        return sp.Matrix([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0, sa, ca]]), sp.Matrix([a * c, a * s, d])

    @cached_property
    def _centres(self) -> list[Any]:
        base = self._vector(self.robot.base)
        moved = zip(self.robot.segments, self._frames[1:], strict=False)
        return [(base + D + R * self._vector(segment.centre)).applyfunc(collected) for segment, (R, D) in moved]

    def _spin(self, i: int) -> Any:
        """Columns of the angular velocity of segment i (from 1): z of the parent of every revolute joint below it."""
        sp = sympy_library()
        found = sp.zeros(3, self.robot.coordinates)
        while i:
            segment = self.robot.segments[i - 1]
            if segment.kind == REVOLUTE:
                angle, axis = self._value(segment.theta), self._frames[segment.ref][0][:, 2]
                for k, symbol in enumerate(self.q):
                    found[:, k] += axis * angle.diff(symbol)
            i = segment.ref
        return found

    # -- matrices, under the names that RobotDyn leaves behind ------------------------------------------------------------

    @cached_property
    def MATRICE_INERTIE(self) -> Any:
        """Inertia matrix M."""
        sp = sympy_library()
        n = self.robot.coordinates
        total = sp.zeros(n, n)
        for i, (segment, centre) in enumerate(zip(self.robot.segments, self._centres, strict=True), 1):
            J, W, R = centre.jacobian(list(self.q)), self._spin(i), self._frames[i][0]
            inertia = sp.Matrix(3, 3, [self._value(entry) for row in segment.inertia for entry in row])
            turned = R.T * W
            total += self._value(segment.mass) * J.T * J + turned.T * inertia * turned
        return _entrywise(total)

    @cached_property
    def CORIOLIS(self) -> Any:
        """C, with C_kj = sum over i of (d_i M_kj + d_j M_ki - d_k M_ij) qdot_i / 2: M_dot - 2 C is skew-symmetric."""
        sp = sympy_library()
        M, q, n = self.MATRICE_INERTIE, self.q, self.robot.coordinates

        def entry(k: int, j: int) -> Any:
            terms = (M[k, j].diff(q[i]) + M[k, i].diff(q[j]) - M[i, j].diff(q[k]) for i in range(n))
            return collected(sum((term * rate for term, rate in zip(terms, self.qdot, strict=True)), sp.Integer(0)) / 2)

        return sp.Matrix(n, n, entry)

    @cached_property
    def ENERGIE_POTENTIELLE(self) -> Any:
        """Ep; gravity is given as minus the acceleration of free fall."""
        up = self._vector(self.robot.gravity)
        weights = zip(self.robot.segments, self._centres, strict=True)
        return collected(sum((self._value(s.mass) * up.dot(centre) for s, centre in weights), sympy_library().Integer(0)))

    @cached_property
    def ENERGIE_CINETIQUE(self) -> Any:
        """Kinetic energy Ec."""
        v = sympy_library().Matrix(self.qdot)
        return collected((v.T * self.MATRICE_INERTIE * v)[0, 0] / 2)

    @cached_property
    def VEC_GRAVITE(self) -> Any:
        """Vector G of the torques of gravity."""
        return _entrywise(sympy_library().Matrix([self.ENERGIE_POTENTIELLE.diff(symbol) for symbol in self.q]))

    @property
    def EXTREMITES(self) -> int:
        """How many extremities there are: the base, the ends of the segments, the further ones."""
        return len(self.robot.segments) + len(self.robot.extremities) + 1

    @cached_property
    def CIN_DIR(self) -> Any:
        """Coordinates of the extremities, row by row; the base is the first."""
        sp = sympy_library()
        base = self._vector(self.robot.base)
        return _entrywise(sp.Matrix([list(base + D) for _, D in self._frames]))

    @property
    def G_N(self) -> Any:
        """Heights y of the extremities."""
        return self.CIN_DIR[:, 1]

    @property
    def G_T(self) -> Any:
        """Places x of the extremities along the ground."""
        return self.CIN_DIR[:, 0]

    @cached_property
    def W_N(self) -> Any:
        """Gradients of the heights, as columns."""
        return _entrywise(self.G_N.jacobian(list(self.q)).T)

    @cached_property
    def W_T(self) -> Any:
        """Gradients of the places along the ground, as columns."""
        return _entrywise(self.G_T.jacobian(list(self.q)).T)

    @cached_property
    def W_N_BAR(self) -> Any:
        """What velocities add to the accelerations of the heights."""
        return self._products(self.G_N)

    @cached_property
    def W_T_BAR(self) -> Any:
        """What velocities add to the accelerations along the ground."""
        return self._products(self.G_T)

    @cached_property
    def W_N_TILDE(self) -> Any:
        """What geometry that depends on time adds to the accelerations of the heights."""
        return _entrywise(self.G_N.diff(self.symbols[TIME], 2))

    @cached_property
    def W_T_TILDE(self) -> Any:
        """What geometry that depends on time adds to the accelerations along the ground."""
        return _entrywise(self.G_T.diff(self.symbols[TIME], 2))

    def _products(self, places: Any) -> Any:
        sp = sympy_library()
        rates = list(zip(self.q, self.qdot, strict=True))
        zero = sp.Integer(0)
        moved = [sum((place.diff(symbol) * rate for symbol, rate in rates), zero) for place in places]
        twice = [sum((once.diff(symbol) * rate for symbol, rate in rates), zero) for once in moved]
        return _entrywise(sp.Matrix([a + 2 * b.diff(self.symbols[TIME]) for a, b in zip(twice, moved, strict=True)]))

    # -- print ------------------------------------------------------------------------------------------------------------

    def printed(self) -> str:
        """The text that RobotDyn prints: inertia, Coriolis, gravity, extremities."""
        lines = ["MATRICE INERTIE :"]
        lines += _matrix_lines("M", self.MATRICE_INERTIE)
        lines += ["", "MATRICE CORIOLIS / CENTRIFUGE :", *_matrix_lines("C", self.CORIOLIS)]
        lines += ["", "VECTEUR GRAVITE :"]
        lines += [f"G[{k}] = {maple(entry)}" for k, entry in enumerate(self.VEC_GRAVITE, 1)]
        lines += ["", "COORDONNEES DES EXTREMITES :"]
        for k in range(self.EXTREMITES):
            x, y = self.CIN_DIR[k, 0], self.CIN_DIR[k, 1]
            lines.append(f"Extremite {k + 1} :  X{k + 1} = {maple(x)}   Y{k + 1} = {maple(y)}")
        return "\n".join(lines) + "\n"


def _exact(number: Any) -> Any:
    """A number of a file as it was meant: twelfths of pi as such, decimals as fractions."""
    sp = sympy_library()
    twelfths = float(number) / math.pi * 12.0
    if number and abs(twelfths - round(twelfths)) < 1e-13 * max(1.0, abs(twelfths)):
        return sp.Rational(round(twelfths), 12) * sp.pi
    return sp.Rational(repr(float(number)))


def _entrywise(matrix: Any) -> Any:
    return matrix.applyfunc(collected)


def _matrix_lines(letter: str, matrix: Any) -> list[str]:
    rows, columns = matrix.shape
    return [f"{letter}[{i + 1},{j + 1}] = {maple(matrix[i, j])}" for i in range(rows) for j in range(columns)]


def maple(expression: Any) -> str:
    """An expression in Maple's words."""
    return str(expression).replace("**", "^").replace(" ", "")
