"""Wings as exact rods, on floating frames and in rigid segments: one answer, where each is at home."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, forward, inverse_dynamics, mass_matrix
from locomotor.model import evaluate
from oracles import flapping_wings as wings

EI, GJ, WATER = 1e-3, 2e-4, 1000.0
LENGTH, CHORD, AREAL = wings.LENGTH, wings.CHORD, wings.AREAL


def frequencies(system: lm.System) -> Any:
    """Of a clamped wing at rest (Hz), from the mass matrix and the slope of the forces that hold it."""
    n = system.layout.nv
    rest = np.zeros(n)
    K = np.zeros((n, n))
    for force in system.forces:
        if isinstance(force, lm.JointSpring):
            place = system.layout.v[force.joint].start
            K[place, place] = evaluate(force.stiffness, system.parameters.values)
    for k in range(n if not K.any() else 0):
        moved = rest.copy()
        moved[k] = 1e-7
        K[:, k] = np.asarray(inverse_dynamics(forward(Instant(system, moved, rest))), dtype=float) / 1e-7
    M = np.asarray(mass_matrix(forward(Instant(system, rest, rest))), dtype=float)
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)) / (2.0 * math.pi)


def test_frequencies_in_a_fluid_are_those_of_a_beam() -> None:
    """About the middle of the chord bending and torsion are apart: 1.8751²/(2 pi l²) sqrt(EI/m) with m = mu c + pi/4 rho c²,
    and sqrt(GJ/I)/(4 l) with I = mu c³/12 + pi/128 rho c⁴ (Lamb)."""
    line = AREAL * CHORD + math.pi / 4 * WATER * CHORD**2
    turning = AREAL * CHORD**3 / 12 + math.pi / 128 * WATER * CHORD**4
    exact = np.sort(
        [
            1.87510407**2 / (2 * math.pi * LENGTH**2) * math.sqrt(EI / line),
            math.sqrt(GJ / turning) / (4 * LENGTH),
        ]
    )
    given: dict[str, Any] = {"rho": WATER, "axis": 0.5, "clamped": True}
    assert frequencies(wings.rod(**given, terms=3))[:2] == pytest.approx(exact, rel=2e-3)
    assert frequencies(wings.floating(**given))[:2] == pytest.approx(exact, rel=2e-3)
    errors = [float(np.abs(frequencies(wings.segmented(count, **given))[:2] / exact - 1.0).max()) for count in (4, 8, 16)]
    assert errors[2] < 0.4 * errors[1] < 0.2 * errors[0] and errors[2] < 0.01


# -- in motion: large strokes in air -------------------------------------------------------------------------------------


@cache
def wing(kind: str, count: int) -> lm.System:
    makers: dict[str, Any] = {
        "rigid": lambda: wings.rigid(),
        "rod": lambda: wings.rod(terms=count),
        "floating": lambda: wings.floating(shapes=count),
        "segmented": lambda: wings.segmented(count),
    }
    return makers[kind]()


@cache
def torque(kind: str, count: int, stiffness: float, degrees: float) -> Any:
    """What it takes to swing a wing through a stroke."""
    system = wing(kind, count).with_parameters(EI=stiffness * EI, GJ=stiffness * GJ, A=math.radians(degrees))
    run = lm.simulate(system, 0.04, step=2e-5, sample=4e-4)
    assert run.status.ok
    return run["flap_drive_torque"]


def apart(a: Any, b: Any) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


@pytest.mark.slow
def test_wings_of_all_kinds_agree_in_motion() -> None:
    """Segments come to the rod as they grow in number; a floating frame, whose displacements are those of small angles, as it
    stiffens and as strokes shrink; and all of them to the rigid wing."""
    best = torque("rod", 2, 4.0, 60.0)
    by_segments = [apart(torque("segmented", count, 4.0, 60.0), best) for count in (2, 4, 8)]
    assert by_segments[2] < 0.6 * by_segments[1] < 0.3 * by_segments[0] and by_segments[2] < 0.05, by_segments
    by_stiffness = [apart(torque("floating", 2, k, 60.0), torque("rod", 2, k, 60.0)) for k in (4.0, 16.0)]
    assert by_stiffness[1] < 0.5 * by_stiffness[0] and by_stiffness[1] < 4e-3, by_stiffness
    by_stroke = [apart(torque("floating", 2, 1.5, a), torque("rod", 2, 1.5, a)) for a in (10.0, 40.0)]
    assert by_stroke[0] < 0.7 * by_stroke[1], by_stroke
    stiff = torque("rigid", 0, 1.0, 60.0)
    for kind, count in (("rod", 2), ("floating", 2), ("segmented", 4)):
        errors = [apart(torque(kind, count, k, 60.0), stiff) for k in (4.0, 16.0)]
        assert errors[1] < 0.5 * errors[0], (kind, errors)


# -- what is prescribed: the motion of every section ---------------------------------------------------------------------


def swung(system: lm.System, joints: dict[str, tuple[float, float, float]]) -> float:
    """Torque at the root for given coordinates, rates and accelerations by name; zero for what is not named."""
    q, v, v_dot = (np.zeros(system.layout.nv) for _ in range(3))
    places = {symbol.name: k for k, symbol in enumerate(system.layout.coordinates)}
    for name, (angle, rate, acceleration) in joints.items():
        q[places[name]], v[places[name]], v_dot[places[name]] = angle, rate, acceleration
    kinematics = forward(Instant(system, q, v))
    pushed = applied_forces(kinematics)
    return float(inverse_dynamics(kinematics, v_dot, None, pushed.wrenches)[places["flap"]])


@pytest.mark.slow
def test_torque_of_a_prescribed_deformation_is_that_of_many_segments() -> None:
    """A wing that is twisted and bent evenly, in motion: inverse dynamics of the rod and of rigid segments whose joints take
    the same angles, air and inertia included; Belkhiri 2013, section 5.2, where it closes to the error of the quadrature."""
    flap, twist, bend = (0.4, 30.0, -2000.0), (6.0, 500.0, 3e4), (-5.0, 300.0, -2e4)
    known = {"rho": 1.2}
    exact = swung(wings.rod(terms=1, **known), {"flap": flap, "wing_twist": twist, "wing_bend_z": bend})
    errors = []
    for count in (4, 8, 16):
        step = LENGTH / count
        told = {"flap": flap}
        for k in range(count):
            share = step * (0.5 if k == 0 else 1.0)
            told[f"torsion_{k}"], told[f"flexion_{k}"] = (tuple(share * x for x in each) for each in (twist, bend))
        errors.append(abs(swung(wings.segmented(count, **known), told) / exact - 1.0))
    assert errors[2] < 0.6 * errors[1] < 0.36 * errors[0] and errors[2] < 0.02, errors
