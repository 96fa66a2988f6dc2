"""Terrain as a description: what it accepts, what it refuses and how it says so, and the ready-made ones."""

import dataclasses
import json
import math

import numpy as np
import pytest

from locomotor.errors import (
    DegenerateTriangleError,
    DuplicateTriangleError,
    InvalidNameError,
    ModelError,
    NonManifoldEdgeError,
    NotFiniteError,
    QuantityError,
    TerrainError,
    TerrainShapeError,
    TriangleIndexError,
    TriangleOrientationError,
)
from locomotor.geometry import surface_of
from locomotor.model import Body, Free, Plane, RollingDisc, System, Terrain, Unilateral
from locomotor.model.serialise import from_data, to_data

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
HALVES = [(0, 1, 2), (0, 2, 3)]


def normals(terrain):
    return terrain.triangulation.normals


# --- description --------------------------------------------------------------------------------------------


def test_frozen_hashable_and_equal_by_content():
    one, two = Terrain("floor", SQUARE, HALVES), Terrain("floor", np.array(SQUARE, dtype=float), np.array(HALVES))
    assert one == two and hash(one) == hash(two) and one is not two
    assert one != Terrain("floor", SQUARE, HALVES[:1]) and one != Terrain("other", SQUARE, HALVES)
    assert dataclasses.replace(one, name="other").vertices == one.vertices
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.vertices = ()
    assert isinstance(one.vertices[0], tuple) and isinstance(one.triangles[0][0], int)
    assert repr(one) == "Terrain('floor': 4 vertices, 2 triangles)"


def test_a_system_takes_a_terrain_as_ground_and_keeps_it_in_files():
    system = System(
        "wheel",
        bodies=(Body("wheel", 1.0, inertia=(0.1, 0.2, 0.1)),),
        joints=(Free(name="ride", parent="world", child="wheel"),),
        contacts=(RollingDisc("tread", "wheel", (0, 0, 0), (0, 1, 0), 0.3, ground="road", law=Unilateral()),),
        grounds=(Terrain.kerb(0.1, name="road"), Plane("sea")),
    )
    assert system.ground("road") == Terrain.kerb(0.1, name="road")
    assert from_data(json.loads(json.dumps(to_data(system)))) == system


def test_normals_follow_the_order_of_the_corners_and_are_unit():
    assert normals(Terrain("g", SQUARE, HALVES)).tolist() == [[0, 0, 1], [0, 0, 1]]
    assert normals(Terrain("g", SQUARE, [(2, 1, 0), (3, 2, 0)])).tolist() == [[0, 0, -1], [0, 0, -1]]


def test_corners_listed_again_are_the_same_place():
    soup = Terrain("g", [SQUARE[i] for half in HALVES for i in half], [(0, 1, 2), (3, 4, 5)])
    assert len(soup.triangulation.points) == 4
    assert (soup.triangulation.edge_triangles >= 0).all(axis=1).sum() == 1
    # The common edge is flat: it is not there for a wheel.
    assert surface_of(soup).edges.is_border.all() and len(surface_of(soup).edges.length) == 4


def test_surface_of_equal_terrain_is_made_once():
    assert surface_of(Terrain.kerb(0.1)) is surface_of(Terrain.kerb(0.1))


# --- mistakes -----------------------------------------------------------------------------------------------

