"""Consistent starts: what is not given follows from the contacts; contradictions and unknown names are told."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import InconsistentStartError, UnknownNameError
from locomotor.simulation.starts.start import most_responsive
from oracles.simple import pendulum, rolling_disc
from oracles.thesis_bicycle import Geometry

GRID = [(lean, steer) for lean in (-50, -30, -10, 0, 5, 20, 40) for steer in (-70, -40, -15, 0, 3, 30, 60)]


def start_of(system: lm.System, **values: float) -> dict[str, float]:
    compiled = lm.compile(system)
    return dict(zip(compiled.state_names, compiled.start(values), strict=True))


# -- coordinates ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["meijaard2007", "mauny2018"])
def test_pitch_and_height_follow_from_roll_and_steer_as_the_quartic_says(which: str) -> None:
    system = bicycle(which)
    geometry = Geometry.of(system.parameters.values)
    for lean, steer in GRID:
        phi, r = math.radians(lean), math.radians(steer)
        found = lm.observe(system, {"roll": -phi, "steer": r})
        # Newton stops at a gap of 1e-12 m, on a wheelbase of 1 m; the quartic itself is good to 1e-11 near double roots.
        assert found["pitch"] == pytest.approx(geometry.pitch(phi, r), abs=1e-10), (lean, steer)
        assert found["z"] == pytest.approx(0.3 * math.cos(phi), abs=1e-11), (lean, steer)
        assert max(abs(found["rear_gap"]), abs(found["front_gap"])) < 1e-12


def test_given_coordinates_are_kept() -> None:
    given = {"roll": 0.3, "steer": -0.4, "yaw": 2.0, "x": 5.0, "y": -3.0, "rear_wheel": 0.7}
    found = lm.observe(bicycle(), given)
    for name, value in given.items():
        assert found[name] == pytest.approx(value, abs=1e-15)


def test_roll_follows_where_pitch_is_given() -> None:
    """Any two of roll, pitch and steer determine the third; here the nominal pose is near the solution."""
    wanted = lm.observe(bicycle(), {"roll": -0.2, "steer": 0.3})
    found = lm.observe(bicycle(), {"pitch": wanted["pitch"], "steer": 0.3, "yaw": 0.1})
    assert max(abs(found["rear_gap"]), abs(found["front_gap"])) < 1e-12
    assert found["pitch"] == pytest.approx(wanted["pitch"], abs=1e-15)


def test_both_bases_give_the_same_pose() -> None:
    given = {"roll": 0.25, "steer": 0.5, "speed": 3.0}
    free, planar = lm.observe(bicycle(), given), lm.observe(bicycle(base="SE2"), {"roll": 0.25, "steer": 0.5})
    for name in ("pitch", "rear_contact_angle", "front_contact_angle", "potential_energy"):
        assert free[name] == pytest.approx(planar[name], abs=1e-10), name


def test_quaternion_may_be_given_instead_of_angles() -> None:
    half = 0.2
    given = {"qw": math.cos(half), "qx": 0.0, "qy": 0.0, "qz": math.sin(half)}
    found = lm.observe(bicycle(), given)
    assert found["yaw"] == pytest.approx(0.4, abs=1e-14)
    assert found["qw"] == pytest.approx(math.cos(half), abs=1e-15)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"qw": 1.0}, "give all four of qw, qx, qy, qz"),
        ({"qw": 1.0, "qx": 0.1, "qy": 0.0, "qz": 0.0}, r"norm 1 .*\(norm 1.00499 given\)"),
        ({"qw": 1.0, "qx": 0.0, "qy": 0.0, "qz": 0.0, "yaw": 0.1}, "no yaw, roll or pitch beside them"),
    ],
)
def test_incomplete_quaternion(given: dict[str, float], words: str) -> None:
    with pytest.raises(InconsistentStartError, match=words):
        lm.observe(bicycle(), given)


def test_coordinates_that_contradict_the_contacts() -> None:
    with pytest.raises(InconsistentStartError, match=r"front_gap is .* no position was found .* assemble=False"):
        lm.observe(bicycle(), {"roll": 0.0, "steer": 0.0, "pitch": -0.2, "z": 0.3})


def test_without_assembly_coordinates_are_taken_as_they_are() -> None:
    found = lm.observe(bicycle(), {"pitch": -0.2, "z": 0.35, "speed": 2.0}, assemble=False)
    assert found["rear_gap"] == pytest.approx(0.05, abs=1e-15)
    assert found["front_gap"] == pytest.approx(0.05 + 1.02 * math.sin(0.2) + 0.05 * (math.cos(0.2) - 1), abs=1e-12)
    assert max(abs(found[f"{wheel}_{axis}_slip"]) for wheel in ("rear", "front") for axis in "xyz") < 1e-14


def test_height_of_a_disc_follows_from_its_lean() -> None:
    found = lm.observe(rolling_disc(), {"roll": 0.7})
    assert found["z"] == pytest.approx(0.3 * math.cos(0.7), abs=1e-12)


# -- velocities -----------------------------------------------------------------------------------------------


def test_any_velocity_may_be_given() -> None:
    by_speed = start_of(bicycle(), speed=4.5)
    by_rear = start_of(bicycle(), rear_wheel_rate=15.0)
    by_front = start_of(bicycle(), front_wheel_rate=4.5 / 0.35)
    for found in (by_speed, by_front):
        assert found["rear_wheel_rate"] == pytest.approx(by_rear["rear_wheel_rate"], abs=1e-12)
        assert found["roll_rate"] == pytest.approx(0.0, abs=1e-12)


def test_velocities_follow_through_the_contacts_in_any_pose(rng: np.random.Generator) -> None:
    system = bicycle()
    for _ in range(10):
        roll, steer, roll_rate, steer_rate, speed = rng.uniform(-0.5, 0.5, 5) + [0, 0, 0, 0, 4.0]
        given = {"roll": roll, "steer": steer, "roll_rate": roll_rate, "steer_rate": steer_rate, "speed": speed}
        found = lm.observe(system, given)
        for name in ("roll_rate", "steer_rate", "speed"):
            assert found[name] == pytest.approx(given[name], abs=1e-9)
        slips = [found[f"{wheel}_{axis}_slip"] for wheel in ("rear", "front") for axis in "xyz"]
        assert np.abs(slips).max() < 1e-12


def test_redundant_velocities_that_agree_are_fine() -> None:
    found = start_of(bicycle(), speed=4.5, rear_wheel_rate=15.0)
    assert found["rear_wheel_rate"] == 15.0


def test_velocities_that_contradict_the_contacts() -> None:
    words = r"speed=4\.5, rear_wheel_rate=10 contradict the contacts .* 3 independent velocities"
    with pytest.raises(InconsistentStartError, match=words):
        start_of(bicycle(), speed=4.5, rear_wheel_rate=10.0)


# -- names and values -----------------------------------------------------------------------------------------


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"no coordinate or velocity is named 'roll_rat': did you mean 'roll_rate'"):
        start_of(bicycle(), roll_rat=0.5)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_values_must_be_finite(value: float) -> None:
    with pytest.raises(InconsistentStartError, match=f"'roll' is {value}; it must be a finite number"):
        start_of(bicycle(), roll=value)


def test_imposed_coordinate_cannot_be_given() -> None:
    with pytest.raises(InconsistentStartError, match="'swing' is imposed by a motion"):
        lm.simulate(pendulum(), 1.0, motions={"swing": "sin(t)"}, start={"swing": 0.1})


def test_imposed_velocity_cannot_be_given_otherwise() -> None:
    with pytest.raises(InconsistentStartError, match="steer_rate=1 contradict"):
        lm.simulate(bicycle(), 0.1, motions={"steer": "0.1*sin(t)"}, start={"speed": 5.0, "steer_rate": 1.0})


def test_start_of_controller_states() -> None:
    controller = lm.Controller(lambda c: {"push": -c["sum"], "sum": c["swing"]}, {"sum": 0.0})
    run = lm.simulate(pendulum(), 0.1, controller=controller, start={"swing": 0.3, "sum": 2.0})
    assert run["sum"][0] == 2.0 and run["push"][0] == -2.0


# -- observe and accelerations --------------------------------------------------------------------------------


def test_observe_gives_what_a_run_records_first() -> None:
    start = {"speed": 4.6, "roll": 0.1, "steer": 0.05, "roll_rate": 0.2}
    run = lm.simulate(bicycle(), 0.01, start=start, inputs={"steer_torque": 0.3})
    seen = lm.observe(bicycle(), start, {"steer_torque": 0.3})
    assert set(seen) == set(run.channels)
    for name, value in seen.items():
        # Compiled and interpreted code differ by round-off of forces of 1,000 N.
        assert value == pytest.approx(run[name][0], abs=1e-9), name


def test_accelerations_are_the_rates_of_the_velocities() -> None:
    start = {"speed": 4.6, "roll": 0.1, "steer": 0.05, "roll_rate": 0.2}
    rates = lm.accelerations(bicycle(), start)
    run = lm.simulate(bicycle(), 1e-3, start=start, step=1e-5)
    for name, rate in rates.items():
        # Forward difference of second order over steps of 1e-5 s.
        difference = (-3 * run[name][0] + 4 * run[name][1] - run[name][2]) / 2e-5
        assert difference == pytest.approx(rate, abs=1e-4), name


@pytest.mark.parametrize("door", [lm.accelerations, lm.observe, lambda system: lm.simulate(system, 0.1)])
def test_what_moves_without_mass_is_told(door: Callable[[lm.System], object]) -> None:
    """Two joints about one axis and nothing between them: the mass matrix is singular in every pose."""
    axis = (0.0, 1.0, 0.0)
    joints = [
        lm.Revolute(name="a", parent="world", child="between", axis=axis),
        lm.Revolute(name="b", parent="between", child="bob", axis=axis),
    ]
    twice = lm.System("twice", [lm.Frame("between"), lm.Body("bob", 1.0, inertia=(0.1, 0.1, 0.1))], joints)
    with pytest.raises(lm.errors.NumericsError, match="moves without mass"):
        door(twice)


def test_unknown_input_of_observe() -> None:
    with pytest.raises(UnknownNameError, match="no input 'steer_torqe': did you mean 'steer_torque'"):
        lm.observe(bicycle(), inputs={"steer_torqe": 1.0})


def test_the_most_responsive_columns_are_those_of_pivoted_qr(rng: np.random.Generator) -> None:
    for _ in range(200):
        rows, columns = rng.integers(1, 7, 2)
        rank = int(rng.integers(0, min(rows, columns) + 1))
        slope = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
        _, _, order = scipy.linalg.qr(slope, mode="economic", pivoting=True)
        assert most_responsive(slope) == [int(k) for k in order[:rank]]


def test_assemble_is_true_or_false() -> None:
    with pytest.raises(lm.errors.LocomotorError, match="assemble"):
        lm.compile(bicycle(), target="interpreter").start({}, assemble=np.array([1.0, 2.0]))  # type: ignore[arg-type]


def test_bars_in_one_line_bend_one_way_or_the_other() -> None:
    """All coordinates zero: no small step closes the loop, and a start finds the branch that the equations are derived on."""
    bars = lm.catalogue.four_bar()
    system = bars.replace(nominal={"crank": 0.0, "coupler": 0.0, "rocker": 0.0})
    run = lm.simulate(system, 0.05, step=0.005)
    assert run.status.ok and run.audit()["largest_gap"] < 1e-13 and abs(run["coupler"][0]) > 0.01
    other = lm.simulate(system, 0.05, step=0.005, start={"crank": 0.3})
    assert other["crank"][0] == 0.3 and np.sign(other["coupler"][0]) == np.sign(run["coupler"][0])


def test_a_singular_loop_is_named_at_the_start() -> None:
    """A rod whose length is a law that is zero: its ends lie on each other, and it has no direction; there are no contacts."""
    bodies = [lm.Body(name, 1.0, inertia=(0.1,) * 3) for name in "ab"]
    joints = [lm.Free(name=f"{name}_root", parent="world", child=name) for name in "ab"]
    rod = lm.RodClosure("strut", "a", "b", length="0.0*t")
    system = lm.System("rods", bodies, joints, loops=[rod], nominal={"b_root_x": 1.0})
    with pytest.raises(lm.errors.InconsistentStartError, match=r"the loops \(strut\) are singular in this pose"):
        lm.simulate(system, 0.01)


def test_what_a_start_contradicts_is_named_as_what_it_is() -> None:
    """Stops, cables, loops and couplings are no contacts on a ground that one could be lifted from."""
    swing = lm.System(
        "swing",
        [lm.Body("a", 1.0, com=(0, 0, -1), inertia=(0.1,) * 3)],
        [lm.Revolute((0, 1, 0), name="j", parent="world", child="a")],
        constraints=[lm.Coupling("low", "j - 0.5", law=lm.Unilateral())],
    )
    held = swing.replace(constraints=[lm.Coupling("gear", "j - 0.1")])
    short = lm.with_cable(swing.replace(constraints=[]), "rope", "world", "a", at_b=(0, 0, -3), length=1.0)
    for system, start, words in (
        (swing, {"j": 0.0}, r"the stop 'low' is passed by 0\.5"),
        (held, {"j_rate": 1.0}, r"contradict the constraints \(gear\)"),
        (short, {"j": 0.0}, r"contact 'rope' is 2 m outside 'rope_reach'.*too short"),
        (lm.catalogue.four_bar(), {"crank_rate": 1.0, "rocker_rate": 50.0}, r"contradict the loops \(pin\)"),
    ):
        with pytest.raises(InconsistentStartError, match=words):
            lm.simulate(system, 0.01, start=start)
