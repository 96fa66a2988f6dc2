"""Connections and classes of locomotion: docs/theory.md (A1)-(A6) against closed forms.

Numbers that a run or a formula shows are scenarios (`locomotor.scenarios.locomotion_*`); here are the identities.
"""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.connections.connection import shape_functions
from locomotor.lie import SE2, SE3
from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.mechanics.loads.drives import actuated_joints
from locomotor.mechanics.tree.newton_euler import inverse_dynamics
from locomotor.model import Body, Coupling, Planar, Prismatic, Revolute, System, Torque

Array = Any
UP = (0.0, 0.0, 1.0)


# -- the groups ----------------------------------------------------------------------------


@pytest.mark.parametrize("group", [SE2, SE3])
def test_000_check_1_ad_is_the_derivative_of_Ad_and_the_commutator(group: Any, rng: np.random.Generator) -> None:
    n = 3 if group is SE2 else 6
    x, y = rng.normal(size=(2, n))
    h = 1e-5
    slope = (group.exp(h * x).Ad() - group.exp(-h * x).Ad()) / (2.0 * h)
    np.testing.assert_allclose(slope, group.ad(x), atol=1e-8)
    X, Y = group.hat(x), group.hat(y)
    np.testing.assert_allclose(group.vee(X @ Y - Y @ X), group.ad(x) @ y, atol=1e-13)


def test_000_check_1_the_printed_ad_of_the_plane() -> None:
    V_x, V_y, W = 0.3, -0.7, 1.1
    printed = [[0.0, -W, V_y], [W, 0.0, -V_x], [0.0, 0.0, 0.0]]
    np.testing.assert_array_equal(SE2.ad(np.array([V_x, V_y, W])), printed)


def test_000_check_1_reconstruction_keeps_rotations() -> None:
    run = lm.simulate(lm.catalogue.satellite(), 5.0, motions={"rotor_1": "3*sin(2*t)", "rotor_2": "4*cos(t)", "rotor_3": "t"},
                      start={"roll_rate": 1.0, "pitch_rate": -0.7})  # fmt: skip
    norm = sum(run[name] ** 2 for name in ("qw", "qx", "qy", "qz"))
    np.testing.assert_allclose(norm, 1.0, atol=1e-14)


# -- parallel transport -------------------------------------------------------


def test_000_check_2_and_004_check_1_an_octant_of_the_sphere_turns_a_vector_by_its_area() -> None:
    """A disc on a gimbal keeps its spin about its own axis at zero: it is carried parallel along the axis' path."""
    gimbal = System(
        "gimbal",
        bodies=(
            Body("fork", mass=1.0, inertia=(0.1, 0.1, 0.1)),
            Body("ring", mass=1.0, inertia=(0.1, 0.1, 0.1)),
            Body("disc", mass=1.0, inertia=(0.05, 0.05, 0.1)),
        ),
        joints=(
            Revolute(name="longitude", parent="world", child="fork", axis=UP),
            Revolute(name="colatitude", parent="fork", child="ring", axis=(0.0, 1.0, 0.0)),
            Revolute(name="spin", parent="ring", child="disc", axis=UP),
        ),
    )
    # From the pole down to the equator, a quarter along it, and back to the pole.
    laws = {"longitude": "pi/2*smooth_step(t, 1, 2)", "colatitude": "pi/2*(smooth_step(t, 0, 1) - smooth_step(t, 2, 3))"}
    run = lm.simulate(gimbal, 3.0, motions=laws)
    # At the pole longitude and spin add up to the angle of the disc.
    assert run["longitude"][-1] + run["spin"][-1] == pytest.approx(0.5 * np.pi, abs=1e-12)
    # Any loop: the angle is the area, the integral of (1 - cos(colatitude)) d longitude.
    laws = {"longitude": "2*pi*smooth_step(t, 0, 1)", "colatitude": "0.7"}
    run = lm.simulate(gimbal, 1.0, motions=laws, start={})
    angle = run["longitude"][-1] + run["spin"][-1]
    # The start has no spin rate, and the longitude starts at rest, so that the spin momentum is zero.
    assert angle == pytest.approx(2.0 * np.pi * (1.0 - np.cos(0.7)), abs=1e-9)


# -- (A2), (A3): mechanical connections -----------------------------------------------


