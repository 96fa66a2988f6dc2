"""Capsules and boxes on terrain: what they touch between their ends and corners."""

import math
from dataclasses import replace

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactKindError, ContactLawError, NegativeLengthError
from locomotor.geometry import Candidate, Feature, Shape
from locomotor.lie import SE3
from locomotor.model import Contact, System
from locomotor.simulation.terrain import footing, rough_contacts

G, RADIUS, MASS = 9.81, 0.05, 2.0
MOMENTS = (0.004, 0.05, 0.05)
HALF = (0.3, 0.1, 0.04)
PLASTIC = lm.Unilateral()


def thing(contact: Contact, ground: lm.Terrain | lm.Plane, moments: tuple[float, float, float] = MOMENTS) -> System:
    """A free body with its mass in the middle."""
    return lm.System(
        "thing",
        bodies=(lm.Body("body", MASS, inertia=moments),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=(contact,),
        forces=(lm.Gravity((0.0, 0.0, -G)),),
        grounds=(ground,),
        nominal={"z": 1.0},
    )


def capsule(kind: type = lm.RollingCapsule, law: lm.Unilateral = PLASTIC) -> Contact:
    return kind("hull", "body", start=(-0.3, 0.0, 0.0), end=(0.3, 0.0, 0.0), radius=RADIUS, law=law)


def box(kind: type = lm.StickingBox, law: lm.Unilateral = PLASTIC) -> Contact:
    return kind("hull", "body", HALF, law=law)


def ridge(fall: float = 0.0) -> lm.Terrain:
    """A sharp ridge along y through the origin, which falls in that direction."""
    y = np.array([-3.0, 3.0])
    return lm.Terrain.heightfield((-2.0, 0.0, 2.0), y, [-4.0 - fall * y, -fall * y, -4.0 - fall * y])


def pyramid() -> lm.Terrain:
    """A corner at the origin."""
    return lm.Terrain("ground", [(0, 0, 0), (1, 0, -2), (0, 1, -2), (-1, 0, -2), (0, -1, -2)],
                      [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1)])  # fmt: skip


def check_sound(run: lm.Run) -> None:
    """The run reached its end, nothing sank, and energy is accounted for."""
    audit = run.audit()
    assert run.status.ok and not audit.failures
    assert run["hull_gap"].min() > -1e-9
    assert audit.residuals["energy_balance"] < 1e-9


@pytest.mark.parametrize("kind", [lm.RollingCapsule, lm.SlidingCapsule, lm.StickingBox, lm.SlidingBox])
@pytest.mark.sampled(2)
def test_what_is_dropped_across_a_ridge_bounces_and_rests_on_it(kind: type) -> None:
    """The ridge is between the ends: touches at sqrt(2h/g), then after flights of 2 e v/g, and rest at the half thickness."""
    e, h = 0.2, 0.05
    law = lm.Unilateral(restitution=e)
    contact, height = (capsule(kind, law), RADIUS) if "Capsule" in kind.__name__ else (box(kind, law), HALF[2])
    run = lm.simulate(thing(contact, ridge()), 0.2, start={"z": height + h}, step=0.002)
    fall = math.sqrt(2.0 * h / G)
    times = sorted({round(event.time, 12) for event in run.events.of(kind="impact")})[:3]
    assert times == pytest.approx([fall, fall * (1.0 + 2.0 * e), fall * (1.0 + 2.0 * e + 2.0 * e**2)], abs=1e-11)
    assert run["z"][-1] == pytest.approx(height, abs=1e-9) and run["hull_closed"][-1] == 1.0
    assert run["hull_normal_force"][-1] == pytest.approx(MASS * G, rel=1e-9)
    check_sound(run)


@pytest.mark.parametrize("kind", [lm.RollingCapsule, lm.SlidingCapsule, lm.StickingBox, lm.SlidingBox])
def test_what_is_dropped_on_a_corner_stands_on_it(kind: type) -> None:
    """The apex of a pyramid under the middle of a face, or of the side."""
    contact, height = (capsule(kind), RADIUS) if "Capsule" in kind.__name__ else (box(kind), HALF[2])
    run = lm.simulate(thing(contact, pyramid()), 0.4, start={"z": height + 0.1}, step=0.001)
    assert run.events[0].time == pytest.approx(math.sqrt(0.2 / G), abs=1e-11)
    assert run["z"][-1] == pytest.approx(height, abs=1e-9)
    assert run["hull_normal_force"][-1] == pytest.approx(MASS * G, rel=1e-9)
    check_sound(run)


