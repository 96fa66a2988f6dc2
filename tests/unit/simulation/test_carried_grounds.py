"""Contacts between two bodies: grounds that a body carries, and round ones, beside closed forms."""

import math
from functools import cache

import numpy as np
import pytest

import locomotor as lm

GRAVITY = 9.81
RADIUS = 0.1
LEFT = (0.0, 1.0, 0.0)


def in_plane(name, body, turning=True):
    """Frames, joints and the body that move in the vertical plane: coordinates <name>_x, <name>_z and <name>_turn."""
    slider, rider = f"{name}_slider", f"{name}_rider"
    frames = [lm.Frame(slider)] + ([lm.Frame(rider)] if turning else [])
    joints = [
        lm.Prismatic(name=f"{name}_x", parent="world", child=slider, axis=(1.0, 0.0, 0.0)),
        lm.Prismatic(name=f"{name}_z", parent=slider, child=rider if turning else body.name, axis=(0.0, 0.0, 1.0)),
    ]
    if turning:
        joints.append(lm.Revolute(name=f"{name}_turn", parent=rider, child=body.name, axis=LEFT))
    return [*frames, body], joints


def sphere(name, mass=1.0, radius=RADIUS):
    return lm.Body(name, mass=mass, inertia=np.full(3, 0.4 * mass * radius**2))


def built(name, parts, contacts, grounds, gravity=True, **parameters):
    bodies, joints = ([entry for part in parts for entry in part[k]] for k in range(2))
    forces = [lm.Gravity((0.0, 0.0, -GRAVITY))] if gravity else []
    return lm.System(name, bodies, joints, contacts=contacts, grounds=grounds, forces=forces, parameters=parameters)


# -- two balls that collide -----------------------------------------------------------------------------------


@cache
def two_balls():
    return built(
        "two_balls",
        [in_plane("a", sphere("ball")), in_plane("b", sphere("other", mass=2.0))],
        [
            lm.RollingSphere(
                "touch",
                body="ball",
                centre=(0.0, 0.0, 0.0),
                radius=RADIUS,
                ground="skin",
                law=lm.Unilateral(restitution=0.8, friction="mu"),
            )
        ],
        [lm.Ball("skin", "other", radius=RADIUS)],
        gravity=False,
        mu=0.05,
    )


@pytest.mark.parametrize("mu", [1.0, pytest.param(0.05, marks=pytest.mark.slow)])
def test_two_balls_that_collide_obliquely_follow_newton_and_coulomb(mu):
    """One of 1 kg meets one of 2 kg at rest, aside by one radius: it slips at a small friction and rolls at a large one."""
    aside, speed, masses = RADIUS, 2.0, (1.0, 2.0)
    run = lm.simulate(two_balls(), 0.6, start={"a_x": -1.0, "a_x_rate": speed, "b_z": -aside}, step=0.01, parameters={"mu": mu})
    normal = np.array([-math.sqrt(4.0 * RADIUS**2 - aside**2), aside]) / (2.0 * RADIUS)
    along = np.array([-normal[1], normal[0]])
    before = np.array([speed, 0.0])
    light = sum(1.0 / mass for mass in masses)
    push = -1.8 * float(normal @ before) / light
    slip = float(along @ before)
    rub = -math.copysign(min(mu * push, abs(slip) / (3.5 * light)), slip)
    impulse = push * normal + rub * along
    found = [[run[f"{name}_{axis}_rate"][-1] for axis in "xz"] for name in "ab"]
    np.testing.assert_allclose(found, [before + impulse / masses[0], -impulse / masses[1]], rtol=0.0, atol=1e-12)
    # The torque about y of a force (f_x, f_z) at (x, z) is z f_x - x f_z; both are struck at the opposite side.
    torque = -RADIUS * (normal[1] * impulse[0] - normal[0] * impulse[1])
    spins = [torque / (0.4 * mass * RADIUS**2) for mass in masses]
    np.testing.assert_allclose([run["a_turn_rate"][-1], run["b_turn_rate"][-1]], spins, rtol=0.0, atol=1e-10)
    assert [event.kind for event in run.events if event.kind == "impact"] == ["impact"]


