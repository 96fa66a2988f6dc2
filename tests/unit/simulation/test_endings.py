"""Runs that end early return what they have, say why, when and what to do, and warn once."""

import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.model import Body, Prismatic, System, Torque
from locomotor.simulation import Outcome


def runaway() -> System:
    """x_ddot = x_dot^2: infinite after one second from x_dot = 1."""
    return System(
        "runaway",
        [Body("mass", mass=1.0, inertia=(1.0, 1.0, 1.0))],
        [Prismatic(name="rail", parent="world", child="mass", axis=(1.0, 0.0, 0.0), drive=Torque("rail_rate**2"))],
    )


@pytest.mark.parametrize("stepper", ["rk4", "abm4", "dop853"])
def test_a_run_that_blows_up_returns_what_it_has(stepper: str) -> None:
    with pytest.warns(lm.RunWarning, match="runaway: ") as caught:
        run = lm.simulate(runaway(), 2.0, start={"rail_rate": 1.0}, stepper=stepper, sample=0.01)
    assert len(caught) == 1
    assert run.status.outcome in (Outcome.NOT_FINITE, Outcome.STEP_TOO_SMALL) and not run.status.ok
    # Numerically a little later than the exact 1 s.
    assert 0.9 < run.status.time < 1.2
    assert len(run) == len(run["rail"]) and run.time[-1] <= run.status.time + 1e-9
    assert all(np.isfinite(values).all() for values in run.channels.values())
    early = run.time < 0.9
    np.testing.assert_allclose(run["rail_rate"][early], 1 / (1 - run.time[early]), rtol=1e-6)


def test_the_status_names_the_time_the_fastest_velocity_and_the_remedy() -> None:
    with pytest.warns(lm.RunWarning):
        run = lm.simulate(runaway(), 2.0, start={"rail_rate": 1.0}, sample=0.01)
    text = str(run.status)
    assert text.startswith("the state became infinite or not a number (t = ")
    assert "the fastest velocity was rail_rate = " in text and "take a smaller step" in text
    assert run.events[-1].name == "end" and run.events[-1].time == run.status.time


@pytest.mark.parametrize(
    ("changes", "words", "time"),
    [
        ({"drive": "log(rail)"}, "the drive of Prismatic 'rail' 'log(rail)' is -inf", 0.0),
        ({"law": "sqrt(rail - 1)"}, r"the law of JointForce 'push' 'sqrt(rail - 1)' is nan", 0.0),
        ({"law": "sqrt(0.05 - t)"}, r"the law of JointForce 'push' 'sqrt(0.05 - t)' is nan", 0.05),
        ({"wind": "sqrt(0.05 - t)"}, r"the wind of Air 'air' 'sqrt(0.05 - t)' is nan", 0.05),
    ],
    ids=["drive", "force", "force that ends", "wind"],
)
def test_a_law_that_is_no_number_is_named(changes: dict[str, str], words: str, time: float) -> None:
    """A smaller step, which the words asked for, would be of no use."""
    rail = Prismatic(name="rail", parent="world", child="mass", axis=(1.0, 0.0, 0.0), drive=Torque(changes.get("drive", 0.0)))
    sheet = lm.Wing("sheet", "mass", length=1.0, chord=0.1, span=(0, 1, 0), chord_axis=(0, 0, 1), sections=1)
    forces = [lm.JointForce("push", "rail", changes.get("law", 0.0)), lm.Air(wind=(changes.get("wind", 0.0), 0, 0)), sheet]
    with pytest.warns(lm.RunWarning, match=re.escape(words)):
        run = lm.simulate(runaway().replace(joints=[rail], forces=forces), 0.1, step=0.01, target="interpreter")
    assert run.status.outcome is Outcome.NOT_FINITE and run.status.time == pytest.approx(time, abs=1e-9)


def test_a_step_too_long_for_the_motion_is_told() -> None:
    with pytest.raises(lm.errors.UnstableStepError, match=r"bicycle_meijaard2007: .* give a smaller step"):
        lm.simulate(bicycle(), 20.0, start={"speed": 4.6, "roll_rate": 0.5}, step=0.5)
    with pytest.warns(lm.RunWarning, match="bicycle_meijaard2007: .* take a smaller step"):  # too short to be refused
        run = lm.simulate(bicycle(), 2.0, start={"speed": 4.6, "roll_rate": 0.5}, step=0.5)
    assert not run.status.ok and run.status.time < 20 and len(run) >= 1


