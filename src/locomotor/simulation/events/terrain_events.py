"""What happens to contacts on terrain at an instant of an event-driven run: they land, walk on, or lose the ground."""

from collections.abc import Mapping, Sequence

import numpy as np

from locomotor.geometry import Feature
from locomotor.simulation.events.collisions import places_at
from locomotor.simulation.events.modes import Closed, Modes
from locomotor.simulation.events.probe import Probe, Whole
from locomotor.simulation.events.search import SHORTEST, Trigger
from locomotor.simulation.status import Event
from locomotor.simulation.terrain import Footholds, Footing, Place, gaps_of, place_of
from locomotor.typing import Vector

NEAR = 1e-9
"""Gap below which a contact takes part in the collision of another (m)."""
APPROACHES = 1e-10
"""Normal speed at which it is taken to approach (m/s)."""
SUNK = 1e-3
"""An open contact that is deeper than this (m) in its ground passes through it."""
MOMENT = 1e-7
"""Over this (s) the acceleration of a contact that has bounced off a terrain is taken."""


class TerrainEvents:
    """The part of `EventDriven` that knows of terrain."""

    modes: Modes
    scheme: str
    holds: Footholds
    events: list[Event]
    _probe: Probe
    _t: float
    _x: Vector

    def _switch(self, closed: Closed, whole: Whole, v: Vector) -> None:
        raise NotImplementedError

    def _log(
        self,
        told: Sequence[tuple[str, str, tuple[float, ...], tuple[float, ...]]],
        before: float,
        delays: Mapping[str, float] | None = None,
        note: str = "",
        lost: float = 0.0,
    ) -> None:
        raise NotImplementedError

    @property
    def _near(self) -> float:
        """Gap below which a contact touches."""
        return NEAR if self.scheme == "exact" else NEAR + 10.0 * SHORTEST

    def _places(self) -> dict[str, Place]:
        """Where the bodies are that may touch a terrain, the angles of their wheels included."""
        whole = self._probe.whole(self._t, self._x)
        return places_at(self.modes, whole.q, whole.v)

    def _forget_levels(self) -> None:
        """What has been left no longer counts as touched."""
        self.holds = self.holds.without_levels_left(self._places())

    def _stand(self, triggers: Sequence[Trigger]) -> set[int]:
        """Let slots stand on the parts of the terrain that are touched: their numbers."""
        names = self.modes.names
        found: set[int] = set()
        places = self._places() if triggers else {}
        for trigger in triggers:
            rough = self.holds.owners[names[trigger.contact]]
            place = places[rough.name]
            for candidate in self.holds.touched(rough, place, self._near, APPROACHES):
                self.holds, slot = self.holds.take(rough, candidate, place)
                found |= {names.index(slot)} if slot is not None else set()
        return found

    def _walk_on(self, triggers: Sequence[Trigger]) -> None:
        """Contacts whose support ends: they go over to the next part of the terrain, or lose the ground."""
        for trigger in triggers:
            rough = self.holds.owners[self.modes.names[trigger.contact]]
            assert trigger.feature is not None
            slot = self.holds.stands_on(rough).get(trigger.feature)
            if slot is None:
                continue
            whole = self._probe.whole(self._t, self._x)
            self.holds, following = self.holds.transfer(slot, self._places()[rough.name])
            if following is None:
                self._switch(self._probe.mode.closed - {slot}, whole, whole.v)
                self._log([(slot, "lift-off", (0.0,) * 3, (0.0,) * 3)], whole.energy, note=f"{_said(trigger.feature)} ends")
                continue
            self._switch(self._probe.mode.closed, whole, whole.v)
            passed = f"from {_said(trigger.feature)} to {_said(following)}"
            self._log([(slot, "crossing", (0.0,) * 3, (0.0,) * 3)], whole.energy, note=passed)

    def _leaves_terrain(self, left: Footing) -> tuple[float, float]:
        """Normal speed of a contact that has just left a part of the terrain, and its acceleration back towards it."""
        speeds = []
        for t, x in ((self._t, self._x), (self._t + MOMENT, self._probe.after(self._t, self._x, MOMENT))):
            whole = self._probe.whole(t, x)
            place = places_at(self.modes, whole.q, whole.v)[left.rough.name]
            speeds.append(place.speed(*left.at(place.pose)))
        return speeds[0], (speeds[0] - speeds[1]) / MOMENT

    def _deep(self, gap: Vector, times: Vector, states: Vector) -> tuple[int, int] | None:
        """The first sample at which an open contact is inside its ground, and which; None if there is none at the last.

        A body of several parts is looked at as a whole, whether it stands with some of them or not.

        Every entry is an event, so that this finds what was overlooked. It asks the terrain itself and trusts no bookkeeping.
        """
        closed = self._probe.mode.closed
        depths = {}
        for i, entry in enumerate(self.modes.switching):
            if entry.law.is_gated or not entry.law.pushes or entry.name in closed:
                continue
            if entry.name not in self.holds.owners:
                depths[i] = gap[:, i]
        for rough in self.holds.roughs:
            stands = not closed.isdisjoint(rough.slots)
            if rough.contact.law.is_gated or (stands and rough.shape.parts == 1):
                continue
            last = self._probe.places(times[-1:], states[-1:])[rough.name]
            if self.holds.tracker(rough).gap(place_of(last[0]).pose) < -SUNK:
                depths[self.modes.names.index(rough.name)] = gaps_of(rough, self._probe.places(times, states)[rough.name])
        deep = [(int(np.argmax(depth < -SUNK)), i) for i, depth in depths.items() if (depth < -SUNK).any()]
        return min(deep, default=None)

    def _leave_out_crossings(self, first: int) -> None:
        """Of a contact that loses the ground at once, on coming to an edge, only that is told."""
        gone = {event.contact for event in self.events[first:] if event.kind == "lift-off"}
        self.events[first:] = [e for e in self.events[first:] if e.kind != "crossing" or e.contact not in gone]


def _said(feature: Feature) -> str:
    return f"{feature.kind} {feature.number}"
