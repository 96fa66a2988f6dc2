"""The climbing robot: numbers of Mauny 2018, section 1.7, and where each of them is tested.

A place is the name of a scenario, whose every number is a test (`test_scenarios.py`), or a test of this file.
"""

import ast
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.rocr import NEGLIGIBLE, rocr
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.model import System
from locomotor.scenarios import scenario, scenarios
from locomotor.scenarios.rocr.cycles import FAST, GRID, HALF
from locomotor.simulation.events.collisions import collide, rows_at
from locomotor.simulation.events.modes import Modes

Array = Any

PLACES: dict[int, tuple[str, tuple[str, ...]]] = {
    7: ("inertia matrices", ("test_7_inertia_matrices", "test_7_reduced_inertia")),
    8: ("reduced equations of both grips", ("test_8_reduced_equations", "test_8_energy_is_kept_without_friction")),
    9: ("impact", ("rocr/impact", "test_9_impacts_are_plastic_and_lose_energy")),
    10: ("two symmetric cycles at 3 pi / 2", ("rocr/cycles",)),
    11: ("two families over all phases", ("rocr/table", "rocr/windows", "test_11_two_symmetric_cycles_at_64_phases")),
    12: ("speeds", ("rocr/table", "rocr/a", "rocr/b")),
    13: ("motion and torque of gait a", ("rocr/a",)),
    14: ("symmetry of torque and forces", ("rocr/a", "rocr/b", "rocr/c")),
    15: ("peak grip forces", ("rocr/a", "rocr/b", "rocr/c")),
    16: ("figures", ("test_16_every_figure_of_the_source_is_declared",)),
    17: ("convergence", ("rocr/convergence",)),
}


def test_every_check_has_a_place() -> None:
    assert sorted(PLACES) == list(range(7, 18))
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    tests = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    known = {entry.name for entry in scenarios()} | tests
    for about, places in PLACES.values():
        assert about and set(places) <= known, places


# -- equations ------------------------------------------------------------------------------------------------

A, B, CV, M0, M1, MS0, MS1, J0, G = 0.10, 0.02, 0.03, 0.199, 0.100, 3.5e-3, 30e-3, 1.3e-4, 9.81
J1 = MS1**2 / M1 + NEGLIGIBLE
MT = M0 + M1


def printed_inertia(r: float) -> Array:
    """Blocks of Mauny 2018, section 1.7, over (V_x, V_y, Omega, r_dot)."""
    s, c = math.sin(r), math.cos(r)
    k = MS0 + M1 * B + MS1 * c
    return np.array(
        [
            [MT, 0.0, -MS1 * s, -MS1 * s],
            [0.0, MT, k, MS1 * c],
            [-MS1 * s, k, B * (M1 * B + 2 * MS1 * c) + J1 + J0, J1 + B * MS1 * c],
            [-MS1 * s, MS1 * c, J1 + B * MS1 * c, J1],
        ]
    )


def inertia(system: System, yaw: float, r: float) -> Array:
    q = np.array([0.3, -0.2, yaw, r])
    kinematics = forward(Instant(system, q, np.zeros(4), parameters=dict(system.parameters.values)))
    return np.asarray(mass_matrix(kinematics), dtype=float)


def test_7_inertia_matrices(rng: np.random.Generator) -> None:
    system = rocr()
    # The body's own inertia is J0 - MS0²/m0 + MS0²/m0: a difference that rounds at 1e-19.
    for yaw, r in rng.uniform(-4.0, 4.0, (8, 2)):
        np.testing.assert_allclose(inertia(system, yaw, r), printed_inertia(r), rtol=0, atol=1e-15)


