"""`dataclass` of the standard library, whose methods are written when a class is first used, not when it is declared.

The standard library writes and compiles up to six methods a class, in about 0.7 ms. The library declares some five hundred
classes, of which a run uses a third: writing the methods of all of them took a quarter of the time before its first words.
"""

from __future__ import annotations

import dataclasses
import inspect
import threading
from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:

    def replace(instance: Any, /, **changes: Any) -> Any:
        """As `dataclasses.replace`, a tenth of its time where nothing is to be done after the fields are set."""
        kind = type(instance)
        plain = _PLAIN.get(kind)
        if plain is None:
            plain = _PLAIN[kind] = _plain_fields(kind)
        names, values_of = plain
        if not names:
            return dataclasses.replace(instance, **changes)
        own = vars(instance)
        # What is kept beside the fields belongs to the old one.
        own = dict(zip(names, values_of(own))) if len(own) > len(names) else own.copy()  # noqa: B905 - as many as there are
        own.update(changes)
        if len(own) != len(names):
            return dataclasses.replace(instance, **changes)
        made = object.__new__(kind)
        object.__setattr__(made, "__dict__", own)
        return made

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """As `dataclasses.dataclass`: what that adds to a class is added when anything of it is asked for."""

        def declare(kind: type) -> type:
            if _can_wait(kind, options):
                _Waiting(kind, options)
                return kind
            return dataclasses.dataclass(kind, **options)

        return declare if cls is None else declare(cls)


Plain = tuple[dict[str, None], Callable[[dict[str, Any]], tuple[Any, ...]]]
_PLAIN: dict[type, Plain] = {}
"""Fields of classes whose `__init__` does no more than set them, and how to read them all; none of others."""


def _plain_fields(kind: type) -> Plain:
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    own = getattr(kind, "__dataclass_params__", None)
    plain = own is not None and own.init and not hasattr(kind, "__post_init__") and "__slots__" not in vars(kind)
    names = dict.fromkeys(f.name for f in fields) if plain and len(fields) > 1 and all(f.init for f in fields) else {}
    return names, itemgetter(*names) if names else tuple


def _can_wait(kind: type, options: dict[str, Any]) -> bool:
    """Not where another class object is made, nor where the hash becomes None, for which no placeholder can stand."""
    equal = options.get("eq", True)
    return (
        options.keys() <= {"frozen", "eq", "repr", "init", "kw_only"}
        and (options.get("frozen", False) or not equal)
        and vars(kind).keys().isdisjoint({"__eq__", "__hash__", "__setattr__", "__delattr__"})
    )


def _added(options: dict[str, Any]) -> list[str]:
    """Names of what the standard library adds to a class, besides the two that refuse changes."""
    names = ["__dataclass_fields__", "__dataclass_params__", "__match_args__"]
    names += ["__init__"] * options.get("init", True) + ["__repr__"] * options.get("repr", True)
    return names + ["__eq__", "__hash__"] * options.get("eq", True)


class _Waiting:
    """A class whose methods are still to be written."""

    lock = threading.RLock()

    def __init__(self, kind: type, options: dict[str, Any]) -> None:
        self.kind, self.options = kind, options
        self.places = {name: Placeholder(self, name) for name in _added(options) if name not in vars(kind)}
        for name, place in self.places.items():
            setattr(kind, name, place)
        if options.get("frozen", False):
            _refuse_changes(kind)

    def end(self) -> None:
        """Write the methods, once; a thread that asks meanwhile waits, for a placeholder stays until its successor is there."""
        with self.lock:
            if not self.places:
                return
            kind, twin = self.kind, self._twin()
            for name in inspect.get_annotations(kind):
                if name in vars(twin):
                    setattr(kind, name, vars(twin)[name])
                elif name in vars(kind):
                    delattr(kind, name)  # `field(default_factory=...)` is no value of the class
            for name, place in self.places.items():
                setattr(kind, name, place.finished(vars(twin)[name]))
            self.places = {}

    def _twin(self) -> type:
        """A class with the same fields, made by the standard library."""
        kind = self.kind
        fields: dict[str, Any] = {}
        params: Any = None
        for base in kind.__mro__[-1:0:-1]:
            fields.update(getattr(base, "__dataclass_fields__", {}))
            params = getattr(base, "__dataclass_params__", params)
        inherited = {} if params is None else {"__dataclass_fields__": fields, "__dataclass_params__": params}
        annotations = inspect.get_annotations(kind)
        own = {name: vars(kind)[name] for name in annotations if name in vars(kind)}
        own |= {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": "", "__annotations__": annotations}
        if hasattr(kind, "__post_init__"):
            own["__post_init__"] = None  # that there is one decides what `__init__` does
        return dataclasses.dataclass(type(kind.__name__, (type("Inherited", (), inherited),), own), **self.options)


class Placeholder:
    """One attribute of a class that waits: whoever asks for it gets what the standard library makes."""

    def __init__(self, waiting: _Waiting, name: str) -> None:
        self.waiting, self.name = waiting, name
        self.wrap: Callable[[Any], Any] | None = None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        self.waiting.end()
        found = vars(self.waiting.kind)[self.name]
        return found.__get__(instance, owner) if hasattr(found, "__get__") else found

    def finished(self, found: Any) -> Any:
        """What takes its place."""
        return found if self.wrap is None else self.wrap(found)


def _refuse_changes(kind: type) -> None:
    """The two methods by which an instance refuses to be changed, in the words of the standard library."""

    def refused(self: Any, name: str) -> bool:
        return type(self) is kind or name in kind.__dataclass_fields__  # type: ignore[attr-defined]

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807 - a method of another class
        if refused(self, name):
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(kind, self).__setattr__(name, value)  # type: ignore[arg-type]

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807
        if refused(self, name):
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(kind, self).__delattr__(name)  # type: ignore[arg-type]

    kind.__setattr__, kind.__delattr__ = __setattr__, __delattr__  # type: ignore[method-assign, assignment]


__all__ = ["Placeholder", "dataclass", "replace"]
