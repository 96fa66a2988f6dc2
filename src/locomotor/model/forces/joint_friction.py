"""Dry friction of a joint: up to a bound it holds, beyond it slides, and an effort of that size acts against the motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError
from locomotor.lie import ops
from locomotor.model.expressions import QuantityLike, as_quantity, evaluate, known
from locomotor.model.forces.force import Force


@dataclass(frozen=True)
class JointFriction(Force):
    """Dry (Coulomb-Morin) and viscous friction of a joint of one degree of freedom: effort -bound sign(q_dot) - viscous q_dot.

    `bound` (N m, or N along a line) is a law over t, coordinates, velocities, inputs and parameters; where it is negative it
    counts as zero. At rest the joint holds, exactly, whatever effort up to `static` that takes: `bound` unless it is given, at
    rest. `viscous` (N m s/rad, N s/m) acts while the joint moves.

    `lm.simulate` finds where a joint stops, sticks and lets go (`run.events`). An imposed joint slides against its friction all
    the time. What knows no events (`lm.compile`, `lm.accelerations`) takes the sign of the rate: zero at rest.
    """

    SCALARS: ClassVar[tuple[str, ...]] = ("bound", "viscous")
    JOINTS: ClassVar[tuple[str, ...]] = ("joint",)
    LAWS: ClassVar[tuple[str, ...]] = ("bound", "static")

    name: str
    joint: str
    bound: QuantityLike
    static: QuantityLike | None = None
    viscous: QuantityLike = 0.0

    def __post_init__(self) -> None:
        """Read and check the fields of the description."""
        if self.static is not None:
            self._store(static=as_quantity(self.static, f"{self.label}: static"))
        super().__post_init__()

    def _check(self, values: Mapping[str, float]) -> None:
        for field in ("bound", "static", "viscous"):
            value = None if getattr(self, field) is None else known(getattr(self, field), values)
            if value is not None and not value >= 0.0:
                raise ContactLawError(f"{self.label}: {field} is {value!r}{self._origin(field)}; give zero or more")
        if self.static is None:
            return
        static, bound = known(self.static, values), known(self.bound, values)
        if static is not None and bound is not None and static < bound:
            raise ContactLawError(
                f"{self.label}: static is {static!r}{self._origin('static')}, less than the bound {bound!r} while it slides; a "
                "joint that sticks must bear at least as much"
            )


def sliding_bound(friction: JointFriction, names: Mapping[str, Any]) -> Any:
    """Size of the effort of a joint that slides."""
    return _not_negative(evaluate(friction.bound, names))


def static_bound(friction: JointFriction, names: Mapping[str, Any]) -> Any:
    """Largest effort of a joint that sticks."""
    return sliding_bound(friction, names) if friction.static is None else _not_negative(evaluate(friction.static, names))


def sliding_effort(friction: JointFriction, towards: Any, rate: Any, names: Mapping[str, Any]) -> Any:
    """What acts on a joint that slides towards 1 or -1 with a rate."""
    dry = -(towards * sliding_bound(friction, names))
    return dry if friction.viscous == 0.0 else dry - evaluate(friction.viscous, names) * rate


def _not_negative(bound: Any) -> Any:
    return max(float(bound), 0.0) if isinstance(bound, int | float) else ops.fmax(bound, 0.0)


@dataclass(frozen=True)
class SlidingFriction(JointFriction):
    """The friction of a joint while a run knows whether it slides: `towards` is a parameter, 1 or -1, and 0 while it sticks.

    Made by event-driven runs (`model.rubbing`), so that friction does not jump within a step where the rate passes zero.
    """

    SCALARS: ClassVar[tuple[str, ...]] = ("bound", "viscous", "towards")

    towards: QuantityLike = 0.0
