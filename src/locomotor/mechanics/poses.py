"""Random poses around a given one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.lie import quaternion
from locomotor.model import System

Vector = NDArray[np.float64]


def block_size(block: Any) -> int:
    """Number of coordinates in a block."""
    return 4 if block[0] == "quaternion" else int(block[1])


def perturbed(system: System, q: Vector, size: float, generator: np.random.Generator) -> Vector:
    """A pose near q: vectors shifted and rotations turned by up to `size`."""
    parts = []
    start = 0
    for block in system.layout.blocks:
        part = q[start : start + block_size(block)]
        if block[0] == "quaternion":
            part = quaternion.multiply(part, quaternion.exp(generator.uniform(-size, size, 3)))
        else:
            part = part + generator.uniform(-size, size, part.shape)
        parts.append(part)
        start += block_size(block)
    return np.concatenate(parts) if parts else q
