"""Capsules and boxes are drawn as what they are."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.viewing.plots.outline import contact_lines
from locomotor.viewing.scene.drawing import anchor_of_contact, draw_contact, reach_of_contact
from locomotor.viewing.scene.mesh import Mesh

BOX = lm.StickingBox("hull", "body", ("a", 0.2, 0.1), centre=(0.0, 0.0, 1.0))
CAPSULE = lm.SlidingCapsule("hull", "body", start=(0, 0, 0), end=(1, 0, 0), radius="a")
VALUES = {"a": 0.3}


def volume(mesh: Mesh) -> float:
    """Inside of a closed surface whose triangles go round counter-clockwise, seen from outside."""
    a, b, c = (np.asarray(mesh.vertices, dtype=float)[np.asarray(mesh.triangles)[:, k]] for k in range(3))
    return float((np.cross(a, b) * c).sum() / 6.0)


def test_a_box_is_drawn_closed() -> None:
    (part,) = draw_contact(BOX, np.zeros(3), 1.0, VALUES)
    assert volume(part.mesh) == pytest.approx(8 * 0.3 * 0.2 * 0.1, rel=1e-6)
    assert anchor_of_contact(BOX, VALUES) == pytest.approx((0, 0, 1))
    assert reach_of_contact(BOX, VALUES) == pytest.approx(np.sqrt(0.09 + 0.04 + 0.01))
    edges = [points for _, points in contact_lines(BOX, VALUES)]
    assert sorted(np.ptp(points, axis=0).max() for points in edges) == pytest.approx([0.2] * 4 + [0.4] * 4 + [0.6] * 4)


def test_a_capsule_is_drawn_from_end_to_end() -> None:
    vertices = np.concatenate([part.mesh.vertices for part in draw_contact(CAPSULE, np.zeros(3), 1.0, VALUES)])
    assert vertices.min(axis=0) == pytest.approx((-0.3, -0.3, -0.3), abs=0.01)
    assert vertices.max(axis=0) == pytest.approx((1.3, 0.3, 0.3), abs=0.01)
    assert reach_of_contact(CAPSULE, VALUES) == pytest.approx(0.8)
    drawn = np.concatenate([points for _, points in contact_lines(CAPSULE, VALUES)])
    assert np.ptp(drawn, axis=0) == pytest.approx((1.6, 0.6, 0.6), abs=0.01)
