"""Rust: one module without crates, and a program that checks it."""

from __future__ import annotations

from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.target import Files, Target, words
from locomotor.exports.targets.c import LONGEST, check_values
from locomotor.exports.targets.spelling import INFIX
from locomotor.exports.writer import Grammar

METHODS = {
    "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "exp": "exp", "expm1": "exp_m1",
    "log": "ln", "log1p": "ln_1p", "fabs": "abs", "floor": "floor", "ceil": "ceil",
}  # fmt: skip
TWO = {"pow": "powf", "copysign": "copysign", "fmin": "min", "fmax": "max", "atan2": "atan2", "hypot": "hypot"}
SIZES = {"state": "STATES", "inputs": "INPUTS", "parameters": "PARAMETERS", "delta": "TANGENTS", "tangent": "TANGENTS"}
RENAMED = {"move": "move_by"}
"""Functions whose names are words of Rust."""


class Rust(Target):
    """A module that needs the standard library alone."""

    name: ClassVar[str] = "rust"
    title: ClassVar[str] = "Rust"
    grammar: ClassVar[Grammar] = Grammar(
        {
            **INFIX,
            **{op: f"{{0}}.{method}()" for op, method in METHODS.items()},
            **{op: f"{{0}}.{method}({{1}})" for op, method in TWO.items()},
            "sign": "sign_of({0})",
            "erf": "erf({0})",
            "remainder": "remainder({0}, {1})",
            "fmod": "{0} % {1}",
            "and": "{0} && {1}",
            "or": "{0} || {1}",
            "not": "!{0}",
            "truth": "{0} != 0.0",
            "number": "(if {0} {{ 1.0 }} else {{ 0.0 }})",
            "select": "if {0} {{ {1} }} else {{ {2} }}",
        },
        number="let {name}: f64 = {value};",
        truth="let {name}: bool = {value};",
        load="{array}[{index}]",
        store="{array}[{index}] = {value};",
        longest=LONGEST,
        infinity="f64::INFINITY",
        nan="f64::NAN",
        constant="{0}_f64",
    )
    words: ClassVar[frozenset[str]] = words("rust")

    def files(self, model: Model, cases: Cases) -> Files:
        """The module, its self-check, and its numbers."""
        check = f"{model.name}_check.rs"
        build = f"rustc --edition 2021 -O -o {model.name}_check {check}"
        values = self.common(model) | {"build": build}
        filled = {
            "header": self.header(model, "", f"Self-check: {build} and ./{model.name}_check"),
            "functions": "\n\n".join(self.function(model, f) for f in model.functions),
        }
        worst = "if !(wrong <= worst[{0}]) {{ worst[{0}] = wrong; }}"
        compared = check_values(cases, self.call, "difference(&found_{name}, &line[{at}..{at} + {size}])", worst)
        contents = {
            f"{model.name}.rs": self.frame("model.rs", values | filled),
            check: self.frame("check.rs", values | compared),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("sh", "-c", f"{build} && ./{model.name}_check"), self.names(model).renamed)

    def call(self, name: str) -> str:
        """A call in the self-check."""
        step = "step, " if name == "step" else ""
        return f"let found_{name} = model::{name}(time, {step}state, inputs, parameters);"

    def function(self, model: Model, function: Function) -> str:
        """A function with its tape, in parts where it is long."""
        text = self.text(model, function)
        name = RENAMED.get(function.name, function.name)
        arguments = ", ".join("time: f64" if a == "time" else f"{a}: &[f64; {SIZES[a]}]" for a in function.arguments)
        about = f"/// {function.about[:1].upper()}{function.about[1:]}.\n"
        head = f"{about}pub fn {name}({arguments}) -> [f64; {function.size}] {{\n    let mut result = [0.0; {function.size}];\n"
        if len(text.parts) == 1:
            return head + "".join(f"    {line}\n" for line in text.parts[0]) + "    result\n}"
        pieces, passed = [], ", ".join(function.arguments)
        for i, part in enumerate(text.parts):
            body = "".join(f"    {line}\n" for line in part)
            rest = f"result: &mut [f64; {function.size}], work: &mut [f64; {text.work}]"
            pieces.append(f"fn {name}_part_{i}({arguments}, {rest}) {{\n{body}}}")
        calls = "".join(f"    {name}_part_{i}({passed}, &mut result, &mut work);\n" for i in range(len(text.parts)))
        return "\n\n".join((*pieces, f"{head}    let mut work = [0.0; {text.work}];\n{calls}    result\n}}"))
