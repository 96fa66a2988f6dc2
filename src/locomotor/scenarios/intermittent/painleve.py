"""Painlevé's rod: angles without a solution, singular points, orbits towards them, rounded ends (Génot 1998, chapter II)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from locomotor.catalogue import (
    SINGULAR_FRICTION,
    cone_primitive,
    paradox_angles,
    paradox_friction,
    separatrix,
    singular_point,
    sliding_orbit,
    stopping_slip,
)
from locomotor.figures import Lines
from locomotor.scenarios.registry import Computation, Number, digits, register

CHAPTER = "Génot 1998, chapter II"
APART = "computed by an independent program from the formulas of Génot 1998, chapter II"
CLOSED = "closed form of Génot 1998, (II.7); computed"
PUSH = "acceleration of the end by a unit normal force (m/s² per N)"
INTEGRATED = "integrated to 1e-11 on both sides; seven digits given"
STARTS = {1.4: (2.0, 2.5, 3.0, 3.4, 3.8), 1.6: (2.0, 2.5, 3.0, 3.2, 3.4, 3.6)}
"""Friction -> rates (rad/s) at an angle of 0.7 rad, with the tip at -50 m/s."""


# -- angles and ends ------------------------------------------------------------------------------------------


def angles() -> dict[str, float]:
    """Angles between which a normal force on the sliding end drives it into the ground, and the friction that it takes."""
    found = {
        "least friction": paradox_friction(0.0),
        "least friction of an end as round as the rod is long": paradox_friction(1.0),
    }
    for mu in (4.0 / 3.0, 1.4, 1.6):
        pair = paradox_angles(mu)
        assert pair is not None
        found |= {
            f"friction {mu:.4g}: {which} angle": np.degrees(angle) for which, angle in zip(("first", "last"), pair, strict=True)
        }
    for share in (0.1, 0.5, 0.9):
        found[f"least friction of an end rounded by {share:g} of half its length"] = paradox_friction(share)
    return found


def rounded() -> Mapping[str, tuple[Any, Any]]:
    """Least friction over the roundness of the end."""
    shares = np.linspace(0.0, 1.0, 41)
    values = [paradox_friction(float(share)) for share in shares]
    return {"rounded end": (shares, np.array(values))}


def edges(friction: float) -> Mapping[str, tuple[Any, Any]]:
    """How fast either edge of the friction cone drives the end away from the ground: below zero it dips into it."""
    angle = np.linspace(0.0, 0.5 * np.pi, 181)
    c, s = np.cos(angle), np.sin(angle)
    return {
        name: (np.degrees(angle), 1.0 + 3.0 * c * (c - sign * friction * s))
        for name, sign in (("edge ahead of the slide", 1.0), ("edge behind", -1.0))
    }


def primitive(friction: float) -> Mapping[str, tuple[Any, Any]]:
    """The integral of 1/(m B) over the angle."""
    angle = np.linspace(0.01, 1.55, 309)
    return {"Re L": (angle, np.array([cone_primitive(friction, float(x)) for x in angle]))}


register(
    Computation(
        "painleve/angles",
        "Painlevé's rod: where a normal force cannot keep the sliding end out of the ground",
        CHAPTER,
        compute=angles,
        numbers=(
            Number("least friction", 4.0 / 3.0, 1e-12, "a minimum is flat: found to round-off", "Génot 1998, lemma II.1"),
            *digits(
                {"least friction of an end as round as the rod is long": "0.62518255"},
                "Génot 1998, appendix C",
                reason="last digit",
            ),
            *digits(
                {
                    "friction 1.333: first angle": "63.43495",
                    "friction 1.333: last angle": "63.43495",
                    "friction 1.4: first angle": "55.58581",
                    "friction 1.4: last angle": "69.95187",
                    "friction 1.6: first angle": "47.02614",
                    "friction 1.6: last angle": "74.97924",
                },
                CLOSED,
                "deg",
            ),
            *digits(
                {
                    "least friction of an end rounded by 0.1 of half its length": "1.199001",
                    "least friction of an end rounded by 0.5 of half its length": "0.852715",
                    "least friction of an end rounded by 0.9 of half its length": "0.660516",
                },
                "computed by an independent program from the formula of Génot 1998, appendix C",
            ),
        ),
        figures=(
            Lines(partial(edges, 1.6), "angle (deg)", PUSH, title="Edges of the friction cone", source="fig. II.3"),
            Lines(partial(primitive, 1.6), "angle (rad)", "Re L", title="Primitive with two poles", source="fig. II.4"),
            Lines(rounded, "radius of the end over half the length", "least friction", title="Rounded end", source="fig. C.2"),
        ),
    )
)


# -- singular points ------------------------------------------------------------------------------------------

LIMITS = {1.35: "-4.08338519", 1.4: "-7.24891922", 1.5: "-33.62930043", 1.6: "26.43924380", 2.0: "5.48296045"}
"""Friction -> angular acceleration (rad/s²) with which the parting motion comes to the singular point."""


def singular_points() -> dict[str, float]:
    """The derivative of the field in rescaled time, and what follows from it."""
    found = {"friction from which on a singular point is reached": SINGULAR_FRICTION}
    for mu in LIMITS:
        found[f"friction {mu:g}: acceleration"] = singular_point(mu).acceleration
    found["friction 4/3: acceleration"] = singular_point(4.0 / 3.0).acceleration
    point = singular_point(1.6)
    return found | {
        "friction 1.6: slope of the parting line": point.slope,
        "friction 1.6: force on the parting line": point.force,
        "friction 1.6: exponent of the force": point.exponent,
        "friction 1.6: rate of the parting motion at 0.7 rad": separatrix(1.6, 0.7),
        "friction 1.6: rate of the parting motion at 1 rad, falling": separatrix(1.6, 1.0, -1.0),
    }


def derivatives(turning: float) -> Mapping[str, tuple[Any, Any]]:
    """Entries of the derivative over the friction, and the difference whose sign decides."""
    friction = np.linspace(4.0 / 3.0, 2.0, 101)
    points = [singular_point(float(mu), turning) for mu in friction]
    return {name: (friction, np.array([getattr(point, name) for point in points])) for name in ("a1", "a2", "a3", "a4", "h")}


BACK = "computed by following the motion back from the singular point with another program"
register(
    Computation(
        "painleve/singular_points",
        "Painlevé's rod: where force and push vanish together, and which motions come there",
        "Génot 1998, sections II.5 and II.6",
        compute=singular_points,
        numbers=(
            *digits({"friction from which on a singular point is reached": "1.5396007"}, "Génot 1998, (II.34)"),
            *digits({f"friction {mu:g}: acceleration": text for mu, text in LIMITS.items()}, APART, "rad/s^2"),
            *digits({"friction 4/3: acceleration": "-2.73918327"}, APART, "rad/s^2"),
            *digits({"friction 1.6: slope of the parting line": "7.22423834"}, APART, "1/s"),
            *digits({"friction 1.6: force on the parting line": "18.02269708"}, APART, "N"),
            *digits({"friction 1.6: exponent of the force": "-0.19093"}, APART),
            Number(
                "friction 1.6: rate of the parting motion at 0.7 rad",
                3.1289492,
                5e-7,
                "it began 1e-6 rad away",
                BACK,
                unit="rad/s",
            ),
            Number(
                "friction 1.6: rate of the parting motion at 1 rad, falling",
                -6.6527895,
                2e-6,
                "it began 1e-6 rad away",
                BACK,
                unit="rad/s",
            ),
        ),
        figures=(
            Lines(
                partial(derivatives, 1.0),
                "friction",
                "entries of the derivative",
                title="Derivative where the rod rises",
                source="fig. II.5",
            ),
            Lines(
                partial(derivatives, -1.0),
                "friction",
                "entries of the derivative",
                title="Derivative where the rod falls",
                source="fig. II.6",
            ),
        ),
    )
)


# -- orbits ---------------------------------------------------------------------------------------------------

ENDS: Mapping[tuple[float, float], tuple[str, str, str, str]] = {
    (1.4, 2.0): ("0.10043887", "0.95961305", "3.45922771", "1.43964921"),
    (1.4, 2.5): ("0.08811033", "0.95574099", "3.46394288", "0.95008371"),
    (1.4, 3.0): ("0.07596726", "0.94411509", "3.47837459", "0.48987966"),
    (1.4, 3.4): ("0.05788523", "0.90077341", "3.53596819", "0.16266205"),
    (1.4, 3.8): ("0.01179906", "0.74485315", "3.80225990", "0.00460422"),
    (1.6, 2.0): ("0.04665369", "0.82076098", "3.65979669", "1.42227574"),
    (1.6, 2.5): ("0.04135639", "0.82076098", "3.6597967", "0.98794108"),
    (1.6, 3.0): ("0.03712796", "0.82076098", "3.6597967", "0.56408142"),
    (1.6, 3.2): ("0.03566609", "0.82076029", "3.65979790", "0.39678924"),
    (1.6, 3.4): ("0.03406923", "0.81986553", "3.66132502", "0.23160849"),
    (1.6, 3.6): ("0.02846254", "0.80383379", "3.68926798", "0.08567367"),
}
"""Friction and rate at the start -> time (s), angle, rate and impulse (N s) at the end."""
STOPS = {2.0: "-3.66495015", 2.5: "-2.64790586", 3.0: "-1.64762156"}
UNITS = {"time": "s", "angle": "rad", "rate": "rad/s", "impulse": "N s"}


def orbits() -> dict[str, float]:
    """Ends of orbits from 0.7 rad, and the slip up to which the tip stops before a singular point."""
    found: dict[str, float] = {}
    for mu, rates in STARTS.items():
        for rate in rates:
            orbit = sliding_orbit(mu, 0.7, rate, -50.0)
            found |= {f"friction {mu:g}, rate {rate:g}: {name}": float(getattr(orbit, name)[-1]) for name in UNITS}
    return found | {f"friction 1.6, rate {rate:g}: slip that stops": stopping_slip(1.6, 0.7, rate) for rate in STOPS}


def near_singular_point(friction: float) -> Mapping[str, tuple[Any, Any]]:
    """Orbits in the plane of angle and rate, and the curve on which the force vanishes."""
    point = singular_point(friction)
    angle = np.linspace(0.6, point.angle + 0.05, 60)
    found = {"no force": (angle, np.sqrt(9.8 / np.sin(angle)))}
    for rate in STARTS.get(friction, (2.0, 3.0)):
        orbit = sliding_orbit(friction, 0.7, rate, -50.0)
        found[f"from {rate:g} rad/s"] = (orbit.angle, orbit.rate)
    if friction > SINGULAR_FRICTION:
        before = np.linspace(0.65, point.angle - 1e-6, 30)
        parting = np.array([separatrix(friction, float(x)) for x in before])
        found["parting line"] = (before, parting)
    return found


def _ends() -> tuple[Number, ...]:
    found: list[Number] = []
    for (mu, rate), texts in ENDS.items():
        for (name, unit), text in zip(UNITS.items(), texts, strict=True):
            key = f"friction {mu:g}, rate {rate:g}: {name}"
            found.append(Number(key, float(text), 1e-7, INTEGRATED, APART, unit=unit))
    for rate, text in STOPS.items():
        found.append(Number(f"friction 1.6, rate {rate:g}: slip that stops", float(text), 1e-7, INTEGRATED, APART, unit="m/s"))
    return tuple(found)


register(
    Computation(
        "painleve/orbits",
        "Painlevé's rod: sliding motions towards a singular point, in rescaled time",
        "Génot 1998, section II.6, with figure II.8, the last of its chapter: there are no figures II.9 and II.10",
        compute=orbits,
        numbers=_ends(),
        figures=tuple(
            Lines(
                partial(near_singular_point, mu),
                "angle (rad)",
                "rate (rad/s)",
                ("no force", "parting line"),
                title=f"Orbits with a friction of {mu:g}",
                source=source,
            )
            for mu, source in ((1.4, "figs. II.2 and II.7"), (1.6, "fig. II.8"))
        ),
    )
)
