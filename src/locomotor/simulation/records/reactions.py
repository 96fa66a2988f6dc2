"""Wrenches of joints along a run: what a parent does to a child."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from locomotor import codegen
from locomotor.dataclass import dataclass
from locomotor.errors import ModelError, RunFileError, UnknownNameError
from locomotor.names import suggestion
from locomotor.simulation.records.channel import Channel
from locomotor.tracing.readings import joint_wrenches, recorded_loads
from locomotor.typing import Vector

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run

AXES = ("world", "parent", "child")
FREE = 6
"""Velocities of a joint that holds nothing."""
GROUP = "reactions"


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


def reactions_of(run: Run, joints: Sequence[str], axes: str) -> list[JointWrench]:
    """The wrenches of some joints at every sample of a run."""
    system = run.system
    if system is None:
        raise RunFileError(f"the run {run.name!r} does not know its system, so that nothing is known of its joints")
    names = [each.name for each in system.joints]
    for joint in joints:
        if joint not in names:
            raise UnknownNameError(f"no joint is named {joint!r}: {suggestion(joint, names)}")
    soft = [body.name for body in system.bodies if body.coordinates]
    if soft:
        raise ModelError(f"reactions: body {soft[0]!r} is soft; the wrenches of joints are known in trees of rigid bodies only")
    if lain := run.events.of(kind="lies"):
        raise ModelError(
            f"reactions: contact {lain[0].contact!r} lies on its side, where the moment of the ground is not recorded"
        )
    layout = system.layout
    kernel = codegen.compile(joint_wrenches(system), target="interpreter")
    columns = [[s.name for s in part] for part in (layout.coordinates, layout.velocities, layout.inputs)]
    given = [_columns(run, part) for part in (*columns, recorded_loads(system))]
    wrenches, rotations = kernel(run.time[:, None], *given)
    R, carried = rotations.reshape(len(run), -1, 3, 3), wrenches.reshape(len(run), -1, 6)
    found = []
    for joint in joints:
        at = names.index(joint)
        above = system.parents[at]
        turn = R[:, at] if axes != "child" else np.tile(np.eye(3), (len(run), 1, 1))
        if axes == "parent" and above >= 0:
            turn = R[:, above].transpose(0, 2, 1) @ turn
        own = carried[:, at]
        force, moment = (np.einsum("nij,nj->ni", turn, part) for part in (own[:, :3], own[:, 3:]))
        found.append(JointWrench(joint, axes, force, moment))
    return found


def reaction_channels(run: Run, joints: Sequence[str]) -> tuple[dict[str, Vector], dict[str, Channel]]:
    """Channels of what holds joints, all that are not free or those named, along world axes, and what they are."""
    system = run.system
    chosen = joints or [joint.name for joint in (system.joints if system else ()) if joint.nv < FREE]
    found: dict[str, Vector] = {}
    about: dict[str, Channel] = {}
    for joint, wrench in zip(chosen, reactions_of(run, chosen, "world"), strict=True):
        for word, unit, values in (("reaction", "N", wrench.force), ("moment", "N m", wrench.moment)):
            for k, axis in enumerate("xyz"):
                name = f"{joint}_{word}_{axis}"
                if name in run.channels and run.about[name].group != GROUP:
                    raise UnknownNameError(f"with_reactions: the run has a channel {name!r} already; name other joints")
                found[name] = np.ascontiguousarray(values[:, k])
                told = "force" if word == "reaction" else "moment about the origin of the child"
                about[name] = Channel(
                    unit, "", f"{told} of the parent on the child of joint {joint!r}, world axis {axis}", GROUP
                )
    return found, about


def _columns(run: Run, names: Sequence[str]) -> Vector:
    """Channels of the record side by side; nothing acts where a mode does not have one."""
    found = [run.channels[name] if name in run.channels else np.zeros(len(run)) for name in names]
    return np.nan_to_num(np.stack(found, axis=1)) if found else np.zeros((len(run), 0))
