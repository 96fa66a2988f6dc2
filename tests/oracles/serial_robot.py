"""A serial robot with geared motors: Newton-Euler and Mampey's algorithm as Llibre (ONERA, 2009, chapter 3) writes them.

Misprints are mended: the force of inertia in the backward pass, the sign in the inner loop of Mampey's listing, the rotor in
its last entry. Bases of all bodies are parallel to that of the world where all coordinates are zero.
"""

from dataclasses import dataclass, field

import numpy as np

G = np.array([0.0, 0.0, -9.81])


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn(u, q):
    K = skew(u)
    return np.eye(3) + np.sin(q) * K + (1 - np.cos(q)) * (K @ K)


@dataclass(frozen=True)
class Joint:
    """A body with the joint before it: `I` is its tensor at G without the rotor of the next actuator."""

    slides: bool
    u: tuple
    l: tuple  # noqa: E741 from the joint before to this one, at zero
    d: tuple  # to the centre of mass
    m: float
    I: np.ndarray  # noqa: E741
    alpha: float = 1.0
    epsilon: tuple = (0.0, 0.0, 1.0)
    j: float = 0.0
    i: float = 0.0
    e: tuple = (0.0, 0.0, 0.0)
    F: tuple = (0.0, 0.0, 0.0)  # external force at e, in body axes
    M: tuple = (0.0, 0.0, 0.0)

    @property
    def rotor(self):
        eps = np.array(self.epsilon)
        return (self.j - self.i) * np.outer(eps, eps) + self.i * np.eye(3)


@dataclass(frozen=True)
class Robot:
    joints: tuple = field(default_factory=tuple)

    def geometry(self, q):
        """Arms lambda_i and rotations S_i."""
        lam = [np.array(J.l) + (x * np.array(J.u) if J.slides else 0.0) for J, x in zip(self.joints, q, strict=True)]
        return lam, [np.eye(3) if J.slides else turn(np.array(J.u), x) for J, x in zip(self.joints, q, strict=True)]

    def efforts(self, q, v, a, g=G):
        """Q_A by Newton and Euler, with transmissions."""
        n = len(self.joints)
        lam, S = self.geometry(q)
        Om, Omd, Wd = np.zeros(3), np.zeros(3), np.zeros(3)
        Fn, Ma, Mc = [], [], []
        for k, J in enumerate(self.joints):
            u, eps, tau, rho = np.array(J.u), np.array(J.epsilon), float(J.slides), 1.0 - float(J.slides)
            Omm = Om + J.alpha * v[k] * eps
            Ommd = Omd + J.alpha * (a[k] * eps + v[k] * np.cross(Om, eps))
            Wd = Wd + np.cross(Omd, lam[k]) + np.cross(Om, np.cross(Om, lam[k]))
            Wd = S[k].T @ (Wd + tau * (a[k] * u + 2 * v[k] * np.cross(Om, u)))
            Omd = S[k].T @ (Omd + rho * (a[k] * u + v[k] * np.cross(Om, u)))
            Om = S[k].T @ (Om + rho * v[k] * u)
            g = S[k].T @ g
            d = np.array(J.d)
            Fn.append(J.m * (Wd + np.cross(Omd, d) + np.cross(Om, np.cross(Om, d)) - g))
            Ma.append(-(J.rotor @ Ommd + np.cross(Omm, J.rotor @ Omm)))
            Mc.append(-(J.I @ Omd + np.cross(Om, J.I @ Om)))
        F, M, found = np.zeros(3), np.zeros(3), np.zeros(n)
        for k in reversed(range(n)):
            J = self.joints[k]
            F_E, M_E = np.array(J.F), np.array(J.M)
            M = M + np.cross(J.d, Fn[k]) - M_E - np.cross(J.e, F_E) - Mc[k]
            if k + 1 < n:
                M = M + np.cross(lam[k + 1], F) - Ma[k + 1]
            M, F = S[k] @ M, S[k] @ (F + Fn[k] - F_E)
            found[k] = (F if J.slides else M) @ np.array(J.u) - J.alpha * Ma[k] @ np.array(J.epsilon)
        return found

    def matrix(self, q, sign=1.0, last_rotor=True):
        """A by Mampey; sign=-1 and last_rotor=False are the listing as printed."""
        n = len(self.joints)
        lam, S = self.geometry(q)
        tau = [float(J.slides) for J in self.joints]
        u = [np.array(J.u) for J in self.joints]
        total = [J.I + (self.joints[k + 1].rotor if k + 1 < n else 0.0) for k, J in enumerate(self.joints)]
        C = [total[k] - J.m * skew(np.array(J.d)) @ skew(np.array(J.d)) for k, J in enumerate(self.joints)]
        mass = np.cumsum([J.m for J in reversed(self.joints)])[::-1]
        A = np.zeros((n, n))
        last = self.joints[-1]
        A[-1, -1] = (last.alpha**2 * last.j if last_rotor else 0.0) + tau[-1] * mass[-1] + (1 - tau[-1]) * u[-1] @ C[-1] @ u[-1]
        p, J = -last.m * np.array(last.d), C[-1]
        for k in range(n - 2, -1, -1):
            o = self.joints[k + 1]
            p, J = S[k + 1] @ p, S[k + 1] @ J @ S[k + 1].T
            r = tau[k + 1] * mass[k + 1] * u[k + 1] + (1 - tau[k + 1]) * np.cross(p, u[k + 1])
            h = o.alpha * o.j * np.array(o.epsilon) + tau[k + 1] * np.cross(mass[k + 1] * lam[k + 1] - p, u[k + 1])
            h = h + (1 - tau[k + 1]) * (J @ u[k + 1] + np.cross(lam[k + 1], r))
            A[k, k + 1] = A[k + 1, k] = u[k] @ (tau[k] * r + (1 - tau[k]) * h)
            L, P = skew(lam[k + 1]), skew(p)
            J = J + C[k] - mass[k + 1] * L @ L + L @ P + (L @ P).T
            own = self.joints[k]
            A[k, k] = own.alpha**2 * own.j + tau[k] * mass[k] + (1 - tau[k]) * u[k] @ J @ u[k]
            p = p - own.m * np.array(own.d) - mass[k + 1] * lam[k + 1]
            for i in range(k - 1, -1, -1):
                r = S[i + 1] @ r
                h = S[i + 1] @ h + sign * np.cross(lam[i + 1], r)
                A[i, k + 1] = A[k + 1, i] = u[i] @ (tau[i] * r + (1 - tau[i]) * h)
        return A

    def kinetic_energy(self, q, v):
        """Sum over bodies and rotors, from velocities alone."""
        lam, S = self.geometry(q)
        Om, W, found = np.zeros(3), np.zeros(3), 0.0
        for k, J in enumerate(self.joints):
            Omm = Om + J.alpha * v[k] * np.array(J.epsilon)
            found += 0.5 * Omm @ J.rotor @ Omm
            W = S[k].T @ (W + np.cross(Om, lam[k]) + (v[k] * np.array(J.u) if J.slides else 0.0))
            Om = S[k].T @ (Om + (0.0 if J.slides else v[k] * np.array(J.u)))
            V = W + np.cross(Om, np.array(J.d))
            found += 0.5 * J.m * V @ V + 0.5 * Om @ J.I @ Om
        return found
