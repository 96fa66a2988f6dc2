"""Impact laws by name: each says its formula, what it loses, whether it can gain energy, and what it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from locomotor import checks
from locomotor.complementarity.impacts.collision import Collision, Found
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError

OPTIONS = ("friction", "restitution", "matrix", "tangential", "dissipation")
"""What a law may take: coefficients of friction, of restitution for each contact or as a full matrix, along the ground, and
Moreau's index."""


@checks.doors
@dataclass(frozen=True)
class ImpactLaw:
    """A law of impact by name."""

    name: str
    solve: Callable[[Collision], Found]
    formula: str
    """Its equations in one line."""
    loses: str
    """What it conserves or loses, in words."""
    gains: str
    """When it can gain energy; empty where it never does."""
    source: str
    takes: tuple[str, ...] = ()
    """Which of `OPTIONS` it reads; others are refused."""
    most: int | None = None
    """Contacts that it can answer for at once; None for any number."""

    @property
    def can_gain(self) -> bool:
        """Whether it can gain energy."""
        return bool(self.gains)


_LAWS: dict[str, ImpactLaw] = {}
IMPACT_LAWS: Mapping[str, ImpactLaw] = MappingProxyType(_LAWS)
"""All laws by name."""


@checks.fitting
def register_impact_law(law: ImpactLaw) -> ImpactLaw:
    """Make a law known by its name."""
    if not isinstance(law, ImpactLaw):
        raise ArgumentError(f"register_impact_law: {checks.shown(law)} is no ImpactLaw; give one")
    for option in law.takes:
        if option not in OPTIONS:
            raise ArgumentError(
                f"impact law {law.name!r}: takes names {option!r}; give some of {', '.join(map(repr, OPTIONS))}"
            )
    if law.name in _LAWS and _LAWS[law.name].solve is not law.solve:
        raise ArgumentError(f"there is an impact law named {law.name!r} already; give another name")
    _LAWS[law.name] = law
    return law


def register(
    name: str, *, formula: str, loses: str, source: str, gains: str = "", takes: tuple[str, ...] = (), most: int | None = None
) -> Callable[[Callable[[Collision], Found]], Callable[[Collision], Found]]:
    """Decorator: a function from a `Collision` to what it leaves becomes a law of that name."""

    def add(solve: Callable[[Collision], Found]) -> Callable[[Collision], Found]:
        register_impact_law(ImpactLaw(name, solve, formula, loses, gains, source, takes, most))
        return solve

    return add
