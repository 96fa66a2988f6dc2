"""Steady motions, exact linearisation and eigenvalues; limit cycles; classes, connections and gait geometry."""

from locomotor.analysis.connections import Classification as Classification
from locomotor.analysis.connections import Connection as Connection
from locomotor.analysis.connections import GaitGeometry as GaitGeometry
from locomotor.analysis.connections import classify as classify
from locomotor.analysis.connections import connection as connection
from locomotor.analysis.connections import gait_geometry as gait_geometry
from locomotor.analysis.connections import shape_functions as shape_functions
from locomotor.analysis.cycles import Basin as Basin
from locomotor.analysis.cycles import Cycle as Cycle
from locomotor.analysis.cycles import Family as Family
from locomotor.analysis.cycles import basin as basin
from locomotor.analysis.cycles import continue_cycle as continue_cycle
from locomotor.analysis.cycles import find_cycle as find_cycle
from locomotor.analysis.cycles import find_cycles as find_cycles
from locomotor.analysis.cycles import poincare_map as poincare_map
from locomotor.analysis.cycles import sweep_cycles as sweep_cycles
from locomotor.analysis.stability import BatchedEigenvalues as BatchedEigenvalues
from locomotor.analysis.stability import EigenvalueCurves as EigenvalueCurves
from locomotor.analysis.stability import Linearisation as Linearisation
from locomotor.analysis.stability import SteadyMotion as SteadyMotion
from locomotor.analysis.stability import batched_eigenvalues as batched_eigenvalues
from locomotor.analysis.stability import eigenvalue_curves as eigenvalue_curves
from locomotor.analysis.stability import linearise as linearise
from locomotor.analysis.stability import steady_motion as steady_motion
