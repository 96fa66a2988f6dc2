"""A cylinder on an incline in five treatments, a free rigid body, a robot of two joints, a double pendulum in space."""

import math
from collections.abc import Mapping

import numpy as np

from locomotor.catalogue import cylinder_on_incline, double_pendulum, free_rigid_body, robot_2r
from locomotor.scenarios.registry import Computation, Number, Scenario, register
from locomotor.simulation import Run, accelerations, simulate

# -- a cylinder on an incline ------------------------------------------------------------------------------------------

M, R, ALPHA, G = 2.0, 0.1, math.pi / 6.0, 9.81
ALONG, ACROSS = G * math.sin(ALPHA), G * math.cos(ALPHA)

EXACT = "accelerations are constant: Runge-Kutta is exact, and round-off is left"
LLIBRE = "closed form, Llibre (2009), section 2: the same in every treatment, ours the numbers"
REVERSES = 1.0 / (ALONG + 3.0 * 0.1 * ACROSS)
"""Seconds after which a slip of 1 m/s has vanished, with mu = 0.1."""


def treatments() -> dict[str, float]:
    """How the cylinder accelerates down the slope, and what holds it, in each of five ways."""
    found: dict[str, float] = {}
    for way in ("holonomic", "integrated", "multiplier", "two_multipliers", "contact"):
        run = simulate(cylinder_on_incline(way), 0.1, step=0.01)
        found[f"{way}: acceleration"] = float(run["x_rate"][-1]) / 0.1
        along = {"contact": "line_force_x", "holonomic": ""}.get(way, "rolls_multiplier")
        across = {"contact": "line_force_z", "two_multipliers": "stays_multiplier"}.get(way, "")
        found |= {f"{way}: friction": float(run[along][-1])} if along else {}
        found |= {f"{way}: push": float(run[across][-1])} if across else {}
    return found


WAYS = ("holonomic", "integrated", "multiplier", "two_multipliers", "contact")
register(
    Computation(
        "cylinder_on_incline/treatments",
        "A cylinder rolls down an incline, in five treatments",
        "Llibre 2009, section 2",
        compute=treatments,
        numbers=(
            *(Number(f"{way}: acceleration", -2.0 / 3.0 * ALONG, 1e-11, EXACT, LLIBRE, unit="m/s^2") for way in WAYS),
            *(Number(f"{way}: friction", M * ALONG / 3.0, 1e-10, EXACT, LLIBRE, unit="N") for way in WAYS[1:]),
            *(Number(f"{way}: push", M * ACROSS, 1e-10, EXACT, LLIBRE, unit="N") for way in WAYS[3:]),
        ),
    )
)


def slide(run: Run) -> Mapping[str, float]:
    """The slip passes zero and goes on the other way."""
    slip = run["x_rate"] + R * run["theta_rate"]
    later = int(np.argmax(slip < 0.0))
    t, s = run.time, slip
    return {
        "slip vanishes after": float(t[later] - s[later] / (s[-1] - s[later]) * (t[-1] - t[later])),
        "speed up the slope at the end": float(run["x_rate"][-1]),
        "slip at the end": float(slip[-1]),
    }


LEFT = 0.3 - REVERSES
register(
    Scenario(
        "cylinder_on_incline/slides",
        "A cylinder on slippery ground: its slip reverses, and friction cannot hold it",
        "Llibre 2009, section 2, with the sign of r theta'' put right",
        system=lambda: cylinder_on_incline(friction=0.1),
        settings={"duration": 0.3, "start": {"x_rate": 1.0, "theta_rate": 0.0}, "step": 1e-3},
        measure=slide,
        numbers=(
            Number("slip vanishes after", REVERSES, 1e-9, EXACT, "closed form: 1/(g (sin + 3 mu cos))", unit="s"),
            Number(
                "speed up the slope at the end",
                1.0 - (ALONG + 0.1 * ACROSS) * REVERSES - (ALONG - 0.1 * ACROSS) * LEFT,
                1e-9,
                EXACT,
                "closed form: -g (sin + s mu cos), s the sign of the slip",
                unit="m/s",
            ),
            Number("slip at the end", -(ALONG - 3.0 * 0.1 * ACROSS) * LEFT, 1e-9, EXACT, "closed form", unit="m/s"),
        ),
    )
)

# -- a free rigid body -------------------------------------------------------------------------------------------------

MOMENTS, RATES = np.array([0.3, 0.5, 0.6]), np.array([0.4, 4.0, 0.5])


def turning_period() -> float:
    """Seconds after which the rates of a free body are what they were: 4 K(k) by the arithmetic-geometric mean."""
    A, B, C = sorted(MOMENTS.tolist())
    twice, square = float(MOMENTS @ RATES**2), float(MOMENTS**2 @ RATES**2)
    if square < twice * B:
        A, C = C, A
    modulus = (B - A) * (twice * C - square) / ((C - B) * (square - twice * A))
    a, b = 1.0, math.sqrt(1.0 - modulus)
    while abs(a - b) > 1e-15:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return 4.0 * (0.5 * math.pi / a) * math.sqrt(A * B * C / ((C - B) * (square - twice * A)))


