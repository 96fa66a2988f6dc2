"""A satellite turned by rotors: no outside force, zero momentum, G = SO(3): docs/theory.md (A2); Belkhiri 2013, section 2.3."""

import math

from locomotor import checks
from locomotor.catalogue.locomotion_parts import driven, parameter_set, torque_input, whole
from locomotor.model import Body, Box, Cylinder, Ellipsoid, Free, Shape, System, Tube

SATELLITE_GAITS = {
    "square": {
        "rotor_1": "smooth_step(t, 0, 1) - smooth_step(t, 2, 3)",
        "rotor_2": "smooth_step(t, 1, 2) - smooth_step(t, 3, 4)",
    },
    "square_of_turns": {
        "rotor_1": "2*pi*(smooth_step(t, 0, 1) - smooth_step(t, 2, 3))",
        "rotor_2": "2*pi*(smooth_step(t, 1, 2) - smooth_step(t, 3, 4))",
    },
}
"""Rotors 1 and 2 go round a square, of one radian or of one turn a side, in 4 s; the others are held."""


def rotor_axes(rotors: int) -> tuple[tuple[float, float, float], ...]:
    """Up to three rotors along x, y, z; more of them on the cone about z on which those three stand."""
    if rotors <= 3:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))[:rotors]
    out, up = math.sqrt(2.0 / 3.0), math.sqrt(1.0 / 3.0)
    turns = (2.0 * math.pi * k / rotors for k in range(rotors))
    return tuple((out * math.cos(a), out * math.sin(a), up) for a in turns)


@checks.fitting
def satellite(rotors: int = 3) -> System:
    """A body with rotors at its centre of mass, each driven by a torque about its own axis.

    With the default values the connection of three rotors is A = 0.05 times the identity on the rotations and zero on the
    translations: a rotor that turns by an angle turns the body back by a twentieth of it.
    """
    rotors = whole(rotors, "satellite", "rotors", 1)
    axes = rotor_axes(rotors)
    names = [f"rotor_{k}" for k in range(1, rotors + 1)]
    return System(
        "satellite" if rotors == 3 else f"satellite_{rotors}",
        bodies=(
            Body("body", mass="m", inertia=("I", "I", "I"), shapes=_bus()),
            *(
                Body(f"{name}_disc", mass="m_r", inertia=_about(axis), shapes=_flywheel(axis))
                for name, axis in zip(names, axes, strict=True)
            ),
        ),
        joints=(
            Free(name="base", parent="world", child="body"),
            *(
                driven(name, "body", f"{name}_disc", axis=axis, description=f"angle of rotor {k}")
                for k, (name, axis) in enumerate(zip(names, axes, strict=True), 1)
            ),
        ),
        parameters=parameter_set(
            ("m", 20.0, "kg", "mass of the body"),
            ("I", 0.9, "kg m^2", "inertia of the body about each of its axes"),
            ("m_r", 1.0, "kg", "mass of a rotor"),
            ("J_r", 0.05, "kg m^2", "inertia of a rotor about its axis"),
            ("T_r", 0.025, "kg m^2", "inertia of a rotor about a diameter"),
        ),
        inputs=tuple(torque_input(name, f"torque of the body on {name.replace('_', ' ')}") for name in names),
        description="free body with rotors at its centre of mass, in empty space",
    )


def _about(axis: tuple[float, float, float]) -> tuple[tuple[str, ...], ...]:
    """T 1 + (J - T) a a^T: the inertia of a rotor in the axes of the body."""
    return tuple(
        tuple(f"(J_r - T_r)*({axis[i]!r})*({axis[j]!r}){' + T_r' if i == j else ''}" for j in range(3)) for i in range(3)
    )


SIDE, PANEL = 0.46, 0.95
"""Sides of the bus and length of a solar panel (m); neither enters the motion."""


def _bus() -> list[Shape]:
    """A box in foil with two solar panels and a dish."""
    half = 0.5 * SIDE
    shapes: list[Shape] = [
        Box((SIDE, SIDE, SIDE), colour="foil"),
        Box((0.3, 0.3, 0.02), at=(0, 0, -half - 0.01), colour="light"),
    ]
    for side in (-1.0, 1.0):
        middle = side * (half + 0.16 + 0.5 * PANEL)
        shapes.append(Tube([(0, side * half, 0), (0, side * (half + 0.18), 0)], 0.02, colour="metal"))
        shapes.append(Box((0.46, PANEL, 0.014), at=(0, middle, 0), colour="panel"))
        for k in (-1.5, -0.5, 0.5, 1.5):
            shapes.append(Box((0.47, 0.008, 0.02), at=(0, middle + 0.25 * k * PANEL, 0), colour="light"))
        shapes.append(Box((0.008, PANEL, 0.02), at=(0, middle, 0), colour="light"))
    dish = (-half - 0.12, 0.0, 0.0)
    shapes.append(Ellipsoid((0.035, 0.19, 0.19), at=dish, colour="light"))
    shapes.append(Tube([(-half, 0, 0), dish, (dish[0] - 0.14, 0, 0)], 0.012, colour="metal"))
    return shapes


def _flywheel(axis: tuple[float, float, float]) -> list[Shape]:
    """A disc outside the bus, on the axis of its rotor, with a bar across it that shows how far it has turned."""
    low, high = 0.5 * SIDE + 0.02, 0.5 * SIDE + 0.06
    across = (axis[1], axis[2], axis[0]) if abs(axis[0]) < 1.0 else (0.0, 1.0, 0.0)
    along = sum(a * b for a, b in zip(axis, across, strict=True))
    flat = [a - along * b for a, b in zip(across, axis, strict=True)]
    size = math.sqrt(sum(x * x for x in flat))
    bar = [[high * a + sign * 0.14 * f / size for a, f in zip(axis, flat, strict=True)] for sign in (-1.0, 1.0)]
    start, end = ([s * a for a in axis] for s in (low, high))
    return [Cylinder(start, end, 0.17), Tube(bar, 0.018, colour="light")]
