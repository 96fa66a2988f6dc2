"""Meshes from files, by trimesh: STL, OBJ, glTF and Collada. Triangles are kept: a saved system needs the file no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import MeshError, MissingExtraError, QuantityError
from locomotor.files import is_file
from locomotor.model.expressions import Expression, MatrixLike, QuantityLike, VectorLike, expressions
from locomotor.model.shapes.shape import ORIGIN, Shape
from locomotor.typing import Floats, Integers

SUFFIXES = (".stl", ".obj", ".glb", ".gltf", ".dae")
MOST_TRIANGLES = 200_000
"""A page with more would take more than 8 MB and stutter."""

MUCH = 0.3
"""A colour on this share of a surface is the colour of it."""


@dataclass(frozen=True)
class Mesh(Shape):
    """The triangles of a file (STL, OBJ, glTF): its origin at `at` (m), turned by `rotation`, all lengths times `scale`.

    A file in millimetres has `scale=0.001`. Instead of a file, `vertices` (n, 3) and `triangles` (m, 3), counter-clockwise seen
    from outside. Files need the extra: pip install 'locomotor[view]'.
    """

    file: str = ""
    at: VectorLike = ORIGIN
    rotation: MatrixLike | VectorLike = ORIGIN
    scale: QuantityLike = 1.0
    vertices: Iterable[Iterable[float]] = field(default=(), kw_only=True, repr=False)
    triangles: Iterable[Iterable[int]] = field(default=(), kw_only=True, repr=False)
    LENGTHS: ClassVar[tuple[str, ...]] = ("scale",)

    def _read(self) -> None:
        none = isinstance(self.file, str) and not self.file
        file = "" if none else checks.path(self.file, f"{self.label}: file", error=MeshError)
        self._store(file=Path(file).name if file else "")
        vertices, triangles = self.vertices, self.triangles
        if isinstance(vertices, tuple) and isinstance(triangles, tuple) and not vertices and not triangles:
            if not file:
                raise MeshError(
                    "Mesh has neither a file nor triangles; give a file such as 'part.stl', or vertices and triangles"
                )
            vertices, triangles, _ = read_painted(file)
        points = checks.floats(vertices, f"{self._named}: vertices", dimensions=(2,), finite=True)
        corners = checks.floats(triangles, f"{self._named}: triangles", dimensions=(2,), finite=True)
        if points.shape[1:] != (3,) or corners.shape[1:] != (3,) or not len(points) or not len(corners):
            raise QuantityError(
                f"{self._named}: vertices have shape {points.shape} and triangles {corners.shape}; give (n, 3) and (m, 3)"
            )
        if len(corners) > MOST_TRIANGLES:
            raise MeshError(
                f"{self._named}: it has {len(corners)} triangles, more than {MOST_TRIANGLES}; simplify it, as by Blender's "
                "Decimate, before it is drawn"
            )
        whole = corners.astype(np.int64)
        if (whole != corners).any() or whole.min() < 0 or whole.max() >= len(points):
            raise MeshError(f"{self._named}: its triangles name vertices that are not there; count from 0 to {len(points) - 1}")
        self._read_quantities("scale")
        self._read_vectors("at")
        self._read_rotation()
        self._store(vertices=tuple(map(tuple, points.astype(float).tolist())), triangles=tuple(map(tuple, whole.tolist())))

    @property
    def _named(self) -> str:
        return f"Mesh {self.file!r}" if self.file else "Mesh"

    def expressions(self, laws: bool) -> Iterator[tuple[str, Expression]]:
        """Field name and expression; the many numbers of the triangles hold none and are not searched."""
        if not laws:
            for name in ("at", "rotation", "scale"):
                yield from ((name, expression) for expression in expressions(getattr(self, name)))


def read_painted(file: str) -> tuple[Floats, Integers, str]:
    """Vertices and triangles of a file, all its parts as one, and the colour "#rrggbb" of most of it, "" where it has none."""
    path = Path(file)
    if path.suffix.lower() not in SUFFIXES:
        raise MeshError(f"mesh {file!r}: its name must end in {', '.join(SUFFIXES)}; convert it to one of these")
    if not is_file(path):
        raise MeshError(f"mesh {file!r}: there is no such file; give its path from {Path.cwd().name!r}, or an absolute one")
    try:
        import trimesh
    except ImportError as error:
        raise MissingExtraError(
            "meshes from files need the package trimesh, which is not installed; pip install 'locomotor[view]'"
        ) from error
    try:
        if path.suffix.lower() == ".dae":
            _check_collada(path)
        found: Any = trimesh.load_mesh(path)
        if isinstance(found, trimesh.Scene):
            found = found.to_mesh()
        vertices, triangles = np.asarray(found.vertices, dtype=float), np.asarray(found.faces, dtype=np.int64)
        colour = _colour(found) if len(triangles) else ""
    except MissingExtraError:
        raise
    except Exception as error:  # whatever a damaged file makes a reader raise
        raise MeshError(f"mesh {file!r} cannot be read: {error or type(error).__name__}; export it again") from error
    if not len(triangles):
        raise MeshError(f"mesh {file!r} has no triangles; export its surface, not points or lines")
    return vertices, triangles, colour


def _colour(found: Any) -> str:
    """The colour of the largest area, if that is much of it, else the mean of all: a texture has a colour at every place."""
    try:
        each = _painted(found)
        areas = np.asarray(found.area_faces)
        kinds, place = np.unique(each[:, :3].astype(np.int64), axis=0, return_inverse=True)
    except Exception:  # colours are told in many ways, not all of them well: a mesh is worth drawing without
        return ""
    if not len(kinds) or not areas.sum() > 0.0:
        return ""
    shares = np.bincount(place.ravel(), weights=areas) / areas.sum()
    chosen = kinds[int(shares.argmax())] if shares.max() > MUCH else np.rint(shares @ kinds).astype(np.int64)
    return "#" + "".join(f"{value:02x}" for value in chosen)


def _painted(found: Any) -> Integers:
    """The colour of each triangle, from 0 to 255; no rows where the file tells none."""
    visual, faces = found.visual, np.asarray(found.faces)
    if not visual.defined:
        return np.zeros((0, 3), dtype=np.int64)
    if visual.kind == "texture" and visual.uv is None:
        return np.tile(np.asarray(visual.material.main_color), (len(faces), 1))
    painted = visual.to_color() if visual.kind == "texture" else visual
    if painted.kind == "face":
        return np.asarray(painted.face_colors)
    points = np.asarray(painted.vertex_colors)
    return points[faces[:, 0]] if len(points) == len(found.vertices) else np.tile(points.reshape(-1, 4)[:1], (len(faces), 1))


def _check_collada(path: Path) -> None:
    """Refuse what may expand without end, and say what is missing."""
    if find_spec("collada") is None:
        raise MissingExtraError(
            "meshes in Collada (.dae) need the package pycollada, which is not installed; pip install 'locomotor[robots]'"
        )
    content = path.read_bytes()
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise MeshError("it declares a document type or an entity, which no mesh needs")
