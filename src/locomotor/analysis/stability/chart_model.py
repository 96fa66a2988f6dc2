"""A system in chart coordinates: its equations of motion, their exact derivatives, and the coordinates that matter."""

from collections.abc import Mapping
from functools import cached_property, lru_cache

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import SteadyMotionError
from locomotor.mechanics.chart import chart_from_coordinates, chart_symbols
from locomotor.model import System, VelocityConstraint
from locomotor.model.expressions import expressions
from locomotor.names import TIME
from locomotor.simulation.inputs import breaks_of
from locomotor.simulation.starts import starting_state
from locomotor.tracing import Traced, TracedSystem, trace
from locomotor.tracing.readings import chart_dynamics, lean_axes
from locomotor.typing import Vector

DEPENDENCE = 1e-9
INSTANTS = (0.037, 0.71, 5.3, 83.0)
"""Instants (s) at which equations of motion are compared with those at zero."""


@dataclass(frozen=True, eq=False)
class ChartModel:
    """A system in chart coordinates with its exact derivatives and its essential coordinates."""

    traced: TracedSystem
    parameters: Vector | None = None
    """Values of the parameters left free; None for those the system declares."""
    others: tuple[Vector, ...] = ()
    """Further values of the free parameters: what matters for one of them is essential."""

    @cached_property
    def free(self) -> Vector:
        """Values of the free parameters."""
        return self.traced.default_parameters if self.parameters is None else self.parameters

    @property
    def function(self) -> Traced:
        """The equations of motion in chart coordinates, traced."""
        return _chart_functions(self.traced)[0]

    @property
    def slopes(self) -> dict[tuple[str, str], Traced]:
        """Exact Jacobians by (output, input)."""
        return _chart_functions(self.traced)[1]

    @property
    def chart_names(self) -> tuple[str, ...]:
        """Names of the chart coordinates."""
        return tuple(symbol.name for symbol in chart_symbols(self.traced.system))

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of all velocities."""
        return tuple(symbol.name for symbol in self.traced.system.layout.velocities)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self.traced.input_port.names

    def evaluate(self, chart: Vector, velocity: Vector, inputs: Vector) -> dict[str, Vector]:
        """All outputs of the equations at a motion, by name."""
        outputs = self.function(np.zeros(1), chart, velocity, inputs, self.free)
        return dict(zip((port.name for port in self.function.outputs), outputs, strict=True))

    def slope(
        self, out: str, of: str, chart: Vector, velocity: Vector, inputs: Vector, parameters: Vector | None = None
    ) -> Vector:
        """One Jacobian as a matrix, for other parameters if given."""
        chosen = self.free if parameters is None else parameters
        return self.slopes[out, of](np.zeros(1), chart, velocity, inputs, chosen)[0]

    def state(self, values: Mapping[str, float]) -> tuple[Vector, Vector]:
        """Chart coordinates and reduced velocities, in lean axes, of a consistent state."""
        x = starting_state(self.traced, values, parameters=self.free)
        nq = self.traced.nq
        q = self.traced.system.nominal_pose()
        q[list(self.traced.coordinate_indices)] = x[:nq]
        chart = np.array(chart_from_coordinates(self.traced.system, q), dtype=float)
        return chart, self.leaning(chart, x[nq:])

    def leaning(self, chart: Vector, velocity: Vector) -> Vector:
        """Reduced velocities in lean axes, which the equations take: a root that is a body of revolution spins in them."""
        pitch = chart[self.chart_names.index("pitch")] if "pitch" in self.chart_names else 0.0
        return np.asarray(lean_axes(self.traced, pitch) @ velocity, dtype=float)

    @cached_property
    def laws_of_time(self) -> tuple[str, ...]:
        """What makes the equations of motion change with time, in words: nothing is steady under them."""
        if not self.function.reads("time"):
            return ()
        system = self.traced.system
        named = [(f"force {force.name!r}", [law for _, law in force.expressions(laws=True)]) for force in system.forces]
        named += [(f"the drive of joint {joint.name!r}", list(expressions(joint.drive.law))) for joint in system.joints]
        named += [
            (f"constraint {each.name!r}", list(expressions(each.laws)))
            for each in system.constraints
            if isinstance(each, VelocityConstraint)
        ]
        named += [(f"loop {closure.name!r}", list(expressions(closure.laws))) for closure in system.loops]
        told = tuple(name for name, laws in named if any(TIME in law.names for law in laws))
        # A wheel that is turned evenly depends on time, and what it does need not: then nothing switches and nothing changes.
        return told if breaks_of(system, None) or self._changes() else ()

    def _changes(self) -> bool:
        """Whether the equations of motion are others at other instants, found on sampled states."""
        generator = np.random.default_rng(4)
        base, _ = self.state({})
        for instant in INSTANTS:
            chart = base + generator.uniform(-0.2, 0.2, base.shape)
            velocity = generator.uniform(-1.0, 1.0, len(self.traced.reduction.free))
            inputs = generator.uniform(-1.0, 1.0, len(self.input_names))
            now, then = (self.function(np.array([t]), chart, velocity, inputs, self.free) for t in (0.0, instant))
            for a, b in zip(now, then, strict=True):
                if not np.allclose(a, b, rtol=DEPENDENCE, atol=DEPENDENCE * max(1.0, float(np.abs(a).max(initial=0.0)))):
                    return True
        return False

    def refuse_time(self) -> None:
        """Raise where the equations of motion change with time."""
        if self.laws_of_time:
            raise SteadyMotionError(
                f"{self.traced.system.name}: {', '.join(self.laws_of_time)} changes with t, and no motion is steady under it; "
                "give it a value that stays, as an input or a parameter, or look for a periodic motion with lm.find_cycle"
            )

    @cached_property
    def essential(self) -> tuple[int, ...]:
        """Chart coordinates on which the motion or the gaps depend, found on sampled states."""
        parameters = (self.free, *self.others)
        generator = np.random.default_rng(2)
        base, _ = self.state({})
        n = len(self.traced.reduction.free)
        rate_slopes, other = [], []
        for sample in range(max(3, len(parameters))):
            point = (
                base + generator.uniform(-0.2, 0.2, base.shape),
                generator.uniform(-1.0, 1.0, n),
                generator.uniform(-1.0, 1.0, len(self.input_names)),
                parameters[sample % len(parameters)],
            )
            rate_slopes.append(np.abs(self.slope("chart_rate", "chart", *point)))
            parts = [np.abs(self.slope(out, "chart", *point)) for out in ("acceleration", "gaps")]
            other.append(np.concatenate(parts).max(axis=0, initial=0.0))
        influence = np.max(rate_slopes, axis=0)
        found = {int(i) for i in np.flatnonzero(np.max(other, axis=0) > DEPENDENCE)}
        while True:
            more = {int(j) for i in found for j in np.flatnonzero(influence[i] > DEPENDENCE)} - found
            if not more:
                return tuple(sorted(found))
            found |= more


@lru_cache(maxsize=32)
def _chart_functions(traced: TracedSystem) -> tuple[Traced, dict[tuple[str, str], Traced]]:
    """Equations of motion and their Jacobians: the same for all values of the free parameters."""
    function = chart_dynamics(traced)
    slopes = {
        (out, of): function.jacobian(out, of)
        for out in ("chart_rate", "acceleration", "velocities", "gaps")
        for of in ("chart", "velocity", "inputs")
    }
    return function, slopes


@lru_cache(maxsize=32)
def chart_model(system: System) -> ChartModel:
    """The chart model of a system; equal systems share it."""
    return ChartModel(trace(system))
