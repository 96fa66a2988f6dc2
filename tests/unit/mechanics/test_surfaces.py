"""Balls and beads on surfaces given by formulas, against closed forms."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import InconsistentStartError, LocomotorError, QuantityError
from locomotor.simulation.status import Outcome
from locomotor.viewing.scene.scene import scene_of

G, K, RADIUS = 9.81, 0.8, 0.1
BOWL = lm.Surface("bowl", "world", height="0.5*k*(x**2 + y**2)")


def ball(law: lm.Persistent | lm.Unilateral | None = None, ground: lm.Surface = BOWL) -> lm.System:
    """A homogeneous ball on a paraboloid."""
    inertia = 0.4 * 2.0 * RADIUS**2
    body = lm.Body("ball", 2.0, inertia=(inertia,) * 3)
    touch = lm.RollingSphere("touch", "ball", (0, 0, 0), RADIUS, ground="bowl", law=law or lm.Persistent())
    return lm.System(
        "bowl", [body], [lm.Free(name="root", parent="world", child="ball")], [touch], [lm.Gravity((0, 0, -G))],
        grounds=[ground], parameters=[lm.Parameter("k", K)], nominal={"z": RADIUS},
    )  # fmt: skip


def on_a_circle(r: float) -> dict[str, float]:
    """Steady rolling without spin about the normal: Omega² = (5/7) g tan(a)/rho, with the centre at rho = r - R sin(a).

    The angular velocity is -(rho Omega/R) along the steepest tangent (docstring of the test says why).
    """
    a = math.atan(K * r)
    rho = r - RADIUS * math.sin(a)
    turn = math.sqrt(5.0 / 7.0 * G * math.tan(a) / rho)
    w = -rho * turn / RADIUS
    height = 0.5 * K * r**2 + RADIUS * math.cos(a)
    speeds = {"sway_speed": rho * turn, "roll_rate": w * math.cos(a), "yaw_rate": w * math.sin(a)}
    return {"x": rho, "z": height, **speeds, "speed": 0.0, "heave_speed": 0.0, "pitch_rate": 0.0, "turn": turn}


def test_a_ball_rolls_round_a_paraboloid() -> None:
    """With n the normal, t uphill: w = -(rho Omega/R) t from rolling, I w' = -R n x F and F = m (g e_z - rho Omega² e_r)
    give (7/5) rho Omega² cos(a) = g sin(a).
    """
    start = on_a_circle(0.7)
    turn = start.pop("turn")
    run = lm.simulate(ball(), 0.5, start=start, step=0.005, assemble=False, target="interpreter")
    assert run.status.ok
    np.testing.assert_allclose(run["z"], run["z"][0], atol=1e-7)  # of RK4, in 20 steps a turn of the ball
    np.testing.assert_allclose(np.arctan2(run["y"][-1], run["x"][-1]), 0.5 * turn, atol=1e-7)
    np.testing.assert_allclose(run["touch_gap"], 0.0, atol=1e-9)
    a = math.atan(K * 0.7)
    normal = run["touch_force_z"] * math.cos(a) + np.hypot(run["touch_force_x"], run["touch_force_y"]) * math.sin(a)
    rho = start["x"]
    np.testing.assert_allclose(normal, 2.0 * (G * math.cos(a) + rho * turn**2 * math.sin(a)), rtol=1e-6)


def test_a_saddle_turned_by_an_eighth_turns_the_motion() -> None:
    """k x y is k (X² - Y²)/2 about axes turned by 45 degrees: what curves along the axes there curves between them here."""
    along = lm.Surface("bowl", "world", height="0.5*k*(x**2 - y**2)")
    between = lm.Surface("bowl", "world", height="k*x*y")
    start = {"x": 0.3, "y": 0.2, "roll_rate": -3.0, "pitch_rate": 4.0, "yaw_rate": 2.0}
    first = lm.simulate(ball(ground=along), 0.4, start=start, step=0.005, target="interpreter")
    c = math.sqrt(0.5)
    start |= {"x": c * (0.3 - 0.2), "y": c * (0.3 + 0.2), "yaw": 0.25 * math.pi}
    second = lm.simulate(ball(ground=between), 0.4, start=start, step=0.005, target="interpreter")
    assert first.status.ok and second.status.ok and np.ptp(first["x"]) + np.ptp(first["y"]) > 0.1
    np.testing.assert_allclose(second["z"], first["z"], atol=1e-7)  # of RK4
    np.testing.assert_allclose(second["x"], c * (first["x"] - first["y"]), atol=1e-7)
    np.testing.assert_allclose(second["y"], c * (first["x"] + first["y"]), atol=1e-7)


def test_a_bead_goes_round_in_the_same_time_at_every_height() -> None:
    """A point that slides on z = k r²/2 turns with Omega = sqrt(g k), whatever its radius."""
    body = lm.Body("bead", 1.0, inertia=(1e-4,) * 3)
    touch = lm.SlidingPoint("touch", "bead", (0, 0, 0), ground="bowl")
    system = lm.System(
        "bead", [body], [lm.Translation(name="root", parent="world", child="bead")], [touch], [lm.Gravity((0, 0, -G))],
        grounds=[BOWL], parameters=[lm.Parameter("k", K)],
    )  # fmt: skip
    turn, r = math.sqrt(G * K), 0.9
    start = {"x": r, "z": 0.5 * K * r**2, "y_rate": r * turn, "x_rate": 0.0}
    run = lm.simulate(system, 1.0, start=start, step=0.01, target="interpreter")
    np.testing.assert_allclose(run["x"], r * np.cos(turn * run.time), atol=1e-6)  # of RK4
    np.testing.assert_allclose(run["z"], 0.5 * K * r**2, atol=1e-7)


@pytest.mark.slow
def test_a_ball_jumps_off_a_ridge_and_lands_again() -> None:
    """Over a wave, where the surface falls away faster than it: it leaves, flies freely, and strikes the surface."""
    wave = lm.Surface("bowl", "world", height="0.25*cos(3*x) - 0.05*k*y**2")
    start = {"x": -0.6, "speed": 3.0, "sway_speed": 0.0}
    law = lm.Unilateral(restitution=0.2, friction=0.4)
    run = lm.simulate(ball(law, wave), 0.8, start=start, closed=["touch"], step=0.002)
    kinds = [event.kind for event in run.events]
    assert run.status.ok and kinds.index("lift-off") < kinds.index("impact")
    assert run["touch_gap"].min() > -1e-8
    leaves, strikes = (run.events.of(kind=kind)[0].time for kind in ("lift-off", "impact"))
    flies = (run.time > leaves) & (run.time < strikes)
    assert flies.sum() > 20 and np.ptp(run.energy[flies]) < 1e-5  # of RK4: components along axes of a ball that spins
    # Up the slope it is held, until the path of its centre bends down.
    assert -0.55 < float(run["x"][run.time.searchsorted(leaves)]) < 0.0


def test_a_surface_is_drawn_and_kept_in_files(tmp_path: object) -> None:
    system = ball()
    assert any(len(part.mesh.triangles) >= 2048 for part in scene_of(system).world)
    path = f"{tmp_path}/bowl.toml"
    lm.save(system, path)
    assert lm.load(path) == system


@pytest.mark.parametrize("height", ["1/(x**2 + y**2)", "sqrt(-1 - x**2)", "0.3*q", None])
def test_what_no_surface_is_is_refused(height: str) -> None:
    with pytest.raises(LocomotorError):
        ball(ground=lm.Surface("bowl", "world", height=height))


def test_a_ball_that_is_not_rounder_than_the_hollow_is_refused() -> None:
    """Curvature 20/m at the bottom, for a ball of 0.1 m: it would have to be rounder than 10/m."""
    with pytest.raises(InconsistentStartError, match=r"ball of contact 'touch' is not rounder.*2 times that of the hollow"):
        lm.simulate(ball(ground=lm.Surface("bowl", "world", height="10*(x**2 + y**2)")), 0.1, target="interpreter")
    run = lm.simulate(ball(ground=lm.Surface("bowl", "world", height="4.5*(x**2 + y**2)")), 0.05, target="interpreter")
    assert run.status.ok and run["touch_roundness"][0] == pytest.approx(1.0 - 0.1 * 9.0, abs=1e-12)


def test_roundness_is_that_of_the_sharper_curvature_of_a_saddle() -> None:
    """On a slope along the valley: principal curvatures of z = a x + c y²/2 - 2 x² at the origin, by the shape operator."""
    a, c = 0.7, 3.0
    system = ball(ground=lm.Surface("bowl", "world", height=f"{a}*x + {0.5 * c}*y**2 - 2*x**2"))
    steep = math.sqrt(1.0 + a**2)
    run = lm.simulate(system, 0.01, start={"x": -RADIUS * a / steep, "y": 0.0}, target="interpreter")
    assert run["touch_roundness"][0] == pytest.approx(1.0 - RADIUS * c / steep, abs=1e-9)


def test_a_ball_that_rolls_into_a_hollow_too_narrow_for_it_is_told() -> None:
    """z = 150 x⁴: its curvature 1800 x²/(1 + (600 x³)²)^1.5 is 10/m, that of the ball, at x = 0.0797."""
    system = ball(ground=lm.Surface("bowl", "world", height="150*x**4"))
    with pytest.warns(lm.RunWarning, match="a contact passes through its ground .*'touch' is not rounder than the hollow"):
        run = lm.simulate(system, 0.2, start={"speed": 1.0}, step=0.001)
    assert run.status.outcome is Outcome.SUNK and run.time[-1] == run.status.time
    assert run["touch_roundness"][-1] < 0.1 and run["touch_roundness"][-2] > 0.1
    assert run["touch_point_x"][-2] < 0.0797  # and then at once beyond, or ever faster there
    compiled = lm.compile(system)
    batch = compiled.rollout(compiled.start({"speed": 1.0}), 200, 0.001)
    assert batch.status == 1 and "not rounder than the hollow" in batch.reasons
    assert batch.completed == pytest.approx(len(run.time), abs=2)
    followed = compiled.jacobians(compiled.start({"speed": 1.0}), 200, 0.001, with_respect_to=("x",))
    assert followed.completed == batch.completed and followed.reasons == batch.reasons


@pytest.mark.parametrize(
    "height", ["abs(x)", "max(x, 0)", "0.1*min(x*y, 0)", "sqrt(x**2 + y**2)", "if_else(x < 0.2, 0, x - 0.2)"]
)
def test_kinks_are_refused(height: str) -> None:
    with pytest.raises(QuantityError, match="has a kink at x = "):
        ball(ground=lm.Surface("bowl", "world", height=height))


@pytest.mark.parametrize("height", ["abs(x)**3", "max(x, 0)**3", "sqrt(x**2 + 0.01**2)", "smooth_step(x, 0, 1)", "abs(k)*x**2"])
def test_formulas_that_bend_without_a_kink_are_taken(height: str) -> None:
    assert ball(ground=lm.Surface("bowl", "world", height=height))
