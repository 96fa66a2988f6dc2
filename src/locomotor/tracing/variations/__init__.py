"""How small deviations move along with a motion, on symbols."""

from locomotor.tracing.variations.deviations import with_deviations as with_deviations
from locomotor.tracing.variations.step_deviations import step_with_deviations as step_with_deviations
from locomotor.tracing.variations.variational import crossing as crossing
from locomotor.tracing.variations.variational import event_slopes as event_slopes
from locomotor.tracing.variations.variational import impact_balance as impact_balance
from locomotor.tracing.variations.variational import measure as measure
from locomotor.tracing.variations.variational import readout as readout
