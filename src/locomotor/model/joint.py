"""Joints: how a child body moves relative to its parent.

The child's frame is the parent's frame, times the fixed placement `(rotation, at)`, times the motion of the
joint:

    g_w_child = g_w_parent @ placement @ motion(q)

Each kind says what its coordinates mean; `mechanics` holds the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar, Final

import numpy as np

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import AxisError, InertiaError, RestrictedDriveError, RotationError
from locomotor.lie import SE3, SO3
from locomotor.model.description import Description, check_axis
from locomotor.model.drive import Drive, Motion, Torque
from locomotor.model.expressions import (
    CALLABLE,
    MatrixLike,
    QuantityLike,
    VectorLike,
    as_list,
    as_matrix,
    as_quantity,
    as_vector,
    evaluate,
    is_nested,
    known,
    show_numbers,
)
from locomotor.model.layout import JointSymbols, Symbol, rate_of
from locomotor.names import latex_of

PASSIVE: Final = Torque()
ROTATION_TOLERANCE: Final = 1e-9
PARALLEL_TOLERANCE: Final = 1e-6  # sine of the least angle between the axes of a universal joint


@dataclass(frozen=True, kw_only=True)
class Joint(Description):
    """Base of all joints.

    `at` (m) and `rotation` place the joint in the parent's frame; `rotation` is a 3x3 matrix or a rotation
    vector (rad). The parent `"world"` is the inertial frame. `drive` is a `Torque` (zero by default) or an
    imposed `Motion`.
    """

    name: str
    parent: str
    child: str
    at: VectorLike = (0.0, 0.0, 0.0)
    rotation: MatrixLike | VectorLike = (0.0, 0.0, 0.0)
    drive: Drive = PASSIVE
    latex: str = ""
    description: str = ""

    nq: ClassVar[int]
    """Number of coordinates."""
    nv: ClassVar[int]
    """Number of velocities."""
    FLOATS: ClassVar[bool] = False
    """Whether the child may wander anywhere: nothing is held together by such a joint."""

    def __post_init__(self) -> None:
        self._read_name("a joint", reserved=CALLABLE)
        self._read_references("parent", "child")
        self._read_texts("latex", "description")
        what = f"{self.label}: rotation"
        reader = as_matrix if is_nested(self.rotation) else as_vector
        self._store(at=as_vector(self.at, f"{self.label}: at"), rotation=reader(self.rotation, what))
        self._read()
        self._check_drive()
        self.check({})

    def _read(self) -> None:
        """Read the fields of this kind of joint."""

    @property
    def pins(self) -> tuple[str, ...]:
        """Coordinates along each of which a force may act by itself, where there are several: the pins of a universal joint."""
        return ()

    # --- meaning ---

    def placement(self, values: Mapping[str, Any]) -> SE3:
        """The pose of the joint in the parent's frame, with the parameter values (numbers or symbols)."""
        return SE3(_rotation_matrix(self.rotation, values), evaluate(self.at, values))

    @property
    def rotor_inertia(self) -> QuantityLike:
        """Inertia that moves with the joint alone, beside that of the child: zero unless it has a rotor."""
        return 0.0

    def symbols(self, root: bool) -> JointSymbols:
        """Coordinates and velocities with unit, LaTeX and description; the root has plain names."""
        raise NotImplementedError(f"{type(self).__name__} does not name its coordinates")

    def _symbol(self, suffix: str, unit: str, latex: str, description: str, root: bool = False) -> Symbol:
        """A symbol named `<joint>_<suffix>`, or just `<suffix>` for the root."""
        if root:
            return Symbol(suffix, unit, latex, description)
        owner = self.latex or latex_of(self.name)
        return Symbol(f"{self.name}_{suffix}", unit, rf"{{{latex}}}^{{{owner}}}", self._about(description))

    def _about(self, description: str) -> str:
        return f"{description} of {self.description or f'joint {self.name!r}'}"

    # --- checks ---

    def _check_drive(self) -> None:
        if not isinstance(self.drive, Torque | Motion):
            raise RestrictedDriveError(f"{self.label}: the drive is {shown(self.drive)}; give Torque(law) or Motion(law)")
        if self.nv == 1 or (isinstance(self.drive, Torque) and self.drive.is_zero):
            return
        raise RestrictedDriveError(
            f"{self.label}: {type(self.drive).__name__}({str(self.drive.law)!r}) needs one degree of "
            f"freedom, this joint has {self.nv}; use joints of one degree of freedom with Frames between "
            "them, or a BodyForce or BodyTorque"
        )

    def _check(self, values: Mapping[str, float]) -> None:
        if isinstance(self.rotation[0], tuple):
            rotation = known(self.rotation, values)
            if rotation is not None:
                _check_rotation(np.asarray(rotation, dtype=float), self.label)


