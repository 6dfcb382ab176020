"""Containers whose processes are functions of a test: exec and attach."""

from __future__ import annotations

import logging
import threading
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from clientgen._apimachinery.failures import internal_error
from clientgen.runtime._streams.channels import (
    CLOSE,
    ERROR,
    RESIZE,
    STDERR,
    STDIN,
    STDOUT,
    exit_status,
    failure_status,
    message,
    size_in,
)
from clientgen.runtime._streams.ports import check_port

from .._apiserver.verbs.connect import TUNNEL
from .container_files import ContainerFiles
from .ports import ForwardedPorts, piped_to
from .sessions import MOST_WAITING, Input, Session
from .tunnelled_ports import TunnelledPorts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from .._apiserver.verbs.connect import PortRequest, ProcessRequest
    from .ports import PortHandler

    Handler: TypeAlias = "Callable[[Process], int | None]"

__all__ = ["Container", "Containers", "Process"]

_log = logging.getLogger("clientgen.testing")

_MOST_CODE: Final = 255
_PIECE: Final = 1 << 15


class Container:
    """What `FakeCluster.container` returns: it says what runs in containers."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}
        self._files: ContainerFiles | None = None
        self.ports: dict[int, PortHandler] = {}

    def on_exec(self, handler: Handler) -> Handler:
        """Have a function called for each command that is run. Also a decorator.

            @cluster.container("shop/web-0").on_exec
            def run(process):
                process.stdout.write(f"I am {process.command[0]}")
                return 0

        The function runs in a thread of its own, and gets a `Process`. It returns the exit code;
        None is 0.
        """
        self.handlers["exec"] = handler
        return handler

    def on_attach(self, handler: Handler) -> Handler:
        """Have a function called for each client that attaches; the rest is as `on_exec`."""
        self.handlers["attach"] = handler
        return handler

    @property
    def files(self) -> ContainerFiles:
        """The files of the container, by absolute path, for `copy_to`, `copy_from` and kubectl cp.

            cluster.container("shop/web-0").files["/etc/motd"] = b"hello"

        Once a test uses them, the commands `tar`, `cat` and `test` work on them.
        """
        if self._files is None:
            self._files = ContainerFiles()
        return self._files

    def handler_of(self, action: str, command: Sequence[str]) -> Handler | None:
        """Return the function for a command; None if there is none."""
        handler = self.handlers.get(action)
        if action == "exec" and self._files is not None:
            is_known = bool(command) and self._files.has_program(command[0])
            return self._files.run if is_known or handler is None else handler
        return handler

    def port(self, number: int, server: PortHandler | str) -> None:
        """Have somebody listen on a port, for port-forward.

            cluster.container("shop/web-0").port(8080, "127.0.0.1:9000")

        Args:
            number: The number of the port.
            server: The address of a server on this machine; or a function, which is called in a
                thread of its own for each connection and gets a `PortConnection`. The connection
                ends when it returns.

        Raises:
            ValueError: That is no port, or no address.
        """
        self.ports[check_port("number", number)] = (
            piped_to(server) if isinstance(server, str) else server
        )


class Containers:
    """The containers of a cluster that tests have declared. The latest declaration decides."""

    def __init__(self) -> None:
        self._declared: list[tuple[str, str, Container]] = []

    def declare(self, pod: str, name: str) -> Container:
        """Declare containers.

        Raises:
            ValueError: The pod is not named as `namespace/name`.
        """
        namespace, slash, pod_name = pod.partition("/")
        if not (namespace and slash and pod_name) or "/" in pod_name:
            raise ValueError(f"pod={pod!r}: name it as namespace/name, such as shop/web-0")
        container = Container()
        self._declared.append((pod, name, container))
        return container

    def open(self, request: ProcessRequest, subprotocol: str) -> Process | None:
        """Return the process that a client asks for; None if no test has declared it."""
        for pod, name, container in reversed(self._declared):
            is_named = not name or fnmatchcase(request.container, name)
            if is_named and fnmatchcase(f"{request.namespace}/{request.pod}", pod):
                handler = container.handler_of(request.action, request.command)
                if handler is not None:
                    return Process(request, subprotocol, handler)
        return None

    def forward(self, request: PortRequest, subprotocol: str) -> Session | None:
        """Return the connections that a client asks for; None if no test has declared the pod."""
        handlers: dict[int, PortHandler] = {}
        is_declared = False
        for pod, _, container in self._declared:
            if fnmatchcase(f"{request.namespace}/{request.pod}", pod):
                is_declared = True
                handlers |= container.ports
        if not is_declared:
            return None
        if subprotocol == TUNNEL:
            return TunnelledPorts(request, handlers)
        return ForwardedPorts(request, subprotocol, handlers)


class Process(Session):
    """A command in a container that a function of the test plays.

    Attributes:
        command: The command and its arguments; empty for an attached client.
        namespace: The namespace of the pod.
        pod: The name of the pod.
        container: The name of the container.
        tty: Whether it has a terminal. What it writes to stderr then goes to stdout.
        stdin: What the client sends: `read`, `readline`.
        stdout: What the client gets: `write`.
        stderr: The same.
        sizes: The sizes of the terminal that the client told: columns and rows.
    """

    def __init__(self, request: ProcessRequest, subprotocol: str, handler: Handler) -> None:
        super().__init__(subprotocol)
        self.command = list(request.command)
        self.namespace, self.pod, self.container = request.namespace, request.pod, request.container
        self.tty = request.tty
        self.sizes: list[tuple[int, int]] = []
        self._handler = handler
        self.stdin = Input(self, is_open=request.stdin)
        self.stdout = Output(self, STDOUT if request.stdout else None)
        second = STDERR if request.stderr else None
        self.stderr = self.stdout if request.tty else Output(self, second)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.command} in {self.namespace}/{self.pod}>"

    # ---- for the server -----------------------------------------------------------------------

    def begin(self) -> None:
        """Start the function."""
        threading.Thread(target=self._run, name=f"clientgen {self!r}", daemon=True).start()

    def feed(self, message: bytes) -> None:
        """Take a message from the client. What cannot be understood is ignored, as kubelets do."""
        if not message:
            return
        channel, data = message[0], message[1:]
        if channel == STDIN:
            self.stdin.feed(data)
        elif channel == CLOSE and data == bytes((STDIN,)):
            self.stdin.end()
        elif channel == RESIZE:
            try:
                size = size_in(data)
            except ValueError:
                return
            with self.changed:
                self.sizes.append(size)
                del self.sizes[:-1000]
                self.changed.notify_all()

    @property
    def is_full(self) -> bool:
        """Whether the process has much to read."""
        return self.stdin.waiting > MOST_WAITING

    def close(self) -> None:
        """Note that the client is gone."""
        super().close()
        self.stdin.end()

    # ---- for the function ---------------------------------------------------------------------

    def wait_for_size(self, count: int = 1, timeout: float = 30.0) -> bool:
        """Wait until the client has told so many sizes, at most `timeout` seconds."""
        with self.changed:
            return self.changed.wait_for(
                lambda: len(self.sizes) >= count or self.is_closed, timeout
            )

    def _run(self) -> None:
        try:
            status = exit_status(_checked_code(self._handler(self)))
        except Exception as error:  # noqa: BLE001 - whatever the function of the test raises
            if not self.is_closed:
                _log.exception("%r failed", self)
            why = f"error executing command in container: {type(error).__name__}: {error}"
            status = failure_status(internal_error(why).status())
        self.finish(message(ERROR, status))


def _checked_code(code: int | None) -> int:
    if code is None:
        return 0
    if isinstance(code, bool) or not 0 <= code <= _MOST_CODE:
        raise ValueError(f"an exit code is a number from 0 to {_MOST_CODE}, not {code!r}")
    return code


class Output:
    """An output of a process."""

    def __init__(self, process: Process, channel: int | None) -> None:
        self._process = process
        self._channel = channel

    def write(self, data: bytes | str) -> None:
        """Write, and wait while the client does not read.

        Raises:
            BrokenPipeError: The client is gone.
        """
        encoded = data.encode() if isinstance(data, str) else data
        if self._channel is None:  # the client wants to hear nothing of it
            return
        for start in range(0, len(encoded), _PIECE):
            self._process.send(message(self._channel, encoded[start : start + _PIECE]))
