"""Colours and finish of everything drawn in three dimensions, by role; the page and the glTF file read this table."""

from __future__ import annotations

from locomotor.dataclass import dataclass
from locomotor.viewing.scene.scene import Scene

PALETTE = ("#2f7fd1", "#e07b39", "#3f9e5f", "#a15cb8", "#d0a215", "#1f9aa3", "#cc4b6c", "#7a8794")
"""One colour a body, in turn."""


@dataclass(frozen=True)
class Material:
    """A finish: `colour` is "body" where each body has its own."""

    colour: str
    metal: float = 0.1
    rough: float = 0.55
    opacity: float = 1.0


MATERIALS = {
    "link": Material("body", metal=0.25, rough=0.4),
    "solid": Material("body", metal=0.0, rough=0.6, opacity=0.2),
    "tyre": Material("#3d444e", metal=0.0, rough=0.85),
    "rim": Material("#c3cad3", metal=0.55, rough=0.35),
    "mark": Material("#ff5a36", metal=0.0, rough=0.5),
    "hinge": Material("#6b7480", metal=0.5, rough=0.4),
    "blade": Material("#aab4c0", metal=0.7, rough=0.3),
    "foot": Material("#ff5a36", metal=0.0, rough=0.5),
    "spring": Material("#d0a215", metal=0.5, rough=0.35),
    "damper": Material("#7a8794", metal=0.5, rough=0.35),
    "rod": Material("#aab4c0", metal=0.6, rough=0.32),
    # what bodies are declared to be made of
    "body": Material("body", metal=0.15, rough=0.45),
    "paint": Material("#888888", metal=0.1, rough=0.5),
    "accent": Material("#ff5a36", metal=0.05, rough=0.5),
    "metal": Material("#aab4c0", metal=0.6, rough=0.32),
    "dark": Material("#2e343c", metal=0.2, rough=0.55),
    "rubber": Material("#3d444e", metal=0.0, rough=0.85),
    "light": Material("#eef1f4", metal=0.05, rough=0.5),
    "wood": Material("#c08a4f", metal=0.0, rough=0.7),
    "glass": Material("#8fc7e8", metal=0.1, rough=0.15, opacity=0.55),
    "panel": Material("#1f3f7a", metal=0.45, rough=0.25),
    "skin": Material("#e0a582", metal=0.0, rough=0.7),
    "cloth": Material("#5b6b8c", metal=0.0, rough=0.9),
    "fur": Material("#d98b3f", metal=0.0, rough=0.95),
    "foil": Material("#d8b24a", metal=0.6, rough=0.35),
    "water": Material("#4f9fc8", metal=0.05, rough=0.4),
    "com_dark": Material("#15181d", metal=0.0, rough=0.5),
    "com_light": Material("#ffd84d", metal=0.0, rough=0.5),
}


DULL = "#7a8794"
"""Colour of bodies without a shape among others with colours of their own, as motors that the file of a robot does not show."""


def colours(scene: Scene) -> tuple[str, ...]:
    """The colour of each body: in turn for those that show it, so that neighbours differ."""
    roles = {part.role for body in scene.bodies for part in body.parts}
    if "paint" in roles and "body" not in roles:
        return (DULL,) * len(scene.bodies)
    found, used = [], 0
    for body in scene.bodies:
        found.append(PALETTE[used % len(PALETTE)])
        used += any(MATERIALS[part.role].colour == "body" for part in body.parts)
    return tuple(found)
