"""Welds and slides assemble to the attitude that they mean, and guesses from which nothing leads on are left behind."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import AssemblyError
from locomotor.lie import quaternion
from locomotor.mechanics.chart import assembled, mirrored

Z = (0.0, 0.0, 1.0)


def pair(loop: Any, nominal: dict[str, float] | None = None) -> lm.System:
    bodies = [lm.Body(name, 1.5, inertia=(0.02, 0.03, 0.025)) for name in "AB"]
    joints = [lm.Free(name=f"f{name.lower()}", parent="world", child=name) for name in "AB"]
    return lm.System("pair", bodies, joints, loops=[loop], grounds=(), nominal=nominal or {})


def turned(q: Any) -> Any:
    """Attitude of B seen from A."""
    first, second = (np.asarray(quaternion.to_matrix(q[at : at + 4]), dtype=float) for at in (3, 10))
    return first.T @ second


WELD = lm.FixedClosure("c", "A", "B", (0.3, 0.1, 0.2), (0.1, -0.4, 0.2))
SLIDE = lm.PrismaticClosure("c", "A", "B", axis_a=Z, axis_b=(0.0, 1.0, 0.0), across_a=(1.0, 0.0, 0.0), across_b=Z)
# Axes z, x, y of A are y, z, x of B: columns of the rotation are x, y, z of B, seen from A.
SLIDE_TURNED = np.column_stack([(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)])


@pytest.mark.parametrize(("loop", "wanted"), [(WELD, np.eye(3)), (SLIDE, SLIDE_TURNED)], ids=["weld", "slide"])
def test_any_guess_leads_to_the_attitude_that_is_meant(loop: Any, wanted: Any, rng: np.random.Generator) -> None:
    system = pair(loop)
    for _ in range(30):
        q = system.nominal_pose().copy()
        for at in (3, 10):
            q[at : at + 4] = (some := rng.normal(size=4)) / np.linalg.norm(some)
        found = assembled(system, q)
        assert np.abs(turned(found) - wanted).max() < 1e-11
        assert not mirrored(system, found)


@pytest.mark.parametrize("angle", [2.0, math.pi])
def test_runs_start_in_the_attitude_of_the_weld(angle: float) -> None:
    system = pair(lm.FixedClosure("c", "A", "B"), {"fb_qw": math.cos(0.5 * angle), "fb_qz": math.sin(0.5 * angle)})
    assert not mirrored(system, assembled(system, system.nominal_pose()))
    traced = lm.trace(system)
    run = lm.simulate(system, 0.01, target="interpreter")
    first = np.array([run[symbol.name][0] for symbol in system.layout.coordinates])
    assert np.abs(turned(first) - np.eye(3)).max() < 1e-12
    assert traced.gaps_of_chart.outputs[0].names[-1] == "c_sense_gap"


def test_axes_that_ask_for_half_a_turn_are_not_taken_as_met() -> None:
    half = lm.FixedClosure("c", "A", "B", axis_a=(1.0, 0.0, 0.0), axis_b=(-1.0, 0.0, 0.0), across_a=Z, across_b=Z)
    system = pair(half)
    assert mirrored(system, system.nominal_pose())
    assert np.abs(turned(assembled(system, system.nominal_pose())) - np.diag([-1.0, -1.0, 1.0])).max() < 1e-12
    fixed = tuple(range(12))
    with pytest.raises(AssemblyError, match=r"c_sense by a turn of 180 degrees"):
        assembled(system, system.nominal_pose(), fixed)


def test_a_start_that_gives_both_attitudes_half_a_turn_apart_is_refused() -> None:
    system = pair(lm.FixedClosure("c", "A", "B"))
    with pytest.raises(AssemblyError, match="c_sense by a turn of 180 degrees"):
        lm.simulate(system, 0.01, start={"yaw": 0.0, "fb_yaw": math.pi}, target="interpreter")


def test_batches_start_in_the_attitude_of_the_weld() -> None:
    system = pair(lm.FixedClosure("c", "A", "B"), {"fb_qw": math.cos(1.0), "fb_qz": math.sin(1.0)})
    compiled = lm.compile(system, target="interpreter")
    states = compiled.random_states(3, {"yaw": (-0.2, 0.2)}, seed=0)
    for state in np.asarray(states):
        assert np.abs(turned(state[:14]) - np.eye(3)).max() < 1e-9


COINCIDENT = {
    "rod": lm.RodClosure("c", "A", "B", length=0.5),
    "ball in a ball": lm.RollingSpheres("c", "A", "B", radius_a=0.3, radius_b=0.1, inside=True),
    "cylinders": lm.RollingCylinders("c", "A", "B", axis_a=Z, radius_a=0.3, radius_b=0.1),
}
APART = {"rod": 0.5, "ball in a ball": 0.2, "cylinders": 0.4}


@pytest.mark.parametrize("kind", COINCIDENT)
def test_points_that_coincide_are_left_for_a_guess_beside(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    system = pair(COINCIDENT[kind])
    assert lm.trace(system).dynamics
    assert lm.mobility(system).freedoms == {"rod": 11, "ball in a ball": 9, "cylinders": 10}[kind]
    for coordinates in ("reduced", "maximal"):
        run = lm.simulate(system, 0.01, coordinates=coordinates, target="interpreter")
        between = [run[f"fb_{axis}"][0] - run[axis][0] for axis in "xyz"]
        first = np.array([run[symbol.name][0] for symbol in system.layout.coordinates])
        axis = np.asarray(quaternion.to_matrix(first[3:7]))[:, 2]
        if kind == "cylinders":
            between = between - axis * (axis @ np.array(between))
        assert np.linalg.norm(between) == pytest.approx(APART[kind], abs=1e-12)
    assert "DLASCL" not in "".join(capfd.readouterr())


def test_points_that_cannot_part_are_told_with_their_unit() -> None:
    system = pair(COINCIDENT["rod"])
    with pytest.raises(AssemblyError, match=r"left open are c by -0\.5 m\."):
        assembled(system, system.nominal_pose(), tuple(range(12)))
