"""Steady motions, their linearisation, eigenvalues along a parameter and in batches."""

from locomotor.analysis.stability.batched import FOUND as FOUND
from locomotor.analysis.stability.batched import NO_MOTION as NO_MOTION
from locomotor.analysis.stability.batched import REASONS as REASONS
from locomotor.analysis.stability.batched import BatchedEigenvalues as BatchedEigenvalues
from locomotor.analysis.stability.batched import batched_eigenvalues as batched_eigenvalues
from locomotor.analysis.stability.chart_model import chart_model as chart_model
from locomotor.analysis.stability.curves import EigenvalueCurves as EigenvalueCurves
from locomotor.analysis.stability.curves import eigenvalue_curves as eigenvalue_curves
from locomotor.analysis.stability.curves import follow as follow
from locomotor.analysis.stability.judgement import NEUTRAL as NEUTRAL
from locomotor.analysis.stability.judgement import ON_CIRCLE as ON_CIRCLE
from locomotor.analysis.stability.judgement import STABLE as STABLE
from locomotor.analysis.stability.judgement import UNSTABLE as UNSTABLE
from locomotor.analysis.stability.judgement import stability_of as stability_of
from locomotor.analysis.stability.judgement import stability_of_multipliers as stability_of_multipliers
from locomotor.analysis.stability.judgement import unsure_of as unsure_of
from locomotor.analysis.stability.linearise import Linearisation as Linearisation
from locomotor.analysis.stability.linearise import linearise as linearise
from locomotor.analysis.stability.regulator import Regulator as Regulator
from locomotor.analysis.stability.regulator import lqr as lqr
from locomotor.analysis.stability.state_space import frequency_response as frequency_response
from locomotor.analysis.stability.steady import SteadyMotion as SteadyMotion
from locomotor.analysis.stability.steady import steady_motion as steady_motion
