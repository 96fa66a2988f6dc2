"""Roots of functions of one variable."""

import math

import pytest

from locomotor.simulation.roots import root_between


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_function_that_is_not_a_number_in_between_is_followed_up_to_there(sign: float) -> None:
    """A step may fail within one that did not: no error of another library is let through."""

    def broken(x: float) -> float:
        return sign * (1.0 - x) if not 0.25 < x < 1.5 else math.nan

    assert root_between(broken, 0.0, 2.0, xtol=1e-12) == pytest.approx(0.25, abs=1e-11)


def test_a_function_of_one_sign_is_refused_as_before() -> None:
    with pytest.raises(ValueError, match="different signs"):
        root_between(lambda x: 1.0 + x, 0.0, 2.0, xtol=1e-12)
