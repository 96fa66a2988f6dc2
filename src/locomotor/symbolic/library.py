"""SymPy, opened when it is needed: an extra."""

from typing import Any

from locomotor.errors import MissingExtraError


def sympy_library() -> Any:
    """The module `sympy`; where it is missing, how to get it."""
    try:
        import sympy
    except ImportError as error:
        raise MissingExtraError(
            "equations are SymPy expressions, and sympy is not here: pip install 'locomotor[sympy]'"
        ) from error
    return sympy