def test_a_capsule_rolls_down_along_a_ridge() -> None:
    """Across an edge that falls: g sin(a) r²/(r² + k²) along it, as a cylinder down a plane."""
    fall = math.tan(0.2)
    c, s = math.cos(0.2), math.sin(0.2)
    run = lm.simulate(
        thing(capsule(), ridge(fall)), 0.5, start={"y": RADIUS * s, "z": RADIUS * c}, closed=("hull",), step=0.001
    )
    way = 0.5 * G * s * 0.5**2 / (1.0 + MOMENTS[0] / (MASS * RADIUS**2))
    assert run["y"][-1] - run["y"][0] == pytest.approx(way * c, rel=1e-9)
    assert run["z"][-1] - run["z"][0] == pytest.approx(-way * s, rel=1e-9)
    assert run["roll_rate"][-1] == pytest.approx(-2.0 * way / 0.5 / RADIUS, rel=1e-9)
    check_sound(run)


@pytest.mark.parametrize("mu", [0.1, 0.3])
def test_a_box_slips_down_along_a_ridge_where_friction_is_exhausted(mu: float) -> None:
    """Its edges cross the ridge: g (sin a - mu cos a) along it where tan a > mu, and no motion at all elsewhere."""
    c, s = math.cos(0.2), math.sin(0.2)
    hull = box(law=lm.Unilateral(friction=mu))
    start = {"y": HALF[2] * s, "z": HALF[2] * c, "roll": -0.2}
    run = lm.simulate(thing(hull, ridge(math.tan(0.2))), 0.3, start=start, step=0.005)
    way = max(0.5 * G * (s - mu * c) * 0.3**2, 0.0)
    moved = run["y"][-1] - run["y"][0], run["z"][-1] - run["z"][0]
    assert moved == pytest.approx((way * c, -way * s), abs=1e-9 if way else 1e-15)
    assert run.status.ok and run["hull_gap"].min() > -1e-9
    assert run.audit().residuals["energy_balance"] < 1e-9


@pytest.mark.parametrize("solid", [capsule(), box()])
def test_a_body_that_does_not_slip_topples_about_the_ridge(solid: Contact) -> None:
    """In the plane across the ridge the point that touches is pinned: (I + m d²) w² = 2 m g d (cos a0 - cos a)."""
    height, tilt = (RADIUS, 0.02) if isinstance(solid, lm.RollingCapsule) else (HALF[2], 0.02)
    start = {"x": height * math.sin(tilt), "z": height * math.cos(tilt), "pitch": tilt}
    run = lm.simulate(thing(solid, ridge()), 0.9, start=start, closed=("hull",), step=0.001)
    a = run["pitch"]
    assert a[-1] > 0.1
    speed = 2.0 * MASS * G * height * (math.cos(tilt) - np.cos(a)) / (MOMENTS[1] + MASS * height**2)
    assert run["pitch_rate"] ** 2 == pytest.approx(speed, abs=1e-9)
    assert run["x"] == pytest.approx(height * np.sin(a), abs=1e-9)
    check_sound(run)


