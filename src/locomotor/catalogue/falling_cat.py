"""The falling cat: it bends its back and turns over, with zero angular momentum: docs/theory.md (A2); Kane and Scher 1969.

Two halves joined at the waist are the cat of Kane and Scher (1969): the back bends but does not twist. With more segments the
spine is a chain. A waist is a hinge across (bend) and a hinge sideways (sway) with a massless frame between them.
"""

from collections.abc import Mapping

from locomotor.catalogue.locomotion_parts import LEFT, UP, driven, parameter_set, torque_input, whole
from locomotor.model import Body, Frame, Free, Gravity, System

TURN = 1.5572
"""Bend of the two halves, rad, at which one circling of the back turns the cat with the default values upside down."""


def falling_cat(segments: int = 2) -> System:
    """A cat of equal cylindrical segments in free fall; joints `bend_1, sway_1, bend_2, ...` from head to tail."""
    segments = whole(segments, "falling_cat", "segments", 2)
    inertia = ("m*R**2/2", "m*(3*R**2 + L**2)/12", "m*(3*R**2 + L**2)/12")
    waists = range(1, segments)
    return System(
        "falling_cat" if segments == 2 else f"falling_cat_{segments}",
        bodies=(
            Body("segment_0", mass="m", inertia=inertia),
            *(Frame(f"waist_{k}") for k in waists),
            *(Body(f"segment_{k}", mass="m", com=("-L/2", 0.0, 0.0), inertia=inertia) for k in waists),
        ),
        joints=(
            Free(name="base", parent="world", child="segment_0"),
            *(
                joint
                for k in waists
                for joint in (
                    driven(
                        f"bend_{k}",
                        f"segment_{k - 1}",
                        f"waist_{k}",
                        at=("-L/2" if k == 1 else "-L", 0.0, 0.0),
                        axis=LEFT,
                        description=f"bend of the back at waist {k}, about the axis to the left",
                    ),
                    driven(
                        f"sway_{k}",
                        f"waist_{k}",
                        f"segment_{k}",
                        axis=UP,
                        description=f"bend of the back at waist {k}, sideways",
                    ),
                )
            ),
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("m", 3.0 / segments, "kg", "mass of a segment"),
            ("L", 0.5 / segments, "m", "length of a segment"),
            ("R", 0.08, "m", "radius of a segment"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        inputs=tuple(
            torque_input(f"{way}_{k}", f"torque of the muscles that {way} waist {k}")
            for k in waists
            for way in ("bend", "sway")
        ),
        description=f"cat of {segments} segments in free fall: no outside torque about its centre of mass",
    )


def falling_cat_gaits(segments: int = 2) -> Mapping[str, Mapping[str, str]]:
    """Laws of the joints: the back bends in 0.15 s, its bend goes once round in 0.4 s, and it stretches again; 0.7 s in all.

    "turn" bends by `TURN` in all and turns the cat of two halves over; "small" bends by a quarter of that.
    """
    segments = whole(segments, "falling_cat_gaits", "segments", 2)
    return {name: _circling(size * TURN / (segments - 1), segments) for name, size in (("turn", 1.0), ("small", 0.25))}


def _circling(bend: float, segments: int) -> dict[str, str]:
    size = f"{bend!r}*(smooth_step(t, 0, 0.15) - smooth_step(t, 0.55, 0.7))"
    phase = "2*pi*smooth_step(t, 0.15, 0.55)"
    return {
        joint: law
        for k in range(1, segments)
        for joint, law in ((f"bend_{k}", f"{size}*cos({phase})"), (f"sway_{k}", f"{size}*sin({phase})"))
    }
