"""Equilibria: where a system stays at rest, whether its stiffness holds it there, and how that changes with a load."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from locomotor import checks
from locomotor.analysis.contacts import why_not_held
from locomotor.analysis.statics.balance import Balance, Solution, balance_of, is_symmetric, newton, symmetric_eigenvalues
from locomotor.analysis.statics.inside_out import last_before, least_length
from locomotor.analysis.statics.path import Follower, LoadedEquations, Point
from locomotor.checks import arithmetic, door, name, number, numbers_by_name, optional, text, whole
from locomotor.dataclass import dataclass
from locomotor.errors import EquilibriumError, UnknownNameError
from locomotor.model import System, a_system
from locomotor.names import NameMap, suggestion
from locomotor.typing import Flags, Floats, Vector

LONGEST = 2000
"""Points of a curve of equilibria at most, unless told otherwise."""
WAY = 200
"""Steps in which `equilibrium` comes from no load to the whole."""


@checks.doors
@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pose at which everything balances: coordinates, inputs and parameters by name."""

    system: System
    coordinates: Mapping[str, float]
    inputs: Mapping[str, float]
    parameters: Mapping[str, float]
    """Values of the parameters that were varied to come here."""
    residual: float
    """Largest force (N, N m) or gap (m) that is left."""
    stiffness: Floats
    """Forces along the reduced velocities per unit of motion along them."""
    status: str = "found"
    """"found", or why the whole load was not reached: what is here is then the last equilibrium on the way."""
    reached: float = 1.0
    """Share of the inputs asked for that this equilibrium carries."""

    @property
    def found(self) -> bool:
        """Whether it carries all that was asked for."""
        return self.status == "found"

    @cached_property
    def eigenvalues(self) -> Vector:
        """Eigenvalues of the symmetric part of the stiffness, the lowest first: a negative one is a way to buckle."""
        return symmetric_eigenvalues(self.stiffness)

    @property
    def conservative(self) -> bool:
        """Whether all forces have a potential here: the stiffness is symmetric."""
        return is_symmetric(self.stiffness)

    @property
    def stable(self) -> bool | None:
        """Whether the stiffness resists every motion; None under loads that follow, of which `linearise` tells more."""
        if not self.conservative:
            return None
        return bool(self.eigenvalues.size and self.eigenvalues[0] > 0.0)

    @property
    def start(self) -> dict[str, float]:
        """Starting values for `simulate`, `linearise` and `equilibrium`."""
        return dict(self.coordinates)

    def __getitem__(self, name: str) -> float:
        """A coordinate, an input or a varied parameter by name."""
        text(name, "the name of a value", error=UnknownNameError)
        groups = (self.parameters, self.inputs, self.coordinates)
        return NameMap("value of the equilibrium", {key: group[key] for group in groups if group for key in group})[name]

    def __repr__(self) -> str:
        """The equilibrium in one line."""
        kind = {True: "stable", False: "not stable", None: "under loads that follow"}[self.stable]
        return f"<Equilibrium of {self.system.name!r}, {kind}, residual {self.residual:.2g}; {self.status}>"


@dataclass(frozen=True)
class LoadChange:
    """A point of a curve of equilibria where something happens."""

    kind: str
    """"limit" (the load turns back) or "branch" (the stiffness loses or gains a direction: buckling)."""
    load: float
    equilibrium: Equilibrium


@checks.doors
@dataclass(frozen=True, eq=False)
class EquilibriumPath:
    """Equilibria along a load, in the order of the curve they form."""

    along: str
    loads: Vector
    equilibria: tuple[Equilibrium, ...]
    changes: tuple[LoadChange, ...]
    ended: str
    """Why the curve ends: the load asked for, or what went wrong and at which load."""

    def __len__(self) -> int:
        """Number of equilibria."""
        return len(self.equilibria)

    def __repr__(self) -> str:
        """The curve in one line."""
        reach = f"{self.along} from {self.loads[0]:.6g} to {self.loads[-1]:.6g}"
        return f"<EquilibriumPath of {len(self)} equilibria, {reach}, {len(self.changes)} changes; {self.ended}>"

    def of(self, name: str) -> Vector:
        """A coordinate along the curve."""
        return np.array([each[name] for each in self.equilibria])

    @property
    def stable(self) -> Flags:
        """For each equilibrium whether its stiffness is known to resist every motion."""
        return np.array([each.stable is True for each in self.equilibria])


