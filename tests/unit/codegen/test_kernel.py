"""Kernels: shapes, broadcasting, errors that name the argument, documentation, bound calls."""

import os
import subprocess
import sys
from pathlib import Path

import casadi
import numpy as np
import pytest

from backends.problems import COMPILED, needs_compiler, numbered, pendulum, rigid_body
from locomotor.codegen import _compile, compile
from locomotor.codegen.kernel import address
from locomotor.tracing.core.traced import Traced

EACH = ["interpreter", *(["c", "simd"] if COMPILED else [])]


@pytest.fixture(params=EACH)
def kernel(request: pytest.FixtureRequest):
    return compile(pendulum(), request.param)


T, X, U, P = np.zeros(1), np.array([0.3, -0.2]), np.array([0.1]), np.array([9.81])


def test_single_instance_and_batch(kernel) -> None:
    rate, monitor = kernel(T, X, U, P)
    assert rate.shape == (2,) and monitor.shape == (1,)
    np.testing.assert_allclose(rate, [-0.2, -9.81 * np.sin(0.3) + 0.1], rtol=1e-15)
    for batch in (0, 1, 2, 7, 8, 9, 33):
        x = np.linspace(-1, 1, 2 * batch).reshape(batch, 2)
        rates, monitors = kernel(T, x, U, P)
        assert rates.shape == (batch, 2) and monitors.shape == (batch, 1)
        np.testing.assert_allclose(rates[:, 1], -9.81 * np.sin(x[:, 0]) + 0.1, rtol=1e-14, atol=1e-15)


def test_outputs_by_name_are_laid_out_when_asked_for(kernel) -> None:
    found = kernel.by_name(T, X, U, P)
    assert list(found) == [port.name for port in kernel.traced.outputs] and len(found) == 2
    for values, wanted in zip(found.values(), kernel(T, X, U, P), strict=True):
        assert values.shape == wanted.shape and values.tolist() == wanted.tolist() and not values.flags.writeable
    assert found["rate"] is found["rate"]
    with pytest.raises(KeyError):
        found["rates"]
    with pytest.raises(ValueError, match="by_name takes vectors, a batch of 3"):
        kernel.by_name(T, np.zeros((3, 2)), U, P)


def test_any_argument_may_have_the_batch(kernel) -> None:
    gravity = np.linspace(1, 10, 11)[:, None]
    rates = kernel(T, X, U, gravity)[0]
    np.testing.assert_allclose(rates[:, 1], -gravity[:, 0] * np.sin(0.3) + 0.1, rtol=1e-14)


def test_arrays_of_other_kinds_are_converted(kernel) -> None:
    expected = kernel(T, np.array([[1.0, 2.0], [3.0, 4.0]]), U, P)[0]
    integers = np.array([[1, 2], [3, 4]])
    for given in (integers, integers.tolist(), integers.astype(np.float32), np.asfortranarray(integers, dtype=float)):
        assert kernel(T, given, U, P)[0].tolist() == expected.tolist()
    strided = np.zeros((2, 4))
    strided[:, ::2] = integers
    readonly = strided[:, ::2]
    readonly.flags.writeable = False
    assert kernel(T, readonly, U, P)[0].tolist() == expected.tolist()


def test_contiguous_float64_is_read_in_place(kernel) -> None:
    x = np.zeros((16, 2))
    assert kernel.check((T, x, U, P))[0][1] is x


def test_inputs_are_not_changed(kernel) -> None:
    x = np.arange(20.0).reshape(10, 2)
    kernel(T, x, U, P)
    assert x.tolist() == np.arange(20.0).reshape(10, 2).tolist()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((T, X, U), TypeError, r"takes 4 arguments: time \(1\), state \(2\)"),
        (
            (T, np.zeros(3), U, P),
            ValueError,
            r"state must have shape \(2\) or \(batch, 2\), not \(3,\).*state_0, state_1",
        ),
        ((T, np.zeros((2, 2, 2)), U, P), ValueError, "state must have shape"),
        ((T, np.zeros(()), U, P), ValueError, "state must have shape"),
        ((T, np.array(["a", "b"]), U, P), TypeError, "state is .*; give an array of real numbers"),
        ((T, np.array([1j, 0]), U, P), TypeError, "state is .*; give an array of real numbers.*complex128"),
        (
            (T, np.zeros((4, 2)), np.zeros((5, 1)), P),
            ValueError,
            "inputs has a batch of 5, an earlier argument one of 4",
        ),
    ],
)
def test_bad_arguments_are_named(kernel, arguments, error, words: str) -> None:
    with pytest.raises(error, match=words):
        kernel(*arguments)


