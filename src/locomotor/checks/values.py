"""Checks of single values and collections: numbers, arrays, texts, mappings, each given back as the code behind expects it."""

from __future__ import annotations

import math
import operator
import os
import unicodedata
from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.checks.words import outside, wrong
from locomotor.errors import LocomotorError
from locomotor.typing import Floats

Numbers = tuple[int, ...]

MOST_THREADS = 1024
"""Threads that may share a batch; systems refuse to start many thousands."""
LARGEST = 2**63 - 1
"""Whole numbers up to here fit into the `int64_t` of generated code."""


# --- numbers --------------------------------------------------------------------------------------------------------


def is_number(value: object) -> bool:
    """Whether it is a real number, of Python or numpy, and no truth value."""
    real = isinstance(value, int | float | np.integer | np.floating)
    return real and not isinstance(value, bool | np.bool_)


def number(
    value: Any,
    what: str,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    most: float = math.inf,
    infinite: bool = False,
    error: type[LocomotorError] | None = None,
) -> float:
    """A finite number greater than `above`, from `least` to `most`."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not is_number(value):
        raise wrong(what, value, _within(above, least, most, infinite), error)
    try:
        result = float(value)
    except OverflowError:
        raise outside(what, value, _within(above, least, most, infinite), error) from None
    if not (math.isfinite(result) or (infinite and result == math.inf)) or not (above < result <= most and least <= result):
        raise outside(what, value, _within(above, least, most, infinite), error)
    return result


def _within(above: float, least: float, most: float, infinite: bool) -> str:
    """What a number must be, in words; they are put together only where one is refused."""
    words = ["positive" if above == 0.0 else f"greater than {above}"] if above > -math.inf else []
    words += [f"at least {least:g}"] if least > -math.inf else []
    words += [f"at most {most:g}"] if most < math.inf else []
    return f"it must be a {'' if infinite else 'finite '}number" + (f", {', '.join(words)}" if words else "")


def positive(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> float:
    """A finite number above zero."""
    return number(value, what, above=0.0, error=error)


def whole(value: Any, what: str, *, least: int = 0, most: int = LARGEST, error: type[LocomotorError] | None = None) -> int:
    """A whole number from `least` to `most`, as Python's own."""
    if type(value) is int and least <= value <= most:
        return value
    upper = "" if most == LARGEST else f" and at most {most}"
    remedy = f"it must be a whole number of at least {least}{upper}"
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu":
        value = value.item()
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise wrong(what, value, remedy, error)
    result = operator.index(value)
    if not least <= result <= most:
        raise outside(what, value, remedy if most < LARGEST or result < least else f"it must be below {LARGEST + 1}", error)
    return result


def threads(value: Any, what: str) -> int:
    """How many threads share the work."""
    return whole(value, what, least=1, most=MOST_THREADS)


def flag(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> bool:
    """True or False; nothing that merely looks like it."""
    if not isinstance(value, bool | np.bool_):
        raise wrong(what, value, "give True or False", error)
    return bool(value)


def floats(
    value: Any,
    what: str,
    *,
    dimensions: Numbers | None = None,
    last: int | None = None,
    finite: bool = False,
    copy: bool = True,
    error: type[LocomotorError] | None = None,
) -> Floats:
    """An array of real numbers; `dimensions` says how many axes it may have and `last` how long its last one is.

    It is a copy, so that what the caller does with his own later changes nothing here. Not so with `copy=False`, for arrays
    that may be large and are read at once: a copy of half a gigabyte takes seconds in which no interrupt is heard.
    """
    given = None
    try:
        given = np.asarray(value)
        real = given.dtype.kind in "iuf" or (given.size == 0 and given.dtype != object)
        array = given.astype(np.float64, copy=copy) if real else None
    except Exception:  # ragged lists, objects that pretend to be arrays, numbers too large: none of them is an array of floats
        array = None
    if array is None:
        kind = "" if given is None else f", not {given.dtype}"
        raise wrong(what, value, f"give an array of real numbers{kind}", error)
    if (dimensions is not None and array.ndim not in dimensions) or (last is not None and array.shape[-1:] != (last,)):
        size = "n" if last is None else str(last)
        kinds = " or ".join("(" + "".join("n, " * (axes - 1)) + f"{size})" for axes in dimensions or (1,))
        raise outside(what, value, f"its shape is {array.shape}; give an array of shape {kinds}", error)
    if finite and not np.isfinite(array).all():
        raise outside(what, value, "give finite numbers only", error)
    return array


# --- text -----------------------------------------------------------------------------------------------------------


def text(value: Any, what: str, *, empty: bool = True, error: type[LocomotorError] | None = None) -> str:
    """A text."""
    if not isinstance(value, str):
        raise wrong(what, value, "give it as text", error)
    if not value and not empty:
        raise outside(what, value, "give a text that is not empty", error)
    return value


def line(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> str:
    """One line of printable text: what something may be called."""
    if not isinstance(value, str) or not value or not value.isprintable():
        raise wrong(what, value, "give one line of printable text", error)
    return value


def name(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> str:
    """A name as text, written as the parser of expressions writes it (Unicode normal form NFKC)."""
    return unicodedata.normalize("NFKC", text(value, what, error=error))


def names(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> tuple[str, ...]:
    """A tuple of names from a sequence of them, or from a single one."""
    if isinstance(value, str):
        return (name(value, what, error=error),)
    remedy = "give names as texts, such as ('a', 'b')"
    return tuple(name(entry, f"{what}, entry {i}", error=error) for i, entry in enumerate(entries(value, what, remedy, error)))


def path(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> str:
    """The path of a file, as text."""
    try:
        place = os.fspath(value)
    except Exception:  # `__fspath__` of a stranger may raise anything
        raise wrong(what, value, "give the place of a file as text or Path", error) from None
    if not isinstance(place, str) or not place or "\0" in place:
        raise outside(what, value, "give the place of a file as text that is not empty and holds no NUL", error)
    return place


# --- collections ----------------------------------------------------------------------------------------------------


def entries(
    value: Any, what: str, remedy: str = "give a list or a tuple", error: type[LocomotorError] | None = None
) -> tuple[Any, ...]:
    """The entries of anything that can be gone through once, texts and mappings excepted."""
    if isinstance(value, str | bytes | Mapping):
        raise wrong(what, value, remedy, error)
    try:
        return tuple(value)
    except LocomotorError:
        raise
    except Exception:  # not iterable, or an iterator of a stranger that raises
        raise wrong(what, value, remedy, error) from None


def mapping(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> dict[str, Any]:
    """A mapping by name; names are normalised as the parser does."""
    remedy = "give a mapping by name, such as {'name': value}"
    if not isinstance(value, Mapping):
        raise wrong(what, value, remedy, error)
    found: dict[str, Any] = {}
    for key in value:
        plain = name(key, f"a name in {what}", error=error)
        if plain in found:
            raise outside(what, value, f"{plain!r} is there twice, in two ways of writing it; keep one", error)
        found[plain] = value[key]
    return found


def numbers_by_name(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> dict[str, float]:
    """A mapping from names to finite numbers."""
    return {key: number(entry, f"{what}: {key!r}", error=error) for key, entry in mapping(value, what, error=error).items()}


def span(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> tuple[float, float]:
    """Two finite numbers, the smaller first."""
    remedy = "give two finite numbers, the smaller first"
    found = floats(value, what, error=error)
    if found.shape != (2,) or not np.isfinite(found).all() or not found[0] < found[1]:
        raise outside(what, value, remedy, error)
    return float(found[0]), float(found[1])
