"""How a contact acts over time: what every law answers, and the laws that always close or grip when told to.

`ContactLaw` is the vocabulary in which everything else asks a law: nothing outside this folder asks for its type. A new law is
a frozen dataclass that answers; one that leaves out an answer which nothing can stand in for is refused when it is defined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError
from locomotor.lie import ops
from locomotor.model.contacts.law_checks import (
    ALWAYS,
    GRIPS,
    PUSHES,
    RUBS,
    a_pair,
    check_answers,
    unanswered,
    undecorated,
    wrong_coefficient,
)
from locomotor.model.description import Description
from locomotor.model.expressions import Quantity, QuantityLike, as_quantity, evaluate


@dataclass(frozen=True)
class ContactLaw(Description):
    """Base of all laws: what may be asked of one, with the answers that hold unless a law says otherwise.

    Values of parameters, and velocities, are numbers in event-driven runs and symbols in compiled steps: formulas use
    `locomotor.lie.ops` for functions and choices.
    """

    ACTS: ClassVar[str] = ""
    """When it is closed. "always"; "pushes": it closes when its gap does, and opens where it would have to pull by more than
    its `largest_pull`; "grips": it is closed, wherever its point is, while its `condition` is positive."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for missing in unanswered(cls, ContactLaw):
            raise ContactLawError(f"contact law {cls.__name__}: {missing}")

    def __new__(cls, *fields: Any, **named: Any) -> ContactLaw:
        """Refuse a class whose fields nobody reads."""
        if missed := undecorated(cls):
            raise ContactLawError(
                f"contact law {cls.__name__}: nothing reads its field {missed!r}; write @dataclass(frozen=True) above the class"
            )
        return super().__new__(cls)

    def check_answers(self, label: str, values: Mapping[str, float]) -> None:
        """Raise if an answer is of another form than is needed, or out of range as far as `values` let it be known."""
        check_answers(self, label, values)

    # -- opening and closing --------------------------------------------------------------------------

    @property
    def switches(self) -> bool:
        """Whether a contact with this law can open and close."""
        return self.ACTS != ALWAYS

    @property
    def pushes(self) -> bool:
        """Whether it pushes: it closes when its gap does, and opens where it would have to pull by more than `largest_pull`."""
        return self.ACTS == PUSHES

    @property
    def grips(self) -> bool:
        """Whether a contact holds wherever its point is, while the condition of its law is positive."""
        return self.ACTS == GRIPS

    @property
    def rubs(self) -> bool:
        """Whether it is the dry friction of a joint: closed while it sticks, whatever effort up to a bound that takes."""
        return self.ACTS == RUBS

    @property
    def condition(self) -> Any:
        """An expression: a grip holds, and an open contact that pushes may collide, only while it is positive."""
        return 1.0

    @property
    def is_gated(self) -> bool:
        """Whether it lets its contact pass through the ground while its condition does not hold."""
        return self.pushes and self.condition != 1.0

    @property
    def largest_pull(self) -> QuantityLike:
        """How hard (N) a closed contact that pushes may pull before it opens: a number or an expression.

        It may depend on t, coordinates, velocities and parameters; where it is negative the contact does not pull.
        """
        return 0.0

    @property
    def adheres(self) -> bool:
        """Whether a closed contact may pull at all."""
        return self.pushes and self.largest_pull != 0.0

    def hold_at(self, force: Any, values: Mapping[str, Any]) -> Any:
        """The normal `force` (N) counted from the largest pull: a closed contact that pushes opens where this is negative.

        `values` are those of all names that the law may use. This is the one place that decides it, for numbers and symbols.
        """
        if not self.adheres:
            return force
        pull = evaluate(as_quantity(self.largest_pull, "the largest pull"), values)
        return force + (pull if isinstance(pull, int | float) else ops.fmax(pull, 0.0))

    # -- impacts --------------------------------------------------------------------------------------

    @property
    def impact_rule(self) -> str:
        """Which of `IMPACT_RULES` its coefficients belong to."""
        return "newton"

    @property
    def fixed_coefficients(self) -> tuple[Quantity, Quantity] | None:
        """Normal and tangential coefficient where they depend on parameters only; None where the approach enters as well."""
        return (0.0, 0.0)

    def bounce(self, values: Mapping[str, Any], approach: Any) -> tuple[Any, Any]:
        """Normal and tangential coefficient of an impact, for an `approach` to the ground (m/s, positive before an impact)."""
        fixed = self.fixed_coefficients
        if fixed is None:
            raise ContactLawError(f"{self.label}: its coefficients depend on the approach; define `bounce` in its class")
        return evaluate(fixed[0], values), evaluate(fixed[1], values)

    def coefficients_at(self, values: Mapping[str, Any], approach: Any) -> tuple[Any, Any]:
        """The coefficients of `bounce`, which are what everything else reads: a pair of numbers in range, or of symbols."""
        answer = self.bounce(values, approach)
        match answer:  # as it nearly always is
            case float() as own, float() as along if 0.0 <= own <= 1.0 and -1.0 <= along <= 1.0:
                return own, along
        found = a_pair(answer, f"{self.label}: its `bounce` returned")
        for name, value, least in zip(("normal", "tangential"), found, (0.0, -1.0), strict=True):
            if wrong := wrong_coefficient(value, least):
                raise ContactLawError(f"{self.label}: the {name} coefficient of its `bounce` for {approach} m/s {wrong}")
        return found

    @property
    def is_plastic(self) -> bool:
        """Whether a contact never bounces of its own, whatever the parameters."""
        fixed = self.fixed_coefficients
        return fixed is not None and fixed[0] == 0.0

    @property
    def may_bounce(self) -> bool:
        """Whether a contact may leave again in the impact that closes it: by itself, or by shares of others."""
        return self.pushes and (not self.is_plastic or bool(self.others))

    @property
    def always_bounces(self) -> bool:
        """Whether it leaves again for every value of its parameters, so that steps need not ask."""
        fixed = self.fixed_coefficients
        return self.may_bounce and fixed is not None and isinstance(fixed[0], float) and not self.others

    @property
    def others(self) -> tuple[str, ...]:
        """Names of other contacts whose approach drives this one in the same impact."""
        return ()

    def shares(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Coefficients for the approach of other contacts, by their names."""
        return {}

    def alone(self) -> ContactLaw:
        """The same law without other contacts in it."""
        return self

    # -- friction -------------------------------------------------------------------------------------

    @property
    def slips(self) -> bool:
        """Whether a closed contact may slip; otherwise it sticks, or rolls, whatever that takes."""
        return False

    def friction_at(self, values: Mapping[str, Any]) -> Any:
        """Coefficient of friction of a law that slips: the tangential force is at most so many times the normal one."""
        raise ContactLawError(f"{self.label}: a contact with this law does not slip, so that it has no coefficient of friction")

    def static_at(self, values: Mapping[str, Any]) -> Any:
        """Coefficient of friction of a contact that sticks; that of one that slips unless a law says otherwise."""
        return self.friction_at(values)

    def sliding_at(self, values: Mapping[str, Any], speed: Any) -> Any:
        """Coefficient of friction of a contact that slips with a speed (m/s); the same at every speed unless a law says so."""
        return self.friction_at(values)

    @property
    def pivots(self) -> bool:
        """Whether friction resists turning about the normal too: the contact touches with a disc, not with a point."""
        return False

    def patch_at(self, values: Mapping[str, Any]) -> Any:
        """Radius (m) of the disc with which a contact touches whose friction resists turning."""
        raise ContactLawError(f"{self.label}: a contact with this law touches with a point, so that it has no patch")

    @property
    def resists(self) -> bool:
        """Whether a closed contact resists rolling: at rest it does not roll, up to a moment."""
        return False

    def resistance_at(self, values: Mapping[str, Any]) -> Any:
        """Rolling resistance (m): the moment along the ground is at most so many times the normal force."""
        raise ContactLawError(f"{self.label}: a contact with this law rolls freely, so that it has no rolling resistance")

    @property
    def has_one_friction(self) -> bool:
        """Whether friction is the same at rest and at every speed: unless a law has its own `static_at` or `sliding_at`."""
        kind = type(self)
        return kind.static_at is ContactLaw.static_at and kind.sliding_at is ContactLaw.sliding_at

    def sticking(self) -> ContactLaw:
        """The same law for a contact that does not slip."""
        return self

    # -- words ----------------------------------------------------------------------------------------

    @property
    def words(self) -> str:
        """How the law acts, in a few words."""
        raise NotImplementedError  # no class without them can be defined


@dataclass(frozen=True)
class Persistent(ContactLaw):
    """An ideal contact that is always closed: it never lifts, slips or hits."""

    ACTS: ClassVar[str] = ALWAYS

    @property
    def words(self) -> str:
        """How the law acts, in a few words."""
        return "always closed"


@checks.doors
@dataclass(frozen=True)
class Grip(ContactLaw):
    """A contact that holds, in every direction, while `when`, an expression of t and parameters, is positive.

    It closes plastically, wherever its point is then, and opens freely: `Grip("sin(2*pi*t/T)")`.
    """

    when: QuantityLike
    LAWS: ClassVar[tuple[str, ...]] = ("when",)
    ACTS: ClassVar[str] = GRIPS

    def __post_init__(self) -> None:
        self._store(when=as_quantity(self.when, "the condition of a Grip"))

    @property
    def condition(self) -> Any:
        """An expression: the grip holds while it is positive."""
        return self.when

    @property
    def words(self) -> str:
        """How the law acts, in a few words."""
        return f"holds while {self.when} > 0"


def worded(quantity: Any) -> str:
    """A value of a law as its words say it."""
    return f"{quantity:g}" if isinstance(quantity, float) else str(quantity)
