"""A linearisation for tools of control: python-control where it is installed, scipy.signal otherwise."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.errors import ArgumentError
from locomotor.names import suggestion
from locomotor.typing import Complexes, Vector

if TYPE_CHECKING:
    from locomotor.analysis.stability.linearise import Linearisation


def picked(linear: "Linearisation", inputs: Sequence[str], outputs: Sequence[str]) -> tuple[list[int], list[int]]:
    """Places of inputs and outputs (states), all without names."""
    places = []
    for what, names, known in (("input", inputs, linear.input_names), ("output", outputs, linear.state_names)):
        for name in names:
            if name not in known:
                raise ArgumentError(f"the linearisation has no {what} {name!r}: {suggestion(name, known)}")
        places.append([known.index(name) for name in (names or known)])
    return places[0], places[1]


def to_statespace(linear: "Linearisation", inputs: Sequence[str], outputs: Sequence[str]) -> Any:
    """x' = A x + B u, y = C x as an object of python-control with the names of states, or of scipy.signal."""
    u, y = picked(linear, inputs, outputs)
    A, B, C = linear.A, linear.B[:, u], np.eye(len(linear.A))[y]
    D = np.zeros((len(y), len(u)))
    try:
        import control
    except ImportError:
        import scipy.signal

        return scipy.signal.StateSpace(A, B, C, D)
    states = list(linear.state_names)
    return control.ss(
        A,
        B,
        C,
        D,
        states=states,
        inputs=[linear.input_names[k] for k in u],
        outputs=[states[k] for k in y],
        name=linear.motion.system.name,
    )


def frequency_response(linear: "Linearisation", input_name: str, output: str, frequencies: Vector) -> Complexes:
    """C (iw - A)^-1 B at frequencies (rad/s), for one input and one state."""
    (u,), (y,) = picked(linear, (input_name,), (output,))
    n = len(linear.A)
    matrices = 1j * np.asarray(frequencies)[:, None, None] * np.eye(n) - linear.A
    columns = np.broadcast_to(linear.B[:, u].astype(complex)[:, None], (len(matrices), n, 1))
    return np.asarray(np.linalg.solve(matrices, columns)[:, y, 0])
