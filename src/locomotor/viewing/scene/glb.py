"""A run as an animated binary glTF 2.0 file (.glb), for Blender, slides and every other viewer of that format.

Bodies are nodes with animated translation and rotation, springs are stretched by an animated scale, grounds and the
paths of the contact points are meshes. Soft bodies are skins that the nodes of their pieces move; their colours, which the
format cannot animate, tell the largest strain that each place sees in the run.
glTF has y up and metres; one root node turns our axes into those.
Specification: Khronos Group, glTF 2.0 (ISO/IEC 12113:2022).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor import __version__, checks
from locomotor.files import draft
from locomotor.simulation import Run
from locomotor.typing import Floats
from locomotor.viewing.scene.drawing import Part, Strut, Surface
from locomotor.viewing.scene.materials import MATERIALS, PALETTE, Material, colours
from locomotor.viewing.scene.mesh import Mesh, facets, frame_about, merge, mesh, ribbon, tube
from locomotor.viewing.scene.playback import Playback, playback_of, quaternions, rotate
from locomotor.viewing.scene.scene import HIDDEN
from locomotor.viewing.scene.skin import Skin, coloured

RATE = 60.0
"""Frames a second, where the run was recorded at least as often."""
MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
STORED = {np.uint32: "<u4", np.uint16: "<u2"}
COMPONENTS = {"<f4": 5126, "<u4": 5125, "<u2": 5123}
VERTICES, INDICES = 34962, 34963
GROUND = Material("#dfe4ea", metal=0.0, rough=0.95)
RIM = Material("#8d99a6", metal=0.0, rough=0.95)
EDGE = Material("#3c4651", metal=0.0, rough=0.95)
BRICK = Material("#dcbdad", metal=0.0, rough=0.95)
MORTAR = Material("#f3ece8", metal=0.0, rough=0.95)
GRID = Material("#aab6c4", metal=0.0, rough=0.95)
SKIN = Material("#ffffff", metal=0.05, rough=0.5)
"""White, which the colours of the vertices are multiplied with."""
LINES = 41
"""Grid lines each way at most."""


@checks.door(rate=checks.positive, ground=checks.flag, trails=checks.flag)
def to_glb(run: Run, path: str | Path, *, rate: float = RATE, ground: bool = True, trails: bool = True) -> Path:
    """Write the file; it appears only when it is complete."""
    target = Path(path)
    with draft(target) as unfinished:
        unfinished.write_bytes(glb_bytes(run, rate=rate, ground=ground, trails=trails))
    return target


def glb_bytes(run: Run, *, rate: float = RATE, ground: bool = True, trails: bool = True) -> bytes:
    """Content of the .glb file."""
    playback = playback_of(run, megabytes=np.inf, every=1.0 / rate)
    return _Writer(playback).write(ground, trails)


class _Writer:
    """Collects accessors, meshes, nodes and animation channels."""

    def __init__(self, playback: Playback) -> None:
        self.playback = playback
        self.binary = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.materials: dict[Material, int] = {}
        self.meshes: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.skins: list[dict[str, Any]] = []

    def write(self, ground: bool, trails: bool) -> bytes:
        playback, scene = self.playback, self.playback.scene
        moment = playback.time - playback.time[0]
        self.time = self.accessor(moment.astype(np.float32), "SCALAR", bounds=True) if len(moment) > 1 else None
        tints = colours(scene)
        children = [
            self.body(i, body.name, body.parts, tint) for i, (body, tint) in enumerate(zip(scene.bodies, tints, strict=True))
        ]
        if scene.world:
            children.append(self.node("world", self.mesh("world", scene.world, "#888888")))
        children += [self.strut(strut) for strut in scene.struts]
        children += [self.skin(*each, children) for each in zip(scene.skins, playback.strains, strict=True)]
        if ground:
            children += [self.ground(surface) for surface in scene.grounds]
        if trails:
            children += self.trails()
        root = self.node(scene.name, None, rotation=_to_y_up(scene.up), children=children)
        return self.pack(root)

    # -- nodes ----------------------------------------------------------------------------------------

    def node(self, name: str, mesh: int | None, **more: Any) -> int:
        entry = {"name": name, **({} if mesh is None else {"mesh": mesh}), **more}
        self.nodes.append(entry)
        return len(self.nodes) - 1

    def body(self, index: int, name: str, parts: Sequence[Part], tint: str) -> int:
        poses = self.playback.poses[:, index]
        turned = np.ascontiguousarray(poses[:, [4, 5, 6, 3]])  # glTF has the scalar last
        node = self.node(
            name,
            self.mesh(name, parts, tint) if parts else None,
            translation=poses[0, 0:3].tolist(),
            rotation=turned[0].tolist(),
        )
        self.animate(node, "translation", np.ascontiguousarray(poses[:, 0:3]), "VEC3")
        self.animate(node, "rotation", turned, "VEC4")
        return node

    def strut(self, strut: Strut) -> int:
        assert strut.mesh is not None
        a, b = (self.points(index, at) for index, at in ((strut.body_a, strut.at_a), (strut.body_b, strut.at_b)))
        span = b - a
        length = np.linalg.norm(span, axis=1)
        turned = _from_z(span, length)
        scale = np.ones((len(a), 3))
        scale[:, 2] = np.maximum(length, 1e-6) / strut.length
        node = self.node(
            strut.name,
            self.mesh(strut.name, (Part(strut.role, strut.mesh),), "#888888"),
            translation=a[0].tolist(),
            rotation=turned[0].tolist(),
            scale=scale[0].tolist(),
        )
        for path, values, kind in (("translation", a, "VEC3"), ("rotation", turned, "VEC4"), ("scale", scale, "VEC3")):
            self.animate(node, path, values.astype(np.float32), kind)
        return node

    def skin(self, skin: Skin, strains: NDArray[np.float32], nodes: Sequence[int]) -> int:
        """A skin as it lies at the first instant, each vertex bound to its piece; `nodes` are those of the bodies."""
        first, shape = self.playback.poses[0, skin.pieces].astype(float), skin.mesh
        which = np.clip(skin.rings.astype(np.intp) - 1, 0, len(first) - 1)  # the outermost pieces bear two rings
        vertices = first[which, 0:3] + rotate(first[which, 3:7], shape.vertices.astype(float))
        normals = rotate(first[which, 3:7], shape.normals.astype(float))
        entry = self.primitive(mesh(vertices, normals, shape.triangles), SKIN)
        most = np.max(np.where(np.isfinite(strains), strains, 0.0), axis=0)
        shades = coloured(most, self.playback.largest_strain)[skin.rings]
        bound = np.zeros((len(which), 4))
        bound[:, 0] = 1.0
        entry["attributes"] |= {
            "COLOR_0": self.accessor(linear_light(shades), "VEC3", VERTICES),
            "JOINTS_0": self.accessor((bound * which[:, None]).astype(np.uint16), "VEC4", VERTICES),
            "WEIGHTS_0": self.accessor(bound, "VEC4", VERTICES),
        }
        self.meshes.append({"name": skin.name, "primitives": [entry]})
        inverse = np.zeros((len(first), 4, 4))
        for k, pose in enumerate(first):
            inverse[k, 0:3, 0:3] = np.stack([rotate(pose[3:7], e) for e in np.eye(3)])
            inverse[k, 0:3, 3] = -inverse[k, 0:3, 0:3] @ pose[0:3]
            inverse[k, 3, 3] = 1.0
        # Columns one after the other.
        matrices = self.accessor(np.swapaxes(inverse, 1, 2).reshape(-1, 16), "MAT4")
        self.skins.append({"inverseBindMatrices": matrices, "joints": [nodes[k] for k in skin.pieces]})
        return self.node(f"{skin.name}_skin", len(self.meshes) - 1, skin=len(self.skins) - 1)

    def points(self, body: int, at: Floats) -> Floats:
        """A point of a body (index -1: the world) at every frame."""
        poses = self.playback.poses
        if body < 0:
            return np.tile(at, (len(poses), 1))
        return poses[:, body, 0:3] + rotate(poses[:, body, 3:7], at)

    def ground(self, surface: Surface) -> int:
        """A square of the plane under the whole path, with a grid; a terrain as it is."""
        if surface.mesh is not None:
            shapes = [self.primitive(facets(surface.mesh), GROUND)]
            trim = ((surface.rim, RIM), (surface.edges, EDGE))
            shapes += [self.primitive(shape, look) for shape, look in trim if shape is not None]
            self.meshes.append({"name": surface.name, "primitives": shapes})
            return self.node(surface.name, len(self.meshes) - 1)
        centre, size = self.playback.centre.astype(float), self.playback.scene.size
        up = self.playback.scene.up
        frame = frame_about(surface.normal)
        if surface.wall:
            across = np.cross(up, surface.normal) / np.linalg.norm(np.cross(up, surface.normal))
            frame = np.stack([across, np.cross(surface.normal, across), surface.normal], axis=1)
        flat = (centre - surface.point) @ frame[:, :2]
        low, high = flat.min(axis=0) - size, flat.max(axis=0) + size
        middle, half = 0.5 * (low + high), 0.5 * float((high - low).max())
        corners = [(-half, -half), (half, -half), (half, half), (-half, half)]

        def place(x: float, y: float, lift: float = 0.0) -> Floats:
            return surface.point + frame @ np.array([middle[0] + x, middle[1] + y, lift])

        plane = mesh([place(x, y) for x, y in corners], [surface.normal] * 4, [(0, 1, 2), (0, 2, 3)])
        ends = _bricks(half, 0.25 * size) if surface.wall else _grid(half, 0.25 * size)
        lines = [tube(place(*a), place(*b), 0.0015 * size, sides=4) for a, b in ends]
        ground, line = (BRICK, MORTAR) if surface.wall else (GROUND, GRID)
        shapes = [self.primitive(plane, ground), self.primitive(merge(lines), line)]
        self.meshes.append({"name": surface.name, "primitives": shapes})
        return self.node(surface.name, len(self.meshes) - 1)

    def trails(self) -> list[int]:
        """Paths of the contact points, as bands on the ground."""
        run, scene = self.playback.run, self.playback.scene
        normals = {surface.name: surface.normal for surface in scene.grounds}
        found = []
        for index, contact in enumerate(scene.contacts):
            if contact.name not in run.contact_points or len(self.playback.time) < 2:
                continue
            points = run.contact_points[contact.name][self.playback.samples]
            normal = normals.get(contact.ground, np.array([0.0, 0.0, 1.0]))
            bands = [ribbon(part + 0.002 * scene.size * normal, normal, 0.006 * scene.size) for part in _stretches(points)]
            if not bands:
                continue
            shape = merge(bands)
            look = Material(PALETTE[(index + 2) % len(PALETTE)], metal=0.0, rough=0.8)
            name = f"{contact.name}_path"
            self.meshes.append({"name": name, "primitives": [self.primitive(shape, look)]})
            found.append(self.node(name, len(self.meshes) - 1))
        return found

    # -- meshes ---------------------------------------------------------------------------------------

    def mesh(self, name: str, parts: Sequence[Part], tint: str) -> int:
        primitives = []
        for part in parts:
            look = MATERIALS[part.role]
            if part.role == "solid" or (part.role in HIDDEN and self.playback.scene.shaped):
                continue
            if part.colour or look.colour == "body":
                look = replace(look, colour=part.colour or tint)
            primitives.append(self.primitive(part.mesh, look))
        self.meshes.append({"name": name, "primitives": primitives})
        return len(self.meshes) - 1

    def primitive(self, shape: Mesh, look: Material) -> dict[str, Any]:
        return {
            "attributes": {
                "POSITION": self.accessor(shape.vertices, "VEC3", VERTICES, bounds=True),
                "NORMAL": self.accessor(shape.normals, "VEC3", VERTICES),
            },
            "indices": self.accessor(shape.triangles.ravel(), "SCALAR", INDICES),
            "material": self.materials.setdefault(look, len(self.materials)),
        }

    def accessor(self, array: NDArray[Any], kind: str, target: int | None = None, bounds: bool = False) -> int:
        data = np.ascontiguousarray(array, dtype=STORED.get(array.dtype.type, "<f4"))
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": data.nbytes}
        self.views.append({**view, "target": target} if target else view)
        self.binary += data.tobytes()
        entry: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": COMPONENTS[data.dtype.str],
            "count": len(data),
            "type": kind,
        }
        if bounds:
            columns = data.reshape(len(data), -1)
            entry |= {"min": columns.min(axis=0).tolist(), "max": columns.max(axis=0).tolist()}
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def animate(self, node: int, path: str, values: NDArray[np.float32], kind: str) -> None:
        if self.time is None:
            return
        self.samplers.append({"input": self.time, "output": self.accessor(values, kind), "interpolation": "LINEAR"})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    # -- the file -------------------------------------------------------------------------------------

    def pack(self, root: int) -> bytes:
        run = self.playback.run
        table: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"locomotor {__version__}", "extras": {"run": run.name}},
            "scene": 0,
            "scenes": [{"name": run.name, "nodes": [root]}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "skins": self.skins,
            "materials": [_material(look) for look in self.materials],
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.binary)}],
        }
        if self.channels:
            table["animations"] = [{"name": "motion", "samplers": self.samplers, "channels": self.channels}]
        text = json.dumps({name: value for name, value in table.items() if value != []}, allow_nan=False).encode("utf-8")
        text += b" " * (-len(text) % 4)
        binary = bytes(self.binary) + bytes(-len(self.binary) % 4)
        length = 12 + 8 + len(text) + 8 + len(binary)
        return b"".join(
            [
                struct.pack("<III", MAGIC, VERSION, length),
                struct.pack("<II", len(text), JSON_CHUNK),
                text,
                struct.pack("<II", len(binary), BINARY_CHUNK),
                binary,
            ]
        )


Ends = list[tuple[tuple[float, float], tuple[float, float]]]


def _grid(half: float, step: float) -> Ends:
    """Lines both ways over a square."""
    places = [float(k) for k in np.linspace(-half, half, min(LINES, max(3, 1 + round(2 * half / step))))]
    return [ends for k in places for ends in (((k, -half), (k, half)), ((-half, k), (half, k)))]


def _bricks(half: float, step: float) -> Ends:
    """Joints of a wall: courses half as high as a brick is wide, every other one shifted."""
    count = min(LINES, max(4, round(4 * half / step)))
    high, wide = 2.0 * half / count, 4.0 * half / count
    found: Ends = [((-half, -half + high * k), (half, -half + high * k)) for k in range(count + 1)]
    for k in range(count):
        low = -half + high * k
        for i in range(count // 2 + 1):
            x = -half + wide * (i + 0.5 * (k % 2))
            if x < half:
                found.append(((x, low), (x, low + high)))
    return found


def _stretches(points: Floats) -> list[Floats]:
    """Parts of a path without the samples at which there is no point (a contact in the air); two points at least."""
    there = np.isfinite(points).all(axis=1)
    edges = np.flatnonzero(np.diff(there)) + 1
    parts = np.split(points, edges)
    kept = np.split(there, edges)
    return [part for part, good in zip(parts, kept, strict=True) if good[0] and len(part) > 1]


def _material(look: Material) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": look.colour,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*_linear(look.colour), look.opacity],
            "metallicFactor": look.metal,
            "roughnessFactor": look.rough,
        },
        "doubleSided": True,
    }
    return found | ({"alphaMode": "BLEND"} if look.opacity < 1.0 else {})


def _linear(colour: str) -> list[float]:
    """Linear light of a colour written #rrggbb in sRGB."""
    return [float(s) for s in linear_light(np.array([int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]))]


