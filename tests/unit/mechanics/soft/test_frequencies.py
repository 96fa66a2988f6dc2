"""Natural frequencies of uniform beams against closed forms, and of spinning ones against the equation of the string-beam."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics import AssumedModes
from locomotor.mechanics.tree import Instant, forward, mass_matrix

Array = Any
# No rotary inertia: closed forms are those of Euler and Bernoulli.
SECTION = lm.CrossSection(mass=2.0, EIy=3.0, EIz=3.0, EA=50.0)
SPEED = np.sqrt(3.0 / 2.0) / 0.8**2

CLAMPED_FREE = [
    1.8751040687119611,
    4.6940911329741745,
    7.8547574382376126,
    10.995540734875467,
    14.13716839104647,
    17.278759532088236,
]
FREE_FREE = [4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464, 17.27875965739948, 20.42035224562606]
PINNED_FREE = [
    3.926602312047919,
    7.068582745628732,
    10.210176122813031,
    13.351768777754094,
    16.493361431346423,
    19.634954084936207,
]
"""Roots b of the frequency equations (Blevins 1979, table 8-1): omega = b² sqrt(EI/(m L⁴))."""


def beam(**shapes: Any) -> lm.FlexibleBody:
    return lm.FlexibleBody("beam", 0.8, SECTION, **shapes)


def frequencies(body: lm.FlexibleBody, joint: lm.model.Joint, count: int = 6) -> Array:
    """Of the undeformed body at rest, carried by a joint: det(K - omega² M) = 0, those that are zero left out."""
    system = lm.System("one", [body], [joint])
    M = np.asarray(mass_matrix(forward(Instant(system, system.nominal_pose(), np.zeros(system.layout.nv)))), dtype=float)
    K, own = np.zeros_like(M), system.layout.v["beam"]
    n = own.stop - own.start
    forces = [AssumedModes(body).bias(e, 0.0 * e, np.zeros(3), {})[1] for e in np.eye(n)]
    K[own, own] = np.array(forces)
    squares = np.linalg.eigvals(np.linalg.solve(M, K)).real
    return np.sqrt(np.sort(squares[squares > 1e-3]))[:count]


CLAMP = lm.Fixed(name="clamp", parent="world", child="beam")


@pytest.mark.parametrize(("modes", "count"), [("clamped-free", 6), ("polynomial", 18)])
@pytest.mark.slow
def test_clamped_free(modes: str, count: int) -> None:
    for plane in ("bending_y", "bending_z"):
        found = frequencies(beam(modes=modes, **{plane: count}), CLAMP)
        assert found == pytest.approx(SPEED * np.square(CLAMPED_FREE), rel=1e-6 if modes == "polynomial" else 1e-13)


def test_pinned_free() -> None:
    """A hinge at the start: the shapes are clamped to a frame that turns."""
    hinge = lm.Revolute(name="hinge", parent="world", child="beam", axis=(0, 1, 0))
    assert frequencies(beam(modes="polynomial", bending_z=18), hinge) == pytest.approx(SPEED * np.square(PINNED_FREE), rel=1e-6)


def test_pinned_pinned() -> None:
    wanted = SPEED * np.square(np.pi * np.arange(1, 7))
    assert frequencies(beam(modes="pinned-pinned", bending_z=6), CLAMP) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize(("modes", "count"), [("free-free", 6), ("polynomial", 18)])
def test_free_free(modes: str, count: int) -> None:
    """Free in the plane, in floating axes as in clamped ones."""
    free = lm.Planar(name="base", parent="world", child="beam")
    found = frequencies(beam(modes=modes, bending_y=count), free)
    assert found == pytest.approx(SPEED * np.square(FREE_FREE), rel=1e-6 if modes == "polynomial" else 1e-12)


def test_twist_and_stretch() -> None:
    waves = (np.arange(1, 7) - 0.5) * np.pi / 0.8
    round_ = lm.CrossSection(mass=2.0, GJ=1.5, second=(0.01, 0.01, 0.0))
    assert frequencies(lm.FlexibleBody("beam", 0.8, round_, torsion=6), CLAMP) == pytest.approx(
        waves * np.sqrt(1.5 / 0.02), rel=1e-13
    )
    assert frequencies(beam(stretch=6), CLAMP) == pytest.approx(waves * np.sqrt(50.0 / 2.0), rel=1e-13)


@pytest.mark.parametrize(
    ("damping", "rate"),
    [({"damping": 0.03}, lambda w: 0.03 * w), ({"rayleigh": (0.4, 2e-3)}, lambda w: 0.5 * (0.4 + 2e-3 * w**2))],
)
def test_modes_die_out_as_their_damping_says(damping: dict[str, Any], rate: Any) -> None:
    """Re = -z w for a ratio z to critical damping, -(a + b w²)/2 for a M + b K; of w the undamped frequencies."""
    found = lm.linearise(lm.System("one", [beam(bending_y=2, **damping)], [CLAMP])).eigenvalues
    sizes = np.abs(found[found.imag > 0.0])
    assert np.sort(sizes) == pytest.approx(SPEED * np.square(CLAMPED_FREE[:2]), rel=1e-10)
    assert -found[found.imag > 0.0].real == pytest.approx(rate(sizes), rel=1e-9)


def test_rotary_inertia_lowers_them() -> None:
    """Rayleigh's beam, pinned at both ends: omega² (1 + (k pi)² r²/L²) = (k pi)⁴ EI/(m L⁴), exact with sines."""
    thick = lm.CrossSection(mass=2.0, EIy=3.0, second=(0.0, 0.01, 0.0))
    body = lm.FlexibleBody("beam", 0.8, thick, bending_z=3, modes="pinned-pinned")
    k = np.pi * np.arange(1, 4)
    wanted = SPEED * k**2 / np.sqrt(1.0 + k**2 * 0.005 / 0.8**2)
    assert frequencies(body, CLAMP) == pytest.approx(wanted, rel=1e-12)


