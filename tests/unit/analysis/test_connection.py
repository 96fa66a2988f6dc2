"""`connection`: kinds, derivatives, couplings, displacements, and systems that have none."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis import Connection
from locomotor.errors import NoConnectionError
from locomotor.lie import SE2, SO3

Array = Any

KINDS = {
    "satellite": "mechanical",
    "falling_cat/2": "mechanical",
    "elroy_beanie": "mechanical",
    "two_wheel_platform": "kinematic",
    "unicycle": "kinematic",
    "trident_snake": "kinematic",
    "wheeled_snake/8": "kinematic",
    "snakeboard": "mixed",
    "trikke": "mixed",
    "belkhiri_bicycle/printed": "mixed",
    "swimmer/ideal": "hydrodynamic",
    "scallop/ideal": "hydrodynamic",
    "swimmer/stokes": "stokes",
    "scallop/stokes": "stokes",
}
SMOOTH = ["falling_cat/2", "trident_snake", "wheeled_snake/8", "snakeboard", "swimmer/ideal", "swimmer/stokes"]


def found(name: str) -> Connection:
    return lm.connection(lm.catalogue.system(name))


def shape(connection: Connection) -> Array:
    """A shape away from the symmetric ones."""
    return np.array([0.5 * np.cos(1.7 * k) - 0.1 for k in range(len(connection.shape_names))])


def number(x: Any) -> str:
    return repr(float(x))


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_the_kind_is_found_and_told(name: str, kind: str) -> None:
    connection = found(name)
    assert connection.kind == kind and connection.reason
    A = connection(shape(connection))
    assert A.shape == (len(connection.base_names), len(connection.shape_names))
    assert np.isfinite(A).all()


def test_a_shape_by_name_or_in_order_or_many_at_once() -> None:
    connection = found("swimmer/ideal")
    r = [0.3, -0.5]
    named = connection({"tail_2": -0.5, "tail_1": 0.3})
    np.testing.assert_array_equal(connection(r), named)
    many = connection([r, [0.1, 0.2], r])
    assert many.shape == (3, 3, 2)
    np.testing.assert_array_equal(many[0], many[2])
    with pytest.raises(ValueError, match=r"r has shape \(3,\); give 2 values: tail_1, tail_2"):
        connection([0.1, 0.2, 0.3])


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_are_exact(name: str) -> None:
    """Against central differences, whose error is h^2 times a third derivative of some hundred at most."""
    connection = found(name)
    r = shape(connection)
    slopes = connection.derivative(r)
    h = 1e-5
    for k, step in enumerate(h * np.eye(len(r))):
        difference = (connection(r + step) - connection(r - step)) / (2.0 * h)
        np.testing.assert_allclose(slopes[:, :, k], difference, atol=1e-7 * max(1.0, np.abs(slopes).max()))


def test_passive_joints_of_a_coupling_are_carried_along() -> None:
    """The front axle of the snakeboard stands opposite to the rear one."""
    connection = found("snakeboard")
    layout = connection.system.layout
    q = connection.coordinates([[0.2, 0.4], [0.0, -0.3]])
    np.testing.assert_allclose(q[:, layout.index_q("front_steer")], [-0.4, 0.3], atol=1e-15)


@pytest.mark.parametrize("name", ["swimmer/ideal", "falling_cat/2", "trident_snake"])
def test_curvature_is_antisymmetric_and_displaces_small_loops(name: str) -> None:
    """exp(F area) for a small loop from joint i towards joint j: the error falls with the cube of its size."""
    connection = found(name)
    r = shape(connection)
    F = connection.curvature(r)
    np.testing.assert_array_equal(F, -np.swapaxes(F, 1, 2))
    i, j = connection.shape_names[:2]
    errors = []
    for size in (0.04, 0.02):
        gait = {n: number(v) for n, v in zip(connection.shape_names, r, strict=True)}
        gait |= {i: f"{number(r[0])} + {size}*(cos(t) - 1)", j: f"{number(r[1])} + {size}*sin(t)"}
        moved = np.asarray(connection.displacement(gait, 2.0 * np.pi, steps=200).log(), dtype=float)
        errors.append(np.abs(moved - np.pi * size**2 * F[:, 0, 1]).max())
    assert errors[0] < 0.5 * np.pi * 0.04**2 * np.abs(F[:, 0, 1]).max()
    assert errors[0] / errors[1] == pytest.approx(8.0, rel=0.25)


def test_displacement_lives_on_the_group_of_the_base() -> None:
    platform = found("two_wheel_platform")
    g = platform.displacement({"right_wheel": "6*t", "left_wheel": "4*t"}, 2.0)
    assert isinstance(g, SE2)
    angle, radius = 1.0, 1.0
    expected = [radius * np.sin(angle), radius * (1.0 - np.cos(angle)), angle]
    np.testing.assert_allclose([*np.asarray(g.translation, dtype=float), angle], expected, atol=1e-12)
    sphere = lm.System(
        "gyrostat",
        [lm.Body("body", mass=1.0, inertia=(1.0, 1.2, 1.5)), lm.Body("wheel", mass=0.1, inertia=(0.02, 0.01, 0.01))],
        [
            lm.Spherical(name="attitude", parent="world", child="body"),
            lm.Revolute(name="spin", parent="body", child="wheel", axis=(1, 0, 0), drive=lm.Torque("u")),
        ],
        inputs=[lm.Input("u")],
    )
    turned = lm.connection(sphere).displacement({"spin": "3*t"}, 1.0)
    assert isinstance(turned, SO3)
    np.testing.assert_allclose(np.asarray(turned.log(), dtype=float), [-3.0 * 0.02 / 1.02, 0.0, 0.0], atol=1e-12)


def test_displacement_agrees_with_simulation_over_a_whole_gait() -> None:
    laws = lm.catalogue.gait("trident_snake", "turn")
    run = lm.simulate(lm.catalogue.trident_snake(), 2.0 * np.pi, motions=laws)
    g = found("trident_snake").displacement(laws, 2.0 * np.pi, steps=2000)
    place = [*np.asarray(g.translation, dtype=float), float(g.log()[2])]
    np.testing.assert_allclose(place, [run["x"][-1], run["y"][-1], run["yaw"][-1]], atol=1e-10)


def test_fewer_active_joints_may_be_named() -> None:
    connection = lm.connection(lm.catalogue.wheeled_snake(8), joints=("joint_1", "joint_2"))
    assert connection.shape_names == ("joint_1", "joint_2")
    whole = found("wheeled_snake/8")
    nominal = whole.passive[[whole.system.layout.index_q(n) for n in whole.shape_names]]
    np.testing.assert_allclose(connection(nominal[:2]), whole(nominal)[:, :2], atol=1e-12)


def test_the_mixed_connection_and_the_momentum_give_the_velocity() -> None:
    """eta = H M_r^-1 p - A_nh r_dot on a run, with p = H^T M v."""
    board = lm.catalogue.snakeboard()
    run = lm.simulate(board, 2.0, motions=lm.catalogue.gait("snakeboard", "park"), start={"speed": 0.2})
    connection = lm.connection(board)
    H, M_r, equation = (
        connection.functions.kernel(),
        connection.functions.reduced_mass(),
        connection.functions.momentum_equation(),
    )
    for i in (0, 700, 2000):
        q = np.array([run[s.name][i] for s in board.layout.coordinates])
        r = [run[name][i] for name in connection.shape_names]
        rate = np.array([run[f"{name}_rate"][i] for name in connection.shape_names])
        eta = np.array([run[name][i] for name in connection.base_names])
        h, m = np.asarray(H(q)[0]), np.asarray(M_r(q)[0])
        free = (eta + connection(r) @ rate) @ h[:, 0] / (h[:, 0] @ h[:, 0])
        p = m @ [free]
        np.testing.assert_allclose(h @ np.linalg.solve(m, p) - connection(r) @ rate, eta, atol=1e-13)
        _, v = equation(q, p, rate, np.zeros(2))
        np.testing.assert_allclose(np.asarray(v)[:3], eta, atol=1e-13)


# -- none ---------------------------------------------------------------------------------------------------------


def refuse(system: lm.System, complaint: str, **options: Any) -> None:
    with pytest.raises(NoConnectionError, match=complaint):
        lm.connection(system, **options)


def test_systems_without_a_connection_say_why() -> None:
    arm = lm.System(
        "arm",
        [lm.Body("stand", mass=1.0, inertia=(1, 1, 1)), lm.Body("link", mass=1.0, inertia=(1, 1, 1))],
        [
            lm.Fixed(name="bolted", parent="world", child="stand"),
            lm.Revolute(name="elbow", parent="stand", child="link", axis=(0, 0, 1), drive=lm.Torque("u")),
        ],
        inputs=[lm.Input("u")],
    )
    refuse(arm, "arm: the base is fixed; a connection needs a base that can move")
    beanie = lm.catalogue.elroy_beanie()
    idle = beanie.replace(inputs=(), joints=[j if j.name == "base" else lm.Revolute(
        name="rotor", parent="body", child="propeller", axis=(0, 0, 1)) for j in beanie.joints])  # fmt: skip
    refuse(idle, "no joint is imposed or has an input; name the active joints")
    assert lm.connection(idle, joints=["rotor"]).kind == "mechanical"
    refuse(lm.catalogue.falling_cat(3), "the joints bend_2, sway_2 are passive", joints=["bend_1", "sway_1"])
    refuse(lm.catalogue.swimmer(), "no FluidDrag acts, so there is no Stokes connection", kind="stokes")
    sprung = beanie.replace(forces=[lm.BodyForce("wind", "body", (0, 0, 0), (1.0, 0.0, 0.0))])
    refuse(sprung, "the forces wind change the momentum of the base")


def test_a_base_that_its_pose_matters_to_has_no_connection() -> None:
    """The exact bicycle: where the wheels touch depends on the lean of the frame."""
    refuse(lm.catalogue.bicycle(), "the velocity of the base depends on its pose", joints=["steer", "rear_wheel"])


def test_a_mixed_connection_gives_no_displacement_alone() -> None:
    with pytest.raises(NoConnectionError, match=r"follows a momentum besides the shape.*use simulate"):
        found("snakeboard").displacement(lm.catalogue.gait("snakeboard", "drive"), 1.0)


def test_drags_may_be_left_out() -> None:
    slow = lm.connection(lm.catalogue.swimmer("stokes"))
    fast = lm.connection(lm.catalogue.swimmer("stokes"), kind="mechanical")
    assert (slow.kind, fast.kind) == ("stokes", "mechanical")
    assert np.abs(slow([0.4, 0.2]) - fast([0.4, 0.2])).max() > 1e-4


def test_slow_swimming_obeys_the_balance_of_drags() -> None:
    """Stokes: simulated with little inertia, the fish moves as the connection says."""
    fish = lm.catalogue.swimmer("stokes").with_parameters(rho=0.1)
    laws = {"tail_1": "0.5*sin(t)", "tail_2": "0.5*cos(t)"}
    run = lm.simulate(fish, 2.0, motions=laws, step=2e-5, sample=0.01)
    connection = lm.connection(fish)
    late = run.time > 0.5
    r = np.stack([run[j][late] for j in connection.shape_names], axis=1)
    rate = np.stack([run[f"{j}_rate"][late] for j in connection.shape_names], axis=1)
    eta = np.stack([run[v][late] for v in connection.base_names], axis=1)
    # Inertia over drag: rho pi a b / (4 a c) = 2e-5 s, beside a gait of some seconds.
    np.testing.assert_allclose(eta, -np.einsum("nij,nj->ni", connection(r), rate), atol=2e-5)
