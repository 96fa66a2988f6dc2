"""Singular shapes of loops are located in time: where closed forms say that the bars lie in one line."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.singular_instant import vanishing

Y = (0.0, 1.0, 0.0)
RATE, ANGLE = 2.0, 1.2


def bar(name: str, length: float) -> lm.Body:
    return lm.Body(name, mass=length, com=(length / 2, 0, 0), inertia=(1e-4, length**3 / 12, length**3 / 12))


def parallelogram() -> lm.System:
    """Both cranks turn alike, at a constant rate without gravity; in line they may go on crossed or not."""
    return lm.System(
        "parallelogram",
        [bar("a", 0.3), bar("c", 0.9), bar("b", 0.3)],
        [
            lm.Revolute(name="crank", parent="world", child="a", axis=Y),
            lm.Revolute(name="coupler", parent="a", child="c", at=(0.3, 0, 0), axis=Y),
            lm.Revolute(name="rocker", parent="world", child="b", at=(0.9, 0, 0), axis=Y),
        ],
        loops=[lm.SphericalClosure("pin", "c", "b", at_a=(0.9, 0, 0), at_b=(0.3, 0, 0))],
        independent=("crank_rate",),
        nominal={"crank": -ANGLE, "coupler": ANGLE, "rocker": -ANGLE},
    )


@pytest.mark.parametrize("options", [{"step": 0.002, "sample": 0.05}, {"step": 0.0011}, {"stepper": "dop853"}])
def test_a_parallelogram_is_in_line_when_its_crank_is(options: dict[str, object]) -> None:
    start = {"crank": -ANGLE, "crank_rate": RATE}
    with pytest.warns(lm.RunWarning, match="no longer determines"):
        run = lm.simulate(parallelogram(), 3.0, start=start, target="interpreter", **options)  # type: ignore[arg-type]
    assert run.status.time == pytest.approx(ANGLE / RATE, abs=1e-9)
    (event,) = run.events.of(kind="singular")
    assert event.time == run.status.time and run.time[-1] < event.time
    assert [other.time for other in run.events] == sorted(other.time for other in run.events)
    assert run["crank"] == pytest.approx(-ANGLE + RATE * run.time, abs=1e-9)  # what is kept is right


def test_what_shrinks_vanishes_where_its_polynomial_does() -> None:
    times = np.linspace(0.0, 0.9, 40)
    assert vanishing(times, np.sin(1.0 - times)) == pytest.approx(1.0, abs=1e-9)
    assert vanishing(times, 1.0 + times) is None  # it grows
    assert vanishing(times, np.full(40, np.nan)) is None
    assert vanishing(times[:2], np.array([1.0, 0.5])) is None  # too few to tell
