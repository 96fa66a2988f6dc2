"""The climbing robot: limit cycles over the phase of its tail, their stability and climbing speeds (Mauny 2018, section 1.7).

A gait is symmetric: half a period later the robot is its own mirror image, yaw -> pi - yaw. Cycles of half a period closed by
that mirror are therefore looked for; their multipliers squared are those of the whole period.
"""

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.catalogue import rocr
from locomotor.figures import Families
from locomotor.scenarios.registry import UNIT, Computation, Number, digits, register, vanishing

if TYPE_CHECKING:
    from locomotor.analysis.cycles import Cycle, Family

THESIS = "Mauny 2018, section 1.7.6"
COMPUTED = "computed by an independent program from the equations of Mauny, PhD thesis (2018), section 1.7"
CHART = "read off a chart: 6 % of the rate, 0.03 pi of the angle"
PERIOD = 2.0 / 3.0
FAST = 1.5 * math.pi
"""The phase of the fastest gait."""
MIRROR = {"yaw": "pi - yaw", "yaw_rate": "-yaw_rate"}
HALF: dict[str, Any] = {"period": PERIOD / 2, "symmetry": MIRROR}
GRID = {"yaw": (0.0, 2.0 * math.pi, 8), "yaw_rate": (-16.0, 16.0, 8)}
FAMILIES = {"straight": {"yaw": 0.9965 * math.pi, "yaw_rate": 6.825}, "inverted": {"yaw": 1.7207 * math.pi, "yaw_rate": 14.825}}
"""A cycle of each family at the phase of the fastest gait."""


@cache
def family(which: str) -> "Family":
    """All cycles of one family over the phase."""
    from locomotor.analysis.cycles import continue_cycle, find_cycle

    first = find_cycle(rocr(phase=FAST), FAMILIES[which], **HALF)
    return continue_cycle(rocr(phase=FAST), first, "phase", (0.0, 2.0 * math.pi), step=0.1 * math.pi, largest=0.2 * math.pi)


def cycle_at(which: str, phase: float) -> "Cycle":
    """The cycle of a family at a phase."""
    from locomotor.analysis.cycles import make_cycle, newton

    found = family(which)
    here, order = found.cycles[0].map, np.argsort(found.values)
    guess = np.array([np.interp(phase, found.values[order], found.of(name)[order]) for name in here.names])
    u, returned, steps = newton(here, guess, np.array([phase]), 1e-10, 40)
    return make_cycle(here, u, returned, steps, np.array([phase]))


def largest(cycle: "Cycle") -> float:
    """Largest multiplier of a whole period."""
    return float(np.abs(cycle.multipliers).max() ** 2)


def turns(cycle: "Cycle") -> float:
    """Yaw at the start, in half turns between 0 and 2."""
    return cycle.start["yaw"] % (2.0 * math.pi) / math.pi


# -- two cycles at every phase --------------------------------------------------------------------------------


def fastest() -> dict[str, float]:
    """Symmetric cycles at the phase of the fastest gait."""
    from locomotor.analysis.cycles import find_cycle, find_cycles

    system = rocr(phase=FAST)
    found = find_cycles(system, GRID, **HALF)
    stable, unstable = found[0], found[-1]
    whole = [find_cycle(system, {name: cycle.start[name] for name in MIRROR}) for cycle in (stable, unstable)]
    result = {
        "symmetric cycles": float(len(found)),
        "stable symmetric cycles": float(sum(cycle.stable for cycle in found)),
        "exact derivative less differences": max(cycle.check() for cycle in whole),
    }
    for name, cycle in (("X1", whole[0]), ("X2", whole[1])):
        sizes = np.abs(cycle.multipliers)
        result |= {
            f"{name}: yaw rate": cycle.start["yaw_rate"],
            f"{name}: yaw / pi": turns(cycle),
            f"{name}: yaw rate, charted": cycle.start["yaw_rate"],
            f"{name}: yaw / pi, charted": turns(cycle),
            f"{name}: first multiplier": float(sizes[0]),
            f"{name}: second multiplier": float(sizes[1]),
            f"{name}: horizontal drift": cycle.displacement["x"],
        }
    for name, value in (("Cv", 0.035), ("J0", 2e-4), ("g", 10.0)):
        other = find_cycle(system.with_parameters(**{name: value}), {"yaw": math.pi, "yaw_rate": 6.0}, settle=10)
        result[f"X1: yaw rate with {name} = {value:g}"] = other.start["yaw_rate"]
    return result


def _charted(name: str, rate: float, half_turns: float) -> tuple[Number, ...]:
    return (
        Number(f"{name}: yaw rate, charted", rate, 0.06 * rate, CHART, f"{THESIS}, fig. 1.18", unit="rad/s"),
        Number(f"{name}: yaw / pi, charted", half_turns, 0.03, CHART, f"{THESIS}, fig. 1.18"),
    )


