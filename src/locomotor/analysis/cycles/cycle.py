"""A `Cycle`: a motion that repeats, up to a displacement, with its stability."""

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.analysis.cycles.carrier import root_body
from locomotor.analysis.cycles.conditioning import doubt
from locomotor.analysis.cycles.floquet import by_differences, multipliers
from locomotor.analysis.cycles.jumping_laws import believed
from locomotor.analysis.cycles.passages import drive
from locomotor.analysis.cycles.poincare import PoincareMap, Returned
from locomotor.analysis.cycles.scale import Yardstick
from locomotor.analysis.stability import NEUTRAL, STABLE, stability_of_multipliers
from locomotor.checks import door, names, optional, path, positive, text
from locomotor.dataclass import dataclass
from locomotor.lie import SE3
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import System
from locomotor.simulation import Run, rk4
from locomotor.simulation.events import record_events
from locomotor.typing import Complexes, Floats

AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Cycle:
    """A cycle: where it starts on its section, how long it takes, how far it comes, whether it is stable."""

    system: System
    start: Mapping[str, float]
    """Coordinates and velocities on the section, for `simulate(start=...)`."""
    period: float
    """Time from one passage to the next (s); with a symmetry, from one to its image."""
    displacement: Mapping[str, float]
    """How far the coordinates that may advance come in a period."""
    multipliers: Complexes
    """Floquet multipliers, largest first."""
    residual: float
    """Largest difference from the start after one period, relative to 1 + |value| where the search for it began."""
    iterations: int
    unknowns: tuple[str, ...]
    jacobian: Floats
    """Derivative of the values of the unknowns after a period by those at the start; exact, unless the `note` tells."""
    section: str
    closed: tuple[str, ...]
    """Contacts closed at the start."""
    events: tuple[str, ...] = ()
    """Names of the events of one period, in order."""
    note: str = ""
    """What to know about the multipliers: where a law jumps with the state, they may be those by differences of the map; where
    masses are very different, how far round-off spoils them."""
    map: PoincareMap = field(kw_only=True)
    """The map it is a fixed point of."""

    @property
    def stable(self) -> bool:
        """Whether every deviation dies out; a neutral cycle is not stable."""
        return self.stability == STABLE

    @property
    def neutral(self) -> bool:
        """Whether the largest multiplier has size 1, to 1e-6 and the residual: some deviations stay, as if energy is kept."""
        return self.stability == NEUTRAL

    @property
    def stability(self) -> str:
        """In a word: "stable", "neutral" or "unstable"; "unknown" where the map has no derivative."""
        return stability_of_multipliers(self.multipliers, self.residual)

    @property
    def values(self) -> Floats:
        """Values of the unknowns on the section, in their order."""
        return np.array([self.start[name] for name in self.unknowns])

    @property
    def rates(self) -> dict[str, float]:
        """Mean rate of every coordinate that advances."""
        return {name: value / self.period for name, value in self.displacement.items()}

    @property
    def speed(self) -> float:
        """Distance per time between the starts of two periods (m/s)."""
        return float(np.linalg.norm(self.transform[:3, 3])) / self.period

    @cached_property
    def transform(self) -> Floats:
        """The displacement of the root body as a 4x4 matrix of SE(3), seen from its start: g(0)^-1 g(T).

        The root body is the one at the end of the chain of joints that bears the system, sliders and massless frames included.
        """
        first, last = (self._root_pose(end) for end in (False, True))
        return np.asarray((first.inverse() @ last).as_matrix(), dtype=float)

    def _root_pose(self, end: bool) -> SE3:
        here = self.map
        state = here.place(self.values[None], self.parameters[None]).states
        mode, time = here.mode, here.start_time
        if end:
            passage = here.passage(state, self.parameters[None], tangent=False)
            mode, time, state = passage.mode, float(passage.times[0]), passage.states
        q = here.kernels.read(mode, np.array([time]), state, self.parameters[None])["coordinates"][0]
        instant = Instant(self.system, q, np.zeros(self.system.layout.nv), parameters=dict(self.system.parameters.values))
        kinematics = forward(instant)
        return kinematics.poses[kinematics.index(root_body(self.system))]

    @property
    def parameters(self) -> Floats:
        """Values of the parameters that its map leaves free."""
        values = self.system.parameters.values
        return np.array([values[name] for name in self.map.kernels.modes.free])

    @cached_property
    def run(self) -> Run:
        """One period as a `Run`; the impact at its end is part of it."""
        here = self.map
        state = here.place(self.values[None], self.parameters[None]).states[0]
        end = here.start_time + (self.period if here.by_clock else here.passages * here.longest)
        section = None if here.by_clock else here.section
        start, p = here.start_time, self.parameters
        route = drive(here.kernels, here.flow.step, here.mode, start, end, state, p, section, here.passages)
        return record_events(self.system, route.plan, route.trail, rk4(here.flow.step))

    @door(names=names, kind=text, path=optional(path))
    def plot(self, *names: str, kind: str = "orbit", path: Any = None, **options: Any) -> Any:
        """A figure, saved when a path is given.

        `kind` is "orbit" (coordinates against their rates), "multipliers" (in the complex plane, with the unit circle),
        "poincare" (passages of motions that start nearby, in the plane of two unknowns), or a kind of `Run.plot` for a period.
        """
        from locomotor.viewing.plots import plot_cycle

        return plot_cycle(self, names, kind, path, **options)

    def _repr_html_(self) -> str:
        """What a notebook shows: period, displacement, multipliers, the orbit."""
        from locomotor.viewing.report import cycle_card

        return cycle_card(self)

    @door(size=positive)
    def check(self, size: float = 1e-5) -> float:
        """Largest difference between the exact derivative of the map and one by central differences."""
        parameters = self.parameters
        found = by_differences(lambda u: u + self.map(u, parameters, tangent=False).residual, self.values, size)
        return float(np.abs(found - self.jacobian).max(initial=0.0))

    def __repr__(self) -> str:
        """The cycle in one line."""
        start = ", ".join(f"{name}={self.start[name]:.6g}" for name in self.unknowns)
        largest = f"{np.abs(self.multipliers).max(initial=0.0):.4g}"
        told = f"period {self.period:.6g} s, {self.stability}, largest multiplier {largest}"
        return f"<Cycle of {self.system.name!r} at {self.section}: {start}; {told}{'; ' + self.note if self.note else ''}>"


