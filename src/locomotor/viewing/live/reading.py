"""What arrives from a page, read: numbers and laws by name, or a sentence that says what is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from locomotor.errors import ViewingError


def read_laws(given: Any, what: str) -> dict[str, float | str]:
    """Numbers or texts of laws by name."""
    if not isinstance(given, Mapping):
        raise ViewingError(f"{what} is {given!r}; give a table of numbers or laws of t by name")
    texts = {str(name): law for name, law in given.items() if isinstance(law, str)}
    return {**read_numbers({name: value for name, value in given.items() if name not in texts}, what), **texts}


def read_numbers(given: Any, what: str) -> dict[str, float]:
    """Numbers by name, or an error that says what is wrong."""
    if not isinstance(given, Mapping):
        raise ViewingError(f"{what} is {given!r}; give a table of numbers by name")
    found = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ViewingError(f"{what}: {name!r} is {value!r}; give a finite number")
        found[str(name)] = float(value)
    return found
