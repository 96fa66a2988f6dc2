"""Rotors of joints in maximal coordinates: a body more, of one velocity, that runs at the rate of its joint."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.maximal import Maximal

Y, SKEW = (0.0, 1.0, 0.0), (0.6, 0.0, 0.8)
PLACE = {"at": (0.1, 0.2, 0.3), "rotation": (0.2, 0.1, 0.0), "axis": SKEW}


def test_a_rotor_takes_its_share_of_a_torque() -> None:
    """Closed form: 1 N m on 0.1 kg m^2 and a rotor of 0.25 kg m^2; that of the rotor is no row that holds something."""
    pin = lm.Revolute(name="p", parent="world", child="wheel", axis=Y, drive=lm.Torque(1.0), rotor=0.25)
    system = lm.System("wheel", [lm.Body("wheel", 1.0, inertia=(0.1, 0.1, 0.1))], [pin])
    run = lm.simulate(system, 0.3, step=0.1, coordinates="maximal")
    assert run["p_rate"][-1] == pytest.approx(0.3 / 0.35, abs=1e-13)
    assert run.settings["rows"] == 5
    assert (lm.mobility(system).freedoms, lm.mobility(system).rows) == (1, 5)


JOINTS = {
    "revolute": lm.Revolute(name="q", parent="one", child="two", rotor=0.5, **PLACE),
    "prismatic": lm.Prismatic(name="q", parent="one", child="two", rotor=2.0, **PLACE),
    "helical": lm.Helical(name="q", parent="one", child="two", pitch=0.1, rotor=0.3, **PLACE),
    "imposed": lm.Prismatic(name="q", parent="one", child="two", rotor=2.0, drive=lm.Motion("0.1*sin(5*t)"), **PLACE),
}


@pytest.mark.parametrize("kind", JOINTS)
def test_rotors_move_as_in_the_tree(kind: str) -> None:
    system = lm.System(
        f"rotor_{kind}",
        [lm.Body("one", 1.0, inertia=(0.2, 0.15, 0.1)), lm.Body("two", 1.0, com=(0.3, 0.1, -0.1), inertia=(0.2, 0.15, 0.1))],
        [lm.Spherical(name="p", parent="world", child="one"), JOINTS[kind]],
        forces=[lm.Gravity(), lm.JointSpring("s", "q", 20.0)],
    )
    start = {"p_wx": 1.0, "p_wy": 0.4} | ({} if kind == "imposed" else {"q_rate": 1.5})
    options = {"start": start, "step": 2e-3, "sample": 0.02, "target": "interpreter"}
    tree = lm.simulate(system, 0.1, **options)
    free = lm.simulate(system, 0.1, coordinates="maximal", **options)
    for name in ("q", "p_wx", "p_wy", "p_wz"):
        assert free[name] == pytest.approx(tree[name], abs=1e-9), name
    assert free.settings["largest_gap"] < 1e-12 and free.settings["largest_slip"] < 1e-12


def test_rotors_along_a_chain_that_is_solved_along_its_graph() -> None:
    """More rows than are solved densely: accelerations of the tree."""
    n = 24
    system = lm.System(
        "geared_chain",
        bodies=[lm.Body(f"b{i}", 1.0, (0, 0, -0.05), (0.001, 0.001, 0.0005)) for i in range(n)],
        joints=[
            lm.Revolute(
                name=f"j{i}",
                parent=f"b{i - 1}" if i else "world",
                child=f"b{i}",
                at=(0, 0, -0.1 if i else 0.0),
                axis=((1.0, 0.0, 0.0), Y)[i % 2],
                rotor=0.01 * (i % 3),
            )
            for i in range(n)
        ],
        forces=[lm.Gravity()],
    )
    motion, q, v = Maximal(system, target="interpreter"), np.linspace(-0.3, 0.3, n), np.linspace(1.0, -1.0, n)
    twists, _ = motion.accelerations(0.0, motion.state(q, v))
    given = {f"j{i}": float(q[i]) for i in range(n)} | {f"j{i}_rate": float(v[i]) for i in range(n)}
    wanted = lm.accelerations(system, given)
    assert twists[0, 3] == pytest.approx(wanted["j0_rate"], abs=1e-9)
    turning = twists[1, 4] - twists[0, 4]  # its axis lies across the spin of the first, whose turning it shares
    assert turning == pytest.approx(wanted["j1_rate"], abs=1e-9)
