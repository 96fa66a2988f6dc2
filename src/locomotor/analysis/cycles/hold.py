"""A value held while a cycle is searched for: one member of a family, such as a conservative one, is singled out by it.

Where energy is kept, cycles come in families, and P(u) - u = 0 leaves the search free to end anywhere on one. With h(u) - c = 0
besides, for any expression h of the channels, Newton's method has more equations than unknowns, of which the first are
dependent; least squares solve them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.analysis.cycles.poincare import PoincareMap
from locomotor.dataclass import dataclass
from locomotor.errors import UnknownNameError
from locomotor.model import Expression, as_quantity
from locomotor.model.expressions import as_expression
from locomotor.names import suggestion
from locomotor.tracing.readings import all_channels
from locomotor.typing import Floats


@dataclass(frozen=True, eq=False)
class Hold:
    """Expressions on the section and the values they shall have."""

    texts: tuple[str, ...]
    laws: tuple[Expression, ...]
    values: Floats

    @property
    def scale(self) -> Floats:
        """By what misses are measured: 1 + |value|."""
        return 1.0 + np.abs(self.values)

    def miss(self, here: PoincareMap, unknowns: Floats, parameters: Floats) -> tuple[Floats, Floats]:
        """What the expressions are apart from their values, each by its scale, and the derivative of that by the unknowns."""
        place = here.place(unknowns[None], parameters[None])
        times = np.array([here.start_time])
        found, slopes = [], []
        for law in self.laws:
            seen = here.kernels.measure(here.mode, law, times, place.states, parameters[None])
            found.append(seen["value"][0, 0])
            slopes.append(seen["value_by"][0, 0, :-1] @ place.slopes[0])
        return (np.array(found) - self.values) / self.scale, np.array(slopes) / self.scale[:, None]

    def told(self, here: PoincareMap, unknowns: Floats, parameters: Floats) -> str:
        """What they are, in words, beside what they shall be."""
        miss = self.miss(here, unknowns, parameters)[0] * self.scale
        pairs = zip(self.texts, self.values, miss, strict=True)
        return ", ".join(f"{text} = {value + apart:.6g} instead of {value:.6g}" for text, value, apart in pairs)


def read_hold(here: PoincareMap, hold: Mapping[str, float] | None) -> Hold | None:
    """The values that a search is to hold, by expression; unknown names are refused."""
    if not hold:
        return None
    known = all_channels(here.mode.compiled.traced)
    laws: list[Expression] = []
    values: list[float] = []
    for text, value in hold.items():
        law: Any = as_expression(as_quantity(text, "hold"))
        for name in sorted(law.names):
            if name not in known:
                raise UnknownNameError(f"hold: no channel is named {name!r}: {suggestion(name, known)}")
        laws.append(law)
        values.append(float(value))
    return Hold(tuple(map(str, hold)), tuple(laws), np.array(values))
