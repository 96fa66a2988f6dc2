"""Loops on a tree: rows at three levels, assembly, the branch kept, and a four-bar linkage against its closed form."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import AssemblyError, ClosureError, ParameterScopeError, UnknownBodyError
from locomotor.mechanics.chart import assembled
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree import Instant, forward
from oracles.linkage import Minimal, angles

LENGTHS = (0.3, 0.8, 0.7, 0.9)
AT_A, AT_B = (0.1, -0.2, 0.3), (-0.15, 0.05, 0.2)
U = (0.6, 0.0, 0.8)
LOOP = {"at_a": AT_A, "at_b": AT_B}
Y_AXIS = (0.0, 1.0, 0.0)
KINDS: dict[str, tuple[Any, int]] = {
    "spherical": (lambda a, b: lm.SphericalClosure("loop", a, b, **LOOP), 3),
    "rod": (lambda a, b: lm.RodClosure("loop", a, b, **LOOP, length=0.9), 1),
    "rod that grows": (lambda a, b: lm.RodClosure("loop", a, b, **LOOP, length="0.9 + 0.3*t + 0.2*t**2"), 1),
    "point on plane": (lambda a, b: lm.PointOnPlane("loop", a, b, **LOOP, axis_a=U), 1),
    "point on moving plane": (lambda a, b: lm.PointOnPlane("loop", a, b, **LOOP, axis_a=U, offset="sin(t)"), 1),
    "orthogonal": (lambda a, b: lm.Orthogonal("loop", a, b, **LOOP, axis_a=U, axis_b=(0.0, 1.0, 0.0)), 1),
    "angle that changes": (lambda a, b: lm.Orthogonal("loop", a, b, axis_a=U, axis_b=(0.0, 1.0, 0.0), cosine="0.3*t"), 1),
    "parallel": (lambda a, b: lm.Parallel("loop", a, b, **LOOP, axis_a=U), 2),
    "planar": (lambda a, b: lm.PlanarClosure("loop", a, b, **LOOP, axis_a=U), 3),
    "point on line": (lambda a, b: lm.PointOnLine("loop", a, b, **LOOP, axis_a=U), 2),
    "universal": (lambda a, b: lm.UniversalClosure("loop", a, b, **LOOP, axis_a=U, axis_b=(0.0, 1.0, 0.0)), 4),
    "revolute": (lambda a, b: lm.RevoluteClosure("loop", a, b, **LOOP, axis_a=U), 5),
    "cylindrical": (lambda a, b: lm.CylindricalClosure("loop", a, b, **LOOP, axis_a=U), 4),
    "prismatic": (lambda a, b: lm.PrismaticClosure("loop", a, b, **LOOP, axis_a=U), 5),
    "helical": (lambda a, b: lm.HelicalClosure("loop", a, b, **LOOP, axis_a=U, pitch=0.2), 5),
    "fixed": (lambda a, b: lm.FixedClosure("loop", a, b, **LOOP), 6),
}


def two_bodies(kind: str, first: str = "a", second: str = "b") -> lm.System:
    """Two free bodies held by one closure (or one of them by the world)."""
    bodies = [lm.Body("a", 2.0, (0.1, 0.0, 0.05), (0.3, 0.4, 0.5)), lm.Body("b", 1.5, (0.0, 0.1, 0.0), (0.2, 0.25, 0.3))]
    joints = [lm.Free(name=f"free_{body.name}", parent="world", child=body.name) for body in bodies]
    return lm.System(
        "two",
        bodies=bodies,
        joints=joints,
        loops=[KINDS[kind][0](first, second)],
        forces=[lm.Gravity()],
        nominal={"free_b_x": 0.5, "free_b_z": 0.3},
    )


def rows_at(system: lm.System, q: Any, v: Any, t: float) -> Any:
    return constraint_set(forward(Instant(system, q, v, t)))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_the_derivatives_of_the_conditions(kind: str, rng: np.random.Generator) -> None:
    """On a random 3-D motion, off the conditions too: J v - b and bias by differences of the positions.

    v is constant along the motion, so that the second derivative is the bias. Steps of 1e-3 leave h^4 = 1e-12 and round-off
    of 1e-16/h² = 1e-10.
    """
    system = two_bodies(kind)
    manifold, nv = system.layout.manifold, system.layout.nv
    q = manifold.retract(system.nominal_pose(), rng.uniform(-0.4, 0.4, nv))
    v = rng.uniform(-1.0, 1.0, nv)

    def at(s: float) -> Any:
        pose = q
        # Twists are constant in the body: exact steps of each free body, which its exponential gives.
        g = [lm.lie.SE3.exp(s * v[6 * k : 6 * k + 6]) for k in range(2)]
        parts = []
        for k in range(2):
            own = pose[7 * k : 7 * k + 7]
            R = lm.lie.quaternion.to_matrix(own[3:7])
            moved = lm.lie.SE3(R, own[:3]) @ g[k]
            parts += [moved.translation, lm.lie.quaternion.from_matrix(moved.rotation)]
        found = rows_at(system, np.concatenate(parts), v, 0.7 + s)
        return np.array([row.gap for row in found.loops], dtype=float)

    found = rows_at(system, q, v, 0.7)
    h = 1e-3
    m2, m1, p1, p2 = (at(k * h) for k in (-2, -1, 1, 2))
    first = (m2 - 8 * m1 + 8 * p1 - p2) / (12 * h)
    second = (-m2 + 16 * m1 - 30 * at(0.0) + 16 * p1 - p2) / (12 * h * h)
    J = np.array([row.normal_row for row in found.loops], dtype=float)
    right = np.array([row.right for row in found.loops], dtype=float)
    assert J @ v - right == pytest.approx(first, abs=1e-9)
    assert [row.slip[0] for row in found.loops] == pytest.approx(first, abs=1e-9)
    assert [float(row.bias) for row in found.loops] == pytest.approx(second, abs=1e-7)


def test_an_over_constrained_ring_is_closed_to_round_off() -> None:
    """Bricard's mechanism: the hinges turn in two groups, and the row that the others imply holds as well as they do.

    At a gap of 1e-12, which is enough to call a loop closed, `certify` found that row violated by 4e-10 near folded poses.
    """
    system, rng = lm.catalogue.bricard(), np.random.default_rng(0)
    for _ in range(4):
        q = assembled(system, rng.uniform(-0.5, 0.5, 5))
        assert np.abs(q - q[[2, 3, 4, 1, 0]]).max() < 1e-14  # by Bricard's symmetry: 1, 3 and 5 turn alike, and 2 and 4
        rows = constraint_set(forward(Instant(system, q, np.zeros(5), 0.0))).conditions
        assert np.abs([row.gap for row in rows]).max() < 1e-14
        assert np.linalg.svd(np.array([row.normal_row for row in rows]), compute_uv=False)[4] < 1e-14


@pytest.mark.parametrize("kind", KINDS)
def test_number_of_rows_is_the_rank(kind: str, rng: np.random.Generator) -> None:
    """Two free bodies, assembled from a random guess: as many independent rows as the joint removes freedoms."""
    system, wanted = two_bodies(kind), KINDS[kind][1]
    guess = system.layout.manifold.retract(system.nominal_pose(), rng.uniform(-0.3, 0.3, system.layout.nv))
    q = assembled(system, guess)
    found = rows_at(system, q, np.zeros(system.layout.nv), 0.0)
    assert np.abs([float(row.gap) for row in found.loops]).max() < 1e-11
    matrix = np.array([row.normal_row for row in found.loops], dtype=float)
    assert len(matrix) == np.linalg.matrix_rank(matrix, 1e-9) == wanted


def derivations_agree(kind: str, first: str) -> None:
    """Recursion, jets and kernel against positions in the world, differentiated, with multipliers; 2e-11 is round-off."""
    certificate = lm.certify(two_bodies(kind, first, "b"), states=2)
    assert certificate.residual < 2e-11, str(certificate)


@pytest.mark.parametrize("kind", ["rod that grows", "helical"])
def test_two_derivations_agree(kind: str) -> None:
    derivations_agree(kind, "a")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", ["a", "world"])
def test_two_derivations_agree_on_every_kind(kind: str, first: str) -> None:
    derivations_agree(kind, first)


def test_directions_that_stand_still_need_no_acceleration() -> None:
    """u_a = W_a = x and u_b = W_b = y: both stay where they are, and so does their product (a published Gamma gives 2)."""
    system = two_bodies("orthogonal").replace(
        loops=[lm.Orthogonal("loop", "a", "b", axis_a=(1.0, 0.0, 0.0), axis_b=(0.0, 1.0, 0.0))]
    )
    v = np.zeros(12)
    v[3], v[10] = 1.0, 1.0
    (row,) = rows_at(system, system.nominal_pose(), v, 0.0).loops
    assert float(row.bias) == 0.0


# -- a four-bar linkage -----------------------------------------------------------------------------------------------


@cache
def compiled(closure: str = "revolute") -> lm.CompiledSystem:
    return lm.compile(lm.catalogue.four_bar(closure=closure))


def test_positions_satisfy_the_loop_in_closed_form_on_one_branch_all_the_way_round() -> None:
    for crank in np.linspace(-4.0, 7.0, 23):
        state = dict(zip(compiled().state_names, compiled().start({"crank": crank}), strict=True))
        coupler, rocker = angles(crank, *LENGTHS)
        assert np.exp(1j * (state["crank"] + state["coupler"])) == pytest.approx(np.exp(1j * coupler), abs=1e-11)
        assert np.exp(1j * state["rocker"]) == pytest.approx(np.exp(1j * rocker), abs=1e-11)


@cache
def round_and_round() -> lm.Run:
    return lm.simulate(lm.catalogue.four_bar(), 2.0, start={"crank_rate": 12.0}, step=5e-4, sample=0.1)


def test_motion_is_that_of_one_equation_for_the_crank() -> None:
    """Three turns against Lagrange's equation of one coordinate; 1e-8 is the error of Runge-Kutta at this step."""
    run = round_and_round()
    phi, phi_dot = Minimal(*LENGTHS, 1.0, 9.81, 0.03).run(run["crank"][0], 12.0, run.time)
    assert run["crank"][-1] > 6 * np.pi
    assert run["crank"] == pytest.approx(phi, abs=1e-8)
    assert run["crank_rate"] == pytest.approx(phi_dot, abs=1e-7)


