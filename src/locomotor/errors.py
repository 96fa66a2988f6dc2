"""Every exception of locomotor. Each message names the thing, its value and the remedy.

All errors derive from `LocomotorError`. Errors found while a description is built also derive from
`ModelError`, which is a `ValueError`, so that code unaware of locomotor still catches them sensibly.
"""


class LocomotorError(Exception):
    """Base of every error raised on purpose by locomotor."""


class ArgumentError(LocomotorError, ValueError):
    """An argument is outside the range it may have; the message names it, its value and what to give instead."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument is of a kind that makes no sense there, such as a text in place of a number."""


class TooLargeError(ArgumentError, MemoryError):
    """What is asked for does not fit into memory."""


class NumericsError(LocomotorError, ArithmeticError):
    """Numbers became too large, too small or not finite on the way, so that no result is right."""


class CompileError(LocomotorError, RuntimeError):
    """A traced function could not be turned into machine code."""


class DeviceMemoryError(LocomotorError, MemoryError):
    """A batch does not fit into the memory of the CUDA device."""


# --- complementarity ----------------------------------------------------------------------------------------


class MatrixShapeError(ArgumentError):
    """A matrix is not square, or matrices and vectors of one problem do not fit together."""


class SymmetryError(ArgumentError):
    """A matrix that has to be symmetric is not."""


class DefinitenessError(ArgumentError):
    """A matrix has a negative eigenvalue, or a diagonal entry that is not positive, where a method cannot do with it."""


class FrictionError(ArgumentError):
    """A coefficient of friction is negative."""


# --- descriptions -------------------------------------------------------------------------------------------


class ModelError(LocomotorError, ValueError):
    """A description of a system is wrong; raised when the description is built, never inside a step."""


class DescriptionTypeError(ModelError, TypeError):
    """Something of the wrong kind is listed among bodies, joints, contacts, forces, grounds or inputs."""


class QuantityError(ModelError):
    """A value is not a number, an expression or the text of one, or an array has the wrong shape."""


class NotFiniteError(ModelError):
    """A value is NaN or infinite, as given or after evaluation with the default parameters."""


class ExpressionError(ModelError):
    """The text of an expression does not parse, or a function is applied to the wrong arguments."""


class NonPositiveMassError(ModelError):
    """The mass of a body is zero or negative."""


class InertiaError(ModelError):
    """The inertia of a body is not one that any distribution of positive mass has."""


class InertiaSymmetryError(InertiaError):
    """The inertia matrix is not symmetric."""


class InertiaDefinitenessError(InertiaError):
    """The inertia matrix is not positive definite."""


class InertiaTriangleError(InertiaError):
    """A principal moment of inertia exceeds the sum of the two others."""


class AxisError(ModelError):
    """An axis, a heading or a normal is not a unit vector, or two axes that must differ are parallel."""


class RotationError(ModelError):
    """A rotation matrix is not orthogonal, or is a reflection."""


class NonPositiveRadiusError(ModelError):
    """A radius is zero or negative."""


class NegativeLengthError(ModelError):
    """A length is negative."""


class AirError(ModelError):
    """The air is impossible, or a wing names an air that the system does not have."""


class WingError(ModelError):
    """A wing or fin cannot be: its chord, its length, its sections or its axes."""


class CoefficientError(ModelError):
    """A coefficient of lift or drag is not a finite number at some angle of attack, or cannot be read."""


class MeshError(ModelError):
    """A mesh cannot be read, has too many triangles, or is not closed where it must be."""


class ShapeMassError(ModelError):
    """A shape has no mass, centre and inertia of its own, or no contacts."""


class RestrictedDriveError(ModelError):
    """A joint cannot have its drive: laws and imposed motions are for one degree of freedom."""


class RestrictedForceError(ModelError):
    """A joint cannot have a joint force: springs, dampers and laws are for one degree of freedom."""


class MotionLawError(ModelError):
    """An imposed motion depends on something else than time and parameters."""


class ParameterScopeError(ModelError):
    """A value that may depend on parameters only depends on time, the state or an input."""


class NominalPoseError(ModelError):
    """The nominal pose is not a configuration, such as a quaternion that is not unit."""


# --- names --------------------------------------------------------------------------------------------------


class InvalidNameError(ModelError):
    """A name is not an identifier, or is reserved (`t`, `pi`, `world`, the functions of expressions)."""


class DuplicateNameError(ModelError):
    """Two things of one system have the same name."""


class UnknownNameError(ModelError, KeyError):
    """A name that nothing in the system has; the message suggests the nearest one."""

    # KeyError shows the repr of its argument: restore the plain message.
    __str__ = Exception.__str__


class UnknownParentError(UnknownNameError):
    """The parent of a joint is neither a body of the system nor the world."""


class UnknownChildError(UnknownNameError):
    """The child of a joint is not a body of the system."""


class UnknownBodyError(UnknownNameError):
    """A contact or a force refers to a body that the system does not have."""


