"""The recursions of Belkhiri 2013, section 3.5, for mobile trees, written anew in plain NumPy: three passes, and probing.

Both acceleration conventions of that text are here. A: the rate of the components of the twist. B (Luh): the linear part is the
inertial acceleration of the origin. Their mixture, which the text prints, is here too, to be shown wrong.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomotor.model import Free, Revolute, System, evaluate

Array = Any


def hat(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    K = hat(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def little_ad(eta: Array) -> Array:
    V, W = hat(eta[:3]), hat(eta[3:])
    return np.block([[W, V], [np.zeros((3, 3)), W]])


def big_ad(R: Array, P: Array) -> Array:
    return np.block([[R, hat(P) @ R], [np.zeros((3, 3)), R]])


@dataclass(frozen=True)
class Link:
    """A body: its parent (-1 for none), where its joint sits in the parent, its axis and its inertia about its frame."""

    parent: int
    R0: Array
    P0: Array
    axis: Array
    mass: float
    ms: Array
    inertia: Array

    @property
    def M(self) -> Array:
        return np.block([[self.mass * np.eye(3), -hat(self.ms)], [hat(self.ms), self.inertia]])

    def to_child(self, r: float) -> tuple[Array, Array]:
        """R_{j,i} and P_{j,i}: the parent seen from the child."""
        R = self.R0 @ turn(self.axis, r)
        return R.T, -R.T @ self.P0


def links_of(system: System) -> list[Link]:
    """A system with a free base and hinges as plain numbers; joint j moves body j."""
    values = system.parameters.values
    found: list[Link] = []
    for joint, body, parent in zip(system.joints, system.bodies, system.parents, strict=True):
        assert isinstance(joint, Free | Revolute)
        mass, com, inertia = (np.asarray(x, dtype=float) for x in body.mass_properties(values))
        placement = joint.placement(values)
        axis = np.zeros(3) if isinstance(joint, Free) else np.asarray(evaluate(joint.axis, values), dtype=float)
        about = inertia - mass * hat(com) @ hat(com)
        R0, P0 = np.asarray(placement.rotation, dtype=float), np.asarray(placement.translation, dtype=float)
        found.append(Link(parent, R0, P0, axis, float(mass), float(mass) * com, about))
    return found


@dataclass(frozen=True)
class Answer:
    """What the three passes give; `base` is the rate of the components of the base twist (convention A), always."""

    base: Array
    torques: Array
    composite: Array
    """Composite inertia of the whole tree, M_0^+."""
    force: Array
    """F_0^+: what is left for the base."""
    wrench: Array
    """F_0, the wrench that the base needs from outside."""


def three_pass(
    links: list[Link],
    r: Array,
    rate: Array,
    acceleration: Array,
    eta: Array,
    *,
    convention: str = "A",
    base_rate: Array | None = None,
    gravity: Array | None = None,
) -> Answer:
    """ALG-5 for rigid bodies. `base_rate` imposes the rate of the base twist (a manipulator); otherwise it is free.

    `gravity` is the acceleration of free fall in the axes of the base. Convention "mixed" takes zeta from B and forces from A.
    """
    n = len(links)
    zeta_kind = "B" if convention in ("B", "mixed") else "A"
    force_kind = "A" if convention in ("A", "mixed") else "B"
    etas, zetas, ads, rotations = [np.asarray(eta, dtype=float)], [np.zeros(6)], [np.eye(6)], [np.eye(3)]
    for j in range(1, n):
        link = links[j]
        R, P = link.to_child(r[j - 1])
        Ad = big_ad(R, P)
        A = np.concatenate([np.zeros(3), link.axis])
        carried = Ad @ etas[link.parent]
        eta_j = carried + A * rate[j - 1]
        if zeta_kind == "A":
            zeta = little_ad(eta_j) @ A * rate[j - 1]
        else:
            W = etas[link.parent][3:]
            zeta = np.concatenate([R @ np.cross(W, np.cross(W, link.P0)), np.cross(R @ W, link.axis) * rate[j - 1]])
        etas.append(eta_j)
        zetas.append(zeta + A * acceleration[j - 1])
        ads.append(Ad)
        rotations.append(R @ rotations[link.parent])
    inertia, force = [], []
    for link, eta_j, R in zip(links, etas, rotations, strict=True):
        W = eta_j[3:]
        if force_kind == "A":
            f = little_ad(eta_j).T @ link.M @ eta_j
        else:
            f = -np.concatenate([np.cross(W, np.cross(W, link.ms)), np.cross(W, link.inertia @ W)])
        if gravity is not None:
            f = f + link.M @ np.concatenate([R @ gravity, np.zeros(3)])
        inertia.append(link.M.copy())
        force.append(f)
    for j in reversed(range(1, n)):
        i, Ad = links[j].parent, ads[j]
        inertia[i] = inertia[i] + Ad.T @ inertia[j] @ Ad
        force[i] = force[i] + Ad.T @ (force[j] - inertia[j] @ zetas[j])
    # Convention B works with the inertial acceleration of the base's origin: V_dot + W x V.
    convert = np.concatenate([np.cross(eta[3:], eta[:3]), np.zeros(3)]) if force_kind == "B" else np.zeros(6)
    first = np.linalg.solve(inertia[0], force[0]) if base_rate is None else np.asarray(base_rate) + convert
    rates, torques = [first], []
    for j in range(1, n):
        rates.append(ads[j] @ rates[links[j].parent] + zetas[j])
        torques.append(links[j].axis @ (inertia[j] @ rates[j] - force[j])[3:])
    wrench = inertia[0] @ first - force[0]
    return Answer(first - convert, np.array(torques), inertia[0], force[0], wrench)


@dataclass(frozen=True)
class Matrices:
    """The free dynamics (3.58): curly M eta_dot + M^T r_ddot = f,  M eta_dot + m r_ddot = Q + tau."""

    locked: Array
    coupling: Array
    """M from the base's rows, s x n."""
    coupling_by_torques: Array
    """The same from the torques."""
    m: Array
    f: Array
    Q: Array


def probed(links: list[Link], r: Array, rate: Array, eta: Array, convention: str = "A") -> Matrices:
    """ALG-6: the matrices column by column, from accelerations of one unit."""
    s = len(links) - 1
    still, zero, unit = np.zeros(s), np.zeros(6), np.eye(s)
    options: Any = {"convention": convention}
    columns = [three_pass(links, r, still, unit[k], zero, **options) for k in range(s)]
    held = [three_pass(links, r, still, unit[k], zero, base_rate=zero, **options) for k in range(s)]
    pushed = [three_pass(links, r, still, still, zero, base_rate=np.eye(6)[k], **options) for k in range(6)]
    bias = three_pass(links, r, rate, still, eta, base_rate=zero, **options)
    return Matrices(
        locked=columns[0].composite,
        coupling=-np.stack([c.force for c in columns]),
        coupling_by_torques=np.stack([p.torques for p in pushed], axis=1),
        m=np.stack([h.torques for h in held], axis=1),
        f=-bias.wrench,
        Q=-bias.torques,
    )
