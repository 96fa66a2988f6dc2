"""Impacts in a run: from a state to the rows of its contacts, through an impact law, to new velocities and a record.

The same rows decide which contacts open: without their forces the closed contacts accelerate into the ground or away from
it, and the complementarity problem for accelerations is that of a plastic impact for velocities.
"""

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3
from locomotor.mechanics.constraints import ARM, touch_plane
from locomotor.mechanics.impacts import Collision, Impact, plastic_impact, poisson_impact, stronge_impact, unilateral_impact
from locomotor.model import Contact, ContactLaw, Joint, Motion, System, evaluate
from locomotor.model.contacts import EVERY_DIRECTION, FACE, NORMAL, sided, tip_names
from locomotor.simulation.events.endings import HeadOnError
from locomotor.simulation.events.frictional_impact import frictional_impact
from locomotor.simulation.events.modes import Modes
from locomotor.simulation.events.named_impact import named_impact
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.stances import side_of
from locomotor.simulation.terrain import Footholds, Footing, Place, Rough
from locomotor.tracing.contacts import Switching
from locomotor.typing import Vector

OPENS = 1e-6
"""A contact whose force has just vanished may open if it then accelerates into the ground by less than this (m/s²), or this
share of the accelerations that the forces make if that is more: it is about to accelerate away."""

HEAD_ON = 1e-9
"""Sine of the angle between a skate's heading and the normal of what it strikes, below which its side is round-off."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Masses and contact rows at one configuration."""

    mass: Vector
    switching: Sequence[Vector]
    """Rows of each switching contact in its frame: the normal first."""
    frames: Sequence[Vector]
    """Directions of those rows in world axes (for a coupling: the first axis)."""
    held: Vector
    """Rows of persistent contacts, of formulas, and of imposed velocities."""
    held_contacts: tuple[tuple[str, slice, Vector], ...]
    """Of each persistent contact: its name, its rows among the held ones, and their directions."""
    still: int
    """How many of the held rows have no velocity; the others keep theirs."""
    groups: tuple[int, ...] | None
    """A number for each switching contact, the same for slots of one part of one body on terrain; None without terrain."""
    turning: Mapping[str, Vector] = field(default_factory=dict)
    """Of contacts that resist rolling: turning about their directions along the ground."""
    pinned: frozenset[int] = frozenset()
    """Switching contacts that stand on something sharp, and stick there whatever that takes."""
    entries: tuple[Switching, ...] = ()
    """The switching contacts as they are held: a wheel that lies on its side is another than one that rolls."""


class _Found(Sequence[Vector]):
    """Arrays of switching contacts, each made when first asked for: most are open, and nobody asks."""

    def __init__(self, names: Sequence[str], of: Callable[[str], Vector]) -> None:
        self._names, self._of = names, of

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, i: Any) -> Any:
        return self._of(self._names[i])


def without(mass: Vector, rows: Sequence[Vector], held: Vector, v: Vector) -> Vector:
    """Velocities v after impulses along some rows that leave none there; those along the `held` rows stay."""
    collision = Collision(mass, rows, held, v, held @ v)
    count = sum(len(block) for block in rows)
    impulses, _ = collision.respond(list(range(count)), [0.0] * count)
    return np.asarray(v + collision.response @ impulses)


