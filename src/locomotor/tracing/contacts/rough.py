"""Contacts on a terrain inside a traced step: slots on planes whose places a function of the runtime finds at every step.

Which faces, edges and corners are near is found by `codegen/runtime/terrain.h` (on numbers by `locomotor.geometry`). The
nearest of them, as many as a contact has slots, become planes tangent to body and ground, and each slot is a contact of its own
on its plane: of a capsule or a box the sphere or the point with which it touches. A disc stands on the lowest point of its rim;
where it all but lies flat, on several points of rim and side (`geometry/settled.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ContactKindError, ContactLawError
from locomotor.geometry import BALL, BOX, CAPSULE, DISC, query, settled, shape_from, surface_of, tables_of
from locomotor.lie import SE3, ops
from locomotor.mechanics.tree import Kinematics
from locomotor.model import (
    Contact,
    Parameter,
    Plane,
    RollingCapsule,
    RollingDisc,
    RollingSphere,
    RollingTorus,
    Skate,
    SlidingBox,
    SlidingCapsule,
    SlidingPoint,
    SlidingSphere,
    StickingBox,
    StickingPoint,
    System,
    Terrain,
    evaluate,
)
from locomotor.model.contacts import Settling
from locomotor.tracing.contacts.pieces import piece_of, support_names
from locomotor.tracing.core import Call, Recorder
from locomotor.typing import Floats

SLOTS = {BALL: 4, DISC: 4, CAPSULE: 6, BOX: 8}
"""Parts of a terrain that one contact may touch at once in a step, by its kind of shape."""
SOLID = (CAPSULE, BOX)
"""Kinds of shapes that touch with pieces of themselves."""
REACH = 0.01
"""Parts of a terrain up to this far away (m) take part in a step, or as far as a body comes in it; the nearest one always."""
NOWHERE = 1e6
"""Planes of slots that touch nothing are this far below (m)."""


@dataclass(frozen=True, eq=False)
class Rough:
    """A contact whose ground is a terrain, with the slots that stand for it in a step."""

    contact: Contact
    terrain: Terrain
    slots: tuple[str, ...]

    @cached_property
    def kind(self) -> int:
        """Kind of the shape with which the contact touches a terrain."""
        return _shape(self.contact)[0]

    def names(self, slot: str) -> dict[str, tuple[str, ...]]:
        """Names of the parameters that hold what is known of a slot: vectors, and of a disc whether it all but lies flat."""
        vectors = ("normal", "point") if self.kind == BALL else ("normal", "point", "at")
        found: dict[str, tuple[str, ...]] = {vector: support_names(slot, vector) for vector in vectors}
        return found | ({"level": (f"{slot}_support_level",)} if self.kind == DISC else {})

    def _slot(self, slot: str, given: Mapping[str, tuple[str, ...]]) -> Contact:
        """A slot as a contact on its plane."""
        contact = replace(self.contact, name=slot, ground=f"{slot}_support")
        if self.kind in SOLID:
            return piece_of(contact, support_names(slot, "at"))
        if self.kind == DISC:
            return Settling(slot, contact.body, contact, given["at"], *given["level"], ground=contact.ground, law=contact.law)
        return contact

    def parts(self) -> tuple[list[Contact], list[Plane], list[Parameter]]:
        """Slots of the contact as contacts on planes, and the parameters that say where these are."""
        contacts, planes, parameters = [], [], []
        for slot in self.slots:
            given = self.names(slot)
            contacts.append(self._slot(slot, given))
            planes.append(Plane(f"{slot}_support", normal=given["normal"], point=given["point"]))
            for vector, names in given.items():
                nominal = (0.0, 0.0, 1.0) if vector == "normal" else (0.0,) * len(names)
                pairs = zip(names, nominal, strict=True)
                parameters += [Parameter(name, value, description="of the ground that is near") for name, value in pairs]
        return contacts, planes, parameters

    @cached_property
    def call(self) -> Call:
        """The search in the runtime: from pose and shape to the planes of the slots, and the least gap."""
        return _call(self.terrain, self.kind, len(self.slots))

    def look(
        self, recorder: Recorder, kinematics: Kinematics, values: Mapping[str, Any], step: Any = None
    ) -> tuple[dict[str, Any], Any]:
        """What the slots stand on within a step, by the names of their parameters, and the least gap of the contact."""
        body = kinematics.index(self.contact.body)
        R, p = kinematics.poses[body].rotation, kinematics.poses[body].translation
        _, vectors, sizes = _shape(self.contact)
        shape = [evaluate(vector, values)[i] for vector in vectors for i in range(3)] + [evaluate(x, values) for x in sizes]
        reach: Any = REACH
        if step is not None:
            ways = [step * ops.norm(v) for v in self._speeds(kinematics, body, values)]
            reach = ops.fmax(REACH, sum(ways[1:], ways[0]))
        pose = [*(R[i, j] for i in range(3) for j in range(3)), *(p[i] for i in range(3))]
        found = recorder.call(self.call, [*pose, *shape, reach])
        names = [name for slot in self.slots for vector in self.names(slot).values() for name in vector]
        return dict(zip(names, found[:-1], strict=True)), found[-1]

    def _speeds(self, kinematics: Kinematics, body: int, values: Mapping[str, Any]) -> list[Any]:
        """Velocities whose sizes together are no less than the speed of any point of the shape."""
        _, vectors, sizes = _shape(self.contact)
        omega, first = kinematics.omega[body], evaluate(vectors[0], values)
        around: Any = 0.0
        if self.kind in SOLID:  # a capsule about its first end, a box about its middle
            around = ops.norm(evaluate(vectors[1], values) - (first if self.kind == CAPSULE else 0.0))
        for size in sizes:
            around = around + evaluate(size, values)
        return [kinematics.velocity[body] + ops.cross(omega, first), around * omega]


def on_slots(system: System) -> tuple[System, tuple[Rough, ...]]:
    """The system with its contacts on terrain replaced by slots, and these contacts; the system itself where there are none."""
    grounds = {ground.name: ground for ground in system.grounds if isinstance(ground, Terrain)}
    contacts: list[Contact] = []
    planes: list[Plane] = []
    parameters: list[Parameter] = []
    roughs: list[Rough] = []
    taken = {contact.name for contact in system.contacts} | {entry.name for entry in system.constraints}
    for contact in system.contacts:
        if contact.ground not in grounds:
            contacts.append(contact)
            continue
        _check(contact, grounds[contact.ground])
        count = SLOTS[_shape(contact)[0]]
        others = [f"{contact.name}_{k}" for k in range(2, 2 + count + len(taken)) if f"{contact.name}_{k}" not in taken]
        rough = Rough(contact, grounds[contact.ground], (contact.name, *others[: count - 1]))
        slots, supports, places = rough.parts()
        contacts += slots
        planes += supports
        parameters += places
        roughs.append(rough)
    if not roughs:
        return system, ()
    own = (system.parameters[name] for name in system.parameters)
    slotted = system.replace(
        contacts=tuple(contacts), grounds=(*system.grounds, *planes), parameters=(*own, *parameters), independent=None
    )
    return slotted, tuple(roughs)


def _check(contact: Contact, terrain: Terrain) -> None:
    """Refuse what a step cannot say on a terrain."""
    if terrain.rule != "complete":
        raise ContactLawError(
            f"{contact.label}: its terrain {terrain.name!r} has the rule {terrain.rule!r}, which batches do not know; use "
            "terrain.with_rule('complete'), or simulate"
        )
    if contact.law.is_gated or contact.law.adheres:
        raise ContactLawError(
            f"{contact.label}: on a terrain a step does not remember which part of it is closed, as a law with a condition or "
            "an adhesive one needs; leave out `when`, give it a Plane, or simulate"
        )


Numbers = tuple[int, tuple[Any, ...], tuple[Any, ...]]

# -- shapes ---------------------------------------------------------------------------------------------------


@singledispatch
def _shape(contact: Contact) -> Numbers:
    """The kind of a contact's shape, and its vectors and numbers in the order of `geometry.tables`."""
    raise ContactKindError(
        f"{contact.label}: nothing says which numbers make the shape of a {type(contact).__name__} in compiled steps; give it "
        "a Plane as its ground, or simulate"
    )


