"""Motion by constraints alone: the two-wheel platform and the head of the wheeled snake (docs/theory.md (A4))."""

import math

import numpy as np

from locomotor.catalogue import gait, two_wheel_platform, unicycle, wheeled_snake
from locomotor.figures import Curves, Path
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree import Instant, forward
from locomotor.scenarios.locomotion.sources import COMPUTED, energy_error
from locomotor.scenarios.registry import Computation, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run

FORMULA = "rolling without slip (docs/theory.md (A4)): V_x = rho/2 (r_R + r_L), Omega = rho/(2 d) (r_R - r_L)"
RADIUS, HALF_TRACK = 0.1, 0.2
SPEED, TURN = 0.5 * RADIUS * (6.0 + 4.0), 0.5 * RADIUS / HALF_TRACK * (6.0 - 4.0)


def _circle(run: Run) -> dict[str, float]:
    angle, radius = TURN * run.time, SPEED / TURN
    path = np.hypot(run["x"] - radius * np.sin(angle), run["y"] - radius * (1.0 - np.cos(angle)))
    return {
        "speed": float(run["speed"][-1]),
        "yaw rate": float(run["yaw_rate"][-1]),
        "sideways speed, largest": float(np.abs(run["sway_speed"]).max()),
        "distance from the circle, largest": float(path.max()),
        "work of the torques less change of energy": energy_error(run),
    }


for _name, _system in (("two_wheel_platform", two_wheel_platform), ("unicycle", unicycle)):
    register(
        Scenario(
            f"{_name}/circle",
            f"{_name.replace('_', ' ').capitalize()}: both wheels turn evenly, and it rolls on a circle",
            "Mauny, PhD thesis (2018), section 1.4.2; Belkhiri, PhD thesis (2013), section 2.3",
            system=_system,
            settings={"duration": 5.0, "step": 0.001, "motions": gait(_name, "circle")},
            measure=_circle,
            numbers=(
                Number("speed", SPEED, 1e-15, "round-off", FORMULA, unit="m/s"),
                Number("yaw rate", TURN, 1e-15, "round-off", FORMULA, unit="rad/s"),
                *vanishing(["sideways speed, largest"], 1e-15, FORMULA, "m/s"),
                *vanishing(["distance from the circle, largest"], 1e-12, FORMULA, "m", "RK4 at a step of 1 ms"),
                *vanishing(["work of the torques less change of energy"], 1e-12, f"{COMPUTED}: balance of work", "J"),
            ),
            figures=(Path("top", 1.0, title="Seen from above"),),
        )
    )


def _head(shape: tuple[float, float]) -> float:
    """Determinant of the rows of the first three axles over the velocities of the head."""
    system = wheeled_snake(3)
    q = np.zeros(system.layout.nq)
    q[3:5] = shape
    rows = constraint_set(forward(Instant(system, q, np.zeros(system.layout.nv)))).matrix
    lateral = [i for i, row in enumerate(rows) if np.abs(row).max() > 1e-12]
    return float(np.linalg.det(np.asarray(rows[np.ix_(lateral, [0, 1, 2])], dtype=float)))


SHAPES = ((0.5, -0.2), (-0.3, 0.9), (1.1, 0.4), (0.4, 0.4), (0.0, 0.0))


def _key(r1: float, r2: float) -> str:
    return f"determinant at ({r1}, {r2})"


def _snake_head() -> dict[str, float]:
    from locomotor.analysis.connections import connection

    found = {_key(*shape): _head(shape) for shape in SHAPES}
    A = connection(wheeled_snake(3))([0.5, -0.2])
    return {**found, "sway per joint rate, largest": float(np.abs(A[1]).max())}


register(
    Computation(
        "wheeled_snake/head",
        "Wheeled snake: the three axles of the head determine its motion except at constant curvature",
        "Hirose's ACM-III: Belkhiri, PhD thesis (2013), section 2.3",
        compute=_snake_head,
        numbers=(
            *(
                Number(
                    _key(r1, r2),
                    0.05 * (math.sin(r2) - math.sin(r1) - math.sin(r1 - r2)),
                    1e-16,
                    "round-off",
                    f"{COMPUTED}: L/2 (sin r_2 - sin r_1 - sin(r_1 - r_2))",
                    unit="m",
                )
                for r1, r2 in SHAPES
            ),
            *vanishing(["sway per joint rate, largest"], 1e-16, "the axle under the head does not slip sideways", "m"),
        ),
    )
)


DRAWN = "computed by an independent program: each module is drawn by the hitch before it, its axle does not slip"


def _follow(run: Run) -> dict[str, float]:
    """How far each module's centre is from the path of the head, where the whole snake has passed."""
    head = np.stack([run["axle_0_point_x"], run["axle_0_point_y"]])
    tail = np.stack([run["axle_7_point_x"], run["axle_7_point_y"]])
    late = run.time > 4.0
    off = [float(np.hypot(*(head - point[:, None])).min()) for point in tail.T[late][::50]]
    slips = max(float(np.abs(values).max()) for values in run.group("slips").values())
    return {
        "tail from the path of the head, largest": max(off),
        "sideways slip of an axle, largest": slips,
        "work of the torques less change of energy": energy_error(run),
    }


register(
    Scenario(
        "wheeled_snake/steer",
        "Wheeled snake that coasts: only the neck steers, and the tail follows the leader",
        "Mauny, PhD thesis (2018), remark 1.10; Belkhiri, PhD thesis (2013), section 2.3",
        system=wheeled_snake,
        settings={
            "duration": 6.0,
            "step": 0.001,
            "motions": gait("wheeled_snake", "steer"),
            "start": {"speed": 0.3},
        },
        measure=_follow,
        numbers=(
            # Axles under the centres of the modules follow each other exactly in a steady turn, otherwise only nearly.
            *digits({"tail from the path of the head, largest": "0.010864"}, DRAWN, "m"),
            *vanishing(["sideways slip of an axle, largest"], 1e-14, "an ideal axle", "m/s"),
            *vanishing(["work of the torques less change of energy"], 1e-9, f"{COMPUTED}: balance of work", "J"),
        ),
        figures=(
            Path("top", 1.0, title="Seen from above"),
            Curves(("joint_1", "joint_4", "joint_7"), title="Neck, middle and tail"),
        ),
    )
)
