"""What a run with events keeps: the table, energies and momentum, audit, files, plots."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import locomotor as lm
from locomotor.mechanics.constraints import contacts_at
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.momentum import spatial_momentum
from locomotor.simulation.records.quadrature import integral, jumps, pieces
from locomotor.simulation.status import Event, Events

Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def landing() -> lm.Run:
    """A bicycle that lands on its front wheel, flies up at the rear and lands again (test 4 of the thesis)."""
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    return lm.simulate(bike, 0.6, start={"z": 0.3, "pitch": -0.174, "front_wheel_rate": -200.0})


@pytest.fixture(scope="module")
def bounces() -> lm.Run:
    """The elastic bounces of test 1."""
    return lm.scenarios.scenario("bicycle/T1").run()


# -- the table ------------------------------------------------------------------------------------------------


def test_the_events_are_a_table(landing: lm.Run) -> None:
    lines = str(landing.events).splitlines()
    assert lines[0].split() == ["time", "(s)", "event", "normal,", "tangential", "impulse", "(N", "s)", "energy", "lost", "(J)"]
    assert lines[1].split()[:3] == ["0.184989083", "front", "impact"] and lines[1].endswith("5475.83")
    assert lines[2].split() == ["0.184989083", "rear", "lift-off", "0"]  # what one wheel hits with lifts the other
    assert len(lines) == 5
    assert repr(Events()) == "no events"


def test_events_can_be_selected(landing: lm.Run) -> None:
    events = landing.events
    assert [e.time for e in events.of("front")] == [events[0].time, events[3].time]
    assert [(e.contact, e.time) for e in events.of(kind="lift-off")] == [("rear", events[0].time)]
    assert isinstance(events[:2], Events) and isinstance(events[0], Event)
    assert events.of("rear", "impact").times == [events[2].time]
    # Two contacts share the second impact: its loss counts once.
    assert events.energy_lost == pytest.approx(events[0].energy_lost + events[2].energy_lost, rel=1e-14)


def test_no_event_is_later_than_the_end_of_its_run() -> None:
    """A ball whose last bounces are summed comes to rest when their series ends, which the run does not wait for."""
    ball = lm.System(
        "ball",
        [lm.Body("b", 1.0, inertia=(0.01, 0.01, 0.01))],
        [lm.Free(name="a", parent="world", child="b")],
        contacts=[lm.RollingSphere("s", "b", (0, 0, 0), 0.1, law=lm.Unilateral(friction=0.3, restitution=0.5))],
        forces=[lm.Gravity((0, 0, -9.81))],
    )
    struck, rests = lm.simulate(ball, 1.5, start={"z": 0.5}, step=0.01).events[-2:]
    # Flights halve: sqrt(2 h/g) (1 + 2/2 + 2/4 + ...) with h = 0.4 m.
    assert rests.kind == "rest" and rests.time == pytest.approx(3.0 * (0.8 / 9.81) ** 0.5, abs=1e-9)
    between = 0.25 * struck.time + 0.75 * rests.time  # the last touch, from which on they are summed, is half way
    run = lm.simulate(ball, 1.5, start={"z": 0.5}, step=0.01, ends={"over": f"{between!r} - t"})
    assert [event.name for event in run.events[-2:]] == ["s rest", "over"]
    assert run.events[-2].time == run.events[-1].time == run.time[-1] == pytest.approx(between, abs=1e-12)


@pytest.mark.parametrize(
    ("mu", "contact", "instant", "start"),
    [
        (1.342, "c_ppm", 0.608009, (-0.155, 0.179, -9.51, 3.469, 8.382, 0.392, 0.463)),
        (0.991, "c_mmm", 0.408781, (-0.509, 0.537, -5.767, 6.625, -8.746, 0.391, -0.403)),
    ],
)
def test_no_ground_pulls_at_a_corner_that_comes_to_rest(
    mu: float, contact: str, instant: float, start: tuple[float, ...]
) -> None:
    """Another corner's impact lifts it by so little that its bounces are summed: what stops it is weight, not the ground."""
    box = lm.System(
        "box",
        [lm.Body("b", 1.0, inertia=(0.01, 0.02, 0.03))],
        [lm.Free(name="a", parent="world", child="b")],
        contacts=lm.box_corners("c", "b", (0.2, 0.15, 0.05), law=lm.Unilateral(friction=mu)),
        forces=[lm.Gravity((0, 0, -9.81))],
    )
    names = ("speed", "sway_speed", "pitch_rate", "yaw_rate", "roll_rate", "pitch", "roll")
    run = lm.simulate(box, instant + 0.01, step=0.002, start={"z": 0.6, **dict(zip(names, start, strict=True))})
    (rest,) = (event for event in run.events.of(contact, "rest") if abs(event.time - instant) < 1e-5)
    assert rest.impulse == rest.impulse_vector == (0.0, 0.0, 0.0)
    assert all(event.impulse[0] >= 0.0 for event in run.events)


