"""Why contacts have no way on, or several: what normal forces do to those that slip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from locomotor.complementarity.friction import Side
from locomotor.dataclass import dataclass
from locomotor.typing import Floats

BORDER = 1e-6
"""Share of the push of a normal force without friction below which a contact that slips is at Painlevé's border."""


@dataclass(frozen=True, eq=False)
class Told:
    """Closed contacts as a problem on matrices, u = W r + q, in words."""

    W: Floats
    q: Floats
    names: Sequence[str]
    sides: Sequence[Side]
    rollers: Sequence[Side] = ()

    def _slipping(self) -> Iterator[tuple[str, Side, float]]:
        """Contacts that slip, and how a normal force of one newton accelerates each away from the ground."""
        for name, side in zip(self.names, self.sides, strict=True):
            if side.slip.any() and not np.isinf(side.mu):
                n = side.normal
                acting = [side, *(roller for roller in self.rollers if roller.normal == n)]
                yield name, side, float(self.W[n, n] - sum(each.mu * (self.W[n, each.along] @ each.slip) for each in acting))

    def border(self) -> str:
        """Of contacts that slip and all but jam: which, and how little a normal force pushes them."""
        parts = []
        for name, side, push in self._slipping():
            share = push / float(self.W[side.normal, side.normal])
            if 0.0 < share < BORDER:
                parts.append(
                    f"contact {name!r} slips with friction {side.mu:g}, so that a normal force pushes it away from the ground "
                    f"by only {share:.2g} of what it does without: it is at Painlevé's border, beyond which no force does"
                )
        return "; ".join(parts)

    def reason(self, count: int, complete: bool) -> str:
        """What is special about contacts that have no solution, or several."""
        parts: list[str] = []
        for name, side, push in self._slipping():
            if push <= 0.0:
                free = float(self.q[side.normal])
                falls = "towards" if free < 0.0 else "away from"
                parts.append(
                    f"contact {name!r} slips with friction {side.mu:g}, so that a normal force drives it into the ground "
                    f"({push:.4g} m/s^2 for each newton); without force it accelerates {falls} the ground ({free:.4g} m/s^2)"
                )
        if told := "; ".join(parts) or self.border():
            return told
        if count == 0 and not complete:
            return "none of the combinations of modes that were tried has the right signs, and sweeps over the cones found none"
        if count == 0:
            return "no combination of modes has the right signs"
        return "friction makes several combinations of modes possible"
