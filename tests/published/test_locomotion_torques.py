"""Torques of imposed motions, docs/theory.md (M1), and the balance of work, for every system of the catalogue.

The torques that an imposed motion needs, fed back through the inputs of the torque-driven system, must return the motion; and
their work must be the change of the energy.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

import locomotor as lm

Array = NDArray[np.float64]

SAMPLES = 1000
TIGHT = lm.Adaptive(rtol=1e-12, atol=1e-14, longest_step=0.02)
RETURNED = 1e-8
"""rad or m, of the issue. Worst seen 3e-10."""
BALANCED = 1e-9
"""J, of the issue. Worst seen 2e-10, where the energy changes by 400 J."""


@dataclass(frozen=True)
class Trial:
    """A system, laws for some joints, a start and a duration."""

    system: str
    motions: Mapping[str, str]
    start: Mapping[str, float] = field(default_factory=dict)
    duration: float = 2.0

    @property
    def breaks(self) -> list[float]:
        """Instants at which a smooth step begins or ends: the torque has a corner there."""
        found = {
            float(t)
            for law in self.motions.values()
            for pair in re.findall(r"smooth_step\(t, ([\d.]+), ([\d.]+)\)", law)
            for t in pair
        }
        return [0.0, *sorted(t for t in found if 0.0 < t < self.duration), self.duration]


STARTS: dict[str, dict[str, float]] = {
    "wheeled_snake/8 steer": {"speed": 0.3},
    "wheeled_snake/8_with_wheels steer": {"speed": 0.3},
    "trikke coast": {"speed": 1.0},
    "cart_pendulum rock": {"pendulum": 0.1},
    "belkhiri_bicycle/printed weave": {"roll": 0.01},
    "belkhiri_bicycle/consistent weave": {"roll": 0.01},
}
DURATIONS = {
    "satellite": 4.0,
    "falling_cat": 0.7,
    "elroy_beanie": 1.0,
    "belkhiri_bicycle": 0.7,
}  # that bicycle lies on the ground at 0.76 s


def trials() -> dict[str, Trial]:
    found: dict[str, Trial] = {}
    for ready in lm.catalogue.systems():
        for gait, laws in ready.gaits.items():
            name = f"{ready.name} {gait}"
            held = {"rotor_3": "0"} if ready.name == "satellite" else {}
            duration = DURATIONS.get(ready.name.split("/")[0], 2.0)
            found[name] = Trial(ready.name, {**laws, **held}, STARTS.get(name, {}), duration)
    steered = {"steer": "0.01*(1 - cos(2*t))"}
    bicycles = [f"bicycle/{which}" for which in ("meijaard2007", "mauny2018", "ifac2017", "SE2", "two_mass_skate")]
    for bicycle in (*bicycles, "flexible_fork_bicycle"):
        found[f"{bicycle} steered"] = Trial(bicycle, steered, {"speed": 5.0}, 1.0)
    return found


TRIALS = trials()
FIRST = {trial.system: name for name, trial in reversed(TRIALS.items())}
DAILY = {name for system, name in FIRST.items() if system not in ("bicycle/mauny2018", "bicycle/ifac2017")}
"""One trial of each system is enough for every day, and one bicycle of three that differ in their numbers."""
every_trial = pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in DAILY else pytest.mark.slow) for n in TRIALS])


@cache
def imposed(name: str) -> lm.Run:
    trial = TRIALS[name]
    system = lm.catalogue.system(trial.system)
    run = lm.simulate(
        system,
        trial.duration,
        motions=trial.motions,
        start=trial.start,
        stepper=TIGHT,
        sample=trial.duration / (SAMPLES * (2 if trial.duration < 1.0 else 1)),
    )
    assert run.status.completed, run.status
    return run


class Pieces:
    """A spline of degree 7 between corners, through the samples."""

    def __init__(self, time: Array, values: Array, breaks: list[float]) -> None:
        self.breaks = breaks
        self.parts: list[Any] = []
        for low, high in pairwise(breaks):
            inside = (time >= low - 1e-9) & (time <= high + 1e-9)
            self.parts.append(make_interp_spline(time[inside], values[inside], k=7))

    def __call__(self, t: float) -> float:
        k = int(np.clip(np.searchsorted(self.breaks, t, side="right") - 1, 0, len(self.parts) - 1))
        return float(self.parts[k](t))

    def integral(self) -> float:
        ends = zip(self.parts, pairwise(self.breaks), strict=True)
        return float(sum(part.integrate(low, high) for part, (low, high) in ends))


@every_trial
@pytest.mark.sampled(5)
def test_check_20_the_torques_fed_back_return_the_motion(name: str) -> None:
    trial, run = TRIALS[name], imposed(name)
    system = lm.catalogue.system(trial.system)
    laws = {f"{joint}_torque": Pieces(run.time, run.torques[joint], trial.breaks) for joint in trial.motions}

    def replay(channels: Mapping[str, Any]) -> dict[str, float]:
        t = float(channels["t"])
        return {joint: law(t) for joint, law in laws.items()}

    symbols = (*system.layout.coordinates, *system.layout.velocities)
    start = {symbol.name: float(run[symbol.name][0]) for symbol in symbols}
    interval = float(run.time[1] - run.time[0])
    back = lm.simulate(system, trial.duration, controller=replay, start=start, stepper=TIGHT, sample=interval)
    assert back.status.ok, back.status
    for joint in trial.motions:
        assert np.abs(back[joint] - run[joint]).max() < RETURNED, joint
    # And everything else is carried along to the same place.
    for symbol in system.layout.coordinates:
        assert np.abs(back[symbol.name] - run[symbol.name]).max() < 10 * RETURNED, symbol.name


@every_trial
@pytest.mark.sampled(6)
def test_the_work_of_the_torques_is_the_change_of_the_energy(name: str) -> None:
    trial, run = TRIALS[name], imposed(name)
    work = sum(Pieces(run.time, power, trial.breaks).integral() for power in run.group("powers").values())
    assert abs(work - (run.energy[-1] - run.energy[0])) < BALANCED


def test_every_system_of_the_catalogue_that_moves_by_its_joints_is_tried() -> None:
    untried = {ready.name for ready in lm.catalogue.systems()} - {trial.system for trial in TRIALS.values()}
    assert all(not lm.catalogue.system(name).inputs or _switches(name) or _stands(name) or _flies(name) for name in untried), (
        untried
    )


def _switches(name: str) -> bool:
    """Whether contacts of a system open and close: its torques jump, and no single run can be fed back."""
    return any(type(contact.law).__name__ != "Persistent" for contact in lm.catalogue.system(name).contacts)


def _stands(name: str) -> bool:
    """Whether a system is a mechanism with loops: it stands where it is, whatever its joints do."""
    return bool(lm.catalogue.system(name).loops) or name in (
        "geared_robot",
        "robot_2r",
        "soft_manipulator",
    )  # arms on their feet


def _flies(name: str) -> bool:
    """Whether a system flies: its inputs shape the strokes of its wings, and are no torques of single joints."""
    return any(isinstance(force, lm.Wing) for force in lm.catalogue.system(name).forces)


# -- over-determined: all joints of a snake imposed -------------------------------------------------------------


@pytest.mark.slow
def test_a_snake_with_every_joint_imposed_repeats_the_motion_and_chooses_its_internal_forces() -> None:
    """A compatible motion of all joints leaves internal forces open.

    The joints of a coasting snake, sampled, are imposed all at once; the snake must move as before, whatever the forces.
    """
    snake = lm.catalogue.wheeled_snake(5)
    first = {**lm.catalogue.gait("wheeled_snake", "crawl")}
    options: Any = {"step": 5e-4, "target": "interpreter"}
    whole = lm.simulate(snake, 0.2, motions=first, **options)
    joints = [f"joint_{k}" for k in range(1, 5)]
    again = {name: lm.Motion.sampled(whole.time[::4], whole[name][::4]) for name in joints}
    laws: dict[str, Any] = {**first, "joint_3": again["joint_3"], "joint_4": again["joint_4"]}
    assert lm.classify(snake).internal_forces == 2
    least = lm.simulate(snake, 0.2, motions=laws, **options)
    chosen = lm.simulate(snake, 0.2, motions=laws, static={"axle_3_lateral": 0.0, "axle_4_lateral": 0.0}, **options)
    for name in ("x", "y", "yaw"):
        # The spline's knots are 2 ms apart: its error is 1e-9.
        np.testing.assert_allclose(least[name], whole[name], atol=1e-7)
        np.testing.assert_allclose(chosen[name], least[name], atol=1e-14)
    assert np.abs(chosen["axle_4_lateral_multiplier"]).max() < 1e-12
    assert np.abs(least["axle_4_lateral_multiplier"]).max() > 1e-3
    size = [sum(v**2 for n, v in run.group("multipliers").items() if "lateral" in n) for run in (least, chosen)]
    assert (size[0] <= size[1] + 1e-12).all()
    # Either way the torques do the same work.
    power = [sum(run.group("powers").values()) for run in (least, chosen)]
    np.testing.assert_allclose(power[0], power[1], atol=1e-9)
