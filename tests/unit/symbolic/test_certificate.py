"""The second derivation agrees with the first, on every kind of joint, contact and force; and a mistake in either is seen."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, ModelError, UnknownNameError
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
    found = lm.certify(lm.catalogue.system(name), states=3, ways="all")
    assert found.agreed, str(found)


def test_poses_in_which_a_linkage_has_lost_its_freedoms_are_left_out() -> None:
    """Of the governor the fourth pose that is drawn is folded: the sleeve at the hinges, where both arms swing freely."""
    found = lm.certify(lm.catalogue.governor(), states=30)
    assert found.agreed, str(found)


def bent() -> lm.System:
    """All that a flexible body can do, a rigid one at its tip, and all that a rod can do on that."""
    beam = lm.CrossSection(
        mass=(2.0, 1.0), EA=900.0, GJ="3 - s", EIy=4.0, EIz=5.0, moment=(0.1, -0.05), second=(0.03, 0.02, 0.004)
    )
    thread = lm.CrossSection(
        mass=(0.4, 0.2), EA=70.0, GJ=0.5, EIy=0.3, EIz=0.4, GAy=30.0, GAz=40.0, moment=(0.004, 0.0), second=(2e-4, 3e-4, 1e-5)
    )
    shapes = dict(bending_y=2, bending_z=["s**2"], torsion=1, stretch=1)
    strains = [lm.Strain("bend_y", 2), lm.Strain("bend_z", 2, "piecewise"), lm.Strain("twist"), lm.Strain("stretch")]
    return lm.System(
        "bent",
        [
            lm.FlexibleBody("wing", 0.7, beam, **shapes, stiffening=True, damping=0.05, modes="polynomial"),
            lm.Body("tip", mass=0.2, com=(0.02, 0.0, 0.01), inertia=(1e-3, 2e-3, 2e-3)),
            lm.Rod("tail", section=thread, length=0.5, strains=strains, curvature=(0.1, "0.3*s", -0.2), damping=0.02),
            lm.Rod("whip", section=thread, length=0.4, strains=["shear_y", "bend_z"], energy="20*shear_y**2 + bend_z**4"),
            lm.Body("end", mass=0.1, inertia=(1e-4, 1e-4, 1e-4)),
        ],
        [
            lm.Free(name="base", parent="world", child="wing"),
            lm.Revolute(
                name="hinge", parent="wing", child="tip", at=(0.7, 0.02, 0.01), rotation=(0.1, 0.2, 0.3), axis=(0, 1, 0)
            ),
            lm.Spherical(name="ball", parent="tip", child="tail", at=(0.05, 0.0, 0.0)),
            lm.Fixed(name="weld", parent="tip", child="whip", rotation=(0.0, 0.0, 1.0)),
            lm.Revolute(name="last", parent="whip", child="end", at=(0.3, 0.0, 0.02), axis=(0, 0, 1)),
        ],
        forces=[
            lm.Gravity((0.3, 0.0, -9.81)),
            lm.DistributedForce("blow", body="tail", components=("s", 0.2, 0.1), couple=(0.01, 0.0, "0.02*s"), frame="body"),
            lm.Tendon("pull", body="whip", at=("0.01*(1 - s/2)", 0.02), tension="2 + t", start=0.1, end=0.9),
            lm.BodyForce("push", body="wing", at=(0.4, 0.0, 0.0), components=(0.0, 1.0, 0.5)),
        ],
    )


def test_soft_bodies_are_certified() -> None:
    """Assumed modes and exact rods as clouds of mass points, by virtual power and by Lagrange."""
    found = lm.certify(bent(), states=2, ways=("lagrange",))
    assert found.agreed, str(found)


def test_mistakes_in_soft_bodies_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Coriolis force of a bending, and the mass of a thread of some milligrams, wrong in the fourth digit."""
    from locomotor.mechanics.soft import assumed_modes, rod_shape

    bends, columns = assumed_modes.Monomials.rates, rod_shape.Node.columns
    with monkeypatch.context() as patched:
        patched.setattr(assumed_modes.Monomials, "rates", lambda p, e_dot: [1.0001 * x for x in bends(p, e_dot)])
        found = lm.certify(lm.catalogue.flexible_pendulum(), states=1)
        assert found.balance > 1e-9 and found.mass < 1e-13
    patch = property(lambda node: 1.0001 * columns.fget(node))  # type: ignore[attr-defined]
    monkeypatch.setattr(rod_shape.Node, "columns", patch)
    found = lm.certify(lm.catalogue.suture_thread(), states=1)
    assert found.mass > 1e-5 and not found.agreed


def test_soft_bodies_known_by_integrals_alone_are_told() -> None:
    """Of finite elements no points are kept; where a joint is on a rod that is curved without load is not written down."""
    places = [[x, y, z] for x in (0.0, 1.0) for y, z in ((0, 0), (1, 0), (0, 1))]
    apart = np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.eye(9))
    body = lm.FlexibleBody.from_matrices("block", places, [1.0] * 6, 50.0 * apart, [[0, 1, 2]], modes=1)
    block = lm.System("block", [body], [lm.Fixed(name="wall", parent="world", child="block")])
    with pytest.raises(ModelError, match="a soft body of the kind ModalBody has no second derivation"):
        lm.certify(block)
    hook = lm.Rod("hook", section=lm.CrossSection(mass=1.0, EIz=1.0), length=1.0, strains="bend_z", curvature=(0, 0, 1.0))
    joints = [lm.Fixed(name="wall", parent="world", child="hook"), lm.Fixed(name="tip", parent="hook", child="bob")]
    with pytest.raises(ModelError, match="curved without load"):
        lm.certify(lm.System("hook", [hook, lm.Body("bob", 1.0, inertia=(1, 1, 1))], joints))


def test_what_is_no_number_is_no_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    module = __import__("locomotor.tracing.readings.virtual_power", fromlist=["World"])
    monkeypatch.setattr(module.World, "energy", property(lambda world: 0.0 * world.q[0] / (world.q[0] - world.q[0])))
    found = lm.certify(lm.catalogue.cart_pendulum(), states=1)
    assert not found.agreed and "DISAGREE" in str(found)


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
    with pytest.raises(ArgumentError, match="ways is 'kain'; give one of 'all', 'virtual power', 'lagrange', 'kane'"):
        lm.certify(lm.catalogue.rocr(), ways="kain")
