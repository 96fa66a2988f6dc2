"""What the live page of a named system offers: its registered runs, and the keys that drive it."""

from typing import Any

from locomotor import catalogue
from locomotor.errors import UnknownNameError, UsageError
from locomotor.model import Riding, System
from locomotor.scenarios import Scenario, scenario, scenarios
from locomotor.viewing.live import LIVE_SETTINGS


def riding_of(name: str, system: System) -> Riding | None:
    """How a system is ridden with the keys: as its entry in the catalogue says, or that of its family; None for most."""
    for known in (name, canonical(name).partition("/")[0]):
        try:
            riding = catalogue.ready(known).riding
            if riding is not None:
                riding.check_inputs(system)
            return riding
        except UnknownNameError:
            continue
    return None


def canonical(name: str) -> str:
    """The name of a scenario that may be called by another."""
    try:
        return str(scenario(name).name)
    except UnknownNameError:
        return name


def check_followed(name: str) -> None:
    """Refuse a scenario that a live page cannot show as it is, and say what shows it."""
    try:
        entry = scenario(name)
    except UnknownNameError:
        return
    foreign = sorted(set(entry.settings) - LIVE_SETTINGS) if isinstance(entry, Scenario) else []
    if foreign:
        folder = f"out/{entry.name.replace('/', '-')}"
        raise UsageError(
            f"{entry.name} is computed with the setting {', '.join(foreign)}, which a live page cannot follow; "
            f"`locomotor run {entry.name}` computes it, `locomotor view {folder}/run.nc` then shows it"
        )


def scenarios_of(name: str, system: System) -> dict[str, dict[str, Any]]:
    """Settings of the registered runs of a system, by name: those that differ from it in its parameters at most.

    Left out are runs with settings that a live page cannot follow.
    """
    family = canonical(name).partition("/")[0]
    found = {}
    for entry in scenarios():
        if not isinstance(entry, Scenario) or entry.name.partition("/")[0] != family:
            continue
        if not LIVE_SETTINGS.issuperset(entry.settings) or entry.settings.get("ends") is not None:
            continue
        other = entry.system()
        if set(other.parameters) == set(system.parameters) and other == system.replace(
            name=other.name, parameters=other.parameters
        ):
            values = {key: value for key, value in other.parameters.values.items() if system.parameters[key].value != value}
            parameters = {**values, **(entry.settings.get("parameters") or {})}
            found[entry.name] = {
                **entry.settings,
                "name": other.name,
                "title": entry.title,
                **({"parameters": parameters} if parameters else {}),
            }
    return found
