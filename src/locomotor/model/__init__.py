"""WHAT a system is: frozen descriptions of bodies, joints, contacts, forces, parameters and state.

Nothing is solved here. Every description is immutable, compared by content, and checked when it is built.
"""

from locomotor.model.body import Body as Body
from locomotor.model.body import Frame as Frame
from locomotor.model.constraint import Constraint as Constraint
from locomotor.model.constraint import Coupling as Coupling
from locomotor.model.constraint import VelocityConstraint as VelocityConstraint
from locomotor.model.contact import Contact as Contact
from locomotor.model.contact import Plane as Plane
from locomotor.model.contact import RollingDisc as RollingDisc
from locomotor.model.contact import RollingSphere as RollingSphere
from locomotor.model.contact import RollingTorus as RollingTorus
from locomotor.model.contact import Skate as Skate
from locomotor.model.contact import SlidingPoint as SlidingPoint
from locomotor.model.contact import StickingPoint as StickingPoint
from locomotor.model.drive import Drive as Drive
from locomotor.model.drive import Motion as Motion
from locomotor.model.drive import Torque as Torque
from locomotor.model.expression import Expression as Expression
from locomotor.model.expression import Quantity as Quantity
from locomotor.model.expression import QuantityLike as QuantityLike
from locomotor.model.expression import apply as apply
from locomotor.model.expression import as_quantity as as_quantity
from locomotor.model.expression import evaluate as evaluate
from locomotor.model.expression import parse as parse
from locomotor.model.fluid import AddedMass as AddedMass
from locomotor.model.fluid import FluidDrag as FluidDrag
from locomotor.model.force import BodyForce as BodyForce
from locomotor.model.force import BodyTorque as BodyTorque
from locomotor.model.force import Force as Force
from locomotor.model.force import Gravity as Gravity
from locomotor.model.force import JointDamper as JointDamper
from locomotor.model.force import JointForce as JointForce
from locomotor.model.force import JointSpring as JointSpring
from locomotor.model.force import PointDamper as PointDamper
from locomotor.model.force import PointSpring as PointSpring
from locomotor.model.joint import Fixed as Fixed
from locomotor.model.joint import Free as Free
from locomotor.model.joint import Helical as Helical
from locomotor.model.joint import Joint as Joint
from locomotor.model.joint import Planar as Planar
from locomotor.model.joint import Prismatic as Prismatic
from locomotor.model.joint import Revolute as Revolute
from locomotor.model.joint import Spherical as Spherical
from locomotor.model.joint import Translation as Translation
from locomotor.model.joint import Universal as Universal
from locomotor.model.layout import Input as Input
from locomotor.model.layout import Layout as Layout
from locomotor.model.layout import Symbol as Symbol
from locomotor.model.parameters import Parameter as Parameter
from locomotor.model.parameters import ParameterSet as ParameterSet
from locomotor.model.system import System as System
