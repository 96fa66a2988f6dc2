"""The living page in a browser: it moves by itself, terms glow by their size, sliders act, nothing is asked of any network."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import locomotor as lm
from browser.tab import Tab

pytestmark = pytest.mark.slow
START = {"speed": 4.6, "roll": 0.1}


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = lm.export(lm.catalogue.system("bicycle"), "page", tmp_path_factory.mktemp("living"), start=START, cases=2)
    return Path(made.files[0]).as_uri()


@pytest.fixture(scope="module")
def tab(browser: Any, living: str) -> Iterator[Tab]:
    opened = Tab(browser, f"{living}#still").open()
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def at_the_start(tab: Tab) -> None:
    tab.get(
        "() => { locomotor.play(false); locomotor.engine.inputs.fill(0); locomotor.engine.delta.fill(0); locomotor.restart(); }"
    )


def test_it_asks_for_nothing_and_complains_of_nothing(tab: Tab, living: str) -> None:
    assert tab.requests == [f"{living}#still"] or tab.requests == [living]
    assert tab.complaints == []


def test_it_moves_as_a_run_of_ours(tab: Tab) -> None:
    """One second of motion, by frames of 1/60 s, as `simulate` computes it."""
    tab.get("() => { for (let n = 0; n < 60; ++n) locomotor.engine.advance(1 / 60); }")
    time, state = tab.get("() => [locomotor.engine.time, [...locomotor.engine.state]]")
    run = lm.simulate(lm.catalogue.system("bicycle"), time, start=START, step=0.001)
    names = lm.trace(lm.catalogue.system("bicycle")).state_port.names
    assert abs(time - 1.0) < 0.0015
    assert max(abs(value - run[name][-1]) for name, value in zip(names, state, strict=True)) < 1e-11


def test_a_frame_of_the_bicycle_is_computed_in_time(tab: Tab) -> None:
    """Sixty frames a second leave 16.7 ms a frame; the median of two seconds of frames must leave two thirds for drawing."""
    costs = tab.get(
        "() => { const costs = []; for (let n = 0; n < 120; ++n) { const began = performance.now(); "
        "locomotor.engine.advance(1 / 60); costs.push(performance.now() - began); } return costs.sort((a, b) => a - b); }"
    )
    assert costs[60] < 16.7 / 3


def test_terms_glow_by_their_present_size(tab: Tab) -> None:
    glow = "(label) => Object.fromEntries([...document.querySelectorAll('.equation')].map((row) => "
    glow += "[row.querySelector('b').textContent, Number([...row.querySelectorAll('.term')].find((term) => "
    glow += "term.firstChild.textContent === label)?.style.getPropertyValue('--glow'))]))"
    before = tab.page.evaluate(glow, "steer torque")
    assert before["steer rate"] == 0.0
    tab.page.locator("#knobs .knob input[type=number]").first.fill("0.4")
    tab.page.locator("#knobs .knob input[type=number]").first.press("Enter")
    tab.frame()
    assert tab.get("() => locomotor.engine.inputs[0]") == 0.4
    assert tab.page.evaluate(glow, "steer torque")["steer rate"] > 0.1
    assert tab.page.evaluate(glow, "gravity")["roll rate"] > 0.9, "leaning, hardly anything in roll is larger than gravity"


def test_a_start_leans_and_keeps_the_wheels_on_the_ground(tab: Tab) -> None:
    row = tab.page.locator("#knobs .knob", has_text="roll").first
    row.locator("input[type=number]").fill("0.3")
    row.locator("input[type=number]").press("Enter")
    tab.frame()
    gaps = tab.get(
        "() => [...locomotor.model.gaps(0, locomotor.engine.state, locomotor.engine.inputs, locomotor.engine.parameters)]"
    )
    assert max(map(abs, gaps)) < 1e-10
    roll = tab.get("() => locomotor.engine.found.outputs[locomotor.model.outputNames.indexOf('roll')]")
    assert roll == pytest.approx(0.4, abs=0.02)


def test_a_parameter_moves_the_contacts_along(tab: Tab) -> None:
    tab.page.locator("#knobs summary", has_text="Parameters").click()
    row = tab.page.locator("#knobs .knob", has=tab.page.locator("[aria-label=rR]")).first
    row.locator("input[type=number]").fill("0.4")
    row.locator("input[type=number]").press("Enter")
    tab.frame()
    heights = tab.get("() => [locomotor.engine.state[2], Math.max(...locomotor.engine.found.residuals.map(Math.abs))]")
    assert heights[0] > 0.35 and heights[1] < 1e-9


def test_a_fall_ends_with_words(tab: Tab) -> None:
    tab.get("() => { locomotor.engine.delta[3] = 0.9; locomotor.restart(); }")
    tab.get("() => { for (let n = 0; n < 300; ++n) locomotor.engine.advance(1 / 60); locomotor.show(); }")
    assert "these equations end" in tab.page.locator("#notice").inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (390, "dark"), (1440, "light"), (1440, "dark")])
def test_screens_of_all_kinds(open_tab: Callable[..., Tab], living: str, width: int, scheme: str) -> None:
    height = 800 if width < 800 else 900
    shown = open_tab(f"{living}#still", viewport={"width": width, "height": height}, color_scheme=scheme)
    assert shown.get("() => document.documentElement.scrollWidth") <= width
    assert shown.get("() => document.documentElement.dataset.theme") == scheme
    picture = shown.pixels("#scene")
    assert picture.std() > 0.02, "something is drawn"
    assert shown.overlaps() == []
    shown.keep(f"living-{width}-{scheme}")
