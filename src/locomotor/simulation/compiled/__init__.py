"""A compiled system: its functions, roll-outs of many instances, their measures and derivatives."""

from locomotor.simulation.compiled.batch import Batch as Batch
from locomotor.simulation.compiled.feedback import CalledLaw as CalledLaw
from locomotor.simulation.compiled.feedback import as_controller as as_controller
from locomotor.simulation.compiled.feedback import called_law as called_law
from locomotor.simulation.compiled.feedback import confirm_law as confirm_law
from locomotor.simulation.compiled.feedback import lost_input as lost_input
from locomotor.simulation.compiled.jacobians import Explicit as Explicit
from locomotor.simulation.compiled.jacobians import Jacobians as Jacobians
from locomotor.simulation.compiled.jacobians import jacobians as jacobians
from locomotor.simulation.compiled.lost_law import lost_law as lost_law
from locomotor.simulation.compiled.measures import Final as Final
from locomotor.simulation.compiled.measures import FirstTime as FirstTime
from locomotor.simulation.compiled.measures import Integral as Integral
from locomotor.simulation.compiled.measures import Maximum as Maximum
from locomotor.simulation.compiled.measures import Mean as Mean
from locomotor.simulation.compiled.measures import Measure as Measure
from locomotor.simulation.compiled.measures import Minimum as Minimum
from locomotor.simulation.compiled.random_states import beside_fixed as beside_fixed
from locomotor.simulation.compiled.random_states import drawn as drawn
from locomotor.simulation.compiled.random_states import finished as finished
from locomotor.simulation.compiled.step_maps import check_steps as check_steps
from locomotor.simulation.compiled.step_maps import compile_steps as compile_steps
from locomotor.simulation.compiled.system import CompiledSystem as CompiledSystem
from locomotor.simulation.compiled.system import brief_system as brief_system
from locomotor.simulation.compiled.system import check_target as check_target
from locomotor.simulation.compiled.system import compile_system as compile_system
