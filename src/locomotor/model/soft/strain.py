"""Which strains of a rod vary, and by which functions along it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import SoftBodyError
from locomotor.model.description import Description
from locomotor.model.expressions import Quantity, as_list, as_quantity
from locomotor.names import suggestion
from locomotor.typing import Floats

STRAINS = ("stretch", "shear_y", "shear_z", "twist", "bend_y", "bend_z")
"""The six strains, in the order of a twist: linear along x, y, z, then angular about x, y, z."""
STIFFNESS_OF = dict(zip(STRAINS, ("EA", "GAy", "GAz", "GJ", "EIy", "EIz"), strict=True))
"""What of a section resists each strain."""
BASES = ("legendre", "polynomial", "piecewise", "linear")
MANY_TERMS = 200


@dataclass(frozen=True)
class Strain(Description):
    """One of the six strains of a rod as a sum of functions of the place s from 0 to 1, a coordinate each.

    `strain` is "stretch", "shear_y", "shear_z", "twist" (about the axis x), "bend_y" or "bend_z" (curvature about y or z).
    The functions are, by `basis`, "legendre" (shifted polynomials of Legendre, which are 1 at the tip), "polynomial" (1, s, s²,
    ...), "piecewise" (constant on as many equal pieces) or "linear" (straight lines between as many equally spaced nodes).
    One term is a constant in all of them.
    """

    strain: str
    terms: int = 1
    basis: str = "legendre"

    @property
    def label(self) -> str:
        """How messages call this."""
        return f"Strain {checks.shown(self.strain)}"

    def __post_init__(self) -> None:
        if not isinstance(self.strain, str) or self.strain not in STRAINS:
            raise SoftBodyError(
                f"Strain: {checks.shown(self.strain)} is no strain of a rod: {suggestion(checks.shown(self.strain), STRAINS)}"
            )
        self._store(terms=checks.whole(self.terms, f"{self.label}: terms", least=1, most=MANY_TERMS, error=SoftBodyError))
        if not isinstance(self.basis, str) or self.basis not in BASES:
            raise SoftBodyError(
                f"{self.label}: the basis is {checks.shown(self.basis)}: {suggestion(checks.shown(self.basis), BASES)}"
            )

    @property
    def axis(self) -> int:
        """Index of this strain in the strain twist."""
        return STRAINS.index(self.strain)

    @property
    def unit(self) -> str:
        """Unit of the coordinates of this strain."""
        return "1" if self.axis < 3 else "1/m"

    @property
    def degree(self) -> int:
        """Degree of the functions on one piece."""
        return {"piecewise": 0, "linear": 1}.get(self.basis, self.terms - 1) if self.terms > 1 else 0

    @property
    def breaks(self) -> tuple[float, ...]:
        """Places between the ends where the functions are not smooth."""
        pieces = {"piecewise": self.terms, "linear": self.terms - 1}.get(self.basis, 1)
        return tuple(k / pieces for k in range(1, pieces))

    def row(self, place: float) -> Floats:
        """Values of the functions at a place; at a break, those just beyond it."""
        n = self.terms
        if n == 1:
            return np.ones(1)
        if self.basis == "legendre":
            return np.polynomial.legendre.legvander(np.array([2.0 * place - 1.0]), n - 1)[0]
        if self.basis == "polynomial":
            return np.asarray(place ** np.arange(n), dtype=float)
        if self.basis == "piecewise":
            return np.eye(n)[min(int(place * n), n - 1)]
        return np.asarray(np.maximum(0.0, 1.0 - np.abs(place * (n - 1) - np.arange(n))), dtype=float)


def read_strains(given: Any, label: str) -> tuple[Strain, ...]:
    """Strains as given: `Strain`s, names (a constant each), or a mapping from names to numbers of terms."""
    if isinstance(given, Mapping):
        entries = [Strain(name, terms) for name, terms in given.items()]
    elif isinstance(given, str | Strain):
        entries = [given if isinstance(given, Strain) else Strain(given)]
    else:
        remedy = "give Strain('bend_z', 4), a name, a list of them, or numbers of terms by name"
        listed = checks.entries(given, f"{label}: strains", remedy, SoftBodyError)
        entries = [Strain(each) if isinstance(each, str) else each for each in listed]
    for each in entries:
        if not isinstance(each, Strain):
            raise SoftBodyError(f"{label}: strains hold {checks.shown(each)}; give Strain('bend_z', 4), or a name")
    seen = [each.strain for each in entries]
    for name in seen:
        if seen.count(name) > 1:
            raise SoftBodyError(f"{label}: the strain {name!r} is given twice; give it once, with as many terms as it needs")
    if not entries:
        raise SoftBodyError(f"{label} has no strain that varies; give strains=, or use a Body for what is rigid")
    return tuple(sorted(entries, key=lambda each: each.axis))


def read_damping(given: Any, strains: tuple[Strain, ...], label: str) -> tuple[Quantity, ...]:
    """Times of retardation (s), one for each strain: from one for all, one for each in order, or by name."""
    names = [each.strain for each in strains]
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise SoftBodyError(
                    f"{label}: damping names {checks.shown(name)}, which does not vary; those that do: {', '.join(names)}"
                )
        values = [given.get(name, 0.0) for name in names]
    else:
        listed = as_list(given)
        values = [given] * len(names) if listed is None else listed
    if len(values) != len(names):
        raise SoftBodyError(f"{label}: damping has {len(values)} values for the {len(names)} strains {', '.join(names)}")
    return tuple(as_quantity(each, f"{label}: damping") for each in values)
