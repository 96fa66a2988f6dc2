"""Runs whose contacts open and close: modes, the search for events, impacts, and the loop that joins them."""

from locomotor.simulation.events.collisions import collide as collide
from locomotor.simulation.events.collisions import rows_at as rows_at
from locomotor.simulation.events.collisions import unyielding as unyielding
from locomotor.simulation.events.loop import TIME_TOLERANCE as TIME_TOLERANCE
from locomotor.simulation.events.loop import EventDriven as EventDriven
from locomotor.simulation.events.loop import Segment as Segment
from locomotor.simulation.events.modes import Closed as Closed
from locomotor.simulation.events.modes import Mode as Mode
from locomotor.simulation.events.modes import Modes as Modes
from locomotor.simulation.events.modes import modes_of as modes_of
from locomotor.simulation.events.modes import with_laws as with_laws
from locomotor.simulation.events.probe import Probe as Probe
from locomotor.simulation.events.simulate_events import hybrid_start as hybrid_start
from locomotor.simulation.events.simulate_events import initial_contacts as initial_contacts
from locomotor.simulation.events.simulate_events import is_hybrid as is_hybrid
from locomotor.simulation.events.simulate_events import record as record
from locomotor.simulation.events.simulate_events import simulate_hybrid as simulate_hybrid
from locomotor.simulation.events.terrain_events import APPROACHES as APPROACHES
from locomotor.simulation.events.terrain_events import NEAR as NEAR
