"""Roll-outs by name: channels, reductions and ends, the same on every target of the processor."""

import warnings

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import CompileError, ModelError, UnknownNameError

DT, STEPS = 0.01, 150
TARGETS = ["interpreter", "c", "simd"]


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    """Bicycles at 4.6 m/s that are pushed to the side, the last one so hard that its steering turns across."""
    compiled = lm.compile(lm.catalogue.bicycle("meijaard2007"))
    return np.array([compiled.start({"speed": 4.6, "roll_rate": push}) for push in np.linspace(0.1, 2.5, 11)])


def compiled(target: str) -> lm.CompiledSystem:
    return lm.compile(lm.catalogue.bicycle("meijaard2007"), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_channels_are_those_of_a_run(target: str, states: np.ndarray) -> None:
    names = ("roll", "steer", "kinetic_energy", "rear_force_z", "x")
    batch = compiled(target).rollout(states[0], STEPS, DT, save_every=10, channels=names)
    start = {"speed": 4.6, "roll_rate": 0.1}
    run = lm.simulate(lm.catalogue.bicycle("meijaard2007"), STEPS * DT, start=start, stepper=lm.rk4(DT))
    assert batch.names == names and batch.states.shape == (16, 5)
    for name in names:
        scale = np.abs(run[name]).max()
        # The same model and stepper: round-off, which the start (another Newton's method) may add to.
        np.testing.assert_allclose(batch[name], run[name][::10], rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("target", TARGETS)
def test_measures_are_those_of_the_saved_rows(target: str, states: np.ndarray) -> None:
    measures = {
        "most": lm.Maximum("abs(roll)"),
        "least": lm.Minimum("steer"),
        "end": lm.Final("x"),
        "area": lm.Integral("roll**2"),
        "mean": lm.Mean("roll"),
        "late": lm.FirstTime("abs(roll) - 0.1"),
        "never": lm.FirstTime("-1 - t"),
        "parameter": lm.Final("c + 0*t"),
    }
    batch = compiled(target).rollout(states, STEPS, DT, channels=("roll", "steer", "x"), measures=measures)
    roll = np.where(np.isnan(batch["roll"]), 0.0, batch["roll"])
    alive = ~np.isnan(batch["roll"])
    np.testing.assert_allclose(batch.measures["most"], np.nanmax(np.abs(batch["roll"]), axis=1), rtol=1e-14)
    np.testing.assert_allclose(batch.measures["least"], np.nanmin(batch["steer"], axis=1), rtol=1e-14, atol=1e-16)
    last = alive.sum(axis=1) - 1
    rows = np.arange(len(states))
    np.testing.assert_allclose(batch["end"], batch["x"][rows, last], rtol=1e-14)
    both = alive[:, 1:] & alive[:, :-1]
    area = np.where(both, 0.5 * DT * (roll[:, 1:] ** 2 + roll[:, :-1] ** 2), 0.0).sum(axis=1)
    np.testing.assert_allclose(batch["area"], area, rtol=1e-12)
    total = np.where(both, 0.5 * DT * (roll[:, 1:] + roll[:, :-1]), 0.0).sum(axis=1)
    np.testing.assert_allclose(batch["mean"], total / (last * DT), rtol=1e-11, atol=1e-15)
    assert np.isnan(batch["never"]).all()
    np.testing.assert_allclose(batch["parameter"], 0.08, rtol=1e-15)
    for i in rows:
        over = np.flatnonzero(np.abs(roll[i]) >= 0.1)
        if len(over) == 0:
            assert np.isnan(batch["late"][i])
        else:
            k = over[0]
            before, after = abs(roll[i, k - 1]), abs(roll[i, k])
            assert batch["late"][i] == pytest.approx((k - 1 + (0.1 - before) / (after - before)) * DT, rel=1e-9)


@pytest.mark.parametrize("target", TARGETS)
def test_an_end_stops_its_instance_only(target: str, states: np.ndarray) -> None:
    batch = compiled(target).rollout(states, STEPS, DT, channels=("roll",), ends={"fallen": "0.3 - abs(roll)"})
    free = compiled(target).rollout(states, STEPS, DT, channels=("roll",))
    over = (np.abs(free["roll"]) > 0.3).any(axis=1)
    assert 0 < over.sum() < len(states)
    assert list(batch.reasons) == ["fallen" if fell else "all steps taken" for fell in over]
    assert (batch.completed[~over] == STEPS).all() and (batch.completed[over] < STEPS).all()
    # Another monitor is another text, whose products a compiler may fuse in another way: round-off, grown over the run.
    np.testing.assert_allclose(batch["roll"][~over], free["roll"][~over], rtol=0, atol=1e-13)
    for i in np.flatnonzero(over):
        first = np.flatnonzero(np.abs(free["roll"][i]) > 0.3)[0]
        assert batch.completed[i] == first  # the state after it is the first beyond
        assert np.isnan(batch["roll"][i, first + 1 :]).all()


def test_nothing_is_saved_when_asked(states: np.ndarray) -> None:
    batch = compiled("auto").rollout(states, STEPS, DT, save_every=0, measures={"end": lm.Final("t")})
    assert batch.states.shape == (len(states), 0, 13) and len(batch.times) == 0
    np.testing.assert_allclose(batch["end"], batch.completed * DT, rtol=1e-13)


@pytest.mark.parametrize("target", TARGETS)
def test_one_bad_instance_among_many_spoils_no_other(target: str, states: np.ndarray) -> None:
    many = np.tile(states[:1], (10_000 if target == "simd" else 300, 1))
    many[17] = np.nan
    many[18, 3:7] = 0.0  # no orientation
    many[19, 3:7] *= 2.0  # no rotation
    batch = compiled(target).rollout(many, 3, DT, save_every=0, measures={"lean": lm.Maximum("abs(roll)")})
    bad = np.zeros(len(many), dtype=bool)
    bad[[17, 18, 19]] = True
    assert (batch.status[~bad] == 0).all() and (batch.status[bad] != 0).all()
    assert len(np.unique(batch.final[~bad], axis=0)) == 1 and len(np.unique(batch["lean"][~bad])) == 1
    assert np.isnan(batch.final[17]).all() and batch.reasons[17] == "the state was no longer finite"
    assert list(batch.reasons[18:20]) == ["a quaternion has not length one"] * 2


def test_parameters_vary_by_instance() -> None:
    system = lm.catalogue.bicycle("meijaard2007")
    free = lm.compile(system, free=("g",))
    gravity = np.array([9.81, 5.0, 1.62])
    p = np.tile(free.default_parameters, (3, 1))
    p[:, 0] = gravity
    x = np.tile(free.start({"speed": 4.0, "roll_rate": 0.3}), (3, 1))
    batch = free.rollout(x, 50, DT, parameters=p, save_every=0)
    for i, g in enumerate(gravity):
        alone = lm.compile(system.with_parameters(g=g)).rollout(x[i], 50, DT, save_every=0)
        np.testing.assert_allclose(batch.final[i], alone.final, rtol=0, atol=1e-12)


def test_the_dataset_has_names_and_units(states: np.ndarray) -> None:
    measures = {"end": lm.Final("x")}
    data = compiled("auto").rollout(states, 20, DT, save_every=5, channels=("roll",), measures=measures).to_xarray()
    assert data["roll"].dims == ("instance", "time") and data["roll"].attrs["units"] == "rad"
    assert data["end"].shape == (11,) and data["time"].attrs["units"] == "s"
    single = compiled("auto").rollout(states[0], 20, DT, channels=("roll",)).to_xarray()
    assert single["roll"].dims == ("time",)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"channels": ("rol",)}, UnknownNameError, "'rol'.*roll"),
        ({"measures": {"lean": "abs(roll)"}}, ModelError, "measure 'lean' is 'abs.roll.'.*lm.Maximum"),
        ({"measures": {"lean": lm.Maximum("abs(rol)")}}, UnknownNameError, "'rol'.*roll"),
        ({"ends": {"fallen": "1 - abs(rol)"}}, UnknownNameError, "'rol'.*roll"),
        ({"channels": "roll"}, ModelError, r"channels is 'roll'; give a sequence of names, such as channels=\('roll',\)"),
        ({"measures": {"x": lm.Final("y")}}, ModelError, "measure 'x' has the name of what is saved"),
        ({"measures": {"time": lm.Final("y")}}, ModelError, "measure 'time' has the name of what is saved"),
        ({"steps": 2**60, "save_every": 0}, ValueError, "steps is 1152921504606846976"),
    ],
)
def test_wrong_names_are_told(arguments: dict, error: type, words: str, states: np.ndarray) -> None:
    with pytest.raises(error, match=words):
        compiled("c").rollout(**{"states": states, "steps": 2, "dt": DT, **arguments})


