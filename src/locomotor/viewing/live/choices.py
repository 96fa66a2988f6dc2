"""What a live page may show of a system: itself, free to move; driven by a gait; or a scenario from its own start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from locomotor.analysis.cycles import drive_period
from locomotor.dataclass import dataclass
from locomotor.errors import UnknownNameError, ViewingError
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.viewing.live.engine import Engine
from locomotor.viewing.live.stability import Chart

GAIT, SCENARIO = "gait", "scenario"
BEGINNING = ("name", "title", "start", "closed", "parameters", "inputs", "motions", "controller", "duration", "step", "ends")
"""Settings of a scenario that a page follows, with the name that the system has in it, and what it shows."""
COMPUTING = ("stepper", "sample", "drift_time", "project", "scheme", "target")
"""Settings that say how a run is computed: a page has its own ways."""
LIVE_SETTINGS = frozenset((*BEGINNING, *COMPUTING))
DURATION, STEP = 10.0, 0.001
"""Of a motion and of its steps, where nobody says how long they are (s)."""
QUICK, STROKES, STEPS_A_PERIOD = 0.1, 20, 100
"""A drive with a shorter period (s) is shown for so many periods; and steps to a period of any drive, at least."""


@dataclass(frozen=True, eq=False)
class Choice:
    """One entry of the menu."""

    name: str = ""
    group: str = ""
    """"gait", "scenario", or empty for the system itself."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """As `simulate` takes them, those of `BEGINNING`."""

    @property
    def key(self) -> str:
        """How a page asks for it."""
        return f"{self.group}:{self.name}" if self.group else ""

    def system(self, system: System) -> System:
        """The system with the motions, parameters and ends of the choice."""
        if self.settings.get("motions"):
            system = system.with_motions(self.settings["motions"])
        if self.settings.get("parameters"):
            system = system.with_parameters(**self.settings["parameters"])
        if self.settings.get("name"):
            system = system.replace(name=self.settings["name"])
        if "ends" in self.settings and self.settings["ends"] is None:
            system = system.replace(ends=())
        return system


@dataclass(frozen=True, eq=False)
class Way:
    """A choice made ready: what computes it and where it begins."""

    engine: Engine
    start: dict[str, float]
    inputs: dict[str, float | str]
    duration: float
    chart: Chart | None
    """What its stability chart is drawn against, if it has one."""


def choices_of(gaits: Mapping[str, Mapping[str, Any]], scenarios: Mapping[str, Mapping[str, Any]]) -> dict[str, Choice]:
    """The menu by key: gaits, scenarios, and the system without either; a scenario with settings unknown here is refused."""
    found = [Choice(name, GAIT, {"motions": dict(laws)}) for name, laws in gaits.items()]
    for name, settings in scenarios.items():
        for setting in settings:
            if setting not in LIVE_SETTINGS:
                raise ViewingError(
                    f"scenario {name!r}: a live page cannot follow its setting {setting!r}; leave one of them out"
                )
        found.append(Choice(name, SCENARIO, {key: value for key, value in settings.items() if key in BEGINNING}))
    return {choice.key: choice for choice in (*found, Choice())}


def made_ready(
    engine: Engine,
    choice: Choice,
    start: Mapping[str, float] | None,
    inputs: Mapping[str, Any],
    duration: float | None,
    fitting_step: bool,
) -> Way:
    """A choice with its engine; `start`, `inputs` and `duration` are those of the page, for choices without their own.

    With a `fitting_step` what is driven quickly takes shorter steps than the engine's.
    """
    settings = choice.settings
    own = replace(
        engine,
        system=choice.system(engine.system),
        closed=tuple(settings["closed"]) if settings.get("closed") is not None else engine.closed,
        controller=settings.get("controller"),
    )
    period = drive_period(own.system, own.system.parameters.values)
    steps = [period / STEPS_A_PERIOD] if fitting_step and period is not None else []
    steps += [settings["step"]] if settings.get("step") is not None else []  # what it takes elsewhere is short enough
    own = replace(own, step=min(own.step, *steps)) if steps else own
    names = {symbol.name for symbol in own.system.layout.inputs}
    given = settings.get("start") if choice.group == SCENARIO else start
    begin = dict(own.first_start() if given is None else given)
    laws = (
        settings.get("inputs") or {}
        if choice.group == SCENARIO
        else {n: v for n, v in inputs.items() if n in names or not choice.group}
    )
    texts = {name: value if isinstance(value, float | int) else str(value) for name, value in laws.items()}
    asked = settings.get("duration", duration)
    return Way(own, begin, texts, float(_usual_duration(period) if asked is None else asked), own.chart(begin))


def _usual_duration(period: float | None) -> float:
    """Seconds of a motion of which nobody says how long it is: of a quick drive so many strokes that one can follow them."""
    return DURATION if period is None or period > QUICK else STROKES * period


def chosen(choices: Mapping[str, Choice], key: Any) -> Choice:
    """The choice of a key, or an error that names the nearest."""
    if not isinstance(key, str) or key not in choices:
        names = [choice.key for choice in choices.values() if choice.key]
        raise UnknownNameError(f"there is nothing to choose by the name {key!r}: {suggestion(str(key), names)}")
    return choices[key]
