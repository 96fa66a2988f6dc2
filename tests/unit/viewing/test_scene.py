"""Scenes come from the model alone: wheels where contacts say, rods where joints are, ellipsoids with the inertia."""

from collections.abc import Iterable

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactKindError
from locomotor.model import Terrain
from locomotor.viewing.scene.materials import MATERIALS, PALETTE, colours
from locomotor.viewing.scene.mesh import Mesh
from locomotor.viewing.scene.scene import Scene, scene_of


def part(scene: Scene, body: str, role: str) -> Mesh:
    found = [p.mesh for b in scene.bodies if b.name == body for p in b.parts if p.role == role]
    assert found, f"{body} has no part {role}"
    return found[0]


def roles(scene: Scene, body: str) -> set[str]:
    return {p.role for b in scene.bodies if b.name == body for p in b.parts}


def all_roles(scene: Scene) -> Iterable[str]:
    yield from (p.role for b in scene.bodies for p in b.parts)
    yield from (p.role for p in scene.world)
    yield from (s.role for s in scene.struts)


def test_bicycle_is_drawn_from_its_model() -> None:
    scene = scene_of(lm.catalogue.bicycle())
    assert [b.name for b in scene.bodies] == [b.name for b in lm.catalogue.bicycle().bodies]
    assert scene.shaped and "solid" in roles(scene, "rear_frame")
    assert {"tyre", "rim", "mark"} <= roles(scene, "rear_disc")
    assert "solid" not in roles(scene, "rear_disc")  # a wheel is what it looks like
    assert [c.name for c in scene.contacts] == ["rear", "front"]


@pytest.mark.parametrize(("body", "radius"), [("rear_disc", 0.3), ("front_disc", 0.35)])
def test_wheels_touch_the_circle_of_their_contact(body: str, radius: float) -> None:
    tyre = part(scene_of(lm.catalogue.bicycle()), body, "tyre").vertices
    assert np.linalg.norm(tyre, axis=1).max() == pytest.approx(radius, rel=1e-6)


def test_geometry_follows_the_parameters() -> None:
    bike = lm.catalogue.bicycle()
    tyre = part(scene_of(bike, {"rR": 0.5}), "rear_disc", "tyre").vertices
    assert np.linalg.norm(tyre, axis=1).max() == pytest.approx(0.5, rel=1e-6)
    assert scene_of(bike, {"w": 2.0}).size > scene_of(bike).size


def test_ellipsoid_has_the_inertia_of_the_body() -> None:
    """Even density over the ellipsoid: I_xx = m (b² + c²)/5 with semi-axes read off the mesh."""
    body = lm.Body("stone", 2.0, com=(0.3, 0.0, 0.0), inertia=(0.5, 0.4, 0.3))
    scene = scene_of(lm.System("stone", [body], [lm.Free(name="base", parent="world", child="stone")]))
    solid = part(scene, "stone", "solid").vertices
    a, b, c = 0.5 * np.ptp(solid, axis=0)
    # 24 rings and 36 sides do not reach every extreme: 1 - cos(pi/36) = 0.4 %.
    assert 2.0 * (b * b + c * c) / 5.0 == pytest.approx(0.5, rel=1e-2)
    assert 2.0 * (a * a + c * c) / 5.0 == pytest.approx(0.4, rel=1e-2)
    assert np.allclose(0.5 * (solid.max(axis=0) + solid.min(axis=0)), (0.3, 0, 0), atol=1e-2)


def test_frames_that_only_split_a_free_motion_are_not_drawn() -> None:
    scene = scene_of(lm.catalogue.bicycle(base="SE2"))
    assert roles(scene, "contact_frame") == roles(scene, "lean_frame") == set()
    assert scene.size == pytest.approx(scene_of(lm.catalogue.bicycle()).size)


def test_every_kind_of_contact_is_drawn_where_it_is(contacts: lm.System) -> None:
    scene = scene_of(contacts)
    assert {"tyre", "rim", "mark", "blade", "foot"} <= roles(scene, "table") | roles(scene, "wheel")
    blade = part(scene, "table", "blade").vertices
    lowest = blade[blade[:, 2].argmin()]
    assert np.allclose(lowest[[0, 2]], (-0.4, -0.2), atol=1e-6)
    assert np.allclose(scene.grounds[0].normal, (0.0, 0.6, 0.8))
    assert np.allclose(scene.up, (0.0, 0.6, 0.8))


def test_a_wheel_beside_its_frame_hangs_on_an_axle(contacts: lm.System) -> None:
    links = [p.mesh for b in scene_of(contacts).bodies if b.name == "table" for p in b.parts if p.role == "link"]
    assert max(mesh.vertices[:, 1].max() for mesh in links) == pytest.approx(0.5, abs=1e-6)


