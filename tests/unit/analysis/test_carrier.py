"""The body whose displacement is that of the whole system: where the speed of a cycle is read."""

import pytest

import locomotor as lm
from locomotor.analysis.cycles.carrier import root_body
from locomotor.model import Joint


def chain(*joints: Joint, frames: tuple[str, ...] = ()) -> lm.System:
    """Bodies a, b, c, ..., each on the one before it."""
    names = "abcdef"[: len(joints)]
    bodies = [lm.Frame(name) if name in frames else lm.Body(name, mass=1.0, inertia=(1, 1, 1)) for name in names]
    return lm.System("chain", bodies, joints)


def slider(number: int, law: str = "0") -> Joint:
    """The joint of the body with this number, along x, y or z."""
    parent, child = ("world", *"abcdef")[number], "abcdef"[number]
    axis = tuple(float(k == number % 3) for k in range(3))
    return lm.Prismatic(name=f"s{number}", parent=parent, child=child, axis=axis, drive=lm.Torque(law))


@pytest.mark.parametrize(
    ("joints", "frames", "carries"),
    [
        ((slider(0), slider(1)), (), "b"),
        ((slider(0), slider(1)), ("a",), "b"),
        ((lm.Fixed(name="mount", parent="world", child="a"), slider(1), slider(2)), (), "c"),
        ((slider(0), slider(1, "-2*s1")), (), "a"),
        ((lm.Revolute(name="turn", parent="world", child="a", axis=(0, 0, 1)), slider(1)), (), "a"),
        ((lm.Revolute(name="turn", parent="world", child="a", axis=(0, 0, 1)), slider(1), slider(2)), ("a",), "b"),
        ((lm.Free(name="base", parent="world", child="a"), slider(1)), (), "a"),
    ],
    ids=["sliders", "massless", "mounted", "driven", "turned", "past a frame", "free"],
)
def test_the_chain_that_bears_the_system_is_followed_to_its_end(
    joints: tuple[Joint, ...], frames: tuple[str, ...], carries: str
) -> None:
    assert root_body(chain(*joints, frames=frames)) == carries
