"""What rolls out can be asked for in one way, whatever it runs on."""

import inspect

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen import Roller, RolloutKernel, VirtualRollout
from locomotor.codegen.cuda import CudaRolloutKernel
from locomotor.simulation import CompiledSystem, SteppedSystem


@pytest.mark.parametrize("kind", [RolloutKernel, VirtualRollout, CudaRolloutKernel])
def test_every_roll_out_takes_the_same_arguments(kind: type) -> None:
    """Names, order and defaults; what a device cannot do it refuses in words."""
    wanted = [(p.name, p.kind, p.default) for p in inspect.signature(Roller.run).parameters.values()]
    assert [(p.name, p.kind, p.default) for p in inspect.signature(kind.run).parameters.values()] == wanted


def test_a_compiled_system_has_what_the_protocol_names() -> None:
    system = lm.catalogue.bouncing_ball()
    for compiled in (lm.compile(system, target="interpreter", contacts="events"), lm.compile(lm.catalogue.unicycle())):
        roller = compiled.roller
        assert all(hasattr(roller, name) for name in Roller.__annotations__)
        assert roller.operations == compiled.operations > 0


def test_starts_of_a_stepped_system_take_what_those_of_any_system_take() -> None:
    """Whoever holds a compiled system may ask for a start in the same words."""
    plain, stepped = (inspect.signature(kind.start).parameters for kind in (CompiledSystem, SteppedSystem))
    assert all(stepped[name].default == entry.default and stepped[name].kind == entry.kind for name, entry in plain.items())


def test_steps_of_a_bound_roll_out_are_those_of_any() -> None:
    """To the last bit, whatever was rolled before; and a state that blows up tells so, with the last good one."""
    compiled = lm.compile(lm.catalogue.cart_pendulum())
    roller = compiled.roller
    assert isinstance(roller, RolloutKernel)
    u, p = np.zeros(len(compiled.input_names)), compiled.default_parameters
    bound, x = roller.bind(u, p, "rk4"), np.linspace(0.1, 0.4, len(compiled.state_names))
    assert bound is not None
    broken = np.full_like(x, 1e200)
    for state, steps in ((x, 5), (broken, 3), (x + 0.1, 2), (x, 1)):
        ours, theirs = bound(0.5, state, steps, 0.01), roller.run(state, steps, 0.01, inputs=u, parameters=p, start_time=0.5)
        for name in ("states", "final", "status", "completed", "monitor"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name), equal_nan=True), name
    assert roller.bind(u, p, "midpoint") is None, "implicit steps are taken by `run`"
