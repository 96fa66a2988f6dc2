"""Springs, dampers and cables between points as tendons of MJCF: straight lines between two sites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.model import Ball, Contact, Force, PointDamper, PointSpring, SlidingPoint, System, evaluate
from locomotor.model.expressions import known
from locomotor.robots.mjcf_text import tag

Site = Callable[[str, str, Any], str]
"""Puts a site on a body and gives its name back."""


def written(force: Force, values: Mapping[str, float], site: Site) -> str | None:
    """The tendon that pulls like a force; None where there is none."""
    does = stretching(force, values)
    return None if does is None else between(force.name, force, values, site, **does)


def between(name: str, part: Any, values: Mapping[str, float], site: Site, **does: Any) -> str:
    """A tendon between the points `at_a` and `at_b` of what joins two bodies, and what it does."""
    ends = [
        site(getattr(part, f"body_{end}"), f"{part.name}_{end}", evaluate(getattr(part, f"at_{end}"), values)) for end in "ab"
    ]
    return tag("spatial", [tag("site", site=end) for end in ends], name=name, **does, rgba="0 0 0 0")


@dataclass(frozen=True, eq=False)
class Cable:
    """A point that stays within a distance of another: a contact with the inside of a ball, as `with_cable` makes it."""

    name: str
    body_a: str
    at_a: Any
    body_b: str
    at_b: Any
    longest: float

    def tendon(self, name: str, values: Mapping[str, float], site: Site) -> str:
        """The tendon that does not become longer."""
        return between(name, self, values, site, range=(0.0, self.longest))


def cable_of(contact: Contact, system: System, values: Mapping[str, float]) -> Cable | None:
    """A contact as a cable; None for others."""
    ball = system.ground(contact.ground)
    if not isinstance(contact, SlidingPoint) or not isinstance(ball, Ball) or not ball.inside:
        return None
    longest = known(ball.radius, values)
    if longest is None or not contact.law.pushes or contact.law.is_gated:
        return None
    return Cable(contact.name, ball.body, ball.centre, contact.body, contact.at, longest)


@singledispatch
def stretching(force: Force, values: Mapping[str, float]) -> dict[str, float] | None:
    """What a tendon does that pulls like a force between two points; None for other forces."""
    return None


@stretching.register
def _(force: PointSpring, values: Mapping[str, float]) -> dict[str, float]:
    # MuJoCo takes a length of -1 for that in the pose of the file; ours are never negative.
    return {"stiffness": float(evaluate(force.stiffness, values)), "springlength": float(evaluate(force.length, values))}


@stretching.register
def _(force: PointDamper, values: Mapping[str, float]) -> dict[str, float]:
    return {"damping": float(evaluate(force.damping, values))}
