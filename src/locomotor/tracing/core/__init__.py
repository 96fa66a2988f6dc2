"""A traced function: ports with names, the tape, its simplification and its derivatives."""

from locomotor.tracing.core.columns import column as column
from locomotor.tracing.core.columns import has_nan as has_nan
from locomotor.tracing.core.derivatives import tangent_basis as tangent_basis
from locomotor.tracing.core.loops import Call as Call
from locomotor.tracing.core.loops import Launch as Launch
from locomotor.tracing.core.loops import Recorder as Recorder
from locomotor.tracing.core.loops import Stages as Stages
from locomotor.tracing.core.loops import Team as Team
from locomotor.tracing.core.loops import numbered as numbered
from locomotor.tracing.core.signature import Field as Field
from locomotor.tracing.core.signature import Port as Port
from locomotor.tracing.core.simplify import MASKS as MASKS
from locomotor.tracing.core.simplify import Instruction as Instruction
from locomotor.tracing.core.slopes import Slopes as Slopes
from locomotor.tracing.core.slopes import colours_of as colours_of
from locomotor.tracing.core.slopes import slopes_of as slopes_of
from locomotor.tracing.core.tape import Tape as Tape
from locomotor.tracing.core.traced import Rolled as Rolled
from locomotor.tracing.core.traced import Round as Round
from locomotor.tracing.core.traced import RoundTurn as RoundTurn
from locomotor.tracing.core.traced import Traced as Traced
from locomotor.tracing.core.traced import derivative_of as derivative_of
