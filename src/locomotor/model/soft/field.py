"""Displacement fields that are polynomials of a body's own coordinates, and their integrals over the mass.

A point of the body is at r(q) = sum_A B_A p_A(q): A counts the monomials p_A = 1, q_i (and q_i q_j where shortening counts),
B_A are vector functions of the material point. All inertia of the body then lies in the numbers

    m = int dm,    S_A = int B_A dm,    N_AB = int B_A B_B^T dm,

whatever the deformation: kinetic energy is exact for the assumed field.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass

Monomial = tuple[int, ...]
"""Indices of the coordinates that are multiplied: () is the constant 1."""


@dataclass(frozen=True, eq=False)
class Integrals:
    """Integrals of a field over the mass of a body; entries that are zero are not kept."""

    monomials: tuple[Monomial, ...]
    mass: Any
    first: Mapping[tuple[int, int], Any]
    """(A, component) -> S_A."""
    second: Mapping[tuple[int, int, int, int], Any]
    """(A, B, row, column) -> N_AB, all of A and B."""
    stiffness: Mapping[tuple[int, int], Any]
    """(i, j) -> stiffness of the own coordinates."""

    @cached_property
    def rows(self) -> Mapping[int, tuple[tuple[int, int, int, Any], ...]]:
        """A -> (B, row, column, N_AB): few of the coefficients that N is contracted with are not zero."""
        found: dict[int, list[tuple[int, int, int, Any]]] = {}
        for (a, b, row, column), value in self.second.items():
            found.setdefault(a, []).append((b, row, column, value))
        return {a: tuple(entries) for a, entries in found.items()}


@dataclass(frozen=True, eq=False)
class Place:
    """The field at one material point: displacement per monomial, and the small angles of what is there."""

    columns: tuple[tuple[Any, Any, Any], ...]
    """B_A at the point."""
    turns: tuple[tuple[Any, Any, Any], ...]
    """Angles about x, y and z per coordinate."""
