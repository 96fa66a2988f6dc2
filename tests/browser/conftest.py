"""A real browser: Debian's chromium, drawing in software, driven by Playwright; skipped, with the remedy, where missing."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import locomotor as lm
from browser.tab import Tab

FLAGS = [
    "--no-sandbox",
    "--no-first-run",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # WebGL without a graphics card.
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]


def find_chromium() -> str | None:
    candidates = [os.environ.get("LOCOMOTOR_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    return next((found for name in candidates if name and (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("no chromium found (Debian: apt-get install chromium; else set LOCOMOTOR_CHROMIUM to its path)")
    with api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def open_tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    tabs: list[Tab] = []

    def opened(address: str, script: str = "", **options: Any) -> Tab:
        tabs.append(Tab(browser, address, **options))
        return tabs[-1].open(script)

    yield opened
    for tab in tabs:
        tab.close()


@pytest.fixture(scope="session")
def run() -> lm.Run:
    return lm.simulate(lm.catalogue.bicycle(), 4.0, start={"speed": 4.6, "roll_rate": 0.5})


@pytest.fixture(scope="session")
def file(run: lm.Run, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of the page of a run, opened at its start and paused."""
    return run.to_html(tmp_path_factory.mktemp("page") / "run.html").as_uri() + "#t=0"
