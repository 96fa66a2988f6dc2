"""The Poincaré map of a system: from values on a section to the values at the next passage, with the exact derivative.

Unknowns u determine a state x(u) on the section (contacts closed, coordinates that may advance at their starting values); the
motion takes it to the section again; P(u) are the values of the unknowns there, after the `symmetry` if there is one. Then

    dP/du = S_y  Y_x  (product of deviations and saltation matrices)  x_u.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.analysis.cycles.flow import Flow, Passage, parameter_values
from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.naming import Named, Naming, OnSection, section_constraints
from locomotor.analysis.cycles.plan import CyclePlan
from locomotor.analysis.cycles.sections import SectionKind, drive_period, period_names
from locomotor.dataclass import dataclass
from locomotor.model import Expression, System
from locomotor.model.expressions import free_names
from locomotor.simulation.events import Mode
from locomotor.tracing import Traced
from locomotor.typing import Flags, Floats

ITERATIONS = 25
SMALL = 1e-13
PERIOD_STEP = 1e-5
"""Relative difference by which the period of the drives, a quotient of numbers, is differentiated: good to 1e-10."""


@dataclass
class Returned:
    """Values at the next passage, over a batch."""

    values: Floats
    """(batch, unknowns): P(u)."""
    residual: Floats
    """P(u) - u, whole turns of periodic angles taken off."""
    jacobian: Floats | None
    """(batch, unknowns, unknowns): dP/du."""
    period: Floats
    displacement: Floats
    """(batch, modulo): how far the other coordinates have come."""
    good: Flags
    trouble: str = ""
    events: tuple[str, ...] = ()
    by_parameters: Floats | None = None
    """(batch, unknowns, free parameters): dP/dp, if asked for; not a number where it is not known."""
    closed: frozenset[str] = frozenset()
    """Contacts closed at the end of the last instance."""
    slipping: frozenset[str] = frozenset()
    """Those of them that slip."""


@dataclass(eq=False)
class Place:
    """States on the section with their derivative by the unknowns."""

    states: Floats
    slopes: Floats
    """(batch, deviation, unknowns): derivatives of the states by the unknowns."""
    good: Flags
    by_p: Floats
    """(batch, deviation, free parameters): the contacts' and the section's share."""


@dataclass(eq=False)
class PoincareMap:
    """P(u), over batches of unknowns and parameters; made by `build.poincare_map`."""

    plan: CyclePlan
    """What it was made from, to make it again with other free parameters."""
    kernels: Kernels
    naming: Naming
    flow: Flow
    section: SectionKind
    mode: Mode
    reference: Floats
    """A state on the section: what the unknowns do not name is taken from it."""
    names: tuple[str, ...]
    modulo: tuple[str, ...]
    fixed: tuple[str, ...]
    """Of those, the ones that the section does not determine."""
    periodic: frozenset[str]
    own_period: bool = False
    """Whether the period follows from the drives, and with them from the parameters."""
    touching: tuple[str, ...] = ()
    """Open contacts that touch on the section, or the one that is about to lift off."""
    symmetry: Traced | None = None
    laws: tuple[Expression, ...] = ()
    """Inputs that are given as expressions."""

    def __post_init__(self) -> None:
        naming = self.naming
        self._unknown = [naming.names.index(name) for name in self.names]
        self._advancing = [naming.names.index(name) for name in self.modulo]
        self._kept = [naming.names.index(name) for name in self.fixed]
        self._wrapped = np.array([name in self.periodic for name in self.names], dtype=bool)
        self._turning = np.array([name in naming.turning for name in (*self.names, *self.fixed)], dtype=bool)
        self._slope_of_symmetry = self.symmetry.jacobian("mapped", "values") if self.symmetry else None
        self._symmetry_by_p = self.symmetry.jacobian("mapped", "parameters") if self.symmetry and self.parameters.size else None
        self._direct = self._entries()
        timing = period_names(self.system, self.laws)
        self._period_places = [k for k, name in enumerate(self.kernels.modes.free) if name in timing]
        self._periods: dict[tuple[float, ...], float] = {}
        named, _ = naming.read(self.mode, np.array([self.start_time]), self.reference[None], self.parameters[None])
        self._fixed = named.values[0, self._kept]

    @property
    def system(self) -> System:
        """The system whose motion returns to the section."""
        return self.plan.system

    @property
    def start_time(self) -> float:
        """Time at the section (s)."""
        return self.plan.start.time

    @property
    def passages(self) -> int:
        """Number of passages after which the motion repeats."""
        return self.plan.section.periods

    @property
    def longest(self) -> float:
        """Time after which the section counts as never reached (s)."""
        return self.plan.section.longest

    @property
    def parameters(self) -> Floats:
        """The system's own values of the free parameters."""
        values = self.system.parameters.values
        return np.array([values[name] for name in self.kernels.modes.free])

    @property
    def by_clock(self) -> bool:
        """Whether the section is a phase of the drives."""
        return self.section.by_clock

    def period(self, parameters: Floats) -> float:
        """Time between passages of a section at a phase."""
        clock = self.section.clock
        assert clock is not None  # others have no period before it is found
        if not self.own_period or not self._period_places:
            return clock
        key = tuple(parameters[self._period_places].tolist())
        if key not in self._periods:
            found = drive_period(self.system, parameter_values(self.kernels.modes, parameters), self.laws)
            self._periods[key] = clock if found is None else found
        return self._periods[key]

    # -- the section ----------------------------------------------------------------------------------

    def unknowns_of(self, states: Floats, parameters: Floats) -> Floats:
        """Unknowns of states on the section."""
        times = np.full(len(states), self.start_time)
        return self.naming.read(self.mode, times, states, parameters)[0].values[:, self._unknown]

    def _entries(self) -> list[int] | None:
        """Entries of the state that the unknowns are, if they are just that and nothing follows from contacts."""
        traced = self.mode.compiled.traced
        names = list(traced.state_port.names)
        if any(name in self.naming.turning for name in self.naming.names) or not set(self.names) <= set(names):
            return None
        return [names.index(name) for name in self.names] if len(self.names) + len(self.fixed) == len(names) else None

    def place(self, unknowns: Floats, parameters: Floats) -> Place:
        """States on the section that have the given values of the unknowns."""
        batch, manifold = len(unknowns), self.mode.compiled.traced.manifold
        states = np.repeat(self.reference[None], batch, axis=0)
        if self._direct is not None:
            states[:, self._direct] = unknowns
            slopes = np.eye(states.shape[1])[:, self._direct]
            still = np.zeros((batch, len(slopes), parameters.shape[1]))
            return Place(states, np.broadcast_to(slopes, (batch, *slopes.shape)), np.ones(batch, dtype=bool), still)
        times = np.full(batch, self.start_time)
        target = np.hstack([unknowns, np.broadcast_to(self._fixed, (batch, len(self._fixed)))])
        rows = [*self._unknown, *self._kept]
        inverse, step, apart = np.zeros(0), np.zeros(batch), np.zeros(0)
        for _ in range(ITERATIONS):
            named, seen = self.naming.read(self.mode, times, states, parameters)
            here = OnSection(self.kernels, self.mode, self.touching, times, states, parameters, seen)
            values, slopes, by_p = section_constraints(self.section, here)
            miss = named.values[:, rows] - target
            miss[:, self._turning] = _within_a_turn(miss[:, self._turning])
            inverse = np.linalg.pinv(np.concatenate([named.slopes[:, rows], slopes], axis=1), rcond=1e-10)
            apart = np.concatenate([named.by_p[:, rows], by_p], axis=1)
            delta = -np.einsum("bij,bj->bi", inverse, np.hstack([miss, values]))
            states = manifold.normalise(manifold.retract(states, delta))
            step = np.abs(delta).max(axis=1, initial=0.0)
            if (step < SMALL * (1.0 + np.abs(states).max(axis=1))).all():
                break
        return Place(states, inverse[:, :, : len(self.names)], np.isfinite(step) & (step < 1e-8), -inverse @ apart)

    # -- the map --------------------------------------------------------------------------------------

    def __call__(
        self, unknowns: Floats, parameters: Floats | None = None, *, tangent: bool = True, by_parameters: bool = False
    ) -> Returned:
        """The next passage; unknowns (batch, n), parameters (batch, free); with derivatives by either."""
        batch = len(unknowns)
        p = np.broadcast_to(self.parameters if parameters is None else parameters, (batch, len(self.parameters)))
        place = self.place(np.asarray(unknowns, dtype=float), p)
        groups = self.flow.groups(p, self._period_places if self.own_period else ())
        result = Returned(
            np.full((batch, len(self.names)), np.nan),
            np.full((batch, len(self.names)), np.nan),
            np.full((batch, len(self.names), len(self.names)), np.nan) if tangent else None,
            np.full(batch, np.nan),
            np.full((batch, len(self.modulo)), np.nan),
            np.zeros(batch, dtype=bool),
        )
        if by_parameters:
            result.by_parameters = np.full((batch, len(self.names), len(self.parameters)), np.nan)
        for rows in groups:
            if not place.good[rows].all():
                result.trouble = result.trouble or f"no state on the section has these values of {', '.join(self.names)}"
            rows = rows[place.good[rows]]
            if len(rows):
                passage = self.passage(place.states[rows], p[rows], tangent=tangent, by_parameters=by_parameters)
                self._read(passage, rows, unknowns[rows], p[rows], place, result)
        return result

    def passage(self, states: Floats, parameters: Floats, *, tangent: bool = True, by_parameters: bool = False) -> Passage:
        """Motion of states on the section to the next passage; all with one period."""
        wanted: dict[str, Any] = {"tangent": tangent, "by_parameters": by_parameters and tangent}
        if self.by_clock:
            end = self.start_time + self.passages * self.period(parameters[0])
            return self.flow.go(self.mode, self.start_time, end, states, parameters, **wanted)
        end = self.start_time + self.passages * self.longest
        section, count = self.section, self.passages
        return self.flow.go(self.mode, self.start_time, end, states, parameters, section, count, **wanted)

    def _clock_by_parameters(self, parameters: Floats) -> Floats:
        """Derivative of the time to the next passage of a phase by the free parameters."""
        result = np.zeros(len(parameters))
        if self.own_period:
            for k in self._period_places:
                step = PERIOD_STEP * (1.0 + abs(parameters[k])) * np.eye(len(parameters))[k]
                change = self.period(parameters + step) - self.period(parameters - step)
                result[k] = self.passages * change / (2.0 * float(step[k]))
        return result

    @cached_property
    def _scheduled_by(self) -> bool:
        """Whether a free parameter shifts the instants at which grips hold: then differences are taken."""
        grips = [entry.law.condition for entry in self.kernels.modes.switching if entry.law.grips]
        return any(name in free_names(when) for when in grips for name in self.kernels.modes.free)

    def _read(
        self, passage: Passage, rows: NDArray[np.intp], unknowns: Floats, parameters: Floats, place: Place, result: Returned
    ) -> None:
        result.good[rows], result.events = passage.good, passage.events
        result.trouble = result.trouble or passage.trouble
        result.closed, result.slipping = passage.mode.closed, frozenset(passage.mode.stances)
        if not passage.good.any():
            return
        named, _ = self.naming.read(passage.mode, passage.times, passage.states, parameters)
        values, slopes = self.map_back(named.values, named.slopes, parameters)
        result.values[rows] = values
        result.residual[rows] = self.difference(values, unknowns)
        result.period[rows] = passage.times - self.start_time
        times = np.full(len(rows), self.start_time)
        began = self.naming.read(self.mode, times, place.states[rows], parameters)[0].values[:, self._advancing]
        result.displacement[rows] = named.values[:, self._advancing] - began
        if result.jacobian is not None and passage.tangents is not None:
            result.jacobian[rows] = slopes @ passage.tangents @ place.slopes[rows]
            if result.by_parameters is not None and passage.by_parameters is not None and not self._scheduled_by:
                x_p = passage.tangents @ place.by_p[rows] + passage.by_parameters
                if self.by_clock:
                    rate = self.kernels.read(passage.mode, passage.times, passage.states, parameters)["rate"]
                    x_p = x_p + rate[:, :, None] * self._clock_by_parameters(parameters[0])
                result.by_parameters[rows] = slopes @ x_p + self._read_by_parameters(named, parameters)
        finite = np.asarray(np.isfinite(result.residual[rows]).all(axis=1))
        result.good[rows] &= finite
        if result.jacobian is not None:
            finite &= np.isfinite(result.jacobian[rows]).all(axis=(1, 2))
        if not finite[passage.good].all():
            result.trouble = result.trouble or "what the unknowns are at the end, or their derivative, is infinite"

    def map_back(self, values: Floats, slopes: Floats, parameters: Floats) -> tuple[Floats, Floats]:
        """Unknowns from all named values at the end of a passage, after the symmetry, with derivatives."""
        if self.symmetry is None:
            return values[:, self._unknown], slopes[:, self._unknown]
        assert self._slope_of_symmetry is not None
        batch = len(values)
        mapped = self.symmetry.evaluate([np.ascontiguousarray(values), np.ascontiguousarray(parameters)], batch)[0]
        by = self._slope_of_symmetry.evaluate([np.ascontiguousarray(values), np.ascontiguousarray(parameters)], batch)[0]
        return mapped, by.reshape(batch, len(self.names), values.shape[1]) @ slopes

    def _read_by_parameters(self, named: Named, parameters: Floats) -> Floats:
        """How the unknowns read at the end depend on the parameters themselves, the state being what it is."""
        if self.symmetry is None:
            return named.by_p[:, self._unknown]
        assert self._slope_of_symmetry is not None and self._symmetry_by_p is not None
        batch, given = len(parameters), [np.ascontiguousarray(named.values), np.ascontiguousarray(parameters)]
        by_values = self._slope_of_symmetry.evaluate(given, batch)[0].reshape(batch, len(self.names), -1)
        by_p = self._symmetry_by_p.evaluate(given, batch)[0].reshape(batch, len(self.names), -1)
        return np.asarray(by_values @ named.by_p + by_p)

    def difference(self, values: Floats, unknowns: Floats) -> Floats:
        """values - unknowns, less whole turns of the angles of which these make no difference."""
        result = values - unknowns
        result[..., self._wrapped] = _within_a_turn(result[..., self._wrapped])
        return result

    def comes_back(self, returned: Returned) -> bool:
        """Whether the contacts that are closed at the end may be those of the start."""
        if self.symmetry is not None or self.section.exchanges_contacts:
            return True
        return returned.closed == self.mode.closed and returned.slipping == frozenset(self.mode.stances)

    def turned(self, unknowns: Floats, low: Floats | float = -np.pi) -> Floats:
        """Unknowns with the angles of which whole turns make no difference brought between `low` and a turn above it."""
        bottom = np.broadcast_to(low, unknowns.shape)
        return np.where(self._wrapped, bottom + (unknowns - bottom) % (2.0 * np.pi), unknowns)

    def start(self, state: Floats, parameters: Floats) -> dict[str, float]:
        """Starting values by name of a state on the section."""
        named, _ = self.naming.read(self.mode, np.array([self.start_time]), state[None], parameters[None])
        traced = self.mode.compiled.traced
        wanted = (*self.naming.chart, *traced.reduction.names, *self.naming.own)
        return {name: float(named.values[0, self.naming.names.index(name)]) for name in wanted}


def _within_a_turn(angles: Floats) -> Floats:
    return (angles + np.pi) % (2.0 * np.pi) - np.pi
