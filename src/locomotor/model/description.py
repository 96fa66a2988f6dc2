"""What descriptions have in common: values read once, checked when known, and listed for the system."""

from __future__ import annotations

import math
from abc import ABCMeta
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from inspect import isfunction
from typing import Any, ClassVar

import numpy as np

from locomotor import checks
from locomotor.errors import AxisError, DescriptionTypeError
from locomotor.model.expressions import Expression, evaluate, expressions, free_names, known, number, show_numbers
from locomotor.names import check_name, check_reference

AXIS_TOLERANCE = 1e-9  # an axis given with ten digits passes; one forgotten to be normalised does not


class Kind(ABCMeta):
    """Of all descriptions: a call that does not fit their fields is answered in our words."""

    def __setattr__(cls, name: str, value: Any) -> None:
        """Take the constructor that `dataclass` makes, as one that says what fits."""
        super().__setattr__(name, checks.fitting(value) if name == "__init__" and isfunction(value) else value)


class Description(metaclass=Kind):
    """Base of bodies, joints, contacts, grounds, forces and drives.

    A description checks itself twice: when it is built, as far as its values are plain numbers, and when a
    system is built, with the default values of the parameters in place of their names.
    """

    LAWS: ClassVar[tuple[str, ...]] = ()
    """Fields that may depend on time, state and inputs; every other field depends on parameters only."""
    OUTER: ClassVar[tuple[str, ...]] = ()
    """Laws that come from outside: of time and inputs, and not of the state, whose rates they would have to know."""
    OWN_NAMES: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Names that mean something in one field only, such as the place along a wing: field -> names."""

    @property
    def label(self) -> str:
        """How messages call this: its kind and name."""
        name = getattr(self, "name", "")
        named = isinstance(name, str) and name
        return f"{type(self).__name__} {checks.shown(name)}" if named else type(self).__name__

    @property
    def looks(self) -> tuple[Any, ...]:
        """The shapes that it is drawn by; what is no body has none."""
        return ()

    def expressions(self, laws: bool) -> Iterator[tuple[str, Expression]]:
        """Field name and expression: of the laws, or of the fields that depend on parameters only."""
        for entry in fields(self):  # type: ignore[arg-type]
            if (entry.name in self.LAWS) == laws:
                for expression in expressions(getattr(self, entry.name)):
                    yield entry.name, expression

    def check(self, values: Mapping[str, float]) -> None:
        """Raise if a value is wrong, as far as `values` (parameter name -> number) lets it be known."""
        for name, expression in self.expressions(laws=False):
            if expression.names <= values.keys():
                number(expression, values, f"{self.label}: {name}")
        self._check(values)

    def _check(self, values: Mapping[str, float]) -> None:
        """The checks of this kind of description."""

    def _store(self, **attributes: Any) -> None:
        """Set fields of a frozen dataclass while it is being built."""
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def _read_name(self, what: str, reserved: Iterable[str] = ()) -> None:
        """Check and keep the name."""
        self._store(name=check_name(getattr(self, "name", None), what, reserved))

    def _read_references(self, *names: str) -> None:
        """Check and keep fields that are names of something else."""
        for name in names:
            self._store(**{name: check_reference(getattr(self, name), f"{self.label}: its {name}")})

    def _read_texts(self, *names: str) -> None:
        """Check fields that are texts to be shown."""
        for name in names:
            checks.text(getattr(self, name), f"{self.label}: {name}", error=DescriptionTypeError)

    def _origin(self, name: str) -> str:
        """The formula a field comes from, for messages; empty for a plain number."""
        value = getattr(self, name)
        return f" (from '{value}')" if isinstance(value, Expression) else ""

    def _known(self, name: str, values: Mapping[str, float]) -> Any:
        """The field evaluated to numbers, or None while it depends on names without value."""
        return known(getattr(self, name), values)


def check_axis(axis: Any, what: str, values: Mapping[str, float]) -> None:
    """Raise `AxisError` unless the axis, once known, is a unit vector."""
    if not free_names(axis) <= values.keys():
        return
    vector = np.asarray(evaluate(axis, values), dtype=float)
    norm = math.hypot(*vector)  # np.linalg.norm overflows, with a warning, where this does not
    if abs(norm - 1.0) <= AXIS_TOLERANCE:
        return
    if norm == 0.0:
        raise AxisError(f"{what} is the zero vector; give a unit vector such as (0.0, 0.0, 1.0)")
    raise AxisError(
        f"{what} = {show_numbers(vector)} has norm {norm!r}, not 1; use the normalised axis {show_numbers(vector / norm)}"
    )
