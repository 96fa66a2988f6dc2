"""A live page on this machine: sliders change parameters, start and inputs, and the motion is recomputed at once.

The server listens on 127.0.0.1 only. Every request must carry a random token and name this machine as its host, and
nothing is read from the disk for it: the page and the answers are made in memory.
"""

from __future__ import annotations

import hmac
import secrets
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from locomotor import checks
from locomotor.errors import UnknownNameError, ViewingError
from locomotor.model import Riding, System
from locomotor.names import suggestion
from locomotor.viewing.live.choices import GAIT, STEP, Way, choices_of, chosen, made_ready
from locomotor.viewing.live.commands import read_commands
from locomotor.viewing.live.controls import controls_of
from locomotor.viewing.live.engine import Engine
from locomotor.viewing.live.push import read_pushes
from locomotor.viewing.live.reading import read_laws, read_numbers
from locomotor.viewing.live.serving import HOST, Server
from locomotor.viewing.page import ALONE, Payload, assemble, in_notebook, payload_of, script_json
from locomotor.viewing.scene import playback_of

POLICY = f"{ALONE}; connect-src 'self'; base-uri 'none'; form-action 'none'"
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class LiveView:
    """A running page: `url` opens it, `close()` ends it, `wait()` stays until it is closed or interrupted."""

    @checks.door(
        system=checks.instance(System),
        start=checks.optional(checks.numbers_by_name),
        duration=checks.optional(checks.positive),
        inputs=checks.optional(checks.mapping),
        parameters=checks.optional(checks.names),
        step=checks.optional(checks.positive),
        channels=checks.names,
        closed=checks.optional(checks.names),
        gaits=checks.optional(checks.mapping),
        scenarios=checks.optional(checks.mapping),
        first=checks.text,
        riding=checks.optional(checks.instance(Riding)),
        port=partial(checks.whole, most=65535),
    )
    def __init__(
        self,
        system: System,
        *,
        start: Mapping[str, float] | None = None,
        duration: float | None = None,
        inputs: Mapping[str, float | str] | None = None,
        parameters: Sequence[str] | None = None,
        step: float | None = None,
        channels: Sequence[str] = (),
        closed: Sequence[str] | None = None,
        gaits: Mapping[str, Mapping[str, Any]] | None = None,
        scenarios: Mapping[str, Mapping[str, Any]] | None = None,
        first: str = "",
        riding: Riding | None = None,
        port: int = 0,
    ) -> None:
        """Compile the system with its parameters free, make a first run, and start to serve it.

        Args:
            system: what to show.
            start: coordinates and velocities by name, as for `simulate`; by default a steady motion, slightly disturbed.
            duration: seconds of motion; by default 10, or some strokes of what is driven quickly.
            inputs: inputs by name: numbers, or laws of t and the parameters such as "0.3*sin(2*t)".
            parameters: names of the parameters with a slider; all by default.
            step: seconds a step; by default 1 ms, or a hundredth of the period of what is driven quickly.
            channels: curves shown at first.
            closed: of the contacts that open and close, those closed at the start; by default those that touch.
            gaits: laws of joints by the name of the gait, as `simulate(motions=...)` takes them; the first one is shown, the
                others are in a menu.
            scenarios: further entries of the menu: keywords of `simulate` by name, among them start, parameters, inputs,
                motions and duration.
            first: name of the gait or the scenario to show first.
            riding: the inputs that arrow keys drive, and a balance that helps.
            port: where to listen; any free one by default.
        """
        free = tuple(system.parameters if parameters is None else parameters)
        if riding is not None:
            riding.check_inputs(system)
        self._engine = Engine(system, free, STEP if step is None else step, None if closed is None else tuple(closed))
        self._choices = choices_of(gaits or {}, scenarios or {})
        self._first, self._riding = self._key_of(first), riding
        self._given_start = None if start is None else dict(start)
        self._inputs = dict(inputs or {})
        self._duration, self._own_step, self._channels = duration, step is None, tuple(channels)
        self._lock = threading.Lock()
        self._token = secrets.token_urlsafe(24)
        self._ways: dict[str, Way] = {}
        payload = self._payload({})
        self._page = assemble(payload, policy=POLICY, live=self._controls(self._first)).text.encode("utf-8")
        self._server = Server(self, port, HEADERS)
        self._thread = threading.Thread(target=self._server.serve_forever, name="locomotor live page", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """Name of the system."""
        return self._engine.system.name

    @property
    def port(self) -> int:
        """Port that the server listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Address of the page, with its token."""
        return f"http://{HOST}:{self.port}/?token={self._token}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5.0)

    def wait(self) -> None:
        """Stay here until the server is closed or the user interrupts."""
        try:
            while self._thread.is_alive():
                self._thread.join(timeout=0.5)
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> LiveView:
        """The view itself, for `with`."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the view."""
        self.close()

    def __repr__(self) -> str:
        """Name of the system and address of the page."""
        return f"<LiveView of {self.name!r} at {self.url}>"

    # -- what is shown --------------------------------------------------------------------------------

    def _key_of(self, name: str) -> str:
        """The key of a gait or scenario by its name; of the first gait where none is named."""
        if not name:
            return next((key for key, choice in self._choices.items() if choice.group == GAIT), "")
        found = [key for key, choice in self._choices.items() if choice.name == name]
        if not found:
            names = [choice.name for choice in self._choices.values() if choice.name]
            raise UnknownNameError(f"there is no gait and no scenario {name!r} here: {suggestion(name, names)}")
        return found[0]

    def _way(self, key: Any) -> Way:
        """A choice, compiled when first asked for."""
        choice = chosen(self._choices, key)
        if choice.key not in self._ways:
            self._ways[choice.key] = made_ready(
                self._engine, choice, self._given_start, self._inputs, self._duration, self._own_step
            )
        return self._ways[choice.key]

    # -- answers --------------------------------------------------------------------------------------

    def _payload(self, asked: Mapping[str, Any]) -> Payload:
        """A run for the values asked for."""
        with self._lock:
            way = self._way(asked.get("choice", self._first))
            run = way.engine.run(
                float(asked.get("duration", way.duration)),
                read_numbers(asked.get("start", way.start), "start"),
                read_numbers(asked.get("parameters", {}), "parameters"),
                read_laws(asked.get("inputs", way.inputs), "inputs"),
                read_pushes(asked.get("pushes", [])),
                read_commands(asked.get("commands", []), self._riding),
            )
            return payload_of(playback_of(run, posing=way.engine.posing(run)), self._channels)

    def _stability(self, asked: Mapping[str, Any]) -> bytes:
        with self._lock:
            way = self._way(asked.get("choice", self._first))
            if way.chart is None:
                raise ViewingError(
                    "the system is too large for a stability chart here: use `locomotor stability`"
                    if way.engine.large
                    else "the system has no steady motion along a velocity and no state of rest, so there is no stability chart"
                )
            chart = way.chart
            if "chart" in asked:
                if asked["chart"] not in chart.names:
                    raise ViewingError(
                        f"no chart is drawn against {asked['chart']!r}: {suggestion(str(asked['chart']), chart.names)}"
                    )
                chart = replace(chart, name=str(asked["chart"]))
            found = way.engine.stability(chart, way.start, read_numbers(asked.get("parameters", {}), "parameters"))
        return script_json(found).encode("utf-8")

    def answer(self, path: str, asked: Mapping[str, Any]) -> tuple[bytes, str] | None:
        """Content and type for a posted request; None for an unknown path."""
        if path == "/run":
            return self._payload(asked).frame, "application/octet-stream"
        if path == "/stability":
            return self._stability(asked), "application/json"
        if path == "/controls":
            return script_json(self._controls(asked.get("choice", ""))).encode("utf-8"), "application/json"
        return None

    def _controls(self, key: Any) -> dict[str, Any]:
        """Menu, sliders and handles, and the token that requests carry."""
        with self._lock:
            found = controls_of(self._choices, chosen(self._choices, key), self._way(key), self._riding)
        return {**found, "token": self._token}

    @property
    def page(self) -> bytes:
        """The HTML page, as bytes."""
        return self._page

    def knows(self, token: str) -> bool:
        """Whether the token is ours; takes the same time for any wrong one."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode("ascii"))


@checks.door(wait=checks.flag, browser=checks.flag)
def view(system: System, *, wait: bool = True, browser: bool = True, **options: Any) -> LiveView:
    """Open the live page of a system; with `wait`, stay until it is interrupted. In a notebook, `close()` ends the page."""
    return show(LiveView(system, **options), wait=wait, browser=browser)


def show(page: LiveView, *, wait: bool = True, browser: bool = True) -> LiveView:
    """Open a page that is served; with `wait`, say where it is and stay until it is interrupted."""
    if browser:
        webbrowser.open(page.url)
    if wait and not in_notebook():
        sys.stderr.write(f"live page of {page.name}: {page.url}\n(interrupt to end it)\n")
        page.wait()
    return page
