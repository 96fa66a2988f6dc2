"""Published parameter sets of the bicycle, all in the 26 names of Meijaard et al. 2007.

Those names use Meijaard's axes (x forward, y right, z down, origin at the rear contact of the upright bicycle);
`bicycle` translates them to ours. The thesis and the IFAC paper print their own set of numbers, which they call the
benchmark's, but three things differ: lengths are rounded, the front wheel's radial inertia is 0.141 in one of them, and
the fork's centre of mass is 8.9 mm too high (a non-orthogonal projection; docs/validation.md, bicycle/tables).
"""

import math
from collections.abc import Mapping
from difflib import get_close_matches

from locomotor.catalogue.measured_bicycles import (
    MEASURED,
    SOURCE,
    TWO_MASS_SKATE,
    TWO_MASS_SKATE_SOURCE,
    WHICH,
    Measured,
    uncertainty_of,
    value_of,
    with_rider,
)
from locomotor.errors import UnknownNameError
from locomotor.model import Parameter, ParameterSet

MEANING: dict[str, tuple[str, str, str]] = {
    "w": ("m", "w", "wheelbase"),
    "c": ("m", "c", "trail"),
    "lam": ("rad", r"\lambda", "steer axis tilt from the vertical"),
    "g": ("m/s^2", "g", "gravity"),
    "rR": ("m", r"r_\mathrm{R}", "rear wheel radius"),
    "mR": ("kg", r"m_\mathrm{R}", "rear wheel mass"),
    "IRxx": ("kg m^2", r"I_\mathrm{Rxx}", "rear wheel inertia about a diameter"),
    "IRyy": ("kg m^2", r"I_\mathrm{Ryy}", "rear wheel inertia about its axle"),
    "xB": ("m", r"x_\mathrm{B}", "rear body and rider, centre of mass, forward of the rear contact"),
    "zB": ("m", r"z_\mathrm{B}", "rear body and rider, centre of mass, down from the ground (negative)"),
    "mB": ("kg", r"m_\mathrm{B}", "rear body and rider mass"),
    "IBxx": ("kg m^2", r"I_\mathrm{Bxx}", "rear body inertia about x"),
    "IBzz": ("kg m^2", r"I_\mathrm{Bzz}", "rear body inertia about z"),
    "IBxz": ("kg m^2", r"I_\mathrm{Bxz}", "rear body inertia matrix entry xz"),
    "IByy": ("kg m^2", r"I_\mathrm{Byy}", "rear body inertia about y"),
    "xH": ("m", r"x_\mathrm{H}", "handlebar and fork, centre of mass, forward of the rear contact"),
    "zH": ("m", r"z_\mathrm{H}", "handlebar and fork, centre of mass, down from the ground (negative)"),
    "mH": ("kg", r"m_\mathrm{H}", "handlebar and fork mass"),
    "IHxx": ("kg m^2", r"I_\mathrm{Hxx}", "handlebar and fork inertia about x"),
    "IHzz": ("kg m^2", r"I_\mathrm{Hzz}", "handlebar and fork inertia about z"),
    "IHxz": ("kg m^2", r"I_\mathrm{Hxz}", "handlebar and fork inertia matrix entry xz"),
    "IHyy": ("kg m^2", r"I_\mathrm{Hyy}", "handlebar and fork inertia about y"),
    "rF": ("m", r"r_\mathrm{F}", "front wheel radius"),
    "mF": ("kg", r"m_\mathrm{F}", "front wheel mass"),
    "IFxx": ("kg m^2", r"I_\mathrm{Fxx}", "front wheel inertia about a diameter"),
    "IFyy": ("kg m^2", r"I_\mathrm{Fyy}", "front wheel inertia about its axle"),
}

MEIJAARD2007 = dict(
    w=1.02, c=0.08, lam=math.pi / 10, g=9.81,
    rR=0.3, mR=2.0, IRxx=0.0603, IRyy=0.12,
    xB=0.3, zB=-0.9, mB=85.0, IBxx=9.2, IBzz=2.8, IBxz=2.4, IByy=11.0,
    xH=0.9, zH=-0.7, mH=4.0, IHxx=0.05892, IHzz=0.00708, IHxz=-0.00756, IHyy=0.06,
    rF=0.35, mF=3.0, IFxx=0.1405, IFyy=0.28,
)  # fmt: skip


