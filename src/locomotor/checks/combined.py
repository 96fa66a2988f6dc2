"""Checks that make checks: one of some words, an object of a class, either of two, a list of such."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from locomotor.checks.values import entries
from locomotor.checks.words import outside, wrong
from locomotor.errors import LocomotorError

Check = Callable[[Any, str], Any]


def choice(*options: Any, error: type[LocomotorError] | None = None) -> Check:
    """One of a few words."""

    def check(value: Any, what: str) -> Any:
        if isinstance(value, str) and value in options:
            return value
        raise outside(what, value, f"give one of {', '.join(repr(option) for option in options)}", error)

    return check


def instance(*kinds: type, remedy: str = "", error: type[LocomotorError] | None = None) -> Check:
    """An object of one of these classes."""
    wanted = remedy or f"give a {' or '.join(kind.__name__ for kind in kinds)}"

    def check(value: Any, what: str) -> Any:
        if isinstance(value, kinds):
            return value
        raise wrong(what, value, wanted, error)

    _KINDS[check] = kinds
    return check


_KINDS: dict[Check, tuple[type, ...]] = {}
"""Of checks that ask for an object of some classes: which."""


def function(value: Any, what: str, *, arguments: int = 1, error: type[LocomotorError] | None = None) -> Any:
    """Something that can be called with so many arguments."""
    remedy = f"give a function of {arguments} argument{'s' if arguments > 1 else ''}"
    if not callable(value):
        raise wrong(what, value, remedy, error)
    try:
        inspect.signature(value).bind(*[None] * arguments)
    except ValueError:
        pass  # functions written in C may have no signature
    except TypeError:
        raise wrong(what, value, remedy, error) from None
    return value


def either(*checks: Check) -> Check:
    """What one of the checks allows; the words are those of the last."""

    known = [(one, _KINDS.get(one)) for one in checks[:-1]]

    def check(value: Any, what: str) -> Any:
        for one, kinds in known:
            if kinds is not None and not isinstance(value, kinds):
                continue  # its words would be written for nobody
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
