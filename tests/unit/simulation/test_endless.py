"""Runs that would go on for ever end: friction under forces that jump with the state; those that only look like it do not."""

import hashlib
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.lie import ops
from locomotor.simulation.events import endless
from locomotor.simulation.status import Outcome

Law = Callable[[Any], dict[str, Any]]


def block(
    force: Any = "u", contacts: tuple[str, ...] = ("foot",), law: lm.Unilateral | None = None, aside: bool = False
) -> lm.System:
    """A block of 1 kg on the floor, whose friction holds 2.943 N, pushed along it."""
    law = lm.Unilateral(friction=0.3) if law is None else law
    ways = {"x": (1, 0, 0), **({"y": (0, 1, 0)} if aside else {}), "z": (0, 0, 1)}
    bodies = [*(lm.Frame(f"after_{name}") for name in list(ways)[:-1]), lm.Body("block", 1.0, inertia=(0.01,) * 3)]
    joints = [
        lm.Prismatic(name=name, parent=parent, child=body.name, axis=axis)
        for (name, axis), parent, body in zip(ways.items(), ["world", *(body.name for body in bodies)], bodies, strict=False)
    ]
    inputs = (lm.Input("u", "N"), *((lm.Input("v", "N"),) if aside else ())) if force == "u" else ()
    push = lm.BodyForce("push", "block", (0, 0, 0), (force, "v" if aside else 0, 0))
    return lm.System(
        "block",
        bodies,
        joints,
        contacts=[lm.StickingPoint(name, "block", (0.1 * k, 0, 0), law=law) for k, name in enumerate(contacts)],
        forces=(lm.Gravity((0, 0, -9.81)), push),
        inputs=inputs,
    )


def slider() -> lm.System:
    """A body in a guide with dry friction."""
    return lm.System(
        "slider",
        (lm.Body("body", 1.0, inertia=(0.01,) * 3),),
        (lm.Prismatic(name="x", parent="world", child="body", axis=(1, 0, 0)),),
        forces=(lm.BodyForce("push", "body", (0, 0, 0), ("u", 0, 0)), lm.JointFriction("rub", "x", 3.0)),
        inputs=(lm.Input("u", "N"),),
    )


def towards(place: float, channel: str = "x") -> Law:
    """A law that pushes with 5 N towards a value of a channel, from either side."""
    return lambda channels: {"u": 5.0 if float(channels[channel]) < place else -5.0}


def ended(system: lm.System, start: dict[str, float], law: Law | None, duration: float = 1.5) -> lm.Run:
    with pytest.warns(lm.RunWarning, match="events follow each other without end"):
        run = lm.simulate(system, duration, start=start, controller=law, step=0.01)
    assert run.status.outcome is Outcome.CHATTERING and np.isfinite(run["x"]).all()
    return run


def test_a_block_that_is_pushed_to_where_its_force_jumps_ends_there() -> None:
    """5 N towards x = 0.1 less 2.943 N of friction: ways there and back get shorter, and their times add up to 0.82 s."""
    run = ended(block(), {"z": 0.0}, towards(0.1))
    assert 0.8 < run.status.time < 0.83 and run["x"][-1] == pytest.approx(0.1, abs=1e-6)
    assert len(run.time) > 80 and 200 <= len(run.events.of("foot")) < 300
    told = str(run.status)
    assert "friction of foot" in told and "controller that jumps" in told and "tanh" in told and "lm.actuated" in told


@pytest.mark.parametrize("system", [block("5 if x < 0.1 else -5"), block("5 if x < 0.1 else -5", ("left", "right"))])
def test_so_does_one_whose_force_is_an_expression(system: lm.System) -> None:
    """In machine code too, and with two contacts."""
    run = ended(system, {"z": 0.0}, None)
    assert 0.8 < run.status.time < 0.83 and "a force that jumps" in str(run.status) and "actuated" not in str(run.status)
    assert all(contact.name in str(run.status) for contact in system.contacts)


def test_so_does_a_joint_with_dry_friction() -> None:
    run = ended(slider(), {"x": 0.095}, towards(0.1))
    assert "friction of rub lets go or holds 200 times" in str(run.status) and run["x"][-1] == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize(("system", "place"), [(block(), 0.0), (block(), 0.02), (slider(), 0.0)])
