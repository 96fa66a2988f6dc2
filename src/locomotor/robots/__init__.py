"""Robots from files, URDF, MJCF and SDF, and to MJCF; each tells what it could not take along."""

from locomotor.robots.imported import Imported as Imported
from locomotor.robots.notes import RobotWarning as RobotWarning
from locomotor.robots.parts import Limit as Limit
from locomotor.robots.parts import Note as Note
from locomotor.robots.reading import ROBOTS as ROBOTS
from locomotor.robots.reading import import_robot as import_robot
from locomotor.robots.reading import load_robot as load_robot
from locomotor.robots.write_mjcf import MJCF as MJCF
from locomotor.robots.write_mjcf import write_mjcf as write_mjcf
