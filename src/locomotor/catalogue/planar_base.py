"""Motion in the vertical plane of x (forward) and z (up): three joints that carry a body, by name."""

from typing import Any

from locomotor.catalogue.locomotion_parts import FORWARD, LEFT, UP
from locomotor.model import Frame, Joint, Prismatic, Revolute


def vertical_plane(child: str, *, turning: str | None = "pitch") -> tuple[tuple[Frame, ...], tuple[Joint, ...]]:
    """Frames and joints `forward`, `up` and, unless None, `turning` (about y, positive nose down) from the world to a body."""
    last: dict[str, Any] = {"parent": "rider", "child": child}
    frames = [Frame("slider")]
    joints: list[Joint] = [Prismatic(name="forward", parent="world", child="slider", axis=FORWARD, latex="x")]
    if turning is None:
        return tuple(frames), (*joints, Prismatic(name="up", parent="slider", child=child, axis=UP, latex="z"))
    frames.append(Frame("rider"))
    angle = r"\theta" if turning == "pitch" else ""
    joints.append(Prismatic(name="up", parent="slider", child="rider", axis=UP, latex="z"))
    joints.append(Revolute(name=turning, axis=LEFT, latex=angle, **last))
    return tuple(frames), tuple(joints)
