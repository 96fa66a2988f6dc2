"""Matrices, vectors and coefficients of friction as the solvers expect them, or an error that names what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor import checks
from locomotor.errors import DefinitenessError, FrictionError, MatrixShapeError, SymmetryError
from locomotor.typing import Floats

SYMMETRY = 1e-9
"""Entries of a symmetric matrix may differ by this much of its largest one."""
DEFINITENESS = 1e-9
"""Eigenvalues of a semidefinite matrix may be negative by this much of the largest one."""


def matrix(value: Any, what: str) -> Floats:
    """A finite matrix."""
    found = checks.floats(value, what, finite=True)
    if found.size == 0 and found.ndim < 2:
        found = found.reshape(0, 0)
    if found.ndim != 2:
        raise MatrixShapeError(f"{what} has shape {found.shape}; give a matrix, of shape (rows, columns)")
    return found


def square(value: Any, what: str) -> Floats:
    """A finite square matrix."""
    found = matrix(value, what)
    if found.shape[0] != found.shape[1]:
        raise MatrixShapeError(f"{what} has shape {found.shape}; give a square matrix, of shape (n, n)")
    return found


def vector(value: Any, what: str, size: int | None = None, fits: str = "") -> Floats:
    """A finite vector, as long as the matrix says."""
    found = checks.floats(value, what, finite=True)
    if found.ndim != 1:
        raise MatrixShapeError(f"{what} has shape {found.shape}; give a vector, of shape (n,)")
    if size is not None and len(found) != size:
        raise MatrixShapeError(f"{what} has {len(found)} numbers, but {fits} needs {size}; give vectors and matrices that fit")
    return found


@checks.fitting
def symmetric(value: Any, what: str, why: str) -> Floats:
    """A symmetric matrix: the mean of it and its transpose, which differ by round-off at most."""
    found = square(value, what)
    apart = np.abs(found - found.T)
    if apart.size and apart.max() > SYMMETRY * np.abs(found).max():
        i, j = np.unravel_index(int(apart.argmax()), apart.shape)
        raise SymmetryError(
            f"{what} is not symmetric: entry ({i}, {j}) is {found[i, j]:.6g}, entry ({j}, {i}) is {found[j, i]:.6g}; {why}"
        )
    return 0.5 * found + 0.5 * found.T


def semidefinite(found: Floats, what: str, why: str) -> Floats:
    """A symmetric matrix without negative eigenvalues."""
    found = symmetric(found, what, why)
    values = np.linalg.eigvalsh(found) if found.size else np.zeros(1)
    if values[0] < -DEFINITENESS * max(values[-1], -values[0]):
        raise DefinitenessError(f"{what} has the negative eigenvalue {values[0]:.6g}; {why}")
    return found


def friction(value: Any, what: str) -> Floats:
    """Coefficients of friction, one a contact, not negative."""
    found = checks.floats(value, what, finite=True)
    if found.ndim != 1:
        raise MatrixShapeError(f"{what} has shape {found.shape}; give one coefficient for each contact, of shape (contacts,)")
    if (found < 0.0).any():
        worst = int(found.argmin())
        raise FrictionError(f"{what}: contact {worst} has the coefficient {found[worst]:g}; give zero or a positive number")
    return found