def test_measures_are_checked_when_made() -> None:
    with pytest.raises(ModelError, match="Maximum takes an expression"):
        lm.Maximum(3.0)
    with pytest.raises(ModelError, match="no reduction itself"):
        lm.Measure("roll")
    with pytest.raises(UnknownNameError, match=r"'lean' was not saved: ask for it with channels=\(..., 'lean'\)"):
        compiled("c").rollout(compiled("c").start({"speed": 3.0}), 1, DT)["lean"]


def test_single_precision_is_for_the_device() -> None:
    with pytest.raises(CompileError, match="precision 'float32' needs target 'cuda'"):
        lm.compile(lm.catalogue.bicycle("meijaard2007"), precision="float32")


@pytest.mark.parametrize("shape", [(0, 13), (1, 13)])
def test_batches_of_none_and_one(shape: tuple[int, int], states: np.ndarray) -> None:
    batch = compiled("simd").rollout(states[: shape[0]], 5, DT, measures={"lean": lm.Maximum("roll")})
    assert batch.final.shape == shape and batch["lean"].shape == shape[:1]


def test_arrays_of_any_layout_are_read_not_written(states: np.ndarray) -> None:
    wide = np.zeros((len(states), 26))
    wide[:, ::2] = states
    strided = wide[:, ::2]
    strided.flags.writeable = False
    expected = compiled("simd").rollout(states, 5, DT, save_every=0).final
    np.testing.assert_array_equal(compiled("simd").rollout(strided, 5, DT, save_every=0).final, expected)
    np.testing.assert_array_equal(compiled("simd").rollout(np.asfortranarray(states), 5, DT, save_every=0).final, expected)


