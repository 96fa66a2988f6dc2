"""Text files as plain data: TOML, JSON, YAML and CSV. Nothing in them is run; what is no such text is refused with its line."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.errors import LocomotorError, MissingExtraError, TextFileError
from locomotor.model.texts.locate import line_in_json, line_in_toml, words_of
from locomotor.names import suggestion
from locomotor.seal import require_file

LARGEST = 32 * 2**20
"""Bytes of a text file, more than any system that people edit."""


@dataclass(frozen=True)
class Text:
    """A file that was read: its name, its data, and where in it a value stands."""

    file: str
    data: Any
    line_of: Callable[[Sequence[str | int]], int | None]
    text: str = ""

    def wrong(self, path: Sequence[str | int], message: str) -> TextFileError:
        """The error for a value: file, line, key, what is wrong."""
        line = self.line_of(path)
        place = f", line {line}" if line is not None else ""
        key = f" ({words_of(path)})" if path else ""
        return TextFileError(f"{self.file!r}{place}{key}: {message}")


def read_text(path: str | Path, what: str) -> Text:
    """The data of a file of a known kind; the end of its name says which."""
    file = Path(path)
    kind = file.suffix.lower()
    if kind not in READERS:
        known = ", ".join(READERS)
        raise TextFileError(
            f"cannot read {str(path)!r} as {what}: names of such files end in {known}, and this one in {kind!r}"
        )
    require_file(file, what)
    try:
        if file.stat().st_size > LARGEST:
            raise TextFileError(
                f"cannot read {str(path)!r} as {what}: it has more than {LARGEST >> 20} MB; is it another file?"
            )
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TextFileError(
            f"cannot read {str(path)!r} as {what}: it is no text in UTF-8 ({error.reason}); save it so"
        ) from error
    except OSError as error:
        raise TextFileError(f"cannot read {str(path)!r} as {what}: {error.strerror}; give the name of a file") from error
    if not text.strip():
        raise TextFileError(f"cannot read {str(path)!r} as {what}: the file is empty; was it written to its end?")
    try:
        return READERS[kind](str(path), text)
    except RecursionError:
        raise TextFileError(f"cannot read {str(path)!r} as {what}: it is nested too deeply; write it flatter") from None


def _toml(file: str, text: str) -> Text:
    try:
        data = tomllib.loads(text)
    except LocomotorError:
        raise
    except (tomllib.TOMLDecodeError, ValueError) as error:  # numbers of too many digits are plain ValueErrors
        raise TextFileError(f"cannot read {file!r} as TOML: {error}; correct that line") from error
    return Text(file, data, lambda path: line_in_toml(text, path), text)


def _json(file: str, text: str) -> Text:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise TextFileError(f"cannot read {file!r} as JSON: the key {key!r} is there twice in one object; keep one")
            found[key] = value
        return found

    try:
        data = json.loads(text, object_pairs_hook=once)
    except LocomotorError:
        raise
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise TextFileError(f"cannot read {file!r} as JSON: {where}: {error.msg}; correct it there") from error
    except ValueError as error:
        raise TextFileError(f"cannot read {file!r} as JSON: {error}; correct that number") from error
    return Text(file, data, lambda path: line_in_json(text, path), text)


def _yaml(file: str, text: str) -> Text:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError(
            f"cannot read {file!r}: YAML needs the extra `yaml`: pip install 'locomotor[yaml]'; or write it as TOML or JSON"
        ) from error
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise TextFileError(f"cannot read {file!r} as YAML: it repeats parts by aliases (*name); write them out")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        _no_key_twice(file, node)
        data = yaml.safe_load(text)
    except LocomotorError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        where = getattr(error, "problem_mark", None)
        line = f"line {where.line + 1}, column {where.column + 1}: " if where is not None else ""
        said = getattr(error, "problem", None) or error
        raise TextFileError(f"cannot read {file!r} as YAML: {line}{said}; correct it there") from error
    return Text(file, data, lambda path: _line_in_yaml(node, path), text)


def _no_key_twice(file: str, node: Any) -> None:
    """Refuse a mapping that gives a key twice: YAML would take the last one without a word."""
    entries = list(getattr(node, "value", ())) if getattr(node, "id", "scalar") != "scalar" else []
    seen: set[str] = set()
    for entry in entries:
        if isinstance(entry, tuple):
            key, entry = entry
            if str(key.value) in seen:
                line = key.start_mark.line + 1
                raise TextFileError(
                    f"cannot read {file!r} as YAML: line {line}: the key {key.value!r} is there twice; keep one"
                )
            seen.add(str(key.value))
        _no_key_twice(file, entry)


def _line_in_yaml(node: Any, path: Sequence[str | int]) -> int | None:
    """The line (from 1) of the deepest part of the path that is there."""
    if node is None:
        return None
    line = node.start_mark.line + 1
    for step in path:
        found = None
        if node.id == "mapping" and isinstance(step, str):
            found = next(((key, value) for key, value in node.value if key.value == step), None)
        elif node.id == "sequence" and isinstance(step, int) and step < len(node.value):
            found = (node.value[step], node.value[step])
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return int(line)


COLUMNS = ("name", "value", "unit", "latex", "description", "source", "uncertainty")


def _csv(file: str, text: str) -> Text:
    """Rows of parameters: a head that names the columns, or none and then name, value and perhaps unit."""
    try:
        rows = [
            (k, row) for k, row in enumerate(csv.reader(io.StringIO(text), strict=True), 1) if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        raise TextFileError(f"cannot read {file!r} as CSV: {error}; write one parameter a line: name,value,unit") from error
    rows = [(k, [cell.strip() for cell in row]) for k, row in rows if not row[0].lstrip().startswith("#")]
    columns: Sequence[str] = COLUMNS[:3]
    if rows and "name" in rows[0][1]:
        columns = rows[0][1]
        for column in columns:
            if column not in COLUMNS:
                hint = suggestion(column, COLUMNS)
                raise TextFileError(f"cannot read {file!r} as CSV: line {rows[0][0]}: no column is named {column!r}: {hint}")
        rows = rows[1:]
    entries, lines = {}, {}
    for k, row in rows:
        if len(row) > len(columns) or len(row) < 2:
            form = ",".join(columns)
            raise TextFileError(f"cannot read {file!r} as CSV: line {k} has {len(row)} columns; write {form}")
        entry = {column: cell for column, cell in zip(columns, row, strict=False) if cell}
        name = entry.pop("name", "")
        if not name or name in entries:
            said = f"the parameter {name!r} is there twice; keep one" if name else "it names no parameter; write name,value"
            raise TextFileError(f"cannot read {file!r} as CSV: line {k}: {said}")
        entries[name], lines[name] = entry, k
    return Text(file, entries, lambda path: lines.get(str(path[0])) if path else None, text)


READERS: dict[str, Callable[[str, str], Text]] = {".toml": _toml, ".json": _json, ".yaml": _yaml, ".yml": _yaml, ".csv": _csv}