def test_a_good_run_says_so_and_does_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lm.simulate(bicycle(), 0.5, start={"speed": 5.0})
    assert run.status.ok and run.status.time == 0.5
    assert str(run.status) == "the run reached its end (t = 0.5 s)"
    assert "501 samples" in repr(run)


def test_an_early_end_within_the_first_step() -> None:
    with pytest.warns(lm.RunWarning):
        run = lm.simulate(runaway(), 1.0, start={"rail_rate": 1e200}, step=0.01)
    assert len(run) == 1 and run.status.time == 0.0
    assert run["rail_rate"][0] == 1e200 and math.isinf(run["kinetic_energy"][0])


def dragged(kind: type) -> System:
    """A foot on a cart that is driven along the ground."""
    return System(
        "dragged",
        [lm.Frame("cart"), Body("foot", mass=1.0, inertia=(0.1, 0.1, 0.1))],
        [
            Prismatic(name="drag", parent="world", child="cart", axis=(1.0, 0.0, 0.0), drive=lm.Motion("0.2*t")),
            Prismatic(name="leg", parent="cart", child="foot", axis=(0.0, 0.0, 1.0)),
        ],
        contacts=[kind("sole", "foot", (0.0, 0.0, 0.0), law=lm.Unilateral())],
        forces=[lm.Gravity()],
    )


def test_a_motion_that_drags_a_closed_contact_which_sticks_is_told() -> None:
    """As in runs whose contacts stay: no sample slips while the run is called complete."""
    with pytest.warns(lm.RunWarning, match="sole_x moves at up to 0.2 m/s, which must be zero; the imposed motions contradict"):
        run = lm.simulate(dragged(lm.StickingPoint), 0.1, closed=("sole",), target="interpreter")
    assert run.status.outcome is Outcome.INCOMPATIBLE and run.status.time == 0.0
    assert lm.simulate(dragged(lm.SlidingPoint), 0.1, closed=("sole",), target="interpreter").status.ok


def test_nothing_is_integrated_adaptively_beyond_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after a fall may be stiff or singular; a run that is over must not wait for it."""
    reached = []

    class Watched(scipy.integrate.DOP853):
        def step(self) -> None:
            super().step()
            reached.append(self.t)

    monkeypatch.setattr(scipy.integrate, "DOP853", Watched)
    stepper = lm.Adaptive(longest_step=0.005)
    run = lm.simulate(runaway(), 2.0, start={"rail_rate": 1.0}, stepper=stepper, sample=0.01, ends={"fast": "2 - rail_rate"})
    assert run.status.end == "fast" and abs(run.status.time - 0.5) < 1e-6
    assert max(reached) <= 0.5 + 0.01 + 0.005 + 1e-9  # the sample after the end, and the step that holds it


@pytest.mark.slow
def test_contacts_that_fail_in_the_middle_of_a_fall_do_not_hide_it(tmp_path: Path) -> None:
    """A wheel that rolls without slip would have to pull before the bicycle lies: the words name the fall."""
    with pytest.warns(lm.RunWarning, match="almost fallen at t = .*no set of closed contacts pushes"):
        run = lm.simulate(lm.catalogue.bicycle(contacts="unilateral"), 2.0, start={"roll": 0.1})
    assert run.status.outcome is Outcome.INCONSISTENT and run.status.end == "fallen" and run.events[-1].name == "end"
    left, soon = (float(word) for word in re.findall(r"is (\S+), and zero some (\S+) s", run.status.near)[0])
    lean = run["roll"][-2:]
    assert left == pytest.approx(1.2 - lean[-1], abs=5e-4)
    assert lm.Run.load(run.save(tmp_path / "fall.nc")).status == run.status
    assert soon == pytest.approx((1.2 - lean[-1]) * np.diff(run.time[-2:])[0] / np.diff(lean)[0], rel=0.06)  # two digits


@pytest.mark.slow
def test_an_end_that_is_not_near_is_not_told() -> None:
    with pytest.warns(lm.RunWarning, match="closed they would have to pull"):
        run = lm.simulate(
            lm.catalogue.bicycle(contacts="unilateral"), 2.0, start={"roll": 0.1}, ends={"fallen": "90 - abs(roll)"}
        )
    assert not run.status.end and "almost" not in str(run.status)
