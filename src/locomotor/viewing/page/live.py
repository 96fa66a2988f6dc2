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
from dataclasses import dataclass, replace
from typing import Any

from locomotor.errors import ViewingError
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.viewing.page.html import ALONE, assemble
from locomotor.viewing.page.live_engine import REACH, Engine
from locomotor.viewing.page.payload import Payload, payload_of, script_json
from locomotor.viewing.page.push import read_pushes
from locomotor.viewing.page.serving import HOST, Server
from locomotor.viewing.page.symbols import channel_symbol, symbol_html
from locomotor.viewing.scene import playback_of

POLICY = f"{ALONE}; connect-src 'self'; base-uri 'none'; form-action 'none'"
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, eq=False)
class Way:
    """One way for the system to move: free, or driven by a gait."""

    engine: Engine
    start: dict[str, float]
    chart: str | None
    """The velocity along which it has steady motions, if any."""


class LiveView:
    """A running page: `url` opens it, `close()` ends it, `wait()` stays until it is closed or interrupted."""

    def __init__(
        self,
        system: System,
        *,
        start: Mapping[str, float] | None = None,
        duration: float = 10.0,
        inputs: Mapping[str, float | str] | None = None,
        parameters: Sequence[str] | None = None,
        step: float = 0.001,
        channels: Sequence[str] = (),
        closed: Sequence[str] | None = None,
        gaits: Mapping[str, Mapping[str, Any]] | None = None,
        port: int = 0,
    ) -> None:
        """Compile the system with its parameters free, make a first run, and start to serve it.

        Args:
            system: what to show.
            start: coordinates and velocities by name, as for `simulate`; by default a steady motion, slightly disturbed.
            duration: seconds of motion.
            inputs: inputs by name: numbers, or laws of t and the parameters such as "0.3*sin(2*t)".
            parameters: names of the parameters with a slider; all by default.
            step: seconds a step.
            channels: curves shown at first.
            closed: of the contacts that open and close, those closed at the start; by default those that touch.
            gaits: laws of joints by the name of the gait, as `simulate(motions=...)` takes them; the first one is shown, the
                others are in a menu.
            port: where to listen; any free one by default.
        """
        free = tuple(system.parameters if parameters is None else parameters)
        self._engine = Engine(system, free, step, None if closed is None else tuple(closed))
        self._gaits = {name: dict(laws) for name, laws in (gaits or {}).items()}
        self._given_start = None if start is None else dict(start)
        self._inputs = dict(inputs or {})
        self._duration, self._channels = float(duration), tuple(channels)
        self._lock = threading.Lock()
        self._token = secrets.token_urlsafe(24)
        self._ways: dict[str, Way] = {}
        payload = self._payload({})
        self._page = assemble(payload, policy=POLICY, live=self._controls(self._first_gait)).text.encode("utf-8")
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

    # -- gaits ----------------------------------------------------------------------------------------

    @property
    def _first_gait(self) -> str:
        return next(iter(self._gaits), "")

    def _way(self, gait: Any) -> Way:
        """The system driven by a gait, or free ("" for none), compiled when first asked for."""
        if not isinstance(gait, str) or (gait and gait not in self._gaits):
            raise ViewingError(f"the system has no gait {gait!r}: {suggestion(str(gait), self._gaits)}")
        if gait not in self._ways:
            engine = self._engine
            if gait:
                engine = replace(engine, system=engine.system.with_motions(self._gaits[gait]))
            start = dict(engine.first_start() if self._given_start is None else self._given_start)
            self._ways[gait] = Way(engine, start, engine.chart_name(start))
        return self._ways[gait]

    def _inputs_of(self, way: Way) -> dict[str, float | str]:
        known = way.engine.compiled.input_names
        return {name: value for name, value in self._inputs.items() if name in known or not self._gaits}

    # -- answers --------------------------------------------------------------------------------------

    def _payload(self, asked: Mapping[str, Any]) -> Payload:
        """A run for the values asked for."""
        with self._lock:
            way = self._way(asked.get("gait", self._first_gait))
            run = way.engine.run(
                float(asked.get("duration", self._duration)),
                _numbers(asked.get("start", way.start), "start"),
                _numbers(asked.get("parameters", {}), "parameters"),
                _laws(asked.get("inputs", self._inputs_of(way)), "inputs"),
                read_pushes(asked.get("pushes", [])),
            )
            return payload_of(playback_of(run, posing=way.engine.posing(run)), self._channels)

    def _stability(self, asked: Mapping[str, Any]) -> bytes:
        with self._lock:
            way = self._way(asked.get("gait", self._first_gait))
            if way.chart is None:
                raise ViewingError(
                    "the system is too large for a stability chart here: use `locomotor stability`"
                    if way.engine.large
                    else "the system has no steady motion along a velocity, so there is no stability chart"
                )
            parameters = _numbers(asked.get("parameters", {}), "parameters")
            reach = max(REACH, 2.0 * abs(way.start.get(way.chart, 0.0)))
            found = way.engine.stability(way.chart, reach, parameters)
        return script_json(found).encode("utf-8")

    def answer(self, path: str, asked: Mapping[str, Any]) -> tuple[bytes, str] | None:
        """Content and type for a posted request; None for an unknown path."""
        if path == "/run":
            return self._payload(asked).frame, "application/octet-stream"
        if path == "/stability":
            return self._stability(asked), "application/json"
        if path == "/controls":
            return script_json(self._controls(asked.get("gait", ""))).encode("utf-8"), "application/json"
        return None

    @property
    def page(self) -> bytes:
        """The HTML page, as bytes."""
        return self._page

    def knows(self, token: str) -> bool:
        """Whether the token is ours; takes the same time for any wrong one."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode("ascii"))

    # -- controls -------------------------------------------------------------------------------------

    def _controls(self, gait: Any) -> dict[str, Any]:
        """Sliders: what they are called, where they start and how far they go."""
        with self._lock:
            way = self._way(gait)
            engine, system = way.engine, way.engine.system
            inputs = self._inputs_of(way)
            run = engine.run(min(self._duration, 10 * engine.step), way.start, {}, inputs)
            starts = [name for name in engine.start_names(tuple(way.start)) if name in run]
        begin = {name: float(values[0]) for name, values in run.channels.items()}
        symbols = {name: channel_symbol(name, run.about[name].latex) for name in starts}
        return {
            "gait": gait,
            "gaits": list(self._gaits),
            "token": self._token,
            "duration": self._duration,
            "longest": engine.most_seconds,
            "given": way.start,
            "chart": way.chart,
            "parameters": [
                _knob(p.name, p.unit, symbol_html(p.latex), p.description, p.value, 0.0)
                for p in (system.parameters[name] for name in engine.free)
            ],
            "start": [
                _knob(name, run.about[name].unit, symbols[name], run.about[name].description, begin[name], 1.0)
                for name in starts
            ],
            "inputs": [
                _knob(s.name, s.unit, symbol_html(s.latex), s.description, _number(inputs.get(s.name, 0.0)), 5.0)
                | ({"law": str(inputs[s.name])} if isinstance(inputs.get(s.name), str) else {})
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


def _number(law: float | str) -> float:
    """Where the slider of an input stands: zero while a law moves it."""
    return 0.0 if isinstance(law, str) else float(law)


def _laws(given: Any, what: str) -> dict[str, float | str]:
    """Numbers or texts of laws by name."""
    if not isinstance(given, Mapping):
        raise ViewingError(f"{what} is {given!r}; give a table of numbers or laws of t by name")
    texts = {str(name): law for name, law in given.items() if isinstance(law, str)}
    return {**_numbers({name: value for name, value in given.items() if name not in texts}, what), **texts}


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
