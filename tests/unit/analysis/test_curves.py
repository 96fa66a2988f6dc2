"""Eigenvalues followed along a value: through crossings and branch points without a jump."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.stability.curves import follow
from locomotor.catalogue import bicycle
from oracles.simple import unicycle_wheel

# -- following ------------------------------------------------------------------------------------------------


def shuffled(columns: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.permutation(row) for row in columns]


def assert_followed(values: np.ndarray, columns: np.ndarray, rng: np.random.Generator) -> None:
    found = follow(values, shuffled(columns, rng))
    order = [int(np.abs(columns[0] - start).argmin()) for start in found[0]]
    np.testing.assert_allclose(found, columns[:, order], atol=1e-12)


def test_real_modes_that_cross(rng: np.random.Generator) -> None:
    t = np.linspace(0, 1, 41)
    assert_followed(t, np.stack([t - 0.5, 0.5 - t, 0.2 + 0 * t, 2 * t - 1.3], axis=1).astype(complex), rng)


def test_pairs_that_cross(rng: np.random.Generator) -> None:
    t = np.linspace(0, 1, 81)
    slow, fast = -0.2 + 1j * (1 + 3 * t), -0.3 + 1j * (3.5 - 2 * t)
    assert_followed(t, np.stack([slow, slow.conj(), fast, fast.conj()], axis=1), rng)


def test_uneven_samples(rng: np.random.Generator) -> None:
    t = np.sort(np.concatenate([[0.0, 1.0], rng.uniform(0, 1, 60)]))
    assert_followed(t, np.stack([t**2, 1 - t, 0.4 + 0.1 * t], axis=1).astype(complex), rng)


def test_a_branch_point_keeps_the_rest_apart() -> None:
    """Two real roots meet and become a pair; a third passes by."""
    t = np.linspace(-1, 1, 201)
    sets = [np.concatenate([np.roots([1.0, 0.0, value]), [3 * value]]).astype(complex) for value in t]
    found = follow(t, sets)
    third = int(np.abs(found[0] + 3.0).argmin())
    np.testing.assert_allclose(found[:, third], 3 * t, atol=1e-12)
    for row, wanted in zip(found, sets, strict=True):
        np.testing.assert_allclose(np.sort_complex(row), np.sort_complex(wanted), atol=1e-14)


# -- the bicycle ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def curves() -> lm.analysis.EigenvalueCurves:
    return lm.eigenvalue_curves(bicycle(), {"speed": np.linspace(0.0, 10.0, 201)})


def test_no_jumps_from_rest_to_ten_metres_a_second(curves: lm.analysis.EigenvalueCurves) -> None:
    steps = np.abs(np.diff(curves.eigenvalues, axis=0))
    # Speeds are 0.05 m/s apart and modes change by some 2 1/s for each m/s, faster only at the branch point near 0.7 m/s.
    branch = (curves.values[1:] > 0.5) & (curves.values[1:] < 0.9)
    assert steps[~branch].max() < 0.25
    assert steps.max() < 1.5


def test_castering_stays_one_mode(curves: lm.analysis.EigenvalueCurves) -> None:
    castering = int(curves.eigenvalues[-1].real.argmin())
    column = curves.eigenvalues[:, castering]
    assert np.abs(column.imag).max() == 0.0
    # It falls from the start: from -5.53 to -24.62 without a turn.
    assert (np.diff(column.real) < 0).all()


def test_every_sample_holds_the_eigenvalues_of_its_speed(curves: lm.analysis.EigenvalueCurves) -> None:
    for i in (0, 20, 87, 200):
        exact = lm.linearise(bicycle(), {"speed": float(curves.values[i])}).eigenvalues
        np.testing.assert_allclose(np.sort_complex(curves.eigenvalues[i]), np.sort_complex(exact), atol=1e-12)


def test_stable_band(curves: lm.analysis.EigenvalueCurves) -> None:
    weave, capsize = (4.29238253634111, 6.02426201538837)
    assert len(curves.stable_bands) == 1
    np.testing.assert_allclose(curves.stable_bands[0], (weave, capsize), atol=1e-9)
    inside = (curves.values > weave) & (curves.values < capsize)
    np.testing.assert_array_equal(curves.growth < 0, inside)


def test_crossings_without_a_stable_band() -> None:
    """The hoop only ever becomes neutral: no band in which every mode decays."""
    curves = lm.eigenvalue_curves(unicycle_wheel(), {"spin_rate": np.linspace(1.0, 3.0, 9)})
    assert curves.stable_bands == ()


# -- what is said ---------------------------------------------------------------------------------------------


def test_one_value_is_varied() -> None:
    with pytest.raises(ValueError, match="varies one value, 2 are given: speed, steer"):
        lm.eigenvalue_curves(bicycle(), {"speed": [1.0, 2.0], "steer": [0.0, 0.1]})


@pytest.mark.parametrize("speeds", [[1.0], [2.0, 1.0], [1.0, 1.0], [[1.0, 2.0]]])
def test_values_must_increase(speeds: list[float]) -> None:
    with pytest.raises(TypeError, match="the values of 'speed' is 'x'; give an array of real numbers"):
        lm.eigenvalue_curves(lm.catalogue.bicycle(), {"speed": "x"})
    with pytest.raises(ValueError, match="the values of 'speed' must be two or more, increasing"):
        lm.eigenvalue_curves(bicycle(), {"speed": speeds})


def test_curves_stay_on_their_branch() -> None:
    """Arms of a governor rise with its speed; from the nominal pose a search at 14 rad/s ends with them on the other side."""
    curves = lm.eigenvalue_curves(lm.catalogue.governor(), {"shaft_rate": np.linspace(11.0, 15.0, 9)})
    arms = np.array([motion.coordinates["right"] for motion in curves.motions])
    assert np.all(np.diff(arms) > 0.0) and 0.5 < arms[0] < arms[-1] < 0.5 * np.pi
    assert curves.crossings == ()
