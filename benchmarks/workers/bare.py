"""The floor: aiohttp, urllib3 and msgspec with the same settings and the same structs.

`--bytes` leaves the decoding out. Lists come in pages of 500, as in clientgen; the cyclic garbage
collector rests while a page is decoded.
"""

from __future__ import annotations

import gc
import os
import ssl
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec
import urllib3
from kubeapi.core.v1 import Pod, PodList
from yarl import URL

from clientgen.runtime.models import Quantity

from .client_tasks import NAME, NAMESPACE, Worker, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence

_BYTES = "--bytes" in sys.argv
HEADERS = {
    "Accept": "application/json",
    "User-Agent": "bare",
    "Accept-Encoding": "gzip",
}
GET = f"/api/v1/namespaces/{NAMESPACE}/pods/{NAME}"
_SMALL, _ALL = "/api/v1/namespaces/small/pods", "/api/v1/pods"
_WATCH = "?allowWatchBookmarks=true&resourceVersion=1&watch=true&timeoutSeconds=400"


class Event(msgspec.Struct, gc=False):
    """A line of a watch, its object typed."""

    type: str
    object: Pod


def _quantity(_kind: type, value: Any) -> Quantity:
    return Quantity.received(value)


pod_decoder = msgspec.json.Decoder(Pod, dec_hook=_quantity)
_pod_list = msgspec.json.Decoder(PodList, dec_hook=_quantity)
event_decoder = msgspec.json.Decoder(Event, dec_hook=_quantity)
_encoder = msgspec.json.Encoder(enc_hook=lambda value: value.given)


def _read(pod: Any) -> object:
    if _BYTES:
        return None
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def decode_list(body: bytes) -> PodList:
    gc.disable()
    try:
        return _pod_list.decode(body)
    finally:
        gc.enable()


def _decode(body: bytes) -> Sequence[Any]:
    return decode_list(body).items


def _copy(pod: Pod) -> Pod:
    return pod_decoder.decode(_encoder.encode(pod))


def context() -> tuple[ssl.SSLContext, str]:
    config = msgspec.json.decode(Path(os.environ["KUBECONFIG"]).read_bytes())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    made = ssl.create_default_context(cafile=cluster["certificate-authority"])
    made.load_cert_chain(user["client-certificate"], user["client-key"])
    return made, cluster["server"]


def page(path: str, token: str | None) -> str:
    return f"{path}?limit=500" + (f"&continue={token}" if token else "")


class Lines:
    """Cuts chunks into lines: what is left waits for its end."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        rest = self._rest
        seen, start = len(rest), 0
        rest += chunk
        while (end := rest.find(b"\n", seen)) >= 0:
            yield bytes(rest[start:end])
            start = seen = end + 1
        del rest[:start]


class BareClient:
    def __init__(self, pool: urllib3.HTTPConnectionPool) -> None:
        self._pool = pool

    def fetch(self, target: str) -> bytes:
        return self._pool.urlopen(
            "GET", target, headers=HEADERS, retries=False, redirect=False, assert_same_host=False
        ).data

    def get(self) -> object:
        body = self.fetch(GET)
        return body if _BYTES else pod_decoder.decode(body)

    def list(self, *, small: bool) -> Sequence[Any]:
        path, token = _SMALL if small else _ALL, ""
        items: list[Pod] = []
        while True:
            page_of_pods = decode_list(self.fetch(page(path, token)))
            items += page_of_pods.items
            if not (token := page_of_pods.metadata.continue_):
                return items

    def watch(self, *, small: bool) -> Iterator[Any]:
        response = self._pool.urlopen(
            "GET",
            (_SMALL if small else _ALL) + _WATCH,
            headers=HEADERS,
            retries=False,
            preload_content=False,
        )
        lines = Lines()
        while chunk := response.read1(1 << 16):
            for line in lines.feed(chunk):
                yield event_decoder.decode(line).object


class AsyncBareClient:
    def __init__(self, session: aiohttp.ClientSession, server: str) -> None:
        self._session = session
        self._server = server

    def _start(self, target: str) -> Any:
        url = URL(self._server + target, encoded=True)
        return self._session.request("GET", url, headers=HEADERS, allow_redirects=False)

    async def fetch(self, target: str) -> bytes:
        response = await self._start(target)
        body: bytes = await response.read()
        return body

    async def get(self) -> object:
        body = await self.fetch(GET)
        return body if _BYTES else pod_decoder.decode(body)

    async def list(self, *, small: bool) -> Sequence[Any]:
        path, token = _SMALL if small else _ALL, ""
        items: list[Pod] = []
        while True:
            page_of_pods = decode_list(await self.fetch(page(path, token)))
            items += page_of_pods.items
            if not (token := page_of_pods.metadata.continue_):
                return items

    async def watch(self, *, small: bool) -> AsyncIterator[Any]:
        response = await self._start((_SMALL if small else _ALL) + _WATCH)
        lines = Lines()
        while chunk := await response.content.readany():
            for line in lines.feed(chunk):
                yield event_decoder.decode(line).object


@contextmanager
def sync_client() -> Generator[BareClient]:
    made, server = context()
    with urllib3.PoolManager(num_pools=1, maxsize=25, ssl_context=made) as manager:
        yield BareClient(manager.connection_from_url(server))


@asynccontextmanager
async def async_client() -> AsyncGenerator[AsyncBareClient]:
    made, server = context()
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=100, ssl=made, keepalive_timeout=75.0),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=30.0),
        skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
        read_bufsize=1 << 20,
    ) as session:
        yield AsyncBareClient(session, server)


if __name__ == "__main__":
    main(
        Worker(
            read=_read,
            decode=_decode,
            sync=sync_client,
            aio=async_client,
            encode=_encoder.encode,
            copy=_copy,
        )
    )
