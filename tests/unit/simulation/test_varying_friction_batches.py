"""Friction that differs at rest and with the speed of a slip, in steps of batches: closed forms, runs with events, targets."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import locomotor as lm
from locomotor.errors import ContactLawError

G = 9.81
K, V, SLIDING, STATIC = 40.0, 0.3, 0.2, 0.35
STRIBECK = "0.2 + 0.15*exp(-slip/0.2)"


def stribeck(speed: float) -> float:
    return 0.2 + 0.15 * math.exp(-speed / 0.2)


def block(law: lm.Unilateral, drive: str = "0*t", **parameters: float) -> lm.System:
    """A mass of 1 kg on a plate that may lean, in the vertical plane, driven along it."""
    bodies = [lm.Frame("slider"), lm.Body("mass", mass=1.0, inertia=(0.01, 0.01, 0.01))]
    joints = [
        lm.Prismatic(name="along", parent="world", child="slider", axis=(1.0, 0.0, 0.0)),
        lm.Prismatic(name="up", parent="slider", child="mass", axis=(0.0, 0.0, 1.0)),
    ]
    forces = [lm.Gravity(("g*sin(slope)", 0.0, "-g*cos(slope)")), lm.JointForce("push", "along", drive)]
    foot = lm.StickingPoint("foot", "mass", (0.0, 0.0, 0.0), law=law)
    return lm.System("block", bodies, joints, contacts=[foot], forces=forces, parameters={"g": G, "slope": 0.0, **parameters})


def pulled() -> lm.System:
    """The block at a spring whose other end moves with V."""
    return block(lm.Unilateral(friction=SLIDING, static=STATIC), f"{K}*({V}*t - along)")


def ball(law: lm.Unilateral) -> lm.System:
    rolls = "2*m*r**2/5"
    return lm.System(
        "ball",
        [lm.Frame("carrier"), lm.Body("ball", mass="m", inertia=(rolls, rolls, rolls))],
        [
            lm.Translation(name="base", parent="world", child="carrier"),
            lm.Spherical(name="spin", parent="carrier", child="ball"),
        ],
        contacts=[lm.RollingSphere("lane", "ball", (0.0, 0.0, 0.0), "r", law=law)],
        forces=[lm.Gravity((0.0, 0.0, -G))],
        parameters={"m": 6.0, "r": 0.11},
        nominal={"z": "r"},
    )


def sledge(law: lm.Unilateral, slope: float) -> lm.System:
    """A plate on four corners, which share its weight in more ways than one."""
    places = [(0.2 * i, 0.1 * j, 0.0) for i in (-1, 1) for j in (-1, 1)]
    corners = [lm.StickingPoint(f"corner_{k}", "plate", at, law=law) for k, at in enumerate(places)]
    return lm.System(
        "sledge",
        [lm.Body("plate", 2.0, com=(0.0, 0.0, 0.02), inertia=(0.01, 0.03, 0.03))],
        [lm.Free(name="base", parent="world", child="plate")],
        contacts=corners,
        forces=[lm.Gravity((G * math.sin(slope), 0.0, -G * math.cos(slope)))],
    )


def rolled(system: lm.System, starts: list[dict[str, float]], time: float, dt: float, **options: object):  # type: ignore[no-untyped-def]
    compiled = lm.compile(system, contacts="time-stepping", **options)  # type: ignore[arg-type]
    return compiled.rollout(np.array([compiled.start(start) for start in starts]), steps=round(time / dt), dt=dt)


def test_a_block_at_a_spring_sticks_and_slips_as_den_hartog_says() -> None:
    """Slips last (2 pi - 2 atan(D w/(k V)))/w and the spring is stretched by 2 D/k between them, D = (mu_s - mu) m g (1931).

    A slip and a rest together bring the block as far as the end of the spring goes. Each begins up to a step late: V h.
    """
    w, D = math.sqrt(K), (STATIC - SLIDING) * G
    slipping, resting = (2.0 * math.pi - 2.0 * math.atan(D * w / (K * V))) / w, 2.0 * D / (K * V)
    first, period = STATIC * G / (K * V), slipping + resting
    for count in (1, 3):
        for dt in (2e-3, 5e-4):
            rests = first + count * period - 0.5 * resting
            found = rolled(pulled(), [{}], rests, dt).final[0]
            assert found[2] == pytest.approx(0.0, abs=1e-14)  # it sticks, exactly
            assert found[0] == pytest.approx(count * V * period, abs=count * V * dt)


def test_what_sticks_does_not_creep_and_what_slips_goes_on() -> None:
    """On a slope between both coefficients: at rest it stays where it is, once it moves it is faster and faster."""
    slope = math.atan(0.3)
    system = block(lm.Unilateral(friction=SLIDING, static=STATIC), slope=slope)
    found = rolled(system, [{}, {"along_rate": 0.5}, {"along_rate": -0.5}], 0.4, 1e-3).final
    assert abs(found[0, 0]) < 1e-15 and abs(found[0, 2]) < 1e-15
    gains = G * (math.sin(slope) - SLIDING * math.cos(slope))
    np.testing.assert_allclose(found[1, [0, 2]], [0.5 * 0.4 + 0.5 * gains * 0.16, 0.5 + gains * 0.4], rtol=1e-12)
    # Thrown up it stops, and stays there: v^2/(2 g (sin + mu cos)).
    stops = 0.125 / (G * (math.sin(slope) + SLIDING * math.cos(slope)))
    assert found[2, 0] == pytest.approx(-stops, abs=2e-5) and abs(found[2, 2]) < 1e-14


@pytest.mark.parametrize("h", [1e-2, 1e-3])
@pytest.mark.parametrize("slow", [1e-3, 0.1, 0.9])
def test_a_slow_slip_goes_on(slow: float, h: float) -> None:
    """On a slope between both coefficients, slower than friction at rest could stop in a step: v + g (sin - mu cos) t."""
    slope = math.atan(0.3)
    speed = slow * (STATIC - SLIDING) * G * h
    system = block(lm.Unilateral(friction=SLIDING, static=STATIC), slope=slope)
    found = rolled(system, [{"along_rate": speed}], 100 * h, h).final[0]
    gains = G * (math.sin(slope) - SLIDING * math.cos(slope))
    assert found[2] == pytest.approx(speed + gains * 100 * h, rel=1e-12)
    assert found[0] == pytest.approx(speed * 100 * h + 0.5 * gains * (100 * h) ** 2, rel=1e-12)


@pytest.mark.parametrize("h", [1e-3, 1.3e-3, 1.7e-3])
@pytest.mark.parametrize("speed", [-0.5, -0.3, -0.123])
def test_what_is_thrown_up_stops_whatever_is_left_of_the_last_step(speed: float, h: float) -> None:
    """Friction of the slip could not hold it there, that at rest does: v²/(2 g (sin + mu cos)), to g h²."""
    slope = math.atan(0.3)
    system = block(lm.Unilateral(friction=SLIDING, static=STATIC), slope=slope)
    stops = speed**2 / (2.0 * G * (math.sin(slope) + SLIDING * math.cos(slope)))
    found = rolled(system, [{"along_rate": speed}], 0.5, h).final[0]
    assert abs(found[2]) < 1e-14 and found[0] == pytest.approx(-stops, abs=G * h * h)


def test_a_slip_that_nothing_drives_stops_where_friction_of_the_slip_stops_it() -> None:
    """v²/(2 mu g), to the square of the step: friction at rest, five times as much, does not stop it earlier."""
    for h in (4e-3, 1e-3):
        found = rolled(block(lm.Unilateral(friction=0.1, static=0.5)), [{"along_rate": 0.3}], 0.5, h).final[0]
        assert abs(found[2]) < 1e-14 and found[0] == pytest.approx(0.09 / (0.2 * G), abs=0.5 * 0.1 * G * h * h)


@pytest.mark.parametrize("static", [None, 0.6])
def test_a_block_stops_under_stribecks_law_where_the_integral_says(static: float | None) -> None:
    """m v dv/dx = -mu(v) m g: the distance is the integral of v/(g mu(v)). In the last step it may stop early: mu g h²."""
    way = quad(lambda v: v / (G * stribeck(v)), 0.0, 1.5, epsabs=1e-12)[0]
    for dt in (4e-3, 1e-3):
        found = rolled(block(lm.Unilateral(friction=STRIBECK, static=static)), [{"along_rate": 1.5}], 1.0, dt).final[0]
        assert abs(found[2]) < 1e-14
        assert found[0] == pytest.approx(way, abs=(static or 0.35) * G * dt * dt)


def test_slips_under_stribecks_law_are_of_second_order() -> None:
    """Before it stops: the time of a fall from one speed to another is the integral of 1/(g mu(v))."""
    time = quad(lambda v: 1.0 / (G * stribeck(v)), 0.3, 0.8, epsabs=1e-13)[0]
    law = lm.Unilateral(friction=STRIBECK)
    errors = [abs(rolled(block(law), [{"along_rate": 0.8}], time, time / n).final[0, 2] - 0.3) for n in (20, 40, 80)]
    assert errors[0] < 1e-3 and errors[1] < 0.27 * errors[0] and errors[2] < 0.27 * errors[1]


def test_a_ball_under_stribecks_law_rolls_where_the_integral_says() -> None:
    """Its slip s falls with 7/2 g mu(s), its speed with 2/7 of that: it rolls with 5/7 v after the integral of v ds/s'."""
    v0, time = 2.0, 0.7
    slipping = quad(lambda s: 1.0 / (3.5 * G * stribeck(s)), 0.0, v0, epsabs=1e-12)[0]
    way = quad(lambda s: (v0 - 2.0 * (v0 - s) / 7.0) / (3.5 * G * stribeck(s)), 0.0, v0, epsabs=1e-12)[0]
    system = ball(lm.Unilateral(friction=STRIBECK))
    found = rolled(system, [{"x_rate": v0, "spin_wy": 0.0}], time, 1e-3)
    final = dict(zip(found.state_names, found.final[0], strict=True))
    assert final["x_rate"] == pytest.approx(5.0 * v0 / 7.0, abs=1e-9)
    assert final["x"] == pytest.approx(way + 5.0 * v0 / 7.0 * (time - slipping), abs=1e-5)


