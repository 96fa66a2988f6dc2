"""Systems as text that people read and edit: what is not said is as usual, what is read is checked as if written by hand."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from locomotor.checks import shown
from locomotor.errors import LocomotorError, TextFileError
from locomotor.model.description import Description
from locomotor.model.kind_names import kind_name
from locomotor.model.layout import Input
from locomotor.model.serialise import KIND, Misplaced, built, plain
from locomotor.model.system import System
from locomotor.model.texts.parameter_text import parameter_table, parameters_of
from locomotor.model.texts.reading import Text
from locomotor.names import suggestion

FORMAT = "locomotor system 1"
TABLES = ("nominal", "ends")
"""Fields of a system that are pairs of name and value."""


def system_table(system: System) -> dict[str, Any]:
    """The system as plain data without what is as usual."""
    usual = {name: p.default for name, p in inspect.signature(System).parameters.items() if p.default is not p.empty}
    found: dict[str, Any] = {"format": FORMAT}
    for field in dataclasses.fields(System):
        value = getattr(system, field.name)
        if field.name == "parameters":
            entry: Any = parameter_table(value)
        elif field.name in TABLES:
            entry = {name: plain(item) for name, item in value}
        else:
            entry = _short(value)
        as_usual = field.name in usual and entry == _short(usual[field.name])
        # Nothing is not said either, but where something is usual: a system without any ground says so.
        if as_usual or (entry in ({}, [], None) and not usual.get(field.name)):
            continue
        found[field.name] = entry
    order = ["format", "name", "description", "independent", "parameters", *TABLES]
    return {name: found[name] for name in sorted(found, key=lambda name: order.index(name) if name in order else len(order))}


def _short(value: Any) -> Any:
    """A description without the fields that it would have anyway."""
    if isinstance(value, tuple | list):
        return [_short(entry) for entry in value]
    if not isinstance(value, Description | Input):
        return plain(value)
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}  # type: ignore[arg-type]
    optional = [f.name for f in dataclasses.fields(value) if f.init and not _required(f)]  # type: ignore[arg-type]
    for name in optional:
        fewer = {key: entry for key, entry in fields.items() if key != name}
        try:
            same = _same(type(value)(**fewer), value)
        except LocomotorError:  # it says something only together with this field
            same = False
        if same:
            fields = fewer
    return {KIND: kind_name(type(value)), **{name: _short(entry) for name, entry in fields.items()}}


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _same(one: Any, other: Any) -> bool:
    """Whether two descriptions agree in every field, those that no comparison looks at included."""
    return all(getattr(one, f.name) == getattr(other, f.name) for f in dataclasses.fields(one))


def system_of(source: Text) -> System:
    """The system of a file that was read."""
    _check_entries(source)
    try:
        return System(**_fields_of(source))
    except TextFileError:
        raise
    except Misplaced as error:
        raise source.wrong(_deeper(error.path, str(error.cause), source), str(error.cause)) from error.cause
    except LocomotorError as error:
        raise _of_the_whole(source, str(error)) from error
    except (TypeError, ValueError, AttributeError, KeyError) as error:  # a stranger in place of a description
        raise source.wrong((), f"it does not describe a system: {error}") from error


def _check_entries(source: Text) -> None:
    """Refuse what is no table of a system: its format, what it has, and what it needs."""
    data = source.data
    if not isinstance(data, Mapping):
        raise source.wrong((), f"a system is a table with name, bodies and joints, and this is {shown(data)}")
    if data.get("format", FORMAT) != FORMAT:
        raise source.wrong(("format",), f"the format is {shown(data['format'])}; this version of locomotor reads {FORMAT!r}")
    known = [field.name for field in dataclasses.fields(System)]
    for name in ("bodies", "joints"):
        if not isinstance(data.get(name, []), list):
            raise source.wrong((name,), f"{name} is no list; write one [[{name}]] for each in TOML, a list in JSON and YAML")
    for name in data:
        if name not in (*known, "format"):
            raise source.wrong((name,), f"a system has no {shown(name)}: {suggestion(str(name), known)}")


def _fields_of(source: Text) -> dict[str, Any]:
    """What a system is made of, built."""
    data, found = source.data, {}
    for name in (field.name for field in dataclasses.fields(System) if field.name in data):
        if name == "parameters":
            found[name] = parameters_of(source, data[name], (name,))
        else:
            found[name] = data[name] if name in TABLES else built(data[name], (name,))
    missing = [name for name in ("name", "bodies", "joints") if name not in found]
    if missing:
        raise source.wrong((), f"it has no {' and no '.join(missing)}; a system needs name, bodies and joints")
    return found


def _deeper(path: Sequence[str | int], message: str, source: Text) -> Sequence[str | int]:
    """The path to the field that a message speaks of, where the description has one of that name."""
    part = source.data
    for step in path:
        part = part[step]
    names = part if isinstance(part, Mapping) else {}
    quoted = [
        name for name, value in names.items() if name not in (KIND, "name") and isinstance(value, str) and value in message
    ]
    if quoted:
        return (*path, max(quoted, key=lambda name: len(names[name])))
    found = {name: match.start() for name in names if (match := re.search(rf"\b{re.escape(str(name))}\b", message))}
    return (*path, min(found, key=lambda name: found[name])) if found else path


def _of_the_whole(source: Text, message: str) -> TextFileError:
    """The error of a system whose parts do not fit together: the line is that of the first thing it names."""
    for name in re.findall(r"'([^']+)'", message):
        for k, line in enumerate(source.text.splitlines(), 1):
            if re.search(rf"name\W+{re.escape(name)}\W*$", line):
                return TextFileError(f"{source.file!r}, line {k}: {message}")
    return source.wrong((), message)
