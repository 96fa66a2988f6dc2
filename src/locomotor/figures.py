"""Figures as descriptions: what to draw of a run, not how.

A scenario carries those of its source; `viewing.figures` draws them.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.model import System


@dataclass(frozen=True, kw_only=True)
class FigureOf:
    """What every figure has: a title, its number in the source, and how much of the run it shows."""

    title: str = ""
    source: str = ""
    """Where the original stands, such as "fig. 2.12"."""
    until: float | None = None
    """Last instant shown (s); the whole run by default."""


@dataclass(frozen=True)
class Curves(FigureOf):
    """Channels against time."""

    channels: tuple[str, ...]
    levels: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    """Dotted lines, such as the value at rest: channel -> value."""
    by_contact: bool = field(default=False, kw_only=True)
    """Whether colours tell which contacts are closed."""


@dataclass(frozen=True)
class PhasePlane(FigureOf):
    """One channel against another."""

    x: str
    y: str
    by_contact: bool = field(default=False, kw_only=True)
    """Whether colours tell which contacts are closed; they tell the time otherwise."""


@dataclass(frozen=True)
class Path(FigureOf):
    """The path seen from above ("top") or from the side ("side"), with the system drawn every so many seconds."""

    view: str = "top"
    every: float = 0.5
    by_contact: bool = field(default=False, kw_only=True)
    """Whether the colours of the system tell which contacts are closed."""


@dataclass(frozen=True)
class Energies(FigureOf):
    """Kinetic, potential and total energy, and how well they balance with the work done."""


@dataclass(frozen=True)
class Forces(FigureOf):
    """Ground reactions of all contacts."""


@dataclass(frozen=True)
class Contacts(FigureOf):
    """Gaps of the contacts that open and close, impulses, and the energy they take."""


@dataclass(frozen=True)
class Trial:
    """A state that an event was first thought to lead to, and why it was refused."""

    time: float
    closed: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class StateGraph(FigureOf):
    """Sets of closed contacts as states, and the events that lead from one to another."""

    tried: Callable[[Any], tuple[Trial, ...]] | None = field(default=None, kw_only=True)
    """States that were tried and refused, from the run."""


@dataclass(frozen=True)
class Variations(FigureOf):
    """Channels of several runs that differ in their settings; with `difference`, of each less the first, as log10."""

    channels: tuple[str, ...]
    runs: Mapping[str, Mapping[str, Any]]
    """Label -> settings that replace the scenario's own."""
    difference: bool = False


@dataclass(frozen=True)
class Eigenvalues(FigureOf):
    """Eigenvalues of the steady motions along one value, with the stable bands."""

    system: Callable[[], System]
    against: str
    low: float
    high: float
    count: int = 201
    names: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    """Values worth a mark, such as published stability limits: label -> value."""


@dataclass(frozen=True)
class Contours(FigureOf):
    """Level lines of quantities over two values."""

    compute: Callable[[Any, Any], Mapping[str, Any]]
    """From values across and values up, by name the quantity as an array (up, across)."""
    across: tuple[float, ...]
    up: tuple[float, ...]
    x: str
    """What is across, with its unit."""
    y: str
    levels: int = field(default=13, kw_only=True)


@dataclass(frozen=True)
class Families(FigureOf):
    """Families of cycles along a parameter: stable parts drawn through, unstable ones dashed."""

    compute: Callable[[], Mapping[str, tuple[Any, Mapping[str, Any], Any]]]
    """By name of the family: values of the parameter, quantities by name, and for each value whether it is stable."""
    x: str
    """The parameter, with its unit."""


@dataclass(frozen=True)
class Lines(FigureOf):
    """Curves of one quantity over another, such as orbits in a plane."""

    compute: Callable[[], Mapping[str, tuple[Any, Any]]]
    """What each curve is -> its values across and up."""
    x: str
    """What is across, with its unit."""
    y: str
    dashed: tuple[str, ...] = ()
    """Curves that are borders, drawn apart."""


@dataclass(frozen=True, eq=False)
class Pose:
    """A system at its coordinates, with lines of the world drawn over it."""

    label: str
    system: System
    coordinates: Any
    lines: Mapping[str, Any] = field(default_factory=dict)
    """What each line is -> its points (n, 3) in the world; the second and later ones are dashed."""


@dataclass(frozen=True)
class Poses(FigureOf):
    """Several poses beside each other, from above ("top") or in three dimensions ("front")."""

    compute: Callable[[], tuple[Pose, ...]]
    view: str = "top"
