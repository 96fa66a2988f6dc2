"""Which contacts hold in the equations that are asked for."""

from locomotor.checks import shown
from locomotor.errors import UnknownNameError
from locomotor.model import System
from locomotor.names import suggestion


def closing(system: System, closed: tuple[str, ...] | None) -> System:
    """The system with contacts that switch left out unless they are closed."""
    known = [contact.name for contact in system.contacts]
    for name in closed or ():
        if name not in known:
            raise UnknownNameError(f"closed: no contact is named {shown(name)}: {suggestion(name, known)}")
    kept = tuple(c for c in system.contacts if not c.law.switches or c.name in (closed or ()))
    return system if kept == system.contacts else system.replace(contacts=kept)
