"""A deformed rod: poses of its sections, how they move with its strain coordinates, and what they do when it moves.

The rod is followed through nodes: the points of Gauss at which inertia is integrated, and the ends of pieces. Between two nodes
the strain twist xi = xi_0 + B e enters by its two first moments (`magnus`). What moves with the coordinates is written in
the axes of the first section, where columns of several stretches simply add up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.soft.magnus import Turn
from locomotor.mechanics.tree import RigidInertia, bracket
from locomotor.model import Rod, evaluate, slice_inertia
from locomotor.typing import Array, Floats

FREE_POINTS = 4
"""Points at which the strain without load is taken on a stretch, where it varies."""
NOISE = 1e-15
"""Moments below this share are those of functions that do not vary on a stretch."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Numbers of one stretch between two nodes: its ends, and moments of the functions of the strains on it."""

    start: float
    end: float
    moments: tuple[Floats, Floats]
    """6 x n each: integrals of B over s, and of B (s - middle) divided by the length in s."""
    weight: float
    """Weight of Gauss of the node at its end; zero for the end of a piece."""

    @cached_property
    def axes(self) -> tuple[list[int], list[int]]:
        """Strains that have each of the moments."""
        first, second = (np.flatnonzero(np.abs(moment).sum(axis=1)).tolist() for moment in self.moments)
        return first, second

    @property
    def acting(self) -> int:
        """How many coordinates act on it."""
        return int(np.count_nonzero(sum(np.abs(moment).sum(axis=0) for moment in self.moments)))


def strain_matrix(rod: Rod, place: float) -> Floats:
    """B at a place: strain twist per unit of each coordinate, 6 x n."""
    found = np.zeros((6, len(rod.coordinates)))
    column = 0
    for each in rod.strains:
        found[each.axis, column : column + each.terms] = each.row(place)
        column += each.terms
    return found


def stretch_between(rod: Rod, start: float, end: float, weight: float = 0.0) -> Stretch:
    """The stretch between two places of one piece."""
    n = len(rod.coordinates)
    first, second = np.zeros((6, n)), np.zeros((6, n))
    # Functions of degree d: as many points integrate degree 2 d + 1, one more than the second moment needs.
    for place, share in gauss_between(start, end, max(each.degree for each in rod.strains) + 1):
        B = strain_matrix(rod, place)
        first += share * B
        second += share * (place - 0.5 * (start + end)) / (end - start) * B
    second[np.abs(second) < NOISE * (end - start)] = 0.0
    return Stretch(start, end, (first, second), weight)


def gauss_between(start: float, end: float, count: int) -> Iterator[tuple[float, float]]:
    """Points and weights of Gauss between two places."""
    places, weights = np.polynomial.legendre.leggauss(count)
    for place, weight in zip(places, weights, strict=True):
        yield start + 0.5 * (end - start) * (1.0 + float(place)), 0.5 * (end - start) * float(weight)


def stretches(rod: Rod) -> tuple[Stretch, ...]:
    """All stretches of a rod, from its first section to its last."""
    assert rod.points is not None
    found: list[Stretch] = []
    for start, end in pairwise(rod.breaks):
        at = start
        for node, weight in gauss_between(start, end, rod.points):
            found.append(stretch_between(rod, at, node, weight))
            at = node
        found.append(stretch_between(rod, at, end))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Node:
    """One node of a deformed rod."""

    stretch: Stretch
    turn: Turn
    """From the node before to this one."""
    omega_of: tuple[Array, Array]
    """How Omega of the stretch depends on the moments of the strains on it: 6 x k each, a column for each that has one."""
    pose: SE3
    """In the frame of the rod."""
    generators: tuple[Array, Array]
    """Twist of all that lies beyond, in the frame of the rod, per unit of those moments."""

    @property
    def columns(self) -> Array:
        """What this stretch adds to the twist of all that lies beyond, per unit of each coordinate (6 x n)."""
        return self._sum(lambda k, moment: self.generators[k] @ moment)

    def pull(self, wrench: Array) -> Array:
        """Forces on the coordinates of a wrench on all that lies beyond, about the origin of the rod."""
        return self._sum(lambda k, moment: moment.T @ (self.generators[k].T @ wrench))

    def rate(self, e_dot: Array) -> Array:
        """Time derivative of Omega of the stretch."""
        return self._sum(lambda k, moment: self.omega_of[k] @ (moment @ e_dot))

    def _sum(self, term: Callable[[int, Floats], Array]) -> Array:
        """Sum over the moments of the strains."""
        axes, moments = self.stretch.axes, self.stretch.moments
        found = term(0, moments[0][axes[0]])
        return found + term(1, moments[1][axes[1]]) if axes[1] else found


