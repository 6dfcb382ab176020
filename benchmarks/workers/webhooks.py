"""A webhook server that is asked about a pod of 9.8 kB: what it spends on a review.

`webhooks asyncio` measures, `webhooks serve asyncio` is the server, in a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import aiohttp
from kubeapi.core.v1 import Pod

from clientgen.runtime.aio import AsyncWebhooks
from clientgen.runtime.sync import Webhooks

from .meter import data, report
from .processes import FIXED, started

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen.runtime.webhooks import AdmissionRequest

_WARM, _COUNT, _AT_ONCE = 200, 4_000, 16
_PATHS = {"default": "/mutate--v1-pod"}
_HEADERS = {"content-type": "application/json"}


def main() -> None:
    """Do what the command line names, and report."""
    if sys.argv[1] == "serve":
        _serve(sys.argv[2])
        return
    task = sys.argv[1]
    server = (*FIXED, "150") if task == "fixed" else ("-m", __spec__.name, "serve", task)
    with started(*server) as process:
        values = asyncio.run(_asked(process, _PATHS.get(task, "/validate--v1-pod")))
        report({**values, "peak_mb": process.peak_mb()})


def _check(request: AdmissionRequest[Pod]) -> None:
    if not request.object.spec.containers:
        request.warn("no containers")


async def _check_later(request: AdmissionRequest[Pod]) -> None:
    _check(request)


def _fill(request: AdmissionRequest[Pod]) -> None:
    request.object.metadata.labels["filled"] = "yes"


def _serve(task: str) -> None:
    if task == "threads":
        with Webhooks("127.0.0.1:0").validate(Pod, _check) as webhooks:
            print(f"serving {webhooks.url}", flush=True)
            time.sleep(600)
    asyncio.run(_serve_async())


async def _serve_async() -> None:
    webhooks = AsyncWebhooks("127.0.0.1:0").validate(Pod, _check_later).default(Pod, _fill)
    async with webhooks:
        print(f"serving {webhooks.url}", flush=True)
        await asyncio.sleep(600)


async def _asked(process: Any, path: str) -> dict[str, float]:
    body = _review()
    async with aiohttp.ClientSession(process.url, headers=_HEADERS) as session:
        await _ask(session, path, body, _WARM)
        cpu, wall = process.cpu(), time.perf_counter()
        await _ask(session, path, body, _COUNT)
        cpu, wall = process.cpu() - cpu, time.perf_counter() - wall
    return {"cpu": cpu / _COUNT, "wall": wall / _COUNT, "rate": _COUNT / wall}


async def _ask(session: aiohttp.ClientSession, path: str, body: bytes, count: int) -> None:
    left: Iterator[int] = iter(range(count))

    async def work() -> None:
        for _ in left:
            async with session.post(path, data=body) as response:
                await response.read()
                assert response.status == 200, response.status

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))


def _review() -> bytes:
    request = {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "operation": "CREATE",
        "userInfo": {"username": "admin", "groups": ["system:masters"]},
        "object": json.loads((data() / "pod.json").read_bytes()),
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    return json.dumps(review).encode()


if __name__ == "__main__":
    main()