def test_000_check_3_body_and_rotor() -> None:
    beanie = lm.catalogue.elroy_beanie()
    p = beanie.parameters.values
    A = lm.connection(beanie)([0.4])
    np.testing.assert_allclose(A, [[0.0], [0.0], [p["I_r"] / (p["I_0"] + p["I_r"])]], atol=1e-15)
    assert np.abs(lm.connection(beanie).curvature([0.4])).max() == 0.0


def test_004_check_2_the_satellite_has_the_stated_connection_and_none_on_translations() -> None:
    A = lm.connection(lm.catalogue.satellite())([0.3, -1.0, 2.0])
    np.testing.assert_allclose(A, np.vstack([np.zeros((3, 3)), 0.05 * np.eye(3)]), atol=1e-15)


@pytest.mark.parametrize("rotors", [1, 2, 4, 6])
def test_satellites_of_other_numbers_of_rotors_do_not_move_their_centre(rotors: int) -> None:
    A = lm.connection(lm.catalogue.satellite(rotors))(0.1 * np.arange(rotors))
    assert np.abs(A[:3]).max() < 1e-15 and np.linalg.matrix_rank(A[3:], tol=1e-9) == min(rotors, 3)


FREE = {
    "satellite": (
        {"rotor_1": "2*sin(t)", "rotor_2": "cos(1.3*t)", "rotor_3": "0.5*sin(2*t)"},
        {"roll_rate": 0.1, "speed": 0.2},
    ),
    "falling_cat/2": ({"bend_1": "0.8*sin(3*t)", "sway_1": "0.6*cos(2*t)"}, {"roll_rate": 0.3, "speed": 0.2}),
    "falling_cat/4": (
        {f"{way}_{k}": f"0.5*sin({k}*t + {i})" for k in (1, 2, 3) for i, way in enumerate(("bend", "sway"))},
        {"roll_rate": 0.3},
    ),
    "elroy_beanie": ({"rotor": "3*sin(t)"}, {"yaw_rate": 0.2, "speed": 0.1}),
    "swimmer/ideal": (None, {}),
    "scallop/ideal": (None, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", FREE)
@pytest.mark.sampled(2)
def test_momentum_of_free_systems_drifts_less_than_1e_10_in_10_s(name: str) -> None:
    """The fluid's momentum counts; gravity is switched off, for it changes the momentum."""
    laws, start = FREE[name]
    system = lm.catalogue.system(name)
    if "g" in system.parameters:
        system = system.with_parameters(g=0.0)
    if laws is None:
        laws = lm.catalogue.gait(name, {"swimmer": "forward", "scallop": "clap"}[name.split("/")[0]])
    run = lm.simulate(system, 10.0, motions=laws, start=start, stepper=lm.Adaptive(1e-13, 1e-15, 0.01), sample=0.02)
    momentum = np.stack(list(run.group("momentum").values()))
    assert np.abs(momentum - momentum[:, :1]).max() < 1e-10


def test_004_check_3_the_centre_of_mass_of_the_cat_moves_only_by_falling() -> None:
    """M_total v_com = linear momentum: A is zero on the centre of mass."""
    cat = lm.catalogue.falling_cat().with_parameters(g=0.0)
    run = lm.simulate(cat, 0.7, motions=lm.catalogue.gait("falling_cat", "turn"), step=1e-4)
    linear = np.stack([run[f"linear_momentum_{axis}"] for axis in "xyz"])
    assert np.abs(linear).max() < 1e-9


@pytest.mark.parametrize("fluid", ["ideal", "stokes"])
def test_004_check_3_one_joint_gives_no_net_motion(fluid: str) -> None:
    """By the connection: any closed gait of one joint leaves the base where it was, in both fluids."""
    g = lm.connection(lm.catalogue.scallop(fluid)).displacement({"valve": "0.5 + 0.8*sin(t + 0.5*sin(t))"}, 2.0 * np.pi)
    np.testing.assert_allclose(np.asarray(g.log(), dtype=float), 0.0, atol=1e-9)


@pytest.mark.parametrize("name", ["swimmer", "scallop"])
def test_simulation_from_rest_follows_the_hydrodynamic_connection(name: str) -> None:
    """(2.18): the momentum with the fluid's stays zero, so that eta = -A r_dot at every instant."""
    system = lm.catalogue.system(f"{name}/ideal")
    laws = lm.catalogue.gait(name, "forward" if name == "swimmer" else "clap")
    run = lm.simulate(system, 3.0, motions=laws, step=5e-4)
    found = lm.connection(system)
    r = np.stack([run[j] for j in found.shape_names], axis=1)
    rate = np.stack([run[f"{j}_rate"] for j in found.shape_names], axis=1)
    eta = np.stack([run[v] for v in found.base_names], axis=1)
    np.testing.assert_allclose(eta, -np.einsum("nij,nj->ni", found(r), rate), atol=1e-9)


# -- (A4): kinematic connections ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two_wheel_platform", "unicycle"])
def test_000_check_4_two_wheel_platform(name: str) -> None:
    system = lm.catalogue.system(name)
    rho, d = (system.parameters[k].value for k in ("rho", "d"))
    found = lm.connection(system)
    assert found.kind == "kinematic" and found.shape_names == ("right_wheel", "left_wheel")
    expected = -0.5 * rho * np.array([[1.0, 1.0], [0.0, 0.0], [1.0 / d, -1.0 / d]])
    np.testing.assert_allclose(found([0.3, 1.2]), expected, atol=1e-15)


def test_000_check_4_follow_the_leader_from_the_residual_constraints() -> None:
    """The rows beyond the first three bind the joints: A~ and B~ of (1.13) with the rates of a run satisfy them."""
    snake = lm.catalogue.wheeled_snake(6)
    run = lm.simulate(snake, 1.0, motions=lm.catalogue.gait("wheeled_snake", "crawl"))
    functions = shape_functions(snake, [f"joint_{k}" for k in range(1, 6)])
    matrix = functions.constraints()
    for i in (0, 300, 1000):
        q = np.array([run[symbol.name][i] for symbol in snake.layout.coordinates])
        C = np.asarray(matrix(q)[0])
        C = C[np.abs(C).max(axis=1) > 1e-12]
        A, B = C[:, :3], C[:, 3:]
        rate = np.array([run[f"joint_{k}_rate"][i] for k in range(1, 6)])
        eta = -np.linalg.solve(A[:3], B[:3] @ rate)
        np.testing.assert_allclose(eta, [run[n][i] for n in ("speed", "sway_speed", "yaw_rate")], atol=1e-12)
        connection = np.linalg.solve(A[:3], B[:3])
        np.testing.assert_allclose((B[3:] - A[3:] @ connection) @ rate, 0.0, atol=1e-13)


def test_000_check_4_and_004_check_4_constant_curvature_is_singular() -> None:
    found = lm.classify(lm.catalogue.wheeled_snake(6)).singular_shapes
    assert found
    for shape in found:
        # A search stops where the smallest singular value is 1e-5 of the largest.
        assert np.ptp(list(shape.values())) < 1e-4


# -- areas -----------------------------------------------------------------------------------


def rail_crawler() -> System:
    """A cart without friction on a rail and an arm of two links that swings in the horizontal plane: the fibre is a line."""
    arm = {"mass": 0.5, "com": (0.15, 0.0, 0.0), "inertia": (0.001, 0.004, 0.004)}
    return System(
        "rail_crawler",
        bodies=(Body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1)), Body("upper", **arm), Body("lower", **arm)),
        joints=(
            Prismatic(name="x", parent="world", child="cart", axis=(1.0, 0.0, 0.0)),
            Revolute(name="shoulder", parent="cart", child="upper", axis=UP, drive=Torque("u1")),
            Revolute(name="elbow", parent="upper", child="lower", at=(0.3, 0.0, 0.0), axis=UP, drive=Torque("u2")),
        ),
        inputs=(lm.Input("u1"), lm.Input("u2")),
    )


