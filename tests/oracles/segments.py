"""A chain of rigid segments in place of a rod that bends: what such a rod must be the limit of.

Segments are hinged with springs, each of which bends for half of the segment on either side: errors fall with the square of
their length. Only rigid bodies, hinges, springs and dampers are left: nothing of the mechanics of rods is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

import numpy as np

import locomotor as lm
from locomotor.mechanics.soft.rod_shape import strain_matrix
from locomotor.model.expressions import Expression, evaluate

AXES = {"bend_y": (0.0, 1.0, 0.0), "bend_z": (0.0, 0.0, 1.0)}


def segmented(system: lm.System, name: str, count: int, clamped: bool = True) -> lm.System:
    """The system with the rod of that name as so many segments; `clamped` where its start is held against turning.

    What hangs on the rod, pushes or touches with it goes to the segment that has its place; loads along it to their middles.
    """
    values = dict(system.parameters.values)
    rod: Any = next(body for body in system.bodies if body.name == name)
    length = float(evaluate(rod.length, values))
    h = length / count
    section = rod.section.at(0.5, values)
    mass, (yy, zz, _) = float(section.mass) * h, (float(x) for x in section.second)
    around = (h * (yy + zz), mass * h**2 / 12.0 + h * zz, mass * h**2 / 12.0 + h * yy)
    segments = [lm.Body(f"{name}_{k}", mass, com=(0.5 * h, 0.0, 0.0), inertia=around) for k in range(count)]
    frames, joints, forces = [], [], []
    for k in range(count):
        if k == 0 and not clamped:
            continue
        # Bending about two axes: by turns the one or the other comes first, or the chain would twist by half their product.
        bent = [(each, time) for each, time in zip(rod.strains, rod.damping, strict=True)][:: 1 if k % 2 else -1]
        parent, place, share = (f"{name}_{k - 1}", h, h) if k else (f"{name}_root", 0.0, 0.5 * h)
        for i, (each, time) in enumerate(bent):
            last = i == len(bent) - 1
            child = segments[k].name if last else f"{name}_{k}_{each.strain}"
            hinge = f"{name}_{k}_{each.strain}_hinge"
            if not last:
                frames.append(lm.Frame(child))
            at = (place, 0.0, 0.0) if i == 0 else (0.0, 0.0, 0.0)
            joints.append(lm.Revolute(name=hinge, parent=parent, child=child, axis=AXES[each.strain], at=at))
            stiffness = float(section.stiffness["EIy" if each.strain == "bend_y" else "EIz"]) / share
            forces.append(lm.JointSpring(f"{hinge}_spring", hinge, stiffness))
            lag = float(evaluate(time, values))
            if lag:
                forces.append(lm.JointDamper(f"{hinge}_damper", hinge, lag * stiffness))
            parent = child

    def moved(joint: Any) -> Any:
        if joint.child == name:
            return replace(joint, child=f"{name}_root" if clamped else segments[0].name)
        if joint.parent != name:
            return joint
        at = [float(evaluate(x, values)) for x in joint.at]
        k = min(int(at[0] / h + 1e-9), count - 1)
        return replace(joint, parent=segments[k].name, at=(at[0] - k * h, at[1], at[2]))

    def laid(force: Any) -> list[Any]:
        if not isinstance(force, lm.DistributedForce) or force.body != name:
            return [force]
        found: list[Any] = []
        for k, segment in enumerate(segments):
            here = {"s": (k + 0.5) / count}
            pushes, turns = (
                tuple(h * each.substitute(here) if isinstance(each, Expression) else h * each for each in part)
                for part in (force.components, force.couple)
            )
            found.append(lm.BodyForce(f"{force.name}_{k}", segment.name, (0.5 * h, 0.0, 0.0), pushes, frame=force.frame))
            found.append(lm.BodyTorque(f"{force.name}_turn_{k}", segment.name, turns, frame=force.frame))
        return found

    root = (lm.Frame(f"{name}_root"),) if clamped else ()
    return system.replace(
        name=f"{system.name}_of_{count}",
        bodies=(*(body for body in system.bodies if body.name != name), *root, *segments, *frames),
        joints=(*(moved(joint) for joint in system.joints), *joints),
        forces=(*(made for force in system.forces for made in laid(force)), *forces),
        nominal={key: value for key, value in dict(system.nominal).items() if not key.startswith(f"{name}_bend")},
    )


# -- chains whose hinges turn as the coordinates of a soft body say ----------------------------------------------------------

TURNS = {"twist": ("GJ", (1.0, 0.0, 0.0)), "bend_y": ("EIy", (0.0, 1.0, 0.0)), "bend_z": ("EIz", (0.0, 0.0, 1.0))}


@dataclass(frozen=True)
class Turn:
    """A hinge in place of a piece of a soft body: its axis, by how much each coordinate turns it, and its relaxation (s)."""

    name: str
    by: np.ndarray
    lag: float = 0.0


@singledispatch
def turns_between(body: Any, ends: tuple[float, float], length: float, values: dict[str, Any]) -> list[Turn]:
    """By what a soft body turns between two places (m)."""
    raise NotImplementedError(type(body).__name__)


@turns_between.register
def _(body: lm.Rod, ends: tuple[float, float], length: float, values: dict[str, Any]) -> list[Turn]:
    """Strains in the middle, times the length."""
    functions = np.asarray(strain_matrix(body, 0.5 * (ends[0] + ends[1]) / length), dtype=float)
    pairs = zip(body.strains, body.damping, strict=True)
    return [Turn(each.strain, (ends[1] - ends[0]) * functions[each.axis], float(evaluate(lag, values))) for each, lag in pairs]


@turns_between.register
def _(body: lm.FlexibleBody, ends: tuple[float, float], length: float, values: dict[str, Any]) -> list[Turn]:
    """Slopes and angles of its shapes at the one place less those at the other."""
    one, other = (np.array(body.place((x, 0.0, 0.0), values).turns, dtype=float) for x in ends)
    names = [name for name, count in (("twist", body.torsion), ("bend_y", body.bending_z), ("bend_z", body.bending_y)) if count]
    return [Turn(name, (other - one)[:, tuple(TURNS).index(name)]) for name in names]


@dataclass
class Chain:
    """A chain in the making: its parts, and what each hinge turns by for each coordinate of the soft body."""

    rod: Any
    count: int
    values: dict[str, Any]
    bodies: list[Any] = field(default_factory=list)
    joints: list[Any] = field(default_factory=list)
    forces: list[Any] = field(default_factory=list)
    turns: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def h(self) -> float:
        """Length of a segment."""
        return float(evaluate(self.rod.length, self.values)) / self.count

    def hinge(self, name: str, parent: str, x: float, ends: tuple[float, float], child: str, springs: bool = True) -> None:
        """Hinges that turn by what the body turns between two places (m): one an axis, in the one order or the other."""
        share, length = ends[1] - ends[0], self.h * self.count
        section = self.rod.section.at(0.5 * (ends[0] + ends[1]) / length, self.values)
        found = turns_between(self.rod, ends, length, self.values)
        for i, turn in enumerate(found[:: 1 if int(ends[1] / self.h + 0.25) % 2 else -1]):  # by turns: products of turns cancel
            last = i == len(found) - 1
            own = child if last else f"{name}_{turn.name}"
            if not last:
                self.bodies.append(lm.Frame(own))
            stiff, axis = TURNS[turn.name]
            joint = f"{name}_{turn.name}_hinge"
            at = (0.0 if i else x, 0.0, 0.0)
            self.joints.append(lm.Revolute(name=joint, parent=parent, child=own, axis=axis, at=at))
            self.turns[joint] = turn.by
            if springs:
                k = float(section.stiffness[stiff]) / share
                self.forces.append(lm.JointSpring(f"{joint}_spring", joint, k))
                self.forces.append(lm.JointDamper(f"{joint}_damper", joint, k * turn.lag))
            parent = own

    def segment(self, k: int) -> lm.Body:
        """Rigid piece k, with the mass of the rod where it is."""
        h, here = self.h, self.rod.section.at((k + 0.5) / self.count, self.values)
        mass, (yy, zz, yz) = h * float(here.mass), (h * float(x) for x in here.second)
        y, z = (h * float(x) / mass for x in here.moment)
        along = mass * h**2 / 12.0
        inertia = np.diag([yy + zz, zz + along, yy + along]) - yz * np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]])
        centre = np.array([0.0, y, z])
        inertia = inertia - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        return lm.Body(f"{self.rod.name}_{k}", mass, com=(0.5 * h, y, z), inertia=inertia)

    def carried(self, joint: Any) -> Any:
        """A joint on the rod, moved to a frame that is turned as the rod is at its place."""
        at = [float(evaluate(x, self.values)) for x in joint.at]
        k = min(int(at[0] / self.h), self.count - 1)
        station, middle = f"{self.rod.name}_for_{joint.name}", (k + 0.5) * self.h
        self.bodies.append(_next_to_nothing(station))
        self.hinge(station, f"{self.rod.name}_{k}", at[0] - k * self.h, (middle, at[0]), station, springs=False)
        return replace(joint, parent=station, at=(0.0, at[1], at[2]))


def _next_to_nothing(name: str) -> lm.Body:
    """A frame that hinges may move: what has no mass at all is refused."""
    return lm.Body(name, 1e-9, inertia=(1e-12, 1e-12, 1e-12))


def following(system: lm.System, name: str, count: int) -> tuple[lm.System, np.ndarray, np.ndarray]:
    """A chain in place of a straight soft body, and matrices that give its coordinates and velocities from those of the system.

    Hinges turn by what coordinates of the body say, so that no number of its own is left: with these matrices its equations
    become equations of the body, but for an error of second order in the length of a segment; those of a `FlexibleBody`,
    whose field is linear, where it is neither bent nor bending, and without damping, which is not of a place.
    """
    rod: Any = next(body for body in system.bodies if body.name == name)
    chain = Chain(rod, count, dict(system.parameters.values))
    h = chain.h
    chain.bodies += [lm.Frame(f"{name}_root"), *(chain.segment(k) for k in range(count)), _next_to_nothing(f"{name}_end")]
    chain.hinge(f"{name}_at_0", f"{name}_root", 0.0, (0.0, 0.5 * h), f"{name}_0")
    for k in range(1, count):
        chain.hinge(f"{name}_at_{k}", f"{name}_{k - 1}", h, ((k - 0.5) * h, (k + 0.5) * h), f"{name}_{k}")
    ends = ((count - 0.5) * h, count * h)
    chain.hinge(f"{name}_at_end", f"{name}_{count - 1}", h, ends, f"{name}_end")
    joints = [
        replace(joint, child=f"{name}_root") if joint.child == name else chain.carried(joint) if joint.parent == name else joint
        for joint in system.joints
    ]
    made = system.replace(
        bodies=(*(body for body in system.bodies if body.name != name), *chain.bodies),
        joints=(*joints, *chain.joints),
        forces=(*system.forces, *chain.forces),
        nominal={},
    )
    own = system.layout.q[name], system.layout.v[name]
    found = []
    for old, new, part, after in (
        (system.layout.coordinates, made.layout.coordinates, own[0], ""),
        (system.layout.velocities, made.layout.velocities, own[1], "_rate"),
    ):
        matrix = np.zeros((len(new), len(old)))
        places = {symbol.name: i for i, symbol in enumerate(old)}
        for i, symbol in enumerate(new):
            hinge = symbol.name.removesuffix(after) if after else symbol.name
            if hinge in chain.turns:
                matrix[i, part] = chain.turns[hinge]
            else:
                matrix[i, places[symbol.name]] = 1.0
        found.append(matrix)
    return made, found[0], found[1]
