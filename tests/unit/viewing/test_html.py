"""The page as a file: one, small, closed to the network, complete, and never half-written."""

import base64
import dataclasses
import hashlib
import json
import re
import tomllib
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import MissingExtraError, RunFileError, UnknownNameError
from locomotor.viewing.page import renderer
from locomotor.viewing.page.html import Page, build_page
from locomotor.viewing.page.payload import KINDS, payload_of, script_json
from locomotor.viewing.scene import playback_of

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 8e6
"""Bytes of the page of ten seconds of a bicycle."""


class Reader(HTMLParser):
    """Collects scripts by id and every attribute that could fetch something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: dict[str, str] = {}
        self.fetches: list[str] = []
        self._id: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.fetches += [f"{tag} {name}={given[name]}" for name in ("src", "href", "srcset", "action") if name in given]
        self._id = given.get("id") or f"script{len(self.scripts)}" if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self._id:
            self.scripts[self._id] = self.scripts.get(self._id, "") + data


def content(page: Page) -> tuple[dict[str, Any], bytes]:
    scripts = Reader(page.text).scripts
    return json.loads(scripts["table"]), base64.b64decode(scripts["block"])


def array(block: bytes, where: list[Any]) -> np.ndarray[Any, Any]:
    offset, count, kind = where
    return np.frombuffer(block, dtype=KINDS[kind], count=count, offset=offset)


@pytest.fixture(scope="module")
def page(bicycle_run: lm.Run) -> Page:
    return build_page(bicycle_run, channels=("steer", "roll"))


def test_ten_seconds_of_a_bicycle_stay_below_the_limit() -> None:
    run = lm.simulate(lm.catalogue.bicycle(), 10.0, start={"speed": 4.6, "roll_rate": 0.5})
    page = build_page(run)
    size = len(page.text.encode("utf-8"))
    assert size < LIMIT / 2, page.budget()
    assert page.budget().startswith(f"{size / 1e6:.2f} MB: renderer ")
    assert sum(page.sizes.values()) == pytest.approx(size, rel=0.05)


def test_page_fetches_nothing(page: Page) -> None:
    reader = Reader(page.text)
    assert reader.fetches == []
    assert "url(" not in page.text and "@import" not in page.text
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.text)
    assert policy is not None and policy[1].startswith("default-src 'none'") and "connect-src" not in policy[1]


def test_page_carries_the_numbers_of_the_run(page: Page, bicycle_run: lm.Run) -> None:
    table, block = content(page)
    time = array(block, table["time"])
    assert time[0] == 0.0 and time[-1] == bicycle_run.time[-1]
    channels = {c["name"]: c for c in table["channels"]}
    assert list(channels) == list(bicycle_run.channels)
    assert channels["roll"]["unit"] == "rad" and channels["roll"]["symbol"] == "<i>φ</i>"
    steer = array(block, channels["steer"]["data"])
    assert np.allclose(steer, np.interp(time, bicycle_run.time, bicycle_run["steer"]), atol=1e-6)
    assert table["curves"] == ["steer", "roll"]
    assert dict(table["report"]["audit"])["energy"]
    assert [p["name"] for p in table["report"]["parameters"]] == list(bicycle_run.parameters)


def test_the_audit_can_halve_the_step(bicycle_run: lm.Run) -> None:
    told = [dict(content(build_page(bicycle_run, halve=halve))[0]["report"]["audit"]) for halve in (False, True)]
    assert "not halved" in told[0]["step"] and "relative error" in told[1]["step"]


def test_first_curves_are_those_that_move(bicycle_run: lm.Run) -> None:
    table, _ = content(build_page(bicycle_run))
    assert table["curves"] == ["roll_rate", "steer_rate", "rear_wheel_rate", "speed"]


def test_indices_of_every_mesh_are_within_its_vertices(page: Page) -> None:
    table, block = content(page)
    parts = [part for body in table["scene"]["bodies"] for part in body["parts"]]
    assert parts
    for part in parts:
        count = array(block, part["mesh"]["vertices"]).size // 3
        assert array(block, part["mesh"]["triangles"]).max() < count, part["role"]


def test_many_facets_travel_without_normals_and_with_shared_corners() -> None:
    """A seventh of the bytes; what the page makes of them are the same triangles."""
    trimesh = pytest.importorskip("trimesh")
    fine = trimesh.creation.icosphere(4)  # 5120 triangles between 2562 corners
    body = lm.Body("rock", 1.0, inertia=(1, 1, 1), shapes=[lm.Mesh(vertices=fine.vertices, triangles=fine.faces)])
    system = lm.System("thrown", [body], [lm.Free(name="base", parent="world", child="rock")], forces=[lm.Gravity()])
    made = payload_of(playback_of(lm.simulate(system, 0.02, step=0.01)))
    (mesh,) = [p["mesh"] for p in made.table["scene"]["bodies"][0]["parts"] if p["role"] == "body"]
    assert "normals" not in mesh and mesh["vertices"][1] == 3 * 2562 and mesh["triangles"][1:] == [3 * 5120, "u2"]
    points, corners = (
        np.frombuffer(made.block.data, KINDS[kind], count, at) for at, count, kind in (mesh["vertices"], mesh["triangles"])
    )
    np.testing.assert_array_equal(points.reshape(-1, 3)[corners.reshape(-1, 3)], fine.vertices[fine.faces].astype(np.float32))


def test_equal_shapes_are_stored_once(page: Page) -> None:
    table, _ = content(page)
    marks = [p["mesh"] for b in table["scene"]["bodies"][:2] for p in b["parts"] if p["role"] == "com_dark"]
    assert marks[0]["triangles"] == marks[1]["triangles"] and marks[0]["vertices"] != marks[1]["vertices"]


def test_names_cannot_break_out_of_the_page(bicycle_run: lm.Run) -> None:
    evil = '</script><script>alert(1)</script> & "x"'
    text = build_page(dataclasses.replace(bicycle_run, name=evil)).text
    assert "<script>alert(1)" not in text
    assert content(Page(text, {}))[0]["name"] == evil


def test_numbers_that_json_lacks_become_null() -> None:
    written = script_json({"a": [1.0, float("nan"), float("inf")], "b": "<&>"})
    assert written == '{"a":[1.0,null,null],"b":"\\u003c\\u0026\\u003e"}'


def test_unknown_channel_is_refused_with_the_nearest(bicycle_run: lm.Run) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'steer_rate'"):
        build_page(bicycle_run, channels=("stear_rate",))


def test_file_appears_whole_or_not_at_all(bicycle_run: lm.Run, tmp_path: Path) -> None:
    made = bicycle_run.to_html(tmp_path / "run.html", channels=("roll",))
    assert made.read_text(encoding="utf-8").endswith("</html>\n")
    with pytest.raises(RunFileError, match="cannot write"):
        bicycle_run.to_html(tmp_path / "missing" / "run.html")
    assert [p.name for p in tmp_path.iterdir()] == ["run.html"]


def test_a_run_read_from_a_file_is_shown_all_the_same(bicycle_run: lm.Run, tmp_path: Path) -> None:
    loaded = lm.load(bicycle_run.save(tmp_path / "run.nc"))
    before, after = (content(build_page(run)) for run in (bicycle_run, loaded))
    assert before[0]["scene"] == after[0]["scene"] and before[1] == after[1]


def test_view_writes_a_page_for_the_browser(bicycle_run: lm.Run) -> None:
    made = lm.view(bicycle_run, browser=False)
    assert made.suffix == ".html" and made.stat().st_size > 1e6
    made.unlink()
    made.parent.rmdir()


# -- the renderer -------------------------------------------------------------------------------------


def test_renderer_is_the_three_js_that_is_declared() -> None:
    """Version and checksum, said here once more: whoever changes the one has to look at the other, and at the pictures."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert "jupyter-threejs-sage==130" in extras["view"] and "jupyter-threejs-sage==130" in extras["dev"]
    assert "jupyter-threejs-sage==130\n" in (ROOT / "constraints.txt").read_text(encoding="utf-8")
    shipped = files("jupyter_threejs_sage") / "static" / "r130" / "three.min.js"
    data = shipped.read_bytes()
    assert hashlib.sha256(data).hexdigest() == "52ced813d01a0973760ad3e6f3568c6310534d6bef1225aedc2b569221c1f5c9"
    text = renderer.renderer_script()
    assert "Three.js Authors" in text[:200] and "SPDX-License-Identifier: MIT" in text[:200]
    assert 'const e="130"' in text and "</script" not in text


def test_missing_renderer_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "find_spec", lambda name: None)
    renderer.renderer_script.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'locomotor\[view\]'"):
        renderer.renderer_script()


@pytest.mark.parametrize(
    ("content", "told"), [(None, "has no static/r130/three.min.js"), ("var THREE = 140;", "another three.js")]
)
def test_another_three_js_is_refused(content: str | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if content is not None:
        file = tmp_path / renderer.FILE
        file.parent.mkdir(parents=True)
        file.write_text(content, encoding="utf-8")
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path)]})
    monkeypatch.setattr(renderer, "find_spec", lambda name: spec)
    renderer.renderer_script.cache_clear()
    with pytest.raises(MissingExtraError, match=told) as refused:
        renderer.renderer_script()
    assert "pip install 'locomotor[view]'" in str(refused.value) and "130" in str(refused.value)


@pytest.fixture(autouse=True)
def fresh_renderer() -> Any:
    yield
    renderer.renderer_script.cache_clear()
