"""Dry friction of ball joints: closed forms, an independent integration, the hinge in a plane, loads, cycles and batches."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomotor as lm
from locomotor.complementarity.friction import bounded
from locomotor.errors import ContactLawError

MASS, LENGTH, GRAVITY = 1.5, 0.4, 9.81
TILT = 0.7
"""Direction of the axis, in the plane z = 0, about which a pendulum is tilted (rad from x)."""


def seat(inertia: tuple[float, float, float], **friction: float) -> lm.System:
    """A ball in a seat, its centre of mass in the middle."""
    joint = lm.Spherical(name="seat", parent="world", child="ball")
    return lm.System(
        "ball", [lm.Body("ball", 2.0, inertia=inertia)], [joint], forces=[lm.JointFriction("rub", "seat", **friction)]
    )


def spun(w: np.ndarray) -> dict[str, float]:
    return dict(zip(("seat_wx", "seat_wy", "seat_wz"), w.tolist(), strict=True))


def bob() -> lm.Body:
    return lm.Body("bob", MASS, com=(0.0, 0.0, -LENGTH), inertia=(0.02, 0.02, 0.01))


def pendulum(**friction: float) -> lm.System:
    """A bob that hangs from a ball joint."""
    joint = lm.Spherical(name="ball", parent="world", child="bob")
    return lm.System("pendulum", [bob()], [joint], forces=[lm.Gravity(), lm.JointFriction("rub", "ball", **friction)])


def tilted(angle: float) -> dict[str, float]:
    """A pendulum at rest at an angle (rad)."""
    c, s = math.cos(0.5 * angle), math.sin(0.5 * angle)
    return {"ball_qw": c, "ball_qx": s * math.cos(TILT), "ball_qy": s * math.sin(TILT), "ball_qz": 0.0}


# -- closed forms -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("w", [(1.0, -2.0, 0.5), (0.0, 0.0, -3.0), (1e-3, 2e-3, 2e-3)])
def test_a_spinning_ball_slows_down_on_a_straight_line(w: tuple[float, float, float]) -> None:
    """w' = -(b/I) w/|w|: the same direction, until it stops after |w| I/b."""
    inertia, bound, first = 0.3, 0.6, np.array(w)
    run = lm.simulate(seat((inertia,) * 3, bound=bound), 2.0, start=spun(first), step=0.01)
    stop = float(np.linalg.norm(first)) * inertia / bound
    assert [event.name for event in run.events] == ["rub sticks"] and run.events[0].time == pytest.approx(stop, abs=1e-13)
    found = np.stack([run[f"seat_w{axis}"] for axis in "xyz"], axis=1)
    np.testing.assert_allclose(found, np.maximum(1.0 - run.time / stop, 0.0)[:, None] * first, atol=1e-13)
    assert not found[-1].any() and run["rub_sticks"][-1] == 1.0 and run.audit()["energy_balance"] < 1e-12
    efforts = np.stack([run[f"rub_effort_{axis}"] for axis in "xyz"], axis=1)
    moving = run.time < stop - 1e-9
    np.testing.assert_allclose(efforts[moving], -bound * np.tile(first / np.linalg.norm(first), (moving.sum(), 1)), atol=1e-12)
    np.testing.assert_allclose(run["rub_power"][moving], (efforts * found).sum(axis=1)[moving], atol=1e-12)


def test_a_ball_with_three_inertias_against_an_independent_integration() -> None:
    """Euler's equations with -b w/|w|, by a method of eighth order; steps of 5 ms leave 6e-10, of 10 ms sixteen times that."""
    inertia, bound, first = np.array([0.3, 0.2, 0.1]), 0.6, np.array([1.0, -2.0, 0.5])

    def rate(_: float, w: np.ndarray) -> np.ndarray:
        return (np.cross(inertia * w, w) - bound * w / np.linalg.norm(w)) / inertia

    exact = solve_ivp(rate, (0.0, 0.5), first, rtol=1e-12, atol=1e-14, method="DOP853").y[:, -1]
    errors = []
    for step in (0.01, 0.005):
        run = lm.simulate(seat((0.3, 0.2, 0.1), bound=bound), 1.0, start=spun(first), step=step)
        k = int(run.time.searchsorted(0.5 - 1e-9))
        errors.append(float(np.abs(np.array([run[f"seat_w{axis}"][k] for axis in "xyz"]) - exact).max()))
        # With Radau's method, up to a rate of 1e-9 rad/s.
        assert [event.name for event in run.events] == ["rub sticks"] and abs(run.events[0].time - 0.85329762327) < 4e-8
    assert errors[1] < 1e-9 and 12.0 < errors[0] / errors[1] < 20.0


