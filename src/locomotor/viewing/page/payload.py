"""What travels to a page: a table of everything by name, and one block of binary numbers that the table points into."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor import __version__
from locomotor.simulation import Run
from locomotor.simulation.records import Audit
from locomotor.viewing.page.symbols import channel_symbol, symbol_html
from locomotor.viewing.scene import MATERIALS, RAMP, Mesh, Part, Playback, Scene, colours, is_faceted, welded

KINDS = {"f4": np.float32, "f8": np.float64, "u2": np.uint16, "u4": np.uint32}
ALIGNMENT = 8
MANY = 200
"""Triangles of a mesh from which on its size matters."""
CURVES = 4
"""Curves shown at first."""


class Block:
    """Arrays one after the other; `add` returns where one lies: [offset in bytes, count, kind]."""

    def __init__(self) -> None:
        """A block without arrays."""
        self._parts: list[bytes] = []
        self._places: dict[tuple[str, bytes], list[Any]] = {}
        self._length = 0

    def add(self, array: NDArray[Any], kind: str = "f4") -> list[Any]:
        """Append an array, flattened row by row, little-endian."""
        flat = np.ascontiguousarray(array, dtype=np.dtype(KINDS[kind]).newbyteorder("<")).ravel()
        data = flat.tobytes()
        known = self._places.get((kind, data))
        if known is None:
            # The wheels of a vehicle are mostly alike: equal arrays lie at one place.
            known = self._places[kind, data] = [self._length, int(flat.size), kind]
            self._put(data)
        return known

    def _put(self, data: bytes) -> None:
        padding = -len(data) % ALIGNMENT
        self._parts.append(data + bytes(padding))
        self._length += len(data) + padding

    @property
    def data(self) -> bytes:
        """The bytes of all arrays."""
        return b"".join(self._parts)


class Payload:
    """Table and block, with the bytes that each kind of content takes."""

    def __init__(self, table: dict[str, Any], block: Block, sizes: Mapping[str, int]) -> None:
        """Keep table, block and sizes."""
        self.table, self.block, self.sizes = table, block, dict(sizes)

    @property
    def json(self) -> str:
        """The table as text that may stand inside a script element."""
        return script_json(self.table)

    @property
    def base64(self) -> str:
        """The block as text."""
        return base64.b64encode(self.block.data).decode("ascii")

    @property
    def frame(self) -> bytes:
        """Length of the table (4 bytes, little-endian), the table, padding, the block: one answer of the live page."""
        text = self.json.encode("utf-8")
        text += b" " * (-(len(text) + 4) % ALIGNMENT)
        return len(text).to_bytes(4, "little") + text + self.block.data


def script_json(value: Any) -> str:
    """JSON without NaN, and without any character that could end a script element or a line of one."""
    text = json.dumps(_finite(value), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): _finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value


def payload_of(playback: Playback, curves: Sequence[str] = (), audit: Audit | None = None) -> Payload:
    """Everything the page shows of one run; with its audit, or one made here."""
    run, block = playback.run, Block()
    table: dict[str, Any] = {
        "version": __version__,
        "name": run.name,
        "time": block.add(playback.time, "f8"),
        "poses": block.add(playback.poses),
        "centre": block.add(playback.centre),
    }
    motion = len(block.data)
    table["channels"] = [
        {
            "name": name,
            "unit": run.about[name].unit,
            "symbol": channel_symbol(name, run.about[name].latex),
            "about": run.about[name].description,
            "group": run.about[name].group,
            "data": block.add(values),
        }
        for name, values in playback.channels.items()
    ]
    numbers = len(block.data)
    table["scene"] = _scene(playback.scene, block)
    table["scene"]["skins"] = _skins(playback, block)
    table["scene"]["wings"] += _held_joints(playback)
    table["extent"] = {"around": playback.extent.around.tolist(), "whole": playback.extent.whole.tolist()}
    table["curves"] = list(curves) or first_curves(playback)
    table["report"] = report_of(run, run.audit() if audit is None else audit)
    sizes = {"motion": motion, "curves": numbers - motion, "shapes": len(block.data) - numbers}
    return Payload(table, block, sizes)


def first_curves(playback: Playback) -> list[str]:
    """Channels worth a first look: independent velocities, what they integrate to, then whatever else moves."""
    run, system = playback.run, playback.system
    velocities = [s.name for s in system.layout.velocities]
    independent = [name for name in system.independent or () if name in run]
    integrals = [name.removesuffix("_rate") for name in independent or velocities if name.endswith("_rate")]
    others = [*velocities[:1], *integrals, *velocities, *run.group("angles"), *run.group("coordinates")]
    named = [name for name in dict.fromkeys([*independent, *others]) if name in run and run.about[name].unit != "1"]
    moving = [name for name in named if _moves(playback, name)]
    return (moving or named or list(run.channels))[:CURVES]


def _moves(playback: Playback, name: str) -> bool:
    values = playback.channels[name]
    values = values[np.isfinite(values)].astype(float)
    return bool(len(values) and np.ptp(values) > 1e-6 * max(1.0, float(np.abs(values).max())))


# -- scene --------------------------------------------------------------------------------------------


def _scene(scene: Scene, block: Block) -> dict[str, Any]:
    tints = colours(scene)
    return {
        "description": scene.description,
        "size": scene.size,
        "reach": scene.reach,
        "shaped": scene.shaped,
        "up": scene.up.tolist(),
        "materials": {role: asdict(material) for role, material in MATERIALS.items()},
        "bodies": [
            {"name": b.name, "colour": tint, "mass": b.mass, "com": b.com.tolist(), "parts": _parts(b.parts, block)}
            for b, tint in zip(scene.bodies, tints, strict=True)
        ],
        "world": _parts(scene.world, block),
        "struts": [
            {
                "name": s.name,
                "role": s.role,
                "ends": [[s.body_a, s.at_a.tolist()], [s.body_b, s.at_b.tolist()]],
                "length": s.length,
                "mesh": _mesh(s.mesh, block),
            }
            for s in scene.struts
            if s.mesh is not None
        ],
        "grounds": [
            {
                "name": g.name,
                "point": g.point.tolist(),
                "normal": g.normal.tolist(),
                "wall": g.wall,
                **{
                    name: None if shape is None else _mesh(shape, block)
                    for name, shape in (("mesh", g.mesh), ("rim", g.rim), ("edges", g.edges))
                },
            }
            for g in scene.grounds
        ],
        "contacts": [{"name": c.name, "body": c.body, "ground": c.ground} for c in scene.contacts],
        "wings": [{"name": w.name, "body": w.body, "at": w.at.tolist(), "force": "air"} for w in scene.wings],
    }


def _held_joints(playback: Playback) -> list[dict[str, Any]]:
    """Joints whose reactions are channels of the run (`Run.with_reactions`): an arrow at the origin of the child."""
    run, system = playback.run, playback.system
    held = [joint for joint in system.joints if f"{joint.name}_reaction_x" in run.group("reactions")]
    return [{"name": j.name, "body": system.index(j.child), "at": [0.0, 0.0, 0.0], "force": "reaction"} for j in held]


def _skins(playback: Playback, block: Block) -> dict[str, Any]:
    """Soft bodies: their skins, strains at the rings at all samples, and what the colours mean."""
    return {
        "ramp": list(RAMP),
        "largest": playback.largest_strain,
        "each": [
            {
                "name": skin.name,
                "bodies": skin.bodies.tolist(),
                "rings": block.add(skin.rings, "u2"),
                "mesh": _smooth(skin.mesh, block),
                "strains": block.add(strains),
                "half": skin.half.tolist(),
                "apart": skin.apart,
                "free": skin.free.tolist(),
            }
            for skin, strains in zip(playback.scene.skins, playback.strains, strict=True)
        ],
    }


def _parts(parts: tuple[Part, ...], block: Block) -> list[dict[str, Any]]:
    return [
        {"role": part.role, "mesh": _mesh(part.mesh, block)} | ({"colour": part.colour} if part.colour else {})
        for part in parts
    ]


def _mesh(mesh: Mesh, block: Block) -> dict[str, Any]:
    """A mesh; of one that is many facets without normals, which the page finds again: a seventh of the bytes."""
    if len(mesh.triangles) >= MANY and is_faceted(mesh):
        vertices, triangles = welded(mesh)
        return {"vertices": block.add(vertices), "triangles": block.add(triangles, _indices(vertices))}
    return _smooth(mesh, block)


def _smooth(mesh: Mesh, block: Block) -> dict[str, Any]:
    """A mesh with its normals, vertex by vertex."""
    return {
        "vertices": block.add(mesh.vertices),
        "normals": block.add(mesh.normals),
        "triangles": block.add(mesh.triangles, _indices(mesh.vertices)),
    }


def _indices(vertices: NDArray[Any]) -> str:
    return "u2" if len(vertices) < 2**16 else "u4"


# -- report -------------------------------------------------------------------------------------------


def report_of(run: Run, audit: Audit) -> dict[str, Any]:
    """How the run was made and how far it may be trusted."""
    known: Mapping[str, Any] = {}
    if run.system is not None:
        known = {p.name: p for p in run.system.parameters.parameters}
    return {
        "status": str(run.status),
        "ok": run.status.ok,
        "completed": run.status.completed,
        "end": run.status.end,
        "last": run.status.time,
        "samples": len(run),
        "events": [{"time": e.time, "name": e.name, "about": e.description} for e in run.events],
        "audit": [list(line) for line in audit.lines],
        "residuals": {name: float(value) for name, value in audit.items()},
        "settings": {name: value for name, value in run.settings.items() if value is not None},
        "parameters": [
            {
                "name": name,
                "value": value,
                "unit": known[name].unit if name in known else "",
                "symbol": symbol_html(known[name].latex) if name in known else "",
                "about": known[name].description if name in known else "",
                "source": known[name].source if name in known else "",
            }
            for name, value in run.parameters.items()
        ],
    }
