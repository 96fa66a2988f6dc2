"""The scripts of the page as one: each is an ES module in `client/`, and stays one, in a function of its own.

A script says what it takes, `import { shown } from "./data.js";` or `import * as THREE from "three";`, one line each, and what
it gives, `export` before a function, a class or a constant. Nothing else passes between scripts, and the page gets no global.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from locomotor.errors import ViewingError

Folders = Path | tuple[Path, ...]
"""Where scripts are; of several folders the first that has one gives it."""

OURS = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$', re.MULTILINE)
THEIRS = re.compile(r'^import \* as (\w+) from "(\w+)";$', re.MULTILINE)
GIVEN = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def bundle(folder: Folders, first: str, libraries: Mapping[str, str]) -> str:
    """One module that does what the script `first` of a folder does; `libraries` are expressions, by name."""
    made = [f"const ${name} = {text};" for name, text in libraries.items()]
    made += [_wrapped(folder, name, libraries) for name in order(folder, first)]
    return "\n".join(made)


def order(folder: Folders, first: str) -> list[str]:
    """The scripts that one needs, itself last: each after those that it takes something from."""
    done: list[str] = []
    path: list[str] = []

    def visit(name: str) -> None:
        if name in done:
            return
        if name in path:
            raise ViewingError(f"scripts of the page need each other: {' -> '.join([*path, name])}; move what they share")
        path.append(name)
        for match in OURS.finditer(_text(folder, name)):
            visit(match.group(2))
        done.append(path.pop())

    visit(first)
    return done


def _wrapped(folder: Folders, name: str, libraries: Mapping[str, str]) -> str:
    text = _text(folder, name)
    given = [match.group(1) for match in GIVEN.finditer(text)]
    text = OURS.sub(r"const { \1 } = $\2;", GIVEN.sub("", text))
    for match in THEIRS.finditer(text):
        if match.group(2) not in libraries:
            raise ViewingError(f"{name}.js takes {match.group(2)!r}, which the page has not")
    text = THEIRS.sub(r"const \1 = $\2;", text)
    strange = OTHER.search(text)
    if strange is not None:
        raise ViewingError(f"{name}.js: {strange.group()!r} is not understood; take and give by name, on one line")
    return f"const ${name} = (() => {{\n{text}return {{ {', '.join(given)} }};\n}})();"


def _text(folder: Folders, name: str) -> str:
    folders = (folder,) if isinstance(folder, Path) else folder
    place = next((each for each in folders if (each / f"{name}.js").is_file()), folders[0])
    return (place / f"{name}.js").read_text(encoding="utf-8")
