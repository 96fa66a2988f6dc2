"""A unicycle and its rider: how fast it falls, how it accelerates at a constant lean, and a rider that holds a speed.

The wheel rolls, the rider is a rigid body on the axle, and the pedals are one torque between the two.
"""

import math
from collections.abc import Mapping
from typing import Any

import locomotor as lm

AXLE = (0.0, 1.0, 0.0)


def unicycle() -> lm.System:
    """Wheel and rider; pitch is the lean of the rider forward, roll the lean of both to the right."""
    return lm.System(
        "unicycle",
        bodies=[
            lm.Frame("contact_frame"),
            lm.Frame("lean_frame"),
            lm.Body("rider", mass="mB", com=(0, 0, "l"), inertia=("IB", "IB", 1.5)),
            lm.Body("wheel", mass="mW", inertia=("mW*r**2/2", "mW*r**2", "mW*r**2/2")),
        ],
        joints=[
            lm.Planar(name="base", parent="world", child="contact_frame"),
            lm.Revolute(name="roll", parent="contact_frame", child="lean_frame", axis=(1, 0, 0)),
            lm.Revolute(name="pitch", parent="lean_frame", child="rider", at=(0, 0, "r"), axis=AXLE),
            lm.Revolute(name="spin", parent="rider", child="wheel", axis=AXLE, drive=lm.Torque("pedal_torque")),
        ],
        contacts=[lm.RollingDisc("tyre", body="wheel", centre=(0, 0, 0), axis=AXLE, radius="r")],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters={"mB": 70.0, "IB": 8.0, "l": 0.8, "mW": 3.0, "r": 0.25, "g": 9.81},
        inputs=[lm.Input("pedal_torque", "N m", description="torque of the rider on the wheel, positive forward")],
        independent=["roll_rate", "pitch_rate", "yaw_rate", "speed"],
        description="rigid rider on a rolling wheel",
    )


def hold_speed(channels: Mapping[str, Any]) -> dict[str, Any]:
    """Pedal so that the rider stays above the wheel and the speed comes to 2 m/s.

    To slow down one must first pedal harder, to get the wheel in front: hence the sign of the speed's gain.
    """
    error = channels["speed"] - 2.0
    return {"pedal_torque": 1500 * channels["pitch"] + 450 * channels["pitch_rate"] + 120 * error}


def main() -> dict[str, float]:
    """Fall, accelerate, and ride."""
    cycle = unicycle()
    falls = lm.linearise(cycle, about={"speed": 0.0, "yaw_rate": 0.0}).eigenvalues.real

    # A constant torque and the lean that goes with it: the rider neither falls nor rises while the speed grows.
    p = cycle.parameters.values
    torque = 40.0
    acceleration = torque / p["r"] / (p["mB"] + 2 * p["mW"])
    lean = math.atan(acceleration / p["g"]) + math.asin(torque / (p["mB"] * p["l"] * math.hypot(p["g"], acceleration)))
    run = lm.simulate(cycle, duration=1.0, start={"pitch": lean}, inputs={"pedal_torque": torque})

    ride = lm.simulate(cycle, duration=20.0, start={"pitch": 0.05}, controller=hold_speed)
    return {
        "rate of falling forward (1/s)": float(falls[0]),
        "rate of falling sideways (1/s)": float(falls[1]),
        "acceleration at constant lean (m/s^2)": float(run["speed"][-1] / run.time[-1]),
        "speed the rider settles at (m/s)": float(ride["speed"][-1]),
    }


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name:<45} {value:.6g}")
