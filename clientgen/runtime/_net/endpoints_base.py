"""A program's own HTTP endpoints: the base class of both flavours, and listening addresses."""

from __future__ import annotations

import errno
import socket
from os import strerror
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from ssl import SSLContext

AnswerT = TypeVar("AnswerT")
ServerT = TypeVar("ServerT")

MAX_BODY_BYTES: Final = 7 << 20  # an AdmissionReview has two objects of up to 3 MiB
_MAX_BACKLOG: Final = 128
_MAX_PORT: Final = 65535


class EndpointsBase(Generic[AnswerT]):
    """Answers HTTP requests at an address, from `start` to `stop`. It is a context manager.

    Args:
        title: The name in messages, such as `metrics`.
        address: The address: `:8080`, `127.0.0.1:8080`, `[::1]:8080`. Port 0 is any free port.
        answer: The function that answers a request: a coroutine function with asyncio, else an
            ordinary function, which runs in a new thread for each request. If the function raises,
            the client gets status 500.
        tls: The TLS context for HTTPS. New connections use the current certificate of the context.
        max_body: The maximum size of a body in bytes. Larger bodies are refused with 413.
        timeout: The seconds after which the client gets status 503 instead of an answer. The client
            must read the answer within the same time, or the connection is closed.

    Raises:
        ValueError: The address has a wrong form.
    """

    def __init__(
        self,
        title: str,
        address: str,
        answer: AnswerT,
        *,
        tls: SSLContext | None = None,
        max_body: int = MAX_BODY_BYTES,
        timeout: float = 30.0,
    ) -> None:
        parse_address(title, address)
        self._title = title
        self._address = address
        self._answer = answer
        self._tls = tls
        self._max_body = max_body
        self._timeout = timeout
        self._has_started = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._title!r} at {self.url}>"

    @property
    def address(self) -> str:
        """The address as `host:port`. After `start`, the port is the real port, never 0."""
        return self._address

    @property
    def url(self) -> str:
        """The URL of the endpoints. It is valid after `start`."""
        return f"{'https' if self._tls else 'http'}://{self._address}"

    def _listen(self) -> socket.socket:
        if self._has_started:
            raise RuntimeError(f"{self!r} has already started; create a new one")
        sock = _open_listener(self._title, self._address)
        self._has_started = True
        self._address = _bound_address(sock)
        return sock

    def _new_server(self, server_class: Callable[..., ServerT]) -> ServerT:
        """Open the listening socket, and create its server.

        Raises:
            OSError: Listening failed. The message has the reason.
            RuntimeError: The endpoints were started before.
        """
        return server_class(
            self._title,
            self._listen(),
            self._answer,
            tls=self._tls,
            max_body=self._max_body,
            timeout=self._timeout,
        )


def parse_address(title: str, address: str) -> tuple[str, int]:
    """Split an address such as `:8080`, `127.0.0.1:8080` or `[::1]:8080` into host and port.

    An empty host means all addresses of the machine. Port 0 is any free port. (Go: net.Listen.)

    Raises:
        ValueError: The address has another form. The message lists the forms.
    """
    host, colon, port = address.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        colon = ""  # an IPv6 address without brackets: the port cannot be distinguished
    is_number = port.isascii() and port.isdigit()
    if not colon or not is_number or int(port[:6]) > _MAX_PORT:
        raise ValueError(
            f'{title}: {address!r} is not an address; write ":8080" for all addresses of the'
            ' machine, or an address with a port: "127.0.0.1:8080", "[::1]:8080"'
        )
    return host, int(port)


def _open_listener(title: str, address: str) -> socket.socket:
    """Open a socket that listens on an address.

    Raises:
        ValueError: The address has a wrong form.
        OSError: Listening failed, for example because another program uses the port.
    """
    host, port = parse_address(title, address)
    try:
        if host:
            results = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
            family, _, _, _, socket_address = results[0]
            return socket.create_server(socket_address[:2], family=family, backlog=_MAX_BACKLOG)
        if socket.has_dualstack_ipv6():
            return socket.create_server(
                ("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=_MAX_BACKLOG
            )
        return socket.create_server(("", port), backlog=_MAX_BACKLOG)
    except OSError as error:
        raise _listen_error(title, address, error) from None


def _bound_address(sock: socket.socket) -> str:
    """Return the address of a listening socket, as `host:port` for clients on this machine."""
    host: str
    port: int
    host, port = sock.getsockname()[:2]
    host = {"::": "127.0.0.1", "0.0.0.0": "127.0.0.1"}.get(host, host)  # noqa: S104 - compared only
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _listen_error(title: str, address: str, error: OSError) -> OSError:
    if error.errno == errno.EADDRINUSE:
        reason = "the port is in use by another program, or by another endpoint of this program"
    elif isinstance(error, socket.gaierror):
        reason = f"the host is unknown ({error.strerror})"
    else:
        reason = strerror(error.errno) if error.errno else str(error)
    return OSError(error.errno, f"{title}: cannot listen on {address}: {reason}")
