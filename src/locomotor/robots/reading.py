"""Robots from files: `import_robot` finds out what a file is, reads it and builds the system."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from locomotor import checks
from locomotor.checks import door, shown
from locomotor.errors import ArgumentError, RobotFileError
from locomotor.model import System
from locomotor.robots.build import build
from locomotor.robots.imported import Imported
from locomotor.robots.meshes import Meshes
from locomotor.robots.mjcf import read_mjcf
from locomotor.robots.notes import RobotWarning, told_in_words
from locomotor.robots.options import Options
from locomotor.robots.parts import Notes, Robot
from locomotor.robots.sdf import read_sdf
from locomotor.robots.urdf import read_urdf
from locomotor.robots.xml_tree import Element, read_xml

ROBOTS = (".urdf", ".xml", ".mjcf", ".sdf", ".world")
"""Ends of the names of robots' files."""


@door(path=partial(checks.path, error=RobotFileError))
def import_robot(
    path: str | Path,
    *,
    base: str | None = None,
    contacts: bool | Iterable[str] = False,
    friction: float | None = None,
    limits: str = "told",
    meshes: bool = True,
    folders: Iterable[str | Path] = (),
    balance: bool = False,
    fixed: Iterable[str] = (),
    merge: bool = False,
    joint_friction: bool = False,
) -> Imported:
    """Read a robot (URDF, MJCF, SDF): the system, notes of what was ignored, ranges of joints, named poses.

    `base` is "fixed" or "free" where the file leaves it open (URDF; fixed unless given). `contacts` is True for all shapes that
    collide, or names of links; they push, with the file's `friction` or the one given. `limits="stops"` makes end stops of the
    ranges of joints. `meshes=False` leaves files of meshes alone; `folders` are where packages of them lie. `balance` mends
    inertias that no body has. Joints named in `fixed` do not move. With `merge` links that are welded together are one body and
    frames, which is quicker; where a link alone is impossible this is done anyway. `joint_friction` makes a `JointFriction` of
    the dry friction of joints, which holds them at rest; such systems run with events or by time-stepping.
    """
    options = Options.read(base, contacts, friction, limits, meshes, folders, balance, fixed, merge, joint_friction)
    root = read_xml(path, "a robot")
    reader = READERS.get(root.tag)
    if reader is None:
        known = ", ".join(f"<{tag}>" for tag in READERS)
        raise RobotFileError(f"{str(path)!r}: its root is <{root.tag}>; a robot's is one of {known}")
    notes = Notes()
    file = Path(path)
    return build(
        reader(
            root, file, Meshes(file.absolute(), options.folders, options.meshes, notes, options.contacts is not False), notes
        ),
        options,
    )


def load_robot(path: str | Path, **options: Any) -> System:
    """The system of a robot's file; what was ignored is told by a warning."""
    try:
        found = import_robot(path, **options)
    except TypeError as error:  # a keyword that import_robot does not have
        raise ArgumentError(f"load: {error}; see import_robot for what may be asked of a robot") from None
    if found.notes:
        where = f"not everything is in the system as the file has it (lm.import_robot({shown(str(path))}).notes)"
        warnings.warn(told_in_words(Path(path).name, where, found.notes), RobotWarning, stacklevel=3)
    return found.system


def _urdf(root: Element, file: Path, meshes: Meshes, notes: Notes) -> Robot:
    return read_urdf(root, meshes, notes)


def _mjcf(root: Element, file: Path, meshes: Meshes, notes: Notes) -> Robot:
    return read_mjcf(file, meshes.wanted, notes)


def _sdf(root: Element, file: Path, meshes: Meshes, notes: Notes) -> Robot:
    return read_sdf(root, meshes, notes)


READERS: dict[str, Callable[[Element, Path, Meshes, Notes], Robot]] = {"robot": _urdf, "mujoco": _mjcf, "sdf": _sdf}
"""By the root element."""
