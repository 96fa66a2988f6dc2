"""Parts on numbers: definitions in order, then entries, as one function of numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.parts import Part
from locomotor.typing import Floats


def lambdified(
    arguments: Sequence[Any], parts: Mapping[str, Part], definitions: Sequence[tuple[Any, Any]]
) -> Callable[[Sequence[float]], dict[str, Floats]]:
    """A function of numbers, in the order of the arguments, that returns every part by its name."""
    results = [entry for part in parts.values() for entry in part.entries]
    function = sympy_library().lambdify(list(arguments), results, modules="numpy", cse=lambda found: (list(definitions), found))

    def evaluate(numbers: Sequence[float]) -> dict[str, Floats]:
        found = iter(function(*numbers))
        return {name: np.array([float(next(found)) for _ in part.entries]).reshape(part.shape) for name, part in parts.items()}

    return evaluate
