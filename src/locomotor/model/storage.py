"""A system as plain data and back: what `json` can write, so that a file carries the whole description.

Every description is a frozen dataclass of numbers, texts, expressions and further descriptions. It becomes a table with
its kind and its fields; expressions become their text, which parses back to the same tree. Reading builds the
descriptions again through their constructors, so that whatever is read has been checked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from locomotor import model
from locomotor.errors import DescriptionTypeError
from locomotor.model.expression import Expression
from locomotor.model.names import suggestion
from locomotor.model.parameters import ParameterSet
from locomotor.model.system import System

KIND = "kind"


def to_data(system: System) -> dict[str, Any]:
    """Tables, lists, numbers and texts; a part of a kind that is not of `locomotor.model` raises."""
    data = _write(system)
    assert isinstance(data, dict)
    return data


def from_data(data: Any) -> System:
    """The system that `to_data` described; equal to it."""
    system = _read(data)
    if not isinstance(system, System):
        raise DescriptionTypeError(f"the stored description is a {type(system).__name__}; it must be a System")
    return system


def _kinds() -> dict[str, type]:
    """Every kind of description, by name."""
    found = (entry for name, entry in vars(model).items() if not name.startswith("_"))
    return {entry.__name__: entry for entry in found if isinstance(entry, type) and dataclasses.is_dataclass(entry)}


def _write(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, ParameterSet):
        return [_write(parameter) for parameter in value.parameters]
    if isinstance(value, tuple | list):
        return [_write(entry) for entry in value]
    kind = type(value).__name__
    if not dataclasses.is_dataclass(value) or _kinds().get(kind) is not type(value):
        raise DescriptionTypeError(f"a {kind} cannot be stored; only the kinds of locomotor.model can")
    return {KIND: kind} | {
        field.name: _write(getattr(value, field.name)) for field in dataclasses.fields(value) if field.init
    }


def _read(value: Any) -> Any:
    if isinstance(value, Mapping):
        kinds = _kinds()
        kind = value.get(KIND)
        if kind not in kinds:
            raise DescriptionTypeError(f"no kind of description is named {kind!r}: {suggestion(str(kind), kinds)}")
        fields = {name: _read(entry) for name, entry in value.items() if name != KIND}
        known = {field.name for field in dataclasses.fields(kinds[kind])}
        if unknown := sorted(fields.keys() - known):
            raise DescriptionTypeError(f"a {kind} has no field {unknown[0]!r}: {suggestion(unknown[0], known)}")
        return kinds[kind](**fields)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(_read(entry) for entry in value)
    return value
