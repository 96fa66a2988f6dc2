"""Derivatives of the rate of a free tree by recursions of their own: those of differentiating it, and those of Pinocchio."""

from dataclasses import replace

import numpy as np
import pytest

import locomotor as lm
from locomotor.tracing import trace
from locomotor.tracing.core import slopes_of
from locomotor.tracing.variations import with_deviations

CLOSE = 1e-10
INERTIA = ((1.0, 0.01, 0.02), (0.01, 1.1, 0.03), (0.02, 0.03, 1.2))


def body(name: str) -> lm.Body:
    return lm.Body(name, mass=1.3, com=(0.1, 0.2, 0.3), inertia=INERTIA)


def skew_axis(*axis: float) -> tuple[float, ...]:
    return tuple(np.array(axis) / np.linalg.norm(axis))


def branching() -> lm.System:
    """A free root with two limbs of all kinds of joints that the recursions know, a spring, a damper, a rotor, wind."""
    joints = [
        lm.Free(name="base", parent="world", child="trunk"),
        lm.Revolute(name="hip", parent="trunk", child="thigh", at=(0.3, 0.1, -0.2), axis=skew_axis(1, 2, 0.5), rotor=0.2),
        lm.Prismatic(
            name="shin", parent="thigh", child="foot", at=(0, 0, -0.4), rotation=(0.2, 0, 0.4), axis=skew_axis(0, 1, 3)
        ),
        lm.Helical(name="screw", parent="trunk", child="arm", at=(-0.2, 0.3, 0.1), axis=skew_axis(1, -1, 1), pitch=0.07),
        lm.Cylindrical(name="sleeve", parent="arm", child="hand", at=(0.1, 0.2, 0.3), rotation=(0.5, 0.3, 0), axis=(0, 1, 0)),
        lm.Fixed(name="weld", parent="hand", child="tool", at=(0.1, 0, 0)),
    ]
    forces = [
        lm.Gravity(),
        lm.JointSpring("spring", "hip", 40.0, 0.2),
        lm.JointDamper("damper", "shin", 3.0),
        lm.BodyForce("wind", "tool", components=("2*sin(x)", "-0.3*sway_speed", "1 + hip*shin_rate"), at=(0.1, 0.2, 0)),
    ]
    names = ("trunk", "thigh", "foot", "arm", "hand", "tool")
    return lm.System("branching", [body(name) for name in names], joints, forces=forces)


def forest() -> lm.System:
    """Two trees: one on a hinge with an imposed joint in its midst, one on a sliding root."""
    joints = [
        lm.Revolute(name="a", parent="world", child="a1", axis=skew_axis(0.2, 1, 0.3)),
        lm.Revolute(name="b", parent="a1", child="a2", at=(0.4, 0, 0.1), axis=(1, 0, 0), drive=lm.Motion("0.3*sin(2*t)")),
        lm.Revolute(name="c", parent="a2", child="a3", at=(0.2, 0.3, 0), axis=(0, 1, 0)),
        lm.Translation(name="cart", parent="world", child="b1"),
        lm.Revolute(name="d", parent="b1", child="b2", at=(0.1, 0, 0.2), axis=(0, 0, 1)),
    ]
    return lm.System("forest", [body(name) for name in ("a1", "a2", "a3", "b1", "b2")], joints, forces=[lm.Gravity()])


def state_of(traced) -> np.ndarray:  # type: ignore[no-untyped-def]
    x = np.random.default_rng(5).normal(size=traced.state_port.size)
    for turning, place, _ in traced.manifold.slices():
        if turning:
            x[place] /= np.linalg.norm(x[place])
    return x


@pytest.mark.parametrize("make", [branching, forest])
def test_recursions_give_the_derivatives_of_the_rate(make) -> None:  # type: ignore[no-untyped-def]
    traced = trace(make())
    dynamics, arguments = traced.dynamics, (np.array([0.4]), state_of(traced), np.zeros(0), np.zeros(0))
    assert dynamics.by_state is not None
    found = dynamics.jacobian("rate", "state")
    swept = replace(dynamics, by_state=None).jacobian("rate", "state")
    wanted = swept(*arguments)[0]
    assert np.abs(found(*arguments)[0] - wanted).max() < CLOSE * np.abs(wanted).max()
    assert found.operations <= swept.operations