# -- a beam that spins about an axis at its start, normal to it ----------------------------------------------------------


def spinning(ratio: float, plane: str, stiffening: bool) -> Array:
    """First two frequencies over sqrt(EI/(m L⁴)), at the spin `ratio` in the same unit."""
    body = lm.FlexibleBody(
        "beam", 1.0, lm.CrossSection(mass=1.0, EIy=1.0, EIz=1.0), **{plane: 6}, modes="polynomial", stiffening=stiffening
    )
    soft, omega, h = AssumedModes(body), np.array([0.0, 0.0, ratio]), 1e-6
    K = np.array(
        [(soft.bias(h * e, 0.0 * e, omega, {})[1] - soft.bias(-h * e, 0.0 * e, omega, {})[1]) / (2 * h) for e in np.eye(6)]
    )
    return np.sort(np.linalg.eigvals(np.linalg.solve(soft.mass(np.zeros(6), {}), K)).real)[:2]


WRIGHT = {1.0: (3.6816, 22.1810), 4.0: (5.5850, 24.2733), 10.0: (11.2023, 33.6404)}
"""Spin -> out-of-plane frequencies of a spinning cantilever (Wright, Smith, Thresher and Wang 1982, table 1)."""


@pytest.mark.parametrize("ratio", WRIGHT)
def test_spinning_stiffens(ratio: float) -> None:
    wanted = np.square(WRIGHT[ratio])
    # four decimals of the table
    assert spinning(ratio, "bending_z", True) == pytest.approx(wanted, rel=1e-4)
    # in the plane of the spin the centrifugal force follows the point: one spin less
    assert spinning(ratio, "bending_y", True) == pytest.approx(wanted - ratio**2, rel=2e-4)


def test_without_stiffening_it_softens() -> None:
    """Linear kinematics miss the tension: omega² - Omega² in the plane of the spin, unstable beyond the first frequency."""
    first = CLAMPED_FREE[0] ** 4
    assert spinning(2.0, "bending_y", False)[0] == pytest.approx(first - 4.0, rel=1e-6)
    assert spinning(4.0, "bending_y", False)[0] < 0.0 < spinning(4.0, "bending_y", True)[0]