# -- energy and momentum --------------------------------------------------------------------------------------


def test_elastic_impacts_keep_the_energy(bounces: lm.Run) -> None:
    assert len(bounces.events) >= 5
    assert np.abs(bounces.energy / bounces.energy[0] - 1).max() < 1e-9
    for event in bounces.events:
        assert abs(event.energy_lost) < 1e-9 * event.energy_before


def test_momentum_jumps_by_the_impulses_and_by_nothing_else(bounces: lm.Run, landing: lm.Run) -> None:
    for run in (bounces, landing):
        momentum = np.stack([run[f"linear_momentum_{axis}"] for axis in "xyz"], axis=1)
        angular = np.stack([run[f"angular_momentum_{axis}"] for axis in "xyz"], axis=1)
        for time in {event.time for event in run.events}:
            first, last = (int(np.searchsorted(run.time, time, side)) for side in ("left", "right"))
            here = [event for event in run.events if event.time == time]
            given = sum((np.array(event.impulse_vector) for event in here), np.zeros(3))
            change = momentum[last - 1] - momentum[first]
            # Momenta of some hundred N s.
            np.testing.assert_allclose(change, given, atol=1e-10)
            turned = sum((np.cross(place(run, e.contact, first), e.impulse_vector) for e in here), np.zeros(3))
            np.testing.assert_allclose(angular[last - 1] - angular[first], turned, atol=1e-10)


def place(run: lm.Run, contact: str, sample: int) -> Array:
    """Where a wheel touches: straight below its hub, in its plane; computed from the pose."""
    assert run.system is not None
    layout = run.system.layout
    q, v = (np.array([run[s.name][sample] for s in symbols]) for symbols in (layout.coordinates, layout.velocities))
    (rows,) = contacts_at(forward(Instant(run.system, q, v)), [run.system.contact(contact)])
    return np.asarray(rows.position, dtype=float)


def test_momentum_about_the_centre_of_mass_is_constant_in_flight(bounces: lm.Run) -> None:
    """Between impacts only gravity acts: the angular momentum about the centre of mass stays as it is."""
    system = bounces.system
    assert system is not None
    layout = system.layout

    def about_centre(k: int) -> Array:
        q = np.array([bounces[symbol.name][k] for symbol in layout.coordinates])
        v = np.array([bounces[symbol.name][k] for symbol in layout.velocities])
        kinematics = forward(Instant(system, q, v))
        linear, angular = spatial_momentum(kinematics)
        moment = sum(
            (link.inertia.mass * pose.translation + pose.rotation @ link.inertia.moment
             for link, pose in zip(kinematics.links, kinematics.poses, strict=True)),
            np.zeros(3),
        )  # fmt: skip
        return np.asarray(angular - np.cross(moment / 94.0, linear))

    checked = 0
    for piece in pieces(bounces.time):
        if piece.stop - piece.start > 30 and bounces["front_closed"][piece].max() == bounces["rear_closed"][piece].max() == 0.0:
            samples = np.linspace(piece.start, piece.stop - 1, 6).astype(int)
            found = np.array([about_centre(int(k)) for k in samples])
            # The error of Runge-Kutta 4 at 0.5 ms, relative to some 50 N m s; worst seen 2e-11.
            assert np.abs(found - found[0]).max() < 1e-10 * max(1.0, float(np.abs(found).max()))
            checked += 1
    assert checked >= 4


