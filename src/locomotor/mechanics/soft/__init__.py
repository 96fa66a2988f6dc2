"""Mechanics of bodies that deform, registered on their kinds with `flexibility`: importing this room makes them known."""

from locomotor.mechanics.soft.assumed_modes import AssumedModes as AssumedModes
