"""The tree of a robot: what hangs on what, which joints are to be fixed, and how its root stands in the world."""

from __future__ import annotations

import numpy as np

from locomotor.errors import ArgumentError, RobotFileError
from locomotor.names import suggestion
from locomotor.robots.identifiers import identifier
from locomotor.robots.options import Options
from locomotor.robots.parts import WORLD, JointPart, Ratio, Robot
from locomotor.robots.rotations import from_quaternion
from locomotor.robots.xml_tree import FARTHEST


def joined(robot: Robot, options: Options) -> None:
    """Check the tree and join its root to the world; joints that are to be fixed become so."""
    if not robot.links:
        raise RobotFileError(f"{robot.file!r}: it has no link; a robot has at least one")
    _check_names(robot)
    _check_numbers(robot)
    _drop_world(robot)
    _check_links(robot)
    _fix(robot, options.fixed)
    roots = _roots(robot)
    given = [joint for joint in robot.joints if joint.parent == WORLD]
    if roots:
        base = options.base or "fixed"
        kind = "Free" if base == "free" else "Fixed"
        for root in roots:
            robot.joints.insert(0, JointPart(_unused("root", robot), kind, WORLD, root))
        if options.base is None:
            text = f"the root {', '.join(roots)} is fixed to the world, for the file does not say; base='free' lets it move"
            robot.notes.add("changed", "base", text)
    elif options.base is not None and given:
        _rebase(robot, given, options.base)


def _rebase(robot: Robot, given: list[JointPart], base: str) -> None:
    """Another base than the file's."""
    wanted = "Free" if base == "free" else "Fixed"
    if wanted == "Free" and len(given) > 1:
        given = _robots(robot, given)
    for joint in given:
        if joint.kind not in ("Fixed", "Free") and joint.kind != wanted:
            raise ArgumentError(
                f"import_robot: base={base!r}: {robot.file} joins {joint.child!r} to the world by {joint.name!r}, a "
                f"{joint.kind}; leave base out"
            )
        if joint.kind == "Free" and wanted == "Fixed":
            _hold(joint, robot)
        elif joint.kind != wanted:
            joint.kind, joint.start = wanted, ()


def _robots(robot: Robot, given: list[JointPart]) -> list[JointPart]:
    """Of several joints to the world those on which something moves: the others carry a floor, or a table."""
    links = {link.name: link for link in robot.links}
    mobile, massive = [], []
    for root in given:
        beyond, waiting = [root], [root]
        while waiting:
            child = waiting.pop().child
            more = [joint for joint in robot.joints if joint.parent == child]
            beyond, waiting = beyond + more, waiting + more
        if any(joint.kind != "Fixed" for joint in beyond):
            mobile.append(root)
        if any(links[joint.child].mass for joint in beyond):
            massive.append(root)
    chosen = mobile or massive or given
    for root in given:
        if root not in chosen:
            robot.notes.add("changed", "base", "what has no joint of its own stays where it stands", root.child)
    return chosen


def _hold(joint: JointPart, robot: Robot) -> None:
    """A joint that does not move: at the zero of its coordinates, a free body where it stood at the start."""
    if joint.kind == "Free" and joint.start:
        joint.at, joint.rotation = np.array(joint.start[:3]), from_quaternion(np.array(joint.start[3:]))
    joint.kind, joint.start = "Fixed", ()
    joint.limits, joint.damping, joint.stiffness, joint.rotor, joint.dry = None, 0.0, 0.0, 0.0, 0.0
    for pose in robot.poses.values():
        pose.pop(joint.name, None)


def _check_names(robot: Robot) -> None:
    for what, names in (("links", [x.name for x in robot.links]), ("joints", [x.name for x in robot.joints])):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise RobotFileError(f"{robot.file!r}: two {what} are named {name!r}; rename one of them")
            seen.add(name)


def _check_numbers(robot: Robot) -> None:
    """What readers worked out must be numbers: a rotation of a huge inertia, say, overflows."""
    for link in robot.links:
        if not all(np.all(np.abs(values) < FARTHEST) for values in (link.mass, link.com, link.inertia)):
            where = link.where or repr(robot.file)
            raise RobotFileError(
                f"{where}: mass, centre or inertia of link {link.name!r} are no finite numbers; check their units"
            )
    for joint in robot.joints:
        axes = [part for part in (joint.axis, joint.axes) if part is not None]
        scalars = np.array([joint.damping, joint.stiffness, joint.rest, joint.rotor, joint.pitch, *(joint.limits or ())])
        if not all(
            np.all(np.abs(values) < FARTHEST) for values in (joint.at, joint.rotation, *axes, scalars, np.array(joint.start))
        ):
            raise RobotFileError(
                f"{robot.file!r}: place, axis or values of joint {joint.name!r} are no finite numbers; check their units"
            )


