"""Instantaneous changes: from one mode to another, with or without an impact, and their exact derivatives.

A deviation dx before an event, whose instant moves by dt = -(e_x dx) / (e_t + e_x f-) because the event function
e(t, x) must vanish, becomes

    dx+ = R_x (dx + f- dt) + R_t dt - f+ dt          (the saltation matrix),

where x+ = R(t, x-) is the jump and f-, f+ are the rates around it. R_x comes from the equations of the impact, differentiated
(Aizerman and Gantmacher 1958; Leine and Nijmeijer 2004, section 7).
"""

import numpy as np

from locomotor.analysis.cycles.kernels import Kernels, Read, Restitution
from locomotor.dataclass import dataclass
from locomotor.simulation.events import Mode
from locomotor.typing import Floats

RANK = 1e-12


@dataclass(frozen=True)
class Blow:
    """An impact: the contacts that take part, held ones included, and their (normal, tangential) restitution."""

    contacts: tuple[str, ...]
    restitution: Restitution


def transfer(
    kernels: Kernels, old: Mode, new: Mode, blow: Blow | None, times: Floats, states: Floats, parameters: Floats
) -> tuple[Floats, Floats, Floats]:
    """States in the new mode, derivatives by (deviation, time) as square matrices with a last row (0, ..., 0, 1), and by p."""
    traced = new.compiled.traced
    seen = kernels.read(old, times, states, parameters)
    v, v_by = seen["velocities"], _columns(seen, "velocities")
    if blow is not None and blow.contacts:
        v, v_by = _struck(kernels, blow, seen, parameters)
    n = seen["velocities_by"].shape[2]
    v_by, v_by_p = v_by[:, :, :n], v_by[:, :, n:]
    free = list(traced.reduction.free)
    old_free = len(old.free)
    own = states[:, old.compiled.traced.nq + old_free :]
    after = np.hstack([states[:, : traced.nq], v[:, free], own])
    n_q, n_old, n_new = kernels.coordinate_size(new), kernels.tangent_size(old), kernels.tangent_size(new)
    slopes = np.zeros((len(states), n_new + 1, n_old + 1))
    slopes[:, range(n_q), range(n_q)] = 1.0
    slopes[:, n_q : n_q + len(free)] = v_by[:, free]
    for k in range(own.shape[1] + 1):  # the controller's states, and time
        slopes[:, n_q + len(free) + k, n_q + old_free + k] = 1.0
    by_p = np.zeros((len(states), n_new, v_by_p.shape[2]))
    by_p[:, n_q : n_q + len(free)] = v_by_p[:, free]
    return after, slopes, by_p


def _columns(seen: Read, kind: str) -> Floats:
    """Derivatives by (deviation, time) and, behind them, by the free parameters."""
    by = seen[f"{kind}_by"]
    return np.concatenate([by, seen[f"{kind}_by_p"]], axis=2) if f"{kind}_by_p" in seen else by


def _struck(kernels: Kernels, blow: Blow, seen: Read, parameters: Floats) -> tuple[Floats, Floats]:
    """Velocities after an impact and their derivatives by (deviation, time, free parameters).

    Both equations, M (v+ - v-) = C^T L and C v+ = -E C v-, are solved along and across the rows of C: with a basis N of what
    these leave, N^T M (v+ - v-) = 0 needs no impulse, and no light body is divided by on the way to one that is heavy.
    """
    q, v = seen["coordinates"], seen["velocities"]
    found = kernels.impact(blow.contacts, blow.restitution, q, v, v, None, parameters)
    M, C, EC = found["mass"], found["rows"], found["restored"]
    split = _Split(M, C)
    after = split.solve(-_apply(EC, v)[:, :, None], _apply(M, v)[:, :, None])[:, :, 0]
    impulses = split.impulses(_apply(M, after - v))
    found = kernels.impact(blow.contacts, blow.restitution, q, v, after, impulses, parameters)
    q_by, v_by = _columns(seen, "coordinates"), _columns(seen, "velocities")
    balance = M @ v_by - found["balance_by"] @ q_by
    closing = -(EC @ v_by) - found["closing_by"] @ q_by
    if "balance_by_p" in found:
        k = found["balance_by_p"].shape[2]
        balance[:, :, -k:] -= found["balance_by_p"]
        closing[:, :, -k:] -= found["closing_by_p"]
    return after, split.solve(closing, balance)


