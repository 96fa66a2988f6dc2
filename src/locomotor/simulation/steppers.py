"""Steppers as small frozen descriptions: what to integrate with, and how finely."""

from dataclasses import replace

from locomotor import checks
from locomotor.codegen import IMPLICIT, Implicit
from locomotor.dataclass import dataclass
from locomotor.errors import StepperError

AUTO = "auto"
"""The stepper that is chosen where a run begins, explicit or implicit; see `simulation.stiffness`."""


@dataclass(frozen=True)
class FixedStep:
    """A fixed-step method, fused with the model in compiled code."""

    step: float
    name: str
    order: int
    implicit: Implicit | None = None
    """The implicit method, if it is one."""

    @property
    def method(self) -> "str | Implicit":
        """What a roll-out is told."""
        return self.name if self.implicit is None else self.implicit

    def __post_init__(self) -> None:
        checks.choice(*FIXED, error=StepperError)(self.name, "the name of a fixed-step method")
        if self.implicit is None and self.name in IMPLICIT:
            object.__setattr__(self, "implicit", IMPLICIT[self.name])
        object.__setattr__(self, "step", checks.positive(self.step, f"{self.name}: the step (s)", error=StepperError))


@checks.doors
@dataclass(frozen=True)
class Adaptive:
    """Dormand-Prince 8(5,3) with error control and dense output of order 7 (Hairer, Norsett, Wanner, section II.10)."""

    rtol: float = 1e-10
    atol: float = 1e-12
    longest_step: float = float("inf")
    name: str = "dop853"
    order: int = 8

    def __post_init__(self) -> None:
        for name in ("rtol", "atol", "longest_step"):
            value = checks.number(getattr(self, name), f"{self.name}: {name}", above=0.0, infinite=True, error=StepperError)
            object.__setattr__(self, name, value)
        if not self.rtol >= 2.3e-14:
            raise StepperError(
                f"{self.name}: rtol={self.rtol!r}, atol={self.atol!r}; rtol must be at least 2.3e-14 and atol positive"
            )


Stepper = FixedStep | Adaptive


@checks.fitting
def rk4(step: float = 1e-3) -> FixedStep:
    """Runge-Kutta of order 4 on the Lie group (Munthe-Kaas): rotations stay rotations within the step."""
    return FixedStep(step, "rk4", 4)


@checks.fitting
def abm4(step: float = 1e-3) -> FixedStep:
    """Adams-Bashforth 4 predictor, Adams-Moulton 4 corrector, PECE: the method of Mauny's thesis."""
    return FixedStep(step, "abm4", 4)


@checks.fitting
def abm5(step: float = 1e-3) -> FixedStep:
    """Adams-Bashforth 4 predictor, Adams-Moulton 5 corrector, PECE: the method of the IFAC 2017 paper."""
    return FixedStep(step, "abm5", 5)


@checks.fitting
def midpoint(step: float = 1e-3) -> FixedStep:
    """The implicit midpoint rule on the Lie group: it conserves quadratic energies, and fast modes neither grow nor shrink."""
    return _implicit(IMPLICIT["midpoint"], step)


@checks.fitting
def generalised_alpha(step: float = 1e-3, rho_infinity: float = 0.8) -> FixedStep:
    """The generalised alpha method on the Lie group: modes too fast for the step shrink by `rho_infinity` a step."""
    return _implicit(Implicit(rho_infinity), step)


def _implicit(method: Implicit, step: float) -> FixedStep:
    return FixedStep(step, method.name, 2, method)


def _auto(step: float) -> FixedStep:
    """Runge-Kutta 4 where it is stable, else generalised alpha."""
    return FixedStep(step, AUTO, 4)


FIXED = {
    "rk4": rk4,
    "abm4": abm4,
    "abm5": abm5,
    "midpoint": midpoint,
    "generalised-alpha": generalised_alpha,
    AUTO: _auto,
}


def as_stepper(stepper: str | Stepper | Implicit, step: float | None) -> Stepper:
    """A stepper from its name, with the given step."""
    if isinstance(stepper, str) and stepper in FIXED:
        return FIXED[stepper](1e-3 if step is None else step)
    if isinstance(stepper, Implicit):
        return _implicit(stepper, 1e-3 if step is None else step)
    chosen = Adaptive() if isinstance(stepper, str) and stepper == "dop853" else stepper
    if isinstance(chosen, FixedStep | Adaptive):
        if step is not None:
            if isinstance(chosen, Adaptive):
                own = "chooses its steps itself; limit them with Adaptive(longest_step=...)"
            else:
                own = f"has a step of {chosen.step!r} s of its own; give one of the two"
            raise StepperError(f"step is {step!r} s, but the stepper {chosen.name} {own}")
        return chosen
    raise StepperError(
        f"no stepper is named {checks.shown(stepper)}; there are {', '.join(FIXED)} (fixed step) and dop853 (adaptive)"
    )


def refined(stepper: Stepper) -> Stepper:
    """The same method, finer: half the step, or a hundredth of the tolerances."""
    if isinstance(stepper, FixedStep):
        return replace(stepper, step=0.5 * stepper.step)
    return replace(stepper, rtol=max(2.3e-14, 0.01 * stepper.rtol), atol=0.01 * stepper.atol)
