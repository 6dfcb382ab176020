"""An API server's answers over TLS on loopback: fixed bytes, served from a process of its own.

It serves one pod, the list of 5,000 whole or in pages of 500, a small list to warm up with, watches
(the events of the files, one chunk each as an API server flushes them, then silence), and as much
of the discovery as clients ask for. Its first line of output is its port.

Informers ask for namespaces of their own, see `benchmarks.initial`.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import trustme

from benchmarks.initial import BOOKMARK, REFUSED, Initial

if TYPE_CHECKING:
    from collections.abc import Iterator

WARM_EVENTS = 10

_RESOURCE = {
    "resource": "pods",
    "responseKind": {"group": "", "version": "v1", "kind": "Pod"},
    "scope": "Namespaced",
    "singularResource": "pod",
    "verbs": ["get", "list", "watch"],
}
_CORE = {"metadata": {"name": ""}, "versions": [{"version": "v1", "resources": [_RESOURCE]}]}

_WHO = {
    "kind": "SelfSubjectReview",
    "apiVersion": "authentication.k8s.io/v1",
    "metadata": {},
    "status": {"userInfo": {"username": "benchmarks", "groups": ["system:authenticated"]}},
}


def _discovery(items: list[Any]) -> bytes:
    kind = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2"}
    return json.dumps({**kind, "metadata": {}, "items": items}).encode()


class Answers:
    """Whole answers by what is asked for, head and body in one piece."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pages = {
            path.stem.removeprefix("page-"): _answer(path.read_bytes())
            for path in folder.glob("page-*.json")
        }
        self._whole = _answer((folder / "list.json").read_bytes())
        self._small = _answer((folder / "small.json").read_bytes())
        self._pod = _answer((folder / "pod.json").read_bytes())
        self._fixed = {
            "/version": _answer(b'{"major":"1","minor":"36","gitVersion":"v1.36.2"}'),
            "/api": _answer(_discovery([_CORE])),
            "/apis": _answer(_discovery([])),
            "/apis/authentication.k8s.io/v1/selfsubjectreviews": _answer(json.dumps(_WHO).encode()),
        }
        self.events = (folder / "events.ndjson").read_bytes().splitlines(keepends=True)
        head, mark, _ = (folder / "small.json").read_bytes().partition(b'"items":')
        self._empty = _answer(head + mark + b"[]}")
        self._initial = Initial(self.events)

    def to(self, path: str, query: dict[str, list[str]]) -> bytes:
        """The answer to a request."""
        if path in self._fixed:
            return self._fixed[path]
        if not path.endswith("/pods"):
            return self._pod
        if "/small/" in path or "/busy/" in path:
            return self._small
        if "/idle-" in path:
            return self._empty
        if int(query.get("limit", ["5000"])[0]) < 5_000 or "continue" in query:
            token = query.get("continue", ["page-0"])[0]
            return self._pages[token.removeprefix("page-")]
        return self._whole

    def events_of(self, path: str, query: dict[str, list[str]]) -> Iterator[bytes]:
        """What a watch tells, until it is silent."""
        namespace = path.split("/")[-2]
        if "sendInitialEvents" in query:
            yield from self._initial.state(namespace)
        elif namespace == "small":
            yield from self.events[:WARM_EVENTS]
        elif namespace == "v1":
            yield from self.events
        yield from self._initial.changes(namespace)


def _answer(body: bytes) -> bytes:
    head = (
        "HTTP/1.1 200 OK\r\nAudit-Id: 3c1d7a52-6a6f-4d0e-9d0f-2f6a4b6f8f10\r\n"
        "Cache-Control: no-cache, private\r\nContent-Type: application/json\r\n"
        "X-Kubernetes-Pf-Flowschema-Uid: 7c9d6f0e-51a8-4d27-8d4f-3f0b8a2d1c55\r\n"
        "X-Kubernetes-Pf-Prioritylevel-Uid: 2a4c8e6f-9b1d-4f3a-8c7e-5d6b9a0f1e22\r\n"
        "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *([0-9]+)")
_STREAM = (
    b"HTTP/1.1 200 OK\r\nCache-Control: no-cache, private\r\n"
    b"Content-Type: application/json\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


class Connection(asyncio.Protocol):
    """One client's connection: requests one after the other."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._received = b""
        self._room = asyncio.Event()
        self._room.set()
        self._transport: asyncio.Transport | None = None
        self._watch: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the base's name
        self._transport = None
        self._room.set()
        if self._watch is not None:
            self._watch.cancel()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, rest = self._received.partition(b"\r\n\r\n")
            match = _LENGTH.search(head)
            length = int(match[1]) if match else 0
            if len(rest) < length:
                return
            self._received = rest[length:]
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        _, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        path, _, query_text = target.partition("?")
        query = parse_qs(query_text)
        if query.get("watch", ["false"])[0].lower() in {"true", "1"}:
            if "/listed/" in path and "sendInitialEvents" in query:
                self._send(REFUSED)
                return
            self._watch = asyncio.get_running_loop().create_task(self._stream(path, query))
        else:
            self._send(self._answers.to(path, query))

    async def _stream(self, path: str, query: dict[str, list[str]]) -> None:
        self._send(_STREAM)
        for event in self._answers.events_of(path, query):
            await self._room.wait()
            self._send(b"%x\r\n%b\r\n" % (len(event), event))
        while "/idle-" in path:
            await asyncio.sleep(1.0)
            self._send(b"%x\r\n%b\r\n" % (len(BOOKMARK), BOOKMARK))

    def _send(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)


def write_identity(folder: Path) -> ssl.SSLContext:
    """Make an authority, the server's context, and the client's files."""
    authority: Any = trustme.CA()  # its methods are not fully typed
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    client = authority.issue_cert("benchmarks@example.com")
    authority.cert_pem.write_to_path(str(folder / "ca.crt"))
    client.cert_chain_pems[0].write_to_path(str(folder / "client.crt"))
    key = folder / "client.key"
    key.touch(0o600)
    key.write_bytes(client.private_key_pem.bytes())
    return context


def write_kubeconfig(folder: Path, port: int) -> None:
    """Name the server and the files to everyone."""
    cluster = {
        "server": f"https://127.0.0.1:{port}",
        "certificate-authority": str(folder / "ca.crt"),
    }
    user = {
        "client-certificate": str(folder / "client.crt"),
        "client-key": str(folder / "client.key"),
    }
    context = {"cluster": "bench", "user": "bench", "namespace": "default"}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "bench",
        "contexts": [{"name": "bench", "context": context}],
        "clusters": [{"name": "bench", "cluster": cluster}],
        "users": [{"name": "bench", "user": user}],
    }
    (folder / "kubeconfig").write_text(json.dumps(config))


async def serve(folder: Path) -> None:
    """Serve until killed."""
    answers = Answers(folder)
    context = write_identity(folder)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answers), "127.0.0.1", 0, ssl=context)
    port: int = server.sockets[0].getsockname()[1]
    write_kubeconfig(folder, port)
    print(port, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]).resolve()))
