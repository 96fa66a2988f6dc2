"""The state space of a roll-out: a product of vectors and unit quaternions.

A state has `size` numbers (a quaternion has four, scalar first), a tangent vector `tangent_size` (a quaternion has
three: body angular velocity, or a rotation vector). Quaternion blocks move by q exp(theta), the rest by addition.
The same four maps exist in C (`runtime/manifold.h`) and, over a batch, with numpy here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.errors import ArgumentError

FloatArray = NDArray[np.float64]

NEARLY = 2e-3
"""The square of a quaternion's length may differ so much from one where a roll-out begins."""


@dataclass(frozen=True)
class Manifold:
    """Blocks of a state in order: `("vector", n)` or `("quaternion",)`."""

    blocks: tuple[tuple[Any, ...], ...]

    def __init__(self, blocks: Sequence[Sequence[Any]]) -> None:
        checked = tuple(tuple(block) for block in blocks)
        for block in checked:
            vector = len(block) == 2 and block[0] == "vector" and isinstance(block[1], int) and block[1] >= 0
            if not vector and block != ("quaternion",):
                raise ArgumentError(f"a block is ('vector', n) or ('quaternion',), not {block!r}")
        object.__setattr__(self, "blocks", checked)

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return sum(4 if block[0] == "quaternion" else block[1] for block in self.blocks)

    @property
    def tangent_size(self) -> int:
        """Numbers of a tangent vector."""
        return sum(3 if block[0] == "quaternion" else block[1] for block in self.blocks)

    def slices(self) -> Iterator[tuple[bool, slice, slice]]:
        """For each block: whether it is a quaternion, its place in a state, its place in a tangent vector."""
        x = d = 0
        for block in self.blocks:
            n, m = (4, 3) if block[0] == "quaternion" else (block[1], block[1])
            yield block[0] == "quaternion", slice(x, x + n), slice(d, d + m)
            x, d = x + n, d + m

    # --- numpy, arrays of shape (batch, ...) -------------------------------------------------------------------------

    def retract(self, state: FloatArray, delta: FloatArray) -> FloatArray:
        """State moved by a tangent vector: x + d, q exp(theta)."""
        moved = np.empty_like(state)
        for turning, x, d in self.slices():
            if turning:
                theta = delta[:, d]
                cosine, sine, _ = _rotation_factors(theta)
                moved[:, x] = _product(state[:, x], np.concatenate([cosine, sine * theta], axis=1))
            else:
                moved[:, x] = state[:, x] + delta[:, d]
        return moved

    def pull_back(self, delta: FloatArray, rate: FloatArray) -> FloatArray:
        """Rate of the tangent vector `delta` when the moved state has the tangent `rate` (dexp inverse, body form)."""
        result = rate.copy()
        for turning, _, d in self.slices():
            if turning:
                theta, omega = delta[:, d], rate[:, d]
                _, _, c = _rotation_factors(theta)
                once = _cross(theta, omega)
                result[:, d] = omega + 0.5 * once + c * _cross(theta, once)
        return result

    def ambient_rate(self, state: FloatArray, rate: FloatArray) -> FloatArray:
        """Derivative of the numbers of the state: x_dot, q (0, omega) / 2."""
        result = np.empty_like(state)
        for turning, x, d in self.slices():
            if turning:
                zero = np.zeros((len(state), 1))
                result[:, x] = _product(state[:, x], np.concatenate([zero, 0.5 * rate[:, d]], axis=1))
            else:
                result[:, x] = rate[:, d]
        return result

    def normalise(self, state: FloatArray) -> FloatArray:
        """State with quaternions of unit length."""
        result = state.copy()
        for turning, x, _ in self.slices():
            if turning:
                result[:, x] = state[:, x] / np.sqrt(np.sum(state[:, x] ** 2, axis=1, keepdims=True))
        return result

    # --- C -----------------------------------------------------------------------------------------------------------

    def emit(self) -> str:
        """The four maps as C functions of this manifold."""
        maps = {
            "lm_retract(const real *x, const real *d, real *y)": (
                "lm_retract_quaternion(x + {x}, d + {d}, y + {x});",
                "for (int i = 0; i < {n}; ++i) y[{x} + i] = x[{x} + i] + d[{d} + i];",
            ),
            "lm_pull_back(const real *d, const real *w, real *k)": (
                "lm_rotation_rate(d + {d}, w + {d}, k + {d});",
                "for (int i = {d}; i < {d} + {n}; ++i) k[i] = w[i];",
            ),
            "lm_ambient_rate(const real *x, const real *w, real *f)": (
                "lm_quaternion_rate(x + {x}, w + {d}, f + {x});",
                "for (int i = 0; i < {n}; ++i) f[{x} + i] = w[{d} + i];",
            ),
            "lm_normalise(real *x)": ("lm_normalise_quaternion(x + {x});", ""),
        }
        texts = []
        for signature, (quaternion, vector) in maps.items():
            lines = []
            for turning, x, d in self.slices():
                template = quaternion if turning else vector
                if template and x.stop > x.start:
                    lines.append("    " + template.format(x=x.start, d=d.start, n=x.stop - x.start) + "\n")
            texts.append(f"LM_FUNCTION void {signature} {{\n{''.join(lines)}}}")
        return "\n\n".join([*texts, self.emit_check()])

    def emit_check(self) -> str:
        """Whether every quaternion of a state has length one, nearly, as a C function."""
        turning = [x.start for quaternion, x, _ in self.slices() if quaternion]
        lines = ["    (void)x;"]
        for k in turning:
            lines.append(f"    real n{k} = LM_CONST(0.0);\n    for (int i = {k}; i < {k} + 4; ++i) n{k} = n{k} + x[i] * x[i];")
        near = "".join(f" & (lm_fabs(n{k} - LM_K(1.0)) < LM_CONST({NEARLY}))" for k in turning)
        return "\n".join(["LM_INLINE mask lm_is_state(const real *x) {", *lines, f"    return lm_all_true(){near};", "}"])

    def is_state(self, state: FloatArray) -> NDArray[np.bool_]:
        """Rows whose quaternions have length one, nearly."""
        good = np.ones(len(state), dtype=bool)
        for turning, x, _ in self.slices():
            if turning:
                good &= np.abs(np.sum(state[:, x] ** 2, axis=1) - 1.0) < NEARLY
        return good


