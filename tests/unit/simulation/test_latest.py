"""What is found once and kept: starts of runs with events, and steps that were looked at."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import InconsistentStartError, UnstableStepError
from locomotor.simulation.events import hybrid_start, modes_of
from locomotor.simulation.latest import Latest, key_of
from locomotor.simulation.step_limit import _power_bound, _spectral


def test_only_the_latest_answers_are_kept_and_no_errors() -> None:
    asked: list[int] = []

    def square(x: int) -> int:
        asked.append(x)
        if x < 0:
            raise ValueError
        return x * x

    latest = Latest[int](2)
    assert [latest(x, lambda x=x: square(x)) for x in (3, 3, 4, 5, 4, 3)] == [9, 9, 16, 25, 16, 9]  # type: ignore[misc]
    assert asked == [3, 4, 5, 3]
    for _ in range(2):
        with pytest.raises(ValueError):
            latest(-1, lambda: square(-1))
    assert latest([], lambda: square(6)) == latest([], lambda: square(6)) == 36  # type: ignore[arg-type]
    assert asked == [3, 4, 5, 3, -1, -1, 6, 6]


def test_numbers_of_another_kind_are_another_key() -> None:
    assert key_of({"x": 1.0}) == key_of({"x": 1.0}) != key_of({"x": True})
    assert key_of({"x": 1.0, "y": 0.0}) != key_of({"y": 0.0, "x": 1.0})  # velocities given first are met first


def test_a_start_that_is_kept_is_that_found_anew() -> None:
    """Of other values, another instant, other contacts and other parameters it is another; and nobody can spoil it."""
    system = lm.catalogue.three_link_biped()
    kept = modes_of(system, None, "auto")
    name = system.layout.velocities[-1].name
    for rate in (0.0, 0.1, 0.2):
        fresh = modes_of(system.replace(name=f"again {rate}"), None, "auto")
        other, y, _ = hybrid_start(fresh, {name: rate})
        for _ in range(2):
            mode, x, _ = hybrid_start(kept, {name: rate})
            assert mode.closed == other.closed
            assert np.array_equal(x, y)
            x += 1.0
    for closed in ((), kept.names[:1], ()):
        assert hybrid_start(kept, None, 0.0, closed)[0].closed == frozenset(closed)


def test_a_start_that_is_refused_is_refused_again() -> None:
    ball = lm.catalogue.bouncing_ball()
    lm.simulate(ball, 0.1, start={"z": 1.0})
    for _ in range(2):
        with pytest.raises(InconsistentStartError):
            lm.simulate(ball, 0.1, start={"z": True})
        with pytest.raises(InconsistentStartError):
            lm.simulate(ball, 0.1, start={"z": -1.0})


def test_steps_that_are_refused_are_refused_again_and_others_are_not() -> None:
    weights = lm.System(
        "weights",
        [lm.Body(name, 1.0, inertia=(0.1, 0.1, 0.1)) for name in ("one", "two")],
        [
            lm.Prismatic(name="z", parent="world", child="one", axis=(0, 0, 1)),
            lm.Prismatic(name="apart", parent="one", child="two", axis=(0, 0, 1)),
        ],
        contacts=(lm.SlidingPoint("foot", "one", (0, 0, 0), law=lm.Unilateral()),),
        forces=(lm.JointSpring("spring", "apart", 5e5), lm.Gravity()),
    )
    for step, refused in ((1e-3, False), (4e-3, True)) * 2:  # stable below 2.8 ms: w = 1000/s
        if refused:
            with pytest.raises(UnstableStepError):
                lm.simulate(weights, 0.4, start={"z": 10.0}, step=step)
        else:
            assert lm.simulate(weights, 0.4, start={"z": 10.0}, step=step).status.completed


@pytest.mark.parametrize("size", [1, 4, 18])
def test_powers_of_a_step_bound_its_growth_from_above(size: int) -> None:
    random = np.random.default_rng(size)
    for _ in range(20):
        matrix = random.normal(size=(size, size)) * 10.0 ** random.uniform(-3, 3)
        scale = 10.0 ** random.uniform(-3, 3, size=size)
        matrix = matrix * scale[:, None] / scale  # positions and velocities in units of their own
        exact = float(np.log(np.abs(np.linalg.eigvals(matrix)).max()))
        assert exact - 1e-12 <= _power_bound(matrix) <= exact + 0.03
        assert _spectral(matrix) == pytest.approx(exact)
    assert _power_bound(np.diag(np.ones(size), 1)) == np.inf  # nothing of a power is left, or not a number
    assert _power_bound(np.full((size, size), np.inf)) == np.inf
