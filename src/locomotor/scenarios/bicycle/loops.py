"""Poles of the steering loops of E5 and E6 about straight running at 6 m/s (Mauny 2018, section 2.7.5; IFAC 2017)."""

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.scenarios.bicycle.sources import COMPUTED, PAPER, THESIS
from locomotor.scenarios.registry import Computation, digits, register
from locomotor.typing import Complexes


def loop_poles(which: str, proportional: float, integral: float = 0.0) -> Complexes:
    """Eigenvalues with steer torque = proportional * steer + integral * (its integral), largest real part first."""
    from locomotor.analysis.stability import linearise

    linear = linearise(bicycle(which), {"speed": 6.0})
    keep = [linear.state_names.index(name) for name in ("roll", "steer", "roll_rate", "steer_rate")]
    b = linear.B[keep, linear.input_names.index("steer_torque")]
    steer = np.array([0.0, 1.0, 0.0, 0.0])
    closed = linear.A[np.ix_(keep, keep)] + proportional * np.outer(b, steer)
    if integral:
        closed = np.block([[closed, (integral * b)[:, None]], [steer[None], np.zeros((1, 1))]])
    found = np.asarray(np.linalg.eigvals(closed), dtype=complex)
    return found[np.lexsort((-found.imag, -found.real))]


def poles() -> dict[str, float]:
    """The loop of the thesis, and that of the paper as it is, open, and with the other sign."""
    pi_loop, p_loop = loop_poles("mauny2018", 10.0, 35.0), loop_poles("ifac2017", 10.0)
    opened = loop_poles("ifac2017", 0.0)
    return {
        "E5: weave, real": pi_loop[0].real,
        "E5: weave, imaginary": pi_loop[0].imag,
        "E5: second pair, real": pi_loop[2].real,
        "E5: second pair, imaginary": pi_loop[2].imag,
        "E5: castering": pi_loop[4].real,
        "E6: weave, real": p_loop[0].real,
        "E6: weave, imaginary": p_loop[0].imag,
        "E6: capsize": p_loop[2].real,
        "E6: castering": p_loop[3].real,
        "E6, opened: capsize": opened[0].real,
        "E6, opened: weave, real": opened[1].real,
        "E6, opened: weave, imaginary": opened[1].imag,
        "E6, opened: castering": opened[3].real,
        "E6, other sign: capsize": loop_poles("ifac2017", -10.0)[0].real,
    }


POLES = {
    "E5: weave, real": "-0.0292",
    "E5: weave, imaginary": "4.3270",
    "E5: second pair, real": "-0.5007",
    "E5: second pair, imaginary": "2.0267",
    "E5: castering": "-18.058",
    "E6: weave, real": "0.0551",
    "E6: weave, imaginary": "5.533",
    "E6: capsize": "-0.751",
    "E6: castering": "-18.51",
    "E6, opened: capsize": "-0.0063",
    "E6, opened: weave, real": "-1.513",
    "E6, opened: weave, imaginary": "5.846",
    "E6, opened: castering": "-16.12",
    "E6, other sign: capsize": "0.62",
}

register(
    Computation(
        "bicycle/loops",
        "Poles of the steering loops of E5 and E6 about straight running at 6 m/s",
        f"{THESIS}, section 2.7.5; {PAPER}",
        compute=poles,
        numbers=digits(POLES, f"{COMPUTED}, E5 and E6", "1/s"),
    )
)
