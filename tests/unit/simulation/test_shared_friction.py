"""Feet that share a load in more ways than one stick as long as some forces within their cones hold the body."""

import numpy as np
import pytest

import locomotor as lm

G, STATIC, FIRST, PULL = 9.81, 0.4, 2.6, 2.0
"""Static friction, and the force at first (N) and its growth (N/s) that pulls a plate of 1 kg at its centre."""


def plate(feet: int, kinetic: float, aside: float, height: float) -> lm.System:
    """A plate on feet around a point beside its centre: they bear different loads, and more where it is pulled above them."""
    law = lm.Unilateral(friction=kinetic, static=STATIC)
    around = 0.3 + 2.0 * np.pi * np.arange(feet) / feet
    return lm.System(
        "plate",
        bodies=(lm.Body("body", 1.0, inertia=(0.02, 0.02, 0.04)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=tuple(
            lm.StickingPoint(f"foot_{k}", "body", (0.2 * np.cos(a) + aside, 0.2 * np.sin(a), -height), law=law)
            for k, a in enumerate(around)
        ),
        forces=(lm.Gravity((0, 0, -G)), lm.BodyForce("pull", "body", (0, 0, 0), (f"{FIRST} + {PULL}*t", 0, 0))),
        grounds=(lm.Plane("ground"),),
        nominal={"z": height},
    )


CASES = [(3, 0.3, 0.03, 0.05), (4, 0.4, 0.0, 0.05), (3, 0.4, 0.03, 0.0)]
MORE = [(n, mu, d, h) for n in (3, 4, 5) for mu in (0.3, 0.4) for d in (0.0, 0.03) for h in (0.0, 0.05)]


def check(feet: int, kinetic: float, aside: float, height: float, solver: str = "auto") -> None:
    """Every foot at its bound, against the pull, is the most that they can hold, and has no moment about the centre: mu g.

    From there on v' = 2.6 + 2 t - mu_k g. Plates slipped at 3.4 to 3.9 of 3.924 N, or chattered at 3.76 and 3.86 N.
    """
    run = lm.simulate(plate(feet, kinetic, aside, height), 0.9, start={"z": height}, step=0.02, solver=solver)
    slips = [event for event in run.events if event.kind == "slips"]
    lets_go = (STATIC * G - FIRST) / PULL
    assert run.status.completed and len(slips) == feet
    # What holds is asked to 3e-8 of the friction.
    assert [event.time for event in slips] == pytest.approx([lets_go] * feet, rel=1e-7)
    before = run.time < slips[0].time
    assert all(float(np.abs(run[name][before]).max()) < 1e-14 for name in ("speed", "sway_speed", "yaw_rate"))
    expected = 0.9**2 - lets_go**2 + (FIRST - kinetic * G) * (0.9 - lets_go)
    assert run["speed"][-1] == pytest.approx(expected, rel=1e-6)
    assert abs(run["sway_speed"][-1]) < 1e-9 and abs(run["yaw_rate"][-1]) < 1e-8
    assert run.audit()["beyond_friction"] < 1e-6


@pytest.mark.parametrize(("feet", "kinetic", "aside", "height"), CASES)
def test_a_plate_holds_up_to_all_its_friction(feet: int, kinetic: float, aside: float, height: float) -> None:
    check(feet, kinetic, aside, height)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["traced", "runtime"])
@pytest.mark.parametrize(("feet", "kinetic", "aside", "height"), MORE)
def test_plates_hold_up_to_all_their_friction(feet: int, kinetic: float, aside: float, height: float, solver: str) -> None:
    check(feet, kinetic, aside, height, solver)


def test_a_plate_turns_off_its_feet_where_their_moment_is_spent() -> None:
    """Under a torque about its centre all feet at their bounds across their arms hold mu N r, here mu m g r."""
    turned = plate(4, 0.3, 0.0, 0.0)
    twist = lm.BodyTorque("twist", "body", (0, 0, "0.7 + 0.5*t"))
    run = lm.simulate(turned.replace(forces=(turned.forces[0], twist)), 0.4, start={"z": 0.0}, step=0.02)
    slips = [event.time for event in run.events if event.kind == "slips"]
    lets_go = (STATIC * G * 0.2 - 0.7) / 0.5
    assert slips == pytest.approx([lets_go] * 4, rel=1e-7)
    rate = (0.25 * (0.4**2 - lets_go**2) + (0.7 - 0.3 * G * 0.2) * (0.4 - lets_go)) / 0.04
    assert run["yaw_rate"][-1] == pytest.approx(rate, rel=1e-6)
