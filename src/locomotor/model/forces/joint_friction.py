"""Dry friction of a joint: up to a bound it holds, beyond it slides, and an effort of that size acts against the motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError
from locomotor.lie import ops
from locomotor.model.expressions import QuantityLike, VectorLike, as_quantity, evaluate, known
from locomotor.model.forces.force import Force
from locomotor.model.joint import Prismatic, Revolute, Spherical


@dataclass(frozen=True)
class JointFriction(Force):
    """Dry (Coulomb-Morin) and viscous friction of a joint of one degree of freedom: effort -bound sign(q_dot) - viscous q_dot.

    Of a ball joint it is a torque -bound w/|w| - viscous w, with w the angular velocity between the bodies: at rest any torque
    whose size is within the bound.

    `bound` (N m, or N along a line) is a law over t, coordinates, velocities, inputs and parameters; where it is negative it
    counts as zero. At rest the joint holds, exactly, whatever effort up to `static` that takes: `bound` unless it is given, at
    rest. `viscous` (N m s/rad, N s/m) acts while the joint moves.

    Friction that follows the load of the joint comes on top. With F the force between the two bodies of the joint, across its
    axis and along it, a pin of `radius` (m) adds mu radius |F across| + pivoting |F along|, where `pivoting` is a length (m),
    mu times the mean radius of the collar that bears the thrust; a slider adds mu |F across|, and a ball of `radius` in its
    seat mu radius |F|. `static_mu` is the coefficient
    at rest. Of a bearing with rolling elements mu is its own small coefficient.

    Moments press where it is known on what: `supports` are the two places along the axis (m, from the origin of the child) at
    which a pin or a slider is borne, and |F across| becomes |F_1| + |F_2|, the forces there that balance force and moment
    across the axis. They are laws, as the bound is, so that a rod may slide through places that stand still: ("-0.1 - x",
    "0.1 - x"). The moment about the axis of a slider is borne by two sides that are `width` (m) apart, which adds
    2 |M along| / width. Without them moments do not count.

    `lm.simulate` finds where a joint stops, sticks and lets go (`run.events`). An imposed joint slides against its friction all
    the time. Batches hold it by time-stepping (`lm.compile(..., contacts="time-stepping")`), whether it follows a load or not.
    What knows neither (a plain `lm.compile`, `lm.accelerations`) takes the sign of the rate: zero at rest.
    """

    SCALARS: ClassVar[tuple[str, ...]] = ("bound", "viscous", "mu", "pivoting")
    JOINTS: ClassVar[tuple[str, ...]] = ("joint",)
    LAWS: ClassVar[tuple[str, ...]] = ("bound", "static", "supports")
    ALSO_ON: ClassVar[tuple[type, ...]] = (Spherical,)

    name: str
    joint: str
    bound: QuantityLike = 0.0
    static: QuantityLike | None = None
    viscous: QuantityLike = 0.0
    mu: QuantityLike = 0.0
    radius: QuantityLike | None = None
    pivoting: QuantityLike = 0.0
    static_mu: QuantityLike | None = None
    supports: tuple[QuantityLike, QuantityLike] | None = None
    width: QuantityLike | None = None

    def __post_init__(self) -> None:
        """Read and check the fields of the description."""
        for field in ("static", "radius", "static_mu", "width"):
            if getattr(self, field) is not None:
                self._store(**{field: as_quantity(getattr(self, field), f"{self.label}: {field}")})
        if self.supports is not None:
            given = tuple(self.supports) if isinstance(self.supports, list | tuple) else (self.supports,)
            if len(given) != 2:
                raise ContactLawError(f"{self.label}: supports are two places along the axis (m), not {self.supports!r}")
            self._store(supports=tuple(as_quantity(place, f"{self.label}: supports") for place in given))
        super().__post_init__()

    def _check(self, values: Mapping[str, float]) -> None:
        for field in ("bound", "static", "viscous", "mu", "radius", "pivoting", "static_mu"):
            value = None if getattr(self, field) is None else known(getattr(self, field), values)
            if value is not None and not value >= 0.0:
                raise ContactLawError(f"{self.label}: {field} is {value!r}{self._origin(field)}; give zero or more")
        for resting, sliding in (("static", "bound"), ("static_mu", "mu")):
            at_rest = None if getattr(self, resting) is None else known(getattr(self, resting), values)
            moving = known(getattr(self, sliding), values)
            if at_rest is not None and moving is not None and at_rest < moving:
                raise ContactLawError(
                    f"{self.label}: {resting} is {at_rest!r}{self._origin(resting)}, less than the {sliding} {moving!r} while "
                    "it slides; a joint that sticks must bear at least as much"
                )

        self._check_bearing(values)

    def _check_bearing(self, values: Mapping[str, float]) -> None:
        """Raise where a bearing has no length."""
        width = None if self.width is None else known(self.width, values)
        if width is not None and not width > 0.0:
            raise ContactLawError(f"{self.label}: width is {width!r}{self._origin('width')}; give a positive length (m)")
        if self.supports is not None:
            first, second = (known(place, values) for place in self.supports)
            if first is not None and second is not None and not first < second:
                raise ContactLawError(
                    f"{self.label}: supports are at {first!r} and {second!r}; give two places (m), the lower first"
                )

    @property
    def follows_load(self) -> bool:
        """Whether it depends on the force between the bodies of its joint."""
        return any(field not in (0.0, None) for field in (self.mu, self.pivoting, self.static_mu))

    def check_joints(self, joints: Mapping[str, Any]) -> None:
        """Raise if friction that follows the load is asked of a joint whose bearing is not known."""
        if not self.follows_load and self.radius is None:
            if self.supports is not None or self.width is not None:
                raise ContactLawError(f"{self.label}: supports and width tell what presses a bearing; give mu with them")
            return
        joint, pin = joints[self.joint], self.radius is not None
        if not isinstance(joint, Revolute | Prismatic | Spherical):
            raise ContactLawError(
                f"{self.label}: {joint.label} is neither Revolute nor Prismatic nor Spherical, so that the bearing that `mu` "
                "speaks of is not known; give a bound instead"
            )
        if isinstance(joint, Revolute | Spherical) and not pin and (self.mu != 0.0 or self.static_mu is not None):
            what = "ball" if isinstance(joint, Spherical) else "pin"
            raise ContactLawError(f"{self.label}: mu needs the radius (m) of the {what} of {joint.label}; give radius=")
        if isinstance(joint, Spherical) and (self.pivoting != 0.0 or self.supports is not None or self.width is not None):
            raise ContactLawError(
                f"{self.label}: {joint.label} has no axis, and `pivoting`, `supports` and `width` speak of one; give mu and "
                "radius alone"
            )
        if isinstance(joint, Revolute) and self.width is not None:
            raise ContactLawError(f"{self.label}: width is of a slider, and {joint.label} turns; give supports alone")
        if isinstance(joint, Prismatic) and (pin or self.pivoting != 0.0):
            raise ContactLawError(
                f"{self.label}: {joint.label} is a slider, on which neither `radius` nor `pivoting` has a meaning; give "
                "mu alone"
            )


@dataclass(frozen=True, eq=False)
class Load:
    """Sizes (N) of the forces between the bodies of a joint: the sum of those across its axis, and that along it."""

    across: Any
    along: Any


def sliding_bound(friction: JointFriction, names: Mapping[str, Any], load: Load | None = None) -> Any:
    """Size of the effort of a joint that slides."""
    return _not_negative(evaluate(friction.bound, names)) + load_bound(friction, friction.mu, names, load)


def static_bound(friction: JointFriction, names: Mapping[str, Any], load: Load | None = None) -> Any:
    """Largest effort of a joint that sticks."""
    bound = _not_negative(evaluate(friction.bound if friction.static is None else friction.static, names))
    return bound + load_bound(friction, friction.mu if friction.static_mu is None else friction.static_mu, names, load)


def load_bound(friction: JointFriction, mu: QuantityLike, names: Mapping[str, Any], load: Load | None) -> Any:
    """The part that follows the load: (mu radius) |F across| + pivoting |F along|."""
    if load is None or not friction.follows_load:
        return 0.0
    across, along = load_arms(friction, mu, names)
    return across * load.across + along * load.along


def load_arms(friction: JointFriction, mu: QuantityLike, names: Mapping[str, Any]) -> tuple[Any, Any]:
    """Effort per force across the axis and along it."""
    arm = 1.0 if friction.radius is None else evaluate(friction.radius, names)
    return evaluate(mu, names) * arm, evaluate(friction.pivoting, names)


def sliding_effort(friction: JointFriction, towards: Any, rate: Any, names: Mapping[str, Any], load: Load | None = None) -> Any:
    """What acts on a joint that slides towards 1 or -1, or a unit vector, with a rate."""
    dry = -(towards * sliding_bound(friction, names, load))
    return dry if friction.viscous == 0.0 else dry - evaluate(friction.viscous, names) * rate


def _not_negative(bound: Any) -> Any:
    return max(float(bound), 0.0) if isinstance(bound, int | float) else ops.fmax(bound, 0.0)


@dataclass(frozen=True)
class SlidingFriction(JointFriction):
    """The friction of a joint while a run knows whether it slides: `towards` are parameters, 0 while it sticks.

    The first is 1 or -1; of a ball joint all three are a unit vector along the velocities of the joint, which a joint that is
    `guided` slides along whatever its velocity. Made by event-driven runs (`model.rubbing`), so that friction does not jump
    within a step where the rate passes zero.
    """

    VECTORS: ClassVar[tuple[str, ...]] = ("towards",)
    SCALARS: ClassVar[tuple[str, ...]] = (*JointFriction.SCALARS, "guided")

    towards: VectorLike = (0.0, 0.0, 0.0)
    guided: QuantityLike = 0.0