def test_kernel_documents_itself(kernel) -> None:
    assert "state_1" in kernel.__doc__ and kernel.target in kernel.__doc__
    assert kernel.operations == pendulum().operations
    assert (kernel.source == "") == (kernel.target == "interpreter")
    assert "pendulum" in repr(kernel)


def test_bound_call_reads_and_writes_its_own_arrays(kernel) -> None:
    bound = kernel.bind(T, X, U, P)
    for angle in (0.1, 0.2):
        bound.inputs[1][0] = angle
        rate, _ = bound()
        assert rate is bound.outputs[0]
        np.testing.assert_allclose(rate[1], -9.81 * np.sin(angle) + 0.1, rtol=1e-14)
    assert X[0] == 0.3, "bind copies what it is given"
    with pytest.raises(ValueError, match="bind takes vectors"):
        kernel.bind(T, np.zeros((2, 2)), U, P)


@pytest.mark.parametrize("target", EACH)
def test_matrix_outputs_have_their_shape(target: str) -> None:
    jacobian = compile(rigid_body().jacobian("rate", "state"), target)
    values = [np.ones(port.size) for port in jacobian.traced.inputs]
    assert jacobian(*values)[0].shape == (6, 7)
    assert jacobian(values[0], np.ones((5, 7)), *values[2:])[0].shape == (5, 6, 7)


@pytest.mark.parametrize("target", EACH)
def test_empty_ports_and_constant_outputs(target: str) -> None:
    x, nothing = casadi.SX.sym("x", 1), casadi.SX(0, 1)
    traced = Traced.build(
        "f",
        [(numbered("nothing", 0), casadi.SX.sym("n", 0)), (numbered("x", 1), x)],
        [(numbered("empty", 0), nothing), (numbered("y", 2), casadi.vertcat(7.0, x))],
    )
    kernel = compile(traced, target)
    empty, y = kernel(np.zeros(0), np.array([[1.0], [2.0], [3.0]]))
    assert empty.shape == (3, 0)
    assert y.tolist() == [[7.0, 1.0], [7.0, 2.0], [7.0, 3.0]]


@needs_compiler
@pytest.mark.skipif(sys.platform == "win32", reason="needs mprotect")
@pytest.mark.parametrize("target", ["c", "simd"])
def test_nothing_is_read_past_the_end_of_a_batch(target: str) -> None:
    """The last state ends where a page that may not be read begins; a lane too many would end the process."""
    script = (
        "import ctypes, mmap, numpy as np\n"
        "from backends.problems import pendulum\n"
        "from locomotor.codegen import compile\n"
        "page = mmap.PAGESIZE\n"
        "memory = mmap.mmap(-1, 2 * page)\n"
        "start = ctypes.addressof(ctypes.c_char.from_buffer(memory))\n"
        "assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + page), page, 0) == 0\n"
        "x = np.frombuffer(memory, count=page // 8)[-10:].reshape(5, 2)\n"
        f"print(compile(pendulum(), {target!r})(np.zeros(1), x, np.ones(1), np.ones(1))[0][:, 1].tolist())\n"
    )
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)]))
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[1.0, 1.0, 1.0, 1.0, 1.0]"), done.stderr


@needs_compiler
def test_auto_uses_simd_for_large_batches_only(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = compile(pendulum(), "auto")
    assert kernel.target == "c" and "scalar C" in kernel.source
    x = np.linspace(-1, 1, 64).reshape(32, 2)
    assert kernel(T, x, U, P)[0].tobytes() == compile(pendulum(), "c")(T, x, U, P)[0].tobytes()
    monkeypatch.setattr(_compile, "WORTH_SIMD", 100)
    wide = compile(pendulum(), "auto")(T, x, U, P)[0]
    assert wide.tobytes() == compile(pendulum(), "simd")(T, x, U, P)[0].tobytes()


def test_target_must_exist() -> None:
    with pytest.raises(ValueError, match="target must be one of auto, c, simd, interpreter, not 'fortran'"):
        compile(pendulum(), "fortran")


@pytest.mark.parametrize(
    "array", [np.arange(6.0), np.arange(6.0).reshape(2, 3)[:, ::2], np.zeros((0, 3))], ids=["plain", "strided", "empty"]
)
def test_the_address_of_an_array_is_that_of_its_first_number(array: np.ndarray) -> None:
    locked = array.view()
    locked.flags.writeable = False
    expected = array.__array_interface__["data"][0] if array.size else 0
    assert address(array) == address(locked) == expected
