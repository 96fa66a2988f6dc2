"""Steady motions, exact linearisation and eigenvalues."""

from locomotor.analysis.curves import EigenvalueCurves as EigenvalueCurves
from locomotor.analysis.curves import eigenvalue_curves as eigenvalue_curves
from locomotor.analysis.linearise import Linearisation as Linearisation
from locomotor.analysis.linearise import linearise as linearise
from locomotor.analysis.steady import SteadyMotion as SteadyMotion
from locomotor.analysis.steady import steady_motion as steady_motion
