"""Flyers of the catalogue: masses, mirror images, beams in the limit of many segments, conservation, and how cards fall."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError, QuantityError
from locomotor.mechanics.tree import Instant, forward, mass_matrix
from locomotor.model import evaluate
from locomotor.scenarios.flight.torsion import _matrices

FLYERS = [ready for ready in lm.catalogue.systems() if any(isinstance(f, lm.Wing) for f in ready.make().forces)]


def mass_of(system: lm.System) -> float:
    return sum(evaluate(body.mass, system.parameters.values) for body in system.bodies if hasattr(body, "mass"))


def test_masses_are_those_of_the_sources() -> None:
    assert {ready.name.split("/")[0] for ready in FLYERS} >= {
        "segmented_flyer",
        "fruit_fly",
        "hawkmoth",
        "micro_flyer",
        "ornithopter",
    }
    for make in (lm.catalogue.fruit_fly, lm.catalogue.hawkmoth, lm.catalogue.micro_flyer):
        system = make()
        assert mass_of(system) == pytest.approx(system.parameters.values["mass"], rel=1e-12)
    ellipse = lm.catalogue.segmented_flyer(chord="local")
    quarter = 800 * 4 / 3 * math.pi * 8.5e-3**2 * 28e-3 + 2 * 1400 * 1e-4 * math.pi / 4 * 31.5e-3 * 70e-3
    assert mass_of(ellipse) == pytest.approx(quarter, rel=1e-12)


def test_a_slice_of_an_ellipse_has_the_moments_of_its_points() -> None:
    """The two halves of a wing, moved together, are the whole quarter ellipse: mass, first and second moments."""
    system = lm.catalogue.segmented_flyer(2, chord="local", base="clamped")
    values = system.parameters.values
    first = second = product = 0.0
    for k in (1, 2):
        mass, com, inertia = system.body(f"right_element_{k}").mass_properties(values)
        y = com[1] - (k - 1) * 35e-3
        first += mass * -y
        second += inertia[2, 2] + mass * y**2 - mass * 1e-8 / 12
        product += -inertia[1, 2] + mass * y * com[2]
    density = 1400 * 1e-4
    assert first == pytest.approx(density * 31.5e-3 * 70e-3**2 / 3, rel=1e-12)
    assert second == pytest.approx(density * math.pi / 16 * 31.5e-3 * 70e-3**3, rel=1e-12)
    assert product == pytest.approx(density * 31.5e-3**2 * 70e-3**2 / 8, rel=1e-12)


@pytest.mark.parametrize("make", [lm.catalogue.fruit_fly, lm.catalogue.micro_flyer, lm.catalogue.segmented_flyer])
def test_coordinates_of_the_two_sides_are_mirror_images(make: Any, rng: np.random.Generator) -> None:
    """With equal coordinates left and right the mass matrix does not couple the plane of symmetry with what leads out of it."""
    system = make()
    layout = system.layout
    q, v = system.nominal_pose(), np.zeros(layout.nv)
    angles = {j.name.split("_", 1)[1]: 0.4 * rng.normal() for j in system.joints if j.name.startswith("right_")}
    for joint in system.joints:
        if joint.nv == 1:
            q[layout.q[joint.name]] = angles[joint.name.split("_", 1)[1]]
    M = np.array(mass_matrix(forward(Instant(system, q, v))), dtype=float)
    within, without = [0, 2, 4], [1, 3, 5]  # forward, up, pitch; sideways, roll, yaw
    assert np.abs(M[np.ix_(within, without)]).max() <= 1e-12 * np.abs(M[:6, :6]).max()


def cantilever(count: int, kind: str) -> float:
    """First frequency (Hz) of a uniform strip of rigid pieces with springs at their joints."""
    length, width, mass, stiffness = 0.07, 0.004, 1e-4, 2e-6
    step = length / count
    m = mass / count
    axis = (1.0, 0.0, 0.0) if kind == "torsion" else (0.0, 0.0, 1.0)
    piece = (m * width**2 / 12, m * step**2 / 12, m * (step**2 + width**2) / 12)
    bodies = [lm.Body(f"piece_{k}", mass=m, com=(step / 2, 0, 0), inertia=piece) for k in range(count)]
    # A piece turns against the next at its middle of the strip's strain: half a piece from the clamp.
    joints = [
        lm.Revolute(
            name=f"hinge_{k}", parent="world" if k == 0 else f"piece_{k - 1}", child=f"piece_{k}", axis=axis,
            at=(0.0 if k == 0 else step, 0, 0),
        )
        for k in range(count)
    ]  # fmt: skip
    system = lm.System("strip", bodies, joints)
    M = np.array(mass_matrix(forward(Instant(system, np.zeros(count), np.zeros(count)))), dtype=float)
    K = np.full(count, stiffness / step)
    K[0] *= 2.0  # half a piece lies between the clamp and the first joint's share of the beam
    squares = np.linalg.eigvals(np.linalg.solve(M, np.diag(K))).real
    return float(np.sqrt(squares.min()) / (2.0 * math.pi))


@pytest.mark.parametrize("kind", ["torsion", "bending"])
def test_many_segments_are_a_beam(kind: str) -> None:
    """sqrt(GI/(rho I_p))/(4 l) and 1.8751²/(2 pi l²) sqrt(EI/(rho S)): the error falls with the number of segments."""
    length, width, mass, stiffness = 0.07, 0.004, 1e-4, 2e-6
    per_length = mass / length
    if kind == "torsion":
        exact = math.sqrt(stiffness / (per_length * width**2 / 12)) / (4 * length)
    else:
        exact = 1.87510407**2 / (2 * math.pi * length**2) * math.sqrt(stiffness / per_length)
    errors = [abs(cantilever(count, kind) / exact - 1.0) for count in (4, 8, 16, 32)]
    assert errors[3] < errors[2] < errors[1] < errors[0] and errors[3] < 0.01


def test_series_of_any_order_and_through_samples() -> None:
    angle = lm.catalogue.FourierAngle(2.0, (0.1, 0, 0, 0, 0, 0.3), (0, 0.2))
    t = 0.37
    exact = 0.1 + 0.3 * math.cos(5 * 4 * math.pi * t) + 0.2 * math.sin(2 * 4 * math.pi * t)
    assert angle.law.evaluate({"t": t}) == pytest.approx(exact, abs=1e-12)
    samples = [float(angle.law.evaluate({"t": k / 40 / 2.0})) for k in range(40)]
    again = lm.catalogue.FourierAngle.through(2.0, samples, order=5)
    assert again.law.evaluate({"t": t}) == pytest.approx(exact, abs=1e-12)
    with pytest.raises(QuantityError, match="order is 20"):
        lm.catalogue.FourierAngle.through(2.0, samples, order=20)


@pytest.mark.slow
def test_flyers_are_saved_and_read_back(tmp_path: Any) -> None:
    for ready in FLYERS:
        lm.save(ready.make(), tmp_path / "flyer.toml")
        assert lm.load(tmp_path / "flyer.toml") == ready.make()


def test_impossible_flyers_are_refused() -> None:
    for wrong in ({"segments": 0}, {"base": "glued"}, {"at": "end"}, {"chord": "long"}):
        with pytest.raises(ModelError, match="segmented_flyer"):
            lm.catalogue.segmented_flyer(**wrong)
    with pytest.raises(ModelError, match="falling_plate"):
        lm.catalogue.falling_plate("swim")


def test_more_sections_come_nearer() -> None:
    """Lift of a turning quarter ellipse: Gauss's rule converges to pi/16 C l³, the integral of c X²."""
    exact, errors = math.pi / 16.0 * 31.5e-3 * 70e-3**3, []
    for count in (4, 8, 16, 32):
        wing = lm.Wing("foil", "plate", length=70e-3, chord="31.5e-3*sqrt(1 - (X/70e-3)**2)", sections=count)
        errors.append(abs(sum(s.width * s.chord * s.place**2 for s in wing.stations({})) / exact - 1.0))
    assert all(finer < 0.25 * coarser for coarser, finer in pairwise(errors)) and errors[-1] < 1e-4


