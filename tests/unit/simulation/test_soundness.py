"""A motion that a step far too long has spoilt stops where it goes wrong, with words; sound motions are left alone."""

import math
import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

import locomotor as lm
from locomotor.catalogue import bouncing_ball
from locomotor.model import Body, Gravity, Input, JointDamper, JointSpring, Prismatic, Revolute, System, Torque
from locomotor.scenarios import scenario
from locomotor.simulation import Outcome
from locomotor.simulation.records import soundness
from locomotor.simulation.records.channel import Channel
from locomotor.simulation.records.run import Run
from locomotor.simulation.records.soundness import Fault, first_fault
from locomotor.simulation.status import Status
from oracles.simple import rolling_disc

OMEGA = 100.0


def spring(damping: float = 0.0) -> System:
    """A mass on a spring, omega = 100 rad/s, pushed by an input."""
    return System(
        "spring",
        [Body("mass", mass=1.0, inertia=(1.0, 1.0, 1.0))],
        [Prismatic(name="x", parent="world", child="mass", axis=(1.0, 0.0, 0.0), drive=Torque("push"))],
        forces=[
            JointSpring("coil", "x", OMEGA**2),
            *([JointDamper("damper", "x", damping)] if damping else []),
        ],
        inputs=[Input("push", "N")],
    )


def test_energy_that_appears_ends_the_run_where_it_does() -> None:
    """RK4 multiplies the energy by |1 + z + z²/2 + z³/6 + z⁴/24|² a step, z = i y, y = omega h: by 1 - y⁶/72 + y⁸/576."""
    h = 0.0288
    y = OMEGA * h
    growth = 1 - y**6 / 72 + y**8 / 576
    assert growth > 1.0
    steps = math.ceil(math.log(1.02) / math.log(growth))  # the first after which 2 % of it are amiss
    with pytest.warns(lm.RunWarning, match="spring: the motion went wrong .* energy and work no longer balance"):
        run = lm.simulate(spring(), 100 * h, start={"x": 0.1}, step=h)
    assert run.status.outcome is Outcome.WRONG and not run.status.ok
    # Relative to the energy that moves, which has grown itself.
    assert steps <= round(run.status.time / h) <= steps + 1 and len(run) == round(run.status.time / h)
    assert f"take a smaller step than {h} s" in str(run.status)
    assert run.events[-1].kind == "end" and run.events[-1].time == run.status.time
    # What was computed until then has not failed the energy's own threshold, and is no better for it.
    assert str(run.audit()).startswith("FAILED     the motion went wrong") and run.audit().digits == 0


def test_a_fall_that_the_step_has_made_up_is_none() -> None:
    """A spring never stretches beyond its start; with a step far too long it does, and no end is told."""
    system = spring().replace(ends={"away": "0.11 - abs(x)"})
    with pytest.warns(lm.RunWarning, match="went wrong"):
        run = lm.simulate(system, 3.0, start={"x": 0.1}, step=0.0288)
    assert run.status.outcome is Outcome.WRONG and run.status.end == ""


def test_the_bicycle_that_fell_and_went_on_for_two_million_turns_stops() -> None:
    with pytest.warns(lm.RunWarning):
        run = scenario("bicycle/E3").run(start={"speed": 3.0}, ends=None)
    assert not run.status.ok and run.audit()["energy_balance"] < 0.1
    assert np.abs(run["steer"]).max() < 100.0


