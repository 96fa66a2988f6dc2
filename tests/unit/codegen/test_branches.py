"""Lines of a tape that one side of a choice needs (`codegen/branches.py`) are left out elsewhere, and results stay the same."""

import math

import casadi
import numpy as np
import pytest

from locomotor import codegen
from locomotor.codegen import emit_c, find_toolchain
from locomotor.codegen.branches import sides
from locomotor.lie import small_angle
from locomotor.tracing.core import Field, Port, Traced

NEAR = 1.0 - 1e-9
"""Just before the series ends."""


def function(count: int = 1) -> Traced:
    """cos, sin(a)/a and the next Stumpff functions of several angles squared, and their sum."""
    x = casadi.SX.sym("x", count)
    found = [value for k in range(count) for value in small_angle.stumpff(x[k])]
    ports = (
        Port("x", tuple(Field(f"x_{k}") for k in range(count))),
        Port("c", tuple(Field(f"c_{k}") for k in range(len(found)))),
    )
    return Traced.build("stumpff", [(ports[0], x)], [(ports[1], casadi.vertcat(*found))], "")


def test_the_closed_form_alone_is_left_out() -> None:
    """Sine, cosine, root and divisions are needed from 1 on; the series is cheap, and computed always."""
    tape = function().tape
    found = sides(tape)
    assert {tape.instructions[line].op for line in found} >= {"sin", "cos", "sqrt"}
    assert len(set(found.values())) == 1 and not any(true for _, true in found.values())


@pytest.mark.skipif(find_toolchain() is None, reason="there is no compiler")
@pytest.mark.parametrize("target", ["c", "simd"])
@pytest.mark.parametrize("count", [1, 40])  # 40: a tape of several parts
def test_results_are_those_of_the_closed_forms(target: str, count: int) -> None:
    """Lanes on different sides of the choice, too."""
    kernel = codegen.compile(function(count), target=target)
    assert "if (lm_any(lm_not(" in kernel.source
    x = np.concatenate([[0.0, 1e-12, 0.3, NEAR, 1.0, 2.5, 30.0, 1e3], np.linspace(0.5, 1.5, 17)])
    rows = np.stack([np.roll(x, k) for k in range(count)], axis=1)
    found = kernel(rows)[0].reshape(len(x), count, 8)
    with np.errstate(all="ignore"):
        angle = np.sqrt(rows)
        assert np.allclose(found[:, :, 0], np.cos(angle), rtol=0.0, atol=1e-14)
        assert np.allclose(found[:, :, 1], np.sinc(angle / math.pi), rtol=0.0, atol=1e-14)
        assert np.allclose(rows * found[:, :, 3], 1.0 - found[:, :, 1], rtol=0.0, atol=1e-13)


@pytest.mark.skipif(find_toolchain() is None, reason="there is no compiler")
@pytest.mark.parametrize("target", ["c", "simd"])
@pytest.mark.parametrize("lines", [1, 3, 7, 20])
def test_parts_that_end_anywhere_know_their_masks(target: str, lines: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of a choice, its mask and the choice in different parts: the mask was not known where lines waited for it."""
    monkeypatch.setattr(emit_c, "PART_LIMIT", lines)
    x = np.array([[0.0, 2.5], [0.3, 30.0], [NEAR, 1.0], [7.0, 1e-12]])
    found = codegen.compile(function(2), target=target)(x)[0].reshape(len(x), 2, 8)
    assert np.allclose(found[:, :, 0], np.cos(np.sqrt(x)), rtol=0.0, atol=1e-14)
    assert np.allclose(found[:, :, 1], np.sinc(np.sqrt(x) / math.pi), rtol=0.0, atol=1e-14)


@pytest.mark.skipif(find_toolchain() is None, reason="there is no compiler")
@pytest.mark.parametrize("target", ["c", "simd", "interpreter"])
def test_what_is_no_number_stays_none(target: str) -> None:
    """A choice with NaN takes the closed form."""
    assert np.isnan(codegen.compile(function(), target=target)(np.array([math.nan]))[0]).all()
