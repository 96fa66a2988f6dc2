"""How messages show a value, and the errors of a check: the thing, the value, the remedy."""

from __future__ import annotations

import numpy as np

from locomotor.errors import ArgumentError, ArgumentTypeError, LocomotorError

SHOWN = 80
"""Characters of a value that a message shows."""


def shown(value: object) -> str:
    """A value as messages show it: short, on one line, whatever its `repr` does."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray) and value.size > 6:
        return f"an array of shape {value.shape} and type {value.dtype}"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 200:
        return f"a whole number of {value.bit_length()} bits"
    if isinstance(value, str | bytes) and len(value) > SHOWN:
        return f"{value[: SHOWN - 3]!r}... ({len(value)} characters)"
    if isinstance(value, list | tuple | dict | set | frozenset) and len(value) > 1000:
        return f"a {kind} of {len(value)} entries"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a repr may raise anything at all; the message must still be told
        return f"an object of type {kind}"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def wrong(what: str, value: object, remedy: str, error: type[LocomotorError] | None) -> LocomotorError:
    """The error for a value of the wrong kind."""
    return (error or ArgumentTypeError)(f"{what} is {shown(value)}; {remedy}")


def outside(what: str, value: object, remedy: str, error: type[LocomotorError] | None) -> LocomotorError:
    """The error for a value of the right kind outside its range."""
    return (error or ArgumentError)(f"{what} is {shown(value)}; {remedy}")
