"""Couplings of joints as equalities of MJCF: one coordinate, or a sum of several, as a polynomial of another.

A sum is a `<fixed>` tendon. Which joints belong to which sum is found on numbers: those of the first have slopes that are
numbers, those of the second slopes that are to each other as their shares, at every state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from locomotor.model import Expression
from locomotor.model.expressions import Name, as_expression
from locomotor.robots.laws import TOLERANCE, TRIALS, polynomial, straight_line, value_of
from locomotor.robots.mjcf_text import tag
from locomotor.robots.write_sums import Shares
from locomotor.typing import Floats

DEGREE = 4
"""The highest power that MJCF has."""
Sum = Callable[[str, Shares], str]
"""Adds a tendon that is a sum of joints, and gives its name back."""


def tied(name: str, law: Expression, scalar: list[str], values: Mapping[str, float], add: Sum) -> str | None:
    """The equality that says law = 0; None where there is none."""
    names = sorted(law.names - set(values))
    if not names or not set(names) <= set(scalar):
        return None
    return _of_joints(name, law, names, values) or _of_sums(name, law, names, values, add)


def _of_joints(name: str, law: Expression, names: list[str], values: Mapping[str, float]) -> str | None:
    """One coordinate as a polynomial of another: a + p(b) = 0 up to a factor."""
    if len(names) > 2:
        return None
    for one in names:
        other = next((name for name in names if name != one), None)
        slope = law.derivative(one)
        if slope.names - set(values) or not float(slope.evaluate(values)):
            continue
        factor = float(slope.evaluate(values))
        rest = law.substitute({one: 0.0})
        if other is None:
            constant = -float(rest.evaluate(values)) / factor
            return tag("joint", name=name, joint1=one, polycoef=(constant, 0.0, 0.0, 0.0, 0.0))
        found = polynomial(rest, other, DEGREE, values)
        if found is not None:
            return tag("joint", name=name, joint1=one, joint2=other, polycoef=-found / factor + 0.0)
    return None


def _of_sums(name: str, law: Expression, names: list[str], values: Mapping[str, float], add: Sum) -> str | None:
    """One sum of joints as a polynomial of another. Sums are zero in the pose of the file, from which MuJoCo counts them."""
    line = straight_line(law, names, values)
    if line is not None:
        constant, slopes = line
        held = add(name, Shares(tuple(names), slopes))
        return tag("tendon", name=name, tendon1=held, polycoef=(-constant + 0.0, 0.0, 0.0, 0.0, 0.0))
    states = np.random.default_rng(0).uniform(-3.0, 3.0, (TRIALS, len(names)))
    slopes = _slopes(law, names, states, values)
    size = np.abs(slopes).max(initial=0.0)
    if not np.isfinite(size):
        return None
    straight = np.ptp(slopes, axis=0) <= TOLERANCE * size
    leading, bent = [n for n, s in zip(names, straight, strict=True) if s], np.flatnonzero(~straight)
    first, second = slopes[0][straight], slopes[:, bent]
    if not leading:
        return None
    steepest = second[np.abs(second).max(axis=1).argmax()]
    along = steepest / np.abs(steepest).max()
    if np.abs(second - np.outer(second @ along, along) / (along @ along)).max() > TOLERANCE * size:
        return None
    others = [names[k] for k in bent]
    length: Expression = Name(others[0])
    unit = {other: as_expression(float(share)) * length for other, share in zip(others, along / (along @ along), strict=True)}
    found = polynomial(law.substitute(dict.fromkeys(leading, 0.0)).substitute(unit), others[0], DEGREE, values)
    if found is None:
        return None
    for q in states:
        powers = float(along @ q[bent]) ** np.arange(DEGREE + 1)
        said = float(first @ q[straight] + found @ powers)
        most = 1.0 + float(np.abs(first) @ np.abs(q[straight]) + np.abs(found) @ np.abs(powers))
        if not abs(said - value_of(law, {**values, **dict(zip(names, q, strict=True))})) <= TOLERANCE * most:
            return None
    one, other = add(name, Shares(tuple(leading), first)), add(f"{name}_by", Shares(tuple(others), along))
    return tag("tendon", name=name, tendon1=one, tendon2=other, polycoef=-found + 0.0)


def _slopes(law: Expression, names: list[str], states: Floats, values: Mapping[str, float]) -> Floats:
    """Derivatives by all names, a row for each state."""
    rates = [law.derivative(name) for name in names]
    return np.array(
        [[value_of(rate, {**values, **dict(zip(names, q, strict=True))}) for rate in rates] for q in states], dtype=float
    )
