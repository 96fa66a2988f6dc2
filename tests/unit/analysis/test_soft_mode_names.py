"""Modes of soft bodies have names: what deforms, counted by frequency."""

import numpy as np
import pytest

import locomotor as lm

CLAMPED_FREE = np.array([1.8751040687, 4.6940911330]) ** 2


def held(*bodies: lm.Body) -> lm.System:
    return lm.System("held", bodies, [lm.Fixed(name=f"clamp_{body.name}", parent="world", child=body.name) for body in bodies])


def named(system: lm.System) -> dict[str, float]:
    """Name -> frequency, of one of each pair; both of a pair have the same name."""
    linear = lm.linearise(system)
    pairs = list(zip(linear.mode_names, linear.eigenvalues, strict=True))
    assert all(name for name, _ in pairs)
    up, down = ({name: abs(value.imag) for name, value in pairs if sign * value.imag > 0.0} for sign in (1.0, -1.0))
    assert up.keys() == down.keys() and len(up) == len(pairs) / 2
    return up


def test_bending_and_torsion_of_a_beam() -> None:
    """Frequencies of books: bending of a clamped beam, and torsion pi/2 sqrt(GJ/I) for a quarter of a wave."""
    section = lm.CrossSection(mass=1.0, EIz=1.0, GJ=4e-4, second=(5e-5, 5e-5, 0.0))
    found = named(held(lm.FlexibleBody("beam", 1.0, section, bending_y=2, torsion=1)))
    assert set(found) == {"first bending", "second bending", "first torsion"}
    # second moments of the mass slow bending down a little
    assert [found["first bending"], found["second bending"]] == pytest.approx(list(CLAMPED_FREE), rel=2e-3)
    assert found["first torsion"] == pytest.approx(0.5 * np.pi * 2.0, rel=1e-3)


@pytest.mark.slow
def test_a_rod_that_bends_both_ways_and_a_second_body() -> None:
    section = lm.CrossSection(mass=1.0, EIz=1.0, EIy=4.0)
    rod = lm.Rod("rod", section=section, length=1.0, strains={"bend_y": 2, "bend_z": 2})
    assert named(held(rod))["first bending about y"] == pytest.approx(2.0 * CLAMPED_FREE[0], rel=1e-2)
    two = named(held(rod, lm.FlexibleBody("beam", 1.0, section, bending_z=1)))
    assert two["first bending about z of rod"] == pytest.approx(CLAMPED_FREE[0], rel=1e-2)
    assert two["first bending of beam"] == pytest.approx(2.0 * CLAMPED_FREE[0], rel=1e-6)


def test_names_that_a_system_declares_go_before() -> None:
    beam = lm.FlexibleBody("beam", 1.0, lm.CrossSection(mass=1.0, EIz=1.0), bending_y=1)
    flutters = lm.Mode("flutter", True, ("beam_y1", "beam_y1_rate"))
    assert set(named(held(beam).replace(modes=(flutters,)))) == {"flutter"}
