"""The second derivation agrees with the first, on every kind of joint, contact and force; and a mistake in either is seen."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError, UnknownNameError
from locomotor.tracing.readings import virtual_power as second
from locomotor.tracing.readings.virtual_forces import works

SYSTEMS: dict[str, Any] = {
    "bicycle": {},
    "snakeboard": {},
    "rocr": {"closed": ("grip_1",)},
    "compass_walker": {"closed": ("foot_a",)},
    "painleve_rod": {"closed": ("tip",)},
    "cart_pendulum": {},
    "wheeled_snake": {},
    "hopper": {},
    "swimmer": {},
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_catalogue_is_certified(name: str) -> None:
    found = lm.certify(getattr(lm.catalogue, name)(), states=40, **SYSTEMS[name])
    assert found.agreed, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", [ready.name for ready in lm.catalogue.systems()])
def test_all_of_the_catalogue_is_certified(name: str) -> None:
    system = lm.catalogue.system(name)
    if any(body.coordinates for body in system.bodies):
        with pytest.raises(ModelError, match="is soft, and the second derivation knows rigid bodies only"):
            lm.certify(system)
        return
    found = lm.certify(system, states=3, ways="all")
    assert found.agreed, str(found)


def test_poses_in_which_a_linkage_has_lost_its_freedoms_are_left_out() -> None:
    """Of the governor the fourth pose that is drawn is folded: the sleeve at the hinges, where both arms swing freely."""
    found = lm.certify(lm.catalogue.governor(), states=30)
    assert found.agreed, str(found)


def test_soft_bodies_are_told_also_where_contacts_touch_them() -> None:
    with pytest.raises(ModelError, match="is soft, and the second derivation knows rigid bodies only"):
        lm.certify(lm.catalogue.elastic_snakeboard())


def test_five_ways_agree_on_every_kind_of_joint() -> None:
    """Lagrange, Kane, Newton-Euler and Mampey beside virtual power; what does not apply is told, or refused if asked for."""
    found = lm.certify(everything(), states=5, ways="all")
    assert [name for name, _ in found.further] == ["lagrange", "kane", "newton-euler", "mampey"] and not found.left_out
    assert found.agreed, str(found)
    swimmer = lm.certify(lm.catalogue.swimmer(), states=1, ways="all")
    assert swimmer.further == () and "added mass" in dict(swimmer.left_out)["kane"]
    with pytest.raises(ModelError, match="added mass"):
        lm.certify(lm.catalogue.swimmer(), states=1, ways="kane")


def test_a_mistake_in_one_of_the_ways_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A term of Mampey's algorithm."""
    from locomotor.symbolic.formalisms import mampey

    monkeypatch.setattr(mampey, "_crossed", lambda arm, moment: np.ones((3, 3)))
    assert not lm.certify(everything(), states=2, ways="mampey").agreed


def everything() -> lm.System:
    """Every kind of joint and most forces, rolling on a sphere and a torus."""
    bodies = [
        lm.Body("hull", mass=3.0, com=(0.1, 0.0, 0.2), inertia=((0.3, 0.01, 0.0), (0.01, 0.2, 0.02), (0.0, 0.02, 0.25))),
        lm.Body("ball", mass=0.5, inertia=(0.01, 0.01, 0.01)),
        lm.Body("ring", mass=0.4, com=(0.0, 0.0, 0.1), inertia=(0.02, 0.03, 0.02)),
        lm.Body("screw", mass=0.3, com=(0.05, 0.0, 0.0), inertia=(0.01, 0.02, 0.02)),
        lm.Body("cross", mass=0.2, com=(0.0, 0.1, 0.0), inertia=(0.01, 0.01, 0.015)),
        lm.Body("cart", mass=0.7, inertia=(0.02, 0.02, 0.02)),
    ]
    joints = [
        lm.Free(name="base", parent="world", child="hull"),
        lm.Spherical(name="socket", parent="hull", child="ball", at=(0.3, 0.1, 0.0)),
        lm.Revolute(
            name="hub", parent="hull", child="ring", at=(-0.3, 0.0, 0.0), rotation=(0.0, 0.2, 0.1), axis=(0.0, 1.0, 0.0)
        ),
        lm.Helical(name="thread", parent="ring", child="screw", axis=(0.0, 0.0, 1.0), pitch="p"),
        lm.Universal(name="cardan", parent="hull", child="cross", axes=((1, 0, 0), (0, 0.6, 0.8))),
        lm.Prismatic(name="slide", parent="cross", child="cart", axis=(0.0, 0.0, 1.0), drive=lm.Torque("k*thread")),
    ]
    return lm.System(
        "everything",
        bodies,
        joints,
        contacts=[
            lm.RollingSphere("under_ball", body="ball", centre=(0, 0, 0), radius=0.2),
            lm.RollingTorus("under_ring", body="ring", centre=(0, 0, 0), axis=(0, 1, 0), radius=0.25, tube=0.03),
        ],
        constraints=[lm.VelocityConstraint("geared", {"thread_rate": 1.0, "slide_rate": "-2*cos(thread)"})],
        forces=[
            lm.Gravity((0.0, 0.5, -9.81)),
            lm.JointSpring("spring", joint="thread", stiffness=2.0, rest=0.1),
            lm.JointDamper("damper", joint="slide", damping=0.3),
            lm.PointSpring("tie", "hull", (0.1, 0, 0), "cart", (0, 0.1, 0), stiffness=5.0, length=0.2),
            lm.PointDamper("dash", "world", (0.1, 0, 1.0), "cart", (0, 0.1, 0), damping=0.4),
            lm.BodyForce("push", body="ring", at=(0, 0, 0.1), components=(1.0, "sin(hub)", 0.0), frame="body"),
            lm.BodyTorque("twist", body="screw", components=(0.1, 0.0, 0.2)),
            lm.FluidDrag("drag", body="hull", matrix=(0.1, 0.2, 0.3, 0.01, 0.02, 0.03)),
        ],
        parameters={"k": 0.5, "p": 0.05},
        nominal={"z": 0.25},
    )