@pytest.mark.slow
def test_three_balls_pass_on_a_blow():
    """1, 2 and 4 kg in a row, elastic: a ball m that meets one of M at rest gives it 2 m/(m + M) of its speed."""
    names, masses = ("one", "two", "three"), (1.0, 2.0, 4.0)
    touches = [
        lm.SlidingSphere(f"{a}_{b}", a, (0.0, 0.0, 0.0), RADIUS, ground=f"{b}_skin", law=lm.Unilateral(restitution=1.0))
        for a, b in (("one", "two"), ("two", "three"))
    ]
    system = built(
        "three_balls",
        [in_plane(name, sphere(name, mass), turning=False) for name, mass in zip(names, masses, strict=True)],
        touches,
        [lm.Ball(f"{name}_skin", name, radius=RADIUS) for name in names[1:]],
        gravity=False,
    )
    run = lm.simulate(system, 1.0, start={"one_x": -0.5, "one_x_rate": 3.0, "three_x": 0.3}, step=0.01)
    middle = 2.0 * 3.0 / (1.0 + 2.0)
    last = 2.0 * 2.0 * middle / (2.0 + 4.0)
    assert run["three_x_rate"][-1] == pytest.approx(last, rel=1e-12)
    assert run["one_x_rate"][-1] == pytest.approx(-1.0, rel=1e-12)
    assert run["two_x_rate"][-1] == pytest.approx((1.0 * 3.0 + 1.0 - 4.0 * last) / 2.0, rel=1e-12)


# -- on a hill ------------------------------------------------------------------------------------------------


EDGE = lm.Block("hill", "world", half_sizes=(1.0, 1.0, 0.5), centre=(-1.0, 0.0, -0.5))
LOG = lm.Bar("hill", "world", start=(0.0, -1.0, 0.0), end=(0.0, 1.0, 0.0), radius=0.5)


def hill(kind, ground):
    """A ball on a round ground, which the world carries or a body that is moved with a constant velocity."""
    parts = [in_plane("a", sphere("ball"))]
    if ground.body != "world":
        cart = lm.Body("cart", mass=3.0, inertia=np.ones(3))
        ride = lm.Prismatic(name="ride", parent="world", child="cart", axis=(1.0, 0.0, 0.0), drive=lm.Motion("0.7*t"))
        parts.append(([cart], [ride]))
    touch = kind("touch", body="ball", centre=(0.0, 0.0, 0.0), radius=RADIUS, ground="hill", law=lm.Unilateral())
    return built("hill", parts, [touch], [ground])


@pytest.mark.parametrize(
    ("kind", "ground", "length", "cosine"),
    [
        (lm.SlidingSphere, lm.Ball("hill", "world", radius=0.5), 0.6, 2.0 / 3.0),
        pytest.param(lm.RollingSphere, EDGE, 0.1, 10.0 / 17.0, marks=pytest.mark.slow),
        pytest.param(lm.RollingSphere, LOG, 0.6, 10.0 / 17.0, marks=pytest.mark.slow),
        pytest.param(lm.RollingSphere, lm.Ball("hill", "world", radius=0.5), 0.6, 10.0 / 17.0, marks=pytest.mark.slow),
        pytest.param(lm.RollingSphere, lm.Ball("hill", "cart", radius=0.5), 0.6, 10.0 / 17.0, marks=pytest.mark.slow),
    ],
)
def test_a_ball_leaves_a_hill_where_its_normal_force_vanishes(kind, ground, length, cosine):
    """From rest on top: at cos(angle) = 2/3 where it slides, at 10/17 where it rolls; so on a hill that moves steadily.

    An edge is a hill without a radius of its own.
    """
    begin, ride = 0.1, 0.0 if ground.body == "world" else 0.7
    start = {"a_x": length * math.sin(begin), "a_z": length * math.cos(begin), "a_x_rate": ride, "a_z_rate": 0.0}
    run = lm.simulate(hill(kind, ground), 1.0, start=start, step=0.002)
    (left,) = (event for event in run.events if event.kind == "lift-off")
    at = int(np.searchsorted(run.time, left.time))
    assert float(np.interp(left.time, run.time, run["a_z"])) / length == pytest.approx(cosine * math.cos(begin), abs=1e-9)
    assert abs(run["touch_gap"][:at]).max() < 1e-9


@pytest.mark.slow
def test_a_ball_in_a_bowl_swings_like_a_pendulum():
    """It rolls inside a sphere: small swings have the period 2 pi sqrt(7 (R - r)/(5 g))."""
    touch = lm.RollingSphere("touch", body="ball", centre=(0.0, 0.0, 0.0), radius=RADIUS, ground="bowl", law=lm.Unilateral())
    system = built("bowl", [in_plane("a", sphere("ball"))], [touch], [lm.Ball("bowl", "world", radius=0.5, inside=True)])
    length, angle = 0.5 - RADIUS, 1e-3
    period = 2.0 * math.pi * math.sqrt(7.0 * length / (5.0 * GRAVITY))
    run = lm.simulate(
        system, period, start={"a_x": length * math.sin(angle), "a_z": -length * math.cos(angle)}, step=period / 400
    )
    assert run["a_x"][-1] == pytest.approx(length * math.sin(angle), rel=1e-6)
    assert run["a_x"][200] == pytest.approx(-length * math.sin(angle), rel=1e-6)


