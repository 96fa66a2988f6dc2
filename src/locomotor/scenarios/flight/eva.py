"""EVA's wing on its bench: the frequencies from which its model was found, and lift over the frequency of the drive."""

import math
from functools import cache

import numpy as np

from locomotor.catalogue import ASSEMBLED_MODES, EVA_LIFT, WING_MODES, eva_bench
from locomotor.figures import Lines
from locomotor.scenarios.flight.sources import BELKHIRI, mean
from locomotor.scenarios.registry import Computation, Number, digits, register
from locomotor.simulation import compile_system
from locomotor.typing import Vector

FREQUENCIES = tuple(range(6, 37))
"""Of the drive (Hz)."""
TORQUES = (0.5e-3, 1e-3, 2e-3, 3.53e-3)
"""Amplitudes of the torque (N m); the last lifts 3.5 g."""
STEP, DURATION, MEASURED = 2e-4, 1.6, 0.6
CHANNELS = ("foil_air_z", "flap", "flexion", "torsion")
DRIFTS = (
    "not reproduced: the lift is largest at the torsion mode, 26 Hz, while the drive is weak, and lower the harder it "
    "drives (24, 23 and 21 Hz at 2, 11 and 34 mN): the wing that swings is pressed outward, which softens its twist, and a "
    "given torque swings it farther when it is slow; imposed strokes of the blade instead of torques give 22 to 24 Hz. A "
    "membrane that stiffens as it twists would hold the peak; the source says nothing of it"
)


def modes(thorax: str, **values: float) -> list[float]:
    """Frequencies (Hz) at rest, without damping."""
    from locomotor.analysis import linearise

    system = eva_bench(thorax).with_parameters(d_flexion=0.0, d_torsion=0.0, **values)
    found = np.sort(linearise(system).eigenvalues.imag)
    return [float(value) / (2.0 * math.pi) for value in found[found > 1e-3]]


@cache
def response() -> tuple[Vector, Vector, Vector]:
    """Mean lift of both wings (mN), stroke and twist to each side (deg), (torque, frequency), once the motion is settled."""
    bench = compile_system(eva_bench(), free=("torque", "frequency"))
    drives = np.array([(torque, float(f)) for torque in TORQUES for f in FREQUENCIES])
    steps = round(DURATION / STEP)
    batch = bench.rollout(np.tile(bench.start(), (len(drives), 1)), steps, STEP, parameters=drives, channels=CHANNELS)
    time, found = STEP * np.arange(steps + 1), []
    for k, (_, frequency) in enumerate(drives):
        periods = math.floor(MEASURED * frequency)
        here = time >= time[-1] - periods / frequency - 1e-9
        lift, flap, flexion, torsion = (np.asarray(batch[name])[k, here] for name in CHANNELS)
        swung = (0.5 * math.degrees(float(np.ptp(each))) for each in (flap + flexion, torsion))
        found.append((2e3 * mean(time[here], lift), *swung))
    lift, stroke, twist = np.array(found).reshape(len(TORQUES), len(FREQUENCIES), 3).transpose(2, 0, 1)
    return lift, stroke, twist


def peak(lift: Vector) -> tuple[float, float]:
    """Frequency and lift at the top of the parabola through the largest of the lifts and its neighbours."""
    k = int(np.clip(lift.argmax(), 1, len(lift) - 2))
    before, here, after = lift[k - 1 : k + 2]
    shift = 0.5 * (before - after) / (before - 2.0 * here + after)
    return float(FREQUENCIES[k] + shift), float(here - 0.25 * (before - after) * shift)


def _bench() -> dict[str, float]:
    lift, stroke, twist = response()
    tops = [peak(row) for row in lift]
    strongest = int(lift[-1].argmax())
    return {
        **{f"mode {k} of the wing": value for k, value in enumerate(modes("clamped", rho=0.0), 1)},
        **{f"mode {k} of wing and thorax": value for k, value in enumerate(modes("driven", torque=0.0), 1)},
        "frequency of the largest lift, weak drive": tops[0][0],
        "frequency of the largest lift at 3.5 g": tops[-1][0],
        "largest lift": tops[-1][1],
        "lift at half that frequency over the largest": float(
            np.interp(0.5 * tops[-1][0], FREQUENCIES, lift[-1]) / tops[-1][1]
        ),
        "stroke at the largest lift": float(stroke[-1, strongest]),
        "twist at the largest lift": float(twist[-1, strongest]),
    }


def _lines() -> dict[str, tuple[Vector, Vector]]:
    lift = response()[0]
    names = [f"{1e3 * torque:g} mN m" for torque in TORQUES]
    found = {name: (np.array(FREQUENCIES, dtype=float), row) for name, row in zip(names, lift, strict=True)}
    weigh = 1e3 * EVA_LIFT.values[0]
    return found | {"26.3 Hz, 3.5 g": (np.array([26.3, 26.3]), np.array([0.0, weigh]))}


_HERE = f"{BELKHIRI}, section 4.2"
register(
    Computation(
        "eva_bench/response",
        "EVA's wing on its bench: its modes, and the mean lift over the frequency of the drive, from weak to strong",
        _HERE,
        compute=_bench,
        slow=True,
        numbers=(
            *digits({f"mode {k} of the wing": f"{WING_MODES.values[k - 1]:g}" for k in (1, 2)}, _HERE, "Hz"),
            *digits({f"mode {k} of wing and thorax": f"{ASSEMBLED_MODES.values[k - 1]:g}" for k in (1, 2, 3)}, _HERE, "Hz"),
            Number("frequency of the largest lift, weak drive", 26.0, 1.0, "near 26 Hz", _HERE, unit="Hz"),
            Number("frequency of the largest lift at 3.5 g", 26.0, 2.0, "near 26 Hz", _HERE, DRIFTS, "Hz"),
            Number("largest lift", 1e3 * EVA_LIFT.values[0], 0.5, "half a unit of the last digit of 3.5 g", _HERE, unit="mN"),
            Number("stroke at the largest lift", 50.0, 10.0, "40 to 60 degrees", f"{BELKHIRI}, section 1.3", unit="deg"),
        ),
        figures=(
            Lines(
                _lines, "frequency of the drive (Hz)", "mean lift of both wings (mN)", title="Lift of EVA's wings on the bench",
                source="fig. 4.7", dashed=("26.3 Hz, 3.5 g",),
            ),
        ),
    )
)  # fmt: skip
