"""Checks of imposed motions before a run: no jumps, defined over the whole run, and allowed by the constraints."""

import numpy as np
from numpy.typing import NDArray

from locomotor.errors import IncompatibleMotionError, MotionJumpError
from locomotor.model import Expression, Motion, System, evaluate
from locomotor.tracing import TracedSystem

Vector = NDArray[np.float64]

CELLS = 400
SMALL = 1e-6
"""A change that its rate does not explain counts as a jump when it is larger than this, relative to the motion."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
FINEST = 1e-9
SLIP = 1e-6
"""Blocked velocity, m/s, that imposed motions may have at the start: room for splines."""
MOST_TOLD = 4
"""Rows named in a message."""


def check_motions(system: System, start: float, end: float) -> None:
    """Raise if an imposed motion jumps, is not finite, or is not defined over the whole run."""
    for joint in system.imposed:
        motion = joint.drive
        assert isinstance(motion, Motion)
        if motion.span is not None and not (motion.span[0] - 1e-9 <= start and end <= motion.span[1] + 1e-9):
            raise MotionJumpError(
                f"the motion of joint {joint.name!r} is sampled from {motion.span[0]:g} to {motion.span[1]:g} s and the run "
                f"goes from {start:g} to {end:g} s; shorten the run or give more samples"
            )
        levels = (("position", motion.position, motion.velocity), ("velocity", motion.velocity, motion.acceleration))
        for what, value, rate in levels:
            found = _jump(system, value, rate, start, end)
            if found is not None:
                time, size = found
                raise MotionJumpError(
                    f"the motion '{motion.law}' imposed on joint {joint.name!r} jumps in {what} by {size:.3g} near "
                    f"t = {time:.6g} s; smooth it, for instance with smooth_step(t, start, end), or drive the joint by a "
                    "torque"
                )


def _jump(system: System, value: Expression, rate: Expression, start: float, end: float) -> tuple[float, float] | None:
    """Where a function changes by more than the integral of its derivative: (time, size), or None."""

    def values_of(expression: Expression, times: Vector) -> Vector:
        with np.errstate(all="ignore"):
            found = evaluate(expression, {**system.parameters.values, "t": times})
        return np.broadcast_to(np.asarray(found, dtype=float), times.shape)

    def unexplained(edges: Vector, at_edges: Vector) -> Vector:
        half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        inside = values_of(rate, (middle[:, None] + half[:, None] * NODES).ravel()).reshape(-1, len(NODES))
        return np.asarray(np.diff(at_edges) - half * (inside @ WEIGHTS))

    edges = np.linspace(start, end, CELLS + 1)
    at_edges = values_of(value, edges)
    bad = np.flatnonzero(~np.isfinite(at_edges))
    if bad.size:
        return float(edges[bad[0]]), float("nan")
    scale = max(float(np.abs(at_edges).max()), float(np.abs(np.diff(at_edges)).sum()) / 10, 1e-9)
    suspects = np.flatnonzero(~(np.abs(unexplained(edges, at_edges)) <= SMALL * scale))
    for k in suspects[:20]:
        low, high = float(edges[k]), float(edges[k + 1])
        size = float("inf")
        while high - low > FINEST * max(1.0, abs(high)):
            # A jump stays in one half however often the cell is halved; what was only curved disappears.
            finer = np.array([low, 0.5 * (low + high), high])
            parts = np.abs(unexplained(finer, values_of(value, finer)))
            size = float(np.nanmax(parts)) if np.isfinite(parts).any() else float("nan")
            if size <= SMALL * scale:
                break
            low, high = (low, float(finer[1])) if not parts[0] < parts[1] else (float(finer[1]), high)
        else:
            return 0.5 * (low + high), size
    return None


def check_compatibility(traced: TracedSystem, state: Vector, time: float) -> None:
    """Raise if the imposed motions move a contact that must not move, at the start of a run."""
    if not traced.reduction.imposed or not traced.reduction.pivots.redundant_rows:
        return
    (slips,) = traced.slips(np.array([time]), state, np.zeros(traced.input_port.size), traced.default_parameters)
    _refuse(traced, slips, time, SLIP)


def _refuse(traced: TracedSystem, slips: Vector, time: float, limit: float) -> None:
    """Raise if any of the blocked velocities is larger than a limit, naming the largest."""
    order = [int(i) for i in np.argsort(-np.abs(slips)) if not abs(slips[i]) <= limit]
    if not order:
        return
    names = traced.slips.outputs[0].names
    told = ", ".join(f"{names[i].removesuffix('_slip')} by {slips[i]:.3g} m/s" for i in order[:MOST_TOLD])
    others = f" and {len(order) - MOST_TOLD} more" if len(order) > MOST_TOLD else ""
    joints = ", ".join(joint.name for joint in traced.system.imposed)
    raise IncompatibleMotionError(
        f"the motions imposed on {joints} contradict the constraints: at t = {time:g} s they move {told}{others}, which must "
        "be zero; impose fewer of them and let the constraints carry the rest along, or make them agree"
    )
