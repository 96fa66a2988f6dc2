"""Sections of a soft wing that turn to the first order: against the formulas of Belkhiri 2013, (4.36)-(4.60), written out."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import WingError
from locomotor.mechanics.loads import parts, wrenches
from locomotor.mechanics.tree import Instant, forward

LENGTH, C0, RHO = 70e-3, 31.5e-3, 1.2


def wing_on(body: Any, **more: Any) -> lm.System:
    foil: dict[str, Any] = {"length": LENGTH, "chord": f"{C0}*sqrt(1 - (X/{LENGTH})**2)", "span": (1, 0, 0), "sections": 4}
    foil |= {"chord_axis": (0, 0, 1), "normal": (0, 1, 0), "mechanisms": ("translation", "rotation"), "frame": "linear"}
    return lm.System(
        "wing",
        [body],
        [lm.Free(name="base", parent="world", child="wing")],
        forces=[lm.Air(density=RHO), lm.Wing("foil", "wing", **(foil | more))],
    )


def soft() -> lm.FlexibleBody:
    section = lm.CrossSection(mass=3e-3, second=(0.0, 1e-6, 0.0), moment=(0.0, -1e-5), GJ=1e-4, EIz=1e-4)
    return lm.FlexibleBody("wing", LENGTH, section, torsion=1)


def written_out(V: Any, W: Any, theta: float, rate: float) -> tuple[Any, Any, float]:
    """Force, moment about the root and force on the twist of the tip, which turns as sin(pi X/2l): x span, y normal, z edge."""
    force, moment, own = np.zeros(3), np.zeros(3), 0.0
    nodes, weights = np.polynomial.legendre.leggauss(4)
    for xi, weight in zip(nodes, weights, strict=True):
        X = 0.5 * LENGTH * (1.0 + xi)
        c = C0 * math.sqrt(1.0 - (X / LENGTH) ** 2)
        phi, z = math.sin(math.pi * X / (2.0 * LENGTH)), -0.4 * c
        t, t_dot = phi * theta, phi * rate
        place = np.array([X, -z * t, z])
        turn = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -t], [0.0, t, 1.0]])
        there = turn.T @ (V + np.cross(W, place) + np.array([0.0, -z * t_dot, 0.0]))
        U, beta = math.hypot(there[1], there[2]), math.atan2(-there[1], there[2])
        lift, drag = (0.5 * RHO * c * U**2 * k for k in (1.8 * math.sin(2 * beta), 1.92 - 1.55 * math.cos(2 * beta)))
        spun = 0.75 * math.pi * RHO * c**2 * U * (W[0] + t_dot)
        push = [0.0, lift * math.cos(beta) + drag * math.sin(beta) - spun, lift * math.sin(beta) - drag * math.cos(beta)]
        push = 0.5 * LENGTH * weight * (turn @ np.array(push))
        force, moment, own = force + push, moment + np.cross(place, push), own - z * phi * push[1]
    return force, moment, own


def test_forces_are_those_of_the_source(rng: np.random.Generator) -> None:
    system = wing_on(soft())
    wing = next(force for force in system.forces if isinstance(force, lm.Wing))
    for _ in range(5):
        V, W, theta, rate = rng.normal(size=3), 30.0 * rng.normal(size=3), float(rng.normal()), 100.0 * float(rng.normal())
        moving = forward(Instant(system, np.array([0, 0, 0, 1.0, 0, 0, 0, theta]), np.array([*V, *W, rate])))
        force, moment, own = written_out(V, W, theta, rate)
        whole = sum(wrenches(wing, moving).values())
        assert np.abs(whole[:3] - force).max() <= 1e-12 * np.abs(force).max()
        assert np.abs(whole[3:] - moment).max() <= 1e-12 * np.abs(moment).max()
        pushed = [part.carried.columns.T @ part.wrench for part in parts(wing, moving) if part.carried is not None]
        assert float(sum(pushed)[0]) == pytest.approx(own, rel=1e-12)
        # Its power is what it does to the body and to the twist.
        power = sum(float(part.power(np.array([*V, *W]))) for part in parts(wing, moving))
        assert power == pytest.approx(force @ V + moment @ W + own * rate, rel=1e-11)


def test_without_deformation_it_is_the_exact_frame(rng: np.random.Generator) -> None:
    linear, exact = wing_on(soft()), wing_on(soft(), frame="exact")
    v = np.array([*rng.normal(size=3), *30.0 * rng.normal(size=3), 50.0])
    found = [
        sum(wrenches(system.forces[1], forward(Instant(system, np.array([0, 0, 0, 1.0, 0, 0, 0, 0]), v))).values())
        for system in (linear, exact)
    ]
    assert np.abs(found[0] - found[1]).max() <= 1e-13 * np.abs(found[1]).max()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"frame": "bent"}, "frame is 'bent'"),
        ({"frame": None}, "frame is None"),
        ({"mechanisms": ("translation", "added_mass")}, "no added_mass"),
        ({"centre": "0.3 + 0.1*cos(alpha)"}, "centre of pressure is fixed"),
        ({"probe": 0.5}, "centre of pressure is fixed"),
    ],
)
def test_what_it_does_not_know_is_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(WingError, match=words):
        wing_on(soft(), **more)
