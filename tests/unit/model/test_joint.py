"""Joints and drives: placement, names, and what each refuses."""

import math

import casadi
import numpy as np
import pytest

from locomotor.errors import (
    AxisError,
    InvalidNameError,
    NotFiniteError,
    QuantityError,
    RestrictedDriveError,
    RotationError,
)
from locomotor.lie import SO3
from locomotor.model import (
    Fixed,
    Frame,
    Free,
    Helical,
    Motion,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Torque,
    Translation,
    Universal,
)

ENDS = {"name": "joint", "parent": "world", "child": "body"}
AXES = {"axes": ((1, 0, 0), (0, 1, 0))}
KINDS = [
    (Revolute, {"axis": (0, 0, 1)}, 1, 1),
    (Prismatic, {"axis": (0, 0, 1)}, 1, 1),
    (Helical, {"axis": (0, 0, 1), "pitch": 0.1}, 1, 1),
    (Universal, AXES, 2, 2),
    (Spherical, {}, 4, 3),
    (Fixed, {}, 0, 0),
    (Free, {}, 7, 6),
    (Planar, {}, 3, 3),
    (Translation, {}, 3, 3),
]


# --- all kinds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize(("kind", "own", "nq", "nv"), KINDS)
def test_sizes_agree_with_symbols(kind, own, nq, nv, root):
    joint = kind(**own, **ENDS)
    symbols = joint.symbols(root)
    assert (joint.nq, joint.nv) == (nq, nv) == (len(symbols.coordinates), len(symbols.velocities))
    assert sum(4 if block == ("quaternion",) else block[1] for block in symbols.blocks) == nq
    assert len(symbols.rates) == nq


@pytest.mark.parametrize(("kind", "own", "nq", "nv"), KINDS)
def test_joints_compare_and_hash_by_content(kind, own, nq, nv):
    a, b = kind(**own, **ENDS, at=[0, 0, 1]), kind(**own, **ENDS, at=np.array([0, 0, 1.0]))
    assert a == b
    assert hash(a) == hash(b)
    assert a != kind(**own, **ENDS)


@pytest.mark.parametrize(("kind", "own", "nq", "nv"), KINDS)
def test_motion_and_laws_need_one_degree_of_freedom(kind, own, nq, nv):
    for drive in (Motion("sin(t)"), Torque("2*t")):
        if nv == 1:
            assert kind(**own, **ENDS, drive=drive).drive is drive
        else:
            with pytest.raises(RestrictedDriveError) as info:
                kind(**own, **ENDS, drive=drive)
            message = str(info.value)
            assert f"{kind.__name__} 'joint': {type(drive).__name__}('{drive.law}') needs one degree" in message
            assert f"this joint has {nv}; use joints of one degree of freedom" in message


def test_drive_of_the_wrong_kind():
    with pytest.raises(RestrictedDriveError, match=r"the drive is 3.0; give Torque\(law\) or Motion\(law\)"):
        Revolute((0, 0, 1), **ENDS, drive=3.0)


# --- placement ----------------------------------------------------------------------------------------------


def test_placement_of_a_rotation_vector_is_its_exponential():
    vector = (0.3, -0.2, 0.9)
    joint = Fixed(**ENDS, at=(1, 2, 3), rotation=vector)
    placement = joint.placement({})
    np.testing.assert_allclose(placement.rotation, SO3.exp(np.array(vector)).matrix, atol=1e-15)
    np.testing.assert_array_equal(placement.translation, [1, 2, 3])
    assert joint.rotation == vector  # kept as given


@pytest.mark.parametrize("axis", range(3))
def test_rotation_about_a_coordinate_axis_equals_the_general_exponential(axis):
    vector = np.zeros(3)
    vector[axis] = 0.4
    placement = Fixed(**ENDS, rotation=vector).placement({})
    np.testing.assert_allclose(placement.rotation, SO3.exp(vector).matrix, atol=1e-15)


def test_default_placement_is_the_identity_without_symbols():
    placement = Fixed(**ENDS).placement({"a": casadi.SX.sym("a")})
    np.testing.assert_array_equal(placement.rotation, np.eye(3))
    assert isinstance(placement.translation, np.ndarray)


