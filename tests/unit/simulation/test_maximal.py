"""Maximal coordinates: all bodies free, all joints conditions; against the tree, closed forms and counts."""

import time
from functools import cache

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import StepperError
from locomotor.lie import quaternion
from locomotor.mechanics.maximal import corrected_increment
from locomotor.simulation.maximal import Maximal

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@cache
def swinging() -> Maximal:
    return Maximal(lm.catalogue.double_pendulum(), target="interpreter")


Q, V = np.array([0.6, -0.8]), np.array([1.2, 2.5])
AT_TWO = (0.2794730402, 1.3264149177)
"""Angles after two seconds, by an independent program (DOP853 on the equations of the two angles)."""


def test_accelerations_and_reaction_of_the_double_pendulum() -> None:
    """Numbers of an independent program: second derivatives of the angles, and the force of the ground on the first body."""
    state = swinging().state(Q, V)
    twists, multipliers = swinging().accelerations(0.0, state)
    assert twists[0, 3] == pytest.approx(-6.7662246251, abs=1e-9)
    assert multipliers[:3] == pytest.approx([-8.2679727387, -11.634448047, 23.3473482643], abs=1e-9)


def errors(h: float, project: bool = True) -> tuple[float, float]:
    """Of the angles after two seconds by the step of second order, and the largest gap on the way."""
    motion, before, worst = swinging(), None, 0.0
    state = motion.state(Q, V)
    motion.efforts.begin(Q)
    for k in range(round(2.0 / h)):
        state, before = motion.trapezoid(k * h, state, h, before, project)
        worst = max(worst, float(motion.residuals(state)[0].max())) if not project else worst
    return float(np.abs(motion.efforts.tree(state)[0] - AT_TWO).max()), worst or float(motion.residuals(state)[0].max())


@pytest.mark.slow
def test_trapezoids_are_of_second_order_and_projections_hold() -> None:
    (coarse, gap), (fine, _) = errors(8e-3), errors(4e-3)
    assert coarse / fine == pytest.approx(4.0, rel=0.15)
    assert gap < 1e-11


@pytest.mark.slow
def test_without_projection_gaps_grow_with_the_square_of_the_step() -> None:
    """A wrong bias would make them grow at once, and projections would hide it."""
    coarse, fine = errors(8e-3, project=False)[1], errors(4e-3, project=False)[1]
    assert coarse / fine == pytest.approx(4.0, rel=0.3) and fine < 5e-3


def test_projections_are_the_smallest_as_the_mass_measures() -> None:
    """The change of the twists is in the range of M^-1 J^T, and what is left along J vanishes."""
    motion = swinging()
    state = motion.state(Q, V)
    pushed = state.copy()
    pushed[:, 7:] += 0.1
    found = motion.projected(pushed)
    J = motion.graph.matrix(motion._rows(0.0, pushed).data).toarray()
    change = np.einsum("nij,nj->ni", motion.M, found[:, 7:] - pushed[:, 7:]).ravel()
    assert J @ found[:, 7:].ravel() == pytest.approx(np.zeros(10), abs=1e-13)
    assert change == pytest.approx(J.T @ np.linalg.lstsq(J.T, change, rcond=None)[0], abs=1e-12)
    assert np.abs(np.linalg.norm(found[:, 3:7], axis=1) - 1.0).max() < 1e-14


# -- attitude by increments -------------------------------------------------------------------------------------------


def coning(steps: int, exact: bool, corrected: bool) -> float:
    """Attitude error (rad) after ten seconds of a coning motion: half-angle 0.15, 5 rad/s."""
    h = 10.0 / steps

    def rate(t: float) -> np.ndarray:
        return np.array([-5 * np.sin(0.3) * np.sin(5 * t), 5 * np.sin(0.3) * np.cos(5 * t), -5 * (1 - np.cos(0.3))])

    def integral(t: float) -> np.ndarray:
        return np.array([np.sin(0.3) * np.cos(5 * t), np.sin(0.3) * np.sin(5 * t), -5 * (1 - np.cos(0.3)) * t])

    q = np.array([np.cos(0.15), np.sin(0.15), 0.0, 0.0])
    before = integral(0.0) - integral(-h) if exact else 0.5 * h * (rate(-h) + rate(0.0))
    for k in range(steps):
        t = k * h
        now = integral(t + h) - integral(t) if exact else 0.5 * h * (rate(t) + rate(t + h))
        q = np.asarray(quaternion.multiply(q, quaternion.exp(corrected_increment(before, now) if corrected else now)))
        before = now
    true = np.array([np.cos(0.15), np.sin(0.15) * np.cos(50.0), np.sin(0.15) * np.sin(50.0), 0.0])
    return 2.0 * float(np.linalg.norm(np.asarray(quaternion.multiply(quaternion.conjugate(true), q))[1:]))