# -- on a cart that accelerates -------------------------------------------------------------------------------


@pytest.mark.parametrize(("pull", "mu"), [(2.0, 0.3), pytest.param(6.0, 0.1, marks=pytest.mark.slow)])
def test_a_ball_on_a_cart_that_accelerates_rolls_or_slips(pull, mu):
    """Rolling, a ball takes 2/7 of the acceleration of what it stands on; where friction lacks for that, mu g."""
    cart = lm.Body("cart", mass=5.0, inertia=np.ones(3))
    ride = lm.Prismatic(name="ride", parent="world", child="cart", axis=(1.0, 0.0, 0.0), drive=lm.Motion("pull*t**2/2"))
    touch = lm.RollingSphere(
        "touch", body="ball", centre=(0.0, 0.0, 0.0), radius=RADIUS, ground="top", law=lm.Unilateral(friction="mu")
    )
    system = built(
        "cart",
        [([cart], [ride]), in_plane("a", sphere("ball"))],
        [touch],
        [lm.Plane("top", point=(0.0, 0.0, 0.5), body="cart")],
        pull=pull,
        mu=mu,
    )
    run = lm.simulate(system, 1.0, start={"a_z": 0.5 + RADIUS}, step=0.01)
    taken = min(2.0 / 7.0 * pull, mu * GRAVITY)
    assert run["a_x_rate"][-1] == pytest.approx(taken, rel=1e-12)
    assert run["a_turn_rate"][-1] == pytest.approx(-2.5 * taken / RADIUS, rel=1e-12)
    assert run["touch_force_x"][50] == pytest.approx(taken, rel=1e-10)
    # The drive of the cart bears its inertia and the force of the ball.
    assert run["ride_drive_torque"][50] == pytest.approx(5.0 * pull + taken, rel=1e-10)


# -- stacks ---------------------------------------------------------------------------------------------------

HALF = 0.1


def block(name, mass):
    return lm.Body(name, mass=mass, inertia=np.full(3, mass * (2.0 * HALF) ** 2 / 6.0))


def feet(name, body, ground, mu):
    """The two lower corners of a block in the plane."""
    return [
        lm.StickingPoint(f"{name}_{side}", body=body, at=(x, 0.0, -HALF), ground=ground, law=lm.Unilateral(friction=mu))
        for side, x in (("back", -HALF), ("front", HALF))
    ]


@cache
def stack():
    """A block of 1 kg on one of 3 kg, on a slope; the upper one rubs with the friction `top`."""
    return built(
        "stack",
        [in_plane("a", block("lower", 3.0)), in_plane("b", block("upper", 1.0))],
        [*feet("low", "lower", "ground", "mu"), *feet("high", "upper", "lid", "top")],
        [lm.Plane(normal=("sin(slope)", 0.0, "cos(slope)")), lm.Plane("lid", point=(0.0, 0.0, HALF), body="lower")],
        slope=0.2,
        mu=0.5,
        top=0.5,
    )


def on_slope(slope):
    """Both blocks at rest, one above the other along the normal."""
    start = {}
    for name, height in (("a", HALF), ("b", 3.0 * HALF)):
        start |= {f"{name}_x": height * math.sin(slope), f"{name}_z": height * math.cos(slope), f"{name}_turn": slope}
    return start


@pytest.mark.slow
def test_two_blocks_on_a_slope_stay_exactly_and_share_their_weight():
    run = lm.simulate(stack(), 5.0, start=on_slope(0.2), step=0.01)
    for name in ("a_x", "a_z", "b_x", "b_z"):
        assert abs(run[name] - run[name][0]).max() < 1e-14
    across = GRAVITY * math.cos(0.2)
    assert run["low_back_normal_force"][-1] + run["low_front_normal_force"][-1] == pytest.approx(4.0 * across, rel=1e-12)
    assert run["high_back_normal_force"][-1] + run["high_front_normal_force"][-1] == pytest.approx(across, rel=1e-12)


