"""Bodies that live by dry friction, beside closed forms: balls, boxes, chairs and rods."""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from locomotor.catalogue import bowling_ball, chair, falling_rod, leaning_rod, tumbling_box
from locomotor.figures import Curves
from locomotor.scenarios.registry import Computation, Number, Scenario, register, vanishing
from locomotor.simulation import Run, simulate

G = 9.81
EXACT, WHOLE = "integrated exactly", "yes or no"

# --- a ball that is thrown along a lane --------------------------------------------------------------------------------

THROWN, LANE, BALL, SIDE = 8.0, 0.2, 0.108, 20.0
"""Speed (m/s), friction, radius (m), and side spin (rad/s)."""
CORIOLIS = "closed form (Coriolis 1835): angular momentum about the line of contact is kept"


def _rolls(run: Run) -> Mapping[str, float]:
    """When and where it begins to roll, and how it rolls on."""
    rolls = run.events.of("lane", "rolls")[0].time
    k = int(np.searchsorted(run.time, rolls))
    return {
        "rolls from": rolls,
        "distance till then": float(run["x"][k]),
        "side step till then": float(run["y"][k]),
        "speed along the lane": float(run["x_rate"][-1]),
        "speed to the left": float(run["y_rate"][-1]),
    }


def _ball(name: str, title: str, side: float, step: float, tolerance: float, reason: str) -> Scenario:
    """A ball without spin along the lane; `side` is its spin about the lane."""
    slip = math.hypot(THROWN, BALL * side)
    time = 2.0 * slip / (7.0 * LANE * G)
    x, y = (LANE * G * part / slip for part in (THROWN, BALL * side))
    return Scenario(
        name,
        title,
        "Closed form: Coulomb's friction against a slip whose direction does not change",
        system=partial(bowling_ball, friction=LANE),
        settings={
            "duration": 2.0,
            "step": step,
            "start": {"x_rate": THROWN, "y_rate": 0.0, "spin_wx": -side, "spin_wy": 0.0, "spin_wz": 0.0},
        },
        measure=_rolls,
        numbers=(
            Number("rolls from", time, tolerance, reason, f"{CORIOLIS}: 2 |slip|/(7 mu g)", unit="s"),
            Number(
                "distance till then", THROWN * time - 0.5 * x * time**2, tolerance, reason, "closed form: a parabola", unit="m"
            ),
            Number("side step till then", 0.5 * y * time**2, tolerance, reason, "closed form: a parabola", unit="m"),
            Number("speed along the lane", 5.0 / 7.0 * THROWN, tolerance, reason, f"{CORIOLIS}: 5/7 v", unit="m/s"),
            Number("speed to the left", 2.0 / 7.0 * BALL * side, tolerance, reason, f"{CORIOLIS}: 2/7 r w", unit="m/s"),
        ),
        figures=(Curves(("x_rate", "y_rate", "lane_slip_speed"), title="Speeds"),),
    )


register(_ball("bowling_ball/rolls", "A ball without spin slips, then rolls with 5/7 of its speed", 0.0, 0.01, 1e-9, EXACT))
register(
    _ball(
        "bowling_ball/hooks",
        "A ball with side spin hooks: a parabola while it slips, then a straight line",
        SIDE,
        1e-3,
        1e-6,
        "its turning, in steps of 1 ms",
    )
)

# --- a box and a chair -------------------------------------------------------------------------------------------------

STEEP, ROUGH = 0.4, 0.3
DOWN = G * (math.sin(STEEP) - ROUGH * math.cos(STEEP))


def _slides(run: Run) -> Mapping[str, float]:
    return {"distance": float(run["x"][-1]), "speed": float(run["speed"][-1]), "turns by": float(np.abs(run["pitch"]).max())}


register(
    Scenario(
        "tumbling_box/slides",
        "A box on four corners slides down a slope steeper than its friction holds",
        "Closed form: Coulomb's friction on a slope",
        system=partial(tumbling_box, friction=ROUGH, slope=STEEP),
        settings={"duration": 0.5, "step": 0.005},
        measure=_slides,
        numbers=(
            Number("distance", 0.5 * DOWN * 0.25, 1e-12, EXACT, "closed form: g (sin - mu cos) t^2/2", unit="m"),
            Number("speed", 0.5 * DOWN, 1e-12, EXACT, "closed form: g (sin - mu cos) t", unit="m/s"),
            *vanishing(["turns by"], 1e-12, "closed form: the slope is less steep than its width over its height", "rad"),
        ),
        figures=(Curves(("x", "speed"), title="Down the slope"),),
    )
)


def slopes() -> dict[str, float]:
    """Whether a box moves on slopes a little below and above its angle of friction."""
    found = {}
    for words, apart in (("below", -1e-6), ("above", 1e-6)):
        run = simulate(tumbling_box(friction=ROUGH, slope=math.atan(ROUGH) + apart), 0.5, step=0.01)
        found[f"{words}: moves"] = float(np.abs(run["x"]).max() > 1e-12)
    return found


