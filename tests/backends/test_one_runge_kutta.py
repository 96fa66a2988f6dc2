"""Runge-Kutta 4 is written twice, in Python (`lie/runge_kutta.py`) and in C (`runtime/rollout.h`): all that use it agree."""

import numpy as np
import pytest

import locomotor as lm
from backends.problems import FEW
from locomotor.codegen.cuda.text import rollout_text
from locomotor.codegen.emit_c import SCALAR, runtime, simd
from locomotor.codegen.program import Program
from locomotor.codegen.rollout import compile_map, compile_program
from locomotor.lie import Manifold
from locomotor.model import Body, Free, Prismatic, SlidingPoint, System
from locomotor.simulation import compile_stepping
from locomotor.simulation.compiled import compile_system
from locomotor.tracing import rk4_map, trace
from locomotor.typing import Floats

STEP, STEPS = 0.04, 25
"""Some 0.3 rad a step: the terms of every order count, and 25 steps let no error hide."""
ROUND_OFF = 1e-12
"""Of numbers up to 10 after 25 steps that amplify nothing much: some thousand times the round-off of one operation."""


def tumbling() -> System:
    """A body that tumbles, with a mass that slides in it on a spring, and a point that would touch the floor far below."""
    return System(
        "tumbling",
        [Body("hull", mass=2.0, inertia=(0.3, 0.5, 0.7)), Body("slug", mass=0.5, inertia=(0.01, 0.01, 0.01))],
        [
            Free(name="base", parent="world", child="hull"),
            Prismatic(
                name="slide", parent="hull", child="slug", axis=(1.0, 0.0, 0.0), drive=lm.Torque("-40*slide - 60*slide**3")
            ),
        ],
        contacts=[SlidingPoint("tip", "hull", (0.0, 0.0, -0.2), law=lm.Unilateral())],
        forces=[lm.Gravity()],
    )


START = {
    "z": 50.0,
    "roll": 0.3,
    "pitch": -0.2,
    "roll_rate": 4.0,
    "pitch_rate": -3.0,
    "yaw_rate": 5.0,
    "slide": 0.1,
    "speed": 1.0,
}


@pytest.fixture(scope="module")
def flight() -> lm.System:
    return tumbling().replace(contacts=())


@pytest.fixture(scope="module")
def expected(flight: System) -> Floats:
    """Every step of the method as Munthe-Kaas wrote it, with the exponential of rotation vectors, on plain numbers."""
    compiled = compile_system(flight, target="interpreter")
    traced, x, found = compiled.traced, compiled.start(START), []
    p, u, turning = np.zeros(0), np.zeros(0), slice(3, 7)
    spin = slice(3, 6)

    def rate(t: float, state: Floats) -> Floats:
        return traced.dynamics(np.array([t]), state, u, p)[0]

    def turned(q: Floats, w: Floats) -> Floats:
        angle = float(np.linalg.norm(w))
        half = np.append(np.cos(angle / 2), (np.sin(angle / 2) / angle if angle else 0.5) * w)
        return np.array(
            [
                q[0] * half[0] - q[1:] @ half[1:],
                *(q[0] * half[1:] + half[0] * q[1:] + np.cross(q[1:], half[1:])),
            ]
        )

    def move(state: Floats, d: Floats) -> Floats:
        return np.concatenate([state[:3] + d[:3], turned(state[turning], d[spin]), state[7:] + d[6:]])

    def pull_back(d: Floats, r: Floats) -> Floats:
        """Inverse of dexp in body axes: w + d x w / 2 + (1 - a cot(a)) / angle^2 d x (d x w), a half the angle."""
        w, v = d[spin], r[spin]
        a = 0.5 * float(np.linalg.norm(w))
        c = (1.0 - a / np.tan(a)) / (4.0 * a * a) if a else 1.0 / 12.0
        return np.concatenate([r[:3], v + 0.5 * np.cross(w, v) + c * np.cross(w, np.cross(w, v)), r[6:]])

    for n in range(STEPS):
        t, h = n * STEP, STEP
        k1 = rate(t, x)
        k2 = pull_back(0.5 * h * k1, rate(t + 0.5 * h, move(x, 0.5 * h * k1)))
        k3 = pull_back(0.5 * h * k2, rate(t + 0.5 * h, move(x, 0.5 * h * k2)))
        k4 = pull_back(h * k3, rate(t + h, move(x, h * k3)))
        x = move(x, h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
        x[turning] /= np.linalg.norm(x[turning])
        found.append(x)
    return np.array(found)


def test_the_state_is_as_taken_here(flight: System) -> None:
    assert compile_system(flight, target="interpreter").state_names[:8] == ("x", "y", "z", "qw", "qx", "qy", "qz", "slide")


@pytest.mark.parametrize(("target", "lanes"), [each for each in FEW if each != ("simd", 2)])
def test_compiled_and_interpreted_steps(flight: System, expected: Floats, target: str, lanes: int | None) -> None:
    traced = trace(flight)
    kernel = compile_program(Program(traced.dynamics, traced.manifold), target, lanes)
    start = compile_system(flight, target="interpreter").start(START)
    states = kernel.run(np.tile(start, (19, 1)), STEPS, STEP, parameters=np.zeros(0)).states
    for instance in (0, 18):
        np.testing.assert_allclose(states[instance, 1:], expected, rtol=0.0, atol=ROUND_OFF)


def test_steps_as_one_function(flight: System, expected: Floats) -> None:
    traced = trace(flight)
    kernel = compile_map(rk4_map(traced.dynamics, traced.manifold), "interpreter")
    x = compile_system(flight, target="interpreter").start(START)
    manifold: Manifold = traced.manifold
    for n, wanted in enumerate(expected):
        x = manifold.normalise(kernel.run(x, 1, STEP, parameters=np.zeros(0), start_time=n * STEP).final[None])[0]
        np.testing.assert_allclose(x, wanted, rtol=0.0, atol=ROUND_OFF)


def test_steps_of_roll_outs_with_events(expected: Floats) -> None:
    """In flight nothing happens: the tape of the event-driven step is that of Runge-Kutta."""
    stepped = compile_stepping(tumbling(), "events", target="interpreter")
    states = stepped.rollout(stepped.start(START), STEPS, STEP).states
    columns = [stepped.state_names.index(name) for name in compile_system(tumbling().replace(contacts=())).state_names]
    np.testing.assert_allclose(states[1:, columns], expected, rtol=0.0, atol=ROUND_OFF)


def test_processor_and_device_read_the_same_text(flight: System) -> None:
    traced = trace(flight)
    program, text = Program(traced.dynamics, traced.manifold), runtime("rollout.h")
    assert "void lm_step_rk4(" in text
    for each in (program.emit(SCALAR, "rollout_call.h"), program.emit(simd(8), "rollout_call.h"), rollout_text(program)):
        assert text in each and each.count("void lm_step_rk4(") == 1
