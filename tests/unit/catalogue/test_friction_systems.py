"""Systems of the catalogue that live by friction: a toy against another program, a coin and a chair against closed forms."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.euler_disc import RATE, TILT, WOBBLING
from locomotor.catalogue.woodpecker import PECKING


def pecks(dt: float, end: float) -> np.ndarray:
    """Instants at which the beak strikes, by time-stepping of three equations written down apart (Moreau's midpoint rule)."""
    p = lm.catalogue.woodpecker().parameters.values
    m_M, J_M, m_S, J_S, c, g = (p[name] for name in ("m_M", "J_M", "m_S", "J_S", "c", "g"))
    r_0, r_M, h_M, l_M, l_G, l_S, h_S = (p[name] for name in ("r_0", "r_M", "h_M", "l_M", "l_G", "l_S", "h_S"))
    q, u, found, before = np.array([0.0, -0.1, -0.28]), np.array([-0.34, 0.0, -7.5]), [], False
    for k in range(round(end / dt)):
        q = q + 0.5 * dt * u
        ca, sa, cb, sb = math.cos(q[1]), math.sin(q[1]), math.cos(q[2]), math.sin(q[2])
        cd, sd = math.cos(q[1] - q[2]), math.sin(q[1] - q[2])
        x, y, z = m_S * l_M * ca, m_S * l_G * cb, m_S * l_M * l_G
        M = np.array([[m_S + m_M, x, y], [x, J_M + m_S * l_M**2, z * cd], [y, z * cd, J_S + m_S * l_G**2]])
        force = np.array(
            [
                -(m_S + m_M) * g + m_S * (l_M * sa * u[1] ** 2 + l_G * sb * u[2] ** 2),
                -c * (q[1] - q[2]) - g * x - z * sd * u[2] ** 2,
                -c * (q[2] - q[1]) - g * y + z * sd * u[1] ** 2,
            ]
        )
        gaps = (l_M * ca + (l_G - l_S) * cb - h_S * sb - r_0, r_M * ca + h_M * sa - r_0, r_M * ca - h_M * sa - r_0)
        normal = np.array(
            [[0, -l_M * sa, -(l_G - l_S) * sb - h_S * cb], [0, h_M * ca - r_M * sa, 0], [0, -h_M * ca - r_M * sa, 0]]
        )
        along = np.array([[1, l_M * ca, (l_G - l_S) * cb - h_S * sb], [1, r_M * ca + h_M * sa, 0], [1, r_M * ca - h_M * sa, 0]])
        W = np.linalg.inv(M)
        v, closed = u + dt * W @ force, [i for i in range(3) if gaps[i] <= 0.0]
        push, rub = np.zeros(3), np.zeros(3)
        for _ in range(200 if closed else 0):
            change = 0.0
            for i in closed:
                n, t, e = normal[i], along[i], 0.5 if i == 0 else 0.0
                new = max(0.0, push[i] - (n @ v + e * (n @ u)) / (n @ W @ n))
                v, change, push[i] = v + W @ n * (new - push[i]), max(change, abs(new - push[i])), new
                new = float(np.clip(rub[i] - (t @ v) / (t @ W @ t), -0.3 * push[i], 0.3 * push[i]))
                v, change, rub[i] = v + W @ t * (new - rub[i]), max(change, abs(new - rub[i])), new
            if change < 1e-13:
                break
        if 0 in closed and not before:
            found.append(k * dt)
        before, u = 0 in closed, v
        q = q + 0.5 * dt * u
    return np.array(found)


@pytest.mark.slow
def test_the_woodpecker_goes_down_its_pole_as_another_program_says() -> None:
    cycle = lm.find_cycle(lm.catalogue.woodpecker(), PECKING, section="beak impact", step=1e-4, settle=4, longest=1.0)
    assert cycle.stable and {"lower_edge slips", "lower_edge sticks", "lower_edge lift-off"} <= set(cycle.events)
    assert np.diff(pecks(4e-5, 0.75))[2:] == pytest.approx(cycle.period, abs=3e-4)  # steps of 0.04 ms through impacts
    assert np.abs(cycle.multipliers).max() == pytest.approx(0.0492, abs=2e-3) and cycle.check(1e-6) < 1e-3
    assert -0.016 < cycle.displacement["height"] < -0.013


@pytest.mark.slow
def test_eulers_disc_wobbles_about_a_centre_that_stands_still() -> None:
    """W² sin(tilt) = 4 g/r: the point of contact goes round at W, the centre does not move; energy is kept, nothing sinks."""
    run = lm.simulate(lm.catalogue.euler_disc(), 0.5, start=WOBBLING, step=5e-4)
    assert max(np.ptp(run[name]) for name in "xyz") < 1e-8
    turned = np.unwrap(np.arctan2(run["rim_point_y"], run["rim_point_x"]))
    assert abs(turned[-1] - turned[0]) / 0.5 == pytest.approx(RATE, rel=1e-6)
    assert abs(TILT - 0.3) < 1e-15 and run["rim_gap"].min() > -1e-9
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert np.ptp(energy) < 1e-8 * energy[0]


@pytest.mark.slow
def test_eulers_disc_on_a_smooth_table_loses_energy_and_does_not_sink() -> None:
    """It slips: energy falls all the time, by the work of friction alone."""
    start = {**WOBBLING, "pitch_rate": 1.6 * WOBBLING["pitch_rate"], "speed": 0.3}
    run = lm.simulate(lm.catalogue.euler_disc(friction=0.05), 0.3, start=start, step=5e-4)
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert energy[-1] < 0.98 * energy[0] and np.diff(energy).max() < 1e-9 * energy[0]
    assert run["rim_gap"].min() > -1e-9 and run.audit()["energy_balance"] < 1e-6


@pytest.mark.slow
def test_a_chair_stays_slides_or_tips() -> None:
    """At rest below mu m g, sliding with push/m - mu g above, tipping where push h > m g a and friction holds."""
    chair, g = lm.catalogue.chair(friction=0.4), 9.81
    still, slides = (lm.simulate(chair, 0.3, start={}, inputs={"push": push}, step=0.005) for push in (15.0, 25.0))
    assert np.ptp(still["x"]) == 0.0
    assert slides["x"][-1] == pytest.approx(-0.5 * (25.0 / 5.0 - 0.4 * g) * 0.09, abs=1e-12)
    high = chair.with_parameters(h=0.9)
    for push in (0.99, 1.01):
        run = lm.simulate(high, 0.2, start={}, inputs={"push": push * 5.0 * g * 0.2 / 0.9}, step=0.005)
        assert bool(abs(run["pitch"][-1]) > 1e-6) == (push > 1.0)


def test_the_biped_stands_on_two_feet() -> None:
    """Both feet hold while the trunk falls about the hip: rate² = 2 (g m L/2)(cos - cos)/(I + m L²/4)."""
    biped = lm.catalogue.three_link_biped(friction=1.5)
    start = {"pitch": -1.2, "trunk": 0.5, "leg": -2.4}
    run = lm.simulate(biped, 0.4, start=start, step=0.005)
    assert np.ptp(run["pitch"]) == pytest.approx(0.0, abs=1e-12) and not len(run.events)
    lean = 1.2 + run["trunk"] - 0.5 * math.pi  # of the trunk from upright
    rate = math.sqrt(2.0 * 45.0 * 9.81 * 0.35 * (math.cos(lean[0]) - math.cos(lean[-1])) / (2.0 + 45.0 * 0.35**2))
    assert abs(run["trunk_rate"][-1]) == pytest.approx(rate, rel=1e-7)


# -- snakes ---------------------------------------------------------------------------------------------------


def slithered(keels: bool) -> np.ndarray:
    """Places of the head over six seconds of the wave."""
    system = lm.catalogue.dry_snake(5, keels=keels)
    compiled = lm.compile(system, contacts="time-stepping", target="c", settings=lm.ContactSettings(solver="runtime"))
    batch = compiled.rollout(compiled.start(), 3000, 0.002, save_every=100)
    assert batch.status == 0 and all(np.abs(batch[f"rise_{k}"]).max() < 1e-9 for k in range(5))
    return np.asarray(batch["x"])


@pytest.mark.slow
def test_a_wave_pushes_a_snake_that_rubs_across_itself_only() -> None:
    """On keels it goes forward all the time; friction that is alike in all directions lets it wriggle on the spot."""
    on_keels, alike = slithered(True), slithered(False)
    assert on_keels[-1] > 1.5 and (on_keels[30::10] - on_keels[20:-10:10] > 0.0).all()
    assert np.abs(alike).max() < 0.05


@pytest.mark.slow
def test_a_sidewinder_begins_to_wind_on_five_places_that_slip_at_once() -> None:
    """Against time-stepping with short steps, which knows no modes: half of the error is left at half the step."""
    snake, names, end = lm.catalogue.sidewinder(), ("x", "y", "yaw"), 0.05
    run = lm.simulate(snake, end, step=1e-4)
    assert run.status.completed and run.events[-1].name == "belly_3 lift-off"
    begun = [(event.name, event.time) for event in run.events][:-1]
    assert sorted(begun) == [(f"belly_{k} slips", 0.0) for k in range(1, 6)]
    assert run.audit()["beyond_friction"] < 1e-9
    stepping, wanted, errors = lm.compile(snake, contacts="time-stepping"), [float(run[name][-1]) for name in names], []
    for h in (2e-5, 1e-5):
        last = stepping.rollout(stepping.start(None)[None], round(end / h), h).states[0, -1]
        found = dict(zip(stepping.state_names, last, strict=True))
        errors.append(max(abs(found[name] - value) for name, value in zip(names, wanted, strict=True)))
    assert errors[1] == pytest.approx(0.5 * errors[0], rel=0.1) and errors[1] < 2e-5 * max(map(abs, wanted))


@pytest.mark.slow
def test_a_snake_that_bends_from_rest_slips_where_no_share_of_the_forces_is_left() -> None:
    """Five modules hold each other in three ways more than they need; against time-stepping, which shares as it can."""
    snake, names, end = lm.catalogue.dry_snake(5), ("x", "y", "yaw", "joint_1", "joint_2"), 0.3
    run = lm.simulate(snake, end, step=1e-3)
    assert run.status.completed
    slips = [event.time for event in run.events if event.name.endswith("slips")]
    assert max(map(slips.count, slips)) == 4  # four of them together
    stepping, errors = lm.compile(snake, contacts="time-stepping"), []
    for h in (1e-4, 2e-5):
        last = stepping.rollout(stepping.start(None)[None], round(end / h), h).states[0, -1]
        found = dict(zip(stepping.state_names, last, strict=True))
        errors.append(max(abs(found[name] - float(run[name][-1])) for name in names))
    assert errors[0] < 2e-5 and errors[1] == pytest.approx(0.2 * errors[0], rel=0.2)


def test_every_system_that_is_listed_is_a_function_of_its_name() -> None:
    """`locomotor list` names it, and `lm.catalogue` has it."""
    names = {ready.name.split("/")[0] for ready in lm.catalogue.systems()}
    assert [name for name in sorted(names) if not callable(getattr(lm.catalogue, name, None))] == []
