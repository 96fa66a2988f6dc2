"""Steady motions: everything that matters stays constant while the system moves on.

The coordinates that matter are those on which the equations of motion depend; the others (where it is, where it heads,
how far the wheels have turned) are ignorable and may change at constant rates. A steady motion solves

    rates of the essential coordinates = 0,   accelerations = 0,   gaps = 0,   and the values the user asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from itertools import chain
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.analysis.contacts import why_not_held
from locomotor.analysis.stability.chart_model import ChartModel, chart_model
from locomotor.checks import arithmetic, door, names, numbers_by_name, optional, text
from locomotor.dataclass import dataclass
from locomotor.errors import SteadyMotionError, UnknownNameError
from locomotor.model import System, a_system
from locomotor.names import suggestion
from locomotor.typing import Vector

RESIDUAL = 1e-9
ATTEMPTS = 3
"""Starts of the search with other velocities, after those asked for."""
STAGES = 8
"""Parts in which speeds grow to those asked for, where a direct search goes astray."""
JUMP = 0.3
"""Motions along a curve that differ by more in a coordinate (rad, m) may be on different branches."""
DEPENDENT = 1e-5
"""Share of the largest singular value of their slope below which conditions count as dependent."""
PATIENCE, NEARER = 40, 0.5
"""Evaluations of a search without the residual falling to that share of the least so far: there is nothing to be found."""


@checks.doors
@dataclass(frozen=True, eq=False)
class SteadyMotion:
    """A steady motion: chart coordinates, velocities and inputs by name."""

    system: System
    coordinates: Mapping[str, float]
    velocities: Mapping[str, float]
    inputs: Mapping[str, float]
    residual: float
    asked: tuple[str, ...]

    def _repr_html_(self) -> str:
        """A card in a notebook: all values, and which were asked for."""
        from locomotor.viewing.report import steady_card

        return steady_card(self)

    def __getitem__(self, name: str) -> float:
        """A coordinate, velocity or input of the motion, by name."""
        text(name, "the name of a value", error=UnknownNameError)
        for group in (self.coordinates, self.velocities, self.inputs):
            if name in group:
                return group[name]
        known = [*self.coordinates, *self.velocities, *self.inputs]
        raise UnknownNameError(f"the steady motion has no value {name!r}: {suggestion(name, known)}")

    @property
    def start(self) -> dict[str, float]:
        """Starting values for `simulate`, with the matching `inputs`."""
        names = trace_names(self.system)
        return {**self.coordinates, **{name: self.velocities[name] for name in names}}


def trace_names(system: System) -> tuple[str, ...]:
    """Names of the reduced velocities."""
    return chart_model(system).traced.reduction.names


@door(system=a_system, values=optional(numbers_by_name), inputs=optional(numbers_by_name), solve_for=names)
def steady_motion(
    system: System,
    values: Mapping[str, float] | None = None,
    *,
    inputs: Mapping[str, float] | None = None,
    solve_for: Iterable[str] = (),
) -> SteadyMotion:
    """Find the steady motion with the given coordinates and velocities.

    `inputs` are held at the given values (zero by default) except those named in `solve_for`, which are found.
    `steady_motion(bike, {"speed": 5})` is straight running; with {"speed": 6, "steer": 0.1} and
    solve_for=("steer_torque",) it is a steady turn and the torque that holds it. A free root that is itself a body of
    revolution about its y axis (a disc, a ball) may spin steadily: velocities are those when its pitch is zero, or as given.
    Contacts that may open are taken to hold; where their friction does not let them, this is an error that names them.
    """
    with arithmetic(f"{system.name}: the steady motion"):
        model = chart_model(system)
        found = find_steady(model, values, inputs=inputs, solve_for=solve_for)
        held_up = np.array(list(found.inputs.values()), dtype=float)
        if why := why_not_held(system, found.start, held_up, model.traced.default_parameters, model.traced.free_parameters):
            raise SteadyMotionError(
                f"{system.name}: the motion with {_list(dict(values or {}))} is not steady: {why}; give more friction, or "
                "other values"
            )
        return found


def find_steady(
    model: ChartModel,
    values: Mapping[str, float] | None = None,
    *,
    inputs: Mapping[str, float] | None = None,
    solve_for: Iterable[str] = (),
    near: SteadyMotion | None = None,
) -> SteadyMotion:
    """The steady motion of a chart model; see `steady_motion`. The search begins `near` another one where that is given."""
    model.refuse_time()
    system = model.traced.system
    given = dict(values or {})
    held = {name: float((inputs or {}).get(name, 0.0)) for name in model.input_names}
    wanted_inputs = list(solve_for)
    for name in [*(inputs or {}), *wanted_inputs]:
        if name not in model.input_names:
            raise UnknownNameError(f"the system has no input {name!r}: {suggestion(name, model.input_names)}")
    chart, velocity = model.state(given)
    u = np.array([held[name] for name in model.input_names])
    open_inputs = [model.input_names.index(name) for name in wanted_inputs]
    solver = SteadyEquations(model, given, chart, u, open_inputs)
    first = solver.pack(chart, velocity, u)
    if not (np.isfinite(solver.residual(first)).all() and np.isfinite(solver.slope(first)).all()):
        raise SteadyMotionError(
            f"with {', '.join(given) or 'the nominal pose'} as given, forces are not finite numbers; give values nearer "
            "to 1, in SI units"
        )
    guesses = _guesses(solver, first)
    if near is not None:
        pose = np.array([near.coordinates[name] for name in model.chart_names])
        moves = model.leaning(pose, np.array([near.velocities[name] for name in model.traced.reduction.names]))
        guesses = chain([solver.pack(pose, moves, u)], guesses)
    x, residual, singular = _first_found(solver, first, guesses)
    chart, velocity, u = solver.unpack(x)
    if residual > RESIDUAL:
        raise SteadyMotionError(
            f"{system.name}: no steady motion with {_list(given)} (residual {residual:.2g}); ask for other values, or "
            f"let an input hold the motion with solve_for=(...): {', '.join(model.input_names) or 'there is none'}"
        )
    if singular:
        told = ", ".join(f"{name} = {value:.4g}" for name, value in zip(model.chart_names, chart.tolist(), strict=True))
        raise SteadyMotionError(
            f"{system.name}: with {_list(given)} the search ends in a singular pose ({told}), where conditions of loops or "
            "contacts depend on each other and leave motions open; give coordinates nearer to the motion that is meant"
        )
    found = model.evaluate(chart, velocity, u)["velocities"]
    return SteadyMotion(
        system,
        dict(zip(model.chart_names, chart.tolist(), strict=True)),
        dict(zip(model.velocity_names, found.tolist(), strict=True)),
        dict(zip(model.input_names, u.tolist(), strict=True)),
        residual,
        tuple(given),
    )


def continued(
    system: System, values: Mapping[str, float], last: SteadyMotion | None, options: Mapping[str, Any]
) -> SteadyMotion:
    """The steady motion with some values, on the branch of another whose values were nearly the same.

    Equations of steady motions have many solutions (arms that swing out to the other side); a search from the nominal pose may
    end on any of them.
    """
    found = steady_motion(system, values, **options)
    if last is None or _apart(found, last) < JUMP:
        return found
    with suppress(SteadyMotionError), arithmetic(f"{system.name}: the steady motion"):
        other = find_steady(chart_model(system), values, near=last, **options)
        return other if _apart(other, last) < _apart(found, last) else found
    return found


def _apart(one: SteadyMotion, other: SteadyMotion) -> float:
    """Largest difference of a coordinate."""
    return max((abs(value - other.coordinates[name]) for name, value in one.coordinates.items()), default=0.0)


def _guesses(solver: SteadyEquations, first: Vector) -> Iterator[Vector]:
    """Where to begin: as asked for; at the end of a path on which speeds grow to those asked for; with other velocities.

    A long step may end in a singular pose, where a short one stays on its branch. From rest the slope may vanish (a disc that
    leans and stands still): then other speeds are tried.
    """
    yield first
    if solver.asks_for_speed:
        x = first
        for share in np.linspace(0.0, 1.0, STAGES + 1)[:-1]:
            x, _ = _zero(solver.at_share(float(share)), x)
        yield x
    generator = np.random.default_rng(3)
    chart, velocity, inputs = solver.unpack(first)
    for _ in range(ATTEMPTS):
        yield solver.pack(chart, velocity + generator.uniform(-3.0, 3.0, velocity.shape), inputs)


def _first_found(solver: SteadyEquations, first: Vector, guesses: Iterator[Vector]) -> tuple[Vector, float, bool]:
    """The first zero at a pose that is not singular, else the best of what was found: unknowns, residual, whether it is."""
    rank = solver.rank(first)
    best: tuple[Vector, float, bool] | None = None
    for guess in guesses:
        x, residual = _zero(solver, guess)
        singular = residual <= RESIDUAL and solver.rank(x) < rank
        if residual <= RESIDUAL and not singular:
            return x, residual, False
        if best is None or residual < best[1]:
            best = x, residual, singular
    assert best is not None
    return best


def _zero(solver: SteadyEquations, guess: Vector) -> tuple[Vector, float]:
    """Unknowns where the residual is least, near a guess, and its largest entry there."""
    from scipy.optimize import least_squares

    search = Search(solver.residual)
    try:
        x = least_squares(search, guess, solver.slope, method="lm", xtol=1e-15, ftol=1e-15, gtol=1e-15).x
    except StuckError:
        x = search.best
    except ValueError:  # a start at which something is not finite
        return guess, math.inf
    return x, float(np.abs(solver.residual(x)).max())


def _list(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in values.items()) or "no given values"


class StuckError(Exception):
    """A search that comes no nearer to a solution."""


class Search:
    """A residual that ends the search for its zero where many evaluations together have brought it hardly nearer.

    Where there is none, the least squares would be looked for to the last digit: a thousand evaluations for nothing.
    """

    def __init__(self, residual: Callable[[Vector], Vector]) -> None:
        self._residual = residual
        self._mark, self._since, self._least = math.inf, 0, math.inf
        self.best = np.zeros(0)

    def __call__(self, x: Vector) -> Vector:
        """The residual of the steady motion at the unknowns x."""
        found = self._residual(x)
        size = float(np.linalg.norm(found))
        self._since += 1
        if size < self._least:
            self._least, self.best = size, np.array(x)
        if size < NEARER * self._mark:
            self._mark, self._since = size, 0
        elif self._since >= PATIENCE and self._least > RESIDUAL:
            raise StuckError
        return found


class SteadyEquations:
    """The equations of a steady motion and their exact slope, over the unknowns (essential chart, v_r, inputs)."""

    def __init__(
        self, model: ChartModel, given: Mapping[str, float], chart: Vector, inputs: Vector, open_inputs: list[int]
    ) -> None:
        self._model, self._chart, self._inputs, self._open = model, chart, inputs, open_inputs
        self._essential = list(model.essential)
        self._nv = len(model.traced.reduction.free)
        self._asked_chart = [(model.chart_names.index(n), v) for n, v in given.items() if n in model.chart_names]
        self._asked_speed = [(model.velocity_names.index(n), v) for n, v in given.items() if n in model.velocity_names]

    @property
    def asks_for_speed(self) -> bool:
        """Whether velocities are given that are not zero."""
        return any(value != 0.0 for _, value in self._asked_speed)

    def at_share(self, share: float) -> SteadyEquations:
        """The same with that share of the speeds asked for."""
        other = copy(self)
        other._asked_speed = [(i, share * value) for i, value in self._asked_speed]
        return other

    def rank(self, x: Vector) -> int:
        """How many conditions of loops and contacts are independent there."""
        slope = self._model.slope("gaps", "chart", *self.unpack(x))
        sizes = np.linalg.svd(slope, compute_uv=False) if slope.size else np.zeros(0)
        return int((sizes > DEPENDENT * sizes.max(initial=0.0)).sum())

    def pack(self, chart: Vector, velocity: Vector, inputs: Vector) -> Vector:
        """The vector of unknowns of a motion: essential chart coordinates, reduced velocities, open inputs."""
        return np.concatenate([chart[self._essential], velocity, inputs[self._open]])

    def unpack(self, x: Vector) -> tuple[Vector, Vector, Vector]:
        """Chart coordinates, reduced velocities and inputs of a vector of unknowns."""
        chart, inputs = self._chart.copy(), self._inputs.copy()
        n = len(self._essential)
        chart[self._essential] = x[:n]
        inputs[self._open] = x[n + self._nv :]
        return chart, x[n : n + self._nv], inputs

    def residual(self, x: Vector) -> Vector:
        """What must vanish: rates of essential coordinates, accelerations, gaps, and misses of the values asked for."""
        chart, velocity, inputs = self.unpack(x)
        out = self._model.evaluate(chart, velocity, inputs)
        return np.concatenate(
            [
                out["chart_rate"][self._essential],
                out["acceleration"],
                out["gaps"],
                [chart[i] - value for i, value in self._asked_chart],
                [out["velocities"][i] - value for i, value in self._asked_speed],
            ]
        )

    def slope(self, x: Vector) -> Vector:
        """Exact derivative of the residual."""
        point = self.unpack(x)

        def rows(out: str, pick: Any) -> Vector:
            of_chart = self._model.slope(out, "chart", *point)[pick][:, self._essential]
            of_velocity = self._model.slope(out, "velocity", *point)[pick]
            of_inputs = self._model.slope(out, "inputs", *point)[pick][:, self._open]
            return np.hstack([of_chart, of_velocity, of_inputs])

        width = len(x)
        asked = np.zeros((len(self._asked_chart), width))
        for row, (i, _) in enumerate(self._asked_chart):
            if i in self._essential:
                asked[row, self._essential.index(i)] = 1.0
        everything = slice(None)
        return np.vstack(
            [
                rows("chart_rate", self._essential),
                rows("acceleration", everything),
                rows("gaps", everything),
                asked,
                rows("velocities", [i for i, _ in self._asked_speed]),
            ]
        )
