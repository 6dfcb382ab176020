"""A real control plane on this machine: kube-apiserver and etcd, as envtest starts them.

Neither controllers nor a scheduler run. (controller-runtime: pkg/internal/testing/controlplane.)
"""

from __future__ import annotations

import http.client
import os
import secrets
import socket
import ssl
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from .certificates import TlsUnavailable
from .server_kubeconfig import kubeconfig as kubeconfig_of
from .server_kubeconfig import write_kubeconfig

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_HOST: Final = "127.0.0.1"
_POLL_SECONDS: Final = 0.1
_STOP_SECONDS: Final = 10.0
_LINES_OF_LOG: Final = 5


class ControlPlaneError(Exception):
    """The control plane cannot be started; the message says why."""


class ControlPlane:
    """Runs kube-apiserver and etcd, with data in a temporary folder. Use it as a context manager.

    Args:
        assets: The folder of the programs `kube-apiserver` and `etcd`.
        start_timeout: How many seconds the server may take to become ready.

    Attributes:
        kubeconfig: The kubeconfig of an administrator.

    Raises:
        ControlPlaneError: A program is missing, ends at once, or is not ready in time.
    """

    def __init__(self, assets: Path, *, start_timeout: float = 60.0) -> None:
        self._programs = {name: assets / name for name in ("etcd", "kube-apiserver")}
        for name, path in self._programs.items():
            if not os.access(path, os.X_OK):
                raise ControlPlaneError(f"{assets} has no program {name}")
        self._start_timeout = start_timeout
        self._stack = ExitStack()
        self._folder = Path()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.kubeconfig = ""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = tempfile.TemporaryDirectory(prefix="clientgen-control-plane-")
            self._folder = Path(stack.enter_context(folder))
            client, peer, secure = (f"{port}" for port in _free_ports(3))
            self._start(stack, "etcd", _etcd_flags(self._folder, client, peer))
            token = secrets.token_urlsafe()
            authority = self._write_credentials(token)
            self._start(stack, "kube-apiserver", _server_flags(self._folder, client, secure))
            self._wait_until_ready(int(secure), token, authority)
            path = self._folder / "kubeconfig"
            write_kubeconfig(path, kubeconfig_of(f"https://{_HOST}:{secure}", authority, token))
            self.kubeconfig = str(path)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _start(self, stack: ExitStack, name: str, flags: list[str]) -> None:
        """Start a program that ends with this control plane."""
        log = stack.enter_context((self._folder / f"{name}.log").open("wb"))
        process = subprocess.Popen(  # noqa: S603 - the programs that the user named
            [self._programs[name], *flags],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the tests, which stop the program
        )
        stack.callback(_stop, process)
        self._processes[name] = process

    def _write_credentials(self, token: str) -> bytes:
        """Write the server's certificate and the token; return the certificate's authority."""
        try:
            import trustme  # an optional dependency
        except ModuleNotFoundError:
            why = "a control plane needs trustme to make a certificate: pip install trustme"
            raise TlsUnavailable(why) from None
        authority = trustme.CA()
        certificate = authority.issue_cert(_HOST, "localhost", "kubernetes.default.svc")
        certificate.private_key_pem.write_to_path(str(self._folder / "tls.key"))
        chain = b"".join(each.bytes() for each in certificate.cert_chain_pems)
        (self._folder / "tls.crt").write_bytes(chain)
        tokens = self._folder / "tokens.csv"
        tokens.touch(mode=0o600)
        tokens.write_text(f'{token},admin,admin,"system:masters"\n', "utf-8")
        return authority.cert_pem.bytes()

    def _wait_until_ready(self, port: int, token: str, authority: bytes) -> None:
        context = ssl.create_default_context(cadata=authority.decode())
        until = monotonic() + self._start_timeout
        while not _is_ready(port, token, context):
            ended = [name for name, each in self._processes.items() if each.poll() is not None]
            if ended:
                raise ControlPlaneError(f"{ended[0]} has ended: {self._end_of_log(ended[0])}")
            if monotonic() > until:
                log = self._end_of_log("kube-apiserver")
                why = f"kube-apiserver is not ready after {self._start_timeout:g} s: {log}"
                raise ControlPlaneError(why)
            sleep(_POLL_SECONDS)

    def _end_of_log(self, name: str) -> str:
        lines = (self._folder / f"{name}.log").read_text("utf-8", "replace").splitlines()
        return "\n".join(lines[-_LINES_OF_LOG:])


def _etcd_flags(folder: Path, client: str, peer: str) -> list[str]:
    client_url, peer_url = f"http://{_HOST}:{client}", f"http://{_HOST}:{peer}"
    return [
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={client_url}",
        f"--advertise-client-urls={client_url}",
        f"--listen-peer-urls={peer_url}",
        f"--initial-advertise-peer-urls={peer_url}",
        f"--initial-cluster=default={peer_url}",
        "--unsafe-no-fsync",  # the data is thrown away
    ]


def _server_flags(folder: Path, etcd: str, secure: str) -> list[str]:
    return [
        f"--etcd-servers=http://{_HOST}:{etcd}",
        f"--secure-port={secure}",
        f"--bind-address={_HOST}",
        f"--advertise-address={_HOST}",
        "--endpoint-reconciler-type=none",
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",  # no controller makes default accounts
        "--allow-privileged=true",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={folder / 'tls.key'}",
        f"--service-account-signing-key-file={folder / 'tls.key'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        f"--tls-cert-file={folder / 'tls.crt'}",
        f"--tls-private-key-file={folder / 'tls.key'}",
        f"--cert-dir={folder / 'certificates'}",
    ]


def _free_ports(count: int) -> list[int]:
    """Return ports that nothing listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server((_HOST, 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


def _is_ready(port: int, token: str, context: ssl.SSLContext) -> bool:
    connection = http.client.HTTPSConnection(_HOST, port, timeout=5.0, context=context)
    try:
        connection.request("GET", "/readyz", headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
