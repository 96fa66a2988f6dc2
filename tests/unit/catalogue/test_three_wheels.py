"""Trikke and trident snake against Lagrange's equations derived apart, and against the kinematics written out."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from oracles.planar_lagrange import Vehicle, body_rates, trident_snake, trikke

ORACLES = {"trident_snake": trident_snake, "trikke": trikke}


def kernel(matrix: Any) -> Any:
    """Velocities that the blocked directions leave, as columns."""
    _, sizes, rows = np.linalg.svd(matrix)
    return rows[int((sizes > 1e-10).sum()) :].T


@pytest.mark.parametrize("name", ORACLES)
def test_accelerations_and_energy_are_those_of_lagrange(name: str, rng: np.random.Generator) -> None:
    system = lm.catalogue.system(name)
    other: Vehicle = ORACLES[name](dict(system.parameters.values))
    names = [str(q) for q in other.coordinates]
    q = rng.uniform(-0.6, 0.6, len(names))
    _, _, blocked = other.solve(q, np.zeros(len(names)), np.zeros(len(names)))
    free = kernel(blocked)
    v = free @ rng.uniform(-1.0, 1.0, free.shape[1])
    driven = {given.name for given in system.inputs}
    torques = {f"{joint}_torque": float(rng.uniform(-2.0, 2.0)) for joint in names if f"{joint}_torque" in driven}
    assert len(torques) == {"trikke": 2, "trident_snake": 3}[name]
    forces = [torques.get(f"{joint}_torque", 0.0) for joint in names]
    wanted, energy, _ = other.solve(q, v, forces)
    c, s = np.cos(q[2]), np.sin(q[2])
    state = dict(zip(["x", "y", "yaw", *names[3:]], q.tolist(), strict=True))
    moving = {"speed": c * v[0] + s * v[1], "sway_speed": c * v[1] - s * v[0], "yaw_rate": v[2]}
    moving |= {f"{joint}_rate": rate for joint, rate in zip(names[3:], v[3:].tolist(), strict=True)}
    found = lm.accelerations(system, {**state, **moving}, torques)
    order = ["speed", "sway_speed", "yaw_rate", *(f"{joint}_rate" for joint in names[3:])]
    expected = np.append(body_rates(wanted, v, float(q[2])), wanted[3:])
    np.testing.assert_allclose([found[each] for each in order], expected, atol=1e-9 * (1.0 + np.abs(expected).max()))
    assert lm.observe(system, {**state, **moving})["kinetic_energy"] == pytest.approx(energy, rel=1e-12)


def test_the_connection_of_the_trident_snake_written_out() -> None:
    """-sin(a + f) vx + cos(a + f) vy + (l + r cos f) w + l f_dot = 0 for each leg at the bearing a and the angle f."""
    snake = lm.catalogue.trident_snake()
    r, ell = (snake.parameters.values[name] for name in ("r", "l"))
    legs = np.array([0.4, -0.7, 0.25])
    at = 2.0 * np.pi * np.arange(3) / 3.0 + legs
    matrix = np.column_stack([-np.sin(at), np.cos(at), ell + r * np.cos(legs)])
    np.testing.assert_allclose(lm.connection(snake)(legs), np.linalg.inv(matrix) * ell, atol=1e-13)


@pytest.mark.parametrize("trail", [0.05, 0.2])
def test_the_trail_of_the_trikke_turns_it(trail: float) -> None:
    """The front wheel does not slip sideways: (b cos d - c) w = v sin d + c d_dot.

    Turning the fork to the left swings its wheel, which trails, to the right, so that the frame at rest turns to the left.
    """
    bike = lm.catalogue.trikke().with_parameters(c=trail)
    b = bike.parameters.values["b"]
    for speed, steer, rate in ((0.0, 0.0, 1.0), (1.2, 0.5, -0.8), (-0.7, -0.3, 2.0)):
        seen = lm.observe(bike, {"speed": speed, "steer": steer, "steer_rate": rate})
        turning = (speed * np.sin(steer) + trail * rate) / (b * np.cos(steer) - trail)
        assert seen["yaw_rate"] == pytest.approx(turning, abs=1e-12)
        across = turning * b * np.sin(steer) + speed * np.cos(steer)
        assert bike.parameters.values["rho"] * seen["front_wheel_rate"] == pytest.approx(across, abs=1e-12)
