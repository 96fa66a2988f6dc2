"""Consistent starting states: a few values by name in, a state that satisfies every contact out.

Coordinates not given stay at the nominal pose, except those needed to close the gaps of the contacts (for two wheels on
a level ground: height and pitch follow from roll and steer). Velocities not given are zero, except those that follow
from the given ones through the contacts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError, UnknownNameError
from locomotor.mechanics.chart import chart_from_coordinates, chart_symbols, coordinates_from_chart, quaternion_names
from locomotor.names import suggestion
from locomotor.simulation.starts.assembly import closed_loops
from locomotor.simulation.starts.resting import without_momentum
from locomotor.simulation.starts.words import conditions_of
from locomotor.simulation.status import HOLLOW
from locomotor.tracing import TracedSystem
from locomotor.tracing.core import Traced
from locomotor.typing import Vector

GAP_TOLERANCE = 1e-12
SPEED_TOLERANCE = 1e-9
ITERATIONS = 60
LONGEST_STEP = 0.25
LOOPS = "loops"
"""What is assembled where the gaps of contacts are to stay as they are."""


@dataclass(frozen=True)
class Given:
    """Starting values sorted by what they are."""

    chart: dict[str, float]
    quaternions: dict[str, float]
    velocities: dict[str, float]
    controller: dict[str, float]
    resting: bool = False
    """Whether velocities that are not given follow from momenta that vanish."""


def starting_state(
    traced: TracedSystem,
    start: Mapping[str, float] | None = None,
    *,
    time: float = 0.0,
    parameters: Vector | None = None,
    assemble: bool | str = True,
) -> Vector:
    """State vector from values by name.

    With `assemble=False` the coordinates are taken as given: gaps that are not zero then stay as they are, and each
    contact rolls on a plane parallel to its ground. `LOOPS` closes loops and nothing else.
    """
    declared = [traced.system.parameters[name].value for name in traced.free_parameters]
    given_values = declared if parameters is None else parameters
    free = checks.floats(given_values, "parameters", dimensions=(1,), last=len(declared), finite=True)
    time = checks.number(time, "time", error=InconsistentStartError)
    if not isinstance(assemble, str):
        assemble = checks.flag(assemble, "assemble")
    given = sort_values(traced, {} if start is None else checks.mapping(start, "start", error=InconsistentStartError))
    q = _coordinates(traced, given, time, free, assemble)
    return _with_velocities(traced, given, q, time, free)


def sort_values(traced: TracedSystem, start: dict[str, float]) -> Given:
    """Starting values by kind; unknown, imposed and non-finite ones raise."""
    chart, quaternions, velocities, controller, imposed = _kinds_of_names(traced)
    sorted_ = Given({}, {}, {}, {})
    if "momentum" in start and "momentum" not in chart | quaternions | velocities | controller:
        if checks.number(start["momentum"], "start: 'momentum'", error=InconsistentStartError) != 0.0:
            raise InconsistentStartError(f"start: 'momentum' is {start['momentum']!r}; ask for 0, or give velocities")
        start, sorted_ = {name: value for name, value in start.items() if name != "momentum"}, replace(sorted_, resting=True)
    for name, value in start.items():
        number = checks.number(value, f"start: {name!r}", error=InconsistentStartError)
        if name in imposed:
            raise InconsistentStartError(f"start: {name!r} is imposed by a motion; leave it out of the start")
        if name in chart:
            sorted_.chart[name] = number
        elif name in quaternions:
            sorted_.quaternions[name] = number
        elif name in velocities:
            sorted_.velocities[name] = number
        elif name in controller:
            sorted_.controller[name] = number
        else:
            known = [*chart, *velocities, *quaternions, *controller]
            raise UnknownNameError(f"start: no coordinate or velocity is named {name!r}: {suggestion(name, known)}")
    return sorted_


@lru_cache(maxsize=64)
def _kinds_of_names(traced: TracedSystem) -> tuple[frozenset[str], ...]:
    """Names of chart coordinates, components of quaternions, velocities, states of the controller, imposed coordinates."""
    system, layout = traced.system, traced.system.layout
    coordinates = [symbol.name for symbol in layout.coordinates]
    return (
        frozenset(symbol.name for symbol in chart_symbols(system)),
        frozenset(name for names in quaternion_names(system).values() for name in names),
        frozenset(symbol.name for symbol in layout.velocities),
        frozenset(traced.controller_states),
        frozenset(coordinates) - {coordinates[i] for i in traced.coordinate_indices},
    )


# -- coordinates --------------------------------------------------------------------------------------


def _coordinates(traced: TracedSystem, given: Given, time: float, free: Vector, assemble: bool | str) -> Vector:
    """All coordinates, gaps closed with the fewest changes to what was not given."""
    system = traced.system
    q = system.nominal_pose()
    fixed = set(given.chart)
    for prefix, names in quaternion_names(system).items():
        wanted = [given.quaternions.get(name) for name in names]
        if all(value is None for value in wanted):
            continue
        angles = {f"{prefix}{angle}" for angle in ("yaw", "roll", "pitch")}
        norm = float(np.linalg.norm([value or 0.0 for value in wanted]))
        if any(value is None for value in wanted) or abs(norm - 1.0) > 1e-6 or angles & set(given.chart):
            raise InconsistentStartError(
                f"start: give all four of {', '.join(names)} with norm 1 and no yaw, roll or pitch beside them "
                f"(norm {norm:.6g} given), or give yaw, roll and pitch instead"
            )
        for name, value in zip(names, wanted, strict=True):
            q[system.layout.index_q(name)] = (value or 0.0) / norm
        fixed |= angles
    theta = np.array(chart_from_coordinates(system, q), dtype=float)
    names_ = [symbol.name for symbol in chart_symbols(system)]
    for name, value in given.chart.items():
        theta[names_.index(name)] = value
    movable = [i for i, name in enumerate(names_) if name not in fixed]
    if assemble and system.loops:
        nominal = np.array(chart_from_coordinates(system, system.nominal_pose()), dtype=float)
        theta = closed_loops(traced, nominal, theta, movable, time, free, everything=assemble is True)
    elif assemble is True and traced.gaps_of_chart.outputs[0].size:
        theta = _close_gaps(traced, theta, movable, time, free)
    if given.quaternions and np.array_equal(theta, chart_from_coordinates(system, q)):
        return q
    return np.asarray(coordinates_from_chart(system, theta), dtype=float)


def _close_gaps(traced: TracedSystem, theta: Vector, movable: list[int], time: float, free: Vector) -> Vector:
    """Newton's method on the movable coordinates that the gaps respond to most; the others stay."""
    gaps_of = traced.gaps_of_chart
    slope_of = traced.gap_slopes
    names = [symbol.name for symbol in chart_symbols(traced.system)]
    arguments = (np.array([time]), theta, free)
    (gaps,) = gaps_of(*arguments)
    chosen: list[int] | None = None
    for _ in range(ITERATIONS):
        if np.abs(gaps).max() <= GAP_TOLERANCE:
            return theta
        slope = slope_of(*arguments)[0][:, movable]
        if chosen is None:
            chosen = most_responsive(slope)
        if not chosen:
            break
        step = np.linalg.lstsq(slope[:, chosen], -gaps, rcond=None)[0]
        longest = float(np.abs(step).max())
        whole = _stepped(theta, movable, chosen, step)
        far = longest > LONGEST_STEP and not _closes(gaps_of, whole, time, free)
        theta = _stepped(theta, movable, chosen, step * (LONGEST_STEP / longest)) if far else whole
        arguments = (np.array([time]), theta, free)
        (gaps,) = gaps_of(*arguments)
        if longest < 1e-15:
            break
    if np.abs(gaps).max() <= 100 * GAP_TOLERANCE:
        return theta
    worst = int(np.abs(gaps).argmax())
    moved = ", ".join(names[movable[i]] for i in chosen or []) or "nothing"
    coupled = gaps_of.outputs[0].names[worst].removesuffix("_gap") in {row.name for row in traced.system.constraints}
    other = (
        "couplings that agree"
        if coupled
        else "pass assemble=False to let each contact roll on a plane through its starting point"
    )
    raise InconsistentStartError(
        f"start: {gaps_of.outputs[0].names[worst]} is {gaps[worst]:.3g} (it must be zero) and no position was "
        f"found that closes it (moving {moved}); give fewer or other coordinates, or {other}"
    )


