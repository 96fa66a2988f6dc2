"""Euler's elliptic pendulum as a tree and as a loop, against another program and its ellipse."""

import math

import numpy as np

from locomotor.catalogue import elliptic_pendulum
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.simulation import simulate

SOURCE = "computed by an independent program from Lagrange's equations of cart and angle"
REASON = "the ten digits of the other program"
CART = -0.5 * math.sin(1.0) / 3.0
STATES = {
    0.5: (0.1101193369, -0.7217722476, 0.3988139512, -3.1878085341),
    1.0: (0.010014258, -0.0601217609, -0.862904811, 5.1868002148),
    2.0: (0.1398025982, -0.9951039987, 0.0383999102, -0.4232050614),
}
"""Cart (m), angle (rad) and their rates after some seconds from rest at an angle of 1 rad."""
NAMES = ("cart", "theta", "cart_rate", "theta_rate")


def states() -> dict[str, float]:
    """The states as a tree; how far the loop is from it; how far the bob is from the ellipse."""
    start = {"cart": CART, "theta": 1.0}
    tree = simulate(elliptic_pendulum(), 2.0, start=start, sample=0.5)
    began = {"cart": CART, "bob_x": 0.0, "bob_y": CART + 0.5 * math.sin(1.0), "bob_z": -0.5 * math.cos(1.0)}
    loop = simulate(elliptic_pendulum(form="loop"), 2.0, start=began, sample=0.5)
    y = tree["cart"] + 0.5 * np.sin(tree["theta"])
    apart = np.hypot(loop["bob_y"] - y, loop["bob_z"] + 0.5 * np.cos(tree["theta"]))
    found = {f"{name} at {t:g} s": float(tree[name][np.argmin(np.abs(tree.time - t))]) for t in STATES for name in NAMES}
    ellipse = (loop["bob_y"] * 3.0 / (0.5 * 2.0)) ** 2 + (loop["bob_z"] / 0.5) ** 2
    return found | {
        "tree and loop: bobs apart": float(apart.max()),
        "ellipse": float(np.abs(ellipse - 1.0).max()),
        "energy": float(tree.energy[0]),
    }


register(
    Computation(
        "elliptic_pendulum/states",
        "Euler's elliptic pendulum, as a tree and as a loop",
        "Euler's elliptic pendulum",
        compute=states,
        numbers=(
            *(
                Number(f"{name} at {t:g} s", value, 1e-9, REASON, SOURCE, unit="m" if name[0] == "c" else "rad")
                for t, values in STATES.items()
                for name, value in zip(NAMES, values, strict=True)
            ),
            Number("tree and loop: bobs apart", 0.0, 1e-9, "steps of a millisecond", "closed form", unit="m"),
            Number("ellipse", 0.0, 1e-9, "steps of a millisecond", "closed form"),
            Number("energy", -2.650182810283, 1e-11, "twelve digits", "closed form", unit="J"),
        ),
    )
)