def from_thesis_names(
    *, l1: float, l2: float, mu: float, h2: float, h3: float, x0: float, y0: float, x1: float, z1: float,
    m0: float, m1: float, m2: float, m3: float, gravity: float,
    I2xx: float, I2zz: float, I3xx: float, I3zz: float,
    I0xx: float, I0yy: float, I0zz: float, I0xy: float,
    I1xx: float, I1yy: float, I1zz: float, I1zx: float,
) -> dict[str, float]:  # fmt: skip
    """The 26 names from the thesis's (their definition read backwards): the fork is turned by mu."""
    s, c = math.sin(mu), math.cos(mu)
    up, forward = x1 * s + z1 * c, x1 * c - z1 * s
    return dict(
        w=l1 + l2, c=h2 * math.tan(mu) - l2, lam=mu, g=gravity,
        rR=h3, mR=m3, IRxx=I3xx, IRyy=I3zz,
        xB=y0, zB=-(x0 + h3), mB=m0, IBxx=I0yy, IBzz=I0xx, IBxz=-I0xy, IByy=I0zz,
        xH=l1 + forward, zH=-(up + h2), mH=m1,
        IHxx=c * c * I1xx + s * s * I1zz - 2 * s * c * I1zx,
        IHzz=s * s * I1xx + c * c * I1zz + 2 * s * c * I1zx,
        IHxz=s * c * (I1zz - I1xx) - (c * c - s * s) * I1zx,
        IHyy=I1yy,
        rF=h2, mF=m2, IFxx=I2xx, IFyy=I2zz,
    )  # fmt: skip


_COMMON = dict(
    mu=math.pi / 10, h2=0.35, h3=0.3, x0=0.6, y0=0.3, x1=0.0288, z1=0.368,
    m0=85.0, m1=4.0, m2=3.0, m3=2.0, gravity=9.81, I2zz=0.28, I3xx=0.0603, I3zz=0.12,
    I0xx=2.8, I0yy=9.2, I0zz=11.0, I0xy=-2.4, I1xx=0.0584, I1yy=0.06, I1zz=0.0076, I1zx=-0.0091,
)  # fmt: skip
MAUNY2018 = from_thesis_names(l1=0.986, l2=0.0337, I2xx=0.141, **_COMMON)
IFAC2017 = from_thesis_names(
    l1=1.02 + 0.08 - 0.35 * math.tan(math.pi / 10), l2=0.35 * math.tan(math.pi / 10) - 0.08, I2xx=0.1405, **_COMMON
)

PUBLISHED: dict[str, tuple[Mapping[str, Measured], str]] = {
    "meijaard2007": (
        MEIJAARD2007,
        "Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007), table 1",
    ),
    "mauny2018": (MAUNY2018, "Mauny, PhD thesis (2018), table 2.1; the fork's centre of mass is not the benchmark's"),
    "ifac2017": (
        IFAC2017,
        "Mauny, Porez, Boyer, IFAC World Congress (2017), table 1; the fork's centre of mass is not the benchmark's",
    ),
    **{name: (values, f"{WHICH[name]}; {SOURCE}") for name, values in MEASURED.items()},
    "two_mass_skate": (TWO_MASS_SKATE, TWO_MASS_SKATE_SOURCE),
}


def bicycle_parameters(which: str | ParameterSet | Mapping[str, float], rider: str = "") -> ParameterSet:
    """A published set by name, or any bicycle by its 26 numbers; every name must be given, and no other.

    `rider` names somebody who was measured on that bicycle and becomes part of its rear frame.
    """
    values: Mapping[str, Measured]
    if isinstance(which, str):
        if which not in PUBLISHED:
            near = get_close_matches(which, PUBLISHED, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise UnknownNameError(f"no bicycle is named {which!r}: {hint}known are {', '.join(PUBLISHED)}")
        values, source = PUBLISHED[which]
        if rider:
            values, source = with_rider(which, values, rider), f"{source}; with the rider {rider}"
    else:
        if rider:
            raise UnknownNameError(f"the rider {rider!r} sits on a measured bicycle; give its name, such as 'browser'")
        values, source = _given(which), "given by the user"
        unknown, missing = [n for n in values if n not in MEANING], [n for n in MEANING if n not in values]
        if unknown or missing:
            near = [m for n in unknown for m in get_close_matches(n, missing or list(MEANING), n=1)]
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise UnknownNameError(
                f"a bicycle needs exactly the 26 names {' '.join(MEANING)}: "
                f"unknown {unknown or 'none'}, missing {missing or 'none'}{hint}"
            )
    return ParameterSet(
        Parameter(name, value_of(values[name]), unit, latex, description, source, uncertainty_of(values[name]))
        for name, (unit, latex, description) in MEANING.items()
    )


def _given(which: ParameterSet | Mapping[str, float]) -> dict[str, Measured]:
    """Values of a user, with their uncertainties where there are some."""
    if isinstance(which, ParameterSet):
        return {p.name: (p.value, p.uncertainty) for p in which.parameters}
    return dict(which)
