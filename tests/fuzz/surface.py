"""The public doors of the library, read from what it exports: functions, constructors, methods. New ones join by themselves."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import locomotor as lm
from locomotor.model.description import Description

RESULTS = frozenset(
    {
        "Basin", "Batch", "BatchedEigenvalues", "Classification", "CompiledSystem", "Connection", "Cycle", "Family",
        "Linearisation", "ModalBody", "Run", "Status", "SteadyMotion", "SteppedSystem", "Traced", "TracedSystem",
        "complementarity.Answer", "complementarity.Branch", "complementarity.ContactSolution", "complementarity.Residuals",
        "ContactReport", "Certificate", "Derivation", "Equations", "FirstIntegral",
    }
)  # fmt: skip
"""Classes that the library builds and hands out: their methods are doors, their constructors are not."""
NOT_CALLED = {
    "CrossSection.at": "called by the library with numbers of its own",
    "EquilibriumPath.of": "a result, which is made by continue_equilibrium",
    "Equations.written_out": "takes SymPy expressions",
    "Connection.refuse_shape": "raises by its nature",
    "Traced.build": "takes CasADi symbols, below the doors",
    "Traced.build_with_loops": "takes CasADi symbols, below the doors",
    "TracedSystem.build": "takes CasADi symbols, below the doors",
    "TracedSystem.channels": "takes a motion on symbols, below the doors",
    "TracedSystem.closing": "called by the library with an option that is read",
    "TracedSystem.coordinate_rates": "takes symbols, below the doors",
    "TracedSystem.full_coordinates": "takes symbols, below the doors",
    "TracedSystem.values": "takes symbols, below the doors",
    "TracedSystem.with_imposed": "takes symbols, below the doors",
    "Traced.evaluate": "takes arrays that `__call__` has checked",
    "Controller.evaluate": "called by the library with its own channels",
    "Controller.numbers": "called by the library with what a law returned",
    "Controller.sort": "called by the library with what a law returned",
    "CompiledSystem.build": "called by the library with ends that are read",
    "SteppedSystem.build": "called by the library with ends that are read",
    "CompiledSystem.roller_with_deviations": "called by the library with symbols of its own",
    "SteppedSystem.roller_with_deviations": "called by the library with symbols of its own",
    "CompiledSystem.breaks": "called by the library with times of its own",
    "CompiledSystem.roll": "called by the library with states of its own",
    "CompiledSystem.require_stable": "called by the library with a roll-out of its own",
    "SteppedSystem.require_stable": "called by the library with a roll-out of its own",
    "SteppedSystem.breaks": "called by the library with times of its own",
    "SteppedSystem.roll": "called by the library with states of its own",
    "CompiledSystem.watch": "called by the library with ends that are read",
    "SteppedSystem.watch": "called by the library with ends that are read",
    "CompiledSystem.compiled_watch": "called by the library with ends that are read",
    "SteppedSystem.compiled_watch": "called by the library with ends that are read",
    "Connection.told_shape": "called by the library with poses of its own",
    "RunWarning": "a warning",
    "Run.view": "opens a browser",
    "view": "opens a browser and waits",
    "learning.register_all": "takes nothing",
}
INSIDE = frozenset(
    [
        "check",
        "check_bodies",
        "check_ground",
        "check_joints",
        "sites",
        "check_carrier",
        "integrals",
        "place",
        "free_strain",
        "pose_at",
        "row",
        "check_place",
        "largest_turn",
        "least_length",
        "check_for",
        "has",
        "rotational",
        "stations",
        "expressions",
        "mass_properties",
        "placement",
        "symbols",
        "check_answers",
        "hold_at",
        "bounce",
        "coefficients_at",
        "shares",
        "friction_at",
        "static_at",
        "sliding_at",
        "patch_at",
        "resistance_at",
    ]
)
"""Methods of descriptions that the library calls, with numbers or symbols of its own."""
SPECIAL = ("__call__", "__getitem__", "__contains__")
"""Methods with underscores that users write all the same."""


@dataclass(frozen=True)
class Door:
    """Something to call: a function, a constructor, or a method of an object that is made for it (`owner`)."""

    name: str
    call: Callable[..., Any]
    owner: str = ""
    """Class of the object whose method it is."""

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """What it takes, without the object and without further keywords."""
        found = list(inspect.signature(self.call).parameters.values())
        kept = [p for p in found if p.kind is not p.VAR_KEYWORD and not p.name.startswith("_")]
        return kept[1:] if self.owner else kept

    @property
    def hands_on(self) -> bool:
        """Whether it takes further keywords, for a function behind it."""
        return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(self.call).parameters.values())


def doors() -> list[Door]:
    """All of them, in an order that never changes."""
    return sorted((door for door in _all() if door.name not in NOT_CALLED), key=lambda door: door.name)


def _all() -> Iterator[Door]:
    exported = {name: getattr(lm, name) for name in lm.__all__}
    for module in ("catalogue", "complementarity", "learning"):
        exported |= {f"{module}.{name}": getattr(exported[module], name) for name in dir(exported[module]) if name[0] != "_"}
    for name, thing in exported.items():
        if inspect.ismodule(thing):
            continue
        if not inspect.isclass(thing):
            if inspect.isfunction(thing):
                yield Door(name, thing)
            continue
        if issubclass(thing, BaseException):
            continue
        if name not in RESULTS:
            yield Door(name, thing)
        yield from _methods(name, thing)


def _methods(name: str, kind: type) -> Iterator[Door]:
    for attribute in dir(kind):
        if (attribute.startswith("_") and attribute not in SPECIAL) or (attribute in INSIDE and issubclass(kind, Description)):
            continue
        plain = inspect.getattr_static(kind, attribute)
        if isinstance(plain, classmethod | staticmethod):
            yield Door(f"{name}.{attribute}", getattr(kind, attribute))
        elif inspect.isfunction(plain) and _ours(plain) and len(inspect.signature(plain).parameters) > 1:
            yield Door(f"{name}.{attribute}", plain, owner=name)


def _ours(function: Any) -> bool:
    """Whether it is written in the library: dataclasses and mappings bring methods of their own."""
    return str(getattr(function, "__module__", "")).startswith("locomotor")
