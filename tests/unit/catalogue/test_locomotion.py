"""The systems of shape-driven locomotion: parameters, inputs, gaits, mistakes, and how their size grows."""

import time

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError, UnknownNameError
from locomotor.mechanics.loads.drives import actuated_joints
from locomotor.tracing import trace

WITH_GAITS = [ready for ready in lm.catalogue.systems() if ready.gaits]
every = pytest.mark.parametrize("ready", WITH_GAITS, ids=lambda ready: ready.name)


@every
def test_every_parameter_tells_its_unit_meaning_and_source(ready: lm.catalogue.Ready) -> None:
    system = ready.make()
    assert system.description and ready.title
    for parameter in system.parameters.parameters:
        assert parameter.unit and parameter.description and parameter.source, parameter.name


@every
def test_every_active_joint_has_an_input_and_gaits_name_active_joints(ready: lm.catalogue.Ready) -> None:
    system = ready.make()
    active = {joint.name: joint.drive.law.names for joint in actuated_joints(system)}
    inputs = {symbol.name for symbol in system.inputs}
    assert all(len(names & inputs) == 1 for names in active.values()) and inputs <= set().union(*active.values())
    for laws in ready.gaits.values():
        assert set(laws) <= set(active)
        moving = system.with_motions(laws)
        assert {joint.name for joint in moving.imposed} == set(laws)


@every
@pytest.mark.sampled(5)
def test_it_runs_at_other_parameter_values(ready: lm.catalogue.Ready) -> None:
    """Nothing is written into the model that a parameter ought to say."""
    system = ready.make()
    for gait in ready.gaits.values():
        lm.observe(system.with_motions(gait), time=0.1)
    for first in system.parameters.parameters[:1]:  # robots of a source's numbers have none
        other = system.with_parameters(**{first.name: 1.1 * first.value})
        assert other != system
        lm.observe(other)


