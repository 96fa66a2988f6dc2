"""Loops beside everything else: roots, kinds of closures, rolling, imposed motions, slopes, batches, derivatives."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ROOTS: dict[str, Any] = {
    "fixed": lambda: lm.Fixed(name="root", parent="world", child="base", at=(0, 0, 0.2)),
    "slider": lambda: lm.Prismatic(name="root", parent="world", child="base", at=(0, 0, 0.2), axis=(1.0, 0.0, 0.0)),
    "planar": lambda: lm.Planar(name="root", parent="world", child="base", at=(0, 0, 0.2)),
    "free": lambda: lm.Free(name="root", parent="world", child="base"),
}
LOOPS: dict[str, Any] = {
    "spherical": lambda: [lm.SphericalClosure("pin", "coupler", "rocker", (0.3, 0, 0), (0.25, 0, 0))],
    "revolute": lambda: [lm.RevoluteClosure("pin", "coupler", "rocker", (0.3, 0, 0), (0.25, 0, 0), axis_a=Y)],
    "rod": lambda: [lm.RodClosure("pin", "coupler", "rocker", (0.3, 0, 0), (0.25, 0, 0), length=0.1)],
    "moving rod": lambda: [lm.RodClosure("pin", "coupler", "rocker", (0.3, 0, 0), (0.25, 0, 0), length="0.1 + 0.01*sin(3*t)")],
    "gear": lambda: [lm.Gear("pin", "crank", "rocker", carrier="base", axis_a=Y, ratio=-0.5)],
}


def system(root: str, loop: str, extra: str) -> lm.System:
    """A linkage on a base: crank, coupler and rocker, closed in some way."""

    def bar(name: str, length: float) -> lm.Body:
        return lm.Body(name, length, (length / 2, 0, 0), (1e-5, length**3 / 12, length**3 / 12))

    drive: Any = lm.Motion("0.6 + 0.3*sin(2*t)") if extra == "imposed" else lm.Torque("0.05*sin(5*t)")
    contacts = [lm.RollingSphere("tyre", body="base", centre=(0, 0, 0), radius=0.2)] if extra == "rolling" else []
    return lm.System(
        f"{root}_{loop}_{extra}".replace(" ", "_"),
        bodies=[
            lm.Body("base", 3.0, (0, 0, 0.01), (0.05, 0.06, 0.07)),
            bar("crank", 0.1),
            bar("coupler", 0.3),
            bar("rocker", 0.25),
        ],
        joints=[
            ROOTS[root](),
            lm.Revolute(name="a", parent="base", child="crank", at=(0, 0.1, 0), axis=Y, drive=drive),
            lm.Revolute(name="b", parent="crank", child="coupler", at=(0.1, 0, 0), axis=Y),
            lm.Revolute(name="d", parent="base", child="rocker", at=(0.35, 0.1, 0), axis=Y),
        ],
        loops=LOOPS[loop](),
        contacts=contacts,
        forces=[lm.Gravity((1.0, 0.0, -9.7)), lm.JointDamper("rub", "b", 0.01)],
        grounds=[lm.Plane()],
        nominal={"a": 0.6, "b": 0.6, "d": 1.9} | ({"z": 0.2} if root == "free" else {}),
    )


CASES = [
    ("fixed", "spherical", "none"),
    ("fixed", "moving rod", "none"),
    ("slider", "revolute", "rolling"),
    ("planar", "rod", "rolling"),
    ("free", "spherical", "rolling"),
    ("free", "revolute", "imposed"),
    ("slider", "moving rod", "imposed"),
    ("planar", "gear", "none"),
    ("free", "gear", "rolling"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("root", "loop", "extra"), CASES)
def test_loops_go_with_everything(root: str, loop: str, extra: str) -> None:
    made = system(root, loop, extra)
    if loop != "gear":  # which has no second derivation
        assert lm.certify(made, states=2).residual < 2e-11
    run = lm.simulate(made, 0.05, step=1e-3, target="interpreter")
    audit = run.audit()
    assert run.status.ok and audit["energy_balance"] < 1e-7
    assert (
        max((np.abs(run[name]).max() for name in run.about if name.startswith("pin") and name.endswith("_gap")), default=0.0)
        < 1e-11
    )
    compiled = lm.compile(made, target="interpreter")
    batch = compiled.rollout(np.array([compiled.start({})] * 2), steps=50, dt=1e-3)
    last = [run[name][-1] for name in compiled.state_names]
    assert batch.final[0] == pytest.approx(last, abs=1e-12) and batch.final[1] == pytest.approx(last, abs=1e-12)


@pytest.mark.slow
def test_derivatives_of_a_step_see_the_projection() -> None:
    """d(end)/d(start) of a roll-out against differences of it, along the loop: start angles on one branch."""
    compiled = lm.compile(system("fixed", "spherical", "none"), target="interpreter")
    names = list(compiled.state_names)
    rate = names.index(next(name for name in names if name.endswith("_rate")))
    here = compiled.start({})
    found = compiled.jacobians(here[None], 20, 1e-3)
    h = 1e-5
    ends = []
    for sign in (1.0, -1.0):
        moved = here.copy()
        moved[rate] += sign * h
        ends.append(compiled.rollout(moved[None], steps=20, dt=1e-3).final[0])
    slope = (ends[0] - ends[1]) / (2 * h)
    assert found.matrix[0][:, rate] == pytest.approx(slope, abs=1e-7)


@pytest.mark.slow
def test_a_loop_in_time_steps_stays_closed() -> None:
    """Bodies that land, by time-stepping: loops are closed after each step, as in events."""
    made = system("free", "spherical", "none").replace(
        contacts=[lm.RollingSphere("tyre", body="base", centre=(0, 0, 0), radius=0.2, law=lm.Unilateral(friction=0.5))]
    )
    compiled = lm.compile(made, contacts="time-stepping", target="interpreter")
    state = compiled.start({"z": 0.21})
    end = compiled.rollout(state[None], steps=100, dt=1e-3).final[0]
    values = dict(zip(compiled.state_names, end, strict=True))
    a, b, d = (values[name] for name in "abd")
    x = 0.1 * math.cos(a) + 0.3 * math.cos(a + b) - 0.35 - 0.25 * math.cos(d)
    z = 0.1 * math.sin(a) + 0.3 * math.sin(a + b) - 0.25 * math.sin(d)
    assert math.hypot(x, z) < 1e-10
