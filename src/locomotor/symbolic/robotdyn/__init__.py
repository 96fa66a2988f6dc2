"""RobotDyn reborn: tree robots by Denavit-Hartenberg parameters, from small text files to closed equations."""

from locomotor.symbolic.robotdyn.as_system import robot_system as robot_system
from locomotor.symbolic.robotdyn.files import export_robot as export_robot
from locomotor.symbolic.robotdyn.files import is_robot as is_robot
from locomotor.symbolic.robotdyn.files import read_robot as read_robot
from locomotor.symbolic.robotdyn.files import save_robot as save_robot
from locomotor.symbolic.robotdyn.lagrange import RobotEquations as RobotEquations
from locomotor.symbolic.robotdyn.robot import Robot as Robot
from locomotor.symbolic.robotdyn.robot import Segment as Segment