def test_a_smooth_plank_slides_down_from_a_kerb() -> None:
    """Its lower corners on the road and its lower edges across the kerb: one angle, so that energy gives its rate."""
    h, angle = 0.18, 0.5
    a, t = HALF[0], HALF[2]

    def middle(th: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From the kerb's edge to the middle of the plank, whose lower left corner is on the road."""
        return -h / np.tan(th) + a * np.cos(th) - t * np.sin(th), a * np.sin(th) + t * np.cos(th)

    x0, z0 = middle(np.array(angle))
    kerb = lm.Terrain.from_profile([(-3.0, 0.0), (0.0, 0.0), (0.0, h), (3.0, h)])
    run = lm.simulate(
        thing(box(lm.SlidingBox), kerb), 0.2, start={"x": float(x0), "z": float(z0), "pitch": -angle}, step=0.0005
    )
    th, eps = -run["pitch"], 1e-6
    assert th[-1] < angle - 0.05
    # Velocity of the middle per unit of angle, by central differences, whose error is of the order of eps².
    dx, dz = ((plus - minus) / (2.0 * eps) for plus, minus in zip(middle(th + eps), middle(th - eps), strict=True))
    assert run["x"] == pytest.approx(middle(th)[0], abs=1e-9) and run["z"] == pytest.approx(middle(th)[1], abs=1e-9)
    rate = 2.0 * MASS * G * (z0 - run["z"]) / (MOMENTS[1] + MASS * (dx**2 + dz**2))
    assert run["pitch_rate"] ** 2 == pytest.approx(rate, abs=1e-8)
    check_sound(run)


@pytest.mark.parametrize("solid", [capsule(), capsule(lm.SlidingCapsule), box(), box(lm.SlidingBox)])
@pytest.mark.sampled(1)
def test_oblique_motion_on_a_sharp_support_keeps_energy_and_gap(solid: Contact) -> None:
    """Yawing, rolling and sliding at once: the rates of normal and contact point are exact, or the gap would not stay."""
    height = RADIUS if "Capsule" in type(solid).__name__ else HALF[2]
    for ground in (ridge(), pyramid()):
        start = {"z": height, "yaw": 0.4, "yaw_rate": 1.5, "pitch_rate": 0.3}
        run = lm.simulate(thing(solid, ground), 0.2, start=start, closed=("hull",), step=0.001, drift_time=None)
        assert run["hull_closed"].all()
        assert np.abs(run["hull_gap"]).max() < 1e-9
        check_sound(run)


@pytest.mark.slow
def test_a_plank_across_two_kerbs_and_a_floor_of_its_own() -> None:
    """Dropped on two ridges it rests on four crossings; on a flat terrain a box rests on corners, a capsule on both ends."""
    profile = [(-2, -1), (-0.2, -1), (-0.15, 0), (-0.1, -1), (0.1, -1), (0.15, 0), (0.2, -1), (2, -1)]
    floor = lm.Terrain.plane()
    for solid, ground in ((box(), lm.Terrain.from_profile(profile)), (box(), floor), (capsule(), floor)):
        height = RADIUS if isinstance(solid, lm.RollingCapsule) else HALF[2]
        run = lm.simulate(thing(solid, ground), 0.15, start={"z": height + 0.05}, step=0.002)
        assert run["z"][-1] == pytest.approx(height, abs=1e-9)
        assert run["hull_normal_force"][-1] == pytest.approx(MASS * G, rel=1e-9)
        check_sound(run)


@pytest.mark.slow
def test_a_tilted_box_lands_on_one_corner_and_then_on_the_others() -> None:
    """It stands with one part on a flat piece, and comes down on the same piece with others."""
    start = {"z": 0.3, "roll": 0.1, "pitch": 0.2}
    run = lm.simulate(thing(box(lm.SlidingBox), lm.Terrain.plane()), 1.0, start=start, step=0.001)
    assert run["z"][-1] == pytest.approx(HALF[2], abs=1e-6)
    check_sound(run)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [lm.RollingCapsule, lm.SlidingCapsule, lm.SlidingBox])  # a box that sticks may jam
def test_solids_tumble_over_rough_ground_without_sinking(kind: type, rng: np.random.Generator) -> None:
    """Bounces on whatever comes: faces, edges and corners of a random surface, with all parts of the body."""
    line = np.linspace(-1.5, 1.5, 10)
    ground = lm.Terrain.heightfield(line, line, rng.uniform(-0.12, 0.12, (10, 10)))
    law = lm.Unilateral(restitution=0.3)
    solid = capsule(kind, law) if "Capsule" in kind.__name__ else box(kind, law)
    start = {"z": 0.6, **{name: rng.uniform(-0.8, 0.8) for name in ("roll", "pitch", "yaw", "x", "y", "pitch_rate")}}
    run = lm.simulate(thing(solid, ground, (0.03, 0.04, 0.05)), 0.6, start=start, step=0.001)
    audit = run.audit()
    assert run.status.ok and not audit.failures and len(run.events) > 5
    # Many short flights at a step of a millisecond: fourth-order errors of some 1e-9.
    assert run["hull_gap"].min() > -1e-8 and audit.residuals["energy_balance"] < 1e-7


def test_solids_are_refused_where_they_make_no_sense() -> None:
    with pytest.raises(ContactLawError, match="use capsule_ends"):
        thing(capsule(), lm.Plane())
    with pytest.raises(ContactLawError, match="use box_corners"):
        thing(box(), lm.Plane())
    with pytest.raises(NegativeLengthError, match="both ends are at"):
        lm.RollingCapsule("hull", "body", (0, 0, 0), (0, 0, 0), 0.1)
    with pytest.raises(NegativeLengthError, match=r"half size along y is 0\.0 m"):
        lm.StickingBox("hull", "body", (0.1, 0.0, 0.1))


def test_an_edge_under_a_shape_of_which_nothing_is_known_is_refused() -> None:
    """It was taken for a ball."""

    class Odd(Shape):
        """A shape of somebody else's."""

    (rough,) = rough_contacts(thing(capsule(), lm.Terrain.kerb(0.1)), {})
    edge = Candidate(Feature("edge", 0), 0, 0.0, *np.eye(3), np.eye(3)[0])
    with pytest.raises(ContactKindError, match="nothing says how its shape, a Odd, stands on an edge"):
        footing(replace(rough, shape=Odd(np.zeros(3))), edge, SE3.identity())