@_shape.register
def _(contact: RollingDisc) -> Numbers:
    return DISC, (contact.centre, contact.axis), (contact.radius, 0.0)


@_shape.register
def _(contact: RollingTorus) -> Numbers:
    return DISC, (contact.centre, contact.axis), (contact.radius, contact.tube)


@_shape.register(RollingSphere)
@_shape.register(SlidingSphere)
def _(contact: RollingSphere | SlidingSphere) -> Numbers:
    return BALL, (contact.centre,), (contact.radius,)


@_shape.register(StickingPoint)
@_shape.register(SlidingPoint)
@_shape.register(Skate)
def _(contact: StickingPoint | SlidingPoint | Skate) -> Numbers:
    return BALL, (contact.at,), (0.0,)


@_shape.register(RollingCapsule)
@_shape.register(SlidingCapsule)
def _(contact: RollingCapsule | SlidingCapsule) -> Numbers:
    return CAPSULE, (contact.start, contact.end), (contact.radius,)


@_shape.register(StickingBox)
@_shape.register(SlidingBox)
def _(contact: StickingBox | SlidingBox) -> Numbers:
    return BOX, (contact.centre, contact.half_sizes), ()


# -- the call -------------------------------------------------------------------------------------------------

SIZES = {BALL: 4, DISC: 8, CAPSULE: 7, BOX: 6}
"""Numbers of each kind of shape."""
WIDTHS = {BALL: 6, DISC: 10, CAPSULE: 9, BOX: 9}
"""Numbers of a slot: normal and point of its plane, where in the body it touches, and whether a disc all but lies flat."""


