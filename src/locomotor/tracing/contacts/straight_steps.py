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
from locomotor.tracing.contacts.few_text import HEADERS, SEEN, Layout, few_numbers, few_text, suits
from locomotor.tracing.contacts.many_numbers import FAST, NEARBY, TINY
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

    @cached_property
    def _factor(self) -> list[Numbers]:
        """N along the path of each velocity: M^-1 = N N^T; see `codegen/runtime/crowd.h`, which has the same in loops."""
        paths, masses = self._tree.paths, self._mass_entries
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
        return N

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

    @cached_property
    def _moves(self) -> list[list[Numbers]]:
        """For each velocity the motion of what it moves, six numbers for each entry of its path, where the mass is one: S N."""
        paths: list[list[int]] = self._tree.paths
        found: list[list[Numbers]] = []
        for k, path in enumerate(paths):
            above = found[path[-2]] if len(path) > 1 else []
            own = [[x * self._factor[k][e] for x in self._axis(k)] for e in range(len(path))]
            found.append(
                [[a + b for a, b in zip(above[e], x, strict=True)] if e < len(above) else x for e, x in enumerate(own)]
            )
        return found

    def _mobility(self, force: Sequence[Any]) -> Numbers:
        """M^-1 force."""
        paths, N = self._tree.paths, self._factor
        reduced: Numbers = [0.0] * self._tree.n
        for k, path in enumerate(paths):
            for e, j in enumerate(path):
                reduced[j] = reduced[j] + N[k][e] * force[k]
        return [_sum(N[k][e] * reduced[j] for e, j in enumerate(path)) for k, path in enumerate(paths)]

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

    def _rates(self, x: Sequence[Any]) -> Numbers:
        """Rows of all contacts along a motion."""
        twists = self._twists(x)
        found = []
        for body, place in zip(self._tree.on, self._start, strict=True):
            linear, angular = twists[body][:3], twists[body][3:]
            velocity = [a + b for a, b in zip(linear, _cross(angular, list(entries(place.point))), strict=True)]
            found += [_dot(list(entries(d)), velocity) for d in place.directions]
        return found

    def _pushed(self, impulses: Sequence[Any], counts: Sequence[int]) -> Numbers:
        """Velocities that impulses along the first so many directions of each contact bring about."""
        tree, given = self._tree, iter(impulses)
        wrenches: list[Numbers] = [[0.0] * 6 for _ in range(tree.bodies)]
        for body, place, count in zip(tree.on, self._start, counts, strict=True):
            force: Numbers = [0.0] * 3
            for d in place.directions[:count]:
                size = next(given)
                force = [f + size * x for f, x in zip(force, entries(d), strict=True)]
            turning = _cross(list(entries(place.point)), force)
            wrenches[body] = [a + b for a, b in zip(wrenches[body], [*force, *turning], strict=True)]
        for b in reversed(range(1, tree.bodies)):
            above = tree.parent[b]
            if above >= 0:
                wrenches[above] = [x + y for x, y in zip(wrenches[above], wrenches[b], strict=True)]
        moved = [b for b in range(tree.bodies) for _ in range(tree.first[b], tree.first[b + 1])]
        return self._mobility([_dot(self._axis(j), wrenches[moved[j]]) for j in range(tree.n)])

    def _reach(self, accelerations: Sequence[Any], turning: Sequence[Any]) -> Numbers:
        """How far from the ground a contact may be and act: what it falls in half a step, as `crowd.h` says."""
        tree, h = self._tree, self._h
        rates, found = self._rates(accelerations), []
        for c, (body, place) in enumerate(zip(tree.on, self._start, strict=True)):
            i = tree.begin[c]
            bias = 2.0 * turning[i] / h
            normal = list(entries(place.directions[0]))
            line = [*normal, *_cross(list(entries(place.point)), normal)]
            sizes = _sum(ops.fabs(_dot(line, self._axis(j)) * accelerations[j]) for j in tree.carrying(body))
            size = 0.1 * (ops.fabs(bias) + sizes)
            found.append((0.125 * h * h) * ops.fmax(ops.fabs(bias + rates[i]), size))
        return found

    def _solve(self, motion: ReducedMotion, places: list[Place], before: Solved | None) -> Solved:
        """A pass: free motion, impulses by the runtime, and what they bring about.

        What later lines need is kept on the way: a device reads it there, and each of its kernels holds a few numbers only.
        """
        tree, h, known = self._tree, self._h, before is not None
        v = list(entries(self._v))
        turning = [(0.5 * h) * x for place in places for x in place.bias]
        force = [-x for x in entries(motion.bias)]
        gaps = [place.gap for place in self._start]
        points = [x for place in self._start for x in entries(place.point)]
        if before is None:
            self._keep([*self._axes, *self._masses, *points, *gaps, *force, *turning])
            self._keep([x for row in self._factor for x in (*(-x for x in row[:-1]), row[-1])])  # signs go out of products
        else:
            self._keep([*force, *turning])
        made = [x for k in Layout(tree).moving for six in self._moves[k] for x in six]
        if before is None:
            self._keep(made, SEEN)  # just before the first call, which takes it from there
        accelerations = self._mobility(force)
        free = [x + h * a for x, a in zip(v, accelerations, strict=True)]
        missing = [-(rate + turn) for rate, turn in zip(self._rates(free), turning, strict=True)]
        rubs = [e.law.friction_at(self._values) if e.law.slips else -1.0 for e in self.flight.switching]
        if before is None:
            reach = self._reach(accelerations, turning)
            acts = self._chosen(gaps, reach, [missing[i] for i in tree.begin[:-1]], rubs)
        else:
            reach, acts = list(before.reach), list(before.acts)
        for i, act in zip(tree.begin[:-1], acts, strict=True):
            missing[i] = missing[i] - ops.fmax(act - 1.0, 0.0)
        directions = [x for place in self._start for d in place.directions for x in entries(d)]
        numbers = [*made, *points, *directions, *rubs, *acts]
        numbers += [*missing] if before is None else [*before.impulses, *missing, *gaps, h]
        rates = self._rates(v) if known else []
        acting = [rates[i] - turning[i] if known else 0.0 for i in tree.begin[:-1]]
        before_them = [ops.if_else(ops.less(0.5, a), x, 0.0) for a, x in zip(acts, acting, strict=True)]
        kept = [*(before_them if known else reach), *free]
        found = self._loops.call(self._few(known, len(kept)), [*numbers, *kept])
        impulses, lifts = found[: tree.rows], found[tree.rows :]
        three = [len(place.directions) for place in self._start]
        velocity = [x + y for x, y in zip(free, self._pushed(impulses, three), strict=True)]
        closing = self._pushed(self._closed(impulses, lifts, acts), three) if known else []
        self._keep([*velocity, *closing])
        return Solved(
            ops.vector(*velocity), ops.vector(*closing) if known else None, impulses, acts, before=before_them, reach=reach
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

    def _closed(self, impulses: Sequence[Any], lifts: Sequence[Any], acts: Sequence[Any]) -> Numbers:
        """What closes the gaps, by rows: normals are lifted, and impulses of contacts that come to touch act from there on."""
        tree, found = self._tree, []
        for c, (lift, act) in enumerate(zip(lifts, acts, strict=True)):
            late = ops.if_else(ops.less(0.5, act), (-2.0 * self._h) * ops.fmax(1.0 - act, 0.0), 0.0)
            own = [late * impulses[i] for i in range(tree.begin[c], tree.begin[c + 1])]
            found += [own[0] + lift, *own[1:]]
        return found

    def _keep(self, numbers: Numbers, together: int = 0) -> None:
        """Keep numbers for later lines, where steps are taken in stages; else this does nothing."""
        nothing = "LM_INLINE void lm_keep(const real *numbers) { (void)numbers; }"
        call = Call("lm_keep", len(numbers), 0, nothing, (), (), lambda _: np.zeros(0), None, Stages(together=together))
        self._loops.call(call, numbers)

    def _few(self, known: bool, kept: int) -> Call:
        tree, sweeps = self._tree, MORE_SWEEPS * self.settings.sweeps
        made = few_text(tree, known, sweeps, kept)

        def on_numbers(numbers: Any) -> Any:
            return few_numbers(tree, numbers, known, sweeps)

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
