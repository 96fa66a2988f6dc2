"""Stiff chains: implicit steps against explicit ones at equal error, and against MuJoCo; a thin steel thread."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peer_mujoco import engine
from peer_pinocchio import UnavailableError
from report import Figure, Topic, at_least, at_most, missing, seconds

import locomotor as lm

Floats = NDArray[np.float64]

LINKS, LENGTH, MASS, STIFFNESS = 20, 1.0, 1.0, 2e4
"""A pendulum of links (length and mass in all, m and kg) kept in line by springs (N m/rad)."""
DURATION, SAMPLE, START = 2.0, 0.1, 0.5
IMPLICIT_STEP = 0.002
EXPLICIT_STEPS = (2e-5, 1e-5)
FASTER = 10.0
"""Times that implicit steps are faster, at the error that they make."""

E, RADIUS, DENSITY, THREAD, DAMPING = 2e11, 2e-4, 7850.0, 0.5, 2e-3
"""A thread of steel (Pa, m, kg/m^3, m), and its time of retardation (s)."""
STRAINS = {"bend_y": 4, "bend_z": 4, "twist": 2, "stretch": 2}
THREAD_STEPS = (2e-3, 1e-3)
WITHIN = 10.0
"""Seconds for two seconds of its motion."""


def chain(links: int = LINKS, stiffness: float = STIFFNESS) -> lm.System:
    """Links on hinges, the first of which is free, the others have springs."""
    each, mass = LENGTH / links, MASS / links
    bodies = [lm.Body(f"link_{k}", mass, (0, 0, -each / 2), (mass * each**2 / 12,) * 2 + (0.0,)) for k in range(links)]
    joints = [
        lm.Revolute(
            (0, 1, 0),
            name=f"hinge_{k}",
            parent=f"link_{k - 1}" if k else "world",
            child=f"link_{k}",
            at=(0, 0, -each) if k else (0, 0, 0),
        )
        for k in range(links)
    ]
    springs = [lm.JointSpring(f"spring_{k}", f"hinge_{k}", stiffness) for k in range(1, links)]
    return lm.System("chain", tuple(bodies), tuple(joints), forces=(lm.Gravity((0, 0, -9.81)), *springs))


def thread() -> lm.System:
    """An exact rod of a round section, clamped at one end, at first horizontal; it bends in two planes, twists, stretches."""
    section = lm.CrossSection.circle(RADIUS, young=E, density=DENSITY, poisson=0.3)
    rod = lm.Rod("thread", section=section, length=THREAD, strains=STRAINS, damping=DAMPING)
    clamp = lm.Fixed(name="clamp", parent="world", child="thread")
    return lm.System("thread", (rod,), (clamp,), forces=(lm.Gravity((0.0, 2.0, -9.81)),))


def run_of(system: lm.System, stepper: Any, step: float, duration: float = DURATION, **start: float) -> tuple[lm.Run, float]:
    """A run, compiled before, and the seconds it takes."""
    lm.simulate(system, step, start=start, stepper=stepper, step=step)
    begin = time.process_time()
    run = lm.simulate(system, duration, start=start, stepper=stepper, step=step, sample=min(SAMPLE, duration))
    return run, time.process_time() - begin


def topic() -> Topic:
    """Measure."""
    system = chain()
    fine, at_fine = run_of(system, "rk4", EXPLICIT_STEPS[1], hinge_0=START)
    _, at_coarse = run_of(system, "rk4", EXPLICIT_STEPS[0], hinge_0=START)
    implicit, at_implicit = run_of(system, "generalised-alpha", IMPLICIT_STEP, hinge_0=START)
    error = float(np.abs(implicit["hinge_0"] - fine["hinge_0"]).max())
    limit = lm.simulate(system, IMPLICIT_STEP, start={"hinge_0": START}, stepper="auto", step=IMPLICIT_STEP).settings["chosen"]
    explicit = f"rk4 at {EXPLICIT_STEPS[0]:g} s takes {seconds(at_coarse)}: {limit}"
    figures: list[Figure] = [
        at_least(
            f"chain of {LINKS} links: rk4 at its limit of stability over generalised alpha, time of a run",
            at_coarse / at_implicit,
            FASTER,
            f"{DURATION:g} s of motion in {seconds(at_implicit)} at {IMPLICIT_STEP:g} s, {error:.1e} rad off; {explicit}",
        ),
        *_mujoco(fine, at_implicit, error),
        _thread(),
    ]
    return Topic(
        "Stiff systems",
        "A pendulum of links that springs keep in line, and a thread of steel 0.4 mm thick as an exact rod. Errors "
        f"are those of the first angle against Runge-Kutta at {EXPLICIT_STEPS[1]:g} s ({seconds(at_fine)}).",
        tuple(figures),
    )


def _mujoco(exact: lm.Run, own: float, error: float) -> list[Figure]:
    what = "MuJoCo (implicitfast) at its largest stable step over generalised alpha, time of a run"
    try:
        mujoco = engine()
    except UnavailableError as reason:
        return [missing(what, "", reason)]
    for step in (1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6):
        model = mujoco.MjModel.from_xml_string(mjcf(step))
        data = mujoco.MjData(model)
        data.qpos[0] = START
        steps, every = round(DURATION / step), round(SAMPLE / step)
        found, begin = [START], time.process_time()
        for _ in range(steps // every):
            mujoco.mj_step(model, data, nstep=every)
            found.append(float(data.qpos[0]))
        taken = time.process_time() - begin
        off = float(np.abs(np.array(found) - exact["hinge_0"]).max())
        if off < 0.1:
            note = f"stable at {step:g} s: its springs are explicit; {seconds(taken)}, {off:.1e} rad off (ours {error:.1e})"
            return [at_least(what, taken / own, 1.0, note)]
    return [missing(what, "", "no step down to 5 µs is stable")]


def mjcf(step: float) -> str:
    """The chain in MuJoCo's format."""
    each, mass = LENGTH / LINKS, MASS / LINKS
    text, moment = "", mass * each**2 / 12
    for k in reversed(range(LINKS)):
        spring = f' stiffness="{STIFFNESS}"' if k else ""
        text = (
            f'<body pos="0 0 {-each if k else 0}"><inertial pos="0 0 {-each / 2}" mass="{mass}" '
            f'diaginertia="{moment} {moment} {1e-3 * moment}"/><joint axis="0 1 0"{spring}/>{text}</body>'
        )
    option = f'<option timestep="{step!r}" integrator="implicitfast"><flag contact="disable"/></option>'
    return f'<mujoco><compiler angle="radian"/>{option}<worldbody>{text}</worldbody></mujoco>'


def _thread() -> Figure:
    """The thread falls from horizontal; its tip at half the step tells the error."""
    system, tip = thread(), []
    for step in THREAD_STEPS:
        run, taken = run_of(system, "generalised-alpha", step)
        tip.append(np.array([run[name] for name in lm.compile(system).state_names if not name.endswith("_rate")]))
    error = float(np.abs(tip[0] - tip[1]).max())
    size = float(np.abs(tip[1]).max())
    limit = lm.simulate(system, THREAD_STEPS[1], stepper="auto", step=THREAD_STEPS[1]).settings["chosen"]
    return at_most(
        f"thread of steel, an exact rod of {sum(STRAINS.values())} strains: 2 s of its motion",
        taken,
        WITHIN,
        f"steps of {THREAD_STEPS[1]:g} s; at twice the step strains of {size:.2g} change by {error:.1e}; {limit}",
        " s",
    )
