"""The plan of a search for cycles: all that was asked for, checked and in order, for every verb that makes a Poincaré map."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

from locomotor.analysis.cycles.options import OF_SEARCH, OF_SECTION, Search, Section
from locomotor.checks import Check, either, function, instance, mapping, optional, positive, text
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentTypeError, InconsistentStartError, SectionError, StepperError
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.simulation import OF_METHOD, OF_START, Method, Start, one_of
from locomotor.tracing import Channels, Controller

Guess = Mapping[str, float] | Sequence[Mapping[str, float]] | Start | None
Law = Controller | Callable[[Channels], Mapping[str, Any]] | None

KEYWORDS: dict[type, dict[str, str]] = {
    Section: {"section" if name == "at" else name: name for name in OF_SECTION},
    Search: {name: name for name in OF_SEARCH},
    Start: {"closed": "closed", "start_time": "time"},
    Method: {"step": "step", "target": "target"},
}
"""For each kind of option object the keywords that say the same one by one, and the field that each is."""

OF_CYCLE: dict[str, Check] = {
    **OF_SECTION,
    **OF_SEARCH,
    "section": optional(either(instance(Section), text)),
    "closed": OF_START["closed"],
    "start_time": OF_START["time"],
    "step": optional(partial(positive, error=SectionError)),
    "target": OF_METHOD["target"],
    "inputs": optional(mapping),
    "controller": optional(either(instance(Controller), function)),
    "search": optional(instance(Search)),
    "method": optional(instance(Method)),
}
"""Every keyword of a search, with its check."""
del OF_CYCLE["at"]


@dataclass(frozen=True, eq=False)
class CyclePlan:
    """What stays the same over a whole search."""

    system: System
    start: Start
    guesses: tuple[Mapping[str, float], ...]
    """Values of the start; for multiple shooting there may be one for each segment."""
    section: Section
    search: Search
    method: Method
    inputs: Mapping[str, Any] | None
    controller: Law
    free: tuple[str, ...] = ()
    """Parameters of which the map is a function too."""

    @property
    def step(self) -> float | None:
        """Seconds a step; None where nothing was said."""
        own = None if isinstance(self.method.stepper, str) else getattr(self.method.integrator, "step", None)
        return self.method.step if own is None else own


def plan_cycle(
    owner: str,
    system: System,
    guess: Guess,
    options: Mapping[str, Any],
    *,
    without: Collection[str] = (),
    free: tuple[str, ...] = (),
) -> CyclePlan:
    """Put in order what a verb (`owner`) was asked for, and refuse what cannot be; nothing is traced or compiled yet.

    `options` are keywords of `find_cycle`, one by one or as objects; `without` names those that the verb does not take.
    """
    known = [name for name in OF_CYCLE if name not in without]
    for name in options:
        if name in without:
            raise ArgumentTypeError(f"{owner}: {name} is an option of find_cycle alone; leave it out")
        if name not in OF_CYCLE:
            raise ArgumentTypeError(f"{owner}: no option is named {name!r}: {suggestion(name, known)}")
    given = {name: OF_CYCLE[name](value, f"{owner}: {name}") for name, value in options.items()}
    section, begin = given.get("section"), guess if isinstance(guess, Start) else None
    if isinstance(section, Section):
        given["section"] = None
    guesses = _guesses(guess)
    values = None if guess is None or begin is not None else guesses[0] if guesses else {}
    search: Search = one_of("search", given.get("search"), _made(Search, given), SectionError)
    for name in OF_SEARCH:
        if name in without and getattr(search, name) != getattr(Search(), name):
            raise SectionError(f"{owner}: search has {name}, which is an option of find_cycle alone; leave it out")
    if len(guesses) not in (1, search.multiple):
        raise SectionError(f"{len(guesses)} guesses are given for {search.multiple} segment(s); give one, or one a segment")
    return CyclePlan(
        system,
        _on_a_section(one_of("guess", begin, _made(Start, given, values=values), SectionError)),
        guesses,
        one_of("section", section if isinstance(section, Section) else None, _made(Section, given), SectionError),
        search,
        _differentiable(one_of("method", given.get("method"), _made(Method, given), SectionError)),
        given.get("inputs"),
        given.get("controller"),
        tuple(free),
    )


def _guesses(guess: Guess) -> tuple[Mapping[str, float], ...]:
    if isinstance(guess, Start):
        return (dict(guess.values or {}),)
    if guess is None or isinstance(guess, Mapping):
        return (dict(guess or {}),)
    return tuple(dict(start) for start in guess)


def _made(kind: type, given: Mapping[str, Any], **besides: Any) -> Any:
    """The option object that plain keywords make."""
    words = KEYWORDS[kind]
    return kind(**{words[name]: value for name, value in given.items() if name in words}, **besides)


def _on_a_section(start: Start) -> Start:
    if not start.assemble:
        raise InconsistentStartError("Start: assemble=False; contacts are closed on the section of a cycle: leave it out")
    return start


def _differentiable(method: Method) -> Method:
    """Refuse what a cycle cannot be followed by: of a method only step and target have exact derivatives here."""
    usual = Method()
    others = [entry.name for entry in fields(Method) if entry.name not in (*KEYWORDS[Method], "stepper")]
    wrong = [name for name in others if getattr(method, name) != getattr(usual, name)]
    if method.integrator.name != usual.integrator.name:
        wrong.insert(0, "stepper")
    if wrong:
        raise StepperError(
            f"Method: {wrong[0]} is {getattr(method, wrong[0])!r}; a cycle is followed by {usual.integrator.name} with exact "
            "derivatives, and takes of a Method its step and target"
        )
    return method
