"""Joints with dry friction as event-driven runs need them: each holds by a constraint of its own, or slides one way.

`with_rubs` puts in the place of each `JointFriction` of a free joint a `Rub`, which is closed while the joint sticks, and a
`SlidingFriction`, whose direction is a parameter of the mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import RestrictedForceError
from locomotor.model.constraint import VelocityConstraint
from locomotor.model.contacts import ContactLaw
from locomotor.model.drive import Motion
from locomotor.model.expressions import Quantity
from locomotor.model.forces import JointDamper, JointFriction, Load, SlidingFriction, sliding_bound, static_bound
from locomotor.model.parameters import Parameter
from locomotor.model.system import System


@dataclass(frozen=True)
class Rubs(ContactLaw):
    """The law of a joint with dry friction: closed while it sticks."""

    of: JointFriction
    ACTS: ClassVar[str] = "rubs"

    @property
    def words(self) -> str:
        """How the law acts, in a few words."""
        return f"holds up to {self.of.bound if self.of.static is None else self.of.static}"

    def static_at(self, values: Mapping[str, Any]) -> Any:
        """Largest effort while it sticks, without what follows the load; `values` are those of all names."""
        return static_bound(self.of, values)

    def sliding_at(self, values: Mapping[str, Any], speed: Any) -> Any:
        """Size of the effort while it slides, without what follows the load; the speed is among the values."""
        return sliding_bound(self.of, values)

    def bounds_at(self, values: Mapping[str, Any], load: Load | None) -> tuple[Any, Any]:
        """Largest effort while it sticks and its size while it slides; `values` are those of all names."""
        return static_bound(self.of, values, load), sliding_bound(self.of, values, load)


@dataclass(frozen=True)
class Rub(VelocityConstraint):
    """The rate of a joint is zero, of a ball joint all three: what holds while it sticks."""

    law: Rubs = field(kw_only=True)

    @property
    def row_names(self) -> tuple[str, ...]:
        """A name for each velocity that is held."""
        return (self.name,) if self.turns_one_way else tuple(f"{self.name}_{axis}" for axis in "xyz")

    @property
    def rows(self) -> tuple[dict[str, Quantity], ...]:
        """Each velocity by itself."""
        return tuple({name: value} for name, value in zip(self.velocities, self.coefficients, strict=True))

    @property
    def told(self) -> tuple[str, ...]:
        """Names of the parameters that tell where the joint slides."""
        return slide_names(self.name)[:1] if self.turns_one_way else slide_names(self.name)

    @property
    def turns_one_way(self) -> bool:
        """Whether the joint has one velocity; a ball joint has three."""
        return len(self.velocities) == 1


def frictions_of(system: System) -> tuple[JointFriction, ...]:
    """Dry friction of joints whose motion is not imposed: those stick and slide."""
    found = [f for f in system.forces if isinstance(f, JointFriction) and not isinstance(f, SlidingFriction)]
    return tuple(force for force in found if not isinstance(system.joint_with(force.joint).drive, Motion))


def effort_names(system: System, friction: JointFriction) -> tuple[str, ...]:
    """Channels of the effort of a friction: one, or of a ball joint the torque along the axes of its child."""
    name = f"{friction.name}_effort"
    return (name,) if len(system.layout.rubbed(friction.joint)) == 1 else tuple(f"{name}_{axis}" for axis in "xyz")


def refuse_dry_friction(system: System, what: str) -> None:
    """Raise where a joint has dry friction, for what needs derivatives of all forces."""
    for force in frictions_of(system):
        raise RestrictedForceError(
            f"{what}: {force.label} has no derivative where joint {force.joint!r} rests; leave it out, give JointDamper(...) "
            "instead, or for one way of sliding a JointForce(...) of constant size"
        )


def slide_names(rub: str) -> tuple[str, str, str, str]:
    """Names of the parameters that tell where the joint of a rub slides: a unit vector along its velocities, 0 while it sticks.

    The last is 1 where it slides so whatever its velocity, and -1 where it slides along its velocity even if the two differ by
    round-off only. Of a joint with one velocity the first is 1 or -1, and there are
    no others.
    """
    slides = f"{rub}_slides"
    return f"{slides}_towards", f"{slides}_towards_y", f"{slides}_towards_z", f"{slides}_guided"


def _rub_name(friction: str) -> str:
    return f"{friction}_holds"


def _sliding(system: System, force: JointFriction) -> SlidingFriction:
    same = {entry.name: getattr(force, entry.name) for entry in fields(force)}
    *towards, guided = slide_names(_rub_name(force.name))
    if len(system.layout.rubbed(force.joint)) == 1:
        return SlidingFriction(**same, towards=(towards[0], 0.0, 0.0))
    return SlidingFriction(**same, towards=tuple(towards), guided=guided)


def rubs_of(system: System) -> tuple[Rub, ...]:
    """What holds while joints with dry friction stick."""
    layout = system.layout
    return tuple(
        Rub(
            _rub_name(force.name), {layout.velocities[place].name: 1.0 for place in layout.rubbed(force.joint)}, law=Rubs(force)
        )
        for force in frictions_of(system)
    )


def without_dry_friction(system: System) -> System:
    """The same system without the dry friction of its joints; viscous parts stay, as dampers."""
    chosen = {force.name: force for force in frictions_of(system)}
    if not chosen:
        return system
    dampers = {name: JointDamper(name, force.joint, force.viscous) for name, force in chosen.items() if force.viscous != 0.0}
    forces = (dampers.get(force.name, force) for force in system.forces)
    return system.replace(forces=tuple(force for force in forces if force not in chosen.values()), independent=None)


def with_rubs(system: System) -> System:
    """The same system, for a run with events: a joint with dry friction sticks by a `Rub`, and slides with its direction."""
    chosen = {force.name: force for force in frictions_of(system)}
    if not chosen:
        return system
    forces = tuple(_sliding(system, chosen[force.name]) if force.name in chosen else force for force in system.forces)
    rubs = rubs_of(system)
    names = [name for rub in rubs for name in rub.told]
    told = [Parameter(name, 0.0, description="where a joint with friction slides to") for name in names]
    return system.replace(
        forces=forces,
        constraints=(*system.constraints, *rubs),
        parameters=(*(system.parameters[name] for name in system.parameters), *told),
        independent=None,
    )