# --- one degree of freedom ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Scalar(Joint):
    """A joint with one coordinate, named like the joint, along or about one unit axis."""

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    UNIT: ClassVar[str]
    ABOUT: ClassVar[str]

    axis: VectorLike
    rotor: QuantityLike = field(default=0.0, kw_only=True)
    """Inertia of what turns with the joint beside the child, as a motor behind a gear of ratio n does with n² times its own
    (kg m², kg along a line): kinetic energy 1/2 rotor q_dot². Also called armature; its gyroscopic torque is left out."""

    def _read(self) -> None:
        self._store(axis=as_vector(self.axis, f"{self.label}: axis"), rotor=as_quantity(self.rotor, f"{self.label}: rotor"))

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        check_axis(self.axis, f"{self.label}: axis", values)
        rotor = self._known("rotor", values)
        if rotor is not None and rotor < 0.0:
            raise InertiaError(f"{self.label}: the rotor's inertia is {rotor!r}{self._origin('rotor')}; give zero or more")

    @property
    def rotor_inertia(self) -> QuantityLike:
        """Inertia of the rotor."""
        return self.rotor

    def symbols(self, root: bool) -> JointSymbols:
        """`<joint>` and `<joint>_rate`."""
        about = self.description or f"{self.ABOUT} of joint {self.name!r}"
        coordinate = Symbol(self.name, self.UNIT, self.latex or latex_of(self.name), about)
        return JointSymbols((coordinate,), (rate_of(coordinate),), (("vector", 1),), (0,))


@dataclass(frozen=True)
class Revolute(_Scalar):
    """Rotation by the coordinate (rad) about a unit axis: motion(q) = exp(q axis^)."""

    UNIT: ClassVar[str] = "rad"
    ABOUT: ClassVar[str] = "angle"


@dataclass(frozen=True)
class Prismatic(_Scalar):
    """Translation by the coordinate (m) along a unit axis."""

    UNIT: ClassVar[str] = "m"
    ABOUT: ClassVar[str] = "displacement"


@dataclass(frozen=True)
class Helical(_Scalar):
    """Screw: rotation by q (rad) about a unit axis and translation by `pitch` (m/rad) times q along it."""

    UNIT: ClassVar[str] = "rad"
    ABOUT: ClassVar[str] = "angle"

    pitch: QuantityLike

    def _read(self) -> None:
        super()._read()
        self._store(pitch=as_quantity(self.pitch, f"{self.label}: pitch"))


# --- several degrees of freedom -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Cylindrical(Joint):
    """A rod in a sleeve: rotation by the first coordinate (rad) about a unit axis, translation by the second (m) along it."""

    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    axis: VectorLike

    def _read(self) -> None:
        self._store(axis=as_vector(self.axis, f"{self.label}: axis"))

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        check_axis(self.axis, f"{self.label}: axis", values)

    def symbols(self, root: bool) -> JointSymbols:
        """`<joint>_turn`, `<joint>_slide` and their rates."""
        latex = self.latex or latex_of(self.name)
        both = tuple(
            Symbol(f"{self.name}_{word}", unit, f"{{{latex}}}_\\mathrm{{{word}}}", self._about(about))
            for word, unit, about in (("turn", "rad", "angle"), ("slide", "m", "displacement"))
        )
        return JointSymbols(both, tuple(rate_of(symbol) for symbol in both), (("vector", 2),), (0, 1))


@dataclass(frozen=True)
class Universal(Joint):
    """Two rotations (rad) in turn: motion(q) = exp(q1 a1^) exp(q2 a2^), the first carrying the second."""

    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    axes: MatrixLike

    def _read(self) -> None:
        axes = as_list(self.axes)
        if axes is None or len(axes) != 2:
            raise AxisError(f"{self.label}: axes is {shown(self.axes)}; give two unit vectors (a1, a2)")
        self._store(axes=tuple(as_vector(axis, f"{self.label}: axis {i}") for i, axis in enumerate(axes, 1)))

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        for i, axis in enumerate(self.axes, 1):
            check_axis(axis, f"{self.label}: axis {i}", values)
        both = known(self.axes, values)
        if both is not None and np.linalg.norm(np.cross(both[0], both[1])) < PARALLEL_TOLERANCE:
            raise AxisError(
                f"{self.label}: the axes {show_numbers(both[0])} and {show_numbers(both[1])} are parallel; "
                "give two different directions, or use Revolute"
            )

    @property
    def pins(self) -> tuple[str, ...]:
        """`<joint>_1` and `<joint>_2`."""
        return (f"{self.name}_1", f"{self.name}_2")

    def symbols(self, root: bool) -> JointSymbols:
        """`<joint>_1`, `<joint>_2` and their rates."""
        latex = self.latex or latex_of(self.name)
        angles = tuple(
            Symbol(f"{self.name}_{i}", "rad", f"{{{latex}}}_{{{i}}}", self._about(f"{word} angle"))
            for i, word in ((1, "first"), (2, "second"))
        )
        return JointSymbols(angles, tuple(rate_of(angle) for angle in angles), (("vector", 2),), (0, 1))


@dataclass(frozen=True, kw_only=True)
class Spherical(Joint):
    """Any rotation: a unit quaternion, scalar first; velocities are the angular velocity in child axes."""

    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3

    def symbols(self, root: bool) -> JointSymbols:
        """`<joint>_qw ... _qz` and `<joint>_wx _wy _wz`."""
        velocities = tuple(
            self._symbol(f"w{i}", "rad/s", rf"\omega_{i}", f"angular velocity about the child's {i} axis") for i in "xyz"
        )
        return JointSymbols(_quaternion(self, root=False), velocities, (("quaternion",),), (None,) * 4)


