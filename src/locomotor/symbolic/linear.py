"""The linearised equations in closed form, about a motion that is given with symbols."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from locomotor.checks import door, numbers_by_name, shown
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, UnknownNameError
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import System, as_quantity, evaluate
from locomotor.model.expressions import free_names
from locomotor.names import suggestion
from locomotor.symbolic.evaluation import lambdified
from locomotor.symbolic.factoring import with_exact_numbers
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.parts import Part, Written, write_parts
from locomotor.tracing import Traced, trace
from locomotor.tracing.readings import elsewhere, linear_parts
from locomotor.typing import Floats

STEADY = 1e-9
"""Force left over, relative to the stiffness, up to which a motion is steady."""


@dataclass(frozen=True, eq=False)
class LinearEquations(Written):
    """M v_dot + D v + K r = N u and r_dot = E r + J v, for small deviations r of coordinates and v of reduced velocities."""

    system: System
    function: Traced
    parts: Mapping[str, Part]
    symbols: Mapping[str, Any]
    coordinate_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    about: Mapping[str, Any]
    """The motion: coordinates and reduced velocities that were given, as expressions."""

    @property
    def mass(self) -> Any:
        """Mass matrix M."""
        return self.parts["mass"].matrix

    @property
    def damping(self) -> Any:
        """Matrix D of damping and gyroscopic terms."""
        return self.parts["damping"].matrix

    @property
    def stiffness(self) -> Any:
        """Stiffness matrix K."""
        return self.parts["stiffness"].matrix

    @property
    def input_force(self) -> Any:
        """Matrix N of the inputs."""
        return self.parts["input_force"].matrix

    @property
    def rate_of_coordinates(self) -> Any:
        """Matrix E: rates of coordinates by coordinates."""
        return self.parts["rate_of_coordinates"].matrix

    @property
    def rate_of_velocities(self) -> Any:
        """Matrix J: rates of coordinates by velocities."""
        return self.parts["rate_of_velocities"].matrix

    @cached_property
    def _evaluator(self) -> Any:
        arguments = [self.symbols[field.name] for port in self.function.inputs for field in port.fields]
        return lambdified(arguments, self.parts, self.definitions)

    @door(values=numbers_by_name)
    def evaluate(self, values: Mapping[str, float]) -> dict[str, Floats]:
        """Every part on numbers, by its name; parameters that are not given have their own values."""
        known = dict(self.system.parameters.values) | dict(values)
        given = [field.name for port in self.function.inputs for field in port.fields]
        missing = [name for name in given if name not in known]
        if missing:
            raise ArgumentError(f"evaluate: {', '.join(missing)} has no value; give one")
        return self._evaluator([known[name] for name in given])


def linear_equations(
    system: System, parameters: tuple[str, ...], about: Mapping[str, Any], sample: Mapping[str, float]
) -> LinearEquations:
    """Linearise about values of coordinates and reduced velocities, which may be expressions of parameters and new symbols."""
    sp = sympy_library()
    traced = trace(system, free=parameters)
    known = [*(s.name for s in chart_symbols(system)), *traced.reduction.names]
    given: dict[str, Any] = {}
    new: list[str] = []
    for name, value in about.items():
        if name not in known:
            raise UnknownNameError(f"linearised: nothing is named {shown(name)}: {suggestion(name, known)}")
        given[name] = as_quantity(value, f"linearised {name!r}")
        new += [n for n in sorted(free_names(given[name])) if n not in system.parameters and n not in (*new, "pi")]
    numbers = {name: float(sample.get(name, 1.0)) for name in new}
    function, coordinates = linear_parts(traced, given, tuple(new), numbers)
    left = function([numbers[name] for name in new], elsewhere(traced))
    values = dict(zip((port.name for port in function.outputs), left, strict=True))
    scale = 1.0 + float(abs(values["stiffness"]).max(initial=0.0))
    if float(abs(values["unbalanced"]).max(initial=0.0)) > STEADY * scale:
        raise ArgumentError(
            f"linearised: {dict(about)} is no steady motion of {system.name} for all values of its parameters: forces "
            f"{values['unbalanced'].round(6).tolist()} are left over; give one that is, or fix parameters with where={{...}}"
        )
    symbols = {field.name: sp.Symbol(field.name, real=True) for port in function.inputs for field in port.fields}
    inputs = [[symbols[field.name] for field in port.fields] for port in function.inputs]
    parts = write_parts(function, inputs, {"mass": "Mo", "damping": "Do", "stiffness": "Ko"}, "auto", "z")
    named = {part.name: part for part in parts if part.name != "unbalanced"}
    motion = {name: with_exact_numbers(sp, sp.sympify(evaluate(value, symbols))) for name, value in given.items()}
    return LinearEquations(system, function, named, symbols, coordinates, traced.reduction.names, motion)
