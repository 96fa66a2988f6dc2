"""Bodies: what they accept, what they evaluate to, and the inertias no body has."""

import math
import warnings

import casadi
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import locomotor as lm
from locomotor.errors import (
    InertiaDefinitenessError,
    InertiaError,
    InertiaSymmetryError,
    InertiaTriangleError,
    InvalidNameError,
    ModelError,
    NonPositiveMassError,
    NotFiniteError,
    QuantityError,
)
from locomotor.model import Body, Frame
from locomotor.model.body import InertiaWarning


def test_lists_arrays_and_diagonals_are_stored_as_tuples():
    body = Body("frame", 2, [0, 0.1, 0], np.diag([1.0, 2.0, 2.5]))
    assert body == Body("frame", 2.0, (0.0, 0.1, 0.0), (1, 2, 2.5))
    assert body.inertia == ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))
    assert hash(body) == hash(Body("frame", 2.0, (0.0, 0.1, 0.0), (1, 2, 2.5)))
    assert body.coordinates == ()


def test_mass_properties_evaluate_with_numbers_and_symbols():
    body = Body("frame", "m", (0, 0, "h/2"), ("m*h**2", "m*h**2", "m*h**2/2"))
    mass, com, inertia = body.mass_properties({"m": 2.0, "h": 0.5})
    assert mass == 2.0
    np.testing.assert_array_equal(com, [0, 0, 0.25])
    np.testing.assert_array_equal(inertia, np.diag([0.5, 0.5, 0.25]))
    m = casadi.SX.sym("m")
    mass, com, inertia = body.mass_properties({"m": m, "h": 0.5})
    assert casadi.is_equal(mass, m)
    assert isinstance(com, np.ndarray)  # nothing symbolic in it
    assert inertia.shape == (3, 3)


def test_frame_has_no_mass():
    mass, com, inertia = Frame("link").mass_properties({})
    assert mass == 0.0
    assert not com.any()
    assert not inertia.any()
    assert Frame("link").coordinates == ()


@pytest.mark.parametrize("mass", [0.0, -1.5, "1 - 2"])
def test_non_positive_mass(mass):
    with pytest.raises(NonPositiveMassError) as info:
        Body("frame", mass, inertia=(1, 1, 1))
    assert "Body 'frame': mass is" in str(info.value)
    assert "it must be positive. A link without mass is a Frame('frame')" in str(info.value)
    assert isinstance(info.value, ModelError)
    assert isinstance(info.value, ValueError)


def test_missing_inertia():
    with pytest.raises(InertiaError, match="Body 'frame' has no inertia; give inertia= three diagonal"):
        Body("frame", 1.0)


def test_inertia_not_symmetric():
    with pytest.raises(
        InertiaSymmetryError,
        match=r"Body 'frame': inertia .* is not symmetric: entry \(0, 2\) is 0.1 and entry \(2, 0\) is 0.2",
    ):
        Body("frame", 1.0, inertia=((1, 0, 0.1), (0, 1, 0), (0.2, 0, 1)))


@pytest.mark.parametrize("inertia", [(-1, 1, 1), (-1, -1, -1), ((1, 2, 0), (2, 1, 0), (0, 0, 2)), (1, 1, -1e-6)])
def test_inertia_that_is_negative_about_an_axis(inertia):
    with pytest.raises(
        InertiaDefinitenessError,
        match=r"Body 'frame': inertia .* is negative about an axis \(principal moments",
    ):
        Body("frame", 1.0, inertia=inertia)


@pytest.mark.parametrize("inertia", [(1, 1, 0), (0, 0, 0), (0, 2.5, 2.5)])
def test_points_and_rods_are_bodies(inertia):
    assert Body("frame", 1.0, inertia=inertia).mass == 1.0


def test_inertia_violating_the_triangle_inequality():
    with pytest.raises(
        InertiaTriangleError,
        match=r"Body 'frame': no body has the principal moments \(1.0, 1.0, 2.25\) kg m².*the sum .* by 0.25",
    ):
        Body("frame", 1.0, inertia=(1.0, 1.0, 2.25))
    with pytest.raises(InertiaTriangleError):
        Body("frame", 1.0, inertia=np.ones((3, 3)))


