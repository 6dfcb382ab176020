"""An HTTP/1.1 server for a program's own endpoints, in threads, with h11.

This is the counterpart of `endpoint_server` for programs without an event loop. The module is
imported when a server starts. Each connection has a thread. Each answer has its own thread, too:
threads cannot be stopped, so the connection abandons an answer that takes too long. Limits of
headers, bodies, connections, running requests and their duration protect the program from its
clients.
"""

from __future__ import annotations

import logging
import re
import socket
import threading
from concurrent.futures import Future
from contextlib import suppress
from email.utils import formatdate
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote

import h11
from multidict import CIMultiDict

from . import endpoint_limits as limits
from .endpoint_messages import NO_MEMORY, EndpointAnswer, EndpointRequest, refused
from .peers import Peers, peer_of
from .socket_wait import wait_for
from .turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from ssl import SSLContext

_log = logging.getLogger("clientgen.runtime.endpoints")

_PIECE_BYTES: Final = 1 << 16
# The pause after a failed accept, for example when no file descriptor is free.
_RETRY_SECONDS: Final = 1.0
# Scheme and host of a request target in absolute form (RFC 9112, 3.2.2).
_ORIGIN: Final = re.compile(r"^\w+://[^/?]*")


class ThreadedServer:
    """Answers the requests that arrive at a listening socket.

    Args:
        title: The name in messages.
        sock: The socket; the server closes it.
        answer: Answers one request.
        tls: The TLS context for HTTPS. New connections use the current certificate of the context.
        max_body: The maximum size of a body in bytes. Larger bodies are refused with 413.
        timeout: The seconds until an answer must exist, and until the client must have read it.
    """

    def __init__(
        self,
        title: str,
        sock: socket.socket,
        answer: Callable[[EndpointRequest], EndpointAnswer],
        *,
        tls: SSLContext | None,
        max_body: int,
        timeout: float,
    ) -> None:
        self.title = title
        self.tls = tls
        self.max_body = max_body
        self.timeout = timeout
        self.turns: Turns[threading.Event] = Turns(limits.MAX_RUNNING_REQUESTS)
        self.is_stopping = False
        self.peers: Peers[_Connection] = Peers()
        self._sock = sock
        # If a connection ends between `wait_for` and `accept`, `accept` must not block.
        self._sock.setblocking(False)
        self._answer = answer
        self._wake_receiver, self._wake_sender = socket.socketpair()
        self._changed = threading.Condition()
        self._connections: set[_Connection] = set()
        self._accept_thread = threading.Thread(
            target=self._accept, name=f"clientgen-{title}", daemon=True
        )

    def start(self) -> None:
        """Start to accept connections."""
        self._accept_thread.start()

    def stop(self, grace: float) -> None:
        """Accept no more connections, wait for running answers, and close all connections.

        Args:
            grace: The seconds to wait for running answers.
        """
        self.is_stopping = True
        with suppress(OSError):  # the accepting thread may have ended already
            self._wake_sender.send(b"!")
        self._accept_thread.join()
        with self._changed:
            for connection in self._connections:
                connection.close_if_idle()
            self._changed.wait_for(lambda: not self._connections, grace)
            for connection in self._connections:
                connection.abort()
            self._changed.wait_for(lambda: not self._connections, limits.LINGER_TIMEOUT_SECONDS)

    def answer_in_thread(self, request: EndpointRequest, deadline: float) -> EndpointAnswer:
        """Answer a request in a new thread. A daemon thread cannot block the exit of the program.

        Raises:
            TimeoutError: There was no answer until the deadline. The thread continues.
        """
        future: Future[EndpointAnswer] = Future()

        def answer() -> None:
            try:
                future.set_result(self._answer(request))
            except BaseException as error:  # noqa: BLE001 - logged below; a thread cannot exit the program
                future.set_exception(error)

        name = f"clientgen-{self.title}-answer"
        try:
            threading.Thread(target=answer, name=name, daemon=True).start()
        except RuntimeError as error:  # no more threads
            _log.warning("%s: a request cannot be answered: %s", self.title, error)
            return refused(503, "the program cannot start more threads; try again later")
        failure = future.exception(max(deadline - monotonic(), 0.0))
        if failure is None:
            return future.result()
        _log.error("%s: %s %s failed", self.title, request.method, request.path, exc_info=failure)
        return refused(500, "the endpoint failed; see the log of the program")

    def forget(self, connection: _Connection) -> None:
        """Close and remove a connection."""
        self.peers.remove(connection)
        with self._changed:
            # With the lock: `stop` must not use a closed socket of a connection in the set.
            connection.close()
            self._connections.discard(connection)
            self._changed.notify_all()

    def _accept(self) -> None:
        """Accept connections until `stop`. Then accept the rest of the backlog."""
        has_failed = False
        with self._sock, self._wake_receiver, self._wake_sender:
            while True:
                if not self.is_stopping:
                    wait_for(self._sock, self._wake_receiver)
                try:
                    sock, address = self._sock.accept()
                except (BlockingIOError, ConnectionAbortedError):
                    if self.is_stopping:
                        return
                except OSError as error:
                    if not has_failed:
                        _log.warning("%s: connections cannot be accepted: %s", self.title, error)
                    has_failed = True
                    if self.is_stopping:
                        return
                    wait_for(self._wake_receiver, seconds=_RETRY_SECONDS)
                else:
                    has_failed = False
                    self._serve(sock, peer_of(address))

    def _serve(self, sock: socket.socket, peer: str) -> None:
        """Serve a connection in a new thread."""
        connection = _Connection(self, sock, peer)
        is_admitted, victim = self.peers.admit(connection, peer)
        if victim is not None:
            victim.abort()
        if not is_admitted:
            sock.close()
            return
        with self._changed:
            self._connections.add(connection)
        try:
            threading.Thread(
                target=connection.run, name=f"clientgen-{self.title}-connection", daemon=True
            ).start()
        except RuntimeError as error:  # no more threads
            _log.warning("%s: a connection cannot be served: %s", self.title, error)
            self.forget(connection)


