"""Eigenvalues of many steady motions: each is what `linearise` gives for it, whatever the others are."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis import batched_eigenvalues
from locomotor.analysis.stability.batched import FOUND, NO_MOTION, NOT_FINITE, REASONS
from locomotor.errors import SteadyMotionError, UnknownNameError
from locomotor.scenarios.bicycle.linear import LIMITS

INTERPRETED = "interpreter"
"""Target for few motions of one kind: nothing needs to be compiled."""

AGREES = 1e-9
"""Two ways to the same motion and matrix: round-off, 1e-15 to 1e-12, times the condition of the eigenvalues."""


@pytest.fixture(scope="module")
def bicycle():
    return lm.catalogue.bicycle("meijaard2007")


def single(system, values, **options):
    """Eigenvalues of one of the motions by `linearise`."""
    parameters = {name: value for name, value in values.items() if name in system.parameters}
    about = {name: value for name, value in values.items() if name not in parameters}
    return lm.linearise(system.with_parameters(**parameters), about, **options).eigenvalues


def assert_agrees(system, over, rows, target="auto", **options):
    found = batched_eigenvalues(system, over, target=target, **options)
    for i in rows:
        wanted = single(system, {name: float(values[i]) for name, values in over.items()}, **options)
        assert found.status[i] == FOUND
        assert np.abs(found.eigenvalues[i] - wanted).max() < AGREES
        assert found.stable[i] == (wanted.real.max() < 0.0) or abs(wanted.real.max()) < AGREES
        assert found.growth[i] == found.eigenvalues[i].real.max()
    return found


@pytest.mark.slow
def test_bicycles_of_different_trail_and_wheels(bicycle, rng):
    over = {"speed": rng.uniform(-2.0, 9.0, 300), "c": rng.uniform(0.02, 0.15, 300), "IFyy": rng.uniform(0.1, 0.28, 300)}
    found = assert_agrees(bicycle, over, [0, 150, 299])
    assert found.eigenvalues.shape == (300, 4)
    assert not found.status.any()
    assert 0 < found.stable.sum() < 300
    assert found.residual.max() < 1e-12


def test_positions_are_found_for_each_geometry(bicycle, rng):
    """Radii, head angle and wheelbase change where the wheels touch: pitch and height follow."""
    bounds = {"speed": (1, 9), "rR": (0.2, 0.4), "rF": (0.25, 0.45), "lam": (0.05, 0.6), "c": (0.0, 0.2), "w": (0.8, 1.4)}
    assert_agrees(bicycle, {name: rng.uniform(*limits, 50) for name, limits in bounds.items()}, [7], INTERPRETED)


def test_weave_and_capsize_speeds(bicycle):
    """The published limits of self-stability: the growth changes sign within 1e-9 m/s of them."""
    gap = 1e-9
    speeds = np.array([LIMITS["weave"] - gap, LIMITS["weave"] + gap, LIMITS["capsize"] - gap, LIMITS["capsize"] + gap])
    found = batched_eigenvalues(bicycle, {"speed": speeds})
    assert (found.growth < 0.0).tolist() == [False, True, True, False]
    assert not found.stable.any()  # so near to a limit they are neutral: round-off may decide
    # Growth at a limit is its slope, of order 1 per m/s, times the distance.
    assert np.abs(found.growth).max() < 1e-8


def test_standing_still_and_rolling_backwards(bicycle):
    over = {"speed": np.array([-6.0, 0.0, 1e-12, 3.0, 6.0])}
    assert_agrees(bicycle, over, range(5))


def test_steady_turns_held_by_a_torque(bicycle, rng):
    over = {"speed": rng.uniform(4.0, 7.0, 20), "steer": rng.uniform(-0.1, 0.1, 20), "c": rng.uniform(0.05, 0.1, 20)}
    assert_agrees(bicycle, over, [3], INTERPRETED, solve_for=("steer_torque",))


def test_grids_are_broadcast(bicycle):
    speeds, trails = np.linspace(4.0, 6.0, 3), np.linspace(0.05, 0.1, 4)
    found = batched_eigenvalues(bicycle, {"speed": speeds[:, None], "c": trails, "IFyy": 0.28})
    assert found.eigenvalues.shape == (3, 4, 4)
    assert found.status.shape == found.stable.shape == found.growth.shape == (3, 4)
    wanted = single(bicycle, {"speed": speeds[1], "c": trails[2]})
    assert np.abs(found.eigenvalues[1, 2] - wanted).max() < AGREES


@pytest.mark.parametrize("target", ["c", "simd", "interpreter"])
def test_targets_and_threads_agree(target, bicycle, rng):
    over = {"speed": rng.uniform(1.0, 9.0, 37), "c": rng.uniform(0.05, 0.1, 37)}
    wanted = batched_eigenvalues(bicycle, over)
    found = batched_eigenvalues(bicycle, over, target=target, threads=3)
    assert np.abs(found.eigenvalues - wanted.eigenvalues).max() < AGREES
    assert np.array_equal(found.status, wanted.status)


@pytest.mark.parametrize(
    ("name", "over"),
    [
        ("cart_pendulum", {"m": (0.5, 2.0), "l": (0.5, 1.0)}),  # no family: nothing is asked for
        ("unicycle", {"speed": (0.5, 2.0), "a": (0.1, 0.3)}),
        ("trikke", {"speed": (0.5, 2.0), "b": (0.5, 0.7)}),
        ("satellite", {"roll_rate": (0.5, 2.0), "I": (1.0, 2.0)}),  # no contacts
    ],
)
def test_other_systems(name, over, rng):
    arrays = {key: rng.uniform(*limits, 10) for key, limits in over.items()}
    assert_agrees(lm.catalogue.system(name), arrays, [0, 9], INTERPRETED)


class TestFailures:
    def test_one_bad_instance_spoils_no_other(self, bicycle, rng):
        over = {"speed": rng.uniform(3.0, 8.0, 10_000), "c": rng.uniform(0.05, 0.1, 10_000)}
        clean = batched_eigenvalues(bicycle, over)
        over["speed"][17], over["c"][4242] = np.nan, np.inf
        over["c"][5000] = -1e6  # a wheel a thousand kilometres off
        found = batched_eigenvalues(bicycle, over)
        assert found.status[[17, 4242]].tolist() == [NOT_FINITE, NOT_FINITE]
        assert np.isnan(found.eigenvalues[[17, 4242]]).all()
        assert not found.stable[[17, 4242]].any()
        others = ~np.isin(np.arange(10_000), [17, 4242, 5000])
        assert np.abs(found.eigenvalues[others] - clean.eigenvalues[others]).max() < AGREES

    def test_motions_that_do_not_exist(self, bicycle):
        """On a slope nothing rolls at constant speed by itself."""
        found = batched_eigenvalues(bicycle, {"speed": 5.0, "slope": np.array([0.0, 0.0, 0.1])}, target=INTERPRETED)
        assert found.status[:2].tolist() == [FOUND, FOUND]
        assert found.status[2] == NO_MOTION
        assert np.isnan(found.eigenvalues[2]).all()
        assert "solve_for" in REASONS[int(found.status[2])]

    def test_no_motion_at_all(self, bicycle):
        with pytest.raises(SteadyMotionError, match=r"no steady motion with speed=5, steer=0\.1"):
            batched_eigenvalues(bicycle, {"speed": np.full(3, 5.0), "steer": 0.1})

    def test_wrong_arguments(self, bicycle):
        with pytest.raises(UnknownNameError, match=r"no parameter, coordinate or velocity 'spead'.*speed"):
            batched_eigenvalues(bicycle, {"spead": [1.0]})
        with pytest.raises(UnknownNameError, match=r"no input 'steer'.*steer_torque"):
            batched_eigenvalues(bicycle, {"speed": [1.0]}, solve_for=("steer",))
        with pytest.raises(TypeError, match="'speed' must hold real numbers, not complex128"):
            batched_eigenvalues(bicycle, {"speed": [1.0j]})
        with pytest.raises(ValueError, match="none of the 2 instances has finite values only"):
            batched_eigenvalues(bicycle, {"speed": [np.nan, np.inf]})
        with pytest.raises(ValueError, match="give arrays by name"):
            batched_eigenvalues(bicycle, {})

    def test_empty_and_single(self, bicycle):
        empty = batched_eigenvalues(bicycle, {"speed": np.zeros(0)})
        assert empty.status.shape == empty.stable.shape == empty.growth.shape == (0,)
        assert batched_eigenvalues(bicycle, {"speed": [5.0]}).eigenvalues.shape == (1, 4)
        assert batched_eigenvalues(bicycle, {"speed": 5.0}).eigenvalues.shape == (4,)


def test_chunks_do_not_matter(bicycle, rng):
    """Work goes by chunks: batches beyond one chunk give the same as their parts."""
    speeds = rng.uniform(1.0, 9.0, 20_000)
    whole = batched_eigenvalues(bicycle, {"speed": speeds, "c": 0.08})
    part = batched_eigenvalues(bicycle, {"speed": speeds[12_345:], "c": 0.08})
    assert np.abs(whole.eigenvalues[12_345:] - part.eigenvalues).max() < AGREES
