"""A TLS server on this machine that plays back what a real API server answered.

`recorded.json` holds, per request line, the answers in the order they were given to `demo.py` by a
Kubernetes 1.36 API server. Nothing is made up here: a request that was not recorded is a 501.
"""

from __future__ import annotations

import base64
import json
import ssl
import tempfile
import threading
from collections import defaultdict, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

import trustme

RECORDED = Path(__file__).with_name("recorded.json")
RECORDED_NAMESPACE = "clientgen-demo"
NOT_RECORDED: dict[str, Any] = {"status": 501, "body": "not recorded"}


def request_line(method: str, target: str) -> str:
    """How a request is looked up: how long a watch may last does not matter."""
    url = urlsplit(target)
    query = sorted(pair for pair in parse_qsl(url.query) if pair[0] != "timeoutSeconds")
    return f"{method} {url.path} {json.dumps(query)}"


class RecordedServer:
    """Use as a context manager; `kubeconfig` names a file that leads to it."""

    def __init__(self) -> None:
        recorded: list[dict[str, Any]] = json.loads(RECORDED.read_text())
        answers: dict[str, deque[dict[str, Any]]] = defaultdict(deque)
        for entry in recorded:
            answers[entry["request"]].append(entry)

        class Handler(_Handler):
            pass

        Handler.answers = answers
        self._authority = trustme.CA()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.socket = self._secure(self._server)
        self._folder = tempfile.TemporaryDirectory()
        self.kubeconfig = str(self._write_kubeconfig(Path(self._folder.name)))

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._folder.cleanup()

    def _secure(self, server: ThreadingHTTPServer) -> ssl.SSLSocket:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate = self._authority.issue_cert("127.0.0.1")
        certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
        return context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)

    def _write_kubeconfig(self, folder: Path) -> Path:
        authority = base64.b64encode(self._authority.cert_pem.bytes()).decode()
        cluster = {
            "server": f"https://127.0.0.1:{self._server.server_port}",
            "certificate-authority-data": authority,
        }
        config = {
            "current-context": "recorded",
            "contexts": [{"name": "recorded", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": "recorded"}}],
        }
        path = folder / "kubeconfig"
        path.write_text(json.dumps(config))
        return path


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers: dict[str, deque[dict[str, Any]]]

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        waiting = self.answers.get(request_line(self.command, self.path))
        entry = waiting.popleft() if waiting else NOT_RECORDED
        body: bytes = entry["body"].encode()
        self.send_response(entry["status"])
        self.send_header("Content-Type", entry.get("type", "text/plain"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - http.server's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Keep quiet: the demo does the talking."""
