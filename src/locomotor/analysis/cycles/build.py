"""Making a Poincaré map from a system, a guess and a section."""

from collections.abc import Iterable, Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.analysis.cycles.event_flow import EventFlow
from locomotor.analysis.cycles.flow import Flow, ScheduledFlow
from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.naming import (
    Naming,
    OnSection,
    check_unknowns,
    choose_fixed,
    choose_modulo,
    choose_unknowns,
    periodic,
    section_constraints,
)
from locomotor.analysis.cycles.plan import CyclePlan, Guess, plan_cycle
from locomotor.analysis.cycles.poincare import PoincareMap
from locomotor.analysis.cycles.sections import OF_JOINTS, AtEvent, SectionKind, read_section
from locomotor.errors import SectionError, UnknownNameError
from locomotor.lie import ops
from locomotor.model import Expression, System, as_quantity, evaluate
from locomotor.model.expressions import free_names
from locomotor.names import TIME, suggestion
from locomotor.simulation.compiled import as_controller
from locomotor.simulation.events import Mode, Modes
from locomotor.simulation.inputs import check_resolution
from locomotor.tracing import Field, Port, Traced
from locomotor.typing import Floats

STEPS = 200
"""Steps a period of the drives is divided into by default."""
STEP = 1e-3
"""Default step for sections at events (s)."""
OF_NEWTON = ("hold", "multiple", "tolerance", "iterations", "search")
"""Options that say how Newton's method searches, which a map by itself does not."""
TOUCHING = 1e-8
"""Gap below which an open contact touches on the section (m)."""


def poincare_map(system: System, guess: Guess = None, *, free: Iterable[str] = (), **options: Any) -> PoincareMap:
    """The map from one passage of a section to the next; options as for `find_cycle`, with `free` parameters."""
    return build_map(plan_cycle("poincare_map", system, guess, options, without=OF_NEWTON, free=tuple(free)))


def build_map(plan: CyclePlan) -> PoincareMap:
    """The map that was planned: its section, what is unknown there, and a first point of it."""
    system, start_time, symmetry = plan.system, plan.start.time, plan.section.symmetry
    constant, law = as_controller(system, plan.inputs, plan.controller)
    modes = Modes(system, law, plan.method.target, plan.free)
    if modes.roughs:
        raise SectionError(
            f"{system.name}: contact {modes.roughs[0].name!r} is on a Terrain, which has no derivative where it bends; give it "
            "a Plane: system.replace(grounds=(Plane(...),))"
        )
    if system.turns_with_time and modes.switching:
        raise SectionError(
            f"{system.name}: coefficients of its constraints depend on time while contacts open and close; derivatives of "
            "impacts need rows that do not turn by themselves. Let coordinates turn them, or close the contacts for good"
        )
    kernels = Kernels(modes, constant)
    given = (as_quantity(value, f"input {name!r}") for name, value in (plan.inputs or {}).items())
    laws = [quantity for quantity in given if isinstance(quantity, Expression)]
    chosen = read_section(system, plan.section, system.parameters.values, laws)
    length = plan.step or (STEP if chosen.clock is None else chosen.clock / STEPS)
    check_resolution(system, length, inputs=plan.inputs)
    by_clock = not modes.rubs and not any(contact.law.pushes for contact in modes.switching)
    flow: Flow = ScheduledFlow(kernels, length) if by_clock and chosen.by_clock else EventFlow(kernels, length)
    p = modes.parameters
    mode, state = _first_place(plan, flow, chosen, p)
    if not flow.mode_is_known and not symmetry:
        mode, state = _settled(plan, flow, chosen, mode, state, p)
    touching = _touching(chosen, plan, flow, mode, state, p)
    _check_traced(system, mode)
    naming = Naming(kernels, mode)
    if not chosen.by_clock:
        _check_autonomous(naming, mode, start_time, state, p, chosen)
    advancing = choose_modulo(naming, mode, start_time, state, p) if plan.section.modulo is None else tuple(plan.section.modulo)
    for name in advancing:
        naming.index(name, "modulo")
        if name not in naming.chart:
            raise SectionError(f"modulo: {name!r} is a velocity; only coordinates may advance: {', '.join(naming.chart)}")
    t = np.array([start_time])
    named, seen = naming.read(mode, t, state[None], p[None])
    _, constraints, _ = section_constraints(chosen, OnSection(kernels, mode, touching, t, state[None], p[None], seen))
    fixed = choose_fixed(naming, named, constraints[0], advancing)
    offered = choose_unknowns(naming, mode, named, constraints[0], advancing, tuple(symmetry or ()))
    names = offered if plan.section.unknowns is None else tuple(plan.section.unknowns)
    for name in names:
        naming.index(name, "unknowns")
    check_unknowns(naming, mode, named, constraints[0], names, fixed, offered)
    return PoincareMap(
        plan=plan,
        kernels=kernels,
        naming=naming,
        flow=flow,
        section=chosen,
        mode=mode,
        reference=state,
        names=names,
        modulo=advancing,
        fixed=fixed,
        periodic=frozenset(periodic(naming, mode, start_time, state, p)),
        own_period=plan.section.period is None and chosen.by_clock,
        touching=touching,
        symmetry=_symmetry(naming, names, symmetry, modes),
        laws=tuple(laws),
    )