def test_accelerations_of_all_velocities_have_them_too() -> None:
    """Among them those of an imposed joint, which no state changes."""
    traced = trace(forest())
    accelerations, arguments = traced.accelerations, (np.array([0.4]), state_of(traced), np.zeros(0), np.zeros(0))
    assert accelerations.by_state is not None
    found = accelerations.by_state()(*arguments)
    wanted = replace(accelerations, by_state=None).jacobian("accelerations", "state")(*arguments)[0]
    imposed = traced.system.layout.v["b"].start
    assert np.abs(np.array(found) - wanted).max() < CLOSE * np.abs(wanted).max()
    assert not np.array(found)[imposed].any() and np.abs(wanted).max() > 1.0


@pytest.mark.slow
def test_they_are_taken_where_derivatives_are_needed() -> None:
    traced = trace(branching())
    dynamics, x = traced.dynamics, state_of(traced)
    swept = replace(dynamics, by_state=None)
    n = traced.manifold.tangent_size
    W = np.random.default_rng(1).normal(size=n * n)
    arguments = np.array([0.4]), np.concatenate([x, W]), np.zeros(0), np.zeros(0)
    here, there = (with_deviations(function, traced.manifold, n) for function in (dynamics, swept))
    wanted = there(*arguments)[0]
    assert np.abs(here(*arguments)[0] - wanted).max() < CLOSE * np.abs(wanted).max()
    assert here.operations < there.operations
    plain = [slopes_of(function, traced.manifold, longest=10**9) for function in (dynamics, swept)]
    rates = [slopes.function(np.array([0.4]), x, np.zeros(0), np.zeros(0))[0] for slopes in plain]
    assert np.abs(rates[0] - rates[1]).max() < CLOSE * np.abs(rates[1]).max()


def test_a_system_with_constraints_or_fluid_is_differentiated() -> None:
    assert trace(lm.catalogue.four_bar()).dynamics.by_state is None
    wet = branching()
    wet = wet.replace(forces=[*wet.forces, lm.AddedMass("water", "foot", np.eye(6))])
    assert trace(wet).dynamics.by_state is None


def test_they_are_those_of_pinocchio() -> None:
    """A chain of hinges on the world, against `computeABADerivatives`."""
    pin = pytest.importorskip("pinocchio", reason="PyPI has no `pin` for this platform")
    axes, at = [skew_axis(1, 2, 3), skew_axis(0, 1, -2), skew_axis(3, 0, 1), skew_axis(1, 1, 0)], (0.3, -0.2, 0.4)
    names = [f"b{k}" for k in range(4)]
    joints = [
        lm.Revolute(name=f"j{k}", parent=names[k - 1] if k else "world", child=names[k], at=at, axis=axis)
        for k, axis in enumerate(axes)
    ]
    system = lm.System("arm", [body(name) for name in names], joints, forces=[lm.Gravity()])
    model = pin.Model()
    for k, axis in enumerate(axes):
        model.addJoint(k, pin.JointModelRevoluteUnaligned(np.array(axis)), pin.SE3(np.eye(3), np.array(at)), f"j{k}")
        model.appendBodyToJoint(k + 1, pin.Inertia(1.3, np.array([0.1, 0.2, 0.3]), np.array(INERTIA)), pin.SE3.Identity())
    rng = np.random.default_rng(2)
    q, v = rng.normal(size=4), rng.normal(size=4)
    data = model.createData()  # what is found are views of it
    by_q, by_v, _ = pin.computeABADerivatives(model, data, q, v, np.zeros(4))
    dynamics = trace(system).dynamics
    assert dynamics.by_state is not None
    found = dynamics.jacobian("rate", "state")(np.zeros(1), np.concatenate([q, v]), np.zeros(0), np.zeros(0))[0]
    wanted = np.block([[np.zeros((4, 4)), np.eye(4)], [by_q, by_v]])
    assert np.abs(found - wanted).max() < CLOSE * np.abs(wanted).max()
