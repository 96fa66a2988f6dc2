"""The documentation runs: every Python block of README.md and docs/, in order, in one namespace for each file.

A `text` block right after a Python block is what that block prints: words must agree exactly, numbers to the digits
shown. A block that cannot run in a test (it opens a window, say) has `<!-- not run: reason -->` on the line before it.
"""

import contextlib
import io
import re
import runpy
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import locomotor as lm

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

FENCE = re.compile(r"^(`{3,})(.*)$")
SKIP = re.compile(r"^<!-- not run: \S.*-->$")
MARK = "end of block "
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the number of its first line (from 1), its lines, and whether it is to be run."""

    language: str
    first: int
    lines: tuple[str, ...]
    runs: bool = True
    follows: bool = False
    """Whether only blank lines stand between it and the block before."""


def blocks_of(text: str) -> list[Block]:
    found: list[Block] = []
    lines = text.splitlines()
    i, quiet = 0, False
    before = ""
    while i < len(lines):
        opening = FENCE.match(lines[i])
        if opening is None:
            if lines[i].strip():
                quiet, before = False, lines[i].strip()
            i += 1
            continue
        end = next((j for j in range(i + 1, len(lines)) if lines[j].rstrip() == opening[1]), None)
        assert end is not None, f"the block that opens at line {i + 1} is not closed"
        language = opening[2].strip().split(" ")[0]
        found.append(Block(language, i + 2, tuple(lines[i + 1 : end]), not SKIP.match(before), quiet))
        i, quiet, before = end + 1, True, ""
    return found


def script_of(blocks: list[Block]) -> str:
    """The Python blocks at the lines they have in the page, so that a traceback points into it."""
    lines: list[str] = []
    for number, block in enumerate(blocks):
        if block.language == "python" and block.runs:
            lines += [""] * (block.first - 1 - len(lines))
            lines += [*block.lines, f"print({MARK + str(number)!r})"]
    return "\n".join(lines) + "\n"


def printed_by_block(output: str) -> dict[int, str]:
    found: dict[int, str] = {}
    text: list[str] = []
    for line in output.splitlines():
        if line.startswith(MARK):
            found[int(line.removeprefix(MARK))] = "\n".join(text)
            text = []
        else:
            text.append(line)
    return found


def disagreement(printed: str, shown: str) -> str:
    """What differs between the output and the page, "" if nothing: numbers are compared to the digits shown."""
    a, b = printed.strip().splitlines(), shown.strip().splitlines()
    if len(a) != len(b):
        return f"{len(a)} lines are printed, {len(b)} are shown:\n{printed}"
    for got, want in zip(a, b, strict=True):
        if NUMBER.sub("#", got).split() != NUMBER.sub("#", want).split():
            return f"printed {got!r}, shown {want!r}"
        for x, y in zip(NUMBER.findall(got), NUMBER.findall(want), strict=True):
            mantissa, _, exponent = y.lower().partition("e")
            last = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
            if abs(float(x) - float(y)) > 1.01 * last:
                return f"printed {x} in {got!r}, shown {y}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
@pytest.mark.sampled(9)
def test_the_blocks_of_a_page_run_and_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    complaints = run_page(page, tmp_path)
    assert not complaints, "\n".join(complaints)


def run_page(page: Path, folder: Path) -> list[str]:
    """Run the blocks of a page; what it shows and they do not print."""
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    script = folder / f"{page.stem}.py"
    script.write_text(script_of(blocks), encoding="utf-8")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        runpy.run_path(str(script), run_name="__docs__")
    printed = printed_by_block(output.getvalue())
    assert len(printed) == sum(block.language == "python" and block.runs for block in blocks)
    found = []
    for number, block in enumerate(blocks):
        if block.language == "text" and block.follows and number - 1 in printed:
            difference = disagreement(printed[number - 1], "\n".join(block.lines))
            if difference:
                found.append(f"{page.name}, line {block.first}: {difference}")
    return found


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), f"{page.name} links to {target}"
            if anchor and file.suffix == ".md":
                assert anchor in anchors(file), f"{page.name} links to {target}; {file.name} has no such heading"


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as the site generator and code hosts make them, and those of its equations."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    named = {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}
    return named | set(re.findall(r'<a id="([^"]+)"></a>', text))


def documented() -> set[str]:
    """Modules and names that the page of the API shows."""
    return set(re.findall(r"^::: ([\w.]+)$", (DOCS / "api.md").read_text(encoding="utf-8"), flags=re.MULTILINE))


def undocumented(module: ModuleType, names: Iterable[str]) -> list[str]:
    """Our functions and classes among the names of a module that are missing on the page."""
    shown, missing = documented(), []
    for name in names:
        thing = getattr(module, name)
        home = getattr(thing, "__module__", None) or ""
        if home.startswith("locomotor.") and not {home, f"{home}.{getattr(thing, '__name__', name)}"} & shown:
            missing.append(f"::: {home}.{name}")
    return missing


def test_every_public_name_is_on_the_page_of_the_api() -> None:
    assert not undocumented(lm, lm.__all__), "add to docs/api.md"


def names_for_other_layers(package: str) -> set[str]:
    """What other layers import from the door of a package: handed out for their sake, not for users."""
    found: set[str] = set()
    for path in (ROOT / "src" / "locomotor").rglob("*.py"):
        if package not in path.relative_to(ROOT).parts and path != ROOT / "src" / "locomotor" / "__init__.py":
            for names in re.findall(
                rf"^ *from locomotor\.{package} import (\([^)]*\)|.*)$", path.read_text("utf-8"), re.MULTILINE
            ):
                found |= set(re.findall(r"\w+", names))
    return found


@pytest.mark.parametrize("package", sorted(set(lm._MODULES) - {"errors", "mechanics"}))
def test_every_name_of_a_public_package_is_on_the_page_of_the_api(package: str) -> None:
    """Errors are a whole module of the page; the mechanics has its own page, theory.md."""
    module = getattr(lm, package)
    inside = names_for_other_layers(package)
    names = [name for name in vars(module) if not name.startswith("_") and name not in inside]
    assert not undocumented(module, names), "add to docs/api.md, or take it out of the door"


def test_every_system_of_the_catalogue_is_on_the_page_of_the_api() -> None:
    makers = {getattr(ready.make, "func", ready.make) for ready in lm.catalogue.systems()}
    missing = {f"{maker.__module__}.{maker.__name__}" for maker in makers} - documented()
    assert not missing, f"add to docs/api.md: {sorted(missing)}"


# -- numbers that pages quote ---------------------------------------------------------------------------------


def test_the_readme_states_the_operation_count_of_the_bicycle() -> None:
    stated = re.search(r"([\d,]+) arithmetic operations", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert stated is not None
    count = lm.compile(lm.catalogue.bicycle("meijaard2007")).operations
    # The committed baseline gates the count itself; a page may lag a little behind it.
    assert count == pytest.approx(int(stated[1].replace(",", "")), rel=0.05)


def test_readme_and_citation_tell_the_version_and_licence_of_the_package() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {lm.__version__}\n" in citation
    assert "license: BSD-3-Clause\n" in citation
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text(encoding="utf-8") + (ROOT / "README.md").read_text(encoding="utf-8")


# -- the reader of pages itself -------------------------------------------------------------------------------


def test_blocks_keep_their_lines_and_markers() -> None:
    python, text = "```python\na = 1\nprint(a)\n```\n", "```text\n1\n```\n"
    blocks = blocks_of(f"# Title\n\n{python}\n{text}\n<!-- not run: opens a window -->\n```python\nb\n```\n")
    assert [(b.language, b.first, b.runs, b.follows) for b in blocks] == [
        ("python", 4, True, False),
        ("text", 9, True, True),
        ("python", 14, False, False),
    ]
    assert script_of(blocks).splitlines()[3:5] == ["a = 1", "print(a)"]


def test_outputs_are_compared_to_the_digits_shown() -> None:
    assert not disagreement("speed 4.62244 m/s", "speed 4.622 m/s")
    assert disagreement("speed 4.63 m/s", "speed 4.622 m/s")
    assert disagreement("speed 4.622 m/s", "velocity 4.622 m/s")
    assert disagreement("1\n2", "1")
    assert not disagreement("[-0.3229+0.j -14.08-2.j]", "[-0.323+0.j -14.1-2.j]")


def test_a_page_that_shows_something_else_is_caught(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A\n\n```python\nx = 1.25\nprint('x', x)\n```\n\n```text\nx 1.25\n```\n", encoding="utf-8")
    assert run_page(page, tmp_path) == []
    page.write_text(page.read_text(encoding="utf-8").replace("x 1.25\n", "x 1.31\n"), encoding="utf-8")
    assert len(run_page(page, tmp_path)) == 1
