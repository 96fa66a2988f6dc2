"""Where a gait leads: its shapes as functions of time, whether constraints allow them, and the base integrated along them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from locomotor import checks, codegen
from locomotor.analysis.connections.displacement import MOST_STEPS, integrate
from locomotor.analysis.connections.poles import lowest
from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.errors import IncompatibleMotionError, NoConnectionError, QuantityError, StepperError, UnknownJointError
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.simulation.inputs import as_motion, check_motion
from locomotor.tracing.readings import ShapeFunctions
from locomotor.typing import Floats

INVARIANCE = 1e-9
"""Change of A, relative to its entries, that is round-off."""
SINGULAR = 1e-9
"""Constraints whose smallest singular value that matters is below this, relative to the largest, have lost a rank."""
ILL = 1e-3
"""Singular values below this, relative to the largest, are told where a displacement does not settle."""
SLIP = 1e-6
"""Blocked velocity, relative to the fastest joint, that a gait may have: room for splines."""
STRIDE = 0.2
"""The most that a joint moves in a first step of a displacement (rad, m)."""
LEAST_STEPS = 48
SURVEY = 4096
"""Instants at which a gait is looked at first; a dip of the smallest singular value between them is followed to its bottom."""
MOST_INSTANTS = 65536
NEAR = 0.02
"""The most that a joint moves between two instants of the survey (rad, m), as long as these are not too many."""


def told(system: System, names: Sequence[str], q: Floats) -> str:
    """Joints of a pose in words."""
    return ", ".join(f"{name} = {round(q[system.layout.q[name].start], 12) + 0.0:.4g}" for name in names)


def known_joints(given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse a name that is no active joint."""
    for name in given:
        if name not in names:
            raise UnknownJointError(f"no active joint is named {checks.shown(name)}: {suggestion(name, names)}")


@dataclass(frozen=True, eq=False)
class Shapes:
    """What a gait has to know of a connection."""

    functions: ShapeFunctions
    names: tuple[str, ...]
    """Active joints."""
    passive: Floats
    """All coordinates of the pose around which the shape varies."""
    loose: list[int]
    """Coordinates that nothing but time carries along: passive joints without a coupling."""
    kernel: Kernel
    """The connection A as a function of all coordinates."""
    coordinates: Callable[[Floats], Floats]
    """All coordinates at values of the active joints."""
    regularity: Callable[[Floats], Floats]
    """How far poses are from a singular one."""

    @property
    def system(self) -> System:
        """The system, with its active joints imposed."""
        return self.functions.system


def displacement(
    shapes: Shapes, gait: Mapping[str, Any], group: Any, duration: float, start: float, steps: int | None, tolerance: float
) -> Any:
    """The element of the group of the base (or the vector, without one) that a gait leads to; see `Connection.displacement`."""
    _check_times(duration, start, steps, tolerance)
    duration, start = float(duration), float(start)  # whole numbers may be too large for an array
    laws = _laws(shapes, gait, start, start + duration)
    _check_passive(shapes)
    path = _Path(shapes, laws)
    # A first survey: how far the joints move, and whether the constraints allow it.
    times = np.linspace(start, start + duration, SURVEY)
    r, _ = path.at(times)
    moved = float(np.abs(np.diff(r, axis=0)).sum(axis=0).max(initial=0.0))
    times = np.linspace(start, start + duration, min(max(SURVEY, math.ceil(moved / NEAR)), MOST_INSTANTS))
    when, least = _check_allowed(shapes, times, path)
    first = max(LEAST_STEPS, math.ceil(moved / STRIDE)) if steps is None else int(steps)
    remedy = "give a larger tolerance, a shorter duration, or a number of steps"
    if least <= ILL:
        remedy = (
            f"at t = {when:.6g} s the shape {path.told(when)} is nearly singular (smallest singular value "
            f"{least:.2g} of the largest), where the base moves very fast: keep the gait away from it"
        )
    with checks.arithmetic(f"{shapes.system.name}: the displacement"):
        return integrate(path.velocity, group, start, duration, first, tolerance if steps is None else None, remedy)


def _laws(shapes: Shapes, gait: Mapping[str, Any], start: float, end: float) -> list[tuple[Any, Any]]:
    """Positions and velocities of the active joints, each checked over the time."""
    if not isinstance(gait, Mapping):
        raise QuantityError(f'the gait is {checks.shown(gait)}; give laws of t by joint, such as {{"leg_1": "sin(t)"}}')
    known_joints(gait, shapes.names)
    nominal = [float(shapes.passive[shapes.system.layout.q[name].start]) for name in shapes.names]
    found = []
    for name, value in zip(shapes.names, nominal, strict=True):
        motion = as_motion(name, gait.get(name, value))
        unknown = motion.position.names - set(shapes.system.parameters) - {"t"}
        if unknown:
            raise QuantityError(f"the motion '{motion.law}' of joint {name!r} depends on {sorted(unknown)[0]!r}; it may "
                                "depend on t and parameters")  # fmt: skip
        check_motion(name, motion, shapes.system.parameters.values, start, end)
        found.append((motion.position, motion.velocity))
    return found