def test_loops_stay_closed_and_energy_is_kept() -> None:
    run = round_and_round()
    audit = run.audit()
    assert run.settings["project"] is True and run.settings["repivots"] == 0
    assert audit["largest_gap"] < 1e-12
    assert audit["energy_balance"] < 1e-9


def test_without_projection_loops_drift() -> None:
    """What closes them is the projection: without it the drift is that of the stepper."""
    loose = lm.simulate(lm.catalogue.four_bar(), 1.0, start={"crank_rate": 12.0}, step=0.01, project=False)
    kept = lm.simulate(lm.catalogue.four_bar(), 1.0, start={"crank_rate": 12.0}, step=0.01)
    assert loose.audit()["largest_gap"] > 1e-6 > 1e-9 > kept.audit()["largest_gap"]


def test_a_hinge_and_a_spherical_joint_close_a_plane_loop_alike() -> None:
    states = [
        compiled(c).rollout(compiled(c).start({"crank_rate": 3.0})[None], steps=200, dt=1e-3).final
        for c in ("revolute", "spherical")
    ]
    assert states[0] == pytest.approx(states[1], abs=1e-13)


def test_batches_on_every_target_agree() -> None:
    starts = np.array([compiled().start({"crank": x, "crank_rate": 5.0}) for x in (-0.5, 0.2, 1.0)])
    found = {
        target: lm.compile(lm.catalogue.four_bar(), target=target).rollout(starts, steps=300, dt=1e-3).final
        for target in ("interpreter", "simd")
    }
    assert found["interpreter"] == pytest.approx(found["simd"], abs=1e-12)


