"""A coin that wobbles, a disc that slides and spins, a stone that turns back, a toy that pecks and a biped that stands."""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from locomotor.catalogue import euler_disc, rattleback, ready, three_link_biped, woodpecker
from locomotor.figures import Curves
from locomotor.model import Body, Frame, Gravity, Revolute, StickingPoint, System, Translation, Unilateral
from locomotor.scenarios.registry import Computation, Number, Scenario, register, vanishing
from locomotor.simulation import Run, simulate

G = 9.81
LOCATED, WHOLE = "events are located to round-off", "yes or no"

# --- a coin that wobbles, and a disc that slides and spins ---------------------------------------------------------------


TILT, COIN = 0.3, 0.0376
RATE = math.sqrt(4.0 * G / (COIN * math.sin(TILT)))
"""Tilt (rad), radius (m), and how fast the point of contact goes round (rad/s)."""
WOBBLING = {"z": COIN * math.sin(TILT), "roll": TILT, "pitch_rate": RATE * math.sin(TILT), "roll_rate": 0.0, "yaw_rate": 0.0}
"""The disc turns about the radius to its point of contact, its centre stands still."""


def _wobble(run: Run) -> Mapping[str, float]:
    turned = np.unwrap(np.arctan2(run["rim_point_y"], run["rim_point_x"]))
    energy = run["kinetic_energy"] + run["potential_energy"]
    return {
        "rate of the point of contact": float(abs(turned[-1] - turned[0])) / float(run.time[-1]),
        "motion of the centre": float(max(np.ptp(run[name]) for name in "xyz")),
        "energy lost": float(np.ptp(energy) / energy[0]),
    }


register(
    Scenario(
        "euler_disc/wobbles",
        f"Euler's disc in a steady wobble at a tilt of {TILT:g} rad: its centre stands still",
        "Moffatt, Nature 404 (2000), 833-834",
        system=euler_disc,
        settings={"duration": 0.5, "step": 5e-4, "start": WOBBLING},
        measure=_wobble,
        numbers=(
            Number(
                "rate of the point of contact",
                RATE,
                1e-4,
                "steps of 0.5 ms, of a thirtieth of a turn",
                "Moffatt 2000: W^2 sin(tilt) = 4 g/r; computed",
                unit="rad/s",
            ),
            *vanishing(
                ["motion of the centre"], 1e-8, "Moffatt 2000: the centre stands still", "m", "steps of a thirtieth of a turn"
            ),
            *vanishing(["energy lost"], 1e-8, "closed form: rolling does no work", "1", "steps of a thirtieth of a turn"),
        ),
        figures=(Curves(("rim_point_x", "rim_point_y"), title="Point of contact"),),
    )
)

PUCK, HEAVY, WIDE = 0.3, 2.0, 0.1
SPUN_UP = 20.0


def puck() -> System:
    """A uniform disc that lies flat on a table, which it touches all over."""
    turning = 0.5 * HEAVY * WIDE**2
    return System(
        "puck",
        bodies=[Frame("carrier"), Body("puck", mass=HEAVY, inertia=(0.5 * turning, 0.5 * turning, turning))],
        joints=[
            Translation(name="base", parent="world", child="carrier"),
            Revolute(name="yaw", parent="carrier", child="puck", axis=(0.0, 0.0, 1.0)),
        ],
        contacts=[StickingPoint("foot", "puck", (0.0, 0.0, 0.0), law=Unilateral(friction=PUCK, patch=WIDE))],
        forces=[Gravity((0.0, 0.0, -G))],
    )


def discs() -> dict[str, float]:
    """When a disc that spins stops, and how slide and spin of one that does both end together."""
    spin = simulate(puck(), 0.7, start={"yaw_rate": SPUN_UP, "x_rate": 0.0, "y_rate": 0.0}, step=0.01)
    found = {"spins for": spin.events[0].time}
    for rate in (5.0, 20.0):
        start = {"x_rate": 1.0, "y_rate": 0.0, "yaw_rate": rate}
        stop = simulate(puck(), 1.0, start=start, step=0.005).events[0].time
        early = simulate(puck(), stop - 1e-7, start=start, step=0.005)
        found[f"v/(w R) at the end, from {rate:g} rad/s"] = float(early["x_rate"][-1] / (WIDE * early["yaw_rate"][-1]))
    return found


FARKAS = "Farkas, Bartels, Unger, Wolf, Phys. Rev. Lett. 90 (2003), 248302"

