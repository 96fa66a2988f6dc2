"""The falling cat: it bends its back and turns over, with zero angular momentum: docs/theory.md (A2); Kane and Scher 1969.

Two halves joined at the waist are the cat of Kane and Scher (1969): the back bends but does not twist. With more segments the
spine is a chain. A waist is a hinge across (bend) and a hinge sideways (sway) with a massless frame between them.
"""

from collections.abc import Mapping

from locomotor import checks
from locomotor.catalogue.drawn_parts import eyes
from locomotor.catalogue.locomotion_parts import LEFT, UP, driven, parameter_set, torque_input, whole
from locomotor.model import Body, Cylinder, Ellipsoid, Frame, Free, Gravity, Shape, Sphere, System, Tube

TURN = 1.5572
"""Bend of the two halves, rad, at which one circling of the back turns the cat with the default values upside down."""


@checks.fitting
def falling_cat(segments: int = 2) -> System:
    """A cat of equal cylindrical segments in free fall; joints `bend_1, sway_1, bend_2, ...` from head to tail."""
    segments = whole(segments, "falling_cat", "segments", 2)
    inertia = ("m*R**2/2", "m*(3*R**2 + L**2)/12", "m*(3*R**2 + L**2)/12")
    waists = range(1, segments)
    return System(
        "falling_cat" if segments == 2 else f"falling_cat_{segments}",
        bodies=(
            Body("segment_0", mass="m", inertia=inertia, shapes=_front()),
            *(Frame(f"waist_{k}", shapes=[Sphere("0.97*R", colour="fur")]) for k in waists),
            *(
                Body(
                    f"segment_{k}",
                    mass="m",
                    com=("-L/2", 0.0, 0.0),
                    inertia=inertia,
                    shapes=_back() if k == segments - 1 else [Cylinder((0, 0, 0), ("-L", 0, 0), "0.97*R", colour="fur")],
                )
                for k in waists
            ),
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


@checks.fitting
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


def _front() -> list[Shape]:
    """Chest, head with ears and whiskers, forelegs."""
    head = ("L/2 + 0.75*R", 0.0, "0.7*R")
    shapes: list[Shape] = [
        Tube([("-L/2", 0, 0), ("0", 0, 0), ("L/2", 0, "0.25*R")], ("0.97*R", "R", "0.75*R"), smooth=True, colour="fur"),
        Sphere("0.68*R", at=head, colour="fur"),
        Ellipsoid(("0.3*R", "0.36*R", "0.26*R"), at=("L/2 + 1.3*R", 0.0, "0.52*R"), colour="light"),
        Sphere("0.1*R", at=("L/2 + 1.6*R", 0.0, "0.6*R"), colour="accent"),
        *eyes("L/2 + 1.22*R", "0.55*R", "0.9*R", "0.15*R"),
    ]
    for side in (-1.0, 1.0):
        ear = (f"{0.42 * side}*R", f"{0.52 * side}*R")
        shapes += [
            Tube([("L/2 + 0.65*R", ear[0], "1.15*R"), ("L/2 + 0.6*R", ear[1], "1.75*R")], ("0.27*R", "0.02*R"), colour="fur"),
            Tube([("L/2 + 1.4*R", 0, "0.5*R"), ("L/2 + 1.45*R", f"{side}*R", "0.62*R")], "0.02*R", colour="light"),
            *_leg("L/2 - 0.3*R", side, 0.25),
        ]
    return shapes


def _back() -> list[Shape]:
    """Belly, hind legs and tail."""
    return [
        Tube([(0, 0, 0), ("-L/2", 0, 0), ("-0.9*L", 0, 0)], ("0.97*R", "R", "0.85*R"), smooth=True, colour="fur"),
        *_leg("-L + 0.2*R", -1.0, -0.1),
        *_leg("-L + 0.2*R", 1.0, -0.1),
        Tube(
            [("-L - 0.5*R", 0, "0.3*R"), ("-L - 1.6*R", 0, "0.4*R"), ("-L - 2.6*R", 0, "1.3*R"), ("-L - 2.5*R", 0, "2.6*R")],
            ("0.24*R", "0.2*R", "0.18*R", "0.14*R"),
            smooth=True,
            colour="fur",
        ),
    ]


def _leg(x: str, side: float, lean: float) -> list[Shape]:
    foot = (f"{x} + {lean}*R", f"{0.55 * side}*R", "-1.75*R")
    return [
        Tube(
            [(x, f"{0.5 * side}*R", "-0.3*R"), (f"{x} - {lean}*R", f"{0.6 * side}*R", "-1.1*R"), foot],
            ("0.4*R", "0.27*R", "0.22*R"),
            colour="fur",
        ),
        Ellipsoid(("0.36*R", "0.24*R", "0.17*R"), at=(f"{x} + {lean + 0.12}*R", foot[1], "-1.8*R"), colour="light"),
    ]