def test_placement_of_a_matrix_and_of_symbols():
    turn = SO3.exp(np.array([0.1, 0.2, 0.3])).matrix
    np.testing.assert_array_equal(Fixed(**ENDS, rotation=turn).placement({}).rotation, turn)
    joint = Fixed(**ENDS, rotation=(0, "tilt", 0), at=("w", 0, 0))
    tilt = casadi.SX.sym("tilt")
    symbolic = joint.placement({"tilt": tilt, "w": 1.0}).rotation
    numeric = casadi.Function("f", [tilt], [symbolic])(0.3).full()
    np.testing.assert_allclose(numeric, joint.placement({"tilt": 0.3, "w": 1.0}).rotation, atol=1e-15)


def test_rotation_not_orthogonal():
    with pytest.raises(RotationError, match=r"Fixed 'joint': rotation is not orthogonal: R R\^T differs .* by 0.21"):
        Fixed(**ENDS, rotation=np.diag([1.1, 1, 1]))


def test_rotation_that_reflects():
    with pytest.raises(RotationError, match="Fixed 'joint': rotation has determinant -1, a reflection"):
        Fixed(**ENDS, rotation=np.diag([1, 1, -1]))


# --- axes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "own"), [(Revolute, {}), (Prismatic, {}), (Helical, {"pitch": 1})])
def test_axis_not_unit_gives_norm_and_normalised_axis(kind, own):
    with pytest.raises(AxisError) as info:
        kind(axis=(0, 3, 4), **own, **ENDS)
    assert str(info.value) == (
        f"{kind.__name__} 'joint': axis = (0.0, 3.0, 4.0) has norm 5.0, not 1; use the normalised axis (0.0, 0.6, 0.8)"
    )


def test_axis_tolerance():
    Revolute((0, 0, 1 + 1e-10), **ENDS)
    with pytest.raises(AxisError):
        Revolute((0, 0, 1 + 1e-8), **ENDS)


def test_zero_axis():
    with pytest.raises(AxisError, match="Revolute 'joint': axis is the zero vector; give a unit vector"):
        Revolute((0, 0, 0), **ENDS)


def test_universal_axes():
    with pytest.raises(AxisError, match=r"Universal 'joint': axis 2 = .* has norm 2.0, not 1"):
        Universal(((1, 0, 0), (0, 2, 0)), **ENDS)
    with pytest.raises(AxisError, match=r"Universal 'joint': the axes .* are parallel; give two different"):
        Universal(((1, 0, 0), (-1, 0, 0)), **ENDS)
    with pytest.raises(AxisError, match=r"Universal 'joint': axes is .*; give two unit vectors"):
        Universal(((1, 0, 0),), **ENDS)


# --- values -------------------------------------------------------------------------------------------------


def test_not_finite():
    with pytest.raises(NotFiniteError, match="Revolute 'joint': at, entry 1 is nan; give a finite number"):
        Revolute((0, 0, 1), **ENDS, at=(0, math.nan, 0))
    with pytest.raises(NotFiniteError, match="Helical 'joint': pitch is inf"):
        Helical((0, 0, 1), math.inf, **ENDS)


def test_wrong_shape():
    with pytest.raises(QuantityError, match=r"Fixed 'joint': rotation is .*; give 3 numbers"):
        Fixed(**ENDS, rotation=(1, 0))


def test_names():
    with pytest.raises(InvalidNameError, match="a joint: the name 'cos' is reserved"):
        Fixed(name="cos", parent="world", child="body")
    with pytest.raises(InvalidNameError, match=r"Fixed 'joint': its child is Frame.* give its name, as text"):
        Fixed(name="joint", parent="world", child=Frame("body"))


# --- drives -------------------------------------------------------------------------------------------------


def test_motion_has_exact_derivatives():
    motion = Motion("a*sin(w*t)")
    values = {"a": 0.5, "w": 3.0, "t": 0.2}
    assert motion.position.evaluate(values) == pytest.approx(0.5 * math.sin(0.6), rel=1e-15)
    assert motion.velocity.evaluate(values) == pytest.approx(1.5 * math.cos(0.6), rel=1e-15)
    assert motion.acceleration.evaluate(values) == pytest.approx(-4.5 * math.sin(0.6), rel=1e-15)


def test_constant_motion_stands_still():
    motion = Motion(0.3)
    assert motion.position.evaluate({}) == 0.3
    assert motion.velocity.is_zero
    assert motion.acceleration.is_zero


def test_motions_compare_by_law():
    used = Motion("sin(t)")
    assert used.velocity is not None  # a cached derivative must not count
    assert used == Motion(" sin( t )")
    assert hash(used) == hash(Motion("sin(t)"))


def test_passive_by_default():
    assert Revolute((0, 0, 1), **ENDS).drive == Torque()
    assert Torque().is_zero
    assert not Torque("k*t").is_zero
