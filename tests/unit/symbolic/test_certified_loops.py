"""Closures of every kind between two free bodies are certified, laws of time and rough nominal poses too."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.tracing.readings import passed_turning

A, B = (np.array([1.0, 2.0, 2.0]) / 3).tolist(), (np.array([2.0, -2.0, 1.0]) / 3).tolist()
POINTS: dict[str, Any] = {"at_a": (0.1, 0.2, 0.3), "at_b": (-0.2, 0.1, 0.4)}
AXES: dict[str, Any] = {"axis_a": A, "axis_b": B}
TURNING = {
    "gear": lm.Gear("c", "p", "q", **AXES, ratio=-1.7),
    "planet": lm.Gear("c", "p", "q", **AXES, ratio=2.0, carrier="arm"),
    "belt": lm.Belt("c", "p", "q", **AXES, radius_a=0.2, radius_b=0.3, crossed=True),
    "rack": lm.RackAndPinion("c", "p", "q", **POINTS, **AXES, radius=0.2),
    "balls": lm.RollingSpheres("c", "p", "q", **POINTS, radius_a=0.3, radius_b=0.2),
    "ball in a shell": lm.RollingSpheres("c", "p", "q", **POINTS, radius_a=0.5, radius_b=0.2, inside=True),
    "discs": lm.RollingCylinders("c", "p", "q", **POINTS, axis_a=A, radius_a=0.3, radius_b=0.2),
}
HELD = {
    "rod": lm.RodClosure("c", "p", "q", **POINTS, length="0.8 + 0.1*sin(3*t)"),
    "angle": lm.Orthogonal("c", "p", "q", **AXES, cosine="0.3*sin(2*t)"),
    "plane": lm.PointOnPlane("c", "p", "q", **POINTS, axis_a=A, offset="0.2*t**2"),
    "slide": lm.PrismaticClosure("c", "p", "q", **POINTS, **AXES),
}


def pair(closure: lm.model.Closure) -> lm.System:
    """Two free bodies and a third; axes are at a right angle in the nominal pose, far from closed."""
    bodies = [
        lm.Body("p", 2.0, inertia=(0.1, 0.2, 0.25), com=(0.05, 0, 0.02)),
        lm.Body("q", 1.0, inertia=(0.03, 0.05, 0.04), com=(0, 0.03, 0)),
        lm.Body("arm", 0.5, inertia=(0.02, 0.03, 0.03)),
    ]
    joints = [lm.Free(name=f"{body.name}_root", parent="world", child=body.name) for body in bodies]
    nominal = {"q_root_x": 0.3, "q_root_y": 0.2, "q_root_z": -0.2}
    return lm.System("pair", bodies, joints, loops=[closure], forces=[lm.Gravity()], grounds=(), nominal=nominal)


@pytest.mark.parametrize("name", [*TURNING, *HELD])
def test_closures_between_free_bodies_are_certified(name: str) -> None:
    found = lm.certify(pair((TURNING | HELD)[name]), states=10)
    assert found.agreed, str(found)


@pytest.mark.parametrize("name", TURNING)
def test_a_mistake_in_what_passes_turning_on_is_seen(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A wheel that is thought to turn a thousandth faster than it does."""
    given = passed_turning.Placed.spin
    monkeypatch.setattr(passed_turning.Placed, "spin", lambda self, body: (1.001 if body == "q" else 1.0) * given(self, body))
    found = lm.certify(pair(TURNING[name]), states=2)
    assert found.slip > 1e-6, str(found)


def test_laws_of_time_are_looked_at_later_than_their_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """At t = 0 the acceleration of a sine is zero: a derivation that leaves it out agrees there, and nowhere else."""
    found = lm.certify(pair(lm.RodClosure("c", "p", "q", **POINTS, length="0.8 + 0.1*sin(3*t)")), states=5)
    assert found.agreed, str(found)
    given = passed_turning.evaluate
    beginning = lambda value, names: given(value, names | {"t": 0.0 * names["t"]})  # noqa: E731
    monkeypatch.setattr(passed_turning, "evaluate", beginning)
    wrong = lm.certify(pair(lm.RodClosure("c", "p", "q", **POINTS, length="0.8 + 0.1*(cos(3*t) - 1)")), states=5)
    assert not wrong.agreed, str(wrong)


def test_momenta_of_two_bodies_on_a_slide_are_found() -> None:
    """The nominal pose is far from closed, and poses near it may be assembled the other way round."""
    found = {integral.name for integral in lm.first_integrals(pair(HELD["slide"]))}
    assert {"energy", "linear momentum x", "linear momentum y", "angular momentum z"} <= found
