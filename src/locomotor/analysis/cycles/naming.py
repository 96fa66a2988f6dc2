"""Values by name on a section: which are unknown, which may advance, which follow from the contacts.

Coordinates on which neither the accelerations nor the rates of the others depend (where the system is, where it heads) may
advance from one passage to the next; as many of them as the gaps of the contacts determine may not.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import singledispatch

import numpy as np

from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.sections import AtEvent, Crossing, SectionKind
from locomotor.dataclass import dataclass
from locomotor.errors import SectionError, UnknownNameError
from locomotor.mechanics.chart import chart_from_coordinates, chart_symbols, coordinates_from_chart, quaternion_names
from locomotor.names import suggestion
from locomotor.simulation.events import Mode
from locomotor.typing import Floats

SHIFT = 0.37
SAMPLES = 3
DEPENDS = 1e-9
RANK = 1e-8
ALIKE = 0.1
"""Columns of at least this share of the largest serve as well as it."""
Vanishing = tuple[Mapping[str, Floats], str, list[int]]
"""What was read, and the kind and the places of what vanishes in it."""


@dataclass(frozen=True)
class Named:
    """Values of states by name: chart coordinates that are not imposed, all velocities, states of the controller."""

    values: Floats
    """(batch, names): the values."""
    slopes: Floats
    """(batch, names, deviation): derivatives of the values by a deviation of the state."""
    by_p: Floats
    """(batch, names, free parameters): velocities that follow from others do so by the parameters too."""


class Naming:
    """Names of one system, and their values in any of its modes."""

    def __init__(self, kernels: Kernels, mode: Mode) -> None:
        self.kernels = kernels
        system = kernels.modes.system
        imposed = {symbol.name for joint in system.imposed for symbol in system.layout.coordinates[system.layout.q[joint.name]]}
        symbols = chart_symbols(system)
        self.chart = tuple(symbol.name for symbol in symbols if symbol.name not in imposed)
        self.angles = {symbol.name for symbol in symbols if symbol.unit == "rad"}
        self.turning = {f"{prefix}{angle}" for prefix in quaternion_names(system) for angle in ("yaw", "roll", "pitch")}
        """Angles of quaternions, known up to whole turns only."""
        self._kept = [i for i, symbol in enumerate(symbols) if symbol.name not in imposed]
        self.velocities = tuple(symbol.name for symbol in system.layout.velocities)
        self.own = mode.compiled.traced.controller_states
        self.names = (*self.chart, *self.velocities, *self.own)

    def index(self, name: str, what: str) -> int:
        """Place of a name, or an error that suggests the nearest."""
        if name not in self.names:
            raise UnknownNameError(f"{what}: no coordinate or velocity is named {name!r}: {suggestion(name, self.names)}")
        return self.names.index(name)

    def read(self, mode: Mode, times: Floats, states: Floats, parameters: Floats) -> tuple[Named, dict[str, Floats]]:
        """Named values of states, and everything else that was read with them."""
        seen = self.kernels.read(mode, times, states, parameters)
        first = mode.compiled.traced.nq + len(mode.free)
        n, own = self.kernels.tangent_size(mode), states[:, first:]
        own_by = np.broadcast_to(np.eye(n)[n - own.shape[1] :], (len(states), own.shape[1], n))
        values = np.hstack([seen["chart"][:, self._kept], seen["velocities"], own])
        slopes = np.concatenate([seen["chart_by"][:, self._kept, :-1], seen["velocities_by"][:, :, :-1], own_by], axis=1)
        by_p = np.zeros((*values.shape, parameters.shape[-1]))
        if "velocities_by_p" in seen:
            by_p[:, : len(self._kept)] = seen["chart_by_p"][:, self._kept]
            by_p[:, len(self._kept) : len(self._kept) + len(self.velocities)] = seen["velocities_by_p"]
        return Named(values, slopes, by_p), seen


@dataclass(frozen=True, eq=False)
class OnSection:
    """States on a section, and what is known of them there."""

    kernels: Kernels
    mode: Mode
    touching: Sequence[str]
    """Open contacts that touch on the section, or the one about to lift off."""
    times: Floats
    states: Floats
    parameters: Floats
    seen: Mapping[str, Floats]
    """What `Naming.read` returned for them."""


def section_constraints(section: SectionKind, here: OnSection) -> tuple[Floats, Floats, Floats]:
    """What vanishes on the section, gaps of closed contacts included, with derivatives by the deviation and by parameters."""
    parts: list[Vanishing] = [(here.seen, "gaps", list(range(here.seen["gaps"].shape[1]))), *_vanishing(section, here)]
    values = [read[kind][:, places] for read, kind, places in parts]
    slopes = [read[f"{kind}_by"][:, places, :-1] for read, kind, places in parts]
    free, batch = bool(here.parameters.shape[-1]), len(here.times)
    by_p = [read[f"{kind}_by_p"][:, places] if free else np.zeros((batch, len(places), 0)) for read, kind, places in parts]
    return np.hstack(values), np.concatenate(slopes, axis=1), np.concatenate(by_p, axis=1)


@singledispatch
def _vanishing(section: SectionKind, here: OnSection) -> list[Vanishing]:
    """What vanishes on a section of its kind, beside the gaps of closed contacts."""
    return []


@_vanishing.register
def _(section: AtEvent, here: OnSection) -> list[Vanishing]:
    """Gaps of the `touching` contacts, which bounce or let go; before an event, what still holds the one about to change."""
    if not here.touching:
        return []
    places = [here.kernels.modes.names.index(name) for name in here.touching]
    return [(here.kernels.look(here.mode, here.times, here.states, here.parameters), section.vanishing, places)]


@_vanishing.register
def _(section: Crossing, here: OnSection) -> list[Vanishing]:
    return [(here.kernels.cross(here.mode, section.expression, here.times, here.states, here.parameters), "crossing", [0])]


# -- what may advance -----------------------------------------------------------------------------------------


def _samples(naming: Naming, state: Floats, mode: Mode, change: Callable[[Floats], None] | None) -> Floats:
    """States around one, with the chart coordinates changed."""
    system, traced = naming.kernels.modes.system, mode.compiled.traced
    generator = np.random.default_rng(5)
    found = []
    for _ in range(SAMPLES):
        q = system.nominal_pose()
        q[list(traced.coordinate_indices)] = state[: traced.nq]
        theta = np.array(chart_from_coordinates(system, q), dtype=float)
        theta += generator.uniform(-0.2, 0.2, theta.shape)
        rest = state[traced.nq :] + generator.uniform(-1.0, 1.0, len(state) - traced.nq)
        if change is not None:
            change(theta)
        q = np.asarray(coordinates_from_chart(system, theta), dtype=float)
        found.append(np.concatenate([q[list(traced.coordinate_indices)], rest]))
    return np.array(found)


def _rates(naming: Naming, mode: Mode, time: float, states: Floats, parameters: Floats) -> tuple[Floats, Floats]:
    """Rates of the chart coordinates, and those of velocities and controller, at states.

    What holds contacts that may slip belongs to the latter: while they stick rates depend on next to nothing.
    """
    times, p = np.full(len(states), time), np.broadcast_to(parameters, (len(states), len(parameters)))
    named, seen = naming.read(mode, times, states, p)
    n = naming.kernels.coordinate_size(mode)
    chart = np.einsum("bij,bj->bi", named.slopes[:, : len(naming.chart)], seen["rate"])
    own = seen["rate"][:, n:]
    if naming.kernels.modes.has_friction or naming.kernels.modes.rubs:
        look = naming.kernels.look(mode, times, states, p)
        own = np.hstack([own, look["hold"], look["friction_left"], look.get("rolling_left", own[:, :0])])
    return chart, own


def ignorable(naming: Naming, mode: Mode, time: float, state: Floats, parameters: Floats) -> list[str]:
    """Chart coordinates on which the motion does not depend, gaps apart."""
    base = _rates(naming, mode, time, _samples(naming, state, mode, None), parameters)
    scale = [1.0 + np.abs(part).max(initial=0.0) for part in base]
    influences: dict[str, set[str]] = {}
    essential: set[str] = set()
    for name, place in zip(naming.chart, naming._kept, strict=True):

        def change(theta: Floats, place: int = place) -> None:
            theta[place] += SHIFT

        moved = _rates(naming, mode, time, _samples(naming, state, mode, change), parameters)
        if np.abs(moved[1] - base[1]).max(initial=0.0) > DEPENDS * scale[1]:
            essential.add(name)
        changed = np.abs(moved[0] - base[0]).max(axis=0, initial=0.0) > DEPENDS * scale[0]
        influences[name] = {other for other, hit in zip(naming.chart, changed, strict=True) if hit}
    while True:
        more = {name for name, others in influences.items() if others & essential} - essential
        if not more:
            return [name for name in naming.chart if name not in essential]
        essential |= more


def periodic(naming: Naming, mode: Mode, time: float, state: Floats, parameters: Floats) -> set[str]:
    """Angles of which whole turns make no difference to the motion."""
    found = set(naming.turning)
    base = np.hstack(_rates(naming, mode, time, _samples(naming, state, mode, None), parameters))
    for name, place in zip(naming.chart, naming._kept, strict=True):
        if name in naming.angles and name not in found:

            def change(theta: Floats, place: int = place) -> None:
                theta[place] += 2.0 * np.pi

            moved = np.hstack(_rates(naming, mode, time, _samples(naming, state, mode, change), parameters))
            if np.abs(moved - base).max() <= DEPENDS * (1.0 + np.abs(base).max()):
                found.add(name)
    return found


def choose_modulo(naming: Naming, mode: Mode, time: float, state: Floats, parameters: Floats) -> tuple[str, ...]:
    """Coordinates that may advance: the ignorable ones, less those that the gaps determine."""
    candidates = ignorable(naming, mode, time, state, parameters)
    kernels, t = naming.kernels, np.array([time])
    named, seen = naming.read(mode, t, state[None], parameters[None])
    gaps = [seen["gaps_by"][0, :, :-1]]
    if kernels.modes.switching:
        gaps.append(kernels.look(mode, t, state[None], parameters[None])["gap_by"][0, :, :-1])
    n = kernels.coordinate_size(mode)
    of_chart = np.concatenate(gaps)[:, :n] @ np.linalg.inv(named.slopes[0, : len(naming.chart), :n])
    places = [naming.chart.index(name) for name in candidates]
    tied = {candidates[k] for k in independent_columns(of_chart[:, places])}
    return tuple(name for name in candidates if name not in tied)


def independent_columns(matrix: Floats) -> list[int]:
    """As many columns as the rank, by Gram-Schmidt: each time the first one that is not much smaller than the largest left.

    The largest itself would change with the slightest change of the numbers where columns are alike (both legs of a walker);
    the first in the order of declaration does not.
    """
    left = np.array(matrix, dtype=float)
    found: list[int] = []
    largest = 0.0
    while len(found) < min(left.shape):
        sizes = np.linalg.norm(left, axis=0)
        largest = largest or float(sizes.max(initial=0.0))
        if float(sizes.max(initial=0.0)) <= RANK * max(largest, 1.0):
            break
        k = int(np.flatnonzero(sizes >= ALIKE * sizes.max())[0])
        found.append(k)
        unit = left[:, k] / sizes[k]
        left -= np.outer(unit, unit @ left)
        left[:, found] = 0.0
    return found


def choose_fixed(naming: Naming, named: Named, constraints: Floats, modulo: Sequence[str]) -> tuple[str, ...]:
    """Of the coordinates that may advance, those that the section does not determine: they keep their starting values."""
    found: list[str] = []
    rows, rank = constraints, _rank(constraints)
    for name in modulo:
        more = np.vstack([rows, named.slopes[0, [naming.names.index(name)]]])
        if _rank(more) > rank:
            rows, rank = more, rank + 1
            found.append(name)
    return tuple(found)


def _rank(matrix: Floats) -> int:
    return int(np.linalg.matrix_rank(matrix, tol=RANK)) if matrix.size else 0


# -- what is unknown ------------------------------------------------------------------------------------------


def choose_unknowns(
    naming: Naming, mode: Mode, named: Named, constraints: Floats, modulo: Sequence[str], wanted: Collection[str] = ()
) -> tuple[str, ...]:
    """Coordinates and reduced velocities that, with those that may advance, determine the state on the section.

    Names that are `wanted`, as by a symmetry, are unknown if they can be. Otherwise the choice follows the order of
    declaration, as long as the values leave one, so that guesses near each other have the same unknowns.
    """
    fixed = choose_fixed(naming, named, constraints, modulo)
    pool = [name for name in naming.chart if name not in fixed]
    pool += [*mode.compiled.traced.reduction.names, *naming.own]
    rows = [naming.names.index(name) for name in (*pool, *fixed)]
    by_name = constraints @ np.linalg.inv(named.slopes[0, rows])
    ease = [_ease(naming, name, modulo) * (UNWILLING if name in wanted else 1.0) for name in pool]
    dependent = {pool[k] for k in independent_columns(by_name[:, : len(pool)] * ease)}
    return tuple(name for name in pool if name not in dependent)


UNWILLING = 1e-3
"""How much rather another value follows from the contacts than one that is wanted as unknown."""


def _ease(naming: Naming, name: str, modulo: Sequence[str]) -> float:
    """What follows from the contacts first: coordinates that may advance, then lengths, then angles, then velocities."""
    if name in modulo:
        return 1e6
    return 1.0 if name not in naming.chart else 1e2 if name in naming.angles else 1e4


def check_unknowns(
    naming: Naming,
    mode: Mode,
    named: Named,
    constraints: Floats,
    names: Sequence[str],
    modulo: Sequence[str],
    offered: Sequence[str],
) -> None:
    """Refuse unknowns that leave something open, or that contradict the contacts."""
    rows = named.slopes[0, [naming.names.index(name) for name in (*names, *modulo)]]
    size, tied = naming.kernels.tangent_size(mode), _rank(constraints)
    rank = _rank(np.vstack([rows, constraints]))
    if len(rows) + tied == rank == size:
        return
    if rank < size:
        told = f"leave {size - rank} value(s) of the state open"
    else:
        told = f"are {len(rows) + tied - size} too many: the contacts determine some of them"
    raise SectionError(
        f"unknowns {', '.join(names) or '(none)'} with modulo {', '.join(modulo) or '(none)'} {told}; "
        f"take unknowns such as {', '.join(offered)}"
    )
