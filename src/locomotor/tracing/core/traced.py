"""A traced function: the narrow waist between mechanics and machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import casadi
import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks
from locomotor.checks import floats, text
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, ArgumentTypeError
from locomotor.tracing.core.columns import column, identifier
from locomotor.tracing.core.derivatives import jacobian_port
from locomotor.tracing.core.loops import Call, Recorder, numbered
from locomotor.tracing.core.signature import Port, describe
from locomotor.tracing.core.tape import Tape, tape_of
from locomotor.typing import Floats

SHORT = 1000
"""Operations up to which both ways to a derivative are tried."""


@checks.doors
@dataclass(frozen=True, eq=False)
class Traced:
    """Named function of named, described vectors, held as a CasADi function over SX column vectors.

    `traced(x, y)` evaluates it with CasADi (the reference of every back end); `traced.tape` is its straight-line code;
    `traced.jacobian("rate", "state")` is another `Traced`. Make one with `Traced.build`, or give a CasADi function.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    function: casadi.Function
    about: str = ""
    rolled: Rolled | None = None
    """The same with loops, where there are any, for compiled code."""
    sources: Any = None
    """Of `build_with_loops`: the ports and symbols, the ports and expressions, and the loops it was made of."""
    by_state: Callable[[], casadi.Function] | None = None
    """Makes the derivative of the first output by `state`, where that is known by a shorter way than differentiating it."""
    slopes: Callable[[Any], Any] | None = None
    """Makes the `Slopes` of the first output on a manifold, where calls of the runtime have no derivatives of their own."""
    asked_by: tuple[int, ...] = ()
    """Numbers of the last input: where all of them are zero the results are too, and need not be computed; none: always."""

    def __post_init__(self) -> None:
        """Check that the function has exactly the ports declared, as dense columns, and no free symbol."""
        function = self.function
        if self.rolled is None and not function.is_a("SXFunction"):
            raise ArgumentTypeError(f"{self.name}: a function over SX is needed, not {function.class_name()}; use .expand()")
        if function.has_free():
            raise ArgumentError(f"{self.name}: the symbols {function.get_free()} are neither inputs nor given values")
        declared = [("input", self.inputs, function.n_in(), function.sparsity_in)]
        declared.append(("output", self.outputs, function.n_out(), function.sparsity_out))
        for side, ports, count, sparsity in declared:
            if len(ports) != count:
                raise ArgumentError(f"{self.name}: {len(ports)} {side} ports declared, the function has {count}")
            names = [port.name for port in ports]
            if len(set(names)) != len(names):
                raise ArgumentError(f"{self.name}: the {side} ports {names} do not have distinct names")
            for index, port in enumerate(ports):
                pattern = sparsity(index)
                if pattern.size() != (port.size, 1) or not pattern.is_dense():
                    raise ArgumentError(
                        f"{self.name}: {side} {port.name!r} must be a dense ({port.size}, 1) column "
                        f"for its {port.size} fields, the function has {pattern.dim()}"
                    )

    @classmethod
    def build(
        cls,
        name: str,
        inputs: Sequence[tuple[Port, Any]],
        outputs: Sequence[tuple[Port, Any]],
        about: str = "",
    ) -> Traced:
        """Traced function from (port, SX symbols) and (port, expressions); matrices are stored row by row."""
        expressions = [column(expression) for _, expression in outputs]
        symbols = [column(symbol) for _, symbol in inputs]
        try:
            function = casadi.Function(identifier(name), symbols, expressions, {"allow_free": True})
        except RuntimeError as error:
            raise ArgumentError(f"{name}: CasADi cannot build this function: {error}") from error
        return cls(name, tuple(port for port, _ in inputs), tuple(port for port, _ in outputs), function, about)

    @classmethod
    def build_with_loops(
        cls,
        name: str,
        inputs: Sequence[tuple[Port, Any]],
        outputs: Sequence[tuple[Port, Any]],
        recorder: Recorder | None,
        about: str = "",
    ) -> Traced:
        """A `Traced` function of expressions that hold results of the loops in `recorder`; `sources` are then kept."""
        sources = (tuple(inputs), tuple(outputs), recorder)
        if recorder is None or not recorder.loops:
            return replace(cls.build(name, inputs, outputs, about), sources=sources)
        function = recorder.reference(name, [column(symbol) for _, symbol in inputs], [column(e) for _, e in outputs])
        results, starts = recorder.ports()
        whole = cls.build(name, [*inputs, *results], [*outputs, *starts], about)
        rounds = []
        for loop in recorder.loops:
            turns = []
            for turn in loop.turns:
                sizes = [(f"data_{k}", recorder.arrays[a].shape[0]) for k, a in enumerate(turn.arrays)]
                ports = [numbered(label, size) for label, size in (*sizes, ("carry", len(turn.places)))]
                body = cls(f"{name}_turn", tuple(ports), (numbered("following", len(turn.places)),), turn.body)
                turns.append(RoundTurn(body, turn.arrays, turn.places, turn.guarded))
            rounds.append(Round(tuple(turns), loop.size, loop.limit, loop.call))
        rolled = Rolled(whole, tuple(rounds), len(recorder.arrays))
        ports_in, ports_out = (tuple(port for port, _ in side) for side in (inputs, outputs))
        return cls(name, ports_in, ports_out, function, about, rolled, sources)

    # --- views -------------------------------------------------------------------------------------------------------

    @cached_property
    def tape(self) -> Tape:
        """Straight-line code after elimination of common subexpressions and dead code; loops are written out."""
        return tape_of(self.function if self.rolled is None else self.function.expand())

    @property
    def operations(self) -> int:
        """Number of arithmetic operations of the tape; each round of a loop counts once."""
        if self.rolled is None:
            return self.tape.operations
        turns = sum(turn.body.operations for loop in self.rolled.rounds for turn in loop.turns)
        return self.rolled.whole.operations + turns

    @property
    def calls(self) -> tuple[Call, ...]:
        """Functions of the runtime in it: they are in no tape, and have no derivatives."""
        rounds = () if self.rolled is None else self.rolled.rounds
        return tuple(loop.call for loop in rounds if loop.call is not None)

    @cached_property
    def differentiable(self) -> casadi.Function:
        """The function to take derivatives of: with loops only their usual rounds are written out."""
        if self.rolled is None:
            return self.function
        inputs, outputs, recorder = self.sources
        symbols, expressions = ([column(expression) for _, expression in side] for side in (inputs, outputs))
        return recorder.reference(self.name, symbols, expressions, usual=True)

    def describe(self) -> str:
        """What the function computes, and tables of its arguments and results with units."""
        title = f"{self.name}: {self.about}" if self.about else self.name
        tables = (describe(self.inputs, "Arguments"), describe(self.outputs, "Returns"))
        return "\n\n".join((title, *tables)) + f"\n\n{self.operations} arithmetic operations."

    def input(self, name: str) -> int:
        """Position of the input port called `name`."""
        return _position(self, "input", self.inputs, name)

    def output(self, name: str) -> int:
        """Position of the output port called `name`."""
        return _position(self, "output", self.outputs, name)

    def reads(self, name: str) -> bool:
        """Whether any result depends on the input port called `name`."""
        port = self.input(name)
        tape = self.tape if self.rolled is None else self.rolled.whole.tape
        return any(line.op == "input" and line.args[0] == port for line in tape.instructions)

    # --- use ---------------------------------------------------------------------------------------------------------

    def __call__(self, *arguments: ArrayLike) -> tuple[Floats, ...]:
        """Evaluate with CasADi's virtual machine; each argument is a vector, each result has its port's shape."""
        if len(arguments) != len(self.inputs):
            wanted = ", ".join(port.name for port in self.inputs)
            raise ArgumentTypeError(f"{self.name} takes {len(self.inputs)} arguments ({wanted}), {len(arguments)} given")
        columns = []
        for port, argument in zip(self.inputs, arguments, strict=True):
            vector = floats(argument, f"{self.name}: {port.name}")
            if vector.shape != (port.size,):
                raise ArgumentError(f"{self.name}: {port.name} must have shape ({port.size},), not {vector.shape}")
            columns.append(vector)
        results = self.evaluate(columns, 1)
        return tuple(result.reshape(port.shape) for port, result in zip(self.outputs, results, strict=True))

    def evaluate(self, inputs: Sequence[Floats], batch: int) -> tuple[Floats, ...]:
        """Outputs as (batch, size) arrays for float64 inputs of shape (size,) or (batch, size), one by one."""
        idle = self._idle
        try:
            kit = idle.pop()  # nobody else has it until it is put back
        except IndexError:
            kit = self._kit()
        _, trigger, arguments, results = kit
        for argument, array in zip(arguments, inputs, strict=True):
            if array.ndim == 1:
                argument[:] = array
        varying = [index for index, array in enumerate(inputs) if array.ndim == 2]
        outputs = tuple(np.empty((batch, port.size)) for port in self.outputs)
        for row in range(batch):
            for index in varying:
                arguments[index][:] = inputs[index][row]
            trigger()
            for output, result in zip(outputs, results, strict=True):
                output[row] = result
        idle.append(kit)
        return outputs

    @cached_property
    def _idle(self) -> list[tuple[Any, ...]]:
        """Numbers that calls which have ended have left for the next ones."""
        return []

    def _kit(self) -> tuple[Any, ...]:
        """What CasADi's virtual machine works on, its call, and the arguments and results in it."""
        buffer: Any
        buffer, trigger = self.function.buffer()
        arguments, results = ([np.zeros(port.size) for port in ports] for ports in (self.inputs, self.outputs))
        for index, argument in enumerate(arguments):
            if argument.size:
                buffer.set_arg(index, argument.data)
        for index, result in enumerate(results):
            if result.size:
                buffer.set_res(index, result.data)
        return buffer, trigger, arguments, results

    @cached_property
    def known_by_state(self) -> casadi.Function | None:
        """The shorter way; of a short function the shorter of both, for what is sparse shows only then."""
        if self.by_state is None:
            return None
        known, at = self.by_state(), self.input("state")
        if self.operations > SHORT:
            return known
        symbols = [casadi.SX.sym(f"a{index}", port.size) for index, port in enumerate(self.inputs)]
        plain = casadi.jacobian(self.differentiable.call(symbols)[0], symbols[at])
        shorter = casadi.n_nodes(casadi.cse(plain)) < casadi.n_nodes(casadi.cse(known.call(symbols)[0]))
        return casadi.Function("plain", symbols, [plain]) if shorter else known

    def jacobian(self, output: str, input: str) -> Traced:
        """Exact derivative of an output port by an input port: J[i, j] = d output_i / d input_j, of the same inputs."""
        row, entry = self.output(output), self.input(input)
        name = f"{self.name} d({output})/d({input})"
        port = jacobian_port(self.outputs[row], self.inputs[entry])
        symbols = [casadi.SX.sym(f"a{index}", each.size) for index, each in enumerate(self.inputs)]
        matrix = derivative_of(self, symbols, row, entry)
        function = casadi.Function(identifier(name), symbols, [column(matrix)])
        return Traced(name, self.inputs, (port,), function, f"Jacobian of {output} by {input}")


