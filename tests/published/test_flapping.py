"""What Belkhiri 2013, chapters 4 and 5, states about wings and flyers, and the tests in which each of it is found again."""

import math
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from combinations.saddle import saddle
from locomotor.lie import SE3, SO3, ops
from locomotor.mechanics.tree import Instant, fluid_inertia, fluid_turning, forward
from locomotor.mechanics.tree.articulated_body import hybrid_dynamics
from locomotor.scenarios.flight.torsion import _matrices
from oracles.appendix_b import free_bicycle
from oracles.flapping_wings import floating, rod, segmented
from oracles.mobile_recursions import links_of, three_pass

ROOT = Path(__file__).parents[1]
AIR, FLYERS, MODES = "unit/mechanics/test_air.py", "unit/catalogue/test_flyers.py", "unit/mechanics/soft/test_assumed_modes.py"
AGREE, RUNS, HERE = "properties/test_wings_agree.py", "published/test_scenarios.py", "published/test_flapping.py"
Check = tuple[tuple[str, str], ...]

FOUND_AGAIN: dict[str, Check] = {
    "1. adjoints and their rates": ((HERE, "test_adjoints_and_their_rates"),),
    "2. (4.77), and (4.76) as it must be": ((HERE, "test_twist_of_a_wing_is_4_77"),),
    "3. masses and modal constants": ((RUNS, "torsion_flyer/constants"), (MODES, "test_modal_constants_of_the_source")),
    "4. inertia of a wing that bends and twists": ((MODES, "test_kinetic_energy_is_that_of_point_masses"),),
    "5. (4.27), (4.28) as they must be": ((MODES, "test_inertial_forces_are_those_of_point_masses"),),
    "6. momentum without air": (
        (FLYERS, "test_momentum_is_kept_in_a_vacuum"),
        (HERE, "test_momentum_of_three_bodies_is_kept_in_a_vacuum"),
        (HERE, "test_accelerations_of_joints_are_not_as_printed"),
    ),
    "7. energy with locked strokes": ((HERE, "test_energy_is_kept_with_locked_strokes"),),
    "8. hybrid recursion, there and back": (
        (FLYERS, "test_the_hybrid_recursion_agrees_with_the_second_derivation"),
        (HERE, "test_a_torque_gives_back_the_motion_that_asked_for_it"),
        (HERE, "test_where_all_is_imposed_the_hybrid_is_the_inverse_algorithm"),
    ),
    "9. condensed is whole": ((HERE, "test_condensed_floating_frames_are_the_whole_system"),),
    "10. coefficients": ((AIR, "test_coefficients_of_the_source"),),
    "11. lift across, drag against": (
        (AIR, "test_lift_is_across_and_drag_against_the_velocity"),
        (AIR, "test_left_and_right_are_mirror_images"),
    ),
    "12. rotation": ((AIR, "test_rotation_pushes_along_the_normal_and_damps"),),
    "13. added mass": (
        (AIR, "test_added_mass_of_the_source_and_of_a_flat_plate"),
        (HERE, "test_turning_added_mass_does_no_work"),
    ),
    "14. Gauss": ((AIR, "test_gauss_points_of_the_source"),),
    "15. twist of the tip": ((RUNS, "torsion_flyer/clamped"),),
    "16. lag of the twist, and along the modulus": ((RUNS, "torsion_flyer/unstated"),),
    "17. frequencies of twist": ((RUNS, "torsion_flyer/constants"), (HERE, "test_frequency_with_the_chord_of_the_root")),
    "18. eleven snapshots": ((RUNS, "torsion_flyer/snapshots"),),
    "19. three seconds a cycle": ((HERE, "test_cycles_take_a_small_share_of_the_time_of_the_source"),),
    "20. torques left and right": ((RUNS, "torsion_flyer/clamped"),),
    "21. bodies and joints": ((RUNS, "segmented_flyer/tables"),),
    "22. Adams and Runge-Kutta": ((FLYERS, "test_steppers_agree_and_converge_on_soft_wings"),),
    "23. torsion, flexion and their lags": ((RUNS, "segmented_flyer/clamped"), (RUNS, "segmented_flyer/unstated")),
    "24. torque and power": ((RUNS, "segmented_flyer/clamped"),),
    "25. when the vertical force is largest": ((RUNS, "segmented_flyer/clamped"),),
    "26. lift and climb": ((RUNS, "segmented_flyer/climb"), (RUNS, "segmented_flyer/free")),
    "27. wings turn over": ((RUNS, "segmented_flyer/clamped"),),
    "28. 180 seconds a cycle": ((HERE, "test_cycles_take_a_small_share_of_the_time_of_the_source"),),
    "29. frequencies of a wing": ((RUNS, "segmented_flyer/tables"),),
    "30. beams and elastica": ((FLYERS, "test_many_segments_are_a_beam"), (RUNS, "rod/agreement")),
    "31. prescribed deformation": ((AGREE, "test_torque_of_a_prescribed_deformation_is_that_of_many_segments"),),
    "32. both kinds of wing": (
        (FLYERS, "test_a_floating_frame_and_many_segments_twist_alike"),
        (AGREE, "test_wings_of_all_kinds_agree_in_motion"),
    ),
    "33. cost of exact wings": ((HERE, "test_the_cost_of_exact_wings_is_as_told"),),
    "34. measured modes, lift over frequency, and the unit of the lift": (
        (RUNS, "flapping_robot/bench"),
        (RUNS, "eva_bench/response"),
    ),
    "35. appendix B": (
        ("published/test_printed_equations.py", "free_bicycle"),
        (HERE, "test_appendix_b_keeps_energy_and_as_printed_it_does_not"),
    ),
}
"""Statement -> file and function of the tests that hold it, or the scenario of which every number is tested. 19 and 28 are
times, measured with care in `benchmarks/flight.py`."""


