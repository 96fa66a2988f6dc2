"""Mechanisms with loops: closed forms, balances and energies."""

import math
import re

import numpy as np
import pytest
from scipy.integrate import quad

import locomotor as lm
from locomotor.catalogue.strandbeest import NUMBERS, foot_point


@pytest.mark.slow
def test_slider_is_where_the_crank_puts_it() -> None:
    run = lm.simulate(lm.catalogue.slider_crank(), 2.0, start={"crank_rate": 8.0}, sample=0.01)
    phi = run["crank"]
    assert run["slider"] == pytest.approx(0.2 * np.cos(phi) + np.sqrt(0.25 - 0.04 * np.sin(phi) ** 2), abs=1e-12)
    assert np.ptp(phi) > 4 * math.pi and run.settings["repivots"] == 0


@pytest.mark.slow
def test_an_over_constrained_ring_moves_and_keeps_its_energy() -> None:
    """Five rows of rank four; ten seconds, in which it turns itself inside out; the criterion of the library is the energy."""
    system = lm.catalogue.bricard()
    traced = lm.trace(system)
    assert [traced.motion.constraints.labels[i] for i in traced.reduction.pivots.redundant_rows] == ["last_turn_c"]
    assert len(traced.reduction.free) == 1
    run = lm.simulate(system, 10.0)
    audit = run.audit()
    assert run.status.ok and audit["energy_balance"] < 1e-8 and audit["largest_gap"] < 1e-12
    assert max(np.ptp(run[f"hinge_{k}"]) for k in range(1, 6)) > 3.0


@pytest.mark.slow
def test_a_row_of_windows_swings_as_one_pendulum() -> None:
    """Parallel bars: J q'' = -dU/dq with J = (N + 1) m l²/3 + N m l², U = m g l (N + 1)/2 sin + N m g l sin."""
    n = 3
    run = lm.simulate(lm.catalogue.four_bar_row(n), 0.6, start={"post_0_rate": 1.0}, sample=0.05)
    inertia, weight = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    rate = np.sqrt(1.0 + 2 * weight / inertia * (1.0 + np.sin(run["post_0"])))
    assert run["post_0_rate"] == pytest.approx(rate, rel=1e-9)
    for k in range(1, n + 1):
        assert run[f"post_{k}"] == pytest.approx(run["post_0"], abs=1e-11)


@pytest.mark.slow
def test_where_all_bars_lie_level_the_run_stops_and_names_the_place() -> None:
    with pytest.warns(lm.RunWarning, match="no longer determines"):
        run = lm.simulate(lm.catalogue.four_bar_row(2), 1.0, start={"post_0_rate": 1.0})
    assert not run.status.ok and "coordinates='maximal'" in str(run.status)
    # Where a stage of the last step met it: by one of the angles that vanish there.
    assert re.search(r"(post|lintel)_\d = -?0\.00\d", str(run.status))
    assert run.time[-1] > 0.7
    # One pendulum: the instant at which it is level, by quadrature.
    inertia, weight = 3 / 3 + 2, 9.81 * (3 / 2 + 2)
    level, _ = quad(lambda angle: 1.0 / np.sqrt(1.0 + 2 * weight / inertia * (1.0 + np.sin(angle))), -np.pi / 2, 0.0)
    (event,) = run.events.of(kind="singular")
    assert event.time == pytest.approx(level, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("windows", [1, 2])
def test_maximal_coordinates_pass_where_all_bars_lie_level(windows: int) -> None:
    """The benchmark itself: through the singular position, energy kept, all uprights parallel, as one pendulum."""
    n = windows
    run = lm.simulate(
        lm.catalogue.four_bar_row(n), 1.2, start={"post_0_rate": 1.0}, step=2e-3, sample=0.02, coordinates="maximal"
    )
    inertia, weight = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    assert run["post_0"][-1] > 2.5  # from upright through level to beyond the other side
    assert run["post_0_rate"] == pytest.approx(np.sqrt(1.0 + 2 * weight / inertia * (1.0 + np.sin(run["post_0"]))), abs=1e-8)
    assert run["post_1"] == pytest.approx(run["post_0"], abs=1e-10)
    assert np.ptp(run.energy) < 1e-7 and run.settings["largest_gap"] < 1e-12


@pytest.mark.slow
def test_the_governor_comes_to_the_balance_of_moments() -> None:
    """Steady rate: m w² (e + L sin a) L cos a = m g L sin a + p sin a (M g - F), F the push of the spring."""
    system = lm.catalogue.governor().with_motions({"shaft": "9*t"})
    run = lm.simulate(system, 80.0, step=4e-3, sample=1.0)
    a, s = run["right"][-1], run["sleeve"][-1]
    assert run["left"][-1] == pytest.approx(a, abs=1e-9)
    assert s == pytest.approx(-2 * 0.3 * math.cos(a), abs=1e-12)
    spring = -200.0 * (s + 0.55)
    left = 81.0 * (0.03 + 0.5 * math.sin(a)) * 0.5 * math.cos(a)
    right = 9.81 * 0.5 * math.sin(a) + 0.3 * math.sin(a) * (0.5 * 9.81 - spring)
    assert left == pytest.approx(right, rel=1e-6)


@pytest.mark.slow
def test_a_leg_walks_for_a_minute_with_its_loops_closed() -> None:
    run = lm.simulate(lm.catalogue.strandbeest_leg(), 60.0, start={"crank_rate": 6.0}, step=2e-3, sample=0.02)
    assert run.status.ok and run.settings["repivots"] == 0
    assert run.audit()["largest_gap"] < 1e-10
    # From the foot to the ends of its bars, as the numbers say: poses of the record, not of the equations.
    x, z = foot_point()
    scaled = {name: 0.01 * value for name, value in NUMBERS.items()}
    assert math.hypot(x, z) == pytest.approx(scaled["h"]) and math.hypot(x - scaled["g"], z) == pytest.approx(scaled["i"])


@pytest.mark.slow
def test_the_legs_of_a_platform_carry_its_weight() -> None:
    """At rest the vertical parts of the forces of the legs on the plate are its weight."""
    system = lm.catalogue.stewart_platform()
    motions = {f"leg_{k}": float(system.nominal_pose()[system.layout.index_q(f"leg_{k}")]) for k in range(1, 7)}
    held = system.with_motions({name: repr(value) for name, value in motions.items()})
    run = lm.simulate(held, 0.002, step=0.002)
    lifted = sum(run[f"head_{k}_z_multiplier"][0] for k in range(1, 7))
    assert lifted == pytest.approx(5.0 * 9.81, rel=1e-9)


@pytest.mark.slow
def test_the_plate_of_a_delta_robot_keeps_its_attitude() -> None:
    run = lm.simulate(lm.catalogue.delta_robot(), 0.2, start={"arm_1_rate": 2.0, "arm_2_rate": -1.0})
    for angle in ("roll", "pitch", "yaw"):
        assert np.abs(run[angle]).max() < 1e-12
    assert np.abs(run["y"]).max() > 0.01
