"""Swimmers in a plane: the three-link fish and the scallop, in an ideal or a viscous fluid: docs/theory.md (A3), (A5).

Links are elliptic columns of unit depth across the plane. In an ideal fluid at rest an ellipse with half-axes a (along) and
b (across) carries the added masses rho pi b^2 along and rho pi a^2 across and the added inertia rho pi (a^2 - b^2)^2/8, all
per depth (Lamb, Hydrodynamics, section 71); each link is taken to be alone in the fluid. In a viscous fluid each link has
the drags of a slender body: twice as much across as along.
"""

import math
from collections.abc import Callable

from locomotor import checks
from locomotor.catalogue.drawn_parts import eyes
from locomotor.catalogue.locomotion_parts import Row, driven, parameter_set, torque_input
from locomotor.checks import choice
from locomotor.errors import ModelError
from locomotor.model import AddedMass, Body, Ellipsoid, FluidDrag, Planar, Plate, Shape, Sphere, System, Tube
from locomotor.model.forces import Force

SWIMMER_GAITS = {
    "forward": {
        "tail_1": "(1 - exp(-4*t**3))*0.7*sin(2*t)",
        "tail_2": "(1 - exp(-4*t**3))*0.7*sin(2*t - 1.5)",
    },
    "turn": {
        "tail_1": "(1 - exp(-4*t**3))*(0.4 + 0.5*sin(2*t))",
        "tail_2": "(1 - exp(-4*t**3))*(0.4 + 0.5*sin(2*t - 1.5))",
    },
}
"""A wave that runs down the tail, about the straight fish and about a bent one; it begins at rest, with zero momentum."""
SCALLOP_GAITS = {
    "clap": {"valve": "0.6 - 0.5*cos(2*t)"},
    "fast_and_slow": {"valve": "0.6 - 0.5*cos(2*t + 0.8*sin(2*t))"},
}
"""Opening and closing, evenly or not, from rest: after each cycle of pi seconds it is where it was."""

FLUIDS = ("ideal", "stokes")
UPRIGHT = (math.pi / 2.0, 0.0, 0.0)
"""Turns an outline so that its second axis points up."""


@checks.fitting
def swimmer(fluid: str = "ideal") -> System:
    """Head and two tail links, joined end to end: the carangiform fish; `fluid` is "ideal" or "stokes" (viscous)."""
    return _chain("swimmer", ("head", "middle", "fin"), ("tail_1", "tail_2"), fluid)


@checks.fitting
def scallop(fluid: str = "ideal") -> System:
    """Two shells with one hinge: one shape coordinate, hence no net motion in a cycle (the scallop theorem)."""
    return _chain("scallop", ("shell", "lid"), ("valve",), fluid)


def _chain(name: str, links: tuple[str, ...], hinges: tuple[str, ...], fluid: str) -> System:
    choice(*FLUIDS, "viscous", error=ModelError)(fluid, f"{name}: the fluid")
    fluid = "stokes" if fluid == "viscous" else fluid
    mass = "rho*pi*a*b"
    inertia = (f"{mass}*(b**2/4 + 1/12)", f"{mass}*(a**2/4 + 1/12)", f"{mass}*(a**2 + b**2)/4")
    rows: list[Row] = [
        ("rho", 1000.0, "kg/m^3", "density of the fluid and of the links, per metre across the plane"),
        ("a", 0.1, "m", "half the length of a link"),
        ("b", 0.01, "m", "half the width of a link"),
    ]
    if fluid == "stokes":
        rows.append(("c", 50.0, "N s/m^2", "drag along a link per length and speed; across it is twice as much"))
    return System(
        name if fluid == "ideal" else f"{name}_{fluid}",
        bodies=tuple(
            Body(link, mass=mass, com=("0" if k == 0 else "-a", 0.0, 0.0), inertia=inertia, shapes=LOOKS[link]())
            for k, link in enumerate(links)
        ),
        joints=(
            Planar(name="base", parent="world", child=links[0]),
            *(
                driven(
                    hinge,
                    links[k],
                    links[k + 1],
                    at=("-a" if k == 0 else "-2*a", 0.0, 0.0),
                    description=f"angle of {links[k + 1]} against {links[k]}",
                )
                for k, hinge in enumerate(hinges)
            ),
        ),
        forces=tuple(_fluid_force(link, "0" if k == 0 else "-a", fluid) for k, link in enumerate(links)),
        parameters=parameter_set(*rows),
        inputs=tuple(torque_input(hinge, f"torque of {links[k]} on {links[k + 1]}") for k, hinge in enumerate(hinges)),
        description=f"{len(links)} elliptic links in {'an ideal' if fluid == 'ideal' else 'a viscous'} fluid at rest",
    )


