"""A target: one class that says how a language spells the operations and frames its files, and its registration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from string import Template
from typing import ClassVar

from locomotor import __version__
from locomotor.dataclass import dataclass
from locomotor.exports.cases import TOLERANCE, Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.naming import Names, allocate, plain
from locomotor.exports.naming import words as words
from locomotor.exports.writer import Grammar, Text, write
from locomotor.tracing import Port

OWN = frozenset({"time", "state", "inputs", "parameters", "delta", "tangent", "result", "work", "step", "next", "rate"})
"""Names of arguments and arrays in every generated function."""


@dataclass(frozen=True)
class Files:
    """Texts (or bytes) by file name; how to run the self-check, as a command in the folder; what was renamed."""

    contents: Mapping[str, str | bytes]
    run: tuple[str, ...]
    renamed: tuple[tuple[str, str, str], ...]
    left_out: tuple[str, ...] = ()
    """What the files do not have, beside what the model leaves out."""


class Target(ABC):
    """One language or format. A new one is a subclass with its spelling and frames, and `register`."""

    name: ClassVar[str]
    title: ClassVar[str]
    grammar: ClassVar[Grammar]
    words: ClassVar[frozenset[str]]
    """Words of the language, and the functions that generated code calls: no name may be one of them."""
    jacobians: ClassVar[bool] = False
    """Whether the target always has the derivatives of the rate."""
    frames: ClassVar[str] = ""
    """Folder of the templates, the name of the target unless said."""

    @abstractmethod
    def files(self, model: Model, cases: Cases) -> Files:
        """The files of the export."""

    # --- what frames are filled with -------------------------------------------------------------------------------------

    def names(self, model: Model) -> Names:
        """Identifiers of states, inputs and parameters."""
        functions = {f"{function.name}" for function in model.functions}
        return allocate(model.groups, self.words | OWN | functions)

    def text(self, model: Model, function: Function) -> Text:
        """A function as statements."""
        return write(function, self.grammar, self.names(model))

    def frame(self, file: str, values: Mapping[str, object]) -> str:
        """A template of this target, or that of another as `folder/file`, filled."""
        folder = file if "/" in file else f"{self.frames or self.name}/{file}"
        return Template(_template(folder)).substitute({key: str(text) for key, text in values.items()})

    def header(self, model: Model, *usage: str) -> str:
        """The comment that opens the main file: what it is, how it is used, tables of names, what is renamed and left out."""
        lines = list(describe(model, self, self.names(model)))
        return "\n".join(f"{self.grammar.comment} {plain(line)}".rstrip() for line in (*lines[:1], *usage, *lines[1:]))

    def numbers(self, values: Iterable[float]) -> str:
        """Numbers as a list of literals."""
        return ", ".join(self.grammar.decimal(float(value)) for value in values)

    def strings(self, texts: Iterable[str]) -> str:
        """Texts as a list of literals."""
        return ", ".join(f'"{plain(text)}"' for text in texts)

    def common(self, model: Model) -> dict[str, object]:
        """Values that most frames ask for."""
        values: dict[str, object] = {"name": model.name, "NAME": model.name.upper(), "title": plain(model.title)}
        values |= {f"n_{name}": size for name, size in model.sizes.items()}
        values |= {"n_tangent": model.tangent.size, "tolerance": TOLERANCE, "version": __version__}
        values |= {"start": self.numbers(model.start), "defaults": self.numbers(model.defaults)}
        for port in (model.state, model.inputs, model.parameters):
            values[f"{port.name}_names"] = self.strings(port.names)
            values[f"{port.name}_units"] = self.strings(field.unit for field in port.fields)
        values |= {"outputs_names": "", "outputs_units": ""}
        for function in model.read:
            values[f"{function.name}_names"] = self.strings(function.result.names)
            values[f"{function.name}_units"] = self.strings(field.unit for field in function.result.fields)
        return values


TARGETS: dict[str, Target] = {}
"""All targets by name."""


def register(target: type[Target]) -> None:
    """Make a target known by its name."""
    TARGETS[target.name] = target()


@cache
def _template(file: str) -> str:
    return resources.files("locomotor.exports").joinpath("frames", f"{file}.in").read_text(encoding="utf-8")


# --- words -------------------------------------------------------------------------------------------------------------


def describe(model: Model, target: Target, names: Names) -> Iterable[str]:
    """Lines of the opening comment."""
    yield f"{model.title}: equations of motion in {target.title}, written by locomotor {__version__}"
    yield ""
    yield "SI units. x forward, y left, z up; quaternions (scalar first) turn body axes into world axes."
    yield ""
    for port, heading in ((model.state, "state"), (model.inputs, "inputs"), (model.parameters, "parameters, with defaults")):
        yield from _table(port, heading, names[port.name], target.grammar.first, model)
    for function in model.read:
        if not function.columns:
            yield from _table(
                function.result, f"{function.name}: {function.about}", function.result.names, target.grammar.first
            )
    if names.renamed:
        yield "Renamed, because the name means something else here or cannot be written:"
        yield from (f"  {old} of the {group} is called {new}" for group, old, new in names.renamed)
        yield ""
    if model.left_out:
        yield "Left out:"
        yield from (f"  {line}" for line in model.left_out)
        yield ""
    counts = ", ".join(f"{function.name} {function.traced.operations}" for function in model.functions)
    yield f"Operations: {counts}."


def _table(port: Port, heading: str, names: Iterable[str], first: int, model: Model | None = None) -> Iterable[str]:
    if not port.size:
        return
    yield f"{heading} ({port.size})"
    width = max(len(name) for name in names)
    unit_width = max(len(field.unit or "-") for field in port.fields)
    values = dict(zip(model.parameters.names, model.defaults, strict=True)) if model and port.name == "parameters" else {}
    for index, (name, field) in enumerate(zip(names, port.fields, strict=True)):
        value = f"{float(values[field.name])!r:<24}" if field.name in values else ""
        yield f"  {index + first:3d}  {name:<{width}}  {field.unit or '-':<{unit_width}}  {value}{field.description}".rstrip()
    yield ""
