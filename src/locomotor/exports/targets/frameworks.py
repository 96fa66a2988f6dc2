"""Python for JAX and for PyTorch: functions of arrays that the frameworks differentiate, map and compile."""

from __future__ import annotations

from typing import ClassVar

from locomotor.exports.model import Function, Model
from locomotor.exports.targets.numpy import NumPy
from locomotor.exports.targets.spelling import BINARY, INFIX, calls
from locomotor.exports.writer import Grammar


class _Functional(NumPy):
    """Arrays are not written into: the results of a function are stacked at its end."""

    def function(self, model: Model, function: Function) -> str:
        """A function with its tape."""
        text = self.text(model, function)
        arrays = [a for a in function.arguments if a != "time"]
        time = "time" if "time" in function.arguments else f"{arrays[0]}[..., 0]"
        results = "".join(f"        {value},\n" for value in text.results)
        lines = [f"{a} = _array({a})" for a in arrays]
        lines += [*text.parts[0], f"result = _stack(\n        {time},\n{results}    )", "return result"]
        if function.columns:
            rows = function.size // function.columns
            lines[-1] = f"return result.reshape(*result.shape[:-1], {rows}, {function.columns})"
        return self.opening(function) + "\n".join(f"    {line}" for line in lines)


class Jax(_Functional):
    """JAX."""

    name: ClassVar[str] = "jax"
    title: ClassVar[str] = "Python with JAX"
    grammar: ClassVar[Grammar] = Grammar(
        {
            **INFIX,
            **calls(
                "jnp.", asin="jnp.arcsin", acos="jnp.arccos", atan="jnp.arctan", asinh="jnp.arcsinh", acosh="jnp.arccosh",
                atanh="jnp.arctanh", pow="jnp.power", atan2="jnp.arctan2", erf="jax.scipy.special.erf", remainder="_remainder",
                fabs="jnp.abs",
            ),
            "and": "jnp.logical_and({0}, {1})",
            "or": "jnp.logical_or({0}, {1})",
            "not": "jnp.logical_not({0})",
            "truth": "{0} != 0.0",
            "number": "jnp.where({0}, 1.0, 0.0)",
            "select": "jnp.where({0}, {1}, {2})",
        },
        number="{name} = {value}",
        truth="{name} = {value}",
        load="{array}[..., {index}]",
        comment="#",
        infinity="jnp.inf",
        nan="jnp.nan",
    )  # fmt: skip
    frames: ClassVar[str] = "jax"
    setting: ClassVar[str] = 'import jax\n\njax.config.update("jax_enable_x64", True)\n'


class Torch(_Functional):
    """PyTorch."""

    name: ClassVar[str] = "pytorch"
    title: ClassVar[str] = "Python with PyTorch"
    grammar: ClassVar[Grammar] = Grammar(
        {
            **INFIX,
            **calls("torch."),
            **{name: f"_two(torch.{name}, {{0}}, {{1}})" for name in BINARY},
            "fabs": "torch.abs({0})",
            "remainder": "_two(_remainder, {0}, {1})",
            "and": "{0} & {1}",
            "or": "{0} | {1}",
            "not": "~{0}",
            "truth": "{0} != 0.0",
            "number": "_where({0}, 1.0, 0.0)",
            "select": "_where({0}, {1}, {2})",
        },
        number="{name} = {value}",
        truth="{name} = {value}",
        load="{array}[..., {index}]",
        comment="#",
        infinity="torch.inf",
        nan="torch.nan",
    )
    frames: ClassVar[str] = "torch"
    setting: ClassVar[str] = "import torch\n\n"

    def call(self, function: str, step: str) -> str:
        """A call in the self-check."""
        tensors = "*(torch.tensor(array) for array in four[1:])"
        length = 'torch.tensor(entry["step"][:, 0]), ' if step else ""
        return f"{function}(torch.tensor(four[0]), {length}{tensors})"