def test_a_gait_by_name() -> None:
    laws = lm.catalogue.gait("snakeboard", "drive")
    assert laws == {"steer": "0.3*sin(t)", "rotor": "0.7*sin(t)"}
    assert set(lm.catalogue.gait("wheeled_snake", "crawl")) == {"joint_1", "joint_2"}
    with pytest.raises(UnknownNameError, match="snakeboard has no gait 'driv': did you mean 'drive'"):
        lm.catalogue.gait("snakeboard", "driv")
    with pytest.raises(UnknownNameError, match="no system is named 'snakebord': did you mean 'snakeboard'"):
        lm.catalogue.gait("snakebord", "drive")


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: lm.catalogue.satellite(0), "satellite: rotors is 0; give a whole number, at least 1"),
        (lambda: lm.catalogue.falling_cat(1), "falling_cat: segments is 1; give a whole number, at least 2"),
        (lambda: lm.catalogue.wheeled_snake(2), "wheeled_snake: modules is 2; give a whole number, at least 3"),
        (lambda: lm.catalogue.swimmer("water"), "swimmer: the fluid is 'water'; give one of 'ideal', 'stokes'"),
        (lambda: lm.catalogue.scallop(""), "scallop: the fluid is ''"),
        (lambda: lm.catalogue.wheeled_snake("8"), "wheeled_snake: modules is '8'; give a whole number"),
        (lambda: lm.catalogue.satellite("x"), "satellite: rotors is 'x'; give a whole number"),
        (lambda: lm.catalogue.falling_cat(2.5), "falling_cat: segments is 2.5; give a whole number"),
        (lambda: lm.catalogue.gait(None, "x"), "no system is named None: known names: "),
        (lambda: lm.catalogue.gait("snakeboard", 3), "snakeboard has no gait 3: known names: drive, "),
    ],
)
def test_sizes_that_make_no_sense(make: object, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        make()  # type: ignore[operator]


def test_the_call_of_the_issue() -> None:
    board = lm.catalogue.snakeboard()
    run = lm.simulate(board, duration=10, motions={"steer": "0.3*sin(t)", "rotor": "0.7*sin(t)"})
    assert run.status.ok
    assert run["x"][-1] == pytest.approx(-0.30379867, abs=1e-6)
    assert len(run["yaw"]) == len(run.torques["rotor"]) == len(run.time)
    assert "over-constrained" in str(lm.classify(lm.catalogue.wheeled_snake(modules=8)))
    assert lm.connection(lm.catalogue.unicycle())([0.1, 0.2]).shape == (3, 2)


def test_the_fish_is_neutrally_buoyant_and_has_the_added_mass_of_its_ellipses() -> None:
    """Kinetic energy of one straight fish pushed sideways: three links and the water they carry along."""
    fish = lm.catalogue.swimmer()
    p = fish.parameters.values
    for velocity, added in (("speed", p["b"] ** 2), ("sway_speed", p["a"] ** 2)):
        energy = lm.observe(fish, {velocity: 1.0})["kinetic_energy"]
        assert energy == pytest.approx(1.5 * np.pi * p["rho"] * (p["a"] * p["b"] + added), rel=1e-12)
    # A single link turning about its own centre, which is the frame of the head.
    head = lm.catalogue.scallop()
    at_rest = lm.observe(head, {"yaw_rate": 1.0, "valve_rate": -1.0})
    mass = p["rho"] * np.pi * p["a"] * p["b"]
    own = mass * (p["a"] ** 2 + p["b"] ** 2) / 4 + p["rho"] * np.pi * (p["a"] ** 2 - p["b"] ** 2) ** 2 / 8
    # The lid does not turn but is carried by the hinge, at half a length from the centre of the shell.
    carried = (mass + p["rho"] * np.pi * p["a"] ** 2) * p["a"] ** 2
    assert at_rest["kinetic_energy"] == pytest.approx(0.5 * (own + carried), rel=1e-12)


def test_wheels_with_inertia_make_the_snake_heavier_to_push() -> None:
    """m + J/rho^2 for each wheel, a homogeneous disc: half its mass again."""
    plain, rolling = (lm.catalogue.wheeled_snake(6, wheels=w) for w in (False, True))
    p = rolling.parameters.values
    energies = [lm.observe(s, {"speed": 0.1, "yaw_rate": 0.0})["kinetic_energy"] for s in (plain, rolling)]
    wheel = 0.5 * (p["m_w"] + 0.5 * p["m_w"]) * 0.1**2
    # Each module has its own speed along its axle; the head's is the given one.
    seen = lm.observe(rolling, {"speed": 0.1, "yaw_rate": 0.0})
    rates = [seen[f"wheel_{k}_rate"] * p["rho"] for k in range(6)]
    assert rates[0] == pytest.approx(0.1, rel=1e-12)
    expected = sum(wheel * (rate / 0.1) ** 2 for rate in rates)
    # Turning of the discs about the vertical is the rest, small beside it.
    assert energies[1] - energies[0] == pytest.approx(expected, rel=0.05)


# -- size -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gait", "wheels"),
    [
        ("steer", False),
        *(
            pytest.param(gait, wheels, marks=pytest.mark.slow)
            for gait, wheels in (("", False), ("crawl", False), ("", True), ("steer", True), ("crawl", True))
        ),
    ],
)
@pytest.mark.slow
def test_the_cost_of_a_snake_grows_linearly(gait: str, wheels: bool) -> None:
    """Operations of one right-hand side for 8, 30 and 100 modules; all of a run's channels for 8, 20 and 32.

    And the longest is built in less than a minute.
    """
    before = time.perf_counter()

    def counts(sizes: tuple[int, ...], function: str) -> list[int]:
        found = []
        for n in sizes:
            snake = lm.catalogue.wheeled_snake(n, wheels=wheels)
            if gait:
                snake = snake.with_motions(lm.catalogue.gait("wheeled_snake", gait))
            found.append(getattr(trace(snake), function).operations)
        return found

    for sizes, function in (((8, 30, 100), "dynamics"), ((8, 20, 32), "observation")):
        small, middle, large = counts(sizes, function)
        slopes = (middle - small) / (sizes[1] - sizes[0]), (large - middle) / (sizes[2] - sizes[1])
        assert slopes[1] == pytest.approx(slopes[0], rel=0.05), function
    assert time.perf_counter() - before < 60.0


def test_a_long_snake_moves_like_the_multipliers_say() -> None:
    """The constraints of 30 modules, written piece by piece, hold to round-off, and the energy balances."""
    snake = lm.catalogue.wheeled_snake(30)
    laws = lm.catalogue.gait("wheeled_snake", "steer")
    run = lm.simulate(snake, 0.3, motions=laws, start={"speed": 0.3}, target="interpreter", step=0.001)
    assert max(np.abs(v).max() for v in run.group("slips").values()) < 1e-12
    power = sum(run.group("powers").values())
    work = 0.001 / 3.0 * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1])
    # Of 1.1 J; sixteen times less at half the step.
    assert work == pytest.approx(run.energy[-1] - run.energy[0], abs=1e-8)
