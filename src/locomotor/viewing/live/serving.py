"""The server of a live page: this machine only, few connections at a time, each with a limit on its time and its size.

Whatever arrives is answered in a sentence or not at all: nothing of it, and no word of ours, reaches the terminal.
"""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

import numpy as np

from locomotor.errors import LocomotorError, ViewingError
from locomotor.viewing.page import script_json

HOST = "127.0.0.1"
MOST_BYTES = 100_000
"""Largest request accepted."""
PATIENCE = 10.0
"""Seconds within which a request must have arrived, and its answer have been taken."""
MOST_CONNECTIONS = 16
"""At a time; a browser opens six."""
TOKEN_HEADER = "X-Locomotor-Token"


class Served(Protocol):
    """What the server needs of a view: a page, a port, answers to requests."""

    @property
    def page(self) -> bytes:
        """The HTML page, as bytes."""

    @property
    def port(self) -> int:
        """Port that the server listens on."""

    def answer(self, path: str, asked: dict[str, Any]) -> tuple[bytes, str] | None:
        """Content and type for a posted request; None for an unknown path."""

    def knows(self, token: str) -> bool:
        """Whether a token is the right one."""


class Server(ThreadingHTTPServer):
    """A thread for each connection, of which there are a few at most."""

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, view: Served, port: int, headers: dict[str, str]) -> None:
        self.view, self.headers = view, headers
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, or close it at once where too many are open."""
        if self._places.acquire(blocking=False):
            try:
                super().process_request(request, client_address)
            except BaseException:  # no thread could be started
                self._places.release()
                raise
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve, and make room for the next."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: the other side has gone, or was too slow."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request of the browser."""

    server: Server
    server_version = "locomotor"
    sys_version = ""
    timeout = PATIENCE

    def setup(self) -> None:
        """Give the request a limit as a whole: the one of the socket begins again with every byte that arrives."""
        super().setup()
        self._limit = threading.Timer(PATIENCE, self._cut)
        self._limit.daemon = True
        self._limit.start()

    def finish(self) -> None:
        """Stop the timer of the request."""
        self._limit.cancel()
        super().finish()

    def _cut(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RD)  # whoever waits for more finds the end

    def do_GET(self) -> None:
        """Answer with the page."""
        self._limit.cancel()
        try:
            asked = urlsplit(self.path)
            token = parse_qs(asked.query, max_num_fields=10).get("token", [""])[0]
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "this is no address")
            return
        if not self._welcome(token):
            return
        if asked.path != "/":
            self._refuse(HTTPStatus.NOT_FOUND, "there is one page here: /")
            return
        self._send(HTTPStatus.OK, self.server.view.page, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Answer with a run or a stability chart."""
        body = self._body()
        if body is None or not self._welcome(self.headers.get(TOKEN_HEADER, "")):
            return
        try:
            asked = json.loads(body or b"{}")
            if not isinstance(asked, dict):
                raise ViewingError("a request is a table")
            found = self.server.view.answer(urlsplit(self.path).path, asked)
        except RecursionError:
            self._refuse(HTTPStatus.BAD_REQUEST, "the request is nested too deeply")
        except (LocomotorError, ValueError, TypeError, OverflowError, np.linalg.LinAlgError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except Exception as error:  # a mistake of ours: the page says so, and goes on
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"this could not be computed ({type(error).__name__})")
        else:
            if found is None:
                self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")
            else:
                self._send(HTTPStatus.OK, *found)

    def _body(self) -> bytes | None:
        """What was posted, whole; None, and an answer, where it is not."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self._refuse(HTTPStatus.BAD_REQUEST, "a request tells its length in bytes")
            return None
        size = int(length[:20])
        if size > MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has {MOST_BYTES} bytes at most")
            return None
        try:
            body = self.rfile.read(size)
        except TimeoutError:
            body = b""
        self._limit.cancel()
        if len(body) < size:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"only a part of the request arrived within {PATIENCE:g} s")
            return None
        return body

    def _welcome(self, token: str) -> bool:
        """Whether the request comes from our page: token, host and origin; answers it if not."""
        here = {f"{name}:{self.server.view.port}" for name in (HOST, "localhost")}
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in here or (origin and origin.removeprefix("http://") not in here):
            self._refuse(HTTPStatus.FORBIDDEN, "this page answers to its own machine only")
            return False
        if not self.server.view.knows(token):
            self._refuse(HTTPStatus.FORBIDDEN, "wrong token; open the address that locomotor gave")
            return False
        return True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library refuses (requests that are none, unknown methods), in our form and without what was sent."""
        status = HTTPStatus(code)
        self.request_version = "HTTP/1.0"  # what could not be read is taken for the first version, which has no status
        self._refuse(status, f"{status.phrase.lower()}; open the address that locomotor gave")

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self.close_connection = True
        self._send(status, script_json({"error": reason}).encode("utf-8"), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal belongs to the user."""
