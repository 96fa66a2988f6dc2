"""Impact laws by name: published tables, closed forms, independent derivations, and energy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import nnls

from locomotor import complementarity
from locomotor.complementarity import IMPACT_LAWS, ImpactLaw, impact, impact_of, impact_without_collision, register_impact_law
from locomotor.complementarity.impacts import Found, registry
from locomotor.errors import ArgumentError, LocomotorError, MatrixShapeError

CRADLE = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])  # gaps between three balls in a row
STRUCK = np.array([1.0, 0.0, 0.0])
TOGETHER, ELASTIC = (1 / 3, 1 / 3, 1 / 3), (-1 / 3, 2 / 3, 2 / 3)
FRICTIONAL = [name for name, law in IMPACT_LAWS.items() if "friction" in law.takes]


def bar(angle):
    """Delassus matrix of the end of a slender bar, half length 1 m and mass 1 kg (Painlevé's example)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1 + 3 * c * c, -3 * c * s], [-3 * c * s, 1 + 3 * s * s]])


def random_collision(rng, axes, most):
    """Rows and velocities of a random system with masses 1, and what its contacts see of them."""
    n = int(rng.integers(1, most + 1))
    H = rng.normal(size=(axes * n, axes * n + int(rng.integers(-1 if n > 1 else 0, 3)))) * np.exp(
        0.5 * rng.normal(size=(axes * n, 1))
    )
    v = rng.normal(size=H.shape[1])
    return H, v, rng.uniform(0.0, 1.5, size=n)


def some_options(rng, law, contacts):
    given = {}
    if "restitution" in law.takes:
        given["restitution"] = rng.uniform(0.0, 1.0, size=contacts)
    if "dissipation" in law.takes:
        given["dissipation"] = float(rng.uniform())
    return given


class TestThreeBalls:
    """Génot 1998, table I.1: equal balls, the first strikes two that touch."""

    @pytest.mark.parametrize(
        ("law", "options", "after", "lost"),
        [
            ("poisson", {"restitution": 1.0}, ELASTIC, 0.0),
            ("van der schaft", {}, TOGETHER, 1 / 3),
            ("moreau", {"dissipation": 1.0}, TOGETHER, 1 / 3),
            ("moreau", {"dissipation": 0.0}, ELASTIC, 0.0),
            ("lotstedt", {}, TOGETHER, 1 / 3),
            ("haug", {"restitution": 1.0}, ELASTIC, 0.0),
            ("haug", {"restitution": 0.0}, TOGETHER, 1 / 3),
            ("inelastic", {}, TOGETHER, 1 / 3),
            ("newton", {"restitution": 1.0}, ELASTIC, 0.0),
            ("stronge", {"restitution": 1.0}, ELASTIC, 0.0),
        ],
    )
    def test_table(self, law, options, after, lost):
        found = impact_of(np.eye(3), CRADLE, STRUCK, law=law, **options)
        assert found.status == "solved"
        assert found.motion == pytest.approx(after, abs=1e-14)
        assert found.energy_lost == pytest.approx(lost, abs=1e-14)

    def test_enumeration_finds_both(self):
        """All at once, and one after the other; the law does not choose."""
        found = impact_of(np.eye(3), CRADLE, STRUCK, law="han gilmore", restitution=1.0)
        assert found.status == "several" and found.solved
        assert found.motion == pytest.approx(ELASTIC, abs=1e-14)
        (other,) = found.others
        assert other.motion == pytest.approx((0.0, 0.0, 1.0), abs=1e-14)
        assert (found.energy_lost, other.energy_lost) == pytest.approx((0.0, 0.0), abs=1e-14)

    def test_orders_that_come_to_the_same_are_followed_once(self):
        """Six balls: all orders of elastic impacts end, among them the cradle, and their number stays small."""
        found = impact_of(np.eye(6), np.diff(np.eye(6), axis=0), np.eye(6)[0], law="han gilmore", restitution=1.0)
        assert found.status == "several" and found.complete
        assert found.motion == pytest.approx([-2 / 3, *[1 / 3] * 5], abs=1e-14)
        assert any(other.motion == pytest.approx(np.eye(6)[5], abs=1e-12) for other in found.others)
        for other in (found, *found.others):
            assert other.motion.sum() == pytest.approx(1.0, abs=1e-12) and other.motion @ other.motion == pytest.approx(1.0)
            assert (other.velocities > -1e-8).all()

    @pytest.mark.parametrize(("e", "status"), [(0.3, "solved"), (1.0, "limit")])
    def test_a_ball_between_two_walls(self, e, status):
        """Its impacts fade to rest, or never end: impulses 1 + e, e (1 + e), ..., of which each wall has every other one."""
        found = impact_of([[1.0]], [[1.0], [-1.0]], [1.0], law="han gilmore", restitution=e)
        assert found.status == status and found.complete == (status == "solved")
        if status == "solved":
            assert found.impulses == pytest.approx(np.array([e, 1.0]) * (1 + e) / (1 - e * e), abs=1e-8)

    @pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
    def test_haug_for_every_restitution(self, e):
        found = impact_of(np.eye(3), CRADLE, STRUCK, law="haug", restitution=e)
        assert found.motion == pytest.approx(((1 - 2 * e) / 3, (1 + e) / 3, (1 + e) / 3), abs=1e-14)

    @pytest.mark.parametrize("law", ["newton", "poisson"])
    def test_cradle_by_a_restitution_matrix(self, law):
        """Only a matrix gives (0, 0, 1): Newton's takes approaches, Poisson's impulses of compression (2/3, 1/3)."""
        E = [[0.0, 1.0], [1.0, 0.0]] if law == "newton" else [[0.5, 0.0], [1.0, 0.0]]
        found = impact_of(np.eye(3), CRADLE, STRUCK, law=law, restitution=E)
        assert found.motion == pytest.approx((0.0, 0.0, 1.0), abs=1e-14)


class TestBar:
    """A slender bar at 1 rad strikes with one end: numbers worked out apart, 8 digits."""

    @pytest.mark.parametrize(
        ("before", "mu", "impulse", "after"),
        [
            ((-1.0, -3.0), 0.5, (0.83765657, 0.41882828), (0.0, -2.83400663)),
            ((-1.0, -0.5), 1.0, (0.95154833, 0.575459), (0.0, 0.0)),
            ((-1.0, -3.0), 1.6, (1.80401467, 1.74782134), (0.0, 0.0)),
            ((-1.0, 3.0), 0.5, (0.39096819, -0.1954841), (0.0, 1.85600506)),
        ],
    )
    def test_inelastic(self, before, mu, impulse, after):
        for law in ("inelastic", "moreau", "newton", "poisson", "stronge"):
            found = impact(bar(1.0), before, [mu], law=law)
            assert found.impulses == pytest.approx(impulse, abs=6e-9)
            assert found.velocities == pytest.approx(after, abs=6e-9)

    def test_lotstedt_rebounds(self):
        found = impact(bar(1.0), [0.0, -3.0], [1.0], law="lotstedt")
        assert found.impulses == pytest.approx((1.32035993, 1.32035993), abs=6e-9)
        assert found.velocities == pytest.approx((0.67580459, -0.67580459), abs=6e-9)
        assert found.impulses @ found.velocities == pytest.approx(0.0, abs=1e-14)

    def test_impact_without_collision(self):
        """At 1 rad with a friction of 1.6 the bar has no finite force: closed forms of the source's appendix B."""
        angle, slip = 1.0, -3.0
        c, s = np.cos(angle), np.sin(angle)
        jam = impact_without_collision(bar(angle), [0.0, slip], 1.6)
        assert jam.ratio == pytest.approx([(1 + 3 * c * c) / (3 * s * c)], rel=1e-14)
        assert jam.impulse[0] == pytest.approx(-0.75 * s * c * slip, rel=1e-14)
        assert jam.most == pytest.approx(-1.5 * s * c * slip, rel=1e-14)
        assert jam.energy_lost == pytest.approx((1 + 3 * c * c) / 8 * slip**2, rel=1e-14)
        assert (jam.most, jam.impulse[0], jam.energy_lost) == pytest.approx((2.04591921, 1.02295961, 2.11025221), abs=6e-9)
        W = bar(angle)
        for share in (0.25, 1.0, 2.0):
            L = share * jam.impulse
            u = np.array([0.0, slip]) + W @ L
            assert u == pytest.approx([0.0, slip * (1 - share)], abs=1e-14)
            assert L @ (u + [0.0, slip]) <= 1e-14

    @pytest.mark.parametrize(("angle", "mu"), [(0.3, 1.6), (1.0, 1.3), (1.4, 1.6)])
    def test_no_jam_where_a_force_lifts(self, angle, mu):
        """1 + 3 cos (cos - mu sin) > 0."""
        assert impact_without_collision(bar(angle), [0.0, -3.0], mu) is None

    def test_no_jam_without_slip_or_of_a_contact_that_approaches(self):
        assert impact_without_collision(bar(1.0), [0.0, 0.0], 1.6) is None
        assert impact_without_collision(bar(1.0), [-1.0, -3.0], 1.6) is None

    def test_newton_gains_energy_where_slip_stops(self):
        """By hand: L = -W^-1 ((1 + e) u_N, u_T), more energy than before though e < 1 (Kane and Levinson 1985)."""
        W, u, e = bar(0.8), np.array([-1.0, 0.5]), 0.9
        L = -np.linalg.solve(W, [(1 + e) * u[0], u[1]])
        found = impact(W, u, [0.5], law="newton", restitution=e)
        assert found.impulses == pytest.approx(L, rel=1e-12)
        assert found.gained and found.energy_lost == pytest.approx(-0.5 * L @ (u + [e, 0.0]), rel=1e-12)
        for law in ("poisson", "stronge", "energetic", "routh"):
            assert impact(W, u, [0.5], law=law, restitution=e).energy_lost > 0.0


def test_poisson_gains_energy_where_contacts_wedge_each_other():
    H = [[0.86, -0.63, 0.52, 1.09], [-0.79, 2.42, -2.28, 0.01], [-0.05, 3.07, 1.02, -0.73], [-0.9, -0.34, 0.25, -1.61]]
    found = impact_of(np.eye(4), H, [-3.65, -2.17, -0.55, -1.59], [4.57, 19.77], law="poisson", restitution=[1.0, 0.95])
    assert found.status == "solved" and found.gained
    assert IMPACT_LAWS["poisson"].can_gain


class TestDerivations:
    def test_inelastic_without_friction_is_the_nearest_velocity(self, rng):
        """Gauss: min |v+ - v|^2 with H v+ >= 0, by another solver (Moreau's nearest point; Lötstedt's program)."""
        for _ in range(20):
            H, v = rng.normal(size=(3, 4)), rng.normal(size=4)
            L, _ = nnls(H.T, -v)  # the nearest point of the polar cone
            for law in ("inelastic", "lotstedt", "moreau", "newton", "poisson", "stronge"):
                assert impact_of(np.eye(4), H, v, law=law).motion == pytest.approx(v + H.T @ L, abs=1e-12)

    def test_moreau_reflects_the_nearest_velocity(self, rng):
        for index in (0.0, 0.3, 1.0):
            H, v = rng.normal(size=(2, 4)), rng.normal(size=4)
            near = v + H.T @ nnls(H.T, -v)[0]
            wanted = (2.0 * near - (1.0 - index) * v) / (1.0 + index)
            assert impact_of(np.eye(4), H, v, law="moreau", dissipation=index).motion == pytest.approx(wanted, abs=1e-12)

    def test_poisson_gives_back_the_least_energy(self, rng):
        """Without friction: min L W L / 2 with L >= e L_C."""
        for _ in range(10):
            H, v, e = rng.normal(size=(3, 3)), rng.normal(size=3), rng.uniform(size=3)
            first = nnls(H.T, -v)[0]
            middle = v + H.T @ first
            more = nnls(H.T, -(middle + H.T @ (e * first)))[0]
            wanted = middle + H.T @ (e * first + more)
            assert impact_of(np.eye(3), H, v, law="poisson", restitution=e).motion == pytest.approx(wanted, abs=1e-11)

    @pytest.mark.parametrize("axes", [2, 3])
    def test_lotstedt_is_a_convex_program(self, axes, rng):
        """Its conditions of optimality, which are sufficient: L in the cones, u+ in their duals, orthogonal."""
        pushed = 0
        for _ in range(30):
            H, v, mu = random_collision(rng, axes, 2)
            found = impact_of(np.eye(len(v)), H, v, mu, law="lotstedt")
            L, u = found.impulses.reshape(len(mu), axes), found.velocities.reshape(len(mu), axes)
            assert (mu * L[:, 0] - np.linalg.norm(L[:, 1:], axis=1) >= -1e-9 * (1 + np.abs(L).max())).all()
            assert (u[:, 0] - mu * np.linalg.norm(u[:, 1:], axis=1) >= -1e-9 * (1 + np.abs(u).max())).all()
            assert found.impulses @ found.velocities == pytest.approx(0.0, abs=1e-9 * (1 + np.abs(L).max()))
            pushed += L.any()
        assert pushed > 10

    @pytest.mark.parametrize("law", ["newton", "poisson", "stronge", "energetic", "routh"])
    def test_sphere(self, law):
        """A solid ball (u_N and u_T do not couple, W_TT = 7/2): it slips through, or rolls off, whatever the law."""
        for slip, mu, e in ((3.0, 0.1, 0.6), (1.0, 0.4, 0.5)):
            found = impact(np.diag([1.0, 3.5, 3.5]), [-1.0, 0.6 * slip, 0.8 * slip], [mu], law=law, restitution=e)
            left = max(slip - 3.5 * mu * (1 + e), 0.0)
            assert found.velocities == pytest.approx([e, 0.6 * left, 0.8 * left], abs=1e-12)

    @pytest.mark.parametrize("law", ["poisson", "stronge", "energetic", "routh"])
    def test_one_contact_that_slips_all_the_way(self, law):
        """A bar that slides towards its middle: one rate k of u_N for both phases, so that all coefficients agree."""
        W, u, mu, e = bar(1.0), np.array([-1.0, 9.0]), 0.2, 0.7
        k = W[0, 0] - mu * W[0, 1]
        p = (1 + e) / k
        found = impact(W, u, [mu], law=law, restitution=e)
        assert found.impulses == pytest.approx([p, -mu * p], rel=1e-12)
        assert found.velocities[0] == pytest.approx(e, rel=1e-12)

    def test_slip_that_stops_and_sticks(self):
        """By hand, bar at 1 rad with mu = 1.5: slip stops within compression, then the end sticks (|W_TN / W_TT| < mu)."""
        W, u, mu, e = bar(1.0), np.array([-1.0, 0.5]), 1.5, 0.6
        slow = W[1, 0] - mu * W[1, 1]
        p1 = -u[1] / slow
        n1 = u[0] + (W[0, 0] - mu * W[0, 1]) * p1
        assert n1 < 0.0  # still in compression
        hold = -W[1, 0] / W[1, 1]
        k = W[0, 0] + W[0, 1] * hold
        p2 = -n1 / k
        work = 0.5 * p1 * (u[0] + n1) + 0.5 * p2 * n1
        p3 = np.sqrt(-2.0 * e * e * work / k)
        found = impact(W, u, [mu], law="energetic", restitution=e)
        assert found.impulses == pytest.approx([p1 + p2 + p3, -mu * p1 + hold * (p2 + p3)], rel=1e-12)
        assert found.velocities == pytest.approx([k * p3, 0.0], abs=1e-13)
        other = impact(W, u, [mu], law="routh", restitution=e)
        assert other.impulses[0] == pytest.approx((1 + e) * (p1 + p2), rel=1e-12)

    @pytest.mark.parametrize("law", ["energetic", "routh"])
    def test_slip_that_turns_in_space(self, law, rng):
        """Against the plain equations du/dp = W (1, -mu u_T/|u_T|), integrated by another method up to the end of slip."""
        for _ in range(6):
            H = rng.normal(size=(3, 4))
            W, u, mu, e = H @ H.T, np.array([-1.0, 8.0, -3.0]), 0.15, 0.8
            found = impact(W, u, [mu], law=law, restitution=e)

            def rate(p, y, W=W, mu=mu):
                return [*(W @ [1.0, *(-mu * y[1:3] / np.linalg.norm(y[1:3]))]), y[0]]

            def closed(p, y):
                return y[0]

            def slow(p, y):
                return np.linalg.norm(y[1:3]) - 1e-3

            closed.direction, slow.terminal = 1.0, True
            path = solve_ivp(
                rate, (0, 50), [*u, 0.0], method="LSODA", rtol=1e-12, atol=1e-13, events=(closed, slow), dense_output=True
            )
            end = found.impulses[0]
            if path.t[-1] < end or not len(path.t_events[0]):
                continue
            middle = path.t_events[0][0]
            assert found.compression[0] == pytest.approx(middle, rel=1e-8)
            assert found.velocities == pytest.approx(path.sol(end)[:3], abs=1e-7)
            works = path.sol(middle)[3], path.sol(end)[3] - path.sol(middle)[3]
            ratio = end / middle - 1.0 if law == "routh" else np.sqrt(-works[1] / works[0])
            assert ratio == pytest.approx(e, rel=1e-7)

    def test_turning_the_axes_turns_the_answer(self, rng):
        for law in FRICTIONAL:
            H, v, mu = random_collision(rng, 3, 1)
            c, s = np.cos(0.7), np.sin(0.7)
            R = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])
            options = some_options(rng, IMPACT_LAWS[law], 1)
            here, there = (impact_of(np.eye(len(v)), A @ H, v, mu, law=law, **options) for A in (np.eye(3), R))
            assert there.motion == pytest.approx(here.motion, abs=1e-8)

    def test_a_plane_in_space(self, rng):
        """A contact that cannot leave a plane does in space what it does in the plane."""
        for law in FRICTIONAL:
            H, v, mu = random_collision(rng, 2, 1)
            options = some_options(rng, IMPACT_LAWS[law], 1)
            W = np.zeros((3, 3))
            W[:2, :2] = H @ H.T
            W[2, 2] = 1.0
            plane = impact(H @ H.T, H @ v, mu, law=law, **options)
            space = impact(W, [*(H @ v), 0.0], mu, law=law, **options)
            assert space.velocities == pytest.approx([*plane.velocities, 0.0], abs=1e-9)

    def test_rows_that_are_held(self, rng):
        """A held row is what an infinite mass along it would do."""
        H, v = rng.normal(size=(2, 3)), rng.normal(size=3)
        heavy = impact_of(np.diag([1.0, 1.0, 1e12]), H, v, [0.5], law="poisson", restitution=0.5)
        held = impact_of(np.eye(3), H, v, [0.5], held=[[0.0, 0.0, 1.0]], law="poisson", restitution=0.5)
        assert held.motion == pytest.approx(heavy.motion, abs=1e-9)
        assert held.motion[2] == pytest.approx(v[2], abs=1e-15)


