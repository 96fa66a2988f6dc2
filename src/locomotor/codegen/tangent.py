"""A state space with deviations beside every state: roll-outs on it carry the derivatives of the roll-out along.

A state is x followed by a matrix W, row by row: one row for each number of a tangent vector of x, one column a deviation. A
rate is that of x followed by its derivative along each deviation. For quaternions the group of such pairs is the tangent
bundle of the group (unit dual quaternions), and a Runge-Kutta-Munthe-Kaas step there is exactly the derivative of the
step on the group: W after a step is the Jacobian of the step, to round-off. The C twin is `runtime/tangent.h`.
"""

from __future__ import annotations

import numpy as np

from locomotor.codegen.emit_c import runtime
from locomotor.codegen.manifold_text import emit, emit_check
from locomotor.dataclass import dataclass
from locomotor.lie import Manifold
from locomotor.typing import Floats


@dataclass(frozen=True, init=False)
class TangentManifold(Manifold):
    """Blocks of x as in `Manifold`, and the number of deviations."""

    deviations: int

    def __init__(self, base: Manifold, deviations: int) -> None:
        super().__init__(base.blocks)
        object.__setattr__(self, "deviations", int(deviations))

    @property
    def base(self) -> Manifold:
        """The manifold of the state x itself, without its deviations."""
        return Manifold(self.blocks)

    @property
    def size(self) -> int:
        """Numbers of a state with its deviations."""
        return self.base.size + self.base.tangent_size * self.deviations

    @property
    def tangent_size(self) -> int:
        """Numbers of a rate with its deviations."""
        return self.base.tangent_size * (1 + self.deviations)

    # --- numpy -------------------------------------------------------------------------------------------------------

    def _split(self, array: Floats, size: int) -> tuple[Floats, Floats]:
        return array[:, :size], array[:, size:].reshape(len(array), -1, self.deviations)

    def _join(self, first: Floats, second: Floats) -> Floats:
        return np.concatenate([first, second.reshape(len(first), -1)], axis=1)

    def retract(self, state: Floats, delta: Floats) -> Floats:
        """State moved by a tangent vector, deviations by its derivative."""
        base = self.base
        x, W = self._split(state, base.size)
        step, E = self._split(delta, base.tangent_size)
        moved = W + E
        for turning, _, d in base.slices():
            if turning:
                theta = step[:, d]
                a, b, p, _, _ = tangent_factors(theta)
                once, again = _cross(theta, W[:, d]), _cross(theta, E[:, d])
                moved[:, d] += b * _cross(theta, once) - a * once + p * _cross(theta, again) - b * again
        return self._join(base.retract(x, step), moved)

    def pull_back(self, delta: Floats, rate: Floats) -> Floats:
        """Rate of the tangent vector `delta`, and the derivative of that rate along the deviations."""
        base = self.base
        step, E = self._split(delta, base.tangent_size)
        first, F = self._split(rate, base.tangent_size)
        result = F.copy()
        for turning, _, d in base.slices():
            if turning:
                theta, omega = step[:, d], first[:, d, None]
                _, _, _, c, slope = tangent_factors(theta)
                m = _cross(theta, omega)
                once = _cross_columns(E[:, d], omega) + _cross(theta, F[:, d])
                twice = _cross_columns(E[:, d], m) + _cross(theta, once)
                grown = 2.0 * slope * np.einsum("bi,bij->bj", theta, E[:, d])[:, None]
                result[:, d] += 0.5 * once + c * twice + grown * _cross(theta, m)
        return self._join(base.pull_back(step, first), result)

    def ambient_rate(self, state: Floats, rate: Floats) -> Floats:
        """Derivative of the numbers of the state and of the deviations."""
        base = self.base
        x, W = self._split(state, base.size)
        first, F = self._split(rate, base.tangent_size)
        result = F.copy()
        for turning, _, d in base.slices():
            if turning:
                result[:, d] -= _cross(first[:, d], W[:, d])
        return self._join(base.ambient_rate(x, first), result)

    def normalise(self, state: Floats) -> Floats:
        """State with quaternions of unit length; they are so to round-off, and deviations stay."""
        result = state.copy()
        size = self.base.size
        result[:, :size] = self.base.normalise(state[:, :size])
        return result


