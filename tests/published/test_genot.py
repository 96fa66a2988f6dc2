"""What Génot 1998 states about contacts, impacts and Painlevé's rod, and the tests in which each of it is found again."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from locomotor.analysis import holding_velocities
from locomotor.complementarity import lcp
from locomotor.errors import LocomotorError

ROOT = Path(__file__).parents[1]
LCP, FRICTION = "unit/complementarity/test_lcp.py", "unit/complementarity/test_friction.py"
MODES, IMPACTS = "unit/complementarity/test_modes.py", "unit/complementarity/test_impacts.py"
REPORT, SUPPORT = "unit/analysis/test_contact_report.py", "unit/analysis/test_support.py"
ORBITS, HERE = "unit/catalogue/test_painleve_orbits.py", "published/test_genot.py"

FOUND_AGAIN: dict[str, tuple[tuple[str, str], ...]] = {
    "1. push positive for all angles below 4/3, a double root there": ((REPORT, "test_angles_of_the_paradox"),),
    "2. angles of (II.7)": ((REPORT, "test_angles_of_the_paradox"),),
    "3. table II.1: one, none, one, two solutions": (
        (MODES, "test_four_cases_of_the_sliding_bar"),
        (LCP, "test_one_sliding_contact"),
    ),
    "4. critical friction 8/(3 sqrt 3), whatever masses and lengths": (
        (ORBITS, "test_the_critical_friction_is_where_the_difference_changes_its_sign"),
        (ORBITS, "test_the_derivative_at_a_singular_point_by_differences"),
    ),
    "5. signs of the derivative at the singular points": ((ORBITS, "test_the_derivative_at_a_singular_point_by_differences"),),
    "6. limits of lemmas II.9 and II.10, and (A.2)": ((ORBITS, "test_two_forms_of_the_limit_of_the_acceleration"),),
    "7. orbits near the singular point, parting line": (
        (ORBITS, "test_only_above_the_critical_friction_motions_reach_a_singular_point"),
        (ORBITS, "test_the_parting_motion_by_another_program"),
    ),
    "8. lemma II.3: the other branch stops, then leaves": ((ORBITS, "test_the_other_branch_slides_to_a_stop_and_then_leaves"),),
    "9. appendix B: impacts without collision": (
        (IMPACTS, "test_impact_without_collision"),
        (IMPACTS, "test_no_jam_where_a_force_lifts"),
    ),
    "10. appendix C: rounded end": ((REPORT, "test_rounded_end"),),
    "11. table I.1, springs between balls": ((IMPACTS, "test_table"), (LCP, "test_three_balls")),
    "12. complementarity problem of friction": (
        (FRICTION, "test_accelerations_from_rest"),
        (FRICTION, "test_without_friction_it_is_linear"),
    ),
    "13. problems that are the same": (
        (LCP, "test_gauss_and_moreau"),
        (LCP, "test_least_energy"),
        (LCP, "test_chair_on_four_legs"),
        (HERE, "test_least_of_a_merit_function_is_the_solution"),
    ),
    "14. Lötstedt's program rebounds": ((IMPACTS, "test_lotstedt_rebounds"),),
    "15. inelastic impacts with friction": ((IMPACTS, "test_inelastic"), (FRICTION, "test_inelastic_impacts")),
    "16. lemma II.1: the edge of the cone": (
        (ORBITS, "test_the_edge_of_the_cone_dips_below_the_ground_where_the_push_is_negative"),
    ),
    "17. proposition III.1": ((HERE, "test_forces_are_determined_where_normals_and_tangents_share_nothing"),),
    "18. (III.12) to (III.15)": (
        (SUPPORT, "test_against_the_saddle_point_system"),
        ("published/test_robotdyn.py", "test_one_of_the_feet_held_has_the_forces_of_the_source"),
    ),
    "19. compass biped": (
        (SUPPORT, "test_impulses"),
        (SUPPORT, "test_admissible_directions"),
        (SUPPORT, "test_more_friction_admits_more"),
        (HERE, "test_share_of_the_rates_that_are_allowed"),
    ),
    "21. Delassus: bilateral forces do not tell who opens": ((LCP, "test_delassus"),),
    "22. ends of orbits": (("published/test_scenarios.py", ""),),  # scenario painleve/orbits
    "23. classes of orbits by logarithms": ((ORBITS, "test_only_above_the_critical_friction_motions_reach_a_singular_point"),),
    "24. exponent of the force": ((ORBITS, "test_the_force_grows_by_a_power_of_the_time_left"),),
}
"""Statement -> file and function of the tests that hold it; 20, the equations of robots, is `test_robotdyn.py`."""


@pytest.mark.parametrize("statement", FOUND_AGAIN)
def test_every_statement_has_its_tests(statement: str) -> None:
    for file, function in FOUND_AGAIN[statement]:
        assert f"def {function}" in (ROOT / file).read_text()


def half_square_of_least(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return 0.5 * np.minimum(a, b) ** 2


def fischer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return 0.5 * (np.sqrt(a * a + b * b) - a - b) ** 2


@pytest.mark.parametrize("merit", [half_square_of_least, fischer])
def test_least_of_a_merit_function_is_the_solution(merit, rng) -> None:
    """Lemma I.1: the minimum is zero, at the solution of Lemke, here the only one (positive definite)."""
    for _ in range(5):
        L = rng.normal(size=(3, 3))
        M, q = L @ L.T + np.eye(3), rng.normal(size=3)
        solution = lcp(M, q).solution
        found = minimize(lambda z, M=M, q=q: merit(z, M @ z + q).sum(), solution + 0.05, method="Nelder-Mead", options={
            "xatol": 1e-9, "fatol": 1e-18, "maxiter": 4000, "maxfev": 4000,
        })  # fmt: skip
        assert found.fun < 1e-14 and found.x == pytest.approx(solution, abs=2e-6)


def test_forces_are_determined_where_normals_and_tangents_share_nothing(rng) -> None:
    """Where rows depend on each other, or are more than the velocities, that is said."""
    for n, r, shared in [(4, 2, False), (5, 2, False), (4, 2, True), (3, 2, False)]:
        L = rng.normal(size=(n, n))
        M, N, T = L @ L.T + np.eye(n), rng.normal(size=(r, n)), rng.normal(size=(r, n))
        if shared:
            T[0] = N.T @ rng.normal(size=r)
        independent = np.linalg.matrix_rank(np.vstack([N, T])) == 2 * r
        assert independent == (not shared and n >= 2 * r)
        if independent:
            assert np.isfinite(holding_velocities(M, N, T, [0.5] * r).margins(rng.normal(size=n))).all()
        else:
            with pytest.raises(LocomotorError):
                holding_velocities(M, N, T, [0.5] * r)


@pytest.mark.slow
def test_share_of_the_rates_that_are_allowed() -> None:
    """Of the box 0 < q1 < pi/2, |q1'|, |q2'| <= 5, by another program on 2,000 angles; here on a twentieth of them."""
    rates = np.linspace(-5.0, 5.0, 201)
    grid = np.array([*np.meshgrid(rates, rates, indexing="ij"), np.zeros((201, 201)), np.zeros((201, 201))]).reshape(4, -1).T
    angles = np.linspace(0.0, 0.5 * math.pi, 2002)[10:-1:20]
    wanted = {0.2: 0.01801, 0.6: 0.04956, 1.0: 0.06342, 1.6: 0.07617}
    for mu, share in wanted.items():
        counts = [
            holding_velocities(*_biped(q1), [mu], leaving=np.array([[0.0, 0.0, 0.0, 1.0]])).hold(grid).mean() for q1 in angles
        ]
        assert np.mean(counts) == pytest.approx(share, abs=2e-4)  # the sum over angles is coarser by twenty


def _biped(q1: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    c, s, C = math.cos(q1), math.sin(q1), math.cos(2.0 * q1)
    upper = [
        [1.5 + C, 0.25 + 0.5 * C, -s, 2.0 * c],
        [0.25 + 0.5 * C, 0.25, 0.5 * s, 0.5 * c],
        [-s, 0.5 * s, 2, 0],
        [2 * c, 0.5 * c, 0, 2],
    ]
    return np.array(upper), np.array([[2.0 * c, c, 0.0, 1.0]]), np.array([[0.0, s, 1.0, 0.0]])
