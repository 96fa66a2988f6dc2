"""Names, units and order of the inputs and outputs of a traced function."""

from __future__ import annotations

from functools import cached_property

from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError


@dataclass(frozen=True)
class Field:
    """One scalar of a port: what it is called, its unit, how it is printed and what it means."""

    name: str
    unit: str = ""
    latex: str = ""
    description: str = ""


@dataclass(frozen=True)
class Port:
    """One argument or result of a traced function: an ordered tuple of named scalars.

    `shape` is how the scalars are arranged when arrays are handed out (row-major); by default a vector.
    """

    name: str
    fields: tuple[Field, ...]
    shape: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check that the names are unique and that the shape holds exactly the fields."""
        if not self.shape:
            object.__setattr__(self, "shape", (len(self.fields),))
        count = 1
        for extent in self.shape:
            count *= extent
        if count != len(self.fields):
            raise ArgumentError(f"port {self.name!r}: shape {self.shape} does not hold {len(self.fields)} fields")
        names = [field.name for field in self.fields]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError(f"port {self.name!r}: the field name {twice!r} is used twice; names must be unique")

    @classmethod
    def of(cls, name: str, *names: str, unit: str = "") -> Port:
        """Port whose fields are given by name only, all in the same unit."""
        return cls(name, tuple(Field(entry, unit) for entry in names))

    @cached_property
    def size(self) -> int:
        """Number of scalars."""
        return len(self.fields)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the scalars, in order."""
        return tuple(field.name for field in self.fields)


def describe(ports: tuple[Port, ...], heading: str) -> str:
    """Text table of ports: one line a scalar with its position, name, unit and description."""
    lines = [heading]
    for port in ports:
        lines.append(f"  {port.name} ({', '.join(map(str, port.shape))}{',' if len(port.shape) == 1 else ''})")
        width = max((len(field.name) for field in port.fields), default=0)
        unit_width = max((len(field.unit) for field in port.fields), default=0) + 2
        for index, field in enumerate(port.fields):
            unit = f"[{field.unit or '-'}]"
            line = f"    {index:4d}  {field.name:<{width}}  {unit:<{unit_width}}  {field.description}"
            lines.append(line.rstrip())
    return "\n".join(lines)
