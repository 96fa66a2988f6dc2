"""The headers of complementarity are CUDA too: compiled where nvcc is found, and run where a device is."""

from pathlib import Path

import numpy as np
import pytest

from locomotor.codegen import contact_forces, linear_complementarity
from locomotor.codegen.complementarity import emit
from locomotor.codegen.cuda import find_device
from locomotor.codegen.cuda.text import dialect_of
from oracles.complementarity import CLASSES, broken_laws, rigid_contacts

from .test_cuda import compile_text, needs_device, needs_nvcc

FRICTION = """
extern "C" __global__ void each(const stored *w, const stored *q, const stored *mu, stored *r, stored *residual, int *status,
                                double tolerance, int n, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, rows = n * LM_AXES;
    if (i < count)
        status[i] = lm_friction(n, w + i * rows * rows, q + i * rows, mu + i * n, r + i * rows, tolerance, 2000, 1,
                                residual + i);
}
"""
LEMKE = """
extern "C" __global__ void each(const stored *m, const stored *q, stored *z, int *status, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) status[i] = lm_lemke(m + i * LM_ORDER * LM_ORDER, q + i * LM_ORDER, z + i * LM_ORDER, 500);
}
"""


def text(task: str, sizes: tuple[int, ...], precision: str) -> str:
    return emit(task, sizes, dialect_of(precision)) + (FRICTION if task == "friction" else LEMKE)


@needs_nvcc
@pytest.mark.parametrize(
    ("task", "sizes", "precision"),
    [
        ("friction", (4, 3), "float64"),
        *(
            pytest.param(task, sizes, precision, marks=pytest.mark.slow)
            for task, sizes in (("friction", (8, 3)), ("friction", (4, 2)), ("lemke", (6,)))
            for precision in ("float64", "float32")
        ),
    ],
)
def test_the_text_compiles(task: str, sizes: tuple[int, ...], precision: str, tmp_path: Path) -> None:
    assert "each" in compile_text(text(task, sizes, precision), tmp_path)


@needs_device
@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-10), ("float32", 2e-5)])
def test_friction_on_the_device(precision: str, tolerance: float, rng: np.random.Generator) -> None:
    """Single precision: about 1e-7 a number, and sums of 24 terms with forces up to a hundred times the largest velocity."""
    found = [problem for problem in (rigid_contacts(rng) for _ in range(800)) if len(problem[2]) == 4][:60]
    W, q, mu = (np.array(part) for part in zip(*found, strict=True))
    device = find_device()
    kernel, _ = device.build(text("friction", (4, 3), precision), "each")
    cupy = device.cupy
    given = [cupy.asarray(part.astype(precision)) for part in (W, q, mu)]
    r, residual = cupy.zeros(q.shape, precision), cupy.zeros(len(q), precision)
    status = cupy.zeros(len(q), "int32")
    kernel((1,), (64,), (*given, r, residual, status, np.float64(tolerance), np.int32(4), np.int32(len(q))))
    solved = status.get() == 0
    assert solved.all() if precision == "float64" else solved.mean() > 0.9
    laws = [max(broken_laws(*problem, f)) for *problem, f in zip(W, q, mu, r.get().astype(float), strict=True)]
    assert max(law for law, good in zip(laws, solved, strict=True) if good) < 3.0 * tolerance
    assert (contact_forces(W, q, mu).status == 0).all()


@needs_device
def test_linear_problems_on_the_device(rng: np.random.Generator) -> None:
    M, q = (np.array(part) for part in zip(*(CLASSES["positive_definite"](rng, 6) for _ in range(64)), strict=True))
    device = find_device()
    cupy = device.cupy
    z, status = cupy.zeros(q.shape), cupy.zeros(len(q), "int32")
    kernel, _ = device.build(text("lemke", (6,), "float64"), "each")
    kernel((1,), (64,), (cupy.asarray(M), cupy.asarray(q), z, status, np.int32(64)))
    assert not status.get().any()
    wanted = linear_complementarity(M, q).solution
    assert np.abs(z.get() - wanted).max() < 1e-9 * np.abs(wanted).max()
