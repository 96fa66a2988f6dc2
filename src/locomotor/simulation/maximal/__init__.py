"""Motion in maximal coordinates: all bodies free, all joints conditions, solved along the graph."""

from locomotor.simulation.maximal.graph import Graph as Graph
from locomotor.simulation.maximal.motion import Maximal as Maximal
from locomotor.simulation.maximal.move import move_maximally as move_maximally
