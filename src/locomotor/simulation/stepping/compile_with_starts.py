"""Systems compiled for batches together with their starts, whether or not their contacts open and close."""

from collections.abc import Sequence

from locomotor.model import System, frictions_of
from locomotor.names import suggestion
from locomotor.simulation.compiled import CompiledSystem, compile_system
from locomotor.simulation.starts import Starts
from locomotor.simulation.stepping.stepped_starts import ClosedStarts
from locomotor.simulation.stepping.time_stepping import SCHEMES, compile_stepping
from locomotor.tracing.contacts import switching_of

__all__ = ["ClosedStarts", "check_contacts", "compile_with_starts"]


def compile_with_starts(
    system: System,
    names: tuple[str, ...],
    *,
    target: str = "auto",
    free: tuple[str, ...] = (),
    contacts: str | None = None,
    closed: tuple[str, ...] = (),
) -> tuple[CompiledSystem, Starts | ClosedStarts]:
    """A system compiled for batches, with its contacts in its steps where `contacts` says how, and starts from `names`."""
    host = "auto" if target == "cuda" else target
    if contacts is None:
        compiled = compile_system(system, target=target, free=free)
        return compiled, Starts(compiled.traced, names, host)
    stepped = compile_stepping(system, contacts, target=target, free=free)
    return stepped, ClosedStarts(stepped, names, closed, host)


def check_contacts(system: System, contacts: str | None, closed: Sequence[str]) -> str:
    """What is wrong with these settings for this system, "" if nothing."""
    switching = [entry.name for entry in switching_of(system)]
    if switching and contacts not in tuple(SCHEMES):
        ways = " or ".join(map(repr, SCHEMES))
        return f"{', '.join(switching)} may open and close, but contacts is {contacts!r}; give {ways}"
    if not switching and contacts is not None and not frictions_of(system):
        return f"contacts is {contacts!r}, but nothing opens or closes; leave it out"
    wrong = next((name for name in closed if name not in switching), None)
    return "" if wrong is None else f"closed: no contact named {wrong!r} opens and closes: {suggestion(wrong, switching)}"
