"""The offline page in a browser: it loads alone, draws, plays, and everything on it follows."""

import csv
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from browser.tab import Tab
from locomotor.simulation import Event
from locomotor.viewing.scene.playback import posing_of, positions_and_quaternions


@pytest.fixture(scope="module")
def tab(browser: Any, file: str) -> Iterator[Any]:
    opened = Tab(browser, file).open()
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def as_opened(request: pytest.FixtureRequest) -> None:
    """Tests that share the page start at the same instant, paused, at normal speed."""
    if "tab" in request.fixturenames:
        request.getfixturevalue("tab").seek(0.0)
        request.getfixturevalue("tab").get("() => { locomotor.clock.speed = 1; document.activeElement.blur(); }")


def cursor(tab: Any, channel: str) -> float:
    return float(tab.get(f"() => new DOMMatrix(document.querySelector('[data-channel={channel}] .cursor').style.transform).e"))


# -- alone --------------------------------------------------------------------------------------------


def test_page_loads_from_a_file_without_any_request(tab: Any, file: str) -> None:
    assert tab.requests == [file.partition("#")[0]]
    assert tab.complaints == []


def test_page_could_not_ask_the_network_if_it_tried(tab: Any) -> None:
    answer = tab.get("() => fetch('http://127.0.0.1:9/').then(() => 'answered', () => 'refused')")
    assert answer == "refused"
    tab.complaints.clear()  # the browser reports the refusal


def test_the_page_makes_no_global(browser: Any, file: str) -> None:
    """What the window has before and after; `locomotor` is the tests' own, `__THREE__` is three.js telling its revision."""
    tab = Tab(browser, file).open("window.before = new Set(Object.getOwnPropertyNames(window));")
    found = tab.get(
        "() => Object.getOwnPropertyNames(window).filter((name) => !window.before.has(name) && !/^\\d+$/.test(name))"
    )
    tab.close()
    assert set(found) - {"before", "locomotor"} <= {"__THREE__"}


def test_title_and_numbers_come_from_the_run(tab: Any, run: lm.Run) -> None:
    assert tab.page.locator("#title").text_content() == "bicycle meijaard2007"
    tab.page.get_by_role("tab", name="numbers").click()
    text = tab.page.locator("#tab-numbers").inner_text()
    tab.keep("numbers")
    tab.page.get_by_role("tab", name="curves").click()
    assert "the run reached its end" in text and "energy is constant" in text
    assert "wheelbase" in text and "1.02 m" in text


# -- drawing ------------------------------------------------------------------------------------------


def test_scene_is_not_blank(tab: Any) -> None:
    picture = tab.pixels("#scene")
    tab.keep("light")
    colours = np.unique((picture * 255).astype(np.uint8).reshape(-1, 3), axis=0)
    assert len(colours) > 300
    # Dark tyres, an orange mark and blue rods stand out from the pale ground.
    assert (picture.max(axis=2) < 0.35).mean() > 0.002
    assert ((picture[..., 0] - picture[..., 2]) > 0.3).sum() > 20
    assert ((picture[..., 2] - picture[..., 0]) > 0.3).sum() > 200
    # Nothing glares: light that is not decoded as it was encoded makes pure yellow of blue paint.
    assert ((picture.max(axis=2) > 0.99) & (picture.min(axis=2) < 0.02)).mean() < 2e-4


def test_slider_moves_the_wheel(tab: Any, run: lm.Run) -> None:
    before, picture = tab.get("() => locomotor.pose('rear_disc')"), tab.pixels("#scene")
    tab.page.locator("#slider").fill("1.5")
    after = tab.get("() => locomotor.pose('rear_disc')")
    moved = tab.pixels("#scene")
    assert tab.get("() => locomotor.clock.time") == pytest.approx(1.5)
    assert np.abs(moved - picture).max(axis=2).mean() > 0.01
    system = lm.catalogue.bicycle()
    q = np.array([run[symbol.name][run.time == 1.5][0] for symbol in system.layout.coordinates])
    body = system.index("rear_disc")
    expected = positions_and_quaternions(posing_of(system)(q[None]))[
        0, body, [0, 1, 2, 4, 5, 6, 3]
    ]  # three.js has the scalar last
    assert np.abs(np.array(after) - before)[:3].max() > 5.0
    expected[3:] *= np.sign(expected[3:] @ after[3:])  # q and -q are one rotation
    assert np.allclose(after, expected, atol=1e-4)  # between two samples 2 ms apart: 15 rad/s bend the path by 1e-5 m
    assert tab.page.locator("#clock").inner_text().startswith("1.500")


