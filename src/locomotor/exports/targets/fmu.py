"""FMU of FMI 3.0, for model exchange and co-simulation: C99, a description, and a library if there is a compiler.

The standard: https://fmi-standard.org, version 3.0.
"""

from __future__ import annotations

import hashlib
import io
import platform
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar
from xml.sax.saxutils import quoteattr

from locomotor import __version__
from locomotor.codegen import find_toolchain
from locomotor.dataclass import dataclass
from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.naming import Names, allocate, plain
from locomotor.exports.target import Files
from locomotor.exports.targets.c import C99

INTERNAL_STEP = 0.001
"""Longest step inside a co-simulation (s), unless set."""
LIBRARY = {"Linux": ("linux", ".so"), "Darwin": ("darwin", ".dylib"), "Windows": ("windows", ".dll")}
MACHINE = {"AMD64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
WHEN = (2000, 1, 1, 0, 0, 0)
"""Date of the files in the archive: equal models give equal archives."""
FLAGS = ("-O2", "-std=c99", "-shared", "-fPIC", "-fvisibility=hidden")
"""No instructions of this machine alone: an FMU travels."""


@dataclass(frozen=True)
class _Variable:
    """One variable of the description."""

    name: str
    reference: int
    unit: str
    words: str
    attributes: str

    @property
    def xml(self) -> str:
        """The variable as an element of modelDescription.xml."""
        unit = f" unit={quoteattr(self.unit)}" if self.unit else ""
        words = f" description={quoteattr(self.words)}" if self.words else ""
        return f'    <Float64 name={quoteattr(self.name)} valueReference="{self.reference}"{self.attributes}{unit}{words}/>'


class Fmu(C99):
    """One file that simulation tools import."""

    name: ClassVar[str] = "fmu"
    title: ClassVar[str] = "FMI 3.0"
    frames: ClassVar[str] = "fmu"

    def names(self, model: Model) -> Names:
        """Names of variables, all in one scope; in C the entries of arrays have them too."""
        outputs = [name for function in self.read(model) for name in function.result.names]
        return allocate({**model.groups, "outputs": outputs}, self.words | {"internal_step"})

    def read(self, model: Model) -> tuple[Function, ...]:
        """The function whose results are outputs of the FMU."""
        return tuple(function for function in model.read if function.name == "outputs")

    def files(self, model: Model, cases: Cases) -> Files:
        """The archive, a program that checks it with FMPy, and its numbers."""
        sources = {name: text for name, text in C99().files(model, cases).contents.items() if "_check" not in name}
        variables = list(self.variables(model))
        token = hashlib.sha256("".join(map(str, sources.values())).encode()).hexdigest()[:32]
        sources["fmi3.c"] = self.frame("fmi3.c", self.values(model) | self.calls(model) | {"token": token})
        library, left_out = build_library(model.name, {name: str(text) for name, text in sources.items()})
        contents: dict[str, str | bytes] = {"modelDescription.xml": self.description(model, variables, token)}
        contents |= {f"sources/{name}": text for name, text in sources.items()}
        contents["sources/buildDescription.xml"] = _build_description(model.name)
        contents |= library
        names = self.names(model)
        sizes = {name: values.shape[1] for name, values in (*cases.arguments.items(), *cases.expected.items())}
        check = {
            "sizes": ", ".join(f'"{name}": {size}' for name, size in sizes.items()),
            "states": list(names["state"]),
            "inputs": list(names["inputs"]),
            "parameters": list(names["parameters"]),
            "outputs": list(names["outputs"]),
        }
        files: dict[str, str | bytes] = {
            f"{model.name}.fmu": _archive(contents),
            f"{model.name}_check.py": self.frame("check.py", self.common(model) | check),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(files, ("python3", f"{model.name}_check.py"), names.renamed, left_out)

    def calls(self, model: Model) -> dict[str, object]:
        """Calls of functions that a system may not have."""
        has = {function.name: function.size for function in model.read}
        four = "m->now.time, m->now.state, m->now.inputs, m->now.parameters"
        outputs = f"{model.name}_outputs({four}, m->outputs);" if "outputs" in has else ""
        margins = (
            f"double margins[NM];\n    {model.name}_margins({four}, margins);\n"
            "    for (int i = 0; i < NM; ++i) good = good && margins[i] > 0.0;"
        )
        return {
            "n_outputs": has.get("outputs", 0),
            "n_margins": has.get("margins", 0),
            "internal_step": INTERNAL_STEP,
            "evaluate_outputs": outputs,
            "evaluate_margins": margins if "margins" in has else "",
        }

    def variables(self, model: Model) -> Iterator[_Variable]:
        """All variables, in the order of their value references."""
        names, reference = self.names(model), 1
        yield _Variable("time", 0, "s", "time", ' causality="independent" variability="continuous"')
        for name, field, value in zip(names["state"], model.state.fields, model.start.tolist(), strict=True):
            kind = f' causality="output" variability="continuous" initial="exact" start="{value!r}"'
            yield _Variable(name, reference, field.unit, field.description, kind)
            reference += 1
        for i, (name, field) in enumerate(zip(names["state"], model.state.fields, strict=True)):
            kind = f' causality="local" variability="continuous" initial="calculated" derivative="{i + 1}"'
            yield _Variable(f"der({name})", reference, "", f"rate of {field.name}", kind)
            reference += 1
        for name, field in zip(names["inputs"], model.inputs.fields, strict=True):
            kind = ' causality="input" variability="continuous" start="0.0"'
            yield _Variable(name, reference, field.unit, field.description, kind)
            reference += 1
        for name, field, value in zip(names["parameters"], model.parameters.fields, model.defaults.tolist(), strict=True):
            kind = f' causality="parameter" variability="tunable" initial="exact" start="{value!r}"'
            yield _Variable(name, reference, field.unit, field.description, kind)
            reference += 1
        kind = f' causality="parameter" variability="tunable" initial="exact" start="{INTERNAL_STEP!r}"'
        yield _Variable("internal_step", reference, "s", "longest step inside a co-simulation", kind)
        reference += 1
        for function in self.read(model):
            for name, field in zip(names["outputs"], function.result.fields, strict=True):
                kind = ' causality="output" variability="continuous" initial="calculated"'
                yield _Variable(name, reference, field.unit, field.description, kind)
                reference += 1

    def description(self, model: Model, variables: list[_Variable], token: str) -> str:
        """Text of modelDescription.xml."""
        states = model.state.size
        outputs = [v.reference for v in variables if 'causality="output"' in v.attributes]
        rates = list(range(1 + states, 1 + 2 * states))
        unknowns = sorted(r for r in (*outputs, *rates) if r > states)
        units = "\n".join(f"    <Unit name={quoteattr(u)}/>" for u in sorted({v.unit for v in variables if v.unit}))
        abilities = f'modelIdentifier="{model.name}" canGetAndSetFMUState="true" canSerializeFMUState="true"'
        told = f"equations of motion of {plain(model.title)}" + "".join(f"; {line}" for line in model.left_out)
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<fmiModelDescription fmiVersion="3.0" modelName={quoteattr(model.name)} instantiationToken="{token}"',
            f"  description={quoteattr(told)}",
            f'  generationTool="locomotor {__version__}" variableNamingConvention="structured">',
            f"  <ModelExchange {abilities}/>",
            f'  <CoSimulation {abilities} canHandleVariableCommunicationStepSize="true"/>',
            f"  <UnitDefinitions>\n{units}\n  </UnitDefinitions>",
            '  <LogCategories><Category name="logStatusError"/><Category name="logAll"/></LogCategories>',
            '  <DefaultExperiment startTime="0" stopTime="5" stepSize="0.01"/>',
            "  <ModelVariables>",
            *(variable.xml for variable in variables),
            "  </ModelVariables>",
            "  <ModelStructure>",
            *(f'    <Output valueReference="{r}"/>' for r in outputs),
            *(f'    <ContinuousStateDerivative valueReference="{r}"/>' for r in rates),
            *(f'    <InitialUnknown valueReference="{r}"/>' for r in unknowns),
            "  </ModelStructure>",
            "</fmiModelDescription>",
        ]
        return "\n".join(lines) + "\n"


def build_library(name: str, sources: dict[str, str]) -> tuple[dict[str, str | bytes], tuple[str, ...]]:
    """The shared library for this machine by its place in the archive; without a compiler none, and words for that."""
    toolchain = find_toolchain()
    if toolchain is None or platform.system() not in LIBRARY:
        return {}, ("the FMU carries sources alone: no C compiler was found to make a library of them",)
    system, suffix = LIBRARY[platform.system()]
    machine = MACHINE.get(platform.machine(), platform.machine())
    with tempfile.TemporaryDirectory(prefix="locomotor-") as folder:
        for file, text in sources.items():
            Path(folder, file).write_text(text, encoding="utf-8")
        target = Path(folder, f"{name}{suffix}")
        toolchain.build(Path(folder, "fmi3.c"), target, FLAGS)
        return {f"binaries/{machine}-{system}/{name}{suffix}": target.read_bytes()}, ()


def _build_description(name: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
        f'  <BuildConfiguration modelIdentifier="{name}">\n    <SourceFileSet language="C99">\n'
        '      <SourceFile name="fmi3.c"/>\n    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n'
    )


def _archive(contents: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name, WHEN), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