def test_000_check_5_on_a_commutative_fibre_the_displacement_is_the_area_integral_of_the_curvature() -> None:
    """A large loop, not a small one."""
    found = lm.connection(rail_crawler())
    # The centre of mass stays: A is a gradient, its curvature zero and every loop without effect.
    assert np.abs(found.curvature([0.4, 0.7])).max() < 1e-14
    skewed = lm.connection(beanie_with_arm())
    radius = 0.8
    laws = {"shoulder": f"0.3 + {radius}*cos(t)", "elbow": f"0.9 + {radius}*sin(t)"}
    turned = float(skewed.displacement(laws, 2.0 * np.pi, steps=800)[0])
    nodes, weights = np.polynomial.legendre.leggauss(24)
    rho, w_rho = 0.5 * radius * (nodes + 1.0), 0.5 * radius * weights
    angles = 2.0 * np.pi * np.arange(64) / 64
    area = 0.0
    for r, w in zip(rho, w_rho, strict=True):
        for a in angles:
            shape = [0.3 + r * np.cos(a), 0.9 + r * np.sin(a)]
            area += w * r * 2.0 * np.pi / 64 * skewed.curvature(shape)[0, 0, 1]
    assert abs(turned) > 1e-3
    assert turned == pytest.approx(area, abs=1e-9)


