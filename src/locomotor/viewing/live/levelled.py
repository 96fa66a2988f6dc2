"""A system on level ground in place of its terrain, for what asks no more than how it is built or how it rolls along."""

from locomotor.model import Plane, System, Terrain


def levelled(system: System) -> System:
    """The same system with planes for terrains: over bumps nothing is steady, and no one choice of velocities serves."""
    if not any(isinstance(ground, Terrain) for ground in system.grounds):
        return system
    grounds = (Plane(ground.name) if isinstance(ground, Terrain) else ground for ground in system.grounds)
    return system.replace(grounds=tuple(grounds))
