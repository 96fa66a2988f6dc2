"""The back end of machines without a compiler: batches line by line with numpy, single instances with CasADi."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.codegen.operations import OPERATIONS
from locomotor.tracing.core import Tape, Traced
from locomotor.typing import Floats

SMALL_BATCH = 128
"""Below this many instances CasADi's virtual machine, one instance at a time, beats one numpy call a line: the function itself
takes it far less than a call does. Of short functions half as many instances as operations are enough for numpy."""


class Interpreter:
    """Evaluator of a traced function without compiled code."""

    def __init__(self, traced: Traced) -> None:
        self._traced = traced
        self._tape: TapeInterpreter | None = None

    def __call__(self, inputs: Sequence[Floats], batch: int) -> tuple[Floats, ...]:
        """Outputs as (batch, size) arrays for inputs of shape (size,) or (batch, size)."""
        if self._traced.calls or batch < min(SMALL_BATCH, self._traced.operations // 2):
            return self._traced.evaluate(inputs, batch)
        if self._tape is None:
            self._tape = TapeInterpreter(self._traced.tape)
        return self._tape(inputs, batch)


class TapeInterpreter:
    """Evaluates a tape for a whole batch at once: each line is one numpy call on an array with one entry an instance.

    Arrays are dropped after their last use, so that the memory needed is that of the values alive at once.
    """

    def __init__(self, tape: Tape) -> None:
        last_use: dict[int, int] = {}
        for line, instruction in enumerate(tape.instructions):
            if instruction.op != "input":
                for operand in instruction.args:
                    last_use[operand] = line
        for port in tape.outputs:
            for line in port:
                last_use.pop(line, None)
        self._outputs = tape.outputs
        self._steps: list[tuple[Any, tuple[int, ...], float, tuple[int, ...]]] = []
        dying: dict[int, list[int]] = {}
        for operand, line in last_use.items():
            dying.setdefault(line, []).append(operand)
        for line, instruction in enumerate(tape.instructions):
            function = None if instruction.op in ("input", "const") else OPERATIONS[instruction.op].numpy
            kind = instruction.op if function is None else function
            self._steps.append((kind, instruction.args, instruction.value, tuple(dying.get(line, ()))))

    def __call__(self, inputs: Sequence[Floats], batch: int) -> tuple[Floats, ...]:
        """Outputs as (batch, size) arrays for inputs of shape (size,) or (batch, size)."""
        values: list[Any] = [None] * len(self._steps)
        with np.errstate(all="ignore"):
            for line, (kind, args, constant, dying) in enumerate(self._steps):
                if kind == "input":
                    values[line] = inputs[args[0]][..., args[1]]
                elif kind == "const":
                    values[line] = constant
                else:
                    values[line] = kind(*[values[a] for a in args])
                for operand in dying:
                    values[operand] = None
        results = []
        for port in self._outputs:
            result = np.empty((batch, len(port)))
            for index, line in enumerate(port):
                result[:, index] = values[line]
            results.append(result)
        return tuple(results)
