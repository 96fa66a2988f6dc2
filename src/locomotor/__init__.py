"""Dynamics of things that move themselves.

One description of a system goes down one pipe, and each stage is one verb::

    model  ->  trace  ->  compile  ->  simulate  ->  analyse  ->  view

- **model**: bodies, joints, contacts, forces and parameters make a frozen ``System``: what the thing is;
- **trace**: the mechanics, written once over scalars, makes of it a straight-line function with named ports;
- **compile**: the tape of that function becomes machine code, for one instance or for many at once;
- **simulate**: the compiled right-hand side is integrated on the group it lives on and gives a ``Run``;
- **analyse**: steady motions, exact linearisations and their eigenvalues; cycles and their stability;
- **view**: plots of named channels.

Quantities are in SI units; axes are x forward, y left, z up; twists are in the body frame, linear part first.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names and where they live. They are imported when first used, so that `import locomotor` stays quick.
_HOMES = {
    # model
    "locomotor.model": (
        "AddedMass Body BodyForce BodyTorque CompliantContact Coupling Fixed FluidDrag Frame Free Gravity Grip "
        "Helical InertiaWarning Input JointDamper JointForce JointSpring Motion Parameter ParameterSet Persistent Planar Plane "
        "PointDamper PointSpring Prismatic Revolute RollingCapsule RollingDisc RollingSphere RollingTorus Skate SlidingBox "
        "SlidingCapsule SlidingPoint SlidingSphere Spherical StickingBox StickingPoint System Terrain Torque Translation "
        "Unilateral Universal VelocityConstraint box_corners capsule_ends parse"
    ),
    # trace
    "locomotor.tracing": "Controller Traced TracedSystem trace",
    # simulate
    "locomotor.simulation": (
        "Adaptive Batch CompiledSystem ContactSettings EventSettings Final FirstTime Integral Maximum Mean Measure Minimum Run "
        "RunWarning Status SteppedSystem abm4 abm5 accelerations observe rk4 simulate view"
    ),
    # analyse
    "locomotor.analysis": (
        "Basin BatchedEigenvalues Classification Connection Cycle Family Linearisation SteadyMotion basin batched_eigenvalues "
        "classify connection continue_cycle eigenvalue_curves find_cycle find_cycles linearise steady_motion sweep_cycles"
    ),
    # many points
    "locomotor.sweeps": "sweep",
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names.split()}
_FOLDERS = "analysis catalogue codegen complementarity errors learning lie mechanics model scenarios simulation sweeps tracing"
_MODULES = tuple(_FOLDERS.split())

__all__ = ["compile", "load", *_MODULES, *_PUBLIC]

if TYPE_CHECKING:
    from locomotor import analysis as analysis
    from locomotor import catalogue as catalogue
    from locomotor import codegen as codegen
    from locomotor import complementarity as complementarity
    from locomotor import learning as learning
    from locomotor import lie as lie
    from locomotor import model as model
    from locomotor import scenarios as scenarios
    from locomotor import simulation as simulation
    from locomotor import sweeps as sweeps
    from locomotor import tracing as tracing
    from locomotor.analysis import *  # noqa: F403
    from locomotor.model import *  # noqa: F403
    from locomotor.simulation import *  # noqa: F403
    from locomotor.simulation import CompiledSystem, Run
    from locomotor.sweeps import *  # noqa: F403
    from locomotor.tracing import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    if name in _MODULES:
        return import_module(f"locomotor.{name}")
    raise AttributeError(f"module 'locomotor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def compile(
    system: Any,
    *,
    target: str = "auto",
    free: Any = (),
    precision: str = "float64",
    drift_time: float | None = None,
    project: bool = False,
    about: Any = None,
    contacts: str | None = None,
    settings: Any = None,
) -> "CompiledSystem":
    """Compile a system: `lm.compile(bike).rollout(states, steps=1000, dt=0.005)`.

    Args:
        system: what moves; imposed motions are part of it (`system.with_motions(...)`).
        target: "auto" (C, and SIMD for batches, or the interpreter where there is no compiler), "c", "simd", "interpreter" or
            "cuda".
        free: names of parameters that stay arguments, so that they may vary from instance to instance.
        precision: "float64", or "float32" on a CUDA device.
        drift_time: time constant of the drift correction (s).
        project: close the gaps after each step.
        about: pose around which pivots are chosen.
        contacts: "time-stepping" or "events" where contacts open and close; without it all contacts stay closed.
        settings: `lm.ContactSettings(...)` for "time-stepping", `lm.EventSettings(...)` for "events".
    """
    from locomotor import checks
    from locomotor.codegen import TARGETS
    from locomotor.errors import ModelError
    from locomotor.model import a_system
    from locomotor.simulation import compile_stepping, compile_system

    a_system(system, "compile: system")
    names = checks.names(free, "compile: free")
    checks.choice(*TARGETS, "cuda")(target, "compile: target")
    checks.choice("float64", "float32")(precision, "compile: precision")
    drift_time = checks.optional(checks.positive)(drift_time, "compile: drift_time")
    project = checks.flag(project, "compile: project")
    if contacts is None:
        if settings is not None:
            given = checks.shown(settings)
            raise ModelError(f"settings={given} belongs to contacts='time-stepping' or contacts='events'; give that too")
        pose = None if about is None else tuple(checks.floats(about, "compile: about", dimensions=(1,), finite=True).tolist())
        return compile_system(
            system, target=target, free=names, drift_time=drift_time, project=project, about=pose, precision=precision
        )
    if not isinstance(contacts, str):
        raise ModelError(f"contacts is {checks.shown(contacts)}; give 'time-stepping' or 'events', and settings=")
    if drift_time is not None or project or about is not None:
        raise ModelError(f"contacts={contacts!r} closes gaps itself: leave out drift_time, project and about")
    return compile_stepping(system, contacts, target=target, free=names, precision=precision, settings=settings)


def load(path: Any, *, checked: bool = True) -> "Run":
    """Read a run saved by `Run.save`; what does not fit its checksum is refused, unless `checked` is False."""
    from locomotor.simulation import Run

    return Run.load(path, checked=checked)