@pytest.mark.parametrize("speed", [1.2, 3.0])
def test_a_landing_has_the_friction_with_which_slips_begin(speed: float) -> None:
    """An impact at u has a friction of mu(0) u in runs with events: not that of the slip, nor the static one, which would stop
    the slower.
    """
    law = lm.Unilateral(friction=STRIBECK, static=0.8)
    start = {"up": 0.2, "along_rate": speed}
    run = lm.simulate(block(law), 0.3, start=start, step=1e-3)
    u = math.sqrt(2.0 * G * 0.2)
    (hit,) = run.events.of(kind="impact").times
    after = int(np.searchsorted(run.time, hit + 1e-9))
    assert run["along_rate"][after] == pytest.approx(speed - stribeck(0.0) * u, abs=1e-2)
    for dt in (1e-3, 1e-4):  # what presses in the rest of the step of the impact has its friction too
        found = rolled(block(law), [start], 0.3, dt).final[0]
        assert found[2] == pytest.approx(run["along_rate"][-1], abs=0.15 * G * dt)
        assert found[0] == pytest.approx(run["along"][-1], abs=G * dt)


def test_a_ball_bounces_with_it_as_with_events() -> None:
    """Two bounces with back spin, each up to a step late: speeds to g h for each."""
    system = ball(lm.Unilateral(friction=STRIBECK, static=0.5, restitution=0.6))
    start = {"x_rate": 1.0, "z": 0.3, "spin_wy": -30.0}
    run = lm.simulate(system, 0.5, start=start, step=2e-3)
    assert [event.kind for event in run.events].count("impact") == 2
    found = rolled(system, [start], 0.5, 5e-4)
    final = dict(zip(found.state_names, found.final[0], strict=True))
    for name, most in (("x_rate", 4e-3), ("z_rate", 1e-2), ("spin_wy", 0.1)):
        assert final[name] == pytest.approx(run[name][-1], abs=most), name


