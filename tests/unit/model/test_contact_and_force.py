"""Contacts, grounds and forces: what they accept and what they refuse."""

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import (
    AxisError,
    InvalidNameError,
    NegativeLengthError,
    NonPositiveRadiusError,
    NotFiniteError,
    QuantityError,
    UnknownFrameError,
)
from locomotor.model import (
    BodyForce,
    BodyTorque,
    Frame,
    Gravity,
    JointDamper,
    JointForce,
    JointSpring,
    Plane,
    PointDamper,
    PointSpring,
    RollingDisc,
    RollingSphere,
    RollingTorus,
    Skate,
    SlidingPoint,
    StickingPoint,
    parse,
)

ORIGIN, Y = (0, 0, 0), (0, 1, 0)
CONTACTS = [
    RollingDisc("c", "b", ORIGIN, Y, 0.3),
    RollingTorus("c", "b", ORIGIN, Y, 0.3, 0.02),
    RollingSphere("c", "b", ORIGIN, 0.3),
    Skate("c", "b", ORIGIN, (1, 0, 0)),
    StickingPoint("c", "b", ORIGIN),
    SlidingPoint("c", "b", ORIGIN),
]
FORCES = [
    Gravity(),
    JointSpring("f", "j", 2.0),
    JointDamper("f", "j", 2.0),
    JointForce("f", "j", "sin(t)"),
    PointSpring("f", "a", ORIGIN, "b", ORIGIN, 10.0, 0.1),
    PointDamper("f", "a", ORIGIN, "b", ORIGIN, 10.0),
    BodyForce("f", "b", ORIGIN, ("sin(t)", 0, 0)),
    BodyTorque("f", "b", (0, 0, 1)),
]


@pytest.mark.parametrize("description", [*CONTACTS, *FORCES, Plane()], ids=lambda d: type(d).__name__)
def test_hashable_frozen_and_equal_by_content(description):
    twin = dataclasses.replace(description)
    assert twin == description
    assert hash(twin) == hash(description)
    with pytest.raises(AttributeError):
        description.name = "other"


def test_arrays_become_tuples_and_texts_expressions():
    disc = RollingDisc(name="c", body="b", centre=np.zeros(3), axis=[0, 1, 0], radius="r")
    assert disc.centre == (0.0, 0.0, 0.0)
    assert disc.radius == parse("r")
    assert disc.ground == "ground"
    assert BodyForce("f", "b", ORIGIN, ["t", 0, 0]).components == (parse("t"), 0.0, 0.0)


@pytest.mark.parametrize("radius", [0.0, -0.3])
@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda r: RollingDisc("c", "b", ORIGIN, Y, r), "radius"),
        (lambda r: RollingSphere("c", "b", ORIGIN, r), "radius"),
        (lambda r: RollingTorus("c", "b", ORIGIN, Y, r, 0.1), "radius"),
        (lambda r: RollingTorus("c", "b", ORIGIN, Y, 0.1, r), "tube"),
    ],
)
def test_non_positive_radius(make, field, radius):
    with pytest.raises(NonPositiveRadiusError, match=f"Rolling.* 'c': {field} is {radius} m; it must be positive"):
        make(radius)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda a: RollingDisc("c", "b", ORIGIN, a, 1), "RollingDisc 'c': axis"),
        (lambda a: RollingTorus("c", "b", ORIGIN, a, 1, 0.1), "RollingTorus 'c': axis"),
        (lambda a: Skate("c", "b", ORIGIN, a), "Skate 'c': heading"),
        (lambda a: Plane(normal=a), "Plane 'ground': normal"),
    ],
)
def test_direction_not_unit(make, what):
    with pytest.raises(AxisError, match=rf"{what} = .* has norm 2.0, not 1; use the normalised axis \(0.0, 1.0, 0.0\)"):
        make((0, 2, 0))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: RollingDisc("c", "b", (x, 0, 0), Y, 1),
        lambda x: RollingDisc("c", "b", ORIGIN, (x, 1, 0), 1),
        lambda x: RollingDisc("c", "b", ORIGIN, Y, x),
        lambda x: RollingTorus("c", "b", ORIGIN, Y, 1, x),
        lambda x: RollingSphere("c", "b", (0, 0, x), 1),
        lambda x: Skate("c", "b", (x, 0, 0), Y),
        lambda x: StickingPoint("c", "b", (x, 0, 0)),
        lambda x: SlidingPoint("c", "b", (x, 0, 0)),
        lambda x: Plane(point=(0, x, 0)),
        lambda x: Gravity((0, 0, x)),
        lambda x: JointSpring("f", "j", x),
        lambda x: JointSpring("f", "j", 1, x),
        lambda x: JointDamper("f", "j", x),
        lambda x: JointForce("f", "j", x),
        lambda x: PointSpring("f", "a", (x, 0, 0), "b", ORIGIN, 1),
        lambda x: PointSpring("f", "a", ORIGIN, "b", ORIGIN, 1, x),
        lambda x: PointDamper("f", "a", ORIGIN, "b", (x, 0, 0), 1),
        lambda x: BodyForce("f", "b", ORIGIN, (x, 0, 0)),
        lambda x: BodyTorque("f", "b", (x, 0, 0)),
    ],
)
@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_not_finite(make, bad):
    with pytest.raises(NotFiniteError, match=f"is {bad!r}; give a finite number"):
        make(bad)


def test_negative_free_length():
    with pytest.raises(NegativeLengthError, match=r"PointSpring 'f': the free length is -0.1 m; give zero or more"):
        PointSpring("f", "a", ORIGIN, "b", ORIGIN, 1.0, -0.1)


@pytest.mark.parametrize("make", [lambda f: BodyForce("f", "b", ORIGIN, ORIGIN, f), lambda f: BodyTorque("f", "b", ORIGIN, f)])
def test_unknown_frame(make):
    with pytest.raises(UnknownFrameError, match="the components are in the frame 'wrld'; give 'world' or 'body'"):
        make("wrld")


def test_references_are_names():
    with pytest.raises(InvalidNameError, match=r"StickingPoint 'c': its body is Frame.*; give its name, as text"):
        StickingPoint("c", Frame("b"), ORIGIN)
    with pytest.raises(InvalidNameError, match="JointSpring 'f': its joint is 3; give its name, as text"):
        JointSpring("f", 3, 1.0)


def test_vectors_need_three_entries():
    with pytest.raises(QuantityError, match=r"Gravity 'gravity': acceleration is \(0, -9.81\); give 3 numbers"):
        Gravity((0, -9.81))


@pytest.mark.parametrize(
    "kind",
    [
        lambda law: lm.SlidingPoint("foot", "b", (0, 0, 0), law=law),
        lambda law: lm.SlidingSphere("foot", "b", (0, 0, 0), 0.1, law=law),
        lambda law: lm.SlidingBox("foot", "b", half_sizes=(0.1, 0.1, 0.1), law=law),
    ],
)
def test_a_kind_that_slides_takes_no_coefficient(kind: Callable[[lm.Unilateral], object]) -> None:
    """It was taken, and did nothing."""
    kind(lm.Unilateral(restitution=0.5))
    with pytest.raises(lm.errors.ContactLawError, match=r"has a coefficient of friction, and a Sliding.* slides freely"):
        kind(lm.Unilateral(friction=0.3))
