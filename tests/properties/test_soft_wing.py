"""A wing on a soft body feels what the same wing feels on a rigid tree that moves alike, in its own coordinates too."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import WingError
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import Wing
from oracles.soft_bodies import MOVING, Nested

MAIN = lm.Body("main", mass=1.3, com=(0.1, -0.05, 0.02), inertia=(0.05, 0.06, 0.07))
HIDDEN = lm.Body("part", mass=0.6, com=(0.05, 0.1, -0.1), inertia=(0.02, 0.03, 0.025))
HINGE = lm.Revolute(name="hinge", parent="main", child="part", at=MOVING, axis=(0.6, 0.0, 0.8))
AIR = lm.Air(wind=("0.4 + 0.3*z", "0.2*x", 0.1))
FREE = lm.Free(name="base", parent="world", child="main")


def wing(body: str, root: tuple[float, float, float]) -> Wing:
    """One section, at the root plus half the length along y."""
    return lm.Wing(
        "foil", body, length=0.2, chord=0.1, root=root, span=(0, 1, 0), chord_axis=(1, 0, 0), sections=1, axis=0.3, twist=0.2,
        mechanisms=("translation", "rotation", "viscous", "spin"),
    )  # fmt: skip


def test_as_on_a_rigid_tree(rng: np.random.Generator) -> None:
    rigid = lm.System("rigid", [MAIN, HIDDEN], [FREE, HINGE], forces=[AIR, wing("part", (0, -0.1, 0))])
    body = Nested("main", MAIN.mass, MAIN.com, MAIN.inertia, hidden=HIDDEN, joint=HINGE)
    x, y, z = MOVING
    soft = lm.System("soft", [body], [FREE], forces=[AIR, wing("main", (x, y - 0.1, z))])
    for _ in range(5):
        q, v = np.zeros(8), rng.normal(size=7)
        q[:3], q[3:7], q[7] = rng.normal(size=3), rng.normal(size=4), rng.normal()
        q[3:7] /= np.linalg.norm(q[3:7])
        a = applied_forces(forward(Instant(rigid, q, v)))
        b = applied_forces(forward(Instant(soft, q, v)))
        g = forward(Instant(rigid, q, v)).links[1].pose
        carried = np.asarray(g.wrench_to_parent(a.wrenches[1]), dtype=float)
        assert np.allclose(np.asarray(b.wrenches[0], dtype=float), carried, rtol=1e-12, atol=1e-14)
        assert float(b.generalised[6]) == pytest.approx(
            float(np.array([*np.zeros(3), 0.6, 0.0, 0.8]) @ a.wrenches[1]), rel=1e-12
        )


def test_added_mass_on_a_soft_body_is_refused() -> None:
    body = Nested("main", MAIN.mass, MAIN.com, MAIN.inertia, hidden=HIDDEN, joint=HINGE)
    with pytest.raises(WingError, match="added mass is not known"):
        lm.System("soft", [body], [FREE], forces=[lm.Air(), lm.Wing("foil", "main", length=0.2, chord=0.1)])
