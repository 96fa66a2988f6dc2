"""MuJoCo Warp as a peer: many worlds of one model, and its own humanoid from the states that ours begins with."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peer_mujoco import Floats, engine
from peer_pinocchio import UnavailableError

RECORDED = 20
"""Steps whose launches are recorded on a GPU, and replayed as one."""
CONTACTS, ROWS = 24, 64
"""Contacts and rows of constraints a world has room for: those of its own benchmark of the humanoid."""


def modules() -> tuple[Any, Any]:
    """`mujoco_warp` and `warp`."""
    try:
        import mujoco_warp  # type: ignore[import-not-found, unused-ignore]
        import warp  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise UnavailableError(f"MuJoCo Warp cannot be imported ({error})") from error
    return mujoco_warp, warp


class Worlds:
    """Worlds of a model of MuJoCo, float32; `run` begins anew from the states they were made with."""

    def __init__(
        self,
        model: Any,
        data: Any,
        batch: int,
        contacts: int,
        rows: int,
        q: NDArray[Any] | None = None,
        v: NDArray[Any] | None = None,
    ) -> None:
        self.mujoco, self.warp = modules()
        self.model = self.mujoco.put_model(model)
        self.data = self.mujoco.put_data(model, data, nworld=batch, nconmax=contacts, njmax=rows)
        self.model.opt.warn_overflow = 0  # words from within kernels take time
        if q is not None and v is not None:
            self.data.qpos.assign(np.ascontiguousarray(q, dtype=np.float32))
            self.data.qvel.assign(np.ascontiguousarray(v, dtype=np.float32))
        self.start = self.warp.clone(self.data.qpos), self.warp.clone(self.data.qvel)
        self.device = str(self.warp.get_device())
        self.mujoco.step(self.model, self.data)  # compiles
        self.graph: Any = None
        if self.warp.get_device().is_cuda:
            with self.warp.ScopedCapture() as capture:
                for _ in range(RECORDED):
                    self.mujoco.step(self.model, self.data)
            self.graph = capture.graph

    def run(self, steps: int) -> Floats:
        """So many steps from the start; positions of all worlds, on the host when it returns."""
        self.begin()
        self.advance(steps)
        return np.asarray(self.data.qpos.numpy(), dtype=float)

    def begin(self) -> None:
        """The states that the worlds were made with."""
        self.warp.copy(self.data.qpos, self.start[0])
        self.warp.copy(self.data.qvel, self.start[1])
        self.data.qacc_warmstart.zero_()

    def advance(self, steps: int) -> None:
        """Start so many steps; they may not be done yet."""
        for _ in range(steps // RECORDED if self.graph else 0):
            self.warp.capture_launch(self.graph)
        for _ in range(steps % RECORDED if self.graph else steps):
            self.mujoco.step(self.model, self.data)

    def seconds(self, steps: int, repeats: int) -> float:
        """Median time of so many steps from the start; the first call only warms up."""
        taken = []
        for _ in range(repeats + 1):
            self.begin()
            self.warp.synchronize()
            begin = time.perf_counter()
            self.advance(steps)
            self.warp.synchronize()
            taken.append(time.perf_counter() - begin)
        return statistics.median(taken[1:])


@dataclass(frozen=True)
class Rate:
    """What MuJoCo Warp makes from some states."""

    per_second: float
    contacts: float
    """Of a world, in the last of the steps."""
    full: int
    """Rows of constraints in the fullest world, of those there is room for."""
    device: str


def humanoid_rate(path: Path, states: Floats, steps: int, repeats: int, room: tuple[int, int] = (CONTACTS, ROWS)) -> Rate:
    """Steps a second of a file with one free base and hinges, from states in the order and axes of ours."""
    mujoco = engine()
    model = mujoco.MjModel.from_xml_path(str(path))
    q, v = as_mujoco(states, model.nq)
    worlds = Worlds(model, mujoco.MjData(model), len(states), *room, q, v)
    taken = worlds.seconds(steps, repeats)
    data = worlds.data
    contacts = float(data.nacon.numpy()[0]) / len(states)
    return Rate(len(states) * steps / taken, contacts, int(data.nefc.numpy().max()), worlds.device)


def as_mujoco(states: Floats, nq: int) -> tuple[Floats, Floats]:
    """Positions and velocities as MuJoCo has them: of the base's velocity it takes the linear part in axes of the world."""
    q, v = states[:, :nq], states[:, nq:].copy()
    w, a = q[:, 3:4], q[:, 4:7]
    linear = v[:, :3]
    across = np.cross(a, linear)
    v[:, :3] = linear + 2.0 * (w * across + np.cross(a, across))
    return q, v