def test_no_statement_is_left_out() -> None:
    assert [int(statement.split(".")[0]) for statement in FOUND_AGAIN] == list(range(1, 36))


@pytest.mark.parametrize("statement", FOUND_AGAIN)
def test_every_statement_has_its_tests(statement: str) -> None:
    for file, function in FOUND_AGAIN[statement]:
        if file == RUNS:
            assert lm.scenarios.scenario(function).numbers
        else:
            assert function in (ROOT / file).read_text(encoding="utf-8")


# -- adjoints and joints -----------------------------------------------------------------------------------------------


def ad(twist: Any) -> Any:
    V, W = twist[:3], twist[3:]
    return np.block([[ops.skew(W), ops.skew(V)], [np.zeros((3, 3)), ops.skew(W)]])


def test_adjoints_and_their_rates(rng: np.random.Generator) -> None:
    """Ad of the inverse is the inverse, ad eta eta = 0, and d/dt Ad = -ad(A r') Ad for a joint, by differences."""
    place, axis, r, rate, h = rng.normal(size=3), np.array([0.0, 0.0, 1.0]), 0.7, 1.3, 1e-5

    def to_child(angle: float) -> Any:
        return SE3(SO3.about(axis, angle).matrix, place).inverse()

    g = to_child(r)
    assert np.abs(g.inverse().Ad() @ g.Ad() - np.eye(6)).max() < 1e-14
    eta = rng.normal(size=6)
    assert np.abs(ad(eta) @ eta).max() < 1e-15
    change = (to_child(r + h * rate).Ad() - to_child(r - h * rate).Ad()) / (2.0 * h)
    wanted = -ad(np.array([0.0, 0.0, 0.0, *axis]) * rate) @ g.Ad()
    assert np.abs(change - wanted).max() < 1e-8  # h² of third derivatives of order one


