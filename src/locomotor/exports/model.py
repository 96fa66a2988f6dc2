"""What is exported of a system, whatever the target: a few functions with named arguments and results, and their defaults."""

from __future__ import annotations

from collections.abc import Mapping

from locomotor.dataclass import dataclass
from locomotor.lie import Manifold
from locomotor.tracing import Port, Traced, TracedSystem
from locomotor.typing import Vector

ARGUMENTS = ("time", "state", "inputs", "parameters")
"""Arguments of the functions of the system; `time` is one number, the others are arrays."""


@dataclass(frozen=True, eq=False)
class Function:
    """One function of the export: a traced function with one result, a vector or a matrix."""

    name: str
    about: str
    traced: Traced

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the arguments."""
        return tuple(port.name for port in self.traced.inputs)

    @property
    def result(self) -> Port:
        """Names and units of the result."""
        return self.traced.outputs[0]

    @property
    def size(self) -> int:
        """How many numbers it gives."""
        return self.result.size

    @property
    def columns(self) -> int:
        """Columns of a matrix, or 0 for a vector."""
        return self.result.shape[1] if len(self.result.shape) == 2 else 0


@dataclass(frozen=True, eq=False)
class Model:
    """Functions of (time, state, inputs, parameters), those of the state's manifold, defaults, and what is left out.

    `tangent` is the rate of the state in tangent form (three numbers for a quaternion); `lift`, `move` and `pull_back` make of
    it the rate of the numbers of the state, and steps. `read` are further functions of the four arguments, for users.
    """

    name: str
    title: str
    system: TracedSystem
    tangent: Function
    lift: Function
    move: Function
    pull_back: Function
    read: tuple[Function, ...]
    start: Vector
    left_out: tuple[str, ...] = ()

    @property
    def state(self) -> Port:
        """Names and units of the state."""
        return self.system.state_port

    @property
    def inputs(self) -> Port:
        """Names and units of the inputs."""
        return self.system.input_port

    @property
    def parameters(self) -> Port:
        """Names and units of the parameters left open."""
        return self.system.parameter_port

    @property
    def defaults(self) -> Vector:
        """Values of the parameters as the system declares them."""
        return self.system.default_parameters

    @property
    def manifold(self) -> Manifold:
        """What the state moves on."""
        return self.system.manifold

    @property
    def functions(self) -> tuple[Function, ...]:
        """All functions that are written from tapes."""
        return (self.tangent, self.lift, self.move, self.pull_back, *self.read)

    @property
    def sizes(self) -> dict[str, int]:
        """How many numbers each argument and result has."""
        sizes = {"time": 1, "state": self.state.size, "inputs": self.inputs.size, "parameters": self.parameters.size, "step": 1}
        sizes |= {"rate": self.state.size, "next": self.state.size}
        return sizes | {function.name: function.size for function in self.read}

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the arguments' entries, by argument."""
        return {port.name: port.names for port in (self.state, self.inputs, self.parameters)}