@pytest.mark.parametrize(
    ("exact", "corrected", "wanted"),
    [(False, False, 1.82e-3), (False, True, 9.10e-4), (True, False, 9.10e-4), (True, True, 4.53e-7)],
)
def test_coning(exact: bool, corrected: bool, wanted: float) -> None:
    """Errors of an independent program; with exact increments the correction raises the order from two to four."""
    found = coning(1000, exact, corrected)
    assert found == pytest.approx(wanted, rel=0.01)
    order = np.log2(found / coning(2000, exact, corrected))
    assert order == pytest.approx(4.0 if exact and corrected else 2.0, abs=0.05)


# -- counts -----------------------------------------------------------------------------------------------------------


def test_a_linkage_with_four_hinges_has_three_conditions_too_many() -> None:
    found = lm.mobility(lm.catalogue.four_bar())
    assert (found.rows, found.rank, found.freedoms, found.count) == (20, 17, 1, -2)
    assert len(found.redundant) == 3 and all(name.startswith("pin_") for name in found.redundant)
    assert "20 conditions on 3 bodies, of rank 17" in str(found)


def test_joints_chosen_with_care_leave_none_too_many() -> None:
    """Hinge, hinge, spherical and cylindrical joint: 17 conditions of rank 17."""
    bars = lm.catalogue.four_bar()
    crank, rocker = bars.joint("crank"), bars.joint("rocker")
    system = bars.replace(
        joints=(crank, lm.Spherical(name="ball", parent="crank_bar", child="coupler_bar", at=("crank_length", 0, 0)), rocker),
        loops=(
            lm.CylindricalClosure(
                "sleeve", "coupler_bar", "rocker_bar", ("coupler_length", 0, 0), ("rocker_length", 0, 0), axis_a=Y
            ),
        ),
        independent=None,
        nominal={"crank": -0.5, "ball_qw": "cos(0.13)", "ball_qy": "-sin(0.13)", "rocker": -1.66},
    )
    found = lm.mobility(system)
    assert (found.rows, found.rank, found.freedoms, found.redundant) == (17, 17, 1, ())


def test_freedoms_are_a_matter_of_geometry() -> None:
    """Frames without mass, points without inertia, dry friction and contacts that open: three ways to go in a plane."""
    system = lm.System(
        "point",
        [lm.Frame("across"), lm.Frame("up"), lm.Body("point", 1e-6, inertia=(0, 0, 0))],
        [
            lm.Prismatic(name="x", parent="world", child="across", axis=X),
            lm.Prismatic(name="z", parent="across", child="up", axis=Z),
            lm.Revolute(name="turn", parent="up", child="point", axis=Y, rotor=1.0),
        ],
        contacts=[lm.StickingPoint("tip", "point", (0.1, 0, 0), law=lm.Unilateral(friction=0.3))],
        forces=[lm.JointFriction("rail", "x", 0.1)],
    )
    assert lm.mobility(system).freedoms == 3
    assert lm.mobility(system.replace(contacts=[lm.StickingPoint("tip", "point", (0.1, 0, 0))])).freedoms == 1


# -- whole runs -------------------------------------------------------------------------------------------------------


def joined(kind: str) -> lm.System:
    """A body on the world by a joint of each kind, another hinged to it, a spring between them and a drive."""
    joints = {
        "prismatic": lm.Prismatic(name="j", parent="world", child="one", axis=Z, rotation=(0.3, 0.1, 0.0)),
        "helical": lm.Helical(name="j", parent="world", child="one", axis=Z, pitch=0.1),
        "cylindrical": lm.Cylindrical(name="j", parent="world", child="one", axis=(0.6, 0.0, 0.8), rotation=(0.3, 0.1, 0.0)),
        "universal": lm.Universal(name="j", parent="world", child="one", axes=(X, Y), at=(0.1, 0.0, 0.0)),
        "skew universal": lm.Universal(name="j", parent="world", child="one", axes=(X, (0.6, 0.8, 0.0))),
        "spherical": lm.Spherical(name="j", parent="world", child="one"),
        "planar": lm.Planar(name="j", parent="world", child="one", rotation=(1.2, 0.0, 0.0)),
        "translation": lm.Translation(name="j", parent="world", child="one"),
        "fixed": lm.Fixed(name="j", parent="world", child="one", rotation=(0.2, 0.0, 0.1)),
        "free": lm.Free(name="j", parent="world", child="one"),
    }
    return lm.System(
        f"joined_{kind.replace(' ', '_')}",
        bodies=[
            lm.Body("one", 2.0, (0, 0.1, -0.5), (0.17, 0.16, 0.05)),
            lm.Body("two", 1.5, (0.1, 0, -0.4), (0.09, 0.08, 0.03)),
        ],
        joints=[
            joints[kind],
            lm.Revolute(
                name="k", parent="one", child="two", at=(0, 0, -1), axis=Y, rotation=(0.2, 0, 0), drive=lm.Torque("0.3*t")
            ),
        ],
        forces=[
            lm.Gravity(),
            lm.JointDamper("d", "k", 0.1),
            lm.PointSpring("s", "world", (1.0, 0.0, 0.0), "two", (0.0, 0.0, -0.5), 3.0, 0.5),
        ],
    )


