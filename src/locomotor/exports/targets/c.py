"""Plain C99: one header, one source, no dependency but the C library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.naming import allocate
from locomotor.exports.target import Files, Target, words
from locomotor.exports.targets.spelling import C_LIKE
from locomotor.exports.writer import Grammar

LONGEST = 2000
"""Lines of tape in one C function; a compiler's time grows faster than the length of a function."""


class C99(Target):
    """C99."""

    name: ClassVar[str] = "c"
    title: ClassVar[str] = "C99"
    grammar: ClassVar[Grammar] = Grammar(
        {**C_LIKE, "sign": "sign_of({0})"},
        number="const double {name} = {value};",
        truth="const int {name} = {value};",
        load="{array}[{index}]",
        store="{array}[{index}] = {value};",
        longest=LONGEST,
    )
    words: ClassVar[frozenset[str]] = words("c")
    frames: ClassVar[str] = "c"

    def files(self, model: Model, cases: Cases) -> Files:
        """Header, source, self-check and its numbers."""
        header, source, check = f"{model.name}.h", f"{model.name}.c", f"{model.name}_check.c"
        build = f"cc -O2 -std=c99 -o {model.name}_check {check} {source} -lm"
        values = self.values(model) | {"header_file": header, "build": build}
        compared = check_values(cases, lambda name: self.call(model, name), "difference(found, line + {at}, {size})")
        filled = {
            "header": self.header(model, "", f"Self-check: {build} and ./{model.name}_check"),
            "counts": self.counts(model),
            "indices": "\n".join(self.indices(model)),
            "declarations": "\n".join(self.declaration(model, f) for f in (model.tangent, *model.read)),
        }
        functions = "\n\n".join(self.function(model, f) for f in model.functions)
        contents = {
            header: self.frame("model.h", values | filled),
            source: self.frame("model.c", values | {"functions": functions}),
            check: self.frame("check.c", values | compared),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("sh", "-c", f"{build} && ./{model.name}_check"), self.names(model).renamed)

    def values(self, model: Model) -> dict[str, object]:
        """What frames ask for. An array without entries is not C: it has one that nobody reads."""
        found = self.common(model)
        empty = {key: '""' if key.endswith(("_names", "_units")) else "0.0" for key, text in found.items() if text == ""}
        return found | empty

    def counts(self, model: Model) -> str:
        """Sizes of the results."""
        return ",\n".join(f"    {model.name.upper()}_{f.name.upper()}_SIZE = {f.size}" for f in model.read)

    def call(self, model: Model, name: str) -> str:
        """A call of a function in the self-check."""
        step = "step, " if name == "step" else ""
        return f"{model.name}_{name}(time, {step}state, inputs, parameters, found);"

    def signature(self, model: Model, function: Function, name: str = "") -> str:
        """Name and arguments of a function."""
        arguments = ", ".join("double time" if a == "time" else f"const double *{a}" for a in function.arguments)
        return f"{model.name}_{name or function.name}({arguments}, double *result"

    def declaration(self, model: Model, function: Function) -> str:
        """A function as the header announces it."""
        shape = f", {function.size // function.columns} rows of {function.columns}" if function.columns else ""
        return f"/* {function.about[:1].upper()}{function.about[1:]}{shape}. */\nvoid {self.signature(model, function)});\n"

    def opening(self, model: Model, public: bool) -> str:
        """What a definition begins with."""
        return "void " if public else "static void "

    def function(self, model: Model, function: Function) -> str:
        """A function with its tape, in parts where it is long."""
        text = self.text(model, function)
        opening = self.opening(model, function in (model.tangent, *model.read))
        unused = [f"(void){a};" for a in function.arguments if a not in text.used]
        head = "".join(f"    {line}\n" for line in unused)
        if len(text.parts) == 1:
            body = "".join(f"    {line}\n" for line in text.parts[0])
            return f"{opening}{self.signature(model, function)}) {{\n{head}{body}}}"
        pieces = []
        for i, part in enumerate(text.parts):
            rest = "".join(f"    (void){a};\n" for a in function.arguments)
            body = "".join(f"    {line}\n" for line in part)
            name = f"{function.name}_part_{i}"
            pieces.append(
                f"{self.opening(model, False)}{self.signature(model, function, name)}, double *work) {{\n{rest}{body}}}"
            )
        passed = ", ".join((*function.arguments, "result", "work"))
        calls = "".join(f"    {model.name}_{function.name}_part_{i}({passed});\n" for i in range(len(text.parts)))
        whole = f"{opening}{self.signature(model, function)}) {{\n    double work[{text.work}];\n"
        return "\n\n".join((*pieces, f"{whole}{calls}}}"))

    def indices(self, model: Model) -> Iterator[str]:
        """Enumerations of the places of states, inputs, parameters and results."""
        groups = {"STATE": model.state.names, "INPUT": model.inputs.names, "PARAMETER": model.parameters.names}
        groups |= {f.name.upper(): f.result.names for f in model.read if not f.columns}
        for group, names in groups.items():
            chosen = allocate({group: [name.upper() for name in names]}, frozenset())[group] if names else ()
            entries = (f"    {model.name.upper()}_{group}_{entry} = {i}" for i, entry in enumerate(chosen))
            if names:
                yield "enum {\n" + ",\n".join(entries) + "\n};"


WORST = "if (!(wrong <= worst[{0}])) worst[{0}] = wrong;"


def check_values(cases: Cases, call: Callable[[str], str], compare: str, worst: str = WORST) -> dict[str, object]:
    """What the frame of a self-check asks for: places in a line, and one comparison a result."""
    at, position = {}, 0
    for name, values in (*cases.arguments.items(), *cases.expected.items()):
        at[name], position = position, position + values.shape[1]
    lines = []
    for index, (name, values) in enumerate(cases.expected.items()):
        function = "step" if name == "next" else name
        lines.append(f"        {call(function)}")
        lines.append(f"        wrong = {compare.format(name=function, at=at[name], size=values.shape[1])};")
        lines.append(f"        {worst.format(index)}")
    largest = max(values.shape[1] for values in cases.expected.values())
    filled: dict[str, object] = {f"at_{name}": place for name, place in at.items()}
    filled |= {"n_numbers": position, "n_largest": largest, "n_checked": len(cases.expected), "calls": "\n".join(lines)}
    return filled | {"checked": ", ".join(f'"{name}"' for name in cases.expected)}


class C99WithJacobians(C99):
    """C99 with the derivatives of the rate."""

    name: ClassVar[str] = "c-jacobians"
    title: ClassVar[str] = "C99 with Jacobians"
    jacobians: ClassVar[bool] = True