def test_forces_of_the_last_pin_carry_the_rocker_at_rest() -> None:
    """The crank is held: about the pivot of the rocker, the force of the coupler on it balances its weight."""
    system = lm.catalogue.four_bar().with_motions({"crank": "-0.5"})
    run = lm.simulate(system, 0.01, step=0.01)
    psi, c = run["rocker"][0], LENGTHS[2]
    along = np.array([np.cos(psi), -np.sin(psi)])  # x forward, z up
    fx, fz = run["pin_x_multiplier"][0], run["pin_z_multiplier"][0]
    moment = c * (along[0] * fz - along[1] * fx) - c * 9.81 * c / 2 * along[0]
    assert moment == pytest.approx(0.0, abs=1e-10)
    assert abs(fz) > 0.1


def test_small_motion_about_rest_has_the_frequency_of_the_minimal_equation() -> None:
    linear = lm.linearise(lm.catalogue.four_bar(), about={})
    phi = linear.motion.coordinates["crank"]
    model, h = Minimal(*LENGTHS, 1.0, 9.81, 0.03), 1e-5
    stiffness = -(model.acceleration(phi + h, 0.0) - model.acceleration(phi - h, 0.0)) / (2 * h)
    assert linear.eigenvalues**2 == pytest.approx([-stiffness, -stiffness], rel=1e-6)