@pytest.mark.slow
def test_steppers_agree_and_converge_on_soft_wings() -> None:
    """Runge-Kutta of order 4 and Adams, predictor 4 and corrector 5, at the step of the source; and at twice and half of it."""
    system = lm.catalogue.segmented_flyer(2, base="clamped")
    tips = {
        (stepper, step): lm.simulate(system, 0.02, stepper=stepper, step=step)["right_flexion_2"][-1]
        for stepper, step in (("rk4", 1e-5), ("abm5", 1e-5), ("rk4", 2e-5), ("rk4", 4e-5))
    }
    best = tips["rk4", 1e-5]
    assert tips["abm5", 1e-5] == pytest.approx(best, abs=1e-9)
    assert abs(tips["rk4", 2e-5] - best) < abs(tips["rk4", 4e-5] - best) / 8.0 < 1e-6


@pytest.mark.slow
def test_a_gust_is_survived_with_the_controller() -> None:
    """A wind that jumps to 0.4 m/s: feedback of roll and pitch keeps the flyer upright, alone it begins to tip over."""
    flyer = lm.catalogue.micro_flyer()
    gust = lm.Air(density="rho", wind=("if_else(t < 0.1, 0, 0.4)", 0, 0))
    windy = flyer.replace(forces=tuple(gust if isinstance(force, lm.Air) else force for force in flyer.forces))
    tipped = {}
    for name, inputs in (("held", lm.catalogue.UPRIGHT_LAW), ("alone", None)):
        run = lm.simulate(windy, 0.5, step=1.0 / 12000.0, sample=1.0 / 480.0, inputs=inputs)
        assert run.status.ok
        tipped[name] = math.degrees(float(np.abs(run["pitch"]).max()))
    assert tipped["held"] < 2.0 < 5.0 < tipped["alone"]