def test_a_pendulum_at_rest_stays_within_its_friction() -> None:
    """m g l sin(theta) <= bound; beyond it slides down, by about as much on the other side of the border."""
    angle = 0.5
    border = MASS * GRAVITY * LENGTH * math.sin(angle)
    held = lm.simulate(pendulum(bound=1.0001 * border), 0.3, start=tilted(angle), step=0.01)
    assert not held.events and held["kinetic_energy"].max() == 0.0 and held["rub_sticks"].min() == 1.0
    torque = np.array([held[f"rub_effort_{axis}"][-1] for axis in "xyz"])
    axis = np.array([math.cos(TILT), math.sin(TILT), 0.0])  # of the tilt, the same in both bodies
    np.testing.assert_allclose(torque, border * axis, atol=1e-12)
    slides = lm.simulate(pendulum(bound=0.9999 * border), 0.3, start=tilted(angle), step=0.01)
    turned = 2.0 * np.arccos(slides["ball_qw"])
    assert slides["rub_sticks"][1] == 0.0 and np.all(np.diff(turned) <= 1e-15)
    # Its rate follows from theta'' = (b - m g l sin(theta))/J near the border: (1e-4 b/J) sin(w t)/w, w² = m g l cos(theta)/J.
    J = 0.02 + MASS * LENGTH**2
    w = math.sqrt(MASS * GRAVITY * LENGTH * math.cos(angle) / J)
    expected = angle - 1e-4 * border / J / w**2 * (1.0 - math.cos(w * 0.3))
    assert turned[-1] == pytest.approx(expected, abs=3e-8)  # terms of second order in 1e-4


@pytest.mark.parametrize("share", [0.9999, 1.0001])
def test_a_pendulum_whose_friction_follows_its_load_stays_within_the_friction_circle(share: float) -> None:
    """At rest the seat bears the weight, so that mu r m g >= m g l sin(theta): the angle does not depend on the mass."""
    mu, radius = 0.3, 0.5
    angle = share * math.asin(mu * radius / LENGTH)
    run = lm.simulate(pendulum(mu=mu, radius=radius), 0.3, start=tilted(angle), step=0.01)
    assert (run["kinetic_energy"].max() == 0.0) == (share < 1.0)
    assert (run["rub_sticks"][1] == 1.0) == (share < 1.0)


# -- the hinge in a plane -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "friction",
    [
        {"bound": 0.8},
        {"bound": 0.5, "static": 0.9, "viscous": 0.05},
        {"mu": 0.3, "radius": 0.3},
        pytest.param({"mu": 0.2, "radius": 0.3, "static_mu": 0.5, "bound": 0.1}, marks=pytest.mark.slow),
    ],
)
def test_in_a_plane_it_moves_as_a_hinge(friction: dict[str, float]) -> None:
    """Events and angle agree to round-off: of a hinge all of the force presses across its axis too."""
    axis = (math.cos(TILT), math.sin(TILT), 0.0)
    hinge = lm.Revolute(name="swing", parent="world", child="bob", axis=axis)
    plane = lm.System("hinge", [bob()], [hinge], forces=[lm.Gravity(), lm.JointFriction("rub", "swing", **friction)])
    expected = lm.simulate(plane, 4.0, start={"swing": 1.2}, step=0.01)
    run = lm.simulate(pendulum(**friction), 4.0, start=tilted(1.2), step=0.01)
    assert len(run.events) > 1 and [e.name for e in run.events] == [e.name for e in expected.events]
    np.testing.assert_allclose([e.time for e in run.events], [e.time for e in expected.events], atol=1e-11)
    along = run["ball_qx"] * axis[0] + run["ball_qy"] * axis[1]
    np.testing.assert_allclose(2.0 * np.arctan2(along[-1], run["ball_qw"][-1]), expected["swing"][-1], atol=1e-12)