def make_cycle(
    here: PoincareMap,
    unknowns: Floats,
    returned: Returned,
    iterations: int,
    parameters: Floats,
    row: int = 0,
    *,
    yardstick: Yardstick | None = None,
) -> Cycle:
    """A cycle from the last evaluation of its map, judged by the yardstick of its search, or by its own size."""
    modes = here.kernels.modes
    changed: dict[str, Any] = dict(zip(modes.free, parameters.tolist(), strict=True))
    system = here.system.with_parameters(**changed) if changed else here.system
    state = here.place(unknowns[None], parameters[None]).states[0]
    start = here.start(state, parameters) | dict(zip(here.names, unknowns.tolist(), strict=True))
    n = len(here.names)
    jacobian = returned.jacobian[row] if returned.jacobian is not None and returned.good[row] else np.full((n, n), np.nan)
    jacobian, note = believed(here, unknowns, parameters, jacobian)
    found = multipliers(jacobian) if np.isfinite(jacobian).all() else np.full(n, np.nan, dtype=complex)
    note = note or doubt(here, unknowns, parameters, found)
    return Cycle(
        system=system,
        start=start,
        period=float(returned.period[row]),
        displacement=dict(zip(here.modulo, returned.displacement[row].tolist(), strict=True)),
        multipliers=found,
        residual=float((yardstick or Yardstick(unknowns)).size(returned.residual[row])),
        iterations=iterations,
        unknowns=here.names,
        jacobian=jacobian,
        section=str(here.section) if here.passages == 1 else f"{here.section}, {here.passages} times",
        closed=tuple(sorted(here.mode.closed)),
        events=returned.events,
        note=note,
        map=here,
    )
