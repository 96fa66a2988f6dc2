"""Nothing is written that nobody calls: what the library defines it uses itself, or its pages tell users of it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import locomotor

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "locomotor"

CALLED_BY_OTHERS = frozenset(
    [
        "_print_sin",
        "_print_cos",
        "_print_Float",
        "_repr_html_",
        "do_GET",
        "do_POST",
        "handle_error",
        "log_message",
        "send_error",
        "on_broken_pipe",
        "ignore_aliases",
        "get_sparsity_in",
        "get_sparsity_out",
    ]
)
"""Names that SymPy's printer, notebooks, the standard library's web server, the terminal, YAML's writer and CasADi look for."""
USED_OUTSIDE = {
    "UNARY": "the vocabulary of a tape, which the emitters must know: tests compare the two",
    "BINARY": "as UNARY",
    "missing_device_notice": "benchmarks and tests ask whether there is a device",
}


def pages() -> frozenset[str]:
    """All words of the pages for users."""
    files = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    return frozenset(re.findall(r"\w+", " ".join(file.read_text(encoding="utf-8") for file in files)))


def definitions(tree: ast.Module) -> Iterator[tuple[str, str, ast.AST]]:
    """Functions, methods, classes and constants: class they stand in, name, node."""
    for node in ast.walk(tree):
        owner = node.name if isinstance(node, ast.ClassDef) else ""
        for child in node.body if isinstance(node, ast.ClassDef | ast.Module) else ():
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                yield owner, child.name, child
            elif isinstance(child, ast.Assign) and isinstance(node, ast.Module):
                yield from (("", target.id, child) for target in child.targets if isinstance(target, ast.Name))


def called_by_decorator(node: ast.AST) -> bool:
    """Whether something else calls it: a registration on a type or among the watchers of events, a command."""
    return any(
        re.search(r"^watcher$|\.(register|command|callback)\b", ast.unparse(item))
        for item in getattr(node, "decorator_list", ())
    )


def unused(package: Path, told: frozenset[str], public: frozenset[str]) -> Iterator[str]:
    """What the package defines and never reads; `told` are words of the pages, `public` classes whose methods are for users."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))}
    read: set[str] = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                read.add(node.id if isinstance(node, ast.Name) else node.attr)
    for path, tree in trees.items():
        for owner, name, node in definitions(tree):
            free = name.startswith("__") or name in told or name in CALLED_BY_OTHERS or name in USED_OUTSIDE
            if not (free or name in read or owner in public or name in public or called_by_decorator(node)):
                place = f"{owner}.{name}" if owner else name
                yield f"{path.relative_to(package)}: {place} is used by nobody; take it out, or say what it is for in docs/"


def public_classes() -> frozenset[str]:
    """Names that the public packages hand out."""
    modules = [getattr(locomotor, name) for name in locomotor._MODULES]
    return frozenset(name for module in modules for name in vars(module)) | set(locomotor.__all__)


def test_the_library_uses_what_it_defines() -> None:
    assert list(unused(PACKAGE, pages(), public_classes())) == []


def test_exceptions_are_still_needed() -> None:
    names = {name for path in PACKAGE.rglob("*.py") for _, name, _ in definitions(ast.parse(path.read_text(encoding="utf-8")))}
    assert names >= CALLED_BY_OTHERS | set(USED_OUTSIDE)


@pytest.mark.parametrize(
    ("source", "complaints"),
    [
        ("def f(): ...", 1),
        ("def f(): ...\nf()", 0),
        ("LIMIT = 3", 1),
        ("class A:\n    def g(self): ...\nA()", 1),
        ("class A:\n    def g(self): ...\nA().g()", 0),
        ("class Shown:\n    def g(self): ...", 0),
        ("def spoken(): ...", 0),
        ("@touch.register\ndef _touch_disc(): ...", 0),
    ],
)
def test_rule_sees_what_nobody_calls(tmp_path: Path, source: str, complaints: int) -> None:
    (tmp_path / "a.py").write_text(source, encoding="utf-8")
    assert len(list(unused(tmp_path, frozenset({"spoken"}), frozenset({"Shown"})))) == complaints
