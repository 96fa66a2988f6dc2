"""Roll-outs and functions on a CUDA device: the text is compiled where nvcc is found, and run where a device is."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.codegen import Program, compile
from locomotor.codegen.cuda import CudaKernel, find_device, kernel_text, missing_device_notice, rollout_text
from locomotor.codegen.schedule import pressure, schedule
from locomotor.errors import CompileError, DeviceMemoryError
from locomotor.lie import Manifold

from .problems import RIGID_BODY, every_operation, rigid_body

needs_device = pytest.mark.skipif(bool(missing_device_notice()), reason=missing_device_notice() or "there is a device")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not on the path (Debian: nvidia-cuda-toolkit)")

DT = 0.005


def bicycle(target: str = "cuda", **options: object) -> lm.CompiledSystem:
    return lm.compile(lm.catalogue.bicycle("meijaard2007"), target=target, **options)


def pushed(batch: int) -> np.ndarray:
    """Bicycles in the stable range, pushed in different ways."""
    host = bicycle("auto")
    x = np.tile(host.start({"speed": 5.0}), (batch, 1))
    x[:, 10:12] = np.random.default_rng(5).uniform(-0.5, 0.5, (batch, 2))
    return x


# --- the text --------------------------------------------------------------------------------------------------------


def compile_text(text: str, folder: Path) -> str:
    source = folder / "text.cu"
    source.write_text(text)
    command = ["nvcc", "-arch=sm_90", "-cubin", "-Xptxas", "-v", "-o", str(folder / "text.cubin"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


@needs_nvcc
@pytest.mark.parametrize(("precision", "most"), [("float64", 0), ("float32", 64)])
def test_the_text_of_a_rollout_compiles_and_spills_little(precision: str, most: int, tmp_path: Path) -> None:
    traced = bicycle("auto").traced
    words = compile_text(rollout_text(Program(traced.dynamics, traced.manifold), precision), tmp_path)
    found = re.search(r"properties for lm_rollout\s+\d+ bytes stack frame, (\d+) bytes spill stores", words)
    assert found is not None and int(found.group(1)) <= most


@needs_nvcc
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_the_text_of_implicit_steps_compiles(precision: str, tmp_path: Path) -> None:
    compile_text(rollout_text(Program(rigid_body(), RIGID_BODY).implicit(), precision), tmp_path)


@pytest.mark.slow
@needs_nvcc
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("implicit", [False, True])
def test_the_text_of_what_has_no_state_compiles(implicit: bool, precision: str, tmp_path: Path) -> None:
    """A bench whose every motion is imposed: the compiler for devices refuses arrays of no length."""
    bench = lm.compile(lm.catalogue.fruit_fly("clamped"), target="interpreter", free=("amplitude",))
    assert not bench.state_names
    measures = (("lift", lm.Mean("right_foil_air_z")),)
    program = bench._roller(("right_stroke_drive_torque",), measures, (), implicit).program
    compile_text(rollout_text(program, precision), tmp_path)


@needs_nvcc
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_the_text_of_every_operation_compiles(precision: str, tmp_path: Path) -> None:
    compile_text(kernel_text(every_operation(), precision), tmp_path)


def rubbing_ball() -> lm.System:
    """A ball that bounces by Stronge's law, with friction: a compression, and a restitution whose share is found in sweeps."""
    law = lm.Unilateral(0.6, friction=0.3, rule="stronge")
    return lm.System(
        "rubbing_ball",
        [lm.Body("ball", 1.0, inertia=(0.004,) * 3)],
        [lm.Free(name="base", parent="world", child="ball")],
        contacts=[lm.RollingSphere("floor", "ball", (0.0, 0.0, 0.0), 0.1, law=law)],
        forces=[lm.Gravity((0.0, 0.0, -9.81))],
    )


