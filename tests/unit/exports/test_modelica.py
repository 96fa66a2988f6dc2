"""Modelica: no tool that translates it is at hand, so that an independent parser (pymoca) reads the model, and its equations
are evaluated here, one after the other, as the parser understood them."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.exports import TARGETS
from locomotor.exports.build import build_model
from locomotor.exports.cases import TOLERANCE, Cases, draw_cases
from locomotor.exports.model import Model
from locomotor.exports.targets.modelica import unit_of

parser = pytest.importorskip("pymoca.parser", reason="Modelica is read by pymoca, which is not installed")

FUNCTIONS: dict[str, Any] = {
    "+": lambda a, b=None: a if b is None else a + b,
    "-": lambda a, b=None: -a if b is None else a - b,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "noEvent": lambda a: a,
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "abs")},
    "atan2": np.arctan2,
    "atan": np.arctan,
    "asin": np.arcsin,
    "acos": np.arccos,
}


def value(node: Any, known: dict[str, Any]) -> Any:
    """What an expression of the parsed model is at the values known."""
    kind = type(node).__name__
    if kind == "Primary":
        return float(node.value)
    if kind == "ComponentRef":
        return known[str(node)]
    if kind == "IfExpression":
        conditions, choices = node.conditions, [value(each, known) for each in node.expressions]
        found = choices[-1]
        for condition, choice in zip(reversed(conditions), reversed(choices[:-1]), strict=True):
            found = np.where(value(condition, known), choice, found)
        return found
    assert kind == "Expression", kind
    return FUNCTIONS[str(node.operator)](*(value(each, known) for each in node.operands))


@cache
def model_of(name: str) -> Model:
    return build_model(lm.catalogue.system(name))


def evaluated(model: Model, cases: Cases) -> tuple[dict[str, Any], Any]:
    """All variables of the parsed model at the cases, `der(x)` included, and the parsed model."""
    text = str(TARGETS["modelica"].files(model, cases).contents[f"{model.name}.mo"])
    parsed = parser.parse(text)
    assert parsed is not None, "pymoca cannot read the model"
    only = parsed.classes[model.name]
    names = TARGETS["modelica"].names(model)
    known: dict[str, Any] = {"time": cases.arguments["time"][:, 0]}
    for group in ("state", "inputs", "parameters"):
        known |= dict(zip(names[group], cases.arguments[group].T, strict=True))
    for equation in only.equations:
        left = equation.left
        name = f"der({left.operands[0]})" if type(left).__name__ == "Expression" else str(left)
        assert name not in known, f"{name} is determined twice"
        known[name] = value(equation.right, known)
    return known, only


@pytest.mark.parametrize("system", ["snakeboard", pytest.param("bicycle", marks=pytest.mark.slow)])
def test_the_model_as_an_independent_parser_reads_it_agrees_with_the_reference(system: str) -> None:
    model = model_of(system)
    cases = draw_cases(model, 1000)
    known, only = evaluated(model, cases)
    names = TARGETS["modelica"].names(model)
    for expected, found in (
        (cases.expected["rate"], [known[f"der({name})"] for name in names["state"]]),
        (cases.expected["outputs"], [known[name] for name in names["outputs"]]),
    ):
        stacked = np.stack(np.broadcast_arrays(*found), axis=1)
        scale = np.maximum(1.0, np.abs(expected).max(axis=1))
        assert (np.abs(stacked - expected).max(axis=1) / scale).max() <= TOLERANCE
    symbols = set(only.symbols)
    assigned = {name for name in known if not name.startswith("der(")} - {"time"}
    assert symbols == assigned, "every variable is declared, and every declared one is determined"


def test_the_checking_model_is_read_by_the_parser_too() -> None:
    model = model_of("snakeboard")
    text = str(TARGETS["modelica"].files(model, draw_cases(model, 5)).contents["snakeboard_check.mo"])
    assert parser.parse(text) is not None and text.count("assert(") == 3 * model.state.size


@pytest.mark.parametrize(("ours", "theirs"), [("N m", "N.m"), ("kg m^2", "kg.m2"), ("m/s", "m/s"), ("1", "1"), ("%", "")])
def test_units(ours: str, theirs: str) -> None:
    assert unit_of(ours) == theirs
