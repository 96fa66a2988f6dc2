"""Imposed motions, and contacts that say too much or meet at a singular pose."""

from dataclasses import replace

import numpy as np
import pytest

from locomotor.errors import ModelError
from locomotor.lie import quaternion
from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.mechanics.chart.poses import perturbed
from locomotor.mechanics.drift_correction import gap_correction
from locomotor.mechanics.loads.forces import applied_forces
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.mechanics.tree.newton_euler import inverse_dynamics
from locomotor.model import Body, Free, Gravity, Plane, Revolute, SlidingPoint, StickingPoint, System, Torque
from locomotor.tracing.system import trace
from oracles.constrained import close, counts, kept_rows
from oracles.mechanics import constraint_matrix
from oracles.saddle_point import saddle_point
from oracles.sampling import rows_at, touching
from oracles.vehicles import SYSTEMS, expected, pinned_chain

# As in test_constraints: the kernel is exact, two ways of solving differ by round-off times a condition number.
KERNEL_TOLERANCE = 1e-13
DYNAMICS_TOLERANCE = 1e-11

LAW, TIME = "0.1 + 0.2*sin(3*t)", 0.4
IMPOSED = [
    ("sleigh", ("rail",)),
    ("platform", ("left",)),
    ("platform", ("left", "right")),
    ("planar platform", ("pitch",)),
    ("tricycle", ("steer",)),
    ("tricycle", ("steer", "left")),
    ("train", ("left",)),
    ("bicycle meijaard2007", ("steer",)),
    ("bicycle mauny2018", ("steer", "rear_wheel")),
    ("SE2 bicycle ifac2017", ("steer",)),
    ("SE2 bicycle meijaard2007", ("front_wheel", "roll")),
]


@pytest.mark.parametrize(("name", "joints"), IMPOSED, ids=[f"{n}-{'+'.join(j)}" for n, j in IMPOSED])
def test_imposed_motion_is_the_torque_it_needs(name: str, joints: tuple[str, ...]) -> None:
    """With the computed torques applied instead, the same state has the same accelerations."""
    free = SYSTEMS[name]()
    layout, rng = free.layout, np.random.default_rng(3)
    laws = {joint: f"{i + 1}*({LAW})" for i, joint in enumerate(joints)}
    imposed = free.with_motions(laws)
    places = [layout.v[joint].start for joint in joints]
    q = perturbed(free, free.nominal_pose(), 0.2, rng)
    factor = np.arange(1, len(joints) + 1)
    q[[layout.q[joint].start for joint in joints]] = factor * (0.1 + 0.2 * np.sin(3 * TIME))
    q = touching(free, q, tuple(places))
    reduction = choose_reduction(imposed, q)
    assert len(reduction.free) == expected(name)[0] - len(joints)
    m = ReducedMotion(reduction, q, rng.normal(size=len(reduction.free)), TIME)
    assert close(m.v[places], factor * 0.6 * np.cos(3 * TIME), 1e-14)
    assert close(m.v_dot[places], factor * -1.8 * np.sin(3 * TIME), 1e-13)
    assert not gap_correction(m)[places].any()
    C = constraint_matrix(rows_at(free, q), layout.nv)
    assert close(C @ m.v, np.zeros(len(C)), KERNEL_TOLERANCE)
    torques = dict(zip((j.name for j in imposed.imposed), m.imposed_torques, strict=True))
    driven = free.replace(
        joints=(replace(j, drive=Torque(float(torques[j.name]))) if j.name in torques else j for j in free.joints)
    )
    kept = kept_rows(reduction, q)
    v_dot, multipliers = saddle_point(Instant(driven, q, m.v), kept)
    assert close(m.v_dot, v_dot, DYNAMICS_TOLERANCE)
    assert close(C.T @ m.multipliers, C[kept].T @ multipliers, DYNAMICS_TOLERANCE)


IN_FLIGHT = [("sleigh", ("rail",)), ("tricycle", ("steer", "left")), ("train", ("hitch_1", "hitch_3", "w2_l"))]


@pytest.mark.parametrize(("name", "joints"), IN_FLIGHT, ids=[n for n, _ in IN_FLIGHT])
def test_imposed_motion_of_a_tree_without_contacts(name: str, joints: tuple[str, ...]) -> None:
    """The articulated bodies take accelerations at these joints and give torques: M v_dot + h - tau acts there only."""
    tree = SYSTEMS[name]().replace(contacts=()).with_motions(dict.fromkeys(joints, f"{LAW} + 0.1*t**2"))
    reduction, rng = choose_reduction(tree), np.random.default_rng(8)
    q = perturbed(tree, tree.nominal_pose(), 1.0, rng)
    m = ReducedMotion(reduction, q, rng.normal(size=len(reduction.free)), TIME)
    places = list(reduction.imposed)
    assert [tree.layout.velocities[i].name for i in places] == [f"{j.name}_rate" for j in tree.imposed]
    assert close(m.v_dot[places], np.full(len(joints), 0.2 - 1.8 * np.sin(3 * TIME)), 1e-13)
    torques = np.zeros(tree.layout.nv)
    torques[places] = m.imposed_torques
    k = forward(Instant(tree, q, m.v))
    applied = applied_forces(k)
    h = inverse_dynamics(k, None, applied.gravity, applied.wrenches)
    assert close(mass_matrix(k) @ m.v_dot + h - applied.forces(), torques, DYNAMICS_TOLERANCE)


