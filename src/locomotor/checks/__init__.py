"""One way to check arguments at every public door: few verbs, each gives the value as the code behind expects it.

    @door(duration=positive, steps=partial(whole, least=1), inputs=optional(mapping), stepper=choice("rk4", "abm4"))
    def simulate(system, duration, ...): ...

A verb takes the value and what it is called, and raises an `ArgumentError` that names the thing, the value and the remedy.
Numbers of numpy become Python's own: `np.uint8(255) + 1` is 0, and no C function sees a size that it cannot hold.
"""

from locomotor.checks.arguments import door as door
from locomotor.checks.arguments import doors as doors
from locomotor.checks.arguments import fitting as fitting
from locomotor.checks.arguments import misfit as misfit
from locomotor.checks.arguments import options as options
from locomotor.checks.combined import Check as Check
from locomotor.checks.combined import choice as choice
from locomotor.checks.combined import each as each
from locomotor.checks.combined import either as either
from locomotor.checks.combined import function as function
from locomotor.checks.combined import instance as instance
from locomotor.checks.combined import optional as optional
from locomotor.checks.limits import arithmetic as arithmetic
from locomotor.checks.limits import product as product
from locomotor.checks.limits import room_for as room_for
from locomotor.checks.values import LARGEST as LARGEST
from locomotor.checks.values import MOST_THREADS as MOST_THREADS
from locomotor.checks.values import entries as entries
from locomotor.checks.values import flag as flag
from locomotor.checks.values import floats as floats
from locomotor.checks.values import is_number as is_number
from locomotor.checks.values import line as line
from locomotor.checks.values import mapping as mapping
from locomotor.checks.values import name as name
from locomotor.checks.values import names as names
from locomotor.checks.values import number as number
from locomotor.checks.values import numbers_by_name as numbers_by_name
from locomotor.checks.values import path as path
from locomotor.checks.values import positive as positive
from locomotor.checks.values import span as span
from locomotor.checks.values import text as text
from locomotor.checks.values import threads as threads
from locomotor.checks.values import whole as whole
from locomotor.checks.words import shown as shown
