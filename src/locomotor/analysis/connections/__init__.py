"""Motion by shape: classes of locomotion, connections, displacements and the geometry of gaits."""

from locomotor.analysis.connections.classify import Classification as Classification
from locomotor.analysis.connections.classify import classify as classify
from locomotor.analysis.connections.connection import Connection as Connection
from locomotor.analysis.connections.connection import connection as connection
from locomotor.analysis.connections.connection import shape_functions as shape_functions
from locomotor.analysis.connections.gait_geometry import GaitGeometry as GaitGeometry
from locomotor.analysis.connections.gait_geometry import gait_geometry as gait_geometry
