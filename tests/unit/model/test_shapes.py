"""Shapes: what they are checked for, the mass they have, the contacts they touch with; and that looks are not mechanics."""

import json
from math import pi
from pathlib import Path

import numpy as np
import pytest
import trimesh

import locomotor as lm
from locomotor.errors import (
    DescriptionTypeError,
    MeshError,
    NegativeLengthError,
    NonPositiveMassError,
    NonPositiveRadiusError,
    QuantityError,
    ShapeMassError,
    UnknownNameError,
)
from locomotor.model.serialise import from_data, to_data
from locomotor.viewing.scene.shapes import draw_shapes

TURN = (0.3, -0.5, 0.8)
SOLIDS = {
    "box": lm.Box((0.4, 0.3, 0.2), at=(0.1, 0.2, -0.3), rotation=TURN),
    "sphere": lm.Sphere(0.25, at=(0.0, 0.1, 0.2)),
    "ellipsoid": lm.Ellipsoid((0.3, 0.2, 0.1), at=(0.1, 0.0, 0.0), rotation=TURN),
    "cylinder": lm.Cylinder((0.1, 0.0, 0.2), (0.5, 0.3, -0.1), 0.12),
    "capsule": lm.Capsule((0.1, 0.0, 0.2), (0.5, 0.3, -0.1), 0.12),
    "plate": lm.Plate([(0, 0), (0.6, 0), (0.6, 0.1), (0.2, 0.1), (0.2, 0.5), (0, 0.5)], 0.05, at=(0, 0.1, 0.2), rotation=TURN),
}


def drawn(shape: lm.model.Shape) -> trimesh.Trimesh:
    """The very triangles that are drawn, as a solid for an independent integration."""
    (part,) = draw_shapes([shape], {})
    return trimesh.Trimesh(part.mesh.vertices.astype(float), part.mesh.triangles.astype(int))


@pytest.mark.parametrize("name", ["box", "plate"])
def test_mass_of_flat_faced_shapes_is_that_of_the_triangles_drawn(name: str) -> None:
    body = lm.Body.from_shape(SOLIDS[name], density=700.0)
    peer = drawn(SOLIDS[name])
    peer.density = 700.0
    mass, com, inertia = body.mass_properties({})
    # Triangles are drawn in single precision.
    assert mass == pytest.approx(peer.mass, rel=1e-6)
    assert np.allclose(com, peer.center_mass, atol=1e-7)
    assert np.allclose(inertia, peer.moment_inertia, rtol=1e-5, atol=1e-6 * np.abs(peer.moment_inertia).max())


@pytest.mark.parametrize("name", ["sphere", "ellipsoid", "cylinder"])
def test_mass_of_round_shapes_is_that_of_a_fine_mesh(name: str) -> None:
    """trimesh's own round solids, fine enough for 0.1 %; with that many sides a circle lacks (2 pi/n)²/6 of its area."""
    shape = SOLIDS[name]
    if isinstance(shape, lm.Cylinder):
        peer = trimesh.creation.cylinder(shape.radius, segment=np.array([shape.start, shape.end], dtype=float), sections=256)
    else:
        peer = trimesh.creation.icosphere(subdivisions=5)
        half = [shape.radius] * 3 if isinstance(shape, lm.Sphere) else shape.half_axes
        peer.apply_scale(np.array(half, dtype=float))
        if isinstance(shape, lm.Ellipsoid):
            turn = np.eye(4)
            turn[:3, :3] = lm.lie.SO3.exp(np.array(TURN)).matrix
            peer.apply_transform(turn)
        peer.apply_translation(np.array(shape.at, dtype=float))
    peer.density = 700.0
    mass, com, inertia = lm.Body.from_shape(shape, density=700.0).mass_properties({})
    assert mass == pytest.approx(peer.mass, rel=1e-3)
    assert np.allclose(com, peer.center_mass, atol=1e-4)
    assert np.allclose(inertia, peer.moment_inertia, atol=1e-3 * np.abs(peer.moment_inertia).max())


