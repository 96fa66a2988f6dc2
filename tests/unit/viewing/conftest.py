"""Systems and runs that the viewing tests share."""

import pytest

import locomotor as lm


def sprung_system() -> lm.System:
    """Every kind of link to the world and between bodies that has a drawing of its own."""
    return lm.System(
        "sprung",
        [
            lm.Body("arm", 1.0, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01)),
            lm.Body("slider", 0.5, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02)),
            lm.Body("bob", 0.2, com=(0, 0, -0.1), inertia=(0.001, 0.001, 0.001)),
        ],
        [
            lm.Revolute(name="pivot", parent="world", child="arm", at=(0, 0, 1), axis=(0, 1, 0)),
            lm.Prismatic(name="slide", parent="arm", child="slider", axis=(1, 0, 0), at=(0.3, 0, 0)),
            lm.Spherical(name="ball", parent="slider", child="bob", at=(0.3, 0, 0)),
        ],
        forces=[
            lm.Gravity(),
            lm.PointSpring("spring", "world", (0, 0, 0.2), "slider", (0, 0, 0), 40.0, 0.5),
            lm.PointDamper("dash", "arm", (0, 0, 0), "slider", (0.2, 0, 0.1), 0.1),
            lm.JointSpring("stop", "slide", 50.0),
        ],
    )


def every_contact() -> lm.System:
    """A table that touches the ground with one contact of each kind (more than it could use: it is only drawn)."""
    contacts = [
        lm.RollingDisc("disc", "wheel", (0, 0, 0), (0, 1, 0), "r"),
        lm.RollingTorus("torus", "table", (0.4, 0, -0.1), (0, 1, 0), 0.08, 0.02),
        lm.RollingSphere("sphere", "table", (0, 0.3, -0.1), 0.1),
        lm.Skate("skate", "table", (-0.4, 0, -0.2), (1, 0, 0)),
        lm.StickingPoint("stick", "table", (0, -0.3, -0.2)),
        lm.SlidingPoint("slide", "table", (0.2, -0.3, -0.2)),
    ]
    return lm.System(
        "every_contact",
        [lm.Body("table", 5.0, inertia=(0.2, 0.2, 0.3)), lm.Body("wheel", 1.0, inertia=(0.01, 0.02, 0.01))],
        [
            lm.Free(name="base", parent="world", child="table"),
            lm.Revolute(name="axle", parent="table", child="wheel", at=(0, 0.5, 0), axis=(0, 1, 0)),
        ],
        contacts,
        grounds=[lm.Plane("ground", normal=(0.0, 0.6, 0.8), point=(0.0, 0.0, -0.2))],
        forces=[lm.Gravity((0.0, -5.886, -7.848))],
        parameters={"r": 0.2},
        nominal={"z": 0.2},
    )


@pytest.fixture(scope="session")
def bicycle_run() -> lm.Run:
    return lm.simulate(lm.catalogue.bicycle(), 2.0, start={"speed": 4.6, "roll_rate": 0.5})


@pytest.fixture(scope="session")
def sprung_run() -> lm.Run:
    return lm.simulate(sprung_system(), 1.0, start={"pivot": 0.4})


@pytest.fixture(scope="session")
def sprung() -> lm.System:
    return sprung_system()


@pytest.fixture(scope="session")
def contacts() -> lm.System:
    return every_contact()
