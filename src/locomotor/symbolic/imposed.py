"""Motions that are imposed on joints, as a document says them."""

from __future__ import annotations

from typing import Any

from locomotor.dataclass import dataclass
from locomotor.model import Motion
from locomotor.names import TIME
from locomotor.symbolic.sheet import Sheet
from locomotor.symbolic.typesetting import WIDTH, Typesetter, width


@dataclass(frozen=True)
class Imposed:
    """The coordinate of a joint that follows a law of time."""

    place: Any
    """The symbol of the coordinate."""
    rate: Any
    """The symbol of its velocity."""
    motion: Motion

    def told(self, typesetter: Typesetter, symbols: dict[str, str]) -> str:
        """The law as a formula; one that is wider than a line, such as a spline through samples, by a letter."""
        left = typesetter.symbol(self.place)
        law = self.motion.position.latex({TIME: "t", **symbols})
        if width(law) <= WIDTH:
            return f"${left} = {law}$"
        return f"${left}$, a given function of $t$"


def imposed_motions(equations: Sheet) -> tuple[Imposed, ...]:
    """Motions of all joints that have an imposed one, in order."""
    rates, symbols = equations.system.layout.velocity_of, equations.symbols
    return tuple(
        Imposed(symbols[joint.name], symbols[rates[joint.name]], joint.drive)
        for joint in equations.system.joints
        if isinstance(joint.drive, Motion)
    )
