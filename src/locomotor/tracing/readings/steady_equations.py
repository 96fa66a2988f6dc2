"""The equations of steady motions with their slope as one traced function, for many motions at once."""

from collections.abc import Sequence

import casadi

from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.readings.chart_dynamics import chart_dynamics
from locomotor.tracing.system import TracedSystem


def steady_equations(
    traced: TracedSystem,
    essential: Sequence[int],
    open_inputs: Sequence[int],
    asked_chart: Sequence[int],
    asked_velocities: Sequence[int],
) -> Traced:
    """Function of (time, chart, velocity, inputs, parameters, asked).

    `residual` must vanish in a steady motion: rates of the essential chart coordinates, accelerations, gaps, then the chart
    coordinates and velocities asked for less the values `asked`. `slope` is its derivative by the unknowns: the essential
    coordinates, the reduced velocities, the open inputs. Numbers are places among the coordinates, inputs, velocities.
    """
    function = chart_dynamics(traced)
    symbols = [casadi.SX.sym(port.name, port.size) for port in function.inputs]
    _, chart, velocity, inputs, _ = symbols
    outputs = dict(zip((port.name for port in function.outputs), function.function.call(symbols), strict=True))
    names = {port.name: port.names for port in (*function.inputs, *function.outputs)}
    labels = [names["chart_rate"][i] for i in essential] + [*names["acceleration"], *names["gaps"]]
    labels += [f"{names['chart'][i]}_asked" for i in asked_chart]
    labels += [f"{names['velocities'][i]}_asked" for i in asked_velocities]
    asked = casadi.SX.sym("asked", len(asked_chart) + len(asked_velocities))
    found = [chart[i] for i in asked_chart] + [outputs["velocities"][i] for i in asked_velocities]
    residual = casadi.vertcat(
        *(outputs["chart_rate"][i] for i in essential),
        outputs["acceleration"],
        outputs["gaps"],
        *(value - asked[k] for k, value in enumerate(found)),
    )
    unknowns = [names["chart"][i] for i in essential] + [*names["velocity"]] + [names["inputs"][i] for i in open_inputs]
    slope = casadi.horzcat(
        casadi.jacobian(residual, chart)[:, list(essential)],
        casadi.jacobian(residual, velocity),
        casadi.jacobian(residual, inputs)[:, list(open_inputs)],
    )
    fields = tuple(Field(f"d({row})/d({column})") for row in labels for column in unknowns)
    return Traced.build(
        f"{traced.system.name}_steady_equations",
        [*zip(function.inputs, symbols, strict=True), (Port.of("asked", *labels[len(labels) - len(found) :]), asked)],
        [
            (Port("residual", tuple(Field(label) for label in labels)), residual),
            (Port("slope", fields, (len(labels), len(unknowns))), slope),
        ],
        "what vanishes in a steady motion, with its slope",
    )
