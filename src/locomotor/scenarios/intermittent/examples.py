"""Bounces, steps and hops with closed forms or published gaits: ball, spheres that yield, rimless wheel, walker, hopper."""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from locomotor.catalogue import bouncing_ball, compass_walker, hopper, rimless_wheel
from locomotor.figures import Curves, PhasePlane
from locomotor.model import Body, CompliantContact, Prismatic, System, hertz_stiffness
from locomotor.scenarios.registry import Computation, Number, Scenario, digits, register
from locomotor.simulation import Run, simulate
from locomotor.typing import Vector

# -- bouncing ball --------------------------------------------------------------------------------------------

HEIGHT = 1.0
GRAVITY = 9.81


def rest_time(e: float) -> float:
    """sqrt(2 h/g) (1 + e)/(1 - e): when infinitely many bounces are over."""
    return math.sqrt(2.0 * HEIGHT / GRAVITY) * (1.0 + e) / (1.0 - e)


def accumulation() -> dict[str, float]:
    """When balls come to rest, and where they then are."""
    found = {}
    for e in (0.3, 0.5, 0.9):
        run = simulate(bouncing_ball(restitution=e), rest_time(e) + 0.1, start={"z": 0.1 + HEIGHT})
        (rest,) = run.events.of("floor", "rest")
        found[f"rest at, e = {e}"] = rest.time
        found[f"first impact, e = {e}"] = run.events[0].time
        found[f"height at the end, e = {e}"] = float(run["floor_gap"][-1])
    return found


register(
    Computation(
        "bouncing_ball/rest",
        "Accumulating bounces come to rest",
        "Closed form: a geometric series",
        compute=accumulation,
        numbers=(
            *(
                Number(f"rest at, e = {e}", rest_time(e), 1e-9, "asked; found to 1e-10", "closed form", unit="s")
                for e in (0.3, 0.5, 0.9)
            ),
            *(
                Number(
                    f"first impact, e = {e}",
                    math.sqrt(2.0 * HEIGHT / GRAVITY),
                    1e-12,
                    "events are located to round-off, and free fall is integrated exactly",
                    "closed form",
                    unit="s",
                )
                for e in (0.3, 0.5, 0.9)
            ),
            *(
                Number(f"height at the end, e = {e}", 0.0, 1e-12, "round-off", "at rest on the floor", unit="m")
                for e in (0.3, 0.5, 0.9)
            ),
        ),
    )
)

# -- compliant spheres ----------------------------------------------------------------------------------------

RADIUS = 0.01
STEEL = hertz_stiffness(RADIUS, 210e9, 0.28, RADIUS)
DENSITY = 7850.0
APPROACH = 0.1
FIGURE_33 = "Mauny, PhD thesis (2018), fig. 3.3; numbers computed by an independent program for a density of 7850 kg/m^3"


def spheres(restitution: float, damping: str = "hunt-crossley") -> System:
    """Two equal steel spheres that collide: the reduced mass against a plane, with the depth as minus the coordinate."""
    mass = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    return System(
        "spheres",
        bodies=[Body("reduced", mass=0.5 * mass, inertia=(1e-6, 1e-6, 1e-6))],
        joints=[Prismatic(name="distance", parent="world", child="reduced", axis=(0.0, 0.0, 1.0))],
        forces=[
            CompliantContact(
                "steel",
                body="reduced",
                at=(0.0, 0.0, 0.0),
                stiffness=STEEL,
                damping=damping,
                restitution=restitution,
                speed=APPROACH,
            )
        ],
    )


def fig_33() -> dict[str, float]:
    """Deepest deformation, largest force and exit speed."""
    found = {"stiffness": STEEL}
    for e in (1.0, 0.9, 0.5, 0.0):
        run = simulate(spheres(e), 2e-4, start={"distance_rate": -APPROACH}, step=1e-7)
        assert run.system is not None
        depth = np.maximum(-run["distance"], 0.0)
        rate = -run["distance_rate"]
        force = found["stiffness"] * depth**1.5 * np.maximum(1.0 + 1.5 * (1.0 - e) / APPROACH * rate, 0.0)
        found[f"deformation, e = {e:g}"] = 1e6 * float(depth.max())
        found[f"force, e = {e:g}"] = float(force.max())
        found[f"exit speed, e = {e:g}"] = float(run["distance_rate"][-1])
    return found


