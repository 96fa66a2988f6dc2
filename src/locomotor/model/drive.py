"""Drives: what moves the degree of freedom of a joint, a torque or an imposed motion."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import QuantityError, SampledMotionError
from locomotor.model.description import Description
from locomotor.model.expressions import Expression, QuantityLike, as_expression, as_quantity, spline
from locomotor.names import TIME


@dataclass(frozen=True)
class Torque(Description):
    """A torque (N m) or force (N) on the degree of freedom of a joint.

    The law is over `t`, coordinates, velocities, inputs and parameters; zero, the default, is passive.
    """

    law: QuantityLike = 0.0
    LAWS: ClassVar[tuple[str, ...]] = ("law",)

    def __post_init__(self) -> None:
        self._store(law=as_quantity(self.law, "the law of a Torque"))

    @property
    def is_zero(self) -> bool:
        """Whether the torque is zero, so that the joint is passive."""
        return self.law == 0.0


@dataclass(frozen=True)
class Motion(Description):
    """An imposed motion r(t): the coordinate follows the law, an expression of `t` and parameters.

    Velocity and acceleration are the exact derivatives dr/dt and d²r/dt²; the torque becomes an unknown.
    """

    law: QuantityLike
    span: tuple[float, float] | None = None
    """Times between which the law is meant, for sampled motions."""
    yields: bool = False
    """Whether an impact may change the velocity of the joint, which the law takes back at once; a drive that does not yield
    holds the joint through impacts."""
    LAWS: ClassVar[tuple[str, ...]] = ("law",)

    def __post_init__(self) -> None:
        self._store(law=as_quantity(self.law, "the law of a Motion"))
        if self.span is not None:
            self._store(span=checks.span(self.span, "the span of a Motion", error=SampledMotionError))
        checks.flag(self.yields, "yields of a Motion", error=QuantityError)

    @classmethod
    @checks.fitting
    def sampled(cls, times: ArrayLike, values: ArrayLike) -> Motion:
        """A motion through samples: a cubic spline, with two continuous derivatives."""
        law = spline(times, values)
        ends = np.asarray(times, dtype=float)
        found = cls(law, (float(ends[0]), float(ends[-1])))
        found.__dict__["is_sampled"] = True  # what is known of a spline need not be found out from its formula
        return found

    @cached_property
    def is_sampled(self) -> bool:
        """Whether the law was made as a spline through samples, which has two continuous derivatives."""
        return False

    @cached_property
    def position(self) -> Expression:
        """The imposed coordinate r(t)."""
        assert not isinstance(self.law, str)  # texts were parsed when the drive was built
        return as_expression(self.law)

    @cached_property
    def velocity(self) -> Expression:
        """dr/dt, by symbolic differentiation."""
        return self.position.derivative(TIME)

    @cached_property
    def acceleration(self) -> Expression:
        """d²r/dt², by symbolic differentiation."""
        return self.velocity.derivative(TIME)


Drive = Torque | Motion
