"""A tricycle: two wheels behind, one that steers in front; it turns about the point where the axles meet.

The steer angle is imposed, so one freedom is left: how fast it goes. Ground forces come with the motion.
"""

import locomotor as lm

AXLE = (0.0, 1.0, 0.0)


def tricycle(steer: str = "turned") -> lm.System:
    """Chassis with its origin in the middle of the rear axle, a vertical fork, three wheels of one size."""
    sides = {"left": "d", "right": "-d", "front": "0"}
    wheel = ("mW*r**2/4", "mW*r**2/2", "mW*r**2/4")
    return lm.System(
        "tricycle",
        bodies=[
            lm.Body("chassis", mass="mB", com=("a", 0, "h - r"), inertia=(4.0, 8.0, 8.0)),
            lm.Body("fork", mass=2.0, inertia=(0.05, 0.05, 0.02)),
            *(lm.Body(f"{name}_wheel", mass="mW", inertia=wheel) for name in sides),
        ],
        joints=[
            lm.Free(name="base", parent="world", child="chassis"),
            lm.Revolute(name="steer", parent="chassis", child="fork", at=("w", 0, 0), axis=(0, 0, 1), drive=lm.Motion(steer)),
            *(
                lm.Revolute(
                    name=name,
                    parent="fork" if name == "front" else "chassis",
                    child=f"{name}_wheel",
                    at=(0, side, 0),
                    axis=AXLE,
                )
                for name, side in sides.items()
            ),
        ],
        contacts=[
            lm.RollingDisc(f"{name}_tyre", body=f"{name}_wheel", centre=(0, 0, 0), axis=AXLE, radius="r") for name in sides
        ],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters={"mB": 90.0, "a": 0.4, "h": 0.7, "w": 1.2, "d": 0.4, "mW": 3.0, "r": 0.3, "g": 9.81, "turned": 0.2},
        independent=["speed"],
        nominal={"z": "r"},
        description="two wheels behind, one steered wheel in front, vertical steer axis",
    )


def main() -> dict[str, float]:
    """Turn to the left, steadily, and read the radius and what the two rear wheels carry."""
    run = lm.simulate(tricycle(), duration=5.0, start={"speed": 3.0})
    right, left = run.forces["right_tyre"][-1, 2], run.forces["left_tyre"][-1, 2]
    return {
        "turning radius of the rear axle (m)": float(run["speed"][-1] / run["yaw_rate"][-1]),
        "sum of the vertical ground forces (N)": float(sum(force[-1, 2] for force in run.forces.values())),
        "right less left rear wheel load (N)": float(right - left),
    }


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name:<45} {value:.6g}")
