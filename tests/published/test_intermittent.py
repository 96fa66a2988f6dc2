"""The 22 acceptance checks of contacts that open and close: where each is tested, and those that are no numbers.

A place is the name of a scenario, whose every number is a test (`test_scenarios.py`), or a file and a test in it.
"""

import ast
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import null_space

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.mechanics.chart.poses import perturbed, stepped
from locomotor.mechanics.impacts.on_numbers import newton_impact
from locomotor.mechanics.tree.kinematics import Instant
from locomotor.model import System
from locomotor.scenarios import scenarios
from locomotor.simulation.events.collisions import rows_at
from locomotor.simulation.events.modes import modes_of
from oracles.mechanics import reduced_impulses, reduced_plastic
from oracles.saddle_point import saddle_point

Array = NDArray[np.float64]
TESTS = Path(__file__).resolve().parents[1]
HERE = "published/test_intermittent.py"
KERNEL = "published/test_bicycle_kernel.py"
IMPACTS = "properties/test_impacts.py"
APPENDIX_D = tuple(
    f"unit/geometry/test_appendix_d.py::{name}"
    for name in (
        "test_d2_line_of_a_segment_beyond_its_end_is_no_obstacle",
        "test_d5_source_prefers_the_face_and_complete_keeps_both",
        "test_gap_is_defined_at_all_times",
        "test_gap_of_the_source_jumps_at_the_edge_of_the_ramp_and_that_of_complete_does_not",
    )
)

PLACES: dict[int, tuple[str, ...]] = {
    1: ("bicycle/T4", "bicycle/T4/exact_angle"),
    2: ("bicycle/T4", "bicycle/T4/exact_angle"),
    3: ("bicycle/T4", "bicycle/T4/exact_angle"),
    4: ("bicycle/T1",),
    5: ("bicycle/T2", "bicycle/T2/complete"),
    6: ("bicycle/T2/reoriented",),
    7: ("bicycle/T3", f"{HERE}::test_7_any_torque_beyond_the_threshold_lifts_a_wheel_and_it_lands_again"),
    8: ("bicycle/T5/wheelie",),
    9: ("bicycle/T5/gyroscope",),
    10: ("bicycle/T5/steered", "bicycle/T5/steered/500"),
    11: APPENDIX_D,
    12: (
        f"{HERE}::test_12_reduced_equals_complete",
        f"{IMPACTS}::test_reduced_equals_complete_in_the_plastic_case",
        f"{IMPACTS}::test_energy_balance",
        f"{IMPACTS}::test_an_elastic_impact_keeps_the_energy_and_a_plastic_one_loses_all_it_can",
    ),
    13: (f"{HERE}::test_13_kernels_of_all_modes", f"{KERNEL}::test_4_kernel_at_the_nominal_pose"),
    14: (f"{KERNEL}::test_8_mass_matrix_at_the_nominal_pose", f"{HERE}::test_14_mass_matrix_of_appendix_c"),
    15: ("bicycle/lift_thresholds", f"{KERNEL}::test_12_static_wheel_loads"),
    16: ("bicycle/T1",),
    17: ("bicycle/T2", "bicycle/T2/complete"),
    18: ("bicycle/T4",),
    19: ("bicycle/lift_thresholds",),
    20: ("bicycle/T5/wheelie", "bicycle/T5/steered", "bicycle/T5/steered/500"),
    21: (f"{HERE}::test_21_rate_of_the_gap_is_the_normal_velocity",),
    22: ("impact/hunt-crossley",),
}


