"""An API server's part over TLS on loopback: the pods of `population`, as watches get them.

The namespace says how many pods there are: `pods-10000`. A watch gets them as initial events.
Then it gets changes when somebody asks for them: POST /changes/NAMESPACE/PACE/COUNT, where the
pace `full` is as fast as the client reads, and `burst` is 10,000 changes a second. The process
prints the path of a kubeconfig, and an address without TLS for such requests.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import defaultdict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from aiohttp import web

from benchmarks.scale.population import MAX_PODS, Population
from benchmarks.server import write_identity, write_kubeconfig

if TYPE_CHECKING:
    from collections.abc import Iterator

BURST_EVENTS_PER_SECOND = 10_000
_EVENTS_AT_ONCE = 100
_PROTOBUF = "application/vnd.kubernetes.protobuf"
_NO_LISTS: dict[str, object] = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "reason": "Invalid",
    "message": "this server has watches only",
    "code": 422,
}


class Server:
    """Watches of pods, and requests for changes."""

    def __init__(self, go: Path | None) -> None:
        self._go = go
        self._populations: dict[tuple[bool, bool], Population] = {}
        self._requests: dict[str, list[asyncio.Queue[tuple[str, int]]]] = defaultdict(list)

    def app(self) -> web.Application:
        """Return the routes."""
        app = web.Application()
        app.router.add_get("/api/v1/namespaces/{namespace}/pods", self._pods)
        app.router.add_post("/changes/{namespace}/{pace}/{count}", self._change)
        return app

    async def _pods(self, request: web.Request) -> web.StreamResponse:
        namespace = request.match_info["namespace"]
        if request.query.get("sendInitialEvents") != "true":
            return web.json_response(_NO_LISTS, status=422)
        count = min(int(namespace.removeprefix("pods-")), MAX_PODS)
        accept = request.headers.get("Accept", "").partition(",")[0]
        population = self._population(accept)
        kind = f"{_PROTOBUF};stream=watch" if _PROTOBUF in accept else "application/json"
        response = web.StreamResponse(headers={"Content-Type": kind})
        response.enable_chunked_encoding()
        await response.prepare(request)
        queue: asyncio.Queue[tuple[str, int]] = asyncio.Queue()
        self._requests[namespace].append(queue)
        try:
            await _write_all(response, population.initial(count))
            while True:
                pace, changes = await queue.get()
                write = _write_paced if pace == "burst" else _write_all
                await write(response, population.changes(changes, count))
        except ConnectionResetError:  # the client has gone
            return response
        finally:
            self._requests[namespace].remove(queue)

    async def _change(self, request: web.Request) -> web.Response:
        for queue in self._requests[request.match_info["namespace"]]:
            queue.put_nowait((request.match_info["pace"], int(request.match_info["count"])))
        return web.json_response({"kind": "Status", "apiVersion": "v1", "status": "Success"})

    def _population(self, accept: str) -> Population:
        key = "as=PartialObjectMetadata" in accept, _PROTOBUF in accept
        if key not in self._populations:
            go = self._go if key[1] else None
            self._populations[key] = Population(metadata_only=key[0], go=go)
        return self._populations[key]


async def _write_all(response: web.StreamResponse, events: Iterator[bytes]) -> None:
    for event in events:
        await response.write(event)


async def _write_paced(response: web.StreamResponse, events: Iterator[bytes]) -> None:
    """Send 10,000 events a second, a hundred at once. A client that reads slowly gets them late."""
    began = monotonic()
    for sent, event in enumerate(events):
        if sent % _EVENTS_AT_ONCE == 0:
            await asyncio.sleep(max(0.0, began + sent / BURST_EVENTS_PER_SECOND - monotonic()))
        await response.write(event)


async def serve(folder: Path, go: Path | None) -> None:
    """Serve until killed. The folder gets the kubeconfig."""
    context = write_identity(folder)
    runner = web.AppRunner(Server(go).app(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    port: int = runner.addresses[0][1]
    write_kubeconfig(folder, port)
    control = web.TCPSite(runner, "127.0.0.1", 0)
    await control.start()
    print(folder / "kubeconfig", f"http://127.0.0.1:{runner.addresses[1][1]}", flush=True)
    await asyncio.Event().wait()


def main() -> None:
    """Serve, with the program of `go/` if there is one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--go", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(serve(Path(folder), arguments.go))


if __name__ == "__main__":
    main()