# -- in space -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "friction", [{"bound": 0.8}, {"mu": 0.3, "radius": 0.3}, {"bound": 0.5, "static": 0.9, "viscous": 0.05}]
)
def test_what_swings_in_space_converges_to_its_rest(friction: dict[str, float]) -> None:
    start = {**tilted(1.0), "ball_wx": 2.0, "ball_wy": 1.0, "ball_wz": 3.0}
    coarse, fine = (lm.simulate(pendulum(**friction), 5.0, start=start, step=step) for step in (0.01, 0.005))
    assert coarse.events[-1].name == fine.events[-1].name == "rub sticks" and fine["kinetic_energy"][-1] == 0.0
    # Near rest a direction is guided (`events/ball_guide.py`), which leaves some 1e-7.
    np.testing.assert_allclose(*([run[f"ball_q{axis}"][-1] for axis in "wxyz"] for run in (coarse, fine)), atol=1e-6)
    assert fine.audit()["energy_balance"] < 1e-5


def test_two_ball_joints_begin_to_slide_together() -> None:
    """Bodies on a chain at rest: of efforts and accelerations at the start each is zero, or efforts are at their bounds."""
    bodies = [lm.Body(name, 1.0, com=(0.2, 0.0, -0.3), inertia=(0.02, 0.03, 0.01)) for name in ("upper", "lower")]
    joints = [
        lm.Spherical(name="hip", parent="world", child="upper"),
        lm.Spherical(name="knee", parent="upper", child="lower", at=(0.1, 0.2, -0.6)),
    ]
    rubs = [lm.JointFriction("hip_rubs", "hip", 1.0), lm.JointFriction("knee_rubs", "knee", 0.4)]
    run = lm.simulate(lm.System("leg", bodies, joints, forces=[lm.Gravity(), *rubs]), 0.002, step=1e-4)
    for joint, bound in (("hip", 1.0), ("knee", 0.4)):
        effort, w = (np.array([run[f"{joint}{what}{axis}"] for axis in "xyz"]) for what in ("_rubs_effort_", "_w"))
        first = w[:, 1] / np.linalg.norm(w[:, 1])
        np.testing.assert_allclose(effort[:, 0], -bound * first, atol=2e-3)  # within the first step they turn a little
        assert np.linalg.norm(effort[:, 0]) == pytest.approx(bound, abs=1e-12)


def test_efforts_within_balls_satisfy_their_conditions(rng: np.random.Generator) -> None:
    blocks = [slice(0, 3), slice(3, 4), slice(4, 7)]
    for _ in range(50):
        A = rng.normal(size=(7, 7))
        W, q, bounds = A @ A.T + 0.1 * np.eye(7), rng.normal(size=7) * 3.0, rng.uniform(0.1, 3.0, 3)
        r = bounded(W, q, blocks, bounds)
        u = W @ r + q
        for own, bound in zip(blocks, bounds, strict=True):
            size = float(np.linalg.norm(u[own]))
            assert np.linalg.norm(r[own]) <= bound * (1.0 + 1e-12)
            if size > 1e-9:
                np.testing.assert_allclose(r[own], -bound * u[own] / size, atol=1e-9)


def test_a_leg_on_a_ball_joint_lands_and_stops(rng: np.random.Generator) -> None:
    """An impact takes no notice of bounded efforts; the joint slides after it, and rests in the end with the foot."""
    bodies = [
        lm.Body("hip", 2.0, inertia=(0.1, 0.1, 0.1)),
        lm.Body("leg", 1.0, com=(0.05, 0.02, -0.2), inertia=(0.02, 0.02, 0.01)),
    ]
    joints = [
        lm.Prismatic(name="z", parent="world", child="hip", axis=(0, 0, 1)),
        lm.Spherical(name="ball", parent="hip", child="leg"),
    ]
    foot = lm.SlidingPoint("foot", "leg", at=(0.1, 0.05, -0.4), law=lm.Unilateral(restitution=0.3))
    forces = [lm.Gravity(), lm.JointFriction("rub", "ball", 4.0)]
    run = lm.simulate(lm.System("leg", bodies, joints, contacts=[foot], forces=forces, nominal={"z": 0.6}), 2.0, step=0.005)
    names = [event.name for event in run.events]
    assert "foot impact" in names and "rub slips" in names and names.count("rub sticks") >= 1
    assert run.status.completed and run.audit()["energy_balance"] < 1e-4


# -- beside runs --------------------------------------------------------------------------------------------------


