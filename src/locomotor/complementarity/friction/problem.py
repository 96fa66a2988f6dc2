"""Contacts with Coulomb friction on plain matrices: the problem, its cones, and how well a solution holds.

u = W r + q, contact after contact, the normal component first: r are forces (or impulses), u relative accelerations (or
velocities), W the Delassus matrix. Each contact is open (r = 0, u_N >= 0), sticks (u = 0, |r_T| <= mu r_N) or slips (u_N = 0,
r_T = -mu r_N u_T / |u_T|). In one line (de Saxcé and Feng, Math. Comput. Modelling 28 (1998), 225-245):

    K* contains u + mu |u_T| n, which is orthogonal to r in K = {|r_T| <= mu r_N}.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from locomotor.complementarity.answer import NOISE, Residuals
from locomotor.complementarity.sizes import conjugate, excused, lost, power, spread
from locomotor.typing import Floats


class Problem(NamedTuple):
    """W (d n, d n), q (d n) and friction (n) of n contacts with d components each."""

    W: Floats
    q: Floats
    mu: Floats

    @property
    def contacts(self) -> int:
        """Number of contacts."""
        return len(self.mu)

    @property
    def normals(self) -> list[int]:
        """Rows of the normals."""
        return list(range(0, len(self.q), self.axes))

    @property
    def axes(self) -> int:
        """Components of a contact: 2 in the plane, 3 in space."""
        return len(self.q) // len(self.mu) if len(self.mu) else 3


def project(x: Floats, mu: Floats) -> Floats:
    """The points of the cones |t| <= mu n nearest to the rows (n, t) of x."""
    normal, tangent = x[:, 0], x[:, 1:]
    size = np.sqrt((tangent * tangent).sum(axis=1))
    inside = size <= mu * normal
    polar = mu * size <= -normal
    along = np.where(inside | polar, 0.0, (normal + mu * size) / (1.0 + mu * mu))
    turned = np.where(size > 0.0, mu * along / np.where(size > 0.0, size, 1.0), 0.0)
    edge = np.column_stack([along, turned[:, None] * tangent])
    return np.where(inside[:, None], x, edge)


def measure(problem: Problem, r: Floats) -> tuple[Floats, float, Residuals]:
    """u = W r + q, the natural residual max |r - P_K(r - u - mu |u_T| n)|, and its parts.

    Forces and velocities are taken relative to their sizes at their contact first: u to the largest sum of absolute terms it is
    made of, r to its largest entry or what others make of it through the matrix, so that light bodies count as much as heavy
    ones. It is no smaller than what round-off of r makes there; where r is far larger than what q makes of it little more than
    that is forgiven.
    """
    W, q, mu = problem
    if not len(q):
        return np.zeros(0), 0.0, Residuals(0.0, 0.0, 0.0)
    u = W @ r + q
    sizes, n = np.abs(W), len(mu)
    terms = (sizes @ np.abs(r) + np.abs(q)).reshape(n, -1).max(axis=1)
    own = np.abs(r).reshape(n, -1).max(axis=1)
    between = sizes.reshape(n, problem.axes, n, problem.axes).max(axis=(1, 3))
    by = conjugate(between)
    near = between * by[:, None] * by
    made = spread(near, by * np.abs(q).reshape(n, -1).max(axis=1))
    size_r = spread(near, np.maximum(own / by, by * terms))
    terms = np.maximum(by * terms, NOISE * (near * size_r).max(axis=1))
    hidden = lost(terms, made, by * np.abs(u).reshape(n, -1).max(axis=1))
    terms = excused(terms, made, NOISE)
    # Forces that are all small beside what velocities could make of them count by their own size.
    scale = np.minimum(by * size_r, own.max(initial=0.0) or np.inf)
    share = r.reshape(n, -1) / np.where(scale > 0.0, scale, 1.0)[:, None]
    scale = np.minimum(by * excused(size_r, made, NOISE), scale)
    a = r.reshape(n, -1) / np.where(scale > 0.0, scale, 1.0)[:, None]
    b = by[:, None] * u.reshape(n, -1) / np.where(terms > 0.0, terms, 1.0)[:, None]
    slip = np.sqrt((b[:, 1:] ** 2).sum(axis=1))
    dual = b.copy()
    dual[:, 0] += mu * slip
    natural = float(np.abs(a - project(a - dual, mu)).max())
    outside = float(np.abs(a - project(a, mu)).max())
    parts = Residuals(outside, max(0.0, float(-b[:, 0].min())), float(np.abs((share * dual).sum(axis=1)).max()))
    worst = max(natural, *parts)  # the natural one alone may understate the parts where friction is high
    return u, worst if np.isfinite(worst) and not hidden else float("inf"), parts


def certificate(W: Floats, q: Floats, normals: Sequence[int]) -> Floats | None:
    """y >= 0, one a contact, with W N y = 0 and q_N . y < 0 (N: the normals): no forces can then keep all u_N >= 0.

    Normal forces y that hold each other in balance (a body jammed between walls) cannot change u at all, and W is symmetric, so
    that y . u_N = y . q_N for any r, whatever the friction. `normals` are their rows. None where there is no such y.
    """
    from scipy.optimize import nnls

    # Each row on its own scale: forces on a heavy body would seem to change nothing beside those on a light one.
    by = power(np.diag(W))
    columns, right = W[:, normals] * by[:, None] * by[normals], q[normals] * by[normals]
    size = float(np.abs(columns).max(initial=0.0)) or 1.0
    length = float(np.abs(right).max(initial=0.0))
    if not length > 0.0:
        return None
    rows = np.vstack([columns / size, right / length])
    target = np.zeros(len(rows))
    target[-1] = -1.0
    try:
        y, _ = nnls(rows, target)
    except RuntimeError:  # it ran out of iterations
        return None
    margin = -float(right @ y) / length
    still = float(np.abs(columns @ y).max(initial=0.0)) / size
    return y * by[normals] if margin > 1e-6 and still <= 1e-10 * margin else None
