"""The rules: each reads the folder of a package and yields complaints."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from architecture.contract import (
    ALLOWED,
    BELOW_CATALOGUE,
    BESIDE_THE_DOORS,
    DYNAMIC_IMPORT,
    FENCES,
    LAZY_DOORS,
    LAZY_LIBRARIES,
    MAX_LINES,
    SYSTEM_WORDS,
    WORDS_OF_MECHANICS,
)
from architecture.reading import code_without_words, imports, layer_of, parse, python_files


def layer_complaints(package: Path) -> Iterator[str]:
    for path in python_files(package):
        relative = path.relative_to(package)
        layer = layer_of(relative)
        if layer not in ALLOWED:
            yield f"{relative}: layer {layer!r} is unknown; give it a line in ALLOWED"
            continue
        for item in imports(package, path):
            if item.parts[0] != package.name:
                continue
            target = item.parts[1] if len(item.parts) > 1 else "__init__"
            if target == layer:
                legal = not item.lazy
            elif target == "__version__":
                legal = layer != "lie"
            elif item.lazy:
                legal = target in LAZY_DOORS.get(relative.as_posix(), frozenset())
            else:
                legal = target in ALLOWED[layer]
            if not legal:
                where = "inside a function" if item.lazy else "at module level"
                yield f"{relative}:{item.line}: {layer} may not import {'.'.join(item.parts)} {where}"


def unused_grants(package: Path) -> Iterator[str]:
    """Permissions that nobody uses: what is not needed is not allowed."""
    used: dict[tuple[str, bool], set[str]] = {}
    for path in python_files(package):
        relative = path.relative_to(package)
        for item in imports(package, path):
            if item.parts[0] == package.name:
                owner = relative.as_posix() if item.lazy else layer_of(relative)
                used.setdefault((owner, item.lazy), set()).add(item.parts[1] if len(item.parts) > 1 else "__init__")
    for table, lazy, title in ((ALLOWED, False, "ALLOWED"), (LAZY_DOORS, True, "LAZY_DOORS")):
        for owner, granted in table.items():
            for name in sorted(granted - used.get((owner, lazy), set())):
                yield f"{title}: {owner} imports nothing of {name}; take it out"


def _target(package: Path, parts: tuple[str, ...]) -> tuple[str, ...] | None:
    """The module of ours that an import names: the longest part of it that is a file or a folder."""
    for n in range(len(parts), 1, -1):
        place = package.joinpath(*parts[1:n])
        if place.with_suffix(".py").is_file() or place.is_dir():
            return parts[:n]
    return None


def door_complaints(package: Path) -> Iterator[str]:
    """A folder is entered by its door, `__init__`, which names what others may use; its own rooms may go past it."""
    for path in python_files(package):
        relative = path.relative_to(package)
        home = (package.name, *relative.parent.parts)
        if relative.as_posix() in BESIDE_THE_DOORS:
            continue
        for item in imports(package, path):
            target = _target(package, item.parts) if item.parts[0] == package.name else None
            if target is None or target == item.parts or package.joinpath(*target[1:]).is_dir():
                continue  # a folder, or a module that its door hands out
            folder = target[:-1]
            if len(folder) > 1 and home[: len(folder)] != folder:
                door = ".".join(folder)
                yield f"{relative}:{item.line}: {'.'.join(item.parts)} goes past a door; import it from {door}"


def order_complaints(package: Path) -> Iterator[str]:
    """Inside a layer files and rooms have an order: none imports, even by way of others, what imports it."""
    for layer in sorted(folder for folder in package.iterdir() if folder.is_dir()):
        edges: dict[str, set[str]] = {}
        for path in python_files(layer):
            entry = path.relative_to(layer).parts[0].removesuffix(".py")
            for item in imports(package, path):
                if item.parts[:2] == (package.name, layer.name) and not item.typing:
                    target = _target(package, item.parts) or item.parts
                    edges.setdefault(entry, set()).add(target[2] if len(target) > 2 else "__init__")
        for entry in sorted(edges):
            seen: set[str] = set()
            todo = edges[entry] - {entry}
            while todo:
                seen |= todo
                todo = {far for near in todo for far in edges.get(near, set()) - {near}} - seen
            if entry in seen:
                yield f"{layer.name}/{entry}: imports what imports it, by way of {', '.join(sorted(seen - {entry}))}"[:200]


def library_complaints(package: Path) -> Iterator[str]:
    for path in python_files(package):
        relative = path.relative_to(package)
        for item in imports(package, path):
            library = item.parts[0]
            if library == package.name:
                continue
            if library in FENCES and not relative.as_posix().startswith(FENCES[library]):
                allowed = ", ".join(FENCES[library]) or "nowhere"
                yield f"{relative}:{item.line}: {library} may be imported in: {allowed}"
            if item.lazy and library not in LAZY_LIBRARIES:
                yield f"{relative}:{item.line}: import {library} at the top of the file"


def dynamic_complaints(package: Path) -> Iterator[str]:
    for path in python_files(package):
        relative = path.relative_to(package)
        for node in ast.walk(parse(path)):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func).rpartition(".")[2]
            bare = isinstance(node.func, ast.Name)
            if name in {"import_module", "__import__"} and relative.as_posix() not in DYNAMIC_IMPORT:
                yield f"{relative}:{node.lineno}: {name} hides an import from the rule table"
            if bare and name in {"eval", "exec"}:
                yield f"{relative}:{node.lineno}: {name} runs text as code"


def docstring_complaints(package: Path) -> Iterator[str]:
    for path in python_files(package):
        if not (ast.get_docstring(parse(path)) or "").strip():
            yield f"{path.relative_to(package)}: says nothing about its job; open it with a docstring"


def length_complaints(folder: Path) -> Iterator[str]:
    for path in sorted(p for pattern in ("*.py", "*.c", "*.h", "*.cu") for p in folder.rglob(pattern)):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MAX_LINES:
            yield f"{path.relative_to(folder)}: {lines} lines, more than {MAX_LINES}; split it by job"


def system_name_complaints(package: Path) -> Iterator[str]:
    stems = {p.stem for p in (package / "catalogue").rglob("*.py")} - WORDS_OF_MECHANICS
    words = re.compile("|".join(sorted({*SYSTEM_WORDS, *stems})), re.IGNORECASE)
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.h")]):
        relative = path.relative_to(package)
        if layer_of(relative) not in BELOW_CATALOGUE:
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py" and words.search(text):
            text = code_without_words(path)
        for word in sorted({match.group().lower() for match in words.finditer(text)}):
            yield f"{relative}: names the system {word!r}; below catalogue/ nothing is special-cased"


RULES: tuple[Callable[[Path], Iterator[str]], ...] = (
    layer_complaints,
    door_complaints,
    order_complaints,
    library_complaints,
    dynamic_complaints,
    docstring_complaints,
    length_complaints,
    system_name_complaints,
)
