"""What is attached to a soft body stands on a frame that is welded to it there, and moves with it.

A contact, a force or a closure names a body and points of it. The points of a soft body move in its frame: so that recursions,
terrain, events and pictures need not know, each such part gets a massless `Frame` of its own at its point, fixed to the body,
parallel to the frame of the undeformed body. Whatever a soft body is made of, it only has to move the sites of its joints.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from locomotor.errors import SoftBodyError
from locomotor.model.body import Body, Frame
from locomotor.model.contacts import Contact, Plane, RoundGround
from locomotor.model.description import Description
from locomotor.model.expressions import VectorLike
from locomotor.model.forces import Force
from locomotor.model.joint import Fixed, Joint
from locomotor.model.loops import Closure

ORIGIN = (0.0, 0.0, 0.0)
GROUND_POINTS = ("point", "centre", "start", "end")
"""Fields of grounds that a body carries which are points of it."""
D = TypeVar("D", bound=Description)


def weld(body: str, at: VectorLike, name: str) -> tuple[Frame, Fixed]:
    """A frame called `name` that moves with the point `at` of the undeformed body, and the joint that fixes it there."""
    return Frame(name), Fixed(name=f"{name}_weld", parent=body, child=name, at=at)


def with_stations(
    bodies: tuple[Body | Frame, ...], joints: tuple[Joint, ...], parts: Mapping[str, tuple[Any, ...]]
) -> dict[str, tuple[Any, ...]]:
    """Bodies, joints and the attached parts by the name of their list, with a welded frame wherever one is at a soft body."""
    soft = {body.name for body in bodies if body.coordinates}
    if not soft:
        return {}
    frames: list[Frame] = []
    welds: list[Joint] = []

    def moved(part: D) -> D:
        for field, points in _attachments(part):
            name = getattr(part, field)
            if name not in soft:
                continue
            if not points:
                raise SoftBodyError(
                    f"{part.label}: its {field} {name!r} is a soft body, and it does not say at which point it is attached; "
                    "fix a Frame to the body there with a Fixed joint, and name that"
                )
            at = getattr(part, points[0])
            frame, joint = weld(name, at, f"{name}_at_{getattr(part, 'name')}{field.removeprefix('body')}")  # noqa: B009
            frames.append(frame)
            welds.append(joint)
            others = {point: _less(getattr(part, point), at) for point in points[1:]}
            part = dataclasses.replace(part, **{field: frame.name, points[0]: ORIGIN, **others})  # type: ignore[type-var]
        return part

    found = {key: tuple(moved(part) for part in entries) for key, entries in parts.items()}
    return {**found, "bodies": (*bodies, *frames), "joints": (*joints, *welds)}


def _attachments(part: Description) -> list[tuple[str, tuple[str, ...]]]:
    """Each field that names a body, with the fields that are points of that body."""
    if isinstance(part, Contact):
        return [("body", part.POINTS)]
    if isinstance(part, Plane | RoundGround):
        known = {entry.name for entry in dataclasses.fields(part)}
        return [("body", tuple(point for point in GROUND_POINTS if point in known))]
    if isinstance(part, Force | Closure):
        if isinstance(part, Force) and part.ALONG_BODY:
            return []
        known = {entry.name for entry in dataclasses.fields(part)}  # type: ignore[arg-type]
        points = {field: f"at{field.removeprefix('body')}" for field in part.BODIES}
        return [(field, (point,) if point in known else ()) for field, point in points.items()]
    return []


def _less(point: Any, at: Any) -> tuple[Any, ...]:
    return tuple(a - b for a, b in zip(point, at, strict=True))
