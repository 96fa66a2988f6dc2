"""Where a cycle is looked at: at a phase of the drives, at an event of a contact, or where an expression changes sign."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from locomotor.analysis.cycles.options import Section
from locomotor.dataclass import dataclass
from locomotor.errors import SectionError
from locomotor.model import Description, Expression, System, frictions_of, parse
from locomotor.model.expressions import expressions
from locomotor.names import TIME, suggestion
from locomotor.simulation.inputs import calls_of

KINDS = ("impact", "lift-off", "rest", "slips", "sticks", "rolls")
BEFORE = {"lift-off": "hold", "slips": "friction_left"}
"""Events just before which a section lies, and what vanishes there: then the contact is still held."""
OF_FRICTION = ("slips", "sticks", "rolls")
OF_JOINTS = ("slips", "sticks")
"""Events of the dry friction of joints."""
SCHEDULED = ("grip", "release")
DIRECTIONS = {"rising": 1.0, "falling": -1.0}
COMMON = 64
"""Largest ratio of periods for which a common one is looked for."""


class SectionKind:
    """Base of the kinds of sections: what everything else asks of one, with the answers that hold unless it says otherwise.

    Where a passage is (`within`, `at_instant`, `changes_before` in `passages`), what vanishes there (`naming`) and how it moves
    with the state before (`event_flow`) are functions registered on the kind.
    """

    @property
    def clock(self) -> float | None:
        """Time from one passage to the next (s) where that follows the clock; None where the motion decides."""
        return None

    @property
    def by_clock(self) -> bool:
        """Whether passages follow the clock."""
        return self.clock is not None

    @property
    def exchanges_contacts(self) -> bool:
        """Whether other contacts may be closed at the next passage of the same cycle, as those of the other leg."""
        return False

    def is_to_be_reached(self, closed_given: bool) -> bool:
        """Whether the motion has to lead a guess to the section first; `closed_given`: whether it names its closed contacts."""
        return False


@dataclass(frozen=True)
class Phase(SectionKind):
    """A fixed time apart: just after whatever is scheduled then."""

    period: float

    @property
    def clock(self) -> float:
        """Period (s) of the drive whose phase is the section."""
        return self.period

    def __str__(self) -> str:
        return f"every {self.period:.6g} s"


@dataclass(frozen=True)
class AtEvent(SectionKind):
    """At an event of one contact, or friction of a joint, or (empty name) of any.

    That is just before it lifts off or begins to slip, else just after.
    """

    contact: str
    kind: str

    @property
    def is_before(self) -> bool:
        """Whether it is just before its event."""
        return self.kind in BEFORE

    @property
    def is_touch(self) -> bool:
        """Whether contacts that are open may touch on it."""
        return self.kind not in BEFORE and self.kind not in OF_FRICTION

    @property
    def vanishing(self) -> str:
        """What vanishes on it: the gap of contacts that have bounced, or what still holds the one concerned."""
        return BEFORE.get(self.kind, "gap")

    @property
    def exchanges_contacts(self) -> bool:
        """Whether any contact will do, so that contacts may take each other's place from step to step."""
        return not self.contact

    def is_to_be_reached(self, closed_given: bool) -> bool:
        """Unless the guess says what is closed just after the event."""
        return not closed_given

    def __str__(self) -> str:
        return f"{self.contact or 'any'} {self.kind}"


@dataclass(frozen=True)
class Crossing(SectionKind):
    """Where an expression of the channels becomes positive (`direction` 1) or negative (-1)."""

    expression: Expression
    direction: float

    def is_to_be_reached(self, closed_given: bool) -> bool:
        """Always: a guess hardly has the value."""
        return True

    def __str__(self) -> str:
        return f"{self.expression} {'rising' if self.direction > 0 else 'falling'}"


def read_section(
    system: System, section: Section, values: Mapping[str, float], inputs: Sequence[Expression] = ()
) -> SectionKind:
    """The section asked for; the period of the drives by default."""
    if section.period is not None:
        return Phase(section.period)
    if section.at is None:
        found = drive_period(system, values, inputs)
        if found is None:
            raise SectionError(
                f"{system.name}: nothing in it repeats by the clock; give period=..., or section=... such as "
                f"{_example(system)!r} or '<channel> rising'"
            )
        return Phase(found)
    return _read(system, section.at)


