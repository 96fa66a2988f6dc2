"""Checks of imposed motions and moving constraints before a run: no jumps, defined over the whole run, and compatible."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from locomotor.errors import IncompatibleMotionError, MotionJumpError, NotFiniteError, QuantityError, SampledMotionError
from locomotor.model import Description, Expression, Motion, System, VelocityConstraint
from locomotor.model.expressions import free_names
from locomotor.names import TIME
from locomotor.simulation.inputs.breaks import apart, breaks, values_of
from locomotor.tracing import TracedSystem
from locomotor.typing import Vector

CELLS = 400
SMALL = 1e-6
"""A change that its rate does not explain counts as a jump when it is larger than this, relative to the motion."""
POLE = 1e6
"""A law that grows to this many times its usual size beside an instant is infinite there."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
FINEST = 1e-9
SLIP = 1e-6
"""Blocked velocity, m/s or rad/s, that imposed motions may have at the start: room for splines."""
MOST_TOLD = 4
"""Rows named in a message."""


def as_motion(joint: str, law: Any) -> Motion:
    """The motion of a joint from whatever a user may write for it: a law of t, a number or a `Motion`."""
    if isinstance(law, Motion):
        return law
    if isinstance(law, tuple | list | np.ndarray):
        raise QuantityError(
            f"the motion of joint {joint!r} is a {type(law).__name__} of {len(law)}; give a law of t, or samples as "
            "Motion.sampled(times, values)"
        )
    try:
        return Motion(law)
    except QuantityError as error:
        raise QuantityError(f"the motion of joint {joint!r}: {error}") from None


def as_motions(motions: Mapping[str, Any]) -> dict[str, Motion]:
    """Motions by joint, from a mapping of names to laws."""
    return {joint: as_motion(joint, law) for joint, law in motions.items()}


def check_inputs_act(free: System, driven: System, inputs: Mapping[str, Any]) -> None:
    """Raise if an input is given that drove a joint whose motion is now imposed: it would do nothing."""
    for name in inputs:
        idle = [j.name for j in free.joints if name in _names(j.drive) and name not in _names(driven.joint(j.name).drive)]
        if idle and not acts(driven, name):
            raise QuantityError(
                f"the input {name!r} drives joint {idle[0]!r}, whose motion is imposed: it would do nothing; leave out "
                "the input or the motion"
            )


def acts(system: System, name: str) -> bool:
    """Whether an input is in the law of some joint or force: one whose joint moves as imposed does nothing."""
    return any(name in _names(part) for part in (*(joint.drive for joint in system.joints), *system.forces))


def _names(part: Description) -> set[str]:
    return {name for _, expression in part.expressions(laws=True) for name in expression.names}


@lru_cache(maxsize=32)
def check_motions(system: System, start: float, end: float) -> None:
    """Raise if an imposed motion jumps, is not finite, or is not defined over the whole run; known where it did not before."""
    for joint in system.imposed:
        assert isinstance(joint.drive, Motion)
        check_motion(joint.name, joint.drive, system.parameters.values, start, end)


def check_motion(joint: str, motion: Motion, values: Mapping[str, float], start: float, end: float) -> None:
    """Raise if one motion jumps, is not finite, or is not defined between two instants."""
    if motion.span is not None and not (motion.span[0] - 1e-9 <= start and end <= motion.span[1] + 1e-9):
        raise SampledMotionError(
            f"the motion of joint {joint!r} is sampled from {motion.span[0]:g} to {motion.span[1]:g} s and is asked for from "
            f"{start:g} to {end:g} s; shorten the duration or give more samples"
        )
    if motion.is_sampled:
        return  # a spline has two continuous derivatives
    who = f"the motion '{_short(motion.law)}' imposed on joint {joint!r}"
    levels = {"position": motion.position, "velocity": motion.velocity, "acceleration": motion.acceleration}
    law = _Law(who, levels, "drive the joint by a torque", values, start, end)
    law.check_finite()
    law.check_breaks()
    law.check_cells()


def has_timed_constraints(system: System) -> bool:
    """Whether a constraint between velocities depends on time."""
    return any(isinstance(c, VelocityConstraint) and TIME in free_names(c.laws) for c in system.constraints)


