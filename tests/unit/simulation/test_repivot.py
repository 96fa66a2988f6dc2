"""Pivots that vanish on the way are replaced: the run goes on as if nothing had happened."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.simulation.compiled import system as compiled
from locomotor.simulation.compiled.system import brief_system, compile_system
from oracles.simple import rolling_disc

ROLLING = {"roll": 0.2, "yaw_rate": 0.6, "pitch_rate": 8.0}
WANTED = ("speed", "roll_rate", "yaw_rate")
"""The speed along a spoke vanishes each half turn: these three cannot stay independent."""
SHOWN = ("x", "y", "z", "yaw", "roll", "roll_rate", "pitch_rate", "yaw_rate", "rim_force_x", "rim_force_z")


@pytest.fixture(scope="module")
def reference() -> lm.Run:
    """The same disc with its three body rates as reduced velocities, whose pivots are constants."""
    run = lm.simulate(rolling_disc(), 1.5, start=ROLLING, stepper=lm.Adaptive(rtol=1e-12, atol=1e-13), sample=0.01)
    assert run.settings["repivots"] == 0
    return run


@pytest.mark.parametrize("stepper", [lm.rk4(0.0005), lm.abm4(0.0005), lm.Adaptive(rtol=1e-11, atol=1e-12)])
def test_trajectory_through_singular_pivots(reference: lm.Run, stepper: lm.Adaptive) -> None:
    system = rolling_disc(independent=WANTED)
    assert set(lm.compile(system).traced.reduction.names) == set(WANTED)
    run = lm.simulate(system, 1.5, start=ROLLING, stepper=stepper, sample=0.01)
    assert run.status.ok and run.settings["repivots"] >= 1
    assert [event.name for event in run.events] == ["repivot"] * run.settings["repivots"]
    assert {event.kind for event in run.events} == {"repivot"}
    np.testing.assert_array_equal(run.time, np.arange(151) * (1.5 / 150))
    for name in SHOWN:
        # The error of Runge-Kutta 4 at 0.5 ms, here some 1e-9; worst seen 3e-10.
        scale = max(1.0, float(np.abs(reference[name]).max()))
        np.testing.assert_allclose(run[name], reference[name], atol=1e-8 * scale, err_msg=name)


def test_energy_through_singular_pivots() -> None:
    run = lm.simulate(rolling_disc(independent=WANTED), 1.5, start=ROLLING, step=0.0005)
    assert np.abs(run.energy / run.energy[0] - 1).max() < 1e-8


def test_controller_states_survive_a_change_of_pivots() -> None:
    controller = lm.Controller(lambda c: {"sum": c["roll"]}, {"sum": 0.0})
    run = lm.simulate(rolling_disc(independent=WANTED), 1.0, start=ROLLING, controller=controller, step=0.0005)
    assert run.settings["repivots"] >= 1
    steps = np.diff(run.time) * 0.5 * (run["roll"][1:] + run["roll"][:-1])
    # The trapezoidal rule on samples 0.5 ms apart.
    np.testing.assert_allclose(run["sum"], np.concatenate([[0.0], np.cumsum(steps)]), atol=1e-6)


def test_a_falling_bicycle_changes_its_pivots() -> None:
    """Without contact laws it swings through the floor and back; two formulations change their pivots apart and agree."""
    settings = {"stepper": lm.Adaptive(rtol=1e-11, atol=1e-12), "sample": 0.01, "ends": None}
    free = lm.simulate(bicycle(), 1.05, start={"speed": 1.0, "roll": 0.3}, **settings)
    start = {"roll": 0.3, "rear_wheel_rate": float(free["rear_wheel_rate"][0])}
    planar = lm.simulate(bicycle(base="SE2"), 1.05, start=start, **settings)
    assert free.status.ok and planar.status.ok
    assert min(run.settings["repivots"] for run in (free, planar)) >= 2
    assert math.degrees(np.abs(free["roll"]).max()) > 65 and math.degrees(np.abs(free["steer"]).max()) > 110
    for name in ("roll", "pitch", "steer", "yaw", "steer_rate", "rear_wheel_rate"):
        # Tolerances of 1e-11 grow with the fall; worst seen 4e-9, in the steer rate.
        np.testing.assert_allclose(planar[name], free[name], atol=5e-8, err_msg=name)


def test_a_wheel_that_lies_flat_ends_the_run() -> None:
    with pytest.warns(lm.RunWarning, match="the constraints became singular and no other pivots are safe there"):
        run = lm.simulate(bicycle(), 1.5, start={"speed": 1.0, "roll": 0.3}, stepper="dop853", sample=0.01, ends=None)
    assert 1.05 < run.status.time < 1.2 and abs(math.degrees(run["roll"][-1])) > 80
    assert "end the run before it, or start otherwise" in str(run.status)


def test_changing_pivots_again_and_again_builds_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """One fall used to cost a dozen compilations; its short pieces do without."""
    built: list[str] = []
    program, kernel = compiled.compile_program, compiled.codegen.compile

    def counted_program(what: Any, *options: Any) -> Any:
        built.append("roll-out")
        return program(what, *options)

    def counted_kernel(what: Any, target: str = "auto", **options: Any) -> Any:
        built.extend([] if target == "interpreter" else [what.name])
        return kernel(what, target=target, **options)

    monkeypatch.setattr(compiled, "compile_program", counted_program)
    monkeypatch.setattr(compiled.codegen, "compile", counted_kernel)
    compile_system.cache_clear(), brief_system.cache_clear()
    settings: dict[str, Any] = {"start": {"speed": 3.0, "roll_rate": 0.5}, "ends": None, "step": 0.001}
    run = lm.simulate(bicycle(), 2.3, **settings)
    assert run.settings["repivots"] >= 4 and run.audit()["energy_balance"] < 1e-4
    assert built.count("roll-out") == 1 and len(built) <= 2, built


@pytest.mark.slow
def test_pieces_without_a_compiler_are_those_of_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"start": {"speed": 3.0, "roll_rate": 0.5}, "ends": None, "step": 0.001}
    run = lm.simulate(bicycle(), 1.95, **settings)
    monkeypatch.setattr(compiled, "PATIENCE", 1)
    same = lm.simulate(bicycle(), 1.95, **settings)
    assert same.settings["repivots"] == run.settings["repivots"] >= 2
    for name in ("roll", "steer", "rear_wheel_rate"):
        # Round-off, magnified by a motion that is unstable.
        np.testing.assert_allclose(same[name], run[name], atol=1e-9, err_msg=name)
