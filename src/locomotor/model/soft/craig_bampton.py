"""Reduction of finite elements by Craig and Bampton (1968): static shapes of the interfaces, and modes with them held.

With the nodes of the interfaces B moving as rigid patches, u_B = R x, and those inside I,

    u_I = -K_II^-1 K_IB R x + Phi y,    K_II Phi = M_II Phi diag(omega²),

so that loads at the interfaces are answered exactly, and inner motion by as many modes as are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import SoftBodyError
from locomotor.typing import Floats


@dataclass(frozen=True, eq=False)
class Reduced:
    """Shapes of a reduced body at all its nodes, and what the interfaces do in them."""

    shapes: Floats
    """(n, nodes, 3)."""
    names: tuple[str, ...]
    units: tuple[str, ...]
    points: Floats
    """Middles of the interfaces (m, 3)."""
    displacements: Floats
    """(m, 3, n)."""
    rotations: Floats
    """(m, 3, n)."""


def nodal_mass(mass: Any, nodes: int, what: str) -> Floats:
    """Mass matrix of the nodes (N x N), the same for all three directions: from masses, such a matrix, or one of all 3 N."""
    given = np.asarray(checks.floats(mass, what, finite=True, error=SoftBodyError), dtype=float)
    if given.shape == (nodes,):
        given = np.diag(given)
    if given.shape == (3 * nodes, 3 * nodes):
        parts = given.reshape(nodes, 3, nodes, 3)
        even = np.einsum("iaja->ij", parts) / 3.0
        if np.abs(parts - np.einsum("ij,ab->iajb", even, np.eye(3))).max() > 1e-9 * np.abs(given).max():
            raise SoftBodyError(
                f"{what} differs between directions, or couples them; only elements with displacements for unknowns are known "
                "here: lump the mass to the nodes, or leave rotations out"
            )
        given = even
    if given.shape != (nodes, nodes):
        raise SoftBodyError(
            f"{what} has the shape {given.shape}; give {nodes} masses, or a matrix of {nodes} or {3 * nodes} rows"
        )
    if np.abs(given - given.T).max() > 1e-9 * np.abs(given).max():
        raise SoftBodyError(f"{what} is not symmetric: its shapes are not mass-normalisable; give M of M a + K u = f")
    least = float(np.linalg.eigvalsh(given)[0])
    if least <= 0.0:
        raise SoftBodyError(
            f"{what} is not positive definite (its smallest eigenvalue is {least:.3g} kg): not mass-normalisable; "
            "give every node a mass, or leave out those without"
        )
    return given


def reduce(positions: Floats, m: Floats, K: Floats, interfaces: tuple[tuple[int, ...], ...], modes: int, label: str) -> Reduced:
    """Static and normal shapes; the first interface is held by the frame of the body."""
    nodes = len(positions)
    free = np.ones(nodes, dtype=bool)
    free[list(interfaces[0])] = False
    columns: list[Floats] = []
    names: list[str] = []
    units: list[str] = []
    held = [_patch(positions, patch) for patch in interfaces[1:]]
    for patch in interfaces[1:]:
        free[list(patch)] = False
    inside = np.nonzero(np.repeat(free, 3))[0]
    K_ii = K[np.ix_(inside, inside)]
    _check_held(K_ii, label)
    for number, (patch, R) in enumerate(zip(interfaces[1:], held, strict=True), start=1):
        places = np.array([3 * node + k for node in patch for k in range(3)])
        for k in range(R.shape[1]):
            u = np.zeros(3 * nodes)
            u[places] = R[:, k]
            u[inside] = -np.linalg.solve(K_ii, K[np.ix_(inside, places)] @ R[:, k])
            columns.append(u)
            names.append(f"end{number}_{'xyz'[k]}" if k < 3 else f"end{number}_turn_{'xyz'[k - 3]}")
            units.append("m" if k < 3 else "rad")
    if modes > len(inside):
        raise SoftBodyError(f"{label}: {modes} modes are asked for, and only {len(inside)} displacements are free inside")
    half = np.linalg.cholesky(np.kron(m, np.eye(3))[np.ix_(inside, inside)])
    inner = np.linalg.solve(half, np.linalg.solve(half, K_ii).T)
    _, vectors = np.linalg.eigh(0.5 * (inner + inner.T))
    for k in range(modes):
        u = np.zeros(3 * nodes)
        u[inside] = np.linalg.solve(half.T, vectors[:, k])
        # One at the place that moves most, so that the coordinate is a displacement (m).
        columns.append(u / u[np.abs(u).argmax()])
        names.append(f"mode{k + 1}")
        units.append("m")
    shapes = np.array(columns).reshape(len(columns), nodes, 3)
    n = len(columns)
    displacements, rotations = np.zeros((len(interfaces), 3, n)), np.zeros((len(interfaces), 3, n))
    first = 0
    for number, R in enumerate(held, start=1):
        for k in range(R.shape[1]):
            (displacements if k < 3 else rotations)[number, k % 3, first + k] = 1.0
        first += R.shape[1]
    points = np.array([positions[list(patch)].mean(axis=0) for patch in interfaces])
    return Reduced(shapes, tuple(names), tuple(units), points, displacements, rotations)


def _patch(positions: Floats, patch: tuple[int, ...]) -> Floats:
    """Displacements (3 k x 6) of k nodes for unit translations and rotations of their middle; three columns for one node."""
    around = positions[list(patch)] - positions[list(patch)].mean(axis=0)
    if np.linalg.matrix_rank(around, tol=1e-9 * max(1.0, float(np.abs(around).max()))) < 2:
        if len(patch) > 1:
            raise SoftBodyError(
                f"an interface has {len(patch)} nodes on a line, which do not tell how it turns; give one node, or "
                "three and more that are not on a line"
            )
        return np.eye(3)
    rows = []
    for x, y, z in around:
        turned = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        rows.append(np.hstack([np.eye(3), turned]))
    return np.vstack(rows)


def check_stiffness(K: Floats, positions: Floats, label: str) -> None:
    """Refuse a stiffness that is not symmetric, is negative, or resists a rigid motion."""
    size = np.abs(K).max()
    if not size > 0.0 or np.abs(K - K.T).max() > 1e-8 * size:
        raise SoftBodyError(f"{label}: stiffness is not symmetric, or zero; give K of the free body, K u = f")
    for k in range(3):
        u = np.zeros((len(positions), 3))
        u[:, k] = 1.0
        if np.abs(K @ u.ravel()).max() > 1e-6 * size:
            raise SoftBodyError(
                f"{label}: stiffness resists a rigid displacement along {'xyz'[k]}; give K of the free body, with "
                "unknowns ordered node by node (x, y, z)"
            )


def _check_held(K: Floats, label: str) -> None:
    values = np.linalg.eigvalsh(0.5 * (K + K.T))
    if len(values) and values[0] <= 1e-12 * values[-1]:
        raise SoftBodyError(
            f"{label}: with its interfaces held, something of it still moves without force; the first interface needs three "
            "nodes that are not on a line, and no part may be loose"
        )