register(
    Computation(
        "puck/stops",
        "A disc that slides and spins: both end at one instant, in one ratio whatever they began with",
        FARKAS,
        compute=discs,
        numbers=(
            Number(
                "spins for",
                0.5 * WIDE * SPUN_UP / (2.0 / 3.0 * PUCK * G),
                1e-9,
                LOCATED,
                "closed form: the torque is 2/3 mu m g R",
                unit="s",
            ),
            *(
                Number(
                    f"v/(w R) at the end, from {rate} rad/s", 0.653, 1e-3, "the digits printed", "Farkas et al. 2003", unit="1"
                )
                for rate in (5, 20)
            ),
        ),
    )
)

# --- a stone, a toy and a biped ----------------------------------------------------------------------------------------


def stones() -> dict[str, float]:
    """Whether a rattleback turns the other way after five seconds, spun either way."""
    found = {}
    for words, rate in (("clockwise", -5.0), ("counterclockwise", 5.0)):
        run = simulate(
            rattleback(friction=5.0), 5.0, start={**ready("rattleback").beginning["start"], "yaw_rate": rate}, step=5e-4
        )
        found[f"{words}: turns back"] = float(run["yaw_rate"][-1] * rate < 0.0)
        energy = run["kinetic_energy"] + run["potential_energy"]
        found[f"{words}: energy gained"] = max(0.0, float(np.diff(energy).max() / energy[0]))
    return found


register(
    Computation(
        "rattleback/turns_back",
        "A rattleback spun one way turns back, spun the other way it does not",
        "Kane and Levinson, Int. J. Non-Linear Mech. 17 (1982), 175-186",
        compute=stones,
        numbers=(
            Number("clockwise: turns back", 1.0, 0.5, WHOLE, "Kane and Levinson 1982"),
            Number("counterclockwise: turns back", 0.0, 0.5, WHOLE, "Kane and Levinson 1982"),
            *vanishing(
                [f"{words}: energy gained" for words in ("clockwise", "counterclockwise")],
                1e-4,
                "law of mechanics: nothing drives it",
                "1",
                "ten thousand steps of 0.5 ms",
            ),
        ),
    )
)


def _pecks(run: Run) -> Mapping[str, float]:
    *_, before, last = (event.time for event in run.events.of("beak", "impact"))
    return {"period": last - before}


ANOTHER = "computed by an independent program: Moreau's time-stepping of three equations written down apart"

register(
    Scenario(
        "woodpecker/pecks",
        "The woodpecker toy slides down its pole, jams, swings and pecks",
        "Glocker 1995; Leine, van Campen and Glocker 2003, whose parameters these are",
        system=woodpecker,
        settings={"duration": 1.6, "step": 5e-4, "start": ready("woodpecker").beginning["start"]},
        measure=_pecks,
        numbers=(Number("period", 0.1308, 3e-4, "steps of 0.02 ms of that program through impacts", ANOTHER, unit="s"),),
        figures=(Curves(("height", "tilt", "swing"), title="Down the pole"),),
    )
)


def _falls(run: Run) -> Mapping[str, float]:
    return {
        "motion of the legs": float(max(np.ptp(run["pitch"]), np.ptp(run["leg"]))),
        "rate against the fall": float(abs(run["trunk_rate"][-1]) - _trunk_rate(run)),
        "events": float(len(run.events)),
    }


def _trunk_rate(run: Run) -> float:
    """Energy of the trunk alone about the hip: rate^2 = 2 m g L/2 (cos - cos)/(I + m L^2/4)."""
    lean = 1.2 + run["trunk"] - 0.5 * math.pi
    return math.sqrt(2.0 * 45.0 * G * 0.35 * float(np.cos(lean[0]) - np.cos(lean[-1])) / (2.0 + 45.0 * 0.35**2))


register(
    Scenario(
        "three_link_biped/stands",
        "The biped of three links on two feet that hold, while its trunk falls about the hip",
        "Génot 1998, appendix D (equations; numbers of a person)",
        system=partial(three_link_biped, friction=1.5),
        settings={"duration": 0.4, "step": 0.005, "start": {"pitch": -1.2, "trunk": 0.5, "leg": -2.4}},
        measure=_falls,
        numbers=(
            *vanishing(["motion of the legs"], 1e-12, "closed form: two feet that hold leave the trunk alone", "rad"),
            *vanishing(["rate against the fall"], 1e-6, "closed form: energy of a pendulum", "rad/s", "steps of 5 ms"),
            *vanishing(["events"], 0.5, "closed form: nothing slips", "1", "a whole number"),
        ),
        figures=(Curves(("trunk", "trunk_rate"), title="Trunk"),),
    )
)
