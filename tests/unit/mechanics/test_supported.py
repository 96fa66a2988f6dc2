"""Sharp supports of contacts: what `simulation.terrain` hands to a compiled model, and `mechanics.constraints.supported`."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import locomotor as lm
from locomotor.errors import AxisError
from locomotor.lie import SE3, SO3
from locomotor.mechanics.chart.poses import stepped
from locomotor.mechanics.constraints import ContactRows, contacts_at
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.model import Contact, System
from locomotor.model.contacts.support import Rail, Ridge
from locomotor.simulation.terrain import rough_contacts, standing
from locomotor.simulation.terrain.footholds import Footholds, Place

Array = NDArray[np.float64]
ROOF = lm.Terrain.heightfield((-2.0, 0.0, 2.0), (-3.0, 3.0), np.repeat([[-2.0], [0.0], [-2.0]], 2, axis=1))
R = 0.3


def body(contact: Contact) -> System:
    return lm.System(
        "body",
        bodies=(lm.Body("wheel", 2.0, inertia=(0.1, 0.15, 0.1)),),
        joints=(lm.Free(name="base", parent="world", child="wheel"),),
        contacts=(contact,),
        grounds=(ROOF,),
    )


def shape(kind: str) -> Contact:
    law = lm.Unilateral()
    if kind == "ball":
        return lm.RollingSphere("tread", "wheel", (0, 0.02, 0), R, law=law)
    if kind == "disc":
        return lm.RollingDisc("tread", "wheel", (0, 0, 0), (0, 1, 0), R, law=law)
    return lm.RollingTorus("tread", "wheel", (0, 0, 0), (0, 1, 0), R - 0.04, tube=0.04, law=law)


def on_the_ridge(kind: str, yaw: float, roll: float) -> tuple[System, SE3]:
    """A body let down on the edge at x = 0, as a system that stands on it, and its pose."""
    system = body(shape(kind))
    (rough,) = rough_contacts(system, {})
    holds = Footholds((rough,))
    rotation = SO3.exp(np.array([0.0, 0.0, yaw])).matrix @ SO3.exp(np.array([roll, 0.0, 0.0])).matrix
    position = np.array([0.01, 0.1, 0.4])
    for _ in range(8):  # along the normal until it touches
        place = Place(rotation, position, np.zeros(3), np.zeros(3))
        nearest = holds.candidates(rough, place)[0]
        position = position - nearest.gap * nearest.normal
    place = Place(rotation, position, np.zeros(3), np.zeros(3))
    nearest = holds.candidates(rough, place)[0]
    assert nearest.feature.kind == "edge" and abs(nearest.gap) < 1e-12
    holds, slot = holds.take(rough, nearest, place)
    assert slot == "tread"
    point, normal = holds.footings[slot].at(place.pose)
    assert point == pytest.approx(nearest.point, abs=1e-9) and normal == pytest.approx(nearest.normal, abs=1e-9)
    return standing(system, (rough,), holds.footings), place.pose


@pytest.mark.parametrize("kind", ["ball", "tyre", "disc"])
@pytest.mark.parametrize(("yaw", "roll"), [(0.0, 0.0), (0.4, 0.1), (1.3, -0.15)])
def test_rate_of_the_gap_is_the_normal_velocity_of_the_material_point(kind: str, yaw: float, roll: float) -> None:
    system, pose = on_the_ridge(kind, yaw, roll)
    ground = system.ground("tread_support")
    assert isinstance(ground, Ridge if kind == "disc" else Rail)
    q = np.zeros(7)
    q[0:3], q[3:7] = pose.translation, _wxyz(pose)
    v = np.random.default_rng(4).normal(size=6)

    def rows(at: Array) -> ContactRows:
        return contacts_at(forward(Instant(system, at, v)), system.contacts)[0]

    here = rows(q)
    assert abs(float(here.gap)) < 1e-12
    h = 1e-6
    change = (float(rows(stepped(system, q, h * v)).gap) - float(rows(stepped(system, q, -h * v)).gap)) / (2 * h)
    # Central differences of something of size 1 by 1e-6.
    assert float(here.gap_rate) == pytest.approx(change, abs=1e-8)
    if kind != "disc":  # the contact point wanders: its rate is the one that the bias of the rows is made with

        def offset(at: Array) -> Array:
            seen = rows(at)
            return np.asarray(seen.position) - at[0:3]

        moved = (offset(stepped(system, q, h * v)) - offset(stepped(system, q, -h * v))) / (2 * h)
        assert np.asarray(pose.rotation) @ np.asarray(here.touch.drift) == pytest.approx(moved, abs=1e-7)


def _wxyz(pose: SE3) -> Array:
    R_ = np.asarray(pose.rotation)
    w = 0.5 * math.sqrt(1.0 + np.trace(R_))
    return np.array([w, *((R_ - R_.T)[[2, 0, 1], [1, 2, 0]] / (4.0 * w))])


def test_directions_of_a_support_are_unit_vectors() -> None:
    with pytest.raises(AxisError, match="Ridge 'edge': direction"):
        Ridge("edge", (0, 0, 0), (0, 2, 0), (1, 0, 0))