@needs_nvcc
@pytest.mark.parametrize(
    ("system", "kind"),
    [
        (lm.catalogue.bouncing_ball, "time-stepping"),
        (rubbing_ball, "time-stepping"),
        (lm.catalogue.compass_walker, "events"),
    ],
    ids=["ball", "rubbing ball", "walker"],
)
@pytest.mark.parametrize("precision", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
def test_the_text_of_steps_with_contacts_compiles(system: Any, kind: str, precision: str, tmp_path: Path) -> None:
    step = lm.compile(system(), contacts=kind, target="interpreter").stepping.step
    compile_text(rollout_text(Program(step, Manifold([("vector", step.inputs[1].size)])), precision), tmp_path)


@pytest.mark.slow
@needs_nvcc
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("made", ["terrain", "many contacts", "soft"])
def test_the_text_of_calls_of_the_runtime_compiles(made: str, precision: str, tmp_path: Path) -> None:
    """The search of a terrain and the solution of many contacts, in the midst of a step."""
    step = stepping_on(made, "interpreter").stepping.step
    assert step.calls
    compile_text(rollout_text(Program(step, Manifold([("vector", step.inputs[1].size)])), precision), tmp_path)


def stepping_on(made: str, target: str) -> lm.CompiledSystem:
    """A ball on a kerb; a box on its eight corners and a soft snake on its keels, whose contacts the runtime solves."""
    if made == "terrain":
        ball = lm.RollingSphere("floor", body="ball", centre=(0, 0, 0), radius="r", law=lm.Unilateral(friction=0.5))
        on_kerb = lm.catalogue.bouncing_ball().replace(contacts=(ball,), grounds=(lm.Terrain.kerb(0.05),))
        return lm.compile(on_kerb, contacts="time-stepping", target=target)
    settings = lm.ContactSettings(solver="runtime")
    system = lm.catalogue.soft_snake() if made == "soft" else lm.catalogue.tumbling_box()
    return lm.compile(system, contacts="time-stepping", target=target, settings=settings)


@needs_device
@pytest.mark.parametrize("made", ["terrain", "many contacts"])
def test_calls_of_the_runtime_agree_on_the_device(made: str) -> None:
    host, device = (stepping_on(made, target) for target in ("c", "cuda"))
    states = np.array([host.start({"z": 1.0, "x": -0.1 + 0.02 * k}) for k in range(11)])
    states[:, host.state_names.index("pitch_rate")] = np.linspace(-2.0, 2.0, 11)
    wanted, found = (compiled.rollout(states, 600, 0.001) for compiled in (host, device))
    assert (wanted.status == found.status).all() and (wanted.status == 0).all()
    # Where a body lands on an edge, round-off grows: what is compared is before and a little after.
    assert np.abs(wanted.states - found.states)[:, :480].max() < 1e-6


def test_scheduling_keeps_the_values_and_lowers_the_pressure() -> None:
    dynamics = bicycle("auto").traced.dynamics
    ordered = schedule(dynamics.tape)
    assert pressure(ordered) < pressure(dynamics.tape)
    assert ordered.operations == dynamics.tape.operations
    assert sorted(i.op for i in ordered.instructions) == sorted(i.op for i in dynamics.tape.instructions)
    for line, instruction in enumerate(ordered.instructions):
        assert instruction.op == "input" or all(operand < line for operand in instruction.args)


def test_a_missing_device_is_told() -> None:
    if not missing_device_notice():
        pytest.skip("there is a device")
    with pytest.raises(CompileError, match=r"target 'cuda' cannot be had: CuPy.*target 'simd' runs without"):
        bicycle("cuda")


# --- on a device -----------------------------------------------------------------------------------------------------


@needs_device
@pytest.mark.parametrize(("steps", "bound"), [(1, 1e-12), (1000, 1e-10)])
def test_the_device_agrees_with_the_processor(steps: int, bound: float) -> None:
    x = pushed(257)
    host, device = (bicycle(target).rollout(x, steps, DT, save_every=steps) for target in ("c", "cuda"))
    np.testing.assert_array_equal(device.status, host.status)
    np.testing.assert_allclose(device.final, host.final, rtol=0, atol=bound)
    np.testing.assert_allclose(device.states, host.states, rtol=0, atol=bound)


@needs_device
@pytest.mark.parametrize("stepper", ["midpoint", "generalised-alpha", "auto"])
def test_implicit_steps_on_the_device(stepper: str) -> None:
    x = pushed(33)
    host, device = (bicycle(target).rollout(x, 50, DT, save_every=0, stepper=stepper) for target in ("c", "cuda"))
    np.testing.assert_array_equal(device.status, host.status)
    np.testing.assert_allclose(device.final, host.final, rtol=0, atol=1e-11)


@needs_device
@pytest.mark.parametrize("stepper", ["rk4", "midpoint"])
def test_what_has_no_state_on_the_device(stepper: str) -> None:
    """A bench whose every motion is imposed: torques and mean lift of a row of strokes."""
    reach = np.linspace(0.5, 1.3, 65)[:, None]
    arguments = {
        "channels": ("right_stroke_drive_torque",),
        "measures": {"lift": lm.Mean("right_foil_air_z")},
        "parameters": reach,
        "stepper": stepper,
    }
    benches = (lm.compile(lm.catalogue.fruit_fly("clamped"), target=t, free=("amplitude",)) for t in ("c", "cuda"))
    host, device = (bench.rollout(np.zeros((65, 0)), 50, 1e-4, **arguments) for bench in benches)
    assert not device.status.any() and device.final.shape == (65, 0)
    np.testing.assert_allclose(device.states, host.states, rtol=0, atol=1e-10 * np.abs(host.states).max())
    np.testing.assert_allclose(device.measures["lift"], host.measures["lift"], rtol=1e-10)


@needs_device
def test_single_precision_is_near() -> None:
    x = pushed(64)
    host = bicycle("c").rollout(x, 100, DT, save_every=0)
    device = bicycle(precision="float32").rollout(x, 100, DT, save_every=0)
    assert device.final.dtype == np.float32
    np.testing.assert_allclose(device.final, host.final, rtol=0, atol=2e-3)


@needs_device
def test_channels_measures_ends_and_parameters_on_the_device() -> None:
    system = lm.catalogue.bicycle("meijaard2007")
    x = pushed(100)
    x[3] = np.nan
    arguments = {
        "channels": ("roll", "rear_force_z"),
        "save_every": 20,
        "measures": {"lean": lm.Maximum("abs(roll)"), "late": lm.FirstTime("abs(roll) - 0.02"), "mean": lm.Mean("steer")},
        "ends": {"fallen": "0.05 - abs(roll)"},
        "parameters": np.random.default_rng(1).uniform(5.0, 10.0, (100, 1)),
    }
    host, device = (lm.compile(system, target=t, free=("g",)).rollout(x, 200, DT, **arguments) for t in ("c", "cuda"))
    np.testing.assert_array_equal(device.status, host.status)
    np.testing.assert_array_equal(device.completed, host.completed)
    assert len(set(host.status.tolist())) == 3
    scale = np.nanmax(np.abs(host.states), axis=(0, 1))
    np.testing.assert_allclose(device.states / scale, host.states / scale, rtol=0, atol=1e-9)
    for name in host.measures:
        np.testing.assert_allclose(device.measures[name], host.measures[name], rtol=1e-8, atol=1e-11)
    assert list(device.reasons) == list(host.reasons)


@needs_device
def test_equal_calls_give_equal_bits_and_states_stay_on_the_device() -> None:
    import cupy

    kernel = bicycle()
    x = cupy.asarray(pushed(5000))
    first, second = (kernel.rollout(x, 200, DT, save_every=0).final for _ in range(2))
    assert isinstance(first, cupy.ndarray) and cupy.array_equal(first, second)
    half = kernel.rollout(x, 100, DT, save_every=0).final
    assert cupy.array_equal(kernel.rollout(half, 100, DT, save_every=0).final, first)  # time does not enter this system


@needs_device
def test_tensors_are_shared_without_a_copy() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor(pushed(10), device="cuda")
    result = bicycle().rollout(x, 10, DT, save_every=0)
    back = torch.from_dlpack(result.final)
    assert back.data_ptr() == result.final.data.ptr and back.shape == (10, 13)
    expected = bicycle("c").rollout(x.cpu().numpy(), 10, DT, save_every=0).final
    np.testing.assert_allclose(back.cpu().numpy(), expected, rtol=0, atol=1e-12)


@needs_device
def test_jax_arrays_are_read() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    x = jax.numpy.asarray(pushed(10))
    if x.device.platform not in ("gpu", "cuda"):
        pytest.skip(f"JAX runs on {x.device.platform}")
    result = bicycle().rollout(x, 10, DT, save_every=0)
    expected = bicycle("c").rollout(np.asarray(x), 10, DT).final
    np.testing.assert_allclose(jax.dlpack.from_dlpack(result.final), expected, rtol=0, atol=1e-12)


@needs_device
def test_functions_on_the_device() -> None:
    traced = every_operation()
    rng = np.random.default_rng(2)
    arguments = [rng.uniform(0.1, 0.9, (1000, port.size)) for port in traced.inputs]
    for found, wanted in zip(CudaKernel(traced)(*arguments), compile(traced, "c")(*arguments), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)


@needs_device
@pytest.mark.parametrize(
    ("system", "kind", "start", "closed"),
    [
        (lm.catalogue.bouncing_ball, "time-stepping", {"speed": 1.0}, None),
        (lm.catalogue.compass_walker, "events", GARCIA_CYCLE, ["foot_a"]),
    ],
    ids=["ball", "walker"],
)
def test_steps_with_contacts_on_the_device(system: Any, kind: str, start: dict[str, float], closed: list[str] | None) -> None:
    """Roll-outs with impacts, random states and Jacobians are those of the processor."""
    ranges = {"z": (0.12, 0.3)} if closed is None else {"leg_a_rate": (0.199, 0.201)}
    host, device = (lm.compile(system(), contacts=kind, target=target) for target in ("c", "cuda"))
    states = host.random_states(100, ranges, start=start, closed=closed, seed=2)
    there = device.random_states(100, ranges, start=start, closed=closed, seed=2)
    np.testing.assert_allclose(there.get(), states, rtol=0, atol=1e-12)
    direction = next(iter(ranges))
    finals = [compiled.rollout(states, 400, 0.01, save_every=0) for compiled in (host, device)]
    np.testing.assert_array_equal(finals[0].status, finals[1].status)
    np.testing.assert_allclose(finals[0].final, finals[1].final, rtol=0, atol=1e-8)
    slopes = [compiled.jacobians(states, 400, 0.01, with_respect_to=(direction,)).matrix for compiled in (host, device)]
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=0, atol=1e-6 * np.abs(slopes[0]).max())


