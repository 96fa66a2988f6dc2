"""What is attached to a soft body stands on a welded frame: contacts, forces and closures of every kind."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import LocomotorError, SoftBodyError
from locomotor.model.soft import weld
from locomotor.tracing.system import trace

SECTION = lm.CrossSection.rectangle(0.02, 0.01, young=2e8, density=1000.0, poisson=0.3)
BEAM = lm.FlexibleBody("beam", 1.0, SECTION, bending_z=1, bending_y=1, torsion=1)
ROOT = lm.Free(name="base", parent="world", child="beam")
TIP = (1.0, 0.0, 0.05)


def system(**parts: Any) -> lm.System:
    return lm.System("attached", [BEAM], [ROOT], **parts)


def accelerations(made: lm.System, state: Any) -> Any:
    (found,) = trace(made).accelerations(np.zeros(1), state, np.zeros(0), np.zeros(0))
    return found


def test_a_force_at_a_point_bends_the_body() -> None:
    """Held at its start, it sags as the shape does: k q = F phi(1) at the tip, less in the middle."""
    for x, share in ((1.0, 1.0), (0.5, 0.339523)):  # of the first clamped-free shape, Blevins 1979
        held = lm.System(
            "held",
            [lm.FlexibleBody("beam", 1.0, SECTION, bending_z=1)],
            [lm.Fixed(name="clamp", parent="world", child="beam")],
            forces=[lm.BodyForce("push", "beam", (x, 0, 0), (0.0, 0.0, 7.0))],
        )
        pushed = accelerations(held, np.zeros(2))
        assert pushed == pytest.approx([7.0 * share / (0.25 * 0.2)], rel=1e-4)  # rotary inertia is 1e-5 of the mass


def test_attached_directly_is_attached_by_a_welded_frame() -> None:
    frame, joint = weld("beam", TIP, "tip")
    by_hand = lm.System(
        "by_hand",
        [BEAM, frame],
        [ROOT, joint],
        forces=[lm.PointSpring("rope", "world", (0, 0, 2), "tip", (0, 0, 0), 50.0, 1.0)],
    )
    direct = system(forces=[lm.PointSpring("rope", "world", (0, 0, 2), "beam", TIP, 50.0, 1.0)])
    assert [body.name for body in direct.bodies] == ["beam", "beam_at_rope_b"]
    assert direct.forces[0].body_b == "beam_at_rope_b"  # type: ignore[attr-defined]
    rng = np.random.default_rng(3)
    state = np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], 0.1 * rng.normal(size=3), rng.normal(size=9)])
    assert accelerations(direct, state) == pytest.approx(accelerations(by_hand, state), rel=1e-12, abs=1e-12)
    assert direct.replace(name="again").bodies == direct.bodies  # built anew, nothing is added twice


def test_every_kind_of_part() -> None:
    made = system(
        contacts=[
            lm.RollingSphere("ball", "beam", centre=(1.0, 0, 0), radius=0.1),
            lm.Skate("blade", "beam", at=(0.2, 0, -0.1), heading=(1, 0, 0)),
        ],
        forces=[lm.CompliantContact("foot", "beam", (0.5, 0, 0), 1e4), lm.BodyForce("push", "beam", (0.3, 0, 0), (0, 0, 1))],
        loops=[lm.SphericalClosure("pin", "beam", "world", at_a=(0.9, 0, 0), at_b=(0.9, 0, 0))],
    )
    assert [body.name for body in made.bodies[1:]] == [
        "beam_at_ball", "beam_at_blade", "beam_at_foot", "beam_at_push", "beam_at_pin_a",
    ]  # fmt: skip
    assert all(np.allclose(np.array(c.centre if hasattr(c, "centre") else c.at, dtype=float), 0.0) for c in made.contacts)
    assert lm.System("again", made.bodies, made.joints, made.contacts, made.forces, loops=made.loops).bodies == made.bodies


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: system(forces=[lm.BodyTorque("turn", "beam", (0, 0, 1))]), "does not say at which point"),
        (lambda: system(forces=[lm.BodyForce("push", "beam", (1.2, 0, 0), (0, 0, 1))]), "at x = 1.2 m"),
        (lambda: system(contacts=[lm.SlidingPoint("p", "beam", (-0.1, 0, 0))]), "goes from 0 to 1.0 m"),
        (lambda: system(forces=[lm.BodyForce("push", "bean", (1.0, 0, 0), (0, 0, 1))]), "no body"),
    ],
)
def test_what_is_refused(make: Any, says: str) -> None:
    with pytest.raises(LocomotorError) as error:
        make()
    assert says in str(error.value)


def test_a_contact_kind_of_the_user_says_its_points() -> None:
    @dataclass(frozen=True)
    class Nail(lm.SlidingPoint):
        POINTS = ()

    with pytest.raises(SoftBodyError, match="fix a Frame to the body"):
        system(contacts=[Nail("nail", "beam", (0.5, 0, 0))])
