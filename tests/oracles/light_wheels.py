"""A heavy car on light wheels, thrown sideways: friction brakes it as a block, whatever its wheels weigh."""

import numpy as np

import locomotor as lm

FRICTION, RADIUS, GRAVITY = 0.5, 0.1, 9.81


def car(mass, disc=True, axles=2):
    """100 kg on wheels of so many kg, which turn a thousand times more easily than it moves aside."""
    law, turn = lm.Unilateral(friction=FRICTION), mass * RADIUS**2
    bodies = [lm.Body("car", 100.0, inertia=(5.0, 8.0, 10.0))]
    joints: list = [lm.Free(name="base", parent="world", child="car")]
    contacts = []
    for k, (x, y) in enumerate((x, y) for x in np.linspace(-0.5, 0.5, axles) for y in (-0.3, 0.3)):
        wheel = f"wheel_{k}"
        bodies.append(lm.Body(wheel, mass, inertia=(turn / 2, turn, turn / 2)))
        joints.append(lm.Revolute(name=f"axle_{k}", parent="car", child=wheel, at=(x, y, 0.0), axis=(0, 1, 0)))
        if disc:
            contacts.append(lm.RollingDisc(f"tyre_{k}", wheel, (0, 0, 0), (0, 1, 0), RADIUS, law=law))
        else:
            contacts.append(lm.RollingSphere(f"tyre_{k}", wheel, (0, 0, 0), RADIUS, law=law))
    return lm.System("car", bodies, joints, contacts=contacts, forces=[lm.Gravity((0, 0, -GRAVITY))], nominal={"z": RADIUS})


def braked(speed, times):
    """v0 - mu g t, and then nothing."""
    return np.maximum(speed - FRICTION * GRAVITY * np.asarray(times), 0.0)
