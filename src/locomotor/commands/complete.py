"""Names for the completion of the shell."""

from locomotor import catalogue
from locomotor.scenarios import Scenario, scenarios


def scenario_names(incomplete: str) -> list[str]:
    """Names of scenarios that begin with what is typed so far."""
    return [entry.name for entry in scenarios() if entry.name.startswith(incomplete)]


def run_names(incomplete: str) -> list[str]:
    """Scenarios that begin so and are runs: a computation has no system."""
    return [entry.name for entry in scenarios() if isinstance(entry, Scenario) and entry.name.startswith(incomplete)]


def system_names(incomplete: str) -> list[str]:
    """Systems and runs that begin so."""
    ready = [entry.name for entry in (*catalogue.systems(), *catalogue.measured()) if entry.name.startswith(incomplete)]
    return [*ready, *run_names(incomplete)]
