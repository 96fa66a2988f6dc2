"""Arrows of the air on the page: each wing has a place on its body and the channels of its force."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.viewing.scene.scene import scene_of


def test_each_wing_has_a_place_and_a_force() -> None:
    system = lm.catalogue.falling_plate()
    (wing,) = scene_of(system).wings
    assert wing.name == "plate" and system.bodies[wing.body].name == "card"
    assert wing.at == pytest.approx(np.zeros(3), abs=1e-15)  # one section, in the middle of the card
    names = {field.name for group in lm.trace(system).observables for field in group.fields}
    assert {f"{wing.name}_air_{axis}" for axis in "xyz"} <= names


def test_the_place_lies_on_the_outer_half_of_a_wing() -> None:
    """The integral of c X³ over that of c X² for a quarter ellipse is 32/(15 pi) of its length."""
    system = lm.catalogue.hawkmoth()
    right = next(wing for wing in scene_of(system).wings if wing.name == "right_foil")
    assert -right.at[1] / 51.9e-3 == pytest.approx(32.0 / (15.0 * np.pi), rel=0.02)
