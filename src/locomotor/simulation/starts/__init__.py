"""From a few values by name to a state that the contacts allow, for one run or for many."""

from locomotor.simulation.starts.many import Starts as Starts
from locomotor.simulation.starts.many import spread as spread
from locomotor.simulation.starts.start import GAP_TOLERANCE as GAP_TOLERANCE
from locomotor.simulation.starts.start import ITERATIONS as ITERATIONS
from locomotor.simulation.starts.start import LOOPS as LOOPS
from locomotor.simulation.starts.start import SPEED_TOLERANCE as SPEED_TOLERANCE
from locomotor.simulation.starts.start import most_responsive as most_responsive
from locomotor.simulation.starts.start import starting_state as starting_state
from locomotor.simulation.starts.words import beyond as beyond
from locomotor.simulation.starts.words import conditions_of as conditions_of
