"""Benchmarks of the IFToMM library converge at the order of the stepper; parameters of steps are such that round-off is far."""

from itertools import pairwise

import numpy as np
import pytest

import locomotor as lm


def orders(system: lm.System, duration: float, steps: tuple[float, ...], names: tuple[str, ...], **options) -> list[float]:
    """From runs at steps that are halved: log2 of how differences of neighbours at the end shrink."""
    ends = []
    for h in steps:
        run = lm.simulate(system, duration, step=h, sample=duration, **options)
        assert run.status.ok and run.settings["repivots"] == 0
        ends.append(np.array([run[name][-1] for name in names]))
    apart = [np.abs(a - b).max() for a, b in pairwise(ends)]
    return [float(np.log2(a / b)) for a, b in pairwise(apart)]


@pytest.mark.slow
def test_the_ring_of_bricard_converges_at_fourth_order() -> None:
    names = tuple(f"hinge_{k}{end}" for k in range(1, 6) for end in ("", "_rate"))
    assert orders(lm.catalogue.bricard(), 0.6, (0.02, 0.01, 0.005, 0.0025), names) == pytest.approx([4.0, 4.0], abs=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("windows", [1, 5, 40])
def test_a_row_of_windows_converges_at_fourth_order(windows: int) -> None:
    """From one window to forty, before the position in which all bars lie level; and to one pendulum, whose energy says so."""
    system, start = lm.catalogue.four_bar_row(windows), {"post_0_rate": 1.0}
    found = orders(system, 0.6, (0.04, 0.02, 0.01, 0.005), ("post_0", "post_0_rate"), start=start)
    assert found == pytest.approx([4.0, 4.0], abs=0.25)
    run = lm.simulate(system, 0.6, step=2e-3, sample=0.1, start=start)
    n = windows
    inertia, weight = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    rate = np.sqrt(1.0 + 2 * weight / inertia * (1.0 + np.sin(run["post_0"])))
    assert run["post_0_rate"] == pytest.approx(rate, rel=1e-9)
    assert run[f"post_{n}"] == pytest.approx(run["post_0"], abs=1e-11)


@pytest.mark.slow
def test_the_governor_converges_at_fourth_order() -> None:
    names = ("right", "left", "sleeve", "shaft", "shaft_rate", "right_rate")
    found = orders(lm.catalogue.governor(), 1.0, (0.01, 0.005, 0.0025, 0.00125), names, start={"shaft_rate": 8.0})
    assert found == pytest.approx([4.0, 4.0], abs=0.25)