def turned(run: Run) -> Mapping[str, float]:
    """Rates at the end, and what must not change."""
    H = np.linalg.norm([run[f"angular_momentum_{i}"] for i in "xyz"], axis=0)
    return {
        **{f"{name} after a period": float(run[name][-1]) for name in ("roll_rate", "pitch_rate", "yaw_rate")},
        "angular momentum, largest change": float(np.ptp(H)),
        "energy, largest change": float(np.ptp(run["kinetic_energy"])),
    }


PERIOD = "closed form: rates are Jacobi's elliptic functions of the time, with the period 4 K(k)"
STEPPED = "Runge-Kutta at a millisecond"
register(
    Scenario(
        "free_rigid_body/turns_over",
        "A free body turns over about its middle axis, and comes back after a period",
        "Landau and Lifshitz, Mechanics, section 37: Euler's equations in closed form",
        system=free_rigid_body,
        settings={
            "duration": turning_period(),
            "start": dict(zip(("roll_rate", "pitch_rate", "yaw_rate"), RATES.tolist(), strict=True)),
            "step": 1e-3,
        },
        measure=turned,
        numbers=(
            Number("roll_rate after a period", RATES[0], 1e-9, STEPPED, PERIOD, unit="rad/s"),
            Number("pitch_rate after a period", RATES[1], 1e-9, STEPPED, PERIOD, unit="rad/s"),
            Number("yaw_rate after a period", RATES[2], 1e-9, STEPPED, PERIOD, unit="rad/s"),
            Number("angular momentum, largest change", 0.0, 1e-9, STEPPED, "closed form", unit="N m s"),
            Number("energy, largest change", 0.0, 1e-9, STEPPED, "closed form", unit="J"),
        ),
    )
)

# -- a robot of two joints ---------------------------------------------------------------------------------------------

POSE = {"shoulder": 0.3, "elbow": 0.7, "shoulder_rate": 0.5, "elbow_rate": -0.8}
TORQUES = {"shoulder_torque": 31.7273129156, "elbow_torque": 4.7557573378}


def two_joints() -> dict[str, float]:
    """It falls, is driven, and swings for a second."""
    falls, driven = accelerations(robot_2r(), POSE), accelerations(robot_2r(), POSE, TORQUES)
    run = simulate(robot_2r(), 1.0, start=POSE, step=5e-4)
    return {
        **{f"{name}: falling": float(falls[f"{name}_rate"]) for name in ("shoulder", "elbow")},
        **{f"{name}: driven": float(driven[f"{name}_rate"]) for name in ("shoulder", "elbow")},
        "energy, largest change": float(np.ptp(run.energy)),
    }


PROGRAM = "computed by an independent program from the closed form of two joints"
DIGITS = "the ten digits of the other program"
register(
    Computation(
        "robot_2r/state",
        "A planar robot of two joints falls, and is driven by torques",
        "Llibre 2009, chapter 3; numbers ours",
        compute=two_joints,
        numbers=(
            Number("shoulder: falling", -12.0029953228, 1e-9, DIGITS, PROGRAM, unit="rad/s^2"),
            Number("elbow: falling", 18.5658961833, 1e-9, DIGITS, PROGRAM, unit="rad/s^2"),
            Number("shoulder: driven", 1.0, 1e-9, DIGITS, PROGRAM, unit="rad/s^2"),
            Number("elbow: driven", 2.0, 1e-9, DIGITS, PROGRAM, unit="rad/s^2"),
            Number("energy, largest change", 0.0, 1e-8, "Runge-Kutta at half a millisecond", "closed form", unit="J"),
        ),
    )
)

# -- a double pendulum in space ----------------------------------------------------------------------------------------

SWUNG = {
    0.5: (0.4498398589, 1.1606085746, -1.7640888263, 2.5162408327),
    1.0: (-0.493235787, -0.1572530379, -1.2087819191, -5.0460706999),
    2.0: (0.2794730402, 1.3264149177, 1.8372633664, 3.392689916),
}
NAMES = ("first", "second", "first_rate", "second_rate")
register(
    Scenario(
        "double_pendulum/states",
        "A double pendulum in space, with hinges at right angles",
        "Llibre 2009, chapter 4; numbers ours",
        system=double_pendulum,
        settings={
            "duration": 2.0,
            "start": {"first": 0.6, "second": -0.8, "first_rate": 1.2, "second_rate": 2.5},
            "step": 1e-3,
            "sample": 0.5,
        },
        measure=lambda run: {
            **{f"{name} at {t:g} s": float(run[name][np.argmin(np.abs(run.time - t))]) for t in SWUNG for name in NAMES},
            "energy": float(run.energy[0]),
            "energy, largest change": float(np.ptp(run.energy)),
        },
        numbers=(
            *(
                Number(
                    f"{name} at {t:g} s",
                    value,
                    2e-9,
                    "ten digits, and Runge-Kutta at a millisecond",
                    "computed by an independent program (DOP853 on the equations of the two angles)",
                    unit="rad/s" if "rate" in name else "rad",
                )
                for t, values in SWUNG.items()
                for name, value in zip(NAMES, values, strict=True)
            ),
            Number("energy", -19.6151440436, 1e-9, DIGITS, "closed form", unit="J"),
            Number("energy, largest change", 0.0, 1e-8, STEPPED, "closed form", unit="J"),
        ),
    )
)
