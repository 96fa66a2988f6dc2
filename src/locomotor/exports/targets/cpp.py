"""C++17: one header of templates over the kind of number."""

from __future__ import annotations

from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.naming import allocate
from locomotor.exports.target import Files, Target, words
from locomotor.exports.targets.c import LONGEST, check_values
from locomotor.exports.targets.spelling import BINARY, C_LIKE, UNARY
from locomotor.exports.writer import Grammar

KINDS = {"time": "Real", "state": "State<Real>", "inputs": "Inputs<Real>", "parameters": "Parameters<Real>"}
KINDS |= {"delta": "Tangent<Real>", "tangent": "Tangent<Real>"}


class Cpp(Target):
    """A header that needs the standard library alone."""

    name: ClassVar[str] = "cpp"
    title: ClassVar[str] = "C++17"
    grammar: ClassVar[Grammar] = Grammar(
        {**C_LIKE, "sign": "sign_of({0})", "number": "({0} ? Real(1) : Real(0))", "truth": "{0} != Real(0)"},
        number="const Real {name} = {value};",
        truth="const bool {name} = {value};",
        load="{array}[{index}]",
        store="{array}[{index}] = {value};",
        longest=LONGEST,
        infinity="std::numeric_limits<double>::infinity()",
        nan="std::numeric_limits<double>::quiet_NaN()",
        tests_work="{0} != Real(0)",
        constant="Real({0})",
    )
    words: ClassVar[frozenset[str]] = words("c") | words("cpp")

    def files(self, model: Model, cases: Cases) -> Files:
        """Header, self-check and its numbers."""
        check = f"{model.name}_check.cpp"
        build = f"c++ -O1 -std=c++17 -o {model.name}_check {check}"
        values = self.common(model) | {"header_file": f"{model.name}.hpp", "build": build}
        usage = ("", f"Self-check: {build} and ./{model.name}_check")
        filled = {
            "header": self.header(model, *usage),
            "indices": "\n".join(self.indices(model)),
            "functions": "\n\n".join(self.function(f) for f in self.written(model)),
        }
        contents = {
            f"{model.name}.hpp": self.frame("model.hpp", values | filled),
            check: self.frame(
                "check.cpp",
                values | check_values(cases, lambda name: self.call(model, name), "difference(found_{name}, &line[{at}])"),
            ),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("sh", "-c", f"{build} && ./{model.name}_check"), self.names(model).renamed)

    def written(self, model: Model) -> list[tuple[Model, Function]]:
        """Functions with the model they belong to."""
        return [(model, function) for function in model.functions]

    def call(self, model: Model, name: str) -> str:
        """A call in the self-check."""
        step = "step, " if name == "step" else ""
        return f"const auto found_{name} = {model.name}::{name}<double>(time, {step}state, inputs, parameters);"

    def function(self, written: tuple[Model, Function]) -> str:
        """A function with its tape, in parts where it is long."""
        model, function = written
        text = self.text(model, function)
        kind = f"std::array<Real, {function.size}>"
        arguments = ", ".join(f"const {KINDS[a]} &{a}" for a in function.arguments)
        used = _using(line for part in text.parts for line in part)
        unused = "".join(f"    (void){a};\n" for a in function.arguments if a not in text.used)
        about = f"// {function.about[:1].upper()}{function.about[1:]}.\n"
        head = f"{about}template <typename Real>\n{kind} {function.name}({arguments}) {{\n"
        if len(text.parts) == 1:
            body = "".join(f"    {line}\n" for line in text.parts[0])
            return f"{head}{used}{unused}    {kind} result;\n{body}    return result;\n}}"
        pieces, passed = [], ", ".join((*function.arguments, "result", "work"))
        silent = "".join(f"    (void){a};\n" for a in function.arguments)
        for i, part in enumerate(text.parts):
            name = f"{function.name}_part_{i}"
            body = "".join(f"    {line}\n" for line in part)
            opening = f"template <typename Real>\nvoid {name}({arguments}, {kind} &result, Real *work) {{\n"
            pieces.append(f"{opening}{used}{silent}{body}}}")
        calls = "".join(f"    {function.name}_part_{i}<Real>({passed});\n" for i in range(len(text.parts)))
        return "\n\n".join((*pieces, f"{head}    {kind} result;\n    Real work[{text.work}];\n{calls}    return result;\n}}"))

    def indices(self, model: Model) -> list[str]:
        """Enumerations of the places of states, inputs, parameters and results."""
        groups = {"at_state": model.state.names, "at_input": model.inputs.names, "at_parameter": model.parameters.names}
        groups |= {f"at_{f.name}": f.result.names for f in model.read if not f.columns}
        found = []
        for group, names in groups.items():
            if names:
                chosen = allocate({group: names}, self.words)[group]
                found.append(f"namespace {group} {{ enum : std::size_t {{ {', '.join(chosen)} }}; }}")
        return found


def _using(lines: object) -> str:
    """Declarations that let calls find functions of the standard library, and those of other kinds of numbers."""
    text = "\n".join(lines)  # type: ignore[arg-type]
    names = [name for name in (*UNARY, *BINARY) if f" {name}(" in text]
    return "".join(f"    using std::{name};\n" for name in names)