COUNT = "a count"
register(
    Computation(
        "rocr/cycles",
        "The two limit cycles of the climbing robot at the phase 3 pi / 2",
        f"{THESIS}, fig. 1.18",
        compute=fastest,
        numbers=(
            Number("symmetric cycles", 2.0, 0.5, COUNT, f"{THESIS}: two cycles for every phase"),
            Number("stable symmetric cycles", 1.0, 0.5, COUNT, f"{THESIS}: X1 is stable, X2 is not"),
            *_charted("X1", 6.5, 1.0),
            *_charted("X2", 15.0, 1.75),
            *digits({"X1: yaw rate": "6.8251", "X2: yaw rate": "14.8246"}, COMPUTED, "rad/s"),
            *digits({"X1: yaw / pi": "0.99652", "X2: yaw / pi": "1.72070"}, COMPUTED),
            *digits({"X1: first multiplier": "0.3305", "X1: second multiplier": "0.3044"}, COMPUTED),
            *digits({"X2: first multiplier": "2.7070", "X2: second multiplier": "0.0372"}, COMPUTED),
            *vanishing(["X1: horizontal drift", "X2: horizontal drift"], 1e-9, f"{THESIS}: vertical only", "m"),
            *vanishing(["exact derivative less differences"], 1e-5, "computed, both ways", reason="error of the differences"),
            *digits({"X1: yaw rate with Cv = 0.035": "5.47", "X1: yaw rate with J0 = 0.0002": "4.97"}, COMPUTED, "rad/s"),
            *digits({"X1: yaw rate with g = 10": "6.675"}, COMPUTED, "rad/s"),
        ),
    )
)

# -- the families over the phase ------------------------------------------------------------------------------

TABLE = {
    "0": ("-7.155 1.8207 1.007 -0.254", "-1.099 0.2691 3.558 -0.199"),
    "0.25 pi": ("-11.764 0.2846 1.376 -0.188", "-12.565 1.1250 0.781 0.277"),
    "0.5 pi": ("-7.489 0.2599 0.933 -0.206", "-10.943 1.2778 0.986 0.193"),
    "0.75 pi": ("-2.091 1.9796 0.445 -0.2994", "-3.405 0.9420 2.381 0.295"),
    "pi": ("0.467 1.7332 0.286 -0.201", "2.777 0.5984 3.576 0.091"),
    "1.25 pi": ("3.035 1.4196 0.253 0.075", "8.368 0.1951 3.673 -0.245"),
    "3.76": ("2.408 1.4964 0.252 0.0034", "7.119 0.2871 3.757 -0.186"),
    "1.5 pi": ("6.825 0.9965 0.331 0.29998", "14.825 1.7207 2.707 -0.192"),
    "1.75 pi": ("0.725 1.2120 0.455 0.236", "12.409 1.6584 2.836 -0.143"),
}
COLUMNS = (("yaw rate", "rad/s"), ("yaw / pi", ""), ("largest multiplier", ""), ("climbing speed", "m/s"))


def _phase(text: str) -> float:
    head = text.removesuffix("pi").strip()
    return (float(head) if head else 1.0) * (math.pi if text.endswith("pi") else 1.0)


def table() -> dict[str, float]:
    """Both families at the phases of the table, and formula (1.25) for their speeds."""
    result: dict[str, float] = {}
    errors = []
    for text in TABLE:
        for which in FAMILIES:
            cycle = cycle_at(which, _phase(text))
            speed = cycle.rates["y"]
            row = (cycle.start["yaw_rate"], turns(cycle), largest(cycle), speed)
            result |= {f"{which} at {text}: {name}": value for (name, _), value in zip(COLUMNS, row, strict=True)}
            errors.append(abs(speed + 2.0 * 0.10 * math.cos(cycle.start["yaw"]) / PERIOD))
    for text, key in (("0.75 pi", "3 pi / 4"), ("3.76", "3.76"), ("1.5 pi", "3 pi / 2")):
        result[f"climbing speed at {key}"] = result[f"straight at {text}: climbing speed"]
    return result | {"speed less formula (1.25)": max(errors)}


def _rows() -> tuple[Number, ...]:
    found: list[Number] = []
    for text, pair in TABLE.items():
        for which, row in zip(FAMILIES, pair, strict=True):
            for (name, unit), printed in zip(COLUMNS, row.split(), strict=True):
                found += digits({f"{which} at {text}: {name}": printed}, COMPUTED, unit, 1.0, UNIT)
    return tuple(found)


