"""Trees of segments by Denavit-Hartenberg parameters, in the distal (standard) and the proximal (modified) convention.

Standard (Spong, Vidyasagar): frame i sits at the end of segment i,  A_i = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha).
Modified (Craig, Khalil): frame i sits on joint i,                   A_i = Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d).

A body of ours has its frame on its joint. In the standard convention centre and inertia are therefore carried over from the
end of the segment; in the modified one they stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from locomotor import checks
from locomotor.checks import choice, door, entries, flag, line, mapping, optional, shown, text, whole
from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.model.body import Body, Frame
from locomotor.model.drive import Drive
from locomotor.model.expressions import (
    CALLABLE,
    MatrixLike,
    Quantity,
    QuantityLike,
    VectorLike,
    apply,
    as_matrix,
    as_quantity,
    as_vector,
    evaluate,
    free_names,
    is_nested,
)
from locomotor.model.forces import Gravity
from locomotor.model.joint import PASSIVE, Joint, Prismatic, Revolute
from locomotor.model.layout import Input
from locomotor.model.parameters import Parameter, ParameterSet
from locomotor.model.system import System
from locomotor.names import check_name

Matrix = tuple[tuple[Any, ...], ...]
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@checks.doors
@dataclass(frozen=True, kw_only=True)
class DHLink:
    """One segment: `joint` names its coordinate, which adds to `theta` (revolute) or to `d` (prismatic).

    `parent` is the number of the segment that carries it, from 1; 0 is the base, None the segment before. `com` and `inertia`
    (about the centre of mass) are in the frame of the segment.
    """

    joint: str
    kind: str = "revolute"
    theta: QuantityLike = 0.0
    d: QuantityLike = 0.0
    a: QuantityLike = 0.0
    alpha: QuantityLike = 0.0
    parent: int | None = None
    mass: QuantityLike = 0.0
    com: VectorLike = (0.0, 0.0, 0.0)
    inertia: MatrixLike | VectorLike = (0.0, 0.0, 0.0)
    reversed: bool = False
    """Whether the coordinate counts against the axis."""
    drive: Drive = PASSIVE
    latex: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint", check_name(self.joint, "the joint of a segment", reserved=CALLABLE))
        what = f"segment {self.joint!r}"
        if self.parent is not None:
            object.__setattr__(self, "parent", whole(self.parent, f"{what}: parent", error=ModelError))
        object.__setattr__(self, "reversed", flag(self.reversed, f"{what}: reversed", error=ModelError))
        if not isinstance(self.kind, str) or self.kind not in ("revolute", "prismatic"):
            raise ModelError(f"{what}: its kind is {shown(self.kind)}; give 'revolute' or 'prismatic'")
        for key in ("theta", "d", "a", "alpha", "mass"):
            object.__setattr__(self, key, as_quantity(getattr(self, key), f"{what}: {key}"))
        text(self.latex, f"{what}: latex", error=ModelError)
        inertia: Any = self.inertia
        if not is_nested(inertia):
            x, y, z = as_vector(inertia, f"{what}: inertia")
            inertia = ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
        object.__setattr__(self, "com", as_vector(self.com, f"{what}: com"))
        object.__setattr__(self, "inertia", as_matrix(inertia, f"{what}: inertia"))

    @property
    def is_massless(self) -> bool:
        """Whether there is nothing to move."""
        return bool(self.mass == 0.0)


@door(name=line, convention=choice("standard", "modified"), base=optional(mapping))
def dh(
    name: str,
    links: Iterable[DHLink],
    *,
    convention: str = "standard",
    gravity: VectorLike = (0.0, 0.0, -9.81),
    base: Mapping[str, str] | None = None,
    parameters: ParameterSet | Iterable[Parameter] | Mapping[str, float] = (),
    inputs: Iterable[Input] = (),
) -> System:
    """A tree robot as a `System` from its Denavit-Hartenberg table.

    Bodies are called `link_1`, `link_2`, ...; joints as the links say. `base` lets the base slide: world axes "x", "y" or "z"
    by the name of the coordinate, such as {"q4": "x", "q5": "y"}; it is fixed otherwise.
    """
    table = entries(links, f"dh {name!r}: links", "give a list of DHLink", ModelError)
    bodies: list[Body | Frame] = []
    joints: list[Joint] = []
    ground = "world"
    for coordinate, axis in (base or {}).items():
        if not isinstance(axis, str) or axis not in AXES:
            raise ModelError(f"dh {name!r}: the base slides along {shown(axis)}; give 'x', 'y' or 'z'")
        carrier = f"base_{coordinate}"
        bodies.append(Frame(carrier))
        joints.append(Prismatic(name=coordinate, parent=ground, child=carrier, axis=AXES[axis]))
        ground = carrier
    ends: list[tuple[Matrix, tuple[Any, ...]]] = [(_EYE, (0.0, 0.0, 0.0))]
    """From the frame of each body (first of the base) to the frame of its segment: rotation and translation."""
    for number, link in enumerate(table, 1):
        if not isinstance(link, DHLink):
            raise ModelError(f"dh {name!r}: segment {number} is {shown(link)}; give a DHLink")
        parent = number - 1 if link.parent is None else link.parent
        if not 0 <= parent < number:
            raise ModelError(
                f"dh {name!r}: segment {number} ({link.joint}) hangs on {shown(parent)}; give a segment before it, or 0 for "
                "the base"
            )
        place, end = (_distal if convention == "standard" else _proximal)(link)
        R, p = ends[parent]
        bodies.append(_body(f"link_{number}", link, end))
        joints.append(
            (Revolute if link.kind == "revolute" else Prismatic)(
                name=link.joint,
                parent=f"link_{parent}" if parent else ground,
                child=f"link_{number}",
                at=_sum(p, _turned(R, place[1])),
                rotation=_product(R, place[0]),
                axis=(0.0, 0.0, -1.0 if link.reversed else 1.0),
                drive=link.drive,
                latex=link.latex,
            )
        )
        ends.append(end)
    pulls = as_vector(gravity, f"dh {name!r}: gravity")
    forces = () if all(entry == 0.0 for entry in pulls) else (Gravity(pulls),)
    described = f"robot of {len(table)} segments by Denavit-Hartenberg parameters ({convention})"
    return System(name, bodies, joints, forces=forces, parameters=parameters, inputs=inputs, description=described)


def _distal(link: DHLink) -> tuple[Any, Any]:
    """Place of the joint in the frame of the parent's segment, and the segment's frame in that of the body."""
    end = (_about_x(link.alpha), (link.a, 0.0, link.d if link.kind == "revolute" else 0.0))
    return (_about_z(link.theta), (0.0, 0.0, 0.0 if link.kind == "revolute" else link.d)), end


def _proximal(link: DHLink) -> tuple[Any, Any]:
    turned = _about_x(link.alpha)
    place = (_product(turned, _about_z(link.theta)), _sum((link.a, 0.0, 0.0), _turned(turned, (0.0, 0.0, link.d))))
    return place, (_EYE, (0.0, 0.0, 0.0))


def _body(name: str, link: DHLink, end: tuple[Matrix, tuple[Any, ...]]) -> Body | Frame:
    if link.is_massless:
        return Frame(name)
    R, p = end
    inertia = _product(_product(R, link.inertia), tuple(zip(*R, strict=True)))
    return Body(name, mass=link.mass, com=_sum(p, _turned(R, link.com)), inertia=inertia)


# -- matrices of quantities: numbers or expressions -------------------------------------------------------------------

_EYE: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _about_x(angle: Any) -> Matrix:
    c, s = _turn(angle)
    return ((1.0, 0.0, 0.0), (0.0, c, _minus(s)), (0.0, s, c))


def _about_z(angle: Any) -> Matrix:
    c, s = _turn(angle)
    return ((c, _minus(s), 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def _turn(angle: Quantity) -> tuple[Quantity, Quantity]:
    """Cosine and sine; of quarter turns exactly, so that axes stay axes."""
    if free_names(angle):
        return apply("cos", angle), apply("sin", angle)
    value = float(evaluate(angle, {}))
    quarters = value / (0.5 * math.pi)
    if abs(quarters - round(quarters)) < 1e-14 * max(1.0, abs(quarters)):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarters) % 4]
    return math.cos(value), math.sin(value)


def _minus(x: Quantity) -> Quantity:
    return 0.0 if _is(x, 0.0) else -x


def _is(x: Quantity, value: float) -> bool:
    return isinstance(x, float) and x == value


def _times(x: Quantity, y: Quantity) -> Quantity:
    if _is(x, 0.0) or _is(y, 0.0):
        return 0.0
    return y if _is(x, 1.0) else x if _is(y, 1.0) else x * y


def _plus(x: Quantity, y: Quantity) -> Quantity:
    return y if _is(x, 0.0) else x if _is(y, 0.0) else x + y


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Quantity:
    total: Quantity = 0.0
    for x, y in zip(a, b, strict=True):
        total = _plus(total, _times(x, y))
    return total


def _turned(R: Matrix, p: Any) -> tuple[Any, ...]:
    return tuple(_dot(row, p) for row in R)


def _sum(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_plus(x, y) for x, y in zip(a, b, strict=True))


def _product(A: Matrix, B: Any) -> Matrix:
    columns = tuple(zip(*B, strict=True))
    return tuple(tuple(_dot(row, column) for column in columns) for row in A)
