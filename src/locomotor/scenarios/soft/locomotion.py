"""Soft bodies that go somewhere: a strip that jumps, and snakes without joints."""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from locomotor.catalogue import bent_elastica, jumping_elastica, sidewinder, soft_snake
from locomotor.figures import Contacts, Curves, Path
from locomotor.model import System
from locomotor.scenarios.registry import Computation, Number, Scenario, register, vanishing
from locomotor.simulation import Run, compile
from locomotor.typing import Floats

# -- the jumping strip ----------------------------------------------------------------------------------------

LENGTH, STRIP, EI, CLIP = 0.15, 0.024, 2.5e9 * 0.02 * 0.001**3 / 12.0, 0.002
"""Of each half: m, kg/m, N m²; and the mass of the clip (kg)."""
OMEGA = 3.5160152685 * math.sqrt(EI / (STRIP * LENGTH**4))
"""First frequency of a clamped beam (rad/s)."""
SHARE = 0.3914958780
"""Mean of the first mode over its value at the tip: what moves along with the tip."""
FAINT = 0.25
"""Curvature (1/m) at the clip for the linear theory: the halves are bent by 1/27 of a radian."""
CLAMPED = "closed form: first mode of a clamped beam (Blevins 1979, table 8-1), computed by us"


def _taken_off(run: Run) -> dict[str, float]:
    (event,) = run.events.of(kind="lift-off")
    return {
        "lift-off over a quarter of the period": event.time / (0.5 * math.pi / OMEGA),
        "momentum over that of the first mode": float(run["linear_momentum_z"][-1])
        / (2.0 * SHARE * STRIP * LENGTH * FAINT * math.sqrt(EI / STRIP)),
    }


register(
    Scenario(
        "jumping_elastica/take_off",
        "A strip bent a little in its first mode and let go, without gravity: a quarter of a period of pushing, then flight",
        "Closed form: the root of a clamped beam that swings pulls at the ground after a quarter of its period",
        system=jumping_elastica,
        settings={
            "duration": 0.05, "step": 2.5e-4, "start": bent_elastica(FAINT), "parameters": {"g": 0.0, "damping": 0.0},
            "sample": 5e-4,
        },
        measure=_taken_off,
        numbers=(
            Number("lift-off over a quarter of the period", 1.0, 2e-4, "three strains a half", CLAMPED),
            Number("momentum over that of the first mode", 1.0, 5e-4, "three strains a half", CLAMPED),
        ),
        figures=(Contacts(title="Gap and forces of the foot"),),
    )
)  # fmt: skip


def _jumped(run: Run) -> dict[str, float]:
    (event,) = run.events.of(kind="lift-off")
    flies = run.time > event.time
    time, momentum = run.time[flies], run["linear_momentum_z"][flies]
    mass = 2.0 * STRIP * LENGTH + CLIP
    return {
        "momentum less what gravity takes, in flight": float(
            np.abs(momentum - momentum[0] + mass * 9.81 * (time - time[0])).max()
        ),
        "momentum along the ground": float(np.abs(run["linear_momentum_x"]).max()),
        "energy and work": float(run.audit()["energy_balance"]),
        "rise of the centre of mass": float(momentum[0] / mass) ** 2 / (2.0 * 9.81),
    }


register(
    Scenario(
        "jumping_elastica/jump",
        "A strip bent by half a radian jumps, and swings in the air",
        "Balance of momentum and energy; the flight of the centre of mass",
        system=jumping_elastica,
        settings={"duration": 0.2, "step": 2e-4, "start": bent_elastica(), "sample": 1e-3},
        measure=_jumped,
        numbers=(
            *vanishing(
                ["momentum less what gravity takes, in flight"], 1e-11, "momentum: M g t", reason="RK4 at 0.2 ms"
            ),
            *vanishing(["momentum along the ground"], 1e-12, "symmetry", reason="round-off"),
            *vanishing(["energy and work"], 1e-3, "balance of energy", reason="power of damping read at samples of 1 ms"),
        ),
        figures=(Path("side", 0.02, title="Seen from the side"), Curves(("up", "right_bend_y_0"), title="Clip and bending")),
    )
)  # fmt: skip

# -- snakes ---------------------------------------------------------------------------------------------------

SPEED, FRICTION, SCUTES = 0.5, 0.5, 0.5
"""m/s, coefficient, mass of the scutes (kg)."""
STILL = ("speed", "yaw_rate", *(f"body_bend_z_{k}_rate" for k in range(3)))


