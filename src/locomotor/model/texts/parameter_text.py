"""Parameter sets as text files: by name a number, or a table with unit, meaning, source and uncertainty."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from locomotor.checks import shown
from locomotor.errors import LocomotorError
from locomotor.model.parameters import Parameter, ParameterSet
from locomotor.model.texts.reading import Text
from locomotor.names import suggestion

FIELDS = tuple(field.name for field in dataclasses.fields(Parameter) if field.name != "name")
NUMBERS = ("value", "uncertainty")
_WITH_UNCERTAINTY = re.compile(r"\s*(\S+)\s*(?:\+/-|\+-|±)\s*(\S+)\s*")


def parameters_of(source: Text, data: Any = None, at: tuple[str | int, ...] = ()) -> ParameterSet:
    """The parameters of a file that was read, or of a part of it."""
    table = source.data if data is None else data
    remedy = "write name = number, or name = {value = ..., unit = ...}"
    if not isinstance(table, Mapping):
        raise source.wrong(at, f"parameters are {shown(table)}, not values by name; {remedy}")
    found = []
    for name, entry in table.items():
        path = (*at, name)
        fields = dict(entry) if isinstance(entry, Mapping) else {"value": entry}
        for key in fields:
            if key not in FIELDS:
                raise source.wrong((*path, key), f"a parameter has no {shown(key)}: {suggestion(str(key), FIELDS)}")
        if "value" not in fields:
            raise source.wrong(path, f"the parameter {shown(name)} has no value; {remedy}")
        if isinstance(fields["value"], str) and (match := _WITH_UNCERTAINTY.fullmatch(fields["value"])):
            fields["value"], fields["uncertainty"] = match[1], match[2]
        for key in NUMBERS:
            if isinstance(fields.get(key), str):
                fields[key] = _number(source, path, key, fields[key])
        try:
            found.append(Parameter(name, **fields))
        except LocomotorError as error:
            raise source.wrong(path, str(error)) from error
    return ParameterSet(found)


def _number(source: Text, path: tuple[str | int, ...], key: str, text: str) -> float:
    """A number that stands as text: all of CSV does, and what YAML takes for a word, such as 1e-3."""
    try:
        return float(text)
    except ValueError:
        raise source.wrong(path, f"the {key} of the parameter {shown(path[-1])} is {shown(text)}; give a number") from None


def parameter_table(parameters: ParameterSet) -> dict[str, Any]:
    """The set as plain data: a number where there is nothing else to say, else a table."""
    found: dict[str, Any] = {}
    for parameter in parameters.parameters:
        plain = Parameter(parameter.name, parameter.value)
        fields = {name: getattr(parameter, name) for name in FIELDS if getattr(parameter, name) != getattr(plain, name)}
        found[parameter.name] = {"value": parameter.value, **fields} if fields else parameter.value
    return found
