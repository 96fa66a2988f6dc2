"""The axes along which systems and runs differ, their values, and which pairs of values cannot be.

A new feature joins by adding a value to an axis here and what it means in `build.py`. A pair of values that cannot be
is declared below with its reason: either the library refuses it, with one of its own errors, which a test verifies,
or there is no door through which it could be asked for.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product

Choice = Mapping[str, str]
"""One value for each axis."""
Value = tuple[str, str]
"""An axis and one of its values."""
Pair = frozenset[Value]

AXES: dict[str, tuple[str, ...]] = {
    "root": ("fixed", "planar", "free", "sliders"),
    "joint": ("revolute", "prismatic", "helical", "universal", "spherical", "fixed", "free", "planar", "translation"),
    "contact": (
        "none",
        "disc",
        "torus",
        "sphere",
        "smooth",
        "skate",
        "sticking",
        "sliding",
        "capsule",
        "coupling",
        "velocity",
        "moving",
    ),
    "law": (
        "persistent",
        "plastic",
        "newton",
        "poisson",
        "stronge",
        "gated",
        "adhesive",
        "grip",
        "compliant",
        "friction",
        "resisting",
    ),
    "ground": ("plane", "tilted", "terrain", "carried"),
    "drive": ("none", "torque", "imposed", "spring"),
    "input": ("constant", "smooth", "kinked", "jumps"),
    "controller": ("none", "traced", "called", "states"),
    "stepper": ("rk4", "abm4", "abm5", "dop853", "midpoint", "generalised-alpha"),
    "target": ("c", "simd", "interpreter"),
    "runs": ("single", "batch"),
    "start": ("given", "assembled"),
    "medium": ("none", "damped", "fluid", "dry", "rubbing", "seated"),
    "wings": ("none", "rigid", "hinged", "flexible", "rod"),
    "wind": ("still", "steady", "varies", "jumps"),
    "ends": ("none", "watched"),
    "spine": ("rigid", "bends", "imported"),
    "loop": ("none", "linkage", "rolling", "soft"),
    "foot": ("rigid", "flexible", "rod"),
}

SWITCHING = ("plastic", "newton", "poisson", "stronge", "gated", "adhesive", "grip", "friction", "resisting")
"""Laws by which contacts open and close."""
REMEMBERS = ("abm4", "abm5", "dop853", "generalised-alpha")
"""Steppers that remember their last step, or choose the next."""
STICKS = ("dry", "rubbing", "seated")
"""Media that hold a joint at rest: friction that follows its load, friction with a bound alone, and that of a ball joint."""
REFUSED, ABSENT = "refused", "absent"


@dataclass(frozen=True)
class Impossible:
    """Values of two axes that do not go together, why, and whether the library refuses them or has no door for them."""

    first: tuple[str, tuple[str, ...]]
    second: tuple[str, tuple[str, ...]]
    how: str
    reason: str

    @property
    def pairs(self) -> Iterator[Pair]:
        """Each pair by itself."""
        (one, values), (other, others) = self.first, self.second
        for a, b in product(values, others):
            yield frozenset({(one, a), (other, b)})


IMPOSSIBLE: tuple[Impossible, ...] = (
    Impossible(("law", SWITCHING), ("stepper", REMEMBERS), REFUSED, "the event loop steps with rk4 and midpoint"),
    Impossible(("law", ("persistent", "grip", "compliant")), ("ground", ("terrain",)), REFUSED, "a terrain ends and bends"),
    Impossible(("contact", ("capsule",)), ("ground", ("terrain",)), REFUSED, "the ends of a capsule see no edges between them"),
    Impossible(("law", ("poisson", "stronge")), ("runs", ("batch",)), REFUSED, "only Newton's rule is compiled into steps"),
    Impossible(("ground", ("terrain",)), ("runs", ("batch",)), REFUSED, "steps with events look up no terrain"),
    Impossible(("ground", ("terrain",)), ("stepper", REMEMBERS), REFUSED, "contacts on terrain open and close"),
    Impossible(("stepper", ("dop853",)), ("runs", ("batch",)), REFUSED, "roll-outs have fixed steps"),
    Impossible(("controller", ("traced", "called", "states")), ("runs", ("batch",)), ABSENT, "roll-outs take arrays of inputs"),
    Impossible(("contact", ("none", "velocity", "moving")), ("law", (*SWITCHING, "compliant")), ABSENT,
               "there is nothing to open"),
    Impossible(("law", ("compliant",)), ("ground", ("carried",)), REFUSED, "what yields pushes the world only"),
    Impossible(("law", ("resisting",)), ("ground", ("terrain",)), ABSENT, "in tests of their own, `test_wheels_on_terrain`"),
    Impossible(("contact", ("smooth", "skate", "sticking", "sliding")), ("law", ("resisting",)), REFUSED, "they never roll"),
    Impossible(("contact", ("smooth", "sliding")), ("law", ("friction",)), REFUSED, "they slide freely"),
    Impossible(("contact", ("none", "velocity", "moving", "coupling")), ("ground", ("terrain", "carried")), ABSENT,
               "there is nothing to touch it"),
    Impossible(("contact", ("torus", "smooth", "skate", "sticking", "capsule", "coupling")), ("law", ("compliant",)), ABSENT,
               "contacts that yield are points, spheres and discs"),
    Impossible(("contact", ("coupling",)), ("law", ("friction", "resisting")), ABSENT, "a coupling has no tangent"),
    Impossible(("medium", STICKS), ("stepper", REMEMBERS), REFUSED, "joints stick and slide by events"),
    Impossible(("medium", ("dry", "rubbing")), ("drive", ("imposed",)), ABSENT, "what is imposed does not stick"),
)  # fmt: skip


def impossible_pairs(how: str = "") -> dict[Pair, Impossible]:
    """Every pair that cannot be, with its declaration."""
    return {pair: entry for entry in IMPOSSIBLE for pair in entry.pairs if how in ("", entry.how)}


FORBIDDEN = impossible_pairs()


def pairs_of(choice: Choice) -> set[Pair]:
    """The pairs of values of a choice."""
    return {frozenset(pair) for pair in combinations(choice.items(), 2)}


def clashes(choice: Choice) -> set[Pair]:
    """The pairs of a choice that cannot be."""
    return pairs_of(choice) & FORBIDDEN.keys()


def all_pairs() -> set[Pair]:
    """Every pair of values that can be."""
    found = {
        frozenset({(one, a), (other, b)}) for one, other in combinations(AXES, 2) for a, b in product(AXES[one], AXES[other])
    }
    return found - FORBIDDEN.keys()
