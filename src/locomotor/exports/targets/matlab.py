"""MATLAB and Octave: a package folder with one function a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.target import Files, Target, words
from locomotor.exports.targets.spelling import INFIX, calls
from locomotor.exports.writer import Grammar

HELPERS = {
    "pick": "function c = pick(condition, a, b)\nif condition\n    c = a;\nelse\n    c = b;\nend\nend",
    "copysign_of": (
        "function c = copysign_of(a, b)\nif b < 0 || (b == 0 && 1 / b < 0)\n    c = -abs(a);\nelse\n    c = abs(a);\nend\nend"
    ),
    "remainder_of": (
        "function rest = remainder_of(a, b)\n% a - n b with n the integer nearest to a / b, the even one of two\n"
        "span = abs(b);\nrest = rem(abs(a), 2 * span);\nif 2 * rest > span\n    rest = rest - span;\n"
        "    if 2 * rest >= span\n        rest = rest - span;\n    end\nend\nif a < 0\n    rest = -rest;\nend\nend"
    ),
}
"""Functions that MATLAB does not have, written below those that call them."""


class Matlab(Target):
    """`+name/rate.m` and its like, called as `name.rate(...)`; vectors are columns."""

    name: ClassVar[str] = "matlab"
    title: ClassVar[str] = "MATLAB and Octave"
    grammar: ClassVar[Grammar] = Grammar(
        {
            **INFIX,
            **calls(
                fabs="abs", pow="power", fmin="min", fmax="max", fmod="rem", copysign="copysign_of", remainder="remainder_of"
            ),
            "ne": "{0} ~= {1}",
            "and": "{0} && {1}",
            "or": "{0} || {1}",
            "not": "~{0}",
            "truth": "{0} ~= 0",
            "number": "double({0})",
            "select": "pick({0}, {1}, {2})",
        },
        number="{name} = {value};",
        truth="{name} = {value};",
        load="{array}({index})",
        store="{array}({index}) = {value};",
        comment="%",
        first=1,
        infinity="Inf",
        nan="NaN",
    )
    words: ClassVar[frozenset[str]] = words("matlab")

    def files(self, model: Model, cases: Cases) -> Files:
        """The package, its self-check, and its numbers."""
        values = self.common(model)
        sizes = {name: table.shape[1] for name, table in (*cases.arguments.items(), *cases.expected.items())}
        check = {
            "sizes": ", ".join(f"'{name}', {size}" for name, size in sizes.items()),
            "checked": ", ".join(f"'{name}'" for name in cases.expected),
        }
        folder = f"+{model.name}"
        listed = ", ".join(f".{function.name}" for function in model.read)
        usage = ("", f"Self-check: octave-cli {model.name}_check.m")
        contents = {
            f"{folder}/model.m": self.frame("model.m", values | {"header": self.header(model, *usage), "listed": listed}),
            f"{folder}/rate.m": self.frame("rate.m", values),
            f"{folder}/step.m": self.frame("step.m", values),
            **{f"{folder}/{function.name}.m": self.function(model, function) for function in model.functions},
            f"{model.name}_check.m": self.frame("check.m", values | check),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("octave-cli", f"{model.name}_check.m"), self.names(model).renamed)

    def strings(self, texts: object) -> str:
        """Texts as a list of literals."""
        return super().strings(texts).replace('"', "'")  # type: ignore[arg-type]

    def function(self, model: Model, function: Function) -> str:
        """A function with its tape, and the helpers that it calls."""
        text = self.text(model, function)
        lines = [f"result = zeros({function.size}, 1);", *text.parts[0]]
        if function.columns:
            lines.append(f"result = reshape(result, {function.columns}, []).';")
        body = "\n".join(lines)
        head = f"function result = {function.name}({', '.join(function.arguments)})\n"
        about = f"% {function.about[:1].upper()}{function.about[1:]}.\n"
        return "\n\n".join((f"{head}{about}{body}\nend", *self.helpers(body))) + "\n"

    def helpers(self, body: str) -> Iterator[str]:
        """Definitions of what is called here and is no function of the language."""
        yield from (text for name, text in HELPERS.items() if f"{name}(" in body)
