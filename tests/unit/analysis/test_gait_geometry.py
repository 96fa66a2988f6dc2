"""`gait_geometry`: arrays over two joints, the area rule against simulation, and the picture."""

from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis import GaitGeometry, gait_geometry
from locomotor.errors import DescriptionTypeError, QuantityError, UnknownJointError, ViewingError
from locomotor.lie import SE2, SO2
from locomotor.viewing.plots.gait import plot_gait_geometry

Array = Any


@pytest.fixture(scope="module")
def fish() -> GaitGeometry:
    return gait_geometry(lm.catalogue.swimmer(), ("tail_1", "tail_2"), points=21)


def test_arrays_are_those_of_the_connection(fish: GaitGeometry) -> None:
    assert fish.field.shape == (3, 2, 21, 21) and fish.curvature.shape == (3, 21, 21)
    assert fish.base_names == ("speed", "sway_speed", "yaw_rate")
    for i, j in ((0, 0), (3, 17), (10, 10)):
        r = [fish.first[i], fish.second[j]]
        np.testing.assert_allclose(fish.field[:, :, i, j], -fish.connection(r), atol=1e-15)
        np.testing.assert_allclose(fish.curvature[:, i, j], fish.connection.curvature(r)[:, 0, 1], atol=1e-14)


def test_the_order_of_the_joints_turns_the_curvature_round(fish: GaitGeometry) -> None:
    other = gait_geometry(fish.connection, ("tail_2", "tail_1"), points=21)
    np.testing.assert_allclose(other.curvature, -np.swapaxes(fish.curvature, 1, 2), atol=1e-14)


def test_spans(fish: GaitGeometry) -> None:
    found = gait_geometry(fish.connection, ("tail_1", "tail_2"), span=((-0.2, 0.3), (0.0, 1.0)), points=5)
    assert (found.first[0], found.first[-1], found.second[0], found.second[-1]) == (-0.2, 0.3, 0.0, 1.0)


def test_two_of_several_joints_with_the_others_at_their_nominal_values() -> None:
    found = gait_geometry(lm.catalogue.trident_snake(), ("leg_1", "leg_3"), span=(-0.3, 0.3), points=3)
    np.testing.assert_allclose(found.field[:, :, 0, 2], -found.connection([-0.3, 0.0, 0.3])[:, [0, 2]], atol=1e-15)


