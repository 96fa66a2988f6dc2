"""A system as plain data (numbers, texts, lists, mappings) and back: what a run file keeps of what moved.

Each description becomes its kind and its fields; expressions become their text, which parses back to the same tree.
Only kinds that are known, that is subclasses of `Description`, are built: reading never runs anything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from locomotor.errors import DescriptionTypeError
from locomotor.model.description import Description
from locomotor.model.expressions import Expression
from locomotor.model.layout import Input
from locomotor.model.parameters import Parameter, ParameterSet
from locomotor.model.system import System
from locomotor.names import suggestion

KIND = "kind"


def to_data(system: System) -> dict[str, Any]:
    """The system as data that JSON can hold."""
    return {entry.name: _plain(getattr(system, entry.name)) for entry in dataclasses.fields(system)}


def from_data(data: Mapping[str, Any]) -> System:
    """The system of `to_data`, checked as if it had been written by hand."""
    known = {entry.name for entry in dataclasses.fields(System)}
    for name in data:
        if name not in known:
            raise DescriptionTypeError(f"a System has no field {name!r}: {suggestion(name, known)}")
    return System(**{name: _built(value) for name, value in data.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, ParameterSet):
        return [_plain(parameter) for parameter in value.parameters]
    if isinstance(value, Description | Parameter | Input):
        entries = dataclasses.fields(value)  # type: ignore[arg-type]  # every description is a dataclass
        fields = {entry.name: _plain(getattr(value, entry.name)) for entry in entries if entry.init}
        return {KIND: type(value).__name__, **fields}
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise DescriptionTypeError(f"a {type(value).__name__} cannot be written as data: {value!r}")


def _built(value: Any) -> Any:
    if isinstance(value, Mapping):
        kinds = {kind.__name__: kind for kind in (Parameter, Input, *_kinds(Description))}
        kind = value.get(KIND)
        if kind not in kinds:
            raise DescriptionTypeError(
                f"no kind of description is named {kind!r}: {suggestion(str(kind), kinds)}; a kind of your own must be "
                "imported before it is read"
            )
        return kinds[kind](**{name: _built(entry) for name, entry in value.items() if name != KIND})
    return tuple(_built(entry) for entry in value) if isinstance(value, list) else value


def _kinds(kind: type[Any]) -> Iterator[type[Any]]:
    """All subclasses that are descriptions of something."""
    for sub in kind.__subclasses__():
        if dataclasses.is_dataclass(sub):
            yield sub
        yield from _kinds(sub)
