"""Conditions under which contacts hold: the compass biped in closed form, direct solutions, and what is refused."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis import holding_torques, holding_velocities, striking_velocities
from locomotor.complementarity import impact_of
from locomotor.errors import (
    ArgumentError,
    DefinitenessError,
    InconsistentStartError,
    LocomotorError,
    MatrixShapeError,
    SymmetryError,
    UnknownNameError,
)

L, d, m = 1.0, 0.5, 1.0


def biped(q1):
    """M and the rows of the right foot (normal, tangent) and of the left one over (q1, q2, x, y), q2 = -2 q1."""
    c, s, C = math.cos(q1), math.sin(q1), math.cos(2.0 * q1)
    M = m * np.array(
        [
            [2.0 * (L * L - L * d + d * d + L * d * C), d * (d + L * C), -2.0 * (L - d) * s, 2.0 * L * c],
            [d * (d + L * C), d * d, d * s, d * c],
            [-2.0 * (L - d) * s, d * s, 2.0, 0.0],
            [2.0 * L * c, d * c, 0.0, 2.0],
        ]
    )
    return M, np.array([[2.0 * L * c, L * c, 0.0, 1.0]]), np.array([[0.0, L * s, 1.0, 0.0]]), np.array([[0.0, 0.0, 0.0, 1.0]])


def closed_form(q1, rates):
    """Impulses of the right foot and velocity of the left one after the impact, worked out by hand."""
    c, s = math.cos(q1), math.sin(q1)
    D = (L - d) ** 2 + 4.0 * L * L * c * c * s * s
    C = math.cos(2.0 * q1)
    normal = (
        -2.0 * L * m * c * s * s / D * (2.0 * (L * L + d * d - 2.0 * L * d * s * s) * rates[0] + d * (L * C + d) * rates[1])
    )
    along = 2.0 * L * m * c * c * s / D * (2.0 * L * (L - d) * rates[0] + d * (L * C - d) * rates[1])
    lifts = (
        L * c * (L - d) / (d * D) * (2.0 * (4.0 * L * L * c * c * s * s - d * (L - d)) * rates[0] - d * (L * C - d) * rates[1])
    )
    return normal, along, lifts


def wedge(q1, mu):
    """Bounds (deg) of the directions of (q1', q2') that hold, found on a fine circle; None where there are none."""
    M, N, T, B = biped(q1)
    found = holding_velocities(M, N, T, [mu], leaving=B)
    angles = np.arange(-180.0, 180.0, 0.01)
    turned = np.column_stack([np.cos(np.radians(angles)), np.sin(np.radians(angles)), np.zeros((len(angles), 2))])
    good = angles[found.hold(turned)]
    if not len(good):
        return None
    if good[-1] - good[0] > 180.0:  # it goes over 180 degrees
        good = np.sort(np.where(good < 0.0, good + 360.0, good))
    return float(good[0]), float(good[-1])


class TestCompassBiped:
    @pytest.mark.parametrize(
        ("q1", "rates", "wanted"),
        [(1.2, (-1.0, 0.3), (0.71153637, -0.41088660, -0.11641204)), (0.8, (-1.0, 1.5), (0.64159531, -0.7787827, -0.61429851))],
    )
    def test_impulses(self, q1, rates, wanted):
        """The closed form, the conditions, those of the system of the catalogue, and the inelastic impact law."""
        assert closed_form(q1, rates) == pytest.approx(wanted, abs=6e-9)
        normal, along, lifts = closed_form(q1, rates)
        M, N, T, B = biped(q1)
        margins = holding_velocities(M, N, T, [0.7], leaving=B).margins([*rates, 0.0, 0.0])
        strikes = -(2.0 * rates[0] + rates[1]) * L * math.cos(q1)
        expected = [normal, 0.7 * normal + along, 0.7 * normal - along, lifts, strikes]
        assert margins == pytest.approx(expected, abs=1e-13)
        ours = striking_velocities(
            lm.catalogue.compass_biped(), {"pitch": -q1, "hip": -2.0 * q1}, "right_foot", leaves=["left_foot"], friction=0.7
        )
        v = {"pitch_rate": -rates[0], "hip_rate": rates[1]}
        # The legs have a moment of inertia of 1e-9 m L^2.
        assert ours.margins([v.get(name, 0.0) for name in ours.variables]) == pytest.approx(expected, abs=1e-7)
        held = impact_of(M, np.vstack([N, T]), [*rates, 0.0, 0.0], [5.0])  # enough friction to stick
        assert held.impulses == pytest.approx([normal, along], abs=1e-13)

    @pytest.mark.parametrize(
        ("mu", "angle", "bounds"),
        [
            (0.2, 20, (-84.06, -81.26)),
            (0.4, 20, (-86.51, -80.39)),
            (0.2, 30, (-90.0, -87.32)),
            (1.0, 65, (116.57, 130.30)),
            (0.8, 70, (119.06, 152.72)),
            (0.6, 75, (123.07, 180.0)),
            (0.4, 80, (129.21, 200.28)),
            (0.2, 85, (136.65, 210.64)),
            (1.6, 50, None),
            (0.6, 65, None),
        ],
    )
    def test_admissible_directions(self, mu, angle, bounds):
        """Worked out apart, two digits."""
        found = wedge(math.radians(angle), mu)
        assert (found is None) if bounds is None else found == pytest.approx(bounds, abs=0.02)

    def test_more_friction_admits_more(self, rng):
        """What the source's figures III.2 to III.9 show."""
        q1 = rng.uniform(0.1, 1.5, size=20)
        v = np.column_stack([rng.uniform(-5, 5, size=(400, 2)), np.zeros((400, 2))])
        counts = []
        for mu in np.arange(0.2, 1.7, 0.2):
            counts.append([holding_velocities(*biped(q)[:3], [mu], leaving=biped(q)[3]).hold(v) for q in q1])
        assert all((later >= earlier).all() for earlier, later in zip(np.array(counts), np.array(counts)[1:], strict=False))
        assert np.array(counts).sum(axis=(1, 2))[[0, -1]].tolist() != [0, 0]

    def test_without_hip_rate(self):
        """At 80 degrees and q2' = 0 the friction must exceed cot q1 L (L - d) / (L^2 + d^2 - 2 L d sin^2 q1) = 0.3147."""
        q1 = math.radians(80.0)
        least = L * (L - d) / math.tan(q1) / (L * L + d * d - 2 * L * d * math.sin(q1) ** 2)
        M, N, T, B = biped(q1)
        below, above = (
            holding_velocities(M, N, T, [f * least], leaving=B).margins([-1.0, 0, 0, 0])[:3] for f in (0.999, 1.001)
        )
        assert least == pytest.approx(0.3147, abs=5e-5) and below.min() < 0.0 < above.min()

    def test_a_point_inside(self):
        M, N, T, B = biped(math.radians(80.0))
        conditions = holding_velocities(M, N, T, [0.6], leaving=B)
        assert conditions.hold(conditions.inside())
        nowhere = lm.analysis.Conditions(np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0]), ("above", "below"))
        assert nowhere.inside(10.0) is None