# -- what cannot be ---------------------------------------------------------------------------------------------------


def test_a_loop_that_cannot_close_is_told_by_name_and_size() -> None:
    with pytest.raises(AssemblyError, match=r"pin_x by .*1\.1|left open are pin_x"):
        lm.trace(lm.catalogue.four_bar().with_parameters(base=2.9))
    with pytest.raises(AssemblyError, match="left open are pin_"):
        compiled().start({"crank": 0.0, "rocker": 1.0})


def test_bad_closures_are_refused() -> None:
    with pytest.raises(ClosureError, match="two different bodies"):
        lm.SphericalClosure("c", "a", "a")
    with pytest.raises(UnknownBodyError, match="rocker_bar"):
        lm.catalogue.four_bar().replace(loops=[lm.SphericalClosure("pin", "rocker_ba", "crank_bar")])
    with pytest.raises(ParameterScopeError, match="may depend on t and parameters"):
        lm.catalogue.four_bar().replace(loops=[lm.RodClosure("rod", "rocker_bar", "crank_bar", length="1 + crank")])


def test_systems_with_loops_are_kept_in_files(tmp_path: Any) -> None:
    system = two_bodies("helical")
    assert lm.load(lm.save(system, tmp_path / "two.toml")) == system


# -- with contacts that open ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_linkage_on_a_falling_base_bounces_with_its_loop_closed() -> None:
    """The rough nominal pose is assembled in flight too; impacts go through the loop, and energy balances."""

    def bar(name: str, length: float) -> lm.Body:
        return lm.Body(name, length, (length / 2, 0, 0), (1e-3 * length, length**3 / 12, length**3 / 12))

    z = (0.0, 0.0, 1.0)
    system = lm.System(
        "falling",
        bodies=[lm.Body("base", 3.0, (0, 0, 0), (0.1, 0.1, 0.1)), bar("first", 0.1), bar("second", 0.3), bar("third", 0.25)],
        joints=[
            lm.Planar(name="root", parent="world", child="base", rotation=(np.pi / 2, 0, 0)),
            lm.Revolute(name="a", parent="base", child="first", axis=z),
            lm.Revolute(name="b", parent="first", child="second", at=(0.1, 0, 0), axis=z),
            lm.Revolute(name="d", parent="base", child="third", at=(0.35, 0, 0), axis=z),
        ],
        loops=[lm.SphericalClosure("pin", "second", "third", (0.3, 0, 0), (0.25, 0, 0))],
        contacts=[
            lm.SlidingPoint(name, body="base", at=(x, -0.1, 0), law=lm.Unilateral(restitution=0.3))
            for name, x in (("heel", -0.2), ("toe", 0.5))
        ],
        forces=[lm.Gravity()],
        nominal={"a": 0.6, "b": 0.6, "d": 1.9, "y": 0.3},
    )
    run = lm.simulate(system, 0.4, start={"a_rate": 5.0}, step=2e-3)
    audit = run.audit()
    assert run.status.ok and sum("impact" in event.name for event in run.events) > 5
    assert np.abs(run["pin_x_gap"]).max() < 1e-11 and np.abs(run["pin_y_gap"]).max() < 1e-11
    assert audit["energy_balance"] < 1e-6


# -- joints with a closed form ----------------------------------------------------------------------------------------


