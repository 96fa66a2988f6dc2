"""Equations to be read: tapes become SymPy matrices with named symbols, and documents of them."""

from locomotor.symbolic._equations import DOCUMENTS as DOCUMENTS
from locomotor.symbolic._equations import Equations as Equations
from locomotor.symbolic._equations import equations as equations
from locomotor.symbolic.certificate import Certificate as Certificate
from locomotor.symbolic.certificate import certify as certify
from locomotor.symbolic.derivation import Derivation as Derivation
from locomotor.symbolic.derivation import derive as derive
from locomotor.symbolic.formalisms import solve_constrained as solve_constrained
from locomotor.symbolic.integrals import FirstIntegral as FirstIntegral
from locomotor.symbolic.integrals import first_integrals as first_integrals
from locomotor.symbolic.linear import LinearEquations as LinearEquations
from locomotor.symbolic.robotdyn import Robot as Robot
from locomotor.symbolic.robotdyn import RobotEquations as RobotEquations
from locomotor.symbolic.robotdyn import Segment as Segment
from locomotor.symbolic.robotdyn import export_robot as export_robot
from locomotor.symbolic.robotdyn import is_robot as is_robot
from locomotor.symbolic.robotdyn import read_robot as read_robot
from locomotor.symbolic.robotdyn import robot_system as robot_system
from locomotor.symbolic.robotdyn import save_robot as save_robot