MISTAKES = [
    (TriangleIndexError, SQUARE, [(0, 1, 2), (0, 2, 4)], r"triangle 1 = \(0, 2, 4\) has the corner 4, but there are 4"),
    (TriangleIndexError, SQUARE, [(0, 1, -1)], r"triangle 0 = \(0, 1, -1\) has the corner -1"),
    (NotFiniteError, [*SQUARE[:3], (0, float("nan"), 0)], HALVES, r"vertex 3, a corner of triangle 1, is \(0.0, nan, 0.0\)"),
    (NotFiniteError, [*SQUARE[:3], (0, float("inf"), 0)], HALVES, "give finite numbers"),
    (DegenerateTriangleError, SQUARE, [(0, 1, 2), (0, 3, 3)], "triangle 1 with corners .* area 0.0 m²"),
    (DegenerateTriangleError, [*SQUARE, (2, 2, 0)], [(0, 1, 2), (0, 2, 4)], "triangle 1 .* remove it, or move a corner"),
    (DegenerateTriangleError, [(0, 0, 0), (1, 0, 0), (0.5, 1e-12, 0)], [(0, 1, 2)], "triangle 0"),
    (DuplicateTriangleError, SQUARE, [*HALVES, (1, 2, 0)], "triangles 0 and 2 have the same corners"),
    (DuplicateTriangleError, SQUARE, [(0, 1, 2), (2, 1, 0)], "triangles 0 and 1"),
    (
        NonManifoldEdgeError,
        [*SQUARE, (0.5, 0.5, 1)],
        [*HALVES, (0, 2, 4)],
        r"triangles 0, 1 and 2 share the edge from \(0.0, 0.0, 0.0\) to \(1.0, 1.0, 0.0\)",
    ),
    (TriangleOrientationError, SQUARE, [(0, 1, 2), (0, 3, 2)], "triangles 0 and 1 run along their common .* swap two corners"),
]


@pytest.mark.parametrize(("error", "vertices", "triangles", "message"), MISTAKES)
def test_a_bad_surface_names_its_triangle(error, vertices, triangles, message):
    with pytest.raises(error, match=message) as caught:
        Terrain("quarry", vertices, triangles)
    assert str(caught.value).startswith("Terrain 'quarry': ")
    assert issubclass(error, ModelError) and (error is NotFiniteError or issubclass(error, TerrainError))


@pytest.mark.parametrize(
    ("vertices", "triangles", "message"),
    [
        ((), (), "vertices have the shape"),
        (SQUARE, (), "triangles have the shape"),
        ([(0, 0), (1, 1)], HALVES, r"vertices have the shape \(2, 2\)"),
        (SQUARE, [(0, 1, 2.5)], "hold 2.5"),
        ([("a", 0, 0)], HALVES, "expressions and texts have no place"),
    ],
)
def test_rows_of_three_numbers_are_wanted(vertices, triangles, message):
    with pytest.raises(QuantityError, match=message):
        Terrain("g", vertices, triangles)


def test_the_name_is_an_identifier():
    with pytest.raises(InvalidNameError, match="two words"):
        Terrain("two words", SQUARE, HALVES)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Terrain.plane(math.pi),
        lambda: Terrain.plane(length=0.0),
        lambda: Terrain.ramp(float("nan"), 0.5),
        lambda: Terrain.ramp(-0.1, 0.5, approach=-1.0),
        lambda: Terrain.kerb(0.0),
        lambda: Terrain.kerb(float("inf")),
        lambda: Terrain.steps(0, 0.1, 0.3),
        lambda: Terrain.steps(3, 0.0, 0.3),
        lambda: Terrain.heightfield([0, 1], [1, 0], np.zeros((2, 2))),
        lambda: Terrain.heightfield([0, 1], [0, 1, 2], np.zeros((3, 2))),
    ],
)
def test_measures_that_make_no_surface(make):
    with pytest.raises(TerrainShapeError, match=r"Terrain\.\w+: "):
        make()


# --- ready-made ---------------------------------------------------------------------------------------------


