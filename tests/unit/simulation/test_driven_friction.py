"""Contacts with friction that an imposed motion drags along: no force keeps them back."""

import numpy as np
import pytest

import locomotor as lm

M, MU, G = 1.5, 0.3, 9.81


def dragged(friction: float | None = MU, static: float | None = None) -> lm.System:
    """A block on rough ground, on a slide along x."""
    return lm.System(
        "dragged",
        bodies=(lm.Frame("slide"), lm.Body("block", M, inertia=(1, 1, 1))),
        joints=(
            lm.Prismatic(name="x", parent="world", child="slide", axis=(1, 0, 0)),
            lm.Prismatic(name="z", parent="slide", child="block", axis=(0, 0, 1)),
        ),
        contacts=(lm.StickingPoint("sole", "block", (0, 0, 0), law=lm.Unilateral(friction=friction, static=static)),),
        forces=(lm.Gravity((0, 0, -G)),),
    )


@pytest.mark.parametrize("solver", ["traced", "runtime"])
@pytest.mark.parametrize("static", [None, 0.5])
def test_a_block_dragged_to_and_fro_slips_the_other_way_where_the_drive_turns(solver: str, static: float | None) -> None:
    """Its friction is mu m g against the velocity, whatever it could hold at rest: the drive gives m a + mu m g sign(v)."""
    run = lm.simulate(dragged(static=static), 0.9, motions={"x": "0.1*sin(10*t)"}, step=0.01, solver=solver)
    assert run.status.completed and {event.kind for event in run.events} == {"slips"}
    assert [event.time for event in run.events] == pytest.approx((np.arange(3) + 0.5) * np.pi / 10, abs=1e-9)
    away = np.abs(np.cos(10 * run.time)) > 1e-6
    expected = -10 * M * np.sin(10 * run.time) + MU * M * G * np.sign(np.cos(10 * run.time))
    assert run.torques["x"][away] == pytest.approx(expected[away], abs=1e-9)


@pytest.mark.parametrize("solver", ["traced", "runtime"])
@pytest.mark.parametrize(("law", "late"), [("0.2*t**2", 0.0), ("0.1*t**3", 2e-4)])
def test_a_drive_that_sets_off_takes_the_contact_along(law: str, late: float, solver: str) -> None:
    """Also one without an acceleration at first: its slip is found as soon as it is faster than 1e-8 m/s."""
    run = lm.simulate(dragged(static=0.5), 0.5, motions={"x": law}, step=0.01, solver=solver)
    begun = run.time > late
    assert run.status.completed and run["sole_force_x"][begun] == pytest.approx(-MU * M * G, rel=1e-12)
    assert [(event.name, event.time <= late) for event in run.events] == [("sole slips", True)]


def test_a_drive_that_pauses_takes_the_contact_along_the_other_way() -> None:
    """What friction does in the pause is not determined: the drive holds the block without it."""
    law = "0.1*(t - 0.2)**2 if t < 0.2 else 0.0 if t < 0.4 else 0.1*(t - 0.4)**2"
    run = lm.simulate(dragged(), 0.6, motions={"x": law}, step=0.01)
    assert run.status.completed and {event.kind for event in run.events} == {"slips"}
    assert run["sole_force_x"][run.time > 0.41] == pytest.approx(-MU * M * G, rel=1e-12)
    assert run["sole_force_x"][(run.time > 0.01) & (run.time < 0.19)] == pytest.approx(MU * M * G, rel=1e-12)