@pytest.mark.slow
def test_the_upper_block_slides_down_the_lower_one_where_its_friction_lacks():
    """Its acceleration is g (sin - top cos), and the lower one stays."""
    run = lm.simulate(stack(), 0.5, start=on_slope(0.2), step=0.005, parameters={"top": 0.1})
    along = math.hypot(run["b_x"][-1] - run["b_x"][0], run["b_z"][-1] - run["b_z"][0])
    assert along == pytest.approx(0.125 * GRAVITY * (math.sin(0.2) - 0.1 * math.cos(0.2)), rel=1e-10)
    assert abs(run["a_x"] - run["a_x"][0]).max() < 1e-13


@pytest.mark.slow
def test_a_stack_in_steps_agrees_with_the_run():
    """Time-stepping: both blocks stay without creep where they do, and the upper one slides as in the run."""
    system = stack()
    # Sweeps bring a contact that sticks beside one that slips to rest by and by.
    settings = lm.ContactSettings(sweeps=100)
    compiled = lm.compile(system, contacts="time-stepping", free=("top",), target="c", settings=settings)
    start = compiled.start(on_slope(0.2))
    names = compiled.state_names
    still = compiled.rollout(start, 500, 0.01, parameters=[0.5])
    assert abs(still.states[:, names.index("b_x")] - start[names.index("b_x")]).max() < 1e-12
    run = lm.simulate(system, 0.5, start=on_slope(0.2), step=0.005, parameters={"top": 0.1})
    moved = compiled.rollout(start, 500, 0.001, parameters=[0.1])
    for name in ("a_x", "b_x", "b_z", "b_turn"):
        assert moved.final[names.index(name)] == pytest.approx(run[name][-1], abs=1e-7)


# -- capsules that cross --------------------------------------------------------------------------------------


def crossed(kind):
    """A rod along x above a bar along y."""
    return lm.System(
        "crossed",
        bodies=[lm.Body("rod", mass=1.0, inertia=(0.002, 0.03, 0.03))],
        joints=[lm.Free(name="base", parent="world", child="rod")],
        contacts=[kind("touch", "rod", (-0.3, 0.0, 0.0), (0.3, 0.0, 0.0), 0.04, ground="bar", law=lm.Unilateral())],
        forces=[lm.Gravity((0.0, 0.0, -GRAVITY))],
        grounds=[lm.Bar("bar", "world", start=(0.0, -0.5, 0.0), end=(0.0, 0.5, 0.0), radius=0.06)],
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", [lm.SlidingCapsule, lm.RollingCapsule])
def test_a_capsule_that_falls_across_another_strikes_it_off_centre_and_goes_on(kind):
    """Aside by 5 cm it is struck by v/(1/m + d²/I); then it slides or rolls over the bar, turns and yaws without loss."""
    aside, drop, yaw = 0.05, 0.1, 0.5 if kind is lm.RollingCapsule else 0.0
    start = {"x": aside, "z": 0.1 + drop, "yaw_rate": yaw, "sway_speed": 0.1}
    run = lm.simulate(crossed(kind), 0.35, start=start, step=0.002)
    strike = run.events[0]
    assert strike.time == pytest.approx(math.sqrt(2.0 * drop / GRAVITY), rel=1e-12)
    lever = aside / math.cos(yaw * strike.time)
    if kind is lm.SlidingCapsule:
        assert strike.impulse[0] == pytest.approx(GRAVITY * strike.time / (1.0 + lever**2 / 0.03), rel=1e-9)
    assert run.audit()["energy_balance"] < 1e-8
    assert abs(run["touch_gap"][run["touch_closed"] > 0.0]).max() < 1e-9


@pytest.mark.slow
def test_a_block_that_falls_on_its_side_lies_there():
    """In its nominal pose the corners of that side are above each other, where no velocities hold both.

    A corner that lifts off 2e-10 m inside, by the error of the steps, comes down to the ground, and not to that again.
    """
    law = lm.Unilateral(friction=0.7)
    corners = [
        lm.StickingPoint(f"c{i}{j}", "block", (x, 0.0, z), law=law)
        for i, x in enumerate((-HALF, HALF))
        for j, z in enumerate((-HALF, HALF))
    ]
    system = built("fallen", [in_plane("b", block("block", 1.0))], corners, [lm.Plane()])
    run = lm.simulate(system, 0.6, start={"b_z": 0.2, "b_turn": 0.5 * math.pi - 0.3, "b_x_rate": 0.0}, step=0.005)
    assert run.status.outcome.name == "COMPLETED"
    assert run["b_z"][-1] == pytest.approx(HALF, abs=1e-12)
    assert run["b_turn"][-1] == pytest.approx(0.5 * math.pi, abs=1e-11)
