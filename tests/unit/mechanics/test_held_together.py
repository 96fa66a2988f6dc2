"""Contacts that hold in every direction beside others that may slip: all of their rows are met, however near to each other."""

import numpy as np
import pytest

from locomotor.mechanics.impacts import Response, Sliding, Touching

N = 12


def near(rng: np.random.Generator, apart: float, count: int = 2) -> np.ndarray:
    """Rows of some contacts, three each, of which the last is `apart` from what the others hold, and of one that may slip.

    That is nearly on its own, so that sweeps are few where those that hold need none among each other.
    """
    rows = rng.normal(size=(3 * count + 3, N))
    rows[:-3, -3:] *= 0.05
    rows[-3:, :-3] *= 0.05
    rows[-4] = rng.normal(size=3 * count - 1) @ rows[: 3 * count - 1] + apart * rows[-4]
    return rows


def contacts(*active: float, friction: float = 0.4) -> list[Touching]:
    """So many that hold where they act, and one that slips."""
    held = [Touching(slice(3 * k, 3 * k + 3), act > 0.5, one_sided=False) for k, act in enumerate(active)]
    last = 3 * len(held)
    return [*held, Touching(slice(last, last + 3), True, friction=friction)]


@pytest.mark.parametrize("apart", [1.0, 1e-1, 1e-2, 1e-3])
def test_what_holds_all_but_the_same_is_held_exactly(rng: np.random.Generator, apart: float) -> None:
    """In sweeps over contacts, one by one, a share of about the square of that was met in each, and most of it never."""
    C, M = near(rng, apart), np.diag(rng.uniform(0.5, 2.0, N))
    missing = np.concatenate([rng.normal(size=6), [1.0, 9.0, -9.0]])  # what is last slips fast
    sliding = Sliding(Response(C, M), contacts(1.0, 1.0))
    L, _, made = sliding.answer(sliding.impulses(missing, 60))
    assert made[:6] == pytest.approx(missing[:6], abs=1e-9)
    assert min(L[6], made[6] - 1.0) == pytest.approx(0.0, abs=1e-6)  # it pushes, or lifts off
    assert np.hypot(L[7], L[8]) == pytest.approx(0.4 * L[6], rel=1e-6)


def test_those_that_do_not_act_have_no_impulse(rng: np.random.Generator) -> None:
    """And the others what they would have without these."""
    C, M = near(rng, 1e-2, 3), np.diag(rng.uniform(0.5, 2.0, N))
    C[3:6] = 0.0  # as time-stepping has rows of contacts that do not act
    missing = np.concatenate([rng.normal(size=3), np.zeros(3), rng.normal(size=3), [1.0, 9.0, -9.0]])
    sliding = Sliding(Response(C, M), contacts(1.0, 0.0, 1.0))
    L, moved, made = sliding.answer(sliding.impulses(missing, 200))
    alone = [*range(3), *range(6, 12)]
    fewer = Sliding(Response(C[alone], M), contacts(1.0, 1.0))
    wanted = fewer.answer(fewer.impulses(missing[alone], 200))
    assert not L[3:6].any() and L[alone] == pytest.approx(wanted[0], abs=1e-9) and moved == pytest.approx(wanted[1], abs=1e-9)
    assert made[[0, 1, 2, 6, 7, 8]] == pytest.approx(missing[[0, 1, 2, 6, 7, 8]], abs=1e-9)


def test_rows_that_depend_on_each_other_are_met_too(rng: np.random.Generator) -> None:
    """Two grips on a body that does not bend hold the line between them twice; normals carry what is not determined."""
    C, M = near(rng, 0.0), np.diag(rng.uniform(0.5, 2.0, N))
    v = rng.normal(size=N)
    missing = np.concatenate([-C[:6] @ v, [1.0, 9.0, -9.0]])
    sliding = Sliding(Response(C, M), contacts(1.0, 1.0))
    L, _, made = sliding.answer(sliding.impulses(missing, 60))
    assert made[:6] == pytest.approx(missing[:6], abs=1e-9)
    assert np.isfinite(L).all() and (L[[1, 2, 4, 5]] == 0.0).any() and L[0] and L[3]