@lru_cache(maxsize=64)
def _call(terrain: Terrain, kind: int, slots: int) -> Call:
    tables = tables_of(surface_of(terrain))
    digest = hashlib.sha256(tables.numbers.tobytes() + tables.rows.tobytes()).hexdigest()[:16]
    data = ((f"lm_numbers_{digest}", tables.numbers), (f"lm_rows_{digest}", tables.rows))
    takes, gives = 13 + SIZES[kind], slots * WIDTHS[kind] + 1
    name = f"lm_near_{digest}_{kind}_{slots}"
    text = f"""LM_NOINLINE void {name}(real *numbers) {{
    const lm_ground ground = {{{data[0][0]}, {data[1][0]}}};
    for (int lane = 0; lane < LANES; ++lane) {{
        stored taken[{takes}], made[{gives}];
        for (int i = 0; i < {takes}; ++i) taken[i] = lm_get(numbers[i], lane);
        lm_terrain_slots(&ground, {kind}, taken + 12, taken, taken + 9, taken[{takes - 1}], {slots}, {WIDTHS[kind]}, made);
        for (int i = 0; i < {gives}; ++i) lm_put(&numbers[i], lane, made[i]);
    }}
}}"""

    def on_numbers(numbers: Floats) -> Floats:
        return slots_on_numbers(terrain, kind, slots, numbers)

    headers = ("terrain.h", "terrain_search.h", "terrain_settled.h", "terrain_slots.h")
    return Call(name, takes, gives, text, headers, data, on_numbers)


def slots_on_numbers(terrain: Terrain, kind: int, slots: int, numbers: Floats) -> Floats:
    """Planes of the slots and the least gap, as `lm_terrain_slots` gives them."""
    R, p, width = numbers[:9].reshape(3, 3), numbers[9:12], WIDTHS[kind]
    made = np.tile([0.0, 0.0, 1.0, *(p - [0.0, 0.0, NOWHERE]), 0.0, 0.0, 0.0, 0.0][:width], slots)
    if not np.isfinite(numbers).all():
        return np.append(made, np.nan)
    shape, pose, surface = shape_from(kind, numbers[12:-1]), SE3(R, p), surface_of(terrain)
    reach = float(numbers[-1])
    found = query(surface, shape, pose, reach=reach)
    for k, (candidate, level) in enumerate(settled(shape, surface, pose, found, reach)[:slots]):
        core = R.T @ (candidate.point + shape.margin * candidate.normal - p)
        made[width * k : width * (k + 1)] = [*candidate.normal, *candidate.foot, *core, level][:width]
    return np.append(made, found[0].gap)


def looked_up(
    roughs: Sequence[Rough], recorder: Recorder, kinematics: Kinematics, values: Mapping[str, Any], step: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of all slots in a step, and the least gaps by contact."""
    places: dict[str, Any] = {}
    gaps: dict[str, Any] = {}
    for rough in roughs:
        found, gaps[rough.contact.name] = rough.look(recorder, kinematics, values, step)
        places |= found
    return places, gaps
