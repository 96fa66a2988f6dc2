"""Pixels that triangles cover, against a test of every pixel centre by the signs of three areas."""

import numpy as np
import pytest

from locomotor.viewing.scene import raster

WIDTH, HEIGHT = 40, 30


def centres() -> np.ndarray:
    y, x = np.divmod(np.arange(WIDTH * HEIGHT), WIDTH)
    return np.stack([x, y], axis=-1) + 0.5


def holds(corner: np.ndarray) -> np.ndarray:
    """Pixels whose centres lie inside, by the signs of three areas."""
    signs = []
    for k in range(3):
        a, b = corner[k, :2], corner[(k + 1) % 3, :2]
        to = centres() - a
        signs.append((b - a)[0] * to[:, 1] - (b - a)[1] * to[:, 0])
    return (np.stack(signs) > 0).all(axis=0) | (np.stack(signs) < 0).all(axis=0)


def triangles(count: int, reach: float) -> np.ndarray:
    random = np.random.default_rng(3)
    middle = random.uniform((-5, -5, 0), (WIDTH + 5, HEIGHT + 5, 4), (count, 1, 3))
    return middle + reach * random.uniform(-1, 1, (count, 3, 3))


@pytest.mark.parametrize("reach", [0.4, 3.0, 30.0])
def test_every_centre_inside_is_covered_and_hardly_another(reach: float) -> None:
    corners = triangles(200, reach)
    found = raster.cover(corners, None, WIDTH, HEIGHT)
    for k, corner in enumerate(corners):
        mine = found.pixel[found.triangle == k]
        inside = np.flatnonzero(holds(corner))
        assert len(np.unique(mine)) == len(mine) and set(inside) <= set(mine)
        # Others are those of thin rows: the triangle passes through the pixel.
        low, high = np.floor(corner[:, :2].min(axis=0)), np.floor(corner[:, :2].max(axis=0))
        at = np.stack([mine % WIDTH, mine // WIDTH], axis=-1)
        assert ((at >= low) & (at <= high)).all() and len(mine) - len(inside) <= high[1] - low[1] + 1


def test_depth_and_shares_are_those_of_the_plane() -> None:
    corners = triangles(200, 12.0)
    found = raster.cover(corners, None, WIDTH, HEIGHT)
    inside = np.stack([holds(corner) for corner in corners])[found.triangle, found.pixel]
    found = raster.Covered(*(part[inside] for part in found))
    parts = raster.shares(corners, found, WIDTH)
    place = np.einsum("ni,nij->nj", parts, corners[found.triangle])
    np.testing.assert_allclose(place[:, :2], centres()[found.pixel], atol=1e-8)
    np.testing.assert_allclose(place[:, 2], found.depth, atol=1e-8)
    assert len(found.pixel) > 1000


def test_a_thin_triangle_is_one_line_that_stands_back() -> None:
    needle = np.array([[[3.2, 2.0, 1.0], [3.3, 2.0, 1.0], [30.1, 28.0, 2.0]]])
    found = raster.cover(needle, None, WIDTH, HEIGHT, back=10.0)
    assert sorted(found.pixel // WIDTH) == list(range(2, 28))  # one pixel in every row
    assert (found.depth > 10.0).sum() == (~holds(needle[0])[found.pixel]).sum() > 20


def test_what_is_nowhere_or_outside_covers_nothing() -> None:
    corners = np.concatenate([triangles(1, 3.0) + (1e9, 0, 0), np.full((1, 3, 3), np.nan), np.full((1, 3, 3), -np.inf)])
    assert not len(raster.cover(corners, None, WIDTH, HEIGHT).pixel)


def test_fronts_turn_against_the_clock() -> None:
    square = np.array([[[0.0, 0, 0], [0, 9, 0], [9, 0, 0]], [[0, 0, 0], [9, 0, 0], [0, 9, 0]]])
    assert raster.fronts(square).tolist() == [True, False]  # y is downwards
