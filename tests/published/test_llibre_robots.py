"""Serial robots of Llibre (ONERA, 2009, chapter 3): Newton-Euler with transmissions, Mampey's algorithm, and ours."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import locomotor as lm
from oracles.serial_robot import Joint, Robot

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TWO = Robot(
    (
        Joint(False, X, (0, 0, 0), (0, 0.5, 0), 2.0, np.diag([0.2, 0.01, 0.2])),
        Joint(False, X, (0, 1, 0), (0, 0.4, 0), 1.5, np.diag([0.1, 0.01, 0.1])),
    )
)
ROTOR = 0.05
"""Mass (kg) that a rotor of the model takes over from the body that carries it, at whose centre of mass it sits."""


def as_system(robot: Robot, gravity: bool = True) -> lm.System:
    """The robot of our parts; geared motors as rotors at the centre of mass of the body before."""
    bodies, joints, at = [], [], "world"
    for k, J in enumerate(robot.joints, 1):
        geared = k < len(robot.joints) and robot.joints[k].j > 0.0
        bodies.append(lm.Body(f"b{k}", J.m - ROTOR * geared, tuple(J.d), tuple(map(tuple, J.I))))
        kind = lm.Prismatic if J.slides else lm.Revolute
        joints.append(kind(name=f"q{k}", parent=at, child=f"b{k}", at=J.l, axis=J.u))
        at = f"b{k}"
    system = lm.System("robot", bodies, joints, forces=[lm.Gravity()] if gravity else [])
    for k, J in enumerate(robot.joints, 1):
        if J.j > 0.0:
            place = robot.joints[k - 2].d if k > 1 else (0.0, 0.0, 0.0)
            system = lm.with_rotor(
                system, f"q{k}", ratio=J.alpha, mass=ROTOR, inertia=J.j, across=J.i, axis=J.epsilon, at=tuple(place)
            )
    return system


GEARED = Robot(
    (
        Joint(False, Z, (0, 0, 0.4), (0, 0, 0.1), 5.0, np.diag([0.10, 0.12, 0.08]), 50, Z, 2e-4, 1e-4),
        Joint(False, Y, (0.1, 0, 0.2), (0.2, 0, 0.05), 4.0, np.diag([0.02, 0.09, 0.10]), 40, Y, 1.5e-4, 8e-5),
        Joint(True, X, (0.2, 0.05, 0), (0.15, 0, 0), 3.0, np.diag([0.02, 0.05, 0.06]), 20, Y, 1e-4, 6e-5),
        Joint(False, Y, (0.3, 0, 0), (0.1, 0.02, -0.05), 1.0, np.diag([0.004, 0.006, 0.005]), 30, X, 5e-5, 3e-5),
    )
)
Q, V, A = np.array([0.4, -0.5, 0.25, 0.9]), np.array([0.7, -0.3, 0.4, 1.1]), np.array([0.2, 0.5, -0.9, 0.6])


@cache
def geared() -> lm.System:
    return as_system(GEARED)


@cache
def derived(system: lm.System, way: str) -> lm.Derivation:
    return lm.derive(system, way)


def state(robot: Robot, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
    """Joints, and the rotors that follow them."""
    found = {f"q{k}": x for k, x in enumerate(q, 1)} | {f"q{k}_rate": x for k, x in enumerate(v, 1)}
    for k, J in enumerate(robot.joints, 1):
        if J.j > 0.0:
            found |= {f"q{k}_rotor": J.alpha * q[k - 1], f"q{k}_rotor_rate": J.alpha * v[k - 1]}
    return found


def reduced(robot: Robot, system: lm.System, q: np.ndarray, v: np.ndarray, way: str) -> tuple[np.ndarray, np.ndarray]:
    """A and the bias on the coordinates of the joints alone: rotors turn with them."""
    parts = derived(system, way).parts(state(robot, q, v))
    names = [s.name for s in system.layout.velocities]
    H = np.zeros((len(names), len(q)))
    for k, J in enumerate(robot.joints, 1):
        H[names.index(f"q{k}_rate"), k - 1] = 1.0
        if J.j > 0.0:
            H[names.index(f"q{k}_rotor_rate"), k - 1] = J.alpha
    return H.T @ parts["mass"] @ H, -H.T @ parts["force"]


def random_robot(rng: np.random.Generator, n: int = 6) -> Robot:
    """Joints that turn and slide, axes and rotors any way."""

    def unit():
        u = rng.normal(size=3)
        return tuple(u / np.linalg.norm(u))

    def tensor():
        L = rng.normal(size=(3, 3)) * 0.1
        P = L @ L.T + 0.02 * np.eye(3)
        return np.trace(P) * np.eye(3) - P  # of a real body

    return Robot(
        tuple(
            Joint(bool(rng.integers(2)), unit(), tuple(rng.normal(size=3) * 0.3), tuple(rng.normal(size=3) * 0.2),
                  float(rng.uniform(1, 4)), tensor(), float(rng.uniform(5, 60)), unit(), 2e-4, 1.5e-4)
            for _ in range(n)
        )
    )  # fmt: skip


@pytest.mark.slow
def test_14_random_chains(rng: np.random.Generator) -> None:
    """The listing, the Hessian of the kinetic energy, unit accelerations of Newton-Euler, and ours with rotors as bodies."""
    robot = random_robot(rng)
    q, n = rng.normal(size=6), 6
    matrix = robot.matrix(q)
    E = np.eye(n)
    T = robot.kinetic_energy
    hessian = np.array(
        [[T(q, a + b) - T(q, a) - T(q, b) if i != j else 2 * T(q, a) for j, b in enumerate(E)] for i, a in enumerate(E)]
    )
    columns = np.array([robot.efforts(q, np.zeros(n), e, g=np.zeros(3)) for e in E]).T
    size = np.abs(matrix).max()
    assert np.abs(matrix - hessian).max() < 1e-12 * size and np.abs(matrix - columns).max() < 1e-12 * size
    system = as_system(robot)
    for way in ("mampey", "kane"):
        ours, _ = reduced(robot, system, q, np.zeros(n), way)
        assert np.abs(ours - matrix).max() < 1e-12 * size


def test_14_printed_signs_fail() -> None:
    """As printed the inner loop has - (E16) and the last rotor is forgotten (E17)."""
    wrong = GEARED.matrix(Q, sign=-1.0)
    assert wrong[0, 3] == pytest.approx(-0.0018307082, abs=1e-9) and wrong[1, 3] == pytest.approx(0.0150508023, abs=1e-9)
    assert np.abs(wrong - GEARED.matrix(Q)).max() > 0.01
    assert GEARED.matrix(Q, last_rotor=False)[3, 3] == pytest.approx(0.0635 - 30**2 * 5e-5)


def test_15_two_joints() -> None:
    """Both programs and ours, to the digits of a third."""
    q, v, a = np.array([0.3, 0.7]), np.array([0.5, -0.8]), np.array([1.0, 2.0])
    system = lm.catalogue.robot_2r()

    def parts(v: np.ndarray, way: str) -> tuple[np.ndarray, np.ndarray]:
        found = derived(system, way).parts(dict(zip(names, (*q, *v), strict=True)))
        return found["mass"], -found["force"]

    names = ("shoulder", "elbow", "shoulder_rate", "elbow_rate")
    M, bias = parts(v, "mampey")
    assert pytest.approx(TWO.matrix(q), abs=1e-12) == M
    assert pytest.approx(np.array([[3.4578106247, 0.7989053124], [0.7989053124, 0.34]]), abs=1e-9) == M
    assert bias == pytest.approx([26.6716916661, 3.2768520254], abs=1e-9)
    assert parts(np.zeros(2), "lagrange")[1] == pytest.approx([26.6098467681, 3.1802193723], abs=1e-9)
    assert M @ a + bias == pytest.approx([31.7273129156, 4.7557573378], abs=1e-9)
    found = lm.accelerations(system, dict(zip(names, (*q, *v), strict=True)))
    assert [found["shoulder_rate"], found["elbow_rate"]] == pytest.approx([-12.0029953228, 18.5658961833], abs=1e-9)


@pytest.mark.slow
def test_15_four_geared_joints() -> None:
    """A geared robot of turning and sliding joints: every way, and the reduced equations of the library."""
    wanted = np.array(
        [
            [2.850899446, -0.0623684974, -0.1930681636, 0.0066687802],
            [-0.0623684974, 2.245621977, -0.1074131894, 0.0357459885],
            [-0.1930681636, -0.1074131894, 4.04, -0.1094131894],
            [0.0066687802, 0.0357459885, -0.1094131894, 0.0635],
        ]
    )
    bias = [0.8599910369, -29.7441764665, 17.4028972593, -0.6756306157]
    for way in ("lagrange", "kane", "newton-euler", "mampey", "virtual power"):
        M, h = reduced(GEARED, geared(), Q, V, way)
        assert pytest.approx(wanted, abs=1e-9) == M and h == pytest.approx(bias, abs=1e-9)
    still = reduced(GEARED, geared(), Q, np.zeros(4), "lagrange")[1]
    assert still == pytest.approx([0.0, -28.6123527542, 18.8126581348, -0.7125511382], abs=1e-9)
    assert wanted @ A + bias == pytest.approx([1.5767492928, -28.515719714, 13.6089291182, -0.5198519949], abs=1e-8)
    assert GEARED.efforts(Q, V, A) == pytest.approx([1.5767492928, -28.515719714, 13.6089291182, -0.5198519949], abs=1e-9)
    given = {name: value for name, value in state(GEARED, Q, V).items() if "rotor" not in name}
    found = lm.accelerations(geared(), given)
    free = [-0.2821888903, 13.1020132971, -4.0736701208, -3.7251210365]
    assert [found[f"q{k}_rate"] for k in range(1, 5)] == pytest.approx(free, abs=1e-8)
    assert lm.observe(geared(), given)["kinetic_energy"] == pytest.approx(1.0782657158, abs=1e-9)


@pytest.mark.slow
def test_16_bias(rng: np.random.Generator) -> None:
    """B + dV/dq with Christoffel's symbols by differences; q' B = q' A' q'/2; A does not depend on the first coordinate."""
    robot = random_robot(rng, 4)
    system, n, h = as_system(robot), 4, 1e-5
    q, v = rng.normal(size=n), rng.normal(size=n)
    E = np.eye(n)
    dA = np.array([(robot.matrix(q + h * e) - robot.matrix(q - h * e)) / (2 * h) for e in E])
    B = np.einsum("jik,j,k->i", dA, v, v) - 0.5 * np.einsum("ijk,j,k->i", dA, v, v)
    weight = robot.efforts(q, np.zeros(n), np.zeros(n))
    _, bias = reduced(robot, system, q, v, "newton-euler")
    assert bias == pytest.approx(B + weight, abs=1e-6)
    moving = bias - reduced(robot, system, q, np.zeros(n), "newton-euler")[1]
    assert v @ moving == pytest.approx(0.5 * v @ np.einsum("ijk,i->jk", dA, v) @ v, abs=1e-6)
    turned = reduced(robot, system, q + [0.8, 0, 0, 0], v, "mampey")[0]
    ours = reduced(robot, system, q, v, "mampey")[0]
    assert turned == pytest.approx(ours, abs=1e-10)
    assert ours == pytest.approx(ours.T) and np.linalg.eigvalsh(ours).min() > 0.0


