"""The numbers that runs with events share with their machine code: `codegen/runtime/follow*.h` has none of its own for them."""

from locomotor.complementarity.friction import EDGE, SETTLED, SIGN, STEADY, STEPS
from locomotor.complementarity.friction import TURNED as TURNED_BY
from locomotor.mechanics.impacts import ROUND_OFF
from locomotor.simulation import roots, singular
from locomotor.simulation.events import (
    collisions,
    contact_events,
    friction,
    friction_events,
    frictional_impact,
    guide,
    impacts,
    kinds,
    moment,
    noted,
    pace,
    pivots,
    plan,
    run_events,
    search,
    slip,
    terrain_events,
    timeline,
)
from locomotor.simulation.terrain import TOUCH
from locomotor.tracing.contacts import NUMBERS, VECTORS

MOST_IMPACTS = 20
"""Impacts that may follow each other at one instant."""
CHATTER = (200, 1e-9)
"""So many events within so many seconds are taken to go on for ever."""
CROWD = 20
"""Instants with events that may follow each other so soon before the readable form has to judge them."""
RELATIVE = 8.9e-16
"""Relative tolerance of roots (`roots.root_between`)."""

SHARED: dict[str, float] = {
    "LM_SIGN": SIGN,
    "LM_EDGE": EDGE,
    "LM_CONE_STEPS": STEPS,
    "LM_CONE_SETTLED": SETTLED,
    "LM_CONE_STEADY": STEADY,
    "LM_TURNED_BY": TURNED_BY,
    "LM_ROUND_OFF": ROUND_OFF,
    "LM_ROOT": roots.ROUND_OFF,
    "LM_RELATIVE": RELATIVE,
    "LM_ITERATIONS": roots.ITERATIONS,
    "LM_SUSPECT": singular.SUSPECT,
    "LM_WANES": singular.WANES,
    "LM_COMFORTABLE": singular.COMFORTABLE,
    "LM_OPENS": collisions.OPENS,
    "LM_LITTLE": contact_events.LITTLE,
    "LM_WITH_OTHERS": friction.TOGETHER,
    "LM_AT_ONCE": friction.AT_ONCE,
    "LM_EXHAUSTED": friction.EXHAUSTED,
    "LM_DRIVEN": friction.DRIVEN,
    "LM_MOVED": friction_events.MOVED,
    "LM_VOID": frictional_impact.VOID,
    "LM_NOTHING": frictional_impact.NOTHING,
    "LM_STAYS": frictional_impact.STAYS,
    "LM_SLUGGISH": guide.SLUGGISH,
    "LM_RESOLVED": guide.RESOLVED,
    "LM_LEAVES": guide.LEAVES,
    "LM_MARGINAL": guide.MARGINAL,
    "LM_SECANTS": guide.SECANTS,
    "LM_MOST_AIMED": guide.MOST_AIMED,
    "LM_GUIDE_TURNED": guide.TURNED,
    "LM_GUIDE_SWEEPS": guide.SWEEPS,
    "LM_GUIDE_ITERATIONS": guide.ITERATIONS,
    "LM_BRIEF": impacts.BRIEF,
    "LM_PULLS": impacts.PULLS,
    "LM_JUMPS": kinds.JUMPS,
    "LM_LARGEST": kinds.LARGEST,
    "LM_FIRST_CHUNK": moment.FIRST_CHUNK,
    "LM_LONGEST_CHUNK": moment.LONGEST_CHUNK,
    "LM_SPARE": moment.SPARE,
    "LM_QUARTER": moment.QUARTER,
    "LM_TURNED": noted.TURNED,
    "LM_BRIEFLY": noted.BRIEFLY,
    "LM_VOID_ACROSS": pace.VOID,
    "LM_STRAIGHT": pace.STRAIGHT,
    "LM_ALIGNED": pace.ALIGNED,
    "LM_SHARE": pace.SHARE,
    "LM_FADED": pace.FADED,
    "LM_TURN": pace.TURN,
    "LM_WHOLE_STEP": pace.WHOLE,
    "LM_TOGETHER": pace.TOGETHER,
    "LM_SAME_VELOCITY": pivots.SAME_VELOCITY,
    "LM_NEAR": plan.NEAR,
    "LM_APPROACHES": plan.APPROACHES,
    "LM_LOOSE": run_events.LOOSE,
    "LM_SAME_INSTANT": search.SAME_INSTANT,
    "LM_AT_REST": slip.REST,
    "LM_STOPPED_SLIP": slip.STOPPED,
    "LM_SUNK": terrain_events.SUNK,
    "LM_ON_GRID": timeline.ON_GRID,
    "LM_TOUCH": TOUCH,
    "LM_MOST_IMPACTS": MOST_IMPACTS,
    "LM_CHATTER": CHATTER[1],
    "LM_CROWD": CROWD,
    "LM_NUMBERS": len(NUMBERS),
    "LM_VECTORS": len(VECTORS),
    **{f"LM_NUMBER_{kind}": place for place, kind in enumerate(NUMBERS)},
    **{f"LM_VECTOR_{kind}": place for place, kind in enumerate(VECTORS)},
}
