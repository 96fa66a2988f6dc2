"""Bicycles as they were measured or thought up: moments that no body has exactly, and point masses.

The values are those distributed with BicycleParameters (J. K. Moore, Human Control of a Bicycle, PhD dissertation, University
of California, Davis, 2012; moorepants/BicycleParameters, BSD 2-Clause), here the moments in question and what goes with them.
"""

import warnings
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.bicycle_parameters import PUBLISHED
from locomotor.errors import InertiaDefinitenessError
from locomotor.model import Body, Free, Gravity, Revolute, Skate, System
from locomotor.model.body import InertiaWarning

MEASURED: dict[str, tuple[str, dict[str, float]]] = {
    # name -> body that no distribution of mass has exactly ("" where all is well), moments of that body
    "browser": (
        "rear_frame",
        {"mB": 9.86, "IBxx": 0.52962890621, "IByy": 1.3163960125, "IBzz": 0.756786895402, "IBxz": -0.116285607878},
    ),
    "yellow": (
        "fork",
        {"lam": 0.301941960595, "mH": 2.45, "IHxx": 0.145204096638, "IHyy": 0.120010862686, "IHzz": 0.0292310723185}
        | {"IHxz": -0.0193850131223},
    ),
    "yellowrev": (
        "fork",
        {"lam": 0.338593874887, "mH": 2.45, "IHxx": 0.147496786888, "IHyy": 0.119511786484, "IHzz": 0.0293793112718}
        | {"IHxz": -0.0171836655309},
    ),
    "balanceassistv1": (
        "",
        {"mB": 22.5, "IBxx": 1.12, "IByy": 3.16, "IBzz": 2.119, "IBxz": 0.047},
    ),
}


@pytest.mark.parametrize("name", MEASURED)
def test_measured_moments_are_taken_with_a_warning_that_names_the_body(name: str) -> None:
    body, values = MEASURED[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bicycle = lm.catalogue.bicycle({**PUBLISHED["meijaard2007"][0], **values})
        run = lm.simulate(bicycle, 0.05, start={"speed": 5.0, "roll_rate": 0.1}, step=0.005, target="interpreter")
    told = [str(entry.message) for entry in caught if entry.category is InertiaWarning]
    assert run.status.completed
    assert bool(told) == bool(body)
    assert all(f"Body {body!r}: no body has exactly the principal moments" in text for text in told)


# -- the two-mass-skate bicycle -------------------------------------------------------------------------------

TMS = {"w": 1.0, "c": 0.0, "lam": 0.0872664626, "g": 9.81, "xB": 1.2, "zB": -0.4, "mB": 10.0, "xH": 1.02, "zH": -0.2, "mH": 1.0}
"""Kooijman, Meijaard, Papadopoulos, Ruina, Schwab, Science 332 (2011) 339-342: two point masses on skates; z points down."""


def two_mass_skate() -> System:
    """Rear frame and fork are point masses; wheels without radius and mass are skates."""
    p = TMS
    s, c = np.sin(p["lam"]), np.cos(p["lam"])
    up, forward = -p["zH"], p["xH"] - p["w"] - p["c"]
    none = (0.0, 0.0, 0.0)
    return System(
        "two_mass_skate",
        [
            Body("rear_frame", mass=p["mB"], com=(p["xB"], 0.0, -p["zB"]), inertia=none),
            Body("fork", mass=p["mH"], com=(up * s + forward * c, 0.0, up * c - forward * s), inertia=none),
        ],
        [
            Free(name="base", parent="world", child="rear_frame"),
            Revolute(
                name="steer",
                parent="rear_frame",
                child="fork",
                at=(p["w"] + p["c"], 0.0, 0.0),
                rotation=(0.0, -p["lam"], 0.0),
                axis=(0.0, 0.0, 1.0),
            ),
        ],
        contacts=[
            Skate("rear", "rear_frame", at=(0.0, 0.0, 0.0), heading=(1.0, 0.0, 0.0)),
            Skate("front", "fork", at=(-p["c"] * c, 0.0, p["c"] * s), heading=(c, 0.0, -s)),
        ],
        forces=[Gravity((0.0, 0.0, -p["g"]))],
        independent=("speed", "roll_rate", "steer_rate"),
    )


def linear_equations(v: float) -> Any:
    """Eigenvalues by the linear equations of Meijaard et al., Proc. R. Soc. A 463 (2007), appendix A, without wheels."""
    w, c, lam, g, xB, zB, mB, xH, zH, mH = (TMS[name] for name in ("w", "c", "lam", "g", "xB", "zB", "mB", "xH", "zH", "mH"))
    s, k = np.sin(lam), np.cos(lam)
    mT, sx, sz = mB + mH, mB * xB + mH * xH, mB * zB + mH * zH
    Txx, Tzz = mB * zB**2 + mH * zH**2, mB * xB**2 + mH * xH**2
    Txz = -mB * xB * zB - mH * xH * zH
    u = (xH - w - c) * k - zH * s
    All, Alx, Alz = mH * u**2, -mH * u * zH, mH * u * xH
    mu = c / w * k
    SA = mH * u + mu * sx
    M = np.array([[Txx, Alx + mu * Txz], [Alx + mu * Txz, All + 2 * mu * Alz + mu**2 * Tzz]])
    K0 = np.array([[sz, -SA], [-SA, -SA * s]])
    K2 = np.array([[0.0, -sz / w * k], [0.0, SA / w * k]])
    C1 = np.array([[0.0, Txz * k / w - mu * sz], [0.0, Alz * k / w + mu * (SA + Tzz * k / w)]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, g * K0 + v**2 * K2), -np.linalg.solve(M, v * C1)]])
    return np.sort_complex(np.linalg.eigvals(A)) if mT else None


