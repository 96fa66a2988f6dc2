"""Joints whose friction follows their loads, in a step of time-stepping.

What a joint bears over a step is that of the motion without contacts and dry friction, and what the impulses of all rows add:
both from Newton and Euler, body after body (`mechanics/joint_loads.py`), loops and persistent contacts included. The impulses
are then found together with the bounds that follow from them (`mechanics/impacts/loaded.py`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.impacts import Loaded, Response, Touching
from locomotor.model import Rub
from locomotor.model.forces import load_arms
from locomotor.tracing.contacts.switching import SwitchingRows
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class StepLoads:
    """The joints of a step whose friction follows their loads."""

    rows: Sequence[SwitchingRows]
    loaded: Mapping[int, Loaded]
    """By their numbers among the rows."""

    def without_impulses(
        self, motion: ReducedMotion, acceleration: Array, h: Any, pulled: Array | None, impacts: Sequence[Any]
    ) -> dict[int, list[Any]]:
        """What presses over a step h without impulses, in components, at an acceleration of the reduced velocities.

        `pulled` are impulses that are there before others are counted, None where there are none. Before the components is a
        number: 0 where one of the conditions `impacts` holds, so that impulses of others do not count, else 1.
        """
        if not self.loaded:
            return {}
        borne, found = motion.wrenches_with(acceleration), {}
        counts: Any = 1.0
        for impact in impacts:
            counts = ops.if_else(impact, 0.0, counts)
        for number, loaded in self.loaded.items():
            parts = [ops.entries(part) for part in _parts(motion, self.rows[number], borne)]
            forces = [h * x for part in parts for x in part]
            if pulled is not None:
                adds = [ops.dot(ops.vector(*line), pulled) for force in loaded.answers for line in force]
                forces = [force + add for force, add in zip(forces, adds, strict=True)]
            found[number] = [counts, *forces]
        return found


def step_loads(
    motion: ReducedMotion, rows: Sequence[SwitchingRows], touching: Sequence[Touching], response: Response, rests: Sequence[Any]
) -> StepLoads:
    """The joints among rows, with the answers of their loads to the impulses of all rows.

    `rests` says of each row whether its joint rested when the step began.
    """
    chosen = [k for k, row in enumerate(rows) if isinstance(row.entry, Rub) and row.entry.law.of.follows_load]
    if not chosen:
        return StepLoads(rows, {})
    answers: list[list[Array]] = []
    for row, touch in zip(rows, touching, strict=True):
        for place, wrenches in enumerate(row.wrenches):
            jump = motion.H_r @ response.columns[:, touch.rows.start + place]
            efforts = np.zeros(motion.reduction.system.layout.nv) if wrenches else row.rows[place, :].T
            borne = motion.impulses_by(jump, wrenches, efforts)
            # What is not a number where a contact does not act does no harm there.
            answers.append([ops.if_else(touch.active, each, np.zeros(6)) for each in borne])
    found = {}
    for k in chosen:
        parts = [_parts(motion, rows[k], answer) for answer in answers]
        forces = [
            tuple([ops.entries(each[p])[i] for each in parts] for i in range(len(ops.entries(parts[0][p]))))
            for p in range(len(parts[0]))
        ]
        found[k] = Loaded(touching[k].rows, _arms(rows[k], rests[k], len(forces)), tuple(forces))
    return StepLoads(rows, found)


def _parts(motion: ReducedMotion, row: SwitchingRows, borne: list[Array]) -> list[Array]:
    """Forces that press, and then that along the axis where it counts, of what joints bear."""
    assert isinstance(row.entry, Rub)
    bearing = motion.bearing(row.entry.law.of, 1.0, borne, ())
    pressing, along = bearing.parts(bearing.wrench)
    return pressing if row.entry.law.of.pivoting == 0.0 else [*pressing, ops.vector(along)]


def _arms(row: SwitchingRows, rests: Any, count: int) -> tuple[Any, ...]:
    """Effort per force for each that presses, and last for that along the axis; `rests` asks for the coefficient at rest."""
    assert isinstance(row.entry, Rub)
    friction = row.entry.law.of
    arm, thrust = load_arms(friction, friction.mu, row.names)
    if friction.static_mu is not None:
        arm = ops.if_else(rests, load_arms(friction, friction.static_mu, row.names)[0], arm)
    return (arm,) * count if friction.pivoting == 0.0 else (*([arm] * (count - 1)), thrust)
