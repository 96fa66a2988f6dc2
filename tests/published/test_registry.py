"""The registry itself: names, overrides, verdicts, and mistakes that are told."""

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import DuplicateNameError, QuantityError, UnknownNameError
from locomotor.scenarios import Comparison, Computation, Number, Origin, Scenario, register, registry, scenario, scenarios
from locomotor.scenarios.registry import contradicted, digits, vanishing
from oracles.slip import run_on_a_spring
from oracles.trailing import trail


def number(**changes: Any) -> Number:
    return Number(**{"key": "speed", "expected": 4.0, "tolerance": 0.1, "reason": "why", "source": "whence", **changes})


# -- names ----------------------------------------------------------------------------------------------------


def test_every_experiment_of_the_thesis_can_be_run_by_name() -> None:
    for name in ("E1", "E2", "E3", "E4", "E5", "E6"):
        assert isinstance(scenario(f"bicycle/{name}"), Scenario)
    assert isinstance(scenario("bicycle/E0"), Computation)


def test_aliases() -> None:
    assert scenario("bicycle/self-stability") is scenario("bicycle/E3")
    for entry in scenarios():
        for alias in entry.aliases:
            assert scenario(alias) is entry


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="no scenario is named 'bicycle/E33': did you mean 'bicycle/E3'"):
        scenario("bicycle/E33")


def test_the_registry_is_public() -> None:
    assert lm.scenarios.scenario("bicycle/E3") in lm.scenarios.scenarios()


def test_every_number_says_where_it_comes_from_and_why_its_tolerance() -> None:
    for entry in scenarios():
        assert entry.title and entry.citation and entry.numbers
        for item in entry.numbers:
            assert item.source.strip() and item.reason.strip() and 0 < item.tolerance < math.inf


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_ENTRIES", {})
    monkeypatch.setattr(registry, "_ALIASES", {})


@pytest.mark.usefixtures("empty")
def test_names_and_aliases_are_unique() -> None:
    make = partial(Computation, title="T", citation="C", numbers=(), compute=dict)
    register(make("one", aliases=("uno",)))
    for again in (make("one"), make("uno"), make("two", aliases=("one",)), make("three", aliases=("uno",))):
        with pytest.raises(DuplicateNameError, match="two scenarios are named"):
            register(again)
    assert [entry.name for entry in scenarios()] == ["one"]


def test_keys_are_unique_within_an_entry() -> None:
    with pytest.raises(DuplicateNameError, match="scenario 'one': two numbers are named 'speed'"):
        Computation("one", "T", "C", numbers=(number(), number()), compute=dict)


# -- numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("because", "value", "ok", "verdict"),
    [
        ("", 4.05, True, "agrees"),
        ("", 4.2, False, "does not agree"),
        ("", math.nan, False, "does not agree"),
        ("a misprint", 4.2, True, "differs, as explained"),
        ("a misprint", 4.05, False, "agrees, against the explanation"),
        ("a misprint", math.nan, False, "agrees, against the explanation"),
    ],
)
def test_verdicts(because: str, value: float, ok: bool, verdict: str) -> None:
    comparison = Comparison(number(differs_because=because), value)
    assert (comparison.ok, comparison.verdict) == (ok, verdict)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tolerance": 0.0}, "within 0.0; give a finite number and a positive tolerance"),
        ({"tolerance": math.inf}, "within inf"),
        ({"expected": math.nan}, "expected nan"),
        ({"reason": " "}, "its reason is empty"),
        ({"source": ""}, "its source is empty"),
    ],
)
def test_numbers_that_cannot_be_judged(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(QuantityError, match=words):
        number(**changes)


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        ("Mauny, PhD thesis (2018), table 2.1", Origin.PRINTED),
        ("Mauny, PhD thesis (2018), section 4.3.3: both, front; torques and instants are ours: none given", Origin.COMPUTED),
        ("Mauny, PhD thesis (2018), fig. 3.3; numbers computed by an independent program", Origin.COMPUTED),
        ("computed by an independent program from the formulas of Mauny", Origin.COMPUTED),
        ("closed form: eta^2", Origin.COMPUTED),
        ("94 kg times 9.81 m/s^2", Origin.COMPUTED),
    ],
)
def test_who_says_what_a_number_must_be(source: str, origin: Origin) -> None:
    assert number(source=source).origin is origin


def test_printed_numbers_cite_a_work_of_the_references() -> None:
    """Nothing counts as printed only because its source begins with a capital letter."""
    known = (Path(__file__).resolve().parents[2] / "docs" / "references.md").read_text(encoding="utf-8")
    for entry in scenarios():
        for item in entry.numbers:
            if item.origin is Origin.PRINTED:
                author, year = re.match(r"([A-Z][\w-]+)", item.source), re.search(r"\b1[5-9]\d\d\b|\b20\d\d\b", item.source)
                assert author and year, item.source
                assert re.search(rf"{author[1]}.*{year[0]}", known), f"{item.source}: add it to docs/references.md"


