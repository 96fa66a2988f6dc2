"""Which class of the theory a system belongs to: counts, rank, kinematic or dynamic, and why, in words.

With n velocities of the base, s_p passive and s_a active joint velocities, C = (A, B_p, B_a) the constraint rows,

    m = rank C,    m0 = rank (A, B_p),    n + s_p - m0 free velocities,    m - m0 internal forces that move nothing

(Belkhiri 2013, table 3.1). Under-constrained is m0 < n + s_p, fully constrained m = m0 = n + s_p, and over-constrained
m > m0 = n + s_p; without passive joints this is rank A compared with n and m (Mauny 2018, section 1.5.2).
"""

from collections.abc import Callable, Sequence
from dataclasses import field

import numpy as np

from locomotor.analysis.connections.shape_joints import active_joints, connection_kind, shape_functions
from locomotor.checks import door
from locomotor.dataclass import dataclass
from locomotor.errors import NoConnectionError
from locomotor.mechanics import ReducedMotion, Reduction, choose_reduction, sample_poses
from locomotor.model import Coupling, System, a_system, evaluate
from locomotor.tracing.readings import ShapeFunctions
from locomotor.typing import Flags, Floats

RANK = 1e-8
SINGULAR = 1e-5
SAME = 1e-3
"""Shapes nearer to each other than this are one."""
SPREADS = (0.8, 0.8, 0.8, 1.6, 1.6, 1.6)
"""Sizes of the random displacements from which singular shapes are searched for."""
UNIFORM = (0.0, 0.5)
"""Shapes with all joints equal that are tried."""
MOST_SEARCHED = 12
"""Joints over which singular shapes are searched for; of longer chains only symmetric shapes are tried."""


@dataclass(frozen=True)
class Classification:
    """Counts and class of a system; `print` it to read them."""

    system: str
    n: int
    """Number of velocities of the base."""
    s_passive: int
    s_active: int
    m: int
    """Number of independent constraints."""
    m0: int
    """Rank of the constraints on everything that is not active."""
    rank_base: int
    """Rank of the constraints on the base alone."""
    kind: str
    """unconstrained, under-constrained, fully constrained or over-constrained."""
    kinematic: bool
    """Whether the shape alone determines the motion: through the constraints (H = 0) or, from rest, through a connection."""
    connection: str
    """Kind of the connection: kinematic, mechanical, hydrodynamic, stokes, mixed; empty where there is none."""
    passive_kinematic: tuple[str, ...]
    """Passive joints, and deformations of soft bodies, that follow the active joints."""
    passive_dynamic: tuple[str, ...]
    """Passive joints, and deformations of soft bodies, with dynamics of their own."""
    free: tuple[str, ...]
    """Velocities left free by the constraints."""
    mobility: int
    """Dimension of all admissible velocities."""
    singular_shapes: tuple[dict[str, float], ...]
    """Shapes where the constraints lose rank, found by search."""
    reasons: tuple[str, ...] = field(repr=False)

    @property
    def internal_forces(self) -> int:
        """Constraint forces that move nothing (dimension of lambda_stat)."""
        return self.m - self.m0

    @property
    def has_static_forces(self) -> bool:
        """Whether there are internal forces lambda_stat, which move nothing."""
        return self.m > self.m0

    @property
    def has_kernel(self) -> bool:
        """Whether constraints leave velocities free, so that a kernel H exists."""
        return self.n + self.s_passive > self.m0

    def __str__(self) -> str:
        """The classification in words."""
        head = f"{self.system}: {self.kind}, {'kinematic' if self.kinematic else 'dynamic'}"
        counts = (
            f"n = {self.n}, s_p = {self.s_passive}, s_a = {self.s_active}, m = {self.m}, m0 = {self.m0}, "
            f"rank A = {self.rank_base}, mobility {self.mobility}"
        )
        return "\n".join([head, f"  {counts}", *(f"  {reason}" for reason in self.reasons)])


