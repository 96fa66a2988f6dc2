"""Contacts on terrain in maximal coordinates: the same faces, edges and corners, events and motion as on the tree."""

import numpy as np
import pytest

import locomotor as lm
from oracles.formalisms import apart


def thing(contact: lm.model.Contact, terrain: lm.Terrain, z: float = 0.3) -> lm.System:
    return lm.System(
        "thing",
        [lm.Body("hull", 2.0, inertia=(0.1, 0.15, 0.1))],
        [lm.Free(name="base", parent="world", child="hull")],
        contacts=[contact],
        grounds=[terrain],
        forces=[lm.Gravity()],
        nominal={"z": z},
    )


def bumps(seed: int = 3) -> lm.Terrain:
    x = np.linspace(-1.0, 1.0, 6)
    return lm.Terrain.heightfield(x, x, 0.05 * np.random.default_rng(seed).normal(size=(6, 6)))


@pytest.mark.parametrize("step", [0.0025, pytest.param(0.00125, marks=pytest.mark.slow)])
def test_a_disc_rolls_over_a_kerb(step: float) -> None:
    """It is struck by the edge, turns about it and flies on; fourth order in both forms: 3e-9 at 2.5 ms."""
    wheel = thing(lm.RollingDisc("tread", "hull", (0, 0, 0), (0, 1, 0), 0.3, law=lm.Unilateral()), lm.Terrain.kerb(0.05))
    start = {"x": -0.5, "z": 0.3, "speed": 2.0, "pitch_rate": 2.0 / 0.3}
    free, times, states = apart(wheel, 0.5, step, start)
    assert [event.name for event in free.events] == ["tread impact", "tread lift-off", "tread impact"]
    assert times < 4e-10 * (step / 0.0025) ** 4 and states < 4e-9 * (step / 0.0025) ** 4
    # Rolling into a kerb: momentum about the edge is kept, (I + m R (R - h)) w / (I + m R^2) (0.15, 2.0, 0.3, 0.05).
    after = free["pitch_rate"][np.searchsorted(free.time, free.events[0].time, side="right")]
    assert after == pytest.approx(
        (0.15 + 2.0 * 0.3 * 0.25) / (0.15 + 2.0 * 0.09) * (2.0 / 0.3), rel=0.02
    )  # it turns on at once


def test_a_point_slides_down_a_face() -> None:
    """A slope of 0.2 m on 1 m with friction 0.1: s = (g sin - mu g cos) t^2 / 2 along it, on a face whose plane a run tells."""
    slope = lm.Terrain("slope", [(-1, -1, 0.2), (1, -1, -0.2), (1, 1, -0.2), (-1, 1, 0.2)], [(0, 1, 2), (0, 2, 3)])
    system = lm.System(
        "bead",
        [lm.Body("bead", 2.0, inertia=(0.1, 0.1, 0.1))],
        [lm.Translation(name="at", parent="world", child="bead")],
        contacts=[lm.StickingPoint("foot", "bead", (0, 0, 0), ground="slope", law=lm.Unilateral(friction=0.1))],
        grounds=[slope],
        forces=[lm.Gravity()],
    )
    x, y, z = (symbol.name for symbol in system.layout.coordinates)
    free, times, states = apart(system, 0.3, 0.01, {y: 0.3})
    angle = np.arctan(0.2)
    travelled = np.hypot(free[x], free[z])
    wanted = 0.5 * 9.81 * (np.sin(angle) - 0.1 * np.cos(angle)) * free.time**2
    np.testing.assert_allclose(travelled, wanted, atol=1e-10)
    assert times < 1e-12 and states < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize(
    "contact",
    [
        lm.RollingCapsule("skin", "hull", (-0.2, 0, 0), (0.2, 0, 0), 0.1, law=lm.Unilateral(friction=0.3)),
        lm.StickingBox("skin", "hull", half_sizes=(0.2, 0.15, 0.1), law=lm.Unilateral(friction=0.3)),
        lm.RollingSphere("skin", "hull", (0, 0, 0), 0.15, law=lm.Unilateral(0.5, friction=0.3)),
    ],
    ids=["capsule", "box", "ball"],
)
def test_what_falls_on_rough_ground(contact: lm.model.Contact) -> None:
    free, times, states = apart(thing(contact, bumps()), 0.3, 0.001, {"z": 0.35, "roll_rate": 1.0, "pitch_rate": 0.5})
    assert sum(event.name.endswith("impact") for event in free.events) >= 1
    assert times < 1e-9 and states < 1e-8  # steps of fourth order in both forms, with other errors


@pytest.mark.slow
def test_two_links_on_rough_ground() -> None:
    """Joints are conditions beside what stands on the ground."""
    bodies = [lm.Body(name, 1.0, com=(0.0, 0.0, 0.1), inertia=(0.02, 0.02, 0.01)) for name in ("shank", "thigh")]
    joints = [
        lm.Free(name="base", parent="world", child="shank"),
        lm.Revolute(name="knee", parent="shank", child="thigh", at=(0.0, 0.0, 0.25), axis=(0, 1, 0)),
    ]
    foot = lm.StickingPoint("foot", "shank", at=(0.0, 0.0, 0.0), law=lm.Unilateral(friction=0.7))
    forces = [lm.Gravity(), lm.JointSpring("spring", "knee", 2.0, -0.2)]
    system = lm.System("hopper", bodies, joints, contacts=[foot], forces=forces, grounds=[bumps()])
    free, times, states = apart(system, 0.25, 0.0005, {"z": 0.1, "pitch": 0.1, "knee": 0.8, "roll": 0.05})
    assert any(event.name == "foot impact" for event in free.events)
    assert times < 1e-9 and states < 1e-8
