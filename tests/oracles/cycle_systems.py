"""Small systems whose cycles are known: a rimless wheel, a shell with a mass that shakes within, a driven pendulum."""

import math

from locomotor.model import (
    Body,
    Gravity,
    Motion,
    Planar,
    Plane,
    Prismatic,
    Revolute,
    SlidingPoint,
    StickingPoint,
    System,
    Torque,
    Unilateral,
)


def spoked(spokes: int = 8, slope: float = 0.1, inertia: float = 0.1) -> System:
    """A rimless wheel of mass 1 and radius 1 in the plane of x and y, on a slope made by tilting gravity."""
    turn = 2.0 * math.pi / spokes
    return System(
        name="spoked",
        bodies=(Body("wheel", mass=1.0, inertia=(inertia, inertia, inertia)),),
        joints=(Planar(name="base", parent="world", child="wheel"),),
        contacts=tuple(
            StickingPoint(f"spoke_{k}", body="wheel", at=(math.sin(k * turn), -math.cos(k * turn), 0.0), law=Unilateral())
            for k in range(spokes)
        ),
        forces=(Gravity(("9.81*sin(slope)", "-9.81*cos(slope)", 0.0)),),
        grounds=(Plane(normal=(0.0, 1.0, 0.0)),),
        parameters={"slope": slope},
        nominal={"y": 1.0},
    )


def closed_form(spokes: int, slope: float, inertia: float) -> tuple[float, float, float]:
    """Rate after an impact, its multiplier and the length of a step of the rimless wheel (McGeer 1990)."""
    half = math.pi / spokes
    eta = (math.cos(2 * half) + inertia) / (1.0 + inertia)
    gain = 4.0 * 9.81 * math.sin(half) * math.sin(slope) / (1.0 + inertia)
    return eta * math.sqrt(gain / (1.0 - eta**2)), eta**2, 2.0 * math.sin(half)


def shaker(restitution: float | str = 0.4, rule: str = "newton", amplitude: float = 0.12, yields: bool = False) -> System:
    """A shell that bounces because a mass within is moved up and down."""
    still = (0.1, 0.1, 0.1)
    kind = SlidingPoint if rule == "newton" else StickingPoint
    up = (0.0, 0.0, 1.0)
    return System(
        name="shaker",
        bodies=(Body("shell", mass=1.0, inertia=still), Body("core", mass=0.8, inertia=still)),
        joints=(
            Prismatic(name="height", parent="world", child="shell", axis=up),
            Prismatic(
                name="inner", parent="shell", child="core", axis=up, drive=Motion("amplitude*sin(6*pi*t)", yields=yields)
            ),
        ),
        contacts=(kind("foot", body="shell", at=(0.0, 0.0, 0.0), law=Unilateral(restitution, rule=rule)),),
        forces=(Gravity((0.0, 0.0, -9.81)),),
        parameters={"amplitude": amplitude, "e": 0.4},
    )


def driven_pendulum() -> System:
    """A damped pendulum driven about resonance: its response has two folds (a softening spring)."""
    return System(
        name="driven_pendulum",
        bodies=(Body("bob", mass=1.0, com=(0.0, 0.0, -1.0), inertia=(1e-6, 1e-6, 1e-6)),),
        joints=(
            Revolute(
                name="swing", parent="world", child="bob", axis=(0.0, 1.0, 0.0), drive=Torque("-0.1*swing_rate + 0.12*sin(w*t)")
            ),
        ),
        forces=(Gravity((0.0, 0.0, -1.0)),),
        parameters={"w": 0.6},
    )
