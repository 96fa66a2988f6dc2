"""Measured bicycles against the linear equations of Meijaard et al. (2007); riders; skates in place of wheels."""

from collections.abc import Mapping

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.measured_bicycles import MEASURED, RIDERS, value_of
from locomotor.errors import ModelError, UnknownNameError


def eigenvalues_by_the_paper(p: Mapping[str, float], v: float) -> np.ndarray:
    """Appendix A of Meijaard et al. (2007), written down anew: M q'' + v C1 q' + (g K0 + v² K2) q = 0."""
    mt = p["mR"] + p["mB"] + p["mH"] + p["mF"]
    xt = (p["xB"] * p["mB"] + p["xH"] * p["mH"] + p["w"] * p["mF"]) / mt
    zt = (-p["rR"] * p["mR"] + p["zB"] * p["mB"] + p["zH"] * p["mH"] - p["rF"] * p["mF"]) / mt
    itxx = p["IRxx"] + p["IBxx"] + p["IHxx"] + p["IFxx"] + p["mR"] * p["rR"] ** 2 + p["mB"] * p["zB"] ** 2
    itxx += p["mH"] * p["zH"] ** 2 + p["mF"] * p["rF"] ** 2
    itxz = p["IBxz"] + p["IHxz"] - p["mB"] * p["xB"] * p["zB"] - p["mH"] * p["xH"] * p["zH"] + p["mF"] * p["w"] * p["rF"]
    itzz = p["IRxx"] + p["IBzz"] + p["IHzz"] + p["IFxx"] + p["mB"] * p["xB"] ** 2 + p["mH"] * p["xH"] ** 2
    itzz += p["mF"] * p["w"] ** 2
    ma = p["mH"] + p["mF"]
    xa = (p["xH"] * p["mH"] + p["w"] * p["mF"]) / ma
    za = (p["zH"] * p["mH"] - p["rF"] * p["mF"]) / ma
    iaxx = p["IHxx"] + p["IFxx"] + p["mH"] * (p["zH"] - za) ** 2 + p["mF"] * (p["rF"] + za) ** 2
    iaxz = p["IHxz"] - p["mH"] * (p["xH"] - xa) * (p["zH"] - za) + p["mF"] * (p["w"] - xa) * (p["rF"] + za)
    iazz = p["IHzz"] + p["IFxx"] + p["mH"] * (p["xH"] - xa) ** 2 + p["mF"] * (p["w"] - xa) ** 2
    s, c = np.sin(p["lam"]), np.cos(p["lam"])
    ua = (xa - p["w"] - p["c"]) * c - za * s
    iall = ma * ua**2 + iaxx * s**2 + 2 * iaxz * s * c + iazz * c**2
    ialx = -ma * ua * za + iaxx * s + iaxz * c
    ialz = ma * ua * xa + iaxz * s + iazz * c
    mu = p["c"] / p["w"] * c
    sr = p["IRyy"] / p["rR"] if p["rR"] else 0.0
    sf = p["IFyy"] / p["rF"] if p["rF"] else 0.0
    st, sa = sr + sf, ma * ua + mu * mt * xt
    mass = np.array([[itxx, ialx + mu * itxz], [0.0, iall + 2 * mu * ialz + mu**2 * itzz]])
    mass[1, 0] = mass[0, 1]
    k0 = np.array([[mt * zt, -sa], [-sa, -sa * s]])
    k2 = np.array([[0.0, (st - mt * zt) / p["w"] * c], [0.0, (sa + sf * s) / p["w"] * c]])
    c1 = np.array(
        [
            [0.0, mu * st + sf * c + itxz / p["w"] * c - mu * mt * zt],
            [-(mu * st + sf * c), ialz / p["w"] * c + mu * (sa + itzz / p["w"] * c)],
        ]
    )
    inverse = np.linalg.inv(mass)
    system = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ (p["g"] * k0 + v**2 * k2), -inverse @ (v * c1)]])
    found = np.linalg.eigvals(system)
    return found[np.lexsort((found.imag, -found.real))]


@pytest.mark.parametrize(
    "name",
    ["browser", "two_mass_skate", *(pytest.param(name, marks=pytest.mark.slow) for name in MEASURED if name != "browser")],
)
def test_eigenvalues_are_those_of_the_paper_s_equations(name: str) -> None:
    bike = lm.catalogue.bicycle(name)
    for speed in (1.5, 6.0):
        ours = lm.linearise(bike, about={"speed": speed}).eigenvalues
        ours = ours[np.lexsort((ours.imag, -ours.real))]
        # Two derivations of one matrix: round-off times the condition of eigenvalues.
        np.testing.assert_allclose(ours, eigenvalues_by_the_paper(bike.parameters.values, speed), rtol=1e-7, atol=1e-7)


