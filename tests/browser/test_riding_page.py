"""Riding on the live page in a browser: keys and buttons, the balance, a fall that is told, the menu, and room for it all."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import locomotor as lm
from browser.tab import Tab
from locomotor.commands.live_menu import scenarios_of
from locomotor.scenarios import scenario
from locomotor.viewing.live import LiveView

DESKTOP = {"viewport": {"width": 1000, "height": 640}, "color_scheme": "light"}
PHONE = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark", "has_touch": True}
LIGHTS = pytest.mark.parametrize(
    ("size", "options"),
    [
        (f"{size}-{light}", {**options, "color_scheme": light})
        for size, options in (("desktop", DESKTOP), ("phone", PHONE))
        for light in ("light", "dark")
    ],
)
SIZES = pytest.mark.parametrize(("size", "options"), [("desktop", DESKTOP), ("phone", PHONE)])


@pytest.fixture(scope="module")
def view() -> Iterator[LiveView]:
    ready = lm.catalogue.ready("bicycle")
    bike = ready.make()
    runs = scenarios_of("bicycle", bike)
    chosen = {name: runs[name] for name in ("bicycle/E3/meijaard2007", "bicycle/E3")}
    with LiveView(bike, start={"speed": 4.6}, duration=3.0, riding=ready.riding, scenarios=chosen) as opened:
        yield opened


def opened(open_tab: Callable[..., Tab], view: LiveView, options: dict[str, Any]) -> Tab:
    return open_tab(f"{view.url}#t=0", **options)


def settled(tab: Tab) -> None:
    tab.page.wait_for_function("() => !locomotor.live.busy && !locomotor.live.wanted")
    tab.frame()


@pytest.mark.slow
def test_keys_steer_and_a_fall_is_told(open_tab: Callable[..., Tab], view: LiveView) -> None:
    tab = opened(open_tab, view, DESKTOP)
    tab.seek(0.5)
    tab.page.keyboard.down("ArrowLeft")
    settled(tab)
    assert "down" in tab.page.locator("#pad .ArrowLeft").get_attribute("class")
    tab.page.wait_for_function("() => locomotor.clock.time > 1")
    tab.page.keyboard.up("ArrowLeft")
    settled(tab)
    commands = tab.get("() => locomotor.live.ride.commands")
    assert [(c["handle"], c["value"]) for c in commands] == [("balance", 1), ("steer", 1), ("steer", 0)]
    assert commands[0]["time"] == 0.5 and tab.get("() => locomotor.recording.byName.get('yaw').data.at(-1)") > 0.02
    tab.keep("ride")
    # Without the balance the same key throws it, and the page says so where it happens.
    tab.get("() => locomotor.clock.play(false)")
    tab.page.locator("#balance").click()
    settled(tab)
    tab.page.keyboard.down("ArrowRight")
    settled(tab)
    tab.page.wait_for_function("() => !document.getElementById('notice').hidden")
    told = tab.page.locator("#notice").inner_text()
    assert "t = " in told and any(word in told for word in ("It has fallen", "jackknifed"))
    assert not tab.get("() => locomotor.clock.playing")
    tab.page.keyboard.up("ArrowRight")
    tab.keep("ride-fall")
    assert tab.overlaps() == []
    # Going back takes the words away; a reset takes all commands back.
    tab.seek(0.2)
    assert tab.page.locator("#notice").is_hidden()
    tab.page.get_by_role("button", name="reset").click()
    settled(tab)
    assert tab.get("() => [locomotor.live.ride.commands.length, locomotor.clock.time, locomotor.recording.last]") == [0, 0, 3]
    assert tab.complaints == []


@pytest.mark.slow
@LIGHTS
def test_buttons_ride_and_nothing_overlaps(
    open_tab: Callable[..., Tab], view: LiveView, size: str, options: dict[str, Any]
) -> None:
    tab = opened(open_tab, view, options)
    tab.seek(0.5)
    assert tab.overlaps() == []
    box = tab.page.locator("#pad .ArrowUp").bounding_box()
    assert box is not None and min(box["width"], box["height"]) >= (44 if size.startswith("phone") else 32)
    tab.page.mouse.move(box["x"] + 10, box["y"] + 10)
    tab.page.mouse.down()
    settled(tab)
    tab.page.wait_for_function("() => locomotor.clock.time > 1")
    tab.page.mouse.up()
    settled(tab)
    assert tab.get("() => locomotor.live.ride.commands.map((c) => [c.handle, c.value])") == [
        ["balance", 1],
        ["pedal and brake", 1],
        ["pedal and brake", 0],
    ]
    assert tab.get("() => locomotor.recording.byName.get('speed').data.at(-1)") > 4.65
    # A ride goes on past the end that was asked for, and a fall is told with room around it.
    tab.page.wait_for_function("() => locomotor.recording.last > 3")
    tab.get("() => locomotor.clock.play(false)")
    if tab.page.locator("#balance").get_attribute("aria-pressed") == "true":
        tab.page.locator("#balance").click()
    settled(tab)
    tab.page.locator("#pad .ArrowLeft").hover()
    tab.page.mouse.down()
    settled(tab)
    tab.page.wait_for_function("() => !document.getElementById('notice').hidden")
    tab.page.mouse.up()
    settled(tab)
    tab.keep(f"ride-fall-{size}")
    assert tab.page.locator("#notice").is_visible() and tab.overlaps() == []
    assert tab.get("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert tab.complaints == []


@pytest.mark.slow
def test_a_ride_waits_for_answers_that_take_their_time(open_tab: Callable[..., Tab], view: LiveView) -> None:
    """The motion that is there ends before the answer comes: the page says that it computes, waits at the end, and goes on."""
    tab = opened(open_tab, view, DESKTOP)
    tab.get(
        "() => { const ask = window.fetch; window.fetch = async (path, ...rest) => {"
        " if (path === '/run') await new Promise((done) => setTimeout(done, 2500)); return ask(path, ...rest); }; }"
    )
    tab.seek(2.8)
    tab.page.keyboard.down("ArrowLeft")
    tab.page.wait_for_function(
        "() => document.getElementById('notice').textContent === 'computing…' && locomotor.clock.time === 3"
    )
    assert tab.get("() => locomotor.clock.playing")
    tab.page.keyboard.up("ArrowLeft")
    tab.page.wait_for_function("() => locomotor.clock.time > 3.2")
    assert tab.get("() => locomotor.live.ride.commands.length") == 3
    # While answers are slow, little is asked for at a time.
    assert tab.get("() => locomotor.live.duration") < 3.0 + 10.0
    tab.get("() => locomotor.clock.play(false)")
    assert tab.complaints == []


@pytest.mark.slow
def test_a_jump_is_ridden(open_tab: Callable[..., Tab]) -> None:
    """Off a ramp: the page of a bicycle on a terrain opens, has its balance, and keys are obeyed in the air and after it."""
    jump = scenario("bicycle/T2")
    settings = {key: jump.settings[key] for key in ("start", "duration", "closed")}
    riding = lm.catalogue.ready("bicycle").riding
    with LiveView(jump.system(), scenarios={"bicycle/T2": settings}, first="bicycle/T2", riding=riding, parameters=()) as jumps:
        tab = open_tab(f"{jumps.url}#t=0", **DESKTOP)
        assert tab.page.locator("#balance").is_visible() and tab.overlaps() == []
        tab.seek(0.7)
        tab.page.keyboard.down("ArrowLeft")
        tab.page.wait_for_function(
            "() => locomotor.live.ride.commands.length === 2 && locomotor.recording.byName.get('yaw').data.at(-1) > 0.005"
        )
        tab.page.keyboard.up("ArrowLeft")
        tab.get("() => locomotor.clock.play(false)")
        settled(tab)
        assert tab.page.locator("#notice").is_hidden()
        tab.keep("ride-jump")
        assert tab.complaints == []


@pytest.mark.slow
def test_a_page_that_opens_with_a_fall_tells_it(open_tab: Callable[..., Tab]) -> None:
    """Nothing has been asked of the server yet: what came with the page ends early too."""
    with LiveView(lm.catalogue.bicycle(), start={"speed": 0.5, "roll_rate": 0.5}, duration=5.0, parameters=("w",)) as falls:
        tab = open_tab(f"{falls.url}#t=0")
        tab.frame()
        assert tab.page.locator("#notice").is_hidden() and tab.page.locator("#pad").is_hidden()
        tab.seek(5.0)
        assert tab.page.locator("#notice").inner_text().startswith("It has ")
        assert not tab.get("() => locomotor.clock.loops")


@pytest.mark.slow
@SIZES
def test_a_scenario_begins_where_it_should(
    open_tab: Callable[..., Tab], view: LiveView, size: str, options: dict[str, Any]
) -> None:
    tab = opened(open_tab, view, options)
    menu = tab.page.locator("#choice")
    assert menu.locator("optgroup").get_attribute("label") == "scenarios" and menu.input_value() == ""
    menu.select_option("scenario:bicycle/E3")
    tab.page.wait_for_function("() => locomotor.live.controls.choice === 'scenario:bicycle/E3' && !locomotor.live.busy")
    assert tab.get("() => locomotor.recording.last") == pytest.approx(15.0)
    assert tab.get("() => locomotor.recording.byName.get('roll_rate').data[0]") == pytest.approx(0.5)
    # The published end of the experiment (Mauny 2018, E3).
    assert tab.get("() => locomotor.recording.byName.get('speed').data.at(-1)") == pytest.approx(4.622, abs=5e-4)
    mauny = lm.catalogue.bicycle("mauny2018").parameters["xH"].value
    assert float(tab.page.locator("[data-knob=xH] input[type=number]").input_value()) == pytest.approx(mauny)
    tab.keep(f"scenario-{size}")
    assert tab.overlaps() == [] and tab.complaints == []


@pytest.mark.slow
@SIZES
def test_a_system_that_rests_has_its_chart_along_any_parameter(
    open_tab: Callable[..., Tab], size: str, options: dict[str, Any]
) -> None:
    """A pendulum that hangs: dashes at sqrt(g/l), so that a longer one swings more slowly; a click takes the value."""
    bob = lm.Body("bob", "m", com=(0, 0, "-l"), inertia=(0, 0, 0))
    pendulum = lm.System(
        "pendulum",
        [bob],
        [lm.Revolute(name="swing", parent="world", child="bob", axis=(0, 1, 0))],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters={"m": 1.0, "l": 1.0, "g": 9.81},
    )
    note = "() => document.querySelector('#chart + p').textContent.startsWith('Neutral')"
    with LiveView(pendulum, duration=1.0) as hanging:
        tab = open_tab(f"{hanging.url}#t=0", **options)
        tab.page.wait_for_function(note)
        names = tab.get("() => [...document.querySelectorAll('.knob .name')].map((each) => each.textContent)")
        assert {"m", "l", "g"} <= set(names), "a letter without a meaning is said once"
        tab.page.locator("#against").select_option("l")
        tab.page.wait_for_function("() => locomotor.live.chart.found.name === 'l'")
        first, last = tab.get("() => locomotor.live.chart.found.imag.map((mode) => [mode[0], mode.at(-1)])")[0]
        assert first == pytest.approx((9.81 / 0.25) ** 0.5) and last == pytest.approx((9.81 / 2.0) ** 0.5)
        box = tab.page.locator("#chart canvas").bounding_box()
        assert box is not None
        tab.page.mouse.click(box["x"] + 46 + 0.5 * (box["width"] - 54), box["y"] + 60)
        settled(tab)
        assert tab.get("() => locomotor.live.changed.parameters.l") == pytest.approx(1.125, abs=0.02)
        # Drawn longer, it is still whole in the picture: the camera steps back.
        tab.page.locator("[data-knob=l] input[type=number]").fill("2")
        tab.page.locator("[data-knob=l] input[type=number]").press("Enter")
        settled(tab)
        tab.frame()
        low = tab.get("() => locomotor.stage.bodies.pointOf(0, [0, 0, -2]).project(locomotor.stage.orbit.camera).y")
        bar = tab.get(
            "() => { const [s, b] = ['scene', 'transport'].map((id) => document.getElementById(id).getBoundingClientRect());"
            " return 1 - 2 * (b.top - s.top) / s.height; }"
        )
        assert low > bar
        tab.keep(f"rest-{size}")
        assert tab.overlaps() == [] and tab.complaints == []
        assert tab.get("() => document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.slow
@SIZES
def test_the_first_recording_is_complete(
    browser: Any, tmp_path: Path, open_tab: Callable[..., Tab], size: str, options: dict[str, Any]
) -> None:
    """One click on a fresh page gives a video of the whole pass, as ffmpeg reads it."""
    reader = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    run = lm.simulate(lm.catalogue.bicycle(), 2.0, start={"speed": 4.6, "roll_rate": 0.5})
    tab = open_tab(run.to_html(tmp_path / "run.html").as_uri() + "#t=0", **options)
    tab.page.get_by_role("tab", name="numbers").click()
    with tab.page.expect_download(timeout=100_000) as waiting:
        tab.page.get_by_role("button", name="video (WebM)").click()
    video = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(video)
    assert video.suffix == ".webm" and video.read_bytes()[:4] == bytes.fromhex("1a45dfa3")
    frames, seconds = reader.count_frames_and_secs(str(video))
    # A machine that draws slowly records slowly, but the whole pass.
    assert frames >= 5 and seconds > 1.7, (frames, seconds)
    assert tab.complaints == []
