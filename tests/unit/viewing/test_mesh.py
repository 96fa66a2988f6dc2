"""Meshes enclose the volume they should, and their triangles and normals look outwards."""

import numpy as np
import pytest

from locomotor.viewing.scene import mesh as m


def volume(shape: m.Mesh) -> float:
    a, b, c = (shape.vertices[shape.triangles[:, i]].astype(float) for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def least_agreement(shape: m.Mesh) -> float:
    """Smallest cosine between a triangle's own normal and the mean of those of its corners."""
    v, t = shape.vertices.astype(float), shape.triangles
    own = np.cross(v[t[:, 1]] - v[t[:, 0]], v[t[:, 2]] - v[t[:, 0]])
    area = np.linalg.norm(own, axis=1)
    real = area > 1e-9 * area.max()  # poles have triangles without area
    mean = shape.normals[t].mean(axis=1)
    return float((np.sum(own * mean, axis=1)[real] / area[real] / np.linalg.norm(mean[real], axis=1)).min())


SHAPES = {
    "tube": (m.tube((1, 2, 3), (2, 2, 5), 0.3, sides=64), np.pi * 0.09 * np.sqrt(5.0)),
    "ball": (m.ball((1, 1, 1), 2.0, 64, 64), 4 / 3 * np.pi * 8.0),
    "ellipsoid": (m.ellipsoid((0, 1, 0), m.frame_about((1, 1, 0)), (1, 2, 3), 64, 64), 4 / 3 * np.pi * 6.0),
    "ring": (m.ring((0, 1, 0), (0, 1, 0), 1.0, 0.1, 128, 64), 2.0 * np.pi**2 * 0.01),
    "slab": (m.slab([(0, 0), (1, 0), (1, 1), (0, 1)], 0.2, np.eye(3), (3, 3, 3)), 0.2),
    "octants": (
        m.merge([m.octants((0, 0, 1), 1.0, True, 24), m.octants((0, 0, 1), 1.0, False, 24)]),
        4 / 3 * np.pi,
    ),
    "copies": (
        m.copies(m.ball((1, 0, 0), 0.1, 64, 64), [m.frame_about(v) for v in np.eye(3)], (0, 0, 0)),
        3 * 4 / 3 * np.pi * 1e-3,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape_encloses_its_volume(name: str) -> None:
    shape, expected = SHAPES[name]
    assert volume(shape) == pytest.approx(expected, rel=5e-3)  # chords of 64 sides: 1 - sinc(2 pi/64) = 0.16 %


@pytest.mark.parametrize("name", [*SHAPES, "arc", "rod"])
def test_triangles_look_outwards(name: str) -> None:
    more = {"arc": m.arc((0, 0, 0), (0, 1, 0), 1.0, 0.1, 0.0, 1.0), "rod": m.rod((0, 0, 0), (1, 1, 1), 0.1)}
    shape = more[name] if name in more else SHAPES[name][0]
    assert least_agreement(shape) > 0.9
    assert np.allclose(np.linalg.norm(shape.normals, axis=1), 1.0, atol=1e-6)
    assert shape.triangles.max() < len(shape.vertices)


def test_frame_about_is_a_rotation_onto_the_axis(rng: np.random.Generator) -> None:
    for axis in [*np.eye(3), *-np.eye(3), *rng.normal(size=(10, 3))]:
        R = m.frame_about(axis)
        assert np.allclose(R @ R.T, np.eye(3)) and np.linalg.det(R) > 0
        assert np.allclose(R[:, 2], axis / np.linalg.norm(axis))


def test_ribbon_lies_on_the_ground_and_bears_a_point_at_rest() -> None:
    path = [(0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 0, 0), (1, 0, 0), (1, 2, 0)]
    band = m.ribbon(path, (0, 0, 1), 0.1)
    assert np.isfinite(band.vertices).all()
    assert np.allclose(band.vertices[:, 2], 0.0) and np.allclose(band.normals, (0, 0, 1))
    widths = np.linalg.norm(band.vertices[0::2] - band.vertices[1::2], axis=1)
    assert np.allclose(widths, 0.2)


def test_ribbon_of_a_point_that_never_moves() -> None:
    assert np.isfinite(m.ribbon([(1, 2, 3)] * 4, (0, 0, 1), 0.1).vertices).all()


def test_skin_and_facets_of_a_folded_sheet() -> None:
    """A square folded along its diagonal by a right angle: facets keep both normals, the skin's fold has their mean."""
    sheet = m.skin([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 1)], [(0, 1, 2), (0, 3, 1)])
    flat = m.facets(sheet)
    assert len(flat.vertices) == 6
    assert np.allclose(flat.normals[:3], (0, 0, 1)) and np.allclose(flat.normals[3:], (0, 1, 0))
    assert np.allclose(sheet.normals[0], np.array([0, 1, 1]) / np.sqrt(2.0))
    assert np.allclose(sheet.normals[2], (0, 0, 1))


def test_facets_are_known_and_welded_without_loss() -> None:
    round_ = m.ball((0.1, 0.2, 0.3), 0.5)
    sharp = m.facets(round_)
    assert m.is_faceted(sharp) and not m.is_faceted(round_)
    # Vertices of its own, but normals of the sphere: no facets.
    corners = round_.vertices[round_.triangles].reshape(-1, 3)
    assert not m.is_faceted(m.mesh(corners, (corners - (0.1, 0.2, 0.3)) / 0.5, np.arange(len(corners))))
    vertices, triangles = m.welded(sharp)
    assert len(vertices) <= len(round_.vertices) < len(sharp.vertices)
    np.testing.assert_array_equal(vertices[triangles].reshape(-1, 3), sharp.vertices)