def beanie_with_arm() -> System:
    """A turntable with an arm of two links: the fibre is a circle, and the angular momentum about it stays zero."""
    arm = {"mass": 0.5, "com": (0.15, 0.0, 0.0), "inertia": (0.001, 0.004, 0.004)}
    return System(
        "turntable",
        bodies=(Body("plate", mass=1.0, inertia=(0.05, 0.05, 0.05)), Body("upper", **arm), Body("lower", **arm)),
        joints=(
            Revolute(name="turn", parent="world", child="plate", axis=UP),
            Revolute(name="shoulder", parent="plate", child="upper", at=(0.2, 0.0, 0.0), axis=UP, drive=Torque("u1")),
            Revolute(name="elbow", parent="upper", child="lower", at=(0.3, 0.0, 0.0), axis=UP, drive=Torque("u2")),
        ),
        inputs=(lm.Input("u1"), lm.Input("u2")),
    )


# -- reduction against multipliers ------------------------------------------------------------

CONSTRAINED = [
    "two_wheel_platform", "unicycle", "trident_snake", "wheeled_snake/8", "wheeled_snake/8_with_wheels", "snakeboard",
    "trikke", "cart_pendulum", "belkhiri_bicycle/printed", "belkhiri_bicycle/consistent",
]  # fmt: skip


def moving(name: str, gait: str) -> ReducedMotion:
    """The reduced model of a system in the middle of a gait, with every free velocity at some value."""
    system = lm.catalogue.system(name).with_motions(lm.catalogue.gait(name, gait))
    reduction = choose_reduction(system)
    names = dict(zip(reduction.names, 0.3 + 0.1 * np.arange(len(reduction.free)), strict=True))
    state = lm.compile(system).start(names, time=0.37)
    seen = lm.observe(system, names, time=0.37)
    q = np.array([seen[symbol.name] for symbol in system.layout.coordinates])
    v_r = state[len(state) - len(reduction.free) :]
    return ReducedMotion(reduction, q, np.asarray(v_r), 0.37, inputs=np.zeros(len(system.inputs)))


@pytest.mark.parametrize("name", CONSTRAINED)
@pytest.mark.sampled(4)
def test_000_check_6_reduced_dynamics_are_those_of_the_multipliers(name: str) -> None:
    """Every gait: accelerations, constraint forces and torques against the saddle-point system (builder's cross-check)."""
    for gait in next(r.gaits for r in lm.catalogue.systems() if r.name == name):
        motion = moving(name, gait)
        system, layout = motion.reduction.system, motion.reduction.system.layout
        C, bias = np.asarray(motion.constraints.matrix), np.asarray(motion.constraints.root_bias)
        E = np.eye(layout.nv)[list(motion.reduction.imposed)]
        M = np.asarray(motion.mass)
        h = inverse_dynamics(motion.kinematics, np.zeros(layout.nv), motion.applied.gravity, motion.applied.wrenches)
        rows = np.vstack([C, E])
        wanted = np.concatenate([-bias, motion.imposed[1]])
        saddle = np.block([[M, -rows.T], [rows, np.zeros((len(rows), len(rows)))]])
        solution = np.linalg.lstsq(saddle, np.concatenate([motion.applied.forces() - h, wanted]), rcond=1e-11)[0]
        scale = max(1.0, float(np.abs(solution).max()))
        np.testing.assert_allclose(motion.v_dot, solution[: layout.nv], atol=1e-9 * scale)
        # Constraint forces may differ by internal ones; what they and the torques do to the system may not.
        forces = C.T @ motion.multipliers + E.T @ motion.imposed_torques
        np.testing.assert_allclose(forces, rows.T @ solution[layout.nv :], atol=1e-8 * scale)
        assert {joint.name for joint in system.imposed} <= {joint.name for joint in actuated_joints(system)}


