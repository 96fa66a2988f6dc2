"""The frozen whole: bodies, joints, contacts, forces, grounds, parameters, inputs; validated when built."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import (
    DescriptionTypeError,
    DuplicateNameError,
    InvalidNameError,
    NominalPoseError,
    TreeError,
    UnknownBodyError,
    UnknownGroundError,
    UnknownJointError,
    UnknownNameError,
)
from locomotor.model.body import Body, Frame
from locomotor.model.constraint import Constraint, Coupling, VelocityConstraint
from locomotor.model.contacts import Contact, ContactLaw, Plane, RoundGround, Support, Terrain
from locomotor.model.drive import Motion
from locomotor.model.ends import Ends, EndsLike, read_ends
from locomotor.model.expressions import Quantity, QuantityLike, as_quantity, free_names, number, show_numbers
from locomotor.model.forces import Force
from locomotor.model.joint import Joint
from locomotor.model.layout import Input, Layout, build_layout
from locomotor.model.loops import Closure
from locomotor.model.named_mode import Mode
from locomotor.model.parameters import Parameter, ParameterSet
from locomotor.model.shapes import Shape, read_shapes
from locomotor.model.soft import with_stations
from locomotor.model.tree import order_joints
from locomotor.model.validation import validate, validate_parts
from locomotor.names import TIME, WORLD, same_name, suggestion

QUATERNION_TOLERANCE = 1e-9
Ground = Plane | Terrain | Support | RoundGround


@checks.doors
@dataclass(frozen=True, init=False, repr=False)
class System:
    """A system of bodies: what it is made of, not how it moves.

    Bodies and joints are kept depth first, parents before children: `bodies[i]` is the child of `joints[i]`.
    Systems are immutable, and compared and hashed by content.
    """

    name: str
    bodies: tuple[Body | Frame, ...]
    joints: tuple[Joint, ...]
    contacts: tuple[Contact, ...]
    forces: tuple[Force, ...]
    grounds: tuple[Ground, ...]
    parameters: ParameterSet
    inputs: tuple[Input, ...]
    independent: tuple[str, ...] | None
    """Names of the velocities preferred as reduced velocities."""
    nominal: tuple[tuple[str, Quantity], ...]
    """Coordinates of the nominal pose, as pairs; those not given are zero, and quaternions the identity."""
    description: str
    constraints: tuple[Constraint, ...]
    loops: tuple[Closure, ...]
    """What holds bodies together beside the joints of the tree."""
    ends: Ends
    """Expressions of channels by name, as pairs: where one becomes negative the motion is over, as by a fall."""
    modes: tuple[Mode, ...] = field(compare=False)
    """Names of the modes of small deviations; no part of what is compared."""
    scenery: tuple[Shape, ...] = field(compare=False)
    """What stands in the world to be seen, in place of planes; like the shapes of bodies no part of what is compared."""

    def __init__(
        self,
        name: str,
        bodies: Iterable[Body | Frame],
        joints: Iterable[Joint],
        contacts: Iterable[Contact] = (),
        forces: Iterable[Force] = (),
        grounds: Iterable[Ground] = (Plane(),),
        parameters: ParameterSet | Iterable[Parameter] | Mapping[str, float] = (),
        inputs: Iterable[Input] = (),
        independent: Iterable[str] | None = None,
        nominal: Mapping[str, QuantityLike] | Iterable[tuple[str, QuantityLike]] = (),
        description: str = "",
        constraints: Iterable[Constraint] = (),
        loops: Iterable[Closure] = (),
        ends: EndsLike = (),
        scenery: Iterable[Shape] = (),
        modes: Iterable[Mode] = (),
    ) -> None:
        """Read, order and check everything; a `ModelError` names what is wrong and the remedy."""
        checks.line(name, "the name of a system", error=InvalidNameError)
        checks.text(description, f"system {name!r}: its description", error=DescriptionTypeError)
        lists = {
            "bodies": bodies,
            "joints": joints,
            "contacts": contacts,
            "forces": forces,
            "grounds": grounds,
            "inputs": inputs,
            "constraints": constraints,
            "loops": loops,
            "modes": modes,
        }
        self._store(
            name=name,
            parameters=ParameterSet(parameters),
            independent=None
            if independent is None
            else checks.names(independent, f"system {name!r}: independent", error=DescriptionTypeError),
            nominal=_read_nominal(nominal),
            description=description,
            ends=read_ends(ends),
            scenery=read_shapes(scenery, f"system {name!r}: scenery"),
            **{
                key: checks.entries(parts, f"system {name!r}: {key}", "give a list or a tuple of them", DescriptionTypeError)
                for key, parts in lists.items()
            },
        )
        if not self.bodies:
            raise TreeError(f"system {name!r} has no bodies; give at least one Body, and the joint that carries it")
        validate_parts(self)
        attached = {"contacts": self.contacts, "forces": self.forces, "loops": self.loops, "grounds": self.grounds}
        self._store(**with_stations(self.bodies, self.joints, attached))
        ordered = order_joints(self.bodies, self.joints)
        by_name = {body.name: body for body in self.bodies}
        self._store(joints=ordered, bodies=tuple(by_name[joint.child] for joint in ordered))
        validate(self)
        self.nominal_pose()

    def _store(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilding leaves the cached hash behind: hashes of text differ from process to process.
        # By name: fields that have a default come in another order than arguments.
        return partial(type(self), **{entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}), ()

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, entry.name) for entry in dataclasses.fields(self) if entry.compare))

    # --- parts ---

    def body(self, name: str) -> Body | Frame:
        """The body of that name."""
        return _named("body", self.bodies, name, UnknownBodyError)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return _named("joint", self.joints, name, UnknownJointError)

    def joint_with(self, pin: str) -> Joint:
        """The joint of that name, or the one that has a pin of that name."""
        return next((joint for joint in self.joints if pin in joint.pins), None) or self.joint(pin)

    def joint_of(self, body: str) -> Joint:
        """The joint that carries a body."""
        return self.joints[self.index(body)]

    def index(self, body: str) -> int:
        """The place of a body, which is that of the joint that carries it; -1 for the world."""
        return -1 if isinstance(body, str) and body == WORLD else self._places[self.body(body).name]

    def contact(self, name: str) -> Contact:
        """The contact of that name."""
        return _named("contact", self.contacts, name, UnknownNameError)

    def ground(self, name: str) -> Ground:
        """The ground of that name."""
        return _named("ground", self.grounds, name, UnknownGroundError)

    # --- tree ---

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """For each joint the index of its parent body, -1 for the world; `parents[i] < i`."""
        return tuple(self._places.get(joint.parent, -1) for joint in self.joints)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {body.name: index for index, body in enumerate(self.bodies)}

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each body the indices of the bodies it carries."""
        return tuple(tuple(i for i, parent in enumerate(self.parents) if parent == body) for body in range(len(self.bodies)))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The indices of the bodies that hang on the world; several make a forest."""
        return tuple(i for i, parent in enumerate(self.parents) if parent < 0)

    @cached_property
    def imposed(self) -> tuple[Joint, ...]:
        """The joints whose motion is imposed."""
        return tuple(joint for joint in self.joints if isinstance(joint.drive, Motion))

    @property
    def holds(self) -> bool:
        """Whether anything blocks velocities beside the joints: contacts, constraints or loops."""
        return bool(self.contacts or self.constraints or self.loops)

    @cached_property
    def turns_with_time(self) -> bool:
        """Whether a coefficient of a constraint depends on time: pivots that are safe at one instant may vanish at another.

        What closes a loop in another way at another time does so through the pose.
        """
        rows = [c.coefficients for c in self.constraints if isinstance(c, VelocityConstraint)]
        return any(TIME in free_names(row) for row in (*rows, *(closure.laws for closure in self.loops)))

    @cached_property
    def laws(self) -> dict[str, ContactLaw]:
        """The law of every contact, and of every coupling, by name."""
        found = {contact.name: contact.law for contact in self.contacts}
        found.update({c.name: c.law for c in self.constraints if isinstance(c, Coupling)})
        return found

    # --- state ---

    @cached_property
    def layout(self) -> Layout:
        """Coordinates, velocities and inputs with name, unit, LaTeX, description and place."""
        return build_layout(self.joints, self.bodies, self.inputs, self.parameters)

    def nominal_pose(self, values: Mapping[str, float] | None = None) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The coordinates of the nominal pose, with the default parameter values or others."""
        return self._default_pose.copy() if values is None else self._pose_with(values)

    @cached_property
    def _default_pose(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return self._pose_with(self.parameters.values)

    def _pose_with(self, numbers: Mapping[str, float]) -> np.ndarray[Any, np.dtype[np.float64]]:
        pose = np.zeros(self.layout.nq)
        given = np.zeros(self.layout.nq, dtype=bool)
        for name, value in self.nominal:
            index = self.layout.index_q(name)
            pose[index] = number(value, numbers, f"nominal {name!r}")
            given[index] = True
        for turning, place, _ in self.layout.manifold.slices():
            if turning:
                if not given[place].any():
                    pose[place.start] = 1.0
                self._check_quaternion(pose[place], self.layout.coordinates[place.start].name)
        return pose

    def _check_quaternion(self, quaternion: np.ndarray[Any, Any], name: str) -> None:
        norm = float(np.linalg.norm(quaternion))
        if abs(norm - 1.0) > QUATERNION_TOLERANCE:
            remedy = f"use {show_numbers(quaternion / norm)}" if norm else "give all four parts"
            raise NominalPoseError(
                f"system {self.name!r}: the nominal quaternion that starts with {name!r} is "
                f"{show_numbers(quaternion)}, of norm {norm!r}, not 1; {remedy}"
            )

    # --- changing ---

    def replace(self, **changes: Any) -> System:
        """The same system with other fields, checked again; an unknown field raises and suggests one."""
        fields = [entry.name for entry in dataclasses.fields(self)]
        for name in changes:
            if name not in fields:
                raise UnknownNameError(f"a System has no field {name!r}: {suggestion(name, fields)}")
        return dataclasses.replace(self, **changes)

    def with_parameters(self, **values: float) -> System:
        """The same system with other values of some parameters; an unknown name raises.

        The last one is kept: who asks for it again, run after run, need not wait until it is checked again.
        """
        known: tuple[dict[str, float], System] | None = vars(self).get("_last")
        plain = all(type(value) in (int, float) for value in values.values())
        if known is None or not plain or known[0] != values:
            known = dict(values), self.replace(parameters=self.parameters.replace(**values))
            self._store(_last=known)
        return known[1]

    def with_motions(self, laws: Mapping[str, QuantityLike | Motion]) -> System:
        """The same system with the motion of some joints imposed: joint name -> law over t and parameters, or `Motion`."""
        given = checks.mapping(laws, "with_motions: the laws", error=DescriptionTypeError)
        for name in given:
            self.joint(name)
        motions = {name: law if isinstance(law, Motion) else Motion(law) for name, law in given.items()}
        return self.replace(
            joints=tuple(
                dataclasses.replace(joint, drive=motions[joint.name]) if joint.name in motions else joint
                for joint in self.joints
            )
        )

    # --- text ---

    def __repr__(self) -> str:
        layout = self.layout
        return (
            f"System({self.name!r}: {_count(len(self.bodies), 'body', 'bodies')}, "
            f"{_count(len(self.joints), 'joint')}, {_count(layout.nq, 'coordinate')}, "
            f"{_count(layout.nv, 'velocity', 'velocities')}, {_count(len(self.contacts), 'contact')})"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: a picture and what it is made of."""
        from locomotor.viewing.report import system_card

        return system_card(self)

    def summary(self) -> str:
        """Several lines of text: how many of what, and the tree."""
        layout = self.layout
        title = f"system {self.name}" + (f": {self.description}" if self.description else "")
        groups = (
            ("bodies", [body.name for body in self.bodies]),
            ("joints", [joint.name for joint in self.joints]),
            ("coordinates", [symbol.name for symbol in layout.coordinates]),
            ("velocities", [symbol.name for symbol in layout.velocities]),
            ("contacts", [f"{contact.name} ({type(contact).__name__})" for contact in self.contacts]),
            ("constraints", [constraint.name for constraint in self.constraints]),
            ("loops", [f"{closure.name} ({type(closure).__name__})" for closure in self.loops]),
            ("forces", [force.name for force in self.forces]),
            ("inputs", [symbol.name for symbol in self.inputs]),
            ("parameters", list(self.parameters)),
        )
        lines = [title]
        for kind, names in groups:
            lines.append(f"  {kind:<12}{len(names):>4}  {_some(names)}".rstrip())
            if kind == "contacts":
                lines += [f"{'':<20}{words}: {_some(of)}" for words, of in self._laws_in_words().items()]
        lines.append(f"  {WORLD}")
        return "\n".join([*lines, *self._tree()])

    def _laws_in_words(self) -> dict[str, list[str]]:
        """By what laws do in words, the contacts that follow them; what is always closed needs none."""
        found: dict[str, list[str]] = {}
        for contact in self.contacts:
            if contact.law.switches:
                found.setdefault(contact.law.words, []).append(contact.name)
        return found

    def _tree(self) -> Iterator[str]:
        """Lines of the tree, without recursion: a chain may be longer than Python's stack."""
        last = {carried[-1] for carried in (self.roots, *self.children) if carried}
        indents = {-1: "  "}
        for i, joint in enumerate(self.joints):  # depth first already
            indent = indents[self.parents[i]]
            drive = f", imposed {joint.drive.law}" if isinstance(joint.drive, Motion) else ""
            yield f"{indent}{'└─' if i in last else '├─'} {joint.child}  [{joint.name}: {type(joint).__name__}{drive}]"
            indents[i] = indent + ("   " if i in last else "│  ")


def _some(names: Sequence[str]) -> str:
    """The first dozen of the names."""
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")


def _count(number: int, singular: str, plural: str = "") -> str:
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


P = TypeVar("P", Body | Frame, Joint, Contact, Ground)


def _named(kind: str, parts: tuple[P, ...], name: str, error: type[UnknownNameError]) -> P:
    """The part of that name, or an error that suggests the nearest."""
    plain = same_name(name, f"the {kind}")
    for part in parts:
        if part.name == plain:
            return part
    raise error(f"no {kind} is named {checks.shown(name)}: {suggestion(plain, (part.name for part in parts))}")


def _read_nominal(
    nominal: Mapping[str, QuantityLike] | Iterable[tuple[str, QuantityLike]],
) -> tuple[tuple[str, Quantity], ...]:
    remedy = "give values by name, such as {'roll': 0.1}"
    if isinstance(nominal, Mapping):
        nominal = tuple(nominal.items())
    pairs = tuple(
        checks.entries(pair, "an entry of the nominal pose", remedy, NominalPoseError)
        for pair in checks.entries(nominal, "the nominal pose", remedy, NominalPoseError)
    )
    for pair in pairs:
        if len(pair) != 2:
            raise NominalPoseError(f"the nominal pose holds {checks.shown(pair)}; {remedy}")
    pairs = tuple((checks.name(name, "a name in the nominal pose", error=NominalPoseError), value) for name, value in pairs)
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise DuplicateNameError(f"the nominal pose gives {name!r} twice; keep one")
    return tuple((name, as_quantity(value, f"nominal {name!r}")) for name, value in pairs)
