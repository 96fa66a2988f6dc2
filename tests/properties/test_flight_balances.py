"""Balances of flight, for every flyer of the catalogue: work of drives and air against energy, forces against momentum."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.scenarios.integrals import integral

STROKE = 1.0 / 120.0


def smooth(flyer: lm.System) -> lm.System:
    """With coefficients that do not jump, as measured ones do where a section turns over: samples integrate no jumps."""
    forces = (replace(f, lift="wang2004", drag="wang2004") if isinstance(f, lm.Wing) else f for f in flyer.forces)
    return flyer.replace(forces=tuple(forces))


FLIGHTS: dict[str, tuple[Callable[[], lm.System], float, float, dict[str, Any]]] = {
    "fruit_fly": (lambda: smooth(lm.catalogue.fruit_fly()), 1 / 218, 1 / 218 / 6400, {"start": {"speed": 0.5}}),
    "hawkmoth": (lm.catalogue.hawkmoth, 1 / 26.3, 1 / 26.3 / 3200, {}),
    "micro_flyer": (
        lm.catalogue.micro_flyer,
        STROKE,
        STROKE / 6400,
        {"start": {"right_stroke_rate": 300.0, "left_stroke_rate": 250.0}},
    ),
    "torsion_flyer": (lm.catalogue.torsion_flyer, 0.04, 1.25e-5, {}),
    "segmented_flyer": (lambda: lm.catalogue.segmented_flyer(2), 0.04, 2e-5, {}),
    "ornithopter": (lm.catalogue.ornithopter, 1 / 8, 1 / 8 / 1600, {"start": {"speed": 6.0}}),
    "falling_plate": (lm.catalogue.falling_plate, 0.2, 1e-4, {"start": {"yaw": 0.4}}),
    "eva_bench": (lm.catalogue.eva_bench, 1 / 26.3, 1 / 26.3 / 800, {}),
}
"""System, one cycle (s), step (s), and how it starts: the fly goes forward, or all sections would come to rest at once, where
forces have a bend."""


@cache
def flown(name: str) -> lm.Run:
    make, period, step, options = FLIGHTS[name]
    run = lm.simulate(make(), period, step=step, **options)
    assert run.status.ok
    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", FLIGHTS)
def test_work_is_energy(name: str) -> None:
    """Work of drives, dampers and air = change of kinetic energy (that of the air carried along too) and potential energy."""
    run = flown(name)
    works = [integral(run.time, power) for power in run.group("powers").values()]
    scale = sum(integral(run.time, np.abs(power)) for power in run.group("powers").values())
    assert scale > 0.0
    assert abs(sum(works) - float(run.energy[-1] - run.energy[0])) < 1e-8 * scale


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FLIGHTS if name != "eva_bench"])
def test_forces_are_the_change_of_momentum(name: str) -> None:
    """Impulse of the air (without the air carried along, whose momentum counts) and of the weight, along all three axes."""
    run = flown(name)
    assert run.system is not None
    wings = [force for force in run.system.forces if isinstance(force, lm.Wing)]
    weight = sum(body.mass_properties(run.parameters)[0] for body in run.system.bodies) * run.parameters["g"]
    duration = float(run.time[-1] - run.time[0])
    for axis, pull in (("x", 0.0), ("y", 0.0), ("z", -weight)):
        pushes = [run[f"{wing.name}_{kind}_{axis}"] for wing in wings for kind in wing.mechanisms if kind != "added_mass"]
        change = float(run[f"linear_momentum_{axis}"][-1] - run[f"linear_momentum_{axis}"][0])
        impulse = sum(integral(run.time, push) for push in pushes) + pull * duration
        assert abs(impulse - change) < 1e-9 * weight * duration, axis


@pytest.mark.slow
def test_forces_are_the_rate_of_momentum_between_jumps() -> None:
    """The fruit fly with its measured coefficients, which jump where a section turns over: there impulses of samples miss what
    happens within a step, but between jumps forces are the rate of the momentum, by differences of fourth order."""
    flyer, step = lm.catalogue.fruit_fly(), 1 / 218 / 20_000
    run = lm.simulate(flyer, 1 / 218, step=step, start={"speed": 0.5})
    wings = [force for force in flyer.forces if isinstance(force, lm.Wing)]
    weight = sum(body.mass_properties(run.parameters)[0] for body in flyer.bodies) * run.parameters["g"]
    assert len(run) == 20_001 and np.ptp(np.diff(run.time)) < 1e-12
    for axis, pull in (("x", 0.0), ("y", 0.0), ("z", -weight)):
        p = run[f"linear_momentum_{axis}"]
        rate = (8.0 * (p[3:-1] - p[1:-3]) - (p[4:] - p[:-4])) / (12.0 * step)
        force = pull + sum(
            run[f"{wing.name}_{kind}_{axis}"] for wing in wings for kind in wing.mechanisms if kind != "added_mass"
        )
        apart = np.abs(rate - force[2:-2])
        assert np.quantile(apart, 0.95) < 1e-9 * weight, axis
