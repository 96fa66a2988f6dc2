"""Checks that know what a model is made of, for the doors of everything above."""

from typing import Any

from locomotor import checks
from locomotor.errors import DescriptionTypeError, LocomotorError, QuantityError
from locomotor.model.expressions import Expression, as_quantity
from locomotor.model.system import System

a_system = checks.instance(
    System, remedy="a System is needed: take one from lm.catalogue, or build one", error=DescriptionTypeError
)
"""A description of what moves."""


def laws(value: Any, what: str, *, error: type[LocomotorError] = QuantityError) -> dict[str, float | Expression]:
    """A mapping from names to numbers, expressions or their texts."""
    found = checks.mapping(value, what, error=error)
    return {name: as_quantity(law, f"{what}: {name!r}") for name, law in found.items()}
