"""How many freedoms a mechanism has, and which of its conditions are too many: every joint a condition, ranked."""

from typing import Any

import numpy as np

from locomotor import checks
from locomotor.checks import door
from locomotor.dataclass import dataclass, replace
from locomotor.mechanics.chart import assembled, perturbed
from locomotor.model import Body, Coupling, Joint, System, a_system
from locomotor.simulation.maximal import Maximal

SAMPLES = 3
SPREAD = 0.2


@checks.doors
@dataclass(frozen=True)
class Mobility:
    """The count of freedoms of a mechanism."""

    system: str
    bodies: int
    rows: int
    """Conditions of all joints and loops."""
    rank: int
    """Conditions that are independent, at poses around the nominal one."""
    rank_here: int
    """The same at the nominal pose itself: smaller where that is singular."""
    redundant: tuple[str, ...]
    """Rows that those before them imply."""

    @property
    def freedoms(self) -> int:
        """Freedoms that are left: six for each body, less the rank."""
        return 6 * self.bodies - self.rank

    @property
    def count(self) -> int:
        """What counting conditions alone says (Grübler, Kutzbach), which redundant ones make too small."""
        return 6 * self.bodies - self.rows

    def __str__(self) -> str:
        freedoms = f"{self.freedoms} freedom{'' if self.freedoms == 1 else 's'}"
        found = f"{self.system}: {freedoms}; {self.rows} conditions on {self.bodies} bodies, of rank {self.rank}"
        if self.redundant:
            found += f"; implied by the others: {', '.join(self.redundant)}"
        if self.rank_here < self.rank:
            found += f"; the nominal pose is singular, of rank {self.rank_here}"
        return found


@door(system=a_system)
def mobility(system: System) -> Mobility:
    """Rank the conditions of all joints and loops, and of contacts that always touch, and name those that are redundant.

    A four-bar linkage with four hinges has 20 conditions of rank 17: `lm.mobility(lm.catalogue.four_bar())`. Masses and forces
    do not count, and what opens and closes is open.
    """
    system = _skeleton(system)
    motion = Maximal(system, target="interpreter")
    generator = np.random.default_rng(2)
    nominal = assembled(system, system.nominal_pose()) if system.loops else system.nominal_pose()
    poses = [nominal]
    for _ in range(SAMPLES):
        tried = perturbed(system, nominal, SPREAD, generator)
        poses.append(assembled(system, tried) if system.loops else tried)
    found = [motion.independent(pose) for pose in poses]
    most = max(found[1:], key=len)
    return Mobility(
        system.name,
        len(system.bodies),
        motion.graph.size,
        len(most),
        len(found[0]),
        tuple(name for k, name in enumerate(motion.graph.names) if k not in set(most.tolist())),
    )


def _skeleton(system: System) -> System:
    """The same geometry without forces, every rigid body of unit mass: freedoms are a matter of geometry alone."""
    return system.replace(
        bodies=[body if body.coordinates else Body(body.name, 1.0, inertia=(1.0, 1.0, 1.0)) for body in system.bodies],
        joints=[_without_rotor(joint) for joint in system.joints],
        contacts=[contact for contact in system.contacts if not contact.law.switches],
        constraints=[row for row in system.constraints if not (isinstance(row, Coupling) and row.law.switches)],
        forces=(),
    )


def _without_rotor(joint: Any) -> Joint:
    return joint if joint.rotor_inertia == 0.0 else replace(joint, rotor=0.0)
