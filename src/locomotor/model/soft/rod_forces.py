"""Forces along an exact rod: loads spread over its length, and tendons routed through it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import RestrictedForceError, SoftBodyError
from locomotor.model.expressions import Expression, QuantityLike, as_list, known
from locomotor.model.forces import Force, check_frame
from locomotor.model.soft.rod import Rod
from locomotor.model.soft.section import ALONG, along
from locomotor.names import WORLD


class RodForce(Force):
    """A force along an exact rod, whose values may depend on the place s from 0 to 1."""

    BODIES: ClassVar[tuple[str, ...]] = ("body",)
    ALONG_BODY: ClassVar[bool] = True
    body: str

    def expressions(self, laws: bool) -> Iterator[tuple[str, Expression]]:
        """Field name and expression, with the place along the rod taken in the middle."""
        for name, expression in super().expressions(laws):
            yield name, expression.substitute({ALONG: 0.5})

    def check_bodies(self, bodies: Mapping[str, Any]) -> None:
        """Refuse what is no rod."""
        if not isinstance(bodies[self.body], Rod):
            raise RestrictedForceError(
                f"{self.label}: {bodies[self.body].label} is no Rod, along which it could act; use a BodyForce for "
                "bodies that are rigid"
            )

    def _read_along(self, name: str, count: int) -> None:
        given = as_list(getattr(self, name))
        if given is None or len(given) != count:
            raise SoftBodyError(f"{self.label}: {name} is {shown(getattr(self, name))}; give {count} values")
        self._store(**{name: tuple(along(each, f"{self.label}: {name}") for each in given)})


@dataclass(frozen=True)
class DistributedForce(RodForce):
    """A load along a rod by a law: force (N per m of the rod without load) and `couple` (N m per m), which may depend on s.

    Components are in world axes or, with frame="body", in axes of each section: a load that follows.
    """

    LAWS: ClassVar[tuple[str, ...]] = ("components", "couple")

    name: str
    body: str
    components: Any
    couple: Any = (0.0, 0.0, 0.0)
    frame: str = WORLD

    def __post_init__(self) -> None:
        """Read and check the fields."""
        self._read_along("components", 3)
        self._read_along("couple", 3)
        super().__post_init__()

    def _check(self, values: Mapping[str, float]) -> None:
        check_frame(self.frame, self.label)


@dataclass(frozen=True)
class Tendon(RodForce):
    """A tendon that slides without friction in a rod, from its first section (or `start`) to where it is fastened, `end`.

    `at` are y and z (m) of its line in the sections, which may depend on the place s from 0 to 1; `tension` (N) is a law. Its
    power is -tension times the rate of its length; pulled where the rod begins, it loads nothing else.
    """

    LAWS: ClassVar[tuple[str, ...]] = ("tension",)
    SCALARS: ClassVar[tuple[str, ...]] = ("tension", "start", "end")

    name: str
    body: str
    at: Any
    tension: QuantityLike
    start: QuantityLike = 0.0
    end: QuantityLike = 1.0

    def __post_init__(self) -> None:
        """Read and check the fields."""
        self._read_along("at", 2)
        super().__post_init__()
        for name in ("start", "end"):
            if isinstance(getattr(self, name), Expression):
                raise SoftBodyError(f"{self.label}: {name} is '{getattr(self, name)}'; give a number from 0 to 1")

    def _check(self, values: Mapping[str, float]) -> None:
        start, end = known(self.start, values), known(self.end, values)
        if start is not None and end is not None and not 0.0 <= start < end <= 1.0:
            raise SoftBodyError(
                f"{self.label}: it goes from s = {start!r} to s = {end!r}; give 0 <= start < end <= 1, shares of the length"
            )
