"""Where in a text of TOML or JSON a value stands: messages about a file name the line to look at."""

import re
from collections.abc import Sequence
from json import JSONDecodeError, JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in the stubs

Path = Sequence[str | int]
"""Keys and places in lists, from the outside in: ("bodies", 1, "mass")."""

_HEADER = re.compile(r"^\s*(\[{1,2})\s*([A-Za-z0-9_.\"'-]+)\s*\]{1,2}\s*(#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')\s*=")
_BLANK = re.compile(r"[ \t\r\n]*")


def words_of(path: Path) -> str:
    """A path in words: `bodies[1].mass`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def line_in_toml(text: str, path: Path) -> int | None:
    """The line (from 1) of the deepest part of the path that begins a line."""
    table: tuple[str | int, ...] = ()
    counts: dict[str, int] = {}
    best, depth = None, 0
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        key = None if header else _KEY.match(line)
        here: tuple[str | int, ...]
        if header:
            name = header[2].strip("\"'")
            if header[1] == "[[":
                counts[name] = counts.get(name, -1) + 1
                table = (name, counts[name])
            else:
                table = (name,)
            here = table
        elif key:
            here = (*table, key[1].strip("\"'"))
        else:
            continue
        if len(here) > depth and tuple(path[: len(here)]) == here:
            best, depth = number, len(here)
    return best


def line_in_json(text: str, path: Path) -> int | None:
    """The line (from 1) of the deepest part of the path that is there."""
    decoder = JSONDecoder()
    place = _BLANK.match(text, 0).end()  # type: ignore[union-attr]  # matches nothing too
    try:
        for step in path:
            found = _step(decoder, text, place, step)
            if found is None:
                break
            place = found
    except (JSONDecodeError, IndexError, RecursionError):
        return None
    return text.count("\n", 0, place) + 1


def _step(decoder: JSONDecoder, text: str, place: int, step: str | int) -> int | None:
    """Where an entry of the object or list that begins at a place begins."""

    def after_blank(at: int) -> int:
        return _BLANK.match(text, at).end()  # type: ignore[union-attr]

    if text[place] != ("[" if isinstance(step, int) else "{"):
        return None
    place, count = after_blank(place + 1), 0
    while text[place] not in "]}":
        key: str | int = count
        if isinstance(step, str):
            key, place = scanstring(text, place + 1)
            place = after_blank(after_blank(place) + 1)  # past the colon
        if key == step:
            return place
        place, count = after_blank(decoder.raw_decode(text, place)[1]), count + 1
        if text[place] == ",":
            place = after_blank(place + 1)
    return None