@door(system=a_system)
def classify(system: System, joints: Sequence[str] | None = None) -> Classification:
    """Classify a system; `joints` are the active ones (by default all that are imposed or have an input)."""
    active = active_joints(system, joints, "classify")
    functions = shape_functions(system, active) if active else ShapeFunctions(system, choose_reduction(system))
    driven, reduction = functions.system, functions.reduction
    layout = driven.layout
    active = [joint.name for joint in driven.imposed]
    base = layout.v[driven.joints[0].name]
    base_columns = list(range(base.start, base.stop))
    active_columns = [layout.v[name].start for name in active]
    passive_columns = [i for i in range(layout.nv) if i not in base_columns and i not in active_columns]
    matrix_at = _matrix_function(functions)
    matrices = [matrix_at(pose) for pose in sample_poses(driven, None, tuple(active_columns))]
    m = max(_rank(C) for C in matrices)
    m0 = max(_rank(C[:, base_columns + passive_columns]) for C in matrices)
    rank_base = max(_rank(C[:, base_columns]) for C in matrices)
    n, s_p = len(base_columns), len(passive_columns)
    names = [symbol.name for symbol in layout.velocities]
    moved_freely = _moved_by_free(driven, reduction)
    passive = {joint.name: layout.v[joint.name].start for joint in driven.joints[1:] if joint.nv}
    for body in driven.bodies:  # what bends by itself is passive as well
        passive |= {symbol.name: layout.v[body.name].start + k for k, symbol in enumerate(body.coordinates)}
    passive = {name: column for name, column in passive.items() if column in passive_columns}
    dynamic = tuple(name for name, column in passive.items() if moved_freely[column])
    kinematic_joints = tuple(name for name, column in passive.items() if not moved_freely[column])
    singular = _singular_shapes(driven, matrix_at, base_columns + passive_columns, m0)
    kind = _kind(n + s_p, m, m0)
    connection, because = _connection(functions)
    facts = _Facts(n, s_p, len(active), m, m0, kind, connection, because)
    return Classification(
        system=system.name,
        n=n,
        s_passive=s_p,
        s_active=len(active),
        m=m,
        m0=m0,
        rank_base=rank_base,
        kind=kind,
        kinematic=facts.kinematic,
        connection=connection,
        passive_kinematic=kinematic_joints,
        passive_dynamic=dynamic,
        free=tuple(names[i] for i in reduction.free),
        mobility=layout.nv - m,
        singular_shapes=singular,
        reasons=_reasons(facts, kinematic_joints, dynamic, singular),
    )


def _matrix_function(functions: ShapeFunctions) -> Callable[[Floats], Floats]:
    """Constraint matrix as a function of the coordinates."""
    system = functions.system
    if not system.holds:
        return lambda pose: np.zeros((0, system.layout.nv))
    traced = functions.constraints()
    return lambda pose: traced(pose)[0]


def _rank(matrix: Floats) -> int:
    if not matrix.size:
        return 0
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int((sizes > RANK * max(float(sizes[0]), 1e-300)).sum()) if sizes[0] > RANK else 0


def _moved_by_free(system: System, reduction: Reduction) -> Flags:
    """For each velocity whether the free velocities move it, at some pose."""
    moved = np.zeros(system.layout.nv, dtype=bool)
    for pose in sample_poses(system, None, reduction.imposed)[:3]:
        H = np.asarray(ReducedMotion(reduction, pose, np.zeros(len(reduction.free))).H_r, dtype=float)
        moved |= (np.abs(H) > 1e-9).any(axis=1) if H.size else False
    return moved


def _kind(unknown: int, m: int, m0: int) -> str:
    """Class by the number of unknown velocities n + s_p and the ranks."""
    if m == 0:
        return "unconstrained"
    if m0 < unknown:
        return "under-constrained"
    return "fully constrained" if m == m0 else "over-constrained"


def _singular_shapes(
    system: System, matrix_at: Callable[[Floats], Floats], columns: list[int], full: int
) -> tuple[dict[str, float], ...]:
    """Shapes at which the rank of the constraints drops, by minimising the smallest singular value that matters."""
    places = [system.layout.q[joint.name].start for joint in system.joints[1:] if joint.nq == 1 and joint.nv == 1]
    if not full or not places:
        return ()
    nominal = system.nominal_pose()
    names = [symbol.name for symbol in system.layout.coordinates]
    couplings = [constraint.position for constraint in system.constraints if isinstance(constraint, Coupling)]

    def posed(r: Floats) -> Floats:
        pose = nominal.copy()
        pose[places] = r
        return pose

    def weakest(r: Floats) -> float:
        """The singular value that matters, relative to the largest; shapes that break a coupling do not count."""
        pose = posed(r)
        sizes = np.linalg.svd(matrix_at(pose)[:, columns], compute_uv=False)
        values = {**system.parameters.values, **dict(zip(names, pose.tolist(), strict=True))}
        broken = sum(float(evaluate(position, values)) ** 2 for position in couplings)
        return float(sizes[full - 1] / max(float(sizes[0]), 1e-300)) + broken

    here = nominal[places]
    influential = [k for k in range(len(places)) if abs(weakest(here + 0.4 * np.eye(len(places))[k]) - weakest(here)) > 1e-9]
    if not influential:
        return ()
    generator = np.random.default_rng(7)
    # Symmetric shapes first: there ranks drop most often.
    starts = [here, *(_uniform(here, influential, value) for value in UNIFORM)]
    starts += [here + generator.uniform(-1.0, 1.0, len(places)) * size for size in SPREADS]
    found: list[dict[str, float]] = []
    for first in starts:
        best = first
        if weakest(first) >= SINGULAR and len(influential) <= MOST_SEARCHED:
            best = _descend(weakest, first, influential)
        if weakest(best) < SINGULAR and np.abs(best[influential]).max() < np.pi:
            shape = {names[places[k]]: round(float(best[k]), 6) + 0.0 for k in influential}
            if not any(all(abs(shape[name] - other[name]) < SAME for name in shape) for other in found):
                found.append(shape)
    return tuple(found[:3])


