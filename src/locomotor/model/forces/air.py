"""The air (or any fluid) around the system: its density, its viscosity and the wind. It acts through wings and fins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import AirError
from locomotor.model.expressions import QuantityLike, VectorLike, free_names, known
from locomotor.model.forces.force import Force
from locomotor.names import TIME

PLACE = ("x", "y", "z")
"""In the law of a wind, these are the place in the world where it blows, whatever else has such a name."""


@dataclass(frozen=True)
class Air(Force):
    """A fluid that wings and fins move in: `density` (kg/m³; zero is a vacuum), dynamic `viscosity` (Pa s), `wind` (m/s).

    The components of the wind are in world axes, each a number or an expression of the place `x`, `y`, `z`, of `t`, of
    parameters and of inputs: `("5*(z/10)**0.14", 0, 0)` is a boundary layer, `lm.spline(times, speeds)` a measured gust.
    """

    VECTORS: ClassVar[tuple[str, ...]] = ("wind",)
    SCALARS: ClassVar[tuple[str, ...]] = ("density", "viscosity")
    LAWS: ClassVar[tuple[str, ...]] = ("wind",)
    OUTER: ClassVar[tuple[str, ...]] = ("wind",)
    OWN_NAMES: ClassVar[Mapping[str, tuple[str, ...]]] = {"wind": PLACE}
    PUSHES: ClassVar[bool] = False

    name: str = "air"
    density: QuantityLike = 1.2
    viscosity: QuantityLike = 1.8e-5
    wind: VectorLike = (0.0, 0.0, 0.0)

    def _check(self, values: Mapping[str, float]) -> None:
        for field, nothing in (("density", "a vacuum"), ("viscosity", "no friction")):
            number = known(getattr(self, field), values)
            if number is not None and number < 0.0:
                raise AirError(
                    f"{self.label}: {field} is {number!r}{self._origin(field)}; give zero ({nothing}) or a positive number"
                )

    @property
    def is_still(self) -> bool:
        """Whether there is no wind at all."""
        return all(component == 0.0 for component in self.wind)

    @property
    def depends_on_place(self) -> bool:
        """Whether the wind differs from place to place."""
        return bool(free_names(self.wind) & set(PLACE))

    @property
    def depends_on_time(self) -> bool:
        """Whether the wind changes with time."""
        return TIME in free_names(self.wind)
