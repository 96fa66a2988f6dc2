"""Soft parts in systems, against chains of rigid segments that converge to them (`oracles/segments.py`): in a loop, driven at
their root, carrying contacts and loads on a slope, hit by an impact, slithering with dry friction.

What is compared are numbers that both have. Errors of chains fall with the square of the length of a segment, and what is left
when that order is taken out is small: the rod is where they go.
"""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from oracles.segments import segmented

SECTION = lm.CrossSection(mass=0.5, EIy=0.6, EIz=0.6, second=(1e-6, 1e-6, 0.0))
LENGTH = 0.5
BALL, BOUNCE = 0.2, 0.5


def beam(strain: str, terms: int) -> lm.Rod:
    return lm.Rod("beam", section=SECTION, length=LENGTH, strains={strain: terms}, points=12, damping=1e-4)


def four_bar(terms: int) -> lm.System:
    """A driven crank, a soft coupler that is shaken in its middle, and a rocker that closes the loop."""
    x, y = 0.1 * math.cos(1.2) + LENGTH, 0.1 * math.sin(1.2)
    return lm.System(
        "four_bar",
        (lm.Body("crank", 0.2, com=(0.05, 0, 0), inertia=(1e-4, 2e-4, 2e-4)), beam("bend_z", terms), lm.Frame("end")),
        (
            lm.Revolute(name="drive", parent="world", child="crank", axis=(0, 0, 1), drive=lm.Motion("1.2 + 20*t**2")),
            lm.Revolute(name="pin", parent="crank", child="beam", axis=(0, 0, 1), at=(0.1, 0, 0)),
            lm.Fixed(name="weld", parent="beam", child="end", at=(LENGTH, 0, 0)),
        ),
        loops=(lm.RodClosure("rocker", "world", "end", at_a=(0.6, -0.2, 0), length=math.hypot(0.6 - x, -0.2 - y)),),
        forces=(lm.Gravity((0, -9.81, 0)), lm.BodyForce("shake", "beam", (0.25, 0, 0), (0.0, "2*sin(20*t)", 0.0))),
    )


def sledge(nodes: int) -> lm.System:
    """A soft plank with a load in its middle, where its curvature has a kink, which slides down a slope on its two ends."""
    strains = [lm.Strain("bend_z", nodes, "linear")]
    plank = lm.Rod("beam", section=SECTION, length=LENGTH, strains=strains, points=4, damping=1e-4)
    return lm.System(
        "sledge",
        (plank, lm.Body("load", 0.4, inertia=(1e-4, 1e-4, 1e-4))),
        (
            lm.Planar(name="base", parent="world", child="beam", rotation=(0.5 * math.pi, 0, 0)),
            lm.Fixed(name="strap", parent="beam", child="load", at=(0.25, 0, 0)),
        ),
        contacts=(lm.SlidingPoint("rear", "beam", (0, 0, 0)), lm.SlidingPoint("front", "beam", (LENGTH, 0, 0))),
        grounds=(lm.Plane(normal=(math.sin(0.3), 0, math.cos(0.3))),),
        forces=(lm.Gravity(),),
    )


def flail(terms: int) -> lm.System:
    """A hub that is driven swings a soft rod, whose ball hits the ground."""
    return lm.System(
        "flail",
        (lm.Body("hub", 0.1, inertia=(1e-3,) * 3), beam("bend_y", terms), lm.Body("ball", BALL, inertia=(1e-5,) * 3)),
        (
            lm.Revolute(
                name="drive", parent="world", child="hub", axis=(0, 1, 0), at=(0, 0, 0.3), drive=lm.Motion("0.5*(1 - cos(8*t))")
            ),
            lm.Fixed(name="clamp", parent="hub", child="beam"),
            lm.Fixed(name="knot", parent="beam", child="ball", at=(LENGTH, 0, 0)),
        ),
        contacts=(lm.SlidingSphere("hit", "ball", (0, 0, 0), 0.03, law=lm.Unilateral(BOUNCE)),),
        forces=(lm.Gravity(),),
    )


def converges(found: Any, wanted: Any, ratio: float, within: float) -> None:
    """Of two chains, the second finer by a ratio, errors fall with its square; with that taken out little is left of them."""
    coarse, fine = (np.asarray(each, dtype=float) for each in found)
    errors = np.abs(coarse - wanted), np.abs(fine - wanted)
    assert (np.abs(errors[0] / errors[1] / ratio**2 - 1.0) < 0.2).all(), errors
    limit = fine + (fine - coarse) / (ratio**2 - 1.0)
    assert (np.abs(limit - wanted) < within * errors[1]).all(), (limit, wanted)