@pytest.mark.slow
def test_cards_flutter_and_tumble() -> None:
    turned = {}
    for kind in ("flutter", "tumble"):
        run = lm.simulate(lm.catalogue.falling_plate(kind), 3.0, start={"yaw": 0.4}, step=5e-4)
        assert run.status.ok and run["y"][-1] < -1.0
        turned[kind] = float(np.abs(run["yaw"] - run["yaw"][0]).max())
        changes = np.diff(np.sign(run["yaw_rate"][len(run) // 3 :]))
        assert (np.abs(changes) > 0).sum() >= 4 if kind == "flutter" else turned[kind] > 4 * math.pi
    assert turned["flutter"] < math.pi


@pytest.mark.slow
def test_momentum_is_kept_in_a_vacuum() -> None:
    """Strokes of a free vehicle without air, gravity and damping: linear and angular momentum stay zero for half a stroke."""
    system = lm.catalogue.segmented_flyer(2).with_parameters(rho=0.0, g=0.0, mu_T=0.0, mu_F=0.0)
    run = lm.simulate(system, 0.02, step=1e-5)
    wings = 2 * 2.4e-4 * 0.035 * 7.85 * 50 * math.pi / 180  # mass of the wings times the speed of their middle: the scale
    momentum = np.stack(list(run.group("momentum").values()))
    assert np.abs(momentum - momentum[:, :1]).max() < 1e-9 * wings


@pytest.mark.slow
def test_the_hybrid_recursion_agrees_with_the_second_derivation() -> None:
    for count in (1, 2, 4):
        found = lm.certify(lm.catalogue.segmented_flyer(count), states=3)
        assert found.agreed, str(found)


def test_a_floating_frame_and_many_segments_twist_alike() -> None:
    """First frequency of twist of one wing: by shapes on a floating frame, and by segments with joints about its edge."""
    flyer = lm.catalogue.torsion_flyer(modes=4)
    values = flyer.parameters.values
    wing = flyer.body("right_wing")
    assert isinstance(wing, lm.FlexibleBody)
    M, K = _matrices(wing, values)
    shapes = math.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real.min())
    apart = []
    for count in (8, 16, 32):
        step = values["l"] / count
        turning = [values["mu"] * values["c0"] ** 3 * (1 - ((k + 0.5) / count) ** 2) ** 1.5 / 3 * step for k in range(count)]
        stiff = [values["G"] * values["e"] * values["c0"] ** 3 * (1 - (k / count) ** 2) ** 1.5 / 3 / step for k in range(count)]
        stiff[0] *= 2.0  # half a segment lies between the clamp and the middle of the first
        bodies = [lm.Body(f"b{k}", mass=1e-6, inertia=(i, i, i)) for k, i in enumerate(turning)]
        joints = [
            lm.Revolute(name=f"j{k}", parent=f"b{k - 1}" if k else "world", child=f"b{k}", axis=(1, 0, 0)) for k in range(count)
        ]
        chain = lm.System("chain", bodies, joints)
        mass = np.array(mass_matrix(forward(Instant(chain, np.zeros(count), np.zeros(count)))), dtype=float)
        squares = np.linalg.eigvals(np.linalg.solve(mass, np.diag(stiff))).real
        apart.append(abs(math.sqrt(squares.min()) / shapes - 1.0))
    assert apart[2] < apart[1] < apart[0] and apart[2] < 2e-3
