"""Starting states by the batch: those of `starting_state`, one by one."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.errors import UnknownNameError
from locomotor.simulation.starts.many import Starts
from locomotor.simulation.starts.start import starting_state
from locomotor.simulation.stepping.compile_with_starts import ClosedStarts
from locomotor.simulation.stepping.time_stepping import compile_stepping

NAMES = ("roll", "steer", "speed", "roll_rate")


@pytest.fixture(scope="module")
def compiled() -> lm.CompiledSystem:
    return lm.compile(lm.catalogue.bicycle(), free=("c", "rF"))


def test_each_is_what_it_would_be_alone(compiled: lm.CompiledSystem, rng: np.random.Generator) -> None:
    values = rng.uniform(-0.3, 0.3, (20, 4)) + [0, 0, 5, 0]
    parameters = compiled.default_parameters * rng.uniform(0.9, 1.1, (20, 2))
    states, reasons = Starts(compiled.traced, NAMES)(values, parameters)
    assert not reasons
    for i in range(20):
        alone = compiled.start(dict(zip(NAMES, values[i], strict=True)), parameters=parameters[i])
        # Both close gaps of order 1 m to 1e-12 m, and wheels turn at up to 17 rad/s.
        assert np.allclose(states[i], alone, rtol=0.0, atol=1e-11)


def test_numbers_do_not_depend_on_the_batch(compiled: lm.CompiledSystem, rng: np.random.Generator) -> None:
    values = rng.uniform(-0.3, 0.3, (50, 4)) + [0, 0, 5, 0]
    starts = Starts(compiled.traced, NAMES, "simd")
    whole, _ = starts(values)
    assert np.array_equal(starts(values[7:12])[0], whole[7:12])


def test_one_that_cannot_be_started_is_told_and_spoils_no_other(compiled: lm.CompiledSystem) -> None:
    values = np.array([[0.1, 0.0, 5.0, 0.0], [np.nan, 0.0, 5.0, 0.0], [np.pi / 2, 0.0, 5.0, 0.0], [0.2, 0.0, 5.0, 0.0]])
    states, reasons = Starts(compiled.traced, NAMES)(values)
    assert set(reasons) == {1, 2} and "not finite" in reasons[1] and "start:" in reasons[2]
    assert np.isfinite(states[[0, 3]]).all() and np.isnan(states[[1, 2]]).all()


def test_quaternions_are_taken_one_by_one(compiled: lm.CompiledSystem) -> None:
    names = ("qw", "qx", "qy", "qz")
    states, reasons = Starts(compiled.traced, names)(np.array([[1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]]))
    assert np.array_equal(states[0], compiled.start({}))
    assert set(reasons) == {1} and "norm" in reasons[1]


def test_no_names_give_the_nominal_start(compiled: lm.CompiledSystem) -> None:
    states, reasons = Starts(compiled.traced, ())(np.zeros((3, 0)))
    assert not reasons and np.allclose(states, compiled.start({}), rtol=0.0, atol=1e-12)


def test_a_wrong_name_is_met_with_the_nearest(compiled: lm.CompiledSystem) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'steer'"):
        Starts(compiled.traced, ("stear",))


def test_contacts_that_open_start_closed_where_named() -> None:
    walker = compile_stepping(lm.catalogue.compass_walker(), "time-stepping", free=("l",))
    starts = ClosedStarts(walker, tuple(GARCIA_CYCLE), ("foot_a",))
    values, lengths = np.array([*GARCIA_CYCLE.values()]) * [[1.0], [0.8]], np.array([[1.0], [1.3]])
    states, reasons = starts(values, lengths)
    assert not reasons
    for k in range(2):
        alone = walker.start(dict(zip(GARCIA_CYCLE, values[k], strict=True)), closed=["foot_a"], parameters=lengths[k])
        assert np.allclose(states[k], alone, rtol=0.0, atol=1e-12)
    with pytest.raises(UnknownNameError, match=r"did you mean 'foot_[ab]'"):
        ClosedStarts(walker, (), ("foot_c",))


def test_loops_start_together_as_alone() -> None:
    """Cranks all the way round, on the branch of the nominal pose, with rates; what cannot close is told alone."""
    traced = lm.trace(lm.catalogue.four_bar())
    starts = Starts(traced, ("crank", "crank_rate"), "interpreter")
    angles = np.linspace(-3.0, 3.0, 13)
    values = np.stack([angles, np.linspace(-1.0, 2.0, 13)], axis=1)
    together, good = starts._together(values, np.zeros((13, 0)))
    assert good.all()
    for angle, (first, second), state in zip(angles, values, together, strict=True):
        alone = starting_state(traced, {"crank": float(first), "crank_rate": float(second)})
        np.testing.assert_allclose(state, alone, atol=1e-9, err_msg=str(angle))
