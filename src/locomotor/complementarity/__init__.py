"""Complementarity problems on plain matrices: contacts that open and close, friction that sticks or slips. Usable alone."""

from locomotor.complementarity.answer import TOLERANCE as TOLERANCE
from locomotor.complementarity.answer import Answer as Answer
from locomotor.complementarity.answer import Residuals as Residuals
from locomotor.complementarity.friction import ContactSolution as ContactSolution
from locomotor.complementarity.friction import contact_modes as contact_modes
from locomotor.complementarity.friction import coulomb as coulomb
from locomotor.complementarity.friction import faceted as faceted
from locomotor.complementarity.linear import Branch as Branch
from locomotor.complementarity.linear import all_solutions as all_solutions
from locomotor.complementarity.linear import lcp as lcp
from locomotor.complementarity.linear import mixed_lcp as mixed_lcp