SOURCE_AXES = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""Components forward, left, up to components right, forward, up."""


def joined(r: float, rotated: bool) -> Any:
    """Ad of (4.77) for the right wing: with P = -R (jonc1, 0, jonc3), or as (4.76) prints it, not rotated."""
    jonc = np.array([8.5e-3 * math.sqrt(1.0 - 0.65**2), 0.0, 0.65 * 28e-3])
    R = np.array([[math.cos(r), math.sin(r), 0.0], [-math.sin(r), math.cos(r), 0.0], [0.0, 0.0, 1.0]])
    P = -R @ jonc if rotated else -jonc
    return np.block([[R, ops.skew(P) @ R], [np.zeros((3, 3)), R]])


def at(system: lm.System, r: float, rate: float, eta: Any, twist: float = 0.0) -> tuple[Any, Any]:
    """Coordinates and velocities of a flyer whose wings have flapped by r."""
    layout = system.layout
    q, v = system.nominal_pose(), np.zeros(layout.nv)
    v[:6] = eta
    for side in ("right", "left"):
        q[layout.q[f"{side}_flap"]], v[layout.v[f"{side}_flap"]] = r, rate
        q[layout.index_q(f"{side}_wing_twist1")] = twist
    return q, v


def test_twist_of_a_wing_is_4_77(rng: np.random.Generator) -> None:
    system = lm.catalogue.torsion_flyer()
    change = np.kron(np.eye(2), SOURCE_AXES)
    for _ in range(3):
        r, rate, eta = float(rng.normal()), float(rng.normal()), rng.normal(size=6)
        moving = forward(Instant(system, *at(system, r, rate, eta)))
        i = moving.index("right_wing")
        ours = np.concatenate([moving.velocity[i], moving.omega[i]]) - np.array([0, 0, 0, 0, 0, rate])
        assert np.abs(joined(r, True) @ (change @ eta) - ours).max() < 1e-14
        assert np.abs(joined(r, False) @ (change @ eta) - ours).max() > 1e-4


def test_accelerations_of_joints_are_not_as_printed(rng: np.random.Generator) -> None:
    """The rate of the components of a wing's twist has nu = ad(eta_j) A r'; with (3.40), printed, the momentum would drift."""
    system = lm.catalogue.torsion_flyer()
    r, rate, eta, h = 0.6, 9.0, rng.normal(size=6), 1e-6

    def twist(t: float) -> Any:
        moving = forward(Instant(system, *at(system, r + t * rate, rate, eta)))
        i = moving.index("right_wing")
        return np.concatenate([moving.velocity[i], moving.omega[i]])

    measured = (twist(h) - twist(-h)) / (2.0 * h)  # thorax and stroke at constant rates
    A, now = np.array([0, 0, 0, 0, 0, rate]), twist(0.0)
    assert np.abs(ad(now) @ A - measured).max() < 1e-7
    R, W0 = joined(r, True)[:3, :3], SOURCE_AXES @ eta[3:]
    jonc = np.array([8.5e-3 * math.sqrt(1.0 - 0.65**2), 0.0, 0.65 * 28e-3])
    printed = np.concatenate([R @ np.cross(W0, np.cross(W0, jonc)), np.cross(R @ W0, A[3:])])
    assert np.abs(printed - measured).max() > 1.0


# -- whole flyers ------------------------------------------------------------------------------------------------------


def test_condensed_floating_frames_are_the_whole_system(rng: np.random.Generator) -> None:
    """(4.85)-(4.89), the recursion that condenses each wing, against one solution of all equations with the strokes as rows."""
    system = lm.catalogue.torsion_flyer()
    layout, time = system.layout, 3e-3
    q, v = at(system, 0.0, 0.0, 0.3 * rng.normal(size=6), 0.2)
    for side in ("right", "left"):
        drive = system.joint(f"{side}_flap").drive
        values = {**system.parameters.values, "t": time}
        q[layout.q[f"{side}_flap"]] = float(drive.position.evaluate(values))  # type: ignore[union-attr]
        v[layout.v[f"{side}_flap"]] = float(drive.velocity.evaluate(values))  # type: ignore[union-attr]
        v[layout.index_v(f"{side}_wing_twist1_rate")] = 30.0
    traced = lm.trace(system)
    state = np.concatenate([q[list(traced.coordinate_indices)], v[list(traced.reduction.free)]])
    (found,) = traced.accelerations(np.array([time]), state, np.zeros(0), traced.default_parameters)
    wanted = saddle(system, q, v, time, np.zeros(0))
    assert np.abs(np.ravel(found) - wanted).max() < 1e-9 * np.abs(wanted).max()


@pytest.mark.slow
@pytest.mark.parametrize("segments", [1, 4])
def test_a_torque_gives_back_the_motion_that_asked_for_it(segments: int) -> None:
    """The torque that an imposed stroke takes, applied to the same joint without the motion, accelerates it as imposed.

    Flapping and the first flexion turn about one axis with no mass between: a rotor on the drive tells them apart.
    """
    flyer = lm.catalogue.segmented_flyer(segments)
    rotors = (replace(joint, rotor=1e-7) if joint.name.endswith("flap") else joint for joint in flyer.joints)
    system = flyer.replace(joints=tuple(rotors))
    run = lm.simulate(system, 2e-5, step=1e-5, target="interpreter")
    bare = [
        replace(joint, drive=lm.Torque(float(run[f"{joint.name}_drive_torque"][-1]))) if joint.name.endswith("flap") else joint
        for joint in system.joints
    ]
    state = {s.name: float(run[s.name][-1]) for s in (*system.layout.coordinates, *system.layout.velocities)}
    found = lm.accelerations(system.replace(joints=tuple(bare)), state)
    amplitude, omega = system.parameters.values["amplitude"], 2.0 * math.pi * system.parameters.values["frequency"]
    imposed = -amplitude * omega**2 * math.cos(omega * float(run.time[-1]))
    for side in ("right", "left"):
        assert float(found[f"{side}_flap_rate"]) == pytest.approx(imposed, rel=1e-9)


@pytest.mark.parametrize("segments", [1, 2, 4])
def test_where_all_is_imposed_the_hybrid_is_the_inverse_algorithm(segments: int, rng: np.random.Generator) -> None:
    """Every joint of the vehicle imposed, passive ones too: base and torques are those of the three passes of section 3.5."""
    system = lm.catalogue.segmented_flyer(segments).with_parameters(rho=0.0, g=0.0)
    links = links_of(system)
    r, rate, acceleration = rng.normal(size=(3, len(links) - 1))
    eta = rng.normal(size=6)
    q = np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], r])
    wanted = three_pass(links, r, rate, acceleration, eta, convention="A")
    given = {6 + k: np.array([value]) for k, value in enumerate(acceleration)}
    moving = forward(Instant(system, q, np.concatenate([eta, rate])))
    found, torques = hybrid_dynamics(moving, np.zeros(len(eta) + len(r)), given)
    assert np.abs(found[:6] - wanted.base).max() < 1e-11 * np.abs(wanted.base).max()
    assert np.abs(torques[6:] - wanted.torques).max() < 1e-11 * np.abs(wanted.torques).max()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "step", "source", "share", "error"),
    [(lm.catalogue.torsion_flyer, 4e-5, 3.0, 0.01, 1e-6), (lm.catalogue.segmented_flyer, 1e-5, 180.0, 0.001, 1e-7)],
    ids=["three bodies", "17 bodies"],
)
def test_cycles_take_a_small_share_of_the_time_of_the_source(
    make: Any, step: float, source: float, share: float, error: float
) -> None:
    """A cycle of 0.04 s in free flight took 3 and 180 s; the least of some, as others may be at work on the machine."""
    flyer = lm.compile(make(), target="c")
    start, steps, taken = flyer.start(), round(0.04 / step), []
    for _ in range(5):
        begun = time.process_time()
        coarse = flyer.rollout(start, steps, step, save_every=0).final
        taken.append(time.process_time() - begun)
    assert min(taken) < share * source
    fine = flyer.rollout(start, 2 * steps, 0.5 * step, save_every=0).final
    assert np.abs(coarse - fine).max() < error


def test_the_cost_of_exact_wings_is_as_told() -> None:
    """Operations of one right-hand side of one wing in three forms, as docs/flight.md tells them."""
    made = (floating(shapes=2, A=0.5), rod(terms=2, A=0.5), segmented(4, A=0.5), segmented(8, A=0.5))
    counted = [lm.trace(system).dynamics.operations for system in made]
    page = (ROOT.parent / "docs/flight.md").read_text(encoding="utf-8")
    words = (
        r"one right-hand side has ([\d,]+) operations on a floating frame, ([\d,]+) as an exact rod \(([\d.]+) times as many\)"
        r", and ([\d,]+) in four or ([\d,]+) in eight"
    )
    found = re.search(words.replace(" ", r"\s+"), page)
    assert found is not None
    on_frame, as_rod, ratio, four, eight = (float(text.replace(",", "")) for text in found.groups())
    assert [on_frame, as_rod, four, eight] == pytest.approx(counted, rel=0.03)
    assert ratio == pytest.approx(counted[1] / counted[0], abs=0.2)


@pytest.mark.slow
def test_energy_is_kept_with_locked_strokes() -> None:
    system = lm.catalogue.segmented_flyer(1).with_parameters(rho=0.0, mu_T=0.0, mu_F=0.0, amplitude=0.0)
    run = lm.simulate(system, 0.02, step=2e-5, start={"right_flexion_1": 0.3, "roll_rate": 2.0}, target="interpreter")
    assert float(np.ptp(run.energy)) < 1e-9 * float(np.ptp(run["kinetic_energy"]))


@pytest.mark.slow
def test_momentum_of_three_bodies_is_kept_in_a_vacuum() -> None:
    system = lm.catalogue.torsion_flyer().with_parameters(rho=0.0, g=0.0)
    run = lm.simulate(system, 0.04, step=2e-5, start={"pitch_rate": 3.0, "yaw_rate": 2.0})
    for kind in ("linear", "angular"):
        momentum = np.stack([run[f"{kind}_momentum_{axis}"] for axis in "xyz"])
        scale = 2.4e-4 * 0.035 * 25.0 * 2.0 * math.pi * 0.7 * (1.0 if kind == "linear" else 0.05)  # of a wing
        assert np.abs(momentum - momentum[:, :1]).max() < 1e-8 * scale


def test_frequency_with_the_chord_of_the_root() -> None:
    """The polar moment frozen at the chord of the root: 71.4 Hz in place of 64.7."""
    flyer = lm.catalogue.torsion_flyer()
    wing = flyer.body("right_wing")
    assert isinstance(wing, lm.FlexibleBody)
    frozen = replace(wing, section=replace(wing.section, GJ="G*e*c0**3/3"))
    M, K = _matrices(frozen, flyer.parameters.values)
    assert math.sqrt(K[0, 0] / M[0, 0]) / (2.0 * math.pi) == pytest.approx(71.4, abs=0.05)


def test_turning_added_mass_does_no_work(rng: np.random.Generator) -> None:
    """eta . ad^T(M_add eta) = 0, (5.25)."""
    system = lm.catalogue.segmented_flyer(1, base="clamped")
    wing = next(force for force in system.forces if isinstance(force, lm.Wing))
    form = fluid_inertia(wing, system, system.parameters.values)
    assert form is not None
    for _ in range(5):
        eta = rng.normal(size=6)
        turned = np.asarray(fluid_turning(form, eta), dtype=float)
        assert abs(eta @ turned) < 1e-14 * np.abs(eta * turned).max() and np.abs(turned).max() > 0.0


# -- appendix B --------------------------------------------------------------------------------------------------------


def test_appendix_b_keeps_energy_and_as_printed_it_does_not(rng: np.random.Generator) -> None:
    """Without gravity and torques the energy keeps its value: v.(f, Q) + v.M' v/2 = 0; (B.13) prints r_1' for r_2'."""
    names = ("m_w", "J_w", "I_w", "l2", "l3", "alpha", "m0", "mX0", "mY0", "mZ0", "XX0", "XY0", "XZ0", "YY0", "YZ0", "ZZ0")
    p = {name: float(rng.uniform(0.3, 1.0)) for name in names}
    r1, rates, V, W, h = 0.4, rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), 1e-6

    def parts(angle: float) -> Any:
        return free_bicycle(p, angle, rates, V, W, np.zeros(3))

    def matrix(angle: float) -> Any:
        here = parts(angle)
        return np.block([[here.locked, here.coupling], [here.coupling.T, here.m]])

    v = np.concatenate([V, W, rates])
    kinetic = 0.5 * v @ ((matrix(r1 + h) - matrix(r1 - h)) / (2.0 * h) * rates[1]) @ v
    here = parts(r1)
    gained = v @ np.concatenate([here.f, here.Q]) + kinetic
    assert abs(gained) < 1e-7
    sa, ca = math.sin(p["alpha"]), math.cos(p["alpha"])
    sigma = sa * math.cos(r1) * W[0] + ca * math.cos(r1) * W[1] + math.sin(r1) * W[2]
    misprinted = p["J_w"] * sigma * (rates[0] - rates[1]) * rates[1]  # power of -J_w sigma r_1' in place of -J_w sigma r_2'
    assert abs(gained + misprinted) > 1e-3
