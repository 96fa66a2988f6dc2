"""Multiple shooting: a period cut into segments that are integrated from starts of their own.

The unknowns are those on the section and the whole state at the start of every other segment; what must vanish is the
difference between the end of each segment and the start of the next, and between the last end and the first start.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from locomotor.analysis.cycles.flow import Passage
from locomotor.analysis.cycles.poincare import PoincareMap
from locomotor.analysis.cycles.scale import Yardstick
from locomotor.dataclass import dataclass
from locomotor.errors import SectionError
from locomotor.simulation.events import Mode
from locomotor.simulation.starts import starting_state
from locomotor.typing import Floats

SHORTEST = 1.0 / 256.0


@dataclass
class _Node:
    """Start of a segment after the first."""

    time: float
    mode: Mode
    state: Floats


def multiple_shooting(
    here: PoincareMap,
    unknowns: Floats,
    count: int,
    starts: Sequence[Mapping[str, float]],
    tolerance: float,
    iterations: int,
) -> tuple[Floats, int]:
    """Newton's method on all segments together: the unknowns, and the number of steps.

    As in single shooting, sizes are those at the start, and a search that is led too far away from there ends.
    """
    if here.passages > 1 and not here.by_clock:
        raise SectionError("multiple shooting goes from one event to the next; take periods=1, or multiple=1")
    nodes = _first_nodes(here, unknowns, count, starts)
    reach = Yardstick(unknowns)
    inner = [np.full(_tangent_size(node), np.abs(node.state).max(initial=0.0)) for node in nodes]
    yardstick = Yardstick(np.concatenate([*inner, unknowns]))
    shot = _shoot(here, unknowns, nodes)
    used = 0
    while shot is not None and used < iterations and reach.within(here.difference(unknowns, reach.origin)):
        misses, slopes = shot
        size = float(yardstick.size(misses))
        if size <= 0.01 * tolerance:
            break
        step = np.asarray(np.linalg.lstsq(slopes, -misses, rcond=1e-14)[0], dtype=np.float64)
        share, better = 1.0, None
        while share >= SHORTEST:
            tried = _moved(here, unknowns, nodes, share * step)
            better = _shoot(here, *tried)
            if better is not None and yardstick.size(better[0]) < (1.0 - 1e-3 * share) * size:
                break
            share, better = 0.5 * share, None
        if better is None:
            break
        (unknowns, nodes), shot, used = tried, better, used + 1
    return unknowns, used


def _first_nodes(here: PoincareMap, unknowns: Floats, count: int, starts: Sequence[Mapping[str, float]]) -> list[_Node]:
    """Nodes on the motion from the first start, or at starts of their own."""
    p = here.parameters
    state = here.place(unknowns[None], p[None]).states
    if here.by_clock:
        length = here.passages * here.period(p)
    else:
        passage = here.passage(state, p[None], tangent=False)
        if not passage.good[0]:
            raise SectionError(f"multiple shooting needs a first passage of the section: {passage.trouble}; give another guess")
        length = float(passage.times[0]) - here.start_time
    nodes: list[_Node] = []
    mode, time = here.mode, here.start_time
    for k in range(1, count):
        end = here.start_time + k * length / count
        moved = _go(here, mode, time, end, state[0], p, tangent=False)
        mode, time, state = moved.mode, end, moved.states
        if len(starts) > 1:
            state = starting_state(mode.compiled.traced, starts[k], time=end, parameters=p)[None]
        nodes.append(_Node(end, mode, state[0]))
    return nodes


def _go(here: PoincareMap, mode: Mode, time: float, end: float, state: Floats, p: Floats, *, tangent: bool) -> Passage:
    return here.flow.go(mode, time, end, state[None], p[None], tangent=tangent)


def _last(here: PoincareMap, node: _Node, p: Floats) -> Passage:
    """The last segment: to the section."""
    if here.by_clock:
        return _go(here, node.mode, node.time, here.start_time + here.passages * here.period(p), node.state, p, tangent=True)
    end = node.time + here.longest
    return here.flow.go(node.mode, node.time, end, node.state[None], p[None], here.section, tangent=True)


def _shoot(here: PoincareMap, unknowns: Floats, nodes: list[_Node]) -> tuple[Floats, Floats] | None:
    """What does not close yet, and its derivative by all unknowns; None if a segment fails or changes mode."""
    p = here.parameters
    place = here.place(unknowns[None], p[None])
    n = len(unknowns)
    sizes = [n, *(_tangent_size(node) for node in nodes)]
    at = np.concatenate([[0], np.cumsum(sizes)])
    slopes, misses = np.zeros((at[-1], at[-1])), np.zeros(at[-1])
    start, by = _Node(here.start_time, here.mode, place.states[0]), place.slopes[0]
    for k, node in enumerate(nodes):
        moved = _go(here, start.mode, start.time, node.time, start.state, p, tangent=True)
        if not moved.good[0] or moved.mode.closed != node.mode.closed or moved.tangents is None:
            return None
        rows = slice(at[k + 1] - n, at[k + 2] - n)
        misses[rows] = _deviation(node.mode, node.state, moved.states[0])
        slopes[rows, at[k] : at[k + 1]] = moved.tangents[0] @ by
        slopes[rows, at[k + 1] : at[k + 2]] = -np.eye(sizes[k + 1])
        start, by = node, np.eye(sizes[k + 1])
    end = _last(here, start, p)
    if not end.good[0] or end.tangents is None:
        return None
    named, _ = here.naming.read(end.mode, end.times, end.states, p[None])
    values, value_by = here.map_back(named.values, named.slopes, p[None])
    rows = slice(at[-1] - n, at[-1])
    misses[rows] = here.difference(values, unknowns[None])[0]
    slopes[rows, at[-2] : at[-1]] = value_by[0] @ end.tangents[0] @ by
    slopes[rows, :n] -= np.eye(n)
    return (misses, slopes) if np.isfinite(slopes).all() else None


def _tangent_size(node: _Node) -> int:
    return node.mode.compiled.traced.manifold.tangent_size


def _deviation(mode: Mode, origin: Floats, state: Floats) -> Floats:
    """Tangent vector at `origin` that leads to `state`, to first order for quaternions."""
    manifold = mode.compiled.traced.manifold
    found = np.zeros(manifold.tangent_size)
    for turning, x, d in manifold.slices():
        if turning:
            w, i, j, k = origin[x]
            basis = np.array([[-i, -j, -k], [w, -k, j], [k, w, -i], [-j, i, w]])
            found[d] = 2.0 * basis.T @ (state[x] * np.sign(origin[x] @ state[x]))
        else:
            found[d] = state[x] - origin[x]
    return found


def _moved(here: PoincareMap, unknowns: Floats, nodes: list[_Node], step: Floats) -> tuple[Floats, list[_Node]]:
    """Unknowns and nodes after a step."""
    at = len(unknowns)
    moved = []
    for node in nodes:
        manifold = node.mode.compiled.traced.manifold
        delta = step[at : at + manifold.tangent_size]
        state = manifold.normalise(manifold.retract(node.state[None], delta[None]))[0]
        moved.append(_Node(node.time, node.mode, state))
        at += manifold.tangent_size
    return unknowns + step[: len(unknowns)], moved
