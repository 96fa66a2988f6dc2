"""Boxes and capsules as sets of contacts: where they touch, and how they come to rest."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactKindError, ContactLawError, DescriptionTypeError, NegativeLengthError
from locomotor.geometry import Box, Capsule
from locomotor.lie import SE3
from locomotor.model import evaluate, from_data, to_data

DOWN = lm.Gravity((0.0, 0.0, -9.81))
RADIUS, HALF = 0.05, 0.2
INERTIA = (0.02, 0.001, 0.02)


def falling(contacts: tuple[Any, ...], inertia: tuple[float, float, float] = INERTIA) -> lm.System:
    return lm.System(
        "falling",
        bodies=(lm.Body("thing", 1.0, inertia=inertia),),
        joints=(lm.Free(name="base", parent="world", child="thing"),),
        contacts=contacts,
        forces=(DOWN,),
        nominal={"z": 1.0},
    )


def rod() -> lm.System:
    """A capsule along y."""
    return falling(lm.capsule_ends("rod", "thing", (0.0, -HALF, 0.0), (0.0, HALF, 0.0), RADIUS))


# -- box ----------------------------------------------------------------------------------------------------


def test_corners_are_those_of_the_tumbling_box() -> None:
    box = lm.catalogue.tumbling_box()
    law = lm.Unilateral(friction="mu")
    made = lm.box_corners("", "box", ("a/2", "b/2", "c/2"), law=law)
    values = box.parameters.values
    assert [(c.name, c.body, c.law, type(c)) for c in made] == [(c.name, c.body, c.law, type(c)) for c in box.contacts]
    for ours, theirs in zip(made, box.contacts, strict=True):
        np.testing.assert_array_equal(evaluate(ours.at, values), evaluate(theirs.at, values))  # type: ignore[attr-defined]


def test_corners_are_those_of_the_shape() -> None:
    made = lm.box_corners("lid", "thing", (0.1, "w", 0.3), centre=(1.0, 0.0, "h"), kind=lm.SlidingPoint, ground="table")
    shape = Box(np.array([1.0, 0.0, -0.5]), np.array([0.1, 0.2, 0.3]))
    found = [evaluate(corner.at, {"w": 0.2, "h": -0.5}) for corner in made]
    np.testing.assert_allclose(found, shape.corners, atol=1e-15)
    assert made[4].name == "lid_pmm" and made[4].law == lm.Unilateral() and made[4].ground == "table"


def test_a_box_lands_on_an_edge_and_comes_to_lie() -> None:
    half = (0.2, 0.15, 0.1)
    inertia = tuple((a**2 + b**2) / 3.0 for a, b in ((half[1], half[2]), (half[0], half[2]), (half[0], half[1])))
    box = falling(lm.box_corners("box", "thing", half, kind=lm.SlidingPoint), inertia)  # type: ignore[arg-type]
    run = lm.simulate(box, 1.0, start={"z": 0.5, "roll": 0.2}, step=5e-3, target="interpreter")
    first = run.events.of(kind="impact")
    assert run.status.ok and {event.contact for event in first if event.time == first[0].time} == {"box_mmm", "box_pmm"}
    assert run["z"][-1] == pytest.approx(half[2], abs=1e-9)
    assert sum(bool(run[f"box_{name}_closed"][-1]) for name in ("mmm", "mpm", "pmm", "ppm")) >= 3
    assert run.energy[-1] == pytest.approx(9.81 * half[2], abs=1e-9)  # nothing pushes it along a smooth floor


# -- capsule ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_capsule_falls_and_lies_at_rest_on_both_ends() -> None:
    run = lm.simulate(rod(), 1.0, start={"z": 0.3, "roll": 0.3}, step=1e-3)
    first = run.events[0]
    # The lower end falls by what it is above the ground, HALF sin(roll) below the middle.
    height = 0.3 - HALF * math.sin(0.3) - RADIUS
    assert first.contact == "rod_start" and first.time == pytest.approx(math.sqrt(2.0 * height / 9.81), abs=1e-9)
    assert run["rod_start_closed"][-1] == run["rod_end_closed"][-1] == 1.0
    # What drifts while it tips over one end, at steps of 1 ms, is about 1e-12 m.
    assert max(abs(run["rod_start_gap"][-1]), abs(run["rod_end_gap"][-1])) < 1e-10
    assert run["z"][-1] == pytest.approx(RADIUS, abs=1e-10) and run.energy[-1] == pytest.approx(9.81 * RADIUS, abs=1e-9)


def test_a_capsule_that_lies_rolls_about_its_line() -> None:
    start = {"z": RADIUS, "pitch_rate": 2.0}
    run = lm.simulate(rod(), 1.0, start=start, closed=("rod_start", "rod_end"), step=1e-3)
    assert run.status.ok and not len(run.events)
    assert run["x"][-1] - run["x"][0] == pytest.approx(2.0 * RADIUS, abs=1e-9)
    assert run.energy[-1] - 9.81 * RADIUS == pytest.approx(0.5 * (INERTIA[1] + RADIUS**2) * 2.0**2, abs=1e-9)


def test_the_ends_reach_as_low_as_the_capsule() -> None:
    shape = Capsule(np.array([0.0, -HALF, 0.0]), np.array([0.0, HALF, 0.0]), RADIUS)
    for roll, yaw in ((0.0, 0.0), (0.3, 1.0), (-1.2, 0.4), (0.5 * math.pi, 0.0)):
        cos, sin = math.cos(roll), math.sin(roll)
        rotation = np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])
        lowest = float(shape.lowest(np.array([0.0, 0.0, 1.0]), SE3(rotation, np.zeros(3)))[2])
        start = {"z": 1.0, "roll": roll, "yaw": yaw}
        run = lm.simulate(rod(), 1e-3, start=start, step=1e-3)
        assert min(run["rod_start_gap"][0], run["rod_end_gap"][0]) == pytest.approx(1.0 + lowest, abs=1e-12)


# -- mistakes -----------------------------------------------------------------------------------------------


def test_mistakes() -> None:
    with pytest.raises(NegativeLengthError, match=r"half size along y is 0\.0 m; it must be positive"):
        lm.box_corners("box", "thing", (0.1, 0.0, 0.1))
    with pytest.raises(ContactLawError, match="give StickingPoint or SlidingPoint"):
        lm.box_corners("box", "thing", (0.1, 0.1, 0.1), kind=lm.Skate)  # type: ignore[arg-type]
    with pytest.raises(NegativeLengthError, match="use one RollingSphere"):
        lm.capsule_ends("rod", "thing", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.1)


# -- terrain ------------------------------------------------------------------------------------------------

SETS = {
    "RollingCapsule": lm.capsule_ends("rod", "thing", (0.0, -HALF, 0.0), (0.0, HALF, 0.0), RADIUS),
    "StickingBox": lm.box_corners("", "thing", (0.1, 0.1, 0.1)),
    "SlidingBox": lm.box_corners("", "thing", (0.1, 0.1, 0.1), kind=lm.SlidingPoint),
}

SHAPES = {
    "StickingBox": lm.Body.from_shape(lm.Box((0.2, 0.1, 0.1)), density=500.0, name="thing"),
    "RollingCapsule": lm.Body.from_shape(lm.Cylinder((0.0, -0.2, 0.0), (0.0, 0.2, 0.0), 0.05), density=500.0, name="thing"),
}


@pytest.mark.parametrize("solid", SHAPES)
def test_corners_of_a_shape_are_refused_there_too(solid: str) -> None:
    with pytest.raises(ContactKindError, match=rf"is a Terrain, .* declare the body as one {solid}\(\.\.\.\)"):
        falling(lm.corners(SHAPES[solid])).replace(grounds=(lm.Terrain.kerb(0.02),))


@pytest.mark.parametrize("solid", SETS)
def test_a_set_is_refused_on_a_terrain_whose_edges_it_would_not_see(solid: str) -> None:
    system = falling(SETS[solid])
    with pytest.raises(ContactKindError, match=rf"is a Terrain, .* declare the body as one {solid}\(\.\.\.\)"):
        system.replace(grounds=(lm.Terrain.kerb(0.02),))


def test_points_declared_one_by_one_may_stand_on_a_terrain() -> None:
    points = tuple(lm.StickingPoint(c.name, c.body, c.at, law=lm.Unilateral()) for c in SETS["StickingBox"])
    assert len(falling(points).replace(grounds=(lm.Terrain.kerb(0.02),)).contacts) == 8


def test_what_a_contact_stands_for_is_kept_in_files() -> None:
    system = falling(SETS["RollingCapsule"])
    assert from_data(to_data(system)) == system


def test_what_a_contact_stands_for_is_a_name() -> None:
    with pytest.raises(DescriptionTypeError, match="of_solid"):
        lm.StickingPoint("foot", "thing", (0.0, 0.0, 0.0), of_solid=5)  # type: ignore[arg-type]
