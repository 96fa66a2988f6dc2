"""Riding on the live page: held inputs, the balance, pushes among switching contacts and laws, and what a menu begins with."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.commands.live_menu import riding_of, scenarios_of
from locomotor.errors import DescriptionTypeError, ExpressionError, UnknownNameError, ViewingError
from locomotor.scenarios import scenario
from locomotor.simulation import Outcome
from locomotor.viewing.live import LiveView
from locomotor.viewing.live.commands import Ride, read_commands
from locomotor.viewing.live.engine import Engine
from locomotor.viewing.live.push import Push
from locomotor.viewing.live.smooth import PERIOD

RIDING = lm.catalogue.ready("bicycle").riding
START = {"speed": 4.6, "roll_rate": 0.2}
ASIDE = Push(0.2, "rear_frame", (0.2, 0.0, 0.5), (0.0, 8.0, 0.0))


@cache
def engine() -> Engine:
    bike = lm.catalogue.bicycle()
    return Engine(bike, tuple(bike.parameters))


def ride(*commands: tuple[float, str, float]) -> Ride | None:
    return read_commands([{"time": t, "handle": handle, "value": value} for t, handle, value in commands], RIDING)


def at(run: lm.Run, name: str, time: float) -> float:
    return float(np.interp(time, run.time, run[name]))


# -- keys ---------------------------------------------------------------------------------------------


def test_keys_hold_inputs_as_a_law_of_time_would() -> None:
    """Pedalling from 0.31 to 0.74 s: the same motion as with a torque that `simulate` switches on and off at those instants."""
    found = engine().run(1.0, START, {}, {}, (), ride((0.31, "pedal and brake", 1.0), (0.74, "pedal and brake", 0.0)))
    law = "if_else(less(t, 0.31), 0, if_else(less(t, 0.74), 25, 0))"
    expected = lm.simulate(lm.catalogue.bicycle(), 1.0, start=START, inputs={"rear_wheel_torque": law})
    for name in ("speed", "roll", "steer", "yaw", "x", "y"):
        assert found[name][-1] == pytest.approx(expected[name][-1], abs=1e-9), name
    assert at(found, "rear_wheel_torque", 0.5) == 25.0 and found["rear_wheel_torque"][[0, -1]].tolist() == [0.0, 0.0]


def test_a_brake_stops_the_wheel_and_does_not_turn_it_back() -> None:
    run = engine().run(6.0, {"speed": 2.0}, {}, {}, (), ride((0.0, "pedal and brake", -1.0)))
    # 40 N m on a wheel of 0.3 m: with the inertia of both wheels, m + sum I/r², 94 kg come down from 2 m/s in about 1.5 s.
    assert at(run, "speed", 3.0) < 0.1 and run["speed"].min() > -1e-3


def test_a_ride_goes_on_from_what_is_known_of_it() -> None:
    """Another key, or more time, changes nothing that was before; all is as if it had been asked for at once."""
    first, more = ((0.2, "balance", 1.0), (0.4, "steer", 1.0)), (0.9, "steer", 0.0)
    own = Engine(engine().system, engine().free)
    own.run(0.8, START, {}, {}, (), ride(*first))
    own.run(1.5, START, {}, {}, (), ride(*first))
    known = own.run(1.5, START, {}, {}, (), ride(*first, more))
    fresh = Engine(engine().system, engine().free).run(1.5, START, {}, {}, (), ride(*first, more))
    assert np.allclose(known.time, fresh.time, rtol=0.0, atol=1e-12)  # 0.2 + 35/50 s is 0.9 s, but for round-off
    assert all(np.allclose(known[name], fresh[name], rtol=1e-9, atol=1e-9) for name in ("roll", "steer", "speed", "x", "y"))
    other = own.run(1.5, {"speed": 5.0}, {}, {}, (), ride(*first, more))
    assert other["speed"][0] == pytest.approx(5.0)


def test_laws_are_looked_at_beside_keys() -> None:
    found = engine().run(0.5, START, {}, {"front_wheel_torque": "0.5*sin(3*t)"}, (), ride((0.1, "pedal and brake", 1.0)))
    looks = found.time[found.time > 0.1]
    # Held from each look to the next; the last sample is the end of the last look.
    assert np.allclose(found["front_wheel_torque"][found.time > 0.1][:-1], 0.5 * np.sin(3.0 * looks[:-1]), atol=1e-12)
    assert found["rear_wheel_torque"][-2] == 25.0 and looks[1] - looks[0] == pytest.approx(PERIOD)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("x", "list"),
        ([{"time": 0.0}], "no command"),
        ([{"time": 0.0, "handle": "stear", "value": 1}], "did you mean 'steer'"),
        ([{"time": 0.0, "handle": "steer", "value": 2}], "-1 to 1"),
        ([{"time": float("nan"), "handle": "steer", "value": 0}], "finite time"),
    ],
)
def test_wrong_commands_are_refused(given: Any, told: str) -> None:
    with pytest.raises(ViewingError, match=told):
        read_commands(given, RIDING)


def test_a_system_that_nothing_is_declared_for_cannot_be_ridden() -> None:
    with pytest.raises(ViewingError, match=r"riding=lm\.Riding"):
        read_commands([{"time": 0.0, "handle": "steer", "value": 1}], None)
    wrong = lm.Riding([lm.Handle("turn", "across", {"torque": 1.0})])
    with pytest.raises(UnknownNameError, match="no input 'torque'"):
        LiveView(lm.catalogue.bicycle(), riding=wrong)
    for bad in ({"way": "sideways"}, {"first": {"torque": "2*("}}, {"name": 3}):
        with pytest.raises((DescriptionTypeError, ExpressionError)):
            lm.Handle(**{"name": "turn", "way": "across", "first": {"torque": 1.0}, **bad})


def test_another_vehicle_is_ridden_by_the_same_keys() -> None:
    """Two driven wheels: left turns to the left with no way made, up drives, down stops both wheels."""
    entry = lm.catalogue.ready("two_wheel_platform")
    system = entry.make()
    keys = [(0.0, "turn", 1.0), (0.5, "turn", 0.0), (0.5, "drive and brake", 1.0), (1.0, "drive and brake", -1.0)]
    given = read_commands([{"time": t, "handle": handle, "value": value} for t, handle, value in keys], entry.riding)
    run = Engine(system, ()).run(6.0, {}, {}, {}, (), given)
    rate = at(run, "yaw_rate", 0.45)
    assert rate > 0.1 and at(run, "right_wheel_rate", 0.45) == pytest.approx(-at(run, "left_wheel_rate", 0.45), rel=0.05)
    assert at(run, "speed", 0.98) > 0.1 and abs(run["speed"][-1]) < 0.02 and abs(run["yaw_rate"][-1]) < 0.02


# -- balance ------------------------------------------------------------------------------------------


def test_the_balance_holds_a_bicycle_that_falls_without() -> None:
    """At 2 m/s, below the weave speed of 4.292 m/s; switched off on the way, it falls too, and says so."""
    slow = {"speed": 2.0, "roll_rate": 0.1}
    alone = engine().run(6.0, slow, {}, {})
    assert alone.status.outcome is Outcome.ENDED and alone.status.end in ("fallen", "jackknifed")
    held = engine().run(6.0, slow, {}, {}, (), ride((0.0, "balance", 1.0)))
    assert held.status.completed and abs(held["roll"][-1]) < 1e-4 and np.abs(held["roll"]).max() < 0.1
    hard = engine().run(6.0, START, {}, {}, (), ride((1.0, "steer", 1.0)))
    assert not hard.status.completed and hard.status.end in ("fallen", "jackknifed")  # or all but, where pivots fail before
    left = engine().run(30.0, slow, {}, {}, (), ride((0.0, "balance", 1.0), (0.5, "balance", 0.0)))
    assert left.status.end in ("fallen", "jackknifed") and left.status.time > 0.5


def test_a_lean_is_followed() -> None:
    """The steady deviation of the linearisation is that of the exact motion, the more the smaller it is (second order)."""
    errors = []
    for share in (0.1, 0.2):
        run = engine().run(6.0, {"speed": 5.0}, {}, {}, (), ride((0.0, "balance", 1.0), (0.0, "steer", share)))
        errors.append(abs(run["roll"][-1] / (-0.2 * share) - 1.0))
        assert run["yaw_rate"][-1] > 0.0  # to the left
    assert errors[0] < 5e-3 and errors[1] < 4.5 * errors[0] + 1e-3


# -- pushes -------------------------------------------------------------------------------------------


def test_a_push_on_switching_contacts_is_that_on_lasting_ones() -> None:
    """Two ways to the same velocities: the kernel of the constraints, and the impulses of contacts that could let go."""
    runs = []
    for contacts in ("persistent", "unilateral"):
        bike = lm.catalogue.bicycle("mauny2018", contacts=contacts)
        runs.append(Engine(bike, tuple(bike.parameters)).run(0.4, {"speed": 4.6}, {}, {}, [ASIDE]))
    lasting, switching = runs
    for name in ("roll", "roll_rate", "steer", "speed"):
        assert switching[name][-1] == pytest.approx(lasting[name][-1], abs=1e-10), name
    assert abs(lasting["roll_rate"][-1]) > 0.05
    assert [event.name for event in switching.events] == [event.name for event in lasting.events] == ["push rear_frame"]


def test_a_ball_is_pushed_in_flight_and_off_the_floor() -> None:
    """By hand: P = m dv. Down on the floor, the floor takes it all; up, it flies."""
    ball = lm.catalogue.bouncing_ball()
    own = Engine(ball, ())
    flight = own.run(0.4, {"z": 1.1}, {}, {}, [Push(0.1, "ball", (0, 0, 0), (0.0, 0.0, 2.0))])
    v = -9.81 * 0.1 + 2.0 / 0.5
    assert flight["z"][-1] == pytest.approx(1.1 - 0.5 * 9.81 * 0.1**2 + 0.3 * v - 0.5 * 9.81 * 0.3**2, abs=1e-12)
    pushes: Sequence[Push] = [Push(0.1, "ball", (0, 0, 0), (0, 0, -1.0)), Push(0.2, "ball", (0, 0, 0), (0, 0, 1.0))]
    floor = own.run(0.4, {}, {}, {}, pushes)
    assert np.abs(floor["z"][floor.time < 0.2] - 0.1).max() < 1e-12
    assert floor["z"][-1] == pytest.approx(0.1 + 2.0 * 0.2 - 0.5 * 9.81 * 0.2**2, abs=1e-12)
    assert len(floor.events) == 2


def test_a_push_beside_a_law_is_that_beside_a_number() -> None:
    numbers, law = (engine().run(0.5, START, {}, {"steer_torque": given}, [ASIDE]) for given in (0.3, "0.3 + 0*t"))
    for name in ("roll", "steer", "speed"):
        assert law[name][-1] == pytest.approx(numbers[name][-1], abs=1e-10), name
    assert abs(at(law, "roll_rate", 0.3) - at(engine().run(0.5, START, {}, {"steer_torque": 0.3}), "roll_rate", 0.3)) > 0.05


def test_keys_drive_a_bicycle_whose_wheels_may_leave_the_ground() -> None:
    bike = lm.catalogue.bicycle(contacts="unilateral")
    keys = ride((0.1, "pedal and brake", 1.0), (0.3, "pedal and brake", 0.0))
    found = Engine(bike, tuple(bike.parameters)).run(0.4, START, {}, {}, (), keys)
    expected = engine().run(0.4, START, {}, {}, (), keys)
    assert found["speed"][-1] == pytest.approx(expected["speed"][-1], abs=1e-9)
    assert found["yaw"][-1] == pytest.approx(expected["yaw"][-1], abs=1e-9)


@pytest.mark.slow
def test_the_balance_holds_a_bicycle_over_a_ramp_and_through_the_air() -> None:
    """Pushed aside on the ramp, it flies, lands and rights itself; in the air its fork is brought back, no more."""
    jump = scenario("bicycle/T2")
    own = Engine(jump.system(), (), closed=("rear", "front"))
    start = {**jump.settings["start"], "roll_rate": 0.2}
    balance = (0.0, "balance", 1.0)
    run = own.run(2.0, start, {}, {}, (), ride(balance))
    assert run.status.completed and abs(run["roll"][-1]) < 5e-3
    assert [event.name for event in run.events][:2] == ["front lift-off", "rear lift-off"]
    flight = np.flatnonzero((run["rear_closed"] == 0.0) & (run["front_closed"] == 0.0))
    looks = flight[np.flatnonzero(np.diff(run["steer_torque"][flight]))[1:3] + 1]  # the first samples of two looks
    for k in looks.tolist():
        # The regulator of the same bicycle on level ground, between the two speeds at which its gains are made.
        place = (run["speed"][k] - 1.0) / 0.5
        expected = 0.0
        for grid, share in ((int(place), 1.0 - place % 1.0), (int(place) + 1, place % 1.0)):
            linear = lm.linearise(lm.catalogue.bicycle("mauny2018"), {"speed": 1.0 + 0.5 * grid})
            gains = lm.lqr(linear, dict(RIDING.balance.states), dict(RIDING.balance.inputs)).gains["steer_torque"]
            expected -= share * (gains["steer"] * run["steer"][k] + gains["steer_rate"] * run["steer_rate"][k])
        assert run["steer_torque"][k] == pytest.approx(expected, rel=1e-6)
    # Another key changes nothing that was before, and is as if it had been asked for at once.
    more = own.run(1.5, start, {}, {}, (), ride(balance, (1.2, "steer", 1.0)))
    before = more.time < 1.19
    assert (more["roll"][before] == run["roll"][: before.sum()]).all() and own._kept[0].commands[-1].time == 1.2
    again = Engine(jump.system(), (), closed=("rear", "front")).run(1.5, start, {}, {}, (), ride(balance, (1.2, "steer", 1.0)))
    assert (again["roll"] == more["roll"]).all() and again["roll"][-1] < -0.02


@pytest.mark.slow
def test_a_motion_goes_on_with_other_velocities() -> None:
    """Without ends a bicycle falls on: what is compiled ends where its pivots do, and `simulate` takes others from there."""
    bike, start = lm.catalogue.bicycle().replace(ends=()), {"speed": 1.0, "roll_rate": 0.5}
    found = Engine(bike, ()).run(1.2, start, {}, {})
    expected = lm.simulate(bike, 1.2, start=start)
    assert found.status == expected.status and len(found.events.of(kind="repivot")) > 0
    assert found["roll"][-1] == pytest.approx(expected["roll"][-1], abs=1e-6)


# -- the menu -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_scenarios_begin_as_they_are_registered() -> None:
    """One with parameters of another bicycle than the page's, and one with a controller."""
    bike = lm.catalogue.bicycle()
    runs = scenarios_of("bicycle", bike)
    assert {"bicycle/E3", "bicycle/E3/meijaard2007", "bicycle/E6"} <= runs.keys()
    assert "bicycle/E1" not in runs and "bicycle/T1" not in runs  # a start that is not assembled; wheels that leave the ground
    chosen = {name: runs[name] for name in ("bicycle/E3", "bicycle/E6")}
    with LiveView(bike, scenarios=chosen, first="bicycle/E3", duration=0.2, parameters=("w", "xH")) as view:
        controls = view._controls("scenario:bicycle/E3")
        assert view._way("scenario:bicycle/E3").engine.system.name == "bicycle_mauny2018"
        assert controls["duration"] == 15.0 and controls["given"] == {"speed": 4.6, "roll_rate": 0.5}
        mauny = lm.catalogue.bicycle("mauny2018").parameters
        assert {knob["name"]: knob["value"] for knob in controls["parameters"]}["xH"] == mauny["xH"].value
        for name in chosen:
            way = view._way(f"scenario:{name}")
            found = way.engine.run(1.0, way.start, {}, way.inputs)
            expected = scenario(name).run(duration=1.0)
            for channel in ("roll_rate", "steer", "speed"):
                assert found[channel][-1] == pytest.approx(expected[channel][-1], abs=1e-9), (name, channel)
        assert view._controls("scenario:bicycle/E6")["inputs"] == [] and view._controls("scenario:bicycle/E6")["riding"] is None
    with pytest.raises(ViewingError, match="static"):
        LiveView(bike, scenarios={"mine": {"static": {}}})
    with pytest.raises(UnknownNameError, match="did you mean"):
        LiveView(bike, scenarios=chosen, first="bicycle/E9")


def test_handles_fit_their_systems() -> None:
    """Every declared handle drives inputs that are there; a gait that drives a joint takes its handle away."""
    for entry in (*lm.catalogue.systems(), *lm.catalogue.measured()):
        if entry.riding is not None:
            entry.riding.check_inputs(entry.make())
    found = riding_of("bicycle/E3", lm.catalogue.bicycle("mauny2018"))
    assert found is RIDING and riding_of("satellite", lm.catalogue.satellite()) is None
