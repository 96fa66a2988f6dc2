"""A deformed rod: poses of its sections, how they move with its strain coordinates, and what they do when it moves.

The rod is followed through nodes: the points of Gauss at which inertia is integrated, and the ends of pieces. Between two nodes
the strain twist xi = xi_0 + B e is taken at two points of collocation (`magnus`). What moves with the coordinates is written in
the axes of the first section, where columns of several stretches simply add up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from locomotor.lie import SE3, ops
from locomotor.mechanics.soft.magnus import COLLOCATION, COMMUTATOR, Turn, bracket
from locomotor.mechanics.tree import RigidInertia
from locomotor.model import ElasticRod, evaluate, slice_inertia
from locomotor.typing import Array, Floats


@dataclass(frozen=True, eq=False)
class Stretch:
    """Numbers of one stretch between two nodes: ends, and the functions of the strains at its two points of collocation."""

    start: float
    end: float
    places: tuple[float, float]
    rows: tuple[Floats, Floats]
    """6 x n each: the matrix B, rows of strains that do not vary are zero."""
    weight: float
    """Weight of Gauss of the node at its end; zero for the end of a piece."""

    @property
    def axes(self) -> tuple[int, ...]:
        """Strains that vary here."""
        return tuple(int(k) for k in np.flatnonzero(np.abs(self.rows[0]).sum(axis=1) + np.abs(self.rows[1]).sum(axis=1)))

    @property
    def acting(self) -> int:
        """How many coordinates act on it."""
        return int(np.count_nonzero(np.abs(self.rows[0]).sum(axis=0) + np.abs(self.rows[1]).sum(axis=0)))

    @property
    def is_even(self) -> bool:
        """Whether the functions are constant on it."""
        return bool((self.rows[0] == self.rows[1]).all())


def strain_matrix(rod: ElasticRod, place: float) -> Floats:
    """B at a place: strain twist per unit of each coordinate, 6 x n."""
    found = np.zeros((6, len(rod.coordinates)))
    column = 0
    for each in rod.strains:
        found[each.axis, column : column + each.terms] = each.row(place)
        column += each.terms
    return found


def stretch_between(rod: ElasticRod, start: float, end: float, weight: float = 0.0) -> Stretch:
    """The stretch between two places of one piece."""
    first, second = (start + share * (end - start) for share in COLLOCATION)
    return Stretch(start, end, (first, second), (strain_matrix(rod, first), strain_matrix(rod, second)), weight)


def stretches(rod: ElasticRod) -> tuple[Stretch, ...]:
    """All stretches of a rod, from its first section to its last."""
    assert rod.points is not None
    places, weights = np.polynomial.legendre.leggauss(rod.points)
    found: list[Stretch] = []
    for start, end in pairwise(rod.breaks):
        at = start
        for place, weight in zip(0.5 * (places + 1.0), 0.5 * weights, strict=True):
            node = start + (end - start) * float(place)
            found.append(stretch_between(rod, at, node, float(weight) * (end - start)))
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
    """How Omega of the stretch depends on the strain twist at its two points: vectors of the strains that vary, 6 x k each."""
    pose: SE3
    """In the frame of the rod."""
    generators: tuple[Array, Array]
    """Twist of all that lies beyond, in the frame of the rod, per unit of those strains: 6 x k each."""

    @property
    def columns(self) -> Array:
        """What this stretch adds to the twist of all that lies beyond, per unit of each coordinate (6 x n)."""
        axes = list(self.stretch.axes)
        first, second = self.stretch.rows
        if self.stretch.is_even:
            return self.generators[0] @ first[axes]
        return self.generators[0] @ first[axes] + self.generators[1] @ second[axes]

    def pull(self, wrench: Array) -> Array:
        """Forces on the coordinates of a wrench on all that lies beyond, about the origin of the rod."""
        axes = list(self.stretch.axes)
        found = self.stretch.rows[0][axes].T @ (self.generators[0].T @ wrench)
        return found if self.stretch.is_even else found + self.stretch.rows[1][axes].T @ (self.generators[1].T @ wrench)


class RodShape:
    """A rod at given strain coordinates."""

    def __init__(self, rod: ElasticRod, parts: tuple[Stretch, ...], e: Array, values: Mapping[str, Any]) -> None:
        self.rod, self.e, self.values = rod, e, values
        self.length = evaluate(rod.length, values)
        found: list[Node] = []
        pose = SE3.identity()
        for part in parts:
            found.append(self.beyond(pose, part))
            pose = found[-1].pose
        self.nodes = tuple(found)

    def _strain(self, part: Stretch, k: int) -> Array:
        return self.rod.free_strain(part.places[k], self.values) + part.rows[k] @ self.e

    def beyond(self, pose: SE3, part: Stretch) -> Node:
        """The node at the end of a stretch that begins at a pose."""
        h = (part.end - part.start) * self.length
        units = [np.eye(6)[:, k] for k in part.axes]
        if part.is_even and not self.rod.varies_without_load:
            turn = Turn.at(h * self._strain(part, 0))
            of: tuple[list[Array], list[Array]] = ([h * unit for unit in units], [])
        else:
            first, second = self._strain(part, 0), self._strain(part, 1)
            c = COMMUTATOR * h * h
            turn = Turn.at(0.5 * h * (first + second) + c * bracket(first, second))
            of = (
                [0.5 * h * unit - c * bracket(second, unit) for unit in units],
                [0.5 * h * unit + c * bracket(first, unit) for unit in units],
            )
            if part.is_even:  # only the shape without load varies here
                of = ([a + b for a, b in zip(*of, strict=True)], [])
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
        """As they stand: the least work where all coordinates act on every stretch."""
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
        axes = list(part.axes)
        rates = [part.rows[k] @ e_dot for k in (0, 1)]
        rate = (
            node.omega_of[0] @ rates[0][axes]
            if part.is_even
            else node.omega_of[0] @ rates[0][axes] + node.omega_of[1] @ rates[1][axes]
        )
        change = turn.change(rate)
        if not part.is_even:
            h = (part.end - part.start) * self.length
            change = change + turn.differential((2.0 * COMMUTATOR * h * h) * bracket(rates[0], rates[1]))
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
