"""The page of a run whose contacts open and close: marks at every event, an arrow only while a contact carries something."""

from collections.abc import Callable
from typing import Any

import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE

VISIBLE = "() => locomotor.stage.contacts.items.map((item) => [item.name, item.arrow.group.visible])"


@pytest.fixture(scope="module")
def walk() -> lm.Run:
    return lm.simulate(lm.catalogue.compass_walker(), 5.0, start=GARCIA_CYCLE, closed=["foot_a"], step=0.01)


def test_events_are_marked_and_arrows_change_feet(walk: lm.Run, open_tab: Callable[..., Any], tmp_path: Any) -> None:
    tab = open_tab(walk.to_html(tmp_path / "walk.html").as_uri() + "#t=0")
    event, opening = walk.events  # one foot strikes, and the other leaves at that instant
    assert event.kind == "impact" and opening.kind == "lift-off" and opening.time == event.time
    marks = tab.page.locator("#ticks *").all()
    assert len(marks) == 2
    tab.seek(event.time - 0.5)
    assert dict(tab.get(VISIBLE)) == {"foot_a": True, "foot_b": False}
    tab.keep("walker_before")
    tab.seek(event.time + 0.5)
    assert dict(tab.get(VISIBLE)) == {"foot_a": False, "foot_b": True}
    tab.keep("walker_after")
    assert not tab.complaints