@door(system=a_system, start=optional(numbers_by_name), inputs=optional(numbers_by_name))
def equilibrium(
    system: System, start: Mapping[str, float] | None = None, *, inputs: Mapping[str, float] | None = None
) -> Equilibrium:
    """Where the system stays at rest under constant inputs.

    From a `start` Newton's method goes to the nearest equilibrium. Without one the nominal pose is let go slowly and then the
    inputs are raised from zero, so that what is found is what a slowly growing load leads to, through limit points if need
    be; if the whole load is not reached, `status` says where the way ended, and `reached` is the share that is carried.

    Contacts that may open are taken to hold. Where no share of the load is within their friction, this is an error that names
    them, with the coefficient they need; along `continue_equilibrium` it is the `status`.
    """
    with arithmetic(f"{system.name}: the equilibrium"):
        balance = balance_of(system)
        _refuse_time(balance)
        p = balance.traced.default_parameters
        u = balance.inputs(inputs)
        guess = balance.start(start, p)
        first = u if start is not None else np.zeros_like(u)
        # From a pose far from equilibrium a step of Newton may land on another one, coiled up: what holds it is let go slowly.
        solution = _released(balance, guess, first, p) if start is None else None
        if solution is None or not solution.found:
            solution = newton(lambda x: balance.residual(x, first, p), lambda x: balance.slope("chart", x, first, p), guess)
        if not solution.found:
            raise EquilibriumError(
                f"{system.name}: no equilibrium is found from {'the start' if start is not None else 'the nominal pose'} "
                f"(forces of {solution.residual:.2g} are left); start nearer to one, or hold what moves freely"
            )
        if start is not None or not u.any():
            least, body = least_length(balance, solution.x)
            told = "found" if least > 0.0 else f"{body} is inside out: one of its pieces has {least:.3g} of its length"
            return _resting(balance, _made(balance, solution.x, first, p, told))
        return _resting(balance, _loaded(balance, solution.x, u, p))


def _released(balance: Balance, x0: Vector, u: Vector, p: Vector) -> Solution | None:
    """Newton's homotopy: forces that hold the start are taken away little by little."""
    held = balance.residual(x0, u, p)
    if not held.any():
        return None
    equations = LoadedEquations(
        lambda x, load: balance.residual(x, u, p) - (1.0 - load) * held,
        lambda x, load: balance.slope("chart", x, u, p),
        lambda x, load: held,
    )
    follower = Follower(equations, x0)
    for _ in range(WAY):
        before = follower.now
        now = follower.advance()
        if now is None:
            return None
        if now.load >= 1.0:
            guess = before.x + (1.0 - before.load) / (now.load - before.load) * (now.x - before.x)
            return newton(lambda x: balance.residual(x, u, p), lambda x: balance.slope("chart", x, u, p), guess)
    return None


def _loaded(balance: Balance, x: Vector, u: Vector, p: Vector) -> Equilibrium:
    """Inputs raised from zero to what is asked for."""
    equations = LoadedEquations(
        lambda x, load: balance.residual(x, load * u, p),
        lambda x, load: balance.slope("chart", x, load * u, p),
        lambda x, load: balance.slope("inputs", x, load * u, p) @ u,
    )

    def solved(guess: Vector, load: float) -> Vector | None:
        found = newton(lambda x: balance.residual(x, load * u, p), lambda x: balance.slope("chart", x, load * u, p), guess)
        return found.x if found.found else None

    follower = Follower(equations, x)
    best, why = (x, 0.0), ""
    for _ in range(WAY):
        before = follower.now
        now = follower.advance()
        if now is None or now.load < -1.0:
            break
        here: tuple[Vector, float] = (now.x, now.load)
        if now.load >= 1.0:
            share = (1.0 - before.load) / (now.load - before.load)
            last = solved(before.x + share * (now.x - before.x), 1.0)
            if last is None:
                break
            here = (last, 1.0)
        least, body = least_length(balance, here[0])
        if not least > 0.0:
            best, why = last_before(balance, (before.x, before.load), here, solved), f", where {body} is pressed to nothing"
            break
        if here[1] == 1.0:
            return _made(balance, here[0], u, p)
        best = here if here[1] > best[1] else best
    else:
        why = f", after {WAY} steps; follow it with continue_equilibrium"
    told = f"no way to the whole load: it ends at {100.0 * best[1]:.4g} % of the inputs{why}"
    return _made(balance, best[0], best[1] * u, p, told, best[1])


