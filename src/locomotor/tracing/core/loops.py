"""Traced functions with loops: what the turns are and where they stand, beside the same function written out.

A loop carries numbers from round to round, the last of which says how far it is from done; each turn of a round reads arrays of
data and changes some of these numbers. The reference, and every derivative, has all rounds that are allowed
(`mechanics.impacts.repeat`); compiled code has each turn once.

A call is a loop of one round that a function of the runtime makes: the closest points of a terrain, a large contact problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.mechanics.impacts import Turn, Values
from locomotor.tracing.core.columns import column, identifier
from locomotor.tracing.core.signature import Field, Port
from locomotor.typing import Floats


@dataclass(frozen=True)
class Team:
    """What a team of threads takes that calls a function of the runtime together (`codegen/runtime/teams.h`)."""

    threads: int
    seats: int
    """Things for which it has room in the memory that its threads share."""
    columns: int
    """Numbers of an instance that stand beside those of its neighbours."""
    spare: int
    """Numbers of an instance that its team keeps together, and uses where there are more things than seats."""
    near: tuple[int, int]
    """Numbers of a team in the memory that its threads share, in single and in double precision."""


@dataclass(frozen=True)
class Launch:
    """A kernel of a call: threads of a block, its instances (0: as many blocks as fill the device, -1: one block), how often.

    `threads`, and `shared`, the bytes that a block shares, are for single and for double precision.
    """

    kernel: str
    threads: tuple[int, int]
    instances: int
    times: int = 1
    shared: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Stages:
    """What a device does in place of a call, kernel after kernel (`codegen/runtime/stages.h`): tables, headers, and their text.

    Without kernels it only keeps its numbers. `fresh`: numbers before it are there already, put there by an earlier call.
    `record` are numbers that an instance keeps from call to call, `kinds` how many lists of instances there are, `chosen` how
    many things one may choose from.
    """

    tables: str = ""
    headers: tuple[str, ...] = ()
    text: str = ""
    fresh: int = 0
    launches: tuple[Launch, ...] = ()
    record: int = 0
    kinds: int = 0
    chosen: int = 0
    together: int = 0
    """Instances whose numbers stand together, each number of them side by side; 0: all of them."""
    fixed: tuple[tuple[str, int, int], ...] = ()
    """Numbers that the text calls `name(i)`, where they begin, and how many: constants are the same for all instances."""


@dataclass(frozen=True, eq=False)
class Call:
    """A function of the runtime in the midst of a traced one: it takes some numbers and leaves others in their place.

    `name` is that of its C function `void name(real *numbers)`, whose text is `text` after the `headers` of the runtime; equal
    names are equal functions. `data` are arrays that it reads, by the names of the pointers to them. `on_numbers` is the same
    in Python.
    """

    name: str
    takes: int
    gives: int
    text: str
    headers: tuple[str, ...]
    data: tuple[tuple[str, NDArray[Any]], ...]
    on_numbers: Callable[[Floats], Floats]
    team: Team | None = None
    """Where a device may call it by a team of threads an instance."""
    stages: Stages | None = None
    """Where a device may make it in kernels of its own."""

    @property
    def size(self) -> int:
        """Numbers that are there before or after."""
        return max(self.takes, self.gives)


class _Called(casadi.Callback):  # type: ignore[misc]
    """A call among CasADi's matrix expressions."""

    def __init__(self, call: Call) -> None:
        casadi.Callback.__init__(self)
        self._call = call
        self.construct(call.name, {})

    def get_sparsity_in(self, _: int) -> casadi.Sparsity:
        """Form of the input for CasADi: one column."""
        return casadi.Sparsity.dense(self._call.size, 1)

    def get_sparsity_out(self, _: int) -> casadi.Sparsity:
        """Form of the result for CasADi: one column."""
        return casadi.Sparsity.dense(self._call.size, 1)

    def eval(self, arguments: Sequence[casadi.DM]) -> list[casadi.DM]:
        """Result of the call on numbers."""
        numbers = np.array(arguments[0]).reshape(-1)
        result = np.zeros(self._call.size)
        result[: self._call.gives] = self._call.on_numbers(numbers[: self._call.takes])
        return [casadi.DM(result)]


@dataclass(frozen=True, eq=False)
class LoopTurn:
    """A turn over SX: arrays of data and some of what is carried, to the same anew."""

    body: casadi.Function
    arrays: tuple[int, ...]
    """Which arrays it reads."""
    places: tuple[int, ...]
    """Which of the numbers carried it changes."""
    guarded: bool
    """Whether it changes nothing where the first number of its first array is zero."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A search on a tape: turns that are repeated until nothing changes, at most `limit` times."""

    turns: tuple[LoopTurn, ...]
    carry: casadi.SX
    """What it begins with."""
    result: casadi.SX
    """Symbols for what it ends with."""
    limit: int
    usual: int
    """Rounds of which derivatives are taken: those that a search which succeeds usually needs."""
    call: Call | None = None
    """What makes the one round, where that is no turn."""

    @property
    def size(self) -> int:
        """How many numbers are carried."""
        return int(self.result.shape[0])


