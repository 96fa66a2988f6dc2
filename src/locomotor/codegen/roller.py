"""What takes compiled steps, whatever it runs on."""

from __future__ import annotations

from typing import Any, Protocol

from locomotor.codegen.host import Law
from locomotor.codegen.implicit import Implicit
from locomotor.codegen.program import BreaksOf, Program
from locomotor.codegen.rollout import Rollout
from locomotor.tracing.core import Traced


class Roller(Protocol):
    """Roll-outs of one program: `RolloutKernel` on the processor, `cuda.CudaRolloutKernel` on a device."""

    program: Program
    dynamics: Traced
    target: str
    lanes: int
    """Instances taken at once by one thread."""
    operations: int
    """Arithmetic operations of the dynamics, or of one step."""

    def run(
        self,
        states: Any,
        steps: int,
        dt: float,
        inputs: Any = None,
        parameters: Any = None,
        save_every: int = 1,
        stepper: str | Implicit = "rk4",
        threads: int = 1,
        start_time: float = 0.0,
        feedback: Any = None,
        sample: str = "step",
        law: Law | None = None,
        breaks: BreaksOf | None = None,
    ) -> Rollout:
        """Steps of a length from a state, or from many; see `RolloutKernel.run`."""
