"""What an MJCF switches off: parts of the physics by `<option><flag>`, and actuators by their groups.

What is switched off is not there: the compiled model is made to say so before anything of it is read, and a note names the
switch.
"""

from __future__ import annotations

from typing import Any

from locomotor.robots.parts import Notes

SWITCHES: dict[str, tuple[str, tuple[str, ...]]] = {
    "spring": (
        "springs",
        (
            "jnt_stiffness",
            "jnt_stiffnesspoly",
            "jnt_springyield",
            "tendon_stiffness",
            "tendon_stiffnesspoly",
            "tendon_springyield",
        ),
    ),
    "damper": (
        "dampers",
        ("dof_damping", "dof_dampingpoly", "tendon_damping", "tendon_dampingpoly", "actuator_damping", "actuator_dampingpoly"),
    ),
    "clampctrl": ("ranges of controls", ("actuator_ctrllimited",)),
    "limit": ("ranges of joints and tendons", ("jnt_limited", "tendon_limited")),
    "frictionloss": ("dry friction", ("dof_frictionloss", "tendon_frictionloss")),
    "contact": ("contacts", ("geom_contype", "geom_conaffinity")),
}
"""By the name of a flag: what it switches, in words, and the numbers that are zero without.

Others (gravity, equality, actuation) are asked for where what they switch is read.
"""
CONSTRAINTS = ("limit", "frictionloss", "equality", "contact")
"""What the flag `constraint` switches off together."""
KEPT = ("contact",)
"""Numbers that stay: masks of geoms say which of them are seen, too."""


def is_off(m: Any, name: str) -> bool:
    """Whether a flag is disabled, by itself or with all constraints."""
    return _disabled(m, name) or (name in CONSTRAINTS and _disabled(m, "constraint"))


def off_in_words(m: Any, name: str) -> str:
    """How the file says that something is off."""
    told = name if _disabled(m, name) else "constraint"
    return f'switched off by <option><flag {told}="disable"/>; take that out of the file to have them'


def switch_off(m: Any, notes: Notes) -> None:
    """Make a compiled model say what acts."""
    for name, (what, arrays) in SWITCHES.items():
        if not is_off(m, name) or not any(getattr(m, array).any() for array in arrays):
            continue
        notes.add("ignored", what, off_in_words(m, name))
        for array in arrays if name not in KEPT else ():
            getattr(m, array)[:] = 0
    if _enabled(m, "sleep"):
        notes.add("ignored", "sleeping bodies", "what is at rest is moved by every force on it")


def actuator_off(m: Any, a: int) -> str:
    """Why an actuator does not act; "" where it does."""
    if is_off(m, "actuation"):
        return 'it is switched off by <option><flag actuation="disable"/>'
    group = int(m.actuator_group[a])
    # Other groups have no bit, and are always on.
    off = 0 <= group <= 30 and int(m.opt.disableactuator) >> group & 1
    return f'it is switched off by <option actuatorgroupdisable="{group}">' if off else ""


def overridden_friction(m: Any) -> tuple[float, float, float] | None:
    """Friction of all contacts against sliding, spinning and rolling, where the file overrides that of the geoms."""
    if not _enabled(m, "override"):
        return None
    slide, _, spin, roll, _ = map(float, m.opt.o_friction)  # sliding and rolling along two directions each
    return slide, spin, roll


def _disabled(m: Any, name: str) -> bool:
    import mujoco

    return bool(m.opt.disableflags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}")))


def _enabled(m: Any, name: str) -> bool:
    import mujoco

    return bool(m.opt.enableflags & int(getattr(mujoco.mjtEnableBit, f"mjENBL_{name.upper()}")))
