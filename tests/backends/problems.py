"""Functions traced by hand, without any mechanics: the fixtures of the back-end tests."""

import casadi
import numpy as np
import pytest
from numpy.typing import NDArray

from locomotor.codegen.toolchain import find_toolchain
from locomotor.lie import Manifold
from locomotor.tracing.core import simplify
from locomotor.tracing.core.signature import Port
from locomotor.tracing.core.traced import Traced

COMPILED = find_toolchain() is not None
TARGETS: list[tuple[str, int | None]] = [("interpreter", None)]
if COMPILED:
    TARGETS += [("c", None), ("simd", 2), ("simd", 4), ("simd", 8), ("simd", 16), ("auto", None)]
FEW = [target for target in TARGETS if target in (("interpreter", None), ("c", None), ("simd", 2), ("simd", 8))]
needs_compiler = pytest.mark.skipif(not COMPILED, reason="needs a C compiler")


def numbered(name: str, size: int) -> Port:
    return Port.of(name, *(f"{name}_{index}" for index in range(size)))


def dynamics(name: str, nx: int, nu: int, np_: int, rate, monitor=None) -> Traced:
    """Traced right-hand side from functions of (t, x, u, p)."""
    symbols = [casadi.SX.sym(label, size) for label, size in (("t", 1), ("x", nx), ("u", nu), ("p", np_))]
    ports = [numbered(*pair) for pair in (("time", 1), ("state", nx), ("inputs", nu), ("parameters", np_))]
    value = rate(*symbols)
    outputs = [(numbered("rate", value.size1()), value)]
    if monitor is not None:
        watched = monitor(*symbols)
        outputs.append((numbered("monitor", watched.size1()), watched))
    return Traced.build(name, list(zip(ports, symbols, strict=True)), outputs, "test problem")


def pendulum() -> Traced:
    """Angle and rate; torque; gravity over length. The monitor keeps the angle below 2."""
    return dynamics(
        "pendulum",
        2,
        1,
        1,
        lambda t, x, u, p: casadi.vertcat(x[1], -p[0] * casadi.sin(x[0]) + u[0]),
        lambda t, x, u, p: casadi.vertcat(2.0 - x[0]),
    )


def lorenz() -> Traced:
    return dynamics(
        "lorenz",
        3,
        0,
        3,
        lambda t, x, u, p: casadi.vertcat(p[0] * (x[1] - x[0]), x[0] * (p[1] - x[2]) - x[1], x[0] * x[1] - p[2] * x[2]),
    )


def rigid_body() -> Traced:
    """Orientation (quaternion) and body angular velocity of a heavy body with a torque that changes in time."""

    def rate(t, x, u, p):
        q, w = x[0:4], x[4:7]
        down = casadi.vertcat(2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), 1 - 2 * (q[1] ** 2 + q[2] ** 2))
        torque = u * casadi.cos(3 * t) + 0.7 * casadi.cross(casadi.vertcat(0.1, 0.2, 0.3), down)
        return casadi.vertcat(w, (torque - casadi.cross(w, p * w)) / p)

    def monitor(t, x, u, p):
        return casadi.vertcat(1e4 - casadi.sumsqr(x[4:7]), 1e3 - t)

    return dynamics("rigid_body", 7, 3, 3, rate, monitor)


RIGID_BODY = Manifold([("quaternion",), ("vector", 3)])
INERTIA = np.array([1.0, 2.0, 2.5])


def rigid_states(rng: np.random.Generator, batch: int) -> NDArray[np.float64]:
    states = rng.normal(size=(batch, 7))
    states[:, :4] /= np.linalg.norm(states[:, :4], axis=1, keepdims=True)
    return states


def every_operation() -> Traced:
    """One output for each operation a tape can hold, conditions and their arithmetic included.

    Arguments are brought into the domain of each function; x is any vector of four numbers.
    """
    x = casadi.SX.sym("x", 4)
    bounded = 0.9 * casadi.sin(x[0])
    domains = {"acosh": 1 + x[0] ** 2, "log": 0.1 + x[1] ** 2, "sqrt": x[2] ** 2 + 0.5, "log1p": x[3] ** 2}
    domains |= dict.fromkeys(("asin", "acos", "atanh"), bounded)
    outputs = [getattr(casadi, name)(domains.get(name, x[index % 4])) for index, name in enumerate(sorted(simplify.UNARY))]
    for index, name in enumerate(sorted(simplify.BINARY)):
        a, b = x[index % 4], x[(index + 1) % 4]
        outputs.append(casadi.power(a**2 + 0.1, b) if name == "pow" else getattr(casadi, name)(a, b))
    less = x[0] < x[1]
    outputs += [
        casadi.if_else(less, x[2], casadi.log(x[3] ** 2)),
        casadi.if_else(casadi.logic_or(less, x[2] <= x[3]), -x[2], x[3] * x[0]),
        casadi.if_else(casadi.logic_and(casadi.logic_not(less), x[2] != x[3]), x[0], -x[1]),
        less * x[2] + (x[0] == x[0]) * 3.0,
        casadi.if_else(x[0], 1.0, 2.0),
        x[0] ** 3 / 4.0 - x[1] ** -2 * 0.1 + 2 * x[2] - x[3] / 3.0,
        -(x[0] - x[1]) * -(x[1] - x[0]) + 1e-300 + 0.1 * casadi.sin(-x[2]) * casadi.cos(-x[2]),
        casadi.SX(0.1),
        -x[1],
    ]
    return Traced.build("every_operation", [(numbered("x", 4), x)], [(numbered("y", len(outputs)), casadi.vertcat(*outputs))])


def random_expression(rng: np.random.Generator, length: int = 300) -> Traced:
    """Random straight-line function of five numbers; every value stays of the order of one."""
    x = casadi.SX.sym("x", 5)
    values = [x[i] for i in range(5)]

    def pick():
        return values[int(rng.integers(max(0, len(values) - 40), len(values)))]

    for _ in range(length):
        a, b = pick(), pick()
        choice = int(rng.integers(9))
        if choice == 0:
            value = (a + b) / 2
        elif choice == 1:
            value = (a - b) * 0.5
        elif choice == 2:
            value = a * b
        elif choice == 3:
            value = a / (1.5 + b**2)
        elif choice == 4:
            value = -casadi.sin(a) * casadi.cos(a)
        elif choice == 5:
            value = casadi.if_else(a < b, -a, casadi.cos(b))
        elif choice == 6:
            value = casadi.sqrt(0.5 + a**2) - casadi.fmax(a, b)
        elif choice == 7:
            value = casadi.atan2(a, b) * float(rng.normal())
        else:
            value = casadi.exp(-(a**2)) - b
        values.append(casadi.tanh(value) if choice in (2, 6, 8) else value)
    return Traced.build("random", [(numbered("x", 5), x)], [(numbered("y", 40), casadi.vertcat(*values[-40:]))])