class TestTorques:
    def test_against_the_saddle_point_system(self, rng):
        for _ in range(20):
            n, r, k = 7, int(rng.integers(1, 4)), 3
            A = rng.normal(size=(n, n))
            M, h, T = A @ A.T + np.eye(n), rng.normal(size=n), rng.normal(size=(n, k))
            N, G, B = rng.normal(size=(r, n)), rng.normal(size=(r, n)), rng.normal(size=(2, n))
            f, f_b, mu, u = rng.normal(size=2 * r), rng.normal(size=2), rng.uniform(0.1, 1.0, size=r), rng.normal(size=k)
            H = np.vstack([N, G])
            saddle = np.block([[M, -H.T], [H, np.zeros((2 * r, 2 * r))]])
            a, forces = np.split(np.linalg.solve(saddle, np.concatenate([h + T @ u, -f])), [n])
            normal, along = forces[:r], forces[r:]
            wanted = np.concatenate([normal, mu * normal + along, mu * normal - along, B @ a + f_b])
            found = holding_torques(M, h, T, N, G, mu, turning=f, leaving=B, leaving_turning=f_b)
            assert found.margins(u) == pytest.approx(wanted, abs=1e-10 * (1 + np.abs(wanted).max()))
            assert found.names[0] == "pushes 0" and found.names[-1] == "leaves 1"

    def test_torques_that_keep_a_block_from_slipping(self):
        """A block of 2 kg pushed by u: it holds while |u| < mu m g, and no torque makes it leave."""
        block = holding_torques(2 * np.eye(2), [0.0, -19.62], [[1.0], [0.0]], [[0.0, 1.0]], [[1.0, 0.0]], [0.5])
        assert block.hold([[9.8], [-9.8]]).all() and not block.hold([[9.82], [-9.82]]).any()
        assert abs(block.inside(50.0)[0]) < 9.81


