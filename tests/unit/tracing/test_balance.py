"""The equations of motion term by term: their sums agree, and each is what the textbook says of its cause."""

from math import cos, sin

import numpy as np
import pytest

import locomotor as lm
from locomotor.tracing.readings import balance, placed_bodies


def cart() -> lm.System:
    """A cart on a rail with a pendulum that hangs from it, a spring on the cart, a torque at the hinge."""
    return lm.System(
        "cart",
        bodies=(lm.Body("cart", 3.0, inertia=(1, 1, 1)), lm.Body("bob", 2.0, com=(0, 0, -0.5), inertia=(0, 0, 0))),
        joints=(
            lm.Prismatic(name="rail", parent="world", child="cart", axis=(1, 0, 0)),
            lm.Revolute(name="hinge", parent="cart", child="bob", axis=(0, 1, 0), drive=lm.Torque("push")),
        ),
        forces=(lm.Gravity((0, 0, -9.81)), lm.JointSpring("spring", "rail", 7.0)),
        inputs=(lm.Input("push", "N m"),),
    )


def test_terms_are_those_of_the_textbook() -> None:
    """(M + m) x'' - m l cos(a) a'' = -k x - m l sin(a) a'^2; -m l cos(a) x'' + m l^2 a'' = -m g l sin(a) + push.

    About y, positive to the front-down side, the bob at l below is at x - l sin(a).
    """
    traced = lm.trace(cart())
    function, terms = balance(traced)
    x, a, xd, ad, push = 0.2, 0.7, -0.4, 1.3, 0.9
    (values,) = function(np.zeros(1), [x, a, xd, ad], [push], [])
    found = {(term.name, term.kind): values[k] for k, term in enumerate(terms)}
    m, arm, M = 2.0, 0.5, 3.0
    assert found["motion", "motion"] == pytest.approx([-m * arm * sin(a) * ad**2, 0.0], abs=1e-12)
    assert found["gravity", "force"] == pytest.approx([0.0, -m * 9.81 * arm * sin(a)], abs=1e-12)
    assert found["spring", "force"] == pytest.approx([-7.0 * x, 0.0], abs=1e-12)
    assert found["hinge", "drive"] == pytest.approx([0.0, push], abs=1e-12)
    mass = np.array([[M + m, -m * arm * cos(a)], [-m * arm * cos(a), m * arm * arm]])
    rates = np.linalg.solve(mass, values[2:].sum(axis=0))
    assert found["rail_rate", "inertia"] == pytest.approx(mass[:, 0] * rates[0], abs=1e-12)
    assert found["hinge_rate", "inertia"] == pytest.approx(mass[:, 1] * rates[1], abs=1e-12)


@pytest.mark.parametrize("name", ["bicycle", "snakeboard", "cart_pendulum", "swimmer"])
def test_both_sides_sum_to_the_same(name: str, rng: np.random.Generator) -> None:
    traced = lm.trace(lm.catalogue.system(name))
    function, terms = balance(traced)
    n = sum(term.kind == "inertia" for term in terms)
    assert n == len(traced.reduction.free)
    for _ in range(5):
        delta = rng.uniform(-0.3, 0.3, traced.manifold.tangent_size)
        start = np.zeros(traced.state_port.size)
        start[: traced.nq] = traced.system.nominal_pose()[list(traced.coordinate_indices)]
        state = np.array(traced.manifold.retract(start, delta), dtype=float)
        (values,) = function(np.array([0.3]), state, rng.uniform(-1, 1, traced.input_port.size), [])
        assert np.abs(values[:n].sum(axis=0) - values[n:].sum(axis=0)).max() < 1e-11 * np.abs(values).max()


def test_bodies_are_placed_as_the_joints_say() -> None:
    traced = lm.trace(cart())
    (rows,) = placed_bodies(traced)(np.zeros(1), [0.2, 0.7, 0.0, 0.0], [0.0], [])
    assert rows[0] == pytest.approx([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0, 0])
    assert rows[1] == pytest.approx([cos(0.7), 0, sin(0.7), 0, 1, 0, -sin(0.7), 0, cos(0.7), 0.2, 0, 0])