def _fluid_force(link: str, centre: str, fluid: str) -> Force:
    """Added mass or drag of a link whose centre is at `centre` on the x axis of its frame."""
    if fluid == "ideal":
        along, across, turning = "rho*pi*b**2", "rho*pi*a**2", "rho*pi*(a**2 - b**2)**2/8"
        return AddedMass(f"{link}_added_mass", link, _planar_form(along, across, turning, centre))
    along, across, turning = "2*a*c", "4*a*c", "4*a**3*c/3"
    return FluidDrag(f"{link}_drag", link, _planar_form(along, across, turning, centre))


def _planar_form(along: str, across: str, turning: str, centre: str) -> tuple[tuple[str, ...], ...]:
    """The 6x6 form of a planar body about its frame, from its values about its centre: v_centre = v + W x."""
    rows = [["0"] * 6 for _ in range(6)]
    rows[0][0], rows[1][1] = along, across
    rows[1][5] = rows[5][1] = f"({across})*({centre})"
    rows[5][5] = f"{turning} + ({across})*({centre})**2"
    return tuple(tuple(row) for row in rows)


# -- looks: only the half-axes a and b in the plane enter the motion; heights are ours ---------------------------------

SCALES, FIN = "#ef8132", "#c85a1d"


def _head() -> list[Shape]:
    """The head and the thickest part of the fish, with gills, fins and eyes."""
    back = [("-0.7*a", "0.5*a"), ("0.35*a", "0.42*a"), ("-0.15*a", "0.8*a"), ("-0.75*a", "0.78*a")]
    return [
        Ellipsoid(("1.18*a", "3*b", "0.56*a"), colour=SCALES),
        Ellipsoid(("0.75*a", "2.6*b", "0.3*a"), at=("0.25*a", 0, "-0.22*a"), colour="light"),
        Plate(back, "0.5*b", rotation=UPRIGHT, colour=FIN),
        *eyes("0.78*a", "3.6*b", "0.14*a", "0.1*a"),
        *(
            Plate([(0, 0), ("-0.55*a", "-0.1*a"), ("-0.65*a", "-0.38*a"), ("-0.2*a", "-0.2*a")], "0.3*b",
                  at=("0.15*a", f"{side}*2.8*b", "-0.1*a"), rotation=(math.pi / 2.0 + 0.5 * side, 0, 0), colour=FIN)
            for side in (-1.0, 1.0)
        ),
    ]  # fmt: skip


def _middle() -> list[Shape]:
    """Where the body becomes narrow."""
    low = [("-1.1*a", "-0.2*a"), ("-1.3*a", "-0.55*a"), ("-0.75*a", "-0.3*a")]
    return [
        Ellipsoid(("1.15*a", "2.1*b", "0.42*a"), at=("-0.9*a", 0, 0), colour=SCALES),
        Plate(low, "0.4*b", rotation=UPRIGHT, colour=FIN),
    ]


def _tail() -> list[Shape]:
    """The stem of the tail and the forked fin."""
    fork = [("-1*a", "0.1*a"), ("-2*a", "0.75*a"), ("-1.75*a", "0"), ("-2*a", "-0.75*a"), ("-1*a", "-0.1*a")]
    return [
        Tube([(0.0, 0, 0), ("-0.7*a", 0, 0), ("-1.3*a", 0, 0)], ("1.8*b", "1.4*b", "0.6*b"), smooth=True, colour=SCALES),
        Plate(fork, "0.6*b", rotation=UPRIGHT, colour=FIN),
    ]


def _valve(way: float, hinge: str) -> Callable[[], list[Shape]]:
    """A fan with ribs from the hinge outward, along x or against it, standing upright."""
    ribs = 9
    angles = [0.95 * (2.0 * k / (ribs - 1) - 1.0) for k in range(ribs)]

    def place(radius: float, angle: float) -> tuple[str, str]:
        return f"{way * radius * math.cos(angle)!r}*a", f"{radius * math.sin(angle)!r}*a"

    def shapes() -> list[Shape]:
        edge = [place(1.93 if k % 2 else 2.05, 0.5 * (angles[k // 2] + angles[(k + 1) // 2])) for k in range(2 * ribs - 1)]
        outline = [(f"{-0.1 * way}*a", "-0.22*a"), *edge, (f"{-0.1 * way}*a", "0.22*a")]
        outline = outline if way > 0 else outline[::-1]
        return [
            Plate(outline, "0.9*b", at=(hinge, 0, 0), rotation=UPRIGHT, colour="#e9b79b"),
            *(
                Tube([(hinge, 0, 0), *((f"{hinge} + {x}", y, z) for x, z in (place(2.0, angle),) for y in (0.0,))],
                     ("0.4*b", "1.1*b"), colour="#c9745c")
                for angle in angles
            ),
            Sphere("0.16*a", at=(hinge, 0, 0), colour="#c9745c"),
        ]  # fmt: skip

    return shapes


LOOKS: dict[str, Callable[[], list[Shape]]] = {
    "head": _head, "middle": _middle, "fin": _tail, "shell": _valve(1.0, "-a"), "lid": _valve(-1.0, "0"),
}  # fmt: skip
