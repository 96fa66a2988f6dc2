"""Constraints C(q, t) v = b(q, t) beside contacts and imposed motions: kernel, bias and both forms of the dynamics.

The oracle is each constraint once more, as a Python function, and differences along the motion: no derivative of C or b.
"""

from collections.abc import Callable
from math import cos, exp, sin
from typing import Any, NamedTuple

import numpy as np
import pytest

from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.mechanics.chart.poses import perturbed
from locomotor.mechanics.tree.kinematics import Instant
from locomotor.model import System, VelocityConstraint
from oracles.constrained import close
from oracles.saddle_point import saddle_point
from oracles.sampling import moved, touching
from oracles.vehicles import SYSTEMS, pinned_chain

Array = Any

TIME = 0.7
# As in test_constraints: the kernel is exact, two ways of solving differ by round-off times a condition number.
KERNEL_TOLERANCE = 1e-13
DYNAMICS_TOLERANCE = 1e-11
# A central difference over 1e-4 s of what has third derivatives up to 1e2: its error is h²/6 of that.
DIFFERENCE, DIFFERENCE_TOLERANCE = 1e-4, 1e-6


class Told(NamedTuple):
    """A system, one more constraint of it, and the same as C v - b of the names at an instant."""

    system: str
    row: dict[str, Any]
    equals: Any
    slip: Callable[[Any], float]
    motions: dict[str, str] = {}  # noqa: RUF012


CASES = [
    Told(
        "sleigh",
        {"rail_rate": "1 + 0.3*cos(2*t + rail)"},
        "0.4*sin(3*t)*(1 + rail)",
        lambda n: (1 + 0.3 * cos(2 * n["t"] + n["rail"])) * n["rail_rate"] - 0.4 * sin(3 * n["t"]) * (1 + n["rail"]),
    ),
    Told(
        "sleigh",
        {"rail_rate": 1.0, "yaw_rate": "0.2*sin(t)"},
        0.3,
        lambda n: n["rail_rate"] + 0.2 * sin(n["t"]) * n["yaw_rate"] - 0.3,
    ),
    Told(
        "tricycle",
        {"steer_rate": 1.0, "left_rate": "0.1*exp(-t)"},
        "cos(2*t) - steer + 0.5",
        lambda n: n["steer_rate"] + 0.1 * exp(-n["t"]) * n["left_rate"] - (cos(2 * n["t"]) - n["steer"] + 0.5),
    ),
    Told(
        "train",
        {"hitch_1_rate": "2 + sin(t)", "hitch_2_rate": "cos(hitch_1)"},
        "t*(1 + hitch_2)",
        lambda n: (2 + sin(n["t"])) * n["hitch_1_rate"] + cos(n["hitch_1"]) * n["hitch_2_rate"] - n["t"] * (1 + n["hitch_2"]),
    ),
    Told(
        "bicycle meijaard2007",
        {"steer_rate": "cos(t)", "roll_rate": 0.5},
        "0.3*sin(t) + 0.1*steer",
        lambda n: cos(n["t"]) * n["steer_rate"] + 0.5 * n["roll_rate"] - (0.3 * sin(n["t"]) + 0.1 * n["steer"]),
    ),
    Told(
        "tricycle",
        {"left_rate": "1 + 0.1*t"},
        "sin(t)",
        lambda n: (1 + 0.1 * n["t"]) * n["left_rate"] - sin(n["t"]),
        {"steer": "0.2*sin(2*t)"},
    ),
    Told(
        "chain",
        {"bend_3_rate": 1.0, "bend_4_rate": "-t"},
        "0.3*cos(t)*(2 + bend_3)",
        lambda n: n["bend_3_rate"] - n["t"] * n["bend_4_rate"] - 0.3 * cos(n["t"]) * (2 + n["bend_3"]),
    ),
]
every = pytest.mark.parametrize("told", CASES, ids=[f"{k}-{told.system}" for k, told in enumerate(CASES)])


def motion_of(told: Told) -> ReducedMotion:
    """A random state that satisfies everything."""
    rng = np.random.default_rng(4)
    chain = pinned_chain()  # long enough for rows of auxiliary twists, and pinned at its end only
    system: System = chain.replace(contacts=chain.contacts[-1:]) if told.system == "chain" else SYSTEMS[told.system]()
    q = perturbed(system, system.nominal_pose(), 0.2, rng)
    places = []
    for joint, law in told.motions.items():
        assert law == "0.2*sin(2*t)"
        q[system.layout.q[joint].start] = 0.2 * sin(2 * TIME)
        places.append(system.layout.v[joint].start)
    q = touching(system, q, tuple(places))
    constraint = VelocityConstraint("moving", told.row, equals=told.equals)
    whole = system.replace(constraints=(constraint,), independent=None).with_motions(told.motions)
    reduction = choose_reduction(whole, q, time=TIME)
    return ReducedMotion(reduction, q, rng.normal(size=len(reduction.free)), TIME)


@every
def test_velocities_satisfy_rows_with_a_right_hand_side(told: Told) -> None:
    m = motion_of(told)
    assert told.system != "chain" or len(m.constraints.sparse) > len(m.constraints.labels)
    assert told.slip({**m.kinematics.instant.names, **dict.fromkeys(told.row, 0.0)}) < -0.05  # there is one
    assert told.slip(m.kinematics.instant.names) == pytest.approx(0.0, abs=KERNEL_TOLERANCE)
    assert close(m.constraints.slip, np.zeros(len(m.constraints.slip)), KERNEL_TOLERANCE)


@every
def test_accelerations_keep_them(told: Told) -> None:
    """Along the motion that they give, C v - b does not change."""
    m = motion_of(told)
    system, h = m.reduction.system, DIFFERENCE
    sides = []
    for s in (1.0, -1.0):
        q = moved(system, m.q, s * h * m.v)
        sides.append(told.slip(Instant(system, q, m.v + s * h * m.v_dot, TIME + s * h).names))
    assert (sides[0] - sides[1]) / (2.0 * h) == pytest.approx(0.0, abs=DIFFERENCE_TOLERANCE)


@every
def test_reduced_and_multiplier_form_agree(told: Told) -> None:
    m = motion_of(told)
    if told.motions:
        pytest.skip("the multiplier form knows no imposed motions")
    rows = sorted(i for i, _ in m.reduction.pivots.steps if i < len(m.constraints.labels))
    v_dot, multipliers = saddle_point(Instant(m.reduction.system, m.q, m.v, TIME), rows)
    C = m.constraints.matrix
    assert close(m.v_dot, v_dot, DYNAMICS_TOLERANCE)
    assert close(C.T @ m.multipliers, C[rows].T @ multipliers, DYNAMICS_TOLERANCE)
