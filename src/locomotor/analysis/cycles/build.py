"""Making a Poincaré map from a system, a guess and a section."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from locomotor.analysis.cycles.event_flow import EventFlow
from locomotor.analysis.cycles.flow import ScheduledFlow, closed_by_schedule
from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.naming import (
    Naming,
    check_unknowns,
    choose_fixed,
    choose_modulo,
    choose_unknowns,
    periodic,
    section_constraints,
)
from locomotor.analysis.cycles.poincare import PoincareMap
from locomotor.analysis.cycles.sections import AtEvent, Crossing, Phase, Section, read_section
from locomotor.errors import SectionError, UnknownNameError
from locomotor.lie import ops
from locomotor.model import Expression, System, as_quantity, evaluate
from locomotor.model.expressions import free_names
from locomotor.names import suggestion
from locomotor.simulation.compiled import as_controller
from locomotor.simulation.events import Mode, Modes, hybrid_start
from locomotor.simulation.starts import starting_state
from locomotor.tracing import Channels, Controller, Field, Port, Traced
from locomotor.typing import Floats

STEPS = 200
"""Steps a period of the drives is divided into by default."""
STEP = 1e-3
"""Default step for sections at events (s)."""
TOUCHING = 1e-8
"""Gap below which an open contact touches on the section (m)."""


def poincare_map(
    system: System,
    guess: Mapping[str, float] | None = None,
    *,
    period: float | None = None,
    section: str | None = None,
    unknowns: Iterable[str] | None = None,
    modulo: Iterable[str] | None = None,
    symmetry: Mapping[str, Any] | None = None,
    periods: int = 1,
    step: float | None = None,
    start_time: float = 0.0,
    closed: Iterable[str] | None = None,
    longest: float = 60.0,
    settle: int = 0,
    inputs: Mapping[str, Any] | None = None,
    controller: Controller | Callable[[Channels], Mapping[str, Any]] | None = None,
    free: tuple[str, ...] = (),
    target: str = "auto",
) -> PoincareMap:
    """The map from one passage of a section to the next; arguments as for `find_cycle`, with `free` parameters."""
    if periods < 1 or int(periods) != periods:
        raise SectionError(f"periods is {periods!r}; give a whole number of passages, 1 or more")
    settings = dict(
        period=period, section=section, unknowns=unknowns, modulo=modulo, symmetry=symmetry, periods=periods, step=step,
        start_time=start_time, closed=closed, longest=longest, inputs=inputs, controller=controller, target=target,
    )  # fmt: skip
    constant, law = as_controller(system, inputs, controller)
    modes = Modes(system, law, target, tuple(free))
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
    laws = [q for name, given in (inputs or {}).items() if isinstance(q := as_quantity(given, f"input {name!r}"), Expression)]
    chosen = read_section(system, section, period, system.parameters.values, laws)
    if step is not None and not 0.0 < step < np.inf:
        raise SectionError(f"the step is {step!r} s; it must be positive and finite")
    length = step if step is not None else chosen.period / STEPS if isinstance(chosen, Phase) else STEP
    by_clock = not any(contact.law.pushes for contact in modes.switching)
    flow: ScheduledFlow | EventFlow
    flow = ScheduledFlow(kernels, length) if by_clock and isinstance(chosen, Phase) else EventFlow(kernels, length)
    p = modes.parameters
    mode, state = _first_place(modes, flow, chosen, dict(guess or {}), start_time, closed, longest, p)
    if isinstance(flow, EventFlow) and not symmetry:
        mode, state = _settled(flow, chosen, mode, state, p, start_time, longest, settle)
    touching = _touching(flow, chosen, mode, state, start_time, p, longest)
    _check_traced(system, mode)
    naming = Naming(kernels, mode)
    if not isinstance(chosen, Phase):
        _check_autonomous(naming, mode, start_time, state, p, chosen)
    advancing = choose_modulo(naming, mode, start_time, state, p) if modulo is None else tuple(modulo)
    for name in advancing:
        naming.index(name, "modulo")
        if name not in naming.chart:
            raise SectionError(f"modulo: {name!r} is a velocity; only coordinates may advance: {', '.join(naming.chart)}")
    t = np.array([start_time])
    named, seen = naming.read(mode, t, state[None], p[None])
    _, constraints, _ = section_constraints(kernels, chosen, mode, touching, t, state[None], p[None], seen)
    fixed = choose_fixed(naming, named, constraints[0], advancing)
    offered = choose_unknowns(naming, mode, named, constraints[0], advancing, tuple(symmetry or ()))
    names = offered if unknowns is None else tuple(unknowns)
    for name in names:
        naming.index(name, "unknowns")
    check_unknowns(naming, mode, named, constraints[0], names, fixed, offered)
    return PoincareMap(
        system=system,
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
        start_time=start_time,
        passages=int(periods),
        longest=longest,
        own_period=period is None and isinstance(chosen, Phase),
        touching=touching,
        symmetry=_symmetry(naming, names, symmetry, modes),
        laws=tuple(laws),
        settings=settings,
    )


def _check_traced(system: System, mode: Mode) -> None:
    traced = mode.compiled.traced
    if traced.controller is not None and not traced.controller_is_traced:
        raise SectionError(
            f"{system.name}: a cycle needs the derivative of its controller, which must be traceable (no `if` on channels: use "
            "expressions, or lie.ops.if_else)"
        )


def _first_place(
    modes: Modes, flow: ScheduledFlow | EventFlow, section: Section, guess: dict[str, float], time: float,
    closed: Iterable[str] | None, longest: float, p: Floats,
) -> tuple[Mode, Floats]:  # fmt: skip
    """Mode and state of a first point on the section."""
    if isinstance(flow, ScheduledFlow):
        mode = modes.mode(closed_by_schedule(modes, time, p))
        return mode, starting_state(mode.compiled.traced, guess, time=time, parameters=p)
    mode, state, _ = hybrid_start(modes, guess, time, None if closed is None else tuple(closed))
    if (isinstance(section, AtEvent) and closed is None) or isinstance(section, Crossing):
        reached = flow.go(mode, time, time + longest, state, p, section, tangent=False)
        if not reached.good[0]:
            raise SectionError(
                f"{modes.system.name}: from the guess {_told(guess)} {reached.trouble}; give another guess, another section, "
                f"or a longer time than longest={longest:g} s"
            )
        mode, state = reached.mode, reached.states[0]
    return mode, state


def _settled(
    flow: EventFlow, section: Section, mode: Mode, state: Floats, p: Floats, time: float, longest: float, count: int
) -> tuple[Mode, Floats]:
    """Mode and state after some passages, as long as all goes well; the contacts closed on the section may change."""
    by_clock = isinstance(section, Phase)
    end = time + (section.period if isinstance(section, Phase) else longest)
    for _ in range(count):
        passage = flow.go(mode, time, end, state, p, None if by_clock else section, tangent=False)
        if not passage.good[0]:
            break
        mode, state = passage.mode, passage.states[0]
    return mode, state


def _touching(
    flow: ScheduledFlow | EventFlow, section: Section, mode: Mode, state: Floats, time: float, p: Floats, longest: float
) -> tuple[str, ...]:
    """Open contacts that touch on the section, or the one that is about to lift off.

    A guess near the section need not touch: then as many of its lowest contacts count as touch at the next passage, so that a
    guess a little aside has the same unknowns.
    """
    if not isinstance(section, AtEvent) or not isinstance(flow, EventFlow):
        return ()
    kernels = flow.kernels
    look, names = kernels.look(mode, np.array([time]), state[None], p[None]), kernels.modes.names
    if section.kind == "lift-off":
        closed = [section.contact] if section.contact else sorted(mode.closed)
        return (min(closed, key=lambda name: abs(float(look["normal_force"][0, names.index(name)]))),)
    gaps = dict(zip(names, np.abs(look["gap"][0]).tolist(), strict=True))
    near = tuple(name for name in names if name not in mode.closed and gaps[name] < TOUCHING)
    if near:
        return near
    passage = flow.go(mode, time, time + longest, state, p, section, tangent=False)
    if not passage.good[0]:
        return ()
    then = zip(names, kernels.look(passage.mode, passage.times, passage.states, p[None])["gap"][0], strict=True)
    count = sum(abs(gap) < TOUCHING for name, gap in then if name not in passage.mode.closed)
    lowest = sorted((name for name in names if name not in mode.closed), key=gaps.__getitem__)[:count]
    return tuple(name for name in names if name in lowest)


def _told(guess: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in guess.items()) or "(nominal)"


def _check_autonomous(naming: Naming, mode: Mode, time: float, state: Floats, p: Floats, section: Section) -> None:
    seen = naming.kernels.read(mode, np.array([time]), state[None], p[None])
    later = naming.kernels.read(mode, np.array([time + 0.317]), state[None], p[None])
    change = np.abs(later["rate"] - seen["rate"]).max(initial=0.0)
    if change > 1e-9 * (1.0 + np.abs(seen["rate"]).max(initial=0.0)):
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
