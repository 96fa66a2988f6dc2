"""Names of the kinds of arrays that signatures speak of.

`Array` and `Scalar` may hold floats, CasADi symbols or SymPy symbols alike: the mechanics is written once for all of them, and
no type describes that, so a checker takes them for anything. The others are numpy arrays of one kind of number.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = Any
"""An array of numbers or of symbols."""
Scalar: TypeAlias = Any
"""A number or a symbol."""

Floats: TypeAlias = NDArray[np.float64]
"""Numbers, with any number of axes."""
Vector: TypeAlias = NDArray[np.float64]
"""Numbers along one axis, or a stack of such: a state, coordinates, times."""
Complexes: TypeAlias = NDArray[np.complex128]
"""Complex numbers: eigenvalues and their vectors."""
Integers: TypeAlias = NDArray[np.int64]
"""Whole numbers: indices of triangles, counts."""
Flags: TypeAlias = NDArray[np.bool_]
"""Truth values: one for each of many."""

Values: TypeAlias = Mapping[str, float]
"""Numbers by the name of the parameter."""
SymbolicValues: TypeAlias = Mapping[str, Any]
"""Numbers or symbols by the name of the parameter."""
