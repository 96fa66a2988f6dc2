"""Impacts of contacts with and without friction: laws by name, on plain matrices."""

from locomotor.complementarity.impacts._impact import impact as impact
from locomotor.complementarity.impacts._impact import impact_of as impact_of
from locomotor.complementarity.impacts._impact import impact_without_collision as impact_without_collision
from locomotor.complementarity.impacts.collision import Collision as Collision
from locomotor.complementarity.impacts.collision import Found as Found
from locomotor.complementarity.impacts.collision import ImpactOutcome as ImpactOutcome
from locomotor.complementarity.impacts.registry import IMPACT_LAWS as IMPACT_LAWS
from locomotor.complementarity.impacts.registry import ImpactLaw as ImpactLaw
from locomotor.complementarity.impacts.registry import register_impact_law as register_impact_law
from locomotor.complementarity.impacts.without_collision import Jam as Jam
