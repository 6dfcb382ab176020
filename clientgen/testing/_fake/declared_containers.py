"""Containers that tests declare: their processes, files and ports."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from clientgen.runtime._streams.port_channels import check_port

from .._apiserver.verbs.connect import TUNNEL
from .container_files import ContainerFiles
from .pod_names import namespace_and_name
from .processes import Process
from .proxied_calls import ProxiedCall
from .served_ports import ForwardedPorts, piped_to
from .tunnelled_ports import TunnelledPorts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clientgen.runtime._clock import Clock

    from .._apiserver.responses.answers import Deferred
    from .._apiserver.verbs.connect import PortRequest, ProcessRequest
    from .._apiserver.verbs.proxy_subresource import ProxyRequest
    from .processes import Handler
    from .served_ports import PortHandler
    from .sessions import Session

__all__ = ["Container", "Containers"]


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
        """Have a function called for each client that attaches; the rest is as `on_exec`.

        Clients get exit code 0 whatever it returns, as from nodes: those tell that the streams
        ended, and the status of the pod tells how the container did.
        """
        self.handlers["attach"] = handler
        return handler

    @property
    def files(self) -> ContainerFiles:
        """The files of the container, by absolute path, for `copy_to`, `copy_from` and kubectl cp.

            cluster.container("shop/web-0").files["/etc/motd"] = b"hello"

        Once a test uses them, `tar`, `cat` and `test` work on them; all other commands, and `cat`
        without a file, reach the function of `on_exec`.
        """
        if self._files is None:
            self._files = ContainerFiles()
        return self._files

    def handler_of(self, action: str, command: Sequence[str]) -> Handler | None:
        """Return the function for a command; None if there is none."""
        handler = self.handlers.get(action)
        if action == "exec" and self._files is not None:
            is_theirs = handler is None or self._files.are_named(command)
            return self._files.run if is_theirs else handler
        return handler

    def port(self, number: int, server: PortHandler | str) -> None:
        """Have somebody listen on a port, for port-forward and proxy.

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

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._declared: list[tuple[str, str, Container]] = []

    def declare(self, pod: str, name: str) -> Container:
        """Declare containers.

        Raises:
            ValueError: The pod is not named as `namespace/name`.
        """
        namespace_and_name(pod)
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
        handlers = self._ports_of(request)
        if handlers is None:
            return None
        if subprotocol == TUNNEL:
            return TunnelledPorts(request, handlers)
        return ForwardedPorts(request, subprotocol, handlers)

    def proxy(self, request: ProxyRequest) -> Deferred | None:
        """Pass an HTTP request on; None if no test has declared who listens."""
        handler = (self._ports_of(request) or {}).get(request.port)
        return None if handler is None else ProxiedCall(request, handler, self._clock).answer()

    def _ports_of(self, request: PortRequest | ProxyRequest) -> dict[int, PortHandler] | None:
        """Return who listens on the ports of a pod; None if no test has declared the pod."""
        found: dict[int, PortHandler] | None = None
        for pod, _, container in self._declared:
            if fnmatchcase(f"{request.namespace}/{request.pod}", pod):
                found = (found or {}) | container.ports
        return found
