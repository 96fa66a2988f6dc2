"""One contact alone, exactly: open, stick or slip, each tried in turn.

Slipping, u_T = -a r_T with a > 0, so that with the normal force eliminated (S + a I) r_T = -p, and a is the root of

    h(a) = mu r_N(a) / |r_T(a)| - 1,

which is a quartic without its denominators (Bonnefon and Daviet, Quartic formulation of Coulomb 3D frictional contact, INRIA
2011). h is nearly linear, negative at a = 0 where the contact cannot stick and positive for large a: Newton's method between
two bounds finds it to round-off, also where the quartic is ill-conditioned.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from locomotor.typing import Floats

FLAT = 1e-12
"""Eigenvalues of S below this much of the diagonal of W are zero: the contact cannot move that way."""
NONE = 1e-100
"""Coefficients below this are no friction."""
STEPS = 100
"""Steps of the search for a; five are usual."""


class Contact(NamedTuple):
    """The block of W of one contact in the axes in which S = W_TT - W_TN W_NT / W_NN is diagonal."""

    normal: float
    coupling: tuple[float, ...]
    """W_NT in the axes of S."""
    stiffness: tuple[float, ...]
    """Eigenvalues of S."""
    axes: Floats
    """Columns: the axes of S."""
    mu: float


def prepare_contact(block: Floats, mu: float) -> Contact:
    """What the solutions of a contact have in common, whatever its q."""
    normal = float(block[0, 0])
    w = block[1:, 0]
    if not normal > 0.0:
        return Contact(0.0, (0.0,) * len(w), (0.0,) * len(w), np.eye(len(w)), mu)
    values, axes = np.linalg.eigh(block[1:, 1:] - np.outer(w, w) / normal)
    size = FLAT * float(np.trace(block))
    stiffness = tuple(float(value) if value > size else 0.0 for value in values)
    return Contact(normal, tuple(float(c) for c in axes.T @ w), stiffness, axes, mu)


def solve_contact(contact: Contact, q: Floats) -> Floats | None:
    """r with u = W r + q of one contact; None where there is none."""
    d = len(q)
    normal = float(q[0])
    if normal >= 0.0:
        return np.zeros(d)
    if not contact.normal > 0.0:
        return None
    tangent = contact.axes.T @ q[1:]
    p = [float(t) - c * normal / contact.normal for t, c in zip(tangent, contact.coupling, strict=True)]
    found = _stick(contact, p, normal)
    if found is None:
        found = _slip(contact, p, normal)
    if found is None:
        return None
    return np.concatenate([found[:1], contact.axes @ np.array(found[1:])])


def _force(contact: Contact, r: list[float], normal: float) -> float:
    """r_N that keeps u_N = 0."""
    return -(normal + sum(c * t for c, t in zip(contact.coupling, r, strict=True))) / contact.normal


def _stick(contact: Contact, p: list[float], normal: float) -> list[float] | None:
    """u = 0 within the cone; along a direction that cannot move no force is needed."""
    size = 1e-12 * math.sqrt(sum(x * x for x in p) + normal * normal)
    r = []
    for x, s in zip(p, contact.stiffness, strict=True):
        if s > 0.0:
            r.append(-x / s)
        elif abs(x) <= size:
            r.append(0.0)
        else:
            return None
    force = _force(contact, r, normal)
    return [force, *r] if force >= 0.0 and math.sqrt(sum(x * x for x in r)) <= contact.mu * force else None


def _slip(contact: Contact, p: list[float], normal: float) -> list[float] | None:
    """u_N = 0 on the edge of the cone, against the slip."""
    if contact.mu < NONE:
        return [-normal / contact.normal, *(0.0 for _ in p)]

    def at(a: float) -> tuple[list[float], float, float, float]:
        """r_T, r_N, h and its derivative."""
        r = [-x / (s + a) for x, s in zip(p, contact.stiffness, strict=True)]
        rate = [-x / (s + a) for x, s in zip(r, contact.stiffness, strict=True)]
        size = math.sqrt(sum(x * x for x in r))
        force = _force(contact, r, normal)
        turn = sum(x * y for x, y in zip(r, rate, strict=True)) / size
        slope = -sum(c * x for c, x in zip(contact.coupling, rate, strict=True)) / contact.normal
        return r, force, contact.mu * force / size - 1.0, contact.mu * (slope - force * turn / size) / size

    # Without coupling |r_T| = |p| / (s + a) and r_N = -q_N / W_NN.
    length = math.sqrt(sum(x * x for x in p))
    high = max(length * contact.normal / (-normal * contact.mu), FLAT * contact.normal)
    for _ in range(STEPS):
        if at(high)[2] > 0.0:
            break
        high *= 4.0
    low, a = 0.0, high
    for _ in range(STEPS):
        r, force, h, slope = at(a)
        low, high = (a, high) if h < 0.0 else (low, a)
        ahead = a - h / slope if slope > 0.0 else -1.0
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        if abs(ahead - a) <= 4e-16 * a or high - low <= 4e-16 * high:
            break
        a = ahead
    r, force, h, _ = at(a)
    return [force, *(x * (1.0 + h) for x in r)] if force >= 0.0 and abs(h) < 1e-6 else None
