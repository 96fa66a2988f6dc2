"""Small contact problems, ours in machine code against Siconos at the same residual: `python benchmarks/complementarity.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from measure import interleave, sampler
from peer_pinocchio import UnavailableError
from peer_siconos import Floats, Siconos
from report import Figure, Topic, at_most, missing, seconds, small, text

from locomotor.codegen import contact_forces, linear_complementarity
from locomotor.complementarity.friction.problem import Problem, measure

COUNT = 100
"""Problems of a set."""
RESIDUAL = 1e-9
"""Relative residual that both have to reach, measured by one function."""
TOLERANCES = tuple(10.0**-k for k in range(6, 15))
"""Of Siconos, which measures otherwise: the loosest that reaches the residual is taken."""
ROUNDS = 7
TILED = 20
"""Times that ours are repeated in one call: no call is counted, ours or theirs."""
LOST = 0.05
"""Part of the time of a call below which what a solver takes beside it is not told from noise."""


def body(contacts: int, ground: float, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """A rigid body that strikes level ground (and with a chance of 1 - `ground` a wall) at so many points."""
    rows = []
    for _ in range(contacts):
        x, y, z = rng.normal(size=3)
        frame = np.eye(3)[[2, 0, 1]] if rng.random() < ground else np.linalg.qr(rng.normal(size=(3, 3)))[0]
        rows.append(frame @ np.array([[1.0, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x], [0, 0, 1, y, -x, 0]]))
    H = np.vstack(rows)
    inertia = np.concatenate([np.ones(3), rng.uniform(0.1, 2.0, size=3)])
    v = rng.normal(size=6) + np.array([0, 0, -1.5, 0, 0, 0])
    return (H / inertia) @ H.T, H @ v, rng.uniform(0.1, 1.0, size=contacts)


def box(rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """A box on level ground at its four corners, pushed and turned."""
    size = rng.uniform(0.5, 1.5, size=3)
    rows = []
    for x, y in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
        a, b, c = x * size[0], y * size[1], -size[2]
        rows.append(np.array([[0, 0, 1.0, b, -a, 0], [1, 0, 0, 0, c, -b], [0, 1, 0, -c, 0, a]]))
    H = np.vstack(rows)
    moments = np.array([size[1] ** 2 + size[2] ** 2, size[0] ** 2 + size[2] ** 2, size[0] ** 2 + size[1] ** 2]) / 3.0
    v = np.concatenate([rng.normal(size=2), [-1.0], 0.5 * rng.normal(size=3)])
    return (H / np.concatenate([np.ones(3), moments])) @ H.T, H @ v, np.full(4, rng.uniform(0.2, 0.8))


SETS: dict[str, Callable[[np.random.Generator], tuple[Floats, Floats, Floats]]] = {
    "1 contact": partial(body, 1, 1.0),
    "2 contacts": partial(body, 2, 0.7),
    "a box, 4 contacts": box,
    "4 contacts": partial(body, 4, 0.7),
    "8 contacts": partial(body, 8, 0.7),
}


def residuals(problems: tuple[Floats, ...], forces: Floats) -> Floats:
    """Of every problem, by our measure."""
    return np.array([measure(Problem(*parts), r)[1] for *parts, r in zip(*problems, forces, strict=True)])


def friction(peer: Siconos, name: str, make: Callable[[np.random.Generator], tuple[Floats, Floats, Floats]]) -> Figure:
    """Time a problem of ours over that of Siconos, the faster of its solvers that reaches the residual."""
    rng = np.random.default_rng(1)
    W, q, mu = (np.array(part) for part in zip(*(make(rng) for _ in range(COUNT)), strict=True))
    peer.load(name, (W, q, mu))
    open_q = np.abs(q) + 1.0  # all contacts open: what a call of Siconos costs by itself
    peer.load("open", (W, open_q, mu))
    candidates: dict[str, Callable[[], float]] = {}
    failures: dict[str, tuple[float, float]] = {}
    for solver in ("nsgs", "newton"):
        for tolerance in TOLERANCES:
            forces, _ = peer.solve(name, solver, tolerance)
            bad = residuals((W, q, mu), forces) > RESIDUAL
            if solver not in failures or bad.mean() < failures[solver][0]:
                failures[solver] = (float(bad.mean()), tolerance)
            if not bad.any():
                break
        candidates[solver] = partial(_timed, peer, name, solver, failures[solver][1])
    ours = contact_forces(W, q, mu, tolerance=RESIDUAL)
    lost = float((residuals((W, q, mu), ours.solution) > RESIDUAL).mean())
    many = [np.tile(part, (TILED,) + (1,) * (part.ndim - 1)) for part in (W, q, mu)]
    timings = interleave(
        {
            "ours": sampler(lambda: contact_forces(*many, tolerance=RESIDUAL), COUNT * TILED),
            "call": lambda: peer.solve("open", "nsgs", 1e-8, 0.01)[1],
            **candidates,
        },
        rounds=ROUNDS,
    )
    call = timings["call"].median
    nets = {solver: max(timings[solver].median - call, LOST * call) for solver in candidates}
    # A solver that leaves problems unsolved does not count, unless all do.
    best = min(nets, key=lambda solver: (failures[solver][0], nets[solver]))
    words = ", ".join(f"{solver} {seconds(nets[solver])} ({failures[solver][0]:.0%} not reached)" for solver in nets)
    ours_takes = f"ours {seconds(timings['ours'].median)} ({lost:.0%} not reached)"
    note = f"{ours_takes}; Siconos {words}; its call of {seconds(call)} not counted"
    return at_most(f"{name}, over Siconos ({best})", timings["ours"].median / nets[best], 1.0, note)


def _timed(peer: Siconos, name: str, solver: str, tolerance: float) -> float:
    return peer.solve(name, solver, tolerance, 0.03)[1]


def linear(peer: Siconos, n: int) -> Figure:
    """Lexicographic Lemke of both."""
    rng = np.random.default_rng(2)
    roots = rng.normal(size=(COUNT, n, n))
    M, q = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(n), rng.normal(size=(COUNT, n))
    peer.load(f"lcp {n}", (M, q))
    peer.load("open", (M, np.abs(q)))
    theirs, _ = peer.solve(f"lcp {n}", "lemke")
    many = [np.tile(part, (TILED,) + (1,) * (part.ndim - 1)) for part in (M, q)]
    apart = np.abs(theirs - linear_complementarity(M, q).solution).max()
    timings = interleave(
        {
            "ours": sampler(lambda: linear_complementarity(*many), COUNT * TILED),
            "theirs": lambda: peer.solve(f"lcp {n}", "lemke", seconds=0.03)[1],
            "call": lambda: peer.solve("open", "lemke", seconds=0.01)[1],
        },
        rounds=ROUNDS,
    )
    what, ours, call = f"Lemke, {n} rows, over Siconos", timings["ours"].median, timings["call"].median
    net = timings["theirs"].median - call
    if net < LOST * call:
        return missing(what, "≤ 1", f"ours {seconds(ours)}; Siconos' own time is lost in that of its call, {seconds(call)}")
    return at_most(
        what, ours / net, 1.0, f"ours {seconds(ours)}, Siconos {seconds(net)} without its call; apart by {small(apart)}"
    )


def topic() -> Topic:
    """Measure."""
    about = f"Time a problem, in sets of {COUNT}, all solved to a relative residual of {RESIDUAL:g} measured by one function."
    try:
        peer = Siconos()
    except UnavailableError as error:
        return Topic("Contact problems", about, tuple(missing(f"{name}, over Siconos", "≤ 1", error) for name in SETS))
    try:
        figures = [friction(peer, name, make) for name, make in SETS.items()]
        figures += [linear(peer, n) for n in (4, 12, 24)]
    finally:
        peer.close()
    return Topic("Contact problems", about, tuple(figures))


if __name__ == "__main__":
    print(text(topic()))
