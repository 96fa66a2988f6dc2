"""Parameters and ordered sets of them."""

import math
import re

import pytest

from locomotor.errors import (
    DuplicateNameError,
    InvalidNameError,
    NotFiniteError,
    QuantityError,
    UnknownNameError,
)
from locomotor.model import Parameter, ParameterSet, parse

MASS = Parameter("mass", 2.0, "kg", "m", "mass of the frame", "Meijaard et al. 2007")
LENGTH = Parameter("length", 0.5, "m")


def test_set_is_ordered_and_looked_up_by_name():
    parameters = ParameterSet((MASS, LENGTH))
    assert list(parameters) == ["mass", "length"] == list(parameters.keys())
    assert parameters["mass"] is MASS
    assert parameters.values == {"mass": 2.0, "length": 0.5}
    assert len(parameters) == 2
    assert "mass" in parameters
    assert "m" not in parameters


def test_symbols_build_formulas():
    p = ParameterSet((MASS, LENGTH)).symbols
    assert p["mass"] * p["length"] ** 2 == parse("mass*length**2")


def test_replace_changes_values_only_and_leaves_the_original():
    parameters = ParameterSet((MASS, LENGTH))
    heavier = parameters.replace(mass=3)
    assert heavier.values == {"mass": 3.0, "length": 0.5}
    assert heavier["mass"].source == MASS.source
    assert parameters.values["mass"] == 2.0


def test_replace_of_an_unknown_name_suggests_the_nearest():
    with pytest.raises(UnknownNameError) as info:
        ParameterSet((MASS, LENGTH)).replace(lenght=1.0)
    assert str(info.value) == "no parameter is named 'lenght': did you mean 'length'?"


def test_unknown_name_lists_the_known_ones_when_none_is_alike():
    with pytest.raises(UnknownNameError, match="no parameter is named 'zzz': known names: mass, length"):
        ParameterSet((MASS, LENGTH))["zzz"]
    with pytest.raises(UnknownNameError, match="there are none"):
        ParameterSet()["zzz"]


def test_sets_compare_and_hash_by_content():
    assert ParameterSet((MASS, LENGTH)) == ParameterSet([MASS, LENGTH])
    assert hash(ParameterSet((MASS,))) == hash(ParameterSet((MASS,)))
    assert ParameterSet((MASS,)) != ParameterSet((LENGTH,))
    assert ParameterSet({"a": 1, "b": 2}).values == {"a": 1.0, "b": 2.0}
    assert ParameterSet((MASS,)) + ParameterSet((LENGTH,)) == ParameterSet((MASS, LENGTH))


def test_duplicate_parameter():
    with pytest.raises(DuplicateNameError, match="two parameters are named 'mass'; rename one of them"):
        ParameterSet((MASS, MASS))


@pytest.mark.parametrize("name", ["2m", "a b", "", "lambda", 3])
def test_name_that_is_no_identifier(name):
    message = f"a parameter: the name {re.escape(repr(name))} is not an identifier; use letters"
    with pytest.raises(InvalidNameError, match=message):
        Parameter(name, 1.0)


@pytest.mark.parametrize("name", ["t", "pi", "world", "sin", "smooth_step"])
def test_reserved_name(name):
    with pytest.raises(InvalidNameError, match=f"the name '{name}' is reserved; choose another one"):
        Parameter(name, 1.0)


def test_value_must_be_a_finite_number():
    with pytest.raises(NotFiniteError, match="parameter 'mass' is nan; give a finite number"):
        Parameter("mass", math.nan)
    with pytest.raises(QuantityError, match="parameter 'mass' is '2\\*m'; its value must be a number"):
        Parameter("mass", "2*m")
    with pytest.raises(QuantityError, match="a ParameterSet holds Parameters, got 'mass'"):
        ParameterSet(["mass"])


def test_latex_comes_from_the_name_unless_given():
    assert MASS.latex == "m"
    assert Parameter("lam", 0.1).latex == r"\lambda"
    assert Parameter("theta_2", 0.1).latex == r"\theta_{2}"
    assert Parameter("k3", 0.1).latex == "k_{3}"