@dataclass(frozen=True, kw_only=True)
class Fixed(Joint):
    """No motion: the child is welded to the parent."""

    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0

    def symbols(self, root: bool) -> JointSymbols:
        """No symbols: a fixed joint has no coordinates."""
        return JointSymbols()


@dataclass(frozen=True, kw_only=True)
class Free(Joint):
    """Any displacement, SE(3): position (m) in the joint's placement and unit quaternion (scalar first).

    Velocities are the body twist (V, Omega) in child axes, linear part first: p_dot = R V, R_dot = R Omega^.
    """

    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6
    FLOATS: ClassVar[bool] = True

    def symbols(self, root: bool) -> JointSymbols:
        """`x y z qw qx qy qz`; `speed sway_speed heave_speed roll_rate pitch_rate yaw_rate`."""
        linear = (("speed", "x", "forward"), ("sway_speed", "y", "leftward"), ("heave_speed", "z", "upward"))
        angular = (("roll_rate", "x", "roll"), ("pitch_rate", "y", "pitch"), ("yaw_rate", "z", "yaw"))
        velocities = (
            *(self._symbol(n, "m/s", f"V_{i}", f"{w} velocity in body axes", root) for n, i, w in linear),
            *(
                self._symbol(n, "rad/s", rf"\Omega_{i}", f"{w} rate, about the {i} axis of the body", root)
                for n, i, w in angular
            ),
        )
        return JointSymbols(
            (*_position(self, "xyz", root), *_quaternion(self, root)),
            velocities,
            (("vector", 3), ("quaternion",)),
            (None,) * 7,
        )


@dataclass(frozen=True, kw_only=True)
class Planar(Joint):
    """Displacement in the plane z = 0 of the joint's placement, SE(2): x, y (m) and yaw (rad) about z.

    Velocities are the body twist in child axes: (x_dot, y_dot) = R(yaw) (speed, sway_speed), yaw_dot =
    yaw_rate.
    """

    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3
    FLOATS: ClassVar[bool] = True

    def symbols(self, root: bool) -> JointSymbols:
        """`x y yaw`; `speed sway_speed yaw_rate`."""
        velocities = (
            self._symbol("speed", "m/s", "V_x", "forward velocity in body axes", root),
            self._symbol("sway_speed", "m/s", "V_y", "leftward velocity in body axes", root),
            self._symbol("yaw_rate", "rad/s", r"\Omega_z", "yaw rate, about the z axis", root),
        )
        yaw = self._symbol("yaw", "rad", r"\psi", "yaw angle about the z axis, positive to the left", root)
        return JointSymbols((*_position(self, "xy", root), yaw), velocities, (("vector", 3),), (None, None, 2))


@dataclass(frozen=True, kw_only=True)
class Translation(Joint):
    """Displacement without rotation: x, y, z (m) in the joint's placement; velocities are their rates."""

    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3
    FLOATS: ClassVar[bool] = True

    def symbols(self, root: bool) -> JointSymbols:
        """`x y z`; `x_rate y_rate z_rate`."""
        position = _position(self, "xyz", root)
        return JointSymbols(position, tuple(rate_of(p) for p in position), (("vector", 3),), (0, 1, 2))


# --- helpers ------------------------------------------------------------------------------------------------


def _position(joint: Joint, axes: str, root: bool) -> tuple[Symbol, ...]:
    return tuple(joint._symbol(i, "m", i, f"position along the {i} axis", root) for i in axes)


def _quaternion(joint: Joint, root: bool) -> tuple[Symbol, ...]:
    parts = (("w", "scalar part"), ("x", "x part"), ("y", "y part"), ("z", "z part"))
    return tuple(joint._symbol(f"q{i}", "1", f"q_{i}", f"{w} of the orientation quaternion", root) for i, w in parts)


def _rotation_matrix(rotation: Any, values: Mapping[str, Any]) -> Any:
    """The matrix of a rotation given as matrix or rotation vector."""
    if isinstance(rotation[0], tuple):
        return evaluate(rotation, values)
    given = [i for i in range(3) if rotation[i] != 0.0]
    if not given:
        return np.eye(3)
    if len(given) == 1:  # about a coordinate axis: one sine and one cosine instead of the general exponential
        return SO3.about(np.eye(3)[given[0]], evaluate(rotation[given[0]], values)).matrix
    return SO3.exp(evaluate(rotation, values)).matrix


def _check_rotation(rotation: np.ndarray[Any, Any], label: str) -> None:
    error = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
    if error > ROTATION_TOLERANCE:
        raise RotationError(
            f"{label}: rotation is not orthogonal: R R^T differs from the identity by {error:.3g}; give a "
            "rotation matrix to full precision, or a rotation vector (axis times angle)"
        )
    if np.linalg.det(rotation) < 0.0:
        raise RotationError(f"{label}: rotation has determinant -1, a reflection; change the sign of one column")
