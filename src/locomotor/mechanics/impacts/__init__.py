"""Velocities that jump: impacts on numbers for runs, on symbols for compiled steps, and friction."""

from locomotor.mechanics.impacts.conditions import TINY as TINY
from locomotor.mechanics.impacts.friction import Sliding as Sliding
from locomotor.mechanics.impacts.friction import harmless_share as harmless_share
from locomotor.mechanics.impacts.loaded import Loaded as Loaded
from locomotor.mechanics.impacts.on_numbers import ROUND_OFF as ROUND_OFF
from locomotor.mechanics.impacts.on_numbers import Collision as Collision
from locomotor.mechanics.impacts.on_numbers import Impact as Impact
from locomotor.mechanics.impacts.on_numbers import newton_impact as newton_impact
from locomotor.mechanics.impacts.on_numbers import plastic_impact as plastic_impact
from locomotor.mechanics.impacts.on_numbers import poisson_impact as poisson_impact
from locomotor.mechanics.impacts.on_numbers import stronge_impact as stronge_impact
from locomotor.mechanics.impacts.on_numbers import unilateral_impact as unilateral_impact
from locomotor.mechanics.impacts.on_symbols import Response as Response
from locomotor.mechanics.impacts.on_symbols import Touching as Touching
from locomotor.mechanics.impacts.on_symbols import holding_impulses as holding_impulses
from locomotor.mechanics.impacts.on_symbols import rounds_of as rounds_of
from locomotor.mechanics.impacts.on_symbols import sticking_impulses as sticking_impulses
from locomotor.mechanics.impacts.rebound import Rebound as Rebound
from locomotor.mechanics.impacts.rebound import Restitution as Restitution
from locomotor.mechanics.impacts.rebound import sticking_rebound as sticking_rebound
from locomotor.mechanics.impacts.repeat import STEADY as STEADY
from locomotor.mechanics.impacts.repeat import Turn as Turn
from locomotor.mechanics.impacts.repeat import Values as Values
from locomotor.mechanics.impacts.sticking import Coefficients as Coefficients
from locomotor.mechanics.impacts.sticking import Pushed as Pushed
