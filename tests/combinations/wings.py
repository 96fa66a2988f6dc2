"""What each value of the axes `wings` and `wind` stands for: surfaces on the limb, and the air that they move in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import locomotor as lm

EVERYTHING = ("translation", "rotation", "added_mass", "viscous", "spin")
ROOT = {"at": (0.0, 0.05, 0.1), "rotation": (0.1, 0.2, -1.2)}
"""Where a body that is a wing begins on the limb: it points to the right, and has no symmetry with the axes."""
SECTION = lm.CrossSection(mass=0.8, EIy=3.0, EIz=4.0, GJ=2.0, second=(0.002, 0.003, 0.0), moment=(0.01, -0.02))


@dataclass(frozen=True)
class Winged:
    """Bodies, joints and forces of one kind of wing."""

    bodies: tuple[Any, ...] = ()
    joints: tuple[Any, ...] = ()
    forces: tuple[Any, ...] = ()


def _sheet(body: str) -> lm.Wing:
    """A wing along a body that is one."""
    return lm.Wing(
        "sheet", body, length=0.26, chord="0.12 - 0.2*X", root=(0.02, 0, 0), span=(1, 0, 0), chord_axis=(0, 1, 0), axis=0.3,
        sections=2,
    )  # fmt: skip


def _mounted(body: Any) -> Winged:
    return Winged((body,), (lm.Fixed(name="mount", parent="limb", child=body.name, **ROOT),), (_sheet(body.name),))


WINGS: dict[str, Winged] = {
    "none": Winged(),
    "rigid": Winged(
        forces=(
            lm.Wing("foil", "limb", length=0.4, chord="0.3 - 0.2*X", span=(0, 0.6, 0.8), chord_axis=(1, 0, 0), axis=0.25,
                    twist="X", sections=2, mechanisms=EVERYTHING),
            lm.Fin("rudder", "limb", length=0.2, chord=0.1, span=(0, 0, 1), sections=1, lift="dickinson1999"),
        )
    ),
    "hinged": Winged(
        (lm.Body("vane", 0.15, com=(0.12, -0.02, 0.0), inertia=(2e-4, 9e-4, 1e-3)),),
        (lm.Revolute(name="feather", parent="limb", child="vane", axis=(1, 0, 0), **ROOT),),
        (_sheet("vane"), lm.JointSpring("hinge", "feather", 0.8), lm.JointDamper("loss", "feather", 0.01)),
    ),
    "flexible": _mounted(lm.FlexibleBody("blade", 0.3, SECTION, bending_z=1, torsion=1, damping=0.01)),
    "rod": _mounted(lm.Rod("blade", section=SECTION, length=0.3, strains={"bend_y": 1, "twist": 1}, points=3, damping=1e-3)),
}  # fmt: skip
"""Each on the limb, which hangs on every kind of joint and touches every kind of ground."""

WIND: dict[str, tuple[Any, Any, Any]] = {
    "still": (0.0, 0.0, 0.0),
    "steady": (1.5, -0.4, 0.2),
    "varies": ("0.4 + 0.2*sin(9*t)", "0.1*x", "-0.2*z"),
    "jumps": ("if_else(less(t, 0.0113), 0.5, if_else(less(t, 0.0237), -2.0, 1.0))", 0.3, 0.0),
}


def air(wind: str) -> lm.Air:
    """The air with that wind; without wings it touches nothing."""
    return lm.Air(wind=WIND[wind])