UP, ALONG = [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]]


def torques(mass):
    return holding_torques(mass, [0.0, 0.0, 0.0], np.eye(3), UP, ALONG, [0.5])


def strike(hip):
    """The right foot, in a pose in which it touches with a hip of twice the pitch."""
    return striking_velocities(lm.catalogue.compass_biped(), {"pitch": -1.2, "hip": hip}, "right_foot", friction=0.5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: holding_velocities(np.eye(2), [[1, 0]], [[1, 0]], [0.5]), ArgumentError, "depend on each other"),
        (lambda: holding_velocities(np.eye(3), np.eye(3)[:2], np.eye(3)[1:], [1, 1]), ArgumentError, "depend on each other"),
        (lambda: holding_velocities(np.eye(2), [[1, 0, 0]], [[0, 1]], [0.5]), MatrixShapeError, "normals has shape (1, 3)"),
        (lambda: holding_velocities(np.eye(2), [[1, 0]], [[0, 1]], [0.5, 1]), MatrixShapeError, "1 normals, 1 tangents and 2"),
        (lambda: holding_velocities(np.eye(2), [[1, 0]], [[0, 1]], [-1.0]), ArgumentError, "friction is -1"),
        (lambda: holding_torques(np.eye(2), [0.0], [[1.0], [0]], [[1, 0]], [[0, 1]], [1.0]), MatrixShapeError, "forces has 1"),
        (lambda: holding_velocities(np.zeros((3, 3)), UP, ALONG, [0.5]), DefinitenessError, "of 0); give every velocity a"),
        (lambda: holding_velocities(-np.eye(3), UP, ALONG, [0.5]), DefinitenessError, "of -1"),
        (lambda: holding_velocities(np.ones((3, 3)), UP, ALONG, [0.5]), DefinitenessError, "not positive definite"),
        (lambda: holding_velocities(np.eye(3) + np.eye(3, k=1), UP, ALONG, [0.5]), SymmetryError, "mass is not symmetric"),
        (lambda: torques(np.zeros((3, 3))), DefinitenessError, "holding_torques: mass is not positive definite"),
        (lambda: torques(np.eye(3) + np.eye(3, k=1)), SymmetryError, "holding_torques: mass is not symmetric"),
        (lambda: strike(-2.4).hold([1.0, 2.0]), MatrixShapeError, "x has shape (2,); give 4 numbers ("),
        (lambda: strike(-2.4).margins(1.0), MatrixShapeError, "x has shape ()"),
        (lambda: strike(-1.2), InconsistentStartError, "contact 'right_foot' is 0.932 m above its ground"),  # sin 1.2
        (
            lambda: striking_velocities(lm.catalogue.compass_biped(), {}, "left_hand"),
            UnknownNameError,
            "no contact named 'left_hand' may open",
        ),
        (
            lambda: striking_velocities(lm.catalogue.tumbling_box(), {}, "mmm"),
            ArgumentError,
            "has 2 directions along the ground",
        ),
    ],
)
def test_mistakes(call, error, words):
    with pytest.raises(LocomotorError) as raised:
        call()
    assert type(raised.value) is error and words in str(raised.value)


def test_a_foot_does_not_strike_and_leave() -> None:
    pose = {"pitch": -1.4, "hip": -2.8}
    with pytest.raises(lm.errors.ArgumentError, match="contact 'right_foot' strikes and leaves"):
        lm.analysis.striking_velocities(lm.catalogue.compass_biped(), pose, "right_foot", leaves="right_foot", friction=0.5)
