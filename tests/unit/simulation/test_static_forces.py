"""Forces and torques of over-determined constraints: the part that moves the system, and the part that moves nothing."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError
from locomotor.mechanics import ReducedMotion, choose_reduction

R = 0.05
CART: dict[str, Any] = {
    "motions": lm.catalogue.gait("cart_pendulum", "rock"),
    "start": {"pendulum": 0.1},
    "step": 0.005,
    "target": "interpreter",
}


def cart(static: dict[str, Any] | None) -> lm.Run:
    return lm.simulate(lm.catalogue.cart_pendulum(), 0.75, static=static, **CART)


def test_the_smallest_forces_have_no_static_part() -> None:
    """With the Moore-Penrose inverse both wheels push alike."""
    run = cart(None)
    assert not any(np.abs(values).max() for values in run.group("static_multipliers").values())
    assert not any(np.abs(values).max() for values in run.static_torques.values())
    assert run.torques["front_wheel"][-1] == pytest.approx(-0.04388681, abs=5e-9)


def test_a_choice_of_forces_changes_the_static_part_alone() -> None:
    """(3.32) and (3.74): lambda_stat = (T, -T) along the rail, tau_stat = (R T, -R T), of sum zero; tau_kin stays."""
    least, chosen = cart(None), cart({"rear_x": "0.3*cos(2*t)"})
    np.testing.assert_allclose(chosen["rear_x_multiplier"], 0.3 * np.cos(2 * chosen.time), atol=1e-14)
    traction = chosen["front_x_static_multiplier"]
    assert np.abs(traction).max() > 0.1
    np.testing.assert_allclose(chosen["rear_x_static_multiplier"], -traction, atol=1e-14)
    np.testing.assert_allclose(chosen.static_torques["front_wheel"], R * traction, atol=1e-15)
    np.testing.assert_allclose(chosen.static_torques["rear_wheel"], -R * traction, atol=1e-15)
    for joint in ("front_wheel", "rear_wheel"):
        kinematic = chosen.torques[joint] - chosen.static_torques[joint]
        np.testing.assert_allclose(kinematic, least.torques[joint], atol=1e-14)
    for row in ("front_x", "rear_x", "front_z", "rear_z"):
        kinematic = chosen[f"{row}_multiplier"] - chosen[f"{row}_static_multiplier"]
        np.testing.assert_allclose(kinematic, least[f"{row}_multiplier"], atol=1e-13)
    assert chosen.about["front_wheel_static_torque"].unit == "N m"


def test_where_forces_are_determined_there_is_no_static_part() -> None:
    run = lm.simulate(lm.catalogue.snakeboard(), 0.1, motions={"steer": "0.3*sin(t)"}, target="interpreter")
    assert not run.group("static_multipliers") and not run.static_torques
    with pytest.raises(ModelError, match="determine every force"):
        lm.simulate(lm.catalogue.snakeboard(), 0.1, motions={"steer": "0.3*sin(t)"}, static={"rear_lateral": 0.0})


@pytest.mark.parametrize("modules", [5, 14])
def test_the_forces_of_a_snake_with_every_joint_imposed_are_the_smallest(modules: int) -> None:
    """Against the pseudo-inverse of the rows of everything that is not imposed; 14 modules are cut into short chains."""
    snake = lm.catalogue.wheeled_snake(modules)
    angles = {f"joint_{k}": 0.4 * np.sin(1.3 * k) for k in range(1, modules)}
    driven = snake.with_motions({name: f"{value} + 0.1*t" for name, value in angles.items()})
    reduction = choose_reduction(driven)
    q = driven.nominal_pose()
    for name, value in angles.items():
        q[driven.layout.q[name].start] = value
    wanted = 0.7
    rows = reduction.pivots.redundant_rows
    least = ReducedMotion(reduction, q, np.zeros(0))
    chosen = ReducedMotion(reduction, q, np.zeros(0), static=tuple((row, wanted) for row in rows))
    C = np.asarray(least.constraints.matrix)
    free = [j for j in range(driven.layout.nv) if j not in reduction.imposed]
    expected = np.linalg.pinv(C[:, free].T) @ np.asarray(least.unbalanced)[free]
    np.testing.assert_allclose(least.multipliers, expected, atol=1e-9 * np.abs(expected).max())
    assert not np.asarray(least.static_multipliers).any() and not np.asarray(least.static_torques).any()
    assert np.asarray(chosen.row_forces)[list(rows)] == pytest.approx(wanted, rel=1e-12)
    # lambda_stat moves nothing that is not imposed, and the imposed torques balance it there.
    static = np.asarray(chosen.static_multipliers)
    assert np.abs(C[:, free].T @ static).max() < 1e-10
    np.testing.assert_allclose(chosen.static_torques, -C[:, list(reduction.imposed)].T @ static, atol=1e-10)
    np.testing.assert_allclose(np.asarray(chosen.imposed_torques) - chosen.static_torques, least.imposed_torques, atol=1e-9)
