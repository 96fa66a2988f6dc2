"""Cases by number, those kept because they failed once, and running one with all its checks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from combinations import checks, repeats, shapes
from combinations.build import Case, build, parse
from combinations.checks import Check, Done
from combinations.features import Choice
from combinations.pairs import design, random_choice
from locomotor.errors import LocomotorError

CHECKS: tuple[Check, ...] = (
    *checks.CHECKS,
    shapes.connection_is_least_motion,
    repeats.returns_have_slopes,
    repeats.driven_motion_repeats,
)
"""What must hold of every case."""
BLOCK = 170
"""Numbers to a design: those beyond its length are random choices."""
QUICK = 34
"""Cases of the quick tests: the first of the first design, which cover most pairs."""
RIGHTLY_REFUSED = (
    "depends on each other in this pose, though not around it",  # a plane mechanism held at rest across its plane
    "came to no rest on the terrain",  # let down into a valley, where it would stand on two faces
)
"""Refusals of starts that are right for a pose and a place drawn at random."""
KEPT = Path(__file__).with_name("regressions.txt")


@lru_cache(maxsize=16)
def _design(seed: int) -> tuple[Choice, ...]:
    return tuple(design(seed))


def choice_of(number: int) -> Choice:
    """The choice of a case: blocks of numbers hold a covering design each, filled up with random choices."""
    block, row = divmod(number, BLOCK)
    rows = _design(block)
    return rows[row] if row < len(rows) else random_choice(number)


@dataclass(frozen=True)
class Kept:
    """A case that failed once: the line that makes it, and why it failed; `is_open` while it still does."""

    text: str
    why: str
    is_open: bool


def kept() -> list[Kept]:
    """Those of `regressions.txt`, a line each: `axis=value ... seed=n  # why`, with `# open: why` for what is not mended."""
    found = []
    for line in KEPT.read_text(encoding="utf-8").splitlines():
        text, _, why = (part.strip() for part in line.partition("#"))
        if text:
            found.append(Kept(text, why.removeprefix("open: "), why.startswith("open: ")))
    return found


def case_of(what: int | str) -> Case:
    """A case by number or by its line of text."""
    if isinstance(what, str):
        return build(*parse(what))
    return build(choice_of(what), what)


def complaints(case: Case, checks: tuple[Check, ...] = CHECKS) -> list[str]:
    """What does not hold of a case, in words, with the line that makes it again."""
    done, found = Done(case), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for check in checks:
            try:
                check(done)
            except AssertionError as error:
                found.append(f"{check.__name__}: {error}")
            except LocomotorError as error:
                if any(words in str(error) for words in RIGHTLY_REFUSED):
                    return []
                found.append(f"{check.__name__}: refused, {type(error).__name__}: {error}")
            except Exception as error:  # what is not ours is what we look for
                found.append(f"{check.__name__}: raw {type(error).__name__}: {error}")
    return [f"{text}\n    python -m combinations '{case.text}'" for text in found]