@lru_cache(maxsize=32)
def check_constraints(system: System, start: float, end: float) -> None:
    """Raise if a constraint jumps in time, which would take an impulse, or is not finite, between two instants.

    Of a law that coordinates enter as well only jumps that happen at told instants are known before the run.
    """
    if not has_timed_constraints(system):
        return
    coordinates = [symbol.name for symbol in system.layout.coordinates]
    anywhere = dict(zip(coordinates, np.random.default_rng(5).uniform(0.3, 0.7, len(coordinates)).tolist(), strict=True))
    values = {**system.parameters.values, **anywhere}
    for constraint in system.constraints:
        if not isinstance(constraint, VelocityConstraint):
            continue
        for what, found in (*zip(constraint.velocities, constraint.coefficients, strict=True), ("equals", constraint.laws[-1])):
            if not isinstance(found, Expression) or TIME not in found.names:
                continue
            who = f"{constraint.label}: {what} '{_short(found)}'"
            levels = {"value": found, "rate": found.derivative(TIME)}
            law = _Law(who, levels, "let it follow from a force", values, start, end)
            if found.names.isdisjoint(coordinates):
                law.check_finite()
                law.check_cells()
            law.check_breaks()


class _Law:
    """A law of time between two instants, with its derivatives; all but the last of them must not jump."""

    def __init__(
        self, who: str, levels: Mapping[str, Expression], way_out: str, values: Mapping[str, float], start: float, end: float
    ) -> None:
        self._who, self._levels, self._way_out = who, levels, way_out
        self._values, self._start, self._end = values, start, end
        self._breaks = breaks(next(iter(levels.values())), "t", values, start, end)
        self._edges = np.union1d(np.linspace(start, end, CELLS + 1), self._breaks)

    def _at(self, law: Expression, times: Vector) -> Vector:
        return values_of(law, "t", self._values, times)

    def _scale(self, law: Expression) -> float:
        """How large it is; also between the edges, all of which may be nodes of a fast oscillation."""
        middle, half = 0.5 * (self._edges[1:] + self._edges[:-1]), 0.5 * np.diff(self._edges)
        between = self._at(law, (middle[:, None] + half[:, None] * NODES).ravel())
        return max(_size(self._at(law, self._edges)), float(np.abs(between).max(initial=0.0)))

    def check_finite(self) -> None:
        """The law and its derivatives must be numbers everywhere, or forces are not."""
        for what, law in self._levels.items():
            at = self._at(law, self._edges)
            bad = np.flatnonzero(~np.isfinite(at))
            if bad.size:
                self._not_finite(what, float(self._edges[bad[0]]), bool(bad.size > 1))
            usual = 1.0 + float(np.median(np.abs(at)))
            for side in (-1.0, 1.0):
                beside = np.clip(self._breaks + side * apart(self._breaks), self._start, self._end)
                poles = np.flatnonzero(~(np.abs(self._at(law, beside)) < POLE * usual))
                if poles.size:
                    self._not_finite(what, float(self._breaks[poles[0]]), False)

    def _not_finite(self, what: str, time: float, lasting: bool) -> None:
        smooth = "two derivatives" if len(self._levels) > 2 else "its derivative"
        raise NotFiniteError(
            f"{self._who}: its {what} is not finite {'from' if lasting else 'at'} t = {time:.6g} s; give a law that is "
            f"finite, with {smooth}, from {self._start:g} to {self._end:g} s"
        )

    def check_breaks(self) -> None:
        """Where the formula says that it may break: values on both sides."""
        for what, rate in pairwise(self._levels):
            law, slope = self._levels[what], self._levels[rate]
            scale = self._scale(law)
            inside = self._breaks[(self._breaks > self._start) & (self._breaks <= self._end)]
            if not inside.size:
                continue
            step = apart(inside)
            sides = [self._at(law, inside + side * step) for side in (-1.0, 1.0)]
            slopes = [np.abs(self._at(slope, inside + side * step)) for side in (-1.0, 1.0)]
            unexplained = np.abs(sides[1] - sides[0]) - 4.0 * step * np.maximum(*slopes)
            worst = np.flatnonzero(unexplained > SMALL * scale)
            if worst.size:
                k = int(worst[0])
                self._jump(what, float(inside[k]), float(unexplained[k]))

    def check_cells(self) -> None:
        """Elsewhere: a function that changes by more than the integral of its derivative jumps."""
        for what, rate in pairwise(self._levels):
            found = self._unexplained_jump(self._levels[what], self._levels[rate])
            if found is not None:
                self._jump(what, *found)

    def _jump(self, what: str, time: float, size: float) -> None:
        raise MotionJumpError(
            f"{self._who} jumps in {what} by {size:.3g} near t = {time:.6g} s; smooth it, for instance with "
            f"smooth_step(t, start, end), or {self._way_out}"
        )

    def _unexplained_jump(self, value: Expression, rate: Expression) -> tuple[float, float] | None:
        """Where a function changes by more than the integral of its derivative: (time, size), or None."""

        def unexplained(low: Vector, high: Vector) -> Vector:
            half, middle = 0.5 * (high - low), 0.5 * (high + low)
            inside = self._at(rate, (middle[:, None] + half[:, None] * NODES).ravel()).reshape(-1, len(NODES))
            return np.asarray(self._at(value, high) - self._at(value, low) - half * (inside @ WEIGHTS))

        scale = self._scale(value)
        # Breaks are known already: look inside the cells between them.
        step = apart(self._edges)
        lows, highs = self._edges[:-1] + step[:-1], self._edges[1:] - step[1:]
        wide = highs > lows
        lows, highs = lows[wide], highs[wide]
        suspects = np.flatnonzero(~(np.abs(unexplained(lows, highs)) <= SMALL * scale))
        for k in suspects[:20]:
            low, high = float(lows[k]), float(highs[k])
            size = float("inf")
            while high - low > FINEST * max(1.0, abs(high)):
                # A jump stays in one half however often the cell is halved; what was only curved disappears.
                middle = 0.5 * (low + high)
                parts = np.abs(unexplained(np.array([low, middle]), np.array([middle, high])))
                size = float(np.nanmax(parts)) if np.isfinite(parts).any() else float("nan")
                if size <= SMALL * scale:
                    break
                low, high = (low, middle) if not parts[0] < parts[1] else (middle, high)
            else:
                return 0.5 * (low + high), size
        return None


