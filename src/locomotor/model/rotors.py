"""Motors behind gears: rotors as bodies of their own, carried by the parent of the joint that they drive."""

from __future__ import annotations

import numpy as np

from locomotor.checks import door, floats, instance, name, number, positive
from locomotor.errors import AxisError, InertiaError, ModelError, UnknownJointError
from locomotor.model.body import Body
from locomotor.model.constraint import Coupling
from locomotor.model.doors import a_system
from locomotor.model.drive import Torque
from locomotor.model.joint import PASSIVE, Revolute
from locomotor.model.shapes import Cylinder
from locomotor.model.system import System
from locomotor.names import suggestion

UNIT = 1e-9


@door(
    system=a_system,
    joint=name,
    ratio=number,
    mass=positive,
    inertia=positive,
    across=positive,
    axis=lambda value, what: floats(value, what, dimensions=(1,), last=3, finite=True),
    at=lambda value, what: floats(value, what, dimensions=(1,), last=3, finite=True),
    drive=instance(Torque, remedy="give a Torque"),
)
def with_rotor(
    system: System,
    joint: str,
    *,
    ratio: float,
    mass: float,
    inertia: float,
    across: float,
    axis: tuple[float, float, float],
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    drive: Torque = PASSIVE,
) -> System:
    """The system with the rotor of a motor that drives a joint of one freedom through a gear.

    The rotor is carried by the parent of the joint, at the point `at` of it, and turns about `axis` (unit, in the frame of the
    parent, which need not be the axis of the joint) by `ratio` times the joint's coordinate. `mass` (kg), `inertia` about its
    axis and `across` it (kg m²) are its own: with the couple that its turning takes when the parent turns, which the field
    `rotor` of a joint leaves out. `drive` is the torque (N m) of the parent on it. Its coordinate is `<joint>_rotor`, the
    multiplier of `<joint>_gear` the torque of the gear on it.
    """
    driven = next((each for each in system.joints if each.name == joint), None)
    if driven is None:
        raise UnknownJointError(
            f"with_rotor: no joint is named {joint!r}: {suggestion(joint, [j.name for j in system.joints])}"
        )
    if driven.nv != 1 or driven.nq != 1:
        raise ModelError(f"with_rotor: joint {joint!r} has {driven.nv} freedoms; a gear drives a joint of one")
    u = np.asarray(axis, dtype=float)
    if abs(float(np.linalg.norm(u)) - 1.0) > UNIT:
        raise AxisError(f"with_rotor: the axis of the rotor of {joint!r} is {tuple(u.tolist())}; give a unit vector")
    if inertia > 2.0 * across:
        raise InertiaError(
            f"with_rotor: the rotor of {joint!r} has the inertia {inertia!r} about its axis and {across!r} across it; no "
            "body has more than twice as much about an axis as across it"
        )
    tensor = across * np.eye(3) + (inertia - across) * np.outer(u, u)
    rotor, start = f"{joint}_rotor", dict(system.nominal).get(joint, 0.0)
    kept = system.independent or ()
    shown = Cylinder(tuple((-0.02 * u).tolist()), tuple((0.02 * u).tolist()), 0.02, colour="accent")
    body = Body(f"{rotor}_body", mass=mass, inertia=tuple(map(tuple, tensor.tolist())), shapes=[shown])
    turning = Revolute(
        name=rotor,
        parent=driven.parent,
        child=body.name,
        at=tuple(np.asarray(at, dtype=float).tolist()),
        axis=tuple(u.tolist()),
        drive=drive,
        description=f"angle of the rotor that drives {joint}",
    )
    gear = Coupling(f"{joint}_gear", f"{rotor} - {ratio!r}*({joint} - ({start}))")
    return system.replace(
        bodies=(*system.bodies, body),
        joints=(*system.joints, turning),
        constraints=(*system.constraints, gear),
        independent=kept if f"{joint}_rate" in kept else (*kept, f"{joint}_rate"),
    )