def test_compiling_takes_lists_and_tells_what_does_not_go_together() -> None:
    system = lm.catalogue.bicycle("meijaard2007")
    assert lm.compile(system, free=["g", "c"]) is lm.compile(system, free=("g", "c"))
    assert lm.compile(system, free="g").parameter_names == ("g",)
    with pytest.raises(ModelError, match=r"contacts is ContactSettings.*settings="):
        lm.compile(lm.catalogue.bouncing_ball(), contacts=lm.ContactSettings())
    with pytest.raises(ModelError, match="belongs to contacts="):
        lm.compile(lm.catalogue.bouncing_ball(), settings=lm.ContactSettings())
    with pytest.raises(ModelError, match="leave out drift_time, project and about"):
        lm.compile(lm.catalogue.bouncing_ball(), contacts="events", project=True)
    with pytest.raises(ValueError, match="target is 'gpu'; give one of 'auto', 'c', 'simd', 'interpreter', 'cuda'"):
        lm.compile(system, target="gpu")


def test_compiling_says_that_contacts_stay_closed() -> None:
    ball = lm.catalogue.bouncing_ball()
    with pytest.warns(
        lm.ContactsWarning, match="floor may open and close, and stay closed.*contacts='closed' if that is meant"
    ):
        found = lm.compile(ball)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lm.compile(ball, contacts="closed") is found
        lm.compile(lm.catalogue.unicycle())
        lm.simulate(ball, 0.3, start={"z": 0.1})
    with pytest.raises(UnknownNameError, match="did you mean 'closed'"):
        lm.compile(ball, contacts="close")


def test_a_batch_is_told_in_one_line(states: np.ndarray) -> None:
    batch = compiled("c").rollout(states, 10, DT, save_every=5, measures={"lean": lm.Maximum("roll")})
    assert repr(batch) == "<Batch: 11 instances, 3 rows of 13 saved, measures ['lean']>"
    assert repr(compiled("c")) == "<CompiledSystem 'bicycle_meijaard2007': 13 states, 3 inputs, target c>"