def _drop_world(robot: Robot) -> None:
    """A link without mass that is named world and that nothing carries is the world."""
    carried = {joint.child for joint in robot.joints}
    for link in robot.links:
        if link.name == WORLD and (link.mass or WORLD in carried):
            raise RobotFileError(f"{robot.file!r}: the link {WORLD!r} has mass or hangs on another; give it another name")
    for link in [link for link in robot.links if link.name == WORLD]:
        robot.scenery += link.shapes
        robot.links.remove(link)
    if not robot.links:
        raise RobotFileError(f"{robot.file!r}: it has no link but the world; a robot has at least one")


def _check_links(robot: Robot) -> None:
    names = [link.name for link in robot.links]
    known = {WORLD, *names}
    carriers: dict[str, JointPart] = {}
    for joint in robot.joints:
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in known:
                raise RobotFileError(
                    f"{robot.file!r}: the {role} of joint {joint.name!r} is {name!r}, which is no link: "
                    f"{suggestion(name, names)}"
                )
        if joint.child in carriers:
            raise RobotFileError(
                f"{robot.file!r}: the link {joint.child!r} is the child of two joints, {carriers[joint.child].name!r} and "
                f"{joint.name!r}; a tree gives each link one. Cut the loop: give one of them a link of its own"
            )
        carriers[joint.child] = joint


def _roots(robot: Robot) -> list[str]:
    """Links that hang on nothing; one at most, and everything else hangs on it."""
    carriers = {joint.child: joint for joint in robot.joints}
    roots = [link.name for link in robot.links if link.name not in carriers]
    on_world = [joint for joint in robot.joints if joint.parent == WORLD]
    if not roots and not on_world:
        path = [robot.links[0].name]
        while carriers[path[-1]].parent not in path:
            path.append(carriers[path[-1]].parent)
        cycle = path[path.index(carriers[path[-1]].parent) :]
        raise RobotFileError(
            f"{robot.file!r}: no link is the root: parents go round, {' -> '.join([*cycle, cycle[0]])}; take one of the joints "
            f"{', '.join(carriers[name].name for name in cycle)} out"
        )
    if len(roots) + bool(on_world) > 1:
        others = ", ".join(map(repr, roots[:6])) + (", ..." if len(roots) > 6 else "")
        raise RobotFileError(
            f"{robot.file!r}: it has several roots, {others}{' and the world' if on_world else ''}: links that no joint "
            "carries; join them to the others"
        )
    return roots


def _fix(robot: Robot, names: tuple[str, ...]) -> None:
    """Make joints fixed; those that follow one are held where it puts them, and motors of fixed joints are gone."""
    known = {identifier(joint.name): joint for joint in robot.joints} | {joint.name: joint for joint in robot.joints}
    for name in names:
        if name not in known:
            raise ArgumentError(f"import_robot: fixed: no joint is named {name!r}: {suggestion(name, known)}")
        joint = known[name]
        _hold(joint, robot)
        idle = [motor for motor in robot.motors if joint.name in motor.shares]
        for motor in idle:
            robot.notes.add("ignored", f"motor {motor.name!r}", f"its joint {joint.name!r} is fixed")
        robot.motors = [motor for motor in robot.motors if motor not in idle]
        for tendon in [tendon for tendon in robot.tendons if joint.name in tendon.shares]:
            # A fixed joint stays at zero.
            tendon.shares = {name: share for name, share in tendon.shares.items() if name != joint.name}
        robot.tendons = [tendon for tendon in robot.tendons if tendon.shares]
        for tie in robot.ties:
            tie.shares.pop(joint.name, None)
            tie.others.pop(joint.name, None)
            if not tie.shares and not tie.others:
                text = f"{joint.name!r} is fixed, and no other joint has a share in it"
                robot.notes.add("ignored", f"coupling {tie.name!r}", text)
        robot.ties = [tie for tie in robot.ties if tie.shares or tie.others]
        robot.ratios = [kept for ratio in robot.ratios if (kept := _without(ratio, joint.name, robot)) is not None]


def _without(ratio: Ratio, fixed: str, robot: Robot) -> Ratio | None:
    """What is left of a ratio when a joint of it stays at zero: a follower that is held, or nothing."""
    if ratio.joint == fixed:
        if ratio.other:
            text = f"{fixed!r}, which follows {ratio.other!r}, is fixed, and {ratio.other!r} moves without it"
            robot.notes.add("ignored", f"coupling {ratio.name!r}", text)
        return None
    if ratio.other != fixed:
        return ratio
    value = float(np.polynomial.polynomial.polyval(-ratio.other_offset, ratio.coefficients))
    return Ratio(ratio.name, ratio.joint, "", (value,), ratio.offset)


def _unused(name: str, robot: Robot) -> str:
    names = {joint.name for joint in robot.joints}
    while name in names:
        name += "_"
    return name