def _check_passive(shapes: Shapes) -> None:
    """A may not depend on passive joints that nothing but time carries along."""
    if not shapes.loose:
        return
    moved = shapes.passive.copy()
    moved[shapes.loose] += np.random.default_rng(6).uniform(0.1, 0.3, len(shapes.loose))
    here, there = (shapes.kernel(q)[0] for q in (shapes.passive, moved))
    if not np.abs(here - there).max() <= INVARIANCE * max(1.0, float(np.abs(here).max())):
        names = [shapes.system.layout.coordinates[i].name for i in shapes.loose]
        raise NoConnectionError(
            f"{shapes.system.name}: A depends on passive joints ({', '.join(names[:4])}), which move along the gait in their "
            "own way; use simulate(system, duration, motions=gait)"
        )


def _check_allowed(shapes: Shapes, times: Floats, path: "_Path") -> tuple[float, float]:
    """Refuse a gait that meets a singular shape or that the constraints forbid; when it is nearest to one, and how near."""
    if not shapes.system.holds:
        return float(times[0]), 1.0
    r, rate = path.at(times)
    q = shapes.coordinates(r)
    found, sizes = lowest(lambda t: shapes.regularity(shapes.coordinates(path.at(t)[0])), times, shapes.regularity(q))
    bad = np.flatnonzero(sizes <= SINGULAR)
    if bad.size:
        met = float(found[bad[0]])
        raise NoConnectionError(
            f"{shapes.system.name}: at t = {met:.6g} s the gait meets a pole: the shape {path.told(met)} "
            "is singular, the constraints lose a rank there and do not determine the base; lead the gait around it, or end "
            "it before"
        )
    traced = shapes.functions.slips()
    slips = np.abs(codegen.compile(traced, target="interpreter")(q, rate)[0])
    limit = SLIP * max(1.0, float(np.abs(rate).max(initial=0.0)))
    if slips.max(initial=0.0) > limit:
        when, row = np.unravel_index(int(slips.argmax()), slips.shape)
        field = traced.outputs[0].fields[row]
        raise IncompatibleMotionError(
            f"{shapes.system.name}: the gait contradicts the constraints: at t = {times[when]:g} s it moves "
            f"{field.name.removesuffix('_slip')} by {slips[when, row]:.3g} {field.unit}".rstrip()
            + ", which must be zero; leave joints out of connection(joints=...), so that they follow, or make it agree"
        )
    return float(found[sizes.argmin()]), float(sizes.min())


class _Path:
    """A gait as functions of time: shapes, poses and the velocity of the base."""

    def __init__(self, shapes: Shapes, laws: Sequence[tuple[Any, Any]]) -> None:
        self._shapes, self._values = shapes, shapes.system.parameters.values
        self._laws = tuple(zip(*laws, strict=True))

    def at(self, times: Floats) -> tuple[Floats, Floats]:
        """Shapes and their rates, each (instants, joints)."""
        r, rate = (np.stack([_at(law, times, self._values) for law in which], axis=1) for which in self._laws)
        return r, rate

    def pose(self, time: float) -> Floats:
        """All coordinates at an instant of the gait."""
        return self._shapes.coordinates(self.at(np.array([time]))[0])[0]

    def told(self, time: float) -> str:
        """The shape at an instant, in words."""
        return told(self._shapes.system, self._shapes.names, self.pose(time))

    def velocity(self, times: Floats) -> Floats:
        """Body velocity of the base, (instants, base)."""
        r, rate = self.at(times)
        return np.asarray(-np.einsum("nij,nj->ni", self._shapes.kernel(self._shapes.coordinates(r))[0], rate))


def _check_times(duration: float, start: float, steps: int | None, tolerance: float) -> None:
    for what, value in (("duration", duration), ("tolerance", tolerance)):
        checks.positive(value, f"the {what} of a displacement", error=StepperError)
    checks.number(start, "the start of a displacement (s)", error=StepperError)
    if steps is not None:
        checks.whole(steps, "steps", least=1, most=MOST_STEPS, error=StepperError)


def _at(expression: Any, times: Floats, values: Mapping[str, float]) -> Floats:
    return np.broadcast_to(np.asarray(expression.evaluate({**values, "t": times}), dtype=float), times.shape)