@pytest.mark.parametrize("h", [A / 2, -A / 2], ids=["grip 1", "grip 2"])
def test_7_reduced_inertia(h: float, rng: np.random.Generator) -> None:
    H = np.array([[-h, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for r in rng.uniform(-4.0, 4.0, 8):
        s, c = math.sin(r), math.cos(r)
        whole = 2 * h * MS1 * s + 2 * B * MS1 * c + B**2 * M1 + h**2 * MT + J0 + J1
        coupling = h * MS1 * s + B * MS1 * c + J1
        reduced = H.T @ inertia(rocr(), 0.4, r) @ H
        np.testing.assert_allclose(reduced, [[whole, coupling], [coupling, J1]], rtol=0, atol=1e-15)


@pytest.mark.parametrize(("grip", "h"), [("grip_1", A / 2), ("grip_2", -A / 2)])
def test_8_reduced_equations(grip: str, h: float, rng: np.random.Generator) -> None:
    """Accelerations, torque and grip forces against the printed equations, corrected as the digest says."""
    modes = Modes(rocr())
    mode = modes.mode(frozenset({grip}))
    traced = mode.compiled.traced
    for _ in range(6):
        t, yaw, rate = rng.uniform(-4.0, 4.0, 3)
        outputs = traced.dynamics(np.array([t]), np.array([0.0, 0.0, yaw, rate]), np.zeros(0), np.zeros(0))[0]
        w = 2 * math.pi * 1.5
        swing = math.radians(60.0)
        r, rd, rdd = swing * math.cos(w * t + FAST), -swing * w * math.sin(w * t + FAST), -swing * w**2 * math.cos(w * t + FAST)
        s, c = math.sin(r), math.cos(r)
        whole = 2 * h * MS1 * s + 2 * B * MS1 * c + B**2 * M1 + h**2 * MT + J0 + J1
        coupling = h * MS1 * s + B * MS1 * c + J1
        force = MS1 * (B * s - h * c) * (rd**2 + 2 * rate * rd) - CV * rate
        force += G * (h * MT * math.sin(yaw) - (MS0 + M1 * B) * math.cos(yaw) - MS1 * math.cos(yaw + r))
        acceleration = (force - coupling * rdd) / whole
        torque = coupling * acceleration + J1 * rdd + MS1 * (B * s - h * c) * rate**2 + G * MS1 * math.cos(yaw + r)
        # Round-off of accelerations of up to 1e4 rad/s².
        assert outputs[3] == pytest.approx(acceleration, abs=1e-9)
        assert outputs[2] == pytest.approx(rate) and outputs[0] == pytest.approx(-h * rate * math.cos(yaw))
        observed = traced.observation(np.array([t]), np.array([0.0, 0.0, yaw, rate]), np.zeros(0), np.zeros(0))
        assert observed[traced.observation.output("torques")][0] == pytest.approx(torque, abs=1e-10)


def test_8_energy_is_kept_without_friction() -> None:
    system = rocr().with_parameters(Cv=0.0).with_motions({"swing": "0.7"})
    run = lm.simulate(system, 0.33, start={"yaw": 0.4, "yaw_rate": 3.0}, step=2e-4)
    # Runge-Kutta 4 at 0.2 ms: nine digits of 0.5 J.
    assert np.ptp(run.energy) < 1e-9


def test_9_impacts_are_plastic_and_lose_energy(rng: np.random.Generator) -> None:
    modes = Modes(rocr())
    for _ in range(10):
        q, v = rng.uniform(-3.0, 3.0, 4), rng.uniform(-5.0, 5.0, 4)
        rows = rows_at(modes, q)
        for k in range(2):
            after = collide(modes, rows, v, frozenset(), [k]).velocity
            assert np.abs(rows.switching[k] @ after).max() < 1e-12
            assert after @ rows.mass @ after <= v @ rows.mass @ v + 1e-12


def test_a_tail_held_through_impacts_has_other_cycles() -> None:
    """The reading that does not reproduce the thesis (tail held through impacts): (-4.36, 1.4155 pi) and (-8.77, 0.4195 pi)."""
    system = rocr(phase=FAST)
    base, swing = system.joints
    held = system.replace(joints=(base, replace(swing, drive=replace(swing.drive, yields=False))))
    found = {(round(c.start["yaw_rate"], 2), round(c.start["yaw"] / math.pi, 4)) for c in lm.find_cycles(held, GRID, **HALF)}
    assert found == {(-4.36, 1.4155), (-8.77, 0.4195)}


# -- cycles ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_11_two_symmetric_cycles_at_64_phases() -> None:
    """Two cycles at every phase, one family each; asked for: 64 phases in less than 10 s, compile time apart."""
    phases = np.arange(64) * 2.0 * math.pi / 64
    lm.sweep_cycles(rocr(), "phase", phases[:1], GRID, **HALF)
    began = time.perf_counter()
    found = lm.sweep_cycles(rocr(), "phase", phases, GRID, **HALF)
    assert time.perf_counter() - began < 10.0
    assert [len(cycles) for cycles in found] == [2] * 64
    for cycles in found:
        for cycle in cycles:
            assert abs(cycle.displacement["x"]) < 1e-8 and cycle.residual < 1e-10


@pytest.mark.slow
def test_16_every_figure_of_the_source_is_declared(tmp_path: Path) -> None:
    """Figures 1.18 to 1.22; those of a run are drawn."""
    from locomotor.viewing.plots.figures import draw

    sources = {figure.source for entry in scenarios() if entry.name.startswith("rocr/") for figure in entry.figures}
    assert {"fig. 1.18", "fig. 1.19", "fig. 1.20", "fig. 1.21", "fig. 1.22"} <= sources
    entry = scenario("rocr/b")
    run = entry.run()
    for k, figure in enumerate(entry.figures):
        path = tmp_path / f"{k}.png"
        draw(figure, run, entry.run, path)
        assert path.stat().st_size > 10_000
    families = scenario("rocr/table").figures[0]
    draw(families, None, None, tmp_path / "families.png")
    assert (tmp_path / "families.png").stat().st_size > 10_000