def test_000_check_6_internal_forces_leave_the_motion_alone() -> None:
    cart = lm.catalogue.cart_pendulum()
    laws = lm.catalogue.gait("cart_pendulum", "rock")
    runs = [
        lm.simulate(cart, 1.0, motions=laws, start={"pendulum": 0.1}, static=static)
        for static in (None, {"rear_x": 0.0}, {"front_x": 0.0}, {"rear_x": "0.3*sin(t)"})
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run["pendulum"], runs[0]["pendulum"])
    assert np.ptp([run.torques["front_wheel"][500] for run in runs]) > 0.01


# -- 004 check 5: the snakeboard -------------------------------------------------------------------------------------


def board_at(phi: float) -> tuple[Array, Array]:
    """Constraint rows over the velocities of the board, and our kernel of them, at an axle angle."""
    found = lm.connection(lm.catalogue.snakeboard())
    q = found.coordinates([0.0, phi])
    rows = np.asarray(found.functions.constraints()(q)[0])
    return rows[:, :3], np.asarray(found.functions.kernel()(q)[0])


def test_004_check_5_the_printed_kernel_is_in_the_kernel_and_is_ours() -> None:
    for phi in np.linspace(-1.4, 1.4, 15):
        rows, ours = board_at(float(phi))
        printed = np.array([-0.4 * np.cos(phi) ** 2, 0.0, np.sin(2.0 * phi)])
        assert np.abs(rows @ printed).max() < 1e-15
        assert np.linalg.matrix_rank(np.column_stack([ours[:, 0], printed]), tol=1e-12) == 1


def test_004_check_5_without_rotor_acceleration_a_first_integral_holds() -> None:
    """eta_r cos(phi) is constant if the rotor turns evenly."""
    laws = {"steer": "0.5*sin(2*t)", "rotor": "3*t"}
    run = lm.simulate(lm.catalogue.snakeboard(), 5.0, motions=laws, start={"speed": 0.4})
    reduced = -run["speed"] / (0.4 * np.cos(run["steer"]) ** 2)
    np.testing.assert_allclose(reduced * np.cos(run["steer"]), reduced[0], rtol=1e-10)


def test_004_check_5_the_nonholonomic_momentum_equation() -> None:
    """p_dot = 2 J_r cos^2(phi) phi_dot psi_dot - tan(phi) phi_dot p, for p along the printed kernel (J_t = m l^2)."""
    board = lm.catalogue.snakeboard()
    found = lm.connection(board)
    equation = found.functions.momentum_equation()
    p = board.parameters.values
    rng = np.random.default_rng(4)
    for _ in range(5):
        phi, psi_rate, phi_rate, eta_r = rng.uniform(-0.9, 0.9, 4)
        q = found.coordinates([0.7, phi])
        rates = {"rotor": psi_rate, "steer": phi_rate}
        rate = np.array([rates[name] for name in found.shape_names])
        acceleration = rng.normal(size=2)
        # Our free velocity and its kernel column differ from the printed ones by a factor that depends on phi.
        ours = np.asarray(found.functions.kernel()(q)[0])[:, 0]
        printed = np.array([-2.0 * p["l"] * np.cos(phi) ** 2, 0.0, np.sin(2.0 * phi)])
        factor = float(printed @ ours / (ours @ ours))
        momentum = 4.0 * p["m"] * p["l"] ** 2 * np.cos(phi) ** 2 * eta_r + p["J_r"] * np.sin(2.0 * phi) * psi_rate
        wanted = 2.0 * p["J_r"] * np.cos(phi) ** 2 * phi_rate * psi_rate - np.tan(phi) * phi_rate * momentum
        # p_ours = p/factor, so that p_ours_dot = p_dot/factor - p factor_dot/factor^2.
        h = 1e-6
        slopes = []
        for shift in (h, -h):
            moved = found.coordinates([0.7, phi + shift])
            other = np.asarray(found.functions.kernel()(moved)[0])[:, 0]
            there = np.array([-2.0 * p["l"] * np.cos(phi + shift) ** 2, 0.0, np.sin(2.0 * (phi + shift))])
            slopes.append(float(there @ other / (other @ other)))
        factor_rate = (slopes[0] - slopes[1]) / (2.0 * h) * phi_rate
        expected = wanted / factor - momentum * factor_rate / factor**2
        rate_found, velocities = equation(q, np.array([momentum / factor]), rate, acceleration)
        assert rate_found[0] == pytest.approx(expected, abs=1e-8)
        np.testing.assert_allclose(np.asarray(velocities)[:3], printed * eta_r, atol=1e-13)


# -- 004 checks 7 and 8: classes, and the cart ------------------------------------------------------------------------