@door(system=a_system, along=name, to=number, start=optional(numbers_by_name), inputs=optional(numbers_by_name), most=whole)
def continue_equilibrium(
    system: System,
    along: str,
    to: float,
    start: Mapping[str, float] | None = None,
    *,
    inputs: Mapping[str, float] | None = None,
    begin: float | None = None,
    most: int = LONGEST,
) -> EquilibriumPath:
    """Follow an equilibrium while an input or a parameter goes `to` a value, through limit points.

    It begins at the value of `inputs` (zero) or of the parameter, or at `begin`. Loads at which the curve turns back, or at
    which its stiffness loses a direction (buckling), are located and kept as `changes`. The curve ends at the load asked
    for, as far on the other side of where it began, or after `most` points.
    """
    begin = None if begin is None else number(begin, "begin")
    with arithmetic(f"{system.name}: the equilibria along {along!r}"):
        is_input = along in [symbol.name for symbol in system.layout.inputs]
        if not is_input and along not in system.parameters:
            known = [*(symbol.name for symbol in system.layout.inputs), *system.parameters]
            raise UnknownNameError(f"{system.name} has no input or parameter {along!r}: {suggestion(along, known)}")
        balance = balance_of(system, () if is_input else (along,))
        _refuse_time(balance)
        u = balance.inputs(inputs)
        p = balance.traced.default_parameters
        place = balance.input_names.index(along) if is_input else 0
        first = float((u if is_input else p)[place]) if begin is None else begin
        if first == to:
            raise EquilibriumError(
                f"{system.name}: {along!r} begins at {first!r}, where it should end; give another value of to="
            )
        return _Curve(balance, along, is_input, place, u, p, first, float(to)).follow(start, most)


class _Curve:
    """A curve of equilibria along one input or parameter."""

    def __init__(
        self, balance: Balance, along: str, is_input: bool, place: int, u: Vector, p: Vector, first: float, last: float
    ) -> None:
        self.balance, self.along, self.is_input, self.place = balance, along, is_input, place
        self.u, self.p, self.first, self.last = u, p, first, last

    def value(self, load: float) -> float:
        """Value of the load at a share of the range."""
        return self.first + load * (self.last - self.first)

    def arguments(self, load: float) -> tuple[Vector, Vector]:
        """Inputs and parameters at a share of the range."""
        u, p = self.u.copy(), self.p.copy()
        (u if self.is_input else p)[self.place] = self.value(load)
        return u, p

    def _by_load(self, x: Vector, load: float) -> Vector:
        slopes = self.balance.slope("inputs" if self.is_input else "parameters", x, *self.arguments(load))
        return slopes[:, self.place] * (self.last - self.first)

    def stiffnesses(self, point: Point) -> Vector:
        """Eigenvalues of the stiffness, the lowest first; of one that is not symmetric the sign of its determinant."""
        K = self.balance.stiffness(point.x, *self.arguments(point.load))
        return symmetric_eigenvalues(K) if is_symmetric(K) else np.array([np.linalg.det(K / np.abs(K).max())])

    def _stiffness(self, k: int, point: Point) -> float:
        return float(self.stiffnesses(point)[k])

    def negative(self, point: Point) -> int:
        """Directions that the stiffness does not resist."""
        return int((self.stiffnesses(point) < 0.0).sum())

    def made(self, point: Point) -> Equilibrium:
        """The equilibrium of a point."""
        found = _made(self.balance, point.x, *self.arguments(point.load))
        why = _why_not_held(self.balance, found)
        return replace(found, status=why) if why else found

    def follow(self, start: Mapping[str, float] | None, most: int) -> EquilibriumPath:
        """Go along the curve of equilibria."""
        b = self.balance
        u, p = self.arguments(0.0)
        found = newton(lambda x: b.residual(x, u, p), lambda x: b.slope("chart", x, u, p), b.start(start, p))
        if not found.found:
            raise EquilibriumError(
                f"{b.traced.system.name}: no equilibrium is found where the curve begins, {self.along} = {self.first!r} "
                f"(forces of {found.residual:.2g} are left); give a start nearer to one"
            )
        equations = LoadedEquations(
            lambda x, load: b.residual(x, *self.arguments(load)),
            lambda x, load: b.slope("chart", x, *self.arguments(load)),
            self._by_load,
        )
        follower = Follower(equations, found.x)
        points, changes, ended = [follower.now], [], f"after {most} points"
        count = self.negative(follower.now)
        while len(points) < most:
            before = follower.now
            now = follower.advance()
            if now is None:
                ended = f"not to be followed beyond {self.along} = {self.value(before.load):.8g}"
                break
            least, body = least_length(b, now.x)
            if not least > 0.0:
                ended = f"{body} is pressed to nothing beyond {self.along} = {self.value(before.load):.8g}"
                break
            behind = abs(now.load) >= 1.0
            if behind:
                now = self._ending(follower, before, 1.0 if now.load > 0.0 else -1.0)
            left = self.negative(now)
            if now.tangent[-1] * before.tangent[-1] < 0.0:
                changes.append(self._located("limit", follower, before, lambda point: float(point.tangent[-1])))
            elif left != count:
                changes.append(self._located("branch", follower, before, partial(self._stiffness, min(left, count))))
            follower.now, count = now, left
            points.append(now)
            if behind:
                ended = f"{self.along} = {self.value(now.load):.8g} is reached"
                break
        return EquilibriumPath(
            self.along,
            np.array([self.value(point.load) for point in points]),
            tuple(self.made(point) for point in points),
            tuple(changes),
            ended,
        )

    def _ending(self, follower: Follower, before: Point, load: float) -> Point:
        """The last point, at the very end of the range."""
        now, u_p = follower.now, self.arguments(load)
        share = (load - before.load) / (now.load - before.load)
        found = newton(
            lambda x: self.balance.residual(x, *u_p),
            lambda x: self.balance.slope("chart", x, *u_p),
            before.x + share * (now.x - before.x),
        )
        return Point(found.x, load, now.tangent) if found.found else now

    def _located(self, kind: str, follower: Follower, before: Point, sign: Callable[[Point], float]) -> LoadChange:
        """Where a function of the point changes its sign in the last step."""
        from scipy.optimize import brentq

        after = follower.now
        follower.now = before
        length = float(np.linalg.norm(np.concatenate([(after.x - before.x) / follower.scale, [after.load - before.load]])))
        seen: dict[float, Point] = {0.0: before}

        def function(step: float) -> float:
            if step not in seen:
                made = follower.at(step)
                if made is None:
                    raise _Lost
                seen[step] = made[0]
            return sign(seen[step])

        longest = length
        try:
            while np.sign(function(longest)) == np.sign(function(0.0)) and longest < 1.5 * length:
                longest *= 1.05
            bracketed = function(0.0) * function(longest) < 0.0
            place = brentq(function, 0.0, longest, xtol=1e-14, rtol=1e-13) if bracketed else longest
            function(place)
            point, load = seen[place], seen[place].load
        except _Lost:
            # Where several branches meet, Newton's method fails close by: between the nearest points on both sides.
            point, load = _between([*seen.values(), after], sign)
        follower.now = after
        return LoadChange(kind, self.value(load), self.made(point))


