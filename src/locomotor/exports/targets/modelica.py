"""Modelica: one model of named variables; the tape stands in its equations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

from locomotor.exports.cases import TOLERANCE, Cases
from locomotor.exports.model import Model
from locomotor.exports.naming import Names, allocate, plain
from locomotor.exports.target import OWN, Files, Target, words
from locomotor.exports.targets.spelling import INFIX, calls
from locomotor.exports.writer import Grammar, Text, write
from locomotor.tracing import Port

TRUTH = "// condition"
"""Marks the equations of Boolean variables."""
CHECKED = 3
"""Cases that the checking model holds: each is an instance, and a tool translates all of them."""


def _function(name: str, body: str, *, inputs: str = "x") -> str:
    declared = "".join(f"    input Real {each};\n" for each in inputs.split())
    return f"  function {name}\n{declared}    output Real y;\n{body}  end {name};\n"


HELPERS = {
    "log1p_of": _function(
        "log1p_of",
        "  protected\n    Real u;\n  algorithm\n    u := 1.0 + x;\n    y := if u == 1.0 then x else log(u)*x/(u - 1.0);\n",
    ),
    "expm1_of": _function(
        "expm1_of",
        "  protected\n    Real u;\n  algorithm\n    u := exp(x);\n"
        "    y := if u == 1.0 then x elseif u - 1.0 == -1.0 then -1.0 else (u - 1.0)*x/log(u);\n",
    ),
    "asinh_of": _function(
        "asinh_of",
        "  protected\n    Real a;\n  algorithm\n    a := abs(x);\n    y := log1p_of(a + a*a/(1.0 + sqrt(a*a + 1.0)));\n"
        "    y := if x < 0.0 then -y else y;\n",
    ),
    "acosh_of": _function("acosh_of", "  algorithm\n    y := log1p_of((x - 1.0) + sqrt((x - 1.0)*(x + 1.0)));\n"),
    "atanh_of": _function("atanh_of", "  algorithm\n    y := 0.5*log1p_of(2.0*x/(1.0 - x));\n"),
    "copysign_of": _function("copysign_of", "  algorithm\n    y := if b < 0.0 then -abs(a) else abs(a);\n", inputs="a b"),
    "remainder_of": _function(
        "remainder_of",
        "  protected\n    Real size;\n  algorithm\n    size := abs(b);\n    y := rem(abs(a), 2.0*size);\n"
        "    if 2.0*y > size then\n      y := y - size;\n      if 2.0*y >= size then\n        y := y - size;\n      end if;\n"
        "    end if;\n    y := if a < 0.0 then -y else y;\n",
        inputs="a b",
    ),
    "erf_of": _function(
        "erf_of",
        "  protected\n    Real a;\n    Real term;\n    Real tail;\n  algorithm\n    a := abs(x);\n    if a < 3.0 then\n"
        "      term := a;\n      y := a;\n      for n in 1:79 loop\n        term := term*2.0*a*a/(2.0*n + 1.0);\n"
        "        y := y + term;\n      end for;\n      y := 1.1283791670955126*exp(-a*a)*y;\n    else\n      tail := 0.0;\n"
        "      for n in 60:-1:1 loop\n        tail := 0.5*n/(a + tail);\n      end for;\n"
        "      y := 1.0 - exp(-a*a)/(1.772453850905516*(a + tail));\n    end if;\n    y := if x < 0.0 then -y else y;\n",
    ),
}
"""Functions that Modelica does not have; those that are called are written into the model."""


class Modelica(Target):
    """A flat model; conditions cause no events."""

    name: ClassVar[str] = "modelica"
    title: ClassVar[str] = "Modelica"
    grammar: ClassVar[Grammar] = Grammar(
        {
            **INFIX,
            **calls(),
            **{name: f"{name}_of({{0}})" for name in ("asinh", "acosh", "atanh", "expm1", "log1p", "erf")},
            "copysign": "copysign_of({0}, {1})",
            "remainder": "remainder_of({0}, {1})",
            "fabs": "noEvent(abs({0}))",
            "sign": "noEvent(if {0} > 0.0 then 1.0 elseif {0} < 0.0 then -1.0 else {0})",
            "floor": "noEvent(floor({0}))",
            "ceil": "noEvent(ceil({0}))",
            "fmod": "noEvent(rem({0}, {1}))",
            "fmin": "noEvent(min({0}, {1}))",
            "fmax": "noEvent(max({0}, {1}))",
            "pow": "{0}^{1}",
            "hypot": "sqrt({0}*{0} + {1}*{1})",
            "lt": "noEvent({0} < {1})",
            "le": "noEvent({0} <= {1})",
            "eq": "noEvent({0} <= {1} and {0} >= {1})",
            "ne": "noEvent({0} < {1} or {0} > {1})",
            "and": "{0} and {1}",
            "or": "{0} or {1}",
            "not": "not {0}",
            "truth": "noEvent({0} < 0.0 or {0} > 0.0)",
            "number": "noEvent(if {0} then 1.0 else 0.0)",
            "select": "noEvent(if {0} then {1} else {2})",
        },
        number="{name} = {value};",
        truth="{name} = {value}; " + TRUTH,
        load="{array}[{index}]",
        first=1,
        infinity="1e300*1e300",
        nan="0.0/0.0",
    )
    words: ClassVar[frozenset[str]] = words("modelica")

    def names(self, model: Model) -> Names:
        """Identifiers of states, inputs, parameters and outputs, all in one scope."""
        outputs = [name for function in model.read if function.name == "outputs" for name in function.result.names]
        return allocate({**model.groups, "outputs": outputs}, self.words | (OWN - {"step", "next", "rate", "result", "work"}))

    def files(self, model: Model, cases: Cases) -> Files:
        """The model, the model that checks it, and its numbers."""
        names = self.names(model)
        tapes = [(model.tangent, "v"), (model.lift, "a"), *((f, "b") for f in model.read if f.name == "outputs")]
        texts = {f.name: write(f, replace(self.grammar, temporary=letter), names) for f, letter in tapes}
        equations = list(self.equations(model, names, texts))
        body = "\n".join(equations)
        usage = ("", "Quaternions are integrated as four numbers: choose tolerances so that their length stays one.")
        filled = {
            "header": self.header(model, *usage),
            "parameters": self.declared("parameter Real", model.parameters, names["parameters"], value=model.defaults),
            "inputs": self.declared("input Real", model.inputs, names["inputs"]),
            "states": self.declared("Real", model.state, names["state"], start=model.start),
            "outputs": "".join(
                self.declared("output Real", f.result, names["outputs"]) for f in model.read if f.name == "outputs"
            ),
            "functions": "".join(_needed(body)),
            "declarations": "\n".join(_declarations(equations)),
            "equations": body,
        }
        contents = {
            f"{model.name}.mo": self.frame("model.mo", self.common(model) | filled),
            f"{model.name}_check.mo": self.check(model, names, cases),
            f"{model.name}_check.txt": cases.text,
        }
        script = f'loadFile("{model.name}.mo"); loadFile("{model.name}_check.mo"); simulate({model.name}_check, stopTime=0);'
        contents[f"{model.name}_check.mos"] = f"{script} getErrorString();\n"
        return Files(contents, ("omc", f"{model.name}_check.mos"), names.renamed)

    def declared(
        self, kind: str, port: Port, names: Iterable[str], value: Iterable[float] = (), start: Iterable[float] = ()
    ) -> str:
        """Declarations of variables, with units and words."""
        values, starts = list(value), list(start)
        lines = []
        for i, (name, field) in enumerate(zip(names, port.fields, strict=True)):
            unit = f'unit="{unit_of(field.unit)}"' if unit_of(field.unit) else ""
            begins = f"start={self.grammar.decimal(float(starts[i]))}, fixed=true" if starts else ""
            changes = ", ".join(each for each in (begins, unit) if each)
            given = f" = {self.grammar.decimal(float(values[i]))}" if values else ""
            words_ = f' "{plain(field.description)}"' if field.description else ""
            lines.append(f"  {kind} {name}{f'({changes})' if changes else ''}{given}{words_};")
        return "\n".join(lines)

    def equations(self, model: Model, names: Names, texts: dict[str, Text]) -> Iterator[str]:
        """The tape of the rate, then those of the numbers of the state and of the outputs; loads are names already."""
        for function, text in texts.items():
            yield from (f"  {line}" for line in text.parts[0] if not re.search(r"= \w+\[\d+\];$", line))
            if function == "tangent":
                yield from (f"  w{i} = {value};" for i, value in enumerate(text.results))
            elif function == "lift":
                yield from (f"  der({name}) = {value};" for name, value in zip(names["state"], text.results, strict=True))
            else:
                yield from (f"  {name} = {value};" for name, value in zip(names["outputs"], text.results, strict=True))

    def check(self, model: Model, names: Names, cases: Cases) -> str:
        """A model with one instance a case, and assertions."""
        instances, assertions = [], []
        number = self.grammar.decimal
        for k in range(min(CHECKED, len(cases))):
            row = {name: values[k] for name, values in (*cases.arguments.items(), *cases.expected.items())}
            changes = [f"{n}={number(float(v))}" for n, v in zip(names["parameters"], row["parameters"], strict=True)]
            changes += [f"{n}={number(float(v))}" for n, v in zip(names["inputs"], row["inputs"], strict=True)]
            changes += [f"{n}(start={number(float(v))})" for n, v in zip(names["state"], row["state"], strict=True)]
            instances.append(f"  {model.name} case_{k}({', '.join(changes)});")
            if "time" in self.text(model, model.tangent).used:
                continue  # all instances share one time, and the cases have times of their own
            expected = [(f"der(case_{k}.{name})", value) for name, value in zip(names["state"], row["rate"], strict=True)]
            limit = TOLERANCE * max(1.0, float(abs(row["rate"]).max()))
            assertions += [f'  assert(abs({what} - ({value!r})) <= {limit!r}, "{what} differs");' for what, value in expected]
        values = {"instances": "\n".join(instances), "assertions": "\n".join(assertions)}
        return self.frame("check.mo", self.common(model) | values)


def unit_of(unit: str) -> str:
    """A unit as Modelica writes it: N m -> N.m, kg m^2 -> kg.m2; empty where it cannot."""
    text = unit.replace("^", "").replace("²", "2").replace("³", "3").replace("·", ".").replace(" ", ".")
    return text if re.fullmatch(r"[A-Za-z0-9./()-]+", text) else ""


def _declarations(equations: Iterable[str]) -> Iterator[str]:
    """Variables of the tapes; those that are conditions are Boolean."""
    for line in equations:
        found = re.match(r"\s*([vabw]\d+) = (.*)$", line)
        if found:
            yield f"  {'Boolean' if line.endswith(TRUTH) else 'Real'} {found[1]};"


def _needed(body: str) -> Iterator[str]:
    """Helpers that are called, and those that they call."""
    wanted = {name for name in HELPERS if f"{name}(" in body}
    if wanted & {"asinh_of", "acosh_of", "atanh_of"}:
        wanted.add("log1p_of")
    yield from (text for name, text in HELPERS.items() if name in wanted)
