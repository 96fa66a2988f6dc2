"""Contacts with Coulomb friction: laws of contact read from their words, closed forms, and methods that share no line."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.complementarity import coulomb, faceted, lcp
from locomotor.complementarity.friction import local
from oracles import siconos
from oracles.complementarity import CLASSES, broken_laws, natural_residual, quartic_forces, random_contacts, rigid_contacts

SMALL = 2e-10  # relative to the sizes of forces and velocities: each part of a residual is below 1e-10, a law has one or two


def bar(angle):
    """Delassus matrix of the end of a slender bar, half length 1 m and mass 1 kg (Painlevé's example), and its (cos, sin)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1 + 3 * c * c, -3 * c * s], [-3 * c * s, 1 + 3 * s * s]]), c, s


def random_block(rng, redundant=False):
    H = rng.normal(size=(3, 2 if redundant else 4))
    return H @ H.T


class TestOneContact:
    def test_laws_hold(self, rng):
        for _ in range(400):
            W, q, mu = random_block(rng), rng.normal(size=3), float(rng.uniform(0.0, 1.5))
            r = local.solve_contact(local.prepare_contact(W, mu), q)
            assert max(broken_laws(W, q, np.array([mu]), r)) < 1e-13

    def test_slip_is_a_root_of_the_quartic(self, rng):
        slips = 0
        for _ in range(300):
            W, q, mu = random_block(rng), rng.normal(size=3), float(rng.uniform(0.05, 1.0))
            r = local.solve_contact(local.prepare_contact(W, mu), q)
            if r[0] > 0.0 and np.linalg.norm(W @ r + q) > 1e-9:
                slips += 1
                # The companion matrix loses half the digits where two roots are near.
                assert min(np.abs(r - other).max() for other in quartic_forces(W, q, mu)) < 1e-6 * np.abs(r).max()
        assert slips > 60

    def test_stick_and_open(self, rng):
        W = random_block(rng)
        assert local.solve_contact(local.prepare_contact(W, 0.5), np.array([0.1, 3.0, -1.0])) == pytest.approx(0.0)
        inside = np.array([2.0, 0.3, -0.5])
        assert local.solve_contact(local.prepare_contact(W, 0.5), -W @ inside) == pytest.approx(inside, rel=1e-12)

    def test_level_ground(self):
        """A particle: friction is mu times the weight against the slip, or less if that stops it."""
        contact = local.prepare_contact(np.eye(3) / 2.0, 0.5)
        assert local.solve_contact(contact, np.array([-1.0, 0.6, 0.8])) == pytest.approx([2.0, -0.6, -0.8])
        assert local.solve_contact(contact, np.array([-1.0, 0.0, -0.4])) == pytest.approx([2.0, 0.0, 0.8])

    def test_no_friction(self, rng):
        W, q = random_block(rng), np.array([-1.0, 2.0, 0.5])
        assert local.solve_contact(local.prepare_contact(W, 0.0), q) == pytest.approx([1.0 / W[0, 0], 0.0, 0.0])

    def test_direction_that_cannot_move(self):
        """A contact that slides along one line only needs no force across it."""
        W = np.diag([1.0, 1.0, 0.0])
        assert local.solve_contact(local.prepare_contact(W, 0.5), np.array([-1.0, 0.2, 0.0])) == pytest.approx([1.0, -0.2, 0.0])

    def test_immovable_contact_has_no_solution(self):
        assert local.solve_contact(local.prepare_contact(np.zeros((3, 3)), 0.5), np.array([-1.0, 0.0, 0.0])) is None


class TestBar:
    """The end of a bar on the ground, gravity 9.8 m/s^2: values computed apart from the closed form of its motion."""

    @pytest.mark.parametrize("method", ["auto", "lemke", "gauss-seidel", "newton", "admm"])
    @pytest.mark.parametrize(
        ("angle", "rate", "mu", "force", "acceleration"),
        [
            (1.0, 2.0, 1.6, (4.28846, 1.18046), (0.0, 0.0)),
            (1.0, 2.0, 0.2, (4.01382, 0.80276), (0.0, -0.80541)),
            (1.0, 4.0, 0.2, (0.0, 0.0), (3.66354, 8.64484)),
            (0.7, 0.0, 0.3, (4.23967, 1.27190), (0.0, -3.41150)),
        ],
    )
    def test_accelerations_from_rest(self, angle, rate, mu, force, acceleration, method):
        W, c, s = bar(angle)
        found = coulomb(W, [rate**2 * s - 9.8, rate**2 * c], [mu], method=method)
        assert found.solved and found.solution == pytest.approx(force, abs=6e-6)
        assert found.slack == pytest.approx(acceleration, abs=6e-6)

    @pytest.mark.parametrize(
        ("before", "mu", "impulse", "after"),
        [
            ((-1.0, -3.0), 0.5, (0.83765657, 0.41882828), (0.0, -2.83400663)),
            ((-1.0, -0.5), 1.0, (0.95154833, 0.575459), (0.0, 0.0)),
            ((-1.0, -3.0), 1.6, (1.80401467, 1.74782134), (0.0, 0.0)),
            ((-1.0, 3.0), 0.5, (0.39096819, -0.1954841), (0.0, 1.85600506)),
        ],
    )
    def test_inelastic_impacts(self, before, mu, impulse, after):
        found = coulomb(bar(1.0)[0], before, [mu])
        assert found.solution == pytest.approx(impulse, abs=6e-9) and found.slack == pytest.approx(after, abs=6e-9)


class TestManyContacts:
    @pytest.mark.parametrize("count", [24, pytest.param(1000, marks=pytest.mark.slow)])
    def test_three_methods(self, count, rng):
        """Each by the laws themselves; where forces are unique (regular W, friction below 0.5) all are the same forces."""
        lost = 0
        for number in range(count):
            redundant = bool(number % 2)
            W, q, mu = rigid_contacts(rng) if number % 4 == 3 else random_contacts(rng, redundant=redundant)
            mu = mu if redundant else 0.5 * mu
            found = coulomb(W, q, mu)
            assert found.solved and max(broken_laws(W, q, mu, found.solution)) < SMALL
            others = [coulomb(W, q, mu, method=method) for method in ("gauss-seidel", "newton", "admm")]
            good = [other for other in others if other.solved]
            lost += 3 - len(good)
            assert len(good) >= 2
            for other in good:
                assert max(broken_laws(W, q, mu, other.solution)) < SMALL
                if not redundant:
                    apart, size = np.abs(other.solution - found.solution).max(), np.abs(found.solution).max()
                    assert apart <= SMALL * np.linalg.cond(W) * size
        assert lost <= 0.03 * count  # of three methods each: not every iteration converges where friction is high

    def test_plane_by_pivots_and_by_cones(self, rng):
        for _ in range(20):
            W, q, mu = random_contacts(rng, axes=2)
            pivoted, swept = coulomb(W, q, mu, method="lemke"), coulomb(W, q, mu, method="gauss-seidel")
            assert pivoted.solved and max(broken_laws(W, q, mu, pivoted.solution)) < SMALL
            assert not swept.solved or max(broken_laws(W, q, mu, swept.solution)) < SMALL

    def test_without_friction_it_is_linear(self, rng):
        W, q, mu = random_contacts(rng, redundant=False)
        found = coulomb(W, q, 0.0 * mu)
        assert found.solution[::3] == pytest.approx(lcp(W[::3, ::3], q[::3]).solution, abs=1e-8)

    def test_contacts_that_do_not_touch_each_other(self, rng):
        """Block-diagonal W: each contact as if alone."""
        blocks, q, mu = [random_block(rng) for _ in range(4)], rng.normal(size=12), rng.uniform(0.1, 1.0, size=4)
        W = np.zeros((12, 12))
        for i, block in enumerate(blocks):
            W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = block
        alone = [
            local.solve_contact(local.prepare_contact(b, m), q[3 * i : 3 * i + 3])
            for i, (b, m) in enumerate(zip(blocks, mu, strict=True))
        ]
        assert coulomb(W, q, mu).solution == pytest.approx(np.concatenate(alone), abs=1e-9)

    def test_box_at_rest(self):
        """Four corners of a box on an incline below the angle of friction: nothing moves, forces carry the weight."""
        rows = [
            np.array([[0, 0, 1.0, y, -x, 0], [1, 0, 0, 0, -0.5, -y], [0, 1, 0, 0.5, 0, x]])
            for x, y in ((1, 1), (1, -1), (-1, -1), (-1, 1))
        ]
        H = np.vstack(rows)
        weight = 9.81 * np.array([np.sin(0.4), 0.0, -np.cos(0.4), 0.0, 0.0, 0.0])
        stuck = coulomb(H @ H.T, H @ weight, np.full(4, 0.5))  # tan 0.4 = 0.423
        assert stuck.solved and np.abs(stuck.slack).max() < 1e-9
        assert H.T @ stuck.solution == pytest.approx(-weight, abs=1e-9)
        slides = coulomb(H @ H.T, H @ weight, np.full(4, 0.3))
        wanted = 9.81 * (np.sin(0.4) - 0.3 * np.cos(0.4))
        assert slides.slack.reshape(4, 3)[:, 1] == pytest.approx(wanted, abs=1e-8)

    def test_nothing(self):
        found = coulomb(np.zeros((0, 0)), [], [])
        assert found.solved and found.solution.shape == (0,)

    @pytest.mark.parametrize("method", ["auto", "gauss-seidel", "newton", "admm"])
    @pytest.mark.parametrize("axes", [2, 3])
    def test_jammed_between_walls(self, method, axes):
        """Two walls close in on a body from both sides: no forces help, and normal forces in balance prove it."""
        H = np.zeros((2 * axes, 3))
        for row, column, sign in ((0, 0, 1.0), (axes, 0, -1.0), (1, 1, 1.0), (axes + 1, 1, 1.0)):
            H[row, column] = sign
        q = np.zeros(2 * axes)
        q[[0, axes]] = -1.0, -0.5
        found = coulomb(H @ H.T, q, [0.5, 0.5], method=method, limit=50)
        assert found.status == "ray" and found.proof and np.isnan(found.solution).all()
        y = found.certificate
        assert y.min() > 0.0 and y[0] == pytest.approx(y[1]) and y @ q[::axes] < 0.0

    def test_limit_is_told(self, rng):
        W, q, mu = random_contacts(rng, redundant=False)
        q[0] = -1.0
        found = coulomb(W, q, mu, method="admm", limit=1)
        assert found.status == "limit" and found.residual > 1e-10 and found.iterations == 1


class TestFacets:
    def test_exact_in_the_plane(self, rng):
        for _ in range(20):
            W, q, mu = random_contacts(rng, axes=2)
            found = faceted(W, q, mu)
            assert found.solved and max(broken_laws(W, q, mu, found.solution)) < SMALL

    def test_more_facets_are_nearer_to_the_cone(self):
        """A sliding particle: friction of a pyramid with k facets misses the direction by an angle up to pi / k."""
        q = np.array([-1.0, np.cos(0.7), np.sin(0.7)])
        exact = coulomb(np.eye(3), q, [0.5]).solution
        for k in (4, 16, 64):
            error = np.linalg.norm(faceted(np.eye(3), q, [0.5], facets=k).solution - exact)
            assert error <= 0.5 * np.pi / k
        assert np.linalg.norm(faceted(np.eye(3), q, [0.5], facets=4).solution - exact) > 0.1

    def test_pyramid_of_four(self):
        """Slip along an edge of the pyramid is exact."""
        found = faceted(np.eye(3), [-1.0, 2.0, 0.0], [0.5], facets=4)
        assert found.solution == pytest.approx([1.0, -0.5, 0.0])

    def test_inside_its_pyramid(self, rng):
        W, q, mu = random_contacts(rng, redundant=True)
        found = faceted(W, q, mu, facets=6)
        r = found.solution.reshape(-1, 3)
        assert found.solved and (np.linalg.norm(r[:, 1:], axis=1) <= mu * r[:, 0] + 1e-9).all()
        assert found.slack[::3].min() > -1e-9

    def test_jammed(self):
        found = faceted(np.diag([0.0, 1.0, 1.0]), [-1.0, 0.0, 0.0], [0.5])
        assert found.status == "ray" and found.proof


@pytest.mark.skipif(siconos.interpreter() is None, reason="no Python of this machine has Siconos (Debian: python3-siconos)")
class TestAgainstSiconos:
    def test_linear(self, rng, tmp_path):
        """Lexicographic Lemke of both: the same solution where it is unique, the same verdict where there is none."""
        problems = [CLASSES[name](rng, 6) for name in ("positive_definite", "p_matrix", "infeasible") for _ in range(20)]
        for (info, z), (M, q) in zip(siconos.judged("lcp", problems, tmp_path), problems, strict=True):
            found = lcp(M, q)
            # Siconos calls some of the infeasible ones solved: what it gives is then none, or made of the round-off of M.
            assert found.solved == (info == 0 and natural_residual(M, q, z) < 1e-9 and np.abs(z).max() < 1e10)
            if found.solved:
                assert found.solution == pytest.approx(z, abs=1e-9 * max(1.0, np.abs(z).max()))

    def test_friction(self, rng, tmp_path):
        problems = [random_contacts(rng, redundant=False) for _ in range(40)]
        problems = [(W, q, 0.5 * mu) for W, q, mu in problems]
        for (info, r), (W, q, mu) in zip(siconos.judged("friction", problems, tmp_path), problems, strict=True):
            assert info == 0
            size = SMALL * np.linalg.cond(W) * max(1.0, np.abs(r).max())
            assert coulomb(W, q, mu).solution == pytest.approx(r, abs=size)


@pytest.mark.parametrize("apart", [1e4, 1e6, 1e8, 1e12])
@pytest.mark.parametrize("axes", [2, 3])
def test_contacts_of_light_bodies_count_as_much_as_those_of_heavy_ones(apart, axes):
    """Two blocks of very different mass, each pulled within its cone: r = (1, -0.1) at both, exactly."""
    scale = np.repeat([apart, 1.0 / apart], axes)
    one = np.array([-1.0, 0.1, 0.0][:axes])
    W, q, expected = np.diag(scale), scale * np.tile(one, 2), np.tile(-one, 2)
    assert coulomb(W, q, [0.3, 0.3]).solution == pytest.approx(expected, abs=1e-12)
    for method in ("gauss-seidel", "newton", "admm", *(["lemke"] if axes == 2 else [])):
        answer = coulomb(W, q, [0.3, 0.3], method=method)
        assert not answer.solved or answer.solution == pytest.approx(expected, abs=1e-9), method
    compiled = lm.codegen.contact_forces(W[None], q[None], [[0.3, 0.3]])
    assert compiled.status[0] == 0 and compiled.solution[0] == pytest.approx(expected, abs=1e-9)
