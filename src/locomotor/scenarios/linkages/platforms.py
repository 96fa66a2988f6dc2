"""Platforms and parts of cars: Stewart, delta, suspension and steering, against the geometry of circles and spheres."""

import math
from collections.abc import Mapping

import numpy as np

from locomotor.catalogue import delta_robot, gait, steering, stewart_platform, suspension
from locomotor.scenarios.registry import Computation, Number, Scenario, register
from locomotor.simulation import Run, simulate

NEWTON = "round-off of Newton's method"

# -- a Stewart platform ------------------------------------------------------------------------------------------------


def joints_of(radius: float, offset: float) -> list[complex]:
    """Joints in pairs, a third of a turn from pair to pair."""
    return [
        radius * complex(math.cos(a), math.sin(a))
        for pair in range(3)
        for a in (2.0 * math.pi / 3.0 * pair - offset, 2.0 * math.pi / 3.0 * pair + offset)
    ]


def platform() -> dict[str, float]:
    """Legs at rest carry the plate; legs that move are as long as from foot to head."""
    system = stewart_platform()
    length = math.dist((*_xy(joints_of(0.5, math.pi / 3.0 - 0.25)[0]), 0.0), (*_xy(joints_of(0.3, 0.25)[0]), 0.6))
    still = simulate(system.with_motions({f"leg_{k}": repr(length) for k in range(1, 7)}), 0.002, step=0.002)
    lifts = [float(still[f"head_{k}_z_multiplier"][0]) for k in range(1, 7)]
    run = simulate(system, 1.0, motions=gait("stewart_platform", "tilt"), sample=0.02)
    plate = run.pose("plate")
    apart = 0.0
    for k, (foot, head) in enumerate(zip(joints_of(0.5, math.pi / 3.0 - 0.25), joints_of(0.3, 0.25), strict=True), 1):
        at = plate.position + plate.rotation @ np.array([head.real, head.imag, 0.0])
        long = np.linalg.norm(at - [foot.real, foot.imag, 0.0], axis=1)
        apart = max(apart, float(np.abs(long - run[f"leg_{k}"]).max()))
    return {
        "weight on the legs": sum(lifts),
        "legs at rest, largest difference": max(lifts) - min(lifts),
        "lengths, largest difference": apart,
    }


def _xy(point: complex) -> tuple[float, float]:
    return point.real, point.imag


register(
    Computation(
        "stewart_platform/legs",
        "A Stewart platform at rest, and tilted round by its legs",
        "statics, and distances between two points",
        compute=platform,
        numbers=(
            Number("weight on the legs", 5.0 * 9.81, 1e-8, "round-off", "closed form: 5 kg times 9.81 m/s^2", unit="N"),
            Number("legs at rest, largest difference", 0.0, 1e-8, "round-off", "closed form: symmetry", unit="N"),
            Number("lengths, largest difference", 0.0, 1e-11, NEWTON, "closed form: from foot to head", unit="m"),
        ),
    )
)

# -- a delta robot -----------------------------------------------------------------------------------------------------


def circled(run: Run) -> Mapping[str, float]:
    """The plate is where three spheres meet, about the ends of the arms moved inwards by the radius of the plate."""
    worst = 0.0
    for k in range(0, len(run.time), 10):
        out = [0.15 - 0.05 + 0.2 * math.cos(run[f"arm_{j}"][k]) for j in (1, 2, 3)]
        down = [-0.2 * math.sin(run[f"arm_{j}"][k]) for j in (1, 2, 3)]
        turn = [2.0 * math.pi / 3.0 * j for j in range(3)]
        P = np.array([[o * math.cos(a), o * math.sin(a), z] for o, a, z in zip(out, turn, down, strict=True)])
        # Differences of the spheres' equations are two planes; the lower point of their line that is on the first sphere.
        A, b = 2.0 * (P[1:] - P[0]), (P[1:] ** 2).sum(axis=1) - (P[0] ** 2).sum()
        line = np.cross(A[0], A[1])
        line /= np.linalg.norm(line)
        point = np.linalg.lstsq(A, b, rcond=None)[0]
        half, rest = line @ (point - P[0]), ((point - P[0]) ** 2).sum() - 0.45**2
        reach = math.sqrt(half**2 - rest)
        lowest = min((point + (-half + s * reach) * line for s in (-1.0, 1.0)), key=lambda p: p[2])
        worst = max(worst, float(np.abs(lowest - [run[name][k] for name in "xyz"]).max()))
    turned = max(float(np.abs(run[name]).max()) for name in ("roll", "pitch", "yaw"))
    return {"plate, largest difference": worst, "attitude, largest": turned}