def test_numbers_of_ours_agree_with_programs_of_their_own() -> None:
    """Expected values of the hopper and of the snake that follows its head, computed here apart from the library."""
    expected = {item.key: item for name in ("hopper/running", "wheeled_snake/steer") for item in scenario(name).numbers}
    steps, apexes, speed = run_on_a_spring(10.0, 1.0, 5.0, math.radians(68.0), preload=0.001)
    assert steps == expected["steps"].expected
    assert apexes[-1] == pytest.approx(expected["last apex"].expected, abs=5e-6)
    assert apexes[-1] == pytest.approx(apexes[-2], abs=1e-9)
    assert speed == pytest.approx(expected["mean speed"].expected, abs=5e-5)

    run = scenario("wheeled_snake/steer").run()
    joints = np.array([run[f"joint_{k}"][0] for k in range(1, 8)])
    yaws = run["yaw"][0] + np.concatenate([[0.0], np.cumsum(joints)])
    drawn = trail(run.time, CubicSpline(run.time, run["speed"]), CubicSpline(run.time, run["yaw_rate"]), yaws, 0.1)
    for k in (1, 4, 7):
        ours = np.stack([run[f"axle_{k}_point_x"], run[f"axle_{k}_point_y"]], axis=-1)
        assert drawn[:, k] == pytest.approx(ours, abs=1e-9)  # of 2 m; the spline through the samples
    late = drawn[run.time > 4.0, 7][::50]
    off = max(float(np.hypot(*(drawn[:, 0] - point).T).min()) for point in late)
    assert off == pytest.approx(expected["tail from the path of the head, largest"].expected, abs=5e-7)


def test_tolerance_from_printed_digits() -> None:
    by_key = {n.key: n for n in digits({"a": "4.622", "b": "-1.190e-3", "c": "12"}, "source")}
    assert by_key["a"].tolerance == pytest.approx(5e-4) and by_key["b"].tolerance == pytest.approx(5e-7)
    assert by_key["c"].tolerance == pytest.approx(0.5) and by_key["b"].expected == -1.190e-3
    # A number on the very edge of rounding agrees.
    assert by_key["a"].agrees(4.6215) and by_key["a"].agrees(4.6225) and not by_key["a"].agrees(4.6226)
    assert contradicted("a", "3.40", "source", "s", "why").tolerance == pytest.approx(0.005)
    assert [n.expected for n in vanishing(["a", "b"], 1e-9, "source")] == [0.0, 0.0]


# -- running --------------------------------------------------------------------------------------------------


def test_overrides() -> None:
    entry = scenario("bicycle/E3")
    run = entry.run(duration=0.2, start={"speed": 5.0}, step=0.002)
    assert run.time[-1] == 0.2 and len(run) == 101
    # The other entries of the start stay.
    assert run["speed"][0] == pytest.approx(5.0) and run["roll_rate"][0] == 0.5
    assert entry.settings["start"] == {"speed": 4.6, "roll_rate": 0.5}


def test_overriding_parameters_and_stepper() -> None:
    entry = scenario("bicycle/E3")
    heavy = entry.run(duration=0.01, parameters={"mB": 95.0})
    assert heavy.parameters["mB"] == 95.0 and heavy.parameters["mH"] == 4.0
    adaptive = entry.run(duration=0.1, stepper="dop853")
    assert adaptive.settings["stepper"] == "dop853"
    other = entry.run(duration=0.1, stepper="abm4")
    assert other.settings["step"] == 0.001
    np.testing.assert_allclose(adaptive["roll"][-1], other["roll"][-1], atol=1e-10)


def test_unknown_override() -> None:
    with pytest.raises(UnknownNameError, match="'bicycle/E3': a run has no setting 'durations': did you mean 'duration'"):
        scenario("bicycle/E3").run(durations=2.0)
    with pytest.raises(UnknownNameError, match="did you mean 'speed'"):
        scenario("bicycle/E3").run(start={"sped": 2.0})
    with pytest.raises(UnknownNameError, match="no parameter is named 'mass'"):
        scenario("bicycle/E3").run(parameters={"mass": 2.0})


def test_settings_are_checked_when_a_scenario_is_made() -> None:
    with pytest.raises(UnknownNameError, match="a run has no setting 'durat'"):
        Scenario("s", "T", "C", numbers=(), system=bicycle, settings={"durat": 1.0}, measure=lambda run: {})


def test_a_number_that_is_not_measured() -> None:
    entry = Computation("one", "T", "C", numbers=(number(key="speeds"),), compute=lambda: {"speed": 1.0})
    with pytest.raises(UnknownNameError, match="scenario 'one' does not measure 'speeds': did you mean 'speed'"):
        entry.compare()


def test_evaluate_gives_our_values() -> None:
    entry = Computation("one", "T", "C", numbers=(number(),), compute=lambda: {"speed": np.float64(4.02), "more": 1})
    assert entry.evaluate() == {"speed": 4.02, "more": 1.0}
    (comparison,) = entry.compare()
    assert comparison.ok and comparison.difference == pytest.approx(0.02)
    assert "1 numbers" in repr(entry)
