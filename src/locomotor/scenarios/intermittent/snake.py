"""A snake that slides on dry ground: every module is braked by its own friction, and all of them stop together."""

from functools import partial

from locomotor.catalogue import dry_snake
from locomotor.figures import Curves, Path
from locomotor.scenarios.registry import Number, Scenario, register
from locomotor.simulation import Run

SPEED, FRICTION, GRAVITY = 0.5, 0.3, 9.81
STILL = {"sway_speed": 0.0, "yaw_rate": 0.0, "joint_1_rate": 0.0, "joint_2_rate": 0.0}


def _stop(run: Run) -> dict[str, float]:
    """When and where the modules stop, and whether they do so at once."""
    times = [event.time for event in run.events.of(kind="sticks")]
    return {
        "modules that stop": float(len(times)),
        "stops at": times[0],
        "stops after": float(run["x"][-1]),
        "last module stops later by": max(times) - min(times),
    }


register(
    Scenario(
        "dry_snake/slides",
        "Snake on dry ground, thrown along itself and bent: friction brakes all its modules alike",
        "Closed form: Coulomb's friction of m g under every module",
        system=partial(dry_snake, 3),
        settings={"duration": 0.3, "step": 0.002, "start": {"speed": SPEED, **STILL}, "parameters": {"frequency": 0.0}},
        measure=_stop,
        numbers=(
            Number("modules that stop", 3.0, 0.5, "a whole number", "one event each"),
            Number("stops at", SPEED / (FRICTION * GRAVITY), 1e-9, "events are located to round-off", "v/(mu g)", unit="s"),
            Number("stops after", SPEED**2 / (2 * FRICTION * GRAVITY), 1e-9, "integrated exactly", "v^2/(2 mu g)", unit="m"),
            Number("last module stops later by", 0.0, 1e-12, "one instant", "they move as one", unit="s"),
        ),
        figures=(Path("top", 1.0, title="Seen from above"), Curves(("speed", "belly_2_slip_speed"), title="Head and tail")),
    )
)