@pytest.mark.slow
def test_layers_can_be_switched_off(tab: Any) -> None:
    tab.seek(1.0)
    full = tab.pixels("#scene")
    for name in ("forces", "trails", "inertia", "centres"):
        tab.page.locator("#shown button", has_text=name).click()
        less = tab.pixels("#scene")
        assert np.abs(less - full).max() > 0.1, name
        tab.page.locator("#shown button", has_text=name).click()
    assert np.abs(tab.pixels("#scene") - full).mean() < 1e-3


@pytest.mark.slow
def test_camera_orbits_zooms_and_follows(tab: Any) -> None:
    tab.seek(0.5)
    first = tab.pixels("#scene")
    tab.page.mouse.move(400, 400)
    tab.page.mouse.down()
    tab.page.mouse.move(520, 430, steps=4)
    tab.page.mouse.up()
    turned = tab.pixels("#scene")
    assert np.abs(turned - first).max(axis=2).mean() > 0.02
    tab.page.mouse.wheel(0, -400)
    near = tab.get("() => locomotor.stage.orbit.distance")
    tab.page.keyboard.press("0")
    tab.frame()
    assert near < 0.8 * tab.get("() => locomotor.stage.orbit.distance")
    assert tab.get("() => locomotor.stage.orbit.distance") > near
    # Following, the system stays where it is in the picture; standing still, it leaves it.
    centre = "() => locomotor.stage.centre.clone().project(locomotor.stage.orbit.camera).x"
    before = tab.get(centre)
    tab.seek(3.5)
    assert abs(before) < 0.2 and abs(tab.get(centre) - before) < 0.05
    tab.seek(0.5)
    tab.page.keyboard.press("c")
    tab.page.keyboard.press("c")
    assert tab.page.locator("#camera").input_value() == "still"
    tab.seek(3.5)
    assert abs(tab.get(centre)) > 0.5
    tab.page.keyboard.press("c")
    assert tab.page.locator("#camera").input_value() == "follow"


# -- curves -------------------------------------------------------------------------------------------


def test_cursor_follows_the_time(tab: Any, run: lm.Run) -> None:
    start = cursor(tab, "roll_rate")
    tab.seek(2.0)
    middle = cursor(tab, "roll_rate")
    tab.seek(4.0)
    end = cursor(tab, "roll_rate")
    assert end - start > 150
    assert middle - start == pytest.approx(0.5 * (end - start), abs=0.5)
    shown = float(tab.page.locator("[data-channel=roll_rate] output").inner_text())
    assert shown == pytest.approx(run["roll_rate"][-1], rel=1e-3)


def test_curve_is_drawn(tab: Any) -> None:
    picture = tab.pixels("[data-channel=roll_rate] .plot")
    blue = (picture[..., 2] - picture[..., 0]) > 0.25
    columns = blue.any(axis=0)
    assert columns[60:-20].mean() > 0.9


def test_click_on_a_curve_seeks(tab: Any) -> None:
    box = tab.page.locator("[data-channel=steer_rate] canvas").bounding_box()
    area = tab.get("() => locomotor.curves.items.find((i) => i.channel.name === 'steer_rate').scale.area")
    x = box["x"] + area["left"] + 0.25 * area["width"]
    tab.page.mouse.click(x, box["y"] + 30)
    assert tab.get("() => locomotor.clock.time") == pytest.approx(1.0, abs=0.02)


def test_curves_can_be_chosen_and_removed(tab: Any) -> None:
    tab.page.locator("#picker summary").click()
    tab.page.locator("#filter").fill("front force")
    boxes = tab.page.locator("#choices input")
    assert boxes.count() == 3
    tab.page.locator("#choices input[value=front_force_z]").check()
    assert tab.page.locator("[data-channel=front_force_z] .unit").inner_text() == "N"
    tab.page.locator("[data-channel=front_force_z] .close").click()
    assert tab.page.locator("[data-channel=front_force_z]").count() == 0
    tab.page.locator("#filter").fill("")
    tab.page.locator("#picker summary").click()


