"""Rotors: inertia that turns with a joint alone, in every algorithm that knows inertia."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import InertiaError
from locomotor.mechanics.loads.energy import kinetic_energy
from locomotor.mechanics.tree import projected_mass
from locomotor.mechanics.tree.articulated_body import hybrid_dynamics
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.mechanics.tree.newton_euler import inverse_dynamics
from locomotor.model import Gravity, Joint, Prismatic, Revolute, System
from oracles.mechanics import forward_dynamics
from oracles.sampling import body, coordinates, unit

GRAVITY = np.array([1.0, -2.0, -9.0])
PARENTS = (-1, 0, 1, 1, 3, 0)


def tree(rng: np.random.Generator, rotors: bool) -> System:
    """A branching tree of revolute and prismatic joints, two along coordinate axes, where the recursions have shortcuts."""
    joints: list[Joint] = []
    for i, parent in enumerate(PARENTS):
        kind = Prismatic if i == 2 else Revolute
        axis = np.eye(3)[i % 3] if i % 2 else unit(rng)
        rotor = 0.3 + rng.random()
        place = {"at": rng.normal(size=3), "rotation": rng.normal(size=3)}
        carrier = "world" if parent < 0 else f"b{parent}"
        joints.append(kind(axis=axis, name=f"j{i}", parent=carrier, child=f"b{i}", rotor=rotor if rotors else 0.0, **place))
    return System("tree", [body(rng, f"b{i}") for i in range(len(PARENTS))], joints, forces=(Gravity(tuple(GRAVITY)),))


@pytest.fixture(scope="module")
def both() -> tuple[System, System]:
    return tree(np.random.default_rng(3), True), tree(np.random.default_rng(3), False)


def moving(system: System) -> Any:
    rng = np.random.default_rng(5)
    return forward(Instant(system, coordinates(system, rng), rng.normal(size=system.layout.nv)))


def test_mass_matrix_and_energy_have_the_rotors_on_their_diagonal(both: tuple[System, System]) -> None:
    """T = 1/2 v^T M v + 1/2 sum of rotor v_i²."""
    k, bare = (moving(system) for system in both)
    rotors = np.array([joint.rotor for joint in both[0].joints])  # type: ignore[attr-defined]
    assert np.allclose(mass_matrix(k), mass_matrix(bare) + np.diag(rotors), rtol=0, atol=1e-13)
    v = k.instant.v
    assert kinetic_energy(k) == pytest.approx(0.5 * v @ (mass_matrix(bare) + np.diag(rotors)) @ v, rel=1e-13)
    H = np.random.default_rng(1).normal(size=(6, 4))
    assert np.allclose(projected_mass(k, H), H.T @ (mass_matrix(bare) + np.diag(rotors)) @ H, rtol=1e-12)


def test_recursions_agree_with_the_matrix(both: tuple[System, System]) -> None:
    k, bare = (moving(system) for system in both)
    rotors = np.array([joint.rotor for joint in both[0].joints])  # type: ignore[attr-defined]
    M = np.asarray(mass_matrix(bare)) + np.diag(rotors)
    h = inverse_dynamics(bare, None, GRAVITY)
    rng = np.random.default_rng(9)
    v_dot, forces = rng.normal(size=6), rng.normal(size=6)
    assert np.allclose(inverse_dynamics(k, v_dot, GRAVITY), M @ v_dot + h, rtol=1e-12)
    assert np.allclose(forward_dynamics(k, forces, GRAVITY), np.linalg.solve(M, forces - h), rtol=1e-11)
    # Joints 1 and 4 imposed: the others from their rows of M v_dot + h = forces, and the torques from those two rows.
    given, free = [1, 4], [0, 2, 3, 5]
    a = np.zeros(6)
    a[given] = v_dot[given]
    a[free] = np.linalg.solve(M[np.ix_(free, free)], (forces - h - M @ a)[free])
    found, torques = hybrid_dynamics(k, forces, {i: v_dot[i : i + 1] for i in given}, GRAVITY)
    assert np.allclose(found, a, rtol=1e-11)
    assert np.allclose(np.asarray(torques)[given], (M @ a + h)[given], rtol=1e-11)


def test_the_second_derivation_agrees(both: tuple[System, System]) -> None:
    """Virtual power, which starts from positions; with a coupling, so that the reduced matrix is used too."""
    geared = both[0].replace(constraints=(lm.Coupling("gear", "j1 - 0.5*j4 - 0.1*j4**2"),), independent=None)
    assert lm.certify(geared, states=20).agreed


def test_a_geared_motor_has_the_closed_form() -> None:
    """A wheel of inertia J turned by a motor of inertia J_m behind a gear of ratio n: (J + n² J_m) q_dd = torque."""
    wheel = lm.Body("wheel", 2.0, inertia=(0.2, 0.3, 0.2))
    joint = lm.Revolute((0, 1, 0), name="axle", parent="world", child="wheel", rotor="n**2*J_m", drive=lm.Torque("u"))
    system = System("geared", [wheel], [joint], parameters={"n": 20.0, "J_m": 1e-3}, inputs=[lm.Input("u")])
    found = lm.accelerations(system, {}, inputs={"u": 1.4})
    assert float(found["axle_rate"]) == pytest.approx(1.4 / (0.3 + 400 * 1e-3), rel=1e-14)


def test_a_negative_rotor_is_refused() -> None:
    with pytest.raises(InertiaError, match=r"Revolute 'a': the rotor's inertia is -1\.0; give zero or more"):
        Revolute((0, 0, 1), name="a", parent="world", child="b", rotor=-1.0)
