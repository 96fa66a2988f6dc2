"""Return maps and limit cycles of the random systems: exact derivatives against differences of simulated motions.

`returns_have_slopes` takes every case as it is, with its impacts, stops and slips: the derivative of where its motion leads,
by which cycles are found and judged, is a difference of two runs. `driven_motion_repeats` ties a case that stays closed to its
place, drives it periodically, finds its cycle, and compares its Floquet multipliers with a map that is simulated.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

import locomotor as lm
from combinations import parts
from combinations.build import STEP, STEPS, Case, with_inputs, with_law
from locomotor.analysis.cycles import poincare_map
from locomotor.mechanics.tree import mass_matrix
from locomotor.mechanics.tree.kinematics import Instant, forward

Vector = np.ndarray

SMALL = 1e-6
"""Step of central differences."""
SLOPES = 2e-5
"""Of those, relative to the largest entry: curvature of 1e-12 and round-off of events, 1e-12 s, over the step."""
COLUMNS = 2
"""Unknowns of a return map that are varied, drawn at random."""
OMEGA = 100.0
DRIVEN = f"0.6*sin({OMEGA!r}*t)"
SHAKEN = f"0.004*sin({OMEGA!r}*t)"
"""Laws of the drives with a period of some 63 steps."""
BEATS = 63
"""Steps a period."""
SETTLED = 10
"""Periods that are followed before the search."""
TIED = 40.0
"""Rate (1/s) at which ties of joints swing and damp: together slower than steps of a millisecond."""
LONG = 40
"""Periods after which a motion that settles by itself has done so."""
DRIFTS = 1e-8
"""Contacts that stay closed are held by their velocities: their gaps drift by the error of the steps, some 1e-9 m a period, so
that nothing comes back nearer."""
CLOSES = 1e-7
"""A run from a cycle comes back so far, relative to the values: the search closes it to `DRIFTS`, and multipliers may multiply
what is left."""
UP, AHEAD, ASIDE = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
CORNERS = (0.2, 0.0, 0.1), (-0.1, 0.2, 0.0), (0.0, -0.2, -0.1)
WHERE = (*((corner, UP) for corner in CORNERS), (CORNERS[0], ASIDE), (CORNERS[1], AHEAD), (CORNERS[2], AHEAD))
"""Points of a body and directions of the six springs that hold it there, so that it can neither move nor turn away: with
three, which leave it three ways, few motions settled."""
SPAN = 0.3
"""Length (m) of these springs."""


def returns_have_slopes(done: Any) -> None:
    """The derivative of the state after the time of a case by the state before it is a difference of two runs."""
    case = done.case
    choice = case.choice
    # What these have no derivative of is refused by name, in tests of their own.
    if choice["ground"] == "terrain" or choice["law"] == "resisting" or choice["contact"] == "moving":
        return
    rng = np.random.default_rng([case.seed, 40])
    error, name = _slope_error(case, STEP, rng)
    if error > SLOPES:
        # The instant of an event moves with the state as in the flow itself, and not as in steps of its method: soft bodies,
        # which swing in some ten or twenty steps, show the difference, and it falls with the order of the method.
        finer, _ = _slope_error(case, 0.5 * STEP, np.random.default_rng([case.seed, 40]))
        assert finer <= max(SLOPES, error / 6.0), (
            f"the derivative of the return by {name} differs by {error:.1e} from runs, by {finer:.1e} at half the step"
        )


def _slope_error(case: Case, step: float, rng: np.random.Generator) -> tuple[float, str]:
    """How far derivatives of the motion of a case are from differences of runs, at most, and by which unknown.

    With Runge-Kutta's steps, whatever the stepper of the case.
    """
    period = STEPS * STEP
    given = {"period": period, "step": step, "inputs": case.inputs, "target": "interpreter"}
    here = poincare_map(case.system, lm.Start(case.start, closed=case.closed), **given)
    p = here.parameters
    u = here.unknowns_of(here.reference[None], p[None])[0]
    try:
        returned = here(u[None], p[None])
    except lm.errors.SectionError as error:
        assert "slightest deviation" in str(error), str(error)  # two contacts at once, or a slip that just begins
        return 0.0, ""
    if not returned.good[0] or not np.isfinite(returned.jacobian).all():
        assert returned.trouble, "no derivative, and no word why"
        return 0.0, ""

    def led(v: Vector) -> Vector:
        state = here.place(v[None], p[None]).states[0]
        start = here.start(state, p) | dict(zip(here.names, v.tolist(), strict=True))
        held = {"closed": tuple(sorted(here.mode.closed))} if case.switches else {}
        how = {"stepper": lm.rk4(step), "inputs": case.inputs, "target": "interpreter", "assemble": False, **held}
        run = lm.simulate(case.system, period, start=start, **how)
        return np.array([float(run[name][-1]) for name in here.names])

    worst, by = 0.0, ""
    for k in rng.choice(len(u), min(COLUMNS, len(u)), replace=False):
        sides = [led(u + side * SMALL * np.eye(len(u))[k]) for side in (1.0, -1.0)]
        wanted = here.difference(sides[0], sides[1]) / (2.0 * SMALL)
        error = float(np.abs(returned.jacobian[0][:, k] - wanted).max() / max(1.0, np.abs(wanted).max()))
        if error > worst:
            worst, by = error, here.names[k]
    return worst, by


# -- cycles ---------------------------------------------------------------------------------------------------


def moored(case: Case) -> lm.System:
    """The case with contacts that stay closed, tied to its place by springs with dampers, and driven periodically."""
    system = with_law(with_inputs(case.system, {"u": DRIVEN}), lm.Persistent())
    apart = (lm.Gravity, lm.Air, lm.Wing, lm.Fin, lm.JointFriction)  # it rests near its nominal pose, and nothing sticks
    kept = [f for f in system.forces if not isinstance(f, apart)]
    kinematics = forward(Instant(system, system.nominal_pose(), np.zeros(system.layout.nv)))
    ties: list[Any] = []
    loose = ("base", "limb", *(body.name for body in parts.SEATED.get(case.choice["medium"], ((), ()))[0]))
    for name in loose:
        pose = kinematics.poses[kinematics.index(name)]
        for k, (at, towards) in enumerate(WHERE):
            end = np.asarray(pose.act(np.array(at)), dtype=float) + SPAN * np.array(towards)
            place = tuple(float(x) for x in end)
            ties.append(lm.PointSpring(f"{name}_cable_{k}", name, at, "world", place, 400.0, SPAN))
    ties += [lm.FluidDrag(f"oil_{name}", name, (9.0, 9.0, 9.0, 0.5, 0.5, 0.5)) for name in loose]
    imposed = {joint.name for joint in system.imposed}
    mobility = np.diag(np.linalg.inv(np.asarray(mass_matrix(kinematics), dtype=float)))
    for joint in system.joints:
        if joint.nv == 1 and joint.name not in imposed:
            # As stiff as what it moves is heavy: a light link that is held as the heavy ones are is too fast for the steps.
            inertia = 1.0 / float(mobility[system.layout.v[joint.name].start])
            ties += [
                lm.JointSpring(f"{joint.name}_spring", joint.name, inertia * TIED**2),
                lm.JointDamper(f"{joint.name}_oil", joint.name, inertia * TIED),
            ]
    laws = {lm.Torque: lm.Torque(f"0.7*({DRIVEN})"), lm.Motion: lm.Motion(SHAKEN)}
    driven = {j.name for j in system.joints if "t" in getattr(j.drive.law, "names", ())}
    joints = tuple(replace(j, drive=laws[type(j.drive)]) if j.name in driven else j for j in system.joints)
    bodies = tuple(replace(b, damping=0.3) if isinstance(b, lm.FlexibleBody) else b for b in system.bodies)
    return system.replace(bodies=bodies, forces=(*kept, *ties), joints=joints)


def driven_motion_repeats(done: Any) -> None:
    """A driven and damped motion has a cycle, which is found, repeats in a run, and has the multipliers of a simulated map."""
    has_a_cycle(done.case)


def has_a_cycle(case: Case) -> bool:
    """Whether a cycle of the driven case was found; it is compared with runs then."""
    if case.choice["ground"] == "terrain" or case.choice["contact"] == "moving":
        return False
    system, period = moored(case), 2.0 * math.pi / OMEGA
    step = period / BEATS
    try:
        cycle = lm.find_cycle(
            system,
            {},  # from the nominal pose, closed: given by name, it would be held open
            period=period,
            step=step,
            target="interpreter",
            settle=SETTLED,
            tolerance=DRIFTS,
        )
    except (lm.errors.AssemblyError, lm.errors.InconsistentStartError):
        return False  # what was in flight or hung in the case, and cannot be closed where a joint is imposed
    except lm.errors.CycleNotFoundError as error:
        _does_not_settle(system, period, step, error)
        return False
    how = {"stepper": lm.rk4(step), "target": "interpreter", "assemble": False}

    here, p = cycle.map, cycle.parameters

    def led(u: Vector) -> Vector:
        start = here.start(here.place(u[None], p[None]).states[0], p) | dict(zip(here.names, u.tolist(), strict=True))
        run = lm.simulate(system, period, start=start, **how)
        return np.array([float(run[name][-1]) for name in here.names])

    values = cycle.values
    if not len(values):
        return False  # contacts and what is imposed leave nothing to vary
    away = float(np.abs(here.difference(led(values), values)).max())
    assert away <= CLOSES * (1.0 + np.abs(values).max()), f"a run from the cycle ends {away:.1e} away"
    steps = SMALL * np.eye(len(values))
    slopes = np.column_stack([here.difference(led(values + step), led(values - step)) / (2.0 * SMALL) for step in steps])
    size = max(1.0, float(np.linalg.norm(slopes, 2)))
    for multiplier in cycle.multipliers:
        # Of a matrix near the simulated one: eigenvalues themselves may be far more sensitive than the matrix.
        left = float(np.linalg.svd(slopes - multiplier * np.eye(len(slopes)), compute_uv=False)[-1]) / size
        assert left <= SLOPES, f"{multiplier:.6g} is no multiplier of the simulated map, by {left:.1e}"
    return True


def _does_not_settle(system: lm.System, period: float, step: float, error: Exception) -> None:
    """A motion that comes to repeat by itself has a cycle that a search must find: one that was not found does not."""
    how = {"stepper": lm.rk4(step), "target": "interpreter"}
    try:
        run = lm.simulate(system, LONG * period, start={}, **how)
    except lm.errors.LocomotorError:
        return  # too stiff for its steps, or at a singular shape
    if not run.status.ok:
        return
    names = [symbol.name for symbol in system.layout.velocities]
    last, before = (np.array([float(run[name][-1 - k * BEATS]) for name in names]) for k in (0, 1))
    moved = np.abs(last - before).max() / (1.0 + np.abs(last).max())
    assert moved > 1e-6, f"it settles by itself, to {moved:.1e} a period, and is not found: {error}"