def _read(system: System, section: str) -> SectionKind:
    switching = [contact.name for contact in system.contacts if contact.law.switches]
    rubs = [friction.name for friction in frictions_of(system)]
    *first, last = section.split() or [""]
    if last in SCHEDULED:
        raise SectionError(f"section {section!r}: grips follow the clock; give period=... instead, or leave it to be found")
    if last in DIRECTIONS and first:
        return Crossing(parse(" ".join(first)), DIRECTIONS[last])
    if last in KINDS and len(first) <= 1:
        contact = first[0] if first else ""
        if contact in rubs and last in OF_JOINTS:
            return AtEvent(contact, last)
        if contact and contact not in switching:
            told = suggestion(contact, [*switching, *rubs])
            if contact in rubs:
                told = f"it is the dry friction of a joint, which {' or '.join(OF_JOINTS)}"
            raise SectionError(f"section {section!r}: no contact that opens is named {contact!r}: {told}")
        if last in OF_JOINTS and rubs and not contact:
            return AtEvent(contact, last)
        if last in OF_FRICTION and not any(c.law.slips and contact in ("", c.name) for c in system.contacts):
            raise SectionError(
                f"section {section!r}: {contact or 'no contact'} {'has no' if contact else 'has a'} coefficient of friction, "
                "so that nothing slips; give Unilateral(friction=...), or another section"
            )
        return AtEvent(contact, last)
    of_joints = (f"{name} {kind}" for name in rubs for kind in OF_JOINTS)
    known = [*(f"{name} {kind}" for name in switching for kind in KINDS), *of_joints, *KINDS]
    told = suggestion(section, known)
    raise SectionError(f"section {section!r}: {told}; or '<expression of channels> rising' or '... falling'")


def _example(system: System) -> str:
    names = [contact.name for contact in system.contacts if contact.law.pushes]
    return f"{names[0]} impact" if names else "impact"


# -- the period of the drives ---------------------------------------------------------------------------------


def repeating_gaits(system: System, gaits: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Names of the gaits (laws of time by joint) that repeat by the clock, so that a cycle of them can be looked for."""
    values = system.parameters.values
    return [gait for gait, laws in gaits.items() if drive_period(system.with_motions(dict(laws)), values) is not None]


def drive_period(system: System, values: Mapping[str, float], inputs: Sequence[Expression] = ()) -> float | None:
    """Common period of every sine and cosine of time in laws and inputs; None if there is none, or if time enters otherwise."""
    periods: list[float] = []
    for law in timed_laws(system, inputs):
        turning = [node for node in calls_of(law) if node.function in ("sin", "cos") and TIME in node.names]
        for node in turning:
            speed = node.arguments[0].derivative(TIME)
            if speed.names <= values.keys() and (omega := abs(float(speed.evaluate(values)))) > 0.0:
                periods.append(2.0 * math.pi / omega)
    if not periods:
        return None
    common = periods[0]
    for other in periods[1:]:
        common *= Fraction(other / common).limit_denominator(COMMON).numerator
    return common if _repeats([*timed_laws(system, inputs)], values, common) else None


def period_names(system: System, inputs: Sequence[Expression] = ()) -> frozenset[str]:
    """Parameters that the period of the drives depends on."""
    found: set[str] = set()
    for law in timed_laws(system, inputs):
        for node in calls_of(law):
            if node.function in ("sin", "cos") and TIME in node.names:
                found |= node.arguments[0].derivative(TIME).names
    return frozenset(found)


def _repeats(laws: Sequence[Expression], values: Mapping[str, float], period: float) -> bool:
    """Whether every law that depends on time alone repeats."""
    times = period * np.array([0.013, 0.171, 0.377, 0.501, 0.689, 0.871])
    for law in laws:
        if law.names <= {TIME, *values}:
            first, later = (np.asarray(law.evaluate({**values, TIME: t}), dtype=float) for t in (times, times + period))
            if np.abs(first - later).max(initial=0.0) > 1e-9 * (1.0 + np.abs(first).max(initial=0.0)):
                return False
    return True


def timed_laws(system: System, inputs: Sequence[Expression] = ()) -> Iterator[Expression]:
    """Every expression of the system and of its inputs that time enters."""
    parts: list[object] = [*inputs, *system.joints, *system.contacts, *system.forces, *system.constraints, *system.loops]
    while parts:
        part = parts.pop()
        if isinstance(part, Description):
            parts.extend(getattr(part, name) for name in getattr(part, "__dataclass_fields__", ()))
            continue
        for expression in expressions(part):
            if TIME in expression.names:
                yield expression
