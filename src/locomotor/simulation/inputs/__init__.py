"""What drives a run from outside: expressions of time, imposed motions, and the instants at which they jump."""

from locomotor.simulation.inputs.expression_law import ExpressionLaw as ExpressionLaw
from locomotor.simulation.inputs.expression_law import LawBeside as LawBeside
from locomotor.simulation.inputs.instants import Breaks as Breaks
from locomotor.simulation.inputs.instants import breaks_of as breaks_of
from locomotor.simulation.inputs.instants import breaks_of_rows as breaks_of_rows
from locomotor.simulation.inputs.instants import switch_instants as switch_instants
from locomotor.simulation.inputs.motions import acts as acts
from locomotor.simulation.inputs.motions import as_motion as as_motion
from locomotor.simulation.inputs.motions import as_motions as as_motions
from locomotor.simulation.inputs.motions import check_compatibility as check_compatibility
from locomotor.simulation.inputs.motions import check_constraints as check_constraints
from locomotor.simulation.inputs.motions import check_inputs_act as check_inputs_act
from locomotor.simulation.inputs.motions import check_motion as check_motion
from locomotor.simulation.inputs.motions import check_motions as check_motions
from locomotor.simulation.inputs.motions import has_timed_constraints as has_timed_constraints
from locomotor.simulation.inputs.resolution import calls_of as calls_of
from locomotor.simulation.inputs.resolution import check_resolution as check_resolution
from locomotor.simulation.inputs.resolution import unresolved as unresolved
from locomotor.simulation.inputs.resolution import why_unresolved as why_unresolved