register(
    Computation(
        "tumbling_box/limit",
        "The steepest slope on which a box rests, on more corners than it needs",
        "Closed form: the angle of friction",
        compute=slopes,
        numbers=(
            Number("below: moves", 0.0, 0.5, WHOLE, "closed form: tan(slope) = mu; the slope is 1e-6 rad below"),
            Number("above: moves", 1.0, 0.5, WHOLE, "closed form: tan(slope) = mu; the slope is 1e-6 rad above"),
        ),
    )
)

SEAT, FLOOR, PUSH, HALF, HIGH = 5.0, 0.4, 25.0, 0.2, 0.9


def shoves() -> dict[str, float]:
    """A chair that is pushed: it stays, slides, or tips over its hind legs."""
    found = {}
    for words, push in (("weak", 0.999 * FLOOR * SEAT * G), ("strong", PUSH)):
        run = simulate(chair(friction=FLOOR), 0.3, inputs={"push": push}, step=0.005)
        found[f"{words}: moves by"] = float(-run["x"][-1])
    for words, share in (("low", 1.0 - 1e-6), ("high", 1.0 + 1e-6)):
        tall = chair(friction=FLOOR).with_parameters(h=HIGH)
        run = simulate(tall, 0.2, inputs={"push": share * SEAT * G * HALF / HIGH}, step=0.005)
        found[f"{words}: tips"] = float(abs(run["pitch"][-1]) > 0.0)
    return found


register(
    Computation(
        "chair/pushed",
        "A chair on four legs that is pushed: it stays, slides, or tips",
        "Closed form: Coulomb's friction, and the moment about the hind legs",
        compute=shoves,
        numbers=(
            Number("weak: moves by", 0.0, 1e-15, "it is held exactly", "closed form: push < mu m g", unit="m"),
            Number(
                "strong: moves by",
                0.5 * (PUSH / SEAT - FLOOR * G) * 0.09,
                1e-12,
                EXACT,
                "closed form: (push/m - mu g) t^2/2",
                unit="m",
            ),
            Number("low: tips", 0.0, 0.5, WHOLE, "closed form: push h = m g a; the push is 1e-6 below"),
            Number("high: tips", 1.0, 0.5, WHOLE, "closed form: push h = m g a; the push is 1e-6 above"),
        ),
    )
)

# --- rods --------------------------------------------------------------------------------------------------------------

GROUND, WALL = 0.4, 0.3
LEAST = math.atan((1.0 - GROUND * WALL) / (2.0 * GROUND))


def ladders() -> dict[str, float]:
    """Whether a rod stays on its wall at angles a little above and below the least."""
    found = {}
    for words, angle in (("above", LEAST + 1e-6), ("below", LEAST - 1e-6)):
        start = {"pitch": -angle, "up": math.sin(angle), "forward": -math.cos(angle)}
        run = simulate(leaning_rod(friction=GROUND, wall_friction=WALL), 0.2, start=start, step=0.005)
        found[f"{words}: slides"] = float(np.abs(run["pitch_rate"]).max() > 0.0)
    return found


register(
    Computation(
        "leaning_rod/limit",
        "The least angle at which a ladder stays on a rough wall",
        "Closed form: both ends need all their friction",
        compute=ladders,
        numbers=(
            Number("above: slides", 0.0, 0.5, WHOLE, "closed form: tan(angle) = (1 - mu mu_w)/(2 mu); 1e-6 rad above"),
            Number("below: slides", 1.0, 0.5, WHOLE, "closed form: tan(angle) = (1 - mu mu_w)/(2 mu); 1e-6 rad below"),
        ),
    )
)


CRITICAL = 15.0 * math.sqrt(10.0) / 128.0
"""The largest T/N while the foot of a rod that was upright sticks: 0.3706, at 35 degrees."""


def first_slips() -> dict[str, float]:
    """Which way the foot of a rod that falls over slips first, with a friction below and above the critical one."""
    found = {}
    first = 1e-3  # almost upright
    for words, friction in (("below", CRITICAL - 1e-4), ("above", CRITICAL + 1e-4)):
        start = {"pitch": first - 0.5 * math.pi, "up": math.cos(first)}
        run = simulate(falling_rod(friction=friction), 3.2, start=start, step=0.002)
        slips = run.events.of("foot", "slips")[0].time
        moved = np.interp([slips, slips + 0.004], run.time, run["foot_point_x"])
        # It falls towards +x: a foot that goes to -x slips backwards.
        found[f"{words}: slips forwards"] = float(moved[1] > moved[0])
    return found


register(
    Computation(
        "falling_rod/first_slip",
        "The friction from which on the foot of a falling rod slips forwards",
        "Cross, Am. J. Phys. 74 (2006), 812-816",
        compute=first_slips,
        numbers=(
            Number(
                "below: slips forwards",
                0.0,
                0.5,
                WHOLE,
                "Cross 2006: it slips backwards below the largest T/N, 15 sqrt(10)/128; computed",
            ),
            Number(
                "above: slips forwards",
                1.0,
                0.5,
                WHOLE,
                "Cross 2006: it slips forwards above the largest T/N, 15 sqrt(10)/128; computed",
            ),
        ),
    )
)