def broken(law, axes, rng, count, most=3):
    """The most energy that a law gains, relative to what there is, and how many problems it leaves unsolved."""
    worst, unsolved = 0.0, 0
    for _ in range(count):
        H, v, mu = random_collision(rng, axes, law.most or most)
        given = {} if axes == 1 else {"friction": mu}
        found = impact_of(np.eye(len(v)), H, v, law=law.name, **given, **some_options(rng, law, len(mu)))
        # Rows of impacts need not end, between two walls for instance: 'han gilmore' then says "limit".
        unsolved += found.status in {"limit", "ray"} and law.name != "han gilmore"
        if np.isfinite(found.energy_lost):
            worst = min(worst, found.energy_lost / (0.5 * v @ v))
            kinetic = 0.5 * v @ v - 0.5 * found.motion @ found.motion
            assert found.energy_lost == pytest.approx(kinetic, abs=1e-9 * (v @ v + found.motion @ found.motion))
    return worst, unsolved


NEVER = [
    (name, axes)
    for name, law in IMPACT_LAWS.items()
    for axes in (1, 2, 3)
    if not law.can_gain and (axes == 1 or name in FRICTIONAL)
]


class TestEnergy:
    """Laws that say so never gain energy, whatever masses, friction and coefficients."""

    @pytest.mark.parametrize(("name", "axes"), NEVER)
    def test_never_increases(self, name, axes, rng):
        worst, unsolved = broken(IMPACT_LAWS[name], axes, rng, 12 if axes == 3 else 40)
        assert worst > -1e-10 and unsolved == 0

    @pytest.mark.slow
    @pytest.mark.parametrize(("name", "axes"), NEVER)
    def test_never_increases_in_many(self, name, axes, rng):
        worst, unsolved = broken(IMPACT_LAWS[name], axes, rng, 1_000 if axes == 3 else 10_000)
        assert worst > -1e-10 and unsolved == 0

    def test_in_a_narrow_wedge(self):
        """By hand: impulses of 1/(2 d), whose squares have 1e-8 of the energy left by round-off; the motion has all digits."""
        d = 1e-4
        found = impact_of(np.eye(2), [[1.0, d], [-1.0, d]], [0.0, -1.0], law="newton", restitution=0.5)
        assert found.impulses == pytest.approx([0.75 / d, 0.75 / d], rel=1e-7)
        kinetic = 0.5 - 0.5 * found.motion @ found.motion
        assert found.energy_lost == pytest.approx(kinetic, abs=1e-14)
        assert kinetic == pytest.approx(0.375, abs=1e-8)

    def test_flags(self):
        """Those that can gain say when, and each has an example in this file."""
        assert {name for name, law in IMPACT_LAWS.items() if law.can_gain} == {"newton", "poisson", "haug"}
        for law in IMPACT_LAWS.values():
            assert law.formula and law.loses and law.source

    def test_newton_gains_where_a_contact_that_separates_is_struck(self):
        """By hand: u+ = (1, 0), L = W^-1 (2, -1/2)."""
        W, u = np.array([[1.0, -0.9], [-0.9, 1.0]]), np.array([-1.0, 0.5])
        found = impact(W, u, law="newton", restitution=1.0)
        assert found.impulses == pytest.approx(np.array([1.55, 1.3]) / 0.19, rel=1e-12)
        assert found.gained and found.energy_lost == pytest.approx(-0.25 * 1.3 / 0.19, rel=1e-9)

    def test_haug_gains_where_it_pulls(self):
        """By hand: u+ = (1, 0), L = W^-1 (2, 1/10), the second negative."""
        W, u = np.array([[1.0, 0.9], [0.9, 1.0]]), np.array([-1.0, -0.1])
        found = impact(W, u, law="haug", restitution=[1.0, 0.0])
        assert found.status == "pulls" and found.impulses == pytest.approx(np.array([1.91, -1.7]) / 0.19, rel=1e-12)
        assert found.gained and found.energy_lost == pytest.approx(-0.05 * 1.7 / 0.19, rel=1e-9)

    def test_moreau_may_drive_a_contact_that_separates_into_its_ground(self):
        """The elastic reflection of (-1, 1/2) at the nearest admissible velocity; the status says that it strikes again."""
        W, u = np.array([[1.0, -0.9], [-0.9, 1.0]]), np.array([-1.0, 0.5])
        found = impact(W, u, law="moreau", dissipation=0.0)
        assert found.status == "enters" and found.velocities == pytest.approx([1.0, -0.5], abs=1e-12)


