"""The one registry of named experiments and the numbers they must show.

Tests, command line, `reproduce` and `docs/validation.md` all read it. A `Scenario` is a run that anybody can repeat and
vary; a `Computation` is a published number that is no run, such as an eigenvalue. Every `Number` has its source, its
absolute tolerance and the reason for that tolerance. A number that its source states but that cannot hold says why: the
claim that ours differs is then what is tested, so that the explanation stays true.
"""

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from locomotor.dataclass import dataclass
from locomotor.errors import DuplicateNameError, QuantityError, UnknownNameError
from locomotor.figures import FigureOf
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.simulation import FIXED, Run, simulate

MERGED = ("start", "parameters", "inputs", "motions")
"""Settings whose entries are overridden one by one."""
SETTINGS = tuple(name for name in inspect.signature(simulate).parameters if name != "system")


class Origin(StrEnum):
    """Who says what a number must be."""

    PRINTED = "printed in the source"
    """The publication states it: a number, or a fact such as "constant" or "identically zero"."""
    COMPUTED = "computed by us"
    """No publication does: an independent program, a closed form or a law of mechanics gives it."""


OURS = ("computed", "ours")
"""Words in a source that say that the number itself is not printed there."""


@dataclass(frozen=True)
class Number:
    """A number to show: where it comes from, how near ours must be, and why so near."""

    key: str
    expected: float
    tolerance: float
    """Largest difference allowed, absolute."""
    reason: str
    """Why the tolerance is what it is."""
    source: str
    """Publication, by the names of its authors, with table or section. What no publication states begins with a small letter
    ("closed form ...", "computed by ..."), or says in the words "computed" or "ours" what of it is not printed there."""
    differs_because: str = ""
    """Why the source's number cannot hold; ours must then differ by more than the tolerance."""
    unit: str = ""

    def __post_init__(self) -> None:
        """Refuse a number that cannot be judged."""
        if not math.isfinite(self.expected) or not 0.0 < self.tolerance < math.inf:
            raise QuantityError(
                f"number {self.key!r}: expected {self.expected!r} within {self.tolerance!r}; give a finite number and "
                "a positive tolerance"
            )
        for label, text in (("key", self.key), ("reason", self.reason), ("source", self.source)):
            if not text.strip():
                raise QuantityError(f"number {self.key!r}: its {label} is empty; say it in a few words")

    @property
    def origin(self) -> Origin:
        """Whether the source prints it, or we have computed it."""
        words = self.source.replace(",", " ").replace(":", " ").split()
        printed = self.source[0].isupper() and not any(word in OURS for word in words)
        return Origin.PRINTED if printed else Origin.COMPUTED

    def agrees(self, value: float) -> bool:
        """Whether a value lies within the tolerance."""
        return abs(value - self.expected) <= self.tolerance

    def holds(self, value: float) -> bool:
        """Whether a value is as the registry claims: near, or not near where the source cannot be right."""
        return math.isfinite(value) and self.agrees(value) != bool(self.differs_because)


@dataclass(frozen=True)
class Comparison:
    """A published number beside the value that we compute."""

    number: Number
    value: float

    @property
    def difference(self) -> float:
        """Our value less the published one."""
        return self.value - self.number.expected

    @property
    def ok(self) -> bool:
        """Whether the value is as the registry says."""
        return self.number.holds(self.value)

    @property
    def verdict(self) -> str:
        """The result of the comparison in a word or two."""
        if self.number.differs_because:
            return "differs, as explained" if self.ok else "agrees, against the explanation"
        return "agrees" if self.ok else "does not agree"


@dataclass(frozen=True, eq=False)
class Entry(ABC):
    """What scenarios and computations share."""

    name: str
    title: str
    citation: str
    numbers: tuple[Number, ...] = field(kw_only=True)
    aliases: tuple[str, ...] = field(default=(), kw_only=True)
    figures: tuple[FigureOf, ...] = field(default=(), kw_only=True)
    """What the source draws of it."""
    slow: bool = field(default=False, kw_only=True)
    """Whether it takes so long that its numbers are tested with the slow tests."""

    def __post_init__(self) -> None:
        """Refuse two numbers of one key."""
        seen: set[str] = set()
        for number in self.numbers:
            if number.key in seen:
                raise DuplicateNameError(f"scenario {self.name!r}: two numbers are named {number.key!r}; rename one")
            seen.add(number.key)

    def __repr__(self) -> str:
        """The entry in one line."""
        return f"<{type(self).__name__} {self.name!r}: {self.title}; {len(self.numbers)} numbers>"

    @abstractmethod
    def evaluate(self) -> dict[str, float]:
        """The values that we compute, by key."""

    def compare(self) -> tuple[Comparison, ...]:
        """Every published number beside our value."""
        values = self.evaluate()
        for number in self.numbers:
            if number.key not in values:
                raise UnknownNameError(
                    f"scenario {self.name!r} does not measure {number.key!r}: {suggestion(number.key, values)}"
                )
        return tuple(Comparison(number, float(values[number.key])) for number in self.numbers)


