"""A kind of force that the library does not know, defined here alone: it stores energy, loses some, and presses on a ground.

It is what docs/architecture.md says under "A force": the class, `act`, and, because it has a potential and loses energy as
well, `stored` and `storing`. Beside it a stepper that chooses its own steps ("A stepper").
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError, UnknownGroundError
from locomotor.lie import ops
from locomotor.mechanics.loads import Applied, act, stored, storing
from locomotor.mechanics.tree import Kinematics
from locomotor.model import Force, evaluate
from locomotor.simulation import Adaptive, solver_of
from locomotor.viewing.scene.scene import scene_of


@dataclass(frozen=True)
class Cushion(Force):
    """The origin of a body on a cushion that pushes and pulls: -stiffness z - damping z_dot along z of the world."""

    name: str
    body: str
    stiffness: Any
    damping: Any
    floor: str = "floor"
    SCALARS: ClassVar[tuple[str, ...]] = ("stiffness", "damping")
    BODIES: ClassVar[tuple[str, ...]] = ("body",)
    GROUNDS: ClassVar[tuple[str, ...]] = ("floor",)

    def check_ground(self, ground: Any) -> None:
        if ground.point != (0.0, 0.0, 0.0):
            raise ContactLawError(f"{self.label}: its floor is not at the origin")


def _height(force: Cushion, kinematics: Kinematics) -> tuple[Any, Any, Any]:
    """Height of the origin, its rate, and the direction up in body axes."""
    i = kinematics.index(force.body)
    up = kinematics.poses[i].rotation.T[:, 2]
    return kinematics.poses[i].translation[2], ops.dot(up, kinematics.velocity[i]), up


@act.register
def _(force: Cushion, found: Applied) -> None:
    names = found.kinematics.instant.names
    z, rate, up = _height(force, found.kinematics)
    push = -evaluate(force.stiffness, names) * z - evaluate(force.damping, names) * rate
    found.on_body(force.body, ops.concat(push * up, np.zeros(3)))


@stored.register
def _(force: Cushion, kinematics: Kinematics) -> Any:
    z, _, _ = _height(force, kinematics)
    return 0.5 * evaluate(force.stiffness, kinematics.instant.names) * z * z


@storing.register
def _(force: Cushion, kinematics: Kinematics) -> Any:
    z, rate, _ = _height(force, kinematics)
    return evaluate(force.stiffness, kinematics.instant.names) * z * rate


@dataclass(frozen=True)
class BogackiShampine(Adaptive):
    """Runge-Kutta 3(2) with error control."""

    name: str = "rk23"
    order: int = 3


@solver_of.register
def _(stepper: BogackiShampine, rate: Any, begin: float, state: Any, end: float) -> Any:
    from scipy.integrate import RK23

    return RK23(rate, begin, state, end, rtol=stepper.rtol, atol=stepper.atol)


MASS, K, C = 2.0, 50.0, 3.0


@cache
def stone(**cushion: Any) -> lm.System:
    return lm.System(
        "stone",
        bodies=(lm.Body("stone", MASS, inertia=(0.01, 0.01, 0.01)),),
        joints=(lm.Prismatic(name="z", parent="world", child="stone", axis=(0.0, 0.0, 1.0)),),
        grounds=(lm.Plane("floor"), lm.Plane("cellar", point=(0.0, 0.0, -1.0))),
        forces=(Cushion("cushion", "stone", "k", C, **cushion),),
        parameters=(lm.Parameter("k", K, "N/m"),),
    )


def oscillation(time: Any) -> Any:
    """m z'' + c z' + k z = 0 from z = 0.1 at rest."""
    decay = C / (2.0 * MASS)
    w = np.sqrt(K / MASS - decay**2)
    return 0.1 * np.exp(-decay * time) * (np.cos(w * time) + decay / w * np.sin(w * time))


def test_it_moves_and_its_energy_balances() -> None:
    run = lm.simulate(stone(), 1.0, start={"z": 0.1}, step=0.002)
    assert run["z"] == pytest.approx(oscillation(run.time), abs=1e-10)  # rk4: (w h)^4 of the amplitude
    # What is stored and what is lost are told apart: U is the spring's, and the rest of its power is negative.
    assert run["potential_energy"] == pytest.approx(0.5 * K * run["z"] ** 2, abs=1e-12)
    assert run["cushion_power"] == pytest.approx(-C * run["z_rate"] ** 2, abs=1e-12)
    assert run.audit()["energy_balance"] < 1e-9


def test_it_is_drawn_with_the_ground_it_presses_on() -> None:
    assert "floor" in [surface.name for surface in scene_of(stone()).grounds]


def test_what_it_cannot_press_on_is_refused() -> None:
    with pytest.raises(UnknownGroundError, match=r"its floor 'flor' is no ground of the system.*floor"):
        stone(floor="flor")
    with pytest.raises(ContactLawError, match="its floor is not at the origin"):
        stone(floor="cellar")


def test_a_stepper_of_its_own_takes_the_steps() -> None:
    run = lm.simulate(stone(), 1.0, start={"z": 0.1}, stepper=BogackiShampine(rtol=1e-6, atol=1e-8), sample=0.1)
    error = np.abs(run["z"] - oscillation(run.time)).max()
    assert 1e-9 < error < 1e-5  # of the size of its tolerance: the default stepper would be a thousand times nearer
    assert run.settings["stepper"] == "rk23"
