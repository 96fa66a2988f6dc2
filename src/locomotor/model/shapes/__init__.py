"""What bodies look like: shapes whose dimensions may be expressions of parameters, their mass, and their contacts."""

from locomotor.model.shapes.corners import corners as corners
from locomotor.model.shapes.mesh_file import Mesh as Mesh
from locomotor.model.shapes.mesh_file import read_painted as read_painted
from locomotor.model.shapes.shape import COLOURS as COLOURS
from locomotor.model.shapes.shape import Box as Box
from locomotor.model.shapes.shape import Capsule as Capsule
from locomotor.model.shapes.shape import Cylinder as Cylinder
from locomotor.model.shapes.shape import Ellipsoid as Ellipsoid
from locomotor.model.shapes.shape import Plate as Plate
from locomotor.model.shapes.shape import Shape as Shape
from locomotor.model.shapes.shape import Sphere as Sphere
from locomotor.model.shapes.shape import Tube as Tube
from locomotor.model.shapes.shape import Wheel as Wheel
from locomotor.model.shapes.shape import read_shapes as read_shapes
from locomotor.model.shapes.solid import Mass as Mass
from locomotor.model.shapes.solid import mass_of as mass_of
from locomotor.model.shapes.solid import rotation_of as rotation_of
from locomotor.model.shapes.solid import together as together
