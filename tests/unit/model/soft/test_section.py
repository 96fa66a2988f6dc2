"""Sections: closed forms of full and hollow ones, tapers, parameters, and what no slender body has."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import LocomotorError, SoftBodyError
from locomotor.model.soft import CrossSection

STEEL = {"young": 2e11, "density": 7800.0, "poisson": 0.3}


def test_a_round_section() -> None:
    found = CrossSection.circle(0.01, **STEEL)
    area, about = math.pi * 1e-4, math.pi / 4 * 1e-8
    assert pytest.approx(2e11 * area, rel=1e-14) == found.EA
    assert found.EIy == found.EIz == pytest.approx(2e11 * about, rel=1e-14)
    assert pytest.approx(2e11 / 2.6 * 2 * about, rel=1e-14) == found.GJ
    assert found.mass == pytest.approx(7800 * area, rel=1e-14)
    assert found.second == pytest.approx((7800 * about, 7800 * about, 0.0), rel=1e-14)


def test_a_tube_is_a_full_section_less_its_hole() -> None:
    outer, hole = CrossSection.circle(0.02, **STEEL), CrossSection.circle(0.015, **STEEL)
    found = CrossSection.tube(0.02, 0.015, **STEEL)
    for name in ("EA", "EIy", "GJ", "mass"):
        assert getattr(found, name) == pytest.approx(getattr(outer, name) - getattr(hole, name), rel=1e-13)


@pytest.mark.parametrize(("ratio", "factor"), [(1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (5.0, 0.291), (10.0, 0.312)])
def test_torsion_of_rectangles(ratio: float, factor: float) -> None:
    """J = k a c³ with k of Timoshenko and Goodier, table of section 109, to its digits; either side may be the longer one."""
    for sides in ((ratio * 0.01, 0.01), (0.01, ratio * 0.01)):
        found = CrossSection.rectangle(*sides, young=2.0, density=1.0, shear=1.0)
        assert pytest.approx(factor * ratio * 1e-8, abs=6e-4 * ratio * 1e-8) == found.GJ
    wide = CrossSection.rectangle(ratio * 0.01, 0.01, young=2.0, density=1.0)
    assert wide.EIy == pytest.approx(2.0 * ratio * 1e-8 / 12, rel=1e-13)  # sags along z easily: its height is small
    assert wide.GJ is None and wide.GAy is None


def test_tapers_and_parameters() -> None:
    found = CrossSection.circle(("r", "r/2"), young="E", density=1000.0, shear="E/3")
    assert found.names == {"r", "E"} and not found.is_uniform
    here = found.at(0.5, {"r": 0.02, "E": 1e6})
    assert here.stiffness["EA"] == pytest.approx(1e6 * math.pi * 0.015**2, rel=1e-14)
    assert here.mass == pytest.approx(1000 * math.pi * 0.015**2, rel=1e-14)
    plain = CrossSection.circle((0.02, 0.01), young=1e6, density=1000.0, shear=1e6 / 3).at(0.5, {})
    assert plain.stiffness == pytest.approx(here.stiffness, rel=1e-14)


def test_mass_behind_a_leading_edge() -> None:
    """A thin strip from z = -c to 0: p0 = mu c, p1 = -mu c²/2, p2 = mu c³/3 (Belkhiri 2013, section 4.4.3)."""
    chord = "c*sqrt(1 - s**2)"
    found = CrossSection(
        mass=f"mu*{chord}", moment=(0.0, f"-mu*({chord})**2/2"), second=(0.0, f"mu*({chord})**3/3", 0.0), GJ=f"k*({chord})**3"
    )
    here = found.at(0.6, {"mu": 0.14, "c": 0.05, "k": 2.0})
    assert (here.mass, here.moment[1], here.second[1]) == pytest.approx((0.14 * 0.04, -0.14 * 0.0008, 0.14 * 0.04**3 / 3))


@pytest.mark.parametrize("ratio", [0.5, 0.6, -1.0, -3.0])
def test_poisson_outside_its_range(ratio: float) -> None:
    with pytest.raises(SoftBodyError, match=r"Poisson's ratio is .*between -1 and 0\.5"):
        CrossSection.circle(0.01, young=1e9, density=1e3, poisson=ratio)
    with pytest.raises(SoftBodyError, match="Poisson's ratio"):
        CrossSection.circle(0.01, young=1e9, density=1e3, poisson="nu").check({"nu": ratio})


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: CrossSection(mass=0.0), "mass is 0.0 kg/m"),
        (lambda: CrossSection(mass=1.0, EA=-3.0), "EA is -3.0 N; it must be positive; leave it out"),
        (lambda: CrossSection(mass="1 - 2*s"), "at s = 0.5"),
        (lambda: CrossSection(mass=1.0, moment=(0.1, 0.0)), "no mass has the moments"),
        (lambda: CrossSection(mass=1.0, second=3.0), "give 3 values"),  # type: ignore[arg-type]
        (lambda: CrossSection(mass=1.0, second=None), "second is None; give 3 values"),  # type: ignore[arg-type]
        (lambda: CrossSection(mass=1.0, moment=None), "moment is None; give 2 values"),  # type: ignore[arg-type]
        (lambda: CrossSection(mass=None), "mass"),  # type: ignore[arg-type]
        (lambda: CrossSection.circle(0.0, **STEEL), "radius is 0.0 m; it must be positive"),
        (lambda: CrossSection.circle((1.0, 2.0, 3.0), **STEEL), "two for a linear taper"),  # type: ignore[arg-type]
        (lambda: CrossSection.tube(0.01, 0.02, **STEEL), "not smaller than the outer"),
        (lambda: CrossSection.rectangle(0.1, -0.1, **STEEL), "height is -0.1 m"),
        (lambda: CrossSection.circle(0.1, young=1.0, density=-1.0), "density is -1.0 kg/m³"),
        (lambda: CrossSection.circle(0.1, shear=1.0, **STEEL), "give one of the two"),
    ],
)
def test_what_is_refused(make: Any, says: str) -> None:
    with pytest.raises(LocomotorError) as error:
        make()
    assert says in str(error.value)


def test_it_is_public_and_compares_by_content() -> None:
    assert lm.CrossSection is CrossSection
    assert CrossSection.circle((0.02, 0.01), **STEEL) == CrossSection.circle(np.array([0.02, 0.01]), **STEEL)
