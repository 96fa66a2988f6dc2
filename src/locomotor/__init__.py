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

# The public names, written out for editors, type checkers and readers, in the order of the pipe.
if TYPE_CHECKING:
    # isort: off
    from locomotor import analysis as analysis
    from locomotor import catalogue as catalogue
    from locomotor import codegen as codegen
    from locomotor import complementarity as complementarity
    from locomotor import errors as errors
    from locomotor import exports as exports
    from locomotor import learning as learning
    from locomotor import lie as lie
    from locomotor import mechanics as mechanics
    from locomotor import model as model
    from locomotor import robots as robots
    from locomotor import scenarios as scenarios
    from locomotor import simulation as simulation
    from locomotor import sweeps as sweeps
    from locomotor import symbolic as symbolic
    from locomotor import tracing as tracing

    # model
    from locomotor.model import COEFFICIENTS as COEFFICIENTS
    from locomotor.model import AddedMass as AddedMass
    from locomotor.model import Air as Air
    from locomotor.model import Fin as Fin
    from locomotor.model import Wing as Wing
    from locomotor.model import coefficient_table as coefficient_table
    from locomotor.model import Balance as Balance
    from locomotor.model import Body as Body
    from locomotor.model import BodyForce as BodyForce
    from locomotor.model import BodyTorque as BodyTorque
    from locomotor.model import CompliantContact as CompliantContact
    from locomotor.model import CylindricalClosure as CylindricalClosure
    from locomotor.model import FixedClosure as FixedClosure
    from locomotor.model import HelicalClosure as HelicalClosure
    from locomotor.model import Orthogonal as Orthogonal
    from locomotor.model import Parallel as Parallel
    from locomotor.model import PlanarClosure as PlanarClosure
    from locomotor.model import PointOnLine as PointOnLine
    from locomotor.model import PointOnPlane as PointOnPlane
    from locomotor.model import PrismaticClosure as PrismaticClosure
    from locomotor.model import RevoluteClosure as RevoluteClosure
    from locomotor.model import RodClosure as RodClosure
    from locomotor.model import SphericalClosure as SphericalClosure
    from locomotor.model import UniversalClosure as UniversalClosure
    from locomotor.model import Belt as Belt
    from locomotor.model import Gear as Gear
    from locomotor.model import RackAndPinion as RackAndPinion
    from locomotor.model import RollingCylinders as RollingCylinders
    from locomotor.model import RollingSpheres as RollingSpheres
    from locomotor.model import Coupling as Coupling
    from locomotor.model import CrossSection as CrossSection
    from locomotor.model import Cylindrical as Cylindrical
    from locomotor.model import DHLink as DHLink
    from locomotor.model import DistributedForce as DistributedForce
    from locomotor.model import Rod as Rod
    from locomotor.model import Fixed as Fixed
    from locomotor.model import FlexibleBody as FlexibleBody
    from locomotor.model import FluidDrag as FluidDrag
    from locomotor.model import Frame as Frame
    from locomotor.model import Free as Free
    from locomotor.model import Gravity as Gravity
    from locomotor.model import Grip as Grip
    from locomotor.model import Handle as Handle
    from locomotor.model import Helical as Helical
    from locomotor.model import InertiaWarning as InertiaWarning
    from locomotor.model import Input as Input
    from locomotor.model import KindWarning as KindWarning
    from locomotor.model import JointDamper as JointDamper
    from locomotor.model import JointForce as JointForce
    from locomotor.model import JointFriction as JointFriction
    from locomotor.model import JointSpring as JointSpring
    from locomotor.model import ModalBody as ModalBody
    from locomotor.model import Mode as Mode
    from locomotor.model import Motion as Motion
    from locomotor.model import Parameter as Parameter
    from locomotor.model import ParameterSet as ParameterSet
    from locomotor.model import Persistent as Persistent
    from locomotor.model import Planar as Planar
    from locomotor.model import Plane as Plane
    from locomotor.model import Ball as Ball
    from locomotor.model import Bar as Bar
    from locomotor.model import Block as Block
    from locomotor.model import PointDamper as PointDamper
    from locomotor.model import PointSpring as PointSpring
    from locomotor.model import Prismatic as Prismatic
    from locomotor.model import Revolute as Revolute
    from locomotor.model import Riding as Riding
    from locomotor.model import RollingCapsule as RollingCapsule
    from locomotor.model import RollingDisc as RollingDisc
    from locomotor.model import RollingEllipsoid as RollingEllipsoid
    from locomotor.model import RollingSphere as RollingSphere
    from locomotor.model import RollingTorus as RollingTorus
    from locomotor.model import Skate as Skate
    from locomotor.model import SlidingBox as SlidingBox
    from locomotor.model import SlidingCapsule as SlidingCapsule
    from locomotor.model import SlidingPoint as SlidingPoint
    from locomotor.model import SlidingSphere as SlidingSphere
    from locomotor.model import Spherical as Spherical
    from locomotor.model import StickingBox as StickingBox
    from locomotor.model import StickingPoint as StickingPoint
    from locomotor.model import Strain as Strain
    from locomotor.model import Tendon as Tendon
    from locomotor.model import Surface as Surface
    from locomotor.model import System as System
    from locomotor.model import Terrain as Terrain
    from locomotor.model import Torque as Torque
    from locomotor.model import Translation as Translation
    from locomotor.model import Adhesive as Adhesive
    from locomotor.model import Unilateral as Unilateral
    from locomotor.model import Universal as Universal
    from locomotor.model import VelocityConstraint as VelocityConstraint
    from locomotor.model import box_corners as box_corners
    from locomotor.model import capsule_ends as capsule_ends
    from locomotor.model import parse as parse
    from locomotor.model import with_cable as with_cable
    from locomotor.model import with_rotor as with_rotor

    # shapes of bodies
    from locomotor.model import Box as Box
    from locomotor.model import Capsule as Capsule
    from locomotor.model import Cylinder as Cylinder
    from locomotor.model import Ellipsoid as Ellipsoid
    from locomotor.model import Mesh as Mesh
    from locomotor.model import Plate as Plate
    from locomotor.model import Sphere as Sphere
    from locomotor.model import Tube as Tube
    from locomotor.model import Wheel as Wheel
    from locomotor.model import corners as corners
    from locomotor.model import dh as dh

    # robots from files
    from locomotor.robots import Imported as Imported
    from locomotor.robots import RobotWarning as RobotWarning
    from locomotor.robots import import_robot as import_robot

    # trace
    from locomotor.tracing import actuated as actuated
    from locomotor.tracing import Controller as Controller
    from locomotor.tracing import Traced as Traced
    from locomotor.tracing import TracedSystem as TracedSystem
    from locomotor.tracing import trace as trace

    # read
    from locomotor.symbolic import Certificate as Certificate
    from locomotor.symbolic import Derivation as Derivation
    from locomotor.symbolic import Equations as Equations
    from locomotor.symbolic import FirstIntegral as FirstIntegral
    from locomotor.symbolic import certify as certify
    from locomotor.symbolic import derive as derive
    from locomotor.symbolic import equations as equations
    from locomotor.symbolic import first_integrals as first_integrals
    from locomotor.symbolic import read_robot as read_robot
    from locomotor.symbolic import solve_constrained as solve_constrained

    # compile and simulate
    from locomotor.simulation import Adaptive as Adaptive
    from locomotor.simulation import Batch as Batch
    from locomotor.simulation import ContactsWarning as ContactsWarning
    from locomotor.simulation import CompiledSystem as CompiledSystem
    from locomotor.simulation import ContactSettings as ContactSettings
    from locomotor.simulation import EventSettings as EventSettings
    from locomotor.simulation import Final as Final
    from locomotor.simulation import FirstTime as FirstTime
    from locomotor.simulation import Implicit as Implicit
    from locomotor.simulation import Integral as Integral
    from locomotor.simulation import Maximum as Maximum
    from locomotor.simulation import Mean as Mean
    from locomotor.simulation import Measure as Measure
    from locomotor.simulation import Method as Method
    from locomotor.simulation import Minimum as Minimum
    from locomotor.simulation import Run as Run
    from locomotor.simulation import RunWarning as RunWarning
    from locomotor.simulation import Start as Start
    from locomotor.simulation import Status as Status
    from locomotor.simulation import SteppedSystem as SteppedSystem
    from locomotor.simulation import abm4 as abm4
    from locomotor.simulation import abm5 as abm5
    from locomotor.simulation import accelerations as accelerations
    from locomotor.simulation import compile as compile
    from locomotor.simulation import generalised_alpha as generalised_alpha
    from locomotor.simulation import load as load
    from locomotor.simulation import midpoint as midpoint
    from locomotor.simulation import observe as observe
    from locomotor.simulation import rk4 as rk4
    from locomotor.simulation import save as save
    from locomotor.simulation import simulate as simulate
    from locomotor.simulation import view as view

    # analyse
    from locomotor.analysis import AveragedCycle as AveragedCycle
    from locomotor.analysis import Basin as Basin
    from locomotor.analysis import BatchedEigenvalues as BatchedEigenvalues
    from locomotor.analysis import Classification as Classification
    from locomotor.analysis import Connection as Connection
    from locomotor.analysis import ContactReport as ContactReport
    from locomotor.analysis import Cycle as Cycle
    from locomotor.analysis import Family as Family
    from locomotor.analysis import Linearisation as Linearisation
    from locomotor.analysis import Mobility as Mobility
    from locomotor.analysis import Regulator as Regulator
    from locomotor.analysis import Search as Search
    from locomotor.analysis import Section as Section
    from locomotor.analysis import Equilibrium as Equilibrium
    from locomotor.analysis import EquilibriumPath as EquilibriumPath
    from locomotor.analysis import SteadyMotion as SteadyMotion
    from locomotor.analysis import continue_equilibrium as continue_equilibrium
    from locomotor.analysis import equilibrium as equilibrium
    from locomotor.analysis import average_cycle as average_cycle
    from locomotor.analysis import basin as basin
    from locomotor.analysis import batched_eigenvalues as batched_eigenvalues
    from locomotor.analysis import classify as classify
    from locomotor.analysis import connection as connection
    from locomotor.analysis import contact_report as contact_report
    from locomotor.analysis import continue_cycle as continue_cycle
    from locomotor.analysis import eigenvalue_curves as eigenvalue_curves
    from locomotor.analysis import find_cycle as find_cycle
    from locomotor.analysis import find_cycles as find_cycles
    from locomotor.analysis import linearise as linearise
    from locomotor.analysis import lqr as lqr
    from locomotor.analysis import mobility as mobility
    from locomotor.analysis import steady_motion as steady_motion
    from locomotor.analysis import sweep_cycles as sweep_cycles
    from locomotor.analysis import trim as trim
    from locomotor.analysis import trim_family as trim_family

    # other languages
    from locomotor.exports import Export as Export
    from locomotor.exports import export as export

    # many points
    from locomotor.sweeps import sweep as sweep
    # isort: on

