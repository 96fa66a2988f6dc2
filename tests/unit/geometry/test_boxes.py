"""Boxes over terrain, with their edges and faces: where they touch first, against linear programming."""

import numpy as np
import pytest
from scipy.optimize import linprog

import locomotor as lm
from locomotor.geometry import Box, Capsule, gap, query
from locomotor.lie import SE3, SO3

HALF = np.array((0.3, 0.2, 0.1))


def lift(ground: lm.Terrain, rotation: np.ndarray, position: np.ndarray) -> float:
    """How far a box must be lifted to just touch: the largest height of a point of the ground over one of the box.

    For each triangle: points sum_i l_i v_i and c + R u with |u_j| <= half_j, one above the other; the most between them.
    """
    vertices, found = np.array(ground.vertices), -np.inf
    for triangle in np.array(ground.triangles):
        corners = vertices[triangle]
        level = np.hstack((corners[:, :2].T, -rotation[:2]))
        one = np.array([[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]])
        answer = linprog(
            np.concatenate((-corners[:, 2], rotation[2])),
            A_eq=np.vstack((level, one)),
            b_eq=np.concatenate((position[:2], [1.0])),
            bounds=[(0.0, 1.0)] * 3 + [(-h, h) for h in HALF],
        )
        if answer.success:
            found = max(found, -answer.fun - position[2])
    return found


def test_a_box_let_down_touches_where_linear_programming_says(rng: np.random.Generator) -> None:
    """Every kind of first touch occurs: corners on faces, edges across edges, faces on corners."""
    line = np.linspace(-0.6, 0.6, 4)
    kinds = set()
    for _ in range(30):
        ground = lm.Terrain.heightfield(line, line, rng.uniform(-0.2, 0.2, (4, 4)))
        rotation = SO3.exp(rng.uniform(-0.6, 0.6, 3)).matrix
        position = np.array((*rng.uniform(-0.1, 0.1, 2), 1.0))
        position[2] += lift(ground, rotation, position)
        shape = Box(np.zeros(3), HALF)
        # The solver's tolerance is 1e-9 or so of lengths of about one.
        assert gap(ground, shape, SE3(rotation, position)) == pytest.approx(0.0, abs=1e-8)
        for way in (-1e-4, 1e-4):
            found = query(ground, shape, SE3(rotation, position + (0.0, 0.0, way)), reach=0.0)[0]
            # The gap is along the normal.
            assert found.gap == pytest.approx(way * found.normal[2], abs=1e-8) and found.normal[2] > 0.0
        kinds.add((found.feature.kind, "corner" if found.part < 8 else "edge" if found.part < 20 else "face"))
    assert kinds == {("face", "corner"), ("edge", "edge"), ("vertex", "face")}


def test_what_is_inside_a_box_came_in_through_its_nearest_face() -> None:
    """A box that overhangs a kerb, sunk by a little: its upright edges are not what the kerb's edge has met."""
    kerb = lm.Terrain.from_profile([(-3.0, 0.0), (0.0, 0.0), (0.0, 0.2), (3.0, 0.2)])
    box = Box(np.zeros(3), HALF)
    for sunk in (1e-12, 1e-6, 1e-3):
        found = query(kerb, box, SE3(np.eye(3), np.array((-0.28, 0.0, 0.3 - sunk))), reach=0.0)
        assert [c.gap for c in found] == pytest.approx([-sunk] * len(found), abs=1e-12)
        assert all(c.normal == pytest.approx((0.0, 0.0, 1.0)) for c in found)
        assert {c.feature.kind for c in found} == {"face", "edge"} and len(found) == 4


def test_pieces_of_shapes() -> None:
    box, capsule = Box(np.zeros(3), HALF), Capsule(np.zeros(3), np.ones(3), 0.1)
    assert [box.piece(k).centre.tolist() for k in range(8)] == box.corners.tolist()
    assert box.piece(8) is box and capsule.piece(2) is capsule and (box.parts, capsule.parts) == (26, 3)
    assert capsule.piece(1).centre.tolist() == [1.0, 1.0, 1.0] and capsule.piece(1).size == capsule.margin == 0.1