def test_a_cycle_of_a_driven_ball_joint_has_the_derivatives_of_differences() -> None:
    drive = lm.BodyTorque("drive", "bob", ("2.5*cos(4*t)", "1.6*sin(4*t + 0.4)", 0.3), frame="body")
    system = pendulum(bound=1.6)
    cycle = lm.find_cycle(
        system.replace(forces=(*system.forces, drive)), {"ball_wx": 0.1}, period=0.5 * math.pi, step=0.005, settle=12
    )
    assert np.abs(cycle.multipliers).max() < 1.0 and cycle.check(1e-5) < 1e-7


def test_virtual_power_gives_the_same_torque() -> None:
    assert lm.certify(pendulum(bound=0.8, viscous=0.05)).agreed


def test_a_damper_of_a_ball_joint_resists_all_three_rates() -> None:
    """I w' = -c w, a straight line to rest."""
    joint = lm.Spherical(name="seat", parent="world", child="ball")
    system = lm.System(
        "damped", [lm.Body("ball", 2.0, inertia=(0.3,) * 3)], [joint], forces=[lm.JointDamper("oil", "seat", 0.6)]
    )
    first = np.array([1.0, -2.0, 0.5])
    run = lm.simulate(system, 1.0, start=spun(first), step=0.01)
    np.testing.assert_allclose(
        [run[f"seat_w{axis}"][-1] for axis in "xyz"], first * math.exp(-2.0), rtol=1e-8
    )  # steps of 10 ms leave 3e-9
    assert lm.certify(system).agreed


@pytest.mark.parametrize("target", ["interpreter", "c", pytest.param("simd", marks=pytest.mark.slow)])
def test_batches_hold_and_slide(target: str) -> None:
    """What is held does not creep, what spins stops within a step of the closed form."""
    compiled = lm.compile(seat((0.3,) * 3, bound=0.6), contacts="time-stepping", target=target)
    first = np.array([1.0, -2.0, 0.5])
    stop = float(np.linalg.norm(first)) * 0.5
    starts = np.array([compiled.start(spun(w)) for w in (first, 0.0 * first)])
    half = compiled.rollout(starts, steps=50, dt=0.01)
    np.testing.assert_allclose(half.final[0, 4:], (1.0 - 0.5 / stop) * first, atol=1e-12)
    whole = compiled.rollout(starts, steps=150, dt=0.01)
    np.testing.assert_allclose(whole.final[:, 4:], 0.0, atol=1e-15)
    np.testing.assert_array_equal(whole.final[1], starts[1])


def test_batches_converge_to_the_run_with_events() -> None:
    system, start = pendulum(bound=1.0, viscous=0.02), {**tilted(1.0), "ball_wx": 1.0, "ball_wy": 0.5, "ball_wz": 2.0}
    compiled = lm.compile(system, contacts="time-stepping")
    run = lm.simulate(system, 3.0, start=start, step=0.005)
    exact = np.array([run[f"ball_q{axis}"][-1] for axis in "wxyz"])
    border = math.asin(1.0 / (MASS * GRAVITY * LENGTH))
    starts = np.array([compiled.start(each) for each in (start, tilted(0.999 * border))])
    found = [compiled.rollout(starts, steps=round(3.0 / dt), dt=dt).final for dt in (0.005, 0.0025)]
    errors = [float(np.abs(final[0, :4] - exact).max()) for final in found]
    assert errors[1] < 1e-3 and errors[1] < 0.6 * errors[0]
    np.testing.assert_allclose(found[0][1], starts[1], atol=1e-16)


# -- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("friction", "words"),
    [
        ({"mu": 0.3}, "mu needs the radius .* of the ball of Spherical 'ball'"),
        ({"mu": 0.3, "radius": 0.1, "pivoting": 0.01}, "has no axis, and `pivoting`, `supports` and `width` speak of one"),
        ({"mu": 0.3, "radius": 0.1, "supports": (-0.1, 0.1)}, "has no axis"),
    ],
)
def test_bearings_that_a_ball_does_not_have_are_refused(friction: dict[str, float], words: str) -> None:
    with pytest.raises(ContactLawError, match=words):
        pendulum(**friction)


def test_one_model_for_all_modes_is_refused_by_name() -> None:
    with pytest.raises(ContactLawError, match="'rub', which is that of a ball joint"):
        lm.simulate(pendulum(bound=0.8), 0.1, solver="runtime")
