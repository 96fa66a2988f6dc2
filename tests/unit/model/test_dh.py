"""Denavit-Hartenberg tables as systems, against products of their matrices."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError
from locomotor.mechanics.tree import Instant, forward, mass_matrix
from locomotor.symbolic import Robot, RobotEquations, Segment, robot_system


def turn(axis: int, angle: float) -> np.ndarray:
    c, s, found = np.cos(angle), np.sin(angle), np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found[i, i] = found[j, j] = c
    found[i, j], found[j, i] = -s, s
    return found


def move(axis: int, length: float) -> np.ndarray:
    found = np.eye(4)
    found[axis, 3] = length
    return found


ROWS = [
    dict(theta=0.3, d=0.4, a=0.1, alpha=np.pi / 2, kind="revolute", parent=0),
    dict(theta=-0.2, d=0.2, a=0.5, alpha=0.7, kind="prismatic", parent=1),
    dict(theta=0.9, d=-0.1, a=0.3, alpha=-np.pi / 2, kind="revolute", parent=2),
    dict(theta=0.0, d=0.0, a=0.2, alpha=0.4, kind="revolute", parent=1),
]


def table() -> list[lm.DHLink]:
    rng = np.random.default_rng(4)
    return [
        lm.DHLink(joint=f"j{k}", mass=1.0 + 0.1 * k, com=rng.uniform(-0.2, 0.2, 3), inertia=(0.03, 0.04, 0.05), **row)
        for k, row in enumerate(ROWS, 1)
    ]


def frames(q: np.ndarray, convention: str) -> list[np.ndarray]:
    """Frames of the segments by the definition of the convention."""
    found = [np.eye(4)]
    for row, x in zip(ROWS, q, strict=True):
        theta = row["theta"] + (x if row["kind"] == "revolute" else 0.0)
        d = row["d"] + (x if row["kind"] == "prismatic" else 0.0)
        about_z, about_x = turn(2, theta) @ move(2, d), turn(0, row["alpha"]) @ move(0, row["a"])
        found.append(found[row["parent"]] @ (about_z @ about_x if convention == "standard" else about_x @ about_z))
    return found[1:]


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_centres_and_masses_are_those_of_the_table(convention: str) -> None:
    """Centres of mass where the products of the matrices put them, and the mass matrix by differences of those."""
    links = table()
    system = lm.dh("arm", links, convention=convention)
    rng = np.random.default_rng(0)
    names = [symbol.name for symbol in system.layout.coordinates]
    order = [int(name[1:]) - 1 for name in names]
    step = 1e-6
    for _ in range(5):
        q = rng.uniform(-1.0, 1.0, 4)
        kinematics = forward(Instant(system, q[order], np.zeros(4)))

        def state(q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
            return [
                (T[:3, :3], T[:3, :3] @ np.array(link.com) + T[:3, 3])
                for T, link in zip(frames(q, convention), links, strict=True)
            ]

        for number, (_, centre) in enumerate(state(q), 1):
            index = kinematics.index(f"link_{number}")
            pose, body = kinematics.poses[index], system.bodies[index]
            assert pose.act(np.array(body.com, dtype=float)) == pytest.approx(centre, abs=1e-14)
        expected = np.zeros((4, 4))
        sides = [[state(q + s * step * one) for s in (1, -1)] for one in np.eye(4)]
        for k, link in enumerate(links):
            R = state(q)[k][0]
            J = np.array([(up[k][1] - down[k][1]) / (2 * step) for up, down in sides]).T
            W = np.array([_spin((up[k][0] - down[k][0]) / (2 * step), R) for up, down in sides]).T
            expected += link.mass * J.T @ J + W.T @ np.diag([0.03, 0.04, 0.05]) @ W
        ours = mass_matrix(kinematics)
        assert ours == pytest.approx(expected[np.ix_(order, order)], abs=1e-8)  # difference quotients


def _spin(R_dot: np.ndarray, R: np.ndarray) -> np.ndarray:
    W = R.T @ R_dot
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def test_a_spatial_tree_of_robotdyn_is_the_same_system() -> None:
    """Lagrange's matrix of the table against the recursion on its system, with a slider, a twist and a branch."""
    quarter = lm.parse("pi/2")
    heavy = ((0.03, 0.0, 0.0), (0.0, 0.04, 0.0), (0.0, 0.0, 0.05))
    segments = (
        Segment(quarter, lm.parse("q1"), lm.parse("h"), 0.1, 0, "REVOLUTE", lm.parse("m"), (0.1, 0.0, 0.2), heavy),
        Segment(0.7, 0.3, lm.parse("q2 + 0.1"), lm.parse("l"), 1, "PRISMATIC", 0.7, (0.0, 0.1, 0.0), heavy),
        Segment(0.0, lm.parse("0.4 - q3"), 0.0, lm.parse("l"), 1, "REVOLUTE", 0.4, (-0.1, 0.0, 0.0), heavy),
    )
    robot = Robot("tree", 3, segments, gravity=(0.0, 0.0, 9.81))
    values = {"h": 0.3, "l": 0.5, "m": 1.2}
    system = robot_system(robot, values)
    equations = RobotEquations(robot)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = rng.uniform(-1, 1, 3)
        known = {equations.symbols[n]: x for n, x in values.items()} | dict(zip(equations.q, q, strict=True))
        M = np.array(equations.MATRICE_INERTIE.subs(known).evalf(), dtype=float)
        assert mass_matrix(forward(Instant(system, q, np.zeros(3)))) == pytest.approx(M, abs=1e-13)


def test_quarter_turns_are_exact() -> None:
    system = lm.dh("arm", table()[:1])
    assert 6e-17 not in np.abs(np.array(system.bodies[0].com, dtype=float))
    link = lm.dh(
        "two", [lm.DHLink(joint="a", alpha="pi/2", mass=1, inertia=(1, 1, 1)), lm.DHLink(joint="b", mass=1, inertia=(1, 1, 1))]
    )
    assert link.joint("b").rotation == ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))


def test_mistakes_are_told() -> None:
    with pytest.raises(ModelError, match="'revolute' or 'prismatic'"):
        lm.DHLink(joint="a", kind="hinge")
    with pytest.raises(ModelError, match="hangs on 2"):
        lm.dh("r", [lm.DHLink(joint="a", parent=2, mass=1, inertia=(1, 1, 1))])
    with pytest.raises(ModelError, match="'x', 'y' or 'z'"):
        lm.dh("r", [lm.DHLink(joint="a", mass=1, inertia=(1, 1, 1))], base={"b": "up"})
