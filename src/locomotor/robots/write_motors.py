"""Laws of efforts on joints as actuators and tendons of MJCF: straight lines of one input, position and velocity.

An actuator without a gain is moved by no control: so a constant torque is written, or a spring within limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.model import BodyForce, BodyTorque, JointForce, System, Torque
from locomotor.model.expressions import as_expression
from locomotor.names import WORLD
from locomotor.robots.parts import Notes
from locomotor.robots.write_sums import Law, Line, Shares, driven, driven_alone, passive, pulled, shared_name
from locomotor.robots.write_tendons import Site
from locomotor.robots.write_thrust import thrust_of


@dataclass(eq=False)
class Motors:
    """Writes the laws of a system; tendons that they need are added to those of the file."""

    system: System
    values: Mapping[str, float]
    notes: Notes
    tendons: dict[str, str]
    tendon_name: Callable[[str], str]
    site: Site
    names: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    """Forces on bodies that are actuators."""

    def elements(self) -> list[str]:
        """By input, in their order; what no input moves is a spring, a damper or an actuator that no control moves."""
        unsaid = {law.name: law for law in self.laws}
        found: list[str] = []
        self.names |= {symbol.name for symbol in self.system.inputs}
        for symbol in self._inputs:
            found += self._driven(symbol, unsaid)
        plain = [law for law in unsaid.values() if not law.effort.names & set(self._inputs)]
        for laws, shares, does in passive(plain, self.scalar, self.values):
            name = self.tendon_name(shared_name(laws))
            self.tendons[name] = shares.tendon(name, **does)
            for law in laws:
                del unsaid[law.name]
        found += self._moved_by_none([law for law in plain if law.name in unsaid], unsaid)
        for name in unsaid:
            what = "MJCF has actuators and tendons that are straight lines of one input, position and velocity"
            self.notes.add("ignored", "laws of torques", what, name)
        return [*found, *self._thrusts()]

    def _thrusts(self) -> list[str]:
        """Forces and torques on bodies."""
        forces = [force for force in self.system.forces if isinstance(force, BodyForce | BodyTorque)]
        thrusts = [thrust_of(force, set(self._inputs), self.values) for force in forces]
        found = []
        for thrust in (thrust for thrust in thrusts if thrust is not None):
            self.said.add(thrust.force.name)
            same = [t.force.name for t in thrusts if t is not None and t.symbol == thrust.symbol]
            same += [law.name for law in self.laws if thrust.symbol in law.effort.names]
            alone = thrust.symbol is not None and len(same) == 1
            name = thrust.symbol if alone and thrust.symbol else self._fresh(thrust.force.name)
            found.append(thrust.actuator(name, self.values, self.site, lambda: self._world_axes))
            if thrust.symbol is not None and not alone:
                text = f"MuJoCo has one for each of {', '.join(same)}; give all of them the same value"
                self.notes.add("changed", f"input {thrust.symbol!r}", text)
        return found

    @cached_property
    def _world_axes(self) -> str:
        """A site with the axes of the world."""
        return self.site(WORLD, "world_axes", (0.0, 0.0, 0.0))

    @property
    def _inputs(self) -> list[str]:
        return [symbol.name for symbol in self.system.inputs]

    @cached_property
    def scalar(self) -> list[str]:
        """Joints of one degree of freedom."""
        return list(dict.fromkeys(joint.name for joint in self.system.joints if joint.nv == 1))

    @cached_property
    def laws(self) -> list[Law]:
        """Efforts on joints by laws that are not zero."""
        laws: list[tuple[str, str, Any]] = [(f.name, f.joint, f.law) for f in self.system.forces if isinstance(f, JointForce)]
        laws += [
            (f"{j.name}_drive", j.name, j.drive.law) for j in self.system.joints if isinstance(j.drive, Torque) and j.nv == 1
        ]
        made = [Law(name, joint, as_expression(law).substitute(self.values)) for name, joint, law in laws]
        return [law for law in made if not law.effort.is_zero]

    def _driven(self, symbol: str, unsaid: dict[str, Law]) -> list[str]:
        """What an input moves: one actuator along a sum of joints, or one for each law."""
        users = [law for law in unsaid.values() if symbol in law.effort.names]
        alone = [(law, line) for law in users if (line := driven_alone(law, symbol, self.values)) is not None]
        both = driven(users, symbol, self.scalar, self.values) if len(users) > 1 or (users and not alone) else None
        if both is not None:
            for law in users:
                del unsaid[law.name]
            return [self._along(*both, symbol, f"{symbol}_sum")]
        if len(alone) > 1:
            text = f"MuJoCo has one for each of {', '.join(law.name for law, _ in alone)}; give all of them the same value"
            self.notes.add("changed", f"input {symbol!r}", text)
        several = len([law for law in self.laws if symbol in law.effort.names]) > 1
        found = []
        for law, line in alone:
            del unsaid[law.name]
            found.append(line.actuator(self._fresh(law.name) if several else symbol, joint=law.joint))
        return found

    def _moved_by_none(self, laws: list[Law], unsaid: dict[str, Law]) -> list[str]:
        """Laws without an input: each on its joint where it speaks of that alone, else those that pull along one sum."""
        found, left = [], []
        for law in laws:
            line = driven_alone(law, None, self.values)
            if line is None:
                left.append(law)
                continue
            del unsaid[law.name]
            found.append(line.actuator(self._fresh(law.name), joint=law.joint))
        for group in pulled(left, self.scalar, self.values):
            both = driven(group, None, self.scalar, self.values)
            if both is not None:
                for law in group:
                    del unsaid[law.name]
                found.append(self._along(*both, self._fresh(shared_name(group)), shared_name(group)))
        return found

    def _along(self, shares: Shares, line: Line, name: str, tendon: str) -> str:
        """An actuator along a sum of joints, which becomes a tendon."""
        tendon = self.tendon_name(tendon)
        self.tendons[tendon] = shares.tendon(tendon)
        return line.actuator(name, tendon=tendon)

    def _fresh(self, wanted: str) -> str:
        """A name that no other actuator has."""
        while wanted in self.names:
            wanted += "_"
        self.names.add(wanted)
        return wanted
