"""Names of the modes of small deviations, declared by a system: which states take part, and whether they oscillate."""

from __future__ import annotations

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import DescriptionTypeError
from locomotor.model.description import Description


@dataclass(frozen=True)
class Mode(Description):
    """A mode by name: one that oscillates or not, in which these coordinates and velocities take most part."""

    name: str
    oscillates: bool
    states: tuple[str, ...]

    def __post_init__(self) -> None:
        checks.line(self.name, "the name of a mode", error=DescriptionTypeError)
        checks.flag(self.oscillates, f"mode {self.name!r}: oscillates", error=DescriptionTypeError)
        self._store(states=checks.names(self.states, f"mode {self.name!r}: states", error=DescriptionTypeError))