@pytest.mark.slow
def test_17_round_trip(rng: np.random.Generator) -> None:
    """Efforts that accelerations need, given as inputs, return these."""
    driven = geared().replace(
        joints=[j if "rotor" in j.name else replace(j, drive=lm.Torque(f"Q_{j.name}")) for j in geared().joints],
        inputs=[lm.Input(f"Q_q{k}", "N m") for k in range(1, 5)],
    )
    for _ in range(3):
        q, v, a = rng.normal(size=4) * 0.5, rng.normal(size=4), rng.normal(size=4)
        efforts = GEARED.efforts(q, v, a)
        given = {name: value for name, value in state(GEARED, q, v).items() if "rotor" not in name}
        found = lm.accelerations(driven, given, {f"Q_q{k}": Q for k, Q in enumerate(efforts, 1)})
        assert [found[f"q{k}_rate"] for k in range(1, 5)] == pytest.approx(a, abs=1e-8)


@pytest.mark.slow
def test_17_energy() -> None:
    """Nothing applied, energy is kept; with dry and viscous friction in every joint it falls at every step."""
    start = {"q1": 0.4, "q2": -0.6, "q3": 0.1, "q4": 0.8, "q1_rate": 1.0, "q2_rate": -1.5, "q4_rate": 2.0}
    names = {joint.name for joint in geared().joints}
    start = {name: value for name, value in start.items() if name.removesuffix("_rate") in names}
    free = lm.simulate(geared(), 1.0, start=start, step=0.001, sample=0.01)
    assert np.ptp(free.energy) < 1e-9 * (1.0 + np.abs(free.energy).max())
    rubs = [lm.JointFriction(f"rub_{k}", f"q{k}", 0.05, viscous=0.1) for k in range(1, 5)]
    rubbed = lm.simulate(geared().replace(forces=[*geared().forces, *rubs]), 1.0, start=start, step=0.002)
    assert rubbed.status.ok and (np.diff(rubbed.energy) < 1e-12).all() and rubbed.energy[-1] < rubbed.energy[0] - 0.1


