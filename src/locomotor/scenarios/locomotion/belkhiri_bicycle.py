"""The bicycle of Belkhiri's thesis: kinematics, lean equation and torques at one instant (Belkhiri 2013, section 3.6.2)."""

import math

import numpy as np

from locomotor.catalogue import belkhiri_bicycle
from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.model import System
from locomotor.scenarios.locomotion.sources import BELKHIRI, COMPUTED
from locomotor.scenarios.registry import LAST_DIGIT, Computation, digits, register, vanishing
from locomotor.simulation import accelerations, observe

LAWS = {"steer": "0.1 + 0.5*t + 0.1*t**2", "rear_wheel": "15*t + 0.5*t**2"}
"""Steer 0.1 rad, 0.5 rad/s, 0.2 rad/s^2 and rear wheel 15 rad/s, 1 rad/s^2 at t = 0."""
START = {"roll": 0.05, "roll_rate": 0.3}
ETA = ("heave_speed", "speed", "sway_speed", "yaw_rate", "roll_rate", "pitch_rate")
"""Our names of the thesis's (V_X, V_Y, V_Z, Omega_X, Omega_Y, Omega_Z)."""
CHECK = COMPUTED


def _motion(system: System, state: dict[str, float]) -> ReducedMotion:
    """The reduced model at the state."""
    reduction = choose_reduction(system)
    seen = observe(system, state)
    q = np.array([seen[symbol.name] for symbol in system.layout.coordinates])
    return ReducedMotion(reduction, q, np.array([seen[name] for name in reduction.names]))


def instant() -> dict[str, float]:
    """Values of all numbers of the check at its instant, by key."""
    system = belkhiri_bicycle()
    imposed = system.with_motions(LAWS)
    seen, rates = observe(imposed, START), accelerations(imposed, START)
    motion = _motion(imposed, START)
    # Without the accelerations of the active joints: the truncated (3.87).
    coasting = _motion(system.with_motions({"steer": "0.1 + 0.5*t", "rear_wheel": "15*t"}), START)
    torques = {"steer_torque": seen["steer_drive_torque"], "rear_wheel_torque": seen["rear_wheel_drive_torque"]}
    active = {"steer": 0.1, "steer_rate": 0.5, "rear_wheel_rate": 15.0}
    driven = accelerations(system, {**START, **active}, torques)
    whole = _motion(system, {**START, **active}).reduced_mass
    # Schur complement on the active joints of the mass matrix of (roll, steer, rear wheel).
    apparent = whole[1:, 1:] - np.outer(whole[1:, 0], whole[0, 1:]) / whole[0, 0]
    return {
        **{f"{name}": seen[name] for name in ETA},
        "front_wheel_rate": seen["front_wheel_rate"],
        "reduced mass": float(motion.reduced_mass[0, 0]),
        "reduced force": float(-(motion.H_r.T @ motion.bias)[0]),
        "lean acceleration": rates["roll_rate"],
        "reduced force, truncated": float(-(coasting.H_r.T @ coasting.bias)[0]),
        "lean acceleration, truncated": float(coasting.v_r_dot[0]),
        "front wheel acceleration": rates["front_wheel_rate"],
        "torque of the steer": seen["steer_drive_torque"],
        "torque of the rear wheel": seen["rear_wheel_drive_torque"],
        "torque-driven: steer acceleration": driven["steer_rate"],
        "torque-driven: rear wheel acceleration": driven["rear_wheel_rate"],
        **{f"apparent mass [{i + 1}, {j + 1}]": float(apparent[i, j]) for i in range(2) for j in range(i, 2)},
        "growth rate of the lean at rest": growth_rate(),
    }


def growth_rate() -> float:
    """sqrt of d(roll acceleration)/d(roll) of the upright bicycle at rest, its steer and rear wheel held."""
    system = belkhiri_bicycle().with_motions({"steer": "0", "rear_wheel": "0"})
    small = 1e-4
    up, down = (accelerations(system, {"roll": angle})["roll_rate"] for angle in (small, -small))
    return math.sqrt((up - down) / (2.0 * small))


register(
    Computation(
        "belkhiri_bicycle/instant",
        "Thesis bicycle at one instant: velocities, lean equation, torques, and back through the torques",
        f"{BELKHIRI}, section 3.6.2 and appendix B",
        compute=instant,
        numbers=(
            *vanishing(["heave_speed"], 1e-15, CHECK, "m/s"),
            *digits({"speed": "4.95"}, CHECK, "m/s", 1e-10, "round-off: 0.33 m times 15 rad/s"),
            *digits({"sway_speed": "0.2372371"}, CHECK, "m/s"),
            *digits({"yaw_rate": "0.4744742"}, CHECK, "rad/s"),
            *digits({"roll_rate": "0.3"}, CHECK, "rad/s", 1e-9, "given"),
            *vanishing(["pitch_rate"], 1e-15, CHECK, "rad/s"),
            *digits({"front_wheel_rate": "15.0480995"}, CHECK, "rad/s"),
            *digits({"reduced mass": "35.1640929"}, CHECK, "kg m^2"),
            *digits({"reduced force": "186.246070", "reduced force, truncated": "185.618367"}, CHECK, "N m"),
            *digits({"lean acceleration": "5.29648441", "lean acceleration, truncated": "5.27863372"}, CHECK, "rad/s^2"),
            *digits({"front wheel acceleration": "1.55313139"}, CHECK, "rad/s^2"),
            *digits({"torque of the steer": "1.11623846", "torque of the rear wheel": "10.7316005"}, CHECK, "N m"),
            *digits(
                {"torque-driven: steer acceleration": "0.2", "torque-driven: rear wheel acceleration": "1"},
                f"{BELKHIRI}, (3.9)",
                "rad/s^2",
                1e-10,
                "round-off: the accelerations that the torques came from",
            ),
            *digits(
                {
                    "apparent mass [1, 1]": "0.0817888",
                    "apparent mass [1, 2]": "-0.00257053",
                    "apparent mass [2, 2]": "9.37909148",
                },
                CHECK,
                "kg m^2",
            ),
            *digits(
                {"growth rate of the lean at rest": "3.6594010"},
                CHECK,
                "1/s",
                0.5,
                f"{LAST_DIGIT}; central difference over 2e-4 rad",
            ),
        ),
    )
)


def front_wheel() -> dict[str, float]:
    """Rate of the front wheel per rate of the rear one, against (3.83)."""
    found: dict[str, float] = {}
    for steer in (0.1, 0.3, 0.6):
        laws = {"steer": repr(steer), "rear_wheel": "t"}
        for alpha in (0.35, 0.0):
            seen = observe(belkhiri_bicycle().with_parameters(alpha=alpha).with_motions(laws))
            found[f"alpha {alpha}, steer {steer}"] = seen["front_wheel_rate"]
    return found


register(
    Computation(
        "belkhiri_bicycle/front_wheel",
        "Thesis bicycle: how the passive front wheel follows the rear one",
        f"{BELKHIRI}, (3.83)",
        compute=front_wheel,
        numbers=(
            *digits(
                {
                    "alpha 0.35, steer 0.1": "1.00384316",
                    "alpha 0.35, steer 0.3": "1.03600311",
                    "alpha 0.35, steer 0.6": "1.16620844",
                },
                COMPUTED,
            ),
            *digits(
                {f"alpha 0.0, steer {r}": f"{1.0 / math.cos(r):.15f}" for r in (0.1, 0.3, 0.6)},
                f"{BELKHIRI}, (3.83) without rake: 1/cos(r_1)",
                units=5.0,
                reason="round-off",
            ),
        ),
    )
)
