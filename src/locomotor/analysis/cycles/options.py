"""Options of a search for cycles that belong together, as small frozen objects: made once, they serve many searches."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from locomotor import checks
from locomotor.checks import Check, mapping, names, numbers_by_name, optional, positive, text, whole
from locomotor.dataclass import dataclass
from locomotor.errors import SectionError
from locomotor.simulation import check_fields

TOLERANCE = 1e-10
"""Largest residual of a cycle, by default."""
LONGEST = 60.0
"""Time after which a section counts as never reached, by default (s)."""

OF_SECTION: dict[str, Check] = {
    "at": optional(text),
    "period": optional(partial(positive, error=SectionError)),
    "periods": partial(whole, least=1, most=10_000, error=SectionError),
    "symmetry": optional(mapping),
    "unknowns": optional(names),
    "modulo": optional(names),
    "longest": positive,
}
OF_SEARCH: dict[str, Check] = {
    "hold": optional(numbers_by_name),
    "multiple": partial(whole, least=1, most=10_000, error=SectionError),
    "settle": optional(partial(whole, most=1_000_000, error=SectionError)),
    "tolerance": positive,
    "iterations": optional(partial(whole, least=1)),
}


@checks.doors
@dataclass(frozen=True)
class Section:
    """Where a cycle is looked at, and when it counts as closed there: `find_cycle(robot, section=Section(period=0.5))`.

    What the fields mean is said at `find_cycle`, whose arguments they are; `at` is its `section` as text.
    """

    at: str | None = None
    period: float | None = None
    periods: int = 1
    symmetry: Mapping[str, Any] | None = None
    unknowns: Iterable[str] | None = None
    modulo: Iterable[str] | None = None
    longest: float = LONGEST

    def __post_init__(self) -> None:
        """Check the fields; refuse what cannot be meant."""
        check_fields(self, OF_SECTION)
        if self.at is not None and self.period is not None:
            raise SectionError(
                f"give a period ({self.period!r}) or a section ({self.at!r}), not both: an event decides when it comes"
            )


@checks.doors
@dataclass(frozen=True)
class Search:
    """How Newton's method looks for a cycle: `find_cycle(robot, search=Search(settle=20, tolerance=1e-8))`.

    What the fields mean is said at `find_cycle`, whose arguments of the same names they are.
    """

    hold: Mapping[str, float] | None = None
    multiple: int = 1
    settle: int | None = None
    tolerance: float = TOLERANCE
    iterations: int | None = None

    def __post_init__(self) -> None:
        """Check the fields; refuse what cannot be meant."""
        check_fields(self, OF_SEARCH)
        if self.hold and self.multiple > 1:
            raise SectionError(f"hold needs multiple=1, not {self.multiple}; leave one of them out")
