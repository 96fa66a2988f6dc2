"""A thin disc that rolls on the ground: the circle it can draw for ever, and how it wobbles when it runs straight.

The model is written over the contact point: it moves in the plane and yaws, the disc leans about the line of travel,
and spins about its axle. The path of the contact point, the lean and the spin are then coordinates with plain names.
"""

import math

import numpy as np

import locomotor as lm

AXLE = (0.0, 1.0, 0.0)


def rolling_disc(mass: float = 1.0, radius: float = 0.2, gravity: float = 9.81) -> lm.System:
    """A uniform thin disc on level ground; three velocities are left free: roll, spin and yaw."""
    return lm.System(
        "rolling_disc",
        bodies=[
            lm.Frame("contact_frame"),
            lm.Frame("lean_frame"),
            lm.Body("disc", mass="m", inertia=("m*r**2/4", "m*r**2/2", "m*r**2/4")),
        ],
        joints=[
            lm.Planar(name="base", parent="world", child="contact_frame"),
            lm.Revolute(name="roll", parent="contact_frame", child="lean_frame", axis=(1, 0, 0)),
            lm.Revolute(name="spin", parent="lean_frame", child="disc", at=(0, 0, "r"), axis=AXLE),
        ],
        contacts=[lm.RollingDisc("rim", body="disc", centre=(0, 0, 0), axis=AXLE, radius="r")],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters=[
            lm.Parameter("m", mass, "kg", description="mass"),
            lm.Parameter("r", radius, "m", description="radius"),
            lm.Parameter("g", gravity, "m/s^2", description="gravity"),
        ],
        independent=["roll_rate", "spin_rate", "yaw_rate"],
        description="uniform thin disc rolling without slipping",
    )


def main() -> dict[str, float]:
    """Roll steadily round a circle, then ask how a disc that runs straight wobbles."""
    disc = rolling_disc()

    # Lean 20 degrees to the right and turn right at 2 rad/s: the spin that makes this motion steady is found.
    steady = lm.steady_motion(disc, {"roll": math.radians(20), "yaw_rate": -2.0})
    run = lm.simulate(disc, duration=2 * math.pi / 2.0, start=steady.start)
    centre = np.array([run["x"][:-1].mean(), run["y"][:-1].mean()])  # once round
    radius = np.hypot(run["x"] - centre[0], run["y"] - centre[1])

    # Straight running wobbles above the speed sqrt(g r / 3) and falls below it.
    wobble = lm.linearise(disc, about={"speed": 1.5, "yaw_rate": 0.0}).eigenvalues

    # Pushed sideways it weaves along; nothing does work, so the energy is constant.
    pushed = lm.simulate(disc, duration=10.0, start={"speed": 1.5, "roll_rate": 0.5})

    return {
        "spin rate of the steady circle (rad/s)": steady["spin_rate"],
        "radius of the circle on the ground (m)": float(radius.mean()),
        "wobble at 1.5 m/s (rad/s)": float(wobble.imag.max()),
        "energy drift after a push, relative": float(np.ptp(pushed.energy) / pushed.energy[0]),
    }


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name:<45} {value:.6g}")