def rows_at(modes: Modes, q: Vector, holds: Footholds | None = None, time: float = 0.0) -> Rows:
    """Rows of everything at a configuration and an instant; of slots of contacts on terrain those that stand on something."""
    system = modes.system
    footings, sides = ({}, {}) if holds is None else (holds.footings, holds.sides)
    data = modes.impact_at(time, q)
    nv = system.layout.nv
    rows: dict[str, Vector] = {}
    frames: dict[str, Vector] = {}
    turning: dict[str, Vector] = {}
    later: dict[str, Contact] = {}

    def rows_of(name: str) -> Vector:
        if name not in rows:
            rows[name], frames[name] = _on_ground(later[name], data)
        return rows[name]

    def frame_of(name: str) -> Vector:
        rows_of(name)
        return frames[name]

    on_terrain = {rough.name: rough for rough in modes.roughs}
    for contact in system.contacts:
        if contact.name in on_terrain:
            rough = on_terrain[contact.name]
            for slot in rough.slots:
                rows[slot], frames[slot] = _on_terrain(rough, footings.get(slot), data, modes.values)
                if contact.resists and slot in footings:
                    turning[slot] = frames[slot][1:3] @ data[f"{contact.name}_twist"][3:]
            continue
        if contact.name not in sides:
            later[contact.name] = contact
            if contact.resists:
                turning[contact.name] = _frame_of(contact, data)[1:] @ data[f"{contact.name}_turning"]
    for entry in modes.switching if sides else ():
        if isinstance(entry, Contact) and entry.name in sides and holds is not None:
            rows[entry.name], frames[entry.name], turning[entry.name] = _on_side(modes, entry, data, holds)
    held_contacts = []
    held: list[Vector] = []
    for contact in system.contacts:
        if contact.name in modes.held:
            start = sum(len(part) for part in held)
            held.append(rows_of(contact.name))
            held_contacts.append((contact.name, slice(start, start + len(held[-1])), frames[contact.name]))
    still = sum(len(part) for part in held)
    for constraint in system.constraints:
        row = np.concatenate([data[f"{name}_row"] for name in constraint.row_names])
        if constraint.name in modes.names:
            rows[constraint.name], frames[constraint.name] = row, np.eye(3)[: len(row)]
        else:
            held.append(row)
    held += [data[f"{name}_row"] for closure in system.loops for name in closure.row_names]
    held += [np.eye(nv)[[system.layout.v[joint.name].start]] for joint in unyielding(system)]
    return Rows(
        data["mass"],
        _Found(modes.names, rows_of),
        _Found(modes.names, frame_of),
        np.concatenate(held) if held else np.zeros((0, nv)),
        tuple(held_contacts),
        still,
        _groups(modes, footings),
        turning,
        frozenset(i for i, name in enumerate(modes.names) if name in footings and footings[name].pins),
        modes.as_held({name: side_of(towards) for name, towards in sides.items()}),
    )


def _frame_of(contact: Contact, data: Mapping[str, Vector]) -> Vector:
    """Directions of the rows of a contact with a plane or another body."""
    normal = data.get(f"{contact.name}_normal")
    return data[f"{contact.name}_directions"] if normal is None else _frame(normal[0])


def _on_ground(contact: Contact, data: Mapping[str, Vector]) -> tuple[Vector, Vector]:
    """Rows and directions of such a contact."""
    frame = _frame_of(contact, data)
    rows = frame @ data[f"{contact.name}_jacobian"]
    if not contact.pivots:
        return rows, frame
    # Turning is a slip along the normal, at the arm of friction.
    return np.vstack([rows, data[f"{contact.name}_spin"]]), np.vstack([frame, frame[0]])


@dataclass(frozen=True, eq=False)
class Wheel:
    """A wheel on flat ground: what is asked where it lies on its side."""

    normal: Vector
    axis: Vector
    """Both in world axes."""
    rotation: Vector
    """Axes of its body in the world."""
    position: Vector
    """Of its body; of one on a plane zero, for nobody asks."""
    middle: Vector
    """Velocity of the middle of its side, in world axes, over all velocities."""
    turning: Vector
    """Its angular velocity, in the same way."""
    radius: float


def normal_and_axis(modes: Modes, contact: Contact, q: Vector, holds: Footholds, time: float) -> tuple[Vector, Vector]:
    """Normal under a wheel, or a slot of one on terrain, and its axis, both in world axes: whether it lies."""
    normal, R, _, _ = _beneath(modes, contact, modes.impact_at(time, q), holds)
    assert contact.rim is not None
    return normal, R @ np.asarray(evaluate(contact.rim[1], modes.values), dtype=float)


def wheel_on(modes: Modes, name: str, q: Vector, holds: Footholds, time: float) -> Wheel:
    """A wheel, or a slot of one on terrain, at a configuration."""
    data, values, contact = modes.impact_at(time, q), modes.values, modes.switching[modes.names.index(name)]
    assert isinstance(contact, Contact)
    normal, R, at, turning = _beneath(modes, contact, data, holds)
    assert contact.flat_side is not None and contact.rim is not None
    radius, axis = float(evaluate(contact.flat_side[1], values)), np.asarray(evaluate(contact.rim[1], values), dtype=float)
    middle = np.asarray(touch_plane(sided(contact, FACE), R.T @ normal, np.zeros(3), values).point, dtype=float)
    footing = holds.footings.get(name)
    position = np.zeros(3) if footing is None else data[f"{footing.rough.name}_pose"][:, 3]
    return Wheel(normal, R @ axis, R, position, at(middle), turning, radius)


