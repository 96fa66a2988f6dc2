"""Named experiments with the numbers they must show: `scenario("bicycle/E3").run()`, `scenarios()`.

Importing this package fills the registry; nothing is built or run until asked for.
"""

# Each of these files registers its entries; their order here is the order of `scenarios()`.
# isort: off
from locomotor.scenarios import bicycle_contact as bicycle_contact
from locomotor.scenarios import bicycle_lifted as bicycle_lifted
from locomotor.scenarios import bicycle_slope as bicycle_slope
from locomotor.scenarios import bicycle_self_stability as bicycle_self_stability
from locomotor.scenarios import bicycle_drift as bicycle_drift
from locomotor.scenarios import bicycle_fall as bicycle_fall
from locomotor.scenarios import bicycle_held_turn as bicycle_held_turn
from locomotor.scenarios import bicycle_quick_turn as bicycle_quick_turn
from locomotor.scenarios import bicycle_loops as bicycle_loops
from locomotor.scenarios import bicycle_linear as bicycle_linear
from locomotor.scenarios import bicycle_nonlinear as bicycle_nonlinear
from locomotor.scenarios import bicycle_matrices as bicycle_matrices
from locomotor.scenarios import bicycle_tables as bicycle_tables
from locomotor.scenarios import locomotion_bicycle as locomotion_bicycle
from locomotor.scenarios import locomotion_momentum as locomotion_momentum
from locomotor.scenarios import locomotion_wheels as locomotion_wheels
from locomotor.scenarios import locomotion_snakeboard as locomotion_snakeboard
from locomotor.scenarios import locomotion_cart_pendulum as locomotion_cart_pendulum
from locomotor.scenarios import rocr_cycles as rocr_cycles
from locomotor.scenarios import rocr as rocr
from locomotor.scenarios import bicycle_intermittent as bicycle_intermittent
from locomotor.scenarios import bicycle_ramp as bicycle_ramp
from locomotor.scenarios import bicycle_wheelie as bicycle_wheelie
from locomotor.scenarios import intermittent_examples as intermittent_examples
# isort: on

from locomotor.scenarios.registry import Comparison as Comparison
from locomotor.scenarios.registry import Computation as Computation
from locomotor.scenarios.registry import Entry as Entry
from locomotor.scenarios.registry import Number as Number
from locomotor.scenarios.registry import Origin as Origin
from locomotor.scenarios.registry import Scenario as Scenario
from locomotor.scenarios.registry import register as register
from locomotor.scenarios.registry import scenario as scenario
from locomotor.scenarios.registry import scenarios as scenarios