def _check_traced(system: System, mode: Mode) -> None:
    traced = mode.compiled.traced
    if traced.controller is not None and not traced.controller_is_traced:
        raise SectionError(
            f"{system.name}: a cycle needs the derivative of its controller, which must be traceable (no `if` on channels: use "
            "expressions, or lie.ops.if_else)"
        )


def _first_place(plan: CyclePlan, flow: Flow, section: SectionKind, p: Floats) -> tuple[Mode, Floats]:
    """Mode and state of a first point on the section."""
    guess, time, closed, longest = plan.guesses[0], plan.start.time, plan.start.closed, plan.section.longest
    mode, state = flow.begin(guess, time, closed, p)
    if not flow.mode_is_known:  # what goes by the clock is looked at where its derivatives are first asked for
        values = flow.kernels.parameters_of(mode, np.array([time]), state[None], p[None])
        given: dict[str, Any] = {"inputs": flow.kernels.inputs_of(mode), "parameters": values, "start_time": time}
        mode.compiled.check_limit(state, max(1, round(longest / flow.step)), flow.step, **given, remedy="give a smaller step")
    if section.is_to_be_reached(closed is not None):
        reached = flow.go(mode, time, time + longest, state[None], p[None], section, tangent=False)
        if not reached.good[0]:
            raise SectionError(
                f"{plan.system.name}: from the guess {_told(guess)} {reached.trouble}; give another guess, another section, "
                f"or a longer time than longest={longest:g} s"
            )
        mode, state = reached.mode, reached.states[0]
    return mode, state


def _settled(plan: CyclePlan, flow: Flow, section: SectionKind, mode: Mode, state: Floats, p: Floats) -> tuple[Mode, Floats]:
    """Mode and state after some passages, as long as all goes well; the contacts closed on the section may change."""
    time = plan.start.time
    end = time + (plan.section.longest if section.clock is None else section.clock)
    # A guess in which a joint with dry friction does not move says little of whether it sticks on the section.
    for _ in range(max(plan.search.settle or 0, int(len(mode.sticking) > 0))):
        passage = flow.go(mode, time, end, state[None], p[None], None if section.by_clock else section, tangent=False)
        if not passage.good[0]:
            break
        mode, state = passage.mode, passage.states[0]
    return mode, state


@singledispatch
def _touching(section: SectionKind, plan: CyclePlan, flow: Flow, mode: Mode, state: Floats, p: Floats) -> tuple[str, ...]:
    """Open contacts that touch on the section, or the one that is about to lift off."""
    return ()


