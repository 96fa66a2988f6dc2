"""What steps of time-stepping cannot say is refused before anything is traced, with what can."""

from locomotor.errors import ContactLawError
from locomotor.mechanics import check_pressed
from locomotor.model import Motion, System, frictions_of, rubs_of
from locomotor.tracing.contacts.settings import ContactSettings
from locomotor.tracing.contacts.switching import switching_of


def check_laws(system: System, settings: ContactSettings) -> None:
    """Refuse what time-stepping cannot say, with what can."""
    switching = switching_of(system)
    if not switching and not frictions_of(system):
        raise ContactLawError(f"{system.name}: no contact opens or closes; compile it without contacts='time-stepping'")
    check_pressed(system)
    if settings.passes == 1:
        _check_one_pass(system)
    yielding = [j.name for j in system.joints if isinstance(j.drive, Motion) and j.drive.yields]
    for entry in switching:
        if entry.law.grips and yielding:
            raise ContactLawError(
                f"contact {entry.name!r} grips while the drive of joint {yielding[0]!r} yields to impacts, whose instants "
                "time-stepping does not know; use contacts='events'"
            )


def _check_one_pass(system: System) -> None:
    """Refuse friction that takes the first pass to know whether a slip ends or turns back."""
    differing = [f"contact {e.name!r}" for e in switching_of(system) if e.law.slips and not e.law.has_one_friction]
    differing += [f"joint friction {r.law.of.name!r}" for r in rubs_of(system) if r.law.of.static or r.law.of.static_mu]
    if differing:
        raise ContactLawError(
            f"{system.name}: passes=1 is not for friction that differs at rest or with the slip, as that of {differing[0]}; "
            "leave passes out, or give one coefficient"
        )
