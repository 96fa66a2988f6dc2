"""Verbs that work on systems work on soft ones, against closed forms: steady motions, cycles, classes, sweeps, environments; a
free fall, and a pendulum of a rigid and an elastic link.
"""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.model import Joint
from oracles.segments import segmented

LENGTH, MASS, EI = 0.8, 0.5, 2.0


def held(body: lm.FlexibleBody | lm.Rod, joint: Joint | None = None) -> lm.System:
    clamp = lm.Fixed(name="clamp", parent="world", child=body.name)
    return lm.System("held", (body,), (joint or clamp,), parameters={"EI": EI})


def test_a_bar_that_spins_steadily_is_as_long_as_the_books_say() -> None:
    """EA u'' + m W² (X + u) = 0, u(0) = u'(L) = 0: its end is at tan(k L)/k with k² = m W²/EA."""
    k, rate = 0.3 / LENGTH, 6.0
    section = lm.CrossSection(mass=MASS, EA=MASS * rate**2 / k**2)
    bar = lm.FlexibleBody("bar", LENGTH, section, stretch=4, modes="polynomial")
    spun = held(bar, lm.Revolute(name="hub", parent="world", child="bar", axis=(0, 0, 1)))
    found = lm.steady_motion(spun, {"hub_rate": rate})
    end = LENGTH + sum(found[f"bar_stretch{i}"] for i in range(1, 5))
    assert end == pytest.approx(math.tan(k * LENGTH) / k, rel=1e-8)  # four polynomials of a sine over 0.3 rad


def test_the_cycle_of_a_beam_that_is_shaken_at_its_root() -> None:
    """Shaken by a cos(w t), the end swings by (cosh b + cos b)/(1 + cosh b cos b) times that, b⁴ = m w² L⁴/EI."""
    b, a = 1.2, 0.01
    w = b**2 / LENGTH**2 * math.sqrt(EI / MASS)
    beam = lm.FlexibleBody("beam", LENGTH, lm.CrossSection(mass=MASS, EIz="EI"), bending_y=4)
    drive = lm.Motion(f"{a}*cos({w!r}*t)")
    shaken = held(beam, lm.Prismatic(name="shaker", parent="world", child="beam", axis=(0, 1, 0), drive=drive))
    cycle = lm.find_cycle(shaken, {}, period=2.0 * math.pi / w, step=1e-3)
    swing = a + sum(cycle.start[f"beam_y{i}"] for i in range(1, 5))
    wanted = a * (math.cosh(b) + math.cos(b)) / (1.0 + math.cosh(b) * math.cos(b))
    assert swing == pytest.approx(wanted, rel=1e-5)  # modes beyond the fourth follow by (w/w5)² = 1e-5 of a small share


def test_deformations_are_passive_with_dynamics_of_their_own() -> None:
    found = lm.classify(lm.catalogue.elastic_snakeboard(), ["steer", "rotor"])
    assert found.passive_dynamic == ("left_beam_y1", "right_beam_y1") and found.passive_kinematic == ("front_steer",)
    assert found.s_passive == 3 and "passive with dynamics of their own: left_beam_y1, right_beam_y1" in str(found)


def test_a_sweep_over_the_stiffness_of_a_rod() -> None:
    """A rod of one constant curvature is a pendulum of one mode, whose frequency goes with the root of its stiffness."""
    rod = lm.Rod("rod", section=lm.CrossSection(mass=MASS, EIz="EI"), length=LENGTH, strains="bend_z")
    chart = lm.sweep(held(rod), {"EI": [1.0, 4.0, 9.0]}, lm.sweeps.stability())
    # y = k x²/2: mass m L⁵/20, stiffness EI L.
    wanted = math.sqrt(20.0 / (MASS * LENGTH**4))
    assert np.abs(np.asarray(chart["frequency"]) / wanted - [1.0, 2.0, 3.0]).max() < 1e-9


def test_environments_of_a_soft_arm_step_as_it_runs() -> None:
    pytest.importorskip("gymnasium")
    from locomotor.learning import Task, make_vec

    section = lm.CrossSection.circle(0.01, young=1e6, density=1000.0)
    finger = lm.Rod("finger", section=section, length=0.2, strains={"bend_y": 2}, damping=0.02)
    system = lm.System(
        "finger",
        (finger,),
        (lm.Fixed(name="hand", parent="world", child="finger"),),
        forces=(lm.Gravity(), lm.Tendon("flexor", "finger", at=(0.0, -0.008), tension="pull")),
        inputs=(lm.Input("pull", "N"),),
    )
    seen = ("finger_bend_y_0", "finger_bend_y_1", "finger_bend_y_0_rate")
    task = Task("Finger", system=system, actions={"pull": (0.0, 4.0)}, observations=seen, reward="-finger_bend_y_0**2",
                dt=1e-3, frame_skip=5, steps=50)  # fmt: skip
    env = make_vec(task, num_envs=2)
    env.reset(seed=0)
    for _ in range(10):
        observations, rewards, *_ = env.step(np.array([[0.5], [-1.0]]))  # 3 N, and none
    run = lm.simulate(system, 0.05, inputs={"pull": 3.0}, step=1e-3)
    wanted = [float(run[name][-1]) for name in seen]
    assert observations[0] == pytest.approx(wanted, rel=1e-6)  # observations are kept in single precision
    assert rewards[0] == pytest.approx(-(wanted[0] ** 2), rel=1e-6) and not np.allclose(
        observations[0], observations[1], rtol=0.1
    )


