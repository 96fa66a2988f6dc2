"""A motion with many contacts that slip: one compiled step holds them, instead of a kernel for each set that closes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError
from locomotor.model import System
from locomotor.simulation import Course
from locomotor.simulation.records import STEPPED, Channel
from locomotor.simulation.stepping import SteppedSystem, compile_stepping
from locomotor.tracing.contacts import switching_of
from locomotor.typing import Values
from locomotor.viewing.live.held import Held
from locomotor.viewing.live.push import Push
from locomotor.viewing.live.smooth import SmoothMotion

COSTLY = 5000
"""Contacts that slip times operations of the motion without them: above, their modes are too many to compile one by one."""
OF_FORCES = ("multipliers", "contact_forces", "contact_moments", "static_torques")
"""Groups of channels that a step does not tell: what it has of them is that of the motion without the contacts."""
METHOD = {"stepper": STEPPED, "order": 1}


def stepped_of(system: System, free: tuple[str, ...]) -> SteppedSystem | None:
    """Compiled steps of a system whose modes would be many and large, with these parameters free; None for any other."""
    slipping = sum(entry.law.slips for entry in switching_of(system))
    if not slipping:
        return None
    try:
        stepped = compile_stepping(system, free=free)
    except ContactLawError:  # a law that only instants can follow
        return None
    return stepped if slipping * stepped.traced.dynamics.operations > COSTLY else None


@dataclass(frozen=True, eq=False)
class SteppedMotion:
    """One motion of a system, its contacts held by its steps."""

    stepped: SteppedSystem
    system: System
    """With the values of its parameters."""
    step: float
    duration: float
    constant: Values
    """Inputs, which stay."""
    closed: tuple[str, ...] | None = None
    pushes: tuple[Push, ...] = ()

    def course(self, start: Values) -> Course:
        """The motion from a start."""
        p = np.array([self.system.parameters[name].value for name in self.stepped.parameter_names])
        x = self.stepped.start(dict(start), closed=self.closed, parameters=p)
        held = Held(self.stepped, dict(self.constant), p)
        motion = SmoothMotion(self.system, held, self.step, self.duration, self.pushes, method=METHOD, why=self._why)
        course = motion.course(x)[0]
        return replace(course, about={name: channel for name, channel in course.about.items() if self._is_told(name, channel)})

    def _is_told(self, name: str, channel: Channel) -> bool:
        """Whether steps know what a channel is about."""
        imposed = {f"{joint.name}{end}" for joint in self.system.imposed for end in ("_drive_torque", "_imposed_power")}
        return channel.group not in OF_FORCES and name not in imposed

    def _why(self, monitor: int) -> str:
        """Why a step could not be made."""
        pivots = len(self.stepped.traced.watched_contacts)
        watched = self.stepped.stepping.watched
        return watched[monitor - pivots] if pivots <= monitor < pivots + len(watched) else ""
