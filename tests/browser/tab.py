"""A page open in the browser, for tests: what it asked for, what it shows, screenshots as artefacts."""

from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SCREENSHOTS = Path(__file__).resolve().parents[2] / "out" / "screenshots"
READY = "() => window.locomotor && window.locomotor.recording"
LISTEN = "document.addEventListener('locomotor', (event) => { window.locomotor = event.detail; });"
"""The page makes no global: it hands its parts to whoever listens, here to the tests."""

PARTS = ("forces", "shown", "notice", "triad", "scale", "pad", "transport")
"""What stands over the scene."""
BOXES = """(names) => Object.fromEntries(names.map((name) => [name, document.getElementById(name)])
  .filter(([, node]) => node && !node.hidden && node.getClientRects().length && node.getBoundingClientRect().width)
  .map(([name, node]) => { const b = node.getBoundingClientRect(); return [name, [b.left, b.top, b.right, b.bottom]]; }))"""

OUTSIDE = """() => {
  const bar = document.getElementById('transport'), { left, right } = bar.getBoundingClientRect();
  const leaves = (box) => box.width && (box.right > right + 1 || box.left < left - 1);
  return [...bar.children].filter((n) => leaves(n.getBoundingClientRect())).map((n) => `${n.id} leaves the bar`); }"""
"""Controls that stick out of the bar of the transport."""


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

    def overlaps(self) -> list[str]:
        """Pairs of parts over the scene that share more than a pixel, and parts that leave it."""
        boxes = self.page.evaluate(BOXES, ["stage", *PARTS])
        stage = boxes.pop("stage")
        found = [
            f"{name} leaves the scene" for name, b in boxes.items() if b[0] < stage[0] or b[2] > stage[2] or b[3] > stage[3] + 1
        ]
        found += self.page.evaluate(OUTSIDE)
        for (one, a), (other, b) in combinations(boxes.items(), 2):
            if min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1:
                found.append(f"{one} and {other}")
        return found

    def close(self) -> None:
        self.context.close()
