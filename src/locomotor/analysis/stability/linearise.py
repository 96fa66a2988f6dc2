"""Linearisation about a steady motion, by exact derivatives.

The linear state is (independent essential coordinates, reduced velocities). Coordinates that the contacts tie to the
others are eliminated through the gaps, ignorable ones are left out. Perturbing the values that select the motion within
its family (the speed of straight running, say) gives zero eigenvalues that say nothing about stability: they are
removed from `eigenvalues` and kept in `all_eigenvalues`.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.analysis.stability.chart_model import ChartModel, chart_model
from locomotor.analysis.stability.judgement import STABLE, stability_of
from locomotor.analysis.stability.mode_names import names_of, participation
from locomotor.analysis.stability.state_space import to_statespace
from locomotor.analysis.stability.steady import SteadyMotion, steady_motion
from locomotor.checks import arithmetic, choice, door, either, instance, mapping, names, numbers_by_name, optional
from locomotor.checks import path as checked_path
from locomotor.dataclass import dataclass
from locomotor.model import System, a_system, refuse_dry_friction
from locomotor.typing import Complexes, Vector

FAMILY = 1e-8
"""A direction belongs to the family of steady motions when it changes the rates by less than this, relatively."""


@dataclass(frozen=True, eq=False)
class Linearisation:
    """x_dot = A x + B u for small deviations from a steady motion."""

    motion: SteadyMotion
    coordinate_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    input_names: tuple[str, ...]
    A: Vector
    B: Vector
    mass: Vector
    """Reduced mass matrix at the steady motion."""
    family: Vector
    """Columns: directions along the family of steady motions."""

    @property
    def state_names(self) -> tuple[str, ...]:
        """Order of the linear state."""
        return (*self.coordinate_names, *self.velocity_names)

    def __repr__(self) -> str:
        """The linearisation in one line."""
        about = ", ".join(f"{name}={self.motion[name]:.6g}" for name in self.motion.asked)
        named = [(v, name) for v, name in zip(self.eigenvalues, self.mode_names, strict=True) if v.imag >= 0.0]
        told = ", ".join(
            f"{name + ' ' if name else ''}{v.real:+.4g}{f' ± {v.imag:.4g}i' if v.imag else ''}" for v, name in named
        )
        about = f" about {about}" if about else ""
        return f"<Linearisation of {self.motion.system.name!r}{about}: {self.stability}; eigenvalues {told} 1/s>"

    def _repr_html_(self) -> str:
        """What a notebook shows: eigenvalues and the matrix by name."""
        from locomotor.viewing.report import linearisation_card

        return linearisation_card(self)

    @property
    def damping(self) -> Vector:
        """Matrix C of M v_dot + C v + K r = f."""
        n = len(self.coordinate_names)
        return -self.mass @ self.A[n:, n:]

    @property
    def stiffness(self) -> Vector:
        """Matrix K of M v_dot + C v + K r = f."""
        n = len(self.coordinate_names)
        return -self.mass @ self.A[n:, :n]

    @cached_property
    def essential(self) -> tuple[Vector, Vector]:
        """A on the space of states modulo the family, and the basis of that space (columns)."""
        import scipy.linalg

        if not self.family.shape[1]:
            return self.A, np.eye(len(self.A))
        basis = scipy.linalg.null_space(self.family.T)
        return basis.T @ self.A @ basis, basis

    @cached_property
    def eigenvalues(self) -> Complexes:
        """Eigenvalues that decide stability, largest real part first."""
        return _sorted(np.linalg.eigvals(self.essential[0]))

    @cached_property
    def mode_names(self) -> tuple[str, ...]:
        """The name of each of `eigenvalues`, such as "weave", where the system declares it and the participation says so."""
        values, shares = participation(*self.essential)
        order = _order(values)
        return names_of(self.motion.system, self.state_names, values[order], shares[:, order])

    @cached_property
    def participation(self) -> Vector:
        """(states, modes): how much each state takes part in each mode, columns in the order of `eigenvalues`."""
        values, shares = participation(*self.essential)
        return shares[:, _order(values)]

    @door(inputs=names, outputs=names)
    def to_statespace(self, *, inputs: tuple[str, ...] = (), outputs: tuple[str, ...] = ()) -> Any:
        """x' = A x + B u as a `control.StateSpace` with names, or `scipy.signal.StateSpace` without python-control.

        `outputs` are states; all inputs and all states when left out.
        """
        return to_statespace(self, inputs, outputs)

    @door(kind=choice("poles", "bode"), path=optional(checked_path))
    def plot(self, kind: str = "poles", *, path: Any = None, **options: Any) -> Any:
        """A figure, saved when a path is given: "poles" in the complex plane, or "bode" of `input` and `output`."""
        from locomotor.viewing.plots import plot_linear

        return plot_linear(self, kind, path, **options)

    @cached_property
    def all_eigenvalues(self) -> Complexes:
        """Eigenvalues of A, those along the family included."""
        return _sorted(np.linalg.eigvals(self.A))

    @cached_property
    def modes(self) -> tuple[Complexes, Complexes]:
        """Eigenvalues and eigenvectors of A (columns, in the order of `state_names`)."""
        values, vectors = np.linalg.eig(self.A)
        order = _order(values)
        return values[order], vectors[:, order]

    @property
    def stable(self) -> bool:
        """Whether every deviation dies out; a neutral motion is not stable."""
        return self.stability == STABLE

    @property
    def stability(self) -> str:
        """In a word: "stable", "neutral" (the largest real part of the deciding eigenvalues is round-off) or "unstable"."""
        return str(stability_of(self.eigenvalues))


def _order(values: NDArray[Any]) -> NDArray[np.intp]:
    return np.lexsort((-values.imag, -values.real))


def _sorted(values: NDArray[Any]) -> Complexes:
    return np.asarray(values[_order(values)], dtype=complex)


@door(
    system=a_system,
    about=optional(either(instance(SteadyMotion), mapping)),
    inputs=optional(numbers_by_name),
    solve_for=names,
)
def linearise(
    system: System,
    about: Mapping[str, float] | SteadyMotion | None = None,
    *,
    inputs: Mapping[str, float] | None = None,
    solve_for: tuple[str, ...] = (),
) -> Linearisation:
    """Linearise about a steady motion: given, or found by `steady_motion` from values by name."""
    refuse_dry_friction(system, "linearise")
    motion = about if isinstance(about, SteadyMotion) else steady_motion(system, about, inputs=inputs, solve_for=solve_for)
    with arithmetic(f"{system.name}: the linearisation"):
        return linearise_model(chart_model(system), motion)


def linearise_model(model: ChartModel, motion: SteadyMotion) -> Linearisation:
    """Linearise a chart model about a steady motion of it."""
    model.refuse_time()
    chart = np.array([motion.coordinates[name] for name in model.chart_names])
    velocity = model.leaning(chart, np.array([motion.velocities[name] for name in model.traced.reduction.names]))
    u = np.array([motion.inputs[name] for name in model.input_names])
    point = (chart, velocity, u)
    essential = list(model.essential)
    independent, Z = independent_coordinates(model.slope("gaps", "chart", *point)[:, essential])
    picked = [essential[i] for i in independent]

    def along(out: str, rows: list[int] | slice) -> tuple[Vector, Vector, Vector]:
        of_chart = model.slope(out, "chart", *point)[rows][:, essential] @ Z
        return of_chart, model.slope(out, "velocity", *point)[rows], model.slope(out, "inputs", *point)[rows]

    r_r, r_v, r_u = along("chart_rate", picked)
    v_r, v_v, v_u = along("acceleration", slice(None))
    A, B = np.block([[r_r, r_v], [v_r, v_v]]), np.vstack([r_u, v_u])
    names = tuple(model.chart_names[i] for i in picked)
    speeds = along("velocities", slice(None))
    measured = np.hstack([speeds[0], speeds[1]])
    return Linearisation(
        motion=motion,
        coordinate_names=names,
        velocity_names=model.traced.reduction.names,
        input_names=model.input_names,
        A=A,
        B=B,
        mass=model.evaluate(*point)["mass"],
        family=_family(model, A, measured, names, motion.asked),
    )


def independent_coordinates(slope: Vector) -> tuple[list[int], Vector]:
    """Coordinates left independent by gaps with this slope, and Z with d(all) = Z d(independent)."""
    import scipy.linalg

    n = slope.shape[1]
    if not slope.size:
        return list(range(n)), np.eye(n)
    _, triangle, order = scipy.linalg.qr(slope, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    rank = int((sizes > 1e-9 * max(float(sizes.max()), 1e-300)).sum())
    dependent, independent = [int(i) for i in order[:rank]], sorted(int(i) for i in order[rank:])
    Z = np.zeros((n, len(independent)))
    Z[independent, range(len(independent))] = 1.0
    Z[dependent] = -np.linalg.lstsq(slope[:, dependent], slope[:, independent], rcond=None)[0]
    return independent, Z


def _family(model: ChartModel, A: Vector, measured: Vector, coordinates: tuple[str, ...], asked: tuple[str, ...]) -> Vector:
    """Directions that leave the motion steady and change the values that were asked for."""
    n = len(A)
    rows = []
    for name in asked:
        if name in model.velocity_names:
            rows.append(measured[model.velocity_names.index(name)])
        elif name in coordinates:
            rows.append(np.eye(n)[coordinates.index(name)])
    if not rows:
        return np.zeros((n, 0))
    _, sizes, right = np.linalg.svd(A)
    kernel = right[sizes <= FAMILY * max(float(sizes[0]), 1e-300)].T
    _, effect, combination = np.linalg.svd(np.array(rows) @ kernel)
    count = int((effect > FAMILY).sum())
    return np.asarray(kernel @ combination[:count].T)
