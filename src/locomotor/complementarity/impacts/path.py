"""One contact along its impulse: as the normal impulse p grows from zero, friction follows the slip of the moment.

    du/dp = W (1, f),      f = -mu u_T / |u_T| while it slips,      W_TT f + W_TN = 0, |f| <= mu while it sticks.

Slip may stop, turn back or change its direction in between (Routh 1891; Keller 1986; Stronge 1990). While it slips in space,
u_T = rho s(angle), with dp = rho dx

    d angle/dx = g . s',      d rho/dx = rho g . s,      g = W_TN - mu W_TT s,

which is smooth up to where the slip stops. Compression ends where u_N = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field, replace

import numpy as np

from locomotor.complementarity.impacts import registry
from locomotor.complementarity.impacts.collision import SMALL, Collision, Found
from locomotor.complementarity.impacts.solving import rubbing
from locomotor.dataclass import dataclass
from locomotor.typing import Floats

PIECES = 40
"""Changes between stick and slip after which the search is given up."""
STRAIGHT = 1e-13
"""A slip whose direction turns by less than this, relatively, keeps it."""
STOPPED = -30.0
"""Logarithm of the share of the slip at which it has stopped."""


@dataclass(frozen=True, eq=False)
class _State:
    """Velocity, impulses so far, and the work of the normal impulse so far."""

    u: Floats
    L: Floats
    work: float = 0.0


_Left = Callable[[_State], float]
"""What is left of a phase, positive until it ends."""


@dataclass(frozen=True, eq=False)
class _Path:
    """One contact and its matrix."""

    W: Floats
    mu: float
    speed: float = field(default=1.0)

    def run(self, state: _State, left: _Left) -> _State | None:
        """Along the impulse until nothing is left of the phase; None where that does not come."""
        round_off = SMALL * left(state)
        for _ in range(PIECES):
            if left(state) <= round_off:
                return state
            ahead, done = self._piece(state, left)
            if ahead is None or done:
                return ahead
            state = ahead
        return None

    def _piece(self, state: _State, left: _Left) -> tuple[_State | None, bool]:
        """On to where the phase ends or the slip stops, and which of both."""
        slip = float(np.linalg.norm(state.u[1:]))
        W_tn, W_tt = self.W[1:, 0], self.W[1:, 1:]
        if slip <= SMALL * self.speed:
            state = replace(state, u=np.array([state.u[0], *np.zeros(len(W_tn))]))
            f = rubbing(W_tt, W_tn, self.mu)
            return self._straight(state, f, left, math.inf)
        s = state.u[1:] / slip
        g = W_tn - self.mu * (W_tt @ s)
        along = float(g @ s)
        if len(s) == 1 or np.linalg.norm(g - along * s) <= STRAIGHT * (np.linalg.norm(W_tn) + self.mu * np.linalg.norm(W_tt)):
            return self._straight(state, -self.mu * s, left, slip / -along if along < 0.0 else math.inf)
        return self._turning(state, left)

    def _straight(self, state: _State, f: Floats, left: _Left, until: float) -> tuple[_State | None, bool]:
        """With a constant f: velocities change along a line, the work along a parabola."""
        force = np.array([1.0, *f])
        rate = self.W @ force

        def at(p: float) -> _State:
            work = state.work + p * (float(state.u[0]) + 0.5 * p * float(rate[0]))
            return _State(state.u + p * rate, state.L + p * force, work)

        end = until
        if math.isinf(end):  # doubled until the phase has ended
            end = self.speed / max(float(np.abs(rate).max()), 1e-300)
            for _ in range(200):
                if left(at(end)) <= 0.0:
                    break
                end *= 2.0
            else:
                return None, True
        if left(at(end)) > 0.0:
            stopped = at(end)
            return replace(stopped, u=np.array([stopped.u[0], *np.zeros(len(f))])), False
        if left(state) <= 0.0:
            return state, True
        from scipy.optimize import brentq

        return at(float(brentq(lambda p: left(at(p)), 0.0, end, xtol=1e-300, rtol=8.9e-16, maxiter=500))), True

    def _turning(self, state: _State, left: _Left) -> tuple[_State | None, bool]:
        """Slip in space, whose direction turns."""
        from scipy.integrate import solve_ivp

        slip = float(np.linalg.norm(state.u[1:]))
        angle = math.atan2(state.u[2], state.u[1])

        def there(y: Floats) -> _State:
            s = np.array([math.cos(y[0]), math.sin(y[0])])
            return _State(np.array([y[2], *(slip * math.exp(y[1]) * s)]), state.L + y[3:6], float(y[6]))

        def rate(_: float, y: Floats) -> Floats:
            s = np.array([math.cos(y[0]), math.sin(y[0])])
            across = np.array([-s[1], s[0]])
            rho = slip * math.exp(y[1])
            force = np.array([1.0, *(-self.mu * s)])
            du = self.W @ force
            return np.array([du[1:] @ across, du[1:] @ s, rho * du[0], *(rho * force), rho * y[2]])

        def ends(_: float, y: Floats) -> float:
            return left(there(y))

        def stops(_: float, y: Floats) -> float:
            return float(y[1] - STOPPED)

        ends.terminal = stops.terminal = True  # type: ignore[attr-defined]
        ends.direction = stops.direction = -1.0  # type: ignore[attr-defined]
        start = np.array([angle, 0.0, float(state.u[0]), 0.0, 0.0, 0.0, state.work])
        scale = float(np.abs(self.W).max()) * (1.0 + self.mu)
        found = solve_ivp(
            rate, (0.0, 1e6 / scale), start, method="DOP853", rtol=1e-12, atol=1e-14 * self.speed, events=(ends, stops)
        )
        if found.status != 1:
            return None, True
        if len(found.t_events[0]):
            return there(found.y_events[0][0]), True
        return replace(there(found.y[:, -1]), u=np.array([found.y[2, -1], 0.0, 0.0])), False


def _along(collision: Collision, restitution: Callable[[_State, float], _Left]) -> Found:
    """Compression, then restitution until the law ends it."""
    W, u, mu, d = collision.W, collision.u, collision.mu, collision.axes
    if u[0] >= -SMALL * collision.speed:
        return Found(np.zeros(d))
    path = _Path(W, float(mu[0]), collision.speed)
    middle = path.run(_State(u.copy(), np.zeros(d)), lambda state: -float(state.u[0]))
    if middle is None:
        return Found(np.full(d, np.nan), "ray")
    middle = replace(middle, u=np.array([0.0, *middle.u[1:]]))
    e = float(collision.E[0, 0])
    end = path.run(middle, restitution(middle, e)) if e > 0.0 else middle
    # Where friction holds the contact fast no impulse gives anything back.
    return Found(middle.L if end is None else end.L, compression=middle.L)


@registry.register(
    "routh",
    formula="du/dp = W (1, f(u_T)); p ends at (1 + e) times its value where u_N = 0",
    loses="(1 - e^2) of the energy of the approach without friction",
    source="Routh 1891; Keller 1986",
    takes=("friction", "restitution"),
    most=1,
)
def routh(collision: Collision) -> Found:
    """Poisson's ratio of impulses for one contact, with friction that follows the slip as the impulse grows."""
    return _along(collision, lambda middle, e: lambda state: (1.0 + e) * float(middle.L[0]) - float(state.L[0]))


@registry.register(
    "energetic",
    formula="du/dp = W (1, f(u_T)); p ends where the normal work of restitution is e^2 times that of compression",
    loses="(1 - e^2) of the work of the normal impulse, and what friction takes",
    source="Stronge 1990",
    takes=("friction", "restitution"),
    most=1,
)
def energetic(collision: Collision) -> Found:
    """Stronge's ratio of energies for one contact, with friction that follows the slip as the impulse grows.

    T+ - T- = -(1 - e^2) W_C - integral of mu |u_T| dp: no energy is gained for any friction.
    """
    return _along(collision, lambda middle, e: lambda state: (1.0 - e * e) * middle.work - state.work)
