"""Limit cycles: Poincaré maps with exact derivatives, shooting, Floquet multipliers, families of cycles, scans, basins."""

from locomotor.analysis.cycles.averaged import AveragedCycle as AveragedCycle
from locomotor.analysis.cycles.averaged import average_cycle as average_cycle
from locomotor.analysis.cycles.build import poincare_map as poincare_map
from locomotor.analysis.cycles.continuation import Change as Change
from locomotor.analysis.cycles.continuation import Family as Family
from locomotor.analysis.cycles.continuation import continue_cycle as continue_cycle
from locomotor.analysis.cycles.cycle import Cycle as Cycle
from locomotor.analysis.cycles.cycle import make_cycle as make_cycle
from locomotor.analysis.cycles.floquet import by_differences as by_differences
from locomotor.analysis.cycles.floquet import multipliers as multipliers
from locomotor.analysis.cycles.options import Search as Search
from locomotor.analysis.cycles.options import Section as Section
from locomotor.analysis.cycles.poincare import PoincareMap as PoincareMap
from locomotor.analysis.cycles.scan import Basin as Basin
from locomotor.analysis.cycles.scan import basin as basin
from locomotor.analysis.cycles.scan import find_cycles as find_cycles
from locomotor.analysis.cycles.scan import sweep_cycles as sweep_cycles
from locomotor.analysis.cycles.sections import drive_period as drive_period
from locomotor.analysis.cycles.sections import repeating_gaits as repeating_gaits
from locomotor.analysis.cycles.sections import timed_laws as timed_laws
from locomotor.analysis.cycles.shooting import find_cycle as find_cycle
from locomotor.analysis.cycles.shooting import newton as newton
from locomotor.analysis.cycles.trim import trim as trim
from locomotor.analysis.cycles.trim_family import trim_family as trim_family
