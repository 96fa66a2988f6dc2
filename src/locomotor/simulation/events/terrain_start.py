"""Starting on a terrain: which parts of it are touched, and where a body must be to touch it."""

from collections.abc import Mapping, Sequence

from locomotor.errors import InconsistentStartError
from locomotor.simulation.events.collisions import places_at
from locomotor.simulation.events.friction_start import Landing, as_it_moves, landed
from locomotor.simulation.events.modes import Mode, Modes
from locomotor.simulation.events.probe import Probe
from locomotor.simulation.starts import GAP_TOLERANCE, LOOPS
from locomotor.simulation.terrain import Footholds, on_tangent_plane
from locomotor.typing import Vector

TRIES = 12
"""A body that is let down may come to other parts of the terrain than those first below it; on an edge it is a Newton step."""


def touched(
    modes: Modes, holds: Footholds, q: Vector, v: Vector, allowed: Mapping[str, bool], near: float, slow: float
) -> Footholds:
    """Slots that touch and do not separate, each standing on what it touches; a start inside the ground is refused."""
    places = places_at(modes, q, v)
    for rough in holds.roughs:
        place = places[rough.name]
        for candidate in holds.candidates(rough, place):
            if candidate.gap < -near and allowed[rough.name]:
                raise InconsistentStartError(
                    f"start: contact {rough.name!r} is {-candidate.gap:.3g} m inside {candidate.feature.kind} "
                    f"{candidate.feature.number} of its terrain; lift the system, or name the contact in `closed`, so that "
                    "coordinates which are not given are moved until it touches"
                )
            if abs(candidate.gap) <= near and place.speed(candidate.point, candidate.normal) <= slow:
                holds, _ = holds.take(rough, candidate, place)
    return holds


def let_down(
    modes: Modes, holds: Footholds, start: Mapping[str, float] | None, time: float, closed: Sequence[str], assemble: bool | str
) -> tuple[Mode, Vector, Footholds]:
    """Mode and state with some contacts closed, those on terrain moved until they touch what is below them, and stand on."""
    flight = modes.mode(frozenset())
    p = modes.parameters_on(flight, holds)
    x = flight.start(start, time, p, LOOPS if assemble else False)
    whole = Probe(flight, {}, p).whole(time, x)
    lowered = [rough for rough in holds.roughs if rough.name in closed]
    features: list[object] = []
    for _ in range(TRIES):
        places = places_at(modes, whole.q, whole.v)
        nearest = {rough.name: holds.candidates(rough, places[rough.name])[0] for rough in lowered}
        touching = not assemble or all(abs(candidate.gap) <= GAP_TOLERANCE for candidate in nearest.values())
        if touching and features == [candidate.feature for candidate in nearest.values()]:
            break
        features = [candidate.feature for candidate in nearest.values()]
        # Whatever is touched, the body is let down on the plane that is tangent to it there.
        holds = holds.standing_on(
            {
                rough.name: on_tangent_plane(rough, c, places[rough.name].pose)
                for rough, c in zip(lowered, nearest.values(), strict=True)
            }
        )
        mode, x, holds = landed(Landing(modes, frozenset(closed), holds, whole.q, time, assemble), start)
        whole = Probe(mode, {}, modes.parameters_on(mode, holds)).whole(time, x)
    else:
        names = ", ".join(repr(name) for name in sorted(closed))
        raise InconsistentStartError(
            f"start: {names} came to no rest on the terrain; give more of the coordinates, or another place"
        )
    holds = holds.standing_on({})
    for rough in lowered:
        holds, _ = holds.take(rough, nearest[rough.name], places[rough.name])
    landing = Landing(modes, frozenset(closed), holds, whole.q, time, assemble)
    mode = landing.mode(frozenset(holds.slips))
    return as_it_moves(landing, mode, mode.state_of(whole.q, whole.v, whole.own))
