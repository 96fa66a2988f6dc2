"""A contact that pushes, and holds on as hard as it can before it lets go: suction cups, gecko feet, magnets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError, QuantityError
from locomotor.model.contacts.law import PUSHES, ContactLaw, worded
from locomotor.model.expressions import Quantity, QuantityLike, as_quantity


@dataclass(frozen=True)
class Adhesive(ContactLaw):
    """A contact that closes on impact as a `Unilateral` does and, once closed, also pulls, by at most `strength` (N).

    It opens where a harder pull would be needed, at once and altogether: its normal force is -strength at least while it is
    closed, and zero when it is open. A finite force resists no impulse: an impact elsewhere may tear it off. `restitution`,
    from 0 (the contact closes) to 1 (elastic), is the normal coefficient of Newton's rule. Both are numbers or expressions of
    parameters; `strength` may depend on t, coordinates and velocities too, as that of a magnet which is switched off, and
    counts as zero where it is negative. Along the ground it sticks, if its contact does, whatever that takes.
    """

    strength: QuantityLike
    restitution: QuantityLike = 0.0
    ACTS: ClassVar[str] = PUSHES
    LAWS: ClassVar[tuple[str, ...]] = ("strength",)

    def __post_init__(self) -> None:
        for name in ("strength", "restitution"):
            try:
                self._store(**{name: as_quantity(getattr(self, name), f"Adhesive: {name}")})
            except QuantityError as error:
                raise ContactLawError(str(error)) from None
        self.check({})

    @property
    def fixed_coefficients(self) -> tuple[Quantity, Quantity] | None:
        """Normal coefficient; the tangential velocity stops."""
        assert not isinstance(self.restitution, str)  # texts were parsed when built
        return self.restitution, 0.0

    @property
    def largest_pull(self) -> QuantityLike:
        """Strength of the adhesion: how hard the contact may pull before it opens (N)."""
        return self.strength

    @property
    def words(self) -> str:
        """How the law acts, in a few words."""
        return f"pushes, pulls by up to {worded(self.strength)} N, restitution {worded(self.restitution)}"

    def _check(self, values: Mapping[str, float]) -> None:
        strength, restitution = self._known("strength", values), self._known("restitution", values)
        if strength is not None and not strength >= 0.0:
            raise ContactLawError(
                f"Adhesive: strength is {float(strength)!r} N{self._origin('strength')}; it must be zero or positive"
            )
        if restitution is not None and not 0.0 <= restitution <= 1.0:
            raise ContactLawError(
                f"Adhesive: restitution is {float(restitution)!r}{self._origin('restitution')}; it must lie between 0 and 1"
            )