# Series in the squared angle w of: cos h, sin(h) / (2 h), (1 - h cot h) / w, where 4 h^2 = w; see `runtime/manifold.h`.
_COSINE = [(-1) ** k / (4**k * math.factorial(2 * k)) for k in range(9)]
_SINE = [0.5 * (-1) ** k / (4**k * math.factorial(2 * k + 1)) for k in range(9)]
_TURN = [1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600]
_TURN += [3617 / 10670622842880000, 43867 / 5109094217170944000]
_SERIES = np.array([_COSINE, _SINE, _TURN]).T
_POWERS = np.arange(9)


def _rotation_factors(theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """cos h, sin(h) / (2 h) and (1 - h cot h) / |theta|^2 for h = |theta| / 2, each of shape (batch, 1)."""
    square = np.einsum("ij,ij->i", theta, theta)[:, None]
    with np.errstate(all="ignore"):
        factors = square**_POWERS @ _SERIES
        far = square[:, 0] > 1.0
        if far.any():
            angle = np.sqrt(square[far, 0])
            s, c = np.sin(0.5 * angle), np.cos(0.5 * angle)
            factors[far] = np.stack([c, s / angle, (1.0 - 0.5 * angle * c / s) / angle**2], axis=1)
    return factors[:, 0:1], factors[:, 1:2], factors[:, 2:3]


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Vector products of rows (np.cross takes ten times as long for a few rows)."""
    return a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]


def _product(p: FloatArray, q: FloatArray) -> FloatArray:
    """Hamilton product of rows of quaternions."""
    a, b, c, d = p.T
    e, f, g, h = q.T
    return np.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=1,
    )