def ends(system: lm.System, duration: float, start: dict[str, float], names: tuple[str, ...], step: float) -> list[float]:
    run = lm.simulate(system, duration, start=start, step=step, sample=duration)
    assert run.status.ok, run.status
    return [*(float(run[name][-1]) for name in names), float(run.energy[-1])]


@pytest.mark.slow
def test_a_soft_part_in_a_loop_that_is_driven() -> None:
    made = {"duration": 0.3, "start": {"pin": -1.2}, "names": ("pin_rate",), "step": 1e-4}
    chains = [ends(segmented(four_bar(1), "beam", count, clamped=False), **made) for count in (8, 16)]
    converges(chains, ends(four_bar(7), **made), 2.0, 0.15)


@pytest.mark.slow
def test_a_soft_part_that_carries_contacts_and_a_load_down_a_slope() -> None:
    made = {"duration": 0.06, "start": {}, "names": ("yaw",), "step": 2.5e-5}
    chains = [ends(segmented(sledge(3), "beam", count, clamped=False), **made) for count in (16, 24)]
    converges(chains, ends(sledge(13), **made), 1.5, 0.25)


def blow(system: lm.System) -> tuple[float, float, float]:
    """Instant of the first impact, speed of approach, and the mass that it meets: of P = m (1 + e) v, dE = m (1 - e²) v²/2."""
    run = lm.simulate(system, 0.23, step=2e-5, sample=0.01)
    event = run.events[0]
    pushed = float(np.linalg.norm(event.impulse))
    v = 2.0 * (event.energy_before - event.energy_after) / (pushed * (1.0 - BOUNCE))
    return event.time, v, pushed / ((1.0 + BOUNCE) * v)


@pytest.mark.slow
def test_a_soft_part_that_is_driven_at_its_root_and_hit() -> None:
    """The instant is where chains go. At the blow a rod gives way at its end: the finer it is, the less of it is hit."""
    rods = [blow(flail(terms)) for terms in (7, 10)]
    chains = [blow(segmented(flail(1), "beam", count)) for count in (16, 32)]
    converges([[each[0]] for each in chains], [rods[1][0]], 2.0, 0.15)
    assert chains[1][1] == pytest.approx(rods[1][1], rel=1e-3)
    for few, many in (rods, chains):
        assert BALL < many[2] < few[2]
    assert chains[1][2] == pytest.approx(rods[1][2], rel=0.02)  # in proportion to what is left of the rod at its end


def finer(system: lm.System, nodes: int) -> lm.System:
    """A snake of the catalogue with curvatures straight between nodes, which begins straight."""
    rod: Any = next(body for body in system.bodies if body.name == "body")
    strains = [lm.Strain(each.strain, nodes, "linear") for each in rod.strains]
    made = lm.Rod("body", section=rod.section, length=rod.length, strains=strains, points=4, damping="damping")
    return system.replace(bodies=tuple(made if body is rod else body for body in system.bodies), nominal={})


def slithered(system: lm.System, duration: float = 0.25, step: float = 1e-4) -> list[float]:
    """Where the head is, and how it is turned."""
    compiled = lm.compile(system, contacts="time-stepping")
    batch = compiled.rollout(compiled.start(), round(duration / step), step, save_every=0)
    assert batch.status == 0
    last = dict(zip(compiled.state_names, batch.final.tolist(), strict=True))
    return [last[name] for name in ("x", "y", "yaw")]


@pytest.mark.slow
def test_a_soft_snake_on_its_keels() -> None:
    """Dry friction across, gliding along, a wave of muscles. Keels are in the middles of segments: four times an odd number."""
    snake = lm.catalogue.soft_snake().with_parameters(damping=2e-3)  # less, so that both take the same steps
    chains = [slithered(segmented(snake, "body", count, clamped=False)) for count in (12, 20)]
    converges(chains, slithered(finer(snake, 13), step=5e-5), 20.0 / 12.0, 0.2)


@pytest.mark.slow
def test_a_sidewinder() -> None:
    """Bending both ways, lifted and put down with dry friction; thin, so that it touches with its axis."""
    snake = lm.catalogue.sidewinder().with_parameters(d=1e-6).replace(nominal={})
    chains = [slithered(segmented(snake, "body", count, clamped=False), 0.1) for count in (8, 16)]
    converges(chains, slithered(finer(snake, 9), 0.1), 2.0, 0.2)
