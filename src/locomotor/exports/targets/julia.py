"""Julia: one module without packages, for any kind of real number."""

from __future__ import annotations

from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.target import Files, Target, words
from locomotor.exports.targets.c import LONGEST
from locomotor.exports.targets.spelling import INFIX, calls
from locomotor.exports.writer import Grammar


class Julia(Target):
    """A module of pure functions."""

    name: ClassVar[str] = "julia"
    title: ClassVar[str] = "Julia"
    grammar: ClassVar[Grammar] = Grammar(
        {
            **INFIX,
            **calls(fabs="abs", fmin="fmin_of", fmax="fmax_of", fmod="rem", erf="erf_of", atan2="atan"),
            "pow": "{0}^{1}",
            "remainder": "rem({0}, {1}, RoundNearest)",
            "and": "{0} & {1}",
            "or": "{0} | {1}",
            "not": "!{0}",
            "truth": "{0} != 0.0",
            "number": "({0} ? 1.0 : 0.0)",
            "select": "{0} ? {1} : {2}",
        },
        number="{name} = {value}",
        truth="{name} = {value}",
        load="{array}[{index}]",
        store="{array}[{index}] = {value}",
        comment="#",
        first=1,
        longest=LONGEST,
        infinity="Inf",
        nan="NaN",
    )
    words: ClassVar[frozenset[str]] = words("julia")

    def files(self, model: Model, cases: Cases) -> Files:
        """The module, its self-check, and its numbers."""
        values = self.common(model)
        sizes = {name: table.shape[1] for name, table in (*cases.arguments.items(), *cases.expected.items())}
        check = {
            "sizes": ", ".join(f'("{name}", {size})' for name, size in sizes.items()),
            "checked": ", ".join(f'"{name}"' for name in cases.expected),
        }
        filled = {
            "header": self.header(model, "", f"Self-check: julia {model.name}_check.jl"),
            "functions": "\n\n".join(self.function(model, f) for f in model.functions),
        }
        contents = {
            f"{model.name}.jl": self.frame("model.jl", values | filled),
            f"{model.name}_check.jl": self.frame("check.jl", values | check),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("julia", f"{model.name}_check.jl"), self.names(model).renamed)

    def function(self, model: Model, function: Function) -> str:
        """A function with its tape, in parts where it is long."""
        text = self.text(model, function)
        arguments = ", ".join(function.arguments)
        kinds = ", ".join("typeof(float(time))" if a == "time" else f"eltype({a})" for a in function.arguments)
        head = f'"{function.about[:1].upper()}{function.about[1:]}."\nfunction {function.name}({arguments})\n'
        result = f"    result = zeros(promote_type({kinds}, Float64), {function.size})\n"
        answer = "    return result\n"
        if function.columns:
            answer = f"    return permutedims(reshape(result, {function.columns}, {function.size // function.columns}))\n"
        if len(text.parts) == 1:
            body = "".join(f"    {line}\n" for line in text.parts[0])
            return f"{head}{result}{body}{answer}end"
        pieces, calls_ = [], ""
        for i, part in enumerate(text.parts):
            body = "".join(f"    {line}\n" for line in part)
            pieces.append(f"function {function.name}_part_{i}({arguments}, result, work)\n{body}    return nothing\nend")
            calls_ += f"    {function.name}_part_{i}({arguments}, result, work)\n"
        work = f"    work = zeros(eltype(result), {text.work})\n"
        return "\n\n".join((*pieces, f"{head}{result}{work}{calls_}{answer}end"))
