"""The live server under clients that are slow, many, broken or hostile; on this machine only."""

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from locomotor.errors import ViewingError
from locomotor.viewing.live import serving
from locomotor.viewing.live.serving import HOST, MOST_CONNECTIONS, TOKEN_HEADER, Server


class Page:
    """Something to serve that costs nothing."""

    page = b"<!doctype html>hello"
    port = 0

    def answer(self, path: str, asked: dict[str, Any]) -> tuple[bytes, str] | None:
        if asked.get("fault"):
            raise {"ours": AssertionError, "theirs": ViewingError}[asked["fault"]]("/a/secret/path")
        return (json.dumps(asked).encode(), "application/json") if path == "/run" else None

    def knows(self, token: str) -> bool:
        return token == "t"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(serving, "PATIENCE", 0.5)
    monkeypatch.setattr(serving.Handler, "timeout", 0.5)
    page = Page()
    running = Server(page, 0, {"X-Test": "1"})
    page.port = running.server_address[1]
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


def connect(server: Server) -> socket.socket:
    return socket.create_connection((HOST, server.view.port), timeout=5)


def everything(raw: socket.socket) -> bytes:
    found = b""
    try:
        while piece := raw.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def send(server: Server, data: bytes) -> bytes:
    with connect(server) as raw:
        raw.sendall(data)
        raw.shutdown(socket.SHUT_WR)
        return everything(raw)


def post(server: Server, body: bytes, *lines: str, length: str | None = None) -> bytes:
    head = ["POST /run HTTP/1.1", f"Host: {HOST}:{server.view.port}", f"{TOKEN_HEADER}: t", *lines]
    head.append(f"Content-Length: {len(body) if length is None else length}")
    return send(server, "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body)


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0


GOOD = b'{"a": 1}'


def works(server: Server) -> bool:
    return status(post(server, GOOD)) == 200


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"\r\n\r\n", 0),
        (b"hello\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),  # TLS
        (b"GET / HTTP/9.9\r\n\r\n", 505),
        (b"GET / HTTP/a.b\r\n\r\n", 400),
        (b"GET http://[ HTTP/1.1\r\n\r\n", 400),
        (b"GET /?" + b"&".join(b"a=1" for _ in range(99)) + b" HTTP/1.1\r\n\r\n", 400),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nA: " + b"b" * 70_000 + b"\r\n\r\n", 431),
        (b"DELETE / HTTP/1.1\r\n\r\n", 501),
        (b"<script>alert(1)</script> / HTTP/1.1\r\n\r\n", 501),
        (b"POST /run HTTP/1.1\r\n\r\n", 400),
        (b"POST /run HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 400),
    ],
)
def test_malformed_requests_get_an_answer(server: Server, sent: bytes, code: int, capfd: pytest.CaptureFixture[str]) -> None:
    answer = send(server, sent)
    assert status(answer) == code
    assert b"Traceback" not in answer and b"script" not in answer and (not code or b"X-Test: 1" in answer)
    assert works(server) and capfd.readouterr() == ("", "")


@pytest.mark.parametrize("length", ["-5", "x", "", "\xb2", "1e3", "0x10", " ", "9" * 5000])
def test_lengths_that_are_none(server: Server, length: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert status(post(server, GOOD, length=length)) == (413 if length.startswith("9") else 400)
    assert works(server) and capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"null", b"\xff\xfe", b"[" * 90_000, b'{"a":' * 15_000, b'{"fault": "theirs"}', b"9" * 9000]
)
def test_contents_that_are_none(server: Server, body: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    answer = post(server, body)
    assert status(answer) == 400 and b"Traceback" not in answer
    assert works(server) and capfd.readouterr() == ("", "")


def test_a_mistake_of_ours_is_told_without_its_inside(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    answer = post(server, b'{"fault": "ours"}')
    assert status(answer) == 500 and b"AssertionError" in answer and b"secret" not in answer
    assert works(server) and capfd.readouterr() == ("", "")


def test_a_body_that_never_comes_is_not_waited_for(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    begin = time.monotonic()
    with connect(server) as raw:
        raw.sendall(b"POST /run HTTP/1.1\r\nContent-Length: 1000\r\n\r\nabc")
        assert status(everything(raw)) == 408
    assert time.monotonic() - begin < 3.0 and capfd.readouterr() == ("", "")


@pytest.mark.parametrize("begin", [b"GET / HT", b"GET / HTTP/1.1\r\nA: ", b"POST /run HTTP/1.1\r\nContent-Length: 900\r\n\r\n"])
def test_a_request_in_drops_is_cut_off(server: Server, begin: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    """Each byte comes within the limit of the socket; the limit of the whole ends it."""
    started, closed = time.monotonic(), False
    with connect(server) as raw:
        raw.sendall(begin)
        raw.settimeout(0.1)
        while not closed and time.monotonic() - started < 4.0:
            try:
                raw.sendall(b"a")
                closed = not raw.recv(1000)
            except TimeoutError:
                continue
            except OSError:
                closed = True
    assert closed and time.monotonic() - started < 3.0
    assert works(server) and capfd.readouterr() == ("", "")


def test_too_many_connections_are_closed_and_the_page_comes_back(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    held = [connect(server) for _ in range(MOST_CONNECTIONS)]
    time.sleep(0.2)
    with connect(server) as more:
        began = time.monotonic()
        assert everything(more) == b"" and time.monotonic() - began < 0.4, "closed at once, not when patience ends"
    for raw in held:
        raw.close()
    time.sleep(0.3)
    assert works(server) and capfd.readouterr() == ("", "")


def test_clients_that_go_away_leave_no_trace(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    for data in (b"", b"GET", b"GET / HTTP/1.1\r\n\r\n", b"POST /run HTTP/1.1\r\nContent-Length: 5\r\n\r\n{"):
        raw = connect(server)
        raw.sendall(data)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset instead of a farewell
        raw.close()
    time.sleep(0.3)
    assert works(server) and capfd.readouterr() == ("", "")
