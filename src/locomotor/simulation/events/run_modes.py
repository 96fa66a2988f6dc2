"""The modes of a run with events: those of earlier runs of the same system serve other values of its parameters."""

from dataclasses import replace

from locomotor.model import System
from locomotor.model.expressions import free_names
from locomotor.simulation.events.modes import Modes, modes_of
from locomotor.simulation.inputs import ExpressionLaw
from locomotor.simulation.varying import form_of
from locomotor.tracing import Controller


def run_modes(
    system: System,
    controller: Controller | None,
    target: str,
    drift_time: float | None = None,
    project: bool | None = None,
    solver: str = "traced",
) -> Modes:
    """The modes of a system for a run; parameters that were seen to vary are arguments of what is compiled (see `varying`)."""
    law: ExpressionLaw | None = None
    if controller is not None:
        if controller.states or not isinstance(controller.law, ExpressionLaw):
            return modes_of(system, controller, target, drift_time, project, solver)
        law = controller.law
    form = form_of(system, frozenset() if law is None else free_names(tuple(expression for _, expression in law.varying)))
    if form.free:
        common = None if law is None else Controller(replace(law, system=form.system), formula=True)
        modes = modes_of(form.system, common, target, drift_time, project, solver, form.free)
        if modes.takes_symbols:
            return modes.with_values({name: system.parameters[name].value for name in form.free})
    return modes_of(system, controller, target, drift_time, project, solver)
