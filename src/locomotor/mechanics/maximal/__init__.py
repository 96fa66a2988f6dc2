"""Every body free, every joint a closure: the same description in maximal coordinates."""

from locomotor.mechanics.maximal.attitude import corrected_increment as corrected_increment
from locomotor.mechanics.maximal.imposed import imposing as imposing
from locomotor.mechanics.maximal.joint_coordinates import coordinates_of as coordinates_of
from locomotor.mechanics.maximal.rates import rates_of as rates_of
from locomotor.mechanics.maximal.unfolded import closures_of as closures_of
from locomotor.mechanics.maximal.unfolded import refuse_folded as refuse_folded
from locomotor.mechanics.maximal.unfolded import unfold as unfold