class _Connection:
    """A connection. It answers one request after another."""

    def __init__(self, server: ThreadedServer, sock: socket.socket, peer: str) -> None:
        self.peer = peer
        self._server = server
        self._sock = sock
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.MAX_HEADER_BYTES)
        self._is_idle = False

    def run(self) -> None:
        """Answer requests until the client or the server ends the connection."""
        try:
            # An error of the client ends its connection. It is not logged.
            with suppress(OSError, h11.RemoteProtocolError):
                self._serve()
        finally:
            self._server.forget(self)

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()

    def close_if_idle(self) -> None:
        """End the connection if it waits for a request and none has arrived."""
        if self._is_idle and not wait_for(self._sock, seconds=0):
            self.abort()

    def abort(self) -> None:
        """End the connection immediately. The thread of the connection closes the socket."""
        with suppress(OSError):
            # `shutdown` of the TLS socket would drop TLS state that the other thread is using.
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)

    def _serve(self) -> None:
        self._sock.settimeout(limits.RECEIVE_TIMEOUT_SECONDS)
        if self._server.tls is not None:
            tls = self._server.tls
            # The handshake is a separate step, so that `abort` can end it.
            wrapped = tls.wrap_socket(self._sock, server_side=True, do_handshake_on_connect=False)
            self._sock = wrapped
            wrapped.do_handshake()
        timeout = limits.RECEIVE_TIMEOUT_SECONDS
        while (
            self._wait_for_request(timeout)
            and self._answer_request()
            and not self._server.is_stopping
        ):
            self._http.start_next_cycle()
            timeout = limits.KEEP_ALIVE_TIMEOUT_SECONDS

    def _wait_for_request(self, timeout: float) -> bool:
        """Wait for the first bytes of a request."""
        if self._http.trailing_data[0]:
            return True
        self._is_idle = True
        self._read(monotonic() + timeout)
        self._is_idle = False
        return not self._http.trailing_data[1]

    def _answer_request(self) -> bool:
        """Answer a request. Returns whether the connection can have another request."""
        method = "GET"
        try:
            head = self._next_event(monotonic() + limits.RECEIVE_TIMEOUT_SECONDS)
            if not isinstance(head, h11.Request):
                return False  # the end of the connection
            method = head.method.decode("ascii")
            if (
                sum(len(name) + len(value) for name, value in head.headers)
                > limits.MAX_HEADER_BYTES
            ):
                answer = refused(400, "the headers are too large")
            else:
                answer = self._answer(head, monotonic() + self._server.timeout)
        except h11.RemoteProtocolError as error:
            answer = refused(400, f"the request cannot be read: {error}")
        self._send(method, answer)
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            return True
        self._read_leftover()
        return False

    def _answer(self, head: h11.Request, deadline: float) -> EndpointAnswer:
        """Read the body, wait for a turn, and answer.

        A request waits for its turn only after its body has arrived: a client that sends no body
        does not take a turn.
        """
        body = bytearray()
        try:
            self._read_body(head, body)
            self._server.peers.mark_body_complete(self)
            return self._answer_in_turn(_to_endpoint_request(head, bytes(body)), deadline)
        except _BodyError as error:
            return error.answer
        except TimeoutError:
            return refused(503, f"no answer within {self._server.timeout:g} s")
        finally:
            self._server.peers.release(self)

    def _answer_in_turn(self, request: EndpointRequest, deadline: float) -> EndpointAnswer:
        turns, turn = self._server.turns, threading.Event()
        try:
            if not (
                turns.take_or_queue(self.peer, turn) or turn.wait(max(0.0, deadline - monotonic()))
            ):
                raise TimeoutError
            with self._server.peers.answering(self) as exists:
                if not exists:
                    return refused(503, "the connection was closed to make room for other clients")
                return self._server.answer_in_thread(request, deadline)
        finally:
            if not turns.leave_queue(self.peer, turn):
                next_turn = turns.give_back(self.peer)
                if next_turn is not None:
                    next_turn.set()

    def _read_body(self, head: h11.Request, body: bytearray) -> None:
        """Read the body of a request.

        Raises:
            _BodyError: The body is too large, there is no memory for it, or it did not arrive in
                time.
        """
        limit = self._server.max_body
        too_large = _BodyError(413, f"the body is larger than {limit} bytes")
        lengths = [int(value) for name, value in head.headers if name == b"content-length"]
        if lengths and lengths[0] > limit:
            raise too_large
        for piece in self._pieces(monotonic() + limits.RECEIVE_TIMEOUT_SECONDS):
            if len(body) + len(piece) > limit:
                raise too_large
            if not self._reserve(len(piece)):
                raise _BodyError(503, NO_MEMORY)
            body += piece

    def _reserve(self, size: int) -> bool:
        """Reserve memory for a part of a body or for an answer. May abort other connections."""
        has_room, victims = self._server.peers.reserve(self, size)
        for victim in victims:
            victim.abort()
        return has_room

    def _pieces(self, deadline: float) -> Iterator[bytes]:
        while True:
            try:
                event = self._next_event(deadline)
            except TimeoutError:
                reason = f"the body did not arrive within {limits.RECEIVE_TIMEOUT_SECONDS:g} s"
                raise _BodyError(408, reason) from None
            if not isinstance(event, h11.Data):
                return
            yield event.data

    def _next_event(self, deadline: float) -> Any:
        """Read until the next event of the connection, and return the event."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                informational = h11.InformationalResponse(
                    status_code=100, headers=[], reason=b"Continue"
                )
                self._sock.sendall(self._http.send(informational) or b"")
            self._read(deadline)
        return event

    def _read(self, deadline: float) -> None:
        self._set_timeout(deadline)
        self._http.receive_data(self._sock.recv(_PIECE_BYTES))

    def _set_timeout(self, deadline: float) -> None:
        remaining = deadline - monotonic()
        if remaining <= 0:
            raise TimeoutError
        self._sock.settimeout(remaining)

    def _send(self, method: str, answer: EndpointAnswer) -> None:
        """Send an answer.

        Raises:
            OSError: The connection has ended, or the client has not read the answer in time.
        """
        size = len(answer.body)
        if size > limits.SMALL_ANSWER_BYTES and not self._reserve(size):
            answer = refused(503, NO_MEMORY)
        try:
            self._write(self._encode_answer(method, answer), monotonic() + self._server.timeout)
        finally:
            self._server.peers.release(self)

    def _encode_answer(self, method: str, answer: EndpointAnswer) -> bytes:
        headers = [
            ("Date", formatdate(usegmt=True)),
            ("Content-Type", answer.content_type),
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Length", str(len(answer.body))),
            *answer.headers,
        ]
        if self._server.is_stopping or self._http.their_state is not h11.DONE:
            headers.append(("Connection", "close"))
        data = self._http.send(h11.Response(status_code=answer.status, headers=headers)) or b""
        if answer.body and method != "HEAD":
            data += self._http.send(h11.Data(data=answer.body)) or b""
        return data + (self._http.send(h11.EndOfMessage()) or b"")

    def _write(self, data: bytes, deadline: float) -> None:
        """Send bytes.

        Raises:
            OSError: The connection has ended, or the client has not read all bytes in time.
        """
        # `sendall` of a TLS socket would apply the timeout to each piece.
        rest = memoryview(data)
        while rest:
            self._set_timeout(deadline)
            rest = rest[self._sock.send(rest[:_PIECE_BYTES]) :]

    def _read_leftover(self) -> None:
        """Read for a moment. Closing the socket while the client sends would discard the answer."""
        socket.socket.shutdown(self._sock, socket.SHUT_WR)
        deadline = monotonic() + limits.LINGER_TIMEOUT_SECONDS
        while (remaining := deadline - monotonic()) > 0:
            self._sock.settimeout(remaining)
            if not self._sock.recv(_PIECE_BYTES):
                return


class _BodyError(Exception):
    """The server refuses the body of a request. `answer` is the answer to the client."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.answer = refused(status, reason)


def _to_endpoint_request(head: h11.Request, body: bytes) -> EndpointRequest:
    target = _ORIGIN.sub("", head.target.decode("ascii"), count=1)
    path, _, query = target.partition("?")
    return EndpointRequest(
        method=head.method.decode("ascii"),
        path=unquote(path),
        query=tuple(parse_qsl(query, keep_blank_values=True)),
        headers=CIMultiDict((n.decode("ascii"), v.decode("latin-1")) for n, v in head.headers),
        body=body,
    )
