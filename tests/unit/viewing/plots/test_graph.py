"""States as a graph, and colours that tell which contacts are closed."""

from pathlib import Path

import pytest

import locomotor as lm
from locomotor.errors import UnknownNameError
from locomotor.scenarios import scenario
from locomotor.viewing.plots.contact_colours import colour_of, name_of, stretches
from locomotor.viewing.plots.graph import plot_graph, ways
from locomotor.viewing.plots.style import COLOURS, QUIET


@pytest.fixture(scope="module")
def landing() -> lm.Run:
    return scenario("bicycle/T4").run()


def test_the_ways_of_the_landing_are_those_of_the_thesis(landing: lm.Run) -> None:
    """Fig. 4.23 and 4.26: on the rear wheel, then on the front one alone, then on both."""
    found = [(way.origin, way.target) for way in ways(landing)]
    assert found == [(("rear",), ("front",)), (("front",), ("rear", "front"))]
    first, second = ways(landing)
    assert "front impact" in first.what and "rear lift-off" in first.what and "rear impact" in second.what
    assert first.times == pytest.approx([0.1850], abs=5e-5) and second.times == pytest.approx([0.4069], abs=5e-5)


def test_bounces_lead_back_to_their_own_state() -> None:
    run = scenario("bicycle/T1").run()
    assert all(way.origin == way.target == () for way in ways(run))
    times = sorted(time for way in ways(run) for time in way.times)
    assert times == pytest.approx(sorted({event.time for event in run.events.of(kind="impact")}))


def test_the_graph_shows_states_ways_and_what_was_refused(landing: lm.Run, tmp_path: Path) -> None:
    (figure,) = (f for f in scenario("bicycle/T4").figures if f.source == "fig. 4.23")
    made = plot_graph(landing, tmp_path / "a.png", tried=figure.tried(landing))
    texts = [text.get_text() for text in made.axes[0].texts]
    assert {"rear", "front", "rear and front"} <= set(texts)
    # The thesis prints 126.6 N s and -66.8 N s for the prediction that it refuses.
    assert any("126.6 N s" in text and "-66.8 N s" in text and "refused" in text for text in texts)
    assert len(made.axes[0].patches) == 3


def test_a_run_whose_contacts_stay_closed_has_no_graph() -> None:
    run = lm.simulate(lm.catalogue.bicycle(), 0.05, start={"speed": 4.6}, step=0.01)
    with pytest.raises(UnknownNameError, match="opens or closes"):
        run.plot(kind="graph", path=None)


def test_colours_follow_the_closed_contacts() -> None:
    entry = scenario("rocr/a")
    run = entry.run()
    contacts = ["grip_1", "grip_2"]
    assert [closed for _, closed in stretches(run)] == [("grip_1",), ("grip_2",)]
    assert [colour_of(closed, contacts) for closed in (("grip_1",), ("grip_2",), (), ("grip_1", "grip_2"))] == [
        COLOURS[0], COLOURS[1], QUIET, COLOURS[3],
    ]  # fmt: skip
    assert name_of((), contacts) == "none" and name_of(("grip_1", "grip_2"), contacts) == "grip 1 and grip 2"
    torque = run.plot("swing_drive_torque", kind="curves", by_contact=True, path=None)
    early, late = torque.axes[0].get_lines()
    assert (early.get_color(), late.get_color()) == (COLOURS[0], COLOURS[1])
    middle = run.time[-1] / 2
    assert early.get_xdata().max() <= middle + 1e-9 <= late.get_xdata().min() + 2e-9
