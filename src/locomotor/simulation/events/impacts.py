"""Who takes part in an impact of an event-driven run, who has opened by it, and who comes to rest."""

import math
from collections.abc import Mapping, Sequence

from locomotor.simulation.events.collisions import Rows
from locomotor.simulation.events.modes import Closed
from locomotor.simulation.events.probe import Whole
from locomotor.simulation.events.terrain_events import APPROACHES, NEAR, TerrainEvents
from locomotor.simulation.terrain import TOUCH, Footing
from locomotor.typing import Vector

BRIEF = 1e-7
"""Bounces that last less than this and become shorter are summed: the contact comes to rest when their series ends (s)."""


class ImpactEvents(TerrainEvents):
    """The part of `EventDriven` that knows of impacts."""

    _levels: Vector

    def _drawn_in(self, closing: Sequence[int]) -> set[int]:
        """Open contacts that touch and lie still, and whose law gives them a share of the approach of a closing one."""
        switching, hit = self.modes.switching, {self.modes.contact_of[self.modes.names[i]] for i in closing}
        laws = {i: c.law for i, c in enumerate(switching) if c.law.others}
        wanted = [i for i, law in laws.items() if hit.intersection(law.others)]
        if not wanted:
            return set()
        seen = self._probe.look(self._t, self._x)
        return {
            i
            for i in wanted
            if switching[i].name not in self._probe.mode.closed
            and abs(seen.gap[i] - self._levels[i]) <= self._near
            and seen.gap_rate[i] <= APPROACHES
            and seen.condition[i] > 0.0
        }

    def _opened(self, before: Closed) -> list[str]:
        """Contacts that were closed before an impact and are open now; one on a terrain may only stand on something else."""
        contact_of, now = self.modes.contact_of, self._probe.mode.closed
        standing = {contact_of[name] for name in now}
        gone = {contact_of[name]: name for name in before - now if contact_of[name] not in standing}
        return sorted(gone.values())

    def _coming_to_rest(
        self, rows: Rows, before: Whole, closing: Sequence[int], touched: Mapping[str, Footing]
    ) -> dict[int, float]:
        """Contacts that touch, open, whose next bounces are brief and shrink, and the time until the last of them.

        Bounces of duration 2 u/a, each r times the one before, last 2 u/(a (1 - r)) together: u is the speed after this
        impact, a the acceleration towards the ground. Of a contact that has bounced r = u/u-; of one that another's impact
        has lifted (a block that rocks) r is the ratio of its coming flight to the last one. `touched` is what contacts on
        terrain have bounced off.
        """
        seen = self._probe.look(self._t, self._x)
        earlier = (event.time for event in reversed(self.events) if event.kind == "impact" and event.time < self._t)
        last = next(earlier, -math.inf)
        found: dict[int, float] = {}
        for i, entry in enumerate(self.modes.switching):
            if not entry.law.pushes or entry.name in self._probe.mode.closed or seen.condition[i] <= 0.0:
                continue
            speed, pull = float(seen.gap_rate[i]), -float(seen.gap_acceleration[i])
            if entry.name in self.holds.owners:
                if entry.name not in touched:
                    continue
                speed, pull = self._leaves_terrain(touched[entry.name])
            elif abs(seen.gap[i] - self._levels[i]) > NEAR:
                continue
            if speed < 0.0 or pull <= 0.0:
                continue
            approach = -float(rows.switching[i][0] @ before.v)
            flight = 2.0 * speed / pull
            ratio = speed / approach if i in closing and approach > 0.0 else flight / (self._t - last)
            if ratio < 1.0 and flight < self._brief(pull, ratio):
                found[i] = flight / (1.0 - ratio)
        return found

    def _brief(self, pull: float, ratio: float) -> float:
        """Duration (s) below which bounces are summed.

        The sources' scheme sees a touch when a gap is negative by `TOUCH`. With what is won by falling so far bounces become
        no shorter than sqrt(8 TOUCH / a) r / sqrt(1 - r²): twice as much still counts as brief.
        """
        if self.scheme == "exact":
            return BRIEF
        return max(BRIEF, 2.0 * math.sqrt(8.0 * TOUCH / (pull * (1.0 - ratio * ratio))))
