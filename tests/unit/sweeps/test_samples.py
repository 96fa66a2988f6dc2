"""Points: what they are, and that any part of them is the same as in the whole."""

import numpy as np
import pytest

from locomotor.errors import SweepError
from locomotor.sweeps import Grid, Listed, Random, Samples, Sobol
from locomotor.sweeps.samples import make_points

RANGES = {"a": (0.0, 1.0), "b": (-2.0, 2.0), "c": (5.0, 6.0), "d": (0.0, 1.0), "e": (0.0, 1.0)}


@pytest.mark.parametrize("samples", [Grid(), Random(100), Sobol(100)])
def test_any_part_of_the_points_is_the_same_as_in_the_whole(samples: Samples) -> None:
    over = {name: np.linspace(*ends, 3) for name, ends in RANGES.items()} if isinstance(samples, Grid) else RANGES
    points = make_points(over, samples, seed=7)
    whole = points.part(0, points.count)
    for first, last in [(0, 1), (13, 14), (17, 60), (points.count - 1, points.count)]:
        part = points.part(first, last)
        assert all(np.array_equal(part[name], whole[name][first:last]) for name in over)


def test_a_grid_is_every_combination_with_the_last_name_fastest() -> None:
    points = make_points({"a": [1, 2], "b": [10, 20, 30]}, None, 0)
    part = points.part(0, points.count)
    assert points.shape == (2, 3)
    assert part["a"].tolist() == [1, 1, 1, 2, 2, 2] and part["b"].tolist() == [10, 20, 30, 10, 20, 30]


def test_listed_points_go_together() -> None:
    points = make_points({"a": [1, 2], "b": [10, 20]}, Listed(), 0)
    assert points.count == 2 and points.part(1, 2)["b"].tolist() == [20]
    with pytest.raises(SweepError, match="as many values"):
        make_points({"a": [1, 2], "b": [10]}, Listed(), 0)


@pytest.mark.parametrize("kind", [Random, Sobol])
def test_drawn_points_fill_their_ranges_and_follow_the_seed(kind: type) -> None:
    points = make_points(RANGES, kind(4096), 1)
    part = points.part(0, 4096)
    for name, (low, high) in RANGES.items():
        assert part[name].min() >= low and part[name].max() <= high
        # The mean of 4096 uniform numbers has a standard deviation of 0.0045 of the range; six of them.
        assert abs(part[name].mean() - (low + high) / 2) < 0.027 * (high - low)
    assert abs(np.corrcoef(part["a"], part["b"])[0, 1]) < 0.1
    again, other = make_points(RANGES, kind(4096), 1).part(0, 9), make_points(RANGES, kind(4096), 2).part(0, 9)
    assert np.array_equal(again["a"], part["a"][:9]) and not np.array_equal(other["a"], part["a"][:9])


def test_sobol_points_are_balanced() -> None:
    """Every interval of length 1/1024 holds exactly one of 1024 points: what random points never do."""
    part = make_points({"a": (0, 1), "b": (0, 1)}, 1024, 3).part(0, 1024)
    for values in part.values():
        assert np.array_equal(np.sort((values * 1024).astype(int)), np.arange(1024))


@pytest.mark.parametrize(
    ("over", "samples", "said"),
    [
        ({}, None, "at least one name"),
        ({"a": []}, None, "'a' is empty"),
        ({"a": 3.0}, None, r"'a' has shape \(\)"),
        ({"a": ["x"]}, None, "give an array of real numbers"),
        ({"a": (1.0, 1.0)}, 16, "two numbers"),
        ({"a": (0.0, np.nan)}, 16, "two numbers"),
        ({"a": [0.0, 1.0, 2.0]}, Random(16), "two numbers"),
        ({"a": (0, 1)}, "many", "samples is 'many'"),
    ],
)
def test_ranges_that_make_no_points_are_refused(over: dict, samples: object, said: str) -> None:
    with pytest.raises(SweepError, match=said):
        make_points(over, samples, 0)  # type: ignore[arg-type]


def test_numbers_of_samples_and_seeds_are_checked() -> None:
    with pytest.raises(SweepError, match=r"Sobol\(0\) makes no points"):
        Sobol(0)
    with pytest.raises(SweepError, match="seed is -1"):
        make_points({"a": [1]}, None, -1)
