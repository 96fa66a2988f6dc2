"""What bends in the random systems: a spine in the middle of the tree, a toe that carries what touches, a link of a loop."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import locomotor as lm

SLICE = lm.CrossSection(mass=1.5, EIy=9.0, GJ=6.0, second=(0.002, 0.003, 0.0), moment=(0.01, -0.02))
SPINES: tuple[Any, ...] = (
    lm.FlexibleBody("spine", 0.2, SLICE, bending_z=1, torsion=1, damping=0.02),
    lm.Rod("spine", section=SLICE, length=0.2, strains={"bend_y": 2, "twist": 1}, points=4, damping=1e-3),
)
"""Soft bodies in the middle of the tree: the joint that is tried drives their start, and the limb hangs on their end.
Cases have the first and the second by turns."""
TIP = (0.2, 0.0, 0.0)
FLAG = lm.Fin("flag", "spine", length=0.16, chord=0.06, root=(0.02, 0, 0), span=(1, 0, 0), chord_axis=(0, 1, 0), sections=2)
"""A fin on the soft body in the middle, beside the wings of the limb."""


@dataclass(frozen=True)
class Sole:
    """The body that touches the ground or carries the wheel, and where: points and directions in its frame."""

    body: str
    foot: tuple[float, float, float]
    axle: tuple[float, float, float]
    """Where a wheel turns."""
    ahead: tuple[float, float, float]
    ends: tuple[tuple[float, float, float], tuple[float, float, float]]
    """Of a capsule."""
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Where the end of a capsule is moved to come later."""
    toe: Any = None
    """The soft body that it is, if it is one."""

    @property
    def joints(self) -> tuple[Any, ...]:
        """What holds it."""
        return () if self.toe is None else (lm.Fixed(name="ankle", parent="limb", child=self.toe.name, **HANGS),)


HANGS = {"at": (0.02, 0.0, -0.12), "rotation": (0.0, 0.5 * math.pi, 0.0)}
"""A toe hangs on the limb and points down: its x is the limb's -z, its z the limb's x."""
HIDE = lm.CrossSection(mass=1.2, EIy=7.0, EIz=8.0, GJ=5.0, second=(0.001, 0.002, 0.0), moment=(0.01, 0.006))


def _soft(toe: Any) -> Sole:
    # Ends so far from the tip that the second, brought to the height of the first on a toe that leans, is still on the toe.
    ends = ((0.13, 0.0, -0.1), (0.11, 0.05, 0.1))
    return Sole("toe", (0.2, 0.01, 0.04), (0.2, 0.0, 0.0), (0.0, 0.0, 1.0), ends, (-1.0, 0.0, 0.0), toe)


SOLES: dict[str, Sole] = {
    "rigid": Sole("limb", (0.12, 0.02, -0.35), (0.0, 0.0, -0.3), (1.0, 0.0, 0.0), ((-0.1, 0.0, -0.3), (0.14, 0.05, -0.3))),
    "flexible": _soft(lm.FlexibleBody("toe", 0.2, HIDE, bending_y=1, bending_z=1, torsion=1, damping=0.02)),
    "rod": _soft(lm.Rod("toe", section=HIDE, length=0.2, strains={"bend_y": 1, "bend_z": 1, "twist": 1}, damping=1e-3)),
}
"""What touches: the limb itself, or a soft body that hangs on it."""

REED = lm.CrossSection(mass=1.2, EIy=1.5, second=(0.001, 0.002, 0.0), moment=(0.01, 0.006))
LEAVES: tuple[Any, ...] = (
    lambda length: lm.Rod("leaf", section=REED, length=length, strains={"bend_y": 2}, points=4, damping=1e-3),
    lambda length: lm.FlexibleBody("leaf", length, REED, bending_z=1, damping=0.02),
)
"""Links of a loop that bend, by turns: held at both ends they swing faster than a toe, and are softer for it."""
