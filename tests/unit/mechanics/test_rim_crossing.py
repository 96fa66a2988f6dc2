"""Where the rim of a disc crosses an edge, also where the disc lies along it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from locomotor.mechanics.constraints.rim_crossing import RimOnEdge, across_rim, rim_crossing
from locomotor.typing import Array


def touching(tilt: float, rng: np.random.Generator) -> RimOnEdge:
    """A disc of radius 0.3 whose rim is on an edge that has a part `tilt` along its axis."""
    turned = Rotation.random(random_state=int(rng.integers(1000))).as_matrix()
    axis, u, t = turned
    angle = rng.uniform(0.3, 1.2)
    within = np.cos(angle) * u + np.sin(angle) * t
    e = tilt * axis + np.sqrt(1.0 - tilt * tilt) * within
    sign = 1.0 if rng.uniform() < 0.5 else -1.0
    # The centre is at -r u from the rim, which is anywhere along the edge.
    return RimOnEdge(axis, e, 0.7 * e - 0.3 * u, 0.3 * u, sign * t)


@pytest.mark.parametrize("tilt", [0.0, 1e-9, -1e-4, 0.3, -0.499, 0.501, 0.9, -1.0])
def test_the_point_and_the_normal_are_those_of_the_edge(tilt: float, rng: np.random.Generator) -> None:
    for _ in range(5):
        rim = touching(tilt, rng)
        out, normal = across_rim(rim)
        assert out == pytest.approx(rim.at / 0.3, abs=1e-12)
        expected = np.cross(rim.direction, rim.tangent)
        assert normal == pytest.approx(expected / np.linalg.norm(expected), abs=1e-12)


@pytest.mark.parametrize("tilt", [0.0, -1e-4, 0.3, 0.7, -0.95])
def test_their_rates_are_their_differences(tilt: float, rng: np.random.Generator) -> None:
    h = 1e-6
    for _ in range(5):
        rim, omega, velocity = touching(tilt, rng), rng.normal(size=3), rng.normal(size=3)

        def at(t: float, rim: RimOnEdge = rim, omega: Array = omega, velocity: Array = velocity) -> tuple[Array, Array]:
            R = Rotation.from_rotvec(t * omega).as_matrix()
            return across_rim(RimOnEdge(R @ rim.axis, rim.direction, rim.offset + t * velocity, R @ rim.at, R @ rim.tangent))

        (_, out_dot), (_, normal_dot) = rim_crossing(rim, velocity, omega)
        (out, normal), (before, under) = at(h), at(-h)
        scale = 1.0 + np.linalg.norm(out_dot)
        assert out_dot == pytest.approx((out - before) / (2 * h), abs=1e-7 * scale)
        assert normal_dot == pytest.approx((normal - under) / (2 * h), abs=1e-6 * scale)