def test_joints_springs_and_dampers_are_drawn(sprung: lm.System) -> None:
    scene = scene_of(sprung)
    assert [s.role for s in scene.struts] == ["spring", "damper"]
    assert scene.struts[0].body_a == -1 and scene.struts[0].body_b == 1
    assert scene.struts[0].mesh is not None
    assert scene.struts[0].mesh.vertices[:, 2].max() == pytest.approx(scene.struts[0].length, rel=0.05)
    assert "hinge" in {p.role for p in scene.world}
    assert "hinge" in roles(scene, "arm") and "hinge" in roles(scene, "slider")
    assert scene.reach >= scene.size


def test_a_rod_that_is_a_closure_is_drawn_from_end_to_end() -> None:
    """Rods of a delta robot are conditions and no bodies: they are seen all the same, each between its two points."""
    robot = lm.catalogue.delta_robot()
    rods = scene_of(robot).struts
    assert [rod.role for rod in rods] == ["rod"] * 6
    assert [(robot.bodies[rod.body_a].name, robot.bodies[rod.body_b].name) for rod in rods[::2]] == [
        (f"arm_{k}_bar", "plate") for k in (1, 2, 3)
    ]
    values = robot.parameters.values
    for rod in rods:
        assert np.hypot(*rod.at_b[:2]) == pytest.approx(np.hypot(values["r"], values["w"]))
        assert rod.mesh is not None and np.ptp(rod.mesh.vertices[:, 2]) == pytest.approx(rod.length)


def test_every_role_has_a_material_and_bodies_have_colours(sprung: lm.System, contacts: lm.System) -> None:
    for system in (sprung, contacts, lm.catalogue.bicycle()):
        scene = scene_of(system)
        assert set(all_roles(scene)) <= set(MATERIALS)
        assert len(colours(scene)) == len(scene.bodies) and set(colours(scene)) <= set(PALETTE)


def test_a_terrain_is_drawn_as_its_triangles() -> None:
    stairs = Terrain.steps(3, 0.15, 0.5, name="stairs")
    bike = lm.catalogue.bicycle()
    plane, terrain = scene_of(bike.replace(grounds=(*bike.grounds, stairs))).grounds
    assert plane.mesh is None and terrain.mesh is not None
    assert len(terrain.mesh.triangles) == len(stairs.triangles)
    assert np.allclose(terrain.mesh.vertices, stairs.vertices, atol=1e-5)


def test_a_body_that_nothing_else_shows_is_not_larger_than_the_system() -> None:
    """Planar models may have any inertia: the ellipsoid that stands for the body keeps to the size of the rest."""
    hull = lm.Body("hull", 1.0, inertia=(30.0, 30.0, 30.0))
    tail = lm.Body("tail", 1.0, inertia=(0.1, 0.1, 0.1))
    joints = [
        lm.Planar(name="base", parent="world", child="hull"),
        lm.Revolute(name="hinge", parent="hull", child="tail", at=(-0.5, 0, 0), axis=(0, 0, 1)),
    ]
    scene = scene_of(lm.System("fat", [hull, tail], joints))
    assert scene.reach < 3.0 * scene.size
    assert np.ptp(part(scene, "tail", "link").vertices, axis=0).max() <= 0.5 * scene.size


def sledge(shapes: list[lm.model.Shape]) -> lm.System:
    bodies = [lm.Body("sledge", 10.0, inertia=(1, 1, 1), shapes=shapes), lm.Body("rider", 5.0, inertia=(1, 1, 1))]
    joints = [
        lm.Free(name="base", parent="world", child="sledge"),
        lm.Revolute(name="lean", parent="sledge", child="rider", at=(0, 0, 0.5), axis=(1, 0, 0)),
    ]
    contacts = [lm.Skate("runner", "sledge", (0, 0, 0), (1, 0, 0))]
    return lm.System("sledge", bodies, joints, contacts, parameters={"length": 1.2})


def test_a_body_without_shapes_among_others_is_a_bead() -> None:
    """Files of robots give mounts and sensors an inertia that somebody made up: as an ellipsoid it would hide the robot."""
    arm = lm.Body("arm", 1.0, inertia=(0.1, 0.1, 0.01), shapes=[lm.Capsule((0, 0, 0), (0, 0, 1), 0.05)])
    mount = lm.Body("mount", 0.5, inertia=(0.05, 0.05, 0.05))  # half a metre in radius
    system = lm.System(
        "mounted",
        [arm, mount],
        [
            lm.Revolute(name="swing", parent="world", child="arm", axis=(0, 1, 0)),
            lm.Fixed(name="weld", parent="arm", child="mount", at=(0, 0, 1)),
        ],
    )
    seen = scene_of(system).bodies[1].box
    assert seen is not None and np.ptp(seen, axis=0).max() < 0.08


