"""Steady motions: equilibria, straight running, turning; and what is said when there is none."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.stability import steady
from locomotor.catalogue import bicycle
from locomotor.errors import InconsistentStartError, SteadyMotionError, UnknownNameError
from oracles.simple import pendulum, unicycle_wheel

# -- equilibria -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, math.pi])
def test_equilibria_of_a_pendulum(angle: float) -> None:
    motion = lm.steady_motion(pendulum(), {"swing": angle})
    assert motion["swing"] == pytest.approx(angle, abs=1e-12) and motion["swing_rate"] == pytest.approx(0.0, abs=1e-12)
    assert motion.residual < 1e-9


@pytest.mark.parametrize("angle", [0.3, -1.2, 2.5])
def test_the_torque_that_holds_a_pendulum(angle: float) -> None:
    motion = lm.steady_motion(pendulum(), {"swing": angle}, solve_for=("push",))
    assert motion["push"] == pytest.approx(2.0 * 9.81 * 1.5 * math.sin(angle), abs=1e-9)


def test_the_angle_at_which_a_torque_is_held() -> None:
    motion = lm.steady_motion(pendulum(), inputs={"push": 10.0})
    assert math.sin(motion["swing"]) == pytest.approx(10.0 / (2.0 * 9.81 * 1.5), abs=1e-12)


# -- a disc ---------------------------------------------------------------------------------------------------

RADIUS, DISC_MASS = 0.3, 2.0
ABOUT_DIAMETER, ABOUT_AXLE = DISC_MASS * RADIUS**2 / 4.0, DISC_MASS * RADIUS**2 / 2.0


def rolling_disc() -> lm.System:
    """A thin disc on a free root."""
    return lm.System(
        "disc",
        [lm.Body("disc", mass=DISC_MASS, inertia=(ABOUT_DIAMETER, ABOUT_AXLE, ABOUT_DIAMETER))],
        [lm.Free(name="root", parent="world", child="disc")],
        contacts=[lm.RollingDisc("rim", body="disc", centre=(0, 0, 0), axis=(0, 1, 0), radius=RADIUS)],
        forces=[lm.Gravity((0.0, 0.0, -9.81))],
        nominal={"z": RADIUS},
    )


def imbalance(roll: float, about_z: float, about_y: float) -> float:
    """Balance of moments about the heading of a disc that leans by roll, turns and spins, all steady.

    (C + m R^2) w W cos(roll) - A W^2 sin(roll) cos(roll) + m g R sin(roll) = 0, with W the rate of the heading, about the
    vertical, and w the whole angular velocity about the axle. In the disc's axes W cos(roll) is the rate about z.
    """
    W = about_z / math.cos(roll)
    moments = (ABOUT_AXLE + DISC_MASS * RADIUS**2) * about_y * about_z - ABOUT_DIAMETER * W * about_z * math.sin(roll)
    return moments + DISC_MASS * 9.81 * RADIUS * math.sin(roll)


@pytest.mark.parametrize(
    "asked",
    [{"roll": 0.3, "yaw_rate": 3.0}, {"roll": -0.6, "pitch_rate": 9.0}, {"roll": 0.3}, {"speed": 1.0}, {"yaw_rate": 4.0}],
)
def test_a_disc_turns_steadily_on_a_free_root(asked: dict[str, float]) -> None:
    motion = lm.steady_motion(rolling_disc(), asked)
    for name, value in asked.items():
        assert motion[name] == pytest.approx(value, abs=1e-9)
    assert imbalance(motion["roll"], motion["yaw_rate"], motion["pitch_rate"]) == pytest.approx(0.0, abs=1e-8)
    assert motion["speed"] == pytest.approx(RADIUS * motion["pitch_rate"], abs=1e-9)
    assert motion["z"] == pytest.approx(RADIUS * math.cos(motion["roll"]), abs=1e-9)
    run = lm.simulate(rolling_disc(), 0.5, start=motion.start, target="interpreter", step=0.005)
    assert np.ptp(run["roll"]) < 1e-7


def test_a_disc_on_a_free_root_turns_like_one_on_a_chain() -> None:
    """World, planar, roll, spin: the model that always worked."""
    chain = lm.System(
        "chain",
        [lm.Frame("track"), lm.Frame("lean"), *rolling_disc().bodies],
        [
            lm.Planar(name="base", parent="world", child="track"),
            lm.Revolute(name="lean_angle", parent="track", child="lean", axis=(1, 0, 0)),
            lm.Revolute(name="spin", parent="lean", child="disc", at=(0, 0, RADIUS), axis=(0, 1, 0)),
        ],
        contacts=rolling_disc().contacts,
        forces=rolling_disc().forces,
    )
    free = lm.steady_motion(rolling_disc(), {"roll": 0.25, "yaw_rate": -2.0})
    heading_rate = -2.0 / math.cos(0.25)
    same = lm.steady_motion(chain, {"lean_angle": 0.25, "yaw_rate": heading_rate})
    assert same["spin_rate"] + heading_rate * math.sin(0.25) == pytest.approx(free["pitch_rate"], abs=1e-9)
    a, b = (lm.linearise(system, motion).eigenvalues for system, motion in ((rolling_disc(), free), (chain, same)))
    np.testing.assert_allclose(np.sort(a[np.abs(a) > 1e-5].imag), np.sort(b[np.abs(b) > 1e-5].imag), atol=1e-6)


@pytest.mark.parametrize("pitch", [0.0, 0.7])
def test_a_disc_that_rolls_fast_enough_stays_upright(pitch: float) -> None:
    """lambda^2 = (A m g R - C (C + m R^2) w^2)/(A (A + m R^2)) upright; it may be looked at with any pitch."""
    for rate in (2.0, 6.0):
        straight = lm.steady_motion(rolling_disc(), {"pitch_rate": rate, "roll": 0.0, "pitch": pitch})
        found = lm.linearise(rolling_disc(), straight).all_eigenvalues
        above = ABOUT_DIAMETER * DISC_MASS * 9.81 * RADIUS - ABOUT_AXLE * (ABOUT_AXLE + DISC_MASS * RADIUS**2) * rate**2
        square = above / (ABOUT_DIAMETER * (ABOUT_DIAMETER + DISC_MASS * RADIUS**2))
        largest = found[np.argmax(np.abs(found))]
        assert (largest**2).real == pytest.approx(square, rel=1e-9)


# -- the bicycle ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [-3.0, 0.0, 0.5, 5.0, 20.0])
def test_straight_running(speed: float) -> None:
    motion = lm.steady_motion(bicycle(), {"speed": speed})
    assert motion["roll"] == pytest.approx(0.0, abs=1e-12) and motion["steer"] == pytest.approx(0.0, abs=1e-12)
    assert motion["rear_wheel_rate"] == pytest.approx(speed / 0.3, abs=1e-9)
    assert motion.asked == ("speed",)


@pytest.mark.parametrize("base", ["SE3", "SE2"])
def test_steady_turning_stays_steady(base: str) -> None:
    system = bicycle(base=base)
    wanted = {"steer": 0.15, "rear_wheel_rate": 18.0}
    motion = lm.steady_motion(system, wanted, solve_for=("steer_torque",))
    run = lm.simulate(system, 1.0, start=motion.start, inputs=motion.inputs)
    for name in ("roll", "pitch", "steer", "rear_wheel_rate", "front_wheel_rate", "rear_contact_angle", "front_contact_angle"):
        # Deviations of 1e-14 grow no faster than e^(4 t).
        assert np.ptp(run[name]) < 1e-10, name
    assert np.ptp(run["yaw"]) > 0.5
    # Leaning into the turn: steer to the left, roll to the left, which is negative.
    assert motion["roll"] < -0.2


def test_both_bases_turn_alike() -> None:
    found = [
        lm.steady_motion(bicycle(base=base), {"steer": 0.1, "rear_wheel_rate": 20.0}, solve_for=("steer_torque",))
        for base in ("SE3", "SE2")
    ]
    for name in ("roll", "pitch", "front_wheel_rate", "steer_torque"):
        assert found[0][name] == pytest.approx(found[1][name], abs=1e-9), name


def test_the_centripetal_force_of_a_turn() -> None:
    """Ground reactions of a steady turn: the weight upwards, and mass times acceleration inwards."""
    system = bicycle()
    motion = lm.steady_motion(system, {"steer": 0.1, "rear_wheel_rate": 20.0}, solve_for=("steer_torque",))
    run = lm.simulate(system, 0.5, start=motion.start, inputs=motion.inputs, step=0.001)
    total = run.forces["rear"] + run.forces["front"]
    np.testing.assert_allclose(total[:, 2], 94 * 9.81, atol=1e-8)
    horizontal = np.hypot(total[:, 0], total[:, 1])
    assert np.ptp(horizontal) < 1e-8 and horizontal[0] > 100


def test_a_turning_hoop() -> None:
    """A wheel on a circle: spin and turning balance its weight; closed form of the classical rolling disc."""
    system = unicycle_wheel()
    motion = lm.steady_motion(system, {"roll": -0.2, "spin_rate": 10.0})
    m, r, A, C, g = 1.5, 0.3, 0.03, 0.06, 9.81
    lean, rate = 0.2, motion["yaw_rate"]
    # Body spin about the axle: w3 = spin - yaw_rate sin(lean); moments about the contact along the horizontal diameter.
    w3 = motion["spin_rate"] - rate * math.sin(lean)
    balance = (C + m * r * r) * w3 * rate * math.cos(lean) - m * g * r * math.sin(lean)
    balance += A * rate**2 * math.sin(lean) * math.cos(lean)
    assert rate > 0 and balance == pytest.approx(0.0, abs=1e-9)


# -- what is said ---------------------------------------------------------------------------------------------


def test_no_steady_motion() -> None:
    words = r"pendulum: no steady motion with swing=1 \(residual .*\); .*solve_for=\(...\): push"
    with pytest.raises(SteadyMotionError, match=words):
        lm.steady_motion(pendulum(), {"swing": 1.0})


def test_no_steady_motion_and_no_input_to_hold_it() -> None:
    free = pendulum().replace(inputs=(), joints=[lm.Revolute(name="swing", parent="world", child="bob", axis=(0.0, 1.0, 0.0))])
    with pytest.raises(SteadyMotionError, match="there is none"):
        lm.steady_motion(free, {"swing": 1.0})


def test_a_turn_that_the_steer_alone_does_not_hold() -> None:
    with pytest.raises(SteadyMotionError, match=r"no steady motion with speed=6, steer=0.1, roll=0.4"):
        lm.steady_motion(bicycle(), {"speed": 6.0, "steer": 0.1, "roll": 0.4}, solve_for=("steer_torque",))


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'speed'"):
        lm.steady_motion(bicycle(), {"sped": 5.0})
    with pytest.raises(UnknownNameError, match="no input 'steer_torqe': did you mean 'steer_torque'"):
        lm.steady_motion(bicycle(), {"speed": 5.0}, solve_for=("steer_torqe",))
    with pytest.raises(UnknownNameError, match="no input 'push': "):
        lm.steady_motion(bicycle(), {"speed": 5.0}, inputs={"push": 1.0})
    with pytest.raises(UnknownNameError, match="the steady motion has no value 'rol': did you mean 'roll'"):
        lm.steady_motion(bicycle(), {"speed": 5.0})["rol"]


def test_contradicting_values() -> None:
    with pytest.raises(InconsistentStartError, match="contradict"):
        lm.steady_motion(bicycle(), {"speed": 5.0, "rear_wheel_rate": 1.0})


def shaken(law: str) -> lm.System:
    """A mass on a rail, drawn back by a spring and pushed by a law of time."""
    body = lm.Body("mass", mass=1.0, inertia=(1.0, 1.0, 1.0))
    rail = lm.Prismatic(name="x", parent="world", child="mass", axis=(1.0, 0.0, 0.0), drive=lm.Torque(f"-k*x + {law}"))
    return lm.System("shaken", [body], [rail], parameters={"k": 4.0})


@pytest.mark.parametrize("law", ["sin(t)", "(1 if t > 500 else 0)"], ids=["smooth", "a jump long after"])
def test_nothing_is_steady_under_a_law_of_time(law: str) -> None:
    """The law at t = 0 used to be taken, without a word."""
    still = lm.steady_motion(shaken("0*t + 2"))
    assert still["x"] == pytest.approx(0.5)
    told = "shaken: the drive of joint 'x' changes with t.*lm.find_cycle"
    for ask in (
        lambda: lm.steady_motion(shaken(law)),
        lambda: lm.linearise(shaken(law)),
        lambda: lm.linearise(shaken(law), still),
        lambda: lm.batched_eigenvalues(shaken(law), {"k": np.array([1.0, 2.0])}),
        lambda: lm.eigenvalue_curves(shaken(law), {"k": (1.0, 2.0)}),
    ):
        with pytest.raises(SteadyMotionError, match=told):
            ask()


def test_a_wheel_that_is_turned_evenly_is_steady() -> None:
    """Its angle depends on time and nothing else does: a rotor on a rail with a spring, f = sqrt(k/m)."""
    bodies = [
        lm.Body("slide", mass=3.0, inertia=(1, 1, 1)),
        lm.Body("rotor", mass=1.0, inertia=(0.2, 0.4, 0.2), com=(0, 0.3, 0)),
    ]
    joints = [
        lm.Prismatic(name="x", parent="world", child="slide", axis=(1.0, 0.0, 0.0), drive=lm.Torque("-9*x")),
        lm.Revolute(name="turn", parent="slide", child="rotor", axis=(0.0, 1.0, 0.0), drive=lm.Motion("5*t")),
    ]
    found = lm.linearise(lm.System("evenly", bodies, joints))
    np.testing.assert_allclose(np.abs(found.eigenvalues), 1.5, rtol=1e-12)


def test_what_does_not_exist_is_not_looked_for_to_the_last_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hinged bodies fall freely: nothing is steady there. Least squares to round-off took 2,709 evaluations."""
    hinge = lm.Revolute(name="hinge", parent="a", child="b", axis=(0, 1, 0), at=(1, 0, 0))
    falling = lm.System(
        "falling",
        bodies=[lm.Body(name, 1.0, inertia=(1, 1, 1)) for name in "ab"],
        joints=[lm.Free(name="base", parent="world", child="a"), hinge],
        forces=[lm.Gravity()],
    )
    evaluations = []
    residual = steady.SteadyEquations.residual
    monkeypatch.setattr(steady.SteadyEquations, "residual", lambda self, x: evaluations.append(1) or residual(self, x))
    with pytest.raises(SteadyMotionError, match="no steady motion with no given values"):
        lm.steady_motion(falling)
    assert len(evaluations) < 500


@pytest.mark.parametrize("rate", [9.2, 9.6, 13.0])
def test_no_singular_pose_is_taken_for_a_steady_motion(rate: float) -> None:
    """A long step of the search ends where the bars of the governor lie in one line, and every motion would do."""
    governor = lm.catalogue.governor()
    found = lm.steady_motion(governor, {"shaft_rate": rate})
    slower = lm.steady_motion(governor, {"shaft_rate": 8.0})
    assert found.coordinates["right"] > slower.coordinates["right"] > 0.5  # faster balls rise
    assert abs(lm.linearise(governor, about={"shaft_rate": rate}).eigenvalues).max() < 100.0
