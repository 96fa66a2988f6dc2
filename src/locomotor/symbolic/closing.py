"""Which contacts hold in the equations that are asked for."""

from locomotor.checks import shown
from locomotor.errors import UnknownNameError
from locomotor.model import Coupling, System
from locomotor.names import suggestion


def closing(system: System, closed: tuple[str, ...] | None) -> System:
    """The system with contacts that switch left out unless they are closed."""
    switching = [c for c in system.constraints if isinstance(c, Coupling) and c.law.switches]
    known = [contact.name for contact in system.contacts] + [coupling.name for coupling in switching]
    for name in closed or ():
        if name not in known:
            raise UnknownNameError(f"closed: no contact is named {shown(name)}: {suggestion(name, known)}")
    kept = tuple(c for c in system.contacts if not c.law.switches or c.name in (closed or ()))
    held = tuple(c for c in system.constraints if c not in switching or c.name in (closed or ()))
    if kept == system.contacts and held == system.constraints:
        return system
    return system.replace(contacts=kept, constraints=held)
