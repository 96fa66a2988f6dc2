"""Connections of systems whose passive joints follow by loops: closed forms of linkages on a base that floats."""

import math

import numpy as np
import pytest

import locomotor as lm

SIDE, CRANK = 0.4, 0.25


def parallelogram(weight: float = 0.5) -> lm.System:
    """A base in a plane with two equal cranks and a coupler between them, which never turns: all its weight is in it."""
    massless = {"mass": 1e-9, "inertia": (1e-12, 1e-12, 1e-12)}
    bodies = [
        lm.Body("base", 2.0, inertia=(0.1, 0.1, 0.1)),
        lm.Body("left", **massless),
        lm.Body("right", **massless),
        lm.Body("coupler", weight, com=(0.5 * SIDE, 0.0, 0.0), inertia=(0.02, 0.02, 0.02)),
    ]
    z = (0.0, 0.0, 1.0)
    joints = [
        lm.Planar(name="root", parent="world", child="base"),
        lm.Revolute(name="crank", parent="base", child="left", axis=z, at=(-0.5 * SIDE, 0.0, 0.0)),
        lm.Revolute(name="follower", parent="base", child="right", axis=z, at=(0.5 * SIDE, 0.0, 0.0)),
        lm.Revolute(name="joint", parent="left", child="coupler", axis=z, at=(0.0, CRANK, 0.0)),
    ]
    loop = lm.RevoluteClosure("pin", "right", "coupler", at_a=(0.0, CRANK, 0.0), at_b=(SIDE, 0.0, 0.0), axis_a=z, axis_b=z)
    return lm.System("parallelogram", bodies, joints, loops=[loop])


def test_a_loop_carries_its_joints_along() -> None:
    """At a crank angle a the follower turns by a, and the coupler back by it."""
    found = lm.connection(parallelogram(), ["crank"])
    names = [symbol.name for symbol in found.system.layout.coordinates]
    for angle in (0.5, -1.1, 1.5):
        q = dict(zip(names, found.coordinates([angle]).tolist(), strict=True))
        assert q["follower"] == pytest.approx(angle, abs=1e-10)
        assert q["joint"] == pytest.approx(-angle, abs=1e-10)


def test_a_loop_among_the_joints_leaves_the_momentum_of_the_whole() -> None:
    """The coupler is moved along a circle without being turned: the base recoils by its share, and turns by its moment.

    Momentum and moment of momentum about the centre of the base vanish (masses M and m, moments J together), with the
    coupler at p = (-R sin a, R cos a) seen from the base, moving at R (-cos a, -sin a) a': by hand, three linear equations.
    """
    found = lm.connection(parallelogram(), ["crank"])
    assert found.kind == "mechanical"
    M, m, J = 2.0, 0.5, 0.1 + 0.02
    for a in (0.0, 0.7, -1.3):
        p = CRANK * np.array([-math.sin(a), math.cos(a)])
        u = CRANK * np.array([-math.cos(a), -math.sin(a)])
        # momentum: (M + m) V + m W x p + m u = 0; moment about the base: J W + m p x (V + W x p + u) = 0
        whole = np.array([
            [M + m, 0.0, -m * p[1]],
            [0.0, M + m, m * p[0]],
            [-m * p[1], m * p[0], J + m * (p @ p)],
        ])  # fmt: skip
        right = -m * np.array([u[0], u[1], p[0] * u[1] - p[1] * u[0]])
        assert -found([a])[:, 0] == pytest.approx(np.linalg.solve(whole, right), abs=1e-8)


def test_a_loop_that_cannot_be_closed_is_told() -> None:
    """A crank that would tear its rod."""
    z = (0.0, 0.0, 1.0)
    links = [lm.Body(name, 0.2, com=(0.1, 0.0, 0.0), inertia=(1e-3, 1e-3, 1e-3)) for name in ("long", "short")]
    joints = [
        lm.Planar(name="root", parent="world", child="base"),
        lm.Revolute(name="crank", parent="base", child="long", axis=z, rotation=(0.0, 0.0, 0.4)),
        lm.Revolute(name="rocker", parent="base", child="short", axis=z, at=(0.3, 0.0, 0.0)),
    ]
    rod = lm.RodClosure("rod", "long", "short", at_a=(0.3, 0.0, 0.0), at_b=(0.0, 0.05, 0.0), length=0.1)
    system = lm.System("torn", [lm.Body("base", 1.0, inertia=(0.1, 0.1, 0.1)), *links], joints, loops=[rod])
    found = lm.connection(system, ["crank"])
    with pytest.raises(lm.errors.NoConnectionError, match="no position of rocker satisfies the couplings and loops"):
        found([2.0])


def test_what_bends_has_a_momentum_of_its_own() -> None:
    """A soft tail on a body that floats: the momentum of the whole does not say how it bends."""
    section = lm.CrossSection(mass=1.0, EIy=2.0, EIz=2.0, GJ=1.0, second=(0.001, 0.001, 0.0))
    tail = lm.FlexibleBody("tail", 0.3, section, bending_z=1)
    bodies = [lm.Body("base", 1.0, inertia=(0.1, 0.1, 0.1)), lm.Body("hub", 0.3, inertia=(0.01, 0.01, 0.01)), tail]
    joints = [
        lm.Planar(name="root", parent="world", child="base"),
        lm.Revolute(name="neck", parent="base", child="hub", axis=(0.0, 0.0, 1.0)),
        lm.Fixed(name="clamp", parent="hub", child="tail"),
    ]
    found = lm.connection(lm.System("wagging", bodies, joints), ["neck"])
    assert found.kind == "mixed" and "tail bends" in found.reason
    assert len(found.momentum_names) == 4