def elastic_snakeboard() -> System:
    """The elastic snakeboard with each flexible beam as a sprung rigid one: as many passive coordinates as one mode each."""
    board = lm.catalogue.snakeboard()
    beams = [Body(f"beam_{k}", mass=0.4, com=(s * 0.1, 0.0, 0.0), inertia=(0.001, 0.004, 0.004)) for k, s in ((1, 1), (2, -1))]
    hinges = [Revolute(name=f"bend_{k}", parent="propeller", child=f"beam_{k}", axis=UP) for k in (1, 2)]
    springs = [lm.JointSpring(f"spring_{k}", f"bend_{k}", 5.0) for k in (1, 2)]
    free = [c for c in board.constraints if not isinstance(c, Coupling)]
    return board.replace(
        name="elastic_snakeboard",
        bodies=(*board.bodies, *beams),
        joints=(*board.joints, *hinges),
        forces=springs,
        constraints=free,
    )


def test_004_check_7_table_3_1() -> None:
    """(m, m0, n + s_p), and whether there is a kernel and an internal force."""
    active = ("rotor", "steer", "front_steer")
    table = {
        "cart": (lm.classify(lm.catalogue.cart_pendulum()), (2, 1, 2), True, True),
        "bicycle": (lm.classify(lm.catalogue.belkhiri_bicycle()), (6, 6, 7), True, False),
        "elastic snakeboard": (lm.classify(elastic_snakeboard(), active), (2, 2, 5), True, False),
        "platform": (lm.classify(lm.catalogue.two_wheel_platform()), (3, 3, 3), False, False),
        "unicycle": (lm.classify(lm.catalogue.unicycle()), (5, 5, 5), False, False),
        "snake": (lm.classify(lm.catalogue.wheeled_snake(8)), (8, 3, 3), False, True),
    }
    for name, (found, counts, kernel, internal) in table.items():
        assert (found.m, found.m0, found.n + found.s_passive) == counts, name
        assert found.has_kernel is kernel, name
        assert found.has_static_forces is internal, name


def test_004_check_8_the_wheels_of_the_cart_must_agree() -> None:
    """The compatibility condition r_1_dot = r_2_dot is enforced, with the row and the amount."""
    laws = {"front_wheel": "2*sin(t)", "rear_wheel": "2.5*sin(t)"}
    with pytest.raises(lm.errors.IncompatibleMotionError, match=r"front_wheel, rear_wheel.*rear_x by -?0\.025 m/s"):
        lm.simulate(lm.catalogue.cart_pendulum(), 1.0, motions=laws)


def test_004_check_8_the_pendulum_follows_3_70() -> None:
    cart = lm.catalogue.cart_pendulum()
    p = cart.parameters.values
    system = cart.with_motions({"front_wheel": "1.7*t**2", "rear_wheel": "1.7*t**2"})
    for angle in (-1.0, 0.2, 2.5):
        found = lm.accelerations(system, {"pendulum": angle, "pendulum_rate": 0.4})["pendulum_rate"]
        expected = -(p["g"] * np.sin(angle) + p["R"] * np.cos(angle) * 3.4) / p["l"]
        # The bob's own inertia is 1e-12 of a kg m^2.
        assert found == pytest.approx(expected, rel=1e-9)


# -- 004 check 19 ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "gait"),
    [("snakeboard", "drive"), ("wheeled_snake/8", "crawl"), ("swimmer/ideal", "forward"), ("trikke", "drive")],
)
def test_004_check_19_another_start_only_moves_the_trajectory(name: str, gait: str) -> None:
    system, laws = lm.catalogue.system(name), lm.catalogue.gait(name, gait)
    assert isinstance(system.joints[0], Planar)
    here = lm.simulate(system, 3.0, motions=laws)
    there = lm.simulate(system, 3.0, motions=laws, start={"x": 2.0, "y": -1.0, "yaw": 0.7})
    for velocity in ("speed", "sway_speed", "yaw_rate"):
        np.testing.assert_allclose(there[velocity], here[velocity], atol=1e-12)
    c, s = np.cos(0.7), np.sin(0.7)
    np.testing.assert_allclose(there["x"], 2.0 + c * here["x"] - s * here["y"], atol=1e-12)
    np.testing.assert_allclose(there["y"], -1.0 + s * here["x"] + c * here["y"], atol=1e-12)
    for joint, torque in here.torques.items():
        np.testing.assert_allclose(there.torques[joint], torque, atol=1e-11)