class _Split:
    """Solves C x = c with N^T M x = N^T b over a batch, N a basis of the kernel of C; rows of C may depend on each other."""

    def __init__(self, M: Floats, C: Floats) -> None:
        left, sizes, right = np.linalg.svd(C)
        ranks = (sizes > RANK * sizes[:, :1]).sum(axis=1)
        self._shape = C.shape
        self._parts = []
        for rank in np.unique(ranks).tolist():
            rows = np.flatnonzero(ranks == rank)
            across, along = right[rows, :rank], right[rows, rank:]
            self._parts.append((rows, left[rows, :, :rank], sizes[rows, :rank], across, along, M[rows]))

    def solve(self, c: Floats, b: Floats) -> Floats:
        """x for right sides (batch, rows, columns) and (batch, velocities, columns)."""
        found = np.zeros((len(b), self._shape[2], b.shape[2]))
        for rows, left, sizes, across, along, M in self._parts:
            x = across.swapaxes(1, 2) @ ((left.swapaxes(1, 2) @ c[rows]) / sizes[:, :, None])
            if along.shape[1]:
                reduced = along @ M @ along.swapaxes(1, 2)
                x = x + along.swapaxes(1, 2) @ np.linalg.solve(reduced, along @ (b[rows] - M @ x))
            found[rows] = x
        return found

    def impulses(self, change: Floats) -> Floats:
        """The smallest L with C^T L = M (v+ - v-): rows that depend on each other (both grips of a body) share it."""
        found = np.zeros(self._shape[:2])
        for rows, left, sizes, across, _, _ in self._parts:
            found[rows] = _apply(left, _apply(across, change[rows]) / sizes)
        return found


def _apply(matrices: Floats, vectors: Floats) -> Floats:
    return np.einsum("bij,bj->bi", matrices, vectors)


def instant_slope(event_by: Floats, rate: Floats) -> Floats:
    """Derivative of the instant of an event by the deviation, from (e_x, e_t) and the rate before it."""
    e_x, e_t = event_by[:-1], float(event_by[-1])
    with np.errstate(divide="ignore", invalid="ignore"):  # a contact that grazes has no derivative: not a number
        return np.asarray(-e_x / (e_t + e_x @ rate))


def saltation(jump: Floats, event_by: Floats | None, before: Floats, after: Floats | None) -> Floats:
    """Matrix that takes deviations before an event to those after it; at the event itself if `after` is None.

    `jump` is the derivative of `transfer`, `before` and `after` are the rates around the event; `event_by` is None for
    an event at a given time.
    """
    R_x, R_t = jump[:-1, :-1], jump[:-1, -1]
    if event_by is None:
        return R_x
    moved = R_x @ before + R_t - (0.0 if after is None else after)
    with np.errstate(invalid="ignore"):
        return np.asarray(R_x + np.outer(moved, instant_slope(event_by, before)))


def jump_by_parameters(
    jump: Floats, jump_p: Floats, event: tuple[Floats, Floats] | None, before: Floats, after: Floats | None
) -> Floats:
    """What a growth of the parameters adds at an event: the jump's own derivative, and the shift of its instant.

    `event` holds the derivatives of the event function by (deviation, time) and by the parameters; the rest as in `saltation`,
    whose matrix takes the deviations that there are already.
    """
    if event is None:
        return jump_p
    e_x, e_t = event[0][:-1], float(event[0][-1])
    moved = jump[:-1, :-1] @ before + jump[:-1, -1] - (0.0 if after is None else after)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(jump_p + np.outer(moved, -event[1] / (e_t + e_x @ before)))
