"""Friction of a contact that its joints bear along the normal: nothing presses it, and that is said."""

from collections.abc import Callable

import pytest

import locomotor as lm

RUBS = lm.Unilateral(friction=0.3)
WAYS: list[Callable[[lm.System], object]] = [
    lambda system: lm.simulate(system, 0.1, start={"speed": 1.0}),
    lambda system: lm.compile(system, contacts="time-stepping", target="interpreter"),
    lambda system: lm.contact_report(system),
]


def on(joint: lm.Planar | lm.Free | lm.Translation, contact: lm.StickingPoint | lm.Skate | lm.RollingSphere) -> lm.System:
    return lm.System(
        "borne", [lm.Body("b", 1.0, inertia=(1, 1, 1))], [joint], contacts=[contact], forces=[lm.Gravity((0, 0, -9.81))]
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "contact",
    [
        lm.StickingPoint("foot", "b", (0, 0, 0), law=RUBS),
        lm.Skate("foot", "b", (0, 0, 0), (1, 0, 0), law=RUBS),
        lm.RollingSphere("foot", "b", (0, 0, 0.1), 0.1, law=RUBS),
    ],
)
def test_a_root_in_the_plane_bears_its_contacts(way: Callable[[lm.System], object], contact: lm.StickingPoint) -> None:
    planar = lm.Planar(name="base", parent="world", child="b")
    with pytest.raises(lm.errors.ContactLawError, match=r"'foot'.*cannot move along the normal of its ground 'ground'"):
        way(on(planar, contact))


def test_what_a_pose_alone_keeps_from_leaving_may_rub() -> None:
    """The tip of a pendulum right below its pivot moves along the ground only, and up elsewhere."""
    swing = lm.Revolute(name="swing", parent="world", child="b", at=(0, 0, 1), axis=(0, 1, 0))
    tip = lm.StickingPoint("tip", "b", (0, 0, -1), law=RUBS)
    system = lm.System("pendulum", [lm.Body("b", 1.0, inertia=(1, 1, 1))], [swing], contacts=[tip])
    lm.compile(system, contacts="time-stepping", target="interpreter")


def test_a_root_that_lets_them_leave_does_not() -> None:
    way, foot = WAYS[1], lm.StickingPoint("foot", "b", (0, 0, 0), law=RUBS)
    way(on(lm.Translation(name="base", parent="world", child="b"), foot))
    way(on(lm.Free(name="base", parent="world", child="b"), foot))


def test_an_imposed_height_bears_a_contact_that_is_closed() -> None:
    """It glided on without a word; above the ground the contact does nothing."""
    slider = lm.System(
        "slider",
        [lm.Frame("slide"), lm.Body("b", 1.0, inertia=(1, 1, 1))],
        [
            lm.Prismatic(name="x", parent="world", child="slide", axis=(1, 0, 0)),
            lm.Prismatic(name="z", parent="slide", child="b", axis=(0, 0, 1)),
        ],
        contacts=[lm.StickingPoint("foot", "b", (0, 0, 0), law=RUBS)],
        forces=[lm.Gravity((0, 0, -9.81))],
    )
    with pytest.raises(lm.errors.ContactLawError, match="the joints and imposed motions bear it"):
        lm.simulate(slider, 0.1, start={"x_rate": 1.0}, motions={"z": "0*t"})
    run = lm.simulate(slider, 0.1, start={"x_rate": 1.0}, motions={"z": "0.1 + t"})
    assert run["x_rate"][-1] == 1.0