class _Lost(Exception):  # noqa: N818
    """A point of the curve is not reached."""


def _between(points: list[Point], sign: Callable[[Point], float]) -> tuple[Point, float]:
    """The point nearest to where a function changes its sign, and the load there, by interpolation between two points."""
    ordered = sorted(points, key=lambda point: point.load)
    values = [sign(point) for point in ordered]
    for (low, below), (high, above) in pairwise(zip(ordered, values, strict=True)):
        if below * above <= 0.0 and below != above:
            share = below / (below - above)
            return (low if share < 0.5 else high), low.load + share * (high.load - low.load)
    return ordered[-1], ordered[-1].load


def _why_not_held(balance: Balance, found: Equilibrium) -> str:
    """Why contacts do not hold in an equilibrium that took them to hold; empty where they do."""
    u, p = (np.array(list(values.values()), dtype=float) for values in (found.inputs, found.parameters))
    return why_not_held(balance.traced.system, found.start, u, p, tuple(found.parameters))


def _resting(balance: Balance, found: Equilibrium) -> Equilibrium:
    """An equilibrium whose contacts hold."""
    if why := _why_not_held(balance, found):
        raise EquilibriumError(
            f"{found.system.name}: what balances does not rest: {why}; give more friction or less load, or see with "
            "lm.simulate where it comes to rest"
        )
    return found


def _refuse_time(balance: Balance) -> None:
    if balance.function.reads("time"):
        raise EquilibriumError(
            f"{balance.traced.system.name}: its forces depend on t, so that nothing stays at rest; give them values that stay, "
            "as inputs or parameters"
        )


def _made(balance: Balance, x: Vector, u: Vector, p: Vector, status: str = "found", reached: float = 1.0) -> Equilibrium:
    return Equilibrium(
        balance.traced.system,
        dict(zip(balance.names, x.tolist(), strict=True)),
        dict(zip(balance.input_names, u.tolist(), strict=True)),
        dict(zip(balance.traced.free_parameters, p.tolist(), strict=True)),
        float(np.abs(balance.residual(x, u, p)).max(initial=0.0)),
        balance.stiffness(x, u, p),
        status,
        reached,
    )
