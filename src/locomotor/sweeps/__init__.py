"""Sweeps: one measure at a million points, on all processors or machines, safe against whatever is killed meanwhile."""

from locomotor.sweeps._sweep import SweepWarning as SweepWarning
from locomotor.sweeps._sweep import sweep as sweep
from locomotor.sweeps.measure import BatchFunction as BatchFunction
from locomotor.sweeps.measure import PointFunction as PointFunction
from locomotor.sweeps.measure import PointMeasure as PointMeasure
from locomotor.sweeps.outcome import Measured as Measured
from locomotor.sweeps.outcome import PointStatus as PointStatus
from locomotor.sweeps.samples import Grid as Grid
from locomotor.sweeps.samples import Listed as Listed
from locomotor.sweeps.samples import Random as Random
from locomotor.sweeps.samples import Samples as Samples
from locomotor.sweeps.samples import Sobol as Sobol
from locomotor.sweeps.stable import Stability as Stability
from locomotor.sweeps.stable import stability as stability
