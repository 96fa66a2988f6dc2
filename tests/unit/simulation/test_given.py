"""What is no array is refused by every door of a compiled system, in the same words."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, ArgumentTypeError


class Gets:
    """Has `get`, as arrays of a device have, and is none."""

    def get(self) -> Any:
        return np.ones(1)


class Pretends:
    """Says that it is on a CUDA device."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


class Fails:
    """Pretends to be an array, in vain."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __dlpack_device__(self) -> None:
        return None


NO_ARRAYS = [
    {"k": 1.0},
    {},
    "1.0",
    b"1",
    Gets(),
    Pretends(),
    Fails(),
    {1.0},
    1j,
    [[1.0], [1.0, 2.0]],
    np.array([None]),
    dict.get,
]


def compiled(contacts: str | None) -> lm.CompiledSystem:
    """A body on a spring, above a floor."""
    spring, pull = lm.JointSpring("spring", "up", "k"), lm.JointForce("force", "up", "pull")
    foot = [lm.SlidingPoint("tip", "body", at=(0, 0, 0), law=lm.Unilateral())] if contacts else []
    system = lm.System(
        "hopper",
        [lm.Body("body", 1.0, inertia=(0.1, 0.1, 0.1))],
        [lm.Prismatic(name="up", parent="world", child="body", axis=(0, 0, 1))],
        contacts=foot,
        forces=[lm.Gravity(), spring, pull],
        inputs=[lm.Input("pull")],
        parameters=[lm.Parameter("k", 1.0)],
    )
    # Interpreted where it can be: what is refused does not depend on the target.
    return lm.compile(system, contacts=contacts, free="k", target="interpreter")


@pytest.mark.parametrize("contacts", [None, "time-stepping", "events"])
def test_what_is_no_array_is_named(contacts: str | None) -> None:
    """A hundred steps are enough for the limit of stability to be looked at, which asks for numbers first."""
    system = compiled(contacts)
    good: dict[str, Any] = {"states": np.tile(system.start({"up": 1.0}), (3, 1)), "steps": 100, "dt": 1e-3}
    doors = {"rollout": system.rollout, "jacobians": system.jacobians, "check_limit": system.check_limit}
    for door, call in doors.items():
        for part in ("states", "inputs", "parameters"):
            for value in NO_ARRAYS:
                with pytest.raises(ArgumentTypeError, match=f"^{door}: {part} is "):
                    call(**good | {part: value})
        for value in (np.float64(1.0), np.zeros((3, 7)), np.zeros((0, 1)), np.zeros((1, 1, 1, 1))):
            with pytest.raises(ArgumentError):
                call(**good | {"parameters": value})
                system.rollout(**good | {"parameters": value})  # `check_limit` leaves shapes to it
    with pytest.raises(ArgumentTypeError, match="rollout: states is None"):
        system.rollout(**good | {"states": None})


def test_the_limit_asks_for_numbers() -> None:
    system = compiled(None)
    for name in ("steps", "dt", "start_time"):
        with pytest.raises(ArgumentTypeError, match=f"check_limit: {name} is"):
            system.check_limit(**{"states": [1.0, 0.0], "steps": 100, "dt": 1e-3, name: "1"})
    with pytest.raises(ArgumentTypeError, match="rollout: start_time is"):
        system.rollout([1.0, 0.0], 100, 1e-3, stepper="auto", start_time={})
