"""A platform on two driven wheels and a castor: the wheels are turned by given laws of time, and the rest follows.

Imposing both wheels leaves no freedom: the motion is pure kinematics, and the model returns the torques it takes.
"""

import locomotor as lm

AXLE = (0.0, 1.0, 0.0)


def two_wheel_platform(right: str = "6*t", left: str = "4*t") -> lm.System:
    """Chassis, two wheels whose angles follow the laws given (rad), and a castor that slides freely."""
    wheel = ("mW*rho**2/4", "mW*rho**2/2", "mW*rho**2/4")
    return lm.System(
        "two_wheel_platform",
        bodies=[
            lm.Body("chassis", mass="mB", com=(-0.05, 0, 0.02), inertia=(0.08, 0.10, "IB")),
            lm.Body("right_wheel", mass="mW", inertia=wheel),
            lm.Body("left_wheel", mass="mW", inertia=wheel),
        ],
        joints=[
            lm.Free(name="base", parent="world", child="chassis"),
            lm.Revolute(
                name="right", parent="chassis", child="right_wheel", at=(0, "-d", 0), axis=AXLE, drive=lm.Motion(right)
            ),
            lm.Revolute(name="left", parent="chassis", child="left_wheel", at=(0, "d", 0), axis=AXLE, drive=lm.Motion(left)),
        ],
        contacts=[
            lm.RollingDisc("right_tyre", body="right_wheel", centre=(0, 0, 0), axis=AXLE, radius="rho"),
            lm.RollingDisc("left_tyre", body="left_wheel", centre=(0, 0, 0), axis=AXLE, radius="rho"),
            lm.SlidingPoint("castor", body="chassis", at=("-b", 0, "-rho")),
        ],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters={"mB": 8.0, "IB": 0.15, "mW": 0.6, "rho": 0.1, "d": 0.2, "b": 0.25, "g": 9.81},
        nominal={"z": "rho"},
        description="differential drive: two wheels on one axle, a castor behind",
    )


def main() -> dict[str, float]:
    """Drive in a circle, then set off at constant acceleration and read the torque of a motor."""
    run = lm.simulate(two_wheel_platform(right="6*t", left="4*t"), duration=4.0)
    sprint = lm.simulate(two_wheel_platform(right="5*t**2", left="5*t**2"), duration=2.0)
    return {
        "speed (m/s)": float(run["speed"][-1]),
        "yaw rate (rad/s)": float(run["yaw_rate"][-1]),
        "x after 4 s (m)": float(run["x"][-1]),
        "y after 4 s (m)": float(run["y"][-1]),
        "torque of each motor at 1 m/s^2 (N m)": float(sprint["right_drive_torque"][-1]),
    }


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name:<45} {value:.6g}")
