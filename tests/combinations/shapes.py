"""Motion by shape in the random systems: connections against least motion on numbers, small loops and simulated gaits.

Of all velocities that the constraints allow while the active joints have given rates, a connection gives those of least kinetic
energy (or least power of the drags, where these are in balance), for the momentum along everything else is zero:

    [ M  C^T  S^T ] [ v ]   [   0   ]
    [ C   0    0  ] [ . ] = [   0   ]        S: the rows of the active joints
    [ S   0    0  ] [ . ]   [ r_dot ]

solved whole by least squares, without a kernel, an elimination or a choice of pivots.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import locomotor as lm
from combinations.build import Case, build, with_law
from combinations.saddle import saddle
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.model import evaluate
from oracles.sampling import moved

Vector = np.ndarray

INVARIANT = 1e-10
"""Change of the least motion with the pose of the base that is none."""
FOUND = 1e-8
"""Of A, relative to its largest entry: round-off times the condition of the whole matrix."""
RATES = 1e-5
"""Of rates of momenta by central differences of 1e-5, relative to the largest."""
SMALL = 1e-5
RANK = 1e-9
SHAPE = 0.08
"""How far (rad, m) from the nominal shape the connection is looked at."""
RADIUS = 4e-3
"""Of a small loop (rad, m)."""
HOLONOMY = 2e-2
"""What a loop of that radius leaves per area, beside the curvature: the next order, extrapolated from it and its half."""
GAIT = 0.12
"""Amplitude (rad, m) of the gait that is simulated."""
STEPS = 100
FOLLOWED = 2e-5
"""Where a simulated gait leads (rad, m): Runge-Kutta's steps of a hundredth of a period."""


@dataclass(frozen=True, eq=False)
class Shaped:
    """A case as a system that moves by its shape: nothing acts but constraints, what is carried along and what drags."""

    system: lm.System
    joints: tuple[str, ...]
    """Active, as many as the constraints leave to be chosen or, by turns, about half of them."""
    welded: bool


RIGID = {"spine": ("bends", "rigid"), "foot": ("rod", "rigid"), "wings": ("rod", "rigid"), "loop": ("soft", "linkage")}
"""What bends, and what stands in its place where momentum is to determine the base."""