def _uniform(shape: Floats, which: list[int], value: float) -> Floats:
    result = shape.copy()
    result[which] = value
    return result


def _descend(weakest: Callable[[Floats], float], first: Floats, which: list[int]) -> Floats:
    """The shape with the smallest value near a first one, other joints staying."""
    from scipy.optimize import minimize

    def along(x: Floats) -> float:
        shape = first.copy()
        shape[which] = x
        return weakest(shape)

    found = minimize(along, first[which], method="Nelder-Mead", options={"maxfev": 400, "xatol": 1e-9})
    result = first.copy()
    result[which] = found.x
    return result


@dataclass(frozen=True)
class _Facts:
    """What the reasons are made of."""

    n: int
    s_p: int
    s_a: int
    m: int
    m0: int
    kind: str
    connection: str
    because: str

    @property
    def free(self) -> int:
        """Number of velocities of base and passive joints that the constraints leave free."""
        return self.n + self.s_p - self.m0

    @property
    def kinematic(self) -> bool:
        """Whether the shape alone determines the motion."""
        return self.free == 0 or self.connection in BY_BALANCE


BY_BALANCE = {
    "mechanical": "from rest the momentum stays zero, which determines the base from the shape",
    "hydrodynamic": "from rest the momentum of body and fluid stays zero, which determines the base from the shape",
    "stokes": "drags dominate, and their balance determines the base from the shape",
}
"""Connections of systems without constraints, and how they determine the base (Belkhiri 2013, table 2.1)."""


def _connection(functions: ShapeFunctions) -> tuple[str, str]:
    """Kind of the connection and why, or why there is none."""
    if not functions.reduction.imposed:
        return "", "no joint is active"
    try:
        return connection_kind(functions, None)
    except NoConnectionError as error:
        return "", str(error).split(": ", 1)[-1].split(";")[0]


def _reasons(
    facts: _Facts, kinematic_joints: tuple[str, ...], dynamic: tuple[str, ...], singular: tuple[dict[str, float], ...]
) -> tuple[str, ...]:
    n, s_p, m, m0 = facts.n, facts.s_p, facts.m, facts.m0
    unknown = _count(n + s_p, "velocity", "velocities")
    reasons = []
    if m == 0:
        reasons.append(f"no constraint acts: {facts.because}")
    elif facts.free:
        reasons.append(f"{facts.kind} because the constraints bind {m0} of the {unknown} that are not active")
    else:
        constraints = _count(m, "independent constraint binds", "independent constraints bind")
        reasons.append(f"{facts.kind} because {constraints} all {unknown} that are not active")
    if not facts.free:
        reasons.append("kinematic because the active joints determine every other velocity (H = 0)")
    elif facts.kinematic:
        reasons.append(
            f"kinematic because {BY_BALANCE[facts.connection]} ({_article(facts.connection)} connection, H is not zero)"
        )
    else:
        stays = "stays" if facts.free == 1 else "stay"
        reasons.append(f"dynamic because {facts.free} of the {n + s_p} unknown velocities {stays} free (H is not zero)")
    if m > m0:
        forces = _count(m - m0, "internal force moves", "internal forces move")
        conditions = _count(m - m0, "condition binds", "conditions bind")
        joints = _count(facts.s_a, "active joint", "active joints")
        reasons.append(f"{forces} nothing (lambda_stat is not zero), and {conditions} the {joints}")
    if kinematic_joints:
        reasons.append(f"kinematically passive: {', '.join(kinematic_joints)}")
    if dynamic:
        reasons.append(f"passive with dynamics of their own: {', '.join(dynamic)}")
    # Shapes that read alike are told once.
    reasons += dict.fromkeys(f"the constraints lose rank at {_words(shape)}" for shape in singular)
    return tuple(reasons)


def _article(connection: str) -> str:
    return "a Stokes" if connection == "stokes" else f"a {connection}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _words(shape: dict[str, float]) -> str:
    """A shape in words, those of long chains in brief."""
    first, *others = shape.items()
    if len(others) > 1 and all(abs(value - first[1]) < SINGULAR for _, value in others):
        return f"{first[0]} ... {others[-1][0]} = {first[1]:.3g}, all equal"
    return ", ".join(f"{name} = {value:.3g}" for name, value in shape.items())
