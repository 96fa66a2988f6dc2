"""A page open in the browser, for tests: what it asked for, what it shows, screenshots as artefacts."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SCREENSHOTS = Path(__file__).resolve().parents[2] / "out" / "screenshots"
READY = "() => window.locomotor && window.locomotor.recording"
LISTEN = "document.addEventListener('locomotor', (event) => { window.locomotor = event.detail; });"
"""The page makes no global: it hands its parts to whoever listens, here to the tests."""


class Tab:
    """A page with everything it asked for and complained about."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1000, "height": 640}, "accept_downloads": True, **options})
        self.page = self.context.new_page()
        # Drawing in software on a busy machine takes its time.
        self.page.set_default_timeout(120_000)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda line: self.complaints.append(line.text) if line.type in ("error", "warning") else None)
        self.address = address

    def open(self, script: str = "") -> "Tab":
        for text in (LISTEN, script):
            self.page.add_init_script(text)
        self.page.goto(self.address)
        self.page.wait_for_function(READY)
        return self

    def get(self, expression: str) -> Any:
        return self.page.evaluate(expression)

    def frame(self) -> None:
        """Wait until what was asked for has been drawn."""
        self.get("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def seek(self, time: float) -> None:
        self.get(f"() => {{ locomotor.clock.play(false); locomotor.clock.seek({time}); }}")
        self.frame()

    def pixels(self, selector: str) -> NDArray[np.float64]:
        """The picture of an element, RGB from 0 to 1."""
        self.frame()
        shot = self.page.locator(selector).screenshot()
        return np.asarray(Image.open(BytesIO(shot)).convert("RGB"), dtype=float) / 255.0

    def keep(self, name: str) -> None:
        """A screenshot as an artefact."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.frame()
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    def close(self) -> None:
        self.context.close()
