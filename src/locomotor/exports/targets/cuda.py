"""CUDA: the functions of C99 for the device, one thread an instance, and a kernel that rolls out many."""

from __future__ import annotations

from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.target import Files, words
from locomotor.exports.targets.c import C99, check_values


class Cuda(C99):
    """One header for nvcc; without it the functions are those of the processor."""

    name: ClassVar[str] = "cuda"
    title: ClassVar[str] = "CUDA C++"
    words: ClassVar[frozenset[str]] = words("c") | words("cpp") | words("cuda")
    frames: ClassVar[str] = "cuda"

    def files(self, model: Model, cases: Cases) -> Files:
        """Header, self-check and its numbers."""
        header, check = f"{model.name}.cuh", f"{model.name}_check.cu"
        build = f"nvcc -O1 -o {model.name}_check {check}"
        values = self.values(model) | {"header_file": header, "build": build}
        filled = {
            "header": self.header(model, "", f"Self-check: {build} and ./{model.name}_check"),
            "counts": self.counts(model),
            "indices": "\n".join(self.indices(model)),
            "functions": "\n\n".join(self.function(model, f) for f in model.functions),
        }
        contents = {
            header: self.frame("model.cuh", values | filled),
            check: self.frame("check.cu", values | self.compared(model, cases)),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("sh", "-c", f"{build} && ./{model.name}_check"), self.names(model).renamed)

    def compared(self, model: Model, cases: Cases) -> dict[str, object]:
        """Comparisons of the self-check."""
        return check_values(cases, lambda name: self.call(model, name), "difference(found, line + {at}, {size})")

    def opening(self, model: Model, public: bool) -> str:
        """What a definition begins with."""
        return f"{model.name.upper()}_HERE inline void "

    def function(self, model: Model, function: Function) -> str:
        """A function with its words before it."""
        return f"/* {function.about[:1].upper()}{function.about[1:]}. */\n{super().function(model, function)}"
