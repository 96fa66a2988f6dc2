"""How a contact acts over time: always, only pushing, or gripping when told to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from locomotor import checks
from locomotor.checks import shown
from locomotor.errors import ContactLawError, QuantityError
from locomotor.model.description import Description
from locomotor.model.expressions import Quantity, QuantityLike, as_list, as_quantity, evaluate, known

IMPACT_RULES = ("newton", "poisson", "stronge")


@dataclass(frozen=True)
class Persistent(Description):
    """An ideal contact that is always closed: it never lifts, slips or hits."""


@dataclass(frozen=True)
class Unilateral(Description):
    """A contact that pushes but never pulls: it opens when its normal force vanishes and closes on impact.

    `restitution` is the normal coefficient, from 0 (plastic: the contact closes) to 1 (elastic); `tangential`, from -1 to 1,
    is Newton's coefficient along the ground (Whittaker): -1 keeps the tangential velocity, 0 stops it, 1 reverses it. Both are
    numbers or expressions of parameters.

    `from_others` are the coefficients of this contact for the approach of others in the same impact, by their names: it leaves
    at restitution times its own approach, and at each share times the approach of that other. With `restitution` on the
    diagonal they are the rows of a matrix. Newton's cradle is restitution 0 and a share of 1 of its neighbour. Such a law can
    gain energy; so can a `tangential` coefficient, and Newton's rule with several contacts.
    `rule` is "newton" (ratio of velocities), "poisson" (of impulses) or "stronge" (of energies); the last two are for
    contacts that stick, so that they have no tangential coefficient. A contact that closes blocks all that it can block.

    `when` is an expression of t, coordinates, velocities and parameters: an open contact collides only while it is positive.
    A walker without knees lets its foot pass through the ground in this way, until it is ahead.

    `friction` is Coulomb's coefficient, a number or an expression of parameters: the tangential force is at most so many times
    the normal one, and the contact slides where that is not enough. Without it a closed contact sticks, whatever it takes.
    """

    restitution: QuantityLike = 0.0
    tangential: QuantityLike = 0.0
    rule: str = "newton"
    when: QuantityLike = 1.0
    friction: QuantityLike | None = None
    from_others: Mapping[str, QuantityLike] | Sequence[tuple[str, QuantityLike]] = ()
    LAWS: ClassVar[tuple[str, ...]] = ("when",)

    def __post_init__(self) -> None:
        for name in ("restitution", "tangential"):
            try:
                self._store(**{name: as_quantity(getattr(self, name), f"Unilateral: {name}")})
            except QuantityError as error:
                raise ContactLawError(str(error)) from None
        self._store(from_others=self._read_shares(), when=as_quantity(self.when, "the condition of a Unilateral"))
        if self.friction is not None:
            self._store(friction=as_quantity(self.friction, "the friction of a Unilateral"))
        self.check({})
        checks.choice(*IMPACT_RULES, error=ContactLawError)(self.rule, "Unilateral: rule")
        if self.rule != "newton" and self.from_others:
            raise ContactLawError(
                f"Unilateral: from_others is for the rule 'newton', and the rule is {self.rule!r}; leave one of them out"
            )
        if self.rule != "newton" and self.tangential != 0.0:
            raise ContactLawError(
                f"Unilateral: tangential is {shown(self.tangential)}, but contacts stick under the rule {self.rule!r}; leave "
                "it out, or use the rule 'newton'"
            )

    def _read_shares(self) -> tuple[tuple[str, Quantity], ...]:
        given = self.from_others
        pairs = [*given.items()] if isinstance(given, Mapping) else as_list(given)
        if pairs is None:
            raise ContactLawError(f"Unilateral: from_others is {shown(given)}; give a mapping of names of contacts to shares")
        found: list[tuple[str, Quantity]] = []
        for pair in pairs:
            entries = as_list(pair)
            if entries is None or len(entries) != 2 or not isinstance(entries[0], str):
                raise ContactLawError(f"Unilateral: from_others holds {shown(pair)}; give names of contacts and their shares")
            name, share = entries
            if name in dict(found):
                raise ContactLawError(f"Unilateral: from_others names {name!r} twice; give each contact one share")
            found.append((name, as_quantity(share, f"the share of {name!r} in from_others of a Unilateral")))
        return tuple(found)

    @property
    def is_plastic(self) -> bool:
        """Whether the contact never bounces of its own, whatever the parameters."""
        return self.restitution == 0.0

    def bounce(self, values: Mapping[str, Any]) -> tuple[Any, Any]:
        """Normal and tangential coefficient, with values of the parameters of any kind."""
        return evaluate(self.restitution, values), evaluate(self.tangential, values)

    def shares(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Coefficients for the approach of other contacts, by their names."""
        return {name: evaluate(share, values) for name, share in dict(self.from_others).items()}

    def _check(self, values: Mapping[str, float]) -> None:
        for name, least in (("restitution", 0.0), ("tangential", -1.0)):
            number = known(getattr(self, name), values)
            if number is not None and not least <= number <= 1.0:
                raise ContactLawError(
                    f"Unilateral: {name} is {float(number)!r}{self._origin(name)}; it must lie between {least:g} and 1"
                )
        for other, share in dict(self.from_others).items():
            number = known(share, values)
            if number is not None and not number >= 0.0:
                raise ContactLawError(
                    f"Unilateral: the share of {other!r} in from_others is {float(number)!r}; it must be zero or positive, "
                    "since no approach of another contact may draw this one into its ground"
                )
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


def may_bounce(law: Any) -> bool:
    """Whether a contact may leave again in the impact that closes it: by its own restitution, or by shares of others."""
    return isinstance(law, Unilateral) and (not law.is_plastic or bool(law.from_others))


def is_gated(law: ContactLaw) -> bool:
    """Whether a law lets its contact pass through the ground while a condition does not hold."""
    return isinstance(law, Unilateral) and law.when != 1.0
