"""One way to check arguments at every public door: few verbs, each gives the value as the code behind expects it.

    @door(duration=positive, steps=partial(whole, least=1), inputs=optional(mapping), stepper=choice("rk4", "abm4"))
    def simulate(system, duration, ...): ...

A verb takes the value and what it is called, and raises an `ArgumentError` that names the thing, the value and the remedy.
Numbers of numpy become Python's own: `np.uint8(255) + 1` is 0, and no C function sees a size that it cannot hold.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import operator
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from locomotor.dataclass import Placeholder
from locomotor.errors import ArgumentError, ArgumentTypeError, LocomotorError, NumericsError, TooLargeError
from locomotor.typing import Floats

P = ParamSpec("P")
K = TypeVar("K")
R = TypeVar("R")
Check = Callable[[Any, str], Any]
Numbers = tuple[int, ...]

MOST_THREADS = 1024
"""Threads that may share a batch; systems refuse to start many thousands."""
LARGEST = 2**63 - 1
"""Whole numbers up to here fit into the `int64_t` of generated code."""
MOST_NUMBERS = 2**60 // 8
"""Numbers of one array: more bytes than any machine has, and still far from where products of sizes overflow."""
SHOWN = 80
"""Characters of a value that a message shows."""


# --- words ----------------------------------------------------------------------------------------------------------


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


def _wrong(what: str, value: object, remedy: str, error: type[LocomotorError] | None) -> LocomotorError:
    """The error for a value of the wrong kind."""
    return (error or ArgumentTypeError)(f"{what} is {shown(value)}; {remedy}")


def _outside(what: str, value: object, remedy: str, error: type[LocomotorError] | None) -> LocomotorError:
    """The error for a value of the right kind outside its range."""
    return (error or ArgumentError)(f"{what} is {shown(value)}; {remedy}")


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
        raise _wrong(what, value, _within(above, least, most, infinite), error)
    try:
        result = float(value)
    except OverflowError:
        raise _outside(what, value, _within(above, least, most, infinite), error) from None
    if not (math.isfinite(result) or (infinite and result == math.inf)) or not (above < result <= most and least <= result):
        raise _outside(what, value, _within(above, least, most, infinite), error)
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
        raise _wrong(what, value, remedy, error)
    result = operator.index(value)
    if not least <= result <= most:
        raise _outside(what, value, remedy if most < LARGEST or result < least else f"it must be below {LARGEST + 1}", error)
    return result


def threads(value: Any, what: str) -> int:
    """How many threads share the work."""
    return whole(value, what, least=1, most=MOST_THREADS)


def flag(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> bool:
    """True or False; nothing that merely looks like it."""
    if not isinstance(value, bool | np.bool_):
        raise _wrong(what, value, "give True or False", error)
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
        raise _wrong(what, value, f"give an array of real numbers{kind}", error)
    if (dimensions is not None and array.ndim not in dimensions) or (last is not None and array.shape[-1:] != (last,)):
        size = "n" if last is None else str(last)
        kinds = " or ".join("(" + "".join("n, " * (axes - 1)) + f"{size})" for axes in dimensions or (1,))
        raise _outside(what, value, f"its shape is {array.shape}; give an array of shape {kinds}", error)
    if finite and not np.isfinite(array).all():
        raise _outside(what, value, "give finite numbers only", error)
    return array


# --- text -----------------------------------------------------------------------------------------------------------


def text(value: Any, what: str, *, empty: bool = True, error: type[LocomotorError] | None = None) -> str:
    """A text."""
    if not isinstance(value, str):
        raise _wrong(what, value, "give it as text", error)
    if not value and not empty:
        raise _outside(what, value, "give a text that is not empty", error)
    return value


def line(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> str:
    """One line of printable text: what something may be called."""
    if not isinstance(value, str) or not value or not value.isprintable():
        raise _wrong(what, value, "give one line of printable text", error)
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
        raise _wrong(what, value, "give the place of a file as text or Path", error) from None
    if not isinstance(place, str) or not place or "\0" in place:
        raise _outside(what, value, "give the place of a file as text that is not empty and holds no NUL", error)
    return place


def choice(*options: Any, error: type[LocomotorError] | None = None) -> Check:
    """One of a few words."""

    def check(value: Any, what: str) -> Any:
        if isinstance(value, str) and value in options:
            return value
        raise _outside(what, value, f"give one of {', '.join(repr(option) for option in options)}", error)

    return check


# --- collections ----------------------------------------------------------------------------------------------------


def entries(
    value: Any, what: str, remedy: str = "give a list or a tuple", error: type[LocomotorError] | None = None
) -> tuple[Any, ...]:
    """The entries of anything that can be gone through once, texts and mappings excepted."""
    if isinstance(value, str | bytes | Mapping):
        raise _wrong(what, value, remedy, error)
    try:
        return tuple(value)
    except LocomotorError:
        raise
    except Exception:  # not iterable, or an iterator of a stranger that raises
        raise _wrong(what, value, remedy, error) from None


def mapping(value: Any, what: str, *, error: type[LocomotorError] | None = None) -> dict[str, Any]:
    """A mapping by name; names are normalised as the parser does."""
    remedy = "give a mapping by name, such as {'name': value}"
    if not isinstance(value, Mapping):
        raise _wrong(what, value, remedy, error)
    found: dict[str, Any] = {}
    for key in value:
        plain = name(key, f"a name in {what}", error=error)
        if plain in found:
            raise _outside(what, value, f"{plain!r} is there twice, in two ways of writing it; keep one", error)
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
        raise _outside(what, value, remedy, error)
    return float(found[0]), float(found[1])


# --- kinds ----------------------------------------------------------------------------------------------------------


def instance(*kinds: type, remedy: str = "", error: type[LocomotorError] | None = None) -> Check:
    """An object of one of these classes."""
    wanted = remedy or f"give a {' or '.join(kind.__name__ for kind in kinds)}"

    def check(value: Any, what: str) -> Any:
        if isinstance(value, kinds):
            return value
        raise _wrong(what, value, wanted, error)

    return check


def function(value: Any, what: str, *, arguments: int = 1, error: type[LocomotorError] | None = None) -> Any:
    """Something that can be called with so many arguments."""
    remedy = f"give a function of {arguments} argument{'s' if arguments > 1 else ''}"
    if not callable(value):
        raise _wrong(what, value, remedy, error)
    try:
        inspect.signature(value).bind(*[None] * arguments)
    except ValueError:
        pass  # functions written in C may have no signature
    except TypeError:
        raise _wrong(what, value, remedy, error) from None
    return value


def either(*checks: Check) -> Check:
    """What one of the checks allows; the words are those of the last."""

    def check(value: Any, what: str) -> Any:
        for one in checks[:-1]:
            try:
                return one(value, what)
            except LocomotorError:
                continue
        return checks[-1](value, what)

    return check


def optional(check: Check) -> Check:
    """What the check allows, or None."""
    return lambda value, what: None if value is None else check(value, what)


def each(check: Check, *, error: type[LocomotorError] | None = None) -> Check:
    """A list of what the check allows, as a tuple."""
    return lambda value, what: tuple(
        check(entry, f"{what}, entry {i}") for i, entry in enumerate(entries(value, what, error=error))
    )


# --- doors ----------------------------------------------------------------------------------------------------------


def door(**checks: Check) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A public function whose arguments are checked, and replaced by what the checks give, before it is called."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        unknown = checks.keys() - signature.parameters.keys()
        if unknown:
            raise LocomotorError(f"{function.__qualname__} has no argument {', '.join(sorted(unknown))} to check")
        owner = function.__name__

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                names = ", ".join(name for name in signature.parameters if name != "self")
                raise ArgumentTypeError(f"{owner}: {error}; its arguments are {names}") from None
            given = bound.arguments
            for argument, check in checks.items():
                if argument in given:
                    given[argument] = check(given[argument], f"{owner}: {argument}")
            return function(*bound.args, **bound.kwargs)

        return checked

    return decorate


def fitting(function: Callable[P, R]) -> Callable[P, R]:
    """A function that answers arguments which do not fit its signature with one of our errors; it costs a call nothing else."""

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            told = misfit(error, function)
            if told is error:
                raise
            raise told from None

    return called


def misfit(error: TypeError, function: Callable[..., Any]) -> TypeError:
    """Our words for a call that does not fit the signature of a function; any other error as it is."""
    head = f"{function.__qualname__}() "
    if isinstance(error, LocomotorError) or not str(error).startswith(head):
        return error
    names = ", ".join(name for name in inspect.signature(function).parameters if name != "self")
    owner = function.__qualname__.removesuffix(".__init__")
    return ArgumentTypeError(f"{owner}: {str(error)[len(head) :]}; there are {names}")


def doors(kind: type[K]) -> type[K]:
    """A class whose constructor and public methods are `fitting`."""
    for name, found in list(vars(kind).items()):
        if name in ("__init__", "__call__") or not name.startswith("_"):
            if isinstance(found, Placeholder):
                found.wrap = fitting  # a method that is still to be written
            plain = found.__func__ if isinstance(found, classmethod | staticmethod) else found
            if inspect.isfunction(plain) and not hasattr(plain, "__wrapped__"):  # a `door` says so itself
                setattr(kind, name, fitting(plain) if plain is found else type(found)(fitting(plain)))
    return kind


@functools.cache
def _options_of(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters) - {"self"}


def options(given: Mapping[str, Any], function: Callable[..., Any], owner: str) -> None:
    """Refuse keywords that are handed on to a function which does not take them."""
    unknown = given.keys() - _options_of(function)
    if unknown:
        stray = min(unknown)
        raise ArgumentTypeError(
            f"{owner}: no option is named {shown(stray)}; there are {', '.join(sorted(_options_of(function)))}"
        )


@contextlib.contextmanager
def arithmetic(what: str) -> Iterator[None]:
    """Computations inside: those that fail because numbers are too large, or not finite, are told in words."""
    try:
        with np.errstate(all="ignore"):
            yield
    except LocomotorError:
        raise
    except (np.linalg.LinAlgError, ArithmeticError) as error:
        raise NumericsError(
            f"{what}: the numbers become too large, or a matrix singular, on the way ({error}); give values nearer to 1, in SI "
            "units, and parameters that a real system could have"
        ) from error


def product(what: str, sizes: Iterable[int]) -> int:
    """How many numbers an array of these sizes holds, if any machine could hold them."""
    found = math.prod(sizes)
    if found > MOST_NUMBERS:
        raise TooLargeError(f"{what} would hold {found:.3g} numbers; ask for fewer steps or instances, or save fewer rows")
    return found


@contextlib.contextmanager
def room_for(what: str, numbers: int) -> Iterator[None]:
    """Arrays made inside: memory that cannot be had is told in words."""
    try:
        yield
    except MemoryError:
        raise TooLargeError(
            f"{what} would take {8.0 * numbers / 2**30:.3g} GiB, more memory than can be had; ask for fewer steps or "
            "instances, or save fewer rows (save_every), channels or measures"
        ) from None


__all__ = [
    "Check", "arithmetic", "choice", "door", "doors", "each", "either", "entries", "fitting", "flag", "floats",
    "function", "instance", "is_number", "line", "mapping", "misfit", "name", "names", "number", "numbers_by_name",
    "optional", "options", "path", "positive", "product", "room_for", "shown", "span", "text", "threads", "whole",
]  # fmt: skip