def test_two_masses_on_skates_are_stable_above_2_8_metres_a_second() -> None:
    """Kooijman et al. (2011): self-stable above 2.8 m/s without gyroscopic or caster effect."""
    bike = lm.catalogue.bicycle("two_mass_skate")
    assert {type(contact).__name__ for contact in bike.contacts} == {"Skate"} and len(bike.bodies) == 2
    curves = lm.eigenvalue_curves(bike, {"speed": np.linspace(0.5, 10.0, 40)})
    ((low, high),) = curves.stable_bands
    assert round(low, 1) == 2.8 and high == 10.0


def test_it_glides_and_rights_itself() -> None:
    run = lm.simulate(lm.catalogue.bicycle("two_mass_skate"), 4.0, start={"speed": 4.0, "roll_rate": 0.1})
    assert run.status.ok and np.abs(run["roll"]).max() > 0.01 and abs(run["roll"][-1]) < 2e-3
    assert np.ptp(run.energy) < 1e-6 * abs(run.energy[0])


def test_a_rider_is_part_of_the_rear_frame() -> None:
    """Against the sums over both bodies about the origin, as matrices."""
    for name in RIDERS:
        parts = ({k: value_of(v) for k, v in part.items()} for part in (MEASURED[name], RIDERS[name]))
        mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
        for p in parts:
            r = np.array([p["xB"], 0.0, p["zB"]])
            own = np.array([[p["IBxx"], 0, p["IBxz"]], [0, p["IByy"], 0], [p["IBxz"], 0, p["IBzz"]]])
            mass, first = mass + p["mB"], first + p["mB"] * r
            second = second + own + p["mB"] * (r @ r * np.eye(3) - np.outer(r, r))
        centre = first / mass
        second -= mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        found = lm.catalogue.bicycle(name, rider="jason").parameters.values
        got = [found[k] for k in ("mB", "xB", "zB", "IBxx", "IByy", "IBzz", "IBxz")]
        want = [mass, centre[0], centre[2], second[0, 0], second[1, 1], second[2, 2], second[0, 2]]
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_uncertainties_and_sources_come_with_the_numbers() -> None:
    w = lm.catalogue.bicycle("browser").parameters["w"]
    assert (w.value, w.uncertainty) == (1.121, 0.002) and "Moore" in w.source
    assert lm.catalogue.bicycle("browser", rider="jason").parameters["mB"].uncertainty == pytest.approx(np.hypot(0.02, 2.0))
    assert lm.catalogue.bicycle("meijaard2007").parameters["w"].uncertainty == 0.0


def test_every_measured_bicycle_is_listed_and_built() -> None:
    names = [ready.name for ready in lm.catalogue.measured()]
    assert len(names) == 13 and "bicycle/pista" in names and "bicycle/rigid+jason" in names
    assert all(ready.make().name.startswith("bicycle_") for ready in lm.catalogue.measured())
    assert lm.catalogue.ready("bicycle/browser+jason").make() == lm.catalogue.bicycle("browser", rider="jason")


def test_a_set_of_parameters_makes_a_bicycle() -> None:
    given = lm.ParameterSet([p for p in lm.catalogue.bicycle("pista").parameters.parameters if p.name != "slope"])
    assert lm.catalogue.bicycle(given).parameters["c"].uncertainty == given["c"].uncertainty > 0.0


def test_mistakes() -> None:
    with pytest.raises(UnknownNameError, match="no rider 'ann' was measured on the bicycle 'browser'; there is 'jason' on"):
        lm.catalogue.bicycle("browser", rider="ann")
    with pytest.raises(UnknownNameError, match="no rider 'jason' was measured on the bicycle 'pista'"):
        lm.catalogue.bicycle("pista", rider="jason")
    numbers = {
        k: p.value for k, p in ((p.name, p) for p in lm.catalogue.bicycle("pista").parameters.parameters) if k != "slope"
    }
    with pytest.raises(ModelError, match=r"the rear wheel has radius zero, which makes it a skate, and mR = .*give mR = 0"):
        lm.catalogue.bicycle({**numbers, "rR": 0.0})
