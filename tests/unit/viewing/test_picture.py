"""Still pictures without a browser: things are where projection says, nearer ones hide others, grounds are below."""

import dataclasses

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import UnknownNameError
from locomotor.figures import Pose
from locomotor.model import Terrain
from locomotor.viewing.plots.poses import plot_poses
from locomotor.viewing.scene.laid import grid_lines, shadowed
from locomotor.viewing.scene.mesh import ball as sphere
from locomotor.viewing.scene.picture import TOP, View, picture, usual_view
from locomotor.viewing.scene.scene import scene_of

WHITE = 255


def ball(x: float, radius: float = 0.5, name: str = "ball") -> tuple[lm.Body, lm.Free, lm.RollingSphere]:
    inertia = 0.4 * radius**2
    body = lm.Body(name, 1.0, inertia=(inertia, inertia, inertia))
    joint = lm.Free(name=f"{name}_base", parent="world", child=name)
    return body, joint, lm.RollingSphere(f"{name}_touch", name, (0, 0, 0), radius)


def lone() -> lm.System:
    body, joint, contact = ball(0.0)
    return lm.System("lone", [body], [joint], [contact], nominal={"z": 0.5})


def drawn(pixels: np.ndarray) -> np.ndarray:
    return (pixels < WHITE).any(axis=2)


def test_a_ball_is_a_disc_in_the_middle() -> None:
    pixels = picture(lone(), size=(300, 200), ground=False)
    rows, columns = np.nonzero(drawn(pixels))
    # The ball fills the height but for the margin of 12 per cent; pixels are half a pixel fine.
    assert np.ptp(rows) + 1 == pytest.approx(200 / 1.12, abs=2) and np.ptp(columns) + 1 == pytest.approx(200 / 1.12, abs=2)
    assert rows.mean() == pytest.approx(99.5, abs=1) and columns.mean() == pytest.approx(149.5, abs=1)
    share = drawn(pixels).sum() / (np.pi / 4 * (200 / 1.12) ** 2)
    assert share == pytest.approx(1.0, abs=0.02)  # no holes between the samples


def test_a_black_body_has_a_form() -> None:
    body = lm.Body("ball", 1.0, inertia=(1.0, 1.0, 1.0), shapes=[lm.Sphere(0.5, colour="#000000")])
    ball_ = lm.System("ball", [body], [lm.Free(name="base", parent="world", child="ball")])
    tones = picture(ball_, size=(120, 80), ground=False).max(axis=2)
    assert np.ptp(np.percentile(tones[tones < 100], (10, 60))) >= 4  # beside the highlight


def test_what_is_flat_is_seen_from_further_above() -> None:
    """A mechanism in a level plane would be a bundle of lines; what stands upright is seen as ever."""
    up = np.array([0.0, 0.0, 1.0])
    usual = View().elevation
    tall, lower, flat = (usual_view(np.zeros(3), np.array([0.6, 0.8, z]), up).elevation for z in (0.3, 0.15, 0.0))
    assert tall == usual and usual < lower < flat and 0.7 < flat < 0.8
    # along another vertical
    assert usual_view(np.zeros(3), np.array([0.6, 0.0, 0.8]), np.array([0.0, -1.0, 0.0])).elevation == pytest.approx(flat)
    # and a picture without a view is that one
    body = lm.Body("tile", 1.0, inertia=(1.0, 1.0, 2.0), shapes=[lm.Box((1.0, 1.0, 0.01))])
    tile = lm.System("tile", [body], [lm.Free(name="base", parent="world", child="tile")])
    above = usual_view(np.full(3, -0.5), np.array([0.5, 0.5, -0.49]), up)
    seen, expected, level = (picture(tile, size=(240, 160), view=v, ground=False).astype(int) for v in (None, above, View()))
    assert np.abs(seen - expected).max() <= 1 and np.abs(seen - level).mean() > 5


def test_the_view_turns_with_its_angles() -> None:
    up = np.array([0.0, 0.0, 1.0])
    np.testing.assert_allclose(TOP.axes(up), [[1, 0, 0], [0, 1, 0], [0, 0, -1]], atol=2e-3)
    side = View(0.0, 0.0).axes(up)
    np.testing.assert_allclose(side, [[1, 0, 0], [0, 0, 1], [0, 1, 0]], atol=1e-12)  # from the right: y is away
    for axes in (side, View(1.0, 0.4).axes(np.array([0.0, 1.0, 0.0]))):
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    # A wall, against which gravity pulls along -y, is seen from its free side.
    assert View(0.0, 0.0).axes(np.array([0.0, 1.0, 0.0]))[2] @ (0.0, 0.0, 1.0) == pytest.approx(-1.0)


def test_what_is_nearer_hides_what_is_behind() -> None:
    bike = lm.catalogue.bicycle()
    from_right, from_left = (picture(bike, view=View(a, 0.2), size=(160, 100), ground=False) for a in (0.3, 0.3 + np.pi))
    assert drawn(from_right).mean() == pytest.approx(drawn(from_left).mean(), rel=0.35)
    assert np.abs(from_right.astype(int) - from_left[:, ::-1].astype(int)).mean() > 1.0


def test_a_ground_has_a_grid_and_a_shadow() -> None:
    bare = picture(lone(), size=(120, 80), ground=False)
    laid = picture(lone(), size=(120, 80))
    outside = ~drawn(bare)
    tones = laid[outside].min(axis=1)
    assert (tones < WHITE).mean() > 0.5 and len(np.unique(tones)) > 4
    # Nothing touches a ground: none is drawn.
    free = lm.catalogue.satellite()
    assert np.array_equal(picture(free, size=(60, 40)), picture(free, size=(60, 40), ground=False))


