"""What makes the calls to webhooks that the server asks for: over HTTPS, or in the process.

A driver that gets a `Deferred` hands its calls to `Backends.start` and waits as for anything else;
whoever finishes a call wakes it. Calls over the network run in threads of their own, and so do
functions of this process: the client gives them up when they take too long. A coroutine runs on the
event loop on which its backend was registered, or else on that of the client.
"""

from __future__ import annotations

import asyncio
import http.client
import inspect
import logging
import socket
import ssl
import threading
import time
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urljoin, urlsplit

from .._apiserver.webhook_calls import MOST_ANSWER_BYTES, Outcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Self, TypeAlias

    from clientgen.runtime._clock import Clock

    from .._apiserver.webhook_calls import WebhookCall

    Answer: TypeAlias = tuple[int, bytes]
    Asked: TypeAlias = Answer | Awaitable[Answer]

__all__ = ["Backends", "WebhookBackend"]

_log = logging.getLogger("clientgen.testing")

_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, */*",
    "User-Agent": "kube-apiserver-admission",
}
_CHUNK: Final = 1 << 16
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_SAME_METHOD: Final = (307, 308)
_MOST_REDIRECTS: Final = 10
_HTTPS: Final = 443


class WebhookBackend(Protocol):
    """A webhook server in the process, such as `clientgen.runtime.aio.AsyncWebhooks`."""

    def answer(self, path: str, body: bytes, /) -> Asked:
        """Answer a POST to a path by a status and a body."""
        ...


class Backends:
    """The services behind which webhooks are, and the ways to them.

    Threads may share it.

    Args:
        clock: what is answered later than it allows is no answer.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._services: dict[tuple[str, str], _Backend] = {}

    def set(self, service: str, backend: str | WebhookBackend) -> None:
        """Let a service lead to an address or to an object of this process.

        Raises:
            ValueError: the service or the address is none.
            TypeError: the backend is neither a text nor has a method `answer`.
        """
        namespace, slash, name = service.partition("/")
        if not slash or not namespace or not name or "/" in name:
            why = "a service is named by its namespace and its name: 'default/my-webhook'"
            raise ValueError(f"{service!r}: {why}")
        self._services[namespace, name] = _Backend(backend)

    # --------------------------------------------------------------------------- starting

    def start(self, calls: Iterable[WebhookCall]) -> None:
        """Make the calls that nobody else makes; for clients that wait in a thread."""
        for call in calls:
            if not call.claim():
                continue
            backend = self.backend(call)
            if backend is None or backend.local is None:
                _in_thread(_fetch, call, backend)
            elif (loop := backend.running_loop()) is not None:
                asyncio.run_coroutine_threadsafe(self.answered(call, backend.local), loop)
            elif backend.waits:
                _in_thread(asyncio.run, self.answered(call, backend.local))
            else:
                _in_thread(self.finish, call, backend.local)

    def on_loop(self, *, alone: bool = False) -> LoopCalls:
        """Make calls on the running event loop; the calls end with the `with` statement.

        If the loop is `alone`, no thread is started: what is no coroutine makes it wait.
        """
        return LoopCalls(self, _at_once if alone else _in_thread)

    def backend(self, call: WebhookCall) -> _Backend | None:
        service = call.target.service
        return None if service is None else self._services.get(service)

    # --------------------------------------------------------------------------- in the process

    def finish(self, call: WebhookCall, backend: WebhookBackend) -> None:
        """Ask a backend that answers by a function."""
        try:
            answer = backend.answer(call.target.path, call.body)
            if inspect.isawaitable(answer):
                answer = asyncio.run(_awaited(answer))
            self._end(call, _outcome(call, answer))
        except Exception as error:  # noqa: BLE001 - whatever a webhook may raise
            self._broken(call, error)

    async def answered(self, call: WebhookCall, backend: WebhookBackend) -> None:
        """Ask a backend that may wait."""
        try:
            answer = await _awaited(backend.answer(call.target.path, call.body))
            self._end(call, _outcome(call, answer))
        except asyncio.CancelledError:
            call.release()
            raise
        except Exception as error:  # noqa: BLE001 - whatever a webhook may raise
            self._broken(call, error)

    def _broken(self, call: WebhookCall, error: Exception) -> None:
        _log.error("the webhook %s failed", call.url, exc_info=error)
        problem = f'Post "{call.url}": {type(error).__name__}: {error}'
        self._end(call, Outcome(problem=problem))

    def _end(self, call: WebhookCall, outcome: Outcome) -> None:
        call.give_up(self._clock.monotonic())
        call.finish(outcome)


class LoopCalls:
    """The calls that one request on an event loop waits for. A context manager."""

    def __init__(self, backends: Backends, run: Callable[..., None]) -> None:
        self._backends = backends
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._tasks: list[asyncio.Task[None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Leave the calls that run here to others who wait for them."""
        for task in self._tasks:
            task.cancel()

    def start(self, calls: Iterable[WebhookCall]) -> None:
        """Make the calls that nobody else makes."""
        for call in calls:
            if not call.claim():
                continue
            backend = self._backends.backend(call)
            if backend is None or backend.local is None:
                self._run(_fetch, call, backend)
            elif not backend.waits:
                self._run(self._backends.finish, call, backend.local)
            elif (loop := backend.running_loop()) is not None:
                answer = self._backends.answered(call, backend.local)
                asyncio.run_coroutine_threadsafe(answer, loop)
            else:
                answer = self._backends.answered(call, backend.local)
                self._tasks.append(self._loop.create_task(answer))


class _Backend:
    """What is behind a service.

    Attributes:
        address: host and port, if it is elsewhere.
        local: the object in this process that answers, if it is one.
        waits: whether that answers by a coroutine.
    """

    def __init__(self, backend: str | WebhookBackend) -> None:
        self.address: tuple[str, int] | None = None
        self.local: WebhookBackend | None = None
        self.waits = False
        self._loop: asyncio.AbstractEventLoop | None = None
        if isinstance(backend, str):
            self.address = _address(backend)
            return
        if not callable(getattr(backend, "answer", None)):
            why = "a backend is an address such as '127.0.0.1:9443', or has a method answer"
            raise TypeError(f"{backend!r}: {why}(path, body)")
        self.local = backend
        self.waits = inspect.iscoroutinefunction(backend.answer)
        if self.waits:
            try:
                self._loop = asyncio.get_running_loop()
            except RuntimeError:
                self._loop = None

    def running_loop(self) -> asyncio.AbstractEventLoop | None:
        """Return the event loop on which the backend lives, if it runs in another thread."""
        loop = self._loop
        if loop is None or not loop.is_running():
            return None
        try:
            return None if asyncio.get_running_loop() is loop else loop
        except RuntimeError:
            return loop


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ValueError(f"{text!r} is no address; write host and port: '127.0.0.1:9443'")
    return host.strip("[]"), int(port)


def _at_once(work: Callable[..., Any], *args: Any) -> None:
    work(*args)


def _in_thread(work: Callable[..., Any], *args: Any) -> None:
    threading.Thread(target=work, args=args, daemon=True, name="clientgen-webhook").start()


# ---- in the process ---------------------------------------------------------------------------


async def _awaited(answer: Asked) -> Answer:
    return await answer if inspect.isawaitable(answer) else answer


def _outcome(call: WebhookCall, answer: object) -> Outcome:
    match answer:
        case (int(status), bytes(body)):
            return _bounded(call, status, body)
        case _:
            raise TypeError(f"answer() has to return a status and bytes, not {answer!r}")


def _bounded(call: WebhookCall, status: int, body: bytes, *, is_text: bool = True) -> Outcome:
    if len(body) > MOST_ANSWER_BYTES:
        why = f"the answer is larger than {MOST_ANSWER_BYTES} bytes"
        return Outcome(problem=f'Post "{call.url}": {why}')
    return Outcome(status, body, is_text=is_text)


# ---- over HTTPS -------------------------------------------------------------------------------


def _fetch(call: WebhookCall, backend: _Backend | None) -> None:
    """Make a call over the network."""
    target = call.target
    if target.service is not None and backend is None:
        _, name = target.service
        call.finish(Outcome(problem=f'Post "{call.url}": service "{name}" not found'))
        return
    address = backend.address if backend is not None and backend.address else None
    try:
        call.finish(_exchanged(call, address or (target.host, target.port)))
    except Exception as error:  # noqa: BLE001 - whatever a server may do to a connection
        call.finish(Outcome(problem=f'Post "{call.url}": {_why(error, call)}'))


def _exchanged(call: WebhookCall, address: tuple[str, int]) -> Outcome:
    """Send a request, and again where the answer redirects to, as Go's client does."""
    target, end = call.target, time.monotonic() + call.seconds
    context = _context(target.authority)
    method, host, netloc = "POST", target.host, target.netloc
    path = f"{target.path}?{call.query}" if call.query else target.path
    for _ in range(_MOST_REDIRECTS):
        raw = socket.create_connection(address, timeout=call.seconds)
        connection = http.client.HTTPConnection(host, timeout=call.seconds)
        try:
            connection.sock = context.wrap_socket(raw, server_hostname=host)
            body = call.body if method == "POST" else None
            connection.request(method, path, body, {**_HEADERS, "Host": netloc})
            answer = connection.getresponse()
            where = answer.headers.get("Location")
            if answer.status not in _REDIRECTS or not where:
                kind = answer.headers.get("Content-Type") or "text/plain"
                body = _read(answer, end)
                return _bounded(call, answer.status, body, is_text=kind.startswith("text/"))
        finally:
            connection.close()
            raw.close()
        if answer.status not in _SAME_METHOD:
            method = "GET"
        url = urlsplit(urljoin(f"https://{netloc}{path}", where))
        if url.scheme != "https":
            raise _Refused(f"the webhook redirects to {where!r}, which is not https")
        if url.netloc != netloc:
            host, netloc = url.hostname or "", url.netloc
            address = (host, url.port or _HTTPS)
        path = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
    raise _Refused(f"stopped after {_MOST_REDIRECTS} redirects")


class _Refused(Exception):  # noqa: N818 - its text says it all
    """A call that is not made."""


def _read(answer: http.client.HTTPResponse, end: float) -> bytes:
    """Read a body, as far as it may be large and take time."""
    chunks: list[bytes] = []
    size = 0
    while size <= MOST_ANSWER_BYTES and (chunk := answer.read1(_CHUNK)):
        chunks.append(chunk)
        size += len(chunk)
        if time.monotonic() > end:
            raise TimeoutError
    return b"".join(chunks)


def _context(authority: bytes) -> ssl.SSLContext:
    if authority:
        return ssl.create_default_context(cadata=authority.decode("ascii", "replace"))
    return ssl.create_default_context()


def _why(error: Exception, call: WebhookCall) -> str:  # noqa: PLR0911 - a table
    """Say in Go's words what has happened to a connection."""
    target = call.target
    match error:
        case ssl.SSLCertVerificationError():
            return f"tls: failed to verify certificate: {_x509(error, target.host)}"
        case TimeoutError():
            return "context deadline exceeded"
        case ConnectionRefusedError():
            return f"dial tcp {_dialled(target.host, target.port)}: connect: connection refused"
        case socket.gaierror():
            return f"dial tcp: lookup {target.host}: no such host"
        case ssl.SSLError() if "WRONG_VERSION_NUMBER" in str(error):
            return "http: server gave HTTP response to HTTPS client"
        case http.client.RemoteDisconnected() | ssl.SSLEOFError() | ConnectionResetError():
            return "EOF"
        case http.client.IncompleteRead():
            return "unexpected EOF"
        case _Refused():
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}"


def _dialled(host: str, port: int) -> str:
    shown = "127.0.0.1" if host == "localhost" else host
    return f"[{shown}]:{port}" if ":" in shown else f"{shown}:{port}"


def _x509(error: ssl.SSLCertVerificationError, host: str) -> str:
    if "mismatch" in error.verify_message or "not valid for" in error.verify_message:
        return f"x509: certificate is not valid for {host}"
    if "expired" in error.verify_message:
        return "x509: certificate has expired or is not yet valid"
    return "x509: certificate signed by unknown authority"
