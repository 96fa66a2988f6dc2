"""Mechanics of bodies that deform, registered on their kinds with `flexibility`: importing this room makes them known."""

from locomotor.mechanics.soft.assumed_modes import AssumedModes as AssumedModes
from locomotor.mechanics.soft.rod import RodMechanics as RodMechanics
from locomotor.mechanics.soft.rod_shape import strain_matrix as strain_matrix
