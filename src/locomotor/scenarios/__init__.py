"""Named experiments with the numbers they must show: `scenario("bicycle/E3").run()`, `scenarios()`.

Importing this package fills the registry; nothing is built or run until asked for.
"""

# Each room registers its entries; their order here is the order of `scenarios()`.
# isort: off
from locomotor.scenarios import bicycle as bicycle
from locomotor.scenarios import locomotion as locomotion
from locomotor.scenarios import rocr as rocr
from locomotor.scenarios import intermittent as intermittent
from locomotor.scenarios import linkages as linkages
from locomotor.scenarios import flight as flight
from locomotor.scenarios import soft as soft
# isort: on

from locomotor.scenarios.registry import MERGED as MERGED
from locomotor.scenarios.registry import SETTINGS as SETTINGS
from locomotor.scenarios.registry import Comparison as Comparison
from locomotor.scenarios.registry import Computation as Computation
from locomotor.scenarios.registry import Entry as Entry
from locomotor.scenarios.registry import Number as Number
from locomotor.scenarios.registry import Origin as Origin
from locomotor.scenarios.registry import Scenario as Scenario
from locomotor.scenarios.registry import register as register
from locomotor.scenarios.registry import scenario as scenario
from locomotor.scenarios.registry import scenarios as scenarios
