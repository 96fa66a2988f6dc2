"""Geoms of MuJoCo as shapes to see and as shapes that collide with the floor."""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import LocomotorError
from locomotor.model import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from locomotor.robots.coarser import MOST, coarser
from locomotor.robots.mjcf_switches import is_off, overridden_friction
from locomotor.robots.parts import Link, Robot, Touch
from locomotor.robots.rotations import from_quaternion
from locomotor.robots.urdf import hex_colour
from locomotor.typing import Floats

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)
SEEN = 2
"""Groups of geoms up to this one are drawn, as in MuJoCo's own viewer; higher ones are there to collide."""
LIKE = 0.5
"""What is at least this share as large as the parts of a body that touch, and touches nothing, is what the body looks like."""
USUAL = (0.5, 0.5, 0.5, 1.0)
"""Colour of a geom that has none."""


@dataclass(eq=False)
class Geoms:
    """The geoms of a compiled model."""

    model: Any
    robot: Robot
    meshes: bool

    def world(self) -> None:
        """The floor, and what else stands in the world."""
        m = self.model
        others = 0
        for g in self._of(0):
            if m.geom_type[g] == PLANE and self.robot.ground is None:
                self.robot.ground = (from_quaternion(m.geom_quat[g])[:, 2], np.array(m.geom_pos[g]))
                self._floor = g
                continue
            others += 1
            shape = self._shape(g, np.zeros(3))
            if shape is not None and self._drawn(g):
                self.robot.scenery.append(shape)
        if others:
            self.robot.notes.add("ignored", f"{others} geoms of the world", "they are seen; only the first plane is touched")

    _floor: int = -1

    def of_body(self, b: int, link: Link, origin: Floats) -> None:
        """Shapes and touching shapes of a body."""
        m = self.model
        geoms = self._of(b)
        drawn = self._looks([g for g in geoms if self._drawn(g)]) or geoms
        for g in geoms:
            shape = self._shape(g, origin)
            if shape is None:
                link.partly = True
                continue
            if g in drawn:
                link.shapes.append(shape)
            if self._collides(g):
                link.touches.append(Touch(shape, self._friction(g)))
        for name, values in (("geom adhesion", m.geom_adhesion), ("geom surfacevel", m.geom_surfacevel)):
            if len(geoms) and np.any(values[geoms]):
                self.robot.notes.add("ignored", name, "contacts push and rub", link.name)

    def _of(self, b: int) -> list[int]:
        first = int(self.model.body_geomadr[b])
        return [first + k for k in range(int(self.model.body_geomnum[b]))]

    def _looks(self, geoms: list[int]) -> list[int]:
        """Of the geoms that are seen, those that a body is to look like.

        Many robots have two of each part, in groups of their own: a detailed one that touches nothing, and a rough one that
        touches. Drawn one in the other they make patches of both. Eyes on a body, of its group or much smaller, are no such
        pair.
        """
        m = self.model
        fine = [g for g in geoms if not (m.geom_contype[g] or m.geom_conaffinity[g])]
        rough = [g for g in geoms if g not in fine]
        apart = {int(m.geom_group[g]) for g in fine}.isdisjoint(int(m.geom_group[g]) for g in rough)
        if not fine or not rough or not apart:
            return geoms
        large = max(float(m.geom_rbound[g]) for g in fine) >= LIKE * max(float(m.geom_rbound[g]) for g in rough)
        return fine if large else geoms

    def _drawn(self, g: int) -> bool:
        return self.model.geom_group[g] <= SEEN and self._rgba(g)[3] > 0.0

    def _collides(self, g: int) -> bool:
        """With the floor, where there is one; with anything, where there is none."""
        m = self.model
        if is_off(m, "contact") or (self._floor >= 0 and self._is_excluded(g)):
            return False
        if self._floor < 0:
            return bool(m.geom_contype[g] or m.geom_conaffinity[g])
        f = self._floor
        return bool((m.geom_contype[g] & m.geom_conaffinity[f]) or (m.geom_contype[f] & m.geom_conaffinity[g]))

    def _is_excluded(self, g: int) -> bool:
        """Whether the file takes the body of a geom out of contacts with the world, by <contact><exclude>."""
        m = self.model
        return any({int(pair) >> 16, int(pair) & 0xFFFF} == {0, int(m.geom_bodyid[g])} for pair in m.exclude_signature)

    def _friction(self, g: int) -> float:
        """Friction between two geoms as MuJoCo mixes it: that of higher priority, or the larger one; so with `condim`."""
        m, f = self.model, self._floor
        both = [g] if f < 0 else [g, f]
        highest = max(int(m.geom_priority[k]) for k in both)
        count = [k for k in both if int(m.geom_priority[k]) == highest]
        if max(int(m.geom_condim[k]) for k in count) == 1:
            return 0.0
        of_all = overridden_friction(m)
        return max(float(m.geom_friction[k, 0]) for k in count) if of_all is None else of_all

    def _rgba(self, g: int) -> Floats:
        m = self.model
        own = np.array(m.geom_rgba[g], dtype=float)
        painted = m.geom_matid[g] >= 0 and np.allclose(own, USUAL)
        return np.array(m.mat_rgba[m.geom_matid[g]], dtype=float) if painted else own

    def _shape(self, g: int, origin: Floats) -> Shape | None:
        m = self.model
        kind, size = int(m.geom_type[g]), np.array(m.geom_size[g], dtype=float)
        at, R = np.array(m.geom_pos[g]) - origin, from_quaternion(m.geom_quat[g])
        colour = hex_colour(self._rgba(g))
        plain = tuple(map(tuple, R))
        try:
            if kind == SPHERE:
                return Sphere(float(size[0]), at, colour=colour)
            if kind == ELLIPSOID:
                return Ellipsoid(size, at, plain, colour=colour)
            if kind == BOX:
                return Box(2.0 * size, at, plain, colour=colour)
            if kind in (CAPSULE, CYLINDER):
                half = size[1] * R[:, 2]
                return (Capsule if kind == CAPSULE else Cylinder)(at - half, at + half, float(size[0]), colour=colour)
            if kind == MESH:
                return self._mesh(int(m.geom_dataid[g]), at, plain, colour)
        except LocomotorError as error:
            self.robot.notes.add("ignored", f"geom {m.geom(g).name or g!r}", str(error))
            return None
        self.robot.notes.add("ignored", "geoms of kinds that are not known (plane of a body, height field, sdf)", "not drawn")
        return None

    def _mesh(self, k: int, at: Floats, R: Any, colour: str) -> Shape | None:
        if not self.meshes:
            return None
        m = self.model
        first, count = int(m.mesh_vertadr[k]), int(m.mesh_vertnum[k])
        face, faces = int(m.mesh_faceadr[k]), int(m.mesh_facenum[k])
        vertices = np.array(m.mesh_vert[first : first + count], dtype=float)
        triangles = np.array(m.mesh_face[face : face + faces], dtype=np.int64)
        if len(triangles) > MOST:
            text = f"drawn with fewer triangles, at most {MOST} each"
            self.robot.notes.add("changed", "meshes", text, m.mesh(k).name)
            vertices, triangles = coarser(vertices, triangles)
        return Mesh("", at, R, vertices=vertices, triangles=triangles, colour=colour)
