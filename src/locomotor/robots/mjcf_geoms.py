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
        self._floor = self._first_plane()
        if self._floor >= 0:
            R, at = self._in_world(self._floor)
            self.robot.ground = (R[:, 2], at)
        others = [g for g in self._of(0) if g != self._floor]
        for g in others:
            shape = self._shape(g, np.zeros(3))
            if shape is not None and self._drawn(g):
                self.robot.scenery.append(shape)
        if others:
            touched = "only the first plane is touched" if self._floor >= 0 else "contacts touch the plane z = 0 instead"
            self.robot.notes.add("ignored", f"{len(others)} geoms of the world", f"they are seen; {touched}")

    _floor: int = -1

    def _first_plane(self) -> int:
        """The first plane that stands still, on the world or on a body that is welded to it; one that touches comes before
        one that is only seen. -1 where there is none."""
        m = self.model
        planes = [g for g in range(m.ngeom) if m.geom_type[g] == PLANE and m.body_weldid[m.geom_bodyid[g]] == 0]
        touched = [g for g in planes if m.geom_contype[g] or m.geom_conaffinity[g]]
        return [*touched, *planes, -1][0]

    def _in_world(self, g: int) -> tuple[Floats, Floats]:
        """Rotation and place of a geom that stands still."""
        m = self.model
        R, at, b = from_quaternion(m.geom_quat[g]), np.array(m.geom_pos[g]), int(m.geom_bodyid[g])
        while b:
            turn = from_quaternion(m.body_quat[b])
            R, at, b = turn @ R, np.array(m.body_pos[b]) + turn @ at, int(m.body_parentid[b])
        return R, at

    def of_body(self, b: int, link: Link, origin: Floats) -> None:
        """Shapes and touching shapes of a body."""
        m = self.model
        geoms = [g for g in self._of(b) if g != self._floor]
        drawn = self._looks([g for g in geoms if self._drawn(g)]) or geoms
        for g in geoms:
            shape = self._shape(g, origin)
            if shape is None:
                link.partly = True
                continue
            if g in drawn:
                link.shapes.append(shape)
            if self._collides(g):
                link.touches.append(self._touch(g, shape))
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
        """Whether the file takes the body of a geom out of contacts with that of the floor, by <contact><exclude>."""
        m = self.model
        both = {int(m.geom_bodyid[self._floor]), int(m.geom_bodyid[g])}
        return any({int(pair) >> 16, int(pair) & 0xFFFF} == both for pair in m.exclude_signature)

    def _touch(self, g: int, shape: Shape) -> Touch:
        """A geom that collides, with friction as MuJoCo mixes it: that of higher priority, or the larger one; so with
        `condim`, which says whether it resists sliding (3), spinning (4) and rolling (6)."""
        m, f = self.model, self._floor
        both = [g] if f < 0 else [g, f]
        highest = max(int(m.geom_priority[k]) for k in both)
        count = [k for k in both if int(m.geom_priority[k]) == highest]
        condim = max(int(m.geom_condim[k]) for k in count)
        if np.any(m.geom_margin[both]) or np.any(m.geom_gap[both]):
            owner = m.body(m.geom_bodyid[g]).name
            self.robot.notes.add("ignored", "margin and gap of geoms", "contacts close where shapes touch", owner)
        of_all = overridden_friction(m)
        slide, spin, roll = np.max(m.geom_friction[count], axis=0) if of_all is None else of_all
        return Touch(
            shape,
            float(slide) if condim > 1 else 0.0,
            float(spin) if condim > 3 else 0.0,
            float(roll) if condim > 4 else 0.0,
        )

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
