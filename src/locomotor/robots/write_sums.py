"""Forces of joints that are shares of one effort along a sum of joints, as `<fixed>` tendons of MJCF.

Which forces belong together is found on numbers: their efforts are to each other as the shares, at every state, and depend on
the state by the sum of those shares alone. So it does not matter how the formulas are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model.expressions import Call, Expression, Name
from locomotor.robots.laws import TOLERANCE, free_inputs, number, straight_line, unclamped, value_of
from locomotor.robots.mjcf_text import tag
from locomotor.typing import Floats

FAR = 1e3
"""A length at which a spring that is slack over a range is not."""
AUTOMATIC = -1.0
"""The rest length that MuJoCo takes for that of the pose of the file."""


@dataclass(frozen=True, eq=False)
class Law:
    """The effort that a force adds to a joint."""

    name: str
    joint: str
    effort: Expression


@dataclass(frozen=True, eq=False)
class Shares:
    """Joints and their coefficients."""

    joints: tuple[str, ...]
    of: Floats

    def tendon(self, name: str, **more: Any) -> str:
        """The element."""
        parts = [tag("joint", joint=joint, coef=share) for joint, share in zip(self.joints, self.of, strict=True)]
        return tag("fixed", parts, name=name, **more)


def shared_name(laws: list[Law]) -> str:
    """What the names of several forces begin with, else that of the first; the reader puts the kind behind it again."""
    first, last = min(laws, key=lambda law: law.name).name, max(laws, key=lambda law: law.name).name
    same = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return (first[:same].rstrip("_") or first).removesuffix("_spring").removesuffix("_damping")


# --- springs and dampers ------------------------------------------------------------------------------------------------


def passive(
    laws: list[Law], scalar: list[str], values: Mapping[str, float]
) -> Iterator[tuple[list[Law], Shares, dict[str, Any]]]:
    """Sums of joints with a spring or a damper: forces that each stands for, shares, and what the tendon does."""
    states = _states(len(scalar))
    names = {*scalar, *(f"{joint}_rate" for joint in scalar)}
    left = [law for law in laws if law.joint in scalar and law.effort.names <= {*names, *values}]
    efforts = {law.name: _efforts(law, scalar, states, values) for law in left}
    while left:
        first, group = left[0], {left[0].joint: left[0]}
        for law in left[1:]:
            if law.joint not in group and _ratio(efforts[law.name], efforts[first.name]) is not None:
                group[law.joint] = law
        for chosen in (list(group.values()), [first]):
            of = [_ratio(efforts[law.name], efforts[first.name]) or np.nan for law in chosen]
            if not np.all(np.isfinite(of)):
                continue
            shares = Shares(tuple(law.joint for law in chosen), np.array(of))
            found = _stretched(first, shares, scalar, values)
            if found is not None:
                yield chosen, *found
                left = [law for law in left if law not in chosen]
                break
        else:
            left = left[1:]


def _states(count: int) -> Floats:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.uniform(-size, size, (8, 2 * count)) for size in (0.1, 1.0, 10.0)])


def _efforts(law: Law, scalar: list[str], states: Floats, values: Mapping[str, float]) -> Floats:
    names = [*scalar, *(f"{joint}_rate" for joint in scalar)]
    return np.array([value_of(law.effort, {**values, **dict(zip(names, row, strict=True))}) for row in states])


def _ratio(one: Floats, other: Floats) -> float | None:
    """The number that one is of the other at all states; None where there is none."""
    k = int(np.abs(other).argmax())
    if not np.all(np.isfinite([*one, *other])) or not other[k] or not one[k]:
        return None
    ratio = float(one[k] / other[k])
    return ratio if np.abs(one - ratio * other).max() <= TOLERANCE * np.abs(one).max() else None


def _stretched(
    law: Law, shares: Shares, scalar: list[str], values: Mapping[str, float]
) -> tuple[Shares, dict[str, Any]] | None:
    """The sum whose spring and damper give the effort of a force, and what they are; None where none does."""
    along = np.zeros(len(scalar))
    along[[scalar.index(joint) for joint in shares.joints]] = shares.of
    unit = along / (along @ along)

    def effort(length: float, rate: float = 0.0) -> float:
        return float(_efforts(law, scalar, np.concatenate([length * unit, rate * unit])[None], values)[0])

    damping = effort(0.0) - effort(0.0, 1.0)
    stiffness = (effort(FAR) - effort(2.0 * FAR)) / FAR
    low = high = 0.0
    if abs(stiffness) * FAR > TOLERANCE * (abs(effort(FAR)) + abs(damping)):
        high, low = (end + effort(end) / stiffness for end in (FAR, -FAR))
        stiffness = effort(high + 1.0) - effort(high + 2.0)
        if not stiffness:
            return None
        high, low = (end + effort(end) / stiffness for end in (high + 1.0, low - 1.0))
        if abs(high - low) <= 1e-12 * (1.0 + abs(high)):
            low = high
        beyond = [effort(low - 2.0) - 2.0 * stiffness, effort(high + 2.0) + 2.0 * stiffness]
        if low > high or np.abs(beyond).max() > 1e-9 * abs(stiffness):  # a spring to one side only, or a softer one there
            return None
    else:
        stiffness = 0.0
    states = _states(len(scalar))
    lengths, rates = states[:, : len(scalar)] @ along, states[:, len(scalar) :] @ along
    slack = np.maximum(lengths - high, 0.0) + np.minimum(lengths - low, 0.0)
    found, wanted = -stiffness * slack - damping * rates, _efforts(law, scalar, states, values)
    size = abs(stiffness) * (1.0 + abs(high) + np.abs(lengths)) + abs(damping) * (1.0 + np.abs(rates))
    if not np.all(np.abs(found - wanted) <= TOLERANCE * size):
        return None
    does: dict[str, Any] = {"damping": damping or None, "stiffness": stiffness or None}
    if stiffness:
        if (low, high) == (AUTOMATIC, AUTOMATIC):
            shares, low, high = Shares(shares.joints, -shares.of), -high, -low
        does["springlength"] = high if low == high else (low, high)
    return shares, does


# --- actuators ----------------------------------------------------------------------------------------------------------


def pulled(laws: list[Law], scalar: list[str], values: Mapping[str, float]) -> list[list[Law]]:
    """Laws without an input, in groups of those that are to each other as numbers at every state, on a joint each."""
    names = {*scalar, *(f"{joint}_rate" for joint in scalar), *values}
    left = [law for law in laws if law.joint in scalar and law.effort.names <= names]
    efforts = {law.name: _efforts(law, scalar, _states(len(scalar)), values) for law in left}
    found = []
    while left:
        group = {left[0].joint: left[0]}
        for law in left[1:]:
            if law.joint not in group and _ratio(efforts[law.name], efforts[left[0].name]) is not None:
                group[law.joint] = law
        found.append(list(group.values()))
        left = [law for law in left if law not in found[-1]]
    return found


@dataclass(frozen=True, eq=False)
class Line:
    """effort = constant + gain u + slopes of joints and rates, within limits; u within its own."""

    row: Floats
    limits: tuple[float, float] | None
    control: tuple[float, float] | None

    def actuator(self, name: str, **on: Any) -> str:
        """The element, with the joint, the sum or the site that it acts on."""
        constant, gain, stiffness, damping = map(float, self.row)
        bias = (constant, stiffness, damping)
        return tag(
            "general",
            name=name,
            **on,
            gainprm=gain,
            biastype="affine" if any(bias) else None,
            biasprm=bias if any(bias) else None,
            ctrlrange=self.control,
            forcerange=self.limits,
        )


def driven_alone(law: Law, symbol: str | None, values: Mapping[str, float]) -> Line | None:
    """What moves a joint by a law that speaks of that joint, and of an input or of none; None where nothing does."""
    return line_of(law.effort, symbol, [law.joint], values)


def driven(laws: list[Law], symbol: str | None, scalar: list[str], values: Mapping[str, float]) -> tuple[Shares, Line] | None:
    """A sum of joints along which an input pulls, or none does, by all laws that are given; None where there is none."""
    joints = tuple(law.joint for law in laws)
    lines = [line_of(law.effort, symbol, scalar, values) for law in laws]
    first = lines[0]
    if first is None or len(set(joints)) < len(joints) or not set(joints) <= set(scalar):
        return None
    # An input is shared exactly, however little of the effort it is.
    k = 1 if symbol is not None else int(np.abs(first.row).argmax())
    if not first.row[k]:
        return None
    of = []
    for line in lines:
        if line is None or line.control != first.control:
            return None
        share = float(line.row[k] / first.row[k])
        if not share or np.abs(line.row - share * first.row).max() > TOLERANCE * np.abs(line.row).max():
            return None
        if (line.limits is None) != (first.limits is None):
            return None
        if line.limits is not None and first.limits is not None:
            wanted = np.sort(share * np.array(first.limits))
            if np.abs(wanted - line.limits).max() > TOLERANCE * np.abs(wanted).max():
                return None
        of.append(share)
    shares = Shares(joints, np.array(of))
    places = [scalar.index(joint) for joint in joints]
    slopes = []
    for part in np.split(first.row[2:], 2):
        slope = float(part[places[0]])
        wanted = np.zeros(len(scalar))
        wanted[places] = slope * shares.of
        if np.abs(part - wanted).max() > TOLERANCE * (np.abs(part).max() + abs(slope)):
            return None
        slopes.append(slope)
    return shares, Line(np.array([*first.row[:2], *slopes]), first.limits, first.control)


def line_of(law: Expression, symbol: str | None, scalar: list[str], values: Mapping[str, float]) -> Line | None:
    """A law as a straight line of an input, or none, and of joints and their rates, within limits; None where it is none."""
    factor, inside = _factor(law)
    inside, limits = unclamped(inside)
    inside, controls = free_inputs(inside, set() if symbol is None else {symbol})
    inputs = [] if symbol is None else [symbol]
    found = straight_line(inside, [*inputs, *scalar, *(f"{joint}_rate" for joint in scalar)], values)
    if found is None:
        return None
    slopes = found[1] if inputs else [0.0, *found[1]]
    bounds = None
    if limits is not None:
        low, high = sorted(factor * limit for limit in limits)
        bounds = (low, high)
    return Line(factor * np.array([found[0], *slopes]), bounds, controls.get(symbol or ""))


def _factor(law: Expression) -> tuple[float, Expression]:
    """A number that multiplies a formula, and the formula."""
    if isinstance(law, Call) and law.function == "neg" and not isinstance(law.arguments[0], Name):
        factor, inside = _factor(law.arguments[0])
        return -factor, inside
    if isinstance(law, Call) and law.function == "mul":
        for one, other in (law.arguments, law.arguments[::-1]):
            value = number(one)
            if value is not None:
                factor, inside = _factor(other)
                return value * factor, inside
    return 1.0, law
