"""Modes read off the cones: many contacts at once, of every sort, and proofs that there is no way on."""

import numpy as np
import pytest

from locomotor.complementarity import coulomb
from locomotor.complementarity.friction import Guess, Side, all_ways, one_way
from locomotor.complementarity.friction.cones import from_cones
from oracles.complementarity import broken_laws, random_contacts, rigid_contacts

ROUND_OFF = 1e-9
"""Modes are exact; what is left is the round-off of linear equations."""


def at_rest(mu, axes=3):
    return [Side(slice(axes * i, axes * i + axes), float(m), np.zeros(axes - 1)) for i, m in enumerate(mu)]


def obeys(W, q, sides, way):
    """Whether a way on obeys the law of every contact, read from its words."""
    r, u = way.forces, W @ way.forces + q
    assert np.abs(u - way.accelerations).max() == 0.0
    near, fast = ROUND_OFF * np.abs(r).max(), ROUND_OFF * (np.abs(W) @ np.abs(r) + np.abs(q)).max()
    for side, mode, direction in zip(sides, way.modes, way.directions, strict=True):
        (normal, *rest), (up, *along) = r[side.rows], u[side.rows]
        friction, along = np.array(rest), np.array(along)
        if mode == "open":
            assert np.abs(r[side.rows]).max() <= near and up >= -fast
            continue
        assert normal >= -near and abs(up) <= fast
        if mode == "stick":
            assert np.abs(along).max() <= fast and np.linalg.norm(friction) <= max(side.bound, side.mu) * normal + near
        elif np.isfinite(side.mu) and side.mu > 0.0:
            assert friction == pytest.approx(-side.mu * normal * direction, abs=near)
            if side.slip.any():
                assert direction == pytest.approx(side.slip)
            else:  # it goes where friction does not, and nowhere else
                assert along == pytest.approx(direction * np.linalg.norm(along), abs=10.0 * fast)


def test_many_contacts_begin_to_slip_at_once(rng):
    """Up to eight in space, redundant or not: enumeration looks at three that do."""
    slipping = []
    for k in range(30):
        W, q, mu = random_contacts(rng) if k % 2 else rigid_contacts(rng)
        way = from_cones(W, q, at_rest(mu))
        assert way is not None and max(broken_laws(W, q, mu, way.forces)) < ROUND_OFF
        obeys(W, q, at_rest(mu), way)
        slipping.append(way.modes.count("slip"))
    assert max(slipping) > 3


def test_low_friction_moves_as_another_method_says(rng):
    for _ in range(20):
        W, q, mu = random_contacts(rng, redundant=False)
        way, wanted = from_cones(W, q, at_rest(0.3 * mu)), coulomb(W, q, 0.3 * mu, method="admm")
        assert way.accelerations == pytest.approx(wanted.slack, abs=1e-6 * np.abs(q).max() * np.linalg.cond(W))


def test_contacts_of_every_sort_together(rng):
    """At rest with two coefficients, slipping, without friction, that never slip, patches, and one without tangents."""
    found = set()
    for _ in range(30):
        sides, first = [], 0
        for kind in rng.choice(["rest", "slips", "smooth", "holds", "patch", "guide", "line"], size=7):
            d = {"patch": 3, "guide": 0, "line": 1}.get(kind, 2)
            slip = rng.normal(size=d) if kind == "slips" else np.zeros(d)
            mu = {"smooth": 0.0, "holds": np.inf}.get(kind, float(rng.uniform(0.0, 0.3)))
            static = mu + rng.uniform(0.0, 0.3) if kind in ("rest", "patch", "line") else None
            sides.append(Side(slice(first, first + d + 1), mu, slip / max(np.linalg.norm(slip), 1e-300), static))
            first += d + 1
        H = rng.normal(size=(first, first + 2))
        W, q = H @ H.T, H @ rng.normal(size=first + 2)
        way = from_cones(W, q, sides)
        if way is not None:  # blocks that never slip may have no way on
            obeys(W, q, sides, way)
            found |= set(zip(way.modes, (s.tangents for s in sides), strict=True))
    assert {("open", 2), ("stick", 2), ("slip", 2), ("slip", 3), ("slip", 0), ("slip", 1)} <= found


def legs(count, push):
    """W and q of a table of 1 kg on legs around it, pushed in its plane at the height of its feet."""
    angles = 2.0 * np.pi * np.arange(count) / count + 0.1
    rows = [[[0, 0, 1, y, -x, 0], [1, 0, 0, 0, 0, -y], [0, 1, 0, 0, 0, x]] for x, y in zip(np.cos(angles), np.sin(angles))]  # noqa: B905
    H = np.vstack(np.array(rows, dtype=float))
    return H @ H.T, H @ np.array([*push, -9.81, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("count", [8, 12, 24])
def test_a_table_that_is_pushed(count):
    """More legs than combinations are tried of: it slides with F/m - mu g, or stands, also where only the static one holds."""
    sides = [side._replace(static=0.5) for side in at_rest([0.3] * count)]
    W, q = legs(count, (6.0, 0.0))
    ways, complete = all_ways(W, q, sides)
    (slides,) = ways
    assert not complete and slides.modes == ("slip",) * count and not slides.unique
    assert slides.accelerations.reshape(-1, 3)[:, 1:] == pytest.approx(np.tile([6.0 - 0.3 * 9.81, 0.0], (count, 1)), abs=1e-9)
    W, q = legs(count, (0.0, 4.0))
    stands = from_cones(W, q, sides)
    assert stands.modes == ("stick",) * count and stands.accelerations == pytest.approx(0.0, abs=1e-9)


def test_a_guess_that_leads_nowhere_is_helped_by_the_cones():
    """Five legs told to stick and pushed aside, each in a direction of its own by inertia."""
    W, q = legs(5, (6.0, 0.0))
    q = q + np.tile([0.0, 40.0, -25.0], 5) * np.repeat([1.0, -2.0, 0.5, 3.0, -1.0], 3)
    sides = at_rest([0.3] * 5)
    way = one_way(W, q, sides, [Guess("stick")] * 5)
    assert way is not None
    obeys(W, q, sides, way)


def test_none_is_said_only_where_it_is_proved():
    """Two walls that press a body from both sides leave no way on, whatever the friction: y = (1, 1) is the proof."""
    wall = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [-1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    many = np.vstack([wall] * 5)
    for H in (wall, many):  # ten contacts have more combinations than are tried
        n = len(H) // 3
        closing = np.tile([-1.0, 0.0, 0.0], n)
        assert all_ways(H @ H.T, closing, at_rest([0.5] * n)) == ((), True)
        apart = np.tile([1.0, 0.0, 0.0, -1.0, 0.0, 0.0], n // 2)
        assert len(all_ways(H @ H.T, apart, at_rest([0.5] * n))[0]) == 1
