"""What pushes: gravity, springs, dampers, fluids and compliant contacts."""

from locomotor.model.forces.air import Air as Air
from locomotor.model.forces.coefficients import ANGLE as ANGLE
from locomotor.model.forces.coefficients import COEFFICIENTS as COEFFICIENTS
from locomotor.model.forces.coefficients import Coefficients as Coefficients
from locomotor.model.forces.coefficients import coefficient_table as coefficient_table
from locomotor.model.forces.compliant import CompliantContact as CompliantContact
from locomotor.model.forces.compliant import hertz_stiffness as hertz_stiffness
from locomotor.model.forces.fluid import AddedMass as AddedMass
from locomotor.model.forces.fluid import FluidDrag as FluidDrag
from locomotor.model.forces.force import BodyForce as BodyForce
from locomotor.model.forces.force import BodyTorque as BodyTorque
from locomotor.model.forces.force import Force as Force
from locomotor.model.forces.force import Gravity as Gravity
from locomotor.model.forces.force import JointDamper as JointDamper
from locomotor.model.forces.force import JointForce as JointForce
from locomotor.model.forces.force import JointSpring as JointSpring
from locomotor.model.forces.force import PointDamper as PointDamper
from locomotor.model.forces.force import PointSpring as PointSpring
from locomotor.model.forces.force import check_frame as check_frame
from locomotor.model.forces.joint_friction import JointFriction as JointFriction
from locomotor.model.forces.joint_friction import SlidingFriction as SlidingFriction
from locomotor.model.forces.wing import MECHANISMS as MECHANISMS
from locomotor.model.forces.wing import PLACE_ALONG as PLACE_ALONG
from locomotor.model.forces.wing import Fin as Fin
from locomotor.model.forces.wing import Station as Station
from locomotor.model.forces.wing import Wing as Wing
