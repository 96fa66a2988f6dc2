"""The animated glTF file: a valid container, bounds that hold, poses of the run, and readers that accept it."""

import dataclasses
import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import locomotor as lm
from locomotor.errors import RunFileError
from locomotor.model import Terrain
from locomotor.viewing.scene.glb import glb_bytes
from locomotor.viewing.scene.playback import playback_of, rotate

COMPONENTS = {5126: ("<f4", 4), 5125: ("<u4", 4), 5123: ("<u2", 2)}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """A reader of what the specification asks for, written from it and not from the writer."""

    def __init__(self, data: bytes) -> None:
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.table: dict[str, Any] = json.loads(data[20 : 20 + size])
        rest, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert kind == b"BIN\x00" and rest % 4 == 0
        self.binary = data[28 + size :]
        assert len(self.binary) == rest

    def accessor(self, index: int) -> np.ndarray[Any, Any]:
        entry = self.table["accessors"][index]
        view = self.table["bufferViews"][entry["bufferView"]]
        dtype, size = COMPONENTS[entry["componentType"]]
        width = WIDTHS[entry["type"]]
        assert view["byteOffset"] % size == 0
        assert entry["count"] * width * size == view["byteLength"]
        assert view["byteOffset"] + view["byteLength"] <= self.table["buffers"][0]["byteLength"]
        data = np.frombuffer(self.binary, dtype, entry["count"] * width, view["byteOffset"])
        return data.reshape(-1, width)

    def node(self, name: str) -> tuple[int, dict[str, Any]]:
        return next((i, node) for i, node in enumerate(self.table["nodes"]) if node["name"] == name)

    def track(self, name: str, path: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        index, _ = self.node(name)
        animation = self.table["animations"][0]
        channel = next(c for c in animation["channels"] if c["target"] == {"node": index, "path": path})
        sampler = animation["samplers"][channel["sampler"]]
        return self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])


@pytest.fixture(scope="module")
def bicycle(bicycle_run: lm.Run) -> Glb:
    return Glb(glb_bytes(bicycle_run))


def test_container_and_accessors_are_consistent(bicycle: Glb) -> None:
    for index, entry in enumerate(bicycle.table["accessors"]):
        values = bicycle.accessor(index)
        assert np.isfinite(values).all()
        if "min" in entry:
            assert entry["min"] == values.min(axis=0).tolist() and entry["max"] == values.max(axis=0).tolist()


def test_every_primitive_has_bounds_normals_and_indices_within(bicycle: Glb) -> None:
    for mesh in bicycle.table["meshes"]:
        for primitive in mesh["primitives"]:
            position = primitive["attributes"]["POSITION"]
            assert {"min", "max"} <= bicycle.table["accessors"][position].keys()
            vertices = bicycle.accessor(position)
            normals = bicycle.accessor(primitive["attributes"]["NORMAL"])
            assert len(vertices) == len(normals)
            # The specification's tolerance for unit normals.
            assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5)
            assert bicycle.accessor(primitive["indices"]).max() < len(vertices)
            assert primitive["material"] < len(bicycle.table["materials"])


def test_animation_is_the_motion_of_the_run(bicycle: Glb, bicycle_run: lm.Run) -> None:
    playback = playback_of(bicycle_run, every=1 / 60)
    for i, body in enumerate(playback.scene.bodies):
        time, places = bicycle.track(body.name, "translation")
        _, turns = bicycle.track(body.name, "rotation")
        assert time[0] == 0.0 and (np.diff(time) > 0).all() and time[-1] == pytest.approx(2.0)
        assert np.array_equal(places, playback.poses[:, i, :3])
        assert np.array_equal(turns[:, [3, 0, 1, 2]], playback.poses[:, i, 3:])
        assert np.allclose(np.linalg.norm(turns, axis=1), 1.0, atol=1e-6)


def test_up_becomes_y(bicycle: Glb) -> None:
    _, root = bicycle.node("bicycle_meijaard2007")
    x, y, z, w = root["rotation"]
    turn = np.array([w, x, y, z])
    assert np.allclose(rotate(turn, np.array([0.0, 0.0, 1.0])), (0, 1, 0), atol=1e-6)
    assert np.allclose(rotate(turn, np.array([1.0, 0.0, 0.0])), (1, 0, 0), atol=1e-6)


