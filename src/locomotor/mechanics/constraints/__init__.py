"""What blocks velocities: contact geometry, constraint rows, their elimination, and the forces that follow."""

from locomotor.mechanics.constraints.contact_geometry import Touch as Touch
from locomotor.mechanics.constraints.contact_geometry import touch as touch
from locomotor.mechanics.constraints.contact_geometry import touch_plane as touch_plane
from locomotor.mechanics.constraints.elimination import ACCEPTABLE as ACCEPTABLE
from locomotor.mechanics.constraints.elimination import ROUND_OFF as ROUND_OFF
from locomotor.mechanics.constraints.elimination import Elimination as Elimination
from locomotor.mechanics.constraints.elimination import Pivots as Pivots
from locomotor.mechanics.constraints.elimination import blocked as blocked
from locomotor.mechanics.constraints.elimination import choose_pivots as choose_pivots
from locomotor.mechanics.constraints.formula_rows import FormulaRow as FormulaRow
from locomotor.mechanics.constraints.formula_rows import formulas_at as formulas_at
from locomotor.mechanics.constraints.least_forces import virtual_velocity as virtual_velocity
from locomotor.mechanics.constraints.patch import ARM as ARM
from locomotor.mechanics.constraints.patch import patch_shares as patch_shares
from locomotor.mechanics.constraints.placed import constraint_set as constraint_set
from locomotor.mechanics.constraints.placed import contacts_at as contacts_at
from locomotor.mechanics.constraints.rim_crossing import RimOnEdge as RimOnEdge
from locomotor.mechanics.constraints.rim_crossing import across_rim as across_rim
from locomotor.mechanics.constraints.rows import ConstraintSet as ConstraintSet
from locomotor.mechanics.constraints.rows import ContactRows as ContactRows
from locomotor.mechanics.constraints.supported import nearest_along as nearest_along
from locomotor.mechanics.constraints.supported import nearest_on_circle as nearest_on_circle
from locomotor.mechanics.constraints.supported import supported as supported