register(
    Scenario(
        "delta_robot/circle",
        "The plate of a delta robot goes round in a circle and keeps its attitude",
        "Clavel 1985: three spheres about the ends of the arms",
        system=delta_robot,
        settings={"duration": 2.0, "motions": gait("delta_robot", "circle"), "step": 2e-3, "sample": 0.01},
        measure=circled,
        numbers=(
            Number("plate, largest difference", 0.0, 1e-10, NEWTON, "closed form: three spheres", unit="m"),
            Number("attitude, largest", 0.0, 1e-11, NEWTON, "closed form: the rods of a pair stay parallel", unit="rad"),
        ),
    )
)

# -- a corner of a car -------------------------------------------------------------------------------------------------

SETTLED = "what is left of the swing after 8 s"
WEIGHT = (300.0 + 15.0 + 20.0 + 2.0 * 3.0) * 9.81


def rested(run: Run) -> Mapping[str, float]:
    """What the tyre carries, by how far it is pressed in."""
    rim = run.pose("rim")
    depth = 0.3 * math.sqrt(1.0 - rim.rotation[-1, 2, 1] ** 2) - rim.position[-1, 2]  # of the lowest point of a disc that leans
    return {
        "push of the ground at rest": 200000.0 * depth,
        "speed at the end": abs(float(run["heave_rate"][-1])),
        "largest gap": float(run.audit()["largest_gap"]),
    }


register(
    Scenario(
        "suspension/rests",
        "A corner of a car is let go above its height and comes to rest on its spring and tyre",
        "statics",
        system=suspension,
        settings={"duration": 8.0, "start": {"heave": 0.3}, "step": 5e-4, "sample": 0.05},
        measure=rested,
        numbers=(
            Number("push of the ground at rest", WEIGHT, 0.03, SETTLED, "closed form: all weights", unit="N"),
            Number("speed at the end", 0.0, 1e-4, SETTLED, "closed form", unit="m/s"),
            Number("largest gap", 0.0, 1e-10, NEWTON, "closed form", unit="m"),
        ),
    )
)

# -- Ackermann's steering ----------------------------------------------------------------------------------------------

TRACK, WHEELBASE, ARM = 1.4, 2.6, 0.18


def inward() -> float:
    """Angle of the arms: tan(a) (1 + 2 r sin(a)/s) = track/wheelbase, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        a = 0.5 * (low + high)
        s = TRACK - 2.0 * ARM * math.sin(a)
        low, high = (a, high) if math.tan(a) * (1.0 + 2.0 * ARM * math.sin(a) / s) < TRACK / WHEELBASE else (low, a)
    return low


def steered(run: Run) -> Mapping[str, float]:
    """The right wheel where two circles meet: about its kingpin, and about the end of the left arm."""
    a = inward()
    rod = TRACK - 2.0 * ARM * math.sin(a)
    pin, straight = complex(0.0, -0.5 * TRACK), complex(-math.cos(a), math.sin(a))
    end = complex(0.0, 0.5 * TRACK) - ARM * complex(math.cos(a), math.sin(a)) * np.exp(1j * run["left"])
    d = np.abs(end - pin)
    along = (d**2 + ARM**2 - rod**2) / (2.0 * d)
    across = np.sqrt(ARM**2 - along**2)
    meets = [pin + (end - pin) / d * (along + side * 1j * across) for side in (1.0, -1.0)]
    turns = np.array([np.angle((meet - pin) / ARM / straight) for meet in meets])
    near = np.take_along_axis(turns, np.abs(turns - run["left"]).argmin(axis=0)[None], axis=0)[0]
    k = int(np.argmin(np.abs(run["left"] - 0.02)))
    return {
        "right wheel, largest difference": float(np.abs(near - run["right"]).max()),
        "cot(outside) - cot(inside) at a small angle": 1.0 / math.tan(run["right"][k]) - 1.0 / math.tan(run["left"][k]),
    }


register(
    Scenario(
        "steering/angles",
        "Ackermann's steering: the wheel inside a bend turns more",
        "two circles, and Ackermann's condition",
        system=steering,
        settings={"duration": 2.0, "motions": {"left": "0.4*sin(pi*t)"}, "step": 1e-3},
        measure=steered,
        numbers=(
            Number("right wheel, largest difference", 0.0, 1e-10, NEWTON, "closed form: two circles meet", unit="rad"),
            Number(
                "cot(outside) - cot(inside) at a small angle",
                TRACK / WHEELBASE,
                2e-3,
                "the linkage meets the condition to second order: what is left is of the order of the angle squared, 0.02^2",
                "closed form: both axles meet on the line of the rear one",
            ),
        ),
    )
)