def test_ramp_of_the_issue_climbs_to_the_origin_and_drops():
    ramp = Terrain.ramp(slope=-0.1745, drop=0.5)
    points = np.array(ramp.vertices)
    # As a plane of normal (sin slope, 0, cos slope): up in the direction of travel for a negative slope.
    assert normals(ramp)[0] == pytest.approx((math.sin(-0.1745), 0.0, math.cos(0.1745)), abs=1e-15)
    assert points[points[:, 0] == -50.0][:, 2] == pytest.approx(-50.0 * math.tan(0.1745), rel=1e-15)
    # Half of the drop under the edge, then level.
    assert sorted({(x, z) for x, _, z in ramp.vertices if abs(x) < 1.0}) == [(-0.25, -0.5), (0.0, 0.0)]
    assert normals(ramp)[2] == pytest.approx(np.array((2.0, 0.0, -1.0)) / math.sqrt(5.0))
    assert normals(ramp)[4] == pytest.approx((0.0, 0.0, 1.0))


def test_ramp_with_a_wall_without_drop_and_with_a_step_up():
    assert normals(Terrain.ramp(-0.1, 0.5, overhang=0.0))[2] == pytest.approx((1.0, 0.0, 0.0))
    assert len(Terrain.ramp(-0.1, 0.0).triangles) == 4
    assert normals(Terrain.ramp(-0.1, -0.2))[2] == pytest.approx((-1.0, 0.0, 0.0))
    with pytest.raises(TerrainShapeError, match=r"the overhang is 6\.0 m; give a length from 0 to less than 4\.98"):
        Terrain.ramp(-0.1, 0.5, overhang=6.0)


def test_plane_is_inclined_as_a_plane_is():
    assert normals(Terrain.plane(0.2)) == pytest.approx(np.tile((math.sin(0.2), 0.0, math.cos(0.2)), (2, 1)), abs=1e-15)


def test_kerb_and_steps_face_the_traveller():
    assert normals(Terrain.kerb(0.1))[2] == pytest.approx((-1.0, 0.0, 0.0))
    stairs = Terrain.steps(3, 0.15, 0.3)
    assert np.array(stairs.vertices)[:, 2].max() == pytest.approx(0.45)
    # Three convex edges at the top of the risers; the others are concave or borders.
    assert (~surface_of(stairs).edges.is_border).sum() == 3


def test_heightfield_looks_up_and_keeps_its_heights(rng):
    x, y = np.array((0.0, 0.5, 2.0)), np.array((-1.0, 0.0, 1.0, 3.0))
    z = rng.normal(size=(3, 4))
    field = Terrain.heightfield(x, y, z)
    assert len(field.triangles) == 2 * 2 * 3 and (normals(field)[:, 2] > 0.0).all()
    assert np.array(field.vertices).reshape(3, 4, 3)[1, 2] == pytest.approx((0.5, 1.0, z[1, 2]))


def test_a_profile_is_swept_along_y() -> None:
    """The same ground as a kerb, and heights by interpolation; a hole is what its points say."""
    profile = ((-50.0, 0.0), (0.0, 0.0), (0.0, 0.05), (50.0, 0.05))
    assert Terrain.from_profile(profile, width=20.0) == Terrain.kerb(0.05)
    hill = Terrain.from_profile(np.array([(-1.0, 0.0), (0.0, 0.3), (2.0, 0.1)]), width=4.0, name="hill")
    corners = np.array(hill.vertices)
    assert hill.name == "hill" and set(corners[:, 1]) == {-2.0, 2.0}
    assert {(x, z) for x, _, z in hill.vertices} == {(-1.0, 0.0), (0.0, 0.3), (2.0, 0.1)}
    assert (surface_of(hill).faces.normal[:, 2] > 0.0).all()  # the free side is above


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([(0, 0)], "give two or more pairs"),
        ([(0, 0, 0), (1, 0, 0)], "give two or more pairs"),
        (7, "points are 7"),
        ([(0, 0), (0, 0), (1, 0)], "points 0 and 1 are both"),
        ([(0, 0), (1, "high")], "a coordinate is 'high'"),
    ],
)
def test_profiles_that_are_none(points: object, words: str) -> None:
    with pytest.raises(TerrainShapeError, match=words):
        Terrain.from_profile(points)  # type: ignore[arg-type]