def test_springs_stretch_between_their_ends(sprung_run: lm.Run) -> None:
    file = Glb(glb_bytes(sprung_run))
    _, places = file.track("spring", "translation")
    _, turns = file.track("spring", "rotation")
    _, scales = file.track("spring", "scale")
    _, slider = file.track("slider", "translation")
    length = playback_of(sprung_run, every=1 / 60).scene.struts[0].length
    tips = places + rotate(turns[:, [3, 0, 1, 2]].astype(float), np.array([0.0, 0.0, 1.0])) * (scales[:, 2:] * length)
    assert np.allclose(places, (0, 0, 0.2), atol=1e-6)
    assert np.allclose(tips, slider, atol=1e-5)


def test_another_reader_accepts_the_file(bicycle_run: lm.Run, sprung_run: lm.Run) -> None:
    for run in (bicycle_run, sprung_run):
        scene = trimesh.load_scene(io.BytesIO(glb_bytes(run)), file_type="glb")
        assert len(scene.geometry) > 5 and np.isfinite(scene.bounds).all()
        low, high = scene.bounds
        assert high[1] > 0.5 > 0.25 > low[1]  # y is up


def test_ground_and_trails_can_be_left_out(bicycle_run: lm.Run) -> None:
    names = {node["name"] for node in Glb(glb_bytes(bicycle_run, ground=False, trails=False)).table["nodes"]}
    assert names == {"bicycle_meijaard2007", *(body.name for body in lm.catalogue.bicycle().bodies)}


def test_two_samples_at_one_instant_become_one_frame(sprung_run: lm.Run) -> None:
    """An impact is recorded before and after; glTF wants times that increase."""
    twice = np.sort(np.append(sprung_run.time[:20], sprung_run.time[10]))
    channels = {name: np.interp(twice, sprung_run.time, values) for name, values in sprung_run.channels.items()}
    file = Glb(glb_bytes(dataclasses.replace(sprung_run, time=twice, channels=channels), rate=1e6))
    time, _ = file.track("arm", "translation")
    assert len(time) == 20 and (np.diff(time) > 0).all()


def test_paths_are_interrupted_where_a_contact_is_in_the_air(bicycle_run: lm.Run) -> None:
    aloft = (bicycle_run.time > 0.5) & (bicycle_run.time < 1.0)
    lifted = {f"rear_point_{axis}": np.where(aloft, np.nan, bicycle_run[f"rear_point_{axis}"]) for axis in "xyz"}
    nowhere = {f"front_point_{axis}": np.full(len(bicycle_run), np.nan) for axis in "xyz"}
    file = Glb(glb_bytes(dataclasses.replace(bicycle_run, channels={**bicycle_run.channels, **lifted, **nowhere})))
    mesh = file.table["meshes"][file.node("rear_path")[1]["mesh"]]
    x = file.accessor(mesh["primitives"][0]["attributes"]["POSITION"])[:, 0]
    assert np.isfinite(x).all() and np.diff(np.sort(x)).max() > 2.0  # half a second at 4.6 m/s
    assert "front_path" not in {node["name"] for node in file.table["nodes"]}


def test_terrain_is_part_of_the_file() -> None:
    bike = lm.catalogue.bicycle()
    stairs = Terrain.steps(3, 0.15, 0.5, name="stairs")
    run = lm.simulate(bike.replace(grounds=(*bike.grounds, stairs)), 0.1, start={"speed": 4.6})
    file = Glb(glb_bytes(run))
    mesh = file.table["meshes"][file.node("stairs")[1]["mesh"]]
    assert len(file.accessor(mesh["primitives"][0]["indices"])) == 3 * len(stairs.triangles)


def test_a_run_of_one_sample_is_a_still_picture(bicycle_run: lm.Run) -> None:
    channels = {name: values[:1] for name, values in bicycle_run.channels.items()}
    file = Glb(glb_bytes(dataclasses.replace(bicycle_run, time=bicycle_run.time[:1], channels=channels)))
    assert "animations" not in file.table


def test_file_appears_whole_or_not_at_all(bicycle_run: lm.Run, tmp_path: Path) -> None:
    made = bicycle_run.to_glb(tmp_path / "run.glb")
    assert made.stat().st_size < 2e6
    with pytest.raises(RunFileError, match="cannot write"):
        bicycle_run.to_glb(tmp_path / "missing" / "run.glb")
    assert [p.name for p in tmp_path.iterdir()] == ["run.glb"]