@emit.register
def emit_with_deviations(space: TangentManifold) -> str:
    """The four maps as C functions of this space."""
    base, m = space.base, space.deviations
    # x, d: places in x and in its tangent; w, e: places of the deviations in a state and in a rate; n, c: numbers.
    maps = {
        "lm_retract(const real *x, const real *d, real *y)": (
            "lm_retract_quaternion(x + {x}, d + {d}, y + {x});\n"
            "    lm_retract_deviations(d + {d}, x + {w}, d + {e}, {m}, y + {w});",
            "for (int i = 0; i < {n}; ++i) y[{x} + i] = x[{x} + i] + d[{d} + i];\n"
            "    for (int i = 0; i < {c}; ++i) y[{w} + i] = x[{w} + i] + d[{e} + i];",
        ),
        "lm_pull_back(const real *d, const real *w, real *k)": (
            "lm_rotation_rate(d + {d}, w + {d}, k + {d});\n"
            "    lm_rotation_rate_deviations(d + {d}, w + {d}, d + {e}, w + {e}, {m}, k + {e});",
            "for (int i = 0; i < {n}; ++i) k[{d} + i] = w[{d} + i];\n"
            "    for (int i = 0; i < {c}; ++i) k[{e} + i] = w[{e} + i];",
        ),
        "lm_ambient_rate(const real *x, const real *w, real *f)": (
            "lm_quaternion_rate(x + {x}, w + {d}, f + {x});\n    lm_deviation_rates(w + {d}, x + {w}, w + {e}, {m}, f + {w});",
            "for (int i = 0; i < {n}; ++i) f[{x} + i] = w[{d} + i];\n"
            "    for (int i = 0; i < {c}; ++i) f[{w} + i] = w[{e} + i];",
        ),
        "lm_normalise(real *x)": ("lm_normalise_quaternion(x + {x});", ""),
    }
    texts = [runtime("tangent.h")]
    for signature, (quaternion, vector) in maps.items():
        lines = []
        for turning, x, d in base.slices():
            template = quaternion if turning else vector
            if template and x.stop > x.start:
                places = {"x": x.start, "d": d.start, "n": x.stop - x.start, "m": m, "c": (d.stop - d.start) * m}
                places |= {"w": base.size + d.start * m, "e": base.tangent_size + d.start * m}
                lines.append("    " + template.format(**places) + "\n")
        texts.append(f"LM_FUNCTION void {signature} {{\n{''.join(lines)}}}")
    return "\n\n".join([*texts, emit_check(space)])


_D = [1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800, 1 / 1307674368000, -1 / 355687428096000]
_SLOPE = [1 / 720, 2 / 30240, 3 / 1209600, 4 / 47900160, 5 * 691 / 1307674368000, 6 / 74724249600]
_SLOPE += [7 * 3617 / 10670622842880000, 8 * 43867 / 5109094217170944000]
_C = [1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600]
_C += [3617 / 10670622842880000, 43867 / 5109094217170944000]


def tangent_factors(theta: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """a, b, d, c and the slope of c, as in `runtime/tangent.h`, each of shape (batch, 1, 1)."""
    s = np.einsum("bi,bi->b", theta, theta)
    with np.errstate(all="ignore"):
        near = s <= 1.0
        safe = np.where(near, 1.0, s)
        h = 0.5 * np.sqrt(safe)
        small = np.where(near, s, 0.0)
        half = 0.5 * np.sqrt(s)
        sine = 0.5 * np.sinc(half / np.pi)
        a, b = 2.0 * sine * np.cos(half), 2.0 * sine**2
        d = np.where(near, np.polynomial.polynomial.polyval(small, _D), (1.0 - a) / safe)
        cot = np.cos(h) / np.sin(h)
        far = (1.0 - h * cot) / safe
        c = np.where(near, np.polynomial.polynomial.polyval(small, _C), far)
        steep = ((h / np.sin(h) ** 2 - cot) / (8.0 * h) - far) / safe
        slope = np.where(near, np.polynomial.polynomial.polyval(small, _SLOPE), steep)
    return tuple(factor[:, None, None] for factor in (a, b, d, c, slope))  # type: ignore[return-value]


def _cross(theta: Floats, columns: Floats) -> Floats:
    """theta x each column, for theta (batch, 3) and columns (batch, 3, m)."""
    return _cross_columns(theta[:, :, None], columns)


def _cross_columns(a: Floats, b: Floats) -> Floats:
    """Vector products of columns (batch, 3, m)."""
    return a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]
