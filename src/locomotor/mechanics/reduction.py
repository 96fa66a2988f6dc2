"""The choices behind a reduced model (docs/theory.md (E1)), made once, on numbers: pivots, velocities kept, cyclic joints."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.errors import AssemblyError, ModelError
from locomotor.mechanics.chart import assembled, gaps, mirrored, perturbed, settled
from locomotor.mechanics.constraints import (
    ACCEPTABLE,
    ROUND_OFF,
    ConstraintSet,
    Elimination,
    FormulaRow,
    Pivots,
    blocked,
    choose_pivots,
    constraint_set,
)
from locomotor.mechanics.loads import imposed_joints
from locomotor.mechanics.tree import Instant, check_regular, cyclic_joints, forward
from locomotor.model import System
from locomotor.model.contacts import Support
from locomotor.typing import Floats

SAMPLES = 6
SPREADS = (0.3, 0.03, 0.003)
"""How far (m, rad) samples are around a pose; the nearer ones where a run has come to one, and no pivot lasts farther."""
NEARER = (3e-4, 3e-5)
"""The same on sharp supports, where all of these have failed: a short chord of a disc is none a millimetre farther on."""
FEEBLE = 0.05
"""A pivot that is smaller than this share of its row, where a run has come to, is all but gone: nearer ones choose better."""
WHILE = 1e-4
"""Time (s) from one sample to the next: a row that only passes through zero is not taken for one that is always zero."""


@dataclass(frozen=True)
class Reduction:
    """The static choices behind a reduced model: pivots, which velocities are kept, which joints are cyclic."""

    system: System
    pivots: Pivots
    free: tuple[int, ...]
    """Velocities kept as reduced velocities."""
    imposed: tuple[int, ...]
    """Velocities imposed by a motion law."""
    still: frozenset[str]
    holonomic: tuple[int, ...]
    """Conditions (gaps of contacts, then couplings) that are independent of each other on the coordinates."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the reduced velocities."""
        return tuple(self.system.layout.velocities[i].name for i in self.free)


def choose_reduction(
    system: System, about: Floats | None = None, free_parameters: tuple[str, ...] = (), time: float = 0.0
) -> Reduction:
    """Choose pivots around a pose (the nominal one by default), for constraints as they are from an instant on."""
    layout = system.layout
    still = cyclic_joints(system, free_parameters)
    imposed = tuple(layout.v[joint.name].start for joint in imposed_joints(system))
    if not system.holds:
        free = tuple(i for i in range(layout.nv) if i not in imposed)
        ordered = (*free, *imposed)
        check_regular(system, system.nominal_pose() if about is None else about, np.eye(layout.nv)[:, list(free)], free)
        return Reduction(system, Pivots((), ordered, (), ()), free, imposed, still, ())
    if not layout.nv:
        raise ModelError(
            f"system {system.name!r}: nothing of it moves, so that contacts, constraints and loops have nothing to hold; "
            "remove them, or give it a joint that moves"
        )
    found: Reduction | None = None
    spreads: tuple[float, ...] = SPREADS if about is not None else SPREADS[:1]
    if about is not None and any(isinstance(ground, Support) for ground in system.grounds):
        spreads = (*SPREADS, *NEARER)
    for spread in spreads:
        if found is not None and spread in NEARER:
            break
        try:
            tried = _reduction_within(spread, system, about, time, still, imposed)
        except ModelError:
            if found is None and spread == spreads[-1]:
                raise
            continue  # a small wheel on an edge has quite other rows a little farther on
        found = tried if found is None or tried.pivots.least > found.pivots.least else found
        if found.pivots.least >= FEEBLE:
            break
    assert found is not None
    return found


def _reduction_within(
    spread: float, system: System, about: Floats | None, time: float, still: frozenset[str], imposed: tuple[int, ...]
) -> Reduction:
    """Pivots that are safe at a pose and at some so far around it."""
    layout = system.layout
    keep = [layout.index_v(name) for name in system.independent or ()]
    generator = np.random.default_rng(3)
    with np.errstate(divide="ignore", invalid="ignore"):  # `_check_places` says what that means
        sets = [
            constraint_set(
                forward(Instant(system, pose, generator.uniform(-1.0, 1.0, layout.nv), time + k * WHILE, still=still))
            )
            for k, pose in enumerate(sample_poses(system, about, imposed, time, spread))
        ]
    _check_places(sets[0])
    void = _void_rows(sets)
    size = sets[0].substructure.size
    samples = np.array([_dense(found.sparse, size) for found in sets])
    names = [symbol.name for symbol in layout.velocities]
    stages = sets[0].substructure.stages(system)
    # At the start pivots serve far around, and sparse ones are quick; where they have failed, or in contact, firm ones last.
    given = (samples, keep, imposed, sets[0].labels, names, stages, size - layout.nv, void.tolist())
    pivots = choose_pivots(*given, firmest=about is not None)
    if system.loops:
        # At the start blocks serve the whole way round; where they have failed, what is larger there does.
        enough = ACCEPTABLE if about is None else 1.0
        pivots = blocked(pivots, sets[0].together, [found.sparse for found in sets], enough)
    # Keep the declared order of the independent velocities, imposed ones last.
    left = [i for i in pivots.independent if i not in imposed]
    free = (*(i for i in keep if i in left), *(i for i in left if i not in keep))
    pivots = replace(pivots, independent=(*free, *imposed))
    H = _check_kernel(sets[0], pivots, len(free))
    check_regular(system, np.asarray(sets[0].kinematics.instant.q, dtype=float), H, free)
    gap_rates = np.array([[condition.normal_row for condition in found.conditions] for found in sets], dtype=float)
    return Reduction(system, pivots, free, imposed, still, _independent_gaps(gap_rates, imposed))


