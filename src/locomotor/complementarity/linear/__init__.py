"""Linear complementarity: w = M z + q, w >= 0, z >= 0, w . z = 0."""

from locomotor.complementarity.linear._lcp import METHODS as METHODS
from locomotor.complementarity.linear._lcp import all_solutions as all_solutions
from locomotor.complementarity.linear._lcp import lcp as lcp
from locomotor.complementarity.linear._lcp import solve as solve
from locomotor.complementarity.linear._mixed import mixed_lcp as mixed_lcp
from locomotor.complementarity.linear.enumeration import LARGEST as LARGEST
from locomotor.complementarity.linear.enumeration import Branch as Branch
from locomotor.complementarity.linear.residual import measure as measure
