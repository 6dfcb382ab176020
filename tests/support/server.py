"""An API server that does as it is told: a real TLS socket with scripted answers.

    server.reply(ok(pod))                                  # to the next request, whatever it is
    server.reply(head(chunked=True), chunk(line), CUT)     # a stream whose connection is reset

A reply is a list of acts: bytes are sent, an Event is waited for, CUT resets the connection, CLOSE
ends it. What was asked is in `server.requests`; `server.connections` counts.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import ssl
import struct
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import trustme

CUT = "cut"
CLOSE = "close"
HALF_CLOSE = "half-close"

Act = bytes | str | threading.Event

PATIENCE = 60.0
# How clients find out whether a server is still there: see `clientgen.runtime._http.server_health`.
PROBES = {"/version", "/readyz"}


@dataclass
class Received:
    """A request as it came in."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    connection: int

    def header(self, name: str) -> str | None:
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return values[0] if values else None

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def json(self) -> Any:
        return json.loads(self.body)


def head(
    status: int = 200, *headers: str, chunked: bool = False, length: int | None = None
) -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", "Content-Type: application/json", *headers]
    if chunked:
        lines.append("Transfer-Encoding: chunked")
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def reply(status: int, body: object = b"", *headers: str) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return head(status, *headers, length=len(data)) + data


def ok(body: object, *headers: str) -> bytes:
    return reply(200, body, *headers)


def zipped(body: object) -> bytes:
    data = gzip.compress(json.dumps(body).encode())
    return head(200, "Content-Encoding: gzip", length=len(data)) + data


def failure(code: int, reason: str = "", message: str = "no", *headers: str, **more: Any) -> bytes:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    return reply(
        code, {**status, "message": message, "reason": reason, "code": code, **more}, *headers
    )


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def event(kind: str, obj: object) -> bytes:
    return chunk(json.dumps({"type": kind, "object": obj}).encode() + b"\n")


END = b"0\r\n\r\n"


@dataclass
class Certificates:
    """An authority, the server's certificate and a client's."""

    authority: trustme.CA = field(default_factory=trustme.CA)

    def __post_init__(self) -> None:
        self.server = self.authority.issue_cert("localhost", "127.0.0.1")
        self.client = self.authority.issue_cert("client@example.com")
        self.ca_pem: bytes = self.authority.cert_pem.bytes()

    def server_context(self, *, ask: bool = False) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.configure_cert(context)
        if ask:
            context.verify_mode = ssl.CERT_REQUIRED
            self.authority.configure_trust(context)
        return context


class ScriptedServer:
    """Answers each request with the next reply of the script; without one, with a 500.

    Without certificates it speaks plain HTTP.
    """

    def __init__(self, certificates: Certificates | None, *, ask_certificate: bool = False) -> None:
        self.requests: list[Received] = []
        self.probes: list[Received] = []
        self.connections = 0
        self.errors: list[BaseException] = []
        self._context = certificates and certificates.server_context(ask=ask_certificate)
        self._script: deque[tuple[Act, ...]] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._spawn(self._accept)

    @property
    def url(self) -> str:
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}"

    def reply(self, *acts: Act) -> None:
        """Add a reply to the script."""
        self._script.append(acts)

    def close(self) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def _spawn(self, target: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._spawn(self._serve, plain, self.connections)

    def _serve(self, plain: socket.socket, number: int) -> None:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain.settimeout(PATIENCE)
        connection = plain
        if self._context is not None:
            try:
                connection = self._context.wrap_socket(plain, server_side=True)
            except OSError:
                plain.close()
                return
        connection.settimeout(60)
        with self._lock:
            self._open.add(connection)
        try:
            self._converse(connection, number)
        except (OSError, ValueError):
            pass
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def _converse(self, connection: socket.socket, number: int) -> None:
        with connection.makefile("rb") as stream:
            while (received := _read_request(stream, number)) is not None:
                if received.target in PROBES:  # these come when they come, in no script
                    self.probes.append(received)
                    connection.sendall(ok({}))
                    continue
                with self._lock:
                    self.requests.append(received)
                    acts = self._script.popleft() if self._script else None
                if acts is None:
                    what = f"no reply for {received.method} {received.target}"
                    acts = (reply(500, what.encode()),)
                if not self._act(connection, acts):
                    return

    def _act(self, connection: socket.socket, acts: tuple[Act, ...]) -> bool:
        """Perform the acts; gives whether the connection goes on."""
        for act in acts:
            if isinstance(act, bytes):
                connection.sendall(act)
            elif isinstance(act, threading.Event):
                while not act.wait(0.05):
                    if self._closing.is_set():
                        return False
            elif act == CUT:
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                return False
            elif act == HALF_CLOSE:
                socket.socket.shutdown(connection, socket.SHUT_WR)
            else:
                return False
        return True


def _read_request(stream: Any, number: int) -> Received | None:
    line = stream.readline()
    if not line:
        return None
    method, target, _ = line.decode("ascii").split(" ")
    headers: list[tuple[str, str]] = []
    while (raw := stream.readline()) not in (b"\r\n", b""):
        name, _, value = raw.decode("utf-8").partition(":")
        headers.append((name, value.strip()))
    received = Received(method, target, headers, b"", number)
    received.body = stream.read(int(received.header("content-length") or 0))
    return received
