"""Shapes: made from contacts, their support points, and what they refuse."""

import math

import numpy as np
import pytest

from locomotor.errors import AxisError, NegativeLengthError, NonPositiveRadiusError, QuantityError
from locomotor.geometry import Ball, Box, Capsule, Disc, shape_of
from locomotor.geometry.cores import place
from locomotor.lie import SO3
from locomotor.model import RollingDisc, RollingSphere, RollingTorus, Skate, SlidingPoint, StickingPoint
from oracles.grounds import at

C, A = (0.1, 0.2, -0.3), (0.0, 0.6, 0.8)
SHAPES = [
    Ball(C, 0.3),
    Ball(C),
    Disc(C, A, 0.3),
    Disc(C, A, 0.3, 0.05),
    Capsule((0.1, 0.0, 0.0), (0.4, 0.3, -0.2), 0.1),
    Box(C, (0.1, 0.2, 0.3), SO3.exp(np.array((0.3, 0.2, -0.4))).matrix),
]


def test_contacts_become_shapes():
    values = {"h": 0.35}
    disc = shape_of(RollingDisc("c", "b", C, A, "h"), values)
    torus = shape_of(RollingTorus("c", "b", C, A, "h", "h/10"), values)
    ball = shape_of(RollingSphere("c", "b", C, "2*h"), values)
    assert isinstance(disc, Disc) and (disc.radius, disc.tube) == (0.35, 0.0) and disc.axis == pytest.approx(A)
    assert isinstance(torus, Disc) and torus.tube == pytest.approx(0.035) and torus.size == pytest.approx(0.385)
    assert isinstance(ball, Ball) and ball.radius == 0.7 and ball.centre == pytest.approx(C)
    for contact in (StickingPoint("c", "b", C), SlidingPoint("c", "b", C), Skate("c", "b", C, (1, 0, 0))):
        point = shape_of(contact)
        assert isinstance(point, Ball) and point.radius == 0.0 and point.centre == pytest.approx(C)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_lowest_point_is_on_the_shape_and_no_point_is_lower(shape, rng):
    for _ in range(20):
        pose = at(*rng.normal(size=3), rng.normal(size=3))
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        low = shape.lowest(normal, pose)
        assert np.linalg.norm(low - shape.centre_in(pose)) <= shape.size * (1.0 + 1e-12)
        # Moving along another direction's support point never goes lower: both are points of the shape.
        for _ in range(20):
            other = rng.normal(size=3)
            point = shape.lowest(other / np.linalg.norm(other), pose)
            assert normal @ point >= normal @ low - 1e-12
        # The cores placed in the world have the same lowest point.
        cores = place(shape, pose.rotation[None], pose.translation[None])
        lows = [core.lowest(np.arange(len(core.centre)), np.tile(normal, (len(core.centre), 1))) for core in cores]
        least = min(float((rows @ normal).min()) - core.margin for rows, core in zip(lows, cores, strict=True))
        assert normal @ low == pytest.approx(least, abs=1e-12)


def test_lowest_point_of_a_leaning_disc_is_that_of_the_spec():
    """p(O) - h (N - (N.a) a) / |N - (N.a) a|, unit also when the wheel leans (Mauny 2018, section 4.2.2)."""
    disc, pose = Disc((0, 0, 0), (0, 1, 0), 0.35), at(0, 0, 1, (0.5, 0, 0))
    low = disc.lowest(np.array((0.0, 0.0, 1.0)), pose)
    assert low == pytest.approx((0.0, 0.35 * math.sin(0.5), 1.0 - 0.35 * math.cos(0.5)), abs=1e-15)


def test_a_disc_lying_flat_still_has_a_lowest_point():
    low = Disc((0, 0, 0), (0, 0, 1), 0.35).lowest(np.array((0.0, 0.0, 1.0)), at(0, 0, 0.2))
    assert low[2] == pytest.approx(0.2) and math.hypot(low[0], low[1]) == pytest.approx(0.35)


def test_axis_and_centre_in_the_world():
    pose = at(1.0, 2.0, 3.0, (0, 0, 0.5 * math.pi))
    assert Disc((1, 0, 0), (0, 1, 0), 0.3).centre_in(pose) == pytest.approx((1, 3, 3))
    assert Disc((1, 0, 0), (0, 2, 0), 0.3).axis_in(pose) == pytest.approx((-1, 0, 0))
    assert Capsule((0, 0, 0), (2, 0, 0), 0.1).axis_in(pose) == pytest.approx((0, 1, 0))


def test_corners_of_a_box():
    corners = Box((1, 0, 0), (0.1, 0.2, 0.3)).corners
    assert corners[0] == pytest.approx((0.9, -0.2, -0.3)) and corners[5] == pytest.approx((1.1, -0.2, 0.3))


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Ball(C, -0.1), NonPositiveRadiusError),
        (lambda: Ball((0, 0)), QuantityError),
        (lambda: Disc(C, (0, 0, 0), 0.3), AxisError),
        (lambda: Disc(C, A, 0.0), NonPositiveRadiusError),
        (lambda: Disc(C, A, 0.3, -0.1), NonPositiveRadiusError),
        (lambda: Capsule(C, C, 0.1), NegativeLengthError),
        (lambda: Capsule(C, A, 0.0), NonPositiveRadiusError),
        (lambda: Box(C, (1, 0, 1)), NegativeLengthError),
    ],
)
def test_shapes_that_are_none(make, error):
    with pytest.raises(error):
        make()