def shaped(case: Case) -> Shaped | None:
    """The case with every contact closed for good (on a terrain: without them) and no forces but those of a fluid.

    Half of them with bodies that do not bend and with joints that something can impose; and half of those without contacts.
    """
    if case.seed % 4 > 1:
        soft = {axis: rigid for axis, (kind, rigid) in RIGID.items() if case.choice[axis] in (kind, "flexible")}
        case = build({**case.choice, **soft}, case.seed)
    system = with_law(case.system, lm.Persistent(), set() if case.choice["ground"] == "terrain" else None)
    kept = (lm.AddedMass,) if case.seed % 3 else (lm.AddedMass, lm.FluidDrag)
    system = system.replace(forces=tuple(f for f in system.forces if isinstance(f, kept)))
    root = system.joints[0]
    if isinstance(root, lm.Fixed):  # let it turn: a base that stands still has no connection
        turning = lm.Spherical(name="pivot", parent=root.parent, child=root.child, at=root.at, rotation=root.rotation)
        system = system.replace(joints=(turning, *system.joints[1:]))
    if case.seed % 4 > 1:
        joints = tuple(_welded(joint) if k and joint.nv > 1 else joint for k, joint in enumerate(system.joints))
        system = system.replace(joints=joints, nominal=_still_named(system, joints))
    if case.seed % 4 == 3:
        system = system.replace(contacts=(), constraints=())
    rng = np.random.default_rng([case.seed, 30])
    layout, C = system.layout, _rows(system, system.nominal_pose(), np.zeros(system.layout.nv))[1]
    imposed = [joint.name for joint in system.imposed]
    passive = [k for k in range(layout.nv) if k not in [layout.v[name].start for name in imposed]]
    rank = _rank(C)
    chosen: list[str] = []
    candidates = [j.name for j in system.joints[1:] if j.nv == 1 and j.name not in imposed]
    for name in rng.permutation(candidates).tolist():
        left = [k for k in passive if k != layout.v[name].start]
        if _rank(C[:, left]) == rank:  # the constraints still find a motion for any rate
            chosen, passive = [*chosen, name], left
    if case.seed % 2 and len(chosen) > 2:
        chosen = chosen[: max(2, len(chosen) // 2)]
    return Shaped(system, (*chosen, *imposed), case.seed % 4 > 1) if chosen or imposed else None


def _welded(joint: Any) -> lm.Fixed:
    return lm.Fixed(name=joint.name, parent=joint.parent, child=joint.child, at=joint.at, rotation=joint.rotation)


def _still_named(system: lm.System, joints: tuple[Any, ...]) -> dict[str, float]:
    """The nominal pose without the coordinates of joints that are welded."""
    layout = system.layout
    gone = [joint.name for joint, other in zip(system.joints, joints, strict=True) if joint.nv and not other.nv]
    lost = {symbol.name for name in gone for symbol in layout.coordinates[layout.q[name]]}
    return {name: value for name, value in dict(system.nominal).items() if name not in lost}


def _rank(matrix: Vector) -> int:
    if not matrix.size:
        return 0
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int((sizes > RANK * max(1.0, float(sizes[0]))).sum())


def _rows(system: lm.System, q: Vector, v: Vector) -> tuple[Any, Vector]:
    kinematics = forward(Instant(system, q, v))
    constraints = constraint_set(kinematics)
    C = np.asarray(constraints.matrix, dtype=float) if len(constraints) else np.zeros((0, len(v)))
    return kinematics, C


def _drag(system: lm.System, q: Vector) -> Vector:
    """Matrix of the power of the drags, from the twists that unit velocities give to the bodies."""
    nv, values = system.layout.nv, system.parameters.values
    found = np.zeros((nv, nv))
    for force in system.forces:
        if isinstance(force, lm.FluidDrag):
            moving = [forward(Instant(system, q, unit)) for unit in np.eye(nv)]
            where = moving[0].index(force.body)
            twists = np.array([np.concatenate([np.asarray(k.velocity[where]), np.asarray(k.omega[where])]) for k in moving]).T
            found += twists.T @ np.asarray(evaluate(force.matrix, values), dtype=float) @ twists
    return found


def least_motion(system: lm.System, q: Vector, active: list[int], kind: str) -> Vector:
    """All velocities per unit rate of each active joint, (velocities, active)."""
    nv = system.layout.nv
    kinematics, C = _rows(system, q, np.zeros(nv))
    form = _drag(system, q) if kind == "stokes" else np.asarray(mass_matrix(kinematics), dtype=float)
    held = np.vstack([C, np.eye(nv)[active]])
    n = len(held)
    whole = np.block([[form, held.T], [held, np.zeros((n, n))]])
    right = np.zeros((nv + n, len(active)))
    right[nv + len(C) :] = np.eye(len(active))
    found, *_ = np.linalg.lstsq(whole, right, rcond=1e-13)
    assert np.abs(held @ found[:nv] - right[nv:]).max(initial=0.0) < 1e-8, "the constraints leave the active joints no motion"
    return found[:nv]


def connection_is_least_motion(done: Any) -> None:
    """A is the least motion at shapes around the nominal one; loops and couplings carry their joints along."""
    made = shaped(done.case)
    if made is None:
        return
    try:
        found = lm.connection(made.system, made.joints)
    except lm.errors.NoConnectionError as error:
        _is_rightly_refused(made, str(error))
        return
    except lm.errors.AssemblyError:
        if made.welded:
            return  # what is welded cannot reach its ground
        raise
    system, layout = found.system, found.system.layout
    active = [layout.v[name].start for name in found.shape_names]
    base = layout.v[system.joints[0].name]
    rng = np.random.default_rng([done.case.seed, 31])
    for spread in (0.0, SHAPE):
        r = found.nominal + spread * rng.uniform(-1.0, 1.0, len(active))
        if system.contacts and not found.reaches(r):
            continue  # a foot that the shape lifts off its ground
        if found.singular(r):
            continue
        q = found.coordinates(r)
        _is_closed(system, q)
        wanted = least_motion(system, q, active, found.kind)
        error = np.abs(-found(r) - wanted[base]).max() / max(1.0, np.abs(wanted[base]).max())
        assert error <= FOUND, f"the {found.kind} connection differs by {error:.1e} from least motion"
    if found.kind == "mixed":
        _momentum_follows(found, rng)
    elif len(active) > 1:
        _loops_leave_curvature(found, rng)
        _gaits_lead_there(found)


def _is_rightly_refused(made: Shaped, said: str) -> None:
    """There is none: the base is fixed, time drives it, or its motion depends on its pose or on joints that follow nothing."""
    system, layout = made.system, made.system.layout
    if layout.v[system.joints[0].name].start == layout.v[system.joints[0].name].stop:
        return
    if any(getattr(row, "moves", False) for row in system.constraints):
        return
    q = system.nominal_pose()
    active = [layout.v[name].start for name in made.joints]
    base = layout.v[system.joints[0].name]
    passive = [k for k in range(layout.nv) if k not in active and k not in range(base.start, base.stop)]
    C = _rows(system, q, np.zeros(layout.nv))[1]
    if passive and not len(C):
        return  # momentum of the whole does not say where they go
    rng = np.random.default_rng(3)
    push = np.zeros(layout.nv)
    push[base] = 0.2 * rng.uniform(-1.0, 1.0, base.stop - base.start)
    kind = "stokes" if any(isinstance(f, lm.FluidDrag) for f in system.forces) and not len(C) else "mechanical"
    places = [layout.q[name].start for name in made.joints]
    changes = []
    for spread in (0.0, 0.3):
        pose = q.copy()
        pose[places] += spread * rng.uniform(-1.0, 1.0, len(places))
        try:
            here, there = (least_motion(system, at, active, kind)[base] for at in (pose, moved(system, pose, push)))
        except AssertionError:
            return  # elsewhere the constraints ask for another motion
        changes.append(float(np.abs(here - there).max()))
    assert max(changes) > INVARIANT, f"refused, though the least motion is that of the shape alone: {said}"


def _is_closed(system: lm.System, q: Vector) -> None:
    """What the shape carries along is where loops and couplings are closed."""
    constraints = constraint_set(forward(Instant(system, q, np.zeros(system.layout.nv))))
    inner = {row.name for row in (*constraints.loops, *constraints.positions)}
    for condition in constraints.conditions:
        if condition.name in inner or hasattr(condition, "constraint"):
            gap = float(condition.gap)
            assert abs(gap) <= 1e-9, f"{condition.name} is open by {gap:.1e} at the shape that is asked for"


def _momentum_follows(found: lm.Connection, rng: np.random.Generator) -> None:
    """Velocities and the rate of the momentum of (A6), from the multiplier form and differences of p = H^T M v."""
    system, layout = found.system, found.system.layout
    active = [layout.v[name].start for name in found.shape_names]
    free = list(found.functions.reduction.free)
    r = found.nominal
    if not found.reaches(r):
        return
    q = found.coordinates(r)
    given, rate, acceleration = (rng.uniform(-0.2, 0.2, n) for n in (len(free), len(active), len(active)))

    def kernel(C: Vector) -> Vector:
        held = np.vstack([C, np.eye(layout.nv)[active], np.eye(layout.nv)[free]])
        right = np.vstack([np.zeros((len(C) + len(active), len(free))), np.eye(len(free))])
        return np.linalg.lstsq(held, right, rcond=1e-12)[0]

    def momentum(q: Vector, v: Vector) -> Vector:
        kinematics, C = _rows(system, q, v)
        return kernel(C).T @ np.asarray(mass_matrix(kinematics), dtype=float) @ v

    _, C = _rows(system, q, np.zeros(layout.nv))
    rows = np.vstack([C, np.eye(layout.nv)[active], np.eye(layout.nv)[free]])
    v = np.linalg.lstsq(rows, np.concatenate([np.zeros(len(C)), rate, given]), rcond=1e-12)[0]
    given_rate, given_velocity = found.momentum_rate(r, momentum(q, v), rate, acceleration)
    base = layout.v[system.joints[0].name]
    error = np.abs(given_velocity - v[base]).max() / max(1.0, np.abs(v).max())
    assert error <= FOUND, f"the velocity that belongs to a momentum differs by {error:.1e}"
    # Accelerations with the active joints imposed: rows of their own, as `saddle` has for laws of time.
    driven = system.with_motions({
        name: f"{float(q[layout.q[name].start])!r} + {float(rate[k])!r}*t + {0.5 * float(acceleration[k])!r}*t**2"
        for k, name in enumerate(found.shape_names)
    })  # fmt: skip
    a = saddle(driven, q, v, 0.0, np.zeros(len(layout.inputs)))
    sides = [momentum(moved(system, q, side * SMALL * v), v + side * SMALL * a) for side in (1.0, -1.0)]
    wanted = (sides[0] - sides[1]) / (2.0 * SMALL)
    error = np.abs(given_rate - wanted).max() / max(1.0, np.abs(wanted).max())
    assert error <= RATES, f"the rate of the momentum differs by {error:.1e} from differences"


def _log(place: Any) -> Vector:
    return np.asarray(place.log() if hasattr(place, "log") else place, dtype=float)


def _refused(found: lm.Connection, gait: dict[str, str]) -> bool:
    """Whether A depends on passive joints, which is told; then no gait by itself leads anywhere."""
    try:
        found.displacement(gait, 1.0, steps=4)
    except lm.errors.NoConnectionError as error:
        lifted = "no position of" in str(error) and found.system.contacts
        assert lifted or "depends on passive joints" in str(error) or "meets a pole" in str(error), str(error)
        return True
    return False


def _loops_leave_curvature(found: lm.Connection, rng: np.random.Generator) -> None:
    """A small loop displaces the base by the curvature times its area, to the next order in its size."""
    one, other = (int(k) for k in rng.choice(len(found.shape_names), 2, replace=False))
    names = found.shape_names

    def circle(radius: float) -> dict[str, str]:
        here = {n: repr(float(x)) for n, x in zip(names, found.nominal, strict=True)}
        here[names[one]] += f" + {radius!r}*cos({2.0 * math.pi!r}*t)"
        here[names[other]] += f" + {radius!r}*sin({2.0 * math.pi!r}*t)"
        return here

    if _refused(found, circle(RADIUS)):
        return
    per_area = [
        _log(found.displacement(circle(radius), 1.0, steps=STEPS)) / (math.pi * radius**2) for radius in (RADIUS, RADIUS / 2)
    ]
    wanted = found.curvature(found.nominal)[:, one, other]
    left = np.abs(2.0 * per_area[1] - per_area[0] - wanted).max() / max(1.0, np.abs(wanted).max())
    assert left <= HOLONOMY, f"a small loop leaves {per_area[1]} an area, the curvature is {wanted}"


def _gaits_lead_there(found: lm.Connection) -> None:
    """A run with the joints imposed, from rest, ends where the connection leads."""
    phase = f"{2.0 * math.pi!r}*(t**3*(10 - 15*t + 6*t**2))"  # at rest at both ends
    gait = {
        name: f"{float(x)!r} + {GAIT!r}*(cos({phase} + {0.9 * k!r}) - cos({0.9 * k!r}))"
        for k, (name, x) in enumerate(zip(found.shape_names, found.nominal, strict=True))
    }
    if found.kind == "stokes" or _refused(found, gait):
        return
    there = found.displacement(gait, 1.0)
    system, layout = found.system, found.system.layout
    start = dict(zip([s.name for s in layout.coordinates], found.coordinates(found.nominal).tolist(), strict=True))
    imposed = {layout.coordinates[layout.q[name].start].name for name in found.shape_names}
    start = {name: value for name, value in start.items() if name not in imposed}
    run = lm.simulate(system, 1.0, motions=gait, start=start, assemble=False, stepper=lm.rk4(1.0 / STEPS), target="interpreter")
    assert run.status.ok, str(run.status)
    base = system.joints[0].name

    def pose(k: int) -> Any:
        q = np.array([run[s.name][k] for s in layout.coordinates])
        kinematics = forward(Instant(system, q, np.zeros(layout.nv)))
        return kinematics.poses[kinematics.index(system.joint(base).child)], q[layout.q[base]]

    (first, at_first), (last, at_last) = pose(0), pose(-1)
    step = np.asarray((first.inverse() @ last).as_matrix(), dtype=float)
    kept = {"SE3": (0, 1, 2, 3), "SE2": (0, 1, 3), "SO3": (0, 1, 2)}.get(type(there).__name__)
    if kept is None:
        error = float(np.abs(at_last - at_first - np.asarray(there, dtype=float)).max())
    else:
        error = float(np.abs(step[np.ix_(kept, kept)] - np.asarray(there.as_matrix(), dtype=float)).max())
    assert error <= FOLLOWED, f"a simulated gait ends {error:.1e} from where the {found.kind} connection leads"
