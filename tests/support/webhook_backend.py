"""A webhook server for tests: what it answers depends on the path.

It answers over HTTPS on a port of this machine, and in the process by `answer`.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from base64 import b64encode
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web

from clientgen.runtime._net.server_shutdown import shut_down
from clientgen.testing._fake.certificates import Identity, new_identity

Answer = tuple[int, bytes]
Review = dict[str, Any]


def allowed(review: Review, **more: Any) -> dict[str, Any]:
    return {
        "kind": "AdmissionReview",
        "apiVersion": review["apiVersion"],
        "response": {"uid": review["request"]["uid"], "allowed": True, **more},
    }


def denied(review: Review, **status: Any) -> dict[str, Any]:
    return allowed(review, allowed=False, status=status)


def patched(review: Review, operations: Any, **more: Any) -> dict[str, Any]:
    patch = b64encode(json.dumps(operations).encode()).decode()
    return allowed(review, patch=patch, **{"patchType": "JSONPatch", **more})


def labelled(review: Review, **labels: str) -> dict[str, Any]:
    metadata = (review["request"]["object"] or {}).get("metadata", {})
    both = {**(metadata.get("labels") or {}), **labels}
    return patched(review, [{"op": "add", "path": "/metadata/labels", "value": both}])


def _without(value: dict[str, Any], *path: str) -> dict[str, Any]:
    copy = json.loads(json.dumps(value))
    inner = copy
    for name in path[:-1]:
        inner = inner[name]
    inner.pop(path[-1])
    return copy  # type: ignore[no-any-return]


ANSWERS: dict[str, Callable[[Review], Any]] = {
    "/allow": allowed,
    "/deny": lambda review: denied(review, message="no way"),
    "/deny-bare": lambda review: allowed(review, allowed=False),
    "/deny-reason": lambda review: denied(review, reason="Forbidden", code=403),
    "/deny-all": lambda review: denied(
        review,
        message="busy",
        reason="TooManyRequests",
        code=429,
        details={"name": "x", "causes": [{"message": "m", "field": "spec"}]},
    ),
    "/deny-success": lambda review: denied(review, status="Success", code=200, message="odd"),
    "/deny-warn": lambda review: allowed(
        review, allowed=False, status={"message": "no"}, warnings=["told you"]
    ),
    "/warn": lambda review: allowed(review, warnings=["first", "second", "first"]),
    "/warn-long": lambda review: allowed(review, warnings=["x" * 3000, "y" * 3000]),
    "/label-a": lambda review: labelled(review, a="1"),
    "/label-b": lambda review: labelled(review, b="2"),
    "/count": lambda review: labelled(
        review,
        count=str(
            int(((review["request"]["object"]["metadata"].get("labels")) or {}).get("count", 0)) + 1
        ),
    ),
    "/replicas": lambda review: patched(
        review, [{"op": "replace", "path": "/spec/replicas", "value": 2}]
    ),
    "/name": lambda review: patched(
        review, [{"op": "replace", "path": "/metadata/name", "value": "other"}]
    ),
    "/unknown-field": lambda review: patched(
        review, [{"op": "add", "path": "/nothing", "value": 1}]
    ),
    "/invalid": lambda review: patched(
        review, [{"op": "add", "path": "/metadata/labels", "value": {"a b": "c"}}]
    ),
    "/wrong-type": lambda review: patched(
        review, [{"op": "add", "path": "/data", "value": {"a": 1}}]
    ),
    "/spec": lambda review: patched(review, [{"op": "add", "path": "/spec", "value": {}}]),
    "/wrong-spec": lambda review: patched(
        review, [{"op": "replace", "path": "/spec/size", "value": "x"}]
    ),
    "/missing-path": lambda review: patched(
        review, [{"op": "add", "path": "/spec/none/a", "value": 1}]
    ),
    "/missing-key": lambda review: patched(review, [{"op": "remove", "path": "/metadata/none"}]),
    "/failed-test": lambda review: patched(
        review, [{"op": "test", "path": "/metadata/name", "value": "zz"}]
    ),
    "/no-type": lambda review: _without(patched(review, []), "response", "patchType"),
    "/no-patch": lambda review: _without(patched(review, []), "response", "patch"),
    "/merge": lambda review: patched(review, [], patchType="MergePatch"),
    "/object-patch": lambda review: patched(review, {"a": "b"}),
    "/empty-patch": lambda review: patched(review, []),
    "/wrong-uid": lambda review: allowed(review, uid="other"),
    "/no-response": lambda review: _without(allowed(review), "response"),
    "/wrong-kind": lambda review: {**allowed(review), "kind": "Other"},
    "/wrong-version": lambda review: {**allowed(review), "apiVersion": "admission.k8s.io/v2"},
    "/no-kind": lambda review: _without(allowed(review), "kind"),
    "/beta": lambda review: {**allowed(review), "apiVersion": "admission.k8s.io/v1beta1"},
    "/text": lambda _: (200, b"hello"),
    "/nothing": lambda _: (200, b""),
    "/list": lambda _: (200, b"[]"),
    "/500": lambda _: (500, b"it broke"),
    "/404": lambda _: (404, b"404 page not found"),
    "/403": lambda _: (403, b"you may not"),
    "/400": lambda _: (400, b"bad"),
    "/503": lambda _: (503, b"busy"),
    "/418": lambda _: (418, b"teapot"),
    "/status": lambda _: (
        422,
        b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"said so","code":422}',
    ),
}


class TestBackend:
    """A webhook server; `calls` has what it was sent, by path and namespace."""

    __test__ = False

    def __init__(self) -> None:
        self.identity: Identity = new_identity("127.0.0.1", "localhost", "hook.default.svc")
        self.port = 0
        self.calls: list[tuple[str, Review]] = []
        self.hang = threading.Event()
        self.asked = threading.Event()
        self.answers = dict(ANSWERS)
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None

    @property
    def authority(self) -> str:
        return b64encode(self.identity.authority).decode()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def answer(self, path: str, body: bytes) -> Answer:
        review = json.loads(body)
        self.calls.append((path, review))
        made = self.answers[path](review)
        return made if isinstance(made, tuple) else (200, json.dumps(made).encode())

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        assert self._thread is not None
        self.hang.set()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = web.Server(self._handle, access_log=None)
        context: ssl.SSLContext = self.identity.context
        accepting = await self._loop.create_server(server, "127.0.0.1", 0, ssl=context)
        self.port = accepting.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        accepting.close()
        await shut_down(server, 1.0)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        if request.path == "/hang":
            self.calls.append((request.path, json.loads(body)))
            self.asked.set()
            await asyncio.to_thread(self.hang.wait)
            return web.Response(status=200)
        if request.path == "/redirect":
            return web.Response(status=307, headers={"Location": f"{self.url}/allow"})
        if request.path == "/huge":
            return web.Response(body=b" " * (11 << 20))
        status, content = self.answer(request.path, body)
        return web.Response(status=status, body=content, content_type="application/json")
