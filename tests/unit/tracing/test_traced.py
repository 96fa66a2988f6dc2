"""Traced functions: ports, checks, exact derivatives."""

import casadi
import numpy as np
import pytest

from backends.problems import numbered, pendulum, rigid_body
from locomotor.tracing.core.signature import Field, Port
from locomotor.tracing.core.traced import Traced

X = casadi.SX.sym("x", 2)


def test_ports_describe_themselves() -> None:
    text = pendulum().describe()
    assert "state_1" in text and "Arguments" in text and "Returns" in text and "arithmetic operations" in text


def test_port_refuses_repeated_names_and_wrong_shapes() -> None:
    with pytest.raises(ValueError, match="'a' is used twice"):
        Port.of("p", "a", "b", "a")
    with pytest.raises(ValueError, match="does not hold 2 fields"):
        Port("p", (Field("a"), Field("b")), (3, 1))


def test_size_of_a_port_must_be_that_of_the_function() -> None:
    function = casadi.Function("f", [X], [X])
    with pytest.raises(ValueError, match=r"input 'x' must be a dense \(3, 1\) column"):
        Traced("f", (numbered("x", 3),), (numbered("y", 2),), function)
    with pytest.raises(ValueError, match="1 output ports declared, the function has 2"):
        Traced("f", (numbered("x", 2),), (numbered("y", 2),), casadi.Function("f", [X], [X, X]))


def test_free_symbols_are_named() -> None:
    with pytest.raises(ValueError, match="gravity"):
        Traced.build("f", [(numbered("x", 2), X)], [(numbered("y", 1), X[0] * casadi.SX.sym("gravity"))])


def test_structural_zeros_become_numbers() -> None:
    traced = Traced.build("f", [(numbered("x", 2), X)], [(numbered("y", 2), casadi.SX(2, 1))])
    assert traced(np.ones(2))[0].tolist() == [0.0, 0.0]


def test_call_checks_its_arguments() -> None:
    traced = pendulum()
    with pytest.raises(TypeError, match="takes 4 arguments"):
        traced(np.zeros(1))
    with pytest.raises(ValueError, match=r"state must have shape \(2,\), not \(3,\)"):
        traced(np.zeros(1), np.zeros(3), np.zeros(1), np.zeros(1))


def test_jacobian_is_the_limit_of_differences(rng: np.random.Generator) -> None:
    traced = rigid_body()
    values = [rng.normal(size=port.size) for port in traced.inputs]
    jacobian = traced.jacobian("rate", "state")
    found = jacobian(*values)[0]
    assert found.shape == (6, 7)
    step = 1e-6  # central differences: error step^2 times third derivatives of order one, and 1e-16 / step
    for column in range(7):
        shift = np.zeros(7)
        shift[column] = step
        plus, minus = (traced(values[0], values[1] + s, *values[2:])[0] for s in (shift, -shift))
        np.testing.assert_allclose(found[:, column], (plus - minus) / (2 * step), atol=1e-8)


def test_jacobian_names_its_fields_and_units() -> None:
    force, length = Port("force", (Field("f", "N"),)), Port("length", (Field("l", "m"), Field("rate", "m/s")))
    traced = Traced.build("spring", [(length, X)], [(force, 3 * X[0] + X[1] ** 2)])
    port = traced.jacobian("force", "length").outputs[0]
    assert port.names == ("d(f)/d(l)", "d(f)/d(rate)")
    assert [field.unit for field in port.fields] == ["N/m", "N/(m/s)"]
    with pytest.raises(ValueError, match="no output 'torque'; it has force"):
        traced.jacobian("torque", "length")