def test_capsule_is_a_cylinder_and_two_half_balls() -> None:
    """By Monte-Carlo-free quadrature: slices across the axis, pi r(z)² each."""
    r, length = 0.12, 0.5
    z = np.linspace(-0.5 * length - r, 0.5 * length + r, 200_001)
    beyond = np.maximum(np.abs(z) - 0.5 * length, 0.0)
    square = np.maximum(r * r - beyond**2, 0.0)
    mass = np.trapezoid(pi * square, z)
    along = np.trapezoid(pi * square**2 / 2.0, z)
    across = np.trapezoid(pi * square**2 / 4.0 + pi * square * z * z, z)
    body = lm.Body.from_shape(lm.Capsule((0, 0, -0.5 * length), (0, 0, 0.5 * length), r), density=1.0)
    found = body.mass_properties({})
    assert found[0] == pytest.approx(mass, rel=1e-8)
    assert np.allclose(np.diag(found[2]), (across, across, along), rtol=1e-8)
    tilted = lm.Body.from_shape(SOLIDS["capsule"], density=3.0)
    assert np.sort(np.linalg.eigvalsh(tilted.mass_properties({})[2]))[0] == pytest.approx(
        3.0 * (pi * r**4 * np.sqrt(0.34) / 2.0 + 8.0 / 15.0 * pi * r**5), rel=1e-12
    )


def test_dimensions_may_be_parameters() -> None:
    """m = rho a b c, I = m (b² + c²)/12: with symbols, then with numbers."""
    body = lm.Body.from_shape(lm.Box(("a", "b", "c"), at=("a/2", 0, 0)), density="rho", name="brick")
    values = {"a": 0.4, "b": 0.3, "c": 0.2, "rho": 1000.0}
    mass, com, inertia = body.mass_properties(values)
    assert mass == pytest.approx(24.0) and com[0] == pytest.approx(0.2)
    assert np.allclose(np.diag(inertia), [24.0 * s / 12.0 for s in (0.13, 0.20, 0.25)])
    rod = lm.Body.from_shape(lm.Cylinder((0, 0, 0), (0, "l", 0), "r"), mass="m")
    mass, com, inertia = rod.mass_properties({"l": 2.0, "r": 0.1, "m": 3.0})
    assert mass == 3.0 and np.allclose(com, (0, 1, 0))
    assert np.allclose(np.diag(inertia), (3 * (0.03 + 4) / 12, 3 * 0.005, 3 * (0.03 + 4) / 12))
    slanted = lm.Body.from_shape(lm.Cylinder((0, 0, 0), ("l", "l", 0), 0.1), mass=1.0)
    plain = lm.Body.from_shape(lm.Cylinder((0, 0, 0), (0.7, 0.7, 0), 0.1), mass=1.0)
    assert np.allclose(slanted.mass_properties({"l": 0.7})[2], plain.mass_properties({})[2])


def test_rotation_by_a_parameter_is_that_of_the_number() -> None:
    symbolic = lm.Body.from_shape(lm.Box((0.4, 0.3, 0.2), rotation=(0, "tilt", 0)), density=1.0).mass_properties({"tilt": 0.4})
    plain = lm.Body.from_shape(lm.Box((0.4, 0.3, 0.2), rotation=(0, 0.4, 0)), density=1.0).mass_properties({})
    assert np.allclose(symbolic[2], plain[2], atol=1e-15)
    with pytest.raises(ShapeMassError, match="several axes"):
        lm.Body.from_shape(lm.Box((1, 1, 1), rotation=("a", "b", 0)), density=1.0)


def test_several_shapes_make_one_body() -> None:
    """A dumb-bell: two balls on a thin rod, by Huygens and Steiner."""
    balls = [lm.Sphere(0.1, at=(x, 0, 0)) for x in (-0.5, 0.5)]
    mass, com, inertia = lm.Body.from_shape(balls, density=1000.0).mass_properties({})
    m = 1000.0 * 4 / 3 * pi * 1e-3
    assert mass == pytest.approx(2 * m) and np.allclose(com, 0.0, atol=1e-15)
    assert np.allclose(np.diag(inertia), 2 * m * (0.4 * 0.01 + np.array([0.0, 0.25, 0.25])))


