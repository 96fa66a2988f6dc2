"""A live page on this machine: sliders change parameters, start and inputs, and the motion is recomputed at once.

The server listens on 127.0.0.1 only. Every request must carry a random token and name this machine as its host, and
nothing is read from the disk for it: the page and the answers are made in memory.
"""

from __future__ import annotations

import hmac
import math
import secrets
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from typing import Any

from locomotor.errors import ViewingError
from locomotor.model import System
from locomotor.viewing.page.html import ALONE, assemble
from locomotor.viewing.page.live_engine import REACH, Engine
from locomotor.viewing.page.payload import Payload, payload_of, script_json
from locomotor.viewing.page.serving import HOST, Server
from locomotor.viewing.page.symbols import symbol_html
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

    def __init__(
        self,
        system: System,
        *,
        start: Mapping[str, float] | None = None,
        duration: float = 10.0,
        inputs: Mapping[str, float] | None = None,
        parameters: Sequence[str] | None = None,
        step: float = 0.001,
        channels: Sequence[str] = (),
        closed: Sequence[str] | None = None,
        port: int = 0,
    ) -> None:
        """Compile the system with its parameters free, make a first run, and start to serve it.

        Args:
            system: what to show.
            start: coordinates and velocities by name, as for `simulate`; by default a steady motion, slightly disturbed.
            duration: seconds of motion.
            inputs: constant inputs by name.
            parameters: names of the parameters with a slider; all by default.
            step: seconds a step.
            channels: curves shown at first.
            closed: of the contacts that open and close, those closed at the start; by default those that touch.
            port: where to listen; any free one by default.
        """
        free = tuple(system.parameters if parameters is None else parameters)
        self._engine = Engine(system, free, step, None if closed is None else tuple(closed))
        self._start = dict(self._engine.first_start() if start is None else start)
        self._inputs = dict(inputs or {})
        self._duration, self._channels = float(duration), tuple(channels)
        self._lock = threading.Lock()
        self._token = secrets.token_urlsafe(24)
        payload = self._payload({})
        self._chart = self._engine.chart_name(self._start)
        self._page = assemble(payload, policy=POLICY, live=self._controls(payload)).text.encode("utf-8")
        self._server = Server(self, port, HEADERS)
        self._thread = threading.Thread(target=self._server.serve_forever, name="locomotor live page", daemon=True)
        self._thread.start()

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
        return f"<LiveView of {self._engine.system.name!r} at {self.url}>"

    # -- answers --------------------------------------------------------------------------------------

    def _payload(self, asked: Mapping[str, Any]) -> Payload:
        """A run for the values asked for."""
        with self._lock:
            run = self._engine.run(
                float(asked.get("duration", self._duration)),
                _numbers(asked.get("start", self._start), "start"),
                _numbers(asked.get("parameters", {}), "parameters"),
                _numbers(asked.get("inputs", self._inputs), "inputs"),
            )
            return payload_of(playback_of(run, posing=self._engine.posing(run)), self._channels)

    def _stability(self, asked: Mapping[str, Any]) -> bytes:
        if self._chart is None:
            raise ViewingError(
                "the system is too large for a stability chart here: use `locomotor stability`"
                if self._engine.large
                else "the system has no steady motion along a velocity, so there is no stability chart"
            )
        with self._lock:
            parameters = _numbers(asked.get("parameters", {}), "parameters")
            found = self._engine.stability(self._chart, self._chart_reach, parameters)
        return script_json(found).encode("utf-8")

    @property
    def _chart_reach(self) -> float:
        return max(REACH, 2.0 * abs(self._start.get(self._chart or "", 0.0)))

    def answer(self, path: str, asked: Mapping[str, Any]) -> tuple[bytes, str] | None:
        """Content and type for a posted request; None for an unknown path."""
        if path == "/run":
            return self._payload(asked).frame, "application/octet-stream"
        if path == "/stability":
            return self._stability(asked), "application/json"
        return None

    @property
    def page(self) -> bytes:
        """The HTML page, as bytes."""
        return self._page

    def knows(self, token: str) -> bool:
        """Whether the token is ours; takes the same time for any wrong one."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode("ascii"))

    # -- controls -------------------------------------------------------------------------------------

    def _controls(self, payload: Payload) -> dict[str, Any]:
        """Sliders: what they are called, where they start and how far they go."""
        system = self._engine.system
        first = {c["name"]: c for c in payload.table["channels"]}
        run = self._engine.run(min(self._duration, 10 * self._engine.step), self._start, {}, self._inputs)
        begin = {name: float(values[0]) for name, values in run.channels.items()}
        starts = [name for name in self._engine.start_names(tuple(self._start)) if name in first]
        return {
            "token": self._token,
            "duration": self._duration,
            "longest": self._engine.most_seconds,
            "given": self._start,
            "chart": self._chart,
            "parameters": [
                _knob(p.name, p.unit, symbol_html(p.latex), p.description, p.value, 0.0)
                for p in (system.parameters[name] for name in self._engine.free)
            ],
            "start": [
                _knob(name, first[name]["unit"], first[name]["symbol"], first[name]["about"], begin[name], 1.0)
                for name in starts
            ],
            "inputs": [
                _knob(s.name, s.unit, symbol_html(s.latex), s.description, self._inputs.get(s.name, 0.0), 5.0)
                for s in system.layout.inputs
            ],
        }


def _knob(name: str, unit: str, symbol: str, about: str, value: float, reach: float) -> dict[str, Any]:
    """A slider around a value; `reach` is how far it goes from zero at least (0: from a quarter to twice the value)."""
    span = max(2.0 * abs(value), reach) or 1.0
    low, high = -span, span
    if reach == 0.0 and value != 0.0:
        low, high = sorted((0.25 * value, 2.0 * value))
    elif value > 0.0 and unit == "m/s":
        low = 0.0
    return {"name": name, "unit": unit, "symbol": symbol, "about": about, "value": value, "low": low, "high": high}


def _numbers(given: Any, what: str) -> dict[str, float]:
    """Numbers by name, or an error that says what is wrong."""
    if not isinstance(given, Mapping):
        raise ViewingError(f"{what} is {given!r}; give a table of numbers by name")
    found = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ViewingError(f"{what}: {name!r} is {value!r}; give a finite number")
        found[str(name)] = float(value)
    return found


def view(system: System, *, wait: bool = True, browser: bool = True, **options: Any) -> LiveView:
    """Open the live page of a system; with `wait`, stay until it is interrupted."""
    page = LiveView(system, **options)
    if browser:
        webbrowser.open(page.url)
    if wait:
        sys.stderr.write(f"live page of {system.name}: {page.url}\n(interrupt to end it)\n")
        page.wait()
    return page
