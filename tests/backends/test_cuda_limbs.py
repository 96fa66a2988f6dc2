"""One instance by several threads of a CUDA device, a limb each."""

import re
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen import Program
from locomotor.codegen.cuda.limbs import limb_text
from locomotor.tracing import state_limbs

from .test_cuda import compile_text, needs_device, needs_nvcc


def quadruped(target: str, **options: object) -> lm.CompiledSystem:
    """A hull on four legs of four hinges, of which one has a motor: more values than a thread can hold."""
    bodies = [lm.Body("hull", mass="m", com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))]
    joints: list[lm.Free | lm.Revolute] = [lm.Free(name="root", parent="world", child="hull")]
    for leg in range(4):
        for k in range(4):
            name, parent = f"l{leg}{k}", "hull" if k == 0 else f"l{leg}{k - 1}"
            bodies.append(lm.Body(name, mass=1.0, com=(0.0, 0.02, -0.2), inertia=(0.02, 0.03, 0.01)))
            at, axis = (0.3 * (-1) ** leg, 0.1, -0.4), tuple(np.roll((0.0, 1.0, 0.0), leg + k))
            joints.append(lm.Revolute(name=f"j{leg}{k}", parent=parent, child=name, at=at, axis=axis))
    motor = lm.JointForce("motor", "j11", "kick - 0.3*j11_rate")
    inputs = (lm.Input("kick", "N m"),)
    hull = lm.System("quadruped", bodies, joints, forces=(lm.Gravity(), motor), inputs=inputs, parameters={"m": 3.0})
    return lm.compile(hull, target=target, free=("m",), **options)


def tumbling(batch: int) -> np.ndarray:
    rng = np.random.default_rng(6)
    host = quadruped("interpreter")
    x = np.tile(host.start({}), (batch, 1))
    return x + np.concatenate([np.zeros((batch, 7)), rng.uniform(-0.4, 0.4, (batch, x.shape[1] - 7))], axis=1)


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize(("precision", "most"), [("float64", 2500), ("float32", 2000)])
def test_the_text_of_limbs_compiles_and_spills_little(precision: str, most: int, tmp_path: Path) -> None:
    """One thread an instance spills some 14,000 bytes."""
    traced = quadruped("interpreter").traced
    program = Program(traced.dynamics, traced.manifold, limbs=state_limbs(traced))
    made = limb_text(program, precision)
    assert made is not None and made.limbs == 4
    words = compile_text(made.text, tmp_path)
    found = re.search(r"properties for lm_rollout\s+\d+ bytes stack frame, (\d+) bytes spill stores", words)
    assert found is not None and int(found.group(1)) <= most


@needs_device
@pytest.mark.parametrize("batch", [1, 33, 300])
def test_limbs_side_by_side_agree_with_the_processor(batch: int) -> None:
    """States, saved rows and how each instance ends, with inputs, parameters, an end and an instance without a state."""
    x = tumbling(batch)
    if batch > 1:
        x[3] = np.nan
        x[20, 3:7] = 0.5, 0.5, 0.0, 0.0
    rng = np.random.default_rng(7)
    arguments = {
        "save_every": 10,
        "inputs": rng.uniform(-1.0, 1.0, (batch, 1)),
        "parameters": rng.uniform(2.0, 4.0, (batch, 1)),
        "ends": {"bent": "0.35 - abs(j10)"},
    }
    host, device = (quadruped(target).rollout(x, 100, 0.002, **arguments) for target in ("c", "cuda"))
    np.testing.assert_array_equal(device.status, host.status)
    np.testing.assert_array_equal(device.completed, host.completed)
    assert batch == 1 or len(set(host.status.tolist())) == 4
    np.testing.assert_allclose(device.states, host.states, rtol=0, atol=1e-11)
    np.testing.assert_allclose(device.final, host.final, rtol=0, atol=1e-11)


@needs_device
def test_limbs_stay_on_one_trunk() -> None:
    """Long after round-off has grown to chance the energy is that of one body with legs."""
    kernel, host = quadruped("cuda"), quadruped("c")
    assert kernel.roller.threads == 4
    x = tumbling(64)
    parameters = np.full((64, 1), 3.0)
    first = kernel.rollout(x, 20_000, 0.001, parameters=parameters, save_every=0)
    again = kernel.rollout(x, 20_000, 0.001, parameters=parameters, save_every=0)
    np.testing.assert_array_equal(first.final, again.final)
    assert not first.status.any()
    channels = ("kinetic_energy", "potential_energy")
    rows = [host.rollout(states, 1, 1e-9, channels=channels, parameters=parameters).states[:, 0] for states in (x, first.final)]
    told = [row.sum(axis=1) for row in rows]
    assert (told[1] <= told[0] + 1e-6).all()  # a damper takes some, nothing gives any
