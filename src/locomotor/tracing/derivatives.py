"""Exact derivatives of traced functions, by CasADi's algorithmic differentiation."""

from __future__ import annotations

import casadi

from locomotor.tracing.signature import Field, Port
from locomotor.tracing.traced import Traced, column, identifier


def jacobian(traced: Traced, output: str, input: str) -> Traced:
    """Traced function J with J[i, j] = d output_i / d input_j, of the same inputs as `traced`.

    Its one output port has shape (output size, input size), stored row by row, with fields named
    `d(output field)/d(input field)`.
    """
    rows = traced.outputs[traced.output(output)]
    columns = traced.inputs[traced.input(input)]
    symbols = [
        casadi.SX.sym(f"a{index}", port.size) if port.size else casadi.SX(0, 1)
        for index, port in enumerate(traced.inputs)
    ]
    value = traced.function.call(symbols)[traced.output(output)]
    matrix = casadi.jacobian(value, symbols[traced.input(input)])
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
    port = Port(f"d({rows.name})/d({columns.name})", fields, (rows.size, columns.size))
    name = f"{traced.name} d({output})/d({input})"
    function = casadi.Function(identifier(name), symbols, [column(matrix)])
    return Traced(name, traced.inputs, (port,), function, f"Jacobian of {output} by {input}")


def _quotient(numerator: str, denominator: str) -> str:
    """Unit of a derivative, `m/(rad/s)`; empty when both are."""
    if not denominator or denominator == "1":
        return numerator
    composite = any(sign in denominator for sign in "/ *")
    return f"{numerator or '1'}/{f'({denominator})' if composite else denominator}"
