"""The impact in a step with events: from the velocities before it to what they jump by, and who stays closed.

Contacts stick, and follow the rule of those that bounce: Newton's ratio of velocities, or a compression of which Poisson's rule
gives back shares of impulses and Stronge's shares of energies; where rules differ, Newton's. So it is in runs with events
(`simulation/events/collisions.py`).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.impacts import Restitution, Touching, rounds_of, sticking_impulses, sticking_rebound
from locomotor.tracing.contacts.mode_motion import ModeMotion
from locomotor.tracing.contacts.step_rules import StepRules, rules_of
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class ModeImpact:
    """An impact of those contacts that take part (`parts`, conditions), of which some close (`closing`, numbers 0 or 1)."""

    look: ModeMotion
    parts: Sequence[Any]
    closing: Sequence[Any]
    slow: Sequence[Any]
    """For each contact the approach (m/s) below which it comes to rest."""
    yielding: Sequence[int]
    """Imposed velocities that give way, by their places among the imposed ones."""
    values: Mapping[str, Any]
    rounds: int

    @cached_property
    def touching(self) -> tuple[Touching, ...]:
        """The contacts."""
        return self.look.touching(self.parts, struck=True)

    @cached_property
    def _before(self) -> Array:
        """Velocities along the rows before the impact."""
        return self.look.row_velocities(self.parts)

    @property
    def approaches(self) -> list[Any]:
        """Normal velocities before the impact."""
        return [self._before[contact.rows.start] for contact in self.touching]

    @cached_property
    def _fast(self) -> dict[str, Any]:
        """For each contact 1 where it closes too fast to come to rest, else 0."""
        found = {}
        for row, closes, slow, speed in zip(self.look.rows, self.closing, self.slow, self.approaches, strict=True):
            found[row.entry.name] = ops.if_else(ops.less(speed, -slow), closes, 0.0)
        return found

    @cached_property
    def _taken(self) -> list[Any]:
        """What each contact takes from the approach of others."""
        normals = dict(zip(self._fast, self.approaches, strict=True))
        shares = [row.law.shares(self.values) for row in self.look.rows]
        return [sum((-e * self._fast[name] * normals[name] for name, e in own.items()), 0.0) for own in shares]

    @cached_property
    def _coefficients(self) -> list[tuple[Any, Any]]:
        speeds = zip(self.look.rows, self.approaches, strict=True)
        return [row.law.coefficients_at(self.values, -speed) for row, speed in speeds]

    @cached_property
    def _bounces(self) -> list[Any]:
        """For each contact 1 where it leaves again, else 0."""
        found: list[Any] = []
        for row, (own, _), taken in zip(self.look.rows, self._coefficients, self._taken, strict=True):
            bounce: Any = 0.0
            if not _is_zero(own):
                fast = self._fast[row.entry.name]
                bounce = fast if isinstance(own, float) else ops.if_else(ops.less(0.0, own), fast, 0.0)
            if row.law.others:
                bounce = ops.fmax(bounce, ops.if_else(ops.less(0.0, taken), 1.0, 0.0))
            found.append(bounce)
        return found

    @cached_property
    def _rules(self) -> StepRules:
        """Which law it has."""
        may = [None if _is_zero(bounce) else ops.less(0.5, bounce) for bounce in self._bounces]
        return rules_of(self.look.rows, self.approaches, self.parts, may, self.values)

    @cached_property
    def _missing(self) -> Array:
        """What velocities along the rows are missing by Newton's law; of a compression by the others all that they are."""
        missing: list[Any] = []
        of = zip(
            self.look.rows, self.touching, self._coefficients, self._taken, self._bounces, self._rules.compressed, strict=True
        )
        for row, contact, (own, along), taken, bounce, compressed in of:
            k = contact.rows.start
            speed = self._before[k]
            wanted = [-speed if _is_zero(own) else -speed - (own * self._fast[row.entry.name]) * speed]
            if row.law.others:
                wanted[0] = wanted[0] + taken
            for i in range(k + 1, contact.rows.stop):
                stops = _is_zero(along) or _is_zero(bounce)
                wanted.append(-self._before[i] if stops else -self._before[i] - (along * bounce) * self._before[i])
            if compressed is not None:
                plain = [-self._before[i] for i in range(k, contact.rows.stop)]
                wanted = [ops.if_else(compressed, p, w) for p, w in zip(plain, wanted, strict=True)]
            missing += wanted
        return ops.vector(*missing)

    @cached_property
    def outcome(self) -> tuple[Array, list[Any]]:
        """The jump of the reduced velocities, those that yield last; and for each contact 1 where it is closed afterwards."""
        response, rules = self.look.yielding_response(self.parts, self.yielding), self._rules
        L, staying = sticking_impulses(response, self._missing, self.touching, rounds_of(self.touching, self.rounds))
        closed = [ops.if_else(stays, 1.0 - bounce, 0.0) for stays, bounce in zip(staying, self._bounces, strict=True)]
        if rules.named:
            law = Restitution(rules.shares, rules.energetic, rules.gives_back, self._before, 0.0 * self._before)
            stronge = "stronge" in rules.named
            L, kept = sticking_rebound(response, -self._before, self.touching, (L, staying), law, self.rounds, stronge)
            given = ops.less(0.5, rules.gives_back)
            closed = [ops.if_else(given, stays, plain) for stays, plain in zip(kept, closed, strict=True)]
        return response.columns @ L, closed


def _is_zero(value: Any) -> bool:
    return isinstance(value, float) and value == 0.0
