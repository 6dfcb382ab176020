"""`LocalServer`: serves a fake cluster over HTTP or HTTPS, for any Kubernetes client."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .certificates import new_identity
from .server_kubeconfig import kubeconfig as kubeconfig_of
from .server_kubeconfig import write_kubeconfig

if TYPE_CHECKING:
    import os
    from types import TracebackType
    from typing import Self

    from .certificates import Identity
    from .fake_cluster import FakeCluster

_HOST = "127.0.0.1"
_BACKLOG = 1024


class LocalServer:
    """Serves a cluster on 127.0.0.1 in a thread. Use it as a context manager.

    ::

        with LocalServer(tls=True) as server, Clientset.from_config(server.kubeconfig) as k:
            k.core_v1.namespaces().list()
            server.cluster.restart()

    Reactions and faults work as in `FakeCluster`. `cut` resets the connection.

    Args:
        cluster: the cluster to serve; by default a new cluster.
        port: the port; 0 chooses a free port.
        tls: whether to serve HTTPS, with a new certificate authority that the kubeconfig contains.
        token: the bearer token that requests must carry.
        kubeconfig: the path to write the kubeconfig to; by default a temporary file.
        service_account: the ServiceAccount of clients with this kubeconfig, as in
            `FakeCluster.clientset`. Its namespace is the default namespace of the kubeconfig.

    Attributes:
        cluster: the served cluster, with its actions, reactions and faults.

    Raises:
        TlsUnavailable: TLS is requested and trustme is not installed.
        OSError: the port is in use, or the kubeconfig cannot be written.
        ForeignFile: the kubeconfig file exists and clientgen did not write it.
        ValueError: `service_account` is not `namespace/name`.
    """

    def __init__(
        self,
        cluster: FakeCluster | None = None,
        *,
        port: int = 0,
        tls: bool = False,
        token: str = "",
        kubeconfig: str | os.PathLike[str] | None = None,
        service_account: str | None = None,
    ) -> None:
        if cluster is None:
            from .fake_cluster import FakeCluster

            cluster = FakeCluster()
        self.cluster = cluster
        self._token = token
        self._user = "" if service_account is None else cluster.acting_as(service_account)
        self._namespace = (service_account or "default").partition("/")[0]
        self._port = port
        self._identity: Identity | None = new_identity(_HOST, "localhost", "::1") if tls else None
        self._kubeconfig = None if kubeconfig is None else Path(kubeconfig)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._ready = threading.Event()
        self._problem: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    @property
    def port(self) -> int:
        """The port, once the server runs."""
        return self._port

    @property
    def url(self) -> str:
        """The URL, once the server runs."""
        return f"{'https' if self._identity else 'http'}://{_HOST}:{self._port}"

    @property
    def kubeconfig(self) -> str:
        """The path of the kubeconfig. A temporary kubeconfig is removed when the server stops.

        Raises:
            RuntimeError: the server has not run yet.
        """
        if self._kubeconfig is None:
            raise RuntimeError(f"{self!r} is not running: use it in a with statement")
        return str(self._kubeconfig)

    @property
    def certificate_authority(self) -> bytes:
        """The certificate authority of the server, in PEM; empty without TLS."""
        return self._identity.authority if self._identity else b""

    def __enter__(self) -> Self:
        if self._thread is not None:
            raise RuntimeError(f"{self!r} is already running")
        self._ready.clear()
        listener = socket.create_server((_HOST, self._port), backlog=_BACKLOG)
        try:
            self._port = listener.getsockname()[1]
            self._write_kubeconfig()
        except BaseException:
            listener.close()
            self._remove_folder()
            raise
        self._thread = threading.Thread(
            target=self._run, args=[listener], name="clientgen-serve", daemon=True
        )
        self._thread.start()
        self._ready.wait()
        if self._problem is not None:
            self.close()
            raise self._problem
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving. Streams end; responses in progress are completed."""
        if self._thread is None:
            return
        if self._loop is not None and self._stop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._thread = None
        self._remove_folder()

    def _run(self, listener: socket.socket) -> None:
        self._problem = None
        try:
            with listener:
                asyncio.run(self._serve(listener))
        except BaseException as problem:  # noqa: BLE001 - `__enter__` raises it
            self._problem = problem
        finally:
            self._ready.set()

    async def _serve(self, listener: socket.socket) -> None:
        from .aiohttp_frontend import Frontend  # importing aiohttp takes long

        frontend = Frontend(self.cluster.dispatcher, self._token)
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        context = self._identity.context if self._identity else None
        http_server = await self._loop.create_server(
            frontend.server, sock=listener, ssl=context, backlog=_BACKLOG
        )
        self._ready.set()
        await self._stop.wait()
        await _stop_listening(http_server)
        await frontend.close()

    def _write_kubeconfig(self) -> None:
        if self._kubeconfig is None:
            self._folder = tempfile.TemporaryDirectory(prefix="clientgen-")
            self._kubeconfig = Path(self._folder.name, "kubeconfig")
        text = kubeconfig_of(
            self.url, self.certificate_authority, self._token, self._user, self._namespace
        )
        write_kubeconfig(self._kubeconfig, text)

    def _remove_folder(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
            self._kubeconfig = None


async def _stop_listening(server: asyncio.Server) -> None:
    """Stop accepting connections.

    asyncio accepts a connection in three turns of the loop. If the server is closed meanwhile, the
    socket of the connection is never closed.
    """
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # loops of Windows accept otherwise
        for listener in server.sockets:
            loop.remove_reader(listener)
    for _ in range(3):
        await asyncio.sleep(0)
    server.close()