register(
    Computation(
        "impact/hunt-crossley",
        "Two steel spheres collide, by the law of Hunt and Crossley",
        "Mauny, PhD thesis (2018), fig. 3.3",
        compute=fig_33,
        numbers=(
            *digits({"stiffness": "1.0742e10"}, FIGURE_33, "N/m^1.5"),
            *(
                number
                for e, deformation, force, speed in (
                    ("1", "3.256", "63.11", "0.1000"),
                    ("0.9", "3.136", "60.15", "0.0909"),
                    ("0.5", "2.786", "57.01", "0.0663"),
                    ("0", "2.505", "58.93", "0.0488"),
                )
                for number in (
                    *digits({f"deformation, e = {e}": deformation}, FIGURE_33, "um"),
                    *digits({f"force, e = {e}": force}, FIGURE_33, "N"),
                    *digits({f"exit speed, e = {e}": speed}, FIGURE_33, "m/s"),
                )
            ),
        ),
    )
)

# -- rimless wheel --------------------------------------------------------------------------------------------

SPOKES, SLOPE, INERTIA = 8, 0.08, 0.2
HALF = math.pi / SPOKES
KEPT = (INERTIA + math.cos(2.0 * HALF)) / (INERTIA + 1.0)
GAINED = 4.0 * GRAVITY * math.sin(HALF) * math.sin(SLOPE) / (INERTIA + 1.0)
STEADY_RATE = math.sqrt(KEPT**2 * GAINED / (1.0 - KEPT**2))


def step_time() -> float:
    """Time of a step of the steady motion: its energy gives the rate at every lean, and quadrature of Gauss the time."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    drop = math.cos(SLOPE - HALF) - np.cos(HALF * nodes + SLOPE)
    rate = np.sqrt(STEADY_RATE**2 + 2.0 * GRAVITY * drop / (INERTIA + 1.0))
    return HALF * float(weights @ (1.0 / rate))


def after_impacts(run: Run, name: str) -> list[float]:
    """A channel just after each impact."""
    return [float(run[name][np.searchsorted(run.time, e.time, side="right") - 1]) for e in run.events.of(kind="impact")]


def steps_of_wheel() -> dict[str, float]:
    """The map of the rate after one impact to that after the next, at and around its fixed point."""
    wheel = partial(simulate, rimless_wheel(spokes=SPOKES, slope=SLOPE, inertia=INERTIA), closed=["foot_0"])

    def once(rate: float) -> tuple[float, float]:
        run = wheel(1.5, start={"pitch": -HALF, "pitch_rate": rate})
        return after_impacts(run, "pitch_rate")[0], run.events.of(kind="impact")[0].time

    size = 1e-4
    there, period = once(STEADY_RATE)
    return {
        "rate after an impact": there,
        "time of a step": period,
        "multiplier": (once(STEADY_RATE + size)[0] - once(STEADY_RATE - size)[0]) / (2.0 * size),
    }


register(
    Computation(
        "rimless_wheel/steady",
        "Steady rolling of the rimless wheel, and how fast it is reached",
        "McGeer, Int. J. Robotics Research 9 (1990)",
        compute=steps_of_wheel,
        numbers=(
            Number("rate after an impact", STEADY_RATE, 1e-9, "error of the steps", "closed form", unit="rad/s"),
            Number("time of a step", step_time(), 1e-9, "error of the steps", "closed form, by quadrature", unit="s"),
            Number("multiplier", KEPT**2, 1e-7, "differences of size 1e-4", "closed form: eta^2"),
        ),
    )
)

# -- compass walker -------------------------------------------------------------------------------------------

GARCIA = "Garcia, Chatterjee, Ruina, Coleman, J. Biomech. Eng. 120 (1998)"
GUESS = (0.2, 0.2, 0.184)


def stride(values: Vector, slope: float = 0.009, foot_mass: float = 1e-6) -> tuple[Vector, float]:
    """One step: stance angle, rates of stance and swing leg, just after a strike, to the same after the next; and its time."""
    angle, stance, swing = (float(value) for value in values)
    start = {"leg_a": -angle, "leg_b": angle, "leg_a_rate": stance, "leg_b_rate": swing}
    run = simulate(compass_walker(slope=slope, foot_mass=foot_mass), 4.5, start=start, closed=["foot_a"])
    (strike, *_) = run.events.of("foot_b", "impact")
    k = int(np.searchsorted(run.time, strike.time, side="right")) - 1
    return np.array([run["leg_a"][k], run["leg_b_rate"][k], run["leg_a_rate"][k]]), strike.time


def gait() -> dict[str, float]:
    """The gait of period one on a slope of 0.009 rad, and its largest multiplier by differences."""
    from scipy.optimize import root

    found = root(lambda u: stride(u)[0] - u, GUESS, options={"xtol": 1e-11})
    size = 1e-5
    columns = [(stride(found.x + size * e)[0] - stride(found.x - size * e)[0]) / (2.0 * size) for e in np.eye(3)]
    return {
        "stance angle": float(found.x[0]),
        "rate of the stance leg": float(found.x[1]),
        "rate of phi": float(found.x[2] - found.x[1]),
        "period": stride(found.x)[1],
        "largest multiplier": float(np.abs(np.linalg.eigvals(np.array(columns).T)).max()),
    }


register(
    Computation(
        "compass_walker/gait",
        "The simplest walker on a slope of 0.009 rad: its stable gait",
        GARCIA,
        compute=gait,
        numbers=(
            *digits({"stance angle": "0.2003"}, f"{GARCIA}: long-period gait", "rad"),
            *digits({"period": "3.88"}, f"{GARCIA}: about 3.88 sqrt(l/g)", "s"),
            *digits({"rate of the stance leg": "0.1998", "rate of phi": "-0.0158"}, f"{GARCIA}: long-period gait", "rad/s"),
            Number("largest multiplier", 0.5, 0.5, "below 1", f"{GARCIA}: stable"),
        ),
    )
)

# -- hopper ---------------------------------------------------------------------------------------------------

SEYFARTH = "Seyfarth, Geyer, Guenther, Blickhan, J. Biomech. 35 (2002)"
DROP, PRELOAD, MASS, STIFFNESS = 0.2, 0.001, 80.0, 20e3


def stance_time() -> float:
    """Time on the ground of a hopper on the spot: half a swing of mass on spring and more, from and to the leg's length."""
    frequency = math.sqrt(STIFFNESS / MASS)
    speed = math.sqrt(2.0 * GRAVITY * DROP)
    below = MASS * GRAVITY / STIFFNESS - PRELOAD
    return (math.pi + 2.0 * math.atan2(below, speed / frequency)) / frequency


