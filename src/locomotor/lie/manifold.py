"""A state as a product of groups: vectors, which move by addition, and unit quaternions, which move by q exp(theta).

A state has `size` numbers (a quaternion has four, scalar first), a tangent vector `tangent_size` (a quaternion has
three: a rotation vector or an angular velocity, in body axes). One state may be made of floats, CasADi or SymPy scalars; many
states are the rows of an array of floats, for which the maps are written out, because they are called at every stage of
every step on the host. `codegen` writes the same maps in C.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.lie import ops, quaternion, small_angle
from locomotor.lie.ops import Array
from locomotor.typing import Flags, Floats

Block: TypeAlias = tuple[str, int] | tuple[str]
"""("vector", n) or ("quaternion",)."""

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

    @staticmethod
    def joined(blocks: Iterable[Sequence[Any]]) -> Manifold:
        """The product of some blocks, neighbouring vectors made one and empty ones left out."""
        found: list[tuple[Any, ...]] = []
        for block in blocks:
            if block[0] == "vector" and found and found[-1][0] == "vector":
                found[-1] = ("vector", found[-1][1] + block[1])
            elif tuple(block) != ("vector", 0):
                found.append(tuple(block))
        return Manifold(found)

    def followed_by(self, numbers: int) -> Manifold:
        """This and a vector of so many numbers behind it; a negative number takes some away from the vector at its end."""
        return Manifold.joined([*self.blocks, ("vector", numbers)])

    @property
    def size(self) -> int:
        """How many numbers a state has."""
        return sum(4 if block[0] == "quaternion" else block[1] for block in self.blocks)

    @property
    def tangent_size(self) -> int:
        """How many numbers a tangent vector has."""
        return sum(3 if block[0] == "quaternion" else block[1] for block in self.blocks)

    def slices(self) -> Iterator[tuple[bool, slice, slice]]:
        """For each block: whether it is a quaternion, its place in a state, its place in a tangent vector."""
        x = d = 0
        for block in self.blocks:
            n, m = (4, 3) if block[0] == "quaternion" else (block[1], block[1])
            yield block[0] == "quaternion", slice(x, x + n), slice(d, d + m)
            x, d = x + n, d + m

    # --- moving: one state of any scalars, or many as rows of floats ---------------------------------------------------

    def retract(self, state: Array, delta: Array) -> Array:
        """State moved by a tangent vector: x + d, q exp(theta)."""
        if _are_rows(state):
            return self._retract_rows(state, delta)
        parts = [
            quaternion.multiply(state[x], quaternion.exp(delta[d])) if turning else state[x] + delta[d]
            for turning, x, d in self.slices()
        ]
        return ops.concat(*parts)

    def pull_back(self, delta: Array, rate: Array) -> Array:
        """Rate of the tangent vector `delta` when the moved state has the tangent `rate` (dexp inverse, body form)."""
        if _are_rows(rate):
            return self._pull_back_rows(delta, rate)
        parts = []
        for turning, _, d in self.slices():
            if turning:
                theta, omega = delta[d], rate[d]
                c, _ = small_angle.dexp_inv_coefficients(ops.dot(theta, theta))
                once = ops.cross(theta, omega)
                parts.append(omega + 0.5 * once + c * ops.cross(theta, once))
            else:
                parts.append(rate[d])
        return ops.concat(*parts)

    def ambient_rate(self, state: Array, rate: Array) -> Array:
        """Derivative of the numbers of the state: x_dot, q (0, omega) / 2."""
        if _are_rows(state):
            return self._ambient_rate_rows(state, rate)
        return ops.concat(*(quaternion.rate(state[x], rate[d]) if turning else rate[d] for turning, x, d in self.slices()))

    def normalise(self, state: Array) -> Array:
        """State with quaternions of unit length."""
        if _are_rows(state):
            return self._normalise_rows(state)
        return ops.concat(*(quaternion.normalise(state[x]) if turning else state[x] for turning, x, _ in self.slices()))

    # --- derivatives ---------------------------------------------------------------------------------------------------

    def basis(self, state: Array) -> Array:
        """B(x) with x_dot = B(x) rate: the derivative of a state along its tangent."""
        if isinstance(state, np.ndarray) and state.dtype == np.float64:
            return self._basis_of_numbers(state)
        columns: list[Array] = []
        for turning, x, _ in self.slices():
            before, after = ops.zeros(x.start), ops.zeros(self.size - x.stop)
            if turning:
                w, i, j, k = ops.entries(state[x])
                turns = ((-i, w, k, -j), (-j, -k, w, i), (-k, j, -i, w))
                columns += [ops.concat(before, 0.5 * ops.vector(*turn), after) for turn in turns]
            else:
                n = x.stop - x.start
                columns += [ops.concat(before, one, after) for one in ops.eye(n)]
        return ops.columns(*columns) if columns else ops.zeros(self.size, 0)

    def _basis_of_numbers(self, state: Floats) -> Floats:
        """B(x), filled in where it stands."""
        found = np.zeros((self.size, self.tangent_size))
        for turning, x, d in self.slices():
            if turning:
                w, i, j, k = (0.5 * state[x]).tolist()
                found[x, d] = ((-i, -j, -k), (w, -k, j), (k, w, -i), (-j, i, w))
            else:
                found[range(x.start, x.stop), range(d.start, d.stop)] = 1.0
        return found

    def left_inverse(self, state: Array) -> Array:
        """B(x)+, with B+ B = 1: for a unit quaternion B^T B = 1/4."""
        scale = [4.0 if turning else 1.0 for turning, _, d in self.slices() for _ in range(d.stop - d.start)]
        if not scale:
            return ops.zeros(0, self.size)
        basis = self.basis(state)
        return np.array(scale)[:, None] * basis.T if isinstance(basis, np.ndarray) else np.diag(scale) @ basis.T

    # --- many states, rows of floats -----------------------------------------------------------------------------------

    def is_state(self, state: Floats) -> Flags:
        """Rows whose quaternions have length one, nearly."""
        good = np.ones(len(state), dtype=bool)
        for turning, x, _ in self.slices():
            if turning:
                good &= np.abs(np.sum(state[:, x] ** 2, axis=1) - 1.0) < NEARLY
        return good

    def _retract_rows(self, state: Floats, delta: Floats) -> Floats:
        moved = np.empty_like(state)
        for turning, x, d in self.slices():
            if turning:
                theta = delta[:, d]
                cosine, sine, _ = _rotation_factors(theta)
                moved[:, x] = quaternion.multiply(state[:, x].T, np.concatenate([cosine, sine * theta], axis=1).T).T
            else:
                moved[:, x] = state[:, x] + delta[:, d]
        return moved

    def _pull_back_rows(self, delta: Floats, rate: Floats) -> Floats:
        result = rate.copy()
        for turning, _, d in self.slices():
            if turning:
                theta, omega = delta[:, d], rate[:, d]
                _, _, c = _rotation_factors(theta)
                once = ops.cross(theta.T, omega.T).T
                result[:, d] = omega + 0.5 * once + c * ops.cross(theta.T, once.T).T
        return result

    def _ambient_rate_rows(self, state: Floats, rate: Floats) -> Floats:
        result = np.empty_like(state)
        for turning, x, d in self.slices():
            if turning:
                result[:, x] = quaternion.multiply(state[:, x].T, np.stack([np.zeros(len(state)), *(0.5 * rate[:, d].T)])).T
            else:
                result[:, x] = rate[:, d]
        return result

    def _normalise_rows(self, state: Floats) -> Floats:
        result = state.copy()
        for turning, x, _ in self.slices():
            if turning:
                result[:, x] = state[:, x] / np.sqrt(np.sum(state[:, x] ** 2, axis=1, keepdims=True))
        return result


def _are_rows(array: Array) -> bool:
    return isinstance(array, np.ndarray) and array.ndim == 2


# Series in the squared angle w of: cos h, sin(h) / (2 h), (1 - h cot h) / w, where 4 h^2 = w; see `runtime/manifold.h`.
_COSINE = [(-1) ** k / (4**k * math.factorial(2 * k)) for k in range(9)]
_SINE = [0.5 * (-1) ** k / (4**k * math.factorial(2 * k + 1)) for k in range(9)]
_TURN = [1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600]
_TURN += [3617 / 10670622842880000, 43867 / 5109094217170944000]
_SERIES = np.array([_COSINE, _SINE, _TURN]).T
_POWERS = np.arange(9)


def _rotation_factors(theta: Floats) -> tuple[Floats, Floats, Floats]:
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