def test_a_flat_terrain_is_a_plane() -> None:
    """Slots of a contact have its law: a ball that slips and rolls, and lands before."""
    plane = ball(lm.Unilateral(friction=STRIBECK, static=0.5))
    terrain = plane.replace(grounds=(lm.Terrain.plane(),))
    starts = [{"x_rate": 2.0, "spin_wy": 0.0}, {"z": 0.15, "y_rate": 1.0}]
    found = [rolled(system, starts, 0.4, 2e-3, target="interpreter").final for system in (plane, terrain)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-10)


def test_four_corners_stick_and_slip_together() -> None:
    """On a slope between both coefficients, at rest and pushed."""
    slope = math.atan(0.3)
    system = sledge(lm.Unilateral(friction=SLIDING, static=STATIC), slope)
    found = rolled(system, [{}, {"speed": 0.5}], 0.2, 1e-3)
    final = [dict(zip(found.state_names, state, strict=True)) for state in found.final]
    assert abs(final[0]["x"]) < 1e-13
    gains = G * (math.sin(slope) - SLIDING * math.cos(slope))
    assert final[1]["x"] == pytest.approx(0.1 + 0.5 * gains * 0.04, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["simd", "interpreter"])
def test_targets_agree(target: str) -> None:
    """Stick and slip of the block, landings, and a plate that slides and turns."""
    law = lm.Unilateral(friction=STRIBECK, static=0.5)
    cases = [
        (pulled(), [{}, {"along_rate": 0.2}, {"up": 0.01}], 2.0),
        (sledge(law, 0.1), [{}, {"speed": 0.5, "sway_speed": 0.2, "yaw_rate": 1.0}], 0.3),
        (ball(law), [{"x_rate": 2.0, "spin_wy": 0.0}, {"z": 0.2, "y_rate": 1.0, "spin_wz": 3.0}], 0.5),
    ]
    for system, starts, time in cases:
        found = [rolled(system, starts, time, 1e-3, target=name).final for name in ("c", target)]
        np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def test_theta_steps_have_it_too() -> None:
    way = quad(lambda v: v / (G * stribeck(v)), 0.0, 1.5, epsabs=1e-12)[0]
    settings = lm.ContactSettings(theta=1.0)
    system = block(lm.Unilateral(friction=STRIBECK, static=0.5))
    found = rolled(system, [{"along_rate": 1.5}, {}], 1.0, 1e-3, settings=settings).final
    assert found[0, 0] == pytest.approx(way, abs=2e-3) and abs(found[0, 2]) < 1e-14 and found[1, 0] == 0.0


def test_the_runtime_for_many_contacts_names_what_it_does_not_take() -> None:
    settings = lm.ContactSettings(solver="runtime")
    with pytest.raises(ContactLawError, match=r"'foot': only friction that is the same at rest and at every speed"):
        lm.compile(pulled(), contacts="time-stepping", settings=settings)
