"""Calls the webhooks that the server needs for a response: over HTTPS, or in this process.

A transport that gets a `Deferred` passes its calls to `Backends.start` and waits; a finished call
wakes the transport. Network calls and functions run in new threads, so that a slow call can time
out. A coroutine function runs on the event loop on which it was registered, or else on the client's
loop.
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

from .._apiserver.webhook_calls import MAX_ANSWER_BYTES, Outcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Self, TypeAlias

    from clientgen.runtime._clock import Clock

    from .._apiserver.webhook_calls import WebhookCall

    Answer: TypeAlias = tuple[int, bytes]
    MaybeAwaitable: TypeAlias = Answer | Awaitable[Answer]

_log = logging.getLogger("clientgen.testing")

_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, */*",
    "User-Agent": "kube-apiserver-admission",
}
_CHUNK_BYTES: Final = 1 << 16
_REDIRECT_CODES: Final = (301, 302, 303, 307, 308)
_METHOD_KEEPING_CODES: Final = (307, 308)
_MAX_REDIRECTS: Final = 10
_HTTPS_PORT: Final = 443


class WebhookBackend(Protocol):
    """A webhook server in this process, such as `clientgen.runtime.aio.AsyncWebhooks`."""

    def answer(self, path: str, body: bytes, /) -> MaybeAwaitable:
        """Answer a POST to `path` with a status code and a body."""
        ...


class Backends:
    """The webhook servers behind the services of the cluster. Thread-safe.

    Args:
        clock: the clock of webhook timeouts. A response after the timeout is dropped.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._services: dict[tuple[str, str], _Backend] = {}

    def set(self, service: str, backend: str | WebhookBackend) -> None:
        """Register the address or the object of the webhook server behind a service.

        Raises:
            ValueError: the service is not `namespace/name`, or the address is not `host:port`.
            TypeError: the backend is not a string and has no method `answer`.
        """
        namespace, slash, name = service.partition("/")
        if not slash or not namespace or not name or "/" in name:
            why = "write namespace and name: 'default/my-webhook'"
            raise ValueError(f"{service!r} is not a service; {why}")
        self._services[namespace, name] = _Backend(backend)

    # --------------------------------------------------------------------------- starting

    def start(self, calls: Iterable[WebhookCall]) -> None:
        """Start the calls that no other request has started, for clients that wait in a thread."""
        for call in calls:
            if not call.claim():
                continue
            backend = self.backend(call)
            if backend is None or backend.local is None:
                _in_thread(_fetch, call, backend)
            elif (loop := backend.running_loop()) is not None:
                asyncio.run_coroutine_threadsafe(self.call_coroutine(call, backend.local), loop)
            elif backend.waits:
                _in_thread(asyncio.run, self.call_coroutine(call, backend.local))
            else:
                _in_thread(self.call_function, call, backend.local)

    def on_loop(self, *, alone: bool = False) -> LoopCalls:
        """Return a starter of calls on the running event loop, until the `with` statement ends.

        With `alone`, no threads are started, so calls that are not coroutines block the loop.
        """
        return LoopCalls(self, _run_now if alone else _in_thread)

    def backend(self, call: WebhookCall) -> _Backend | None:
        service = call.target.service
        return None if service is None else self._services.get(service)

    # --------------------------------------------------------------------------- in the process

    def call_function(self, call: WebhookCall, backend: WebhookBackend) -> None:
        """Call a backend that is a function, and finish the call with its response."""
        try:
            answer = backend.answer(call.target.path, call.body)
            if inspect.isawaitable(answer):
                answer = asyncio.run(_resolve(answer))
            self._finish_unless_late(call, _outcome_of_answer(call, answer))
        except Exception as error:  # noqa: BLE001 - webhooks may raise anything
            self._finish_with_error(call, error)

    async def call_coroutine(self, call: WebhookCall, backend: WebhookBackend) -> None:
        """Call a backend that is a coroutine function, and finish the call with its response.

        If the task of this request is cancelled, another waiting request makes the call.
        """
        try:
            answer = await _resolve(backend.answer(call.target.path, call.body))
            self._finish_unless_late(call, _outcome_of_answer(call, answer))
        except asyncio.CancelledError:
            call.release()
            raise
        except Exception as error:  # noqa: BLE001 - webhooks may raise anything
            self._finish_with_error(call, error)

    def _finish_with_error(self, call: WebhookCall, error: Exception) -> None:
        _log.error("the webhook %s failed", call.url, exc_info=error)
        problem = f'Post "{call.url}": {type(error).__name__}: {error}'
        self._finish_unless_late(call, Outcome(problem=problem))

    def _finish_unless_late(self, call: WebhookCall, outcome: Outcome) -> None:
        call.give_up(self._clock.monotonic())
        call.finish(outcome)