def test_every_kind_of_part_is_certified() -> None:
    found = lm.certify(everything(), states=20)
    assert found.agreed, str(found)


def bumpers() -> lm.System:
    """A body in a fluid with a coupled added mass, pressed against a slope by a point, a sphere and a disc that yield."""
    added = [[0.0] * 6 for _ in range(6)]
    for k, value in enumerate((0.5, 1.5, 0.8, 0.02, 0.03, 0.04)):
        added[k][k] = value
    added[1][5] = added[5][1] = 0.1
    added[0][4] = added[4][0] = -0.05
    slope = lm.Plane(normal=(0.6, 0.0, 0.8), point=(0.1, 0.0, 0.05))
    soft = dict(damping="lankarani-nikravesh", restitution=0.5)
    return lm.System(
        "bumpers",
        [
            lm.Body("hull", mass=3.0, com=(0.1, 0.0, 0.02), inertia=(0.3, 0.2, 0.25)),
            lm.Body("fin", mass=0.2, com=(-0.1, 0, 0), inertia=(0.01,) * 3),
        ],
        [
            lm.Free(name="base", parent="world", child="hull"),
            lm.Revolute(name="beat", parent="hull", child="fin", at=(-0.3, 0, 0), axis=(0, 0, 1)),
        ],
        forces=[
            lm.Gravity((0, 0, -9.81)),
            lm.AddedMass("water", body="hull", matrix=added),
            lm.AddedMass("wake", body="fin", matrix=(0.1, 0.9, 0.1, 0.01, 0.01, 0.02)),
            lm.CompliantContact("nose", body="hull", at=(0.2, 0, 0), stiffness=900.0, restitution=0.7, speed=2.0),
            lm.CompliantContact("ball", body="fin", at=(0, 0, 0), radius=0.3, stiffness="k", **soft),
            lm.CompliantContact(
                "wheel", body="hull", at=(0, 0.1, 0), radius=0.4, axis=(0, 1, 0), stiffness=700.0, exponent=1.3
            ),
        ],
        grounds=[slope],
        parameters={"k": 800.0},
    )


def test_fluids_and_contacts_that_yield_are_certified() -> None:
    found = lm.certify(bumpers(), states=60)
    assert found.agreed, str(found)


def test_a_mistake_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Angular momentum left out of the second derivation: nothing else would tell."""
    module = __import__("locomotor.tracing.readings.virtual_power", fromlist=["World"])
    right = module.World.spin

    def forgetful(world: Any, body: str) -> Any:
        return right(world, body) * (0.999 if body == "fork" else 1.0)

    monkeypatch.setattr(module.World, "spin", forgetful)
    found = lm.certify(lm.catalogue.bicycle(), states=3)
    assert not found.agreed and found.mass > 1e-8 and "DISAGREE" in str(found)
    assert second is module.virtual_power


def test_seed_and_residual_are_printed_into_documents() -> None:
    equations = lm.equations(lm.catalogue.cart_pendulum(), certified=True)
    assert equations.certificate is not None and equations.certificate.states == 1000
    text = equations.markdown()
    assert "Certificate: cart pendulum" in text and "1000 random states (seed 0)" in text and "agree" in text


def test_what_has_no_second_derivation_is_told() -> None:
    with pytest.raises(ModelError, match="SimpleNamespace has no second derivation"):
        works(SimpleNamespace(), None)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="grip_"):
        lm.certify(lm.catalogue.rocr(), closed=("grip",))
