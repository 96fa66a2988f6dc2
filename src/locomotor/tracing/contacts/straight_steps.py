"""Time-stepping of many contacts for devices: masses, factors and motion without contacts are straight code.

The step is that of `many_steps`. There the runtime makes masses and rows in loops over tables, which suits a processor; a
device has no fast memory for the tables of a thread, but registers for straight code. So all that every instance does alike is
traced here, and the runtime is left with what depends on the set of contacts that act: their rows and impulses
(`codegen/runtime/crowd_few.h`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.model import System
from locomotor.tracing.contacts.few_text import HEADERS, SEEN, few_numbers, few_text, suits
from locomotor.tracing.contacts.many_numbers import FAST, NEARBY, TINY, Turn
from locomotor.tracing.contacts.many_steps import MANY, MORE_SWEEPS, ManyStepping, Place, Solved
from locomotor.tracing.contacts.settings import ContactSettings
from locomotor.tracing.contacts.time_steps import TimeStepping
from locomotor.tracing.contacts.tree_parts import entries
from locomotor.tracing.core import Call, Stages, Traced

Numbers = list[Any]


def time_stepping(system: System, free: tuple[str, ...], settings: ContactSettings) -> TimeStepping:
    """Step maps, with the contacts written out for a few of them and solved in the runtime for many."""
    plain = TimeStepping(system, free, settings)
    if settings.solver == "traced":
        return plain
    many = DeviceStepping(system, free, settings)
    reason = many.unsuited
    if settings.solver == "runtime" and reason:
        raise ContactLawError(f"{system.name}: solver='runtime' is not for {reason}; leave it out")
    wanted = settings.solver == "runtime" or len(plain.flight.switching) >= MANY
    return many if wanted and not reason else plain


class DeviceStepping(ManyStepping):
    """Step maps of a system with many contacts, which knows how a device takes them."""

    @cached_property
    def device_step(self) -> Traced:
        """The same step as straight code, where there is room for its rows."""
        straight = StraightStepping(self.system, self.free, self.settings)
        return self.step if straight.unsuited else straight.step


@dataclass(frozen=True, eq=False)
class StraightStepping(ManyStepping):
    """Step maps of a system with many contacts, for a device."""

    @cached_property
    def unsuited(self) -> str:
        """Why a device takes another way, "" if it takes this."""
        reason = super().unsuited
        if reason or self._whole:
            return reason or "bodies that bend, bodies in a fluid and joints out of order"
        return "" if suits(self._tree) else "trees whose rows outgrow the memory that threads share"

    @property
    def _factor(self) -> list[Numbers]:
        """N along the path of each velocity: M^-1 = N N^T; see `codegen/runtime/crowd.h`, which has the same in loops."""
        return self._factored[0]

    @property
    def _scaled(self) -> Numbers:
        """z = N^-1 v of the velocities of the start: where the mass is one."""
        return self._factored[1]

    @cached_property
    def _factored(self) -> tuple[list[Numbers], Numbers]:
        paths, masses, v = self._tree.paths, self._mass_entries, list(entries(self._v))
        n = self._tree.n
        inverses: Numbers = [None] * n
        for k in reversed(range(n)):
            own = len(paths[k]) - 1
            inverses[k] = 1.0 / masses[k][own]
            for d in reversed(range(own)):
                share = masses[k][d] * inverses[k]
                above = masses[paths[k][d]]
                for e in range(d + 1):
                    above[e] = above[e] - share * masses[k][e]
                masses[k][d] = share
        N: list[Numbers] = []
        for k in range(n):
            own = len(paths[k]) - 1
            row = [-_sum(masses[k][d] * N[paths[k][d]][e] for d in range(e, own)) for e in range(own)]
            N.append([*row, ops.sqrt(inverses[k])])
        lower = [v[k] + _sum(masses[k][d] * v[paths[k][d]] for d in range(len(paths[k]) - 1)) for k in range(n)]
        return N, [masses[k][-1] * N[k][-1] * lower[k] for k in range(n)]

    @property
    def _mass_entries(self) -> list[Numbers]:
        """Masses along the path of each velocity."""
        tree, n = self._tree, self._tree.n
        inertias, extra = self._masses[: 10 * tree.bodies], self._masses[10 * tree.bodies :]
        composite = [inertias[10 * b : 10 * b + 10] for b in range(tree.bodies)]
        for b in reversed(range(1, tree.bodies)):
            above = tree.parent[b]
            if above >= 0:
                composite[above] = [x + y for x, y in zip(composite[above], composite[b], strict=True)]
        moved = [b for b in range(tree.bodies) for _ in range(tree.first[b], tree.first[b + 1])]
        found = []
        for j in range(n):
            m, *c = composite[moved[j]][:4]
            xx, yy, zz, xy, xz, yz = composite[moved[j]][4:]
            v, w = self._axis(j)[:3], self._axis(j)[3:]
            p = [m * a + b for a, b in zip(v, _cross(w, c), strict=True)]
            turned = [xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2]]
            wrench = [*p, *(a + b for a, b in zip(_cross(c, v), turned, strict=True))]
            row = [_dot(self._axis(i), wrench) for i in tree.paths[j]]
            row[-1] = row[-1] + extra[j]
            found.append(row)
        return found

    def _axis(self, j: int) -> Numbers:
        return self._axes[6 * j : 6 * j + 6]

    def _gathered(self, force: Sequence[Any]) -> Numbers:
        """N^T force."""
        found: Numbers = [0.0] * self._tree.n
        for k, path in enumerate(self._tree.paths):
            for e, j in enumerate(path):
                found[j] = found[j] + self._factor[k][e] * force[k]
        return found

    def _spread(self, z: Sequence[Any]) -> Numbers:
        """N z."""
        return [_sum(self._factor[k][e] * z[j] for e, j in enumerate(path)) for k, path in enumerate(self._tree.paths)]

    def _twists(self, x: Sequence[Any]) -> list[Numbers]:
        """Motion of the bodies, linear at the origin of the world, then angular."""
        tree = self._tree
        found: list[Numbers] = []
        for b in range(tree.bodies):
            twist: Numbers = list(found[tree.parent[b]]) if tree.parent[b] >= 0 else [0.0] * 6
            for j in range(tree.first[b], tree.first[b + 1]):
                twist = [t + s * x[j] for t, s in zip(twist, self._axis(j), strict=True)]
            found.append(twist)
        return found

    def _approaching(self, x: Sequence[Any]) -> Numbers:
        """Rows of the normals of all contacts along a motion."""
        twists = self._twists(x)
        found = []
        for body, place in zip(self._tree.on, self._start, strict=True):
            linear, angular = twists[body][:3], twists[body][3:]
            velocity = [a + b for a, b in zip(linear, _cross(angular, list(entries(place.point))), strict=True)]
            found.append(_dot(list(entries(place.directions[0])), velocity))
        return found

    def _reach(self, accelerations: Sequence[Any], rates: Sequence[Any], turning: Sequence[Any]) -> Numbers:
        """How far from the ground a contact may be and act: what it falls in half a step, as `crowd.h` says."""
        tree, h = self._tree, self._h
        found = []
        for c, (body, place) in enumerate(zip(tree.on, self._start, strict=True)):
            bias = 2.0 * turning[tree.begin[c]] / h
            normal = list(entries(place.directions[0]))
            line = [*normal, *_cross(list(entries(place.point)), normal)]
            sizes = _sum(ops.fabs(_dot(line, self._axis(j)) * accelerations[j]) for j in tree.carrying(body))
            size = 0.1 * (ops.fabs(bias) + sizes)
            found.append((0.125 * h * h) * ops.fmax(ops.fabs(bias + rates[c]), size))
        return found

    def _solve(self, motion: ReducedMotion, places: list[Place], turn: Turn, before: Solved | None = None) -> Solved:
        """A pass: free motion, impulses by the runtime, and what they bring about.

        Velocities go to the runtime as z, where the mass is one, and so comes back what impulses change: it has the rows of
        those contacts that act, and only these are needed. What later lines need is kept on the way: a device reads it there,
        and each of its kernels holds a few numbers only.
        """
        tree, h = self._tree, self._h
        v = list(entries(self._v))
        turning = [(0.5 * h) * x for place in places for x in place.bias]
        force = self._forces(motion)
        gaps = [place.gap for place in self._start]
        points = [x for place in self._start for x in entries(place.point)]
        normals = [turning[i] for i in tree.begin[:-1]]
        if before is None:
            self._keep([*self._axes, *points, *turning, *self._masses, *gaps, *force], SEEN)  # as `few_text` reads it
            signed = [x for row in self._factor for x in (*(-x for x in row[:-1]), row[-1])]  # signs go out of products
            self._keep([*signed, *self._scaled], SEEN)
        gathered = [h * x for x in self._gathered(force)]
        free = [x + y for x, y in zip(self._scaled, gathered, strict=True)]
        rubs = [e.law.friction_at(self._values) if e.law.slips else -1.0 for e in self.flight.switching]
        if before is None:
            accelerations = [x / h for x in self._spread(gathered)]
            rates, falling = self._approaching(v), self._approaching(accelerations)
            reach = self._reach(accelerations, falling, turning)
            missing = [-(a + h * b + c) for a, b, c in zip(rates, falling, normals, strict=True)]
            acts = self._chosen(gaps, reach, missing, rubs)
        else:
            reach, acts, rates = list(before.reach), list(before.acts), list(before.rates)
        touching = [
            ops.if_else(ops.less(0.5, act), rate - turned, 0.0) for act, rate, turned in zip(acts, rates, normals, strict=True)
        ]
        directions = [x for place in self._start for d in place.directions for x in entries(d)]
        alike = [*self._axes, *(x for row in self._factor for x in row), *points]
        if before is None:
            numbers = [*alike, *turning, *directions, *rubs, *acts, *free]
            again: Numbers = []
        else:
            numbers, again = list(before.numbers), [*before.impulses, *turning, *free]
        if turn.last:
            again += [*gaps, h]
        kept = {Turn.FIRST: [*reach, *rates], Turn.SECOND: touching, Turn.ONLY: [*reach, *touching]}[turn]
        found = self._loops.call(self._few(turn, len(kept) + tree.n), [*numbers, *again, *kept, *gathered])
        impulses, given = found[: tree.rows], found[tree.rows :]
        pushed = self._spread([x + y for x, y in zip(gathered, given[: tree.n], strict=True)])
        velocity = [x + y for x, y in zip(v, pushed, strict=True)]
        closing = self._spread(given[tree.n :]) if turn.last else []
        return Solved(
            ops.vector(*velocity),
            ops.vector(*closing) if turn.last else None,
            impulses,
            acts,
            before=touching,
            reach=reach,
            rates=rates,
            numbers=numbers,
        )

    def _chosen(self, gaps: Numbers, reach: Numbers, missing: Numbers, rubs: Numbers) -> Numbers:
        """Which contacts act, and how: `lm_crowd_choose` of `crowd.h`."""
        half, most, found = 0.5 * self._h, 0.0, []
        for gap, r, lacking in zip(gaps, reach, missing, strict=True):
            enters = ops.fmax(half * lacking, 0.0)
            moved = enters + ops.fmax(r - gap, 0.0)
            most = ops.fmax(most, ops.if_else(ops.less(gap - r, enters), moved, 0.0))
        for gap, r, lacking, mu in zip(gaps, reach, missing, rubs, strict=True):
            falls = half * lacking
            enters = ops.fmax(falls, 0.0)
            way = enters + NEARBY * most
            near = ops.if_else(ops.less(gap - r, way), 1.0 + gap / half, 0.0)
            near = ops.if_else(ops.less(FAST * r, way), near, 0.0)
            lands = ops.less(gap, falls)
            near = ops.if_else(lands, 1.0 - 0.25 * gap / ops.if_else(lands, falls, 1.0), near)
            near = ops.if_else(ops.less(mu, 0.0), 0.0, near)
            found.append(ops.if_else(ops.less(gap - r, TINY), 1.0, near))
        return found

    def _keep(self, numbers: Numbers, together: int = 0) -> None:
        """Keep numbers for later lines, where steps are taken in stages; else this does nothing."""
        nothing = "LM_INLINE void lm_keep(const real *numbers) { (void)numbers; }"
        call = Call("lm_keep", len(numbers), 0, nothing, (), (), lambda _: np.zeros(0), None, Stages(together=together))
        self._loops.call(call, numbers)

    def _few(self, turn: Turn, kept: int) -> Call:
        tree, sweeps = self._tree, MORE_SWEEPS * self.settings.sweeps
        made = few_text(tree, turn, sweeps, kept)

        def on_numbers(numbers: Any) -> Any:
            return few_numbers(tree, numbers, turn, sweeps)

        return Call(made.name, made.takes, made.gives, made.text, HEADERS, (), on_numbers, None, made.stages)


def _sum(terms: Any) -> Any:
    total: Any = 0.0
    for term in terms:
        total = total + term
    return total


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return _sum(x * y for x, y in zip(a, b, strict=True))


def _cross(a: Sequence[Any], b: Sequence[Any]) -> Numbers:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
