"""All that the friction of a patch may be: its border, beside the definition as a support function."""

import numpy as np
import pytest

from locomotor.complementarity.friction import Guess, Side, all_ways, one_way
from locomotor.complementarity.friction.border import across
from locomotor.mechanics.constraints import PATCH, patch_friction, patch_metric, patch_size
from locomotor.mechanics.impacts.block import slid_on_patch
from oracles.farkas import farkas


def slips(rng, count, apart=3.0):
    """Slips in all proportions, some of them a slide or a spin alone."""
    for k in range(count):
        t = rng.normal(size=3) * 10.0 ** rng.uniform(-apart, apart, 3)
        yield np.where([k % 9 == 1, k % 9 == 1, k % 9 == 2], 0.0, t)


def power(t):
    """Phi(t) of the slip (v, a omega): e.r of the elliptic integrals of Farkas et al. 2003."""
    v, spin = np.hypot(t[0], t[1]), 1.5 * abs(t[2])  # v and omega R
    if v == 0.0 or spin == 0.0:
        return v + spin / 1.5
    force, torque = farkas(v / spin)
    return force * v + torque * spin


def test_friction_is_on_the_border_and_takes_most_power(rng):
    """No other point of the border takes more of a slip: r.t = Phi(t), the support function."""
    every = [np.array(patch_friction(list(t))) for t in slips(rng, 60)]
    for t in slips(rng, 60, 1.0):
        r = np.array(patch_friction(list(t)))
        assert r @ t == pytest.approx(power(t), rel=1e-9)  # differences of elliptic integrals lose digits
        assert max(other @ t for other in every) <= r @ t * (1.0 + 1e-12)


@pytest.mark.parametrize(("steps", "short"), [(0, 4e-5), (1, 5e-10), (2, 3e-15)])
def test_size_is_one_on_the_border(rng, steps, short):
    for t in slips(rng, 300):
        r = np.array(patch_friction(list(t)))
        for times in (1.0, 1e-7, 3e5):
            assert -short <= patch_size(list(times * r), steps) / times - 1.0 <= 3e-15
    assert patch_size([0.0, 0.0, 0.0]) < 1e-40


def test_the_ellipsoid_osculates_the_border(rng):
    """Q t = Phi Phi' on both sides of t, and Q = (Phi²)''/2 by differences."""
    for t in slips(rng, 60):
        t = t / np.linalg.norm(t)
        inverse, r = np.array(patch_metric(list(t))), np.array(patch_friction(list(t)))
        assert inverse @ ((r @ t) * r) == pytest.approx(t, abs=1e-13)
        assert across(PATCH, 7.0 * r) == pytest.approx(t, abs=1e-6)
        aside = np.cross(t, rng.normal(size=3))
        aside *= 1e-5 / np.linalg.norm(aside)
        turned = [(x @ PATCH.friction(x)) * PATCH.friction(x) for x in (t + aside, t - aside)]
        # The curvature has a slope without bound where the disc turns about a point of its rim: h log h there.
        assert np.linalg.inv(inverse) @ aside == pytest.approx(0.5 * (turned[0] - turned[1]), abs=2e-3 * 1e-5)


def test_the_sharpest_and_the_nearest_place_of_the_border():
    """A ball of `INNER` is inside: bounds of a set that are used for it."""
    shortest = min(np.linalg.norm(patch_friction([np.cos(a), 0.0, np.sin(a)])) for a in np.linspace(0.0, np.pi / 2, 2000))
    assert PATCH.INNER < shortest < PATCH.INNER + 1e-3


@pytest.mark.parametrize("bodies", [1, 2])
def test_several_patches_go_on_by_the_law_of_each(rng, bodies):
    """Forces and accelerations found of random contacts are those of Contensou's law, also where forces are not determined."""
    slid = 0
    for _ in range(25):
        rows = 4 * bodies
        A = rng.normal(size=(rows, 6))
        W, q = A @ A.T, 3.0 * rng.normal(size=rows)
        q[::4] = -3.0 * np.abs(q[::4])
        sides = [Side(slice(4 * k, 4 * k + 4), rng.uniform(0.1, 0.5), np.zeros(3), border=PATCH) for k in range(bodies)]
        found = one_way(W, q, sides, [Guess("stick")] * bodies) or all_ways(W, q, sides)[0][0]
        size = np.abs(found.forces).max()
        for side, mode in zip(sides, found.modes, strict=True):
            r, u = found.forces[side.rows], found.accelerations[side.rows]
            if mode == "slip":
                slid += 1
                # Directions are exchanged until they agree to 1e-10 of the accelerations there are.
                assert r[1:] == pytest.approx(-side.mu * r[0] * np.array(patch_friction(list(u[1:]))), abs=1e-7 * size)
            elif mode == "stick":
                assert side.size(r[1:]) <= side.mu * r[0] + 1e-8 * size
    assert slid > 10


def test_a_contact_that_slides_and_spins_never_goes_astray(rng):
    """1/2 r.W r + bound Phi(t) falls with every turn, whatever the mass, the patch and the slip; and it comes to its least.

    By Newton's step alone one in ten of these goes to and fro for ever.
    """
    for _ in range(200):
        arm, spin, pushed = 10 ** rng.uniform(-6, 1), 10 ** rng.uniform(-4, 2), 10 ** rng.uniform(-4, -2)
        size = np.sqrt([0.5, 0.5, arm**2 / spin])
        turned = 0.3 * rng.normal(size=3) * size
        W, bound = np.diag(size**2) + np.outer(turned, turned), 2.0 * pushed
        slip = pushed * 10 ** rng.uniform(-2, 2) * rng.normal(size=3) * [1.0, 1.0, 10 ** rng.uniform(-3, 3)]
        if patch_size(list(np.linalg.solve(W, slip))) < bound:
            continue  # it sticks
        r, entries, values = np.zeros(3), [W[i, j] for i in range(3) for j in range(i, 3)], [bound * power(slip)]
        for _ in range(60):
            r = np.array(slid_on_patch(entries, bound, r.tolist(), (slip - W @ r).tolist(), 1))
            values.append(0.5 * r @ W @ r + bound * power(slip - W @ r))
        assert np.diff(values).max() < 1e-8 * values[0]  # of elliptic integrals digits are lost
        left = r / bound - patch_friction(list(slip - W @ r))
        assert np.abs(left).max() < 0.05  # the slowest, where hardly any slip is left; nearly all are at round-off