def test_17_friction_takes_energy() -> None:
    """Q_A = alpha C_m - xi q' - Q_s sign(q'): the dry part scales with the ratio, not with its square (E13), by its power."""
    alpha, xi, dry, torque, rate = 40.0, 0.3, 0.02, 0.5, 2.0
    at_rotor = lm.System(
        "one",
        [lm.Body("b", 1.0, inertia=(0.1, 0.1, 0.1))],
        [lm.Revolute(name="q", parent="world", child="b", axis=Z)],
        inputs=[lm.Input("C_m", "N m")],
    )
    at_rotor = lm.with_rotor(at_rotor, "q", ratio=alpha, mass=0.05, inertia=1e-4, across=1e-4, axis=Z)
    at_rotor = at_rotor.replace(
        forces=[
            lm.JointForce("drive", "q_rotor", "C_m"),
            lm.JointFriction("motor", "q_rotor", dry),
            lm.JointForce("joint", "q", f"-{xi}*q_rate"),
        ]
    )
    found = lm.accelerations(at_rotor, {"q_rate": rate}, {"C_m": torque})["q_rate"]
    assert found == pytest.approx((alpha * torque - xi * rate - alpha * dry) / (0.1 + alpha**2 * 1e-4), rel=1e-9)
    seen = lm.observe(at_rotor, {"q_rate": rate})
    assert seen["motor_power"] == pytest.approx(-dry * alpha * rate, rel=1e-9) and seen["joint_power"] < 0.0


