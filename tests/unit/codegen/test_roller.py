"""What rolls out can be asked for in one way, whatever it runs on."""

import inspect

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
