"""Fake containers that tests declare: their processes, files and ports."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from clientgen.runtime._streams.port_channels import check_port

from .._apiserver.verbs.connect import TUNNEL
from .container_files import ContainerFiles
from .pod_names import namespace_and_name
from .processes import Process
from .proxied_calls import ProxiedCall
from .served_ports import ForwardedPorts, pipe_to
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


class Container:
    """The commands, files and ports of fake containers. `FakeCluster.container` returns it."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}
        self._files: ContainerFiles | None = None
        self.ports: dict[int, PortHandler] = {}

    def on_exec(self, handler: Handler) -> Handler:
        """Call a function for each command that clients run. Also works as a decorator.

            @cluster.container("shop/web-0").on_exec
            def run(process):
                process.stdout.write(f"I am {process.command[0]}")
                return 0

        The function gets a `Process`, runs in a new thread, and returns the exit code; None means
        0.
        """
        self.handlers["exec"] = handler
        return handler

    def on_attach(self, handler: Handler) -> Handler:
        """Call a function for each client that attaches. See `on_exec` for the function.

        Clients always get exit code 0, as from kubelets, which report only the end of the streams.
        The exit code is in the status of the pod.
        """
        self.handlers["attach"] = handler
        return handler

    @property
    def files(self) -> ContainerFiles:
        """The files of the container, by absolute path, for `copy_to`, `copy_from` and kubectl cp.

            cluster.container("shop/web-0").files["/etc/motd"] = b"hello"

        After the first use of this property, `tar`, `cat` and `test` read and write the files. The
        function of `on_exec` runs all other commands, and `cat` without a path.
        """
        if self._files is None:
            self._files = ContainerFiles()
        return self._files

    def handler_of(self, action: str, command: Sequence[str]) -> Handler | None:
        """Return the function that runs a command; None if the test declared no function."""
        handler = self.handlers.get(action)
        if action == "exec" and self._files is not None:
            uses_files = handler is None or self._files.is_file_command(command)
            return self._files.run if uses_files else handler
        return handler

    def port(self, number: int, server: PortHandler | str) -> None:
        """Make the container listen on a port, for port-forward and proxy.

            cluster.container("shop/web-0").port(8080, "127.0.0.1:9000")

        Args:
            number: the number of the port.
            server: the address of a server on this machine; or a function that gets a
                `PortConnection`. For each connection, the function runs in a new thread. The
                connection ends when the function returns.

        Raises:
            ValueError: `number` is not a port number, or `server` is not an address.
        """
        self.ports[check_port("number", number)] = (
            pipe_to(server) if isinstance(server, str) else server
        )


class Containers:
    """The declared containers of a cluster. The latest declaration applies."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._declared: list[tuple[str, str, Container]] = []

    def declare(self, pod: str, name: str) -> Container:
        """Declare the containers whose pod and name match patterns.

        Raises:
            ValueError: `pod` is not `namespace/name`.
        """
        namespace_and_name(pod)
        container = Container()
        self._declared.append((pod, name, container))
        return container

    def open(self, request: ProcessRequest, subprotocol: str) -> Process | None:
        """Return the process that a client requests; None if the test declared no function."""
        for pod, name, container in reversed(self._declared):
            is_named = not name or fnmatchcase(request.container, name)
            if is_named and fnmatchcase(f"{request.namespace}/{request.pod}", pod):
                handler = container.handler_of(request.action, request.command)
                if handler is not None:
                    return Process(request, subprotocol, handler)
        return None

    def forward(self, request: PortRequest, subprotocol: str) -> Session | None:
        """Open the ports that a client requests; None if the test declared no container."""
        handlers = self._ports_of(request)
        if handlers is None:
            return None
        if subprotocol == TUNNEL:
            return TunnelledPorts(request, handlers)
        return ForwardedPorts(request, subprotocol, handlers)

    def proxy(self, request: ProxyRequest) -> Deferred | None:
        """Pass an HTTP request to a port; None if the test declared no server for the port."""
        handler = (self._ports_of(request) or {}).get(request.port)
        return None if handler is None else ProxiedCall(request, handler, self._clock).answer()

    def _ports_of(self, request: PortRequest | ProxyRequest) -> dict[int, PortHandler] | None:
        """Return the servers of a pod by port; None if the test declared no container."""
        found: dict[int, PortHandler] | None = None
        for pod, _, container in self._declared:
            if fnmatchcase(f"{request.namespace}/{request.pod}", pod):
                found = (found or {}) | container.ports
        return found
