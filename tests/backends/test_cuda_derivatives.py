"""Derivatives and eigenvalues on a CUDA device: the text is compiled where nvcc is found, and run where a device is."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.stability.batched_steady import structure
from locomotor.analysis.stability.chart_model import ChartModel
from locomotor.codegen import Program
from locomotor.codegen.cuda import missing_device_notice, rollout_text
from locomotor.codegen.steady_program import cuda_text
from locomotor.codegen.tangent import TangentManifold
from locomotor.errors import CompileError
from locomotor.simulation.compiled import jacobians
from locomotor.tracing import trace
from locomotor.tracing.variations.deviations import with_deviations

needs_device = pytest.mark.skipif(bool(missing_device_notice()), reason=missing_device_notice() or "there is a device")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not on the path (Debian: nvidia-cuda-toolkit)")


def compile_text(text: str, folder: Path) -> None:
    source = folder / "text.cu"
    source.write_text(text)
    command = ["nvcc", "-std=c++17", "-arch=sm_90", "-cubin", "-o", str(folder / "text.cubin"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@needs_nvcc
@pytest.mark.slow
def test_the_text_of_eigenvalues_compiles(tmp_path: Path) -> None:
    """A small system with all the parts: contacts, a family, an input to be found."""
    system = lm.catalogue.system("two_wheel_platform")
    model = ChartModel(trace(system, free=("b",)))
    found = structure(model, {"speed": 1.0}, {}, ("left_wheel_torque",), "interpreter")
    compile_text(cuda_text(found.program), tmp_path)


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_the_text_of_jacobians_compiles(precision: str, tmp_path: Path) -> None:
    traced = trace(lm.catalogue.system("satellite"), free=("J_r",))
    grown = with_deviations(traced.dynamics, traced.manifold, 2, [(1, "parameters", 0)])
    compile_text(rollout_text(Program(grown, TangentManifold(traced.manifold, 2)), precision), tmp_path)


def test_a_missing_device_is_told() -> None:
    if not missing_device_notice():
        pytest.skip("there is a device")
    with pytest.raises(CompileError, match=r"target 'cuda' cannot be had: CuPy.*target 'simd' runs without"):
        lm.batched_eigenvalues(lm.catalogue.system("two_wheel_platform"), {"speed": [1.0, 2.0]}, target="cuda")


@needs_device
def test_eigenvalues_on_the_device(rng: np.random.Generator) -> None:
    bicycle = lm.catalogue.bicycle("meijaard2007")
    over = {"speed": rng.uniform(1.0, 9.0, 10_000), "c": rng.uniform(0.05, 0.1, 10_000)}
    over["speed"][77] = np.nan
    host, device = (lm.batched_eigenvalues(bicycle, over, target=target) for target in ("c", "cuda"))
    np.testing.assert_array_equal(device.status, host.status)
    np.testing.assert_allclose(device.eigenvalues, host.eigenvalues, rtol=0, atol=1e-9)


@needs_device
@pytest.mark.parametrize(("precision", "bound"), [("float64", 1e-10), ("float32", 1e-2)])
def test_jacobians_on_the_device(precision: str, bound: float, rng: np.random.Generator) -> None:
    system = lm.catalogue.system("satellite")
    host = lm.compile(system, target="c", free=("J_r",))
    device = lm.compile(system, target="cuda", free=("J_r",), precision=precision)
    states = np.tile(host.start({}), (100, 1))
    states[:, host.traced.nq :] += rng.normal(size=(100, states.shape[1] - host.traced.nq))
    wanted = jacobians(host, states, 20, 0.05, with_respect_to=("state", "J_r"))
    found = jacobians(device, states, 20, 0.05, with_respect_to=("state", "J_r"))
    assert np.abs(found.matrix - wanted.matrix).max() < bound * np.abs(wanted.matrix).max()
    cupy = pytest.importorskip("cupy")
    kept = jacobians(device, cupy.asarray(states, dtype=precision), 20, 0.05, with_respect_to=("state", "J_r"))
    assert isinstance(kept.matrix, cupy.ndarray)
    np.testing.assert_array_equal(cupy.asnumpy(kept.matrix), found.matrix)
