"""Roll-outs of steps that hold their contacts: what such a roll-out may be asked for, and how it is compiled."""

from locomotor.codegen import Program, Roller, compile_program
from locomotor.codegen.cuda import CudaRolloutKernel
from locomotor.errors import StepperError
from locomotor.tracing.contacts import FlyingSystem
from locomotor.tracing.core import Traced


def check_steps(system: str, dt: float, stepper: str) -> None:
    """Refuse steppers, as the step is the stepper, and steps backwards, as impacts cannot be undone."""
    if stepper != "rk4":
        raise StepperError(
            f"{system}: stepper is {stepper!r}, but steps that hold contacts are made in one way only, which "
            "contacts='time-stepping' or 'events' names; leave stepper out"
        )
    if dt < 0.0:
        raise StepperError(f"{system}: dt is {dt!r} s, but contacts that open and close cannot be run backwards; give dt > 0")


def compile_steps(
    flight: FlyingSystem,
    step: Traced,
    target: str,
    precision: str,
    observe: Traced | None = None,
    measure: Traced | None = None,
    reductions: tuple[str, ...] = (),
    breaks: bool = False,
) -> Roller:
    """Roll-outs of a step map on a target; its state is that of the system in flight, then modes and what is carried along."""
    moving = flight.moving_manifold
    manifold = moving.followed_by(step.inputs[1].size - moving.size)
    program = Program(step, manifold, None, observe, measure, reductions, breaks=breaks)
    return CudaRolloutKernel(program, precision) if target == "cuda" else compile_program(program, target)