class Recorder:
    """Collects the loops of a function while its expressions are built: a `Repeat` that leaves symbols for the results."""

    def __init__(self, steady: float) -> None:
        self._steady = steady
        self.arrays: list[casadi.SX] = []
        self.loops: list[Loop] = []
        self._known: dict[tuple[int, ...], int] = {}
        self._called: list[_Called] = []  # CasADi does not keep them

    def __call__(self, turns: Sequence[Turn], carry: Values, limit: int, usual: int = 0) -> Values:
        """Symbols for what is carried after the loop."""
        result = casadi.SX.sym(f"loop_{len(self.loops)}", len(carry))
        start = casadi.densify(casadi.vertcat(*(casadi.SX(value) for value in carry)))
        self.loops.append(Loop(tuple(self._turn(turn) for turn in turns), start, result, limit, usual or limit))
        return [result[k] for k in range(len(carry))]

    def call(self, call: Call, values: Values) -> Values:
        """Symbols for what a function of the runtime gives."""
        result = casadi.SX.sym(f"call_{len(self.loops)}", call.size)
        start = casadi.densify(casadi.vertcat(*(casadi.SX(value) for value in values), casadi.SX(call.size - call.takes, 1)))
        self.loops.append(Loop((), start, result, 1, 1, call))
        return [result[k] for k in range(call.gives)]

    def followed_by(self, other: Recorder) -> Recorder:
        """A recorder with the loops of this one, then the calls of another."""
        joined = Recorder(self._steady)
        joined.arrays, joined._known = list(self.arrays), dict(self._known)
        joined.loops = [*self.loops, *other.loops]
        return joined

    def _turn(self, turn: Turn) -> LoopTurn:
        """The body as a function of symbols; what is constant in its data is written into it."""
        inner, numbers = [], []
        symbols: list[casadi.SX] = []
        for number, values in enumerate(turn.data):
            expressions = [casadi.SX(value) for value in values]
            kept = turn.guarded and number == 0  # its first number is asked before the turn
            varying = [e for place, e in enumerate(expressions) if not e.is_constant() or (kept and place == 0)]
            symbol = casadi.SX.sym(f"data_{number}", len(varying))
            places = iter(range(len(varying)))
            inner.append(
                [
                    e if e.is_constant() and not (kept and place == 0) else symbol[next(places)]
                    for place, e in enumerate(expressions)
                ]
            )
            symbols.append(symbol)
            numbers.append(self._array(varying))
        carried = casadi.SX.sym("carry", len(turn.places))
        following = turn.body(inner, [carried[k] for k in range(len(turn.places))])
        made = casadi.vertcat(*(casadi.SX(value) for value in following))
        body = casadi.Function("turn", [*symbols, carried], [casadi.densify(made)])
        return LoopTurn(body, tuple(numbers), tuple(turn.places), turn.guarded)

    def _array(self, varying: Sequence[casadi.SX]) -> int:
        """Number of an array with these expressions; loops over the same data share one."""
        key = tuple(e.element_hash() for e in varying)
        if key not in self._known:
            self._known[key] = len(self.arrays)
            self.arrays.append(casadi.densify(casadi.vertcat(*varying)) if varying else casadi.SX(0, 1))
        return self._known[key]

    def reference(
        self, name: str, symbols: Sequence[casadi.SX], outputs: Sequence[casadi.SX], *, usual: bool = False
    ) -> casadi.Function:
        """The function with every round of every loop, or the `usual` ones, on CasADi's matrix expressions."""
        arguments = [casadi.MX.sym(f"a{k}", symbol.shape[0]) for k, symbol in enumerate(symbols)]
        results: list[casadi.MX] = []
        known: list[casadi.SX] = []
        made: dict[int, casadi.MX] = {}  # arrays, each computed once
        for loop in self.loops:
            read = sorted({k for turn in loop.turns for k in turn.arrays})
            new = [k for k in read if k not in made]
            stage = casadi.Function("stage", [*symbols, *known], [*(self.arrays[k] for k in new), loop.carry])
            *found, carry = stage.call([*arguments, *results])
            made.update(zip(new, found, strict=True))
            if loop.call is not None:
                self._called.append(_Called(loop.call))
                results.append(self._called[-1].call([carry])[0])
                known.append(loop.result)
                continue
            data = [made[k] for k in read]
            held = self._round(loop, read)
            for _ in range(loop.usual if usual else loop.limit):
                carry = held.call([carry[-1] > self._steady, *data, carry])[0]
            results.append(carry)
            known.append(loop.result)
        last = casadi.Function("last", [*symbols, *known], [column(output) for output in outputs], {"allow_free": True})
        return casadi.Function(identifier(name), arguments, last.call([*arguments, *results]))

    def _round(self, loop: Loop, read: Sequence[int]) -> casadi.Function:
        """A whole round, after a condition; without it nothing is computed, and nothing changes."""
        data = {k: casadi.SX.sym(f"d{k}", self.arrays[k].shape[0]) for k in read}
        carry = casadi.SX.sym("carry", loop.size)
        now = [carry[k] for k in range(loop.size)]
        for turn in loop.turns:
            (made,) = turn.body.call([*(data[k] for k in turn.arrays), casadi.vertcat(*(now[k] for k in turn.places))])
            for k, place in enumerate(turn.places):
                now[place] = made[k]
        arguments = [*data.values(), carry]
        whole = casadi.Function("round", arguments, [casadi.densify(casadi.vertcat(*now))])
        return casadi.Function.if_else("going", whole, casadi.Function("same", arguments, [carry]))

    def ports(self) -> tuple[list[tuple[Port, Any]], list[tuple[Port, Any]]]:
        """What the function without its loops takes, their results, and gives, their arrays and what they begin with."""
        results = [(numbered(f"loop_{k}", loop.size), loop.result) for k, loop in enumerate(self.loops)]
        arrays = [(numbered(f"array_{k}", array.shape[0]), array) for k, array in enumerate(self.arrays)]
        carries = [(numbered(f"carry_{k}", loop.size), loop.carry) for k, loop in enumerate(self.loops)]
        return results, [*arrays, *carries]


def numbered(name: str, size: int) -> Port:
    """A port whose numbers have no names of their own."""
    return Port(name, tuple(Field(f"{name}_{k}") for k in range(size)))
