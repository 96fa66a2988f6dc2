"""The three files of RobotDyn, in the small part of Maple's language that they use; nothing in them is ever executed.

A statement is `name := value;` (or `:` at its end), a comment runs from `#` to the end of the line. Values are formulas of
names, numbers and q[k], `vector([...])`, `matrix([[...], ...])`, 'REVOLUTE' or 'PRISMATIC', true or false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from locomotor.dataclass import dataclass
from locomotor.errors import LocomotorError, ModelError, TextFileError
from locomotor.files import is_file
from locomotor.model import as_quantity, parse
from locomotor.names import nearest
from locomotor.symbolic.robotdyn.robot import KINDS, REVOLUTE, Robot, Segment

FILES = ("robot_DH.maple", "robot_DYNAMIQUE.maple", "robot_COMPLEMENT.maple")
MOST = 9999
"""Largest number of segments or coordinates that is read."""
NUMBERED = ("alpha", "theta", "d", "a", "ref", "type", "masse", "G", "I")
SINGLE = ("NSEG", "NDDL", "q", "qdot", "base", "GRAVITE", "COMPLEMENT", "EXPORT")
IN_FILE = {
    0: ("NSEG", "NDDL", "q", "qdot", "base", "alpha", "theta", "d", "a", "ref", "type"),
    1: ("GRAVITE", "masse", "G", "I"),
    2: ("COMPLEMENT", "EXPORT", "alpha", "theta", "d", "a", "ref", "type"),
}


@dataclass(frozen=True)
class Statement:
    """One assignment with the place it stands in."""

    file: Path
    line: int
    name: str
    value: str

    def fail(self, words: str) -> NoReturn:
        """Tell what is wrong here."""
        raise TextFileError(f"{self.file}, line {self.line}: {words}")


def read_maple(folder: Path) -> Robot:
    """A robot from the folder that holds the files (or its `spec` folder)."""
    place = folder / "spec" if is_file(folder / "spec" / FILES[0]) else folder
    found: dict[str, Statement] = {}
    for which, name in enumerate(FILES):
        path = place / name
        if not is_file(path):
            if which == 2:
                continue
            raise TextFileError(f"{path}: there is no such file; RobotDyn reads {', '.join(FILES[:2])} and, if any, {FILES[2]}")
        for statement in statements(path):
            _check_name(statement, IN_FILE[which])
            if statement.name in found:
                statement.fail(f"{statement.name} is given a second time, first in line {found[statement.name].line}; keep one")
            found[statement.name] = statement
    return _Builder(found, place).robot()


def statements(path: Path) -> Iterator[Statement]:
    """The assignments of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TextFileError(f"cannot read {path}: {error}; give a text file of RobotDyn") from error
    plain = re.sub(r"#[^\n]*", "", text)
    place = 0
    for match in re.finditer(r"(.*?)(;|:(?!=))", plain, re.DOTALL):
        body = match[1]
        start = match.start() + len(body) - len(body.lstrip())
        place = match.end()
        if not body.strip():
            continue
        line = plain.count("\n", 0, start) + 1
        name, assigns, value = body.partition(":=")
        statement = Statement(path, line, name.strip(), " ".join(value.split()))
        if not assigns or not statement.value:
            statement.fail(f"expected `name := value;`, got {body.strip()[:60]!r}")
        if ":=" in value:
            statement.fail(f"expected `;` after {body.strip().splitlines()[0][:60]!r}")
        yield statement
    rest = plain[place:].strip()
    if rest:
        line = plain.count("\n", 0, place + len(plain[place:]) - len(plain[place:].lstrip())) + 1
        raise TextFileError(f"{path}, line {line}: expected `;` after {rest.splitlines()[0][:60]!r}")


def _check_name(statement: Statement, allowed: Sequence[str]) -> None:
    word, _, number = statement.name.partition("_")
    numbered = word in NUMBERED and bool(number)
    if numbered and not re.fullmatch(r"[1-9]\d*", number):
        statement.fail(f"{statement.name!r}: expected a number of a segment, as in {word}_1")
    if word in allowed and numbered == (word in NUMBERED):
        return
    known = [f"{name}_{number or 1}" if name in NUMBERED else name for name in allowed]
    near = nearest(statement.name, known)
    hint = f"did you mean {near!r}?" if near else f"expected one of {', '.join(known)}"
    statement.fail(f"{statement.name!r} is no keyword of this file; {hint}")


