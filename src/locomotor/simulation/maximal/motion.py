"""Bodies that are all free, held together by conditions: accelerations, steps, and projections by the smallest change.

    M v_dot = F + J^T lambda,     J v_dot = -bias,     (J M^-1 J^T) lambda = -bias - J M^-1 F

with v the twists of the bodies in their own axes, for which M is constant. lambda is what body_a does to body_b. Friction of
contacts that slip, a multiple of their normal forces, and of joints that follows their load are found with lambda. After each
step positions and velocities are brought back to the conditions by the changes that are smallest as M measures them
(docs/theory.md (B3)).
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.lie import Manifold, quaternion, step_rk4
from locomotor.mechanics.maximal import corrected_increment
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import Gravity, System, evaluate
from locomotor.simulation.maximal import dense
from locomotor.simulation.maximal.bearings import Bearings
from locomotor.simulation.maximal.efforts import Efforts
from locomotor.simulation.maximal.graph import Graph, Places, Rows, Solve
from locomotor.simulation.maximal.rotation import rotations
from locomotor.tracing import TracedSystem
from locomotor.typing import Floats, Vector

WORLD_POSE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
TWIST = slice(7, 13)
CLOSED = 1e-13
"""Gaps (m, rad) at which a projection ends."""
NEWTON_STEPS = 3

Response = Callable[[Vector, Floats], tuple[Vector, Floats]]
"""What makes of a right-hand side and of accelerations without conditions lambda, and those accelerations with friction."""

LOST = 1e100
"""Where a place or a velocity (SI) is larger, a step too long for the motion has made it so."""


class Maximal:
    """A system in maximal coordinates. States are (bodies, 13): position, quaternion, twist in body axes."""

    def __init__(
        self, system: System, target: str = "auto", inputs: Vector | None = None, traced: TracedSystem | None = None
    ) -> None:
        self.system = system
        self.graph = Graph(system, target, () if traced is None else traced.free_parameters)
        self.manifold = Manifold([("vector", 3), ("quaternion",), ("vector", 6)])
        self.efforts = Efforts(system, target, inputs, traced)
        self._bearings = Bearings(system, self.graph, self.efforts)
        values = system.parameters.values
        parts = [body.mass_properties(values) for body in system.bodies]  # type: ignore[union-attr]
        self._mass = np.array([float(m) for m, _, _ in parts])
        self._com = np.array([np.asarray(c, dtype=float) for _, c, _ in parts])
        self.M = np.array([_spatial(float(m), np.asarray(c, float), np.asarray(i, float)) for m, c, i in parts])
        self.M_inverse = np.linalg.inv(self.M)
        gravity = [evaluate(force.acceleration, values) for force in system.forces if isinstance(force, Gravity)]
        self._gravity = np.sum(np.asarray(gravity, dtype=float), axis=0) if gravity else np.zeros(3)
        self._active: Places | None = None

    def tell(self, parameters: Vector) -> None:
        """Take values of the parameters that the traced system leaves free."""
        self.efforts.parameters = parameters
        self.graph.told = self.efforts.values

    # -- states ---------------------------------------------------------------------------------------------------------

    def state(self, q: Vector, v: Vector) -> Floats:
        """The state of all bodies from the coordinates and velocities of the tree."""
        from_tree = forward(Instant(self.system, q, v))
        found = np.zeros((len(self.system.bodies), 13))
        for i, pose in enumerate(from_tree.poses):
            found[i, :3] = np.asarray(pose.translation, dtype=float)
            found[i, 3:7] = np.asarray(quaternion.from_matrix(np.asarray(pose.rotation, dtype=float)), dtype=float)
            found[i, 7:10], found[i, 10:13] = from_tree.velocity[i], from_tree.omega[i]
        return found

    def _rows(self, time: float, state: Floats) -> Rows:
        """All conditions; poses and twists of the world are at the end, where index -1 finds them."""
        poses, twists = np.vstack([state[:, :7], WORLD_POSE]), np.vstack([state[:, TWIST], np.zeros(6)])
        return self.graph.rows(time, poses, twists, lambda: self.efforts.tree(state))

    # -- accelerations --------------------------------------------------------------------------------------------------

    def _condensed(self, data: Floats) -> tuple[Any, Any, Any]:
        """J, M^-1 J^T and A, in which rows of rotors give way."""
        if self.graph.is_small:
            J = self.graph.full(data)
            JM, A = dense.condensed(J, self.M_inverse)
            return J, JM.T, A if self.graph.holds.all() else A + np.diag(self.graph.slack)
        J = self.graph.matrix(data)
        JM = J @ self._M_inverse_sparse
        A = JM @ J.T
        return J, JM.T, A if self.graph.holds.all() else A + self._slack_sparse

    @cached_property
    def _slack_sparse(self) -> Any:
        import scipy.sparse as sparse

        return sparse.diags(self.graph.slack, format="csr")

    def _slips(self, rows: Rows, J: Any, state: Floats) -> Vector:
        """Velocities along the conditions; a rotor always runs at the rate of its joint."""
        return np.asarray((J @ state[:, TWIST].ravel() + rows.drift) * self.graph.holds)

    @cached_property
    def _M_inverse_sparse(self) -> Any:
        import scipy.sparse as sparse

        return sparse.block_diag(list(self.M_inverse), format="csr")

    def active(self, A: Any) -> Places:
        """Rows that do not depend on others, found once."""
        if self._active is None:
            self._active = self.graph.independent(A)
        return self._active

    def independent(self, q: Vector) -> Places:
        """Rows that those before them do not imply, at a pose of the tree."""
        state = self.state(q, np.zeros(self.system.layout.nv))
        return self.graph.independent(self._condensed(self._rows(0.0, state).data)[2])

    def forces(self, time: float, state: Floats) -> Floats:
        """Wrenches on all bodies in body axes, about their origins, less what their own motion takes."""
        R, v = rotations(state[:, 3:7]), state[:, TWIST]
        weight = self._mass[:, None] * np.einsum("nji,j->ni", R, self._gravity)
        wrench = np.concatenate([weight, np.cross(self._com, weight)], axis=1)
        p = np.einsum("nij,nj->ni", self.M, v)
        V, W = v[:, :3], v[:, 3:]
        wrench[:, :3] -= np.cross(W, p[:, :3])
        wrench[:, 3:] -= np.cross(W, p[:, 3:]) + np.cross(V, p[:, :3])
        return wrench + self.efforts.wrenches(time, state) if self.efforts.needed else wrench

    def accelerations(self, time: float, state: Floats) -> tuple[Floats, Vector]:
        """Rates of the twists, and lambda."""
        F = self.forces(time, state)
        if not self.graph.size:
            return np.einsum("nij,nj->ni", self.M_inverse, F), np.zeros(0)
        rows = self._rows(time, state)
        J, MJ, A = self._condensed(rows.data)
        free = np.einsum("nij,nj->ni", self.M_inverse, F)
        solve = self._with_slips(time, state, J, self.graph.solver(A, self.active(A)))
        multipliers, free = solve(-rows.bias - J @ free.ravel(), free)
        if self._bearings:
            pushed = [np.einsum("nij,nj->ni", self.M_inverse, each) for each in self._bearings.pushes(time, state)]
            answers = [solve(-(J @ each.ravel()), each) for each in pushed]
            efforts = self._bearings.efforts(time, state, J, multipliers, [each for each, _ in answers])
            for effort, (by_effort, motion) in zip(efforts, answers, strict=True):
                multipliers, free = multipliers + effort * by_effort, free + effort * motion
        return free + (MJ @ multipliers).reshape(free.shape), multipliers

    def _with_slips(self, time: float, state: Floats, J: Any, solve: Solve) -> Response:
        """What finds lambda, and what is free with the friction of contacts that slip: a multiple of normal forces in lambda.

        (1 + S L(G)) N = S lambda, with L what solves (theory (Q2)).
        """
        if not self.efforts.slips:
            return lambda right, free: (solve(right), free)
        by_friction = self._M_inverse_sparse @ self.efforts.friction(time, state)
        answers = np.column_stack([solve(column) for column in (J @ by_friction).T])
        normals = [self.graph.names.index(f"{name}_normal") for name in self.efforts.slips]

        def found(right: Vector, free: Floats) -> tuple[Vector, Floats]:
            multipliers = solve(right)
            N = np.linalg.solve(np.eye(len(normals)) + answers[normals], multipliers[normals])
            return multipliers - answers @ N, free + (by_friction @ N).reshape(free.shape)

        return found

    def rate(self, time: float, state: Floats) -> Floats:
        """Rate of the state in tangent form; not a number where the motion is lost beyond all numbers."""
        if not (np.abs(state) < LOST).all():
            return np.full((len(state), 12), np.nan)
        linear = np.einsum("nij,nj->ni", rotations(state[:, 3:7]), state[:, 7:10])
        return np.concatenate([linear, state[:, 10:13], self.accelerations(time, state)[0]], axis=1)

    # -- steps ----------------------------------------------------------------------------------------------------------

    def step(self, time: float, state: Floats, h: float, project: bool = True) -> Floats:
        """One step of Runge-Kutta 4 on the group, and the projections."""
        m = self.manifold
        first = self.rate(time, state)
        moved = m.normalise(
            np.asarray(step_rk4(lambda s, x: self.rate(time + s, x), first, h, state, m.retract, m.pull_back), dtype=float)
        )
        return self.projected(moved, time + h) if project and (np.abs(moved) < LOST).all() else moved

    def trapezoid(
        self, time: float, state: Floats, h: float, before: Floats | None, project: bool = True
    ) -> tuple[Floats, Floats]:
        """A step of second order: Heun on the twists, trapezoids for places and turns, those corrected for the step before.

        Returns the state and the increments of the rotations, which the next step takes as `before`.
        """
        a, _ = self.accelerations(time, state)
        R = rotations(state[:, 3:7])
        guess = self.manifold.retract(
            state, h * np.concatenate([np.einsum("nij,nj->ni", R, state[:, 7:10]), state[:, 10:13], a], axis=1)
        )
        later, _ = self.accelerations(time + h, guess)
        twist = state[:, TWIST] + 0.5 * h * (a + later)
        turn = 0.5 * h * (state[:, 10:13] + twist[:, 3:])
        whole = turn if before is None else np.array([corrected_increment(b, n) for b, n in zip(before, turn, strict=True)])
        end = self.manifold.retract(
            state, np.concatenate([np.zeros((len(state), 3)), whole, np.zeros((len(state), 6))], axis=1)
        )
        turned = rotations(end[:, 3:7])
        end[:, :3] += 0.5 * h * (np.einsum("nij,nj->ni", R, state[:, 7:10]) + np.einsum("nij,nj->ni", turned, twist[:, :3]))
        end[:, TWIST] = twist
        end = self.manifold.normalise(end)
        return (self.projected(end, time + h) if project else end), turn

    # -- projections ----------------------------------------------------------------------------------------------------

    def residuals(self, state: Floats, time: float = 0.0) -> tuple[Vector, Vector]:
        """Gaps of all conditions, and the velocities along them."""
        rows = self._rows(time, state)
        return np.abs(rows.gap), np.abs(self._slips(rows, self.graph.matrix(rows.data), state))

    def projected(self, state: Floats, time: float = 0.0) -> Floats:
        """Positions, then velocities, on the conditions: delta = -M^-1 J^T A^-1 gap, multiplicative for rotations."""
        if not self.graph.size:
            return state
        for _ in range(NEWTON_STEPS):
            rows = self._rows(time, state)
            J, MJ, A = self._condensed(rows.data)
            solve = self.graph.solver(A, self.active(A))
            if np.abs(rows.gap).max() <= CLOSED:
                break
            delta = -(MJ @ solve(rows.gap)).reshape(-1, 6)
            delta[:, :3] = np.einsum("nij,nj->ni", rotations(state[:, 3:7]), delta[:, :3])
            state = self.manifold.normalise(
                self.manifold.retract(state, np.concatenate([delta, np.zeros((len(state), 6))], axis=1))
            )
        found = state.copy()
        found[:, TWIST] -= (MJ @ solve(self._slips(rows, J, state))).reshape(-1, 6)
        return found


def _spatial(mass: float, com: Floats, inertia: Floats) -> Floats:
    """Mass matrix of a body over its twist at the origin of its frame."""
    c = np.array([[0.0, -com[2], com[1]], [com[2], 0.0, -com[0]], [-com[1], com[0], 0.0]])
    return np.block([[mass * np.eye(3), -mass * c], [mass * c, inertia - mass * c @ c]])