def hop() -> dict[str, float]:
    """The first hop on the spot."""
    run = simulate(hopper(angle=0.5 * math.pi, foot_mass=1e-4), 1.2, start={"up": 1.0 + DROP}, step=2e-4)
    landing, leaving = run.events.of("foot", "impact")[0], run.events.of("stop", "impact")[0]
    return {
        "landing": landing.time,
        "time on the ground": leaving.time - landing.time,
        "second apex": float(run["up"][run.time > leaving.time].max()),
    }


register(
    Computation(
        "hopper/on_the_spot",
        "A hop on a spring",
        "Closed form: free fall and a harmonic oscillation",
        compute=hop,
        numbers=(
            Number("landing", math.sqrt(2.0 * DROP / GRAVITY), 1e-12, "round-off", "closed form", unit="s"),
            Number("time on the ground", stance_time(), 1e-6, "the foot's mass, 1e-6 of the trunk's", "closed form", unit="s"),
            Number("second apex", 1.0 + DROP, 2e-6, "the foot's mass, and the samples", "closed form", unit="m"),
        ),
    )
)


SPRING_MASS = "computed by an independent program: a point mass on a spring, with a leg and a foot without mass"
FOOT = "the foot's mass, 1e-5 of the trunk's, in each of 38 steps: the difference is proportional to it"


def running(run: Run) -> Mapping[str, float]:
    """Steps of a run of 10 s, and how the apex settles."""
    turning = np.flatnonzero((run["up_rate"][:-1] > 0.0) & (run["up_rate"][1:] <= 0.0))
    apexes = [float(run["up"][k : k + 2].max()) for k in turning]
    return {
        "steps": float(len(run.events.of("foot", "impact"))),
        "last apex": apexes[-1],
        "last apex less the one before": apexes[-1] - apexes[-2],
        "mean speed": float(run["forward"][-1] / run.time[-1]),
    }


register(
    Scenario(
        "hopper/running",
        "Self-stable running on a spring: leg of 20 kN/m at 68 degrees and 5 m/s",
        SEYFARTH,
        system=hopper,
        settings={"duration": 10.0, "step": 5e-4, "start": {"up": 1.0, "forward_rate": 5.0}},
        measure=running,
        numbers=(
            Number("steps", 38.0, 0.5, "a count", SPRING_MASS),
            Number("mean speed", 5.0502, 2e-3, FOOT, SPRING_MASS, unit="m/s"),
            Number("last apex", 0.94244, 1e-4, FOOT, SPRING_MASS, unit="m"),
            Number("last apex less the one before", 0.0, 2e-5, FOOT, f"{SEYFARTH}, fig. 2: stable for these values", unit="m"),
        ),
        figures=(Curves(("up", "length"), title="Height and leg"), PhasePlane("up", "up_rate", title="Height")),
    )
)
