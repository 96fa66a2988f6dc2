"""Impulses of contacts with dry friction, by a fixed number of projected Gauss-Seidel sweeps.

    u+ = u + W L,      0 <= L_N  and  u_N+ >= target_N, one of them an equality,      |L_T| <= mu L_N,

with L_T against the slip u_T+ - target_T and at its bound where there is any (Jourdan, Alart and Jean 1998,
doi:10.1016/S0045-7825(97)00137-0). Rows and their answers are those of `contact_impulses`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.impacts.conditions import TINY
from locomotor.mechanics.impacts.on_symbols import Response, Touching, solve_semidefinite
from locomotor.typing import Array


def sliding_impulses(
    response: Response, missing: Array, contacts: Sequence[Touching], sweeps: int, first: Array | None = None
) -> Array:
    """Impulses by `sweeps` Gauss-Seidel sweeps: each contact in turn answers to the present impulses of the others.

    They begin with the impulses `first`, or with none.

    A contact takes the impulse with which it would stick, if that is in its cone; otherwise its normal impulse follows
    from the normal velocity, and its tangential impulse goes down the tangential velocity and back into the cone. What does not
    change any more satisfies Coulomb's law.
    """
    n, size = int(response.columns.shape[0]), response.size
    # With many rows it is cheaper to keep the velocities of the system up to date than those of the rows.
    wide = size > 2 * n
    L: list[Any] = [0.0] * size if first is None else ops.entries(first)
    moved: Any = np.zeros(n) if first is None else response.columns @ first
    blocks = [_Block(response, contact, wide) for contact in contacts]
    for _ in range(sweeps):
        for contact, block in zip(contacts, blocks, strict=True):
            own = contact.rows
            made = block.rows @ moved if wide else block.rows @ ops.vector(*L)
            before = ops.vector(*L[own])
            after = block.answer(before, missing[own] - made)
            L[own] = ops.entries(after)
            if wide:
                moved = moved + response.columns[:, own] @ (after - before)
    return ops.vector(*L)


def harmless_share(plastic: Array, more: Array, mean: Array, answer: Array) -> Any:
    """Largest share, at most 1, of the impulses `more` that makes no energy when added to the `plastic` ones.

    The work of impulses L is L . (u + u+)/2; `mean` is (u + u+)/2 with the plastic ones alone, `answer` = W more. Both
    solutions are in the cones of friction, hence so is everything in between.
    """
    a, b, c = 0.5 * ops.dot(more, answer), ops.dot(more, mean) + 0.5 * ops.dot(plastic, answer), ops.dot(plastic, mean)
    root = ops.sqrt(ops.fmax(b * b - 4.0 * a * c, TINY))  # its derivative at zero would be infinite
    share = ops.fmin(ops.fmax((root - b) / (2.0 * a + TINY), 0.0), 1.0)
    return ops.if_else(ops.less(0.0, a + b + c), share, 1.0)


class _Block:
    """What one contact needs of the Delassus matrix."""

    def __init__(self, response: Response, contact: Touching, wide: bool) -> None:
        own = contact.rows
        self.contact = contact
        self.count = own.stop - own.start
        self.rows = response.rows[own, :] if wide else response.W[own, :]
        W = response.rows[own, :] @ response.columns[:, own] if wide else response.W[own, own]
        entries = [[W[i, j] for j in range(self.count)] for i in range(self.count)]
        for i in range(self.count):
            entries[i][i] = ops.if_else(contact.active, W[i, i], 1.0)
        self.diagonal = ops.matrix(entries)
        turns = [[0], *([i] for i in reversed(range(1, self.count)))]  # the normal stays where they depend on each other
        self.inverse = ops.columns(*(solve_semidefinite(entries, list(unit), turns) for unit in np.eye(self.count)))
        # A step this long down the tangential velocity never goes too far: the largest sum of a row bounds the eigenvalues.
        self.step: Any = 0.0
        if contact.friction is not None and self.count > 1:
            sums = [sum((ops.fabs(self.diagonal[i, j]) for j in range(1, self.count)), 0.0) for i in range(1, self.count)]
            bound = sums[0]
            for entry in sums[1:]:
                bound = ops.fmax(bound, entry)
            self.step = 1.0 / (bound + TINY)

    def answer(self, L: Array, lacking: Array) -> Array:
        """The contact's new impulse; `lacking` is target - u with the present impulses."""
        contact = self.contact
        stick = L + self.inverse @ lacking
        nothing = np.zeros(self.count)
        if not contact.one_sided:
            return ops.if_else(contact.active, stick, nothing)
        pushes = ops.logic_and(contact.active, ops.less(0.0, stick[0]))
        if contact.friction is None or self.count == 1:
            return ops.if_else(pushes, stick, nothing)
        tangent = stick[1 : self.count]
        limit = contact.friction * stick[0]
        holds = ops.logic_and(pushes, ops.less(ops.dot(tangent, tangent), limit * limit))
        normal = ops.fmax(L[0] + lacking[0] / (self.diagonal[0, 0] + TINY), 0.0)
        # With the new normal impulse the tangential velocity has changed.
        change = normal - L[0]
        further = ops.vector(*(lacking[i] - self.diagonal[i, 0] * change for i in range(1, self.count)))
        wanted = L[1 : self.count] + self.step * further
        length = ops.sqrt(ops.dot(wanted, wanted) + TINY)  # its derivative at zero would be infinite
        bound = contact.friction * normal
        share = ops.if_else(ops.less(bound, length), bound / ops.fmax(length, 1e-30), 1.0)
        slide = ops.if_else(contact.active, ops.concat(ops.vector(normal), share * wanted), nothing)
        return ops.if_else(holds, stick, slide)
