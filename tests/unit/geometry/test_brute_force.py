"""Nearest points against trying many: of discs and edges, discs and vertices, and whole shapes over rough ground."""

import numpy as np
import pytest

from locomotor.geometry import Ball, Capsule, Disc, gap, query, surface_of
from locomotor.geometry import disc_edge as de
from locomotor.geometry.shapes import across
from oracles.grounds import at, distance_by_trial, rough
from oracles.sampling import unit

SHAPES = [Ball((0, 0, 0), 0.3), Disc((0, 0, 0), (0, 1, 0), 0.3), Disc((0, 0, 0), (0, 1, 0), 0.3, 0.05),
          Capsule((-0.3, 0, 0), (0.3, 0, 0.1), 0.1)]  # fmt: skip


def rim(centre, axis, radius, count):
    k = across(axis[None])[0]
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)[:, None]
    return centre + radius * (np.cos(angle) * k + np.sin(angle) * np.cross(axis, k))


def refined(distance, angle, width):
    """The least value of a function of the angle near a start, by thirds."""
    low, high = angle - width, angle + width
    for _ in range(120):
        a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (low, b) if distance(a) < distance(b) else (a, high)
    return distance(0.5 * (low + high))


@pytest.mark.parametrize("tilt", [1.0, 0.5, 0.05, 1e-4])
def test_rim_and_line_by_sampling_the_rim(tilt, rng):
    """Where the line does not pierce the disc, its nearest point is on the rim: sampled, then refined by thirds.

    Round-off of the search in a minimum is the root of that of its values: 1e-8 squared at worst, in the distance itself none.
    """
    count = 720
    tried = 0
    for _ in range(70):
        axis, radius, centre = unit(rng), rng.uniform(0.2, 0.5), rng.normal(size=3)
        direction = tilt * axis + np.sqrt(1.0 - tilt**2) * unit_normal(rng, axis)
        start = centre + rng.uniform(0.0, 1.0) * unit(rng)
        pierce = start + ((centre - start) @ axis / (direction @ axis)) * direction
        if np.linalg.norm(pierce - centre) < 1.02 * radius:
            continue
        tried += 1
        k = across(axis[None])[0]
        other = np.cross(axis, k)

        def distance(angle, centre=centre, radius=radius, k=k, other=other, start=start, direction=direction):
            w = centre + radius * (np.cos(angle) * k + np.sin(angle) * other) - start
            return float(np.linalg.norm(w - (w @ direction) * direction))

        angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
        values = np.array([distance(angle) for angle in angles])
        dips = np.flatnonzero((values <= np.roll(values, 1)) & (values <= np.roll(values, -1)))
        wanted = min(refined(distance, angles[i], 2.0 * np.pi / count) for i in dips)
        found = de.nearest(centre[None], axis[None], radius, start[None], direction[None])
        w = found.point[0] - start
        w -= (w @ direction) * direction
        assert found.normal[0] @ w == pytest.approx(wanted, abs=1e-12)
        # C is on the rim, and N is normal to the line and to the rim.
        out = found.point[0] - centre
        assert np.linalg.norm(out) == pytest.approx(radius) and abs(out @ axis) < 1e-14
        assert abs(found.normal[0] @ direction) < 1e-14 and abs(found.normal[0] @ np.cross(axis, out)) < 1e-9 * radius
    assert tried > 8


def unit_normal(rng, axis):
    v = np.cross(axis, unit(rng))
    return v / np.linalg.norm(v)


def test_line_through_the_disc_has_the_least_way_out(rng):
    """Pierced discs: the gap is minus the shortest way, normal to the line, that frees it, over all directions."""
    for _ in range(100):
        axis, radius = unit(rng), 0.35
        direction = unit(rng)
        if abs(axis @ direction) < 0.05:
            continue
        hole = radius * rng.uniform(0.0, 0.98) * unit_normal(rng, axis)
        found = de.nearest(np.zeros((1, 3)), axis[None], radius, hole[None], direction[None])
        depth = float(found.normal[0] @ (found.point[0] - hole))
        k = across(direction[None])[0]
        other = np.cross(direction, k)
        angle = np.linspace(0.0, 2.0 * np.pi, 20000)[:, None]
        ways = np.cos(angle) * k + np.sin(angle) * other
        support = -(ways @ hole) - radius * np.sqrt(1.0 - (ways @ axis) ** 2)
        assert depth < 0.0
        assert depth == pytest.approx(support.max(), abs=1e-7)  # the step of the angle, squared


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_whole_shapes_over_rough_ground(shape, rng):
    """Never farther than the best of many points, and nearer by no more than their spacing explains."""
    kinds = set()
    for _ in range(6):
        ground = rough(rng)
        surface = surface_of(ground)
        for _ in range(4):
            pose = at(*rng.uniform(-1.0, 1.0, 2), rng.uniform(0.7, 1.2), rng.normal(size=3))
            wanted, from_above = distance_by_trial(surface, shape, pose)
            if wanted < 1e-3 or not from_above:
                continue
            found = query(ground, shape, pose)[0]
            kinds.add(found.feature.kind)
            assert found.gap == pytest.approx(gap(ground, shape, pose), abs=1e-15)
            assert np.linalg.norm(found.point - found.foot) == pytest.approx(found.gap, abs=1e-12)
            assert -1e-12 <= wanted - found.gap <= 5e-3
    assert kinds >= {"edge", "vertex"}