def test_numbers_can_be_taken_away(tab: Any, run: lm.Run, tmp_path: Path) -> None:
    with tab.page.expect_download() as waiting:
        tab.page.keyboard.press("s")
    waiting.value.save_as(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(encoding="utf-8") as opened:
        rows = list(csv.reader(opened))
    assert waiting.value.suggested_filename == "bicycle_meijaard2007.csv"
    assert rows[0][:2] == ["time [s]", "x [m]"] and len(rows[0]) == len(run.channels) + 1
    column = rows[0].index("steer_rate [rad/s]")
    time, values = (np.array([float(row[k]) for row in rows[1:]]) for k in (0, column))
    assert np.allclose(values, np.interp(time, run.time, run["steer_rate"]), atol=1e-6)


# -- keys ---------------------------------------------------------------------------------------------


def test_keys_play_step_and_change_the_speed(tab: Any) -> None:
    tab.page.keyboard.press("Space")
    tab.page.wait_for_function("() => locomotor.clock.time > 0.05")
    tab.page.keyboard.press("Space")
    stopped = tab.get("() => locomotor.clock.time")
    tab.frame()
    assert tab.get("() => locomotor.clock.time") == stopped
    tab.seek(1.0)
    sample = tab.get("() => locomotor.recording.time[locomotor.recording.locate(1.0)[0] + 1]")
    tab.page.keyboard.press("ArrowRight")
    assert tab.get("() => locomotor.clock.time") == sample
    tab.page.keyboard.press("ArrowLeft")
    assert tab.get("() => locomotor.clock.time") < sample
    tab.page.keyboard.press("ArrowUp")
    assert tab.get("() => locomotor.clock.speed") == 2
    tab.page.keyboard.press("End")
    assert tab.get("() => locomotor.clock.time") == 4.0
    tab.page.keyboard.press("Home")
    assert tab.get("() => locomotor.clock.time") == 0.0


def test_keys_are_told(tab: Any) -> None:
    tab.page.keyboard.press("?")
    assert tab.page.locator("#help").is_visible()
    assert "play or pause" in tab.page.locator("#help").inner_text()
    tab.keep("help")
    tab.page.keyboard.press("Escape")
    assert not tab.page.locator("#help").is_visible()


def test_step_buttons_work_while_the_slider_has_the_focus(tab: Any) -> None:
    tab.page.locator("#slider").focus()
    tab.page.keyboard.press("ArrowRight")
    time = tab.get("() => locomotor.recording.time[1]")
    assert tab.get("() => locomotor.clock.time") == time


def test_typing_in_the_filter_presses_no_key(tab: Any) -> None:
    before = tab.get("() => document.documentElement.dataset.theme")
    tab.page.locator("#picker summary").click()
    tab.page.locator("#filter").press_sequentially("dps ")
    assert tab.get("() => document.documentElement.dataset.theme") == before
    tab.page.locator("#filter").fill("")
    tab.page.locator("#picker summary").click()


# -- flight -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_open_contact_leaves_no_trail_and_events_are_marked(
    open_tab: Callable[..., Any], run: lm.Run, tmp_path: Path
) -> None:
    """The rear wheel off the ground from 1 s to 2 s: no arrow and no path there, and a mark at each event."""
    aloft = (run.time > 1.0) & (run.time < 2.0)
    lifted = {"rear_gap": np.where(aloft, 0.1, 0.0)}
    lifted |= {f"rear_force_{axis}": np.where(aloft, 0.0, run[f"rear_force_{axis}"]) for axis in "xyz"}
    # A contact in the air has no point.
    lifted |= {f"rear_point_{axis}": np.where(aloft, np.nan, run[f"rear_point_{axis}"]) for axis in "xyz"}
    events = (Event(1.0, "opens", "the rear contact"), Event(2.0, "closes", "the rear contact"))
    flown = dataclasses.replace(run, channels={**run.channels, **lifted}, events=events)
    tab = open_tab(flown.to_html(tmp_path / "flight.html").as_uri() + "#t=1.5")
    drawn = "(name, t) => { const c = locomotor.stage.contacts; const item = c.items.find((i) => i.name === name);"
    upto = f"{drawn} return item.trail.upTo[locomotor.recording.locate(t)[0]]; }}"
    counts = [tab.page.evaluate(f"([name, t]) => ({upto})(name, t)", ["rear", t]) for t in (0.5, 1.1, 1.9, 3.0)]
    assert counts[0] < counts[1] == counts[2] < counts[3]
    assert not tab.get("() => locomotor.stage.contacts.items[0].arrow.group.visible")
    assert tab.get("() => locomotor.stage.contacts.items[1].arrow.group.visible")
    assert tab.page.locator("#ticks i").count() == 2
    tab.page.get_by_role("tab", name="numbers").click()
    assert "opens: the rear contact" in tab.page.locator("#tab-numbers").inner_text()


