"""A system as plain data (numbers, texts, lists, mappings) and back: what a run file keeps of what moved.

Each description becomes its kind (see `kinds`) and its fields; expressions become their text, which parses back to the same
tree. Only kinds that are known, that is subclasses of `Description`, are built: reading never runs anything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from locomotor.errors import DescriptionTypeError, LocomotorError
from locomotor.model.description import Description
from locomotor.model.expressions import Expression
from locomotor.model.kind_names import kind_called, kind_name
from locomotor.model.layout import Input
from locomotor.model.parameters import Parameter, ParameterSet
from locomotor.model.system import System
from locomotor.names import suggestion

KIND = "kind"


class Misplaced(Exception):  # noqa: N818  # never seen by users: it carries an error to who knows the file
    """An error in a part of the data, and the way to that part."""

    def __init__(self, path: tuple[str | int, ...], cause: LocomotorError) -> None:
        super().__init__(str(cause))
        self.path, self.cause = path, cause


def to_data(system: System) -> dict[str, Any]:
    """The system as data that JSON can hold."""
    return {entry.name: plain(getattr(system, entry.name)) for entry in dataclasses.fields(system)}


def from_data(data: Mapping[str, Any]) -> System:
    """The system of `to_data`, checked as if it had been written by hand."""
    known = {entry.name for entry in dataclasses.fields(System)}
    for name in data:
        if name not in known:
            raise DescriptionTypeError(f"a System has no field {name!r}: {suggestion(name, known)}")
    try:
        return System(**{name: built(value, (name,)) for name, value in data.items()})
    except Misplaced as error:
        raise error.cause from None


def plain(value: Any) -> Any:
    """A part of a description as data that JSON can hold."""
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, ParameterSet):
        return [plain(parameter) for parameter in value.parameters]
    if isinstance(value, Description | Parameter | Input):
        entries = dataclasses.fields(value)  # type: ignore[arg-type]  # every description is a dataclass
        fields = {entry.name: plain(getattr(value, entry.name)) for entry in entries if entry.init}
        return {KIND: kind_name(type(value)), **fields}
    if isinstance(value, tuple | list):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise DescriptionTypeError(f"a {type(value).__name__} cannot be written as data: {value!r}")


def built(value: Any, path: tuple[str | int, ...] = ()) -> Any:
    """What data describe; an error is raised as `Misplaced`, with the way to where it is."""
    if isinstance(value, Mapping):
        try:
            make = _maker(value)
        except LocomotorError as error:
            raise Misplaced(path, error) from error
        fields = {name: built(entry, (*path, name)) for name, entry in value.items() if name != KIND}
        try:
            return make(**fields)
        except LocomotorError as error:
            raise Misplaced(path, error) from error
    return tuple(built(entry, (*path, k)) for k, entry in enumerate(value)) if isinstance(value, list) else value


def _maker(value: Mapping[str, Any]) -> Any:
    """The class of a description, if it has the fields that are given, and all that it needs."""
    if KIND not in value:
        raise DescriptionTypeError(f'it does not say what it is; give its kind, such as {KIND} = "Body" or {KIND} = "Revolute"')
    found = kind_called(str(value[KIND]))
    known = {entry.name: entry for entry in dataclasses.fields(found) if entry.init}
    for name in value:
        if name != KIND and name not in known:
            raise DescriptionTypeError(f"a {found.__name__} has no field {name!r}: {suggestion(str(name), known)}")
    for name, entry in known.items():
        needed = entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING
        if needed and name not in value:
            raise DescriptionTypeError(f"a {found.__name__} needs {name!r}; give it")
    return found
