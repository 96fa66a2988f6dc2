"""Expressions -> `Traced` functions: named, described, ordered inputs and outputs; exact derivatives; the tape."""

from locomotor.tracing.actuator import actuated as actuated
from locomotor.tracing.controller import Channels as Channels
from locomotor.tracing.controller import Controller as Controller
from locomotor.tracing.controller import Readings as Readings
from locomotor.tracing.core import Field as Field
from locomotor.tracing.core import Port as Port
from locomotor.tracing.core import Tape as Tape
from locomotor.tracing.core import Traced as Traced
from locomotor.tracing.law_check import places_of as places_of
from locomotor.tracing.law_times import laws_of_time as laws_of_time
from locomotor.tracing.limbs import state_limbs as state_limbs
from locomotor.tracing.observation import effort_unit as effort_unit
from locomotor.tracing.observation import observables as observables
from locomotor.tracing.step_map import rk4_map as rk4_map
from locomotor.tracing.system import TracedSystem as TracedSystem
from locomotor.tracing.system import trace as trace