def _stepped(theta: Vector, movable: list[int], chosen: list[int], step: Any) -> Vector:
    found = theta.copy()
    found[np.array(movable)[chosen]] += step
    return found


def _closes(gaps_of: Traced, theta: Vector, time: float, free: Vector) -> bool:
    """Whether nothing is left at the end of a whole step, however long: so it is with gears, whose gaps are linear."""
    (gaps,) = gaps_of(np.array([time]), theta, free)
    return bool(np.abs(gaps).max() <= GAP_TOLERANCE)


def most_responsive(slope: Vector) -> list[int]:
    """Columns, as many as the rank: each the longest of what those before it leave (QR with column pivoting)."""
    left, chosen = np.array(slope, dtype=float), list[int]()
    least = 1e-9
    for _ in range(min(left.shape)):
        lengths = np.sqrt(np.add.reduce(left * left, axis=0))
        longest = int(lengths.argmax())
        length = float(lengths[longest])
        if not length > least:
            break
        if not chosen:
            least = max(least, 1e-6 * length)
        chosen.append(longest)
        along = left[:, longest] / length
        left -= along[:, None] * (along @ left)
        left[:, longest] = 0.0
    return chosen


# -- velocities ---------------------------------------------------------------------------------------


def _with_velocities(traced: TracedSystem, given: Given, q: Vector, time: float, free: Vector) -> Vector:
    layout, reduction = traced.system.layout, traced.reduction
    controller = [
        given.controller.get(name, traced.controller.states[name] if traced.controller else 0.0)
        for name in traced.controller_states
    ]
    n = len(reduction.free)
    state = np.concatenate([q[list(traced.coordinate_indices)], np.zeros(n), controller])
    inputs = np.zeros(traced.input_port.size)
    (kernel,), (drift,) = (
        function(np.array([time]), state, inputs, free) for function in (traced.velocity_map, traced.driven_velocity)
    )
    wheels = traced.watched_contacts[len(traced.motion.watched_steps) :]
    dynamics = traced.dynamics  # asked for in any case: who moves without mass is told when it is made
    watched = dynamics(np.array([time]), state, inputs, free)[1] if wheels else ()
    for name, value in zip(wheels, watched[len(watched) - len(wheels) :], strict=True):
        if not value > 0.0:
            raise InconsistentStartError(f"start: contact {name}: it has no contact point there; choose another pose")
    if traced.roundness is not None:
        (margins,) = traced.roundness(np.array([time]), state, inputs, free)
        for name, margin in zip(traced.roundness.outputs[0].names, margins, strict=True):
            if not margin > 0.0:
                ball = f"the ball of contact {name.removesuffix('_roundness')!r} {HOLLOW}"
                raise InconsistentStartError(f"start: {ball} (its radius is {1.0 - margin:.4g} times that of the hollow)")
    if not np.isfinite(kernel).all():
        raise InconsistentStartError(f"start: {_singular(traced)}; choose another pose")
    rows = [layout.index_v(name) for name in given.velocities]
    wanted = np.array(list(given.velocities.values()))
    v_r = np.zeros(n)
    if rows:
        sensitivity, wanted = kernel[rows], wanted - drift[rows]
        solved = most_responsive(sensitivity * willingness(traced))
        v_r[solved] = np.linalg.lstsq(sensitivity[:, solved], wanted, rcond=None)[0]
        v_r[_named(reduction.names, given.velocities)] = [
            given.velocities[name] for name in reduction.names if name in given.velocities
        ]
        error = sensitivity @ v_r - wanted
        if np.abs(error).max() > SPEED_TOLERANCE * max(1.0, float(np.abs(wanted).max())):
            names = ", ".join(f"{name}={value:g}" for name, value in given.velocities.items())
            left = f"{n} independent velocities, for instance {', '.join(reduction.names)}: give those, or fewer"
            raise InconsistentStartError(
                f"start: the velocities {names} contradict {conditions_of(traced.system)} (by {np.abs(error).max():.3g}); "
                "the system has "
                f"{left if n else 'no independent velocities: give none'}"
            )
    if given.resting:
        values = traced.values(free)
        pose = np.asarray(traced.with_imposed(q, time, values), dtype=float)
        v_r = without_momentum(traced.system, pose, kernel, drift, v_r, rows, values)
    state[traced.nq : traced.nq + n] = v_r
    return state


