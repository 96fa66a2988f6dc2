"""Compiled steps that hold, open and close contacts by themselves, and their starts."""

from locomotor.simulation.stepping.compile_with_starts import check_contacts as check_contacts
from locomotor.simulation.stepping.compile_with_starts import compile_with_starts as compile_with_starts
from locomotor.simulation.stepping.time_stepping import ContactSettings as ContactSettings
from locomotor.simulation.stepping.time_stepping import EventSettings as EventSettings
from locomotor.simulation.stepping.time_stepping import SteppedSystem as SteppedSystem
from locomotor.simulation.stepping.time_stepping import compile_stepping as compile_stepping
