"""Certificates in a folder, as the kubelet mounts a Secret of the type kubernetes.io/tls."""

from __future__ import annotations

import http.client
import json
import ssl
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit

import trustme


@dataclass
class MountedSecret:
    """A folder whose files are links into `..data`, itself a link that is exchanged at once."""

    folder: Path
    authority: trustme.CA = field(default_factory=trustme.CA)
    generation: int = 0

    def __post_init__(self) -> None:
        self.write()
        for name in ("tls.crt", "tls.key"):
            (self.folder / name).symlink_to(f"..data/{name}")

    def write(self) -> None:
        """Put a new certificate in place."""
        leaf = self.authority.issue_cert("localhost", "127.0.0.1")
        chain = b"".join(pem.bytes() for pem in leaf.cert_chain_pems)
        self.put(chain, leaf.private_key_pem.bytes())

    def put(self, certificate: bytes, key: bytes) -> None:
        self.generation += 1
        made = self.folder / f"..{self.generation}"
        made.mkdir()
        (made / "tls.crt").write_bytes(certificate)
        (made / "tls.key").write_bytes(key)
        link = self.folder / "..data_tmp"
        link.symlink_to(made.name)
        link.rename(self.folder / "..data")

    @property
    def client_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cadata=self.authority.cert_pem.bytes().decode())
        context.set_alpn_protocols(["http/1.1"])
        return context

    def serial_number(self) -> str:
        """The number of the certificate in the folder."""
        from cryptography.x509 import load_pem_x509_certificate

        data = (self.folder / "tls.crt").read_bytes()
        return f"{load_pem_x509_certificate(data).serial_number:X}"


class Connection:
    """A connection to an HTTP server, kept alive."""

    def __init__(self, url: str, context: ssl.SSLContext | None = None) -> None:
        at = urlsplit(url)
        port = at.port
        if context is None:
            self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        else:
            self._http = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=context)

    def send(
        self,
        path: str,
        body: bytes,
        *,
        method: str = "POST",
        content_type: str = "application/json",
    ) -> tuple[int, bytes]:
        self._http.request(method, path, body, {"Content-Type": content_type})
        response = self._http.getresponse()
        return response.status, response.read()

    def certificate(self) -> str:
        """The number of the certificate that the server showed."""
        sock: Any = self._http.sock
        number: str = sock.getpeercert()["serialNumber"]
        return number.lstrip("0")

    def close(self) -> None:
        self._http.close()


def load_while_rotating(
    secret: MountedSecret, url: str, path: str, body: bytes, clients: int
) -> tuple[list[int], set[str]]:
    """Send reviews from many clients at once, while the certificate changes all the time.

    Each client opens a connection and sends two reviews over it. Every second pair of files is one
    of two generations, as for who reads while they are exchanged. Gives the statuses, and the
    numbers of the certificates that were shown.
    """
    begin = Barrier(clients)
    context = secret.client_context

    def ask() -> tuple[int, int, str]:
        connection = Connection(url, context)
        begin.wait(60)
        try:
            first, _ = connection.send(path, body)
            second, _ = connection.send(path, body)
            return first, second, connection.certificate()
        finally:
            connection.close()

    with ThreadPoolExecutor(clients) as pool:
        waiting = {pool.submit(ask) for _ in range(clients)}
        done: set[Future[tuple[int, int, str]]] = set()
        while waiting:
            old = (secret.folder / "tls.crt").read_bytes()
            secret.write()
            new, key = ((secret.folder / name).read_bytes() for name in ("tls.crt", "tls.key"))
            secret.put(old, key)
            secret.put(new, key)
            ended, waiting = wait(waiting, 0.01)
            done |= ended
    answers = [each.result() for each in done]
    statuses = [status for first, second, _ in answers for status in (first, second)]
    return statuses, {number for _, _, number in answers}


def verdict(answer: tuple[int, bytes]) -> bool:
    allowed: bool = json.loads(answer[1])["response"]["allowed"]
    return allowed
