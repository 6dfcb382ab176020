"""A program's own HTTP endpoints: what both flavours share, and the addresses they listen on."""

from __future__ import annotations

import errno
import socket
from os import strerror
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from ssl import SSLContext

__all__ = ["MAX_BODY", "EndpointsBase", "parse_address"]

AnswerT = TypeVar("AnswerT")
ServerT = TypeVar("ServerT")

MAX_BODY: Final = 7 << 20  # an AdmissionReview has two objects of up to 3 MiB
_BACKLOG: Final = 128
_MOST_PORTS: Final = 65535


class EndpointsBase(Generic[AnswerT]):
    """Answers HTTP requests at an address, from `start` to `stop`; a context manager.

    Args:
        title: The name in messages, such as `metrics`.
        address: The address: `:8080`, `127.0.0.1:8080`, `[::1]:8080`; port 0 is any free one.
        answer: Answers one request: with asyncio a coroutine function, otherwise an ordinary
            function, which is called in a thread of its own. If it raises, the client gets status
            500.
        tls: For HTTPS. Certificates that are loaded into it later are used for new connections.
        max_body: The largest body in bytes; requests with larger ones are refused with 413.
        timeout: How many seconds an answer may take; then the client gets status 503. A client
            that does not read the answer in as many seconds loses its connection.

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
        max_body: int = MAX_BODY,
        timeout: float = 30.0,
    ) -> None:
        parse_address(title, address)
        self._title = title
        self._address = address
        self._answer = answer
        self._tls = tls
        self._max_body = max_body
        self._timeout = timeout
        self._began = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._title!r} at {self.url}>"

    @property
    def address(self) -> str:
        """The address as `host:port`, with the port that was chosen, once it has started."""
        return self._address

    @property
    def url(self) -> str:
        """The URL, once it has started."""
        return f"{'https' if self._tls else 'http'}://{self._address}"

    def _listen(self) -> socket.socket:
        if self._began:
            raise RuntimeError(f"{self!r} has already started; create a new one")
        sock = _listener(self._title, self._address)
        self._began = True
        self._address = _bound_address(sock)
        return sock

    def _new_server(self, kind: Callable[..., ServerT]) -> ServerT:
        """Listen, and make the server of the socket.

        Raises:
            OSError: The address cannot be listened on; the message says why.
            RuntimeError: It has started before.
        """
        return kind(
            self._title,
            self._listen(),
            self._answer,
            tls=self._tls,
            max_body=self._max_body,
            timeout=self._timeout,
        )


def parse_address(title: str, address: str) -> tuple[str, int]:
    """Split an address such as `:8080`, `127.0.0.1:8080` or `[::1]:8080` into host and port.

    An empty host is every address of the machine. Port 0 is any free port. (Go: net.Listen.)

    Raises:
        ValueError: The address has another form; the message says which forms there are.
    """
    host, colon, port = address.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        colon = ""  # an IPv6 address without brackets: which part is the port?
    is_number = port.isascii() and port.isdigit()
    if not colon or not is_number or int(port[:6]) > _MOST_PORTS:
        raise ValueError(
            f'{title}: {address!r} is not an address; write ":8080" for all addresses of the'
            ' machine, or one with its port: "127.0.0.1:8080", "[::1]:8080"'
        )
    return host, int(port)


def _listener(title: str, address: str) -> socket.socket:
    """Open a socket that listens on an address.

    Raises:
        ValueError: The address has a wrong form.
        OSError: It cannot be listened on, for example because another program does so.
    """
    host, port = parse_address(title, address)
    try:
        if host:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            return socket.create_server(found[0][4][:2], family=found[0][0], backlog=_BACKLOG)
        if socket.has_dualstack_ipv6():
            return socket.create_server(
                ("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=_BACKLOG
            )
        return socket.create_server(("", port), backlog=_BACKLOG)
    except OSError as error:
        raise _explained(title, address, error) from None


def _bound_address(sock: socket.socket) -> str:
    """The address of a listening socket, as `host:port` for clients on this machine."""
    host: str
    port: int
    host, port = sock.getsockname()[:2]
    host = {"::": "127.0.0.1", "0.0.0.0": "127.0.0.1"}.get(host, host)  # noqa: S104 - compared only
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _explained(title: str, address: str, error: OSError) -> OSError:
    if error.errno == errno.EADDRINUSE:
        why = "the port is in use, by another program or by another endpoint of this one"
    elif isinstance(error, socket.gaierror):
        why = f"there is no such host ({error.strerror})"
    else:
        why = strerror(error.errno) if error.errno else str(error)
    return OSError(error.errno, f"{title}: cannot listen on {address}: {why}")
