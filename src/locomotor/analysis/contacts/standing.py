"""What keeps contacts where they are: conditions on torques while bodies stand, and on velocities before a leg strikes.

Contacts S shall hold, contacts B shall leave. While all of S stick, H the rows of their normals and tangents,

    M a = h + T u + H^T r,      H a + f = 0,      r = -(H M^-1 H^T)^-1 (H M^-1 (h + T u) + f),

and they do hold if r_N > 0 and |r_T| < mu r_N, while B leaves if its gaps accelerate, N a + f_B > 0: linear in u. For an
inelastic impact r are impulses, h = M v with the velocities v before, and f = 0: linear in v (Génot 1998, chapter III).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from locomotor.checks import door, floats, mapping, names, number, optional
from locomotor.complementarity import symmetric
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, DefinitenessError, InconsistentStartError, MatrixShapeError, UnknownNameError
from locomotor.model import System, a_system
from locomotor.names import suggestion
from locomotor.simulation import compile_system
from locomotor.tracing.contacts import support_rows, switching_of
from locomotor.typing import Floats

TOUCHES = 1e-6
"""Gap or depth (m) up to which a contact touches in a pose given by numbers."""
MASSLESS = 1e-14
"""A mass matrix whose rows and columns have a diagonal of 1 is singular with an eigenvalue below this."""
DEPENDENT = 1e-12
"""Contacts depend on each other where their Delassus matrix has an eigenvalue below this share of the largest."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """Linear conditions, matrix x + offset > 0, each with its name; x are torques or velocities."""

    matrix: Floats
    offset: Floats
    names: tuple[str, ...]
    variables: tuple[str, ...] = ()
    """Names of x, where they are velocities of a system."""

    def margins(self, x: Any) -> Floats:
        """What each condition has left, positive where it holds; for one x or for rows of them."""
        given, n = floats(x, "Conditions: x", finite=True), self.matrix.shape[1]
        if given.shape[-1:] != (n,):
            named = f" ({', '.join(self.variables)})" if self.variables else ""
            raise MatrixShapeError(f"Conditions: x has shape {given.shape}; give {n} numbers{named}, or rows of them")
        return np.asarray(given @ self.matrix.T + self.offset)

    def hold(self, x: Any) -> Any:
        """Whether all hold; for rows of x an array."""
        return (self.margins(x) > 0.0).all(axis=-1)

    def inside(self, largest: float = 1.0) -> Floats | None:
        """An x of at most this size, entry by entry, that is deepest inside all conditions; None where there is none."""
        from scipy.optimize import linprog

        count, n = self.matrix.shape
        size = np.maximum(np.linalg.norm(self.matrix, axis=1), 1e-300)
        rows = np.column_stack([-self.matrix, size])
        found = linprog([*([0.0] * n), -1.0], rows, self.offset, bounds=[*[(-largest, largest)] * n, (None, None)])
        return np.asarray(found.x[:n]) if found.x is not None and found.x[-1] > 0.0 and count else None


_floats = partial(floats, finite=True)
_matrix = partial(floats, finite=True, dimensions=(2,))
_vector = partial(floats, finite=True, dimensions=(1,))


@door(
    mass=_matrix,
    forces=_vector,
    actuation=_matrix,
    normals=_matrix,
    tangents=_matrix,
    friction=_vector,
    turning=optional(_vector),
    leaving=optional(_matrix),
    leaving_turning=optional(_vector),
)
def holding_torques(
    mass: Any,
    forces: Any,
    actuation: Any,
    normals: Any,
    tangents: Any,
    friction: Any,
    *,
    turning: Any = None,
    leaving: Any = None,
    leaving_turning: Any = None,
) -> Conditions:
    """Torques u with which contacts hold without slipping, and others leave, while a system is at rest at its contacts.

    Args:
        mass: M.
        forces: h, everything in M a = h + T u + ... but actuators and contacts.
        actuation: T, a column for each actuator.
        normals: rows of the normals of the contacts that hold.
        tangents: their rows along the ground, one a contact (contacts in the plane).
        friction: mu, one for each.
        turning: f of the normals, then of the tangents: accelerations of the rows at a = 0; zero without it.
        leaving: rows of the normals of contacts that shall leave.
        leaving_turning: f of these.
    """
    H, B = _rows("holding_torques", mass, normals, tangents, friction, leaving)
    for what, vector, size in (
        ("forces", forces, len(mass)),
        ("turning", turning, len(H)),
        ("leaving_turning", leaving_turning, len(B)),
    ):
        if vector is not None and len(vector) != size:
            raise MatrixShapeError(f"holding_torques: {what} has {len(vector)} numbers; give {size}")
    if actuation.shape[0] != len(mass):
        raise MatrixShapeError(f"holding_torques: actuation has shape {actuation.shape}; give {len(mass)} rows")
    f = np.zeros(len(H)) if turning is None else turning
    f_leaving = np.zeros(len(B)) if leaving_turning is None else leaving_turning
    both = np.column_stack([actuation, forces])  # the last column is what there is without torques
    free = np.linalg.solve(mass, both)
    right = H @ free
    right[:, -1] += f
    r = -_solve("holding_torques", mass, H, right)
    a = free + np.linalg.solve(mass, H.T @ r)
    gaps = B @ a
    gaps[:, -1] += f_leaving
    return _conditions(r, gaps, friction)


@door(mass=_matrix, normals=_matrix, tangents=_matrix, friction=_vector, leaving=optional(_matrix))
def holding_velocities(mass: Any, normals: Any, tangents: Any, friction: Any, *, leaving: Any = None) -> Conditions:
    """Velocities v before an inelastic impact after which the contacts that strike stick, and others leave.

    Arguments as in `holding_torques`. Conditions named "strikes" say that there is an impact at all. They are homogeneous: with
    v any multiple of it holds too.
    """
    H, B = _rows("holding_velocities", mass, normals, tangents, friction, leaving)
    L = -_solve("holding_velocities", mass, H, H)
    gaps = B + B @ np.linalg.solve(mass, H.T @ L)
    found = _conditions(np.column_stack([L, np.zeros(len(L))]), np.column_stack([gaps, np.zeros(len(gaps))]), friction)
    names = tuple(f"strikes {k}" for k in range(len(normals)))
    return Conditions(
        np.vstack([found.matrix, -normals]), np.append(found.offset, np.zeros(len(normals))), (*found.names, *names)
    )


@door(system=a_system, pose=mapping, strikes=names, leaves=names, friction=optional(partial(number, least=0.0)))
def striking_velocities(
    system: System, pose: Mapping[str, float], strikes: Any, *, leaves: Any = (), friction: float | None = None
) -> Conditions:
    """`holding_velocities` of a system in a pose: contacts that strike stick, those in `leaves`, closed before, open.

    For systems in the plane, whose contacts have one direction along the ground.

    Args:
        system: what moves; its contacts may open.
        pose: coordinates by name; others are zero, or nominal.
        strikes: names of the contacts that strike and shall stick.
        leaves: names of contacts that shall leave.
        friction: coefficient of the contacts that strike, instead of their own.
    """
    known = [entry.name for entry in switching_of(system)]
    for name in (*strikes, *leaves):
        if name not in known:
            raise UnknownNameError(f"striking_velocities: no contact named {name!r} may open: {suggestion(name, known)}")
    if both := [name for name in strikes if name in leaves]:
        raise ArgumentError(f"striking_velocities: contact {both[0]!r} strikes and leaves; name it in one of them")
    flight, function, sizes = support_rows(system)
    compiled = compile_system(flight.system)
    x = compiled.start(pose)
    M, C, gap = function(np.zeros(1), x, np.zeros(len(compiled.input_names)), compiled.default_parameters)
    first = dict(zip(known, np.cumsum((0, *sizes[:-1])).tolist(), strict=True))
    wrong = [name for name in strikes if sizes[known.index(name)] != 2]
    if wrong:
        raise ArgumentError(
            f"striking_velocities: contact {wrong[0]!r} has {sizes[known.index(wrong[0])] - 1} directions along the "
            "ground; this is for systems in the plane, which have one"
        )
    for name in (*strikes, *leaves):
        if abs(apart := float(gap[known.index(name)])) > TOUCHES:
            where = "above" if apart > 0.0 else "inside"
            raise InconsistentStartError(
                f"striking_velocities: contact {name!r} is {abs(apart):.3g} m {where} its ground in the pose given; give "
                "one in which it touches: nothing is assembled here"
            )
    values = system.parameters.values
    laws = {entry.name: entry.law for entry in switching_of(system)}
    mu = [float(laws[name].friction_at(values)) if friction is None else friction for name in strikes]
    found = holding_velocities(
        M,
        C[[first[name] for name in strikes]],
        C[[first[name] + 1 for name in strikes]],
        mu,
        leaving=C[[first[name] for name in leaves]] if leaves else None,
    )
    velocities = flight.system.layout.velocities
    return replace(found, variables=tuple(velocities[i].name for i in flight.reduction.free))


def _rows(
    owner: str, mass: Floats, normals: Floats, tangents: Floats, friction: Floats, leaving: Floats | None
) -> tuple[Floats, Floats]:
    """Rows of the contacts that hold, and of those that leave, if all sizes fit."""
    n = len(mass)
    if mass.shape != (n, n):
        raise MatrixShapeError(f"{owner}: mass has shape {mass.shape}; give a square matrix, of shape (n, n)")
    _check_mass(owner, mass)
    B = np.zeros((0, n)) if leaving is None else leaving
    for what, rows in (("normals", normals), ("tangents", tangents), ("leaving", B)):
        if rows.shape[1] != n:
            raise MatrixShapeError(f"{owner}: {what} has shape {rows.shape}; give {n} columns, as many as masses")
    if not len(normals) == len(tangents) == len(friction):
        raise MatrixShapeError(
            f"{owner}: {len(normals)} normals, {len(tangents)} tangents and {len(friction)} coefficients of friction; give one "
            "of each for every contact that holds"
        )
    if (friction < 0.0).any():
        raise ArgumentError(f"{owner}: friction is {friction.min():g}; give zero or positive numbers")
    return np.vstack([normals, tangents]), B


def _check_mass(owner: str, mass: Floats) -> None:
    """A mass matrix is symmetric and positive definite."""
    symmetric(mass, f"{owner}: mass", "a mass matrix is symmetric")
    least = float(np.diag(mass).min(initial=np.inf))
    if least > 0.0:
        by = 1.0 / np.sqrt(np.diag(mass))
        values = np.linalg.eigvalsh(by[:, None] * mass * by) if len(mass) else np.ones(1)
        if values[0] > MASSLESS:
            return
        least = float(np.linalg.eigvalsh(mass)[0])
    raise DefinitenessError(
        f"{owner}: mass is not positive definite (it has an entry on its diagonal, or an eigenvalue, of {least:.3g}); give "
        "every velocity a positive mass, or leave out those that have none"
    )


def _solve(owner: str, mass: Floats, H: Floats, right: Floats) -> Floats:
    """W^-1 right; W is regular where no row of the contacts follows from the others (Génot 1998, proposition III.1)."""
    W = H @ np.linalg.solve(mass, H.T)
    values = np.linalg.eigvalsh(0.5 * (W + W.T)) if len(W) else np.ones(1)
    if values[0] <= DEPENDENT * values[-1]:
        raise ArgumentError(
            f"{owner}: normals and tangents of the contacts depend on each other, so that their forces are not determined; "
            "hold fewer contacts, or give the system more freedom"
        )
    return np.asarray(np.linalg.solve(W, right)) if len(W) else right


def _conditions(r: Floats, gaps: Floats, friction: Floats) -> Conditions:
    """Forces (the last column their constant part) that push within friction, and gaps that open."""
    count = len(friction)
    normal, tangential = r[:count], r[count:]
    widths = friction[:, None] * normal
    rows = np.vstack([normal, widths + tangential, widths - tangential, gaps])
    words = ("pushes", "slips back", "slips on")
    names = [f"{word} {k}" for word in words for k in range(count)] + [f"leaves {k}" for k in range(len(gaps))]
    return Conditions(rows[:, :-1], rows[:, -1], tuple(name.replace("slips", "does not slip") for name in names))
