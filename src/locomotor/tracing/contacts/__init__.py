"""Steps and readings of systems whose contacts open and close, on symbols."""

from locomotor.tracing.contacts.event_steps import EventSettings as EventSettings
from locomotor.tracing.contacts.event_steps import EventStepping as EventStepping
from locomotor.tracing.contacts.free_conditions import Condition as Condition
from locomotor.tracing.contacts.free_conditions import free_conditions as free_conditions
from locomotor.tracing.contacts.many_steps import time_stepping as time_stepping
from locomotor.tracing.contacts.mode import NUMBERS as NUMBERS
from locomotor.tracing.contacts.mode import VECTORS as VECTORS
from locomotor.tracing.contacts.mode import Switching as Switching
from locomotor.tracing.contacts.mode import event_functions as event_functions
from locomotor.tracing.contacts.mode import impact_data as impact_data
from locomotor.tracing.contacts.mode import places as places
from locomotor.tracing.contacts.mode import snapshot as snapshot
from locomotor.tracing.contacts.moves import retract as retract
from locomotor.tracing.contacts.pieces import piece_of as piece_of
from locomotor.tracing.contacts.pieces import support_names as support_names
from locomotor.tracing.contacts.problem import contact_problem as contact_problem
from locomotor.tracing.contacts.problem import support_rows as support_rows
from locomotor.tracing.contacts.settings import ContactSettings as ContactSettings
from locomotor.tracing.contacts.switching import FlyingSystem as FlyingSystem
from locomotor.tracing.contacts.switching import Stepping as Stepping
from locomotor.tracing.contacts.switching import rows_of as rows_of
from locomotor.tracing.contacts.switching import switching_of as switching_of
from locomotor.tracing.contacts.switching import with_ends as with_ends
from locomotor.tracing.contacts.time_steps import TimeStepping as TimeStepping