def test_a_body_on_a_screw_falls_slowly() -> None:
    """a = -g m/(m + J/p²); the thread pushes with m (a + g)."""
    pitch, m, inertia = 0.1, 1.0, 0.02
    system = lm.System(
        "screw",
        bodies=[lm.Body("nut", m, (0, 0, 0), (inertia, inertia, inertia))],
        joints=[lm.Free(name="base", parent="world", child="nut")],
        loops=[lm.HelicalClosure("thread", "world", "nut", axis_a=(0.0, 0.0, 1.0), pitch=pitch)],
        forces=[lm.Gravity()],
    )
    found = lm.accelerations(system, {})
    a = -9.81 * m / (m + inertia / pitch**2)
    assert a == pytest.approx(-3.27)
    assert found["heave_speed"] == pytest.approx(a, rel=1e-12) and found["yaw_rate"] == pytest.approx(a / pitch, rel=1e-12)
    run = lm.simulate(system, 0.001, step=0.001, target="interpreter")
    assert run["thread_thread_multiplier"][0] == pytest.approx(6.54, rel=1e-12)


def test_a_shaft_behind_a_cardan_joint_turns_unevenly() -> None:
    """w_2/w_1 = cos(beta)/(1 - sin²(beta) cos²(theta)), with theta = 0 where the first arm lies in the plane of the shafts."""
    beta = np.pi / 6
    bodies = [lm.Body(name, 1.0, (0, 0, 0), (0.1, 0.1, 0.1)) for name in ("front", "rear")]
    x = (1.0, 0.0, 0.0)
    system = lm.System(
        "cardan",
        bodies=bodies,
        joints=[
            lm.Revolute(name="first", parent="world", child="front", axis=x),
            lm.Revolute(name="second", parent="world", child="rear", axis=x, rotation=(0.0, 0.0, beta)),
        ],
        # The plane of the shafts is z = 0: the first arm is y at first = 0, the second is normal to it and to its own shaft.
        loops=[lm.UniversalClosure("cross", "front", "rear", axis_a=Y_AXIS, axis_b=(0.0, 0.0, 1.0))],
        independent=("first_rate",),
    )
    compiled = lm.compile(system, target="interpreter")
    for theta in (0.0, 0.4, 1.2, np.pi / 2):
        state = compiled.start({"first": theta})
        (kernel,) = compiled.traced.velocity_map(np.zeros(1), state, np.zeros(0), np.zeros(0))
        ratio = np.cos(beta) / (1.0 - np.sin(beta) ** 2 * np.cos(theta) ** 2)
        assert kernel[1, 0] == pytest.approx(ratio, rel=1e-11)


def test_forces_in_a_chain_at_rest_are_the_weights_below() -> None:
    """Three bodies hang on spherical closures: each carries what hangs below; a rod instead pulls as hard."""
    bodies = [lm.Body(f"b{k}", 1.0 + k, (0, 0, 0), (0.1, 0.1, 0.1)) for k in range(2)]
    system = lm.System(
        "hanging",
        bodies=bodies,
        joints=[lm.Free(name=f"f{k}", parent="world", child=f"b{k}") for k in range(2)],
        loops=[
            lm.SphericalClosure("top", "world", "b0", (0, 0, 0), (0, 0, 0.5)),
            lm.RodClosure("rope", "b0", "b1", (0, 0, -0.5), (0, 0, 0.5), length=0.3),
        ],
        forces=[lm.Gravity()],
        nominal={"z": -0.5, "f1_z": -1.8},
    )
    run = lm.simulate(system, 0.001, step=0.001, target="interpreter")
    assert run["top_z_multiplier"][0] == pytest.approx(3.0 * 9.81, rel=1e-12)
    assert run["rope_multiplier"][0] == pytest.approx(-2.0 * 9.81, rel=1e-12)


@pytest.mark.parametrize("kind", [lm.RevoluteClosure, lm.PrismaticClosure, lm.CylindricalClosure])
def test_an_axis_must_be_given(kind: Any) -> None:
    with pytest.raises(lm.errors.QuantityError, match="axis_a is None; give 3 numbers"):
        kind(name="loop", body_a="rod", body_b="world", axis_a=None)
