"""Jacobians of steps and roll-outs of systems: names, directions, targets, against differences of roll-outs."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import UnknownNameError
from locomotor.simulation.compiled.jacobians import jacobians, tangent_names

H = 2e-3
"""Step of the differences, of order 4: truncation near 1e-11 times fifth derivatives, round-off 1e-15 / H."""


def top(**options):
    """A free body with a rotor: quaternion, inputs, a parameter that matters."""
    return lm.compile(lm.catalogue.system("satellite"), free=("J_r",), **options)


def spinning(compiled, batch, rng):
    states = np.tile(compiled.start({}), (batch, 1))
    states[:, compiled.traced.nq :] += rng.normal(size=(batch, states.shape[1] - compiled.traced.nq))
    return states


def turned(a, b):
    """Rotation vectors from one quaternion to another."""
    vector = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(a[:, 1:], b[:, 1:])
    half = np.arcsin(np.linalg.norm(vector, axis=1, keepdims=True))
    return 2.0 * vector / np.sinc(half / np.pi)


def differences(compiled, states, steps, dt, columns, parameters, inputs):
    """Derivative of the final states by differences of roll-outs."""
    space, names = compiled.traced.manifold, tangent_names(compiled.traced)
    there = compiled.rollout(states, steps, dt, parameters=parameters, inputs=inputs).final

    def moved(name, s):
        x, p, u = states, np.array(parameters), np.array(inputs)
        if name in names:
            x = space.retract(states, np.tile(s * np.eye(len(names))[names.index(name)], (len(states), 1)))
        elif name in compiled.input_names:
            u[compiled.input_names.index(name)] += s
        else:
            p[compiled.parameter_names.index(name)] += s
        end = compiled.rollout(x, steps, dt, parameters=p, inputs=u).final
        found = np.zeros((len(states), len(names)))
        for turning, place, d in space.slices():
            found[:, d] = turned(there[:, place], end[:, place]) if turning else end[:, place] - there[:, place]
        return found

    columns_ = []
    for name in columns:
        h = H * parameters[compiled.parameter_names.index(name)] if name in compiled.parameter_names else H
        near, far = (moved(name, k * h) - moved(name, -k * h) for k in (1, 2))
        columns_.append((8.0 * near - far) / (12.0 * h))
    return there, np.stack(columns_, axis=2)


def test_against_differences(rng):
    compiled = top(target="c")
    states = spinning(compiled, 3, rng)
    inputs, parameters = 0.1 * np.arange(1.0, 1.0 + len(compiled.input_names)), 0.9 * compiled.default_parameters
    found = jacobians(
        compiled, states, 12, 0.1, with_respect_to=("state", "inputs", "J_r"), inputs=inputs, parameters=parameters
    )
    assert found.row_names == tangent_names(compiled.traced)
    assert found.column_names == (*found.row_names, *compiled.input_names, "J_r")
    assert {"turn_x", "turn_y", "turn_z"} <= set(found.row_names)
    there, wanted = differences(compiled, states, 12, 0.1, found.column_names, parameters, inputs)
    assert np.allclose(found.final, there, rtol=0, atol=1e-13)
    assert np.abs(found.matrix - wanted).max() < 1e-8 * np.abs(wanted).max()
    assert np.abs(found["yaw_rate", "J_r"]).min() > 1e-3  # the parameter matters
    assert np.array_equal(found["turn_x", "turn_y"], found.matrix[:, 3, 4])


@pytest.mark.parametrize("target", ["c", "simd", "auto"])
def test_targets_agree(target, rng):
    states = spinning(top(target="interpreter"), 5, rng)
    wanted = jacobians(top(target="interpreter"), states, 20, 0.05, with_respect_to=("state", "J_r"))
    found = jacobians(top(target=target), states, 20, 0.05, with_respect_to=("state", "J_r"))
    assert np.abs(found.matrix - wanted.matrix).max() < 1e-12 * np.abs(wanted.matrix).max()
    assert np.abs(found.final - wanted.final).max() < 1e-12


def test_jacobians_of_steps_multiply_to_that_of_the_roll_out(rng):
    compiled = top(target="c")
    x = spinning(compiled, 4, rng)
    whole = jacobians(compiled, x, 3, 0.2, with_respect_to=("state", "parameters"), save_every=1)
    n = len(whole.row_names)
    matrix, by_parameter = np.eye(n), np.zeros((4, n, 1))
    for k in range(3):
        step = jacobians(compiled, x, 1, 0.2, with_respect_to=("state", "parameters"), start_time=0.2 * k)
        matrix, by_parameter = step.matrix[:, :, :n] @ matrix, step.matrix[:, :, :n] @ by_parameter + step.matrix[:, :, n:]
        x = step.final
        assert np.allclose(whole.matrices[:, k + 1], np.concatenate([matrix, by_parameter], axis=2), rtol=0, atol=1e-12)
    assert np.allclose(whole.states[:, -1], x, rtol=0, atol=1e-14)
    assert np.array_equal(whole.matrices[:, -1], whole.matrix)
    assert np.allclose(whole.times, [0.0, 0.2, 0.4, 0.6])


def test_a_rolling_system_with_projection():
    """Few directions of a platform that rolls; the projection on the ground is differentiated with the step."""
    platform = lm.catalogue.system("two_wheel_platform")
    compiled = lm.compile(platform, target="c", free=("b", "m"), project=True)
    start = compiled.start({"speed": 1.0, "yaw_rate": 0.4})
    columns = (compiled.state_names[-1], "b", compiled.input_names[0])
    found = jacobians(compiled, start[None], 20, 0.05, with_respect_to=columns)
    _, wanted = differences(
        compiled, start[None], 20, 0.05, columns, compiled.default_parameters, np.zeros(len(compiled.input_names))
    )
    assert np.abs(found.matrix - wanted).max() < 1e-8 * np.abs(wanted).max()


def test_single_state_and_batches():
    compiled = top(target="c")
    start = compiled.start({"roll_rate": 1.0})
    single = jacobians(compiled, start, 4, 0.1)
    assert single.matrix.shape == (len(single.row_names), len(single.row_names))
    assert single.final.shape == start.shape
    one = jacobians(compiled, start[None], 4, 0.1)
    assert np.array_equal(one.matrix[0], single.matrix)
    none = jacobians(compiled, np.zeros((0, len(start))), 4, 0.1)
    assert none.matrix.shape == (0, *single.matrix.shape)


def test_an_instance_that_is_lost_spoils_no_other(rng):
    compiled = top(target="auto")
    states = spinning(compiled, 20, rng)
    clean = jacobians(compiled, states, 5, 0.1)
    states[3, 8] = np.nan
    found = jacobians(compiled, states, 5, 0.1)
    assert found.status.tolist() == [2 if i == 3 else 0 for i in range(20)]
    others = np.arange(20) != 3
    assert np.array_equal(found.matrix[others], clean.matrix[others])


def test_wrong_names():
    compiled = top(target="interpreter")
    with pytest.raises(UnknownNameError, match=r"named 'm'; to differentiate by it, compile with free=\('m',\)"):
        jacobians(compiled, compiled.start({}), 1, 0.1, with_respect_to=("m",))
    with pytest.raises(UnknownNameError, match=r"no direction is named 'rol_rate'.*roll_rate"):
        jacobians(compiled, compiled.start({}), 1, 0.1, with_respect_to=("rol_rate",))
    with pytest.raises(ValueError, match="names no direction"):
        jacobians(compiled, compiled.start({}), 1, 0.1, with_respect_to=())
    with pytest.raises(UnknownNameError, match="the Jacobian has no entry 'spin'"):
        jacobians(compiled, compiled.start({}), 1, 0.1)["spin", "turn_x"]
    with pytest.raises(ValueError, match="state must have shape"):
        jacobians(compiled, np.zeros(3), 1, 0.1)
