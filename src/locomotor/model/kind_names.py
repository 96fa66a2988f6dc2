"""Names of kinds of descriptions in files: those of the library by themselves, others with the module that defines them.

`Revolute` is the joint of the library, `my_laws:Weary` the class Weary of the module my_laws. Reading imports nothing: who
reads imports the module before.
"""

from __future__ import annotations

import dataclasses
import gc
import sys
import warnings
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

from locomotor.errors import DescriptionTypeError
from locomotor.model.description import Description
from locomotor.model.layout import Input
from locomotor.model.parameters import Parameter
from locomotor.names import suggestion

OWN = __name__.partition(".")[0]
SCRIPTS = ("__main__", "__mp_main__")
"""Modules of what is run and not imported: a script, here and in processes that it starts, or a notebook."""


class KindWarning(UserWarning):
    """A file names a class that is not known here, and what was done about it."""


def kind_name(kind: type[Any]) -> str:
    """The name of a class in files."""
    return kind.__name__ if _is_own(kind) else f"{_home(kind)}:{kind.__name__}"


def kind_called(text: str) -> type[Any]:
    """The class of a name in a file; one that is not known, or not the only one, is refused with the remedy."""
    module, _, name = text.rpartition(":")
    found = _candidates(module, name)
    if len(found) > 1:
        found.clear()
        gc.collect()  # classes of which nothing is left but what Python has not cleared away yet are none
        found = _current(_candidates(module, name))
    if len(found) == 1:
        return found[0]
    if found:
        raise DescriptionTypeError(_ambiguous(text, found))
    others = _current(_candidates("", name)) if module else []
    if len(others) == 1:
        warnings.warn(
            f"{text!r} is not known here; {kind_name(others[0])}, the only kind of that name, is taken for it. Save again "
            f"where that is right; import {module} before where it is not",
            KindWarning,
            stacklevel=2,
        )
        return others[0]
    raise DescriptionTypeError(_unknown(text, module, name))


def _candidates(module: str, name: str) -> list[type[Any]]:
    """Known kinds of a name: of a module, or without one that of the library, if it has such a kind, before any others."""
    named = [kind for kind in _kinds() if kind.__name__ == name]
    if module:
        return [kind for kind in named if not _is_own(kind) and _home(kind) == module]
    return [kind for kind in named if _is_own(kind)] or named


def _current(kinds: list[type[Any]]) -> list[type[Any]]:
    """Of kinds of one name those that their modules still have: a cell of a notebook that is run again makes its class anew."""
    held = [kind for kind in kinds if _is_held(kind)]
    return held or kinds


def _is_held(kind: type[Any]) -> bool:
    try:
        return attrgetter(kind.__qualname__)(sys.modules.get(kind.__module__)) is kind
    except AttributeError:  # of a function, or replaced
        return False


def _kinds() -> Iterator[type[Any]]:
    yield from (Parameter, Input)
    yield from _below(Description)


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    """All subclasses that are descriptions of something."""
    for sub in kind.__subclasses__():
        if dataclasses.is_dataclass(sub):
            yield sub
        yield from _below(sub)


def _is_own(kind: type[Any]) -> bool:
    return kind.__module__.partition(".")[0] == OWN


def _home(kind: type[Any]) -> str:
    """The module that a kind is imported from; of a script, the name under which it can be imported."""
    if kind.__module__ not in SCRIPTS:
        return kind.__module__
    script = sys.modules.get(kind.__module__)
    started = getattr(getattr(script, "__spec__", None), "name", None)  # python -m NAME
    file = getattr(script, "__file__", None)
    return started or (Path(file).stem if file else SCRIPTS[0])


def _ambiguous(text: str, found: list[type[Any]]) -> str:
    names = sorted({kind_name(kind) for kind in found})
    if len(names) > 1:
        return f"{len(found)} kinds are named {text!r}; say which is meant: {' or '.join(map(repr, names))}"
    return (
        f"{len(found)} classes are named {names[0]!r}, so that the file does not say which is meant; give them different "
        "names, or define one of them at the top of that module"
    )


def _unknown(text: str, module: str, name: str) -> str:
    known = [kind_name(kind) for kind in _kinds()]
    if not module:
        return f"no kind of description is named {text!r}: {suggestion(text, known)}"
    if module in SCRIPTS:
        return (
            f"no kind of description is named {name!r} here; it was defined in a notebook or at the prompt: define it, or "
            "import it from a module, before you load"
        )
    if module in sys.modules:
        return f"module {module!r} defines no kind of description named {name!r}: {suggestion(text, known)}"
    return (
        f"no kind of description is named {name!r} here; it was defined in module {module!r}: import {module} before you load"
    )
