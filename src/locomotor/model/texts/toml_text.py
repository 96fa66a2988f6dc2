"""Plain data as TOML that people read and edit: one line a value, tables of bodies, joints and contacts under their names.

Python reads TOML and does not write it; numbers are written by `repr`, so that they come back as they were.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

WIDTH = 120
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(data: Mapping[str, Any], head: str = "") -> str:
    """A table as text: its plain values first, then its tables, then its lists of tables."""
    parts = [f"# {line}".rstrip() for line in head.splitlines()]
    parts += [f"{_key(name)} = {_value(value)}" for name, value in data.items() if _plain(value)]
    for name, value in data.items():
        if isinstance(value, Mapping):
            parts += ["", f"[{_key(name)}]", toml_lines(value).rstrip("\n")]
        elif _tables(value):
            for table in value:
                parts += ["", f"[[{_key(name)}]]", *(f"{_key(key)} = {_value(entry)}" for key, entry in table.items())]
    return "\n".join(parts) + "\n"


def toml_lines(table: Mapping[str, Any]) -> str:
    """A table as text with one line an entry, in its order."""
    return "".join(f"{_key(name)} = {_inline(entry)}\n" for name, entry in table.items())


def _tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _plain(value: Any) -> bool:
    return not isinstance(value, Mapping) and not _tables(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, except that TOML wants the last control character of ASCII escaped too.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    """A value on one line; a list that is too long for it has one entry a line."""
    if not isinstance(value, list) or not value:
        return _inline(value)
    line = _inline(value)
    if len(line) <= WIDTH and not _tables(value):
        return line
    return "[\n" + "".join(f"  {_inline(entry)},\n" for entry in value) + "]"


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_inline(entry)}" for name, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(entry) for entry in value) + "]"
    return repr(value)
