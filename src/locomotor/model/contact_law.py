"""How a contact acts over time: always, only pushing, or gripping when told to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from locomotor import checks
from locomotor.errors import ContactLawError
from locomotor.model.description import Description
from locomotor.model.expression import QuantityLike, as_quantity, known

IMPACT_RULES = ("newton", "poisson", "stronge")


@dataclass(frozen=True)
class Persistent(Description):
    """An ideal contact that is always closed: it never lifts, slips or hits."""


@dataclass(frozen=True)
class Unilateral(Description):
    """A contact that pushes but never pulls: it opens when its normal force vanishes and closes on impact.

    `restitution` is the normal coefficient, from 0 (plastic: the contact closes) to 1 (elastic); `tangential`, from -1 to 1,
    is Newton's coefficient along the ground (Whittaker): -1 keeps the tangential velocity, 0 stops it, 1 reverses it.
    `rule` is "newton" (ratio of velocities), "poisson" (of impulses) or "stronge" (of energies); the last two are for
    contacts that stick, so that they have no tangential coefficient. A contact that closes blocks all that it can block.

    `when` is an expression of t, coordinates, velocities and parameters: an open contact collides only while it is positive.
    A walker without knees lets its foot pass through the ground in this way, until it is ahead.

    `friction` is Coulomb's coefficient, a number or an expression of parameters: the tangential force is at most so many times
    the normal one, and the contact slides where that is not enough. Without it a closed contact sticks, whatever it takes.
    """

    restitution: float = 0.0
    tangential: float = 0.0
    rule: str = "newton"
    when: QuantityLike = 1.0
    friction: QuantityLike | None = None
    LAWS: ClassVar[tuple[str, ...]] = ("when",)

    def __post_init__(self) -> None:
        for name in ("restitution", "tangential"):
            self._store(**{name: checks.number(getattr(self, name), f"Unilateral: {name}", error=ContactLawError)})
        self._store(when=as_quantity(self.when, "the condition of a Unilateral"))
        if self.friction is not None:
            self._store(friction=as_quantity(self.friction, "the friction of a Unilateral"))
        self.check({})
        if not 0.0 <= float(self.restitution) <= 1.0:
            raise ContactLawError(f"Unilateral: restitution is {self.restitution!r}; it must lie between 0 and 1")
        if not -1.0 <= float(self.tangential) <= 1.0:
            raise ContactLawError(f"Unilateral: tangential is {self.tangential!r}; it must lie between -1 and 1")
        checks.choice(*IMPACT_RULES, error=ContactLawError)(self.rule, "Unilateral: rule")
        if self.rule != "newton" and float(self.tangential) != 0.0:
            raise ContactLawError(
                f"Unilateral: tangential is {self.tangential!r}, but contacts stick under the rule {self.rule!r}; leave it "
                "out, or use the rule 'newton'"
            )

    def _check(self, values: Mapping[str, float]) -> None:
        friction = None if self.friction is None else known(self.friction, values)
        if friction is not None and not friction >= 0.0:
            raise ContactLawError(
                f"Unilateral: friction is {friction!r}{self._origin('friction')}; it must be zero or positive, or left out "
                "for a contact that sticks"
            )


@dataclass(frozen=True)
class Grip(Description):
    """A contact that holds, in every direction, while `when`, an expression of t and parameters, is positive.

    It closes plastically, wherever its point is then, and opens freely: `Grip("sin(2*pi*t/T)")`.
    """

    when: QuantityLike
    LAWS: ClassVar[tuple[str, ...]] = ("when",)

    def __post_init__(self) -> None:
        self._store(when=as_quantity(self.when, "the condition of a Grip"))


ContactLaw = Persistent | Unilateral | Grip


def is_gated(law: ContactLaw) -> bool:
    """Whether a law lets its contact pass through the ground while a condition does not hold."""
    return isinstance(law, Unilateral) and law.when != 1.0
