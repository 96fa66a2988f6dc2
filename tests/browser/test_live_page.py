"""The live page in a browser: a slider changes the motion, the shape and the stability chart; mistakes are told."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from browser.tab import Tab
from locomotor.viewing.live.view import LiveView

START = {"speed": 4.6, "roll_rate": 0.5}


@pytest.fixture(scope="module")
def view() -> Iterator[LiveView]:
    with LiveView(lm.catalogue.bicycle(), start=START, duration=2.0) as opened:
        yield opened


@pytest.fixture(scope="module")
def tab(browser: Any, view: LiveView) -> Iterator[Any]:
    opened = Tab(browser, f"{view.url}#t=2").open()
    opened.page.wait_for_function("() => document.querySelector('#chart + p').textContent.includes('Stable from')")
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def as_opened(tab: Any) -> None:
    tab.page.get_by_role("button", name="reset").click()
    settled(tab)
    tab.seek(2.0)


def settled(tab: Any) -> None:
    tab.page.wait_for_function("() => !locomotor.live.busy && !locomotor.live.wanted")
    tab.frame()


def pose(tab: Any) -> np.ndarray[Any, Any]:
    return np.array(tab.get("() => locomotor.pose('rear_frame')"))


def test_page_asks_its_own_server_only(tab: Any, view: LiveView) -> None:
    assert all(address.startswith(f"http://127.0.0.1:{view.port}/") for address in tab.requests)
    assert tab.complaints == []


@pytest.mark.slow
def test_a_chart_that_is_on_its_way_says_so(tab: Any) -> None:
    assert (
        tab.get("() => { const { chart } = locomotor.live; return new chart.constructor(chart.theme).note.textContent; }")
        == "computing…"
    )
    assert "computing" not in tab.page.locator("#chart + p").inner_text()


def test_a_parameter_changes_what_the_system_looks_like(tab: Any) -> None:
    """More wheelbase, a longer frame: the very vertices that are drawn."""
    length = """() => { const frame = locomotor.stage.bodies.groups.find((g) => g.name === 'rear_frame');
      let [low, high] = [Infinity, -Infinity];
      frame.children.forEach((m) => { if (!m.visible) return; m.geometry.computeBoundingBox();
        low = Math.min(low, m.geometry.boundingBox.min.x); high = Math.max(high, m.geometry.boundingBox.max.x); });
      return high - low; }"""
    before = tab.get(length)
    tab.page.locator("[data-knob=w] input[type=number]").fill("1.32")
    tab.page.locator("[data-knob=w] input[type=number]").press("Enter")
    settled(tab)
    assert tab.get(length) > before + 0.2


def test_a_parameter_changes_the_motion(tab: Any) -> None:
    before, picture = pose(tab), tab.pixels("#scene")
    tab.page.locator("[data-knob=w] input[type=number]").fill("1.05")
    tab.page.locator("[data-knob=w] input[type=number]").press("Enter")
    settled(tab)
    tab.seek(2.0)
    tab.keep("live")
    expected = lm.simulate(lm.catalogue.bicycle().with_parameters(w=1.05), 2.0, start=START)
    place = [expected[name][-1] for name in ("x", "y", "z")]
    assert np.abs(pose(tab)[:3] - before[:3]).max() > 0.02
    assert np.allclose(pose(tab)[:3], place, atol=1e-4)
    assert np.abs(tab.pixels("#scene") - picture).max(axis=2).mean() > 0.01
    assert "changed" in tab.page.locator("[data-knob=w]").get_attribute("class")


def test_a_slider_changes_the_start(tab: Any) -> None:
    before = pose(tab)
    tab.page.locator("[data-knob=speed] input[type=range]").fill("6")
    settled(tab)
    tab.seek(2.0)
    assert pose(tab)[0] > before[0] + 1.0


def test_the_stability_chart_follows(tab: Any) -> None:
    picture = tab.pixels("#chart canvas")
    told = tab.page.locator("#chart + p").text_content()
    assert "4.292 to 6.024 m/s" in told
    tab.page.locator("[data-knob=c] input[type=range]").fill("0.12")
    tab.page.wait_for_function(f"() => document.querySelector('#chart + p').textContent !== {told!r}")
    assert np.abs(tab.pixels("#chart canvas") - picture).max(axis=2).mean() > 0.005


def test_a_click_in_the_chart_sets_the_speed(tab: Any) -> None:
    box = tab.page.locator("#chart canvas").bounding_box()
    tab.page.mouse.click(box["x"] + 46 + 0.7 * (box["width"] - 54), box["y"] + 60)
    settled(tab)
    assert tab.get("() => locomotor.recording.byName.get('speed').data[0]") == pytest.approx(7.0, abs=0.1)


def test_an_impossible_value_is_told(tab: Any) -> None:
    tab.page.locator("[data-knob=mB] input[type=number]").fill("-5")
    tab.page.locator("[data-knob=mB] input[type=number]").press("Enter")
    tab.page.wait_for_selector("#notice:not([hidden]):not(.plain)")
    assert "mB" in tab.page.locator("#notice").inner_text() or "mass" in tab.page.locator("#notice").inner_text()
    tab.complaints.clear()  # the browser reports the answer 400


def test_a_fall_is_shown_as_far_as_it_goes(tab: Any) -> None:
    tab.page.locator("[data-knob=speed] input[type=number]").fill("0.5")
    tab.page.locator("[data-knob=speed] input[type=number]").press("Enter")
    settled(tab)
    assert "t = " in tab.page.locator("#notice").inner_text()
    assert not tab.get("() => document.getElementById('notice').classList.contains('plain')")  # a fall is told in red
    assert tab.get("() => locomotor.recording.last") < 2.0
    tab.keep("live-fall")


def test_wrong_token_shows_nothing(browser: Any, view: LiveView) -> None:
    page = browser.new_page()
    answer = page.goto(f"http://127.0.0.1:{view.port}/?token=wrong")
    assert answer is not None and answer.status == 403
    page.close()


@pytest.mark.slow
def test_the_end_of_the_program_is_told(browser: Any) -> None:
    view = LiveView(lm.catalogue.bicycle(), start=START, duration=0.5, parameters=("w",))
    tab = Tab(browser, view.url).open()
    view.close()
    tab.page.locator("[data-knob=w] input[type=range]").fill("1.1")
    tab.page.wait_for_selector("#notice:not([hidden]):not(.plain)")
    assert "ended" in tab.page.locator("#notice").inner_text()
    tab.close()


def test_a_gait_moves_at_once_and_the_menu_changes_it(browser: Any) -> None:
    ready = lm.catalogue.ready("snakeboard")
    with LiveView(ready.make(), gaits=ready.gaits, duration=2.0) as view:
        tab = Tab(browser, view.url).open()
        assert tab.get("() => locomotor.clock.playing")
        tab.seek(2.0)
        driven = tab.get("() => locomotor.pose('board')")
        assert abs(driven[0]) > 1e-3
        tab.page.locator("#choice").select_option("gait:rotate")
        tab.page.wait_for_function("() => !locomotor.live.busy && locomotor.live.controls.choice === 'gait:rotate'")
        tab.seek(2.0)
        assert np.abs(np.array(tab.get("() => locomotor.pose('board')")) - driven).max() > 1e-3
        tab.page.locator("#choice").select_option("")
        tab.page.wait_for_function("() => !locomotor.live.busy && locomotor.live.controls.choice === ''")
        law = tab.page.locator("[data-knob=rotor_torque] input[type=text]")
        law.fill("0.05*sin(2*t)")
        law.press("Enter")
        settled(tab)
        tab.seek(2.0)
        assert tab.get("() => locomotor.recording.byName.get('rotor').data.at(-1)") > 0.1
        tab.keep("live-gait")
        assert tab.page.locator("#chart + p").inner_text().startswith("Neutral")
        assert tab.complaints == []
        tab.close()


CUT = """() => [...document.querySelectorAll('.knob .name')].filter((n) => n.getClientRects().length
  && (n.scrollWidth > n.clientWidth + 1 || n.scrollHeight > n.clientHeight + 4)).map((n) => n.textContent)"""


@pytest.mark.slow
@pytest.mark.parametrize("viewport", [{"width": 1000, "height": 640}, {"width": 360, "height": 740}], ids=["desktop", "phone"])
def test_names_of_sliders_are_whole(browser: Any, viewport: dict[str, int]) -> None:
    """A phone shows no text on hovering: what a slider does must be read off it."""
    ready = lm.catalogue.ready("snakeboard")
    with LiveView(ready.make(), gaits=ready.gaits, duration=0.5) as view:
        tab = Tab(browser, view.url, viewport=viewport).open()
        assert tab.page.locator(".knob").count() > 8
        assert tab.get(CUT) == []
        tab.keep(f"live-sliders-{viewport['width']}")
        tab.close()


@pytest.mark.slow
def test_dragging_a_body_pushes_it(tab: Any) -> None:
    """A drag that begins on the saddle is a push at this instant; the motion before it stays, after it another begins."""
    tab.seek(0.5)
    before = tab.get("() => Array.from(locomotor.recording.byName.get('roll_rate').data)")
    camera = tab.get("() => locomotor.stage.orbit.azimuth")
    x, y = tab.get(
        """() => { const { stage } = locomotor;
          const body = stage.recording.scene.bodies.findIndex((b) => b.name === 'rear_frame');
          const p = stage.bodies.pointOf(body, [0.23, 0, 0.61]).project(stage.orbit.camera);
          const box = stage.canvas.getBoundingClientRect();
          return [box.left + (0.5 + 0.5 * p.x) * box.width, box.top + (0.5 - 0.5 * p.y) * box.height]; }"""
    )
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + 90, y - 10, steps=5)
    tab.frame()
    tab.keep("live-push")
    assert "N s" in tab.page.locator("#notice").inner_text()
    assert tab.get("() => getComputedStyle(document.getElementById('notice')).color") == "rgb(26, 32, 39)"  # nothing is wrong
    tab.page.mouse.up()
    settled(tab)
    assert tab.get("() => locomotor.live.pushes.length") == 1 and tab.get("() => locomotor.stage.orbit.azimuth") == camera
    time = np.array(tab.get("() => Array.from(locomotor.recording.time)"))
    after = np.array(tab.get("() => Array.from(locomotor.recording.byName.get('roll_rate').data)"))
    assert abs(after[time < 0.5][-1] - before[int(np.searchsorted(time, 0.5)) - 1]) < 5e-3
    assert np.abs(np.interp(1.0, time, after) - np.interp(1.0, np.linspace(0, 2, len(before)), before)) > 0.02
    tab.page.get_by_role("button", name="take back the push").click()
    settled(tab)
    assert tab.get("() => locomotor.live.pushes.length") == 0