def _beneath(
    modes: Modes, contact: Contact, data: Mapping[str, Vector], holds: Footholds
) -> tuple[Vector, Vector, Callable[[Vector], Vector], Vector]:
    """Normal under a wheel, axes of its body, velocity of a point of that (body axes) over all velocities, and of turning."""
    footing = holds.footings.get(contact.name)
    if footing is not None:
        name = footing.rough.name
        placed, twist = data[f"{name}_pose"], data[f"{name}_twist"]
        R, turning, jacobian, known = placed[:, :3], twist[3:], twist[:3], np.zeros(3)
        normal = footing.vectors["normal"]
    else:
        placed, turning, jacobian = (data[f"{contact.name}_{what}"] for what in ("rotation", "turning", "jacobian"))
        R, known, normal = placed[:, :3], placed[:, 3], data[f"{contact.name}_normal"][0]

    def at(point: Vector) -> Vector:
        return jacobian + _turned(turning, R @ (point - known))

    return normal, R, at, turning


def _on_side(modes: Modes, contact: Contact, data: Mapping[str, Vector], holds: Footholds) -> tuple[Vector, Vector, Vector]:
    """Rows and directions of a wheel that lies, or tips over a point of its rim, and of what keeps it from tipping."""
    towards = holds.sides[contact.name]
    held = sided(contact, side_of(towards))
    known = {**modes.values, **dict(zip(tip_names(contact.name), towards, strict=False))}
    normal, R, at, turning = _beneath(modes, contact, data, holds)
    frame = _frame(normal)
    moved = frame @ at(np.asarray(touch_plane(held, R.T @ normal, np.zeros(3), known).point, dtype=float))
    if not held.pivots:
        return moved, frame, np.zeros((0, moved.shape[1]))
    spin = ARM * float(held.law.patch_at(modes.values)) * (normal @ turning)
    return np.vstack([moved, spin]), np.vstack([frame, normal]), frame[1:] @ turning


def places_at(modes: Modes, q: Vector, v: Vector) -> dict[str, Place]:
    """Where the bodies are that may touch a terrain, by contact."""
    data = modes.impact_at(0.0, q)
    found = {}
    for rough in modes.roughs:
        placed, twist = data[f"{rough.name}_pose"], data[f"{rough.name}_twist"] @ v
        found[rough.name] = Place(placed[:, :3], placed[:, 3], twist[:3], twist[3:])
    return found


def _on_terrain(
    rough: Rough, footing: Footing | None, data: Mapping[str, Vector], values: Mapping[str, float]
) -> tuple[Vector, Vector]:
    """Rows and directions of a slot."""
    twist = data[f"{rough.name}_twist"]
    if footing is None:
        return np.zeros((0, twist.shape[1])), np.zeros((0, 3))
    placed = data[f"{rough.name}_pose"]
    R, p = placed[:, :3], placed[:, 3]
    point, normal = footing.at(SE3(R, p))
    contact = rough.contact
    frame = _frame(normal) if contact.BLOCKS == EVERY_DIRECTION else _blocked(contact, normal, R, values)
    rows = frame @ (twist[:3] + _turned(twist[3:], point - p))
    if not contact.pivots or footing.pins:
        return rows, frame
    spin = ARM * float(contact.law.patch_at(values)) * (normal @ twist[3:])
    return np.vstack([rows, spin]), np.vstack([frame, normal])


def _turned(turning: Vector, arm: Vector) -> Vector:
    """Velocities of the end of an arm, over all velocities, that follow from turning; numpy's own product takes longer."""
    x, y, z = arm.tolist()
    a, b, c = turning
    return np.array((b * z - c * y, c * x - a * z, a * y - b * x))


