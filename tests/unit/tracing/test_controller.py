"""Controllers: traced where they can be, called from Python where not, and the same motion either way."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locomotor as lm


@pytest.fixture(scope="module")
def cart() -> lm.System:
    return lm.System(
        "cart",
        [lm.Body("cart", 2.0, inertia=(1, 1, 1))],
        [lm.Prismatic(name="s", parent="world", child="cart", axis=(1, 0, 0), drive=lm.Torque("push"))],
        inputs=[lm.Input("push", "N")],
    )


def traced_law(channels: Any) -> dict[str, Any]:
    return {"push": -3.0 * np.sin(channels["s"]) - 0.1 * channels["s_rate"]}


def through_float(channels: Any) -> dict[str, Any]:
    return {"push": -3.0 * math.sin(channels["s"]) - 0.1 * float(channels["s_rate"])}


def with_a_branch(channels: Any) -> dict[str, Any]:
    s = channels["s"]
    pull = 3.0 * math.sin(abs(s))
    return {"push": (-pull if s > 0 else pull) - 0.1 * channels["s_rate"]}


@pytest.mark.parametrize(("law", "traced"), [(traced_law, True), (through_float, False), (with_a_branch, False)])
def test_a_controller_is_traced_only_if_nothing_of_it_is_lost(
    cart: lm.System, law: Callable[[Any], dict[str, Any]], traced: bool
) -> None:
    # float(symbol) is NaN in CasADi, not an error: such a controller must be called from Python.
    assert lm.trace(cart, controller=lm.Controller(law)).controller_is_traced is traced


@pytest.mark.parametrize("law", [through_float, with_a_branch])
def test_a_controller_called_from_python_gives_the_same_motion(cart: lm.System, law: Callable[[Any], dict[str, Any]]) -> None:
    options = {"duration": 0.5, "start": {"s": 1.0}, "step": 0.01}
    reference = lm.simulate(cart, controller=traced_law, **options)
    run = lm.simulate(cart, controller=law, **options)
    # The same method on the same equations: round-off.
    assert run["s"] == pytest.approx(reference["s"], rel=1e-12)
    assert run["push"] == pytest.approx(reference["push"], rel=1e-12)


def test_a_state_whose_rate_is_lost_on_symbols_is_integrated_from_python(cart: lm.System) -> None:
    law = lm.Controller(lambda c: {"push": c["memory"], "memory": float(-c["s"])}, states={"memory": 0.0})
    assert not lm.trace(cart, controller=law).controller_is_traced
    run = lm.simulate(cart, duration=0.2, start={"s": 1.0}, controller=law, step=0.01)
    assert run.status.ok and run["memory"][-1] == pytest.approx(-0.2, rel=1e-3)  # s stays near 1


def test_numpy_functions_of_channels_are_quiet(cart: lm.System) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lm.trace(cart, controller=lm.Controller(traced_law)).controller_is_traced


@pytest.mark.parametrize(
    "tie", [lm.Coupling("gear", "a - 2*b"), lm.VelocityConstraint("gear", {"a_rate": 1.0, "b_rate": "-2 - 0.1*a"})]
)
def test_a_controller_is_traced_beside_constraints_given_by_formulas(tie: Any) -> None:
    """Their rows look names up, inputs among them, before the law has chosen any."""
    wheel = {"inertia": (0.1, 0.2, 0.1)}
    system = lm.System(
        "gears",
        [lm.Body("one", 1.0, **wheel), lm.Body("other", 1.0, **wheel)],
        [
            lm.Revolute(name="a", parent="world", child="one", axis=(0, 1, 0), drive=lm.Torque("push")),
            lm.Revolute(name="b", parent="world", child="other", axis=(0, 1, 0)),
        ],
        inputs=[lm.Input("push", "N m")],
        constraints=[tie],
    )
    law = lm.Controller(lambda channels: {"push": -channels["a_rate"] - 3.0 * channels["b"]})
    assert lm.trace(system, controller=law).controller_is_traced