# -- meshes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["stl", "obj", "glb"])
def test_meshes_are_read_from_files_and_weighed(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"brick.{suffix}"
    trimesh.creation.box((400.0, 300.0, 200.0)).export(file)
    shape = lm.Mesh(str(file), scale=0.001, at=(0.1, 0, 0))
    mass, com, inertia = lm.Body.from_shape(shape, density=1000.0).mass_properties({})
    assert mass == pytest.approx(24.0, rel=1e-6) and np.allclose(com, (0.1, 0, 0), atol=1e-7)
    assert np.allclose(np.diag(inertia), [24.0 * s / 12.0 for s in (0.13, 0.20, 0.25)], rtol=1e-6)
    file.unlink()  # the triangles are kept
    (part,) = draw_shapes([shape], {})
    assert np.allclose(np.ptp(part.mesh.vertices, axis=0), (0.4, 0.3, 0.2), atol=1e-6)
    contacts = lm.corners(lm.Body.from_shape(shape, density=1.0, name="brick"))
    assert len(contacts) == 8
    assert {tuple(np.abs(np.round(np.array(c.at) - (0.1, 0, 0), 9))) for c in contacts} == {(0.2, 0.15, 0.1)}


def test_bad_meshes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="no such file"):
        lm.Mesh(str(tmp_path / "nothing.stl"))
    with pytest.raises(MeshError, match=r"must end in \.stl"):
        lm.Mesh("part.step")
    (tmp_path / "bad.glb").write_bytes(b"glTF nonsense")
    with pytest.raises(MeshError, match=r"cannot be read|no triangles"):
        lm.Mesh(str(tmp_path / "bad.glb"))
    with pytest.raises(MeshError, match="neither a file nor triangles"):
        lm.Mesh()
    with pytest.raises(MeshError, match="not there"):
        lm.Mesh(vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0)], triangles=[(0, 1, 3)])
    sheet = lm.Mesh(vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0)], triangles=[(0, 1, 2)])
    with pytest.raises(MeshError, match="not closed"):
        lm.Body.from_shape(sheet, density=1.0)


# -- checks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: lm.Box((1, -1, 1)), NegativeLengthError, "size is -1.0 m; it must be positive"),
        (lambda: lm.Sphere(0.0), NonPositiveRadiusError, "radius is 0.0 m"),
        (lambda: lm.Capsule((0, 0, 0), (0, 0, 0), 1), NegativeLengthError, "both ends"),
        (lambda: lm.Tube([(0, 0, 0)], 0.1), QuantityError, "at least two points"),
        (lambda: lm.Tube([(0, 0, 0), (1, 0, 0)], (0.1, 0.2, 0.3)), QuantityError, "2 points have 3 radii"),
        (lambda: lm.Plate([(0, 0), (1, 0)], 0.1), QuantityError, "at least three points"),
        (lambda: lm.Wheel(0.3, tyre=0.4), NegativeLengthError, "at most 0.9 of the radius"),
        (lambda: lm.Sphere(1.0, colour="metall"), DescriptionTypeError, "did you mean 'metal'"),
        (lambda: lm.Sphere(1.0, colour="#12"), DescriptionTypeError, "six hexadecimal digits"),
        (lambda: lm.Body("a", 1.0, inertia=(1, 1, 1), shapes=[3]), DescriptionTypeError, "each must be a Box"),
        (lambda: lm.Body.from_shape(lm.Sphere(1.0), density=-1), NonPositiveMassError, "density is -1.0"),
        (lambda: lm.Body.from_shape(lm.Sphere(1.0)), ShapeMassError, "give one of the two"),
        (lambda: lm.Body.from_shape([], density=1), ShapeMassError, "no shapes"),
        (lambda: lm.Body.from_shape(lm.Wheel(1.0), density=1), ShapeMassError, "only drawn"),
        (lambda: lm.corners(lm.Body("a", 1.0, inertia=(1, 1, 1))), DescriptionTypeError, "has no shapes"),
    ],
)
def test_wrong_shapes_are_refused(make, error: type[Exception], message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=message):
        make()


def one_body(*shapes: lm.model.Shape, **parameters: float) -> lm.System:
    body = lm.Body("brick", 1.0, inertia=(0.1, 0.1, 0.1), shapes=shapes)
    return lm.System("one", [body], [lm.Free(name="base", parent="world", child="brick")], parameters=parameters)


