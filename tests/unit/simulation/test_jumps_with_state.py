"""Forces that jump where the state passes a value: contacts open and slip just there; closed forms."""

import pytest

import locomotor as lm

G = 9.81


def ball(**contact: float) -> lm.System:
    """Of 1 kg and a radius of 0.1 m, hard to turn, on a floor; `push` forward and `lift` upward."""
    return lm.System(
        "ball",
        [lm.Body("b", 1.0, inertia=(1, 1, 1))],
        [lm.Free(name="f", parent="world", child="b")],
        contacts=[lm.RollingSphere("c", "b", centre=(0, 0, 0), radius=0.1, law=lm.Unilateral(**contact))],
        forces=[
            lm.Gravity(),
            lm.BodyForce("pushing", body="b", at=(0, 0, 0), components=("push", 0, "lift"), frame="world"),
        ],
        inputs=[lm.Input("push", "N"), lm.Input("lift", "N")],
    )


ROLLING = {"z": 0.1, "speed": 1.0, "pitch_rate": 10.0}


def test_a_force_that_jumps_with_the_place_lifts_off_there() -> None:
    run = lm.simulate(
        ball(), 0.5, start=ROLLING, closed=("c",), step=0.001, inputs={"lift": "20 if x > 0.2004 else 0", "push": 0.0}
    )
    assert run.status.ok, run.status
    (event,) = run.events
    assert event.kind == "lift-off" and event.time == pytest.approx(0.2004, abs=1e-12)
    assert run["z"][-1] == pytest.approx(0.1 + 0.5 * (20.0 - G) * 0.2996**2, abs=1e-9)


@pytest.mark.slow
def test_a_push_that_jumps_with_the_place_makes_it_slip_there() -> None:
    """Rolling needs 100/101 of the push as friction: it goes on by push - mu g. The first step may mix both sides."""
    inputs = {"push": "10 if x > 0.3004 else 0", "lift": 0.0}
    run = lm.simulate(ball(friction=0.3), 1.0, start=ROLLING, closed=("c",), step=0.001, inputs=inputs)
    assert run.status.ok, run.status
    assert "slip" in run.events[0].kind
    assert run.events[0].time == pytest.approx(0.3004, abs=1e-12)
    assert run["x"][-1] == pytest.approx(
        1.0 + 0.5 * (10.0 - 0.3 * G) * 0.6996**2, abs=1e-4
    )  # the first step may mix both sides


@pytest.mark.slow
def test_a_called_law_that_jumps_makes_it_slip() -> None:
    """The instants are not named: steps pass over the jump, and its instant is off by a part of a step."""
    law = lm.Controller(lambda c: {"push": 10.0 if 0.3 < float(c["t"]) < 0.6 else 0.0, "lift": 0.0})
    run = lm.simulate(ball(friction=0.3), 1.0, start={"z": 0.1}, closed=("c",), step=0.001, controller=law)
    speed = 0.3 * (10.0 - 0.3 * G)
    wanted = 0.15 * speed + 0.4 * speed - 0.5 * 0.3 * G * 0.4**2
    assert run.status.ok and run["x"][-1] == pytest.approx(wanted, abs=5e-3)


@pytest.mark.slow
def test_a_called_law_goes_on_after_pivots_change() -> None:
    """A bicycle that turns its handlebar far: its equations are solved for other rows on the way."""
    ride = {"start": {"speed": 4.6, "roll_rate": 0.5}, "step": 0.001}
    called = lm.simulate(
        lm.catalogue.bicycle(), 1.0, controller=lambda c: {"steer_torque": 5.0 if float(c["roll"]) > 0.02 else 0.0}, **ride
    )
    told = lm.simulate(lm.catalogue.bicycle(), 1.0, inputs={"steer_torque": "5 if roll > 0.02 else 0"}, **ride)
    assert "jackknifed" in str(told.status) and "jackknifed" in str(called.status)
    assert called.time[-1] == pytest.approx(told.time[-1], abs=1e-9)


def test_a_force_whose_action_nobody_knows_is_named() -> None:
    from dataclasses import dataclass

    from locomotor.model import Force

    @dataclass(frozen=True)
    class Unheard(Force):
        name: str

    with pytest.raises(lm.errors.ModelError, match=r"Unheard.*act"):
        lm.simulate(ball().replace(forces=[Unheard("u")], inputs=[]), 0.1, start={"z": 1.0})
