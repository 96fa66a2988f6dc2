"""Batches whose explicit steps are beyond the limit of stability: refused, or told of the instances that it has spoilt.

What all instances share is refused, as impossible parameters are: steps that some of the states, spread over the batch, do not
survive, each of them. Where parameters are an instance's own, its status and its reason tell it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from locomotor.codegen import Roller, Rollout
from locomotor.codegen.cuda import to_host
from locomotor.dataclass import dataclass
from locomotor.errors import UnstableStepError
from locomotor.lie import Manifold
from locomotor.simulation.step_limit import NUDGE, Beginning, Motions, advancing
from locomotor.simulation.stiffness import own_motions, stiffness_of
from locomotor.tracing import TracedSystem
from locomotor.typing import Floats, Vector

LOOKED_AT = 4
"""Instances that are looked at."""
WORTH = 20
"""Steps of a batch for each step that looking at one of its instances takes: less work is not worth a look."""
SINGLE = 3e-3
"""How far states nearby are on a device that computes in single precision."""

Judge = Callable[[Beginning, Motions], None]
"""What refuses steps that begin somewhere: `check_step` or `check_map`, with a method and its words."""


@dataclass(frozen=True, eq=False)
class Rolled:
    """A roll-out that is asked for."""

    traced: TracedSystem
    manifold: Manifold
    """Of the numbers of a state that move; others may stand behind them."""
    roller: Roller
    states: Any
    steps: Any
    dt: float
    inputs: Any
    parameters: Any
    stepper: Any
    start_time: float

    @property
    def is_shared(self) -> bool:
        """Whether all instances have the same parameters."""
        shape = np.shape(self.parameters)
        return len(shape) < 2 or shape[0] == 1 or shape[-1] == 0

    @property
    def _rows(self) -> Sequence[int]:
        """Instances worth looking at, spread over the batch; none of what has a wrong shape, which is told elsewhere."""
        shape, n = np.shape(self.states), self.manifold.tangent_size
        _, x, u, p = self.roller.dynamics.inputs[:4]
        sound = n > 0 and _fits(self.states, x.size) and _fits(self.parameters, p.size)
        sound = sound and (self.inputs is None or _fits(self.inputs, u.size, 3))
        if not sound or not isinstance(self.steps, int | np.integer) or not self.dt > 0.0:
            return ()
        batch = shape[0] if len(shape) == 2 else 1
        worth = int(batch * self.steps / (WORTH * (n + 1)))
        return np.unique(np.linspace(0, batch - 1, min(worth, batch, LOOKED_AT)).astype(int)).tolist() if worth else ()

    def _row(self, values: Any, k: int) -> Vector:
        """The states or inputs of an instance where it begins."""
        given = values if hasattr(values, "shape") else np.asarray(values)
        several = len(np.shape(self.states)) == 2
        if len(given.shape) == 3:
            given = given[k % given.shape[0], 0]
        elif len(given.shape) == 2:
            given = given[k % given.shape[0]] if several else given[0]
        return np.asarray(to_host(given), dtype=float)

    def begin(self, k: int) -> tuple[Beginning, Motions]:
        """Where an instance begins, and how it moves by itself there."""
        x = self._row(self.states, k)
        size, port = self.manifold.size, self.roller.dynamics.inputs[2].size
        u = np.zeros(port) if self.inputs is None else self._row(self.inputs, k)
        p = np.asarray(to_host(self.parameters), dtype=float)
        p = p if p.ndim == 1 else p[k % len(p)]
        options: dict[str, Any] = {"inputs": u, "parameters": p, "save_every": 0, "start_time": self.start_time}

        def run(moving: Floats, steps: int, h: float, stepper: str) -> Rollout:
            behind = np.broadcast_to(x[size:], (*moving.shape[:-1], len(x) - size))
            result = self.roller.run(np.concatenate([moving, behind], axis=-1), steps, h, stepper=stepper, **options)
            return Rollout(result.times, None, result.final[..., :size], None, result.status, result.completed, result.monitor)

        single = getattr(self.roller, "precision", "float64") == "float32"
        advance = advancing(run, self.roller.operations, wide=self.roller.target in ("cuda", "simd"))
        begin = Beginning(x[:size], self.manifold, advance, int(self.steps), self.dt, self.stepper, SINGLE if single else NUDGE)
        return begin, partial(own_motions, self.traced, self.start_time, x[: self.traced.state_port.size], u, p)

    def check(self, judge: Judge) -> None:
        """Refuse steps that none of the instances looked at survives."""
        error: UnstableStepError | None = None
        for k in self._rows if self.is_shared else ():
            try:
                judge(*self.begin(k))
                return
            except UnstableStepError as found:
                error = found if error is None or found.longest < error.longest else error
        if error is not None:
            raise error

    @property
    def words(self) -> Callable[[int], str]:
        """Words for an instance that has become infinite: the limit, where its step was beyond it."""

        def why(i: int) -> str:
            seen = stiffness_of(self.begin(i)[1]()[0], self.stepper)
            return f"; {seen.words}" if self.dt > seen.longest else ""

        return why


def _fits(values: Any, size: int, most: int = 2) -> bool:
    """Whether an array has from one to so many axes, the last of this size, and an entry along each of the others."""
    shape = np.shape(values)
    return 1 <= len(shape) <= most and shape[-1] == size and 0 not in shape[:-1]
