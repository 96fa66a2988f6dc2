"""`connection`: kinds, derivatives, couplings, displacements, and systems that have none."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor import errors
from locomotor.analysis import Connection
from locomotor.analysis.connections.planar_root import on_plane
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


def test_the_momentum_equation_follows_a_run() -> None:
    """p = H^T M v along a run of the snakeboard changes at the rate that the equation gives (Belkhiri 2013, section 2.4)."""
    board = lm.catalogue.snakeboard()
    laws = lm.catalogue.gait("snakeboard", "drive")
    run = lm.simulate(board, 1.0, motions=laws, start={"speed": 0.2}, step=0.005, target="interpreter")
    connection = lm.connection(board)
    assert connection.momentum_names == ("p_speed",)
    names, rates = connection.shape_names, [f"{name}_rate" for name in connection.shape_names]
    M_r = connection.functions.reduced_mass()
    p, p_dot = [], []
    for i in range(0, 201, 4):
        t, r, rate = run.time[i], [run[n][i] for n in names], [run[n][i] for n in rates]
        q = np.array([run[s.name][i] for s in board.layout.coordinates])
        along = np.asarray(connection.functions.kernel()(q)[0])[:, 0]
        eta = np.array([run[n][i] for n in connection.base_names])
        p.append(np.asarray(M_r(q)[0])[0] * ((eta + connection(r) @ rate) @ along / (along @ along)))
        amplitude = np.array([0.7 if name == "rotor" else 0.3 for name in names])
        rate_of_p, base = connection.momentum_rate(r, p[-1], rate, -amplitude * np.sin(t))
        np.testing.assert_allclose(base, eta, atol=1e-12)
        p_dot.append(rate_of_p[0])
    spacing = run.time[4]
    difference = (np.asarray(p)[2:, 0] - np.asarray(p)[:-2, 0]) / (2.0 * spacing)
    # Central differences over 0.02 s of something that varies over a second.
    np.testing.assert_allclose(difference, p_dot[1:-1], atol=5e-4 * np.abs(p_dot).max())
    ports = {port.name: port for port in connection.momentum_equation.traced.inputs}
    assert ports["momentum"].fields[0].unit == "N s" and ports["rate"].fields[0].unit == "rad/s"
    with pytest.raises(NoConnectionError, match="its connection is kinematic and leaves no momentum free"):
        found("trident_snake").momentum_rate([0, 0, 0], [], [0, 0, 0], [0, 0, 0])


# -- gaits --------------------------------------------------------------------------------------------------------


def test_a_hundred_beats_are_a_hundred_times_one() -> None:
    """The error is controlled however long the gait."""
    fish = found("swimmer/ideal")
    beat = {"tail_1": "0.7*sin(2*t)", "tail_2": "0.7*sin(2*t - 1.5)"}
    one, many = fish.displacement(beat, np.pi), fish.displacement(beat, 100 * np.pi)
    expected = one
    for _ in range(99):
        expected = expected @ one
    assert float(expected.translation[0]) == pytest.approx(11.0895, abs=1e-3)
    np.testing.assert_allclose(np.asarray(many.as_matrix()), np.asarray(expected.as_matrix()), atol=1e-6)


def test_joints_left_out_stay_where_they_are() -> None:
    trident = found("trident_snake")
    gait = {"leg_1": "0.3*sin(t)", "leg_2": "0.3*cos(t)"}
    left_out, given = (trident.displacement(g, 2.0) for g in (gait, {**gait, "leg_3": 0.0}))
    np.testing.assert_array_equal(left_out.as_matrix(), given.as_matrix())
    np.testing.assert_array_equal(trident({"leg_2": 0.2}), trident([0.0, 0.2, 0.0]))


SAMPLED = lm.Motion.sampled([0.0, 0.1, 0.2, 0.3], [0.0, 0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("gait", "duration", "error", "complaint"),
    [
        ({"tail_1": "t"}, float("nan"), errors.StepperError, "the duration of a displacement is nan"),
        ({"tail_1": "t"}, -1.0, errors.StepperError, "it must be a finite number, positive"),
        ({"tail_7": "t"}, 1.0, errors.UnknownJointError, "no active joint is named 'tail_7': did you mean"),
        ({"tail_1": SAMPLED}, 1.0, errors.SampledMotionError, "sampled from 0 to 0.3 s and is asked for from 0 to 1 s"),
        ({"tail_1": "omega*t"}, 1.0, errors.QuantityError, "depends on 'omega'; it may depend on t and parameters"),
        ({"tail_1": "abs(t - 1)"}, 2.0, errors.MotionJumpError, "jumps in velocity by 2 near t = 1 s"),
        ({"tail_1": ([0, 1], [0, 1])}, 1.0, errors.QuantityError, "a tuple of 2; give a law of t, or samples as Motion"),
        ("tail_1", 1.0, errors.QuantityError, "give laws of t by joint"),
    ],
)
def test_gaits_that_cannot_be(gait: Any, duration: float, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        found("swimmer/ideal").displacement(gait, duration)


def test_a_gait_that_the_constraints_forbid() -> None:
    gait = {f"joint_{k}": f"0.3*sin(t + {k})" for k in range(1, 5)}
    with pytest.raises(errors.IncompatibleMotionError, match=r"at t = .* s it moves axle_\d_lateral by .* m/s, which must be"):
        lm.connection(lm.catalogue.wheeled_snake(5)).displacement(gait, 1.0)


def test_a_gait_through_a_singular_shape() -> None:
    snake = lm.connection(lm.catalogue.wheeled_snake(3))
    with pytest.raises(NoConnectionError, match=r"joint_1 = 0\.2, joint_2 = 0\.2 is singular"):
        snake.displacement({"joint_1": 0.2, "joint_2": "0.2 + 0*t"}, 1.0)


@pytest.mark.parametrize("duration", [1.99, 2.0, 2.01, 2.1, 0.3 + 2.0 / 3.0 + 0.1234])
def test_a_pole_between_two_instants_of_the_survey(duration: float) -> None:
    """Three axles in line, at t = 1 s: two forces of the ground act along one line there, whatever the duration."""
    snake = lm.connection(lm.catalogue.wheeled_snake(3).with_parameters(L=0.3))
    with pytest.raises(NoConnectionError, match="at t = 1 s the gait meets a pole: the shape joint_1 = 0, joint_2 = 0 is"):
        snake.displacement({"joint_1": "0.3*(t-1)", "joint_2": "0"}, duration)


def test_a_pole_that_is_touched_and_one_in_a_fast_gait() -> None:
    """The determinant touches zero without a change of sign; and one pole in a gait that beats many times."""
    snake = lm.connection(lm.catalogue.wheeled_snake(3).with_parameters(L=0.3))
    touched = {"joint_1": f"0.5*(t-{np.pi / 3})**2", "joint_2": "0"}
    with pytest.raises(NoConnectionError, match=r"at t = 1\.0472 s the gait meets a pole"):
        snake.displacement(touched, 2.0)
    fast = {"joint_1": "0.5 + 0.3*sin(200*pi*t)", "joint_2": "-0.4 + 0.3*cos(200*pi*t)*t/20 + 0.85*t/20"}
    with pytest.raises(NoConnectionError, match=r"at t = (1[0-9]|20)\.?\d* s the gait meets a pole"):
        snake.displacement(fast, 20.0)


def test_a_gait_that_only_passes_by_a_pole_is_integrated_or_told_where() -> None:
    """The shorter the distance the faster the base: never a word about larger tolerances, which would hide it."""
    snake = lm.connection(lm.catalogue.wheeled_snake(3).with_parameters(L=0.3))
    gait = {"joint_1": "0.3*(t-1)", "joint_2": "0"}
    assert isinstance(snake.displacement(gait, 0.99), SE2)
    with pytest.raises(errors.StepperError, match=r"at t = 0\.999999 s the shape joint_1 = -3e-07, joint_2 = 0 is nearly"):
        snake.displacement(gait, 0.999999)


# -- shapes -------------------------------------------------------------------------------------------------------


def test_singular_shapes_are_refused_by_name() -> None:
    snake = lm.connection(lm.catalogue.wheeled_snake(3))
    np.testing.assert_array_equal(snake.singular([[0.2, 0.2], [0.2, 0.3], [0.1 + 0.2, 0.3]]), [True, False, True])
    for ask in (snake, snake.derivative, snake.curvature):
        with pytest.raises(NoConnectionError, match=r"the shape joint_1 = 0\.2, joint_2 = 0\.2 is singular"):
            ask([0.2, 0.2])


@pytest.mark.parametrize("r", [[float("nan"), 0.0], [float("inf"), 0.0]])
def test_shapes_that_are_no_numbers(r: list[float]) -> None:
    with pytest.raises(errors.QuantityError, match=r"r holds (nan|inf); every joint needs a finite value"):
        found("swimmer/ideal")(r)
    with pytest.raises(errors.QuantityError, match=r"r \(tail_1, tail_2\) is 'x'; give an array of real numbers"):
        found("swimmer/ideal")("x")


def test_curvature_of_many_shapes_at_once() -> None:
    cat = found("falling_cat/2")
    shapes = np.random.default_rng(1).uniform(-0.5, 0.5, (4, 2))
    many = cat.curvature(shapes)
    for r, F in zip(shapes, many, strict=True):
        np.testing.assert_allclose(F, cat.curvature(r), atol=1e-14)


def test_the_columns_stand_in_the_order_asked_for() -> None:
    snake = lm.catalogue.trident_snake()
    there, here = lm.connection(snake, ("leg_3", "leg_1", "leg_2")), lm.connection(snake)
    assert there.shape_names == ("leg_3", "leg_1", "leg_2")
    np.testing.assert_allclose(there([0.3, 0.1, 0.2]), here([0.1, 0.2, 0.3])[:, [2, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(
        there.derivative([0.3, 0.1, 0.2]), here.derivative([0.1, 0.2, 0.3])[:, [2, 0, 1]][:, :, [2, 0, 1]], atol=1e-13
    )


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


def test_a_body_in_a_groove_does_not_move_along_a_plane() -> None:
    """Skates on two planes that meet in a line leave the motion along that line: no height changes, yet no plane is free."""

    def groove(slope: float) -> lm.System:
        planes = [lm.Plane(side, normal=(0, sign * math.sin(slope), math.cos(slope))) for side, sign in (("a", -1), ("b", 1))]
        skates = [
            lm.Skate(f"{side}_{end}", "body", at=(0.3 * x, y, 0), heading=(1, 0, 0), ground=side)
            for side, y in (("a", 0.2), ("b", -0.2))
            for end, x in (("front", 1), ("rear", -1))
        ]
        body = lm.Body("body", mass=1.0, inertia=(1, 1, 1))
        return lm.System("sledge", [body], [lm.Free(name="root", parent="world", child="body")], skates, grounds=planes)

    assert on_plane(groove(0.3)) is None
    flat = on_plane(groove(0.0))
    assert flat is not None and isinstance(flat.joints[0], lm.Planar)


def test_a_base_that_its_pose_matters_to_has_no_connection() -> None:
    """The exact bicycle: where the wheels touch depends on the lean of the frame."""
    refuse(lm.catalogue.bicycle(), "the velocity of the base depends on its pose", joints=["steer", "rear_wheel"])


def freed(system: lm.System, **options: Any) -> lm.System:
    """The same vehicle on a free root."""
    root = system.joints[0]
    free = lm.Free(name=root.name, parent="world", child=root.child, at=root.at, rotation=root.rotation)
    return system.replace(joints=(free, *system.joints[1:]), independent=None, **options)


@pytest.mark.parametrize("name", ["trikke", "trident_snake", "wheeled_snake/8"])
def test_a_free_root_on_a_plane_has_the_connection_of_a_planar_one(name: str) -> None:
    planar = lm.catalogue.system(name)
    here, there = lm.connection(planar), lm.connection(freed(planar))
    assert (there.kind, there.base_names) == (here.kind, ("speed", "sway_speed", "yaw_rate"))
    assert "as a Planar one" in there.reason and "Planar" not in here.reason
    r = shape(here)
    np.testing.assert_allclose(there(r), here(r), atol=1e-13)
    if here.kind == "kinematic" and name == "trident_snake":
        laws = lm.catalogue.gait(name, "turn")
        np.testing.assert_allclose(
            there.displacement(laws, 1.0).as_matrix(), here.displacement(laws, 1.0).as_matrix(), atol=1e-12
        )


def test_a_free_root_on_a_slope_and_tilted() -> None:
    """A plane of any tilt; a body whose own axes lean against it moves as the frame below it does."""
    slope = 0.3
    snake = lm.catalogue.trident_snake()
    tilted = freed(
        snake,
        grounds=(lm.Plane(normal=(float(np.sin(slope)), 0.0, float(np.cos(slope)))),),
        nominal={"qw": float(np.cos(slope / 2.0)), "qy": float(np.sin(slope / 2.0))},
    )
    r = shape(lm.connection(snake))
    np.testing.assert_allclose(lm.connection(tilted)(r), lm.connection(snake)(r), atol=1e-12)
    heading = freed(snake, nominal={"qw": float(np.cos(0.1)), "qz": float(np.sin(0.1))})
    np.testing.assert_allclose(lm.connection(heading)(r), lm.connection(snake)(r), atol=1e-12)


def test_a_free_root_whose_own_axes_lean() -> None:
    """The root is a cover that leans by 0.4 on the plate: the velocities are those of an upright frame at its origin."""
    snake, lean = lm.catalogue.trident_snake(), 0.4
    root = lm.Free(name="base", parent="world", child="cover")
    bolt = lm.Fixed(name="bolt", parent="cover", child="plate", rotation=(0.0, -lean, 0.0))
    covered = snake.replace(
        bodies=(lm.Body("cover", mass=0.1, inertia=(0.1, 0.1, 0.1)), *snake.bodies),
        joints=(root, bolt, *snake.joints[1:]),
        nominal={"qw": float(np.cos(lean / 2.0)), "qy": float(np.sin(lean / 2.0))},
    )
    r = shape(lm.connection(snake))
    np.testing.assert_allclose(lm.connection(covered)(r), lm.connection(snake)(r), atol=1e-12)


def test_a_free_root_that_may_tilt_is_told_what_would_help() -> None:
    """Two wheels on one axle, or two skates in line, leave the frame free to fall."""
    for name in ("two_wheel_platform", "snakeboard"):
        refuse(freed(lm.catalogue.system(name)), "depends on its pose .*carry it by a Planar root")


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


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ((None,), errors.DescriptionTypeError, "system is None; a System is needed"),
        ((lm.catalogue.swimmer(), "tail_1"), errors.QuantityError, "joints is 'tail_1'; give a list of names"),
        ((lm.catalogue.swimmer(), [0]), errors.QuantityError, "joints holds 0; give names of joints"),
        ((lm.catalogue.swimmer(), ["tail_1", "tail_1"]), errors.QuantityError, "joints names one twice"),
        ((lm.catalogue.swimmer(), ["base"]), NoConnectionError, "'base' is its base, which the shape moves"),
        ((lm.catalogue.swimmer(), ["tail_9"]), errors.UnknownJointError, "no joint is named 'tail_9'"),
    ],
)
def test_what_connection_cannot_be_asked(arguments: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        lm.connection(*arguments)


def test_an_imposed_base_is_refused() -> None:
    cart = lm.catalogue.cart_pendulum().with_motions({"x": "sin(t)"})
    for ask in (lm.connection, lm.classify):
        with pytest.raises(NoConnectionError, match="the motion of its base 'x' is imposed"):
            ask(cart)


def test_the_kind_wanted_must_be_there() -> None:
    refuse(lm.catalogue.swimmer(), "kind is 'banana'; it may be 'kinematic', 'mechanical'", kind="banana")
    refuse(lm.catalogue.swimmer(), "there is no kinematic connection, for .*; its connection is hydrodynamic", kind="kinematic")
    refuse(lm.catalogue.trident_snake(), "there is no stokes connection.*its connection is kinematic", kind="viscous")
    assert lm.connection(lm.catalogue.swimmer("viscous"), kind="viscous").kind == "stokes"
    assert lm.connection(lm.catalogue.trident_snake(), kind="kinematic").kind == "kinematic"


def test_the_reason_of_a_falling_cat_names_gravity() -> None:
    assert "only gravity acts" in found("falling_cat/2").reason


def test_a_connection_is_told_in_a_line() -> None:
    found = lm.connection(lm.catalogue.wheeled_snake(3))
    assert repr(found) == "Connection('wheeled_snake_3', kinematic: joint_1, joint_2 -> speed, sway_speed, yaw_rate)"
