"""Mass matrix, reduced mass matrix and kernel of the upright bicycle (docs/theory.md (N3), (E1), (R2))."""

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.scenarios.bicycle.sources import COMPUTED
from locomotor.scenarios.registry import Computation, Number, digits, register, vanishing

THESIS_ORDER = (
    *("heave_speed", "speed", "sway_speed", "yaw_rate", "roll_rate", "pitch_rate"),
    *("steer_rate", "front_wheel_rate", "rear_wheel_rate"),
)
"""Our names of the thesis's (V_1, V_2, V_3, Omega_1, Omega_2, Omega_3, r_1_dot, r_2_dot, r_3_dot)."""


def _upright(which: str) -> ReducedMotion:
    system = bicycle(which)
    reduction = choose_reduction(system)
    return ReducedMotion(reduction, system.nominal_pose(), np.zeros(len(reduction.free)))


def matrices() -> dict[str, float]:
    """All entries, numbered as in the thesis."""
    exact = _upright("meijaard2007")
    order = [exact.reduction.system.layout.index_v(name) for name in THESIS_ORDER]
    whole = exact.mass[np.ix_(order, order)]
    found = {f"M[{i + 1}, {j + 1}]": float(whole[i, j]) for i in range(9) for j in range(i, 9)}
    found["M, largest asymmetry"] = float(np.abs(whole - whole.T).max())
    for which in ("meijaard2007", "mauny2018"):
        small = _upright(which).reduced_mass
        found |= {f"{which}: Mr[{i + 1}, {j + 1}]": float(small[i, j]) for i in range(3) for j in range(i, 3)}
    kernel = _upright("mauny2018").H_r[order]
    return found | {f"H[{i + 1}, {column}]": float(kernel[i, k]) for i in range(9) for k, column in enumerate((5, 7, 9))}


WHOLE = {
    **{(1, 1): "94", (2, 2): "94", (3, 3): "94", (1, 6): "-32.16", (2, 6): "52.75", (3, 4): "32.16", (3, 5): "-52.75"},
    **{(3, 7): "0.200617", (4, 4): "17.01908", (4, 5): "-19.28544", (4, 7): "0.330121", (5, 5): "40.70722"},
    **{(5, 7): "-0.101006", (6, 6): "56.7187", (6, 8): "0.28", (8, 8): "0.28", (6, 9): "0.12", (9, 9): "0.12"},
    (7, 7): "0.153897",
}
REDUCED = {
    "meijaard2007": {(1, 1): "80.81722", (1, 2): "-2.3194133", (2, 2): "0.2978419", (3, 3): "8.7857143"},
    "mauny2018": {(1, 1): "80.8677894", (1, 2): "-2.3316346", (2, 2): "0.3005640", (3, 3): "8.7857143"},
}
KERNEL = {
    (3, 5): "-0.3",
    (4, 7): "0.0746350",
    (2, 9): "0.3",
    (8, 9): "0.857142857",
    (5, 5): "1",
    (7, 7): "1",
    (9, 9): "1",
}
GIVEN = "the digits given; numbers with fewer than six decimals are exact"
UPPER = [(i, j) for i in range(1, 10) for j in range(i, 10)]
"""Places of a symmetric matrix of nine rows."""


def _entry(name: str, place: tuple[int, int], texts: dict[tuple[int, int], str], source: str) -> Number:
    """An entry of a matrix; one that is not given is zero by symmetry."""
    key = f"{name}[{place[0]}, {place[1]}]"
    if place not in texts:
        return Number(key, 0.0, 1e-12, "round-off: zero by symmetry", source)
    (number,) = digits({key: texts[place]}, source, "", 1.0)
    return Number(key, number.expected, min(number.tolerance, 1e-6), GIVEN, source)


register(
    Computation(
        "bicycle/matrices",
        "Mass matrix, reduced mass matrix and kernel of the upright bicycle",
        COMPUTED,
        compute=matrices,
        numbers=(
            *(_entry("M", place, WHOLE, COMPUTED) for place in UPPER),
            *vanishing(["M, largest asymmetry"], 1e-12, "a mass matrix is symmetric"),
            *(
                _entry(f"{which}: Mr", place, texts, COMPUTED)
                for which, texts in REDUCED.items()
                for place in UPPER
                if max(place) <= 3
            ),
            *(_entry("H", (i, j), KERNEL, COMPUTED) for i in range(1, 10) for j in (5, 7, 9)),
        ),
    )
)
