"""Friction cones with facets as linear complementarity problems: exact in the plane, a pyramid inside the cone in space.

Stewart and Trinkle, Int. J. Numer. Methods Eng. 39 (1996), 2673-2691. Unknowns are the normal forces, forces beta >= 0 along
the facets' edges D, and slip speeds lambda:

    w_N = u_N >= 0,    w_beta = D^T u_T + lambda >= 0,    w_lambda = mu r_N - sum beta >= 0,

each complementary to its unknown. The matrix is copositive where W is semidefinite: Lemke's method finds a solution where the
normals alone can be opened.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from locomotor.complementarity.friction.problem import Problem
from locomotor.typing import Floats


class Faceted(NamedTuple):
    """M and q of the problem, and the map from its unknowns to the forces of the contacts."""

    M: Floats
    q: Floats
    forces: Floats


def edges(axes: int, facets: int) -> Floats:
    """Unit directions in the tangent plane, as columns: the two of a line, or so many around a circle."""
    if axes == 2:
        return np.array([[1.0, -1.0]])
    angles = 2.0 * np.pi * np.arange(facets) / facets
    return np.array([np.cos(angles), np.sin(angles)])


def faceted_problem(problem: Problem, facets: int) -> Faceted:
    """The problem with a pyramid of so many facets in place of each cone."""
    W, q, mu = problem
    n, d = len(mu), problem.axes
    D = edges(d, facets)
    k = D.shape[1]
    forces = np.zeros((n * d, n * (2 + k)))
    bottom = np.zeros((n, n * (2 + k)))
    slip = np.zeros((n * (2 + k), n))
    for i in range(n):
        rows, betas = slice(d * i + 1, d * i + d), slice(n + k * i, n + k * i + k)
        forces[d * i, i] = 1.0
        forces[rows, betas] = D
        bottom[i, i], bottom[i, betas] = mu[i], -1.0
        slip[betas, i] = 1.0
    M = forces.T @ W @ forces
    M[:, n + k * n :] += slip
    M[n + k * n :] += bottom
    return Faceted(M, forces.T @ q, forces)
