"""Mampey: the matrix of the kinetic energy in one pass from the tips to the base, with neither velocities nor accelerations.

Outboard of a joint with origin O everything is one body of mass M, first moment -p and inertia J about O. A unit velocity gives
it the momentum r and, about O, the angular momentum h; towards the base r stays and h gains lambda x r, lambda the arm from
one origin to the next (Llibre 2009, 3.3; Llibre, Mampey and Chrétien 1983; the print has - there). The entries are these
momenta along the velocities met on the way.
"""

import numpy as np

from locomotor.symbolic.formalisms.newton_euler import efforts
from locomotor.symbolic.formalisms.seen import Seen
from locomotor.typing import Floats, Vector


def mampey(seen: Seen) -> tuple[Floats, Vector]:
    """Mass matrix, and minus the efforts without accelerations (Newton-Euler)."""
    links, n = seen.links, len(seen.v)
    mass = [link.mass for link in links]
    moment = [-link.mass * (link.centre - link.origin) for link in links]
    inertia = [link.inertia + _about(link.mass, link.centre - link.origin) for link in links]
    A = np.zeros((n, n))
    for k in reversed(range(len(links))):
        link = links[k]
        for column in link.columns:
            r = mass[k] * column.along + np.cross(moment[k], column.about)
            h = inertia[k] @ column.about - np.cross(moment[k], column.along)
            for other in link.columns:
                A[other.place, column.place] = r @ other.along + h @ other.about
            A[column.place, column.place] += link.rotor
            at = k
            while links[at].parent >= 0:
                h = h + np.cross(links[at].origin - links[links[at].parent].origin, r)
                at = links[at].parent
                for other in links[at].columns:
                    A[other.place, column.place] = A[column.place, other.place] = r @ other.along + h @ other.about
        if link.parent >= 0:
            arm, m, p = link.origin - links[link.parent].origin, mass[k], moment[k]
            inertia[link.parent] = inertia[link.parent] + inertia[k] + _about(m, arm) + _crossed(arm, p) + _crossed(arm, p).T
            moment[link.parent] = moment[link.parent] + p - m * arm
            mass[link.parent] += m
    return A, -efforts(seen, np.zeros(n), seen.gravity)


def _skew(a: Vector) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _about(mass: float, arm: Vector) -> Floats:
    return -mass * _skew(arm) @ _skew(arm)


def _crossed(arm: Vector, moment: Vector) -> Floats:
    return _skew(arm) @ _skew(moment)