class RodShape:
    """A rod at given strain coordinates."""

    def __init__(self, rod: Rod, parts: tuple[Stretch, ...], e: Array, values: Mapping[str, Any]) -> None:
        self.rod, self.e, self.values = rod, e, values
        self.length = evaluate(rod.length, values)
        found: list[Node] = []
        pose = SE3.identity()
        for part in parts:
            found.append(self.beyond(pose, part))
            pose = found[-1].pose
        self.nodes = tuple(found)

    def _moments(self, part: Stretch) -> tuple[Array, Array | None]:
        """Integral of the strain twist over the stretch, and its first moment about the middle over its length; None: zero."""
        rod, values = self.rod, self.values
        first = part.moments[0] @ self.e
        second = part.moments[1] @ self.e if part.axes[1] else None
        if not rod.varies_without_load:
            return self.length * ((part.end - part.start) * rod.free_strain(part.start, values) + first), _times(
                self.length, second
            )
        free: Any = np.zeros(6)
        turned: Any = np.zeros(6)
        for place, share in gauss_between(part.start, part.end, FREE_POINTS):
            strain = rod.free_strain(place, values)
            free = free + share * strain
            turned = turned + (share * (place - 0.5 * (part.start + part.end)) / (part.end - part.start)) * strain
        return self.length * (free + first), self.length * (turned if second is None else turned + second)

    def beyond(self, pose: SE3, part: Stretch) -> Node:
        """The node at the end of a stretch that begins at a pose."""
        first, second = self._moments(part)
        units = [[self.length * np.eye(6)[:, k] for k in axes] for axes in part.axes]
        if second is None:
            turn = Turn.at(first)
            of = [units[0], []]
        else:
            turn = Turn.at(first + bracket(first, second))
            of = [[unit - bracket(second, unit) for unit in units[0]], [bracket(first, unit) for unit in units[1]]]
        after = pose @ turn.pose
        to_root = after.Ad()
        moved = [[to_root @ turn.differential(each) for each in some] for some in of]
        return Node(part, turn, (_columns(of[0]), _columns(of[1])), after, (_columns(moved[0]), _columns(moved[1])))

    # -- inertia --------------------------------------------------------------------------------------------------

    @cached_property
    def slices(self) -> tuple[RigidInertia | None, ...]:
        """Inertia that is gathered in each node, in axes of its section; None where none is."""
        return tuple(self._slice(node.stretch) if node.stretch.weight else None for node in self.nodes)

    def _slice(self, part: Stretch) -> RigidInertia:
        here = self.rod.section.at(part.end, self.values)
        share = part.weight * self.length
        return RigidInertia(share * here.mass, share * ops.vector(0.0, *here.moment), share * slice_inertia(here.second))

    @cached_property
    def beyonds(self) -> tuple[RigidInertia, ...]:
        """Inertia, about the origin of the rod, of all that lies beyond the beginning of each stretch."""
        found: list[RigidInertia] = []
        total = RigidInertia.zero()
        for node, own in zip(reversed(self.nodes), reversed(self.slices), strict=True):
            if own is not None:
                total = own.moved_to_parent(node.pose) + total
            found.append(total)
        return tuple(reversed(found))

    @cached_property
    def inertia_parts(self) -> tuple[Array, Array]:
        """Coupling (6 x n) and mass matrix (n x n) of the coordinates: sums of I J and J^T I J over the nodes."""
        n = len(self.rod.coordinates)
        if all(node.stretch.acting == n for node in self.nodes):
            return self._node_by_node
        return self._stretch_by_stretch

    @property
    def _node_by_node(self) -> tuple[Array, Array]:
        """Coupling and mass summed node by node: the least work where all coordinates act on every stretch."""
        n = len(self.rod.coordinates)
        coupling: Any = np.zeros((6, n))
        mass: Any = np.zeros((n, n))
        J: Any = np.zeros((6, n))
        for node, inertia in zip(self.nodes, self.slices, strict=True):
            J = J + node.columns
            if inertia is not None:
                loaded = inertia.moved_to_parent(node.pose).matrix() @ J
                mass = mass + J.T @ loaded
                coupling = coupling + loaded
        return coupling, mass

    @property
    def _stretch_by_stretch(self) -> tuple[Array, Array]:
        """With A_k what stretch k adds to the twist beyond it and I_k the inertia there, the coupling is the sum of I_k A_k,
        and the mass matrix that of J^T I_k A_k + A_k^T I_k J + A_k^T I_k A_k, J being the sum of the A before: work for the
        coordinates that act on a stretch only.
        """
        n = len(self.rod.coordinates)
        coupling: Any = np.zeros((6, n))
        mass: Any = np.zeros((n, n))
        J: Any = np.zeros((6, n))
        for node, inertia in zip(self.nodes, self.beyonds, strict=True):
            A = node.columns
            loaded = inertia.matrix() @ A
            before = J.T @ loaded
            J = J + A
            mass = mass + before + loaded.T @ J
            coupling = coupling + loaded
        return coupling, mass

    # -- motion ---------------------------------------------------------------------------------------------------

    def relative(self, node: Node, e_dot: Array) -> tuple[Array, Array]:
        """Twist of a node relative to the one before, in its axes, and how it changes at constant e_dot."""
        part, turn = node.stretch, node.turn
        rate = node.rate(e_dot)
        change = turn.change(rate)
        if part.axes[1]:
            square = 2.0 * self.length * self.length
            change = change + turn.differential(square * bracket(part.moments[0] @ e_dot, part.moments[1] @ e_dot))
        return turn.differential(rate), change

    def moving(self, nodes: tuple[Node, ...], e_dot: Array, omega: Array) -> "list[Moving]":
        """Motion of nodes that follow each other from the first section on, which turns at omega and does not accelerate."""
        found: list[Moving] = []
        W, V, a, W_dot = omega, np.zeros(3), np.zeros(3), np.zeros(3)
        for node in nodes:
            sigma, change = self.relative(node, e_dot)
            s, w = sigma[0:3], sigma[3:6]
            R, p = node.turn.pose.rotation, node.turn.pose.translation
            V = R.T @ (V + ops.cross(W, p)) + s
            a = R.T @ (a + ops.cross(W_dot, p) + ops.cross(W, ops.cross(W, p)))
            W = R.T @ W + w
            a = a + ops.cross(2.0 * W - w, s) + change[0:3]
            W_dot = R.T @ W_dot + ops.cross(W, w) + change[3:6]
            found.append(Moving(V, W, a, W_dot))
        return found

    def velocity_forces(self, e_dot: Array, omega: Array) -> tuple[Array, Array]:
        """Wrench on the first section and forces on the coordinates that keep accelerations zero."""
        needed: list[Array | None] = []
        for motion, inertia in zip(self.moving(self.nodes, e_dot, omega), self.slices, strict=True):
            if inertia is None:
                needed.append(None)
            else:
                rate = ops.concat(motion.acceleration, motion.omega_dot)
                needed.append(inertia.apply(rate) + inertia.velocity_wrench(motion.omega))
        return self.gathered(needed)

    def gathered(self, wrenches: Sequence[Array | None]) -> tuple[Array, Array]:
        """Wrench on the first section and forces on the coordinates of wrenches on the nodes, each in axes of its section."""
        wrench: Any = np.zeros(6)
        own: Any = np.zeros(len(self.rod.coordinates))
        for node, each in zip(reversed(self.nodes), reversed(wrenches), strict=True):
            if each is not None:
                wrench = wrench + node.pose.wrench_to_parent(each)
            own = own + node.pull(wrench)
        return wrench, own


@dataclass(frozen=True, eq=False)
class Moving:
    """Motion of a section, in its axes: velocity, angular velocity, and classical accelerations."""

    velocity: Array
    omega: Array
    acceleration: Array
    omega_dot: Array


def _columns(vectors: list[Array]) -> Array:
    return ops.columns(*vectors) if vectors else np.zeros((6, 0))


def _times(factor: Any, vector: Array | None) -> Array | None:
    return None if vector is None else factor * vector
