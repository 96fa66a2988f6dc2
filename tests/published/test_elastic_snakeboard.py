"""The snakeboard on elastic beams (Belkhiri 2013, section 3.7), by three routes: the reduced recursion, all equations with
multipliers, and Lagrange with the kinetic energy of its points. The numbers of its motion are scenarios.
"""

import math

import numpy as np

import locomotor as lm
from combinations.saddle import saddle
from locomotor.catalogue import gait
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from oracles.slender_points import clamped_free

PLACES, WEIGHTS = (0.5 * (each + shift) for each, shift in zip(np.polynomial.legendre.leggauss(30), (1.0, 0.0), strict=True))
"""Gauss' points on a beam and shares of its mass: exact to round-off for shapes of hyperbolic and circular functions."""


def energy(values: dict[str, float], q: dict[str, float], v: dict[str, float]) -> float:
    """Kinetic energy: of the board, of its axles, and of the points of both beams."""
    w, m_a, m_b, L = v["yaw_rate"], values["m_a"], values["m_b"], values["L"]
    u = complex(v["speed"], v["sway_speed"])  # of the centre, along the board and across it
    found = 0.5 * (values["m"] - 2 * m_b - 2 * m_a) * abs(u) ** 2 + 0.5 * (values["J"] - 2 * m_a * values["l"] ** 2) * w**2
    for place, rate in ((-values["l"], "steer_rate"), (values["l"], "front_steer_rate")):
        found += 0.5 * m_a * abs(u + 1j * w * place) ** 2 + 0.5 * values["J_w"] * (w + v[rate]) ** 2
    for side, turned in (("left", 0.0), ("right", math.pi)):
        along = np.exp(1j * (q["rotor"] + turned))
        for s, share in zip(PLACES, WEIGHTS, strict=True):
            shape = clamped_free(0, float(s))[0]
            point = along * complex(s * L, shape * q[f"{side}_beam_y1"])
            bends = along * 1j * shape * v[f"{side}_beam_y1_rate"]
            found += 0.5 * m_b * share * abs(u + 1j * (w + v["rotor_rate"]) * point + bends) ** 2
    return found


def test_masses_are_those_of_the_points(rng: np.random.Generator) -> None:
    system = lm.catalogue.elastic_snakeboard()
    layout, values = system.layout, dict(system.parameters.values)
    names, rates = ([symbol.name for symbol in group] for group in (layout.coordinates, layout.velocities))
    for _ in range(3):
        q, v = 0.3 * rng.normal(size=len(names)), rng.normal(size=len(rates))
        M = np.asarray(mass_matrix(forward(Instant(system, q, v))), dtype=float)
        wanted = energy(values, dict(zip(names, q, strict=True)), dict(zip(rates, v, strict=True)))
        assert abs(0.5 * v @ M @ v - wanted) < 1e-13 * wanted
    beams = [layout.index_v(f"{side}_beam_y1_rate") for side in ("left", "right")]
    assert np.abs(M[np.ix_(beams, beams)] - 0.25 * values["m_b"] * np.eye(2)).max() < 1e-12  # m_f = m_b/4, and nothing between


def test_reduced_accelerations_are_those_with_multipliers() -> None:
    motions = {joint: law.replace("(t)", "(t + 1.3)") for joint, law in gait("elastic_snakeboard", "drive").items()}
    start = {"left_beam_y1": 0.01, "right_beam_y1": -0.02, "left_beam_y1_rate": 0.1, "right_beam_y1_rate": 0.05, "speed": -0.07}
    system = lm.catalogue.elastic_snakeboard().with_motions(motions)
    run = lm.simulate(system, 0.001, start=start, step=0.001)
    layout = run.system.layout
    q, v = (np.array([float(run[s.name][0]) for s in group]) for group in (layout.coordinates, layout.velocities))
    traced = lm.trace(run.system, about=q)
    state = np.concatenate([q[list(traced.coordinate_indices)], v[list(traced.reduction.free)]])
    u = np.zeros(len(layout.inputs))
    (found,) = traced.accelerations(np.zeros(1), state, u, traced.default_parameters)
    assert np.abs(np.ravel(found) - saddle(run.system, q, v, 0.0, u)).max() < 1e-12


def test_the_connection_leaves_the_beams_their_own_momentum() -> None:
    """Without momentum the motion has the least kinetic energy that the axles and the rates of the joints allow.

    The beams are passive: they bend as they like. Held straight, the board would be turned 34 times as much.
    """
    system = lm.catalogue.elastic_snakeboard()
    values, connection = dict(system.parameters.values), lm.connection(system)
    free = ("speed", "sway_speed", "yaw_rate", "left_beam_y1_rate", "right_beam_y1_rate")
    straight = {"left_beam_y1": 0.0, "right_beam_y1": 0.0}
    for rotor, steer in ((0.1, 0.2), (1.0, -0.6)):

        def kinetic(*given: tuple[str, float], rotor: float = rotor) -> float:
            rates = dict.fromkeys((*free, "rotor_rate", "steer_rate", "front_steer_rate"), 0.0)
            for name, rate in given:
                rates[name] += rate
            return energy(values, {**straight, "rotor": rotor}, rates)

        def between(a: str, b: str) -> float:
            return kinetic((a, 1.0), (b, 1.0)) - kinetic((a, 1.0)) - kinetic((b, 1.0))

        M = np.array([[between(a, b) for b in free] for a in free])
        drive = np.array([between(a, "rotor_rate") for a in free])
        rows = np.zeros((2, len(free)))
        for row, place, angle in zip(rows, (-values["l"], values["l"]), (steer, -steer), strict=True):
            row[:3] = -math.sin(angle), math.cos(angle), place * math.cos(angle)
        whole = np.block([[M, rows.T], [rows, np.zeros((2, 2))]])
        moved = np.linalg.solve(whole, np.concatenate([-drive, np.zeros(2)]))[:3]
        assert np.abs(-connection([rotor, steer])[:, 0] - moved).max() < 1e-12
