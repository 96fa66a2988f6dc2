"""Public functions and classes whose arguments are checked before anything happens."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from locomotor.checks.combined import Check
from locomotor.checks.words import shown
from locomotor.dataclass import Placeholder
from locomotor.errors import ArgumentTypeError, LocomotorError

P = ParamSpec("P")
K = TypeVar("K")
R = TypeVar("R")


def door(**checks: Check) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A public function whose arguments are checked, and replaced by what the checks give, before it is called."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        unknown = checks.keys() - signature.parameters.keys()
        if unknown:
            raise LocomotorError(f"{function.__qualname__} has no argument {', '.join(sorted(unknown))} to check")
        owner = function.__name__
        plainly = _plain_binding(signature)

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            named = plainly(args, kwargs)
            if named is not None:
                for argument, check in checks.items():
                    if argument in named:
                        named[argument] = check(named[argument], f"{owner}: {argument}")
                return function(**named)  # type: ignore[call-arg]
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


def _plain_binding(signature: inspect.Signature) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any] | None]:
    """Arguments by name in a tenth of the time of `signature.bind`; None where they do not fit, or go by places alone."""
    parameters = signature.parameters
    ordered = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    plain = all(each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) for each in parameters.values())
    needed = frozenset(name for name, each in parameters.items() if each.default is each.empty)

    def bound(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
        if not plain or len(args) > len(ordered) or not kwargs.keys() <= parameters.keys():
            return None
        named = {**dict(zip(ordered, args, strict=False)), **kwargs}
        return named if len(named) == len(args) + len(kwargs) and needed <= named.keys() else None

    return bound


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
