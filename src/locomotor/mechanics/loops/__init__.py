"""Loops: relative motion of two bodies, conditions on it at all three levels, and the rows they add to the constraints."""

from locomotor.mechanics.loops.closing import sine_and_cosine as sine_and_cosine
from locomotor.mechanics.loops.jet import Flow as Flow
from locomotor.mechanics.loops.jet import Jet as Jet
from locomotor.mechanics.loops.loop_rows import LoopRow as LoopRow
from locomotor.mechanics.loops.loop_rows import loop_rows as loop_rows
from locomotor.mechanics.loops.relative import Pair as Pair
from locomotor.mechanics.loops.relative import Relative as Relative
from locomotor.mechanics.loops.relative import common_carrier as common_carrier
from locomotor.mechanics.loops.relative import free_body as free_body
from locomotor.mechanics.loops.rolling import closing as closing
from locomotor.mechanics.loops.sense import sense_rows as sense_rows
