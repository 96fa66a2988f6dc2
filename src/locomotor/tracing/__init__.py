"""Expressions -> `Traced` functions: named, described, ordered inputs and outputs; exact derivatives; the tape."""

from locomotor.tracing._trace import TracedSystem as TracedSystem
from locomotor.tracing._trace import trace as trace
from locomotor.tracing.controller import Channels as Channels
from locomotor.tracing.controller import Controller as Controller
from locomotor.tracing.signature import Field as Field
from locomotor.tracing.signature import Port as Port
from locomotor.tracing.tape import Tape as Tape
from locomotor.tracing.traced import Traced as Traced
