"""A wing on a bench whose every motion is imposed: no state is left, and torques and power are what is asked for."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen.cuda import rollout_text
from locomotor.errors import ArgumentError

MASS, LENGTH, CHORD, DENSITY, DRAG = 2e-4, 0.07, 0.02, 1.2, 3.0
INERTIA = 8e-8 + MASS * 0.03**2
BENCH = lm.System(
    "bench",
    [lm.Body("wing", mass=MASS, com=(0.03, 0.0, 0.0), inertia=(1e-8, 8e-8, 8e-8))],
    [lm.Revolute(name="stroke", parent="world", child="wing", axis=(0, 0, 1), drive=lm.Motion("reach*sin(w*t)"))],
    forces=[
        lm.Gravity(), lm.Air(density=DENSITY),
        lm.Wing("foil", "wing", length=LENGTH, chord=CHORD, span=(1, 0, 0), chord_axis=(0, 0, 1), lift=0.0, drag=DRAG,
                mechanisms=("translation",), sections=4),
    ],
    parameters=lm.ParameterSet([lm.Parameter("reach", 0.7), lm.Parameter("w", 150.0)]),
)  # fmt: skip
STEPS, STEP = 40, 1e-3


def torque(reach: float, w: float, time: np.ndarray) -> np.ndarray:
    """I w' + rho c CD/2 |w| w times the integral of X^3 from 0 to R, which is R^4/4: the plate stands across its way."""
    rate, acceleration = reach * w * np.cos(w * time), -reach * w**2 * np.sin(w * time)
    return np.asarray(INERTIA * acceleration + 0.5 * DENSITY * CHORD * DRAG * np.abs(rate) * rate * LENGTH**4 / 4.0)


def test_a_run_returns_torque_and_power() -> None:
    run = lm.simulate(BENCH, STEPS * STEP, step=STEP, target="interpreter")
    asked = torque(0.7, 150.0, run.time)
    assert run.status.ok and run["stroke_drive_torque"] == pytest.approx(asked, rel=1e-12, abs=1e-12 * np.abs(asked).max())
    rate = 0.7 * 150.0 * np.cos(150.0 * run.time)
    assert run["stroke_imposed_power"] == pytest.approx(asked * rate, rel=1e-12, abs=1e-10 * np.abs(asked * rate).max())


@pytest.mark.parametrize("stepper", ["rk4", "abm4", "midpoint"])
@pytest.mark.parametrize(
    "target", ["interpreter", pytest.param("c", marks=pytest.mark.slow), pytest.param("simd", marks=pytest.mark.slow)]
)
def test_many_benches_at_once(target: str, stepper: str) -> None:
    rows = np.array([[0.7, 150.0], [0.4, 150.0], [0.7, 90.0]])
    bench = lm.compile(BENCH, target=target, free=("reach", "w"))
    batch = bench.rollout(
        np.zeros((len(rows), 0)), STEPS, STEP, stepper=stepper, parameters=rows, channels=["stroke_drive_torque"]
    )
    for found, (reach, w) in zip(np.asarray(batch["stroke_drive_torque"]), rows, strict=True):
        asked = torque(reach, w, STEP * np.arange(STEPS + 1))
        assert found == pytest.approx(asked, rel=1e-12, abs=1e-12 * np.abs(asked).max())
    assert not batch.status.any()


@pytest.mark.slow
def test_a_sweep_over_benches() -> None:
    found = lm.sweep(
        BENCH,
        {"reach": [0.3, 0.6]},
        {"most": lm.Maximum("abs(stroke_drive_torque)")},
        duration=STEPS * STEP,
        dt=STEP,
        executor="threads",
    )
    for k, reach in enumerate((0.3, 0.6)):
        asked = np.abs(torque(reach, 150.0, STEP * np.arange(STEPS + 1))).max()
        assert float(found["most"][k]) == pytest.approx(asked, rel=1e-10)


def test_what_has_no_state_has_no_cycle_to_look_for() -> None:
    with pytest.raises(ArgumentError, match="no state: all that moves is imposed"):
        lm.find_cycle(BENCH, period=2 * np.pi / 150.0, target="interpreter")


@pytest.mark.parametrize("implicit", [False, True])
def test_no_array_of_machine_code_is_empty(implicit: bool) -> None:
    """Compilers for devices refuse arrays without length, which those of C let pass."""
    roller = lm.compile(BENCH, target="interpreter")._roller(("stroke_drive_torque",), (), (), implicit)
    text = rollout_text(roller.program)
    assert "#define NX 0" in text and "[NX]" not in text and "[ND]" not in text