def _blocked(contact: Contact, normal: Vector, R: Vector, values: Mapping[str, float]) -> Vector:
    """The normal, and the other directions that a contact blocks, in world axes."""
    if contact.slides:
        return normal[None]
    if contact.glides is not None:
        along = R @ np.asarray(evaluate(contact.glides, values), dtype=float)
        if float(np.linalg.norm(np.cross(normal, along))) < HEAD_ON:
            raise HeadOnError(contact.name)
    directions = touch_plane(contact, R.T @ normal, np.zeros(3), values).directions or ()
    return np.vstack([normal, *(R @ np.asarray(d, dtype=float) for label, d, _ in directions if label != NORMAL)])


def unyielding(system: System) -> list[Joint]:
    """Imposed joints whose drives hold them through impacts."""
    return [joint for joint in system.imposed if not (isinstance(joint.drive, Motion) and joint.drive.yields)]


def _frame(n: Vector) -> Vector:
    """The normal, and two directions along the ground; the first as much along x as possible."""
    x, y, z = n.tolist()
    # Plain numbers: of three of them arrays are slow.
    a, b, c = (1.0 - x * x, -x * y, -x * z) if abs(x) < 0.9 else (-y * x, 1.0 - y * y, -y * z)
    size = math.sqrt(a * a + b * b + c * c)
    a, b, c = a / size, b / size, c / size
    return np.array([[x, y, z], [a, b, c], [y * c - z * b, z * a - x * c, x * b - y * a]])


def condensed(mass: Vector, contacts: Sequence[Vector], held: Vector) -> Vector:
    """Delassus matrix of the rows of some contacts while others are held."""
    return Collision(mass, contacts, held, np.zeros(len(mass))).condensed


@dataclass(frozen=True, eq=False)
class Aftermath:
    """What an impact leaves behind: velocities, impulses, who stays closed, energies."""

    velocity: Vector
    closed: frozenset[str]
    impulses: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...]
    """Of every contact with an impulse: its name, the impulse in its frame and in world axes."""
    consistent: bool
    energy_lost: float
    """By the impact itself: imposed motions that keep their velocities do work, which is part of it."""


def collide(
    modes: Modes, rows: Rows, v: Vector, before: frozenset[str], closing: Sequence[int], resting: Sequence[int] = ()
) -> Aftermath:
    """Impact of some switching contacts while those in `before` are closed; the `resting` ones stay closed, come what may."""
    found = _collide(modes, rows, v, before, closing, resting, ())
    lifted = [i for i in resting if modes.names[i] not in found.closed]
    return _collide(modes, rows, v, before, closing, resting, lifted) if lifted else found


def _collide(
    modes: Modes,
    rows: Rows,
    v: Vector,
    before: frozenset[str],
    closing: Sequence[int],
    resting: Sequence[int],
    lifted: Container[int],
) -> Aftermath:
    """An impact after which resting contacts with friction are held along their normals where they are `lifted` otherwise.

    One with friction comes to rest like a plastic impact: the momentum of the bounces to come is that of a closed contact.
    """
    switching = modes.switching
    part = [
        i for i, entry in enumerate(switching) if i in closing or i in resting or (entry.name in before and not entry.law.rubs)
    ]
    holding: dict[int, Vector] = {}
    for i in part:
        if switching[i].law.grips or (i in resting and not switching[i].law.slips):
            holding[i] = rows.switching[i]
        elif i in lifted:
            holding[i] = rows.switching[i][:1]
    one_sided = [i for i in part if i not in holding]
    held = np.vstack([*holding.values(), rows.held])
    kept = held @ v
    kept[: len(held) - len(rows.held) + rows.still] = 0.0
    bounce = [i for i in one_sided if i in closing and i not in resting]
    impact = _solve(modes, rows, v, one_sided, bounce, held, kept)
    closed = {switching[one_sided[k]].name for k in impact.closed} | {switching[i].name for i in holding}
    found: list[tuple[str, Vector, Vector]] = []
    for k, i in enumerate(one_sided):
        own = impact.impulses[k, : min(len(rows.switching[i]), 3)]
        found.append((switching[i].name, own, _in_world(modes, rows, i, own)))
    at = 0
    for i, blocked in holding.items():
        own = np.zeros(len(rows.switching[i]))
        own[: len(blocked)] = impact.held_impulses[at : at + len(blocked)]
        at += len(blocked)
        if i in resting:  # one that leaves is stopped by what presses it down during its last bounces: no ground pulls
            own[0] = max(float(own[0]), 0.0)
        found.append((switching[i].name, own, _in_world(modes, rows, i, own)))
    for name, where, frame in rows.held_contacts:
        own = impact.held_impulses[at + where.start : at + where.stop]
        found.append((name, own, frame.T @ own))
    told = tuple((name, _three(own), _three(world)) for name, own, world in found)
    lost = impact.energy_lost + float(impact.held_impulses @ kept)
    return Aftermath(impact.velocity, frozenset(closed), told, impact.consistent, lost)


