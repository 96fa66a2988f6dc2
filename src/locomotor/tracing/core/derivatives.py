"""Exact derivatives of traced functions, by CasADi's algorithmic differentiation."""

from __future__ import annotations

import casadi

from locomotor.lie import Manifold
from locomotor.tracing.core.signature import Field, Port


def tangent_basis(manifold: Manifold, x: casadi.SX) -> casadi.SX:
    """B(x): derivative of the state along its tangent, without its zeros."""
    return casadi.sparsify(casadi.SX(manifold.basis(x)))


def jacobian_port(rows: Port, columns: Port) -> Port:
    """Port of a Jacobian: shape (output size, input size), fields `d(output field)/d(input field)` with their units."""
    fields = tuple(
        Field(
            f"d({row.name})/d({entry.name})",
            _quotient(row.unit, entry.unit),
            rf"\partial {row.latex or row.name}/\partial {entry.latex or entry.name}",
            f"derivative of {row.name} by {entry.name}",
        )
        for row in rows.fields
        for entry in columns.fields
    )
    return Port(f"d({rows.name})/d({columns.name})", fields, (rows.size, columns.size))


def _quotient(numerator: str, denominator: str) -> str:
    """Unit of a derivative, `m/(rad/s)`; empty when both are."""
    if not denominator or denominator == "1":
        return numerator
    composite = any(sign in denominator for sign in "/ *")
    return f"{numerator or '1'}/{f'({denominator})' if composite else denominator}"