@lru_cache(maxsize=64)
def _singular(traced: TracedSystem) -> str:
    """What is singular in a pose, by the conditions that the system has."""
    system = traced.system
    found = ["the contacts are singular in this pose (a wheel lies flat, or a pivot vanishes)"] if system.contacts else []
    if system.loops:
        named = ", ".join(closure.name for closure in system.loops)
        found.append(f"the loops ({named}) are singular in this pose (links lie in line, or the ends of a rod on each other)")
    return ", or ".join(found) or "the constraints are singular in this pose (a pivot vanishes)"


def willingness(traced: TracedSystem) -> Vector:
    """How readily each reduced velocity follows from the given ones: wheels first, then joints, the base last.

    Where a wheel turning and the whole body pitching give the same speed, nobody means the latter.
    """
    layout, reduction = traced.system.layout, traced.reduction
    found = np.ones(len(reduction.free))
    for k, index in enumerate(reduction.free):
        owner = next((j for j in traced.system.joints if layout.v[j.name].start <= index < layout.v[j.name].stop), None)
        if owner is not None and owner is not traced.system.joints[0]:
            found[k] = 10.0 if owner.name in reduction.still else 3.0
    found.setflags(write=False)
    return found


def _named(names: Iterable[str], given: Mapping[str, float]) -> list[int]:
    return [i for i, name in enumerate(names) if name in given]