def _solve(modes: Modes, rows: Rows, v: Vector, one_sided: list[int], bounce: list[int], held: Vector, kept: Vector) -> Impact:
    """The impact law of the contacts that bounce; those that differ in their rules follow Newton's."""
    groups = _among(rows, one_sided)
    contacts = [rows.switching[i] for i in one_sided]
    laws = [rows.entries[i].law for i in one_sided]
    values = modes.values
    if any(law.slips or law.resists for law in laws):
        return _with_friction(modes, rows, v, one_sided, bounce, held, kept)
    approach = [-float(C[0] @ v) for C in contacts]
    pairs = [
        law.coefficients_at(values, speed) if i in bounce else (0.0, 0.0)
        for i, law, speed in zip(one_sided, laws, approach, strict=True)
    ]
    share = [float(e) for e, _ in pairs]
    others = _shares(modes, one_sided, bounce)
    rules = _rules(laws, share, others)
    if rules == {"poisson"}:
        return poisson_impact(rows.mass, contacts, held, v, share, kept, groups)
    if rules == {"stronge"}:
        return stronge_impact(rows.mass, contacts, held, v, share, kept, groups)
    leaves = [e > 0.0 or (others is not None and bool(others[k].any())) for k, e in enumerate(share)]
    both = [(e, float(e_t) if away else 0.0) for e, (_, e_t), away in zip(share, pairs, leaves, strict=True)]
    return unilateral_impact(rows.mass, contacts, held, v, both, kept, groups, others)


def _with_friction(
    modes: Modes, rows: Rows, v: Vector, one_sided: list[int], bounce: list[int], held: Vector, kept: Vector
) -> Impact:
    """The impact law of contacts of which some have friction; those that differ in their rules follow Newton's."""
    values, laws = modes.values, [rows.entries[i].law for i in one_sided]
    contacts = [rows.switching[i] for i in one_sided]
    friction = [
        float(law.friction_at(values)) if law.slips and i not in rows.pinned else np.inf
        for i, law in zip(one_sided, laws, strict=True)
    ]
    pairs = [
        law.coefficients_at(values, -float(C[0] @ v)) if i in bounce else (0.0, 0.0)
        for i, law, C in zip(one_sided, laws, contacts, strict=True)
    ]
    restitution, tangential = ([float(pair[k]) for pair in pairs] for k in range(2))
    shares = _shares(modes, one_sided, bounce)
    rules = _rules(laws, restitution, shares)
    rule = next(iter(rules)) if len(rules) == 1 else "newton"
    if rule == "moreau" and len({e for e in restitution if e > 0.0}) > 1:
        rule = "newton"  # one index for all
    if any(law.pivots or law.resists for law in laws):
        rule = "newton"  # the others have no word for spin and rolling
    if rule == "newton" and shares is None and not any(tangential):
        resisting = [(k, float(law.resistance_at(values))) for k, law in enumerate(laws) if law.resists]
        turning = [rows.turning[modes.names[one_sided[k]]] for k, _ in resisting]
        patched = [k for k, i in enumerate(one_sided) if laws[k].pivots and i not in rows.pinned]
        collision = Collision(rows.mass, [*contacts, *turning], held, v, kept)
        return frictional_impact(collision, restitution, friction, resisting, patched)
    # Laws with names are those of points.
    collision = Collision(rows.mass, [C[:3] for C in contacts], held, v, kept)
    matrix = np.diag(restitution) if shares is None else np.diag(restitution) + shares
    return named_impact(rule, collision, matrix, friction, tangential)


