"""Equilibria and how they change with a load."""

from locomotor.analysis.statics.equilibrium import Equilibrium as Equilibrium
from locomotor.analysis.statics.equilibrium import EquilibriumPath as EquilibriumPath
from locomotor.analysis.statics.equilibrium import LoadChange as LoadChange
from locomotor.analysis.statics.equilibrium import continue_equilibrium as continue_equilibrium
from locomotor.analysis.statics.equilibrium import equilibrium as equilibrium
