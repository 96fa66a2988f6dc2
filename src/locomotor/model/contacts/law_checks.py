"""Whether a contact law says what it must, and says it in a form that runs and files can use."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from locomotor.checks import shown
from locomotor.errors import ContactLawError, DescriptionTypeError
from locomotor.model.description import Description
from locomotor.model.expressions import Expression, as_quantity, known

if TYPE_CHECKING:
    from locomotor.model.contacts.law import ContactLaw

IMPACT_RULES = ("newton", "poisson", "stronge", "moreau")
ALWAYS, PUSHES, GRIPS, RUBS = "always", "pushes", "grips", "rubs"
PROPERTIES = (
    "condition", "largest_pull", "impact_rule", "fixed_coefficients", "others", "slips", "has_one_friction", "pivots",
    "resists", "words",
)  # fmt: skip
"""Answers that are read without brackets."""


def unanswered(law: type[ContactLaw], base: type[ContactLaw]) -> list[str]:
    """What a class of laws must say and does not, with the remedy."""

    def says(name: str) -> bool:
        return getattr(law, name) is not getattr(base, name)

    found = []
    if law.ACTS not in (ALWAYS, PUSHES, GRIPS, RUBS):
        found.append(f"ACTS is {law.ACTS!r}; it must be {ALWAYS!r}, {PUSHES!r} or {GRIPS!r}")
    for name in PROPERTIES:
        if inspect.isroutine(inspect.getattr_static(law, name)):
            found.append(f"`{name}` is a method, and it is read without brackets; write @property above it")
    if law.ACTS == PUSHES and not (says("bounce") or says("fixed_coefficients")):
        found.append("it pushes, and nothing says what it does in an impact; define `fixed_coefficients`, or `bounce` as well")
    if "bounce" in vars(law) and "fixed_coefficients" not in vars(law):
        found.append("it has a `bounce` of its own; define `fixed_coefficients` too, None where the approach enters")
    if law.ACTS == GRIPS and not says("condition"):
        found.append("it grips, and nothing says when; define `condition`")
    if says("slips") != says("friction_at") or says("slips") != says("sticking"):
        found.append("a law that slips defines `slips`, `friction_at` and `sticking` together")
    if says("slips") and law.ACTS not in (PUSHES, RUBS):
        found.append(
            f"it has friction (`slips`), which is for laws that push, and ACTS is {law.ACTS!r}; it must be {PUSHES!r}. A force "
            "along the ground of a contact that is always closed is a Force, on a kind that leaves that direction free"
        )
    for name, size in (("pivots", "patch_at"), ("resists", "resistance_at")):
        if says(name) != says(size):
            found.append(f"it says one of `{name}` and `{size}`; define both")
    if says("largest_pull") and law.ACTS != PUSHES:
        found.append(f"it has a `largest_pull`, which is for laws that push, and ACTS is {law.ACTS!r}; it must be {PUSHES!r}")
    if says("others") != says("shares") or says("others") != says("alone"):
        found.append("a law that names other contacts defines `others`, `shares` and `alone` together")
    if not says("words"):
        found.append("define `words`, which says in a few words how it acts")
    return found


def undecorated(law: type[ContactLaw]) -> str:
    """The first field of a class that no dataclass knows; empty where all are known."""
    known_fields = getattr(law, "__dataclass_fields__", {})
    return next((name for name in inspect.get_annotations(law) if name not in known_fields), "")


def check_fields(part: Any, label: str) -> None:
    """Refuse what can neither be compared nor written to a file, in the fields of a law or of a contact."""
    for entry in fields(part):
        value = getattr(part, entry.name)
        if not _is_plain(value):
            raise DescriptionTypeError(
                f"{label}: {entry.name} is {shown(value)}, a {type(value).__name__}, which cannot be compared and written to "
                "files; keep numbers, texts, expressions, descriptions and tuples of them (turn it into one in `__post_init__`)"
            )


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_plain(entry) for entry in value)
    return value is None or isinstance(value, Description | Expression | str | bool | int | float)


def check_answers(law: ContactLaw, label: str, values: Mapping[str, float]) -> None:
    """Refuse answers of another form than is needed, and values out of range as far as they are known."""
    who = f"{label}: its law {type(law).__name__}"
    check_fields(law, who)
    if not isinstance(law.words, str):
        raise ContactLawError(f"{who} has the words {shown(law.words)}; give a text")
    if law.impact_rule not in IMPACT_RULES:
        raise ContactLawError(f"{who} has the impact_rule {shown(law.impact_rule)}; give one of {', '.join(IMPACT_RULES)}")
    if not isinstance(law.condition, Expression | int | float) or isinstance(law.condition, bool):
        raise ContactLawError(
            f"{who} has the condition {shown(law.condition)}; give a number or an expression, a text by lm.parse(...)"
        )
    _check_pull(law, who, values)
    if law.fixed_coefficients is not None:
        pair = a_pair(law.fixed_coefficients, f"{who} has the fixed_coefficients", "None where the approach enters, or ")
        for name, value, least in zip(("normal", "tangential"), pair, (0.0, -1.0), strict=True):
            if not isinstance(value, Expression | int | float):
                raise ContactLawError(f"{who}: its {name} coefficient is {shown(value)}; give a number or an expression")
            if wrong := wrong_coefficient(known(value, values), least):
                raise ContactLawError(f"{who}: its {name} coefficient {wrong}")


def _check_pull(law: ContactLaw, who: str, values: Mapping[str, float]) -> None:
    pull = known(as_quantity(law.largest_pull, f"{who}: its largest_pull"), values)
    if pull is not None and not 0.0 <= pull < math.inf:
        raise ContactLawError(f"{who}: its largest_pull is {float(pull)!r} N; it must be zero or positive, and finite")
    if law.adheres and law.slips:
        raise ContactLawError(f"{who} slips and has a largest_pull, which do not go together; leave one of them out")


def a_pair(value: Any, what: str, otherwise: str = "") -> tuple[Any, Any]:
    """Two coefficients, or an error."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ContactLawError(f"{what} {shown(value)}; give {otherwise}a pair, normal and tangential coefficient")
    return value[0], value[1]


def wrong_coefficient(value: Any, least: float) -> str:
    """What is wrong with a number that is no coefficient; nothing for symbols and what is not known yet."""
    if not isinstance(value, int | float) or least <= value <= 1.0:
        return ""
    told = "not a number (NaN), its formula has no value there" if math.isnan(value) else repr(float(value))
    return f"is {told}; it must lie between {least:g} and 1"