def test_a_force_that_jumps_with_the_speed_ends_where_it_does(
    system: lm.System, place: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither 5 N nor -5 N holds it at rest, and at 0.02 m/s no step is followed farther than to where the force jumps."""
    monkeypatch.setattr(endless, "MOST_IDLE", 200)
    monkeypatch.setattr(endless, "MOST_SHORT", ((200, 0.01), (2_000, 1.0)))
    start = {"x_rate": -0.1, **({"z": 0.0} if system.contacts else {})}
    run = ended(system, start, towards(place, "x_rate"), 0.5)
    assert f"friction of {'foot' if system.contacts else 'rub'} cuts" in str(run.status) and run.status.time < 0.1


def test_steps_of_a_joint_go_over_a_force_that_jumps_with_its_speed() -> None:
    law = towards(0.02, "x_rate")
    assert lm.simulate(slider(), 0.5, start={"x_rate": -0.1}, controller=law, step=0.01).status.completed


def test_slips_in_a_plane_end_where_both_forces_jump() -> None:
    def law(channels: Any) -> dict[str, float]:
        return {"u": 5.0 if float(channels["x"]) < 0.05 else -5.0, "v": 5.0 if float(channels["y"]) < 0.02 else -5.0}

    assert "friction of foot" in str(ended(block(aside=True), {"z": 0.0}, law).status)


@pytest.mark.parametrize(
    "law",
    [
        lambda channels: {"u": -5.0 * ops.tanh((channels["x"] - 0.1) / 1e-3)},
        lm.actuated(towards(0.1), delays={"u": 0.05}),
    ],
)
def test_what_the_status_advises_helps(law: Any) -> None:
    assert lm.simulate(block(), 1.5, start={"z": 0.0}, controller=law, step=0.01).status.completed


def test_inputs_that_jump_in_time_may_do_so_as_often_as_they_like() -> None:
    """A square wave of 1 kHz lets go and holds two thousand times a second, in steps of 0.25 s."""
    run = lm.simulate(block(), 0.25, start={"z": 0.0}, inputs={"u": "5 if sin(2000*pi*t) > 0 else 0"}, step=0.25)
    assert run.status.completed and len(run.events.of("foot")) > 2 * endless.RELAPSES


def test_bounces_that_accumulate_are_no_chattering() -> None:
    law = lm.Unilateral(friction=0.3, restitution=0.97)
    run = lm.simulate(block(law=law), 0.6, start={"z": 1e-5}, controller=towards(0.1), step=0.3)
    assert run.status.completed and len(run.events.of("foot", "impact")) > endless.RELAPSES


def test_a_force_that_jumps_with_every_bit_of_time_lets_a_joint_go() -> None:
    """The end of a step is looked at once more at an instant that differs in the last bit: there was no root to be found."""

    def law(channels: Any) -> dict[str, float]:
        bits = hashlib.md5(struct.pack("2d", float(channels["x"]), float(channels["t"]))).digest()
        return {"u": 8.0 * (int.from_bytes(bits[:4], "little") / 2**31 - 1.0)}

    run = lm.simulate(slider(), 0.25, controller=law, step=0.01)
    assert run.status.completed and run.events.of("rub", "slips")


def test_a_foot_that_is_lifted_as_soon_as_it_stands_ends_there() -> None:
    """The floor gives it back to its weight at once: two events in no time, without end."""
    system = block().replace(forces=(lm.Gravity((0, 0, -9.81)), lm.BodyForce("push", "block", (0, 0, 0), (0, 0, "u"))))
    run = ended(system, {"z": 0.05}, lambda channels: {"u": 12.0 if float(channels["z"]) <= 0.0 else 0.0}, 0.5)
    assert run.status.time == pytest.approx((2 * 0.05 / 9.81) ** 0.5) and "smooth a controller that jumps" in str(run.status)


def test_a_controller_that_jumps_in_flight_goes_on() -> None:
    run = lm.simulate(block(), 0.5, start={"z": 30.0}, controller=towards(0.0, "x_rate"), step=0.01)
    assert run.status.completed and not run.events.of("foot")
