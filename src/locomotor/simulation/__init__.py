"""Compiled systems in motion: steppers, consistent starts, controllers, and the `Run` that records it all."""

from locomotor.simulation._simulate import RunWarning as RunWarning
from locomotor.simulation._simulate import simulate as simulate
from locomotor.simulation.batch import Batch as Batch
from locomotor.simulation.compiled import CompiledSystem as CompiledSystem
from locomotor.simulation.compiled import compile_system as compile_system
from locomotor.simulation.evaluate import accelerations as accelerations
from locomotor.simulation.evaluate import observe as observe
from locomotor.simulation.measures import Final as Final
from locomotor.simulation.measures import FirstTime as FirstTime
from locomotor.simulation.measures import Integral as Integral
from locomotor.simulation.measures import Maximum as Maximum
from locomotor.simulation.measures import Mean as Mean
from locomotor.simulation.measures import Measure as Measure
from locomotor.simulation.measures import Minimum as Minimum
from locomotor.simulation.run import Run as Run
from locomotor.simulation.run import view as view
from locomotor.simulation.start import starting_state as starting_state
from locomotor.simulation.status import Event as Event
from locomotor.simulation.status import Outcome as Outcome
from locomotor.simulation.status import Status as Status
from locomotor.simulation.steppers import Adaptive as Adaptive
from locomotor.simulation.steppers import FixedStep as FixedStep
from locomotor.simulation.steppers import abm4 as abm4
from locomotor.simulation.steppers import abm5 as abm5
from locomotor.simulation.steppers import rk4 as rk4