@pytest.mark.parametrize(
    ("joints", "error", "complaint"),
    [
        (("tail_1",), ValueError, "over two joints, got"),
        (("tail_1", "tail_1"), ValueError, "over two joints"),
        ("tail_1", QuantityError, "over two joints"),
        (("tail_1", 2.5), QuantityError, "joints holds 2.5; give names of joints, or their places: tail_1, tail_2"),
        ((0, 2), UnknownJointError, "joints holds 2; the active joints are 0 to 1: tail_1, tail_2"),
        (("tail_1", "tail_9"), UnknownJointError, "no joint is named 'tail_9'"),
        (("tail_1", "base"), ValueError, "joint 'base' is not active; the active joints are tail_1, tail_2"),
    ],
)
def test_mistakes(fish: GaitGeometry, joints: tuple[str, ...], error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        gait_geometry(fish.connection, joints)


@pytest.mark.parametrize("points", [1, 2.5, None, True])
def test_points_that_make_no_grid(fish: GaitGeometry, points: Any) -> None:
    with pytest.raises(QuantityError, match=rf"points is {points}; give a whole number of points a side, at least 2"):
        gait_geometry(fish.connection, ("tail_1", "tail_2"), points=points)


@pytest.mark.parametrize("span", [1.0, (1.0, 1.0), (0.5, -0.5), (float("nan"), 1.0), "ab", ((0, 1), (2, 1))])
def test_spans_that_are_none(fish: GaitGeometry, span: Any) -> None:
    with pytest.raises(QuantityError, match=r"give \(low, high\) with low < high, or a pair of these"):
        gait_geometry(fish.connection, ("tail_1", "tail_2"), span=span)


def test_what_is_no_system() -> None:
    with pytest.raises(DescriptionTypeError, match="system is 'x'; a System is needed"):
        gait_geometry("x", ("a", "b"))  # type: ignore[arg-type]


def test_joints_by_their_places(fish: GaitGeometry) -> None:
    found = gait_geometry(fish.connection, (1, 0), points=3)
    assert found.joints == ("tail_2", "tail_1")


def test_singular_shapes_are_left_out_and_marked(tmp_path: Path) -> None:
    """A snake of three modules at constant curvature, joint_1 = joint_2, the straight shape included."""
    found = gait_geometry(lm.catalogue.wheeled_snake(3), (0, 1), points=5)
    singular = np.eye(5, dtype=bool)
    for values in (*found.curvature, *found.field.reshape(-1, 5, 5)):
        np.testing.assert_array_equal(np.isnan(values), singular)
    assert np.abs(np.nan_to_num(found.curvature)).max() < 1e3
    figure = found.plot(tmp_path / "snake.png")
    assert any("crosses: singular shapes" in axis.get_title(loc="right") for axis in figure.axes)
    with pytest.raises(ViewingError, match="banana"):
        found.plot(tmp_path / "snake.banana")
    assert [path.name for path in tmp_path.iterdir()] == ["snake.png"]


# -- the area rule ---------------------------------------------------------------------------------------------------

LOOPS = {
    "swimmer/ideal": ("tail_1", "tail_2", (0.4, -0.3), {}),
    "trident_snake": ("leg_1", "leg_2", (0.2, -0.1), {"leg_3": "0.3"}),
    "wheeled_snake/8": ("joint_1", "joint_2", (0.5, -0.1), {}),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_small_gait_displaces_the_base_by_the_curvature_times_its_area(name: str) -> None:
    """Against simulation; halving the loop divides the error by eight, for the next term is of third order."""
    i, j, (a, b), held = LOOPS[name]
    system = lm.catalogue.system(name)
    connection = lm.connection(system)
    here = {n: connection.passive[connection.system.layout.index_q(n)] for n in connection.shape_names}
    here |= {i: a, j: b, **{n: float(v) for n, v in held.items()}}
    F = connection.curvature(here)
    rate = F[:, connection.shape_names.index(i), connection.shape_names.index(j)]
    errors = []
    for size in (0.04, 0.02):
        # It starts and ends at rest, so that the fish starts with zero momentum.
        turn = "2*pi*smooth_step(t, 0, 1)"
        laws = {i: f"{a} + {size}*(cos({turn}) - 1)", j: f"{b} + {size}*sin({turn})", **held}
        run = lm.simulate(system, 1.0, motions=laws, step=5e-4)
        turned, place = float(run["yaw"][-1]), np.array([run["x"][-1], run["y"][-1]])
        g = SE2(SO2.exp(np.array([turned])).matrix, place)
        errors.append(np.asarray(g.log(), dtype=float) - np.pi * size**2 * rate)
    assert np.abs(errors[0]).max() < 0.2 * np.pi * 0.04**2 * np.abs(rate).max()
    assert np.abs(errors[0]).max() / np.abs(errors[1]).max() == pytest.approx(8.0, rel=0.25)


# -- the picture -----------------------------------------------------------------------------------------------------


def texts(figure: Any) -> str:
    parts = []
    for axis in figure.axes:
        parts += [axis.get_title(), axis.get_title("left"), axis.get_title("right"), axis.get_xlabel(), axis.get_ylabel()]
        parts += [text.get_text() for text in axis.texts]
    return "\n".join(parts)


def test_a_picture_with_one_row_a_velocity(fish: GaitGeometry, tmp_path: Path) -> None:
    path = tmp_path / "fish.png"
    figure = fish.plot(path)
    picture = matplotlib.image.imread(path)
    assert picture.shape[0] > 1000 and picture.shape[1] > 1000 and picture.std() > 0.1
    words = texts(figure)
    for word in ("speed", "sway speed", "yaw rate", "curvature", "tail 1 (rad)", "tail 2 (rad)", "longest arrow", "m/rad"):
        assert word in words, word
    # Six panels and a bar of colours for each surface.
    assert len(figure.axes) == 9
    assert list(tmp_path.iterdir()) == [path]


def test_a_gait_is_drawn_as_a_loop(fish: GaitGeometry, tmp_path: Path) -> None:
    gait = {"tail_1": "0.5*sin(t)", "tail_2": lm.Motion("0.4*cos(t)")}
    figure = plot_gait_geometry(fish, tmp_path / "loop.svg", gait=gait)
    (line,) = figure.axes[0].lines
    x, y = line.get_data()
    np.testing.assert_allclose((x / 0.5) ** 2 + (y / 0.4) ** 2, 1.0, atol=1e-12)


@pytest.mark.slow
def test_velocities_that_no_shape_produces_are_left_out(tmp_path: Path) -> None:
    """The satellite only turns, and its curvature is the same everywhere."""
    found = gait_geometry(lm.catalogue.satellite(), ("rotor_1", "rotor_2"), points=5)
    figure = found.plot(tmp_path / "satellite.png")
    words = texts(figure)
    assert "roll rate" in words and "speed" not in words
    assert "zero" in words and "0.0025" in words


def test_a_singular_shape_nearby_does_not_flatten_the_rest(tmp_path: Path) -> None:
    found = gait_geometry(lm.catalogue.trident_snake(), ("leg_1", "leg_2"), points=21)
    figure = found.plot(tmp_path / "trident.png")
    assert "arrows cut at" in texts(figure)