def _check_places(found: ConstraintSet) -> None:
    """A contact that touches nowhere in particular in the pose around which pivots are chosen is refused by name."""
    for condition in found.conditions:
        if not np.isfinite(np.asarray([condition.gap, *condition.normal_row], dtype=float)).all():
            raise ModelError(
                f"{found.kinematics.instant.system.name}: {condition.name!r} touches nowhere in particular in this pose, as a "
                "disc that lies flat on its plane; give the system another nominal pose, nominal={...}"
            )


def _void_rows(sets: Sequence[ConstraintSet]) -> NDArray[np.intp]:
    """Rows that block nothing: they leave every velocity alone, whatever it is."""
    asked = np.zeros((len(sets), len(sets[0].labels)))
    for k, found in enumerate(sets):
        asked[k, list(found.right)] = list(found.right.values())
    void = np.flatnonzero(np.abs([found.slip for found in sets] + asked).max(axis=0) <= ROUND_OFF)
    for i in void:
        if np.abs(asked[:, i]).max() > ROUND_OFF:
            raise ModelError(
                f"{sets[0].kinematics.instant.system.name}: the constraint {sets[0].labels[i]!r} binds no velocity around this "
                f"pose, and asks for {asked[np.abs(asked[:, i]).argmax(), i]:.3g}; give it coefficients that do not vanish"
            )
        _refuse_empty(sets[0], int(i))
    return void


def _refuse_empty(found: ConstraintSet, row: int) -> None:
    """A formula, or a gear, that says 0 = 0 whatever moves: rows of joints may, where the others already keep a plane."""
    first = len(found.labels) - len(found.singles)
    single = found.singles[row - first] if row >= first else None
    if isinstance(single, FormulaRow) or (single is not None and not single.is_holonomic and len(single.closure.ROWS) == 1):
        raise ModelError(
            f"{found.kinematics.instant.system.name}: {single.name!r} says 0 = 0, whatever moves; give it coefficients, or an "
            "axis about which its bodies turn, or leave it out"
        )


def _check_kernel(found: ConstraintSet, pivots: Pivots, free: int) -> Floats:
    """The kernel; a choice of pivots whose kernel does not satisfy every row is refused: such a model would slip in silence."""
    nv = found.kinematics.instant.system.layout.nv
    elimination = Elimination(found.sparse, pivots)
    H = np.asarray(elimination.kernel(nv, pivots.independent[:free]), dtype=float)
    C = np.asarray(found.matrix, dtype=float)
    slips = np.abs(C @ H).max(axis=1, initial=0.0)
    if slips.max(initial=0.0) > 1e-7 * max(1.0, float(np.abs(C).max()) * float(np.abs(H).max(initial=0.0))):
        row = found.labels[int(slips.argmax())]
        raise ModelError(
            f"{found.kinematics.instant.system.name}: no safe choice of independent velocities was found around this pose: "
            f"row {row!r} would move by {slips.max():.2g} per unit velocity; choose another nominal pose, or fewer contacts"
        )
    return H


def _dense(rows: list[dict[int, Any]], size: int) -> Floats:
    matrix = np.zeros((len(rows), size))
    for i, row in enumerate(rows):
        for j, value in row.items():
            matrix[i, j] = value
    return matrix


def sample_poses(
    system: System, about: Floats | None, imposed: tuple[int, ...], time: float = 0.0, spread: float = SPREADS[0]
) -> list[Floats]:
    """A pose and some around it, all with its gaps: what a motion that starts there can reach.

    Elsewhere rows that depend on each other (the fourth wheel of a wagon) would look independent. The nominal pose is
    brought to closed gaps first.
    """
    q = system.nominal_pose() if about is None else about
    found = gaps(system, q, time)[0]
    wanted = np.zeros(len(found)) if about is None else found
    first = settled(system, q, wanted, imposed, time)
    if first is not None and about is None and mirrored(system, first, time):
        first = None
    if first is None and system.loops and about is None:
        first = _with_closed_loops(system, q, imposed, time)
        wanted = gaps(system, first, time)[0]
    if first is None:
        first, wanted = q, gaps(system, q, time)[0]
    generator = np.random.default_rng(0)
    tried = (settled(system, perturbed(system, first, spread, generator), wanted, imposed, time) for _ in range(SAMPLES))
    return [first, *(pose for pose in tried if pose is not None)]


def _with_closed_loops(system: System, q: Floats, imposed: tuple[int, ...], time: float) -> Floats:
    """The pose near q with everything closed or, where that cannot be, all that never opens: feet that take turns."""
    held = [contact for contact in system.contacts if not contact.law.switches]
    try:
        return assembled(system, q, imposed, time)
    except AssemblyError:
        if len(held) == len(system.contacts):
            raise
        return assembled(system.replace(contacts=held), q, imposed, time)


def _independent_gaps(gap_rates: Floats, imposed: tuple[int, ...]) -> tuple[int, ...]:
    """Contacts, in order, whose gap rates (samples, contacts, velocities) add to the rank at every sample."""
    if not gap_rates.size:
        return ()
    gap_rates = np.array(gap_rates)
    gap_rates[:, :, list(imposed)] = 0.0
    found: list[int] = []
    for i in range(gap_rates.shape[1]):
        if len(found) == gap_rates.shape[2]:
            break  # more rows than velocities have as many singular values as velocities, none of which need be small
        trial = gap_rates[:, [*found, i]]
        if np.linalg.svd(trial, compute_uv=False)[:, -1].min() > 1e-6:
            found.append(i)
    return tuple(found)
