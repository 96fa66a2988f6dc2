"""All that the friction of a patch may be: the convex set of forces and torques, at rest, in steps and in impacts.

Of the velocities t = (v, a w) of a slip reversed (`patch`) Contensou's friction per mu N is the gradient of the power it takes,

    Phi(t) = mean over the disc of |v + w x rho|,      friction = dPhi/dt,

which is the support function of a convex set: force and torque over the arm a together are within it at rest, and on its
border across t where there is slip (docs/theory.md (Q14)). Whatever slips and spins while an impulse is made, the impulse is
mu L_N times a mean of such frictions, and so within the set too.

Near a given slip the norm |t|_Q = sqrt(t.Q t) with Q = (Phi²)''/2 has the same value, friction and curvature as Phi. Its set is
an ellipsoid that osculates the border: steps with it converge as Newton's method does, and are defined everywhere. With c and s
the parts of the slip along the ground and about the normal, g the friction and k the radius of curvature, in the plane of both

    Q = g g^T + Phi k n n^T,      n = (-s, c),      det Q = Phi³ k.

Vectors have their spin last.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.constraints.patch import patch_law, patch_shares
from locomotor.typing import Vector

Numbers = Sequence[Any]

GUESS = (1.78170756, -2.74688343, 2.62546867, -0.99454816)
"""Spin over slide of the slip to which a friction belongs, divided by torque over force, as a polynomial of the share of the
torque in the square of it: by least squares, within 6e-3 rad of the direction of the slip."""
LEAST = 1e-100
"""Squares below are nothing; what is added under a root, whose derivative at zero would be infinite."""
EXACTLY = 2
"""Steps of Newton's method from there, after which the size of a friction is known to round-off: without any it is short of
that by 4e-5 at most, after one by 5e-10."""


def _unit(t: Numbers) -> tuple[list[Any], Any]:
    """A direction along the ground, and its part about the normal; of nothing it is a spin."""
    squares = sum((x * x for x in t[1:]), t[0] * t[0])
    share = 1.0 / ops.sqrt(ops.fmax(squares, LEAST))
    *along, about = (share * x for x in t)
    return along, ops.if_else(ops.less(squares, LEAST), 1.0, about)


def _square(along: Numbers) -> Any:
    return sum((x * x for x in along), 0.0)


def patch_friction(t: Numbers) -> list[Any]:
    """Friction per mu N against the slip -t."""
    along, about = _unit(t)
    slide, spin = patch_shares(_square(along), about * about)
    return [*(slide * x for x in along), spin * about]


def patch_secant(t: Numbers) -> list[Any]:
    """Friction per mu N against the slip -t is t times these numbers, one for each row."""
    along, about = _unit(t)
    squares = _square(along)
    slide, spin = patch_shares(squares, about * about)
    share = 1.0 / ops.sqrt(ops.fmax(sum((x * x for x in t[1:]), t[0] * t[0]), LEAST))
    return [*([share * slide] * len(along)), share * spin]


def patch_power(t: Numbers) -> Any:
    """Phi, the power that friction takes of the slip -t, per mu N."""
    return sum((x * y for x, y in zip(patch_friction(t), t, strict=True)), 0.0)


def patch_metric(t: Numbers) -> list[list[Any]]:
    """Q^-1, of the ellipsoid that osculates the border where friction is against the slip -t."""
    along, about = _unit(t)
    squares = _square(along)
    slides = ops.sqrt(squares + LEAST)
    size, slide, (xx, xy, yy), determinant = _metric(slides, squares, about)
    # Across the slide in the ground the border is round.
    across = 1.0 / (size * slide)
    more = (yy / determinant - across) / (squares + LEAST)
    mixed = -xy / (determinant * slides)
    rows = [[more * x * y + across if i == j else more * x * y for j, y in enumerate(along)] for i, x in enumerate(along)]
    return [*([*row, mixed * x] for row, x in zip(rows, along, strict=True)), [*(mixed * x for x in along), xx / determinant]]


def _metric(slides: Any, squares: Any, about: Any) -> tuple[Any, Any, tuple[Any, Any, Any], Any]:
    """In the plane of slide and spin: Phi, the factor of the slide, Q by its entries, and its determinant."""
    slide, spin, bends = patch_law(squares, about * about)
    force, torque = slide * slides, spin * about
    size = slide * squares + spin * about * about
    turns = size * bends
    Q = (
        force * force + turns * about * about,
        force * torque - turns * slides * about,
        torque * torque + turns * squares,
    )
    return size, slide, Q, size * size * turns


def patch_size(r: Numbers, steps: int = EXACTLY) -> Any:
    """The size of a friction per mu N as this set measures it: 1 on its border, largest of r.t/Phi(t) over all t.

    The t of a friction is found by Newton's method, t = Q^-1 r, in so many steps. What is missing of it counts by its square.
    """
    *along, torque = r
    squares = _square(along)
    x, y = ops.sqrt(squares + LEAST), ops.fabs(torque)
    share = y * y / (squares + y * y + LEAST)
    ahead: Any = 0.0
    for factor in reversed(GUESS):
        ahead = ahead * share + factor
    t: list[Any] = [x, y * ahead]
    for _ in range(steps):
        (slides,), about = _unit(t)
        _, _, (xx, xy, yy), _ = _metric(slides, slides * slides, about)
        t = [ops.fmax(yy * x - xy * y, 0.0), ops.fmax(xx * y - xy * x, 0.0)]
    (slides,), about = _unit(t)
    slide, spin = patch_shares(slides * slides, about * about)
    return (x * slides + y * about) / (slide * slides * slides + spin * about * about)


class PatchBorder:
    """The same on numbers, of vectors with the spin last."""

    INNER = 0.934
    """The border is nearest to its middle, 0.9342 away, where slide and spin share."""

    def friction(self, slip: Vector) -> Vector:
        """Against what friction acts, per mu N, of a slip in a direction."""
        return np.array(patch_friction(slip.tolist()), dtype=float)

    def size(self, force: Vector) -> float:
        """Size of a friction per mu N, 1 on the border."""
        return float(patch_size(force.tolist()))

    def metric(self, slip: Vector) -> Vector:
        """Q^-1 of the ellipsoid that osculates the border where a slip has a direction."""
        return np.array(patch_metric(slip.tolist()), dtype=float)


PATCH = PatchBorder()