@pytest.mark.parametrize(
    "settings",
    [
        # A pulse much shorter than what lies between samples; a power that jumps within a step; damping; sparse samples.
        {"inputs": {"push": "100 if (t > 0.1011) and (t < 0.1042) else 0"}, "sample": 0.1},
        {"inputs": {"push": "300 if t > 0.10037 else 0"}, "step": 0.001},
        {"inputs": {"push": "-150*x_rate"}, "start": {"x": 0.1}, "step": 0.001},
        {"inputs": {"push": "-50*sign(x_rate)"}, "start": {"x": 0.1}, "step": 0.0005},
        {"start": {"x": 0.1}, "sample": 0.2},
        {"inputs": {"push": "200*sin(t)"}, "stepper": "dop853", "sample": 0.1},
        {"start": {}},
    ],
)
def test_sound_motions_are_left_alone(settings: dict[str, object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lm.simulate(spring(damping=5.0 if "sample" in settings else 0.0), 0.4, **settings)  # type: ignore[arg-type]
    assert run.status.completed


@pytest.mark.parametrize("sample", [None, 0.2, [0.1, 0.7]])
def test_a_pulse_within_one_long_step_is_no_fault(sample: object) -> None:
    """Power is zero at both samples around it, and the motion is exact: 5 N on 2 kg for 0.03 s make 0.075 m/s."""
    cart = System(
        "cart",
        [Body("mass", mass=2.0, inertia=(1.0, 1.0, 1.0))],
        [Prismatic(name="x", parent="world", child="mass", axis=(1.0, 0.0, 0.0), drive=Torque("push"))],
        inputs=[Input("push", "N")],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lm.simulate(cart, 1.0, inputs={"push": "5 if (t > 0.12) and (t < 0.15) else 0"}, step=0.1, sample=sample)  # type: ignore[arg-type]
    assert run.status.completed and run["x_rate"][-1] == pytest.approx(0.075, rel=1e-12)


def test_work_that_samples_cannot_tell_is_no_fault() -> None:
    """A joint that is moved to and fro at 2 rad a step: the motion is known, the work of a period seen at three places."""
    run = lm.simulate(lm.catalogue.elroy_beanie(), 1.0, motions={"rotor": "sin(200*t)"}, step=0.01)
    assert run.status.completed


def test_energy_amiss_is_confirmed_by_half_the_step_and_only_then_a_fault() -> None:
    times, groups = np.linspace(0.0, 1.0, 11), {"kinetic_energy": "energies", "potential_energy": "energies"}
    about = {name: Channel("J", "", "", group) for name, group in groups.items()}
    channels = {"kinetic_energy": np.where(times > 0.55, 2.0, 1.0), "potential_energy": np.zeros(11)}

    def halved(kinetic: NDArray[np.float64]) -> Run:
        return Run("halved", times, channels | {"kinetic_energy": kinetic}, about, Status(Outcome.COMPLETED, 1.0))

    def fault(kinetic: NDArray[np.float64]) -> Fault | None:
        return first_fault(times, channels, about, True, "", lambda: halved(kinetic))

    assert fault(channels["kinetic_energy"]) is None
    conserved = fault(np.ones(11))
    assert conserved is not None and conserved.sample == 6
    later = fault(np.where(times > 0.55, 2.0, 1.0) + (times > 0.85))
    assert later is not None and later.sample == 9
    unknown = fault(np.full(11, np.nan))
    assert unknown is not None and unknown.sample == 6


ENERGIES = {name: Channel("J", "", "", "energies") for name in ("kinetic_energy", "potential_energy")}


def test_work_is_what_the_energy_must_grow_by() -> None:
    """A constant power P makes P t, no more and no less: lost instead of won is amiss twice over."""
    times = np.linspace(0.0, 1.0, 11)
    about = ENERGIES | {"motor_power": Channel("W", "", "", "powers")}
    for power in (3.0, -3.0):
        channels = {"potential_energy": np.zeros(11), "motor_power": np.full(11, power)}
        right, wrong = (channels | {"kinetic_energy": 5.0 + sign * power * times} for sign in (1.0, -1.0))
        assert first_fault(times, right, about, True, "") is None
        fault = first_fault(times, wrong, about, True, "")
        assert fault is not None and fault.sample == 1
        assert first_fault(times, wrong, about, False, "") is None, "without the work nothing is known"


def test_what_an_impact_takes_is_not_amiss_though_nothing_confirms_it() -> None:
    times = np.array([0.0, 0.5, 0.5, 1.0])
    channels = {"kinetic_energy": np.array([2.0, 2.0, 1.0, 1.0]), "potential_energy": np.zeros(4)}
    assert first_fault(times, channels, ENERGIES, True, "") is None


def test_an_impact_that_comes_later_at_half_the_step_confirms_nothing() -> None:
    """Both motions win 1 J at once between two samples, where nothing tells of power, and lose 1.5 J in an impact."""
    times = np.array([0.0, 0.2, 0.3, 0.5, 0.5, 0.6, 1.0])
    later = np.array([0.0, 0.2, 0.3, 0.5, 0.55, 0.55, 0.6, 1.0])
    channels = {"kinetic_energy": np.array([1.0, 1.0, 2.0, 2.0, 0.5, 0.5, 0.5]), "potential_energy": np.zeros(7)}
    halved = {"kinetic_energy": np.array([1.0, 1.0, 2.0, 2.0, 2.0, 0.5, 0.5, 0.5]), "potential_energy": np.zeros(8)}
    finer = Run("halved", later, halved, ENERGIES, Status(Outcome.COMPLETED, 1.0))
    assert first_fault(times, channels, ENERGIES, True, "") is not None
    assert first_fault(times, channels, ENERGIES, True, "", lambda: finer) is None


def test_a_body_at_rest_far_from_the_origin_has_only_round_off() -> None:
    hanging = System(
        "hanging",
        [Body("bob", mass=2.0, com=(0.0, 0.0, -1.0), inertia=(1.0, 1.0, 1.0))],
        [Revolute(name="swing", parent="world", child="bob", at=(0.0, 0.0, 1e4), axis=(0.0, 1.0, 0.0))],
        forces=[Gravity()],
    )
    assert lm.simulate(hanging, 1.0, start={"swing": 1e-7}, step=0.01).status.completed


def test_energy_that_impacts_take_is_not_amiss() -> None:
    assert lm.simulate(bouncing_ball(restitution=0.3), 2.0, start={"z": 1.1}, step=0.01).status.completed


def test_a_closed_contact_that_opens_is_told_with_the_time_and_a_remedy() -> None:
    times, zero = np.linspace(0.0, 1.0, 11), np.zeros(11)
    channels = {"kinetic_energy": zero + 1.0, "potential_energy": zero, "rim_gap": 0.003 * np.arange(11)}
    groups = {"kinetic_energy": "energies", "potential_energy": "energies", "rim_gap": "gaps"}
    about = {name: Channel("m" if group == "gaps" else "J", "", "", group) for name, group in groups.items()}
    fault = first_fault(times, channels, about, True, "take a smaller step")
    assert fault is not None and fault.sample == 4
    assert "the gap of contact 'rim', which is closed, has changed by 0.012 m" in fault.words and "project=True" in fault.words
    # One that opens and closes is looked after while it runs.
    assert first_fault(times, channels | {"rim_closed": zero}, about, True, "") is None


def test_a_gap_that_a_start_leaves_open_is_none_that_opens() -> None:
    run = lm.simulate(rolling_disc(), 0.1, start={"z": 0.4, "roll": 0.2}, assemble=False)
    assert run.status.completed and abs(run["rim_gap"][0]) > 0.01


def test_energy_beyond_all_numbers_ends_the_run_before_it() -> None:
    """Velocities of 1e160 rad/s are numbers, their squares are none: such a run was told to be complete."""
    wheel = lm.System(
        "wheel",
        bodies=(lm.Body("rotor", 1.0, inertia=(1.0, 1.0, 1.0)),),
        joints=(lm.Revolute(name="turn", parent="world", child="rotor", axis=(0, 0, 1)),),
        forces=(lm.JointForce("drive", "turn", "1e4*exp(500*t)"),),
    )
    with pytest.warns(lm.RunWarning, match="the energy has grown beyond all numbers"):
        run = lm.simulate(wheel, 1.0, step=0.01)
    assert not run.status.ok and run.time[-1] < 0.8 and np.isfinite(run.energy).all()


def test_what_is_amiss_before_anything_moves_does_not_end_a_run() -> None:
    """A snake begins to slip: two fifths of the first 1e-8 J were amiss, a millionth of the 1e-2 J to come."""
    run = lm.simulate(lm.catalogue.dry_snake(4), 0.1)
    assert run.status.completed and run.audit()["energy_balance"] < 1e-4


def test_a_balance_that_plainly_closes_is_that_of_all_samples(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the balance from end to end is looked at first makes no difference: impacts, work, what is no number."""
    groups = (("kinetic_energy", "energies"), ("potential_energy", "energies"), ("push", "powers"))
    about, told = {name: Channel("", "", "", group) for name, group in groups}, 0
    for k in range(200):
        times = np.cumsum(np.where(rng.random(30) < 0.1, 0.0, rng.uniform(0.5, 1.5, 30)))
        kinetic = 1.0 + rng.choice([1e-6, 1e-3, 0.02, 0.5]) * rng.normal(size=30)
        kinetic[rng.integers(30)] = rng.choice([1.0, 1.0, np.nan, np.inf])
        push = rng.choice([0.0, 1e-3, 0.1]) * rng.normal(size=30)
        channels = {"kinetic_energy": kinetic, "potential_energy": 0.01 * rng.normal(size=30), "push": push}
        asked = (times, channels, about, True, "", None, bool(k % 2))
        quick = first_fault(*asked)
        with monkeypatch.context() as slowly:
            slowly.setattr(soundness, "_ends_balanced", lambda *_: False)
            assert quick == first_fault(*asked)
        told += quick is not None
    assert 20 < told < 180
