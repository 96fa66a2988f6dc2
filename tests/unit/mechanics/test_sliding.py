"""Normal forces of contacts that slip together: a part of their matrix may vanish where all of it does not."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.sliding import distance_to_singular, solve_regular

G, H, A = 9.81, 0.4, 0.1
"""Gravity; of a block that slides its centre's height and half the distance of its feet."""


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_systems_are_solved_with_parts_that_vanish(n: int, rng: np.random.Generator) -> None:
    for _ in range(20):
        matrix, right = np.eye(n) + 0.8 * rng.normal(size=(n, n)), rng.normal(size=n)
        if n > 1:
            matrix[0, 0] = 0.0
        if n > 2:
            matrix[0, 1] = matrix[1, 0] = 0.0
        found, det = solve_regular(matrix.tolist(), right.tolist())
        largest = np.linalg.cond(matrix)
        assert found == pytest.approx(np.linalg.solve(matrix, right), rel=1e-14 * largest, abs=1e-14 * largest)
        assert det == pytest.approx(np.linalg.det(matrix), rel=1e-14 * largest, abs=1e-14)
        adjugate = np.linalg.det(matrix) * np.linalg.inv(matrix)
        expected = np.sqrt(n) * np.linalg.det(matrix) / np.linalg.norm(adjugate)
        assert distance_to_singular(matrix.tolist()) == pytest.approx(expected, rel=1e-13 * largest)


def block(feet: dict[str, tuple[float, float]]) -> lm.System:
    """A block whose centre is behind its rear feet: as it slides, friction tips it forward onto both.

    With front and rear feet 2a apart friction brings c = mu h/(2a) from the rear to the front: 1 - S L(G) of one front and one
    rear foot is [[1-c, -c], [c, 1+c]], with the determinant 1, while a front foot alone would jam from c = 1 on.
    """
    law = lm.Unilateral(friction="0.45 + 0.02*slip")
    return lm.System(
        "block",
        bodies=(lm.Body("body", 2.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=tuple(lm.StickingPoint(name, "body", (x + 2 * A, y, -H), law=law) for name, (x, y) in feet.items()),
        forces=(lm.Gravity((0, 0, -G)),),
        grounds=(lm.Plane("ground"),),
        nominal={"z": H},
    )


TWO = {"front": (A, 0.0), "rear": (-A, 0.0)}
THREE = {"front": (A, 0.0), "left": (-A, 0.1), "right": (-A, -0.1)}


@pytest.mark.parametrize("solver", ["traced", "runtime"])
@pytest.mark.parametrize("feet", [TWO, THREE], ids=["two", "three"])
def test_a_block_slides_past_where_one_foot_alone_would_jam(feet: dict[str, tuple[float, float]], solver: str) -> None:
    """v' = -g (0.45 + 0.02 v) from 5 m/s: c is 1.1 at first and 1 where v = 2.5 m/s. They ended as inconsistent at once."""
    run = lm.simulate(block(feet), 0.8, start={"z": H, "speed": 5.0}, step=0.01, solver=solver)
    speed = 27.5 * np.exp(-0.02 * G * run.time) - 22.5
    assert run.status.completed and speed[0] > 2.5 > speed[-1]
    assert run["speed"] == pytest.approx(speed, abs=1e-11)  # rk4 of an exponential of 0.002 a step: 1e-14
    front = 2.0 * G * ((0.45 + 0.02 * speed) * H - A) / (2 * A)  # moments about the rear feet
    assert run["front_normal_force"] == pytest.approx(front, rel=1e-10)
    assert sum(run[f"{name}_normal_force"] for name in feet) == pytest.approx(2.0 * G, rel=1e-12)