class _Builder:
    """Reads values out of statements."""

    def __init__(self, found: dict[str, Statement], place: Path) -> None:
        self.found, self.place = found, place

    def robot(self) -> Robot:
        segments, coordinates = self.whole("NSEG", 1), self.whole("NDDL", 1)
        extra = self.whole("COMPLEMENT", 0) if "COMPLEMENT" in self.found else 0
        self._refuse_beyond(segments, segments + extra)
        self._check_declared()
        try:
            return Robot(
                self.place.parent.name if self.place.name == "spec" else self.place.name or "robot",
                coordinates,
                tuple(self.segment(k, True) for k in range(1, segments + 1)),
                self.vector("base") if "base" in self.found else (0.0, 0.0, 0.0),
                self.vector("GRAVITE"),
                tuple(self.segment(k, False) for k in range(segments + 1, segments + extra + 1)),
                self.truth("EXPORT") if "EXPORT" in self.found else False,
            )
        except ModelError as error:
            statement = self._about(str(error))
            if statement is not None:
                statement.fail(str(error))
            raise TextFileError(f"{self.place}: {error}") from error

    def _about(self, message: str) -> Statement | None:
        """The statement that a message speaks of: by its name, or by a coordinate that stands in it."""
        for word in re.findall(r"[A-Za-z]+_\d+", message):
            if word in self.found:
                return self.found[word]
        used = re.search(r"q\[(\d+)\] is used", message)
        inside = re.compile(rf"\bq\s*\[\s*{used[1]}\s*\]") if used else None
        return next((s for s in self.found.values() if inside is not None and inside.search(s.value)), None)

    def _refuse_beyond(self, segments: int, all_of_them: int) -> None:
        for name, statement in self.found.items():
            word, _, number = name.partition("_")
            limit = segments if word in ("masse", "G", "I") else all_of_them
            if word in NUMBERED and int(number) > limit:
                statement.fail(f"{name}: there are {limit} segments; raise NSEG or COMPLEMENT, or take the line out")

    def _check_declared(self) -> None:
        """q and qdot, where they are declared, are vectors of all coordinates."""
        for name in ("q", "qdot"):
            statement = self.found.get(name)
            size = "NDDL" if statement is None else statement.value.removeprefix("vector").strip(" ()")
            if statement is not None and (size not in ("NDDL", self.found["NDDL"].value) or statement.value == size):
                statement.fail(f"{name} is {statement.value[:60]!r}; expected vector(NDDL)")

    def segment(self, k: int, heavy: bool) -> Segment:
        kind = self.kind(f"type_{k}") if heavy or f"type_{k}" in self.found else REVOLUTE
        alpha, theta, d, a = (self.quantity(f"{word}_{k}") for word in ("alpha", "theta", "d", "a"))
        ref = self.whole(f"ref_{k}", 0)
        if not heavy:
            return Segment(alpha, theta, d, a, ref, kind)
        return Segment(alpha, theta, d, a, ref, kind, self.quantity(f"masse_{k}"), self.vector(f"G_{k}"), self.matrix(f"I_{k}"))

    def get(self, name: str) -> Statement:
        if name not in self.found:
            which = next(k for k, words in IN_FILE.items() if name.partition("_")[0] in words)
            raise TextFileError(f"{self.place / FILES[which]}: {name} is missing; add a line `{name} := ...;`")
        return self.found[name]

    def whole(self, name: str, least: int) -> int:
        statement = self.get(name)
        if not re.fullmatch(r"\d{1,4}", statement.value) or int(statement.value) < least:
            statement.fail(f"{name} is {statement.value!r}; expected a whole number from {least} to {MOST}")
        return int(statement.value)

    def truth(self, name: str) -> bool:
        statement = self.get(name)
        if statement.value not in ("true", "false"):
            statement.fail(f"{name} is {statement.value!r}; expected true or false")
        return statement.value == "true"

    def kind(self, name: str) -> str:
        statement = self.get(name)
        quoted = re.fullmatch(r"(['\"`]?)(.*)\1", statement.value)
        word = quoted[2] if quoted else statement.value
        if word not in KINDS:
            near = nearest(word.upper(), KINDS)
            hint = f"did you mean '{near}'?" if near else "expected 'REVOLUTE' or 'PRISMATIC'"
            statement.fail(f"{name} is {statement.value}; {hint}")
        return word

    def quantity(self, name: str) -> Any:
        statement = self.get(name)
        return quantity(statement.value, statement)

    def vector(self, name: str) -> Any:
        statement = self.get(name)
        return self._row(_inside(statement, "vector", "vector([x, y, z])"), statement)

    def matrix(self, name: str) -> Any:
        statement = self.get(name)
        wanted = "matrix([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]])"
        rows = [row.strip() for row in split(_inside(statement, "matrix", wanted))]
        if len(rows) != 3 or not all(row.startswith("[") and row.endswith("]") for row in rows):
            statement.fail(f"expected {wanted}, got {statement.value[:60]!r}")
        return tuple(self._row(row[1:-1], statement) for row in rows)

    def _row(self, text: str, statement: Statement) -> tuple[Any, ...]:
        entries = split(text)
        if len(entries) != 3:
            statement.fail(f"{statement.name}: expected three entries, got {len(entries)}")
        return tuple(quantity(entry, statement) for entry in entries)


def _inside(statement: Statement, word: str, wanted: str) -> str:
    match = re.fullmatch(rf"{word}\s*\(\s*\[(.*)\]\s*\)", statement.value)
    if match is None:
        statement.fail(f"expected {wanted}, got {statement.value[:60]!r}")
    return match[1]


def split(text: str) -> list[str]:
    """Entries between commas, those inside brackets left together."""
    found, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            found.append(text[start:place].strip())
            start = place + 1
    return [*found, text[start:].strip()]


def quantity(text: str, statement: Statement) -> Any:
    """A formula of Maple as ours: q[3] is q3, ^ is **, Pi is pi."""
    plain = re.sub(r"\bq\s*\[\s*(\d+)\s*\]", r"q\1", text).replace("^", "**")
    plain = re.sub(r"\bPi\b", "pi", plain)
    if "[" in plain or not plain.strip():
        statement.fail(f"{statement.name}: expected a number or a formula, got {text[:60]!r}")
    try:
        return as_quantity(parse(plain), f"{statement.name}")
    except LocomotorError as error:
        told = str(error).splitlines()[0]
        statement.fail(told if told.startswith(f"{statement.name}:") else f"{statement.name}: {told}")
