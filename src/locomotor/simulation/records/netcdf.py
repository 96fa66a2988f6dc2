"""NetCDF files written by h5netcdf alone: the libraries that read them as tables take longer to load than a run takes."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Variable:
    """Numbers or texts over named dimensions, and what they are."""

    dimensions: tuple[str, ...]
    values: NDArray[Any]
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes, those of texts included."""
        texts = sum(len(str(text).encode()) + 32 for text in self.values.ravel()) if self.values.dtype == object else 0
        return self.values.nbytes + texts


@dataclass(frozen=True, eq=False)
class Group:
    """Variables by name, those named as a dimension being its coordinates, and attributes of the whole."""

    variables: Mapping[str, Variable]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Size of the group in the file (bytes)."""
        return sum(variable.size for variable in self.variables.values())


def write_groups(path: Path, groups: Mapping[str, Group]) -> None:
    """Write a new file: the group named "" is the root, the others stand under it."""
    import h5netcdf

    with h5netcdf.File(path, "w") as file:
        for name, group in groups.items():
            _write(file.create_group(name) if name else file, group)


def _write(place: Any, group: Group) -> None:
    import h5py

    for name, value in group.attributes.items():
        place.attrs[name] = value
    lengths = {d: n for v in group.variables.values() for d, n in zip(v.dimensions, v.values.shape, strict=True)}
    place.dimensions = lengths
    for name, variable in group.variables.items():
        texts, numbers = variable.values.dtype == object, variable.values.dtype.kind == "f"
        kind = h5py.string_dtype() if texts else variable.values.dtype
        # A coordinate has a value everywhere; elsewhere a number may be missing, and is then no number.
        missing = np.nan if numbers and name not in lengths else None
        made = place.create_variable(name, variable.dimensions, kind, fillvalue=missing)
        made[...] = variable.values
        for key, text in variable.about.items():
            made.attrs[key] = text
