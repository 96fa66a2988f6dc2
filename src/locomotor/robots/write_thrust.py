"""Forces and torques on bodies as actuators of MJCF that push a site, along one direction, by a line of one input or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import BodyForce, BodyTorque, evaluate
from locomotor.model.expressions import as_expression
from locomotor.names import WORLD
from locomotor.robots.laws import TOLERANCE
from locomotor.robots.write_sums import Line, line_of
from locomotor.robots.write_tendons import Site
from locomotor.typing import Floats


@dataclass(frozen=True, eq=False)
class Thrust:
    """Effort by an input or none, and the direction that it has as a force and a torque."""

    force: BodyForce | BodyTorque
    symbol: str | None
    line: Line
    along: Floats

    def actuator(self, name: str, values: Mapping[str, float], site: Site, axes: Callable[[], str]) -> str:
        """The element; its site is added to the body. `axes` gives a site along whose axes forces of the world are."""
        of = self.force
        at = evaluate(of.at, values) if isinstance(of, BodyForce) else np.zeros(3)
        on: dict[str, Any] = {"site": site(of.body, of.name, at)}
        if of.frame == WORLD:
            on["refsite"] = axes()
        gear = [*self.along, 0.0, 0.0, 0.0] if isinstance(of, BodyForce) else [0.0, 0.0, 0.0, *self.along]
        return self.line.actuator(name, **on, gear=gear)


def thrust_of(force: BodyForce | BodyTorque, inputs: set[str], values: Mapping[str, float]) -> Thrust | None:
    """What an actuator says of a force; None where its components are no shares of one line."""
    laws = [as_expression(law).substitute(values) for law in force.components]  # type: ignore[union-attr, arg-type]
    used = sorted({name for law in laws for name in law.names})
    if len(used) > 1 or not set(used) <= inputs:
        return None
    symbol = used[0] if used else None
    lines = [line_of(law, symbol, [], values) for law in laws]
    found = [line for line in lines if line is not None]
    if len(found) < len(lines):
        return None
    first = max(found, key=lambda line: float(np.abs(line.row).max()))
    k = int(np.abs(first.row).argmax())
    if not first.row[k]:
        return None
    shares = []
    for line in found:
        share = float(line.row[k] / first.row[k])
        if np.abs(line.row - share * first.row).max() > TOLERANCE * np.abs(first.row).max():
            return None
        if share and (line.control != first.control or not _alike(line.limits, first.limits, share)):
            return None
        shares.append(share)
    whole = Line(np.array([*first.row, 0.0, 0.0]), first.limits, first.control)
    return Thrust(force, symbol, whole, np.array(shares))


def _alike(limits: tuple[float, float] | None, first: tuple[float, float] | None, share: float) -> bool:
    """Whether limits are the share of those of the first."""
    if limits is None or first is None:
        return limits is first
    wanted = np.sort(share * np.array(first))
    return bool(np.abs(wanted - limits).max() <= TOLERANCE * np.abs(wanted).max())