def test_a_terrain_is_drawn_as_its_triangles() -> None:
    rough = lone().replace(
        contacts=tuple(dataclasses.replace(contact, law=lm.Unilateral()) for contact in lone().contacts),
        grounds=(Terrain.kerb(0.3, approach=3.0, length=3.0, width=4.0),),
    )
    laid, bare = (picture(rough, size=(120, 80), ground=g) for g in (True, False))
    assert (drawn(laid) & ~drawn(bare)).mean() > 0.2


def test_lines_are_drawn_over_it() -> None:
    line = np.array([[-2.0, 0.0, 0.5], [2.0, 0.0, 0.5]])
    pixels = picture(lone(), view=View(0.0, 0.0), size=(200, 100), ground=False, lines=[(line, "#ff0000")])
    red = (pixels == (255, 0, 0)).all(axis=2)
    assert red.any(axis=0).mean() > 0.9 and red.any(axis=1).sum() <= 5
    dashes = picture(lone(), view=View(0.0, 0.0), size=(200, 100), ground=False, lines=[(line, "#ff0000--")])
    assert 0.3 < (dashes == (255, 0, 0)).all(axis=2).sum() / red.sum() < 0.7


def test_bodies_that_slide_apart_are_joined_by_a_telescope() -> None:
    scene = scene_of(lm.catalogue.hopper())
    (leg,) = scene.struts
    assert (leg.name, leg.role) == ("length", "spring") and leg.length == pytest.approx(1.0)
    bare = scene_of(lm.catalogue.hopper().replace(forces=()))
    assert [strut.role for strut in bare.struts] == ["damper"]


def test_poses_side_by_side(tmp_path) -> None:  # type: ignore[no-untyped-def]
    bike = lm.catalogue.bicycle()
    line = {"ahead": np.array([[0, 0, 0], [2, 0, 0]]), "beside": np.array([[0, 0, 0], [0, 1, 0]])}
    poses = [Pose("upright", bike, bike.nominal_pose(), line)]
    figure = plot_poses(poses, "top", tmp_path / "poses.png")
    assert figure.axes[0].get_title(loc="left") == "upright"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["ahead", "beside"]
    with pytest.raises(UnknownNameError, match="no view is named 'bottom'"):
        plot_poses(poses, "bottom")


def test_lines_of_the_grid_are_not_dotted_where_one_looks_along_the_ground() -> None:
    """200 pixels are 1.12 m of the picture, 1.12/sin(elevation) of the ground: all 18 lines there cross every column."""
    grey = picture(lone(), size=(300, 200), view=View(0.06, 0.12)).astype(float)[:, 20:70, 0]
    crossed = (grey[1:-1] < grey[:-2]) & (grey[1:-1] <= grey[2:]) & (grey[1:-1] < 238.0)
    assert crossed.sum(axis=0).min() >= np.floor(1.12 / np.sin(0.12) / 0.5)


@pytest.fixture(scope="module")
def over_a_plane_and_the_same_in_triangles() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    system = lone().replace(contacts=tuple(dataclasses.replace(c, law=lm.Unilateral()) for c in lone().contacts))
    flat = system.replace(grounds=(Terrain.plane(length=40.0, width=40.0),))
    bare, plane, terrain = (picture(*a, size=(240, 160), ground=g) for *a, g in ((system, False), (system, True), (flat, True)))
    middle = ~drawn(bare)
    middle[:, :30] = middle[:, -30:] = middle[:15] = middle[-15:] = False  # a plane fades out, a terrain goes on
    return plane.astype(float).mean(axis=2), terrain.astype(float).mean(axis=2), middle


def test_a_level_terrain_looks_like_a_plane(over_a_plane_and_the_same_in_triangles: tuple[np.ndarray, ...]) -> None:
    """The same grid and the same shadow, found in two ways: by projection onto a plane, and by a map of what the lamp sees."""
    plane, terrain, middle = over_a_plane_and_the_same_in_triangles
    darker = [np.where(middle, np.median(tones[middle]) - tones, 0.0) for tones in (plane, terrain)]
    shades, lines = ([(d > 25) & middle for d in darker], [(d > 4) & middle for d in darker])
    for one, other in (shades, lines):
        assert one.sum() > 300
        assert (one & other).sum() > 0.9 * (one | other).sum()


def test_a_shadow_falls_only_on_what_lies_below() -> None:
    """A ball of 0.5 m: the lamp stands overhead, and the shadow is its outline from above."""
    shape = sphere((0, 0, 0), 0.5)
    places = np.array([[0.0, 0.0, -1.0], [0.45, 0.0, -3.0], [0.55, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, -0.45, -0.6]])
    dark = shadowed(places, np.array([0.0, 0.0, 1.0]), [shape], 0.01, 1e-3)
    assert dark.tolist() == [True, True, False, False, True]


def test_steep_faces_have_no_grid() -> None:
    points = np.array([[0.0, 0.25, 0.0], [0.25, 0.25, 0.0], [0.0, 0.25, 0.0]])
    normals = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    up = np.array([0.0, 0.0, 1.0])
    on = grid_lines(points, normals, View(0.75, 0.6).axes(up), up, 0.001, 0.5, 0.75)
    assert on.tolist() == [1.0, 0.0, 0.0]