class LoopCalls:
    """The webhook calls of one request on an event loop. Use it as a context manager."""

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
        """Cancel the calls of this request.

        Other requests that wait for the same calls repeat them.
        """
        for task in self._tasks:
            task.cancel()

    def start(self, calls: Iterable[WebhookCall]) -> None:
        """Start the calls that no other request has started."""
        for call in calls:
            if not call.claim():
                continue
            backend = self._backends.backend(call)
            if backend is None or backend.local is None:
                self._run(_fetch, call, backend)
            elif not backend.waits:
                self._run(self._backends.call_function, call, backend.local)
            elif (loop := backend.running_loop()) is not None:
                answer = self._backends.call_coroutine(call, backend.local)
                asyncio.run_coroutine_threadsafe(answer, loop)
            else:
                answer = self._backends.call_coroutine(call, backend.local)
                self._tasks.append(self._loop.create_task(answer))


class _Backend:
    """The webhook server behind a service.

    Attributes:
        address: host and port of a server that is called over HTTPS; None for a local object.
        local: the webhook server in this process; None for an address.
        waits: whether `local.answer` is a coroutine function.
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
            why = "pass an address such as '127.0.0.1:9443', or an object with answer(path, body)"
            raise TypeError(f"{backend!r} is not a backend; {why}")
        self.local = backend
        self.waits = inspect.iscoroutinefunction(backend.answer)
        if self.waits:
            try:
                self._loop = asyncio.get_running_loop()
            except RuntimeError:
                self._loop = None

    def running_loop(self) -> asyncio.AbstractEventLoop | None:
        """Return the event loop that runs the backend, if that loop runs in another thread."""
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
        raise ValueError(f"{text!r} is not an address; write host and port: '127.0.0.1:9443'")
    return host.strip("[]"), int(port)


def _run_now(work: Callable[..., Any], *args: Any) -> None:
    work(*args)


def _in_thread(work: Callable[..., Any], *args: Any) -> None:
    threading.Thread(target=work, args=args, daemon=True, name="clientgen-webhook").start()


# ---- in the process ---------------------------------------------------------------------------


async def _resolve(answer: MaybeAwaitable) -> Answer:
    return await answer if inspect.isawaitable(answer) else answer


def _outcome_of_answer(call: WebhookCall, answer: object) -> Outcome:
    match answer:
        case (int(status), bytes(body)):
            return _outcome_within_limit(call, status, body)
        case _:
            raise TypeError(f"answer() must return a status code and bytes, not {answer!r}")


def _outcome_within_limit(
    call: WebhookCall, status: int, body: bytes, *, is_text: bool = True
) -> Outcome:
    if len(body) > MAX_ANSWER_BYTES:
        why = f"the answer is larger than {MAX_ANSWER_BYTES} bytes"
        return Outcome(problem=f'Post "{call.url}": {why}')
    return Outcome(status, body, is_text=is_text)


# ---- over HTTPS -------------------------------------------------------------------------------


def _fetch(call: WebhookCall, backend: _Backend | None) -> None:
    """Make a call over the network, and finish it with the response or the error."""
    target = call.target
    if target.service is not None and backend is None:
        _, name = target.service
        call.finish(Outcome(problem=f'Post "{call.url}": service "{name}" not found'))
        return
    address = backend.address if backend is not None and backend.address else None
    try:
        call.finish(_exchange(call, address or (target.host, target.port)))
    except Exception as error:  # noqa: BLE001 - a server may break a connection in any way
        call.finish(Outcome(problem=f'Post "{call.url}": {_go_error(error, call)}'))


def _exchange(call: WebhookCall, address: tuple[str, int]) -> Outcome:
    """Send a request and follow redirects, as Go's client does."""
    target, end = call.target, time.monotonic() + call.seconds
    context = _context(target.authority)
    method, host, netloc = "POST", target.host, target.netloc
    path = f"{target.path}?{call.query}" if call.query else target.path
    for _ in range(_MAX_REDIRECTS):
        raw = socket.create_connection(address, timeout=call.seconds)
        connection = http.client.HTTPConnection(host, timeout=call.seconds)
        try:
            connection.sock = context.wrap_socket(raw, server_hostname=host)
            body = call.body if method == "POST" else None
            connection.request(method, path, body, {**_HEADERS, "Host": netloc})
            answer = connection.getresponse()
            where = answer.headers.get("Location")
            if answer.status not in _REDIRECT_CODES or not where:
                kind = answer.headers.get("Content-Type") or "text/plain"
                body = _read(answer, end)
                return _outcome_within_limit(
                    call, answer.status, body, is_text=kind.startswith("text/")
                )
        finally:
            connection.close()
            raw.close()
        if answer.status not in _METHOD_KEEPING_CODES:
            method = "GET"
        url = urlsplit(urljoin(f"https://{netloc}{path}", where))
        if url.scheme != "https":
            raise _Refused(f"the webhook redirects to {where!r}, which is not https")
        if url.netloc != netloc:
            host, netloc = url.hostname or "", url.netloc
            address = (host, url.port or _HTTPS_PORT)
        path = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
    raise _Refused(f"stopped after {_MAX_REDIRECTS} redirects")


