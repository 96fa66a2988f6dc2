"""Damping of soft bodies: a ratio of every mode, or the two factors of Rayleigh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from locomotor import checks
from locomotor.errors import SoftBodyError
from locomotor.model.expressions import as_list, as_quantity, known


def read_damping(body: Any) -> None:
    """Read the fields `damping` and `rayleigh` of a body that is being built."""
    if body.damping is not None and body.rayleigh is not None:
        raise SoftBodyError(f"{body.label}: damping and rayleigh are both given; give one of the two")
    if body.damping is not None:
        object.__setattr__(body, "damping", as_quantity(body.damping, f"{body.label}: damping"))
    if body.rayleigh is not None:
        pair = as_list(body.rayleigh)
        if pair is None or len(pair) != 2:
            raise SoftBodyError(
                f"{body.label}: rayleigh is {checks.shown(body.rayleigh)}; give two values, the factors of mass (1/s) "
                "and of stiffness (s)"
            )
        object.__setattr__(body, "rayleigh", tuple(as_quantity(each, f"{body.label}: rayleigh") for each in pair))


def check_damping(body: Any, values: Mapping[str, float]) -> None:
    """Refuse what would drive the body instead of damping it."""
    given = [("damping", body.damping)]
    if body.rayleigh is not None:
        given = [("rayleigh factor of mass", body.rayleigh[0]), ("rayleigh factor of stiffness", body.rayleigh[1])]
    for what, value in given:
        number = None if value is None else known(value, values)
        if number is not None and not number >= 0.0:
            raise SoftBodyError(f"{body.label}: {what} is {number!r}; it must not be negative")
