"""A tape divided among limbs computes what the whole tape does."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen import division
from locomotor.codegen.cuda.limbs import limb_text
from locomotor.codegen.division import Division, divide
from locomotor.codegen.interpret import TapeInterpreter
from locomotor.codegen.passes import share_reciprocals
from locomotor.codegen.program import Program
from locomotor.model import Joint, limbs
from locomotor.simulation import CompiledSystem
from locomotor.tracing import TracedSystem, state_limbs
from locomotor.tracing.readings import ending


def walker(legs: Sequence[int], root: Joint | None = None, ball: bool = False) -> lm.System:
    """A hull on legs of so many links; the hips turn in all directions if wanted, a torque acts on the first knee."""
    bodies = [lm.Body("hull", mass="m", com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))]
    joints: list[Joint] = [root or lm.Free(name="root", parent="world", child="hull")]
    for leg, count in enumerate(legs):
        for k in range(count):
            name, parent = f"l{leg}{k}", "hull" if k == 0 else f"l{leg}{k - 1}"
            bodies.append(lm.Body(name, mass=1.0 + 0.1 * leg, com=(0.0, 0.02, -0.2), inertia=(0.02, 0.03, 0.01)))
            place: dict[str, Any] = {
                "name": f"j{leg}{k}",
                "parent": parent,
                "child": name,
                "at": (0.3 * (-1) ** leg, 0.1, -0.4),
            }
            axis = tuple(np.roll((0.0, 1.0, 0.0), leg + k))
            joints.append(lm.Spherical(**place) if ball and k == 0 else lm.Revolute(axis=axis, **place))
    torque = lm.JointForce("knee", "j01", "kick - 0.3*j01_rate")
    return lm.System(
        "walker", bodies, joints, forces=(lm.Gravity(), torque), inputs=(lm.Input("kick", "N m"),), parameters={"m": 3.0}
    )


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide however few values are alive, and however much belongs to the trunk."""
    monkeypatch.setattr(division, "CROWDED", 0)
    monkeypatch.setattr(division, "EXCESS", 10.0)


def division_of(traced: TracedSystem, dynamics: Any = None) -> Division | None:
    tape = share_reciprocals((dynamics or traced.dynamics).tape)
    return divide(tape, traced.manifold, state_limbs(traced))


def together(found: Division, arguments: Sequence[np.ndarray], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Rate and monitors by roles that meet. What is laid out is no number before the meeting after it."""
    time, state, inputs, parameters = arguments
    rate, monitors = np.full((len(state), size), np.nan), []
    row = np.full((len(state), max(found.shared, 1)), np.nan)
    for meeting in range(found.meetings + 1):
        rows = [row if k < meeting else np.full_like(row, np.nan) for k in range(found.meetings)]
        given = [(time, state[:, list(role.state)], inputs, parameters, *rows) for role in found.roles]
        results = [TapeInterpreter(role.tape)(each, len(state)) for role, each in zip(found.roles, given, strict=True)]
        row = np.concatenate([np.zeros((len(state), 0)), *(result[-1] for result in results)], axis=1)
        row = row if row.shape[1] else np.full((len(state), 1), np.nan)
    for role, result in zip(found.roles, results, strict=True):
        rate[:, list(role.rate)] = result[0]
        monitors.append(result[1])
    return rate, np.stack(monitors)


SYSTEMS = {
    "four legs": walker([3, 3, 3, 3]),
    "unequal legs": walker([3, 3, 2, 1, 1]),
    "balls": walker([2, 2, 2], ball=True),
    "on a plane": walker([3, 3], lm.Planar(name="root", parent="world", child="hull")),
    "fixed": walker([3, 3], lm.Fixed(name="root", parent="world", child="hull")),
}


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", SYSTEMS)
def test_roles_together_are_the_whole(name: str) -> None:
    traced = lm.trace(SYSTEMS[name], free=("m",))
    dynamics = ending(traced, {"low": "j01 - 0.1", "tall": "j01 + j11"})
    found = division_of(traced, dynamics)
    assert found is not None and len(found.roles) == min(4, sum(joint.name[2:] == "0" for joint in SYSTEMS[name].joints))
    rng = np.random.default_rng(3)
    state = rng.uniform(-1.0, 1.0, (200, traced.state_port.size))
    arguments = [np.zeros((200, 1)), state, rng.normal(size=(200, 1)), np.full((200, 1), 2.7)]
    wanted, watched = TapeInterpreter(dynamics.tape)(arguments, 200)
    rate, monitors = together(found, arguments, wanted.shape[1])
    np.testing.assert_allclose(rate, wanted, rtol=1e-12, atol=1e-12)
    for each in monitors:
        np.testing.assert_array_equal(each, watched)


@pytest.mark.usefixtures("always")
def test_a_limb_does_a_limbs_work() -> None:
    """Four equal legs: each role has about a quarter of the lines, meets the others once, and hands over one body's inertia."""
    traced = lm.trace(SYSTEMS["four legs"])
    found = division_of(traced)
    assert found is not None and found.meetings == 1
    assert found.shared <= 4 * (21 + 6)  # articulated inertia and bias of each leg, at the hull
    assert max(role.tape.operations for role in found.roles) < 0.34 * traced.dynamics.tape.operations


def test_what_is_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(division, "CROWDED", 0)
    assert division_of(lm.trace(walker([6]))) is None  # a chain has no limbs side by side
    assert division_of(lm.trace(lm.catalogue.bicycle("meijaard2007"))) is None  # contacts make one of all
    monkeypatch.undo()
    assert division_of(lm.trace(walker([2, 1]))) is None  # few values: one thread holds them


def test_trunk_and_limbs_of_trees() -> None:
    assert limbs([-1, 0, 1, 2], [2, 2, 2, 2]) == (-1, -1, -1, -1)
    assert limbs([-1, 0, 1, 0, 3], [7, 2, 2, 2, 2]) == (-1, 0, 0, 1, 1)
    # Chest with two arms, waist, hip with two legs: chest, waist and hip are the trunk.
    humanoid = limbs([-1, 0, 1, 0, 3, 0, 5, 6, 7, 8, 6, 10, 11], [7, *[2] * 12])
    assert [i for i, limb in enumerate(humanoid) if limb < 0] == [0, 5, 6]
    assert humanoid[7] == humanoid[8] == humanoid[9] != humanoid[10] == humanoid[11] == humanoid[12]
    # Six legs in four parts, each as heavy as two of them at most; bodies that nothing joins have no trunk.
    spider = limbs([-1, *[0] * 6], [7, *[2] * 6])
    assert sorted(spider.count(limb) for limb in range(4)) == [1, 1, 2, 2]
    assert limbs([-1, -1], [7, 7]) == (0, 1)


def test_only_plain_roll_outs_are_divided() -> None:
    traced = lm.trace(walker([5, 5, 5, 5]))
    plain = Program(traced.dynamics, traced.manifold, limbs=state_limbs(traced))
    assert limb_text(plain, "float32") is not None
    assert limb_text(Program(traced.dynamics, traced.manifold), "float32") is None
    assert limb_text(plain.implicit(), "float32") is None
    host = CompiledSystem(traced, "c")
    assert host.roller.program.limbs == ()