def _size(values: Vector) -> float:
    return max(float(np.abs(values).max()), float(np.abs(np.diff(values)).sum()) / 10, 1e-9)


def _short(law: Any) -> str:
    text = str(law)
    return text if len(text) <= 80 else f"{text[:60]} ... {text[-15:]}"


def check_compatibility(traced: TracedSystem, state: Vector, time: float) -> None:
    """Raise if imposed motions or moving constraints contradict what other constraints ask for, at the start of a run."""
    if not traced.reduction.pivots.redundant_rows or traced.motion.driven is None:
        return
    (slips,) = traced.slips(np.array([time]), state, np.zeros(traced.input_port.size), traced.default_parameters)
    _refuse(traced, slips, time, SLIP)


def _refuse(traced: TracedSystem, slips: Vector, time: float, limit: float) -> None:
    """Raise if any of the blocked velocities is larger than a limit, naming the largest."""
    order = [int(i) for i in np.argsort(-np.abs(slips)) if not abs(slips[i]) <= limit]
    if not order:
        return
    names = traced.slips.outputs[0].names
    fields = traced.slips.outputs[0].fields
    told = ", ".join(f"{names[i].removesuffix('_slip')} by {slips[i]:.3g} {fields[i].unit}".rstrip() for i in order[:MOST_TOLD])
    others = f" and {len(order) - MOST_TOLD} more" if len(order) > MOST_TOLD else ""
    joints = ", ".join(joint.name for joint in traced.system.imposed)
    if not joints:
        raise IncompatibleMotionError(
            f"the constraints contradict each other: at t = {time:g} s what some ask for violates {told}{others}; leave some "
            "out, or make their right-hand sides agree"
        )
    raise IncompatibleMotionError(
        f"the motions imposed on {joints} contradict the constraints: at t = {time:g} s they move {told}{others}, which must "
        "be zero; impose fewer of them and let the constraints carry the rest along, or make them agree"
    )