@dataclass(frozen=True, eq=False, repr=False)
class Scenario(Entry):
    """A run: a system, the settings of `simulate`, and what to read off."""

    system: Callable[[], System] = field(kw_only=True)
    settings: Mapping[str, Any] = field(kw_only=True)
    """Keywords of `simulate`; `duration` is one of them."""
    measure: Callable[[Run], Mapping[str, float]] = field(kw_only=True)

    def __post_init__(self) -> None:
        """Refuse settings that `simulate` does not have."""
        super().__post_init__()
        self._check(self.settings)

    def _check(self, settings: Iterable[str]) -> None:
        for name in settings:
            if name not in SETTINGS:
                raise UnknownNameError(f"scenario {self.name!r}: a run has no setting {name!r}: {suggestion(name, SETTINGS)}")

    def run(self, **overrides: Any) -> Run:
        """The run, or a variation: `scenario("bicycle/E3").run(duration=2.0, start={"speed": 5.0})`.

        `start`, `parameters`, `inputs` and `motions` override the entries of the same name and leave the others; every
        other setting is replaced.
        """
        self._check(overrides)
        settings = {**self.settings, **overrides}
        if "stepper" in overrides and "step" not in overrides and overrides["stepper"] not in FIXED:
            # The step of the scenario belongs to its own stepper.
            settings.pop("step", None)
        if "sample" not in overrides and _is_shorter(overrides.get("duration"), settings.get("sample")):
            settings["sample"] = settings["duration"]  # its own samples are farther apart than this run is long
        for name in MERGED:
            if overrides.get(name) is not None:
                settings[name] = {**(self.settings.get(name) or {}), **overrides[name]}
        return simulate(self.system(), **settings)

    def evaluate(self) -> dict[str, float]:
        """The values that we compute, by key."""
        return {key: float(value) for key, value in self.measure(self.run()).items()}


def _is_shorter(duration: Any, sample: float | None) -> bool:
    """Whether a duration is one, and shorter than the distance of samples; what is wrong with it is for the run to say."""
    return sample is not None and isinstance(duration, int | float) and 0.0 < duration < sample


@dataclass(frozen=True, eq=False, repr=False)
class Computation(Entry):
    """An entry whose numbers are computed without a run."""

    compute: Callable[[], Mapping[str, float]] = field(kw_only=True)

    def evaluate(self) -> dict[str, float]:
        """The values that we compute, by key."""
        return {key: float(value) for key, value in self.compute().items()}


# -- writing numbers ------------------------------------------------------------------------------------------

LAST_DIGIT = "half a unit of the last digit given"
UNIT = "one unit of the last digit given"


def digits(
    texts: Mapping[str, str], source: str, unit: str = "", units: float = 0.5, reason: str = LAST_DIGIT
) -> tuple[Number, ...]:
    """Numbers from their printed digits, by key; each is right to `units` of its last digit."""
    return tuple(Number(key, float(text), _last_digit(text, units), reason, source, unit=unit) for key, text in texts.items())


def vanishing(
    keys: Iterable[str], tolerance: float, source: str, unit: str = "", reason: str = "round-off"
) -> tuple[Number, ...]:
    """Numbers whose published value is zero."""
    return tuple(Number(key, 0.0, tolerance, reason, source, unit=unit) for key in keys)


def contradicted(key: str, text: str, source: str, unit: str, because: str) -> Number:
    """A number that its source states, from its printed digits, and that cannot hold."""
    return Number(key, float(text), _last_digit(text, 0.5), LAST_DIGIT, source, because, unit)


def _last_digit(text: str, units: float) -> float:
    last = Decimal(text).as_tuple().exponent
    assert isinstance(last, int)  # a finite decimal
    # Round-off of the decimal text itself must not decide.
    return units * 10.0**last * (1 + 1e-9)


# -- the registry ---------------------------------------------------------------------------------------------

_ENTRIES: dict[str, Entry] = {}
_ALIASES: dict[str, str] = {}

E = TypeVar("E", bound=Entry)


def register(entry: E) -> E:
    """Add an entry; its name and aliases must be new."""
    for name in (entry.name, *entry.aliases):
        if name in _ENTRIES or name in _ALIASES:
            raise DuplicateNameError(f"two scenarios are named {name!r}; rename one of them")
    _ENTRIES[entry.name] = entry
    _ALIASES.update(dict.fromkeys(entry.aliases, entry.name))
    return entry


def scenario(name: str) -> Any:
    """The `Scenario` or `Computation` of that name or alias."""
    known = _ALIASES.get(name, name)
    if known not in _ENTRIES:
        raise UnknownNameError(f"no scenario is named {name!r}: {suggestion(name, [*_ENTRIES, *_ALIASES])}")
    return _ENTRIES[known]


def scenarios() -> tuple[Entry, ...]:
    """All entries in the order of registration."""
    return tuple(_ENTRIES.values())
