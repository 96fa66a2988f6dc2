"""A wing on a soft body feels what the same wing feels on a rigid tree that moves alike, in its own coordinates too."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.lie import ops
from locomotor.mechanics.loads import applied_forces, force_power, kinetic_energy, parts
from locomotor.mechanics.tree import (
    Instant,
    forward,
    hybrid_dynamics,
    inverse_dynamics,
    mass_matrix,
    projected_mass,
    spatial_momentum,
)
from locomotor.model import Wing
from oracles.soft_bodies import MOVING, STIFFNESS, Nested

MAIN = lm.Body("main", mass=1.3, com=(0.1, -0.05, 0.02), inertia=(0.05, 0.06, 0.07))
HIDDEN = lm.Body("part", mass=0.6, com=(0.05, 0.1, -0.1), inertia=(0.02, 0.03, 0.025))
HINGE = lm.Revolute(name="hinge", parent="main", child="part", at=MOVING, axis=(0.6, 0.0, 0.8))
AIR = lm.Air(wind=("0.4 + 0.3*z", "0.2*x", 0.1))
FREE = lm.Free(name="base", parent="world", child="main")


def wing(body: str, root: tuple[float, float, float]) -> Wing:
    """One section, at the root plus half the length along y."""
    return lm.Wing(
        "foil", body, length=0.2, chord=0.1, root=root, span=(0, 1, 0), chord_axis=(1, 0, 0), sections=1, axis=0.3, twist=0.2,
        mechanisms=("translation", "rotation", "viscous", "spin"),
    )  # fmt: skip


def test_as_on_a_rigid_tree(rng: np.random.Generator) -> None:
    rigid = lm.System("rigid", [MAIN, HIDDEN], [FREE, HINGE], forces=[AIR, wing("part", (0, -0.1, 0))])
    body = Nested("main", MAIN.mass, MAIN.com, MAIN.inertia, hidden=HIDDEN, joint=HINGE)
    x, y, z = MOVING
    soft = lm.System("soft", [body], [FREE], forces=[AIR, wing("main", (x, y - 0.1, z))])
    for _ in range(5):
        q, v = np.zeros(8), rng.normal(size=7)
        q[:3], q[3:7], q[7] = rng.normal(size=3), rng.normal(size=4), rng.normal()
        q[3:7] /= np.linalg.norm(q[3:7])
        a = applied_forces(forward(Instant(rigid, q, v)))
        b = applied_forces(forward(Instant(soft, q, v)))
        g = forward(Instant(rigid, q, v)).links[1].pose
        carried = np.asarray(g.wrench_to_parent(a.wrenches[1]), dtype=float)
        assert np.allclose(np.asarray(b.wrenches[0], dtype=float), carried, rtol=1e-12, atol=1e-14)
        assert float(b.generalised[6]) == pytest.approx(
            float(np.array([*np.zeros(3), 0.6, 0.0, 0.8]) @ a.wrenches[1]), rel=1e-12
        )


@pytest.mark.parametrize("air", [lm.Air(density=900.0), lm.Air(density=900.0, wind=("0.4 + 0.3*z + sin(t)", "0.2*x*y", 0.1))])
def test_added_mass_as_on_a_rigid_tree(air: lm.Air, rng: np.random.Generator) -> None:
    """The air that a section carries along: mass matrix, energy, momentum, Newton and Euler, and accelerations."""
    foil = {"length": 0.2, "chord": 0.1, "span": (0, 1, 0), "chord_axis": (1, 0, 0), "sections": 1, "axis": 0.3, "twist": 0.2}
    x, y, z = MOVING
    spring = lm.JointSpring("spring", "hinge", STIFFNESS)  # the soft body has it in itself
    of_part = lm.Wing("foil", "part", root=(0, -0.1, 0), **foil)
    rigid = lm.System("rigid", [MAIN, HIDDEN], [FREE, HINGE], forces=[air, of_part, spring])
    body = Nested("main", MAIN.mass, MAIN.com, MAIN.inertia, hidden=HIDDEN, joint=HINGE)
    soft = lm.System("soft", [body], [FREE], forces=[air, lm.Wing("foil", "main", root=(x, y - 0.1, z), **foil)])
    gravity = np.array([0.3, -0.2, -9.81])
    for _ in range(4):
        q, v, v_dot = np.zeros(8), rng.normal(size=7), rng.normal(size=7)
        q[:3], q[3:7], q[7] = rng.normal(size=3), rng.normal(size=4), rng.normal()
        q[3:7] /= np.linalg.norm(q[3:7])
        a, b = (forward(Instant(system, q, v, time=0.7)) for system in (rigid, soft))
        M = np.asarray(mass_matrix(a), dtype=float)
        assert np.linalg.norm(M - mass_matrix(forward(Instant(rigid.replace(forces=()), q, v)))) > 0.1
        assert np.allclose(np.asarray(mass_matrix(b), dtype=float), M, rtol=1e-11, atol=1e-11)
        assert np.allclose(np.asarray(projected_mass(b, np.eye(7)), dtype=float), M, rtol=1e-11, atol=1e-11)
        assert kinetic_energy(b) == pytest.approx(0.5 * v @ M @ v, rel=1e-11)
        for of_soft, of_rigid in zip(spatial_momentum(b), spatial_momentum(a), strict=True):
            assert np.allclose(np.asarray(of_soft, dtype=float), np.asarray(of_rigid, dtype=float), rtol=1e-11, atol=1e-11)
        pushes = [applied_forces(each) for each in (a, b)]
        wanted, found = (
            np.asarray(inverse_dynamics(each, v_dot, gravity, push.wrenches) - push.generalised, dtype=float)
            for each, push in zip((a, b), pushes, strict=True)
        )
        assert np.allclose(found, wanted, rtol=1e-10, atol=1e-9)
        wanted, found = (
            np.asarray(hybrid_dynamics(each, ops.vector(*push.generalised), {}, gravity, push.wrenches)[0], dtype=float)
            for each, push in zip((a, b), pushes, strict=True)
        )
        assert np.allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_power_on_a_soft_wing_is_that_of_its_sections(rng: np.random.Generator) -> None:
    """What the channels call the power of a mechanism is the whole of it: force times velocity where the section is."""
    body = Nested("main", MAIN.mass, MAIN.com, MAIN.inertia, hidden=HIDDEN, joint=HINGE)
    x, y, z = MOVING
    soft = lm.System("soft", [body], [FREE], forces=[lm.Air(), wing("main", (x, y - 0.1, z))])
    q, v = np.zeros(8), rng.normal(size=7)
    q[3:7] = rng.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    kinematics = forward(Instant(soft, q, v))
    foil = soft.forces[1]
    twist = np.concatenate([kinematics.velocity[0], kinematics.omega[0]])
    told = sum(float(part.power(twist)) for part in parts(foil, kinematics))
    assert told == pytest.approx(float(force_power(foil, kinematics)), rel=1e-12)
