"""What forces across slips do (`codegen/runtime/answers.h`), against Delassus matrices by numpy."""

import numpy as np
import pytest

from locomotor.codegen import slip_answers
from locomotor.codegen.answers import _function
from locomotor.mechanics.impacts import ROUND_OFF
from locomotor.simulation.events.pace import VOID
from locomotor.typing import Vector

pytestmark = pytest.mark.skipif(_function() is None, reason="there is no compiler")


def delassus(mass: Vector, rows: Vector, held: Vector) -> Vector:
    """C M^-1 C^T while other rows keep their velocities: masses in what those leave free."""
    _, s, vt = np.linalg.svd(held) if len(held) else (0, np.zeros(0), np.eye(len(mass)))
    free = vt[np.sum(s > 1e-9 * s.max(initial=0.0)) :]
    return rows @ free.T @ np.linalg.solve(free @ mass @ free.T, free @ rows.T)


@pytest.mark.parametrize("redundant", [False, True])
def test_largest_answers_are_those_of_the_delassus_matrices(redundant: bool, rng: np.random.Generator) -> None:
    for _ in range(30):
        n = int(rng.integers(6, 14))
        root = rng.normal(size=(n, n))
        mass, always = root @ root.T + 0.1 * np.eye(n), rng.normal(size=(int(rng.integers(0, 2)), n))
        contacts = [rng.normal(size=(size, n)) for size in (3, 2, 4)]
        slips = [rng.normal(size=len(own) - 1) for own in contacts]
        slips = [slip / np.linalg.norm(slip) for slip in slips]
        held = np.vstack([always, rng.normal(size=(1, n)), *(own[:1] for own in contacts)])
        if redundant:
            held = np.vstack([held, held[-2] + 2.0 * held[-1], np.zeros(n)])
        found = slip_answers(mass, held, len(always), contacts, slips, VOID, ROUND_OFF)
        assert found is not None and found[1] == 0.0  # in a plane nothing is across
        for own, slip, answer in zip(contacts, slips, found, strict=True):
            left = own[1:] - np.outer(slip, slip @ own[1:])
            largest = float(np.linalg.eigvalsh(delassus(mass, left, held)).max())
            assert abs(answer - largest) < 1e-8 * float(np.abs(delassus(mass, own, always)).max())


def test_what_cannot_move_answers_nothing(rng: np.random.Generator) -> None:
    """The tangents are held by others; and masses that are none are left to the readable form."""
    mass, own = np.diag(rng.uniform(1.0, 2.0, 5)), np.eye(5)[:3]
    slip = [np.array([1.0, 0.0])]
    assert slip_answers(mass, np.eye(5)[:1], 0, [own], slip, VOID, ROUND_OFF) == pytest.approx([1.0 / mass[2, 2]], rel=1e-13)
    assert slip_answers(mass, np.eye(5)[[0, 2]], 0, [own], slip, VOID, ROUND_OFF) == [0.0]
    assert slip_answers(mass, np.eye(5)[:1], 0, [], [], VOID, ROUND_OFF) == []  # what only rolls against a resistance
    assert slip_answers(-mass, np.eye(5)[:1], 0, [own], slip, VOID, ROUND_OFF) is None
    assert slip_answers(mass, np.eye(5)[:1], 0, [np.eye(5)], [np.ones(4)], VOID, ROUND_OFF) is None