@pytest.mark.parametrize("speed", [1.0, 3.0, 5.0])
def test_the_two_mass_skate_bicycle_has_the_eigenvalues_of_the_linear_equations(speed: float) -> None:
    found = lm.linearise(two_mass_skate(), {"speed": speed}).eigenvalues
    expected = linear_equations(speed)
    ours = np.array(sorted(found, key=abs))[-4:]
    np.testing.assert_allclose(np.sort_complex(ours), expected, rtol=1e-8, atol=1e-9)


def test_the_two_mass_skate_bicycle_is_self_stable_as_its_source_says() -> None:
    """Its source shows that it is self-stable without gyroscopic effects and without trail, at some speeds."""
    stable = [bool((linear_equations(v).real < 0.0).all()) for v in (1.0, 5.0)]
    assert stable == [False, True]
    run = lm.simulate(two_mass_skate(), 20.0, start={"speed": 5.0, "roll_rate": 0.05}, step=0.002)
    assert run.status.completed and abs(run["roll"][-1]) < 0.05 * np.abs(run["roll"]).max()


def test_points_that_nothing_keeps_from_turning_are_refused_with_their_names() -> None:
    with pytest.raises(InertiaDefinitenessError, match=r"no inertia resists .*roll_rate.*'bead' has no inertia about"):
        lm.compile(System("bead", [Body("bead", mass=1.0, inertia=(0, 0, 0))], [Free(name="f", parent="world", child="bead")]))
    pin = Revolute(name="pin", parent="world", child="bead", axis=(0.0, 0.0, 1.0))
    with pytest.raises(InertiaDefinitenessError, match="no inertia resists pin_rate"):
        lm.compile(System("bead", [Body("bead", mass=1.0, com=(0, 0, 0.3), inertia=(0, 0, 0))], [pin]))
    # Off the axis it is a pendulum.
    pendulum = System("bead", [Body("bead", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0, 0))], [pin])
    run = lm.simulate(pendulum, 0.1, start={"pin_rate": 2.0})
    assert run["kinetic_energy"][-1] == pytest.approx(0.5 * 0.25 * 4.0, rel=1e-12)


def test_two_joints_that_turn_a_point_about_one_axis_are_refused_together() -> None:
    """Each alone has inertia m r², and their difference has none: M = m r² ((1, 1), (1, 1))."""
    bead = lm.Body("bead", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0, 0))
    joints = [
        lm.Revolute(name="outer", parent="world", child="between", axis=(0, 0, 1)),
        lm.Revolute(name="inner", parent="between", child="bead", axis=(0, 0, 1)),
    ]
    twice = lm.System("twice", [lm.Frame("between"), bead], joints)
    with pytest.raises(InertiaDefinitenessError, match="no inertia resists outer_rate, inner_rate: 'bead' has no inertia"):
        lm.simulate(twice, 0.1)
