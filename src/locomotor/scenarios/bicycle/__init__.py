"""Experiments with the bicycle whose wheels stay on the ground."""

# Each file registers its entries, in this order.
# isort: off
from locomotor.scenarios.bicycle import contact as contact
from locomotor.scenarios.bicycle import lifted as lifted
from locomotor.scenarios.bicycle import slope as slope
from locomotor.scenarios.bicycle import self_stability as self_stability
from locomotor.scenarios.bicycle import drift as drift
from locomotor.scenarios.bicycle import fall as fall
from locomotor.scenarios.bicycle import held_turn as held_turn
from locomotor.scenarios.bicycle import quick_turn as quick_turn
from locomotor.scenarios.bicycle import loops as loops
from locomotor.scenarios.bicycle import linear as linear
from locomotor.scenarios.bicycle import nonlinear as nonlinear
from locomotor.scenarios.bicycle import matrices as matrices
from locomotor.scenarios.bicycle import tables as tables
# isort: on