SPEEDS = {"climbing speed at 3 pi / 4": -0.30, "climbing speed at 3.76": 0.0, "climbing speed at 3 pi / 2": 0.30}
CLOSE = "two digits; 0.005 is allowed where it is zero"


def _figure() -> dict[str, Any]:
    """Yaw rate and yaw of both families, for fig. 1.18."""
    return {which: (family(which).values, {n: family(which).of(n) for n in MIRROR}, family(which).stable) for which in FAMILIES}


register(
    Computation(
        "rocr/table",
        "Straight and inverted gaits of the climbing robot at nine phases of the tail",
        f"{THESIS}, fig. 1.18",
        compute=table,
        numbers=(
            *(Number(key, value, 0.005, CLOSE, f"{THESIS}: speeds", unit="m/s") for key, value in SPEEDS.items()),
            *vanishing(["speed less formula (1.25)"], 1e-9, f"{THESIS}, (1.25)", "m/s"),
            *_rows(),
        ),
        figures=(Families(_figure, "phase of the tail (rad)", title="Limit cycles over the phase", source="fig. 1.18"),),
    )
)


def windows() -> dict[str, float]:
    """Where the families are stable, where straight gaits stand still, and what else there is."""
    from locomotor.analysis.cycles import find_cycles

    straight, inverted = (sorted(change.value for change in family(which).changes) for which in FAMILIES)
    # Two more cycles, not symmetric.
    whole = find_cycles(rocr(phase=0.5), GRID)
    lopsided = [cycle for cycle in whole if abs(cycle.displacement["x"]) > 1e-6]
    lopsided.sort(key=lambda cycle: -cycle.start["yaw_rate"])
    return {
        "straight: changes of stability": float(len(straight)),
        "straight: stable from": straight[0],
        "straight: stable to, less 2 pi": straight[-1] - 2.0 * math.pi,
        "inverted: changes of stability": float(len(inverted)),
        "inverted: stable from": inverted[0],
        "inverted: stable to": inverted[-1],
        "phase of zero speed": still(9.81),
        "phase of zero speed with g = 10": still(10.0),
        "cycles at phase 0.5": float(len(whole)),
        **{f"asymmetric cycle {k + 1} at phase 0.5: yaw rate": c.start["yaw_rate"] for k, c in enumerate(lopsided)},
        **{f"asymmetric cycle {k + 1} at phase 0.5: yaw / pi": turns(c) for k, c in enumerate(lopsided)},
        "asymmetric cycles at phase 0.5: largest multiplier": float(np.abs(lopsided[0].multipliers).max()),
    }


def still(gravity: float) -> float:
    """Phase of the straight gait that does not climb."""
    from scipy.optimize import brentq

    from locomotor.analysis.cycles import newton, poincare_map

    here = poincare_map(rocr(phase=3.76).with_parameters(g=gravity), FAMILIES["straight"], free=("phase",), **HALF)
    u = np.array([1.4964 * math.pi, 2.408])

    def rise(phase: float) -> float:
        return float(newton(here, u, np.array([phase]), 1e-10, 40)[1].displacement[0, here.modulo.index("y")])

    return float(brentq(rise, 3.7, 3.8, xtol=1e-9))


register(
    Computation(
        "rocr/windows",
        "Where the gaits of the climbing robot are stable, and where they stand still",
        THESIS,
        compute=windows,
        numbers=(
            Number("straight: changes of stability", 2.0, 0.5, COUNT, COMPUTED),
            Number("inverted: changes of stability", 2.0, 0.5, COUNT, COMPUTED),
            *digits({"straight: stable from": "1.4787", "straight: stable to, less 2 pi": "-0.0072"}, COMPUTED, "rad"),
            *digits({"inverted: stable from": "0.6248", "inverted: stable to": "1.5889"}, COMPUTED, "rad"),
            *digits({"phase of zero speed": "3.7519", "phase of zero speed with g = 10": "3.7601"}, COMPUTED, "rad"),
            Number("cycles at phase 0.5", 4.0, 0.5, COUNT, COMPUTED),
            *digits({"asymmetric cycle 1 at phase 0.5: yaw rate": "-8.564"}, COMPUTED, "rad/s", 1.0, UNIT),
            *digits({"asymmetric cycle 1 at phase 0.5: yaw / pi": "0.5233"}, COMPUTED, "", 1.0, UNIT),
            *digits({"asymmetric cycle 2 at phase 0.5: yaw rate": "-10.957"}, COMPUTED, "rad/s", 1.0, UNIT),
            *digits({"asymmetric cycle 2 at phase 0.5: yaw / pi": "1.3136"}, COMPUTED, "", 1.0, UNIT),
            *digits({"asymmetric cycles at phase 0.5: largest multiplier": "0.577"}, COMPUTED),
        ),
    )
)
