"""Which velocities are eliminated does not hang on the units they are measured in, nor on round-off."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError
from locomotor.mechanics import choose_reduction
from locomotor.mechanics.constraints.elimination import choose_pivots


@pytest.mark.parametrize("seed", range(5))
def test_units_of_the_velocities_do_not_matter(seed: int) -> None:
    """A joint in rad on a link of a millimetre beside displacements in m: the same motions, the same choice."""
    generator = np.random.default_rng(seed)
    samples = generator.normal(size=(6, 4, 7))
    units = np.exp2(generator.integers(-12, 12, 7))  # powers of two, so that nothing is rounded
    plain, scaled = choose_pivots(samples), choose_pivots(samples * units)
    assert scaled.steps == plain.steps and scaled.independent == plain.independent
    np.testing.assert_allclose(scaled.sizes, [size * units[j] for (_, j), size in zip(plain.steps, plain.sizes, strict=True)])


@pytest.mark.parametrize("seed", range(5))
def test_nor_do_those_of_joints_that_only_auxiliary_columns_speak_of(seed: int) -> None:
    """Own columns 0 to 3, of which the last two appear in the definition of the auxiliary columns 4 and 5 alone."""
    generator = np.random.default_rng(seed)
    samples = np.zeros((6, 4, 6))
    samples[:, :2, [0, 1, 4, 5]] = generator.normal(size=(6, 2, 4))
    samples[:, 2:, 2:4] = generator.normal(size=(6, 2, 2))
    samples[:, 2, 4] = samples[:, 3, 5] = -1.0
    stages = (0, 0, 1, 1, 1, 1)
    units = np.ones(6)
    units[2:4] = np.exp2(generator.integers(-12, 12, 2))
    plain, scaled = (choose_pivots(each, stages=stages, auxiliary=2) for each in (samples, samples * units))
    assert scaled.steps == plain.steps


def test_a_motion_that_cancels_but_for_round_off_has_no_unit_of_its_own() -> None:
    """Column 1 moves both auxiliary columns by 0.3 against each other: 0.1 + 0.2 - 0.3 is not zero, and is nothing."""
    samples = np.zeros((1, 3, 4))
    samples[0, 0] = [1.0, 0.0, 1.0, 1.0]
    samples[0, 1] = [0.0, 0.1 + 0.2, -1.0, 0.0]
    samples[0, 2] = [0.0, -0.3, 0.0, -1.0]
    found = choose_pivots(samples, stages=(0, 1, 1, 1), auxiliary=2)
    assert (0, 0) in found.steps and found.independent == (1,)


def test_a_column_that_is_next_to_nothing_is_no_pivot() -> None:
    """Two ends of a rod that lies all but flat: sliding along itself, the first column, lifts it by round-off alone."""
    tilt = 6.5e-10
    rows = np.array([[tilt, 0.97, 0.24, 0.0, 0.07, -0.29], [tilt, 0.97, 0.24, 0.0, -0.07, 0.29]])
    found = choose_pivots(rows[None] + tilt * np.linspace(-1.0, 1.0, 3)[:, None, None])
    assert 0 not in {column for _, column in found.steps} and len(found.steps) == 2


def test_a_contact_that_touches_nowhere_in_particular_is_named() -> None:
    """A disc that lies flat on its plane: every point of its rim is its lowest."""
    disc = lm.System(
        "coin",
        bodies=(lm.Body("coin", 1.0, inertia=(0.0025, 0.0025, 0.005)),),
        joints=(lm.Free(name="base", parent="world", child="coin"),),
        contacts=(lm.RollingDisc("rim", "coin", (0, 0, 0), (0, 0, 1), 0.1),),
    )
    with pytest.raises(ModelError, match="'rim' touches nowhere in particular"):
        choose_reduction(disc)


def test_of_rows_that_depend_on_each_other_the_weakest_is_left_over() -> None:
    """Of two points that stay where they are the second moves along the line to the first by what is all but nothing.

    That row vanishes where the line is along an axis, and was taken for the turning about another: a disc that stood on a face
    and an edge, a diameter apart, ended its run there.
    """
    apart = np.array([0.2, -0.01, 0.02])
    first = np.hstack([np.eye(3), np.zeros((3, 3))])
    second = np.hstack([np.eye(3), np.cross(np.eye(3), apart).T])
    found = choose_pivots(np.vstack([first, second])[None], keep=[3], firmest=True)
    assert found.redundant_rows == (3,) and found.independent == (3,)


def ruled(coefficients: dict[str, str]) -> lm.System:
    """A cart in the plane under one rule on its velocities."""
    along = lm.Prismatic(name="x", parent="world", child="carriage", axis=(1, 0, 0))
    across = lm.Prismatic(name="y", parent="carriage", child="cart", axis=(0, 1, 0))
    bodies = [lm.Body(name, 1.0, inertia=(1, 1, 1)) for name in ("carriage", "cart")]
    return lm.System("cart", bodies, [along, across], constraints=[lm.VelocityConstraint("rule", coefficients)])


def test_where_a_run_has_come_to_pivots_need_not_last_far() -> None:
    """Of x the rule speaks within 5 cm, of y beyond: no pivot serves all around, which a start refuses, and one serves here."""
    system = ruled({"x_rate": "max(0, 1 - 20*abs(x))", "y_rate": "max(0, 20*abs(x) - 1)"})
    with pytest.raises(ModelError, match="drops out"):
        choose_reduction(system)
    for x, name in ((0.0, "y_rate"), (0.2, "x_rate")):
        assert choose_reduction(system, np.array([x, 0.0])).names == (name,)


def test_where_a_run_has_come_to_pivots_are_not_feeble() -> None:
    """Farther on the first is large and the second small; here the first is all but gone."""
    system = ruled({"x_rate": "0.005 + abs(x)", "y_rate": "1/(1 + 1000*x**2)"})
    assert choose_reduction(system).names == ("y_rate",)
    assert choose_reduction(system, np.zeros(2)).names == ("x_rate",)
