"""Plain C99: one header, one source, no dependency but the C library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.naming import allocate
from locomotor.exports.target import Files, Target, register, words
from locomotor.exports.targets.spelling import C_LIKE
from locomotor.exports.writer import Grammar

LONGEST = 2000
"""Lines of tape in one C function; a compiler's time grows faster than the length of a function."""
FOUR = "double time, const double *state, const double *inputs, const double *parameters"


@register
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
    suffix: ClassVar[str] = "c"
    compiler: ClassVar[str] = "cc -O2 -std=c99"
    linkage: ClassVar[str] = "void "
    private: ClassVar[str] = "static void "

    def files(self, model: Model, cases: Cases) -> Files:
        """Header, source, self-check and its numbers."""
        source, check = f"{model.name}.{self.suffix}", f"{model.name}_check.{self.suffix}"
        build = f"{self.compiler} -o {model.name}_check {check} {source} -lm"
        common = self.common(model) | {"header_file": f"{model.name}.h", "build": build}
        # An array without entries is not C: it has one that nobody reads.
        common |= {
            key: '""' if text == "" and key.endswith(("_names", "_units")) else "0.0" if text == "" else text
            for key, text in common.items()
        }
        usage = ("", f"Self-check: {build} and ./{model.name}_check")
        contents = {
            f"{model.name}.h": self.frame(
                "model.h",
                common
                | {
                    "header": self.header(model, *usage),
                    "counts": "\n".join(
                        f"    {model.name.upper()}_{f.name.upper()}_SIZE = {f.size}{',' if f is not model.read[-1] else ''}"
                        for f in model.read
                    ),
                    "indices": "\n".join(self.indices(model)),
                    "declarations": "\n".join(self.declaration(model, f) for f in (model.tangent, *model.read)),
                },
            ),
            source: self.frame(
                "model.c", common | {"functions": "\n\n".join(self.function(model, f) for f in model.functions)}
            ),
            check: self.frame("check.c", common | check_values(model, cases, self.call)),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("sh", "-c", f"{build} && ./{model.name}_check"), self.names(model).renamed)

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

    def function(self, model: Model, function: Function) -> str:
        """A function with its tape, in parts where it is long."""
        text = self.text(model, function)
        public = function in (model.tangent, *model.read)
        unused = [f"(void){a};" for a in function.arguments if a not in text.used]
        head = "".join(f"    {line}\n" for line in unused)
        if len(text.parts) == 1:
            body = "".join(f"    {line}\n" for line in text.parts[0])
            return f"{self.linkage if public else self.private}{self.signature(model, function)}) {{\n{head}{body}}}"
        pieces = []
        for i, part in enumerate(text.parts):
            rest = "".join(f"    (void){a};\n" for a in function.arguments)
            body = "".join(f"    {line}\n" for line in part)
            name = f"{function.name}_part_{i}"
            pieces.append(f"{self.private}{self.signature(model, function, name)}, double *work) {{\n{rest}{body}}}")
        passed = ", ".join((*function.arguments, "result", "work"))
        calls = "".join(f"    {model.name}_{function.name}_part_{i}({passed});\n" for i in range(len(text.parts)))
        whole = (
            f"{self.linkage if public else self.private}{self.signature(model, function)}) {{\n    double work[{text.work}];\n"
        )
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


def check_values(model: Model, cases: Cases, call: object) -> dict[str, object]:
    """What the frame of a self-check asks for: places in a line, and one comparison a result."""
    at, position = {}, 0
    for name, values in (*cases.arguments.items(), *cases.expected.items()):
        at[name], position = position, position + values.shape[1]
    lines = []
    for index, (name, values) in enumerate(cases.expected.items()):
        lines.append(f"        {call(model, 'step' if name == 'next' else name)}")  # type: ignore[operator]
        lines.append(f"        wrong = difference(found, line + {at[name]}, {values.shape[1]});")
        lines.append(f"        if (!(wrong <= worst[{index}])) worst[{index}] = wrong;")
    largest = max(values.shape[1] for values in cases.expected.values())
    found: dict[str, object] = {f"at_{name}": place for name, place in at.items()}
    found |= {"n_numbers": position, "n_largest": largest, "n_checked": len(cases.expected), "calls": "\n".join(lines)}
    return found | {"checked": ", ".join(f'"{name}"' for name in cases.expected)}