class UnknownJointError(UnknownNameError):
    """A force or a call refers to a joint that the system does not have."""


class UnknownGroundError(UnknownNameError):
    """A contact refers to a ground that the system does not have."""


class UnknownFrameError(UnknownNameError):
    """The frame in which a force is given is neither `world` nor `body`."""


# --- tree ---------------------------------------------------------------------------------------------------


class TreeError(ModelError):
    """The joints do not make a tree (or a forest) rooted at the world."""


class TwoParentsError(TreeError):
    """A body is the child of two joints."""


class TreeCycleError(TreeError):
    """Following parents from a body leads back to it, never to the world."""


class UncarriedBodyError(TreeError):
    """A body is the child of no joint."""


class MasslessBranchError(TreeError):
    """A free joint carries no mass, so its acceleration is undetermined."""


class ContactKindError(ModelError):
    """A kind of contact does not say something that is needed of it."""


class ContactLawError(ModelError):
    """A contact law is unknown, or a coefficient of it is outside its range."""


class ClosureError(ModelError):
    """What closes a loop holds nothing, or two bodies that are one."""


class SoftBodyError(ModelError):
    """A section that no slender body has, or modes and measures that make no soft body."""


class FluidMatrixError(ModelError):
    """A matrix of added mass or drag is not symmetric, has a negative eigenvalue, or has the wrong size."""


class SampledMotionError(ModelError):
    """Samples of a motion that no spline can be made of: too few, not finite, or times that do not increase."""


# --- terrain ------------------------------------------------------------------------------------------------


class TerrainError(ModelError):
    """The triangles of a terrain do not make a surface with two sides."""


class TerrainShapeError(TerrainError):
    """The measures given to a ready-made terrain make no surface, such as a width of zero."""


class TriangleIndexError(TerrainError):
    """A triangle has a corner that is none of the vertices."""


class DegenerateTriangleError(TerrainError):
    """The corners of a triangle lie on a line, or two of them coincide."""


class DuplicateTriangleError(TerrainError):
    """Two triangles have the same corners."""


class NonManifoldEdgeError(TerrainError):
    """More than two triangles share an edge."""


class TriangleOrientationError(TerrainError):
    """Two triangles that share an edge have normals to opposite sides."""


# --- runs ---------------------------------------------------------------------------------------------------


class InconsistentStartError(LocomotorError, ValueError):
    """Starting values contradict each other, the contacts or the imposed motions."""


class AssemblyError(InconsistentStartError):
    """No position was found in which every loop is closed."""


class StepperError(LocomotorError, ValueError):
    """A stepper is unknown, or its step or tolerances make no sense."""


class UnstableStepError(StepperError):
    """An explicit step is beyond the limit of stability where a run begins; `longest` is the limit (s)."""

    def __init__(self, message: str, longest: float = 0.0) -> None:
        super().__init__(message)
        self.longest = longest


class ControllerError(ArgumentTypeError):
    """A feedback law returns something else than numbers by name, or is not a function of the channels it is given."""


class RunFileError(LocomotorError, OSError):
    """A file is not a run saved by locomotor, or cannot be read or written."""


class TextFileError(RunFileError):
    """A text file is not a system or a set of parameters; the message names file, line, key and remedy."""


class RobotFileError(TextFileError):
    """A robot's file (URDF, MJCF, SDF) is not one, is damaged, or says what no system can be."""


class EquilibriumError(LocomotorError, RuntimeError):
    """No equilibrium was found, or none can be."""


class SteadyMotionError(LocomotorError, RuntimeError):
    """No steady motion was found."""


class SectionError(LocomotorError, ValueError):
    """A section for cycles is unknown, is never reached, or its unknowns do not determine a state."""


class SweepError(LocomotorError, ValueError):
    """A sweep is asked for in a way that makes no sense, or meets results of another one."""


class TaskError(LocomotorError, ValueError):
    """A learning task makes no sense for its system, or an environment is used in a wrong way."""


class CycleNotFoundError(LocomotorError, RuntimeError):
    """No cycle was found; `best` is the nearest that was reached (a `Cycle` with its residual), or None."""

    def __init__(self, message: str, best: object = None) -> None:
        super().__init__(message)
        self.best = best


# --- command line -------------------------------------------------------------------------------------------


class UsageError(LocomotorError, ValueError):
    """Something on the command line cannot be understood."""


# --- pictures -----------------------------------------------------------------------------------------------


class ViewingError(LocomotorError, RuntimeError):
    """Something cannot be drawn, such as a run that does not know its system."""


class MissingExtraError(LocomotorError, ImportError):
    """An optional package is not installed; the message names the extra that brings it."""


class MotionJumpError(LocomotorError, ValueError):
    """An imposed motion jumps in position or velocity, which would need an infinite force."""


class IncompatibleMotionError(LocomotorError, ValueError):
    """Imposed motions contradict the constraints."""


class NoConnectionError(LocomotorError, ValueError):
    """A system has no connection of the kind asked for."""
