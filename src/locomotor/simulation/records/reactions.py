"""Wrenches of joints along a run: what a parent does to a child."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locomotor import codegen
from locomotor.errors import ModelError, RunFileError, UnknownNameError
from locomotor.names import suggestion
from locomotor.tracing.readings import joint_wrenches, recorded_loads
from locomotor.typing import Vector

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run

AXES = ("world", "parent", "child")


@dataclass(frozen=True, eq=False)
class JointWrench:
    """What the parent of a joint does to its child: a force (N) and a moment (N m) about the origin of the child, (samples, 3).

    Components are along the axes named by `axes`. The part along the freedom of the joint is the effort of its drive, springs
    and dampers; the rest is what the joint holds.
    """

    joint: str
    axes: str
    force: Vector
    moment: Vector


def reaction_of(run: Run, joint: str, axes: str) -> JointWrench:
    """The wrench of a joint at every sample of a run."""
    system = run.system
    if system is None:
        raise RunFileError(f"the run {run.name!r} does not know its system, so that nothing is known of joint {joint!r}")
    names = [each.name for each in system.joints]
    if joint not in names:
        raise UnknownNameError(f"no joint is named {joint!r}: {suggestion(joint, names)}")
    soft = [body.name for body in system.bodies if body.coordinates]
    if soft:
        raise ModelError(f"reactions: body {soft[0]!r} is soft; the wrenches of joints are known in trees of rigid bodies only")
    pads = [contact.name for contact in system.contacts if contact.pivots]
    if pads:
        raise ModelError(f"reactions: contact {pads[0]!r} touches with a patch, whose torque about the normal is not recorded")
    layout, at = system.layout, names.index(joint)
    kernel = codegen.compile(joint_wrenches(system), target="interpreter")
    columns = [[s.name for s in part] for part in (layout.coordinates, layout.velocities, layout.inputs)]
    given = [_columns(run, part) for part in (*columns, recorded_loads(system))]
    wrenches, rotations = kernel(run.time[:, None], *given)
    R, above = rotations.reshape(len(run), -1, 3, 3), system.parents[at]
    turn = R[:, at] if axes != "child" else np.tile(np.eye(3), (len(run), 1, 1))
    if axes == "parent" and above >= 0:
        turn = R[:, above].transpose(0, 2, 1) @ turn
    own = wrenches.reshape(len(run), -1, 6)[:, at]
    force, moment = (np.einsum("nij,nj->ni", turn, part) for part in (own[:, :3], own[:, 3:]))
    return JointWrench(joint, axes, force, moment)


def _columns(run: Run, names: Sequence[str]) -> Vector:
    """Channels of the record side by side; nothing acts where a mode does not have one."""
    found = [run.channels[name] if name in run.channels else np.zeros(len(run)) for name in names]
    return np.nan_to_num(np.stack(found, axis=1)) if found else np.zeros((len(run), 0))
