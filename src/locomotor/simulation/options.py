"""Options of a run that belong together, as small frozen objects: made once, they serve many runs."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property, partial
from typing import Any, TypeVar

from locomotor import checks
from locomotor.checks import Check, choice, flag, mapping, names, number, optional, positive
from locomotor.codegen import Implicit
from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError, LocomotorError, StepperError
from locomotor.simulation.steppers import Adaptive, Stepper, as_stepper

Kind = TypeVar("Kind")

OF_START: dict[str, Check] = {
    "values": optional(partial(mapping, error=InconsistentStartError)),
    "closed": optional(names),
    "assemble": flag,
    "time": partial(number, error=StepperError),
}
OF_METHOD: dict[str, Check] = {
    "step": optional(partial(positive, error=StepperError)),
    "drift_time": optional(partial(positive, error=StepperError)),
    "project": optional(flag),
    "scheme": choice("exact", "source", error=StepperError),
    "target": choice("auto", "c", "simd", "interpreter"),
    "coordinates": choice("reduced", "maximal", error=StepperError),
    "solver": choice("auto", "traced", "runtime", error=StepperError),
}


@checks.doors
@dataclass(frozen=True)
class Start:
    """Where a run begins: `simulate(system, 5.0, start=Start({"speed": 4.0}, closed=("foot",), time=1.0))`.

    What the fields mean is said at `simulate`, whose arguments `start`, `closed`, `assemble` and `start_time` they are.
    """

    values: Mapping[str, float] | None = None
    closed: Sequence[str] | None = None
    assemble: bool = True
    time: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields; refuse what cannot be meant."""
        check_fields(self, OF_START)


@checks.doors
@dataclass(frozen=True)
class Method:
    """How a run is computed: `simulate(system, 5.0, method=Method(stepper="abm4", step=0.002, project=True))`.

    What the fields mean is said at `simulate`, whose arguments of the same names they are.
    """

    stepper: str | Stepper | Implicit = "rk4"
    step: float | None = None
    drift_time: float | None = None
    project: bool | None = None
    scheme: str = "exact"
    target: str = "auto"
    coordinates: str = "reduced"
    solver: str = "auto"

    def __post_init__(self) -> None:
        """Check the fields; refuse what cannot be meant."""
        check_fields(self, OF_METHOD)
        self.check_together()

    def check_together(self) -> None:
        """Refuse fields that do not go with each other."""
        integrator = self.integrator
        if self.project and isinstance(integrator, Adaptive):
            raise StepperError(f"project=True needs a fixed step, and {integrator.name} has none; use rk4, or drift_time")

    @cached_property
    def integrator(self) -> Stepper:
        """The stepper with its step, or with its tolerances."""
        return as_stepper(self.stepper, self.step)


def check_fields(options: object, checks: Mapping[str, Check]) -> None:
    """Check the fields of an option object, and keep what the checks give."""
    for name, check in checks.items():
        object.__setattr__(options, name, check(getattr(options, name), f"{type(options).__name__}: {name}"))


def of_arguments(kind: type[Kind], *values: Any) -> Kind:
    """Options from the arguments of a door, which has checked each of them by the same checks."""
    made = object.__new__(kind)
    vars(made).update(zip((entry.name for entry in fields(kind)), values, strict=True))  # type: ignore[arg-type]
    return made


def one_of(word: str, given: Kind | None, plain: Kind, error: type[LocomotorError] = StepperError) -> Kind:
    """Options given as an object, or one by one; those of which both tell something are refused."""
    if given is None:
        return plain
    usual: Any = type(plain)()
    for entry in fields(usual):
        own, default = getattr(plain, entry.name), getattr(usual, entry.name)
        if type(own) is not type(default) or own != default:
            kind = type(plain).__name__
            inside = f"{kind}({entry.name}=...)"
            raise error(f"{word} is a {kind}, and {entry.name} is given besides; write {inside}, or no {kind} at all")
    return given