@pytest.mark.parametrize("kind", ["frame", "rod"])
def test_a_beam_that_falls_freely_has_the_momentum_of_its_weight(kind: str) -> None:
    """p = p0 + m g t whatever it does meanwhile, and the angular momentum about what falls with it stays."""
    section = lm.CrossSection(mass=MASS, EIy=EI, EIz=EI, second=(1e-4, 1e-4, 0.0))
    beam: lm.FlexibleBody | lm.Rod = (
        lm.FlexibleBody("beam", LENGTH, section, bending_y=1, bending_z=1)
        if kind == "frame"
        else lm.Rod("beam", section=section, length=LENGTH, strains={"bend_z": 2, "bend_y": 1}, points=6)
    )
    system = lm.System("falls", (beam,), (lm.Free(name="base", parent="world", child="beam"),), forces=(lm.Gravity(),))
    first = beam.coordinates[0].name
    bent = 0.02 if kind == "frame" else 0.6
    run = lm.simulate(system, 0.3, start={"yaw_rate": 2.0, "roll_rate": 1.0, first: bent}, step=1e-4, sample=0.1)
    mass = MASS * LENGTH
    for axis, pull in (("x", 0.0), ("y", 0.0), ("z", -9.81 * mass)):
        p = run[f"linear_momentum_{axis}"]
        assert np.abs(p - p[0] - pull * run.time).max() < 1e-10
    # About the origin the weight turns by r x m g, with r = r0 + (p0 t + m g t²/2)/m the place of the centre.
    p0 = [float(run[f"linear_momentum_{axis}"][0]) for axis in "xyz"]
    rates = {"x": (-9.81 * mass, 1, 1.0), "y": (9.81 * mass, 0, 1.0)}
    for axis, (weight, other, sign) in rates.items():
        L, t = run[f"angular_momentum_{axis}"], run.time
        drift = sign * weight * p0[other] / mass * t**2 / 2.0
        rest = L - L[0] - drift
        assert np.abs(rest - rest[-1] * t / t[-1]).max() < 1e-10  # what is left grows with the lever of the start alone
    assert np.abs(run["angular_momentum_z"] - run["angular_momentum_z"][0]).max() < 1e-10


def two_links(elastic: lm.FlexibleBody | lm.Rod) -> lm.System:
    """A rigid link, and an elastic one hinged to it."""
    return lm.System(
        "two_links",
        (lm.Body("upper", 0.3, com=(0.2, 0, 0), inertia=(1e-4, 4e-3, 4e-3)), elastic),
        (
            lm.Revolute(name="hip", parent="world", child="upper", axis=(0, 0, 1)),
            lm.Revolute(name="knee", parent="upper", child="lower", axis=(0, 0, 1), at=(0.4, 0, 0)),
        ),
        forces=(lm.Gravity((9.81, 0, 0)),),
    )


@pytest.mark.slow
def test_a_pendulum_of_a_rigid_and_an_elastic_link() -> None:
    """Released from the horizontal: chains of segments tend to the rod with the square of their length, and a floating frame
    differs by what it leaves out, which is of second order in the bending.
    """
    section = lm.CrossSection(mass=0.4, EIz=0.4, second=(1e-6, 0.0, 0.0))
    start = {"hip": 0.5 * math.pi, "knee": 0.4}

    def end(system: lm.System) -> np.ndarray:
        run = lm.simulate(system, 0.5, start=start, step=1e-4, sample=0.5)
        assert run.status.ok
        return np.array([float(run[name][-1]) for name in ("hip", "knee")])

    rod = lm.Rod("lower", section=section, length=0.5, strains={"bend_z": 5}, points=10, damping=2e-4)
    wanted = end(two_links(rod))
    errors = [np.abs(end(segmented(two_links(rod), "lower", count, clamped=False)) - wanted) for count in (6, 12)]
    assert (errors[0] / errors[1] > 3.2).all() and (errors[1] < 5e-4).all(), errors
    frame = lm.FlexibleBody("lower", 0.5, section, bending_y=4, modes="polynomial", stiffening=True)
    assert np.abs(end(two_links(frame)) - wanted).max() < 2e-2


@pytest.mark.parametrize("stepper", [lm.midpoint, lm.generalised_alpha])
@pytest.mark.sampled(1)
def test_implicit_steps_of_a_rod_converge_to_explicit_ones(stepper: Any) -> None:
    """A soft rod falls into a swing: implicit steps of 2 and 1 ms differ from explicit ones of 0.1 ms as their squares."""
    section = lm.CrossSection.circle(0.01, young=1e6, density=1000.0)
    finger = lm.Rod("finger", section=section, length=0.2, strains={"bend_y": 3}, damping=2e-3)
    hand = lm.Fixed(name="hand", parent="world", child="finger")
    system = lm.System("falls", (finger,), (hand,), forces=(lm.Gravity(),))

    def end(how: Any) -> np.ndarray:
        run = lm.simulate(system, 0.1, stepper=how, sample=0.1)
        return np.array([float(run[f"finger_bend_y_{k}"][-1]) for k in range(3)])

    wanted = end(lm.rk4(1e-4))
    errors = [np.abs(end(stepper(step)) - wanted).max() for step in (2e-3, 1e-3)]
    assert 3.5 < errors[0] / errors[1] < 4.5 and errors[1] < 1e-2 * np.abs(wanted).max(), errors