def _rules(laws: Sequence[ContactLaw], restitution: Sequence[float], shares: Vector | None) -> set[str]:
    """The rules by which contacts bounce; to take from the approach of others is Newton's."""
    own = {law.impact_rule for e, law in zip(restitution, laws, strict=True) if e > 0.0}
    return own if shares is None else own | {"newton"}


def _shares(modes: Modes, one_sided: list[int], bounce: list[int]) -> Vector | None:
    """What each contact takes from the approach of those that bounce; None where no law says so."""
    names = [modes.contact_of[modes.names[i]] for i in one_sided]
    found = np.zeros((len(names), len(names)))
    for k, i in enumerate(one_sided):
        law = modes.switching[i].law
        shares = law.shares(modes.values)
        for j, other in enumerate(names):
            found[k, j] = shares.get(other, 0.0) if one_sided[j] in bounce else 0.0
    return found if found.any() else None


def _groups(modes: Modes, footings: Mapping[str, Footing]) -> tuple[int, ...] | None:
    """Of slots of one contact those are together that are one part of the body: two corners of a box do not wedge it in."""
    if not modes.roughs:
        return None
    keys = [(modes.contact_of[name], footings[name].feature.part if name in footings else 0) for name in modes.names]
    return tuple(keys.index(key) for key in keys)


def _among(rows: Rows, chosen: Sequence[int]) -> list[int] | None:
    return None if rows.groups is None else [rows.groups[i] for i in chosen]


def releases(
    modes: Modes, rows: Rows, closed: frozenset[str], seen: Seen, opening: Container[int]
) -> tuple[frozenset[str], bool]:
    """One-sided contacts that must open, and whether the answer is consistent.

    `seen` has the forces of the closed contacts; those in `opening` have just lost theirs, and with them all their pull. Forces
    of the others are counted from the largest pulls of their laws; what one that opens leaves to others, they are asked next.
    """
    pulls = seen.hold - seen.normal_force
    switching = modes.switching
    one_sided = [i for i, c in enumerate(switching) if c.name in closed and c.law.pushes]
    gripping = [i for i, c in enumerate(switching) if c.name in closed and (c.law.grips or c.law.rubs)]
    held = np.vstack([*(rows.switching[i] for i in gripping), rows.held])
    zero = np.zeros(len(held))
    contacts = [rows.switching[i] for i in one_sided]
    # Accelerations relative to the present ones if no one-sided contact pushed any more.
    everything = Collision(rows.mass, contacts, held, np.zeros(rows.mass.shape[0]), zero)
    removed = np.zeros(len(everything.rows))
    for k, i in enumerate(one_sided):
        removed[everything.starts[k] : everything.starts[k + 1]] = -(rows.frames[i] @ seen.reaction[i])
        if i not in opening:
            removed[everything.starts[k]] -= pulls[i]
    without = everything.v + everything.response @ everything.respond([], [], removed)[0]
    kept = [k for k, i in enumerate(one_sided) if i not in opening]
    gone = [k for k in range(len(one_sided)) if k not in kept]
    if gone:
        among = _among(rows, [one_sided[k] for k in kept])
        found = plastic_impact(rows.mass, [contacts[k] for k in kept], held, without, zero, among)
        scale = max(float(np.abs(everything.rows @ without).max(initial=0.0)), 1.0)
        if found.consistent and all(float(contacts[k][0] @ found.velocity) >= -OPENS * scale for k in gone):
            stays = {switching[one_sided[kept[k]]].name for k in found.closed}
            return frozenset(switching[i].name for i in one_sided) - stays, True
    found = plastic_impact(rows.mass, contacts, held, without, zero, _among(rows, one_sided))
    stays = {switching[one_sided[k]].name for k in found.closed}
    return frozenset(switching[i].name for i in one_sided) - stays, found.consistent


def _in_world(modes: Modes, rows: Rows, i: int, impulse: Vector) -> Vector:
    """Impulse on the system in world axes; that of a coupling is internal."""
    return rows.frames[i][:3].T @ impulse[:3] if isinstance(modes.switching[i], Contact) else np.zeros(3)


def _three(values: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in (*values, 0.0, 0.0)[:3])