def test_names_in_shapes_must_be_parameters() -> None:
    with pytest.raises(UnknownNameError, match=r"Body 'brick': its Box: size 'lenght': .*did you mean 'length'"):
        one_body(lm.Box(("lenght", 1, 1)), length=1.0)


# -- looks are not mechanics ------------------------------------------------------------------------------------


def test_equal_mechanics_is_equal_and_each_run_keeps_its_own_looks() -> None:
    plain, shaped = (
        one_body(),
        one_body(lm.Box(("a", 1, 1)), a=2.0).replace(parameters={}, bodies=one_body(lm.Sphere(1)).bodies),
    )
    assert plain == shaped and hash(plain) == hash(shaped)
    assert lm.compile(plain) is lm.compile(shaped)
    for system in (plain, shaped):
        run = lm.simulate(system, 0.01)
        assert run.system is not None and run.system.bodies[0].shapes == system.bodies[0].shapes


def test_shapes_are_written_and_read_back(tmp_path: Path) -> None:
    shapes = [
        *SOLIDS.values(),
        lm.Tube([(0, 0, 0), ("a", 0, 0), ("a", 1, 0)], (0.1, "a/10", 0.05), smooth=True, colour="#123456"),
        lm.Wheel(0.3, axis=(1, 0, 0), tyre=0.02),
        lm.Mesh(vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0)], triangles=[(0, 1, 2)], scale="a", colour="wood"),
    ]
    system = one_body(*shapes, a=0.5)
    read = from_data(json.loads(json.dumps(to_data(system))))
    assert read.bodies[0].shapes == system.bodies[0].shapes
    run = lm.simulate(system, 0.01)
    run.save(tmp_path / "run.nc")
    again = lm.load(tmp_path / "run.nc").system
    assert again is not None and again.bodies[0].shapes == tuple(system.bodies[0].shapes)


def test_corners_are_where_the_shape_is() -> None:
    body = lm.Body.from_shape(lm.Box(("a", "b", "c"), at=(0, 0, "c/2")), density=10.0, name="brick")
    contacts = lm.corners(body, law=lm.Unilateral(friction=0.5))
    assert [c.name for c in contacts][:2] == ["brick_mmm", "brick_mmp"]
    low = [c for c in contacts if c.name.endswith("m")]
    values = {"a": 0.4, "b": 0.3, "c": 0.2}
    assert all(abs(float(lm.model.evaluate(c.at, values)[2])) < 1e-15 for c in low) and len(low) == 4
    kinds = {
        "Sphere": lm.Sphere(0.1), "Capsule": lm.Capsule((0, 0, 0), (1, 0, 0), 0.1), "Wheel": lm.Wheel(0.3),
        "Cylinder": lm.Cylinder((0, -0.1, 0), (0, 0.1, 0), 0.3), "Plate": SOLIDS["plate"],
    }  # fmt: skip
    found = {
        name: [type(c).__name__ for c in lm.corners(lm.Body("x", 1.0, inertia=(1, 1, 1), shapes=[shape]))]
        for name, shape in kinds.items()
    }
    assert found == {
        "Sphere": ["RollingSphere"],
        "Capsule": ["RollingSphere"] * 2,
        "Wheel": ["RollingDisc"],
        "Cylinder": ["RollingDisc"] * 2,
        "Plate": ["StickingPoint"] * 12,
    }
    with pytest.raises(ShapeMassError, match="Ellipsoid has no contacts"):
        lm.corners(lm.Body("x", 1.0, inertia=(1, 1, 1), shapes=[SOLIDS["ellipsoid"]]))


def test_a_box_from_its_shape_rests_on_its_corners() -> None:
    body = lm.Body.from_shape(lm.Box((0.4, 0.3, 0.2)), density=500.0, name="crate")
    system = lm.System(
        "crate",
        [body],
        [lm.Free(name="base", parent="world", child="crate")],
        contacts=lm.corners(body),
        forces=[lm.Gravity()],
        nominal={"z": 0.1},
    )
    run = lm.simulate(system, 0.05)
    assert abs(run["z"][-1] - 0.1) < 1e-6
