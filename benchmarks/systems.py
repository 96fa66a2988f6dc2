"""The systems that are measured and counted besides those of the catalogue."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from locomotor import catalogue
from locomotor.model import Body, Free, Gravity, Revolute, System

AXES = np.eye(3)
INERTIA = ((1.0, 0.01, 0.02), (0.01, 1.1, 0.03), (0.02, 0.03, 1.2))


def chain(joints: int) -> System:
    """A free body and a chain of hinges, each turned against the last; axes along x, y, z in turn."""
    return _tree(f"chain_{joints}", [i - 1 for i in range(joints + 1)], generic=False)


def generic_chain(joints: int) -> System:
    """The same with oblique axes and placements turned anyhow: no zero anywhere to save an operation."""
    return _tree(f"generic_chain_{joints}", [i - 1 for i in range(joints + 1)], generic=True)


def humanoid(limbs: int = 4, joints: int = 5) -> System:
    """A free body with limbs of equal length."""
    parents = [-1]
    for limb in range(limbs):
        parents += [0 if k == 0 else limb * joints + k for k in range(joints)]
    return _tree("humanoid", parents, generic=False)


def _tree(name: str, parents: list[int], generic: bool) -> System:
    rng = np.random.default_rng(1)
    bodies = [Body(f"b{i}", mass=1.0, com=(0.1, 0.2, 0.3), inertia=INERTIA) for i in range(len(parents))]
    joints: list[Free | Revolute] = [Free(name="j0", parent="world", child="b0")]
    for i, parent in enumerate(parents[1:], start=1):
        oblique = rng.normal(size=3)
        joints.append(
            Revolute(
                name=f"j{i}",
                parent=f"b{parent}",
                child=f"b{i}",
                at=(0.4, -0.3, 0.2),
                rotation=tuple(rng.normal(size=3)) if generic else (0.0, 0.0, 0.5),
                axis=tuple(oblique / np.linalg.norm(oblique)) if generic else tuple(AXES[i % 3]),
            )
        )
    return System(name, bodies, joints, forces=(Gravity(),))


def imposed_snake(modules: int) -> System:
    """A wheeled snake whose every joint is imposed: over-constrained, with as many internal forces as it has joints less 2."""
    snake = catalogue.wheeled_snake(modules)
    return snake.with_motions({f"joint_{k}": f"{0.3 * np.sin(1.3 * k):.3f} + 0.1*t" for k in range(1, modules)})


def without_contacts(system: System) -> System:
    """The free tree of a system on wheels: what a peer without rolling constraints can compute."""
    return replace(system, contacts=(), independent=None)


def random_states(system: System, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates and velocities of a tree on a free base, drawn at random with unit quaternions."""
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(count, system.layout.nq)), rng.normal(size=(count, system.layout.nv))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return q, v