def _slid(run: Run) -> dict[str, float]:
    lost = run["linear_momentum_y"][0] - run["linear_momentum_y"]
    return {
        "momentum less what friction takes": float(np.abs(lost - FRICTION * SCUTES * 9.81 * run.time).max()),
        "it bends": float(np.abs(run["body_bend_z_2"]).max() > 1e-3),
        "energy and work": float(run.audit()["energy_balance"]),
    }


register(
    Scenario(
        "soft_snake/slides",
        "A soft snake on keels, thrown sideways: scutes are braked, and the rod between them bends",
        "Closed form: Coulomb's friction under the weight of the scutes takes momentum at a constant rate",
        system=partial(soft_snake, 2),
        settings={
            "duration": 0.05, "step": 1e-3, "start": {"sway_speed": SPEED, **dict.fromkeys(STILL, 0.0)},
            "parameters": {"M": 0.0},
        },
        measure=_slid,
        numbers=(
            *vanishing(["momentum less what friction takes"], 5e-6, "mu m g t", reason="keels turn by milliradians"),
            Number("it bends", 1.0, 1e-12, "it does or it does not", "law: friction acts at two places, inertia everywhere"),
            *vanishing(["energy and work"], 1e-6, "balance of energy", reason="RK4 at 1 ms, damping"),
        ),
        figures=(Path("top", 0.01, title="Seen from above"), Curves(("sway_speed", "body_bend_z_2"), title="Head and bending")),
    )
)  # fmt: skip


def _stepped(system: System, names: tuple[str, ...], seconds: int, step: float, times: int = 1) -> dict[str, Floats]:
    """Channels so many times a second, by steps with the impulses of contacts for unknowns."""
    compiled = compile(system, contacts="time-stepping", target="c")
    every = round(1.0 / (times * step))
    batch = compiled.rollout(compiled.start(), seconds * times * every, step, save_every=every)
    return {name: np.asarray(batch[name]) for name in names}


def _slithers() -> Mapping[str, float]:
    ways = {keels: _stepped(soft_snake(keels=keels), ("x",), 5, 1e-3)["x"] for keels in (True, False)}
    periods = np.diff(ways[True])
    return {
        "goes head first": float(periods[-1] < -0.1),
        "last period over the one before": float(periods[-1] / periods[-2]),
        "without keels, as a share": float(np.diff(ways[False])[-1] / periods[-1]),
    }


register(
    Computation(
        "soft_snake/slithers",
        "A wave that runs to the tail drives a soft snake on keels; without keels it wriggles on the spot",
        "Law: friction that is alike in all directions gives a wave nothing to push against",
        compute=_slithers,
        slow=True,
        numbers=(
            Number("goes head first", 1.0, 1e-12, "it does or it does not", "law: reaction to a wave that runs to the tail"),
            Number("last period over the one before", 1.0, 1e-2, "the gait has settled", "law: a driven motion repeats itself"),
            Number("without keels, as a share", 0.1, 0.1, "at most a fifth of it", "law: only inertia is left"),
        ),
    )
)  # fmt: skip

WIND_CURVATURE, WAVES, RATE = 2.0 / 0.3, 1.2, 1.0
"""Curvature (1/m) that the muscles ask for in the middle, waves along the body, and waves a second."""


def _winds() -> Mapping[str, float]:
    times = 20
    found = _stepped(sidewinder(), ("x", "y", "yaw"), 4, 5e-4, times)
    heading = float(found["yaw"][-times:].mean())  # of the line that the body winds about
    x, y = (float(found[name][-1] - found[name][-1 - times]) for name in ("x", "y"))
    along, aside = math.cos(heading) * x + math.sin(heading) * y, math.cos(heading) * y - math.sin(heading) * x
    # Moments are M 4 s (1 - s), two thirds of M on the mean.
    amplitude = (2.0 / 3.0) * WIND_CURVATURE / (2.0 * math.pi * WAVES / 0.6) ** 2
    return {
        "sideways, over what a wave of this amplitude gives": -aside / (2.0 * math.pi * RATE * amplitude),
        "along over sideways": abs(along / aside),
    }


register(
    Computation(
        "sidewinder/winds",
        "A soft snake that lifts what it moves: parts on the ground rest, and it is carried sideways",
        "Closed form for small waves: what rests where the wave is steepest moves the body by 2 pi amplitudes a period",
        compute=_winds,
        slow=True,
        numbers=(
            Number(
                "sideways, over what a wave of this amplitude gives", 0.9, 0.15, "a wave that fades at its ends, five points",
                "closed form for small waves, a little less for what rests beside the steepest place",
            ),
            Number(
                "along over sideways", 0.0, 0.1, "nothing holds its heading", "law: waves of no net curvature wind sideways"
            ),
        ),
    )
)  # fmt: skip
