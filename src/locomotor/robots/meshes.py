"""Meshes that robots name: where their files are, and the files read once each; what cannot be had is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import LocomotorError
from locomotor.model import Mesh, Shape
from locomotor.model.shapes import read_painted
from locomotor.robots.coarser import MOST, coarser
from locomotor.robots.parts import Notes
from locomotor.typing import Floats, Integers


@dataclass(eq=False)
class Meshes:
    """The meshes of one robot."""

    file: Path
    folders: Sequence[Path]
    wanted: bool
    notes: Notes
    touching: bool = True
    """Whether meshes that collide are wanted too: they take time to read, and are not drawn."""
    known: dict[Path, tuple[Floats, Integers, str] | None] = field(default_factory=dict)

    def shape(self, name: str, at: Floats, rotation: Floats, scale: Floats, colour: str) -> Shape | None:
        """The mesh of a file in a pose, or None where it is not wanted or cannot be had.

        Where the robot gives no colour ("body"), that of the mesh's own file.
        """
        if not self.wanted:
            return None
        path = self.find(name)
        if path is None:
            text = "there is no such file; give folders=[...] that hold it or its package"
            self.notes.add("ignored", "meshes", text, repr(name))
            return None
        if path not in self.known:
            try:
                vertices, triangles, own = read_painted(str(path))
                self.known[path] = (*coarser(vertices, triangles), own)
                if len(triangles) > MOST:
                    text = f"drawn with fewer triangles, at most {MOST} each"
                    self.notes.add("changed", "meshes", text, repr(path.name))
            except LocomotorError as error:
                self.known[path] = None
                self.notes.add("ignored", "meshes", str(error).replace(f"mesh {str(path)!r}", "").strip(": "), repr(path.name))
        found = self.known[path]
        if found is None:
            return None
        if colour == "body" and found[2]:
            colour = found[2]
        points = found[0] * scale
        triangles = found[1] if np.prod(scale) > 0 else found[1][:, ::-1]  # a mirror turns insides out
        try:
            return Mesh(path.name, at, rotation, vertices=points, triangles=triangles, colour=colour)
        except LocomotorError as error:
            self.notes.add("ignored", "meshes", str(error), repr(path.name))
            return None

    def find(self, name: str) -> Path | None:
        """The file of a name: package://NAME/PATH, model://NAME/PATH, file://PATH, or a path from the robot's own file."""
        scheme, separator, rest = name.partition("://")
        if not separator:
            return self._plain([self.file.parent, *self.folders], name)
        rest = unquote(rest)
        if scheme == "file":
            return self._plain([self.file.parent], rest)
        rest = rest.lstrip("/")  # package:///NAME/PATH is written too
        package, _, inside = rest.partition("/")
        above = [self.file.parent, *self.file.parent.parents]
        places = [*self.folders, *above]
        found = self._plain(places, rest)
        if found is None:
            found = self._plain([place for place in places if place.name == package], inside)
        return found if found is not None else self._plain(self.folders, inside)

    def _plain(self, folders: Sequence[Path], name: str) -> Path | None:
        relative = PurePosixPath(name.replace("\\", "/"))
        for folder in folders:
            try:
                path = folder / relative
                if path.is_file():
                    return path.resolve()
            except (OSError, ValueError):  # a name that no file can have
                return None
        return None
