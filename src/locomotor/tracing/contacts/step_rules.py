"""Which law of impact a step of time-stepping has: the rule of the contacts that bounce in it, Newton's where rules differ.

Contacts by the rules of Poisson and Stronge are compressed first, and then give back what their laws say
(`mechanics/impacts/rebound.py`). Moreau's rule is Newton's with the same coefficient in every direction, one for all contacts.
So it is in runs with events (`simulation/events/collisions.py`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.tracing.contacts.switching import SwitchingRows

TWO_PHASES = ("poisson", "stronge")
"""Rules with a compression and a restitution."""
ALIKE = 1e-12
"""Coefficients that differ by more are not one index of Moreau's."""


@dataclass(frozen=True, eq=False)
class StepRules:
    """The law of one step."""

    named: tuple[str, ...]
    """Rules with two phases that a step may have."""
    compressed: Sequence[Any]
    """For each contact, whether it bounces by one of them; None where it never does."""
    shares: Sequence[Any]
    """What of its compression each gives back."""
    energetic: Any
    """1 where that is of energies, 0 where of impulses."""
    gives_back: Any
    """1 where anything is given back."""
    reversed: Any
    """Coefficient along the ground of all contacts, by Moreau's rule; None where no law has it."""


def rule_of(rows: Sequence[SwitchingRows], row: SwitchingRows) -> str:
    """The rule of a contact that may bounce; laws with names have no word for spin and rolling."""
    turns = any(each.law.pivots or each.law.resists for each in rows if each.law.pushes)
    return "newton" if turns else row.law.impact_rule


def rules_in(rows: Sequence[SwitchingRows]) -> set[str]:
    """All rules by which contacts may bounce."""
    return {rule_of(rows, row) for row in rows if row.law.may_bounce}


def rules_of(
    rows: Sequence[SwitchingRows],
    approaching: Sequence[Any],
    acting: Sequence[Any],
    bounces: Sequence[Any],
    values: Mapping[str, Any],
) -> StepRules:
    """The law of a step, from the normal velocities of all contacts, whether they act, and whether they bounce."""
    rules = rules_in(rows)
    named = tuple(rule for rule in TWO_PHASES if rule in rules)
    if rules <= {"newton"}:
        return StepRules((), [None] * len(rows), [], 0.0, 0.0, None)
    leaving: list[Any] = []
    coefficients: list[Any] = []
    for row, speed, acts, leaves in zip(rows, approaching, acting, bounces, strict=True):
        e = 0.0 if leaves is None else row.law.coefficients_at(values, -speed)[0]
        flag: Any = 0.0 if leaves is None else ops.if_else(ops.logic_and(acts, leaves), 1.0, 0.0)
        # One that takes from the approach of others has Newton's rule even where it gives back nothing of its own.
        leaving.append(flag if leaves is None or row.law.others else ops.if_else(ops.less(0.0, e), flag, 0.0))
        coefficients.append(e)
    has = {rule: _any(flag for row, flag in zip(rows, leaving, strict=True) if rule_of(rows, row) == rule) for rule in rules}
    only = {rule: has[rule] * (1.0 - _any(has[other] for other in rules if other != rule)) for rule in rules}
    compressed: list[Any] = []
    shares: list[Any] = []
    for row, flag, e in zip(rows, leaving, coefficients, strict=True):
        rule = rule_of(rows, row)
        if rule not in named or not row.law.may_bounce:
            compressed.append(None)
            shares.append(0.0)
            continue
        compressed.append(ops.less(0.5, flag * only[rule]))
        shares.append(flag * only[rule] * e)
    gives_back = _any(only[rule] for rule in named)
    return StepRules(
        named, compressed, shares, only.get("stronge", 0.0), gives_back, _reversed(rows, leaving, coefficients, only)
    )


def _reversed(
    rows: Sequence[SwitchingRows], leaving: Sequence[Any], coefficients: Sequence[Any], only: Mapping[str, Any]
) -> Any:
    """The one coefficient of Moreau's rule, zero in a step without it; and where contacts that bounce differ in theirs."""
    if "moreau" not in only:
        return None
    own = [k for k, row in enumerate(rows) if row.law.may_bounce and rule_of(rows, row) == "moreau"]
    largest, least = 0.0, 1.0
    for k in own:
        largest = ops.fmax(largest, leaving[k] * coefficients[k])
        least = ops.fmin(least, ops.if_else(ops.less(0.5, leaving[k]), coefficients[k], 1.0))
    return only["moreau"] * ops.if_else(ops.less(largest, least + ALIKE), largest, 0.0)


def _any(flags: Any) -> Any:
    found: Any = 0.0
    for flag in flags:
        found = ops.fmax(found, flag)
    return found