KINDS = [
    "prismatic",
    "cylindrical",
    "helical",
    "universal",
    "skew universal",
    "spherical",
    "planar",
    "translation",
    "fixed",
    "free",
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_joint_moves_as_in_the_tree(kind: str) -> None:
    """Two ways to the same motion; 1e-9 is the error of Runge-Kutta at this step."""
    system, options = joined(kind), {"step": 1e-3, "sample": 0.05, "start": {"k_rate": 1.0}}
    tree = lm.simulate(system, 0.25, **options)
    free = lm.simulate(system, 0.25, coordinates="maximal", **options)
    assert free.settings["largest_gap"] < 1e-12 and free.settings["largest_slip"] < 1e-12
    for symbol in (*system.layout.coordinates, *system.layout.velocities):
        assert free[symbol.name] == pytest.approx(tree[symbol.name], abs=1e-8), symbol.name


@pytest.mark.slow
def test_loop_and_maximal_agree_over_ten_seconds() -> None:
    """A four-bar linkage that swings about hanging down, and a screw that closes no loop but goes down: 1e-9."""
    options = {"start": {"crank": 1.4, "crank_rate": 0.5}, "step": 1e-3, "sample": 1.0}
    system = lm.catalogue.four_bar()
    loop = lm.simulate(system, 10.0, **options)
    free = lm.simulate(system, 10.0, coordinates="maximal", **options)
    for name in ("crank", "coupler", "rocker"):
        assert free[name] == pytest.approx(loop[name], abs=1e-9)
    assert free.settings["largest_gap"] < 1e-12


@pytest.mark.slow
def test_cost_of_a_chain_is_linear() -> None:
    """Fitted exponent of the time of one acceleration from 10 to 1,000 bodies, and from 100 on, the best of several tries.

    Below 1.15 both; short chains are mostly calls, and would hide what grows. Processor time, and sizes by turns, so that
    whatever else runs does not count.
    """
    sizes, motions = (10, 30, 100, 300, 1000), []
    for n in sizes:
        system = lm.System(
            f"chain_{n}",
            bodies=[lm.Body(f"b{i}", 1.0, (0, 0, -0.05), (0.001, 0.001, 0.0005)) for i in range(n)],
            joints=[
                lm.Revolute(
                    name=f"j{i}",
                    parent=f"b{i - 1}" if i else "world",
                    child=f"b{i}",
                    at=(0, 0, -0.1 if i else 0.0),
                    axis=(X, Y)[i % 2],
                )
                for i in range(n)
            ],
            forces=[lm.Gravity()],
        )
        motion = Maximal(system)
        state = motion.state(np.linspace(-0.3, 0.3, n), np.zeros(n))
        motion.accelerations(0.0, state)
        motions.append((motion, state))
    tries = np.zeros((9, len(sizes)))
    for k, j in np.ndindex(*tries.shape):
        motion, state = motions[j]
        begin = time.process_time()
        motion.accelerations(0.0, state)
        tries[k, j] = time.process_time() - begin
    for first in (0, 2):
        assert np.polyfit(np.log(sizes[first:]), np.log(tries.min(axis=0)[first:]), 1)[0] < 1.15, sizes[first]


def test_what_has_no_maximal_form_is_refused_by_name() -> None:
    with pytest.raises(StepperError, match="steps with rk4"):
        lm.simulate(lm.catalogue.double_pendulum(), 0.01, coordinates="maximal", stepper="dop853")


def test_a_motion_that_is_lost_ends_with_words() -> None:
    """A spring far too stiff for the step: the run ends where numbers do, with a status, not with an error of arithmetic."""
    rods = [lm.Body(name, 1.0, (0, 0, -0.5), (0.1, 0.1, 0.01)) for name in ("a", "b")]
    joints = [
        lm.Revolute(name="qa", parent="world", child="a", axis=(0, 1, 0)),
        lm.Revolute(name="qb", parent="a", child="b", at=(0, 0, -1), axis=(0, 1, 0)),
    ]
    system = lm.System("stiff", rods, joints, forces=[lm.Gravity(), lm.JointSpring("s", "qb", 1e9)])
    with pytest.warns(lm.RunWarning, match="smaller step"):
        run = lm.simulate(system, 1.0, start={"qb": 0.1}, step=0.01, coordinates="maximal", target="interpreter")
    assert not run.status.ok and run.time[-1] < 1.0
    assert all(np.isfinite(values).all() for values in run.channels.values())


def test_a_body_that_flies_alone_is_held_by_nothing() -> None:
    """Not one condition: for long an error of NumPy."""
    stone = lm.System(
        "stone",
        [lm.Body("stone", mass=2.0, inertia=(0.1, 0.2, 0.3))],
        [lm.Free(name="base", parent="world", child="stone")],
        forces=[lm.Gravity()],
    )
    start = {"speed": 1.0, "heave_speed": 2.0, "yaw_rate": 3.0}
    run = lm.simulate(stone, 0.4, step=0.01, start=start, coordinates="maximal", target="interpreter")
    assert run["z"][-1] == pytest.approx(2.0 * 0.4 - 0.5 * 9.81 * 0.4**2, abs=1e-9)
    assert run["x"][-1] == pytest.approx(0.4, abs=1e-7)  # its axes turn, by steps of 0.03 rad