@_touching.register
def _(section: AtEvent, plan: CyclePlan, flow: Flow, mode: Mode, state: Floats, p: Floats) -> tuple[str, ...]:
    """A guess near the section need not touch: then as many of its lowest contacts count as touch at the next passage.

    So a guess a little aside has the same unknowns.
    """
    kernels, time = flow.kernels, plan.start.time
    look, names = kernels.look(mode, np.array([time]), state[None], p[None]), kernels.modes.names
    if section.is_before:
        frictions = mode.frictions if section.kind in OF_JOINTS else {}
        held = sorted(mode.closed - mode.stances.keys() - (mode.frictions.keys() - frictions.keys()))
        closed = [name for name in held if section.contact in ("", frictions.get(name, name))] or [section.contact]
        return (min(closed, key=lambda name: abs(float(look[section.vanishing][0, names.index(name)]))),)
    if not section.is_touch:
        return ()
    gaps = dict(zip(names, np.abs(look["gap"][0]).tolist(), strict=True))
    near = tuple(name for name in names if name not in mode.closed and gaps[name] < TOUCHING)
    if near:
        return near
    passage = flow.go(mode, time, time + plan.section.longest, state[None], p[None], section, tangent=False)
    if not passage.good[0]:
        return ()
    then = zip(names, kernels.look(passage.mode, passage.times, passage.states, p[None])["gap"][0], strict=True)
    count = sum(abs(gap) < TOUCHING for name, gap in then if name not in passage.mode.closed)
    lowest = sorted((name for name in names if name not in mode.closed), key=gaps.__getitem__)[:count]
    return tuple(name for name in names if name in lowest)


def _told(guess: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in guess.items()) or "(nominal)"


def _check_autonomous(naming: Naming, mode: Mode, time: float, state: Floats, p: Floats, section: SectionKind) -> None:
    seen = naming.kernels.read(mode, np.array([time]), state[None], p[None])
    later = naming.kernels.read(mode, np.array([time + 0.317]), state[None], p[None])
    change = np.abs(later["rate"] - seen["rate"]).max(initial=0.0)
    laws = [entry.law for entry in naming.kernels.modes.switching]
    timed = any(TIME in free_names(answer) for law in laws for answer in (law.condition, as_quantity(law.largest_pull, "pull")))
    if timed or change > 1e-9 * (1.0 + np.abs(seen["rate"]).max(initial=0.0)):
        raise SectionError(
            f"section '{section}': the system depends on time, so that passages at different times are not alike; give "
            "period=... (the period of its drives) instead"
        )


def _symmetry(naming: Naming, names: tuple[str, ...], symmetry: Mapping[str, Any] | None, modes: Modes) -> Traced | None:
    """The symmetry as a function of all named values and the free parameters."""
    if not symmetry:
        return None
    for name in symmetry:
        if name not in names:
            raise SectionError(
                f"symmetry: {name!r} is not among the unknowns {', '.join(names)}: {suggestion(name, names)}; or name the "
                "unknowns yourself, with unknowns=(...)"
            )
    symbols, p = ops.symbols("values", len(naming.names)), ops.symbols("parameters", len(modes.free))
    values: dict[str, Any] = dict(modes.system.parameters.values)
    values.update({name: p[k] for k, name in enumerate(modes.free)})
    values.update({name: symbols[k] for k, name in enumerate(naming.names)})
    mapped = []
    for name in names:
        law = as_quantity(symmetry.get(name, name), f"symmetry of {name!r}")
        for used in free_names(law):
            if used not in values:
                raise UnknownNameError(f"symmetry of {name!r}: no value is named {used!r}: {suggestion(used, values)}")
        mapped.append(evaluate(law, values))
    ports = (Port.of("values", *naming.names), Port.of("parameters", *modes.free))
    inputs = list(zip(ports, (symbols, p), strict=True))
    out = Port("mapped", tuple(Field(name) for name in names))
    return Traced.build(f"{modes.system.name}_symmetry", inputs, [(out, ops.vector(*mapped))], "symmetry of a cycle")
