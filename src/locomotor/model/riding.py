"""What somebody who rides a system holds in hand: which inputs two keys drive, and a balance that may help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import DescriptionTypeError, UnknownNameError
from locomotor.model.description import Description
from locomotor.model.doors import a_system, laws
from locomotor.model.expressions import Quantity, QuantityLike, as_quantity
from locomotor.model.system import System
from locomotor.names import suggestion

WAYS = ("across", "along")
"""Keys of a handle: left and right, or up and down."""


@dataclass(frozen=True)
class Handle(Description):
    """A pair of keys, and the inputs that it drives while one of them is pressed.

    The first key is the left or the upper one. A handle with a `target` drives the balance instead, as long as it is on: the
    channel of that name is to be `reach` for the first key, the opposite for the other, and its steady value for none.
    """

    name: str
    """What it does, such as "steer"."""
    way: str
    """"across" for the keys left and right, "along" for up and down."""
    first: Mapping[str, QuantityLike]
    """Inputs while the first key is pressed: numbers, or laws of channels such as "-40*tanh(2*wheel_rate)"."""
    second: Mapping[str, QuantityLike] | None = None
    """Inputs while the second one is; the opposite where left out."""
    target: str = ""
    reach: float = 0.0

    def __post_init__(self) -> None:
        checks.line(self.name, "the name of a handle", error=DescriptionTypeError)
        checks.choice(*WAYS, error=DescriptionTypeError)(self.way, f"{self.label}: way")
        first = laws(self.first, f"{self.label}: first", error=DescriptionTypeError)
        given = {name: -1.0 * value for name, value in first.items()} if self.second is None else self.second
        second = laws(given, f"{self.label}: second", error=DescriptionTypeError)
        checks.text(self.target, f"{self.label}: target", error=DescriptionTypeError)
        checks.number(self.reach, f"{self.label}: reach", error=DescriptionTypeError)
        self._store(first=first, second=second)

    @checks.fitting
    def inputs(self, value: float) -> dict[str, Quantity]:
        """Inputs for a deflection from -1, the second key, to 1, the first."""
        value = checks.number(value, f"{self.label}: a deflection", error=DescriptionTypeError)
        side = self.first if value > 0.0 else self.second or {}
        return {name: abs(value) * as_quantity(size) for name, size in side.items() if value}


@dataclass(frozen=True)
class Balance(Description):
    """A linear-quadratic regulator of the steady motion at the present value of a velocity, held over short periods."""

    along: str
    """The velocity that names the steady motion, such as "speed"."""
    states: Mapping[str, float]
    """Weights of states of the linearisation."""
    inputs: Mapping[str, float]
    """Costs of the inputs by which it acts."""
    least: float
    """The smallest value of the velocity at which it is asked for gains: below, those of this value serve."""
    spacing: float
    """Distance of the values at which gains are computed; between them they are interpolated."""

    def __post_init__(self) -> None:
        checks.name(self.along, "balance: along", error=DescriptionTypeError)
        for name in ("least", "spacing"):
            checks.positive(getattr(self, name), f"balance: {name}", error=DescriptionTypeError)
        for name in ("states", "inputs"):
            read = checks.numbers_by_name(getattr(self, name), f"balance: {name}", error=DescriptionTypeError)
            self._store(**{name: read})


@dataclass(frozen=True)
class Riding(Description):
    """The handles of a system, and the balance that helps to ride it, if there is one."""

    handles: Iterable[Handle]
    balance: Balance | None = field(default=None)

    def __post_init__(self) -> None:
        a_handle = checks.instance(Handle, error=DescriptionTypeError)
        given = checks.entries(self.handles, "riding: handles", error=DescriptionTypeError)
        self._store(handles=tuple(a_handle(handle, f"riding: handle {k}") for k, handle in enumerate(given)))
        checks.optional(checks.instance(Balance, error=DescriptionTypeError))(self.balance, "riding: balance")

    @property
    def held(self) -> tuple[Handle, ...]:
        """Handles of the rider, in order."""
        return tuple(self.handles)

    @checks.fitting
    def check_inputs(self, system: System) -> None:
        """Raise unless the system has every input that is driven."""
        a_system(system, "riding: system")
        known = [symbol.name for symbol in system.layout.inputs]
        acts = dict(self.balance.inputs) if self.balance else {}
        for name in (*(name for handle in self.held for name in (*handle.first, *(handle.second or ()))), *acts):
            if name not in known:
                raise UnknownNameError(f"riding: {system.name} has no input {name!r}: {suggestion(name, known)}")
