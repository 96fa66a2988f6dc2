"""Names for the completion of the shell."""

from locomotor import catalogue
from locomotor.scenarios import scenarios


def scenario_names(incomplete: str) -> list[str]:
    """Scenarios that begin so."""
    return [entry.name for entry in scenarios() if entry.name.startswith(incomplete)]


def system_names(incomplete: str) -> list[str]:
    """Systems and scenarios that begin so."""
    ready = [entry.name for entry in catalogue.systems() if entry.name.startswith(incomplete)]
    return [*ready, *scenario_names(incomplete)]