class _Refused(Exception):  # noqa: N818 - clients see only its text
    """The redirect may not be followed."""


def _read(answer: http.client.HTTPResponse, end: float) -> bytes:
    """Read a body, up to the size limit and until `end`.

    Raises:
        TimeoutError: the body is not complete at `end`.
    """
    chunks: list[bytes] = []
    size = 0
    while size <= MAX_ANSWER_BYTES and (chunk := answer.read1(_CHUNK_BYTES)):
        chunks.append(chunk)
        size += len(chunk)
        if time.monotonic() > end:
            raise TimeoutError
    return b"".join(chunks)


def _context(authority: bytes) -> ssl.SSLContext:
    if authority:
        return ssl.create_default_context(cadata=authority.decode("ascii", "replace"))
    return ssl.create_default_context()


def _go_error(error: Exception, call: WebhookCall) -> str:  # noqa: PLR0911 - one return per error
    """Describe a connection error as Go's HTTP client does, for the server's message."""
    target = call.target
    match error:
        case ssl.SSLCertVerificationError():
            return f"tls: failed to verify certificate: {_go_certificate_error(error, target.host)}"
        case TimeoutError():
            return "context deadline exceeded"
        case ConnectionRefusedError():
            return f"dial tcp {_go_address(target.host, target.port)}: connect: connection refused"
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


def _go_address(host: str, port: int) -> str:
    address = "127.0.0.1" if host == "localhost" else host
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _go_certificate_error(error: ssl.SSLCertVerificationError, host: str) -> str:
    if "mismatch" in error.verify_message or "not valid for" in error.verify_message:
        return f"x509: certificate is not valid for {host}"
    if "expired" in error.verify_message:
        return "x509: certificate has expired or is not yet valid"
    return "x509: certificate signed by unknown authority"
