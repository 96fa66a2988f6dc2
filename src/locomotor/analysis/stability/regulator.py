"""Feedback from a linearisation: the linear-quadratic regulator, by SciPy's solver of the Riccati equation."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.analysis.stability.judgement import stability_of
from locomotor.analysis.stability.linearise import Linearisation
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, NumericsError, UnknownNameError
from locomotor.names import suggestion
from locomotor.typing import Complexes, Vector

RESIDUAL = 1e-6
"""Largest residual of the Riccati equation, relative to its terms, of a solution that is believed."""

UNSEEN = 1e-9
"""Relative size below which a dependence is round-off."""
GROWTH = 1e-6
"""Growth, relative to the rates of the motion, that is none."""

A_LINEARISATION = checks.instance(Linearisation, remedy="give what linearise returned")


@checks.doors
@dataclass(frozen=True, eq=False)
class Regulator:
    """u = u_steady - K (x - x_steady): the feedback that costs least, by the integral of x'Qx + u'Ru."""

    linear: Linearisation
    input_names: tuple[str, ...]
    K: Vector
    """Gains: a row for each input, a column for each state of the linearisation."""
    S: Vector
    """Solution of the Riccati equation: x'Sx is what a deviation costs in all."""
    eigenvalues: Complexes
    """Of the motion with the feedback, those along the family of steady motions left out."""

    def __post_init__(self) -> None:
        """Refuse what no linearisation is behind."""
        A_LINEARISATION(self.linear, "Regulator: linear")

    @property
    def stable(self) -> bool:
        """Whether every deviation dies out with the feedback."""
        return bool(stability_of(self.eigenvalues) == "stable")

    @property
    def gains(self) -> dict[str, dict[str, float]]:
        """Gain by input and state."""
        names = self.linear.state_names
        return {u: dict(zip(names, map(float, row), strict=True)) for u, row in zip(self.input_names, self.K, strict=True)}

    @checks.door(channels=checks.mapping)
    def __call__(self, channels: Mapping[str, Any]) -> dict[str, Any]:
        """The law for `simulate(controller=...)`: inputs from the channels of an instant."""
        motion = self.linear.motion
        steady = {**motion.coordinates, **motion.velocities}
        laws: dict[str, Any] = {}
        for name, row in self.gains.items():
            value: Any = motion.inputs[name]
            for state, gain in row.items():
                if gain != 0.0:
                    value = value - gain * (_read(channels, state) - steady[state])
            laws[name] = value
        return laws


def _read(channels: Mapping[str, Any], state: str) -> Any:
    """A number or a symbol from the channels of an instant."""
    if state not in channels:
        near = suggestion(state, map(str, channels))
        raise UnknownNameError(f"Regulator: the channels have no {state!r}, from which it acts; {near}")
    try:
        return channels[state] - 0.0
    except TypeError:
        raise ArgumentError(f"Regulator: channel {state!r} is {checks.shown(channels[state])}; give a number") from None


