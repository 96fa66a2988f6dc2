"""MuJoCo's two engines for a GPU as peers: MJX (on JAX) and MuJoCo Warp, on the bicycle of `peer_mujoco.py`.

Both engines run on the processor too where that is all they find, which is no comparison: `anywhere` allows it, for tests.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from peer_mujoco import Floats, Vehicle
from peer_pinocchio import UnavailableError
from peer_warp import Worlds
from report import Figure, seconds, small
from ride import DURATION, bicycle, states

STEP = 0.005
REPEATS = 3


@dataclass(frozen=True)
class Peer:
    """A batch of bicycles in another engine."""

    run: Callable[[int], Floats]
    """So many steps from the start; positions (batch, 3) at the end, on the host when it returns."""
    device: str


def vehicle() -> tuple[Vehicle, Floats]:
    """The bicycle in MuJoCo, and where it is after the ride."""
    _, q, v = states(2)
    return Vehicle(bicycle().system, STEP, q[0], v[0]), q[-1, :3]


def mjx(batch: int) -> Peer:
    """Bicycles in MJX, float32, all steps within one compiled loop."""
    try:
        import jax
        from mujoco import mjx as engine
    except ImportError as error:
        raise UnavailableError(f"MJX cannot be imported ({error})") from error
    made, _ = vehicle()
    model = engine.put_model(made.model, impl="jax")
    single = engine.put_data(made.model, made.data, impl="jax")
    many = jax.tree_util.tree_map(lambda leaf: jax.numpy.repeat(leaf[None], batch, axis=0), single)
    advance = jax.vmap(lambda data: engine.step(model, data))
    loop = jax.jit(lambda data, steps: jax.lax.fori_loop(0, steps, lambda _, d: advance(d), data))

    def run(steps: int) -> Floats:
        return np.asarray(loop(many, steps).qpos[:, :3], dtype=float)

    return Peer(run, str(jax.devices()[0]))


def warp(batch: int) -> Peer:
    """Bicycles in MuJoCo Warp, float32; on a GPU the launches of some steps are recorded and replayed."""
    made, _ = vehicle()
    worlds = Worlds(made.model, made.data, batch, contacts=8, rows=32)
    return Peer(lambda steps: worlds.run(steps)[:, :3], worlds.device)


def figures(
    name: str, make: Callable[[int], Peer], batches: tuple[int, ...], steps: int, limit: float, anywhere: bool = False
) -> list[Figure]:
    """Rates by batch while time is left (s), with the error of the ride from the first batch."""
    began, rates, built, error, device = time.perf_counter(), {}, [0.0], float("nan"), ""
    _, place = vehicle()
    for batch in batches:
        if time.perf_counter() - began + 1.5 * max(built) > limit:
            break
        begin = time.perf_counter()
        peer = make(batch)
        if "cpu" in peer.device.lower() and not anywhere:
            raise UnavailableError(f"{name} finds no GPU, only {peer.device}")
        peer.run(steps)
        built.append(time.perf_counter() - begin)
        taken = []
        for _ in range(REPEATS):
            begin = time.perf_counter()
            peer.run(steps)
            taken.append(time.perf_counter() - begin)
        rates[batch] = batch * steps / statistics.median(taken)
        if not device:
            device, whole = peer.device, round(DURATION / STEP)
            error = float(np.linalg.norm(peer.run(whole)[0] - place))
    best = max(rates, key=lambda batch: rates[batch])
    others = ", ".join(f"{batch:,}: {value / 1e6:.3g}" for batch, value in rates.items())
    note = (
        f"float32, default settings (Euler), the wheels ellipsoids on a plane as for MuJoCo; million steps a second by batch: "
        f"{others}; {steps} steps of {STEP:g} s; first call {seconds(max(built))}; position after {DURATION:g} s wrong by "
        f"{small(error)} m; on {device}"
    )
    return [Figure(f"{name}, bicycle: billion steps a second (batch of {best:,})", f"{rates[best] / 1e9:.3g}", note=note)]


def mjx_figures(limit: float = 100.0) -> list[Figure]:
    """MJX within a time limit."""
    return figures("MJX", mjx, (32768, 4096, 65536), 100, limit)


def warp_figures(limit: float = 60.0) -> list[Figure]:
    """MuJoCo Warp within a time limit."""
    return figures("MuJoCo Warp", warp, (32768, 4096, 65536), 100, limit)
