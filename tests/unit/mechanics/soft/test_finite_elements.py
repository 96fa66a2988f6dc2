"""Bodies from mass and stiffness matrices, reduced by Craig and Bampton, against the finite elements themselves."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import SoftBodyError
from locomotor.lie import SE3
from locomotor.mechanics import AssumedModes

Array = Any
BAYS = 6


@cache
def truss() -> tuple[Array, Array, Array]:
    """A square lattice girder of bars along x: nodes, masses, stiffness. Every bar is k d d^T between its ends."""
    corners = [(0.0, -0.1, -0.1), (0.0, 0.1, -0.1), (0.0, 0.1, 0.1), (0.0, -0.1, 0.1)]
    nodes = np.array([(0.2 * bay, y, z) for bay in range(BAYS + 1) for _, y, z in corners])
    K = np.zeros((3 * len(nodes), 3 * len(nodes)))
    for a in range(len(nodes)):
        for b in range(a + 1, len(nodes)):
            span = nodes[b] - nodes[a]
            length = np.linalg.norm(span)
            if length < 0.36:
                block = 2e4 / length * np.outer(span, span) / length**2
                i, j = slice(3 * a, 3 * a + 3), slice(3 * b, 3 * b + 3)
                K[i, i] += block
                K[j, j] += block
                K[i, j] -= block
                K[j, i] -= block
    return nodes, 0.1 + 0.01 * np.arange(len(nodes)), K


def girder(modes: int = 6, **more: Any) -> lm.ModalBody:
    last = len(truss()[0])
    return lm.FlexibleBody.from_matrices("girder", *truss(), [(0, 1, 2, 3), tuple(range(last - 4, last))], modes, **more)


def full_frequencies(count: int) -> Array:
    """Of all elements, the first four nodes held."""
    _, m, K = truss()
    inside = slice(12, None)
    return np.sqrt(np.sort(np.linalg.eigvals(K[inside, inside] / np.repeat(m, 3)[inside, None]).real))[:count]


def test_mass_is_that_of_the_nodes() -> None:
    nodes, m, _ = truss()
    found = AssumedModes(girder()).inertia(np.zeros(12), {})
    assert found.mass == pytest.approx(m.sum(), rel=1e-14)
    assert found.moment == pytest.approx(m @ nodes, rel=1e-12)
    J = (nodes.T * m) @ nodes
    assert found.inertia == pytest.approx(np.trace(J) * np.eye(3) - J, rel=1e-12, abs=1e-12)


def test_frequencies_tend_to_those_of_all_elements() -> None:
    """From above (Rayleigh and Ritz), and quickly: the end plate moves as a rigid patch, which the full model lets bend."""
    wanted = full_frequencies(4)
    found = {}
    for modes in (0, 4, 20):
        soft = AssumedModes(girder(modes))
        n = len(soft.body.coordinates)
        K = np.array([soft.bias(e, 0.0 * e, np.zeros(3), {})[1] for e in np.eye(n)])
        found[modes] = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(soft.mass(np.zeros(n), {}), K)).real))[:4]
    errors = [np.abs(found[modes] / wanted - 1.0).max() for modes in (0, 4, 20)]
    assert all((found[modes] >= wanted * (1.0 - 1e-9)).all() for modes in found)
    assert errors[0] > errors[1] > errors[2] and errors[2] < 5e-3  # what is left is the stiffness of the end patch


def test_inertial_forces_are_those_of_the_nodes(rng: Any) -> None:
    nodes, m, _ = truss()
    soft = AssumedModes(girder(3))
    n = len(soft.body.coordinates)
    e, e_dot, omega = 0.01 * rng.normal(size=n), rng.normal(size=n), rng.normal(size=3)
    # Shapes at the nodes from the static problem, solved here again.
    wrench, own = soft.bias(e, e_dot, omega, {})
    _, elastic = soft.bias(e, 0.0 * e_dot, 0.0 * omega, {})
    columns = _columns(3)
    r, rate = nodes + np.einsum("ika,i->ka", columns, e), np.einsum("ika,i->ka", columns, e_dot)
    f = np.cross(omega, np.cross(omega, r)) + 2.0 * np.cross(omega, rate)
    assert wrench[:3] == pytest.approx(m @ f, rel=1e-11)
    assert wrench[3:] == pytest.approx(m @ np.cross(r, f), rel=1e-11)
    assert own - elastic == pytest.approx(np.einsum("k,ika,ka->i", m, columns, f), rel=1e-9, abs=1e-10)


def _columns(modes: int) -> Array:
    """Static shapes of the end patch and modes with both ends held, by a textbook block solve."""
    nodes, m, K = truss()
    last, inside = slice(len(nodes) * 3 - 12, None), slice(12, len(nodes) * 3 - 12)
    found = []
    around = nodes[-4:] - nodes[-4:].mean(axis=0)
    for k in range(6):
        patch = np.tile(np.eye(3)[k], (4, 1)) if k < 3 else np.cross(np.eye(3)[k - 3], around)
        u = np.zeros(3 * len(nodes))
        u[last] = patch.ravel()
        u[inside] = np.linalg.solve(K[inside, inside], -K[inside, last] @ patch.ravel())
        found.append(u)
    squares, vectors = np.linalg.eig(K[inside, inside] / np.repeat(m, 3)[inside, None])
    for k in np.argsort(squares.real)[:modes]:
        u = np.zeros(3 * len(nodes))
        u[inside] = vectors[:, k].real
        found.append(u / u[np.abs(u).argmax()])
    return np.array(found).reshape(len(found), -1, 3)


def test_the_end_moves_as_its_coordinates_say() -> None:
    soft = AssumedModes(girder(2))
    e = np.zeros(8)
    e[:6] = 0.01, -0.02, 0.03, 0.1, 0.0, 0.0
    moved = soft.site(SE3(np.eye(3), np.array([0.2 * BAYS, 0.0, 0.0])), e, {})
    assert moved.translation == pytest.approx([0.2 * BAYS + 0.01, -0.02, 0.03])
    assert moved.rotation[2, 1] == pytest.approx(np.sin(0.1))
    with pytest.raises(SoftBodyError, match="interfaces are at"):
        soft.site(SE3(np.eye(3), np.array([0.5, 0.0, 0.0])), e, {})


def test_it_is_a_body_of_the_tree_and_saved() -> None:
    tip = lm.Body("tip", 1.0, inertia=(0.01,) * 3)
    made = lm.System(
        "crane",
        [girder(1, damping=0.01), tip],
        [
            lm.Fixed(name="wall", parent="world", child="girder"),
            lm.Fixed(name="end", parent="girder", child="tip", at=(1.2, 0, 0)),
        ],
        forces=[lm.Gravity()],
    )
    assert [c.name for c in made.layout.coordinates][:4] == [
        "girder_end1_x",
        "girder_end1_y",
        "girder_end1_z",
        "girder_end1_turn_x",
    ]
    assert lm.model.from_data(lm.model.to_data(made)) == made


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"stiffness": np.eye(84)}, "resists a rigid displacement"),
        ({"mass": np.zeros(28)}, "not mass-normalisable"),
        ({"mass": np.r_[-0.5, np.ones(27)]}, "its smallest eigenvalue is -0.5 kg"),
        ({"mass": np.full(28, np.nan)}, "mass"),
        ({"stiffness": np.full((84, 84), np.inf)}, "stiffness"),
        ({"positions": np.full((28, 3), np.nan)}, "positions"),
        ({"mass": np.ones(5)}, "give 28 masses"),
        ({"interfaces": [(0, 1), (1, 2)]}, "share none"),
        ({"interfaces": [(0,)]}, "still moves without force"),
        ({"interfaces": [(0, 1, 2, 3), (24, 25)]}, "on a line"),
        ({"interfaces": [(0, 1, 2, 99)]}, "99"),
        ({"modes": -1}, "modes"),
        ({"positions": np.zeros((2, 3))}, "four nodes"),
        ({"positions": "nodes"}, "positions"),
    ],
)
def test_what_is_refused(change: dict[str, Any], says: str) -> None:
    nodes, m, K = truss()
    given = {"positions": nodes, "mass": m, "stiffness": K, "interfaces": [(0, 1, 2, 3)], "modes": 2, **change}
    with pytest.raises(SoftBodyError) as error:
        lm.FlexibleBody.from_matrices("girder", **given)
    assert says in str(error.value)