def functions_in(file: str) -> set[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_all_22_checks_are_placed() -> None:
    assert sorted(PLACES) == list(range(1, 23))


@pytest.mark.parametrize("check", PLACES, ids=lambda check: f"check {check}")
def test_every_place_exists(check: int) -> None:
    known = {entry.name for entry in scenarios()}
    for place in PLACES[check]:
        file, _, name = place.partition("::")
        assert name in functions_in(file) if name else file in known, place


# -- states of the four modes ---------------------------------------------------------------------------------

WHEELS = ("rear", "front")
SETS = [frozenset(chosen) for size in range(3) for chosen in combinations(WHEELS, size)]
"""Free flight, rear wheel, front wheel, two wheels."""


@cache
def bike() -> System:
    return bicycle("mauny2018", contacts="unilateral")


def part(closed: frozenset[str]) -> System:
    """The bicycle with some wheels on the ground."""
    contacts = tuple(contact for contact in bike().contacts if contact.name in closed)
    return bike().replace(contacts=contacts, independent=None)


def poses(count: int = 6) -> list[Array]:
    """The upright pose and some around it, not necessarily on the ground: rows do not ask for it."""
    rng = np.random.default_rng(7)
    first = bike().nominal_pose()
    return [first, *(perturbed(bike(), first, 0.4, rng) for _ in range(count))]


def rows_of(q: Array, closed: frozenset[str]) -> tuple[Array, Array]:
    """Mass matrix, and rows of the closed wheels in their contact frames."""
    modes = modes_of(bike(), None, "auto")
    data = rows_at(modes, q)
    rows = [data.switching[modes.names.index(wheel)] for wheel in sorted(closed)]
    return data.mass, np.vstack(rows) if rows else np.zeros((0, len(data.mass)))


@pytest.mark.parametrize("closed", SETS, ids=lambda s: "+".join(sorted(s)) or "flight")
def test_13_kernels_of_all_modes(closed: frozenset[str]) -> None:
    """C H = 0 for H of every mode, with 9, 6, 6 and 3 reduced velocities, at the upright pose too."""
    traced = modes_of(bike(), None, "auto").mode(closed).compiled.traced
    assert len(traced.reduction.free) == 9 - 3 * len(closed)
    for q in poses():
        state = np.concatenate([q, np.zeros(len(traced.reduction.free))])
        (H,) = traced.velocity_map(np.zeros(1), state, np.zeros(3), np.zeros(0))
        assert np.isfinite(H).all() and np.linalg.matrix_rank(H) == 9 - 3 * len(closed)
        _, C = rows_of(q, closed)
        # Entries of order one.
        assert np.abs(C @ H).max(initial=0.0) < 1e-13


@pytest.mark.parametrize("closed", SETS[1:], ids=lambda s: "+".join(sorted(s)))
def test_12_reduced_equals_complete(closed: frozenset[str], rng: np.random.Generator) -> None:
    """Accelerations, multipliers, velocities and impulses, to 1e-10 of their size."""
    system = part(closed)
    reduction = choose_reduction(system)
    for q in poses(4):
        v_r = rng.normal(size=len(reduction.free))
        motion = ReducedMotion(reduction, q, v_r)
        v_dot, multipliers = saddle_point(Instant(system, q, motion.v))
        np.testing.assert_allclose(motion.v_dot, v_dot, atol=1e-10 * np.abs(v_dot).max())
        np.testing.assert_allclose(motion.multipliers, multipliers, atol=1e-10 * np.abs(multipliers).max())
        # Plastic impact of any velocity on these wheels.
        v = rng.normal(size=9)
        M, C = rows_of(q, closed)
        wheels = [C[3 * k : 3 * k + 3] for k in range(len(closed))]
        complete = newton_impact(M, wheels, np.zeros((0, 9)), v, [(0.0, 0.0)] * len(closed))
        for basis in (np.asarray(motion.H_r, dtype=float), null_space(C)):
            reduced = reduced_plastic(M, basis, v)
            np.testing.assert_allclose(reduced, complete.velocity, atol=1e-10 * np.abs(v).max())
            impulses = reduced_impulses(M, C, reduced - v)
            np.testing.assert_allclose(impulses, complete.impulses.ravel(), atol=1e-10 * np.abs(impulses).max())


def test_14_mass_matrix_of_appendix_c() -> None:
    """Entries of Mauny 2018, appendix C.1, with M17 and M27, which the appendix prints as zero, corrected.

    The thesis's order (V1 V2 V3 Omega1 Omega2 Omega3 r1 r2 r3) of (up, forward, left) is ours (z, x, y) and steer, front, rear.
    """
    layout = bike().layout
    order = ("heave_speed", "speed", "sway_speed", "yaw_rate", "roll_rate", "pitch_rate", "steer_rate", "front_wheel_rate",
             "rear_wheel_rate")  # fmt: skip
    place = [layout.index_v(name) for name in order]

    def matrix(steer: float) -> Array:
        q = bike().nominal_pose()
        q[layout.index_q("steer")] = steer
        return rows_of(q, frozenset())[0][np.ix_(place, place)]

    printed = {
        (1, 6): -32.15779, (2, 6): 52.78555, (3, 7): 0.21135, (4, 4): 17.01541, (4, 5): -19.31685, (4, 7): 0.34020,
        (5, 5): 40.73646, (5, 7): -0.10649, (6, 6): 56.74326, (6, 8): 0.28, (8, 8): 0.28, (6, 9): 0.12, (9, 9): 0.12,
        (7, 7): 0.15500, (1, 1): 94.0,
    }  # fmt: skip
    upright = matrix(0.0)
    for (i, j), value in printed.items():
        assert upright[i - 1, j - 1] == pytest.approx(value, abs=6e-6), (i, j)
    mu, x1, m1, l2, m2 = np.pi / 10, 0.0288, 4.0, 0.0337, 3.0
    for steer in (0.3, -0.8, 1.2):
        turned = matrix(steer)
        moment = np.sin(steer) * (x1 * m1 + np.cos(mu) * l2 * m2)
        assert turned[0, 6] == pytest.approx(-np.sin(mu) * moment, abs=1e-12)
        assert turned[1, 6] == pytest.approx(-np.cos(mu) * moment, abs=1e-12)
        assert turned[3, 7] == pytest.approx(-np.sin(mu) * np.sin(steer) * 0.28, abs=1e-12)
        assert turned[6, 6] == pytest.approx(0.15500, abs=6e-6)


def test_21_rate_of_the_gap_is_the_normal_velocity(rng: np.random.Generator) -> None:
    """Central differences of the gap along a velocity, on level and tilted ground; this fixes the sign of (3.6)."""
    tilt = 0.25
    tilted = bike().replace(grounds=(lm.Plane(normal=(np.sin(tilt), 0.0, np.cos(tilt))),))
    for system in (bike(), tilted):
        modes = modes_of(system, None, "auto")
        kernel = modes.mode(frozenset()).events
        for q in poses():
            v = rng.normal(size=9)

            def gaps(pose: Array, velocity: Array = v, look=kernel) -> Array:  # type: ignore[no-untyped-def]
                found = look(np.zeros(1), np.concatenate([pose, velocity]), np.zeros(3), np.zeros(0))
                return found[0][1:3]  # of the numbers: gaps and their rates

            size = 1e-6
            by_differences = (gaps(stepped(system, q, size * v))[0] - gaps(stepped(system, q, -size * v))[0]) / (2 * size)
            np.testing.assert_allclose(gaps(q)[1], by_differences, atol=1e-8)  # differences of size 1e-6
            rows = rows_at(modes, q).switching
            np.testing.assert_allclose(gaps(q)[1], [(row @ v)[0] for row in rows], atol=1e-13)


# -- test 3 with other torques --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wheel", "torque", "lifts"),
    [
        ("front", -262.0, "rear"),
        ("front", -500.0, "rear"),
        ("front", -257.0, ""),
        ("rear", 115.0, "front"),
        ("rear", 300.0, "front"),
        ("rear", 110.0, ""),
    ],
)
@pytest.mark.sampled(2)
def test_7_any_torque_beyond_the_threshold_lifts_a_wheel_and_it_lands_again(wheel: str, torque: float, lifts: str) -> None:
    """Thresholds upright: -259.8 N m on the front wheel, 112.4 N m on the rear one."""
    law = f"if_else(less(t, 0.2), 0, if_else(less(t, 0.25), {torque}, 0))"
    run = lm.simulate(bike(), 1.2, start={"speed": 4.6}, closed=WHEELS, inputs={f"{wheel}_wheel_torque": law})
    if not lifts:
        assert not run.events
        return
    lift, landing = run.events[0], run.events[1]
    assert (lift.name, lift.time) == (f"{lifts} lift-off", 0.2)
    assert landing.name == f"{lifts} impact" and landing.energy_lost > 0.0
    assert run["rear_closed"][-1] == run["front_closed"][-1] == 1.0
    # Energy changes by torques and landings only; the quadrature is that of smooth parts.
    assert run.audit()["energy_balance"] < 1e-9
