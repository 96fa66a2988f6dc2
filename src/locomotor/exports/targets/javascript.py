"""JavaScript: a module for Node and for browsers."""

from __future__ import annotations

import re
from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.target import Files, Target, words
from locomotor.exports.targets.spelling import C_LIKE
from locomotor.exports.writer import Grammar

LONGEST = 1500
"""Lines of tape in one function: engines do not optimise very long ones."""


class JavaScript(Target):
    """ECMAScript modules; arrays are `Float64Array`."""

    name: ClassVar[str] = "javascript"
    title: ClassVar[str] = "JavaScript"
    grammar: ClassVar[Grammar] = Grammar(
        {
            **C_LIKE,
            "fabs": "abs({0})",
            "fmod": "{0} % {1}",
            "number": "({0} ? 1 : 0)",
            "eq": "{0} === {1}",
            "ne": "{0} !== {1}",
        },
        number="const {name} = {value};",
        truth="const {name} = {value};",
        load="{array}[{index}]",
        store="{array}[{index}] = {value};",
        longest=LONGEST,
        indent="  ",
        infinity="Infinity",
        nan="NaN",
        tests_work="{0} !== 0",
    )
    words: ClassVar[frozenset[str]] = words("javascript")

    def files(self, model: Model, cases: Cases) -> Files:
        """The module, its self-check, and its numbers."""
        common = self.common(model)
        sizes = {name: values.shape[1] for name, values in (*cases.arguments.items(), *cases.expected.items())}
        check = {
            "sizes": ", ".join(f"{name}: {size}" for name, size in sizes.items()),
            "checked": ", ".join(f'"{name}"' for name in cases.expected),
        }
        contents = {
            f"{model.name}.mjs": self.module(model),
            f"{model.name}_check.mjs": self.frame("check.mjs", common | check),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("node", f"{model.name}_check.mjs"), self.names(model).renamed)

    def module(self, model: Model) -> str:
        """The text of the module."""
        usage = ("", f"Self-check: node {model.name}_check.mjs")
        functions = "\n\n".join(self.function(model, f) for f in model.functions)
        return self.frame("model.mjs", self.common(model) | {"header": self.header(model, *usage), "functions": functions})

    def function(self, model: Model, function: Function) -> str:
        """A function with its tape, in parts where it is long."""
        text = self.text(model, function)
        arguments = ", ".join(function.arguments)
        about = f"/** {function.about[:1].upper()}{function.about[1:]}. */\n"
        public = f"{about}export function {function.name}({arguments}, result = new Float64Array({function.size})) {{\n"
        if len(text.parts) == 1:
            return public + "".join(f"  {line}\n" for line in text.parts[0]) + "  return result;\n}"
        pieces, calls = [], ""
        for i, part in enumerate(text.parts):
            name = f"{function.name}_part_{i}"
            body = "".join(f"  {line}\n" for line in part)
            pieces.append(f"function {name}({arguments}, result, work) {{\n{body}}}")
            calls += f"  {name}({arguments}, result, work);\n"
        work = f"const {function.name}_work = new Float64Array({text.work});"
        calls = calls.replace("work)", f"{function.name}_work)")
        return "\n\n".join((*pieces, work, f"{public}{calls}  return result;\n}}"))


def model_script(model: Model) -> str:
    """The module as one expression, whose value has what the module gives by name; for pages that carry it with them."""
    text = JavaScript().module(model)
    given = re.findall(r"^export (?:function|const) (\w+)", text, re.MULTILINE)
    return f"(() => {{\n{re.sub(r'^export ', '', text, flags=re.MULTILINE)}\nreturn {{ {', '.join(given)} }};\n}})()"
