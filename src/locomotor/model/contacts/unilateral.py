"""The contact that pushes and never pulls: restitution, friction, and what either may depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from locomotor import checks
from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError, QuantityError
from locomotor.model.contacts.jumps import jump_of
from locomotor.model.contacts.law import ContactLaw, worded
from locomotor.model.contacts.law_checks import IMPACT_RULES, PUSHES
from locomotor.model.expressions import Quantity, QuantityLike, as_list, as_quantity, evaluate, free_names, known

SLIP = "slip"
"""Name of the speed of a slip (m/s) in a coefficient of friction."""
SPEEDS = (0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)
"""Speeds of a slip (m/s) at which a coefficient is looked at when it is given."""


@dataclass(frozen=True)
class Unilateral(ContactLaw):
    """A contact that pushes but never pulls: it opens when its normal force vanishes and closes on impact.

    `restitution` is the normal coefficient, from 0 (plastic: the contact closes) to 1 (elastic); `tangential`, from -1 to 1,
    is Newton's coefficient along the ground (Whittaker): -1 keeps the tangential velocity, 0 stops it, 1 reverses it. Both are
    numbers or expressions of parameters.

    `from_others` are the coefficients of this contact for the approach of others in the same impact, by their names: it leaves
    at restitution times its own approach, and at each share times the approach of that other. With `restitution` on the
    diagonal they are the rows of a matrix. Newton's cradle is restitution 0 and a share of 1 of its neighbour. Such a law can
    gain energy; so can a `tangential` coefficient, and Newton's rule with several contacts.
    `rule` is "newton" (ratio of velocities), "poisson" (of impulses), "stronge" (of energies) or, for contacts with friction,
    "moreau" (the same ratio of velocities in every direction); only the first has a tangential coefficient. With friction they
    are the laws of `lm.complementarity.impact`, otherwise contacts stick. One that closes blocks all that it can block.

    `when` is an expression of t, coordinates, velocities and parameters: an open contact collides only while it is positive.
    A walker without knees lets its foot pass through the ground in this way, until it is ahead.

    `friction` is Coulomb's coefficient, a number or an expression of parameters: the tangential force is at most so many times
    the normal one, and the contact slides where that is not enough. Without it a closed contact sticks, whatever it takes. It
    may depend on the speed of the slip (m/s) by the name `slip`: "0.2 + 0.1*exp(-slip/0.05)" is Stribeck's law. `static` is the
    coefficient of a contact that sticks, where that is larger than the one with which it begins to slip; one that grows with
    the slip may exceed it later on. A coefficient that jumps with the slip is refused.

    `patch` is the radius (m) of the disc with which a contact with friction touches: each point of it rubs, so that friction
    also resists turning about the normal, with 2/3 of mu N patch on the spot and less while it slides, as it resists sliding
    less while it spins (Coulomb and Contensou, even pressure). At rest and in impacts both are within the convex set that this
    law makes; in runs with events, where several patches touch, within the ellipsoid around it. Without a patch the contact is
    a point, on which everything spins freely.

    `rolling` is the rolling resistance (m) of a round contact with friction: a moment against its rolling of so many times the
    normal force, and up to that at rest, as if the normal force acted by that much ahead; in an impact of so many times the
    normal impulse. Both are for the rule "newton" without `tangential` and `from_others`.
    """

    restitution: QuantityLike = 0.0
    tangential: QuantityLike = 0.0
    rule: str = "newton"
    when: QuantityLike = 1.0
    friction: QuantityLike | None = None
    static: QuantityLike | None = None
    from_others: Mapping[str, QuantityLike] | Sequence[tuple[str, QuantityLike]] = ()
    patch: QuantityLike | None = None
    rolling: QuantityLike | None = None
    LAWS: ClassVar[tuple[str, ...]] = ("when",)
    OWN_NAMES: ClassVar[Mapping[str, tuple[str, ...]]] = {"friction": (SLIP,)}
    ACTS: ClassVar[str] = PUSHES

    def __post_init__(self) -> None:
        for name in ("restitution", "tangential"):
            try:
                self._store(**{name: as_quantity(getattr(self, name), f"Unilateral: {name}")})
            except QuantityError as error:
                raise ContactLawError(str(error)) from None
        self._store(from_others=self._read_shares(), when=as_quantity(self.when, "the condition of a Unilateral"))
        if self.friction is not None:
            self._store(friction=as_quantity(self.friction, "the friction of a Unilateral"))
        if self.static is not None:
            self._store(static=as_quantity(self.static, "the static friction of a Unilateral"))
            if self.friction is None:
                raise ContactLawError(
                    f"Unilateral: static is {shown(self.static)} and there is no friction; give the coefficient of a contact "
                    "that slips, friction=..., too"
                )
        for name in ("patch", "rolling"):
            given = getattr(self, name)
            if given is None:
                continue
            self._store(**{name: as_quantity(given, f"Unilateral: {name}")})
            if self.friction is None:
                raise ContactLawError(
                    f"Unilateral: {name} is {shown(given)} and there is no friction; give its coefficient, friction=..., too"
                )
            if self.rule != "newton" or self.tangential != 0.0 or self.from_others:
                raise ContactLawError(
                    f"Unilateral: {name} is {shown(given)}, which is for impacts by the rule 'newton' without `tangential` and "
                    "`from_others`; leave those out, or the " + name
                )
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
        if self.rule == "moreau" and self.friction is None:
            raise ContactLawError(
                "Unilateral: the rule 'moreau' is for contacts with friction; give one, friction=..., or use the rule 'newton'"
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
    def condition(self) -> Any:
        """An open contact collides only while it is positive."""
        return self.when

    @property
    def impact_rule(self) -> str:
        """Which of `IMPACT_RULES` its coefficients belong to."""
        return self.rule

    @property
    def fixed_coefficients(self) -> tuple[Quantity, Quantity] | None:
        """Normal and tangential coefficient."""
        assert not isinstance(self.restitution, str) and not isinstance(self.tangential, str)  # texts were parsed when built
        return self.restitution, self.tangential

    @property
    def others(self) -> tuple[str, ...]:
        """Names of the contacts of which it takes a share."""
        return tuple(dict(self.from_others))

    def shares(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Coefficients for the approach of other contacts, by their names."""
        return {name: evaluate(share, values) for name, share in dict(self.from_others).items()}

    def alone(self) -> ContactLaw:
        """The same law without shares of others."""
        return replace(self, from_others=())

    @property
    def slips(self) -> bool:
        """Whether the law has a coefficient of friction."""
        return self.friction is not None

    def friction_at(self, values: Mapping[str, Any]) -> Any:
        """Coulomb's coefficient, where a slip begins."""
        return self.sliding_at(values, 0.0)

    def static_at(self, values: Mapping[str, Any]) -> Any:
        """The coefficient of a contact that sticks."""
        return self.friction_at(values) if self.static is None else evaluate(self.static, values)

    def sliding_at(self, values: Mapping[str, Any], speed: Any) -> Any:
        """Coulomb's coefficient at a speed of the slip."""
        if self.friction is None:
            return super().friction_at(values)
        return evaluate(self.friction, {**values, SLIP: speed} if SLIP in free_names(self.friction) else values)

    @property
    def pivots(self) -> bool:
        """Whether it has a patch."""
        return self.patch is not None

    def patch_at(self, values: Mapping[str, Any]) -> Any:
        """Radius of the patch."""
        return super().patch_at(values) if self.patch is None else evaluate(self.patch, values)

    @property
    def resists(self) -> bool:
        """Whether it has a rolling resistance."""
        return self.rolling is not None

    def resistance_at(self, values: Mapping[str, Any]) -> Any:
        """Rolling resistance (m) with given values of parameters."""
        return super().resistance_at(values) if self.rolling is None else evaluate(self.rolling, values)

    @property
    def has_one_friction(self) -> bool:
        """Whether friction is the same at rest and at every speed."""
        return self.static is None and (self.friction is None or SLIP not in free_names(self.friction))

    def sticking(self) -> ContactLaw:
        """The same law without friction's bound; Moreau's rule, which needs one, is Newton's then."""
        rule = "newton" if self.rule == "moreau" else self.rule
        return replace(self, friction=None, static=None, patch=None, rolling=None, rule=rule)

    @property
    def words(self) -> str:
        """How the law acts, in a few words."""
        told = f"only pushes, restitution {worded(self.restitution)}"
        for name, value in (
            ("friction", self.friction),
            ("at rest", self.static),
            ("patch of radius", self.patch),
            ("rolling resistance", self.rolling),
        ):
            told += "" if value is None else f", {name} {worded(value)}"
        return told if self.when == 1.0 else f"{told}, while {self.when} > 0"

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
        self._check_friction(values)

    def _refuse_jumps(self, values: Mapping[str, float]) -> None:
        """A coefficient that jumps with the slip is refused: nothing locates the instant, and a step across it is wrong."""
        found = jump_of(lambda speed: known(self.friction, {**values, SLIP: speed}))
        if found is not None:
            speed, below, above = found
            raise ContactLawError(
                f"Unilateral: friction jumps at a slip of {speed:.6g} m/s, from {below:.6g} to {above:.6g}"
                f"{self._origin('friction')}; let it go over within some speeds, for instance with "
                f"smooth_step(slip, {speed:.4g}, {1.1 * speed:.4g})"
            )

    def _check_friction(self, values: Mapping[str, float]) -> None:
        """Coefficients are not negative, at some speeds from rest on, and none at which slip begins is above the static one."""
        if self.friction is None:
            return
        varies = SLIP in free_names(self.friction)
        for speed in SPEEDS if varies else (0.0,):
            friction = known(self.friction, {**values, SLIP: speed} if varies else values)
            if friction is not None and not friction >= 0.0:
                at = f" at a slip of {speed:g} m/s" if varies else ""
                raise ContactLawError(
                    f"Unilateral: friction is {friction!r}{at}{self._origin('friction')}; it must be zero or positive, or left "
                    "out for a contact that sticks"
                )
        if varies:
            self._refuse_jumps(values)
        patch = None if self.patch is None else known(self.patch, values)
        if patch is not None and not patch > 0.0:
            raise ContactLawError(
                f"Unilateral: patch is {patch!r} m{self._origin('patch')}; it must be positive, or left out for a point"
            )
        rolling = None if self.rolling is None else known(self.rolling, values)
        if rolling is not None and not rolling >= 0.0:
            raise ContactLawError(
                f"Unilateral: rolling is {rolling!r} m{self._origin('rolling')}; it must be zero or positive, or left out for "
                "a contact that rolls freely"
            )
        static = None if self.static is None else known(self.static, values)
        begins = known(self.friction, {**values, SLIP: 0.0} if varies else values)
        if static is not None and begins is not None and not static >= begins:
            raise ContactLawError(
                f"Unilateral: static is {static!r}{self._origin('static')}, and friction where a slip begins "
                f"{begins!r}{self._origin('friction')}; a contact that sticks must bear at least as much as one that slips"
            )
