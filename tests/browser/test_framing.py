"""The camera begins where the motion fills the window: nothing is tiny, and nothing is behind the control bar."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm

CORNERS = """() => {
  const { stage, clock, recording } = locomotor;
  const box = (v) => v.getBoundingClientRect();
  const scene = box(document.getElementById("scene")), bar = box(document.getElementById("transport"));
  const points = [];
  const { first, last } = recording;
  for (let k = 0; k <= 10; k++) {
    clock.seek(first + (last - first) * k / 10);
    stage.dirty = true;
    stage.draw();
    stage.bodies.root.updateMatrixWorld(true);
    stage.bodies.groups.forEach((group) => group.traverse((node) => {
      if (!node.isMesh || !node.visible) return;
      const at = node.geometry.attributes.position;
      for (let i = 0; i < at.count; i += 7) {
        const p = stage.centre.clone().fromBufferAttribute(at, i).applyMatrix4(node.matrixWorld).project(stage.orbit.camera);
        points.push([(0.5 + 0.5 * p.x) * scene.width, (0.5 - 0.5 * p.y) * scene.height]);
      }
    }));
  }
  return { points, width: scene.width, height: scene.height, bar: bar.top - scene.top };
}"""


RISER = """() => {
  const { stage } = locomotor, scene = document.getElementById("scene").getBoundingClientRect();
  const places = new Map();
  for (let y = 0.8; y < 2.3; y += 0.005) {
    const p = stage.centre.clone().set(3, y, -0.5).project(stage.orbit.camera);
    const place = [Math.round((0.5 + 0.5 * p.x) * scene.width), Math.round((0.5 - 0.5 * p.y) * scene.height)];
    places.set(place.join(), place);
  }
  return [...places.values()];
}"""


def moving(name: str) -> lm.Run:
    ready = lm.catalogue.ready(name)
    motions = next(iter(ready.gaits.values()), {})
    return lm.simulate(ready.make(), 2.0, motions=motions or None, **ready.beginning)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least", "most"), [("wheeled_snake/8", 0.5, 0.72), ("rocr", 0.0, 0.2), ("hopper", 0.2, 0.3)])
def test_what_is_flat_is_seen_from_further_above(
    open_tab: Callable[..., Any], tmp_path: Path, name: str, least: float, most: float
) -> None:
    tab = open_tab(moving(name).to_html(tmp_path / "page.html").as_uri() + "#t=1")
    assert least < tab.get("() => locomotor.stage.orbit.elevation") < most


@pytest.mark.slow
@pytest.mark.parametrize("viewport", [{"width": 1000, "height": 640}, {"width": 390, "height": 740}], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["hopper", "snakeboard", "rocr", "satellite", "bouncing_ball"])
def test_the_motion_fills_the_free_part_of_the_window(
    open_tab: Callable[..., Any], tmp_path: Path, name: str, viewport: dict[str, int]
) -> None:
    tab = open_tab(moving(name).to_html(tmp_path / f"{name}.html").as_uri() + "#t=1", viewport=viewport)
    tab.keep(f"framing-{name}-{viewport['width']}")
    found = tab.get(CORNERS)
    points = np.array(found["points"])
    assert points[:, 0].min() > 0 and points[:, 0].max() < found["width"]
    assert points[:, 1].min() > 0 and points[:, 1].max() < found["bar"], "something is behind the bar"
    share = np.ptp(points, axis=0) / (found["width"], found["bar"])
    assert share.max() > 0.45, f"tiny: {share}"
    assert tab.complaints == []


def test_a_wall_is_met_from_the_front_and_up_is_up(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    tab = open_tab(moving("rocr").to_html(tmp_path / "rocr.html").as_uri() + "#t=1")
    tab.frame()
    # Gravity pulls along -y: y is up in the picture, and the wall, whose normal is z, faces the camera.
    up = tab.get("() => locomotor.stage.orbit.camera.matrix.elements.slice(4, 7)")
    towards = tab.get("() => locomotor.stage.orbit.camera.matrix.elements.slice(8, 11)")
    assert up[1] > 0.95 and towards[2] > 0.8
    labels = tab.page.locator("#triad text").all_text_contents()
    assert sorted(labels) == ["x", "y up", "z"]


@pytest.mark.slow
def test_a_slope_shows_where_up_is(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    run = lm.simulate(lm.catalogue.bicycle(slope=0.2), 0.1, start={"speed": 4.6})
    tab = open_tab(run.to_html(tmp_path / "slope.html").as_uri() + "#t=0")
    tab.frame()
    assert sorted(tab.page.locator("#triad text").all_text_contents()) == ["up", "x", "y", "z"]
    tab.keep("slope")


@pytest.mark.slow
def test_a_drop_is_seen_at_once(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    """A terrain has lines along its edges and walls: more dark pixels than the same bicycle on the level."""
    stairs = lm.catalogue.bicycle("mauny2018", contacts="unilateral", terrain=lm.Terrain.steps(3, -0.2, 1.5), rider=True)
    tab = open_tab(lm.simulate(stairs, 0.6, start={"speed": 4.0}).to_html(tmp_path / "steps.html").as_uri() + "#t=0.5")
    tab.keep("steps")
    trim = tab.get("() => locomotor.stage.grounds.flatMap((g) => g.trim.map((t) => t.mesh.geometry.index.count))")
    assert len(trim) == 2 and min(trim) > 0
    shown = tab.pixels("#scene")
    # Along the middle of the last riser, beside the bicycle, every pixel has the same colour.
    places = tab.get(RISER)
    assert len(places) > 50 and np.ptp([shown[row, column] for column, row in places], axis=0).max() < 0.02
    tab.get(
        "() => { for (const g of locomotor.stage.grounds) for (const t of g.trim) t.mesh.visible = false;"
        " locomotor.stage.dirty = true; }"
    )
    assert (np.abs(tab.pixels("#scene") - shown).max(axis=2) > 0.2).mean() > 0.002


def test_facets_without_normals_are_lit_from_above(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    """A fine mesh travels without normals: the page finds them again, so that the top of a ball is lighter than its foot."""
    trimesh = pytest.importorskip("trimesh")
    fine = trimesh.creation.icosphere(3)
    shape = lm.Mesh(vertices=fine.vertices, triangles=fine.faces, colour="#2f7fd1")
    body = lm.Body("rock", 1.0, inertia=(1, 1, 1), shapes=[shape])
    system = lm.System("rock", [body], [lm.Free(name="base", parent="world", child="rock")])
    page = lm.simulate(system, 0.02, step=0.01).to_html(tmp_path / "rock.html")
    tab = open_tab(page.as_uri())
    tab.seek(0.0)
    blue = tab.pixels("#stage")
    ball = (blue[..., 2] - blue[..., 0]) > 0.15
    rows = np.flatnonzero(ball.sum(axis=1) > 60)  # no button or slider is as wide
    top, foot = (blue[r][ball[r]].mean() for r in (rows[len(rows) // 8], rows[-len(rows) // 8]))
    assert len(rows) > 60 and top > 1.3 * foot
