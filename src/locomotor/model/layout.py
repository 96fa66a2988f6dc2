"""The state of a system: each coordinate, velocity and input with name, unit, LaTeX, meaning and place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import DescriptionTypeError, UnknownNameError
from locomotor.lie import Block, Manifold
from locomotor.model.expressions import CALLABLE
from locomotor.names import NameMap, check_name, latex_of, same_name, suggestion

if TYPE_CHECKING:
    from locomotor.model.body import Body, Frame
    from locomotor.model.joint import Joint
    from locomotor.model.parameters import ParameterSet


@dataclass(frozen=True)
class Symbol:
    """A scalar of the state with its meaning. The unit of a pure number is "1"."""

    name: str
    unit: str
    latex: str
    description: str


@checks.doors
@dataclass(frozen=True)
class Input(Symbol):
    """A scalar given from outside at each instant (a torque, a set point), usable in every law."""

    unit: str = "1"
    latex: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.name, "an input", reserved=CALLABLE))
        for field_name in ("unit", "latex", "description"):
            checks.text(getattr(self, field_name), f"input {self.name!r}: {field_name}", error=DescriptionTypeError)
        object.__setattr__(self, "latex", self.latex or latex_of(self.name))
        object.__setattr__(self, "unit", self.unit or "1")
        object.__setattr__(self, "description", self.description or f"input {self.name!r}")


@dataclass(frozen=True)
class JointSymbols:
    """The symbols of one joint, the way its coordinates make a manifold, and which are plain rates of which.

    `rates[i]` is the index of the velocity that is the time derivative of coordinate `i`, or None.
    """

    coordinates: tuple[Symbol, ...] = ()
    velocities: tuple[Symbol, ...] = ()
    blocks: tuple[Block, ...] = ()
    rates: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Layout:
    """Where each scalar stands in the coordinates `q` and the velocities `v` of a system.

    Joints come in tree order, then the coordinates that bodies carry themselves. Quaternions count four
    coordinates and three velocities (the angular velocity in body axes), so `nq` may exceed `nv`.
    """

    coordinates: tuple[Symbol, ...]
    velocities: tuple[Symbol, ...]
    inputs: tuple[Symbol, ...]
    parameters: tuple[Symbol, ...]
    manifold: Manifold
    """The coordinates as a product of vectors and quaternions."""
    q: NameMap[slice] = field(compare=False)
    """Joint or body name -> slice of the coordinates."""
    v: NameMap[slice] = field(compare=False)
    """Joint or body name -> slice of the velocities."""
    velocity_of: NameMap[str] = field(compare=False)
    """Coordinate -> velocity that is its time derivative, where there is one."""

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.velocities)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every scalar: coordinates, velocities, inputs, parameters."""
        return (*self.coordinates, *self.velocities, *self.inputs, *self.parameters)

    def index_q(self, name: str) -> int:
        """The place of a coordinate; an unknown name raises and suggests the nearest one."""
        return _index(self.coordinates, name, "coordinate")

    def index_v(self, name: str) -> int:
        """The place of a velocity; an unknown name raises and suggests the nearest one."""
        known = self._places_v.get(name) if type(name) is str else None
        return _index(self.velocities, name, "velocity") if known is None else known

    @cached_property
    def _places_v(self) -> dict[str, int]:
        return {symbol.name: place for place, symbol in enumerate(self.velocities)}

    def pushed(self, joint: str) -> int:
        """The place of the velocity along which an effort on a joint, or on one of its pins, acts."""
        return self.v[joint].start if joint in self.v else self.index_v(f"{joint}_rate")

    def rubbed(self, joint: str) -> range:
        """The places of the velocities against which friction on a joint acts: of a ball joint all three."""
        first = self.pushed(joint)
        return range(first, self.v[joint].stop if joint in self.v else first + 1)


def _index(symbols: tuple[Symbol, ...], name: str, what: str) -> int:
    plain = same_name(name, f"the {what}")
    for index, symbol in enumerate(symbols):
        if symbol.name == plain:
            return index
    raise UnknownNameError(f"no {what} is named {checks.shown(name)}: {suggestion(name, (s.name for s in symbols))}")


def build_layout(
    joints: Iterable[Joint],
    bodies: Iterable[Body | Frame],
    inputs: tuple[Symbol, ...],
    parameters: ParameterSet,
) -> Layout:
    """The layout of joints in tree order followed by the bodies' own coordinates.

    The first joint that hangs on the world is the root: its coordinates have plain names such as `x` and
    `speed`.
    """
    coordinates: list[Symbol] = []
    velocities: list[Symbol] = []
    blocks: list[Block] = []
    q: dict[str, slice] = {}
    v: dict[str, slice] = {}
    velocity_of: dict[str, str] = {}

    def place(owner: str, symbols: JointSymbols) -> None:
        q[owner] = slice(len(coordinates), len(coordinates) + len(symbols.coordinates))
        v[owner] = slice(len(velocities), len(velocities) + len(symbols.velocities))
        coordinates.extend(symbols.coordinates)
        velocities.extend(symbols.velocities)
        for coordinate, rate in zip(symbols.coordinates, symbols.rates, strict=True):
            if rate is not None:
                velocity_of[coordinate.name] = symbols.velocities[rate].name
        blocks.extend(symbols.blocks)

    for index, joint in enumerate(joints):
        place(joint.name, joint.symbols(root=index == 0))
    for body in bodies:
        own = body.coordinates
        rates = tuple(rate_of(symbol) for symbol in own)
        vector: tuple[Block, ...] = (("vector", len(own)),) if own else ()
        place(body.name, JointSymbols(own, rates, vector, tuple(range(len(own)))))
    return Layout(
        coordinates=tuple(coordinates),
        velocities=tuple(velocities),
        inputs=tuple(inputs),
        parameters=tuple(
            Symbol(p.name, p.unit or "1", p.latex, p.description or f"parameter {p.name!r}") for p in parameters.parameters
        ),
        manifold=Manifold.joined(blocks),
        q=NameMap("joint or body", q),
        v=NameMap("joint or body", v),
        velocity_of=NameMap("coordinate with a plain rate", velocity_of),
    )


def rate_of(symbol: Symbol) -> Symbol:
    """The time derivative of a coordinate as a velocity: `<name>_rate`."""
    unit = "1/s" if symbol.unit == "1" else f"{symbol.unit}/s"
    return Symbol(f"{symbol.name}_rate", unit, rf"\dot{{{symbol.latex}}}", f"rate of {symbol.description}")