class TestDoor:
    @pytest.mark.parametrize(
        ("call", "error", "words"),
        [
            (lambda: impact([[1.0]], [-1.0], law="hertz"), ArgumentError, "law is 'hertz'; give one of"),
            (lambda: impact([[1.0]], [-1.0], law="moreau", restitution=0.5), ArgumentError, "'moreau' takes no restitution"),
            (lambda: impact([[1.0]], [-1.0], law="newton", restitution=1.5), ArgumentError, "restitution is 1.5; it must lie"),
            (lambda: impact([[1.0]], [-1.0], law="moreau", dissipation=2), ArgumentError, "dissipation is 2"),
            (lambda: impact(np.eye(2), [-1, 0], [0.5, 0.5]), MatrixShapeError, "2 coefficients of friction, but 2 rows"),
            (
                lambda: impact(np.eye(4), -np.ones(4), [0.5, 0.5], law="routh"),
                ArgumentError,
                "2 contacts, but the law 'routh' is for 1",
            ),
            (lambda: impact(np.eye(2), [-1, 0], law="haug", restitution=np.eye(2)), ArgumentError, "no restitution matrix"),
            (lambda: impact(np.eye(2), [-1, 0], law="newton", restitution=np.eye(3)), MatrixShapeError, "shape (3, 3)"),
            (lambda: impact(np.eye(2), [-1, 0], law="newton", restitution=-np.eye(2)), ArgumentError, "has the entry -1"),
            (lambda: impact(np.eye(2), [-1, 0], law="newton", restitution=[0.1] * 3), MatrixShapeError, "each of 2 contacts"),
            (lambda: impact([[1.0, 2.0]], [-1.0]), MatrixShapeError, "give a square matrix"),
            (lambda: impact([[1.0]], [np.nan]), ArgumentError, "give finite numbers only"),
            (lambda: impact_of(np.eye(2), [[1.0, 0, 0]], [1.0, 0.0]), MatrixShapeError, "rows has shape (1, 3)"),
            (lambda: impact_of(np.eye(2), [[1.0, 0]], [1.0, 0, 0]), MatrixShapeError, "velocity has 3 numbers"),
            (lambda: impact_without_collision(np.eye(4), np.ones(4), 0.5), MatrixShapeError, "2 or 3 rows of one contact"),
            (lambda: impact_without_collision(np.eye(2), [0, 1], -0.5), ArgumentError, "friction is -0.5"),
            (lambda: register_impact_law("mine"), ArgumentError, "is no ImpactLaw"),
        ],
    )
    def test_mistakes(self, call, error, words):
        with pytest.raises(LocomotorError) as raised:
            call()
        assert type(raised.value) is error and words in str(raised.value)

    def test_nothing_and_no_approach(self):
        for law in IMPACT_LAWS.values():
            if law.most is None:
                assert impact(np.zeros((0, 0)), [], law=law.name).solved
            found = impact([[2.0]], [1.0], law=law.name)
            assert found.solved and found.impulses == pytest.approx([0.0]) and found.energy_lost == 0.0

    def test_contacts_that_contradict_each_other(self):
        """Two names for one contact that are to bounce differently: no impulse does both, and the status says so."""
        assert not impact(np.ones((2, 2)), [-1.0, -1.0], law="haug", restitution=[0.0, 1.0]).solved

    def test_a_law_of_ones_own(self, monkeypatch):
        monkeypatch.setattr(registry, "_LAWS", laws := dict(IMPACT_LAWS))
        monkeypatch.setattr("locomotor.complementarity.impacts._impact.IMPACT_LAWS", laws)

        def sticky(collision):
            return Found(-np.linalg.solve(collision.W, collision.u))

        law = ImpactLaw("sticky", sticky, "u+ = 0", "everything", "", "this test", ("friction",))
        register_impact_law(law)
        assert impact(bar(1.0), [-1.0, 2.0], [0.0], law="sticky").velocities == pytest.approx([0.0, 0.0], abs=1e-15)
        with pytest.raises(ArgumentError, match="already"):
            register_impact_law(ImpactLaw("sticky", lambda c: Found(c.u), "", "", "", ""))
        with pytest.raises(ArgumentError, match="takes names 'glue'"):
            register_impact_law(ImpactLaw("other", sticky, "", "", "", "", ("glue",)))
        assert complementarity.IMPACT_LAWS is not laws


@pytest.mark.parametrize("name", IMPACT_LAWS)
@pytest.mark.parametrize("friction", [None, []])
def test_an_impact_of_no_contacts_leaves_everything_as_it_is(name, friction):
    friction = friction if "friction" in IMPACT_LAWS[name].takes else None
    found = impact(np.zeros((0, 0)), np.zeros(0), friction, law=name)
    assert found.status == "solved" and found.impulses.shape == (0,) and found.energy_lost == 0.0
