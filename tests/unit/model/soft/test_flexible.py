"""Flexible bodies as descriptions: coordinates, files, parameters, and what is refused."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import LocomotorError

ROUND = lm.CrossSection.circle(0.01, young=2e9, density=1000.0, poisson=0.3)
PLAIN = lm.CrossSection.circle(0.01, young=2e9, density=1000.0)


def beam(**more: Any) -> lm.FlexibleBody:
    return lm.FlexibleBody("beam", 1.0, ROUND, **{"bending_z": 1, **more})


def test_coordinates_are_named_with_units() -> None:
    found = beam(bending_y=2, torsion=1, stretch=1).coordinates
    assert [c.name for c in found] == ["beam_stretch1", "beam_y1", "beam_y2", "beam_z1", "beam_twist1"]
    assert [c.unit for c in found] == ["m", "m", "m", "m", "rad"]


def test_mass_of_a_cylinder() -> None:
    body = beam()
    mass = 1000.0 * np.pi * 1e-4
    assert body.mass == pytest.approx(mass, rel=1e-13)
    assert body.com == pytest.approx((0.5, 0.0, 0.0))
    turned = mass * (3 * 1e-4 + 1.0) / 12
    assert np.asarray(body.inertia) == pytest.approx(np.diag([mass * 0.5e-4, turned, turned]), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    "body",
    [
        beam(bending_y=2, modes="polynomial", damping=0.01, stiffening=True),
        beam(bending_z=["s**2", "s**3"], torsion=["sin(pi*s/2)"], rayleigh=(0.1, 1e-4)),
        lm.FlexibleBody("beam", "L", lm.CrossSection.tube(("r", 0.01), 0.005, young="E", density=1000.0), bending_z=1),
    ],
)
@pytest.mark.slow
def test_files_keep_it(body: lm.FlexibleBody) -> None:
    parameters = {"L": 1.0, "r": 0.02, "E": 2e9}
    made = lm.System("made", [body], [lm.Fixed(name="clamp", parent="world", child="beam")], parameters=parameters)
    assert lm.model.from_data(lm.model.to_data(made)) == made
    assert made.body("beam").coordinates == body.coordinates


def refused(**more: Any) -> str:
    with pytest.raises(LocomotorError) as error:
        lm.FlexibleBody(**{"name": "beam", "length": 1.0, "section": ROUND, "bending_z": 1, **more})
    return str(error.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"length": 0.0}, "length is 0.0 m; it must be positive"),
        ({"length": None}, "length"),
        ({"section": 0.01}, "give a CrossSection"),
        ({"bending_z": 0}, "no shapes"),
        ({"bending_z": -1}, "bending_z"),
        ({"bending_z": 1.5}, "bending_z"),
        ({"bending_z": 500}, "bending_z"),
        ({"bending_z": "s**2"}, "a list of formulas"),
        ({"bending_z": ["s**2", "2*s**2"]}, "combination of the others"),
        ({"bending_z": ["s"]}, "the slope 1 at s = 0"),
        ({"bending_z": ["0*s"]}, "zero or not finite"),
        ({"bending_z": ["log(s)"]}, "no finite value at s = 0"),
        ({"bending_z": []}, "no shape is given"),
        ({"bending_z": ["L*s**2"]}, "no shape"),
        ({"bending_z": [3.0]}, "no shape"),
        ({"modes": "clamped"}, "clamped-free"),
        ({"modes": None}, "one of clamped-free"),
        ({"section": PLAIN, "torsion": 1}, "torsion needs GJ of the section"),
        ({"damping": -0.1}, "damping is -0.1; it must not be negative"),
        ({"damping": 0.1, "rayleigh": (0.0, 0.1)}, "give one of the two"),
        ({"rayleigh": 0.1}, "give two values"),
        ({"stiffening": "yes"}, "stiffening"),
        ({"name": "2beam"}, "name"),
    ],
)
def test_what_is_refused(given: dict[str, Any], says: str) -> None:
    assert says in refused(**given)


def test_parameters_are_checked_with_the_system() -> None:
    body = lm.FlexibleBody("beam", "L", lm.CrossSection.circle("r", young=2e9, density=1000.0, poisson="nu"), bending_z=1)
    clamp = lm.Fixed(name="clamp", parent="world", child="beam")
    good = {"L": 1.0, "r": 0.01, "nu": 0.3}
    assert lm.System("made", [body], [clamp], parameters=good)
    for change, says in (
        ({"nu": 0.6}, "Poisson's ratio is 0.6"),
        ({"L": -1.0}, "length is -1.0 m"),
        ({"r": 0.0}, "must be positive"),
    ):
        with pytest.raises(LocomotorError, match=says):
            lm.System("made", [body], [clamp], parameters=good | change)
    with pytest.raises(LocomotorError, match="unknown"):
        lm.System("made", [body], [clamp], parameters={"L": 1.0, "r": 0.01})


def test_floating_shapes_are_carried_by_free_joints_only() -> None:
    floating = beam(modes="free-free")
    assert lm.System("free", [floating], [lm.Free(name="base", parent="world", child="beam")])
    with pytest.raises(LocomotorError, match="cannot hold it"):
        lm.System("held", [floating], [lm.Revolute(name="hinge", parent="world", child="beam", axis=(0, 1, 0))])


def test_a_symbol_of_a_name_in_two_words_is_good_latex() -> None:
    """An underscore would put what follows it one step lower."""
    section = lm.CrossSection.circle(0.01, young=1e9, density=1000.0)
    (symbol,) = lm.FlexibleBody("left_beam", 1.0, section, bending_y=1).coordinates
    assert symbol.latex == r"v_{\mathrm{left\_beam},1}"
