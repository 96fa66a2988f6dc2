"""Exact rods as bodies of the tree (docs/theory.md, exact rods): the methods of `Flexibility` for `Rod`.

Boyer, Lebastard, Candelier and Renda, Dynamics of continuum and soft robots: a strain parameterization based approach, IEEE
Transactions on Robotics 37, 2021; Mathew, Ben Hmida, Armanini, Boyer and Renda, SoRoSim, 2022 (discretisation).
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from locomotor.errors import SoftBodyError
from locomotor.lie import SE3, ops
from locomotor.mechanics.soft.rod_shape import Node, RodShape, Stretch, strain_matrix, stretch_between, stretches
from locomotor.mechanics.tree import Flexibility, RigidInertia, flexibility
from locomotor.model import ALONG, STIFFNESS_OF, Rod, evaluate
from locomotor.model.expressions import Expression
from locomotor.typing import Array, SymbolicValues

ORTHOGONAL = 1e-14
"""Sums over the points of Gauss below this share of the largest are zero."""
OUTSIDE = 1e-9
"""How far (of the length) a site may lie beyond the ends of a rod."""


class RodMechanics(Flexibility):
    """Mechanics of the strain coordinates of one rod."""

    def __init__(self, rod: Rod) -> None:
        self.rod = rod
        self._last: RodShape | None = None

    def shape(self, e: Array, values: SymbolicValues) -> RodShape:
        """The deformed rod; what is asked for the same deformation is computed once."""
        last = self._last
        if last is None or last.values is not values or not ops.is_same(last.e, e):
            last = self._last = RodShape(self.rod, _stretches(self.rod), e, values)
        return last

    # -- inertia --------------------------------------------------------------------------------------------------

    def inertia(self, e: Array, values: SymbolicValues) -> RigidInertia:
        """Inertia of the deformed rod about the origin of its first section."""
        return self.shape(e, values).beyonds[0]

    def coupling(self, e: Array, values: SymbolicValues) -> Array:
        """6 x n: wrench on the first section per unit acceleration of the coordinates."""
        return self.shape(e, values).inertia_parts[0]

    def mass(self, e: Array, values: SymbolicValues) -> Array:
        """n x n mass matrix of the coordinates."""
        return self.shape(e, values).inertia_parts[1]

    def bias(self, e: Array, e_dot: Array, omega: Array, values: SymbolicValues) -> tuple[Array, Array]:
        """Inertial wrench and forces on the coordinates at zero accelerations, elastic forces in the latter."""
        wrench, own = self.shape(e, values).velocity_forces(e_dot, omega)
        return wrench, own + self._elastic_forces(e, values)

    # -- sites ----------------------------------------------------------------------------------------------------

    def site(self, placement: SE3, e: Array, values: SymbolicValues) -> SE3:
        """Pose, in the frame of the rod, of what is fixed to a section at `placement` without load."""
        nodes, offset = self._reach(placement, e, values)
        return (nodes[-1].pose if nodes else SE3.identity()) @ offset

    def site_columns(self, placement: SE3, e: Array, values: SymbolicValues) -> Array:
        """6 x n: twist of the site relative to the frame of the rod per unit rate, in axes of the site."""
        nodes, offset = self._reach(placement, e, values)
        if not nodes:
            return np.zeros((6, len(self.rod.coordinates)))
        total = nodes[0].columns
        for node in nodes[1:]:
            total = total + node.columns
        return (nodes[-1].pose @ offset).inverse().Ad() @ total

    def site_bias(self, placement: SE3, e: Array, e_dot: Array, values: SymbolicValues) -> Array:
        """Derivative of that twist at constant rates."""
        nodes, offset = self._reach(placement, e, values)
        if not nodes:
            return np.zeros(6)
        motion = self.shape(e, values).moving(nodes, e_dot, np.zeros(3))[-1]
        # from the classical acceleration to the rate of the components
        rate = ops.concat(motion.acceleration - ops.cross(motion.omega, motion.velocity), motion.omega_dot)
        return offset.twist_to_child(rate)

    def _reach(self, placement: SE3, e: Array, values: SymbolicValues) -> tuple[tuple[Node, ...], SE3]:
        """Nodes from the first section up to that of a site, and the site in its section."""
        place, offset = self._place(placement, values)
        shape = self.shape(e, values)
        found: list[Node] = []
        for node in shape.nodes:
            if node.stretch.end > place + OUTSIDE:
                break
            found.append(node)
        at = found[-1].stretch.end if found else 0.0
        if place > at + OUTSIDE:
            part = stretch_between(self.rod, at, place)
            found.append(shape.beyond(found[-1].pose if found else SE3.identity(), part))
        return tuple(found), offset

    def _place(self, placement: SE3, values: SymbolicValues) -> tuple[float, SE3]:
        """Place from 0 to 1 of the section that a site without load lies in, and the site in that section."""
        rod = self.rod
        length = evaluate(rod.length, values)
        if rod.is_straight:
            place = ops.constant(placement.translation[0] / length)
        else:
            place = _nearest(rod, placement, values)
        if place is None:
            raise SoftBodyError(
                f"{rod.label}: where along it a joint is attached depends on free parameters; give its x as a fixed "
                "share of the length"
            )
        if not -OUTSIDE <= place <= 1.0 + OUTSIDE:
            raise SoftBodyError(
                f"{rod.label}: something is attached at {place:.6g} of its length; give a point between its ends, x from 0 to "
                f"{length} m"
            )
        place = min(max(place, 0.0), 1.0)
        return place, rod.pose_at(place, values).inverse() @ placement

    # -- elasticity -----------------------------------------------------------------------------------------------

    def elastic_energy(self, e: Array, values: SymbolicValues) -> Any:
        """Stored energy: half the stiffness of each strain times its square along the rod, or by its own law."""
        law = self.rod.energy
        if not isinstance(law, Expression):
            return 0.5 * ops.dot(e, self._stiffness(values, [1.0] * len(self.rod.strains)) @ e)
        total: Any = 0.0
        for part, names in self._strained(e, values):
            total = total + (part.weight * evaluate(self.rod.length, values)) * law.evaluate(names)
        return total

    def _elastic_forces(self, e: Array, values: SymbolicValues) -> Array:
        law = self.rod.energy
        if not isinstance(law, Expression):
            return self._stiffness(values, [1.0] * len(self.rod.strains)) @ e
        total: Any = np.zeros(len(self.rod.coordinates))
        for part, names in self._strained(e, values):
            share = part.weight * evaluate(self.rod.length, values)
            B = strain_matrix(self.rod, part.end)
            for each in self.rod.strains:
                stress = law.derivative(each.strain).evaluate(names)
                total = total + (share * stress) * B[each.axis]
        return total

    def _strained(self, e: Array, values: SymbolicValues) -> Iterator[tuple[Stretch, dict[str, Any]]]:
        """Points of Gauss, with the names that a law of energy may use."""
        for part in _stretches(self.rod):
            if part.weight:
                strain = strain_matrix(self.rod, part.end) @ e
                yield part, {**values, ALONG: part.end, **{name: strain[k] for k, name in enumerate(STIFFNESS_OF)}}

    def damping(self, e: Array, e_dot: Array, values: SymbolicValues) -> Array | None:
        """Forces on the coordinates that take energy away (Kelvin and Voigt); None where nothing damps."""
        times = [evaluate(each, values) for each in self.rod.damping]
        if all(ops.is_zero(each) for each in times):
            return None
        return -(self._stiffness(values, times) @ e_dot)

    def _stiffness(self, values: SymbolicValues, shares: list[Any]) -> Array:
        """n x n: integral of B^T K B along the rod, each strain times its share."""
        rod = self.rod
        length = evaluate(rod.length, values)
        n = len(rod.coordinates)
        found: Any = np.zeros((n, n))
        uniform = rod.section.at(0.5, values) if rod.section.is_uniform else None
        for each, share in zip(rod.strains, shares, strict=True):
            if ops.is_zero(share):
                continue
            whole = np.zeros((n, n))
            for part in _stretches(rod):
                if part.weight:
                    row = strain_matrix(rod, part.end)[each.axis]
                    square = part.weight * np.outer(row, row)
                    if uniform is None:
                        here = rod.section.at(part.end, values).stiffness[STIFFNESS_OF[each.strain]]
                        found = found + (share * length * here) * square
                    else:
                        whole = whole + square
            if uniform is not None:
                # Sums that cancel are zero: functions that are orthogonal.
                whole[np.abs(whole) < ORTHOGONAL * np.abs(whole).max()] = 0.0
                found = found + (share * length * uniform.stiffness[STIFFNESS_OF[each.strain]]) * whole
        return found


def _nearest(rod: Rod, placement: SE3, values: SymbolicValues) -> float | None:
    """Place of the section of a bent rod without load in whose plane a point lies, the nearest one; None for symbols."""
    point = tuple(ops.constant(x) for x in ops.entries(placement.translation))
    used = {name: values[name] for name in sorted(rod.names_without_load)}
    if any(x is None for x in point) or any(ops.is_symbolic(x) for x in used.values()):
        return None
    return _nearest_known(rod, point, tuple((name, float(x)) for name, x in used.items()))


@lru_cache(maxsize=256)
def _nearest_known(rod: Rod, point: tuple[float, ...], values: tuple[tuple[str, float], ...]) -> float:
    at, known = np.array(point), dict(values)

    def between(place: float) -> tuple[float, float]:
        """How far the point lies ahead of the section, and how far from its centre."""
        pose = rod.pose_at(place, known)
        line = at - np.asarray(pose.translation, dtype=float)
        return float(np.asarray(pose.rotation, dtype=float)[:, 0] @ line), float(np.linalg.norm(line))

    grid = np.linspace(0.0, 1.0, 65)
    place = float(grid[np.argmin([between(each)[1] for each in grid])])
    length = float(evaluate(rod.length, known))
    for _ in range(50):
        step = between(place)[0] / length
        place += step
        if abs(step) < 1e-15:
            break
    return place


@lru_cache(maxsize=256)
def _stretches(rod: Rod) -> tuple[Stretch, ...]:
    return stretches(rod)


@flexibility.register
def _(rod: Rod) -> Flexibility:
    return RodMechanics(rod)
