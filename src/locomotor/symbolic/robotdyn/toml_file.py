"""The same robot as TOML, and back: one table a segment, one for each further extremity."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from locomotor.errors import LocomotorError, TextFileError
from locomotor.model import as_quantity
from locomotor.model.texts import line_in_toml, toml_text
from locomotor.names import nearest
from locomotor.symbolic.robotdyn.robot import KINDS, REVOLUTE, Robot, Segment

HEAD = "robot"
TOP = (HEAD, "coordinates", "base", "gravity", "export", "segment", "extremity")
SEGMENT = ("type", "parent", "theta", "d", "a", "alpha", "mass", "centre", "inertia")
COORDINATE = re.compile(r"\bq\s*\[\s*(\d+)\s*\]")
"""q[1], as RobotDyn writes q1."""
EXTREMITY = ("type", "parent", "theta", "d", "a", "alpha")


def robot_toml(robot: Robot) -> str:
    """The text of a robot."""
    data: dict[str, Any] = {HEAD: robot.name, "coordinates": robot.coordinates}
    data |= {"base": _plain(robot.base), "gravity": _plain(robot.gravity), "export": robot.export}
    data["segment"] = [_table(segment, heavy=True) for segment in robot.segments]
    if robot.extremities:
        data["extremity"] = [_table(segment, heavy=False) for segment in robot.extremities]
    return toml_text(data, "A robot by Denavit-Hartenberg parameters (distal), as RobotDyn describes it; q1, q2, ... move it.")


def _table(segment: Segment, heavy: bool) -> dict[str, Any]:
    found = {"type": segment.kind.lower(), "parent": segment.ref}
    found |= {key: _plain(getattr(segment, key)) for key in ("theta", "d", "a", "alpha")}
    if heavy:
        found |= {"mass": _plain(segment.mass), "centre": _plain(segment.centre), "inertia": _plain(segment.inertia)}
    return found


def _plain(value: Any) -> Any:
    """Numbers stay numbers, formulas become text."""
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return str(value)


def read_toml(path: Path) -> Robot:
    """A robot from a TOML file."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise TextFileError(f"cannot read {path}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        told = str(error).replace("at end of document", f"at line {len(text.splitlines())}, the end of the document")
        raise TextFileError(f"{path}: this is no TOML: {told}") from error
    return _Reader(path, text).robot(data)


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text

    def robot(self, data: Mapping[str, Any]) -> Robot:
        self._check_keys(data, TOP, ())
        name = data.get(HEAD)
        if not isinstance(name, str):
            self.fail((HEAD,), f"expected the name of the robot, {HEAD} = 'walker', first of all")
        try:
            return Robot(
                name,
                self._whole(data, ("coordinates",), 1),
                self._segments(data, "segment", SEGMENT),
                self._row(data.get("base", [0, 0, 0]), ("base",)),
                self._row(data.get("gravity", [0, 0, 0]), ("gravity",)),
                self._segments(data, "extremity", EXTREMITY),
                self._truth(data.get("export", False), ("export",)),
            )
        except TextFileError:
            raise
        except LocomotorError as error:
            self.fail(_place_of(str(error), len(data.get("segment", ()))), str(error))

    def _segments(self, data: Mapping[str, Any], kind: str, keys: Sequence[str]) -> tuple[Segment, ...]:
        tables = data.get(kind, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.fail((kind,), f"expected tables [[{kind}]]")
        if kind == "segment" and not tables:
            self.fail((), "expected at least one table [[segment]]")
        return tuple(self._segment(table, (kind, k), keys) for k, table in enumerate(tables))

    def _segment(self, table: Mapping[str, Any], place: tuple[str | int, ...], keys: Sequence[str]) -> Segment:
        self._check_keys(table, keys, place)
        word = str(table.get("type", REVOLUTE)).upper()
        if word not in KINDS:
            near = nearest(word, KINDS)
            self.fail(
                (*place, "type"), f"type is {table['type']!r}; " + (f"did you mean {near.lower()!r}?" if near else _kinds())
            )
        theta, d, a, alpha = (self._quantity(table.get(k, 0), (*place, k)) for k in ("theta", "d", "a", "alpha"))
        ref = self._whole(table, (*place, "parent"), 0)
        if "mass" not in keys:
            return Segment(alpha, theta, d, a, ref, word)
        inertia = table.get("inertia", [[0, 0, 0]] * 3)
        if not isinstance(inertia, list) or len(inertia) != 3:
            self.fail((*place, "inertia"), "expected three rows of three entries")
        rows = tuple(self._row(row, (*place, "inertia")) for row in inertia)
        mass = self._quantity(table.get("mass", 0), (*place, "mass"))
        return Segment(alpha, theta, d, a, ref, word, mass, self._row(table.get("centre", [0, 0, 0]), (*place, "centre")), rows)

    def _check_keys(self, table: Mapping[str, Any], keys: Sequence[str], place: tuple[str | int, ...]) -> None:
        for key in table:
            if key not in keys:
                near = nearest(key, keys)
                hint = f"did you mean {near!r}?" if near else f"expected one of {', '.join(keys)}"
                first = (0,) if isinstance(table[key], list) else ()  # the first of tables of that name
                self.fail((*place, key, *first), f"{key!r} is no keyword here; {hint}")

    def _whole(self, table: Mapping[str, Any], place: tuple[str | int, ...], least: int) -> int:
        value = table.get(str(place[-1]))
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            told = "is missing" if value is None else f"is {value!r}"
            self.fail(
                place if value is not None else place[:-1], f"{place[-1]} {told}; expected a whole number from {least} on"
            )
        return value

    def _truth(self, value: Any, place: tuple[str | int, ...]) -> bool:
        if not isinstance(value, bool):
            self.fail(place, f"{place[-1]} is {value!r}; expected true or false")
        return value

    def _row(self, value: Any, place: tuple[str | int, ...]) -> tuple[Any, Any, Any]:
        if not isinstance(value, list) or len(value) != 3:
            self.fail(place, f"{place[-1]} is {value!r}; expected three entries")
        x, y, z = (self._quantity(entry, place) for entry in value)
        return x, y, z

    def _quantity(self, value: Any, place: tuple[str | int, ...]) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            self.fail(place, f"{place[-1]} is {value!r}; expected a number or a formula such as 'q1 + pi/2'")
        try:
            return as_quantity(COORDINATE.sub(r"q\1", value) if isinstance(value, str) else value, str(place[-1]))
        except LocomotorError as error:
            told = str(error).splitlines()[0]
            self.fail(place, told if told.startswith(f"{place[-1]}:") else f"{place[-1]}: {told}")

    def fail(self, place: Sequence[str | int], words: str) -> NoReturn:
        line = line_in_toml(self.text, place)
        raise TextFileError(f"{self.path}{f', line {line}' if line else ''}: {words}")


def _place_of(message: str, segments: int) -> tuple[str | int, ...]:
    """Where in the file a message about a robot belongs: it speaks of ref_2, type_2 or I_2 of the second segment."""
    found = re.search(r"\b(ref|type|I)_(\d+)", message)
    if found is None:
        return ()
    key, number = {"ref": "parent", "type": "type", "I": "inertia"}[found[1]], int(found[2]) - 1
    return ("segment", number, key) if number < segments else ("extremity", number - segments, key)


def _kinds() -> str:
    return "expected 'revolute' or 'prismatic'"
