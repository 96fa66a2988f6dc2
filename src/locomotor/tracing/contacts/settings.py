"""How contact problems are solved inside a step of time-stepping."""

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import ModelError

MOST_REPEATS = 1000
"""Sweeps, rounds or events in a step: each is written out in the compiled step."""


@checks.doors
@dataclass(frozen=True)
class ContactSettings:
    """How contact problems are solved inside a step, with a number of operations that is known beforehand."""

    sweeps: int = 12
    """Most Gauss-Seidel sweeps in a step, where some contact has a coefficient of friction and not all of them stick."""
    rounds: int = 3
    """Contacts that may let go in one impact, where all contacts stick."""
    shortest_bounce: float = 1.0
    """A contact that approaches with less than the speed gained in so many steps of free motion comes to rest."""
    theta: float | None = None
    """None: Moreau's mid-point, forces known beforehand. A number from 1/2 to 1: the implicit theta-method, forces at that
    share of the step, linearised; of second order in smooth motion at 1/2, of first above, where fast motions die out."""
    passes: int = 2
    """How often forces are taken in a step: 2, at the velocities of the start and then at the mean ones, of second order where
    nothing hits; 1, at those of the start alone, of first order and with half the work."""
    solver: str = "auto"
    """"traced": contacts are written out in the step; "runtime": a loop of the runtime makes and solves the rows of those that
    act, for many contacts without restitution; "auto": by their number."""

    def __post_init__(self) -> None:
        for name, least in (("sweeps", 1), ("rounds", 0)):
            given = getattr(self, name)
            value = checks.whole(given, f"ContactSettings: {name}", least=least, most=MOST_REPEATS, error=ModelError)
            object.__setattr__(self, name, value)
        passes = checks.whole(self.passes, "ContactSettings: passes", least=1, most=2, error=ModelError)
        object.__setattr__(self, "passes", passes)
        bounce = checks.number(self.shortest_bounce, "ContactSettings: shortest_bounce", least=0.0, error=ModelError)
        object.__setattr__(self, "shortest_bounce", bounce)
        if self.theta is not None:
            theta = checks.number(self.theta, "ContactSettings: theta", least=0.5, most=1.0, error=ModelError)
            object.__setattr__(self, "theta", theta)
        checks.choice("auto", "traced", "runtime")(self.solver, "ContactSettings: solver")
