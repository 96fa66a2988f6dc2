"""A run in maximal coordinates, recorded as one of the tree: the same channels, from poses that were found in another way."""

import itertools
import math
from functools import partial

import numpy as np

from locomotor.dataclass import replace
from locomotor.errors import StepperError
from locomotor.mechanics.chart import amount
from locomotor.mechanics.maximal import refuse_folded
from locomotor.model import VelocityConstraint
from locomotor.model.expressions import free_names
from locomotor.names import TIME
from locomotor.simulation.branches import passages_of
from locomotor.simulation.compiled import compile_system
from locomotor.simulation.driven import Driven
from locomotor.simulation.events import Mode, is_hybrid, move_with_events
from locomotor.simulation.inputs import check_compatibility
from locomotor.simulation.maximal.free_probe import FreeProbe
from locomotor.simulation.maximal.motion import LOST, TWIST, Maximal
from locomotor.simulation.recorder import Course, described
from locomotor.simulation.run_plan import Plan
from locomotor.simulation.status import Outcome, Status
from locomotor.simulation.steppers import FixedStep
from locomotor.simulation.turning import Track
from locomotor.tracing import TracedSystem
from locomotor.typing import Floats, Vector

OPEN = 1e-6
"""Conditions (m, rad, and their rates, relative to the fastest) larger than this after a projection cannot all be met."""


def move_maximally(plan: Plan) -> Course:
    """The motion that was planned, every body free and every joint a condition."""
    system, stepper = plan.system, plan.stepper
    if not isinstance(stepper, FixedStep) or stepper.name != "rk4":
        raise StepperError(f"coordinates='maximal' steps with rk4, not {stepper.name}; leave stepper out")
    if plan.controller is not None or plan.static or plan.ends:
        raise StepperError(
            f"{system.name}: controllers, laws of inputs, static forces and ends belong to coordinates='reduced'; leave them "
            "out (ends=None), or run with those"
        )
    inputs = np.array([plan.constant.get(symbol.name, 0.0) for symbol in system.inputs])
    if is_hybrid(system):
        return _with_events(plan, inputs)
    motion = Maximal(system, plan.method.target, inputs)
    compiled = compile_system(system, target=plan.method.target)
    driven = Driven(compiled, plan.constant)
    traced = compiled.traced
    first = compiled.start(plan.start.values, time=plan.start.time, assemble=plan.start.assemble)
    check_compatibility(traced, first, plan.start.time)
    channels = driven.channels(plan.samples.times[:1], first[None])
    q = np.array([channels[symbol.name][0] for symbol in system.layout.coordinates])
    v = np.array([channels[symbol.name][0] for symbol in system.layout.velocities])
    motion.efforts.begin(q)
    project = plan.method.project is not False
    state = motion.state(q, v)
    state = motion.projected(state, plan.start.time) if project else state
    times, found, worst = plan.samples.times, [first], (0.0, 0.0)
    bodies = [(state, q)]
    outcome, detail = Outcome.COMPLETED, ""
    for begin, end in itertools.pairwise(times):
        steps = max(1, round((end - begin) / plan.samples.step))
        h = (end - begin) / steps
        for k in range(steps):
            with np.errstate(all="ignore"):
                state = motion.step(begin + k * h, state, h, project)
            if not (np.abs(state) < LOST).all():
                break
        if not (np.abs(state) < LOST).all():
            outcome, detail = Outcome.NOT_FINITE, "take a smaller step"
            break
        q, v = motion.efforts.tree(state)
        found.append(_tree_state(traced, q, v))
        bodies.extend([(state, q)] if system.loops else [])
        gaps, slips = motion.residuals(state, end)
        if project and traced.motion.driven is not None and (detail := _violated(motion, state, gaps, slips)):
            outcome = Outcome.INCOMPATIBLE
            found.pop()
            break
        worst = max(worst[0], float(gaps.max(initial=0.0))), max(worst[1], float(slips.max(initial=0.0)))
    states, kept = np.array(found), times[: len(found)]

    def again(k: int, s: float) -> Vector:
        """The state some seconds after a sample."""
        count = math.ceil(s / plan.samples.step)
        state, q = bodies[k]
        motion.efforts.begin(q)
        for j in range(count):
            state = motion.step(float(kept[k]) + j * s / count, state, s / count, project)
        return _tree_state(traced, *motion.efforts.tree(state))

    passages = passages_of(traced)
    return Course(
        tracks=[Track(compiled, kept, states, driven.parameters, driven.states, driven.channels)],
        about=described(traced),
        status=Status(outcome, float(kept[-1]), detail),
        events=passages.events(kept, states, again, touching=True) if passages else (),
        ends=plan.ends,
        step=plan.samples.step,
        settings={
            "stepper": stepper.name,
            "order": stepper.order,
            "step": plan.samples.step,
            "coordinates": "maximal",
            "project": project,
            "target": plan.method.target,
            "rows": int(motion.graph.holds.sum()),
            "largest_gap": worst[0],
            "largest_slip": worst[1],
        },
    )


def _violated(motion: Maximal, state: Floats, gaps: Vector, slips: Vector) -> str:
    """What stays open after all was closed as far as it can be, where laws of time move conditions; empty where nothing is."""
    speed = max(1.0, float(np.abs(state[:, TWIST]).max(initial=0.0)))
    apart = np.maximum(gaps, slips / speed)
    if not (apart > OPEN).any():
        return ""
    k, system = int(np.nan_to_num(apart, nan=np.inf).argmax()), motion.system
    name = motion.graph.names[k]
    timed = [loop.name for loop in system.loops if TIME in free_names(loop.laws)]
    timed += [row.name for row in system.constraints if isinstance(row, VelocityConstraint) and TIME in free_names(row.laws)]
    timed += [joint.name for joint in system.imposed]
    return (
        f"{name} is open by {amount(system, name, float(gaps[k]))}, and moves at {slips[k]:.3g} per second, after all was "
        f"closed as far as it can be; what is given in time ({', '.join(timed)}) contradicts the rest there, or leads beyond "
        "what can be reached: make it agree, or end the run before"
    )


def _with_events(plan: Plan, inputs: Vector) -> Course:
    """The same where contacts open and close: each mode moves in maximal coordinates, from event to event."""
    refuse_folded(plan.system)
    method = replace(plan.method, solver="traced")  # one model for all modes has no conditions of its own for each
    motions: dict[Mode, Maximal] = {}
    prober = partial(FreeProbe, motions=motions, values=inputs, project=method.project is not False)
    course = move_with_events(replace(plan, method=method), prober)
    rows = [int(motion.graph.holds.sum()) for motion in motions.values()]
    settings = {
        **course.settings,
        "coordinates": "maximal",
        "project": method.project is not False,
        "rows": max(rows, default=0),
    }
    return replace(course, settings=settings)


def _tree_state(traced: TracedSystem, q: Vector, v: Vector) -> Vector:
    """The state of the reduced system that has these coordinates and velocities."""
    return np.concatenate([q[list(traced.coordinate_indices)], v[list(traced.reduction.free)]])