def test_a_body_with_shapes_looks_like_them_and_nothing_else() -> None:
    assert {"blade", "link", "hinge"} <= roles(scene_of(sledge([])), "sledge")
    boards = [lm.Box(("length", 0.4, 0.05), colour="wood"), lm.Sphere(0.1, at=(0.5, 0, 0.2), colour="#abcdef")]
    scene = scene_of(sledge(boards))
    assert scene.shaped and not scene_of(sledge([])).shaped
    assert roles(scene, "sledge") == {"wood", "paint", "solid", "com_dark", "com_light"}
    assert np.allclose(np.ptp(part(scene, "sledge", "wood").vertices, axis=0), (1.2, 0.4, 0.05))
    assert [p.colour for p in scene.bodies[0].parts if p.role == "paint"] == ["#abcdef"]


def test_shapes_follow_the_parameters_and_vanish_with_their_size() -> None:
    system = sledge([lm.Box(("length", 0.4, 0.05))])
    for length in (2.0, 0.5):
        for scene in (scene_of(system, {"length": length}), scene_of(system.with_parameters(length=length))):
            assert np.ptp(part(scene, "sledge", "body").vertices[:, 0]) == pytest.approx(length)
    # A slider may bring a dimension to nothing: the rest is still drawn, and the system still moves.
    gone = scene_of(system.with_parameters(length=0.0))
    assert "body" not in roles(gone, "sledge") and roles(gone, "rider")


@pytest.mark.parametrize(
    ("shape", "extent"),
    [
        (lm.Cylinder((0, -0.1, 0), (0, 0.1, 0), 0.3), (0.6, 0.2, 0.6)),
        (lm.Capsule((0, 0, 0), (0, 0, 1), 0.1), (0.2, 0.2, 1.2)),
        (lm.Ellipsoid((0.3, 0.2, 0.1), rotation=(0, 0, np.pi / 2)), (0.4, 0.6, 0.2)),
        (lm.Tube([(0, 0, 0), (1, 0, 0), (1, 1, 0)], 0.05), (1.1, 1.1, 0.1)),
        (lm.Tube([(0, 0, 0), (1, 0, 0), (2, 0, 0)], (0.1, 0.2, 0.05), smooth=True), (2.15, 0.4, 0.4)),
        (lm.Plate([(0, 0), (1, 0), (0.2, 0.2), (0, 1)], 0.1, rotation=(np.pi / 2, 0, 0)), (1.0, 0.1, 1.0)),
        (lm.Wheel(0.3, axis=(1, 0, 0), tyre=0.05), (0.1, 0.6, 0.6)),
    ],
)
def test_shapes_have_their_dimensions(shape: lm.model.Shape, extent: tuple[float, ...]) -> None:
    meshes = [p.mesh for p in scene_of(sledge([shape])).bodies[0].parts if p.role in {"body", "tyre"}]
    cloud = np.concatenate([mesh.vertices for mesh in meshes])
    # 14 to 32 sides do not reach every extreme of a circle: 1 - cos(pi/14) = 2.5 %, here of a small radius.
    assert np.allclose(np.ptp(cloud, axis=0), extent, atol=0.02 * max(extent))
    for mesh in meshes:
        corners = mesh.vertices[mesh.triangles].astype(float)
        areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        outward = np.einsum("ti,ti->t", areas, mesh.normals[mesh.triangles].sum(axis=1))
        assert (outward >= -1e-9).all(), "a triangle shows its back"


def test_a_dented_plate_has_the_area_of_its_outline() -> None:
    """Shoelace of an L: 0.6 x 0.1 + 0.2 x 0.4."""
    outline = [(0, 0), (0.6, 0), (0.6, 0.1), (0.2, 0.1), (0.2, 0.5), (0, 0.5)]
    for points in (outline, outline[::-1]):
        mesh = part(scene_of(sledge([lm.Plate(points, 0.05)])), "sledge", "body")
        corners = mesh.vertices[mesh.triangles].astype(float)
        areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
        assert areas[areas > 0].sum() == pytest.approx(0.14, rel=1e-5)


@pytest.mark.parametrize("name", [ready.name for ready in lm.catalogue.systems()])
def test_every_ready_system_is_drawn(name: str) -> None:
    scene = scene_of(lm.catalogue.system(name))
    assert any(body.parts for body in scene.bodies)
    assert 0.005 < scene.size <= scene.reach < 100.0  # a fruit fly has six millimetres
    assert set(all_roles(scene)) <= set(MATERIALS)


def test_a_contact_without_a_shape_is_refused_and_not_left_out(contacts: lm.System) -> None:
    class Novel(lm.SlidingPoint.__mro__[1]):  # type: ignore[misc]
        """A contact that nobody taught us to draw."""

        BLOCKS = ("normal",)

    system = contacts.replace(contacts=(*contacts.contacts, Novel("novel", "table")))
    with pytest.raises(ContactKindError, match=r"Novel 'novel': nothing says which shape a Novel has; register `shape_of`"):
        scene_of(system)


def test_meshes_are_finite(sprung: lm.System, contacts: lm.System) -> None:
    for system in (sprung, contacts):
        for body in scene_of(system).bodies:
            for p in body.parts:
                assert np.isfinite(p.mesh.vertices).all() and np.isfinite(p.mesh.normals).all(), (body.name, p.role)
