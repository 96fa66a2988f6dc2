"""How things move: pure functions from a System and symbols (or numbers) to expressions. One algorithm, one file."""

from locomotor.mechanics.connection import constraint_connection as constraint_connection
from locomotor.mechanics.connection import mixed_connection as mixed_connection
from locomotor.mechanics.connection import momentum_connection as momentum_connection
from locomotor.mechanics.drift_correction import gap_correction as gap_correction
from locomotor.mechanics.joint_loads import Bearing as Bearing
from locomotor.mechanics.joint_loads import Seat as Seat
from locomotor.mechanics.joint_loads import closure_wrenches as closure_wrenches
from locomotor.mechanics.joint_loads import following as following
from locomotor.mechanics.joint_loads import loads_of as loads_of
from locomotor.mechanics.pressing import check_pressed as check_pressed
from locomotor.mechanics.reduced import FLAT as FLAT
from locomotor.mechanics.reduced import WATCH as WATCH
from locomotor.mechanics.reduced import ReducedMotion as ReducedMotion
from locomotor.mechanics.reduction import Reduction as Reduction
from locomotor.mechanics.reduction import choose_reduction as choose_reduction
from locomotor.mechanics.reduction import sample_poses as sample_poses
from locomotor.mechanics.sliding import distance_to_singular as distance_to_singular
from locomotor.mechanics.soft import AssumedModes as AssumedModes
from locomotor.mechanics.soft import RodMechanics as RodMechanics
