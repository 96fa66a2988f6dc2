"""Sizes of roll-outs: each is checked before machine code sees it, and memory that cannot be had is told in words."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, InvalidNameError, LocomotorError, TooLargeError


@pytest.fixture(scope="module")
def pendulum() -> Any:
    rod = lm.Body("rod", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.01))
    joint = lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0))
    return lm.compile(lm.System("pendulum", [rod], [joint], forces=[lm.Gravity()]))


def test_numbers_of_numpy_do_not_wrap_round(pendulum: Any) -> None:
    """255 + 1 rows: as an unsigned byte that is none."""
    batch = pendulum.rollout(pendulum.start({"swing": 0.1}), np.uint8(255), 0.005)
    assert len(batch.times) == 256 and batch.states.shape == (256, 2)
    assert np.array_equal(batch.states, pendulum.rollout(pendulum.start({"swing": 0.1}), 255, 0.005).states)


@pytest.mark.parametrize(
    "changes",
    [
        {"save_every": 2**64},
        {"save_every": 2**64 + 1},
        {"save_every": 2**63},
        {"steps": 2**64},
        {"steps": 2**60},
        {"threads": 2**64},
        {"threads": 10**6},
        {"save_every": -1},
    ],
)
def test_sizes_that_c_cannot_hold_are_refused(pendulum: Any, changes: dict[str, Any]) -> None:
    """In 64 bits 2**64 is zero, by which a processor does not divide."""
    with pytest.raises(ArgumentError, match=next(iter(changes))):
        pendulum.rollout(pendulum.start(), **{"steps": 5, "dt": 0.005, **changes})


def test_memory_that_cannot_be_had(pendulum: Any) -> None:
    with pytest.raises(TooLargeError, match="GiB"):
        pendulum.rollout(pendulum.start(), 10**14, 0.01)
    with pytest.raises(TooLargeError, match="numbers"):
        pendulum.rollout(np.zeros((10_000, 2)), 2**52, 0.01)
    with pytest.raises(TooLargeError):
        pendulum.random_states(2**60, {"swing": (0.0, 1.0)})


@pytest.mark.parametrize("name", ["a\nb", "", 3, None, "a\u2028b", "*\\\n/ int evil; /\\\n*"])
def test_names_of_ends_and_measures_are_one_line(pendulum: Any, name: Any) -> None:
    for what in ({"ends": {name: "1 - abs(swing)"}}, {"measures": {name: lm.Maximum("swing")}}):
        with pytest.raises(LocomotorError, match="name"):
            pendulum.rollout(pendulum.start(), 5, 0.005, **what)


def test_a_parameter_may_be_named_by_the_micro_sign() -> None:
    """Python's grammar writes it as a Greek letter (NFKC); so do names, wherever they are given."""
    body = lm.Body("b", mass="\u00b5", inertia=(1, 1, 1))
    free = lm.Free(name="f", parent="world", child="b")
    system = lm.System("x", [body], [free], parameters={"\u00b5": 2.0})
    assert system.parameters["\u00b5"].value == system.parameters["\u03bc"].value == 2.0
    assert system.with_parameters(**{"\u00b5": 3.0}).parameters.values == {"\u03bc": 3.0}
    with pytest.raises(InvalidNameError):
        lm.Body("\u00b2", mass=1.0, inertia=(1, 1, 1))  # superscript two is a digit


def test_a_long_chain_can_be_summed_up() -> None:
    """Longer than Python's stack is deep."""
    n = 1200
    frames = [lm.Frame(f"b{i}") for i in range(n)]
    joints = [lm.Fixed(name=f"j{i}", parent=f"b{i - 1}" if i else "world", child=f"b{i}") for i in range(n)]
    lines = lm.System("chain", frames, joints).summary().splitlines()
    assert lines[-1].strip() == f"└─ b{n - 1}  [j{n - 1}: Fixed]" and lines[-1].startswith("  " + "   " * (n - 1))
