"""Coulomb's friction of a disc that slides and spins on its ground, with even pressure: force and torque are one law.

Every point of the disc of radius R rubs against its own velocity (Contensou). With v the velocity of its centre, w its angular
velocity about the normal, and eps = |v|/(R |w|) the integrals over the disc are complete elliptic ones (Farkas, Bartels, Unger
and Wolf 2003, doi:10.1103/PhysRevLett.90.248302; docs/theory.md (Q6)). Slips are written as one vector (v, a w) with a = 2R/3:
then force and torque/a both are mu N where the disc only slides, or only spins, and friction depends on the direction e of that
vector alone. With x = |e_w| R/a, M = max(|e_v|, x) and m = (min/max)²,

    force = -mu N A(m) e_v / M,      torque/a = -mu N (R/a)² B(m) e_w / M,

    A = 4/(3 pi) K (2 - (1 + m) sigma),      sigma = 1/2 + m tau = (1 - E/K)/m,
    B = 4/(9 pi) K (3 - m - (4 - 2 m) m sigma)  where it spins faster, |e_v| < x,
    B = 4/(9 pi) K (3 - 4 sigma + 2 tau)        where it slides faster.

K(m), sigma and tau come from the arithmetic-geometric mean without differences of nearly equal numbers.
"""

import math
from typing import Any

from locomotor.lie import ops

ARM = 2.0 / 3.0
"""Of a disc that spins on the spot: arm of its friction, in radii."""
ROUNDS = 8
"""Steps of the mean: enough for all digits even where slide and spin are equally fast."""
APART = 1e-30
"""1 - m is not smaller: K grows without bound there, in products that vanish."""


def patch_shares(slides: Any, spins: Any) -> tuple[Any, Any]:
    """Factors of the slide and of the spin in friction per mu N: `slides` is |e_v|², `spins` is e_w²."""
    return patch_law(slides, spins)[:2]


def patch_law(slides: Any, spins: Any) -> tuple[Any, Any, Any]:
    """The same, and how far friction moves along the border of all that it may be while the direction of the slip turns.

    It is the radius c of curvature of that border, in the plane of slide and spin. With dK/dm and dE/dm in K and E,

        c = 3/pi K (1 + sigma - 2 m sigma)/x³  where it spins faster,
        c = 3/pi K (sigma - 2 tau)/|e_v|³      where it slides faster.
    """
    spinning = spins / (ARM * ARM)
    larger, smaller = ops.fmax(slides, spinning), ops.fmin(slides, spinning)
    m = smaller / larger
    mean, g = 1.0, ops.sqrt(ops.fmax(1.0 - m, APART))
    d = 0.5 / (1.0 + g)
    tau, weight = d * d, 1.0
    mean, g = 0.5 * (mean + g), ops.sqrt(g)
    for _ in range(ROUNDS - 1):
        mean, g = 0.5 * (mean + g), ops.sqrt(mean * g)
        d, weight = m * d * d / (4.0 * mean), 2.0 * weight
        tau = tau + weight * d * d
    K, sigma = 0.5 * math.pi / mean, 0.5 + m * tau
    along = 4.0 / (3.0 * math.pi) * K * (2.0 - (1.0 + m) * sigma)
    slow = 3.0 - m - (4.0 - 2.0 * m) * m * sigma
    fast = 3.0 - 4.0 * sigma + 2.0 * tau
    about = 4.0 / (9.0 * math.pi) * K * ops.if_else(ops.less(slides, spinning), slow, fast)
    length = ops.sqrt(larger)
    bends = ops.if_else(ops.less(slides, spinning), 3.0 * (1.0 + sigma - 2.0 * m * sigma), 3.0 * sigma - 6.0 * tau)
    return along / length, about / (ARM * ARM * length), K * bends / (math.pi * larger * length)
