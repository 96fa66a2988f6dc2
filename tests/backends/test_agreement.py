"""Every back end gives what CasADi's virtual machine gives, output by output."""

import numpy as np
import pytest

from backends.problems import (
    FEW,
    TARGETS,
    every_operation,
    lorenz,
    needs_compiler,
    pendulum,
    random_expression,
    rigid_body,
)
from locomotor.codegen import compile
from locomotor.tracing.core.traced import Traced

# A few roundings in each of some hundred operations, each of relative size 1e-16, and elementary functions good to 3
# units in the last place.
TOLERANCE = 1e-13


def rows(traced: Traced, rng: np.random.Generator, batch: int) -> list[np.ndarray]:
    return [rng.normal(size=(batch, port.size)) for port in traced.inputs]


def assert_agree(traced: Traced, inputs: list[np.ndarray], target: str, lanes: int | None) -> None:
    kernel = compile(traced, target, lanes)
    batch = len(inputs[0])
    found = kernel(*inputs)
    for row in range(batch):
        expected = traced(*(values[row] for values in inputs))
        alone = kernel(*(values[row] for values in inputs))
        for port, reference, together, single in zip(traced.outputs, expected, found, alone, strict=True):
            scale = np.maximum(1.0, np.abs(reference))
            for field, a, b, r, s in zip(port.fields, together[row].flat, single.flat, reference.flat, scale.flat, strict=True):
                message = f"{traced.name} {port.name}.{field.name}, instance {row}, target {target} {lanes}"
                assert abs(a - r) <= TOLERANCE * s or (np.isnan(a) and np.isnan(r)) or a == r, message
                assert abs(b - r) <= TOLERANCE * s or (np.isnan(b) and np.isnan(r)) or b == r, message


@pytest.mark.parametrize(("target", "lanes"), TARGETS)
def test_every_operation(target: str, lanes: int | None, rng: np.random.Generator) -> None:
    traced = every_operation()
    assert_agree(traced, rows(traced, rng, 19), target, lanes)


@pytest.mark.parametrize(("target", "lanes"), TARGETS)
def test_special_values(target: str, lanes: int | None) -> None:
    special = [0.0, 1.0, -1.0, 0.5, 1e-320, 1e300, np.inf, -np.inf, np.nan, 1e7, 123456789.0]
    x = np.array([[a, b, 0.25, c] for a in special for b in special for c in (0.0, 2.0, np.nan)])
    traced = every_operation()
    names = traced.outputs[0].names
    found = compile(traced, target, lanes)(x)[0]
    expected = np.array([traced(row)[0] for row in x])
    for index, name in enumerate(names):
        np.testing.assert_allclose(found[:, index], expected[:, index], rtol=TOLERANCE, atol=1e-300, err_msg=name)


@pytest.mark.parametrize(("target", "lanes"), TARGETS)
@pytest.mark.parametrize("make", [pendulum, lorenz, rigid_body])
def test_small_systems_and_their_jacobians(make, target: str, lanes: int | None, rng: np.random.Generator) -> None:
    traced = make()
    assert_agree(traced, rows(traced, rng, 9), target, lanes)
    jacobian = traced.jacobian("rate", "state")
    assert_agree(jacobian, rows(jacobian, rng, 9), target, lanes)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3))])
def test_random_expressions(seed: int) -> None:
    generator = np.random.default_rng(seed)
    traced = random_expression(generator)
    inputs = rows(traced, generator, 17)
    for target, lanes in FEW:
        assert_agree(traced, inputs, target, lanes)


def test_numpy_interpreter_of_a_large_batch(rng: np.random.Generator) -> None:
    """Large batches go line by line through numpy, small ones through CasADi: both must agree."""
    traced = every_operation()
    x = rng.normal(size=(300, 4))
    np.testing.assert_allclose(
        compile(traced, "interpreter")(x)[0], [traced(row)[0] for row in x], rtol=TOLERANCE, atol=TOLERANCE
    )


@needs_compiler
def test_reproducible_builds_give_the_same_bits(rng: np.random.Generator) -> None:
    """Without fused multiply-adds, scalar C and SIMD of any width agree to the last bit."""
    for traced in (every_operation(), random_expression(np.random.default_rng(7), 100)):
        x = rng.normal(size=(64, traced.inputs[0].size))
        reference = compile(traced, "c", reproducible=True)(x)[0]
        for lanes in (2, 8):
            found = compile(traced, "simd", lanes, reproducible=True)(x)[0]
            assert found.tobytes() == reference.tobytes(), lanes