@pytest.mark.slow
def test_18_statics(rng: np.random.Generator) -> None:
    """Efforts that hold a wrench on the last body are -J^T of it, plus the weight."""
    force, couple, at = np.array([3.0, -2.0, 5.0]), np.array([0.4, -0.3, 0.2]), (0.1, 0.05, 0.0)
    last = GEARED.joints[-1]
    loaded = Robot((*GEARED.joints[:-1], Joint(**{**last.__dict__, "e": at, "F": tuple(force), "M": tuple(couple)})))
    system = geared().replace(
        forces=[
            lm.Gravity(),
            lm.BodyForce("f", "b4", at, tuple(force), frame="body"),
            lm.BodyTorque("couple", "b4", tuple(couple), frame="body"),
        ]
    )
    ours = reduced(GEARED, system, Q, np.zeros(4), "kane")[1]
    assert ours == pytest.approx(loaded.efforts(Q, np.zeros(4), np.zeros(4)), abs=1e-9)
    weight = GEARED.efforts(Q, np.zeros(4), np.zeros(4))

    def tip(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        R, p = np.eye(3), np.zeros(3)
        lam, S = GEARED.geometry(q)
        for k in range(4):
            p, R = p + R @ lam[k], R @ S[k]
        return R, p + R @ np.array(at)

    R, _ = tip(Q)
    h = 1e-6
    for k, e in enumerate(np.eye(4)):
        (Rp, pp), (Rm, pm) = tip(Q + h * e), tip(Q - h * e)
        spin = (Rp - Rm) / (2 * h) @ R.T
        J_w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        J_v = (pp - pm) / (2 * h)
        assert ours[k] - weight[k] == pytest.approx(-(J_v @ R @ force + J_w @ R @ couple), abs=1e-7)