def test_the_audit_knows_of_events(landing: lm.Run, bounces: lm.Run) -> None:
    audit = landing.audit(halve=True)
    assert audit["energy_balance"] < 1e-12 and audit.work["impacts"] == pytest.approx(-landing.events.energy_lost, rel=1e-12)
    assert "impacts -5516 J" in str(audit)
    # Only wheels on the ground have a gap to be closed.
    assert audit["largest_gap"] < 1e-9 < landing["front_gap"].max() and audit["largest_slip"] < 1e-10
    assert audit.digits is not None and audit.digits >= 8
    assert bounces.audit()["energy_balance"] < 1e-11


def test_work_and_jumps_of_interrupted_samples() -> None:
    time = np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
    values = np.array([0.0, 0.5, 1.0, 3.0, 3.5, 4.0])
    assert [(p.start, p.stop) for p in pieces(time)] == [(0, 3), (3, 6)]
    np.testing.assert_allclose(integral(time, values), [0.0, 0.125, 0.5, 0.5, 2.125, 4.0])
    np.testing.assert_allclose(jumps(time, values), [0.0, 0.0, 0.0, 2.0, 2.0, 2.0])


# -- files and pictures ---------------------------------------------------------------------------------------


def test_events_are_saved_and_read_back(landing: lm.Run, tmp_path: Path) -> None:
    again = lm.load(landing.save(tmp_path / "landing.nc"))
    assert again.events == landing.events and isinstance(again.events, Events)
    assert str(again.events) == str(landing.events)
    np.testing.assert_array_equal(again["rear_closed"], landing["rear_closed"])
    assert again.system == landing.system
    assert again.audit()["energy_balance"] == landing.audit()["energy_balance"]


@pytest.mark.parametrize("kind", ["events", "energy", "forces", "curves", "side"])
def test_every_plot_of_a_run_with_events(landing: lm.Run, tmp_path: Path, kind: str) -> None:
    names = ("speed", "rear_gap") if kind == "curves" else ()
    figure = landing.plot(*names, kind=kind, path=tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    if kind == "events":
        panels = {word: axes for axes in figure.axes for word in ("gap", "impulse", "energy") if word in axes.get_ylabel()}
        assert len(panels) == 3
        assert len(panels["impulse"].collections) + len(panels["impulse"].lines) >= 2


def test_a_run_without_events_has_no_plot_of_them() -> None:
    run = lm.simulate(lm.catalogue.bicycle(), 0.05, start={"speed": 5.0})
    with pytest.raises(lm.errors.UnknownNameError, match="no contact of it opens or closes"):
        run.plot(kind="events")


def test_work_of_a_motor_through_an_impact_is_told_apart_from_what_is_lost() -> None:
    """The tail of the climbing robot gives way in an impact, and its motor takes its velocity back: that work is not a loss."""
    run = lm.simulate(lm.catalogue.rocr(), 1.0)
    grips = run.events.of(kind="grip")
    assert len(grips) >= 2
    for event in grips:
        assert event.energy_lost >= 0.0 and event.work > 0.5
        assert event.energy_after - event.energy_before == pytest.approx(event.work - event.energy_lost, abs=1e-12)
        assert "work of imposed motions" in event.description
    assert run.audit()["impact_energy"] < 1e-9
    assert run.events.work == pytest.approx(sum(event.work for event in grips))


@pytest.mark.slow
def test_a_hopper_that_topples_does_not_chatter() -> None:
    run = lm.simulate(lm.catalogue.hopper(), 1.0)
    assert run.status.ok and len(run.events) < 10


def test_all_modes_of_one_model_are_read_as_each_is_alone() -> None:
    start = {"z": 0.7, "roll": 0.3, "speed": 1.2, "pitch_rate": 4.0}
    run = lm.simulate(lm.catalogue.tumbling_box(), 0.8, start=start)
    assert run.settings["solver"] == "runtime" and run.settings["segments"] > 5
    names = [name.removesuffix("_closed") for name in run.channels if name.endswith("_closed")]
    seen: set[float] = set()
    for name in names:
        closed, gap, force = (run[f"{name}_{kind}"] for kind in ("closed", "gap", "normal_force"))
        assert set(closed) <= {0.0, 1.0}
        assert np.abs(gap[closed == 1.0]).max(initial=0.0) < 1e-6
        assert not force[closed == 0.0].any()
        assert gap[closed == 0.0].min(initial=0.0) > -1e-6
        np.testing.assert_allclose(run[f"{name}_force_z"], force, rtol=0.0, atol=1e-9)  # the ground is level
        seen |= set(closed)
    assert seen == {0.0, 1.0}
