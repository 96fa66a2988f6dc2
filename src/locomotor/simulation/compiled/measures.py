"""Reductions over a roll-out: a million runs need not be kept to know how far each leaned.

measures = {"lean": Maximum("abs(roll)"), "fall": FirstTime("abs(roll) - 1")}
compiled.rollout(states, 1000, 0.01, save_every=0, measures=measures).measures["lean"]
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.model import Expression, parse


@checks.doors
@dataclass(frozen=True)
class Measure:
    """A number for each instance, from an expression of channels taken at the start and after every step."""

    expression: str | Expression
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        """Refuse what is no expression."""
        if type(self) is Measure:
            raise ModelError("Measure is no reduction itself; use Maximum, Minimum, Final, Mean, Integral or FirstTime")
        if isinstance(self.expression, str):
            parse(self.expression)
        elif not isinstance(self.expression, Expression):
            given = checks.shown(self.expression)
            raise ModelError(f"{type(self).__name__} takes an expression such as 'abs(roll)', not {given}")

    def __str__(self) -> str:
        return f"{type(self).__name__}({str(self.expression)!r})"


@checks.doors
class Maximum(Measure):
    """Largest value; NaN is ignored."""

    kind = "maximum"


@checks.doors
class Minimum(Measure):
    """Smallest value; NaN is ignored."""

    kind = "minimum"


@checks.doors
class Final(Measure):
    """Value at the last good state."""

    kind = "final"


@checks.doors
class Integral(Measure):
    """Integral over time, by trapezoids."""

    kind = "integral"


@checks.doors
class Mean(Measure):
    """Mean over the time that the instance lived, by trapezoids; NaN when it took no step."""

    kind = "integral"


@checks.doors
class FirstTime(Measure):
    """The time when the value was >= 0 first, by linear interpolation within the step; NaN when it never was."""

    kind = "first_time"


TAKEN = ("time", "status", "completed")
"""Names that the dataset of a batch has already."""


def check_measures(measures: Mapping[str, Any] | None, saved: Sequence[str] = ()) -> dict[str, Measure]:
    """The mapping, or an error that names the entry; `saved` are the names of the rows beside it."""
    found = {} if measures is None else checks.mapping(measures, "measures")
    for name, measure in found.items():
        checks.line(name, "the name of a measure")
        if name in (*saved, *TAKEN):
            other = f"{name}_measured"
            raise ModelError(f"measure {name!r} has the name of what is saved; call it otherwise, such as {other!r}")
        if not isinstance(measure, Measure):
            raise ModelError(
                f"measure {name!r} is {checks.shown(measure)}; give a reduction such as lm.Maximum('abs(roll)'), "
                "lm.Final('x') or lm.FirstTime('abs(roll) - 1')"
            )
    return found