@needs_device
def test_what_sinks_into_its_ground_is_told_on_the_device() -> None:
    ball = lm.compile(lm.catalogue.bouncing_ball(restitution=0.0), contacts="time-stepping", target="cuda")
    states = np.tile(ball.start({"z": 0.4}), (3, 1))
    states[:, ball.state_names.index("z")] = [0.1, 0.0, 0.4]  # its radius is 0.1 m
    batch = ball.rollout(states, 50, 0.01)
    assert batch.status.tolist() == [0, 1, 0] and batch.completed[1] == 0 and "inside its ground" in batch.reasons[1]


@needs_device
def test_wrong_arrays_are_told() -> None:
    import cupy

    with pytest.raises(TypeError, match="array of float32 on the device, float64 is computed in"):
        bicycle().rollout(cupy.zeros((4, 13), dtype=cupy.float32), 1, DT)
    with pytest.raises(ValueError, match=r"state must have shape \(13\) or \(batch, 13\), not \(4, 12\)"):
        bicycle().rollout(np.zeros((4, 12)), 1, DT)
    with pytest.raises(ValueError, match="the device has stepper 'rk4' and implicit ones only"):
        bicycle().rollout(pushed(2), 1, DT, stepper="abm4")
    strided = cupy.asarray(np.repeat(pushed(6), 2, axis=0))[::2]
    expected = bicycle().rollout(pushed(6), 3, DT, save_every=0).final
    np.testing.assert_array_equal(cupy.asnumpy(bicycle().rollout(strided, 3, DT, save_every=0).final), expected)
    for count in (0, 1):
        assert bicycle().rollout(pushed(6)[:count], 3, DT).final.shape == (count, 13)


@needs_device
def test_too_large_a_batch_tells_what_would_fit() -> None:
    device = find_device()
    assert not isinstance(device, str)
    free, _ = device.cupy.cuda.runtime.memGetInfo()
    steps = int(2 * free / (1000 * 13 * 8))
    with pytest.raises(DeviceMemoryError, match=r"GiB are wanted for a batch of 1000.*a batch of \d+ would fit"):
        bicycle().rollout(pushed(1000), steps, DT)


@needs_device
@pytest.mark.parametrize("ranges", [{"roll_rate": (-0.3, 0.2)}, {"steer": (-0.3, 0.2)}, {"roll": (-0.3, 0.2)}])
def test_random_states_are_those_of_the_processor(ranges: dict) -> None:
    device, host = (bicycle(target).random_states(1000, ranges, start={"speed": 5.0}, seed=4) for target in ("cuda", "c"))
    # The numbers drawn have the same bits; closing the contacts adds round-off.
    np.testing.assert_allclose(device.get(), host, rtol=0, atol=1e-13)