def derivative_of(traced: Traced, symbols: Sequence[casadi.SX], output: int, input: int) -> casadi.SX:
    """Derivative of an output by an input, as a matrix over symbols for the inputs; by the shorter way where one is known."""
    if traced.known_by_state is not None and output == 0 and traced.inputs[input].name == "state":
        return traced.known_by_state.call(list(symbols))[0]
    return casadi.jacobian(traced.differentiable.call(list(symbols))[output], symbols[input])


@dataclass(frozen=True, eq=False)
class RoundTurn:
    """A turn of a round: which arrays it reads, which of the numbers carried it changes, and whether it may be left out."""

    body: Traced
    arrays: tuple[int, ...]
    places: tuple[int, ...]
    guarded: bool


@dataclass(frozen=True, eq=False)
class Round:
    """The turns of a loop, how many numbers are carried, and how often it is repeated at most."""

    turns: tuple[RoundTurn, ...]
    size: int
    limit: int
    call: Call | None = None
    """The function of the runtime that is the one round, where there are no turns."""


@dataclass(frozen=True, eq=False)
class Rolled:
    """A function with loops: `whole` takes their results too, and gives what they read and begin with."""

    whole: Traced
    rounds: tuple[Round, ...]
    arrays: int


def _position(traced: Traced, side: str, ports: tuple[Port, ...], name: str) -> int:
    text(name, f"{traced.name}: the name of an {side}")
    for index, port in enumerate(ports):
        if port.name == name:
            return index
    raise ArgumentError(f"{traced.name} has no {side} {name!r}; it has {', '.join(port.name for port in ports)}")
