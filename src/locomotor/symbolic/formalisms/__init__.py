"""Lagrange, Kane, Newton-Euler, Mampey and virtual power: derivations that share nothing with the recursions of the library."""

from locomotor.symbolic.formalisms.solving import METHODS as METHODS
from locomotor.symbolic.formalisms.solving import kernel as kernel
from locomotor.symbolic.formalisms.solving import solve_constrained as solve_constrained
from locomotor.symbolic.formalisms.ways import VIRTUAL_POWER as VIRTUAL_POWER
from locomotor.symbolic.formalisms.ways import WAYS as WAYS
from locomotor.symbolic.formalisms.ways import Equations as Equations
