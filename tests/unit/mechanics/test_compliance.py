"""Contacts that yield: force, energy, and the limit of a stiff one."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError, UnknownGroundError
from locomotor.model import CompliantContact, hertz_stiffness

G = 9.81


def stone(**contact: Any) -> lm.System:
    """A body of 1 kg on a free joint above a compliant ground."""
    contact = {"stiffness": 1e6, "at": (0.0, 0.0, 0.0), **contact}
    return lm.System(
        "stone",
        [lm.Body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1))],
        [lm.Free(name="base", parent="world", child="stone")],
        forces=[lm.Gravity(), CompliantContact("ground_contact", body="stone", **contact)],
        nominal={"z": 1.0},
    )


@pytest.mark.parametrize("shape", [{}, {"radius": 0.2}, {"radius": 0.2, "axis": (0.0, 1.0, 0.0)}])
def test_it_comes_to_rest_at_the_depth_that_carries_it(shape: dict[str, Any]) -> None:
    """In equilibrium K d^1.5 = m g, for a point, a sphere and a disc that stands upright."""
    depth = (G / 1e6) ** (2 / 3)
    z = shape.get("radius", 0.0) - depth
    run = lm.simulate(stone(**shape), 0.2, start={"z": z}, step=1e-4)
    assert np.abs(run["z"] - z).max() < 1e-12


def test_energy_is_stored_and_given_back() -> None:
    run = lm.simulate(stone(), 1.5, start={"z": 0.3}, step=1e-5, sample=1e-4)
    assert run["z"].min() < -1e-3  # it has been in the ground
    assert np.abs(run.energy / run.energy[0] - 1).max() < 1e-7  # the kink at the surface costs order
    assert run["z"][run.time > 0.5].max() == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("damping", ["hunt-crossley", "lankarani-nikravesh"])
def test_what_is_lost_is_the_power_of_the_damping(damping: str) -> None:
    speed = math.sqrt(2 * G * 0.3)
    run = lm.simulate(stone(damping=damping, restitution=0.8, speed=speed), 0.4, start={"z": 0.3}, step=1e-5, sample=2e-5)
    audit = run.audit()
    assert audit.work["ground_contact"] == pytest.approx(run.energy[-1] - run.energy[0], rel=1e-4)
    assert audit["energy_balance"] < 1e-5  # quadrature of a pulse of some milliseconds
    # To first order in 1 - e both give the restitution asked for.
    after = run["heave_speed"][run.time > 0.25].max()
    assert after / speed == pytest.approx(0.8, abs=0.05)


@pytest.mark.slow
def test_small_losses_are_those_asked_for() -> None:
    for damping in ("hunt-crossley", "lankarani-nikravesh"):
        for e in (0.99, 0.999):
            run = lm.simulate(
                stone(damping=damping, restitution=e, speed=1.0).replace(
                    forces=(
                        CompliantContact(
                            "c", body="stone", at=(0, 0, 0), stiffness=1e6, damping=damping, restitution=e, speed=1.0
                        ),
                    )
                ),
                0.02,
                start={"z": 0.0, "heave_speed": -1.0},
                step=1e-6,
                sample=1e-4,
            )
            assert run["heave_speed"][-1] == pytest.approx(e, abs=2 * (1 - e) ** 2 + 1e-6)


def test_it_never_pulls() -> None:
    """Leaving fast, the damped force would pull: it is zero instead, and the ground is left at a depth."""
    run = lm.simulate(stone(restitution=0.0, speed=0.5), 0.4, start={"z": 0.3}, step=1e-5, sample=1e-5)
    upward = np.gradient(run["heave_speed"], run.time)
    assert upward.min() > -G - 1e-3


def test_a_disc_that_leans_touches_with_its_rim() -> None:
    run = lm.simulate(stone(radius=0.2, axis=(0.0, 1.0, 0.0)), 0.3, start={"z": 0.25, "roll": 0.5}, step=1e-4)
    first = float(run.time[np.flatnonzero(np.abs(run["roll_rate"]) > 1e-9)[0]])
    assert first == pytest.approx(math.sqrt(2 * (0.25 - 0.2 * math.cos(0.5)) / G), abs=2e-4)


def test_stiffness_of_hertz() -> None:
    two = hertz_stiffness(0.01, 210e9, 0.28, 0.01)
    assert two == pytest.approx(1.0742e10, rel=5e-5)
    # On a plane the radius is twice the reduced one; on a rigid body the compliance is half.
    assert hertz_stiffness(0.01, 210e9, 0.28) == pytest.approx(two * math.sqrt(2))
    assert hertz_stiffness(0.01, 210e9, 0.28, other=(1e30, 0.28)) == pytest.approx(2 * two * math.sqrt(2))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"stiffness": 0.0}, "stiffness is 0.0; it must be positive"),
        ({"exponent": 0.5}, "exponent is 0.5; it must be at least 1"),
        ({"restitution": 1.1}, "restitution is 1.1; it must be between 0 and 1"),
        ({"speed": 0.0}, "speed is 0.0; it must be positive"),
        ({"damping": "kelvin"}, "damping is 'kelvin'; it must be one of hunt-crossley, lankarani-nikravesh"),
        ({"axis": (0, 1, 0)}, "an axis is given but no radius"),
    ],
)
def test_mistakes(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ContactLawError, match=words):
        CompliantContact("c", **{"body": "stone", "at": (0, 0, 0), "stiffness": 1.0, **wrong})


def test_unknown_ground() -> None:
    with pytest.raises(UnknownGroundError, match="its ground 'gruond' is no ground of the system: did you mean 'ground'"):
        stone(ground="gruond")


def test_written_as_data_and_read_back() -> None:
    from locomotor.model.serialise import from_data, to_data

    system = stone(radius=0.2, axis=(0, 1, 0), restitution=0.5)
    assert from_data(to_data(system)) == system
