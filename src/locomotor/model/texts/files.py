"""Writing and reading systems and parameter sets; the end of the name says in which kind of text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from locomotor.errors import MissingExtraError, TextFileError
from locomotor.files import write_text
from locomotor.model.parameters import ParameterSet
from locomotor.model.system import System
from locomotor.model.texts.parameter_text import parameter_table, parameters_of
from locomotor.model.texts.reading import COLUMNS, READERS, read_text
from locomotor.model.texts.system_text import system_of, system_table
from locomotor.model.texts.toml_text import toml_lines, toml_text

TEXTS = tuple(READERS)
"""Ends of the names of text files."""
HEAD = "Written by locomotor; read it with lm.load. Quantities may be numbers or expressions of the parameters, as text."


def write_system(system: System, path: str | Path) -> Path:
    """Write a system as TOML, JSON or YAML."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in WRITERS:
        raise TextFileError(
            f"cannot write a system to {str(path)!r}: give a name that ends in {', '.join(WRITERS)}, "
            "or, for a robot in MuJoCo's format, in .xml"
        )
    return write_text(target, WRITERS[kind](system_table(system), HEAD))


def write_parameters(parameters: ParameterSet, path: str | Path) -> Path:
    """Write a parameter set as TOML, JSON, YAML or CSV."""
    target = Path(path)
    kind = target.suffix.lower()
    table = parameter_table(parameters)
    if kind in LISTS:
        return write_text(target, LISTS[kind](table) or "# no parameters\n")
    if kind not in WRITERS:
        raise TextFileError(
            f"cannot write parameters to {str(path)!r}: give a name that ends in {', '.join((*WRITERS, '.csv'))}"
        )
    return write_text(target, WRITERS[kind](table, ""))


def read_described(path: str | Path) -> System | ParameterSet:
    """A system, where the text has bodies, or else a set of parameters."""
    source = read_text(path, "a system or a set of parameters")
    whole = isinstance(source.data, Mapping) and ("bodies" in source.data or "format" in source.data)
    if whole and Path(path).suffix.lower() != ".csv":
        return system_of(source)
    return parameters_of(source)


def _json(data: Mapping[str, Any], head: str) -> str:
    return _compact(data, "") + "\n"


def _compact(value: Any, indent: str) -> str:
    """JSON with one entry of the outer levels a line, and what fits on a line on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= 120 or not isinstance(value, Mapping | list):
        return line
    inner = indent + "  "
    if isinstance(value, Mapping):
        entries = [f"{inner}{json.dumps(name, ensure_ascii=False)}: {_compact(entry, inner)}" for name, entry in value.items()]
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{inner}{_compact(entry, inner)}" for entry in value) + f"\n{indent}]"


def _yaml(data: Mapping[str, Any], head: str) -> str:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError(
            "writing YAML needs the extra `yaml`: pip install 'locomotor[yaml]'; TOML needs nothing"
        ) from error

    class Plain(yaml.SafeDumper):  # type: ignore[misc]  # no stubs
        """Without aliases: what is there twice is written twice."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    text = yaml.dump(dict(data), Dumper=Plain, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)
    return (f"# {head}\n" if head else "") + str(text)


def _csv(table: Mapping[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = {name: entry if isinstance(entry, Mapping) else {"value": entry} for name, entry in table.items()}
    used = [column for column in COLUMNS[1:] if column == "value" or any(column in row for row in rows.values())]
    writer.writerow(["name", *used])
    for name, row in rows.items():
        writer.writerow([name, *(repr(row[c]) if isinstance(row.get(c), float) else row.get(c, "") for c in used)])
    return text.getvalue()


WRITERS: dict[str, Callable[[Mapping[str, Any], str], str]] = {
    ".toml": toml_text,
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
}
LISTS: dict[str, Callable[[Mapping[str, Any]], str]] = {".toml": toml_lines, ".csv": _csv}
"""Texts that have one line a parameter."""
