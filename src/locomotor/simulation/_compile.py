"""The verb `compile`: a system in, its functions and roll-outs as machine code out."""

import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks
from locomotor.codegen import TARGETS
from locomotor.errors import ModelError
from locomotor.model import System, a_system, frictions_of
from locomotor.simulation.compiled import CompiledSystem, compile_system
from locomotor.simulation.stepping import ContactSettings, EventSettings, compile_stepping
from locomotor.tracing.contacts import switching_of

CLOSED = "closed"


class ContactsWarning(UserWarning):
    """Contacts that may open and close stay closed in what was compiled."""


@checks.door(
    system=a_system,
    target=checks.choice(*TARGETS, "cuda"),
    free=checks.names,
    precision=checks.choice("float64", "float32"),
    drift_time=checks.optional(checks.positive),
    project=checks.optional(checks.flag),
    about=checks.optional(partial(checks.floats, dimensions=(1,), finite=True)),
)
def compile(
    system: System,
    *,
    target: str = "auto",
    free: str | Sequence[str] = (),
    precision: str = "float64",
    drift_time: float | None = None,
    project: bool | None = None,
    about: ArrayLike | None = None,
    contacts: str | None = None,
    settings: ContactSettings | EventSettings | None = None,
) -> CompiledSystem:
    """Compile a system: `lm.compile(bike).rollout(states, steps=1000, dt=0.005)`.

    Args:
        system: what moves; imposed motions are part of it (`system.with_motions(...)`).
        target: "auto" (C, and SIMD for batches, or the interpreter where there is no compiler), "c", "simd", "interpreter" or
            "cuda".
        free: names of parameters that stay arguments, so that they may vary from instance to instance.
        precision: "float64", or "float32" on a CUDA device.
        drift_time: time constant of the drift correction (s).
        project: close the gaps after each step; by default those of loops only.
        about: pose around which pivots are chosen.
        contacts: "time-stepping" or "events" where contacts open and close, or "closed" where all shall stay closed; they do so
            without it too, with a warning.
        settings: `lm.ContactSettings(...)` for "time-stepping", `lm.EventSettings(...)` for "events".
    """
    names = tuple(free)
    if contacts in (None, CLOSED):
        if settings is not None:
            given = checks.shown(settings)
            raise ModelError(f"settings={given} belongs to contacts='time-stepping' or contacts='events'; give that too")
        if contacts is None:
            _say_closed(system)
        pose = None if about is None else tuple(np.asarray(about).tolist())
        return compile_system(
            system, target=target, free=names, drift_time=drift_time, project=project, about=pose, precision=precision
        )
    if not isinstance(contacts, str):
        raise ModelError(f"contacts is {checks.shown(contacts)}; give 'time-stepping', 'events' or 'closed', and settings=")
    if drift_time is not None or project or about is not None:
        raise ModelError(f"contacts={contacts!r} closes gaps itself: leave out drift_time, project and about")
    return compile_stepping(system, contacts, target=target, free=names, precision=precision, settings=settings)


def _say_closed(system: System) -> None:
    """Warn of contacts that would open and close if `compile` had been told how, and of joints that would stick."""
    rubbing = ", ".join(force.name for force in frictions_of(system))
    if rubbing:
        warnings.warn(
            f"{system.name}: {rubbing} may hold a joint at rest, and only changes its sign with the rate in what is compiled; "
            "contacts='time-stepping' and lm.simulate hold it. Give contacts='closed' if that is meant",
            ContactsWarning,
            stacklevel=4,
        )
    told = ", ".join(entry.name for entry in switching_of(system))
    if told:
        warnings.warn(
            f"{system.name}: {told} may open and close, and stay closed in what is compiled; give contacts='events' or "
            "'time-stepping', or contacts='closed' if that is meant",
            ContactsWarning,
            stacklevel=4,
        )