# The same names again: they are imported when first used, so that `import locomotor` stays quick. A test compares the lists.
_MODULES = (
    "analysis",
    "catalogue",
    "codegen",
    "complementarity",
    "errors",
    "exports",
    "learning",
    "lie",
    "mechanics",
    "model",
    "robots",
    "scenarios",
    "simulation",
    "sweeps",
    "symbolic",
    "tracing",
)
_HOMES = {
    "locomotor.model": (
        "AddedMass Air Balance Body BodyForce BodyTorque COEFFICIENTS CompliantContact Coupling DHLink Fin Fixed FluidDrag "
        "Frame Free Gravity Wing coefficient_table "
        "Grip Handle Helical InertiaWarning Input JointDamper JointForce JointFriction JointSpring KindWarning Mode Motion "
        "Parameter ParameterSet Persistent Planar Plane PointDamper PointSpring Prismatic Revolute Riding RollingCapsule "
        "RollingDisc RollingEllipsoid RollingSphere RollingTorus Skate "
        "SlidingBox SlidingCapsule SlidingPoint SlidingSphere Spherical StickingBox StickingPoint Surface System Terrain "
        "Adhesive Ball Bar Block CrossSection FlexibleBody ModalBody Torque Translation Unilateral Universal "
        "VelocityConstraint box_corners capsule_ends parse "
        "DistributedForce Rod Strain Tendon "
        "Box Capsule Cylinder Ellipsoid Mesh Plate Sphere Tube Wheel corners dh "
        "Belt Gear RackAndPinion RollingCylinders RollingSpheres "
        "Cylindrical CylindricalClosure FixedClosure HelicalClosure Orthogonal Parallel PlanarClosure PointOnLine "
        "PointOnPlane PrismaticClosure RevoluteClosure RodClosure SphericalClosure UniversalClosure with_cable with_rotor"
    ),
    "locomotor.robots": ("Imported RobotWarning import_robot"),
    "locomotor.tracing": ("Controller Traced TracedSystem actuated trace"),
    "locomotor.symbolic": (
        "Certificate Derivation Equations FirstIntegral certify derive equations first_integrals read_robot solve_constrained"
    ),
    "locomotor.simulation": (
        "Adaptive Batch CompiledSystem ContactSettings ContactsWarning EventSettings Final FirstTime Implicit Integral Maximum "
        "Mean Measure Method Minimum Run RunWarning Start Status SteppedSystem abm4 abm5 accelerations compile "
        "generalised_alpha load midpoint observe rk4 save simulate view"
    ),
    "locomotor.analysis": (
        "AveragedCycle average_cycle trim_family "
        "Basin BatchedEigenvalues Classification Connection ContactReport Cycle Family Linearisation Mobility Regulator Search "
        "Section SteadyMotion basin batched_eigenvalues classify connection contact_report continue_cycle eigenvalue_curves "
        "find_cycle find_cycles linearise lqr mobility steady_motion sweep_cycles trim "
        "Equilibrium EquilibriumPath continue_equilibrium equilibrium"
    ),
    "locomotor.exports": ("Export export"),
    "locomotor.sweeps": ("sweep"),
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [*_MODULES, *_PUBLIC]

if not TYPE_CHECKING:  # hidden from type checkers, which would take every misspelt name for one of ours

    def __getattr__(name: str) -> Any:
        if name in _PUBLIC:
            found = getattr(import_module(_PUBLIC[name]), name)
        elif name in _MODULES:
            found = import_module(f"locomotor.{name}")
        else:
            raise AttributeError(f"module 'locomotor' has no attribute {name!r}")
        globals()[name] = found  # not asked for again
        return found


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