# -- screens ------------------------------------------------------------------------------------------


LONG_MESSAGE = """() => { const notice = document.getElementById("notice"), scale = document.getElementById("scale");
  notice.textContent = "the constraints became singular, and the samples are kept up to then; ".repeat(5);
  scale.textContent = "strain up to 0.07"; notice.hidden = false; }"""


@pytest.mark.parametrize("width", [360, pytest.param(768, marks=pytest.mark.slow)])
def test_narrow_screens_need_no_sideways_scrolling(open_tab: Callable[..., Any], file: str, width: int) -> None:
    tab = open_tab(file, viewport={"width": width, "height": 740}, device_scale_factor=2, has_touch=True)
    tab.keep(f"width-{width}")
    assert tab.get("() => document.documentElement.scrollWidth") <= width
    for name in ("numbers", "curves"):
        tab.page.get_by_role("tab", name=name).click()
        assert tab.get("() => document.documentElement.scrollWidth") <= width, name
    for selector in ("#play", "#slider", "#clock", "#speed", "#camera", "[data-channel=roll_rate] canvas"):
        box = tab.page.locator(selector).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width + 0.5, selector
    # Nothing covers anything else: the time is read whole.
    assert tab.get("() => { const c = document.getElementById('clock'); return c.scrollWidth <= c.clientWidth + 1; }")
    clock, speed = (tab.page.locator(selector).bounding_box() for selector in ("#clock", "#speed"))
    assert clock["x"] + clock["width"] <= speed["x"] + 0.5 or clock["y"] + clock["height"] <= speed["y"] + 0.5
    assert len(np.unique((tab.pixels("#scene") * 255).astype(np.uint8).reshape(-1, 3), axis=0)) > 300
    # Nor does a long message: it takes the place of the axes in their corner.
    tab.page.evaluate(LONG_MESSAGE)
    for wide in (width, 1000):
        tab.page.set_viewport_size({"width": wide, "height": 640})
        assert tab.page.locator("#notice").is_visible() and tab.overlaps() == []


@pytest.mark.slow
def test_dark_follows_the_system_and_the_button(open_tab: Callable[..., Any], file: str) -> None:
    tab = open_tab(file, color_scheme="dark")
    tab.keep("dark")
    dark = tab.pixels("#scene").mean()
    tab.page.keyboard.press("d")
    light = tab.pixels("#scene").mean()
    assert dark < 0.25 < 0.7 < light
    tab.page.locator("#to-theme").click()
    assert tab.pixels("#scene").mean() < 0.25


@pytest.mark.slow
def test_page_plays_by_itself_unless_motion_is_unwelcome(open_tab: Callable[..., Any], file: str) -> None:
    address = file.partition("#")[0]
    playing = open_tab(address)
    assert playing.get("() => locomotor.clock.playing")
    playing.close()
    assert not open_tab(address, reduced_motion="reduce").get("() => locomotor.clock.playing")


def test_without_webgl_the_curves_still_work(open_tab: Callable[..., Any], file: str) -> None:
    blind = """
        const before = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
          return kind.startsWith("webgl") || kind.startsWith("experimental") ? null : before.call(this, kind, ...rest);
        };"""
    tab = open_tab(file, script=blind)
    assert "WebGL" in tab.page.locator("#notice").inner_text()
    start = cursor(tab, "roll_rate")
    tab.page.locator("#slider").fill("2")
    assert cursor(tab, "roll_rate") > start + 50


def test_buttons_step_and_numbers_read_back_exactly(tab: Any) -> None:
    tab.get("() => { locomotor.clock.play(false); locomotor.clock.seek(-Infinity); }")
    tab.page.locator("#forth").click()
    assert tab.get("() => locomotor.clock.time === locomotor.recording.time[1]")
    tab.page.locator("#back").click()
    assert tab.get("() => locomotor.clock.time === locomotor.recording.time[0]")
    # Every number of the file is the recorded one, not a rounded one.
    assert tab.get("""() => locomotor.files.csvText().trim().split("\\n").slice(1).every((line, i) => line.split(",").slice(1)
        .every((text, k) => Math.fround(Number(text)) === locomotor.recording.channels[k].data[i]))""")