@checks.door(linear=A_LINEARISATION)
def lqr(linear: Linearisation, Q: Any = None, R: Any = None, *, inputs: Any = None) -> Regulator:
    """The linear-quadratic regulator of a linearisation: `lqr(lin, {"roll": 10}, {"steer_torque": 1})`.

    `Q` weighs the states and `R` the inputs: by name (states not named weigh nothing, inputs not named are not used), as
    diagonal or as matrix; one each when left out. `inputs` names those that act. States along the family of steady motions,
    as the speed of a straight ride, are no matter of stability and get no feedback; nor do those of which nothing that weighs
    ever depends, as the place and the heading on a slope.
    """
    import scipy.linalg

    names = linear.input_names
    if inputs is None and isinstance(R, Mapping):
        inputs = tuple(R)
    used = names if inputs is None else checks.names(inputs, "lqr: inputs")
    for name in used:
        if name not in names:
            raise ArgumentError(f"lqr: the linearisation has no input {name!r}: {suggestion(name, names)}")
    if not used:
        raise ArgumentError(f"lqr: {linear.motion.system.name} has no input to act by; give the system an Input")
    weights_x = _matrix(Q, linear.state_names, "Q", "state")
    weights_u = _matrix(R, used, "R", "input")
    if np.linalg.eigvalsh(weights_x)[0] < -1e-12 * max(1.0, float(np.abs(weights_x).max())):
        raise ArgumentError("lqr: Q has a negative eigenvalue; weights of states must not be negative")
    if np.linalg.eigvalsh(weights_u)[0] <= 0.0:
        raise ArgumentError("lqr: R is not positive definite; every input must cost something")
    reduced, basis = linear.essential
    B = basis.T @ linear.B[:, [names.index(name) for name in used]]
    weights = basis.T @ weights_x @ basis
    with checks.arithmetic("lqr"):
        seen, unseen = _seen(reduced, weights)
        if np.linalg.eigvals(unseen.T @ reduced @ unseen).real.max(initial=0.0) > GROWTH * np.abs(reduced).max(initial=1.0):
            raise NumericsError("lqr: Q does not weigh what grows; give every state a weight")
        whole, acting, basis = reduced, B, basis @ seen
        reduced, B, weights = seen.T @ reduced @ seen, seen.T @ B, seen.T @ weights @ seen
        try:
            S = scipy.linalg.solve_continuous_are(reduced, B, weights, weights_u) if len(reduced) else reduced
        except (np.linalg.LinAlgError, ValueError) as error:  # both are said of matrices that are finite and fit together
            raise NumericsError(
                f"lqr: the inputs {', '.join(used)} cannot stabilise this motion, or Q does not weigh what grows ({error}); "
                "name other inputs, or give every state a weight"
            ) from error
        gain = np.linalg.solve(weights_u, B.T @ S)
        terms = (reduced.T @ S, S @ reduced, S @ B @ gain, weights)
        residual = terms[0] + terms[1] - terms[2] + terms[3]
        if not np.abs(residual).max(initial=0.0) <= RESIDUAL * max(float(np.abs(term).max(initial=0.0)) for term in terms):
            raise NumericsError("lqr: the Riccati equation is not solved to six digits; give weights nearer to each other")
        closed = np.linalg.eigvals(whole - acting @ gain @ seen.T)
    order = np.lexsort((-closed.imag, -closed.real))
    return Regulator(linear, tuple(used), gain @ basis.T, basis @ S @ basis.T, np.asarray(closed[order], dtype=complex))


def _seen(A: Vector, weights: Vector) -> tuple[Vector, Vector]:
    """Orthonormal columns: directions of states on which something that weighs depends, now or later, and all others."""
    rates = A / max(float(np.abs(A).max(initial=0.0)), 1.0)
    rows = weights / max(float(np.abs(weights).max(initial=0.0)), np.finfo(float).tiny)
    found = np.zeros((len(A), 0))
    while True:
        _, sizes, turned = np.linalg.svd(rows - rows @ found @ found.T, full_matrices=False)
        new = turned[sizes > UNSEEN].T
        found, others = np.split(
            np.linalg.qr(np.hstack([found, new]), mode="complete")[0], [found.shape[1] + new.shape[1]], axis=1
        )
        if not new.size:
            return found, others
        rows = new.T @ rates


def _matrix(given: Any, names: tuple[str, ...], what: str, kind: str) -> Vector:
    """Weights as a matrix, from names, from a diagonal or as it is."""
    n = len(names)
    if given is None:
        return np.eye(n)
    if isinstance(given, Mapping):
        values = checks.numbers_by_name(given, f"lqr: {what}")
        for name in values:
            if name not in names:
                raise ArgumentError(f"lqr: {what} weighs {name!r}, which is no {kind} here: {suggestion(name, names)}")
        return np.diag([values.get(name, 0.0) for name in names])
    array = checks.floats(given, f"lqr: {what}", dimensions=(0, 1, 2), finite=True)
    if array.ndim < 2:
        array = np.diag(np.broadcast_to(array, n) if array.size == 1 else array)
    if array.shape != (n, n):
        raise ArgumentError(f"lqr: {what} has shape {array.shape}; there are {n} of {', '.join(names)}: give ({n}, {n})")
    if np.abs(array - array.T).max(initial=0.0) > 1e-12 * np.abs(array).max(initial=1.0):
        raise ArgumentError(f"lqr: {what} is not symmetric; give a symmetric matrix")
    return np.asarray(array)
