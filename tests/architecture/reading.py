"""Reading the source: files, imports, code without words."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "locomotor"


@dataclass(frozen=True)
class Import:
    """One imported module of one file: its absolute dotted name; whether inside a function; whether for types only."""

    parts: tuple[str, ...]
    line: int
    lazy: bool
    typing: bool = False


def python_files(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def layer_of(relative: Path) -> str:
    """``lie/so3.py`` -> lie; ``errors.py`` -> errors; ``__init__.py`` -> __init__."""
    return relative.parts[0].removesuffix(".py")


def imports(package: Path, path: Path) -> tuple[Import, ...]:
    """Every import of the file, relative ones resolved; those under TYPE_CHECKING count like any other."""
    return _imports(package, path, path.read_text(encoding="utf-8"))


@cache  # six rules ask for the imports of eight hundred files
def _imports(package: Path, path: Path, text: str) -> tuple[Import, ...]:
    home = (package.name, *path.relative_to(package).parent.parts)

    def visit(node: ast.AST, lazy: bool, typing: bool = False) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(tuple(alias.name.split(".")), child.lineno, lazy, typing)
            elif isinstance(child, ast.ImportFrom):
                base = home[: len(home) - child.level + 1] if child.level else ()
                base += tuple(child.module.split(".")) if child.module else ()
                for alias in child.names:
                    yield Import((*base, alias.name), child.lineno, lazy, typing)
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            types = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            yield from visit(child, lazy or inside, typing or types)

    return tuple(visit(ast.parse(text, filename=str(path)), lazy=False))


def code_without_words(path: Path) -> str:
    """The code of a file, free of comments and docstrings: those may tell of any system they like."""
    tree = parse(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            # A bare string statement is a docstring wherever it stands (attributes have them too).
            bare = [s for s in node.body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)]
            node.body = [s for s in node.body if s not in bare] or [ast.Pass()]
    return ast.unparse(tree)
