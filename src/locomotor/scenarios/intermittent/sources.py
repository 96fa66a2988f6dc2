"""Reading runs of the bicycle whose wheels leave the ground and hit it: which wheels touch, and what impacts do."""

from collections.abc import Sequence

import numpy as np

from locomotor.mechanics.impacts import Impact, newton_impact
from locomotor.simulation import Event, Run
from locomotor.simulation.events import modes_of, rows_at
from locomotor.typing import Vector

CHAPTER = "Mauny, PhD thesis (2018), section 4.3"
COMPUTED = "computed by an independent program from the formulas of Mauny, PhD thesis (2018), chapters 3 and 4"
MODES = "modes in order (3 both wheels, 2 front, 1 rear, 0 none)"


def modes_in_order(run: Run) -> float:
    """The contact modes of a run as the digits of a number; modes that last for no time are left out."""
    codes = run["rear_closed"] + 2 * run["front_closed"]
    lasting = [int(codes[k]) for k in range(len(codes) - 1) if run.time[k + 1] > run.time[k]]
    found = [code for k, code in enumerate(lasting) if k == 0 or code != lasting[k - 1]]
    return float("".join(str(code) for code in found) or int(codes[-1]))


def before(run: Run, event: Event) -> int:
    """Place of the last sample before an event."""
    return int(np.searchsorted(run.time, event.time, side="left"))


def after(run: Run, event: Event) -> int:
    """Place of the first sample after an event."""
    return int(np.searchsorted(run.time, event.time, side="right")) - 1


def whole_state(run: Run, place: int) -> tuple[Vector, Vector]:
    """All coordinates and all velocities of a sample."""
    assert run.system is not None
    layout = run.system.layout
    q = np.array([run[symbol.name][place] for symbol in layout.coordinates])
    return q, np.array([run[symbol.name][place] for symbol in layout.velocities])


def predicted(run: Run, event: Event, wheels: Sequence[str] = ("rear", "front")) -> Impact:
    """The plastic impact at an event if some wheels all stayed on the ground, pulling if need be: the prediction."""
    assert run.system is not None
    modes = modes_of(run.system, None, "auto")
    q, v = whole_state(run, before(run, event))
    rows = rows_at(modes, q)
    chosen = [rows.switching[modes.names.index(wheel)] for wheel in wheels]
    return newton_impact(rows.mass, chosen, rows.held, v, [(0.0, 0.0)] * len(wheels))


def normal_speed(run: Run, event: Event) -> float:
    """Normal velocity of a contact just before its impact."""
    assert run.system is not None
    modes = modes_of(run.system, None, "auto")
    q, v = whole_state(run, before(run, event))
    return float(rows_at(modes, q).switching[modes.names.index(event.contact)][0] @ v)
