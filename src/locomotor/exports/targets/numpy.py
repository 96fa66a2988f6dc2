"""Python with NumPy: one module; arrays may have leading axes."""

from __future__ import annotations

from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Function, Model
from locomotor.exports.target import Files, Target, words
from locomotor.exports.targets.spelling import INFIX, calls
from locomotor.exports.writer import Grammar

PYTHON_WORDS = words("python") | {"h", "k", "total", "node", "weight"}

NUMPY_NAMES = dict(
    asin="np.arcsin", acos="np.arccos", atan="np.arctan", asinh="np.arcsinh", acosh="np.arccosh", atanh="np.arctanh",
    pow="np.power", atan2="np.arctan2", erf="_erf", remainder="_remainder",
)  # fmt: skip


class NumPy(Target):
    """A Python module that needs NumPy alone."""

    name: ClassVar[str] = "python"
    title: ClassVar[str] = "Python with NumPy"
    grammar: ClassVar[Grammar] = Grammar(
        {
            **INFIX,
            **calls("np.", **NUMPY_NAMES),
            "and": "np.logical_and({0}, {1})",
            "or": "np.logical_or({0}, {1})",
            "not": "np.logical_not({0})",
            "truth": "{0} != 0.0",
            "number": "np.where({0}, 1.0, 0.0)",
            "select": "np.where({0}, {1}, {2})",
        },
        number="{name} = {value}",
        truth="{name} = {value}",
        load="{array}[..., {index}]",
        store="{array}[..., {index}] = {value}",
        comment="#",
        infinity="np.inf",
        nan="np.nan",
    )
    words: ClassVar[frozenset[str]] = PYTHON_WORDS
    frames: ClassVar[str] = "python"
    setting: ClassVar[str] = ""
    """What the self-check does before it loads the module."""

    def files(self, model: Model, cases: Cases) -> Files:
        """The module, its self-check, and its numbers."""
        sizes = {name: values.shape[1] for name, values in (*cases.arguments.items(), *cases.expected.items())}
        check = {
            "sizes": ", ".join(f'"{name}": {size}' for name, size in sizes.items()),
            "checked": ", ".join(f'"{name}"' for name in cases.expected),
            "setting": self.setting,
            "call": self.call("getattr(model, name)", ""),
            "step": self.call("model.step", 'entry["step"][:, 0], '),
        }
        common = self.common(model)
        usage = ("", f"Self-check: python {model.name}_check.py")
        functions = "\n\n\n".join(self.function(model, f) for f in model.functions)
        module = self.frame("model.py", common | {"header": self.header(model, *usage), "functions": functions})
        contents = {
            f"{model.name}.py": _without_empty_tuples(module),
            f"{model.name}_check.py": self.frame("python/check.py", common | check),
            f"{model.name}_check.txt": cases.text,
        }
        return Files(contents, ("python3", f"{model.name}_check.py"), self.names(model).renamed)

    def call(self, function: str, step: str) -> str:
        """A call in the self-check, for all cases at once."""
        return f"{function}(four[0], {step}*four[1:])"

    def opening(self, function: Function) -> str:
        """Definition of a function, with its words."""
        four = function.arguments[:1] == ("time",)
        arguments = "time, state, inputs=(), parameters=DEFAULT_PARAMETERS" if four else ", ".join(function.arguments)
        return f'def {function.name}({arguments}):\n    """{function.about[:1].upper()}{function.about[1:]}."""\n'

    def function(self, model: Model, function: Function) -> str:
        """A function with its tape."""
        text = self.text(model, function)
        arrays = [a for a in function.arguments if a != "time"]
        lines = [f"{a} = np.asarray({a}, dtype=float)" for a in arrays]
        time = "time" if "time" in function.arguments else "0.0"
        lines.append(f"result = _result({function.size}, {time}, {', '.join(arrays)})")
        lines += [*text.parts[0], "return result"]
        if function.columns:
            rows = function.size // function.columns
            lines[-1] = f"return result.reshape(*result.shape[:-1], {rows}, {function.columns})"
        return self.opening(function) + "\n".join(f"    {line}" for line in lines)


def _without_empty_tuples(text: str) -> str:
    return text.replace("= (,)", "= ()")
