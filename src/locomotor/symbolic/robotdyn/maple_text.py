"""A robot as the three files that RobotDyn reads."""

from __future__ import annotations

import re
from typing import Any

from locomotor.symbolic.robotdyn.maple_files import FILES
from locomotor.symbolic.robotdyn.robot import Robot, Segment


def robot_maple(robot: Robot) -> dict[str, str]:
    """Text by the name of the file."""
    geometry = [f"NSEG := {len(robot.segments)};", f"NDDL := {robot.coordinates};"]
    geometry += ["q := vector(NDDL):", "qdot := vector(NDDL):"]
    masses = [f"GRAVITE := vector({_row(robot.gravity)});"]
    for k, segment in enumerate(robot.segments, 1):
        geometry += _placed(segment, k)
        masses += [f"# Segment {k}", f"masse_{k} := {_text(segment.mass)};", f"G_{k} := vector({_row(segment.centre)});"]
        masses.append(f"I_{k} := matrix([{', '.join(_row(row) for row in segment.inertia)}]);")
    geometry.append(f"base := vector({_row(robot.base)});")
    further = [f"COMPLEMENT := {len(robot.extremities)};", f"EXPORT := {str(robot.export).lower()};"]
    for k, segment in enumerate(robot.extremities, len(robot.segments) + 1):
        further += _placed(segment, k)
    return {name: "\n".join(lines) + "\n" for name, lines in zip(FILES, (geometry, masses, further), strict=True)}


def _placed(segment: Segment, k: int) -> list[str]:
    values = {word: _text(getattr(segment, word)) for word in ("alpha", "theta", "d", "a")}
    values |= {"ref": str(segment.ref), "type": f"'{segment.kind}'"}
    return [f"# Segment {k}", *(f"{word}_{k} := {value};" for word, value in values.items())]


def _row(entries: tuple[Any, ...]) -> str:
    return f"[{', '.join(_text(entry) for entry in entries)}]"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    text = re.sub(r"\bq(\d+)\b", r"q[\1]", str(value)).replace("**", "^")
    return re.sub(r"\bpi\b", "Pi", text)