def linear_light(shares: Floats) -> Floats:
    """Linear light of shares of red, green and blue in sRGB."""
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def _to_y_up(up: Floats) -> list[float]:
    """Quaternion (scalar last) that takes `up` to y, and keeps x where it can."""
    across = np.array([1.0, 0.0, 0.0]) - up * up[0]
    if np.linalg.norm(across) < 1e-6:
        across = np.array([0.0, 0.0, 1.0]) - up * up[2]
    across /= np.linalg.norm(across)
    R = np.stack([across, up, np.cross(across, up)])
    return [float(x) for x in quaternions(R[None, None])[0, 0, [1, 2, 3, 0]]]


def _from_z(span: Floats, length: Floats) -> Floats:
    """Quaternions (scalar last) that take z to each span; the shortest turn, the one before where a span vanishes."""
    found = np.tile([0.0, 0.0, 0.0, 1.0], (len(span), 1))
    for i, (vector, size) in enumerate(zip(span, length, strict=True)):
        if size < 1e-12:
            found[i] = found[i - 1] if i else found[i]
            continue
        x, y, z = vector / size
        # Half-way quaternion (1 + z . d, z x d); straight down, half a turn about x.
        q = np.array([-y, x, 0.0, 1.0 + z]) if z > -1.0 + 1e-9 else np.array([1.0, 0.0, 0.0, 0.0])
        q /= np.linalg.norm(q)
        found[i] = -q if i and found[i - 1] @ q < 0.0 else q
    return found