@given(
    st.floats(1e-6, 1e6),
    st.floats(1e-6, 1e6),
    st.tuples(*[st.floats(-3, 3)] * 3),
)
@settings(max_examples=100, deadline=None)
def test_thin_plates_of_any_orientation_pass(a, b, rotation):
    """A plate has I_z = I_x + I_y: equality in the triangle inequality, blurred by round-off."""
    x, y, z = rotation
    generator = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.linalg.solve(np.eye(3) + generator, np.eye(3) - generator)  # Cayley: orthogonal to round-off
    body = Body("plate", 1.0, inertia=turn @ np.diag([a, b, a + b]) @ turn.T)
    assert body.mass_properties({})[2].trace() == pytest.approx(2 * (a + b), rel=1e-12)


def test_just_beyond_round_off_is_told_and_beyond_a_measurement_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Body("disc", 1.0, inertia=(1, 1, 2 * (1 + 5e-10)))
    with pytest.warns(InertiaWarning, match="Body 'disc': no body has exactly"):
        Body("disc", 1.0, inertia=(1, 1, 2 * (1 + 3e-9)))
    with pytest.warns(InertiaWarning, match=r"by 4\.8 %"):
        Body("disc", 1.0, inertia=(1, 1, 2.1))
    with pytest.raises(InertiaTriangleError):
        Body("disc", 1.0, inertia=(1, 1, 2.11))


@pytest.mark.parametrize("field", ["mass", "com", "inertia"])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_not_finite(field, bad):
    values = {"mass": 1.0, "com": (0, 0, 0), "inertia": (1, 1, 1)}
    values[field] = bad if field == "mass" else (bad, 1, 1)
    with pytest.raises(NotFiniteError, match=f"Body 'frame': {field}.* is {bad!r}; give a finite number"):
        Body("frame", **values)


def test_wrong_shapes():
    with pytest.raises(QuantityError, match=r"Body 'frame': com is \(0, 0\); give 3 numbers"):
        Body("frame", 1.0, (0, 0), (1, 1, 1))
    with pytest.raises(QuantityError, match=r"Body 'frame': inertia, row 1 is .* give 3 numbers"):
        Body("frame", 1.0, (0, 0, 0), ((1, 0, 0), (0, 1), (0, 0, 1)))
    with pytest.raises(QuantityError, match=r"Body 'frame': inertia is 3.0; give 3"):
        Body("frame", 1.0, (0, 0, 0), 3.0)


@pytest.mark.parametrize("kind", [lambda name: Body(name, 1.0, inertia=(1, 1, 1)), Frame])
def test_names(kind):
    with pytest.raises(InvalidNameError, match="the name 'world' is reserved"):
        kind("world")
    with pytest.raises(InvalidNameError, match="the name 'rear wheel' is not an identifier"):
        kind("rear wheel")


def test_bodies_are_frozen():
    with pytest.raises(AttributeError):
        Body("frame", 1.0, inertia=(1, 1, 1)).mass = 2.0


def test_a_doubtful_inertia_is_told_once():
    """A body is judged again by every system that holds it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plain = lm.System("plain", [Body("disc", 1.0, inertia=(1, 1, 2.1))], [lm.Free(name="f", parent="world", child="disc")])
        plain.replace(name="other")
        told = lm.System(
            "told",
            [Body("plate", 1.0, inertia=(1, 1, "I"))],
            [lm.Free(name="f", parent="world", child="plate")],
            parameters={"I": 2.05, "other": 1.0},
        )
        told.with_parameters(other=2.0)
        assert [str(entry.message).split(":")[0] for entry in caught] == ["Body 'disc'", "Body 'plate'"]
        told.with_parameters(I=2.08)
    assert len(caught) == 3 and "3.8 %" in str(caught[-1].message)
