"""A chain of rigid segments in place of a rod that bends: what such a rod must be the limit of.

Segments are hinged with springs, each of which bends for half of the segment on either side: errors fall with the square of
their length. Only rigid bodies, hinges, springs and dampers are left: nothing of the mechanics of rods is used.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import locomotor as lm
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
