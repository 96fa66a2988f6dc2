"""Complementarity problems on plain matrices: contacts that open and close, friction that sticks or slips. Usable alone."""

from locomotor.complementarity.answer import TOLERANCE as TOLERANCE
from locomotor.complementarity.answer import Answer as Answer
from locomotor.complementarity.answer import Residuals as Residuals
from locomotor.complementarity.arguments import SYMMETRY as SYMMETRY
from locomotor.complementarity.arguments import symmetric as symmetric
from locomotor.complementarity.friction import ContactSolution as ContactSolution
from locomotor.complementarity.friction import contact_modes as contact_modes
from locomotor.complementarity.friction import coulomb as coulomb
from locomotor.complementarity.friction import faceted as faceted
from locomotor.complementarity.impacts import IMPACT_LAWS as IMPACT_LAWS
from locomotor.complementarity.impacts import ImpactLaw as ImpactLaw
from locomotor.complementarity.impacts import ImpactOutcome as ImpactOutcome
from locomotor.complementarity.impacts import Jam as Jam
from locomotor.complementarity.impacts import impact as impact
from locomotor.complementarity.impacts import impact_of as impact_of
from locomotor.complementarity.impacts import impact_without_collision as impact_without_collision
from locomotor.complementarity.impacts import register_impact_law as register_impact_law
from locomotor.complementarity.linear import Branch as Branch
from locomotor.complementarity.linear import all_solutions as all_solutions
from locomotor.complementarity.linear import lcp as lcp
from locomotor.complementarity.linear import mixed_lcp as mixed_lcp
from locomotor.complementarity.sizes import AMPLIFIED as AMPLIFIED
from locomotor.complementarity.sizes import APART as APART
