"""The 22 acceptance checks of the bicycle: where each of them is tested.

A place is the name of a scenario, whose every number is a test (`test_scenarios.py`), or a file and a test in it.
"""

import ast
import time
from pathlib import Path

import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.scenarios import scenarios

TESTS = Path(__file__).resolve().parents[1]
KERNEL = "published/test_bicycle_kernel.py"
SIMULATION = "unit/simulation"

PLACES: dict[int, tuple[str, tuple[str, ...]]] = {
    1: ("contact angles and gaps of the nominal pose", (f"{KERNEL}::test_1_nominal_contact_angles_and_gaps",)),
    2: ("lengths", (f"{KERNEL}::test_2_lengths", "bicycle/tables")),
    3: ("constraint rows", (f"{KERNEL}::test_3_constraint_rows",)),
    4: (
        "kernel",
        (
            f"{KERNEL}::test_4_kernel",
            f"{KERNEL}::test_4_kernel_at_the_nominal_pose",
            f"{KERNEL}::test_4_traced_kernel_has_no_nan_at_the_nominal_pose",
            "bicycle/matrices",
        ),
    ),
    5: ("rates of kernel and contact angles", (f"{KERNEL}::test_5_rate_of_the_kernel_and_of_the_contact_angles",)),
    6: (
        "iso-value table, by assembly, by the kinematic controller and by the quartic",
        (
            "bicycle/E0",
            "bicycle/E0/kinematic",
            f"{SIMULATION}/test_start.py::test_pitch_and_height_follow_from_roll_and_steer_as_the_quartic_says",
        ),
    ),
    7: (
        "corrected formulas, and the SE(2) variant",
        (
            f"{KERNEL}::test_7_corrected_formulas",
            f"{KERNEL}::test_7_pitch_quartic_closes_both_gaps",
            f"{KERNEL}::test_7_contact_frame_variant_has_the_same_accelerations",
        ),
    ),
    8: (
        "free dynamics and the mass matrix",
        (
            f"{KERNEL}::test_8_free_dynamics_of_the_sources",
            f"{KERNEL}::test_8_mass_matrix_at_the_nominal_pose",
            "bicycle/matrices",
        ),
    ),
    9: ("reduced mass matrix", (f"{KERNEL}::test_9_reduced_mass_matrix_at_the_nominal_pose", "bicycle/matrices")),
    10: ("nonlinear benchmark", (f"{KERNEL}::test_10_nonlinear_check_of_basu_mandal_2007", "bicycle/nonlinear")),
    11: ("linear benchmark", ("bicycle/linear", "bicycle/linear/mauny2018", "bicycle/linear/ifac2017")),
    12: (
        "multipliers",
        (f"{KERNEL}::test_12_static_wheel_loads", f"{KERNEL}::test_12_multipliers_balance", "bicycle/E3/start"),
    ),
    13: ("E1", ("bicycle/E1",)),
    14: ("E2", ("bicycle/E2",)),
    15: ("E3", ("bicycle/E3", "bicycle/E3/meijaard2007", "bicycle/E3/ifac2017", "bicycle/E3/start")),
    16: ("drift", ("bicycle/E3/drift", "bicycle/E3/drift/corrected", "bicycle/E3/drift/prototype")),
    17: ("E4", ("bicycle/E4", "bicycle/E4/meijaard2007")),
    18: ("E5", ("bicycle/E5", "bicycle/E5/steady", "bicycle/E5/reversed", "bicycle/loops")),
    19: ("E6", ("bicycle/E6", "bicycle/E6/mauny2018", "bicycle/E6/meijaard2007", "bicycle/loops")),
    20: ("faster than the sources", ("published/test_acceptance.py::test_20_five_seconds_of_motion_in_less_than_2_6",)),
    21: (
        "orders of the multistep methods, and the norm of the quaternion",
        (
            f"{SIMULATION}/test_orders.py::test_measured_order",
            "published/test_acceptance.py::test_21_the_norm_error_of_the_quaternion_is_reported",
            "bicycle/E3/drift",
        ),
    ),
    22: ("the fork's centre of mass is not the benchmark's", ("bicycle/tables",)),
}


def names_in(file: str) -> set[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_all_22_checks_are_placed() -> None:
    assert sorted(PLACES) == list(range(1, 23))


@pytest.mark.parametrize("check", PLACES, ids=lambda check: f"check {check}")
def test_every_place_exists(check: int) -> None:
    known = {entry.name for entry in scenarios()}
    about, places = PLACES[check]
    assert about and places
    for place in places:
        file, _, name = place.partition("::")
        assert name in names_in(file) if name else file in known, place


# -- checks that are no number --------------------------------------------------------------------------------


def test_20_five_seconds_of_motion_in_less_than_2_6() -> None:
    """Both documents: 5 s of motion at a step of 0.005 s in less than 2.6 s. Ours needs some milliseconds."""
    settings = {"start": {"speed": 4.6, "roll_rate": 0.5}, "step": 0.005, "stepper": "abm4"}
    lm.simulate(bicycle("mauny2018"), 0.1, **settings)  # derived and compiled
    began = time.perf_counter()
    run = lm.simulate(bicycle("mauny2018"), 5.0, **settings)
    assert run.status.ok and time.perf_counter() - began < 2.6


@pytest.mark.parametrize("stepper", ["rk4", "abm4", "abm5", "dop853"])
def test_21_the_norm_error_of_the_quaternion_is_reported(stepper: str) -> None:
    run = lm.simulate(bicycle(), 1.0, start={"speed": 4.6, "roll_rate": 0.5}, stepper=stepper)
    error = run.audit()["quaternion_norm_error"]
    # Fixed steps end with a normalisation; the adaptive method reports what it corrected, below its tolerance of 1e-10.
    assert 0.0 <= error < (1e-9 if stepper == "dop853" else 1e-15)
