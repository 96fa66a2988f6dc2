"""The tree of bodies: depth-first order of the joints, and the errors of joints that make no tree."""

from __future__ import annotations

from collections.abc import Sequence

from locomotor.errors import (
    MasslessBranchError,
    TreeCycleError,
    TwoParentsError,
    UncarriedBodyError,
    UnknownChildError,
    UnknownParentError,
)
from locomotor.model.body import Body, Frame
from locomotor.model.drive import Motion
from locomotor.model.joint import Joint
from locomotor.names import WORLD, suggestion


def order_joints(bodies: Sequence[Body | Frame], joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints depth first from the world, parents before children, siblings in the order given.

    Raises unless every body is the child of exactly one joint and hangs, through parents, on the world.
    """
    names = [body.name for body in bodies]
    carriers = _carriers(names, joints)
    for name in names:
        if name not in carriers:
            raise UncarriedBodyError(
                f"no joint carries the body {name!r}; join it to a parent, or let it move freely with "
                f"Free(name=..., parent='world', child={name!r})"
            )
    children: dict[str, list[Joint]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint)
    ordered: list[Joint] = []
    stack = list(reversed(children.get(WORLD, [])))
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(reversed(children.get(joint.child, [])))
    if len(ordered) < len(joints):
        reached = {joint.child for joint in ordered}
        _raise_cycle(next(name for name in names if name not in reached), carriers)
    return tuple(ordered)


def _carriers(names: Sequence[str], joints: Sequence[Joint]) -> dict[str, Joint]:
    """Body -> the one joint whose child it is."""
    carriers: dict[str, Joint] = {}
    for joint in joints:
        if joint.parent != WORLD and joint.parent not in names:
            raise UnknownParentError(
                f"{joint.label}: its parent {joint.parent!r} is no body of the system: "
                f"{suggestion(joint.parent, (*names, WORLD))}"
            )
        if joint.child == WORLD:
            raise UnknownChildError(f"{joint.label}: the world cannot be a child; swap parent and child")
        if joint.child not in names:
            raise UnknownChildError(
                f"{joint.label}: its child {joint.child!r} is no body of the system: {suggestion(joint.child, names)}"
            )
        if joint.child in carriers:
            first = carriers[joint.child]
            raise TwoParentsError(
                f"the body {joint.child!r} has two parents: {first.parent!r} by {first.label} and "
                f"{joint.parent!r} by {joint.label}; a tree gives each body one. Remove one of the joints, "
                "or close the loop with stiff forces between the two bodies"
            )
        carriers[joint.child] = joint
    return carriers


def _raise_cycle(start: str, carriers: dict[str, Joint]) -> None:
    """Follow parents from a body that does not hang on the world until one repeats."""
    path = [start]
    while carriers[path[-1]].parent not in path:
        path.append(carriers[path[-1]].parent)
    cycle = path[path.index(carriers[path[-1]].parent) :]
    chain = " -> ".join([*cycle, cycle[0]])
    raise TreeCycleError(
        f"following parents goes round: {chain} (joints {', '.join(carriers[name].name for name in cycle)}); "
        "hang one of these bodies on the world or on a body outside the cycle"
    )


def check_branches(
    bodies: Sequence[Body | Frame], joints: Sequence[Joint], parents: Sequence[int], touching: frozenset[str]
) -> None:
    """Raise if a joint free to move carries neither mass nor a contact and has no rotor: nothing sets its acceleration.

    `bodies[i]` is the child of `joints[i]`, and `parents[i]` the index of its parent.
    """
    loaded = [not isinstance(body, Frame) or body.name in touching for body in bodies]
    for i in reversed(range(len(joints))):
        if loaded[i] and parents[i] >= 0:
            loaded[parents[i]] = True
    for i, joint in enumerate(joints):
        if joint.nv and not loaded[i] and not isinstance(joint.drive, Motion) and joint.rotor_inertia == 0.0:
            raise MasslessBranchError(
                f"{joint.label} moves {joint.child!r}, and nothing beyond it has mass: its acceleration "
                "would be undetermined. Make it a Body, give the joint a rotor, fix it, or impose its motion"
            )
