"""Poses as a traced function agree with the kinematics on numbers, free parameters included."""

import numpy as np
import pytest

import locomotor as lm
from locomotor import codegen
from locomotor.mechanics.chart.poses import perturbed
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.tracing.readings.frames import body_poses


@pytest.mark.parametrize("base", ["SE3", "SE2"])
@pytest.mark.parametrize("free", [(), ("w", "lam")])
def test_poses_agree_with_the_kinematics(base: str, free: tuple[str, ...], rng: np.random.Generator) -> None:
    bike = lm.catalogue.bicycle(base=base)
    kernel = codegen.compile(body_poses(bike, free), target="interpreter")
    values = {**bike.parameters.values, "w": 1.2, "lam": 0.4} if free else bike.parameters.values
    q = np.array([perturbed(bike, bike.nominal_pose(), 1.0, rng) for _ in range(3)])
    (rows,) = kernel(q, np.array([values[name] for name in free]))
    assert rows.shape == (3, len(bike.bodies), 12)
    for k in range(3):
        poses = forward(Instant(bike, q[k], np.zeros(bike.layout.nv), parameters=values)).poses
        for i, pose in enumerate(poses):
            assert np.allclose(rows[k, i, :9].reshape(3, 3), pose.rotation, atol=1e-14)
            assert np.allclose(rows[k, i, 9:], pose.translation, atol=1e-14)
