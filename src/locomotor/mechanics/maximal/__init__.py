"""Every body free, every joint a closure: the same description in maximal coordinates."""

from locomotor.mechanics.maximal.attitude import corrected_increment as corrected_increment
from locomotor.mechanics.maximal.joint_coordinates import coordinates_of as coordinates_of
from locomotor.mechanics.maximal.unfolded import closures_of as closures_of
from locomotor.mechanics.maximal.unfolded import unfold as unfold