@pytest.mark.parametrize(("rear_law", "slip"), [("t", 0.0), ("2*t", 0.3)])
def test_imposed_motions_that_the_contacts_forbid_are_noticed(rear_law: str, slip: float) -> None:
    """Two wheels of a rigid cart cannot follow two different laws: one of radius 0.3 m slips by the difference."""
    cart = SYSTEMS["cart"]().with_motions({"front_left": "t", "rear_left": rear_law})
    reduction = choose_reduction(cart)
    m = ReducedMotion(reduction, cart.nominal_pose(), np.zeros(0))
    assert (len(reduction.free), len(reduction.pivots.redundant_rows)) == (0, 4)
    slips = [m.constraints.slip[i] for i in reduction.pivots.redundant_rows]
    assert np.abs(slips).max() == pytest.approx(slip, abs=1e-14)
    # Contacts and drives share the load in a way that nothing decides, but together they carry all of it.
    torques = np.zeros(cart.layout.nv)
    torques[list(reduction.imposed)] = m.imposed_torques
    C = constraint_matrix(rows_at(cart, m.q), cart.layout.nv)
    assert close(C.T @ m.multipliers + torques, m.unbalanced, DYNAMICS_TOLERANCE)


def test_a_singular_nominal_pose_is_refused_by_name() -> None:
    """A point that slides on the plane through the axis it turns about: at the nominal pose its row vanishes."""
    rod = Body("rod", 1.0, inertia=(0.1, 0.2, 0.3))
    hinge = Revolute(name="hinge", parent="world", child="rod", axis=(0.0, 1.0, 0.0))
    stand = System("stand", [rod], [hinge], [SlidingPoint("tip", body="rod", at=(0.0, 0.0, 1.0))])
    with pytest.raises(ModelError, match=r"tip normal.*hinge_rate.*singular"):
        choose_reduction(stand.replace(grounds=(Plane(point=(0.0, 0.0, 1.0)),)))


def test_pivots_are_chosen_at_the_pose_given_even_if_its_gaps_are_open() -> None:
    """A bicycle pitched nose up by 10 degrees rolls on, its front wheel in the air (Mauny 2018, section 2.7.1)."""
    bike = SYSTEMS["bicycle mauny2018"]()
    q = bike.nominal_pose()
    q[3:7] = quaternion.exp(np.array([0.0, -np.radians(10.0), 0.0]))
    reduction = choose_reduction(bike, q)
    values = ReducedMotion(reduction, q, np.zeros(3)).elimination.pivot_values
    assert np.abs(values) == pytest.approx(reduction.pivots.sizes, rel=1e-12)


def test_contacts_may_leave_no_freedom_at_all() -> None:
    """A stool on three feet that stick: nothing moves, and the feet carry its weight."""
    seat = Body("seat", 3.0, inertia=(0.1, 0.2, 0.3))
    feet = [StickingPoint(f"foot_{i}", body="seat", at=(*at, -1.0)) for i, at in enumerate([(1, 0), (-1, 1), (-1, -1)])]
    base = Free(name="base", parent="world", child="seat")
    stool = System("stool", [seat], [base], feet, [Gravity()], nominal={"z": 1})
    reduction = choose_reduction(stool)
    assert (len(reduction.free), len(reduction.pivots.redundant_rows)) == (0, 3)
    m = ReducedMotion(reduction, stool.nominal_pose(), np.zeros(0))
    assert not m.v.any() and not m.v_dot.any()
    assert m.multipliers[2::3] == pytest.approx(3.0 * 9.81 * np.array([0.5, 0.25, 0.25]), rel=1e-12)
    assert trace(stool).dynamics(np.zeros(1), stool.nominal_pose(), np.zeros(0), np.zeros(0))[0] == pytest.approx(0.0)


def test_multipliers_of_an_overdetermined_chain_are_the_smallest() -> None:
    """Internal forces run along the whole chain, across the pieces its constraints are written in."""
    chain = pinned_chain()
    reduction = choose_reduction(chain)
    m = ReducedMotion(reduction, 0.2 * np.arange(chain.layout.nq), np.zeros(0))
    C = constraint_matrix(rows_at(chain, m.q), chain.layout.nv)
    assert counts(reduction) == (0, len(C) - chain.layout.nv)
    # The elimination along the chain amplifies round-off: worst seen 6e-13.
    assert close(m.multipliers, np.linalg.pinv(C.T, rcond=1e-9) @ m.unbalanced, 1e-10)
