"""Straight running, linearised: canonical matrices, eigenvalues, weave and capsize speeds (Meijaard et al. 2007).

    M q_ddot + v C1 q_dot + (g K0 + v^2 K2) q = f,     q = (lean, steer), both positive to the right.

Our steer is positive to the left, hence the signs.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Eigenvalues
from locomotor.scenarios.bicycle.sources import COMPUTED, MEIJAARD
from locomotor.scenarios.registry import UNIT, Computation, Number, digits, register
from locomotor.typing import Floats

GRAVITY = 9.81
SIGNS = np.diag([1.0, -1.0])
RANGE = np.linspace(3.0, 8.0, 26)
"""Speeds among which the limits of stability are looked for (m/s)."""


def canonical_matrices(which: str) -> dict[str, Floats]:
    """M, C1, K0 and K2 in the coordinates of Meijaard et al."""
    from locomotor.analysis import linearise

    system = bicycle(which)
    at_rest, moving = linearise(system, {"speed": 0.0}), linearise(system, {"speed": 1.0})
    K0 = SIGNS @ at_rest.stiffness[:2] @ SIGNS / GRAVITY
    return {
        "M": SIGNS @ moving.mass[:2, :2] @ SIGNS,
        "C1": SIGNS @ moving.damping[:2, :2] @ SIGNS,
        "K0": K0,
        "K2": SIGNS @ moving.stiffness[:2] @ SIGNS - GRAVITY * K0,
    }


def modes(which: str, speed: float) -> dict[str, float]:
    """Weave (a pair), capsize and castering (real); at rest four real numbers in order."""
    from locomotor.analysis import linearise

    found = linearise(bicycle(which), {"speed": speed}).eigenvalues
    pair, real = found[found.imag > 0], np.sort(found[found.imag == 0].real)
    at = f"at {speed:g} m/s"
    if not len(pair):
        return {f"eigenvalue {i + 1} {at}": float(value) for i, value in enumerate(real)}
    return {
        f"weave {at}, real": float(pair[0].real),
        f"weave {at}, imaginary": float(pair[0].imag),
        f"castering {at}": float(real[0]),
        f"capsize {at}": float(real[1]),
    }


def linear(which: str, speeds: tuple[float, ...]) -> dict[str, float]:
    """Matrices, crossing speeds and eigenvalues of one parameter set, by key."""
    from locomotor.analysis import eigenvalue_curves

    found: dict[str, float] = {}
    for name, matrix in canonical_matrices(which).items():
        found |= {f"{name}[{i}, {j}]": float(matrix[i, j]) for i in range(2) for j in range(2)}
    found["weave speed"], found["capsize speed"] = eigenvalue_curves(bicycle(which), {"speed": RANGE}).crossings
    for speed in speeds:
        found |= modes(which, speed)
    return found


def _entries(source: str, **matrices: str) -> tuple[Number, ...]:
    """Entries of matrices, row by row."""
    texts = {f"{name}[{k // 2}, {k % 2}]": text for name, row in matrices.items() for k, text in enumerate(row.split())}
    return digits(texts, source, "", 1.0, UNIT)


def _eigenvalues(source: str, table: dict[float, str]) -> tuple[Number, ...]:
    """Rows of weave (real, imaginary), capsize and castering."""
    found: list[Number] = []
    for speed, row in table.items():
        at = f"at {speed:g} m/s"
        keys = (f"weave {at}, real", f"weave {at}, imaginary", f"capsize {at}", f"castering {at}")
        found += digits(dict(zip(keys, row.split(), strict=True)), source, "1/s", 1.0, UNIT)
    return tuple(found)


# -- the benchmark --------------------------------------------------------------------------------------------

TABLE = {
    1.0: "3.5269617099 0.8077402752 -3.1342312507 -7.1100801464",
    2.0: "2.6823451751 1.6806629659 -3.0715864564 -8.6738798483",
    3.0: "1.7067560566 2.3158244738 -2.6336613725 -10.3510146725",
    4.0: "0.4132533152 3.0791081860 -1.4294442736 -12.1586142658",
    5.0: "-0.7753418822 4.4648677138 -0.3228664290 -14.0783896928",
    6.0: "-1.5264448658 5.8767306060 -0.0040669008 -16.0853712310",
    7.0: "-2.1387564426 7.1952591333 0.1026817057 -18.1578846613",
    8.0: "-2.6934868358 8.4603797140 0.1432787977 -20.2794089439",
    9.0: "-3.2167540225 9.6937735153 0.1579018403 -22.4378855904",
    10.0: "-3.7201684044 10.9068113948 0.1610533865 -24.6245963502",
}
AT_REST = {
    "eigenvalue 1 at 0 m/s": "-5.5309437177",
    "eigenvalue 2 at 0 m/s": "-3.1316432479",
    "eigenvalue 3 at 0 m/s": "3.1316432479",
    "eigenvalue 4 at 0 m/s": "5.5309437177",
}
CLOSE = "asked of the benchmark: exact derivatives leave round-off only"
LIMITS = {"weave": 4.29238253634111, "capsize": 6.02426201538837}
MATRICES = _entries(
    f"{MEIJAARD}, section 4(e)",
    M="80.81722 2.31941332208709 2.31941332208709 0.29784188199686",
    C1="0 33.86641391492494 -0.85035641456978 1.68540397397560",
    K0="-80.95 -2.59951685249872 -2.59951685249872 -0.80329488458618",
    K2="0 76.59734589573222 0 2.65431523794604",
)

register(
    Computation(
        "bicycle/linear",
        "Linearised straight running: the benchmark of Meijaard et al.",
        f"{MEIJAARD}, section 4 and table 2",
        aliases=("bicycle/benchmark", "bicycle/linear/meijaard2007"),
        compute=partial(linear, "meijaard2007", (0.0, 4.6, *TABLE)),
        numbers=(
            *(replace(number, tolerance=1e-8, reason=CLOSE) for number in MATRICES),
            *digits(AT_REST, f"{MEIJAARD}, table 2", "1/s", 1.0, UNIT),
            *_eigenvalues(f"{MEIJAARD}, table 2", TABLE),
            *_eigenvalues(COMPUTED, {4.6: "-0.37796623 3.87284192 -0.62121273 -13.29863952"}),
            *(
                Number(f"{name} speed", value, 1e-10, CLOSE, f"{MEIJAARD}, section 4", unit="m/s")
                for name, value in LIMITS.items()
            ),
        ),
        figures=(
            Eigenvalues(
                partial(bicycle, "meijaard2007"),
                "speed",
                0.0,
                10.0,
                title="Eigenvalues of straight running",
                source="Meijaard et al. 2007, fig. 3",
                names=LIMITS,
            ),
        ),
    )
)

# -- the tables of the thesis and of the paper ----------------------------------------------------------------

SECTION = COMPUTED

register(
    Computation(
        "bicycle/linear/mauny2018",
        "Linearised straight running with the parameters of the thesis",
        SECTION,
        compute=partial(linear, "mauny2018", (4.6, 6.0)),
        numbers=(
            *_entries(
                SECTION,
                M="80.86778943 2.33163464 2.33163464 0.30056405",
                C1="0.00000000 33.9091613 -0.85040725 1.69666332",
                K0="-80.98555395 -2.61144944 -2.61144944 -0.80698226",
                K2="0.00000000 76.65304171 0.00000000 2.66622547",
            ),
            *_eigenvalues(SECTION, {4.6: "-0.36349415 3.8471539 -0.63075214 -13.29943682"}),
            *_eigenvalues(SECTION, {6.0: "-1.50933 5.84431 -0.00639609 -16.09300"}),
            *digits({"weave speed": "4.303418", "capsize speed": "6.038046"}, SECTION, "m/s"),
        ),
    )
)

register(
    Computation(
        "bicycle/linear/ifac2017",
        "Linearised straight running with the parameters of the paper",
        SECTION,
        compute=partial(linear, "ifac2017", (4.6,)),
        numbers=(
            *_entries(
                SECTION,
                M="80.86728943 2.33035723 2.33035723 0.29989788",
                C1="0.00000000 33.8987631 -0.85035641 1.69525801",
                K0="-80.98555395 -2.61029965 -2.61029965 -0.80662695",
                K2="0.00000000 76.6304967 0.00000000 2.66436921",
            ),
            *_eigenvalues(SECTION, {4.6: "-0.36609476 3.84866854 -0.63040293 -13.32024919"}),
            *digits({"weave speed": "4.301687", "capsize speed": "6.037513"}, SECTION, "m/s"),
        ),
    )
)
