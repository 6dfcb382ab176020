"""A second codec beside JSON, and JSON with a media type parameter; ..._threads.py is for threads.

The second codec compresses every body, and puts the length before every frame of a stream. Neither
the server in the process nor any client knows the format: a transport translates it, and the codec
is the one thing that the client is given.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Container, Pod, PodList, PodSpec
from kubeapi.core.v1.resources import PODS
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import MergePatch
from clientgen.runtime._async._primitives import sleep
from clientgen.runtime._async.transport_protocol import AsyncByteStream
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._http.codec import Codec, FrameError
from clientgen.runtime._http.json_codec import JSON, JsonCodec
from clientgen.runtime._http.line_decoder import LineSplitter
from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime._models import model_codec as json_codec
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import AlreadyExists, NotFound
from clientgen.runtime.models import UnstructuredList
from clientgen.runtime.views import View, view_of
from clientgen.testing import FakeCluster
from clientgen.testing._fake.transports import AsyncInProcessTransport

ZIPPED = "application/vnd.example.zipped"
CONFIG = ClusterConfig("http://cluster.invalid", namespace="default")
_SIZE = 4


def frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(_SIZE, "big") + payload


def cut(data: bytes) -> tuple[list[bytes], bytes]:
    """The payloads of all whole frames, and the rest."""
    payloads: list[bytes] = []
    while len(data) >= _SIZE:
        end = _SIZE + int.from_bytes(data[:_SIZE], "big")
        if len(data) < end:
            break
        payloads.append(data[_SIZE:end])
        data = data[end:]
    return payloads, data


class LengthFramer:
    def __init__(self) -> None:
        self._begun = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        payloads, self._begun = cut(self._begun + chunk)
        return payloads

    def feed_block(self, chunk: bytes) -> bytes:
        return b"".join(map(frame, self.feed(chunk)))

    def check(self) -> None:
        if len(self._begun) > 1 << 20:
            raise FrameError("a frame is too long")

    def finish(self) -> bytes:
        if self._begun:
            raise FrameError("the connection ended within a frame")
        return b""


class ZippedCodec:
    accept = f"{ZIPPED}, application/json;q=0.9"
    content_type = ZIPPED

    def for_answer(self, headers: Mapping[str, str]) -> Codec:
        return self if headers.get("content-type") == ZIPPED else JSON

    def encode(self, body: object) -> bytes:
        return zlib.compress(json_codec.encode(body))

    def encode_patch(self, patch: Any) -> tuple[str, bytes]:
        return JSON.encode_patch(patch)  # a JSON patch is JSON in every codec

    def decode(self, body: bytes, model: Any, *, usable: bool = False) -> Any:
        return JSON.decode(zlib.decompress(body), model, usable=usable)

    def decode_list(self, body: bytes, list_model: Any, *, usable: bool = False) -> Any:
        return JSON.decode_list(zlib.decompress(body), list_model, usable=usable)

    def kind_of(self, body: bytes) -> str:
        return JSON.kind_of(zlib.decompress(body))

    def new_framer(self) -> LengthFramer:
        return LengthFramer()

    def decode_event(self, frame: bytes, model: Any) -> Any:
        return JSON.decode_event(zlib.decompress(frame), model)

    def decode_events(self, block: bytes, model: Any) -> list[Any]:
        return [self.decode_event(payload, model) for payload in cut(block)[0]]

    def is_urgent(self, block: bytes) -> bool:
        return any(JSON.is_urgent(zlib.decompress(payload)) for payload in cut(block)[0])


class AsyncZippedStream:
    """The lines of a watch as compressed frames, in pieces that end anywhere."""

    def __init__(self, inner: AsyncByteStream) -> None:
        self._inner = inner
        self.status = inner.status
        self.headers = {**inner.headers, "content-type": ZIPPED}
        self._lines = LineSplitter()
        self._left = b""

    async def read(self) -> bytes:
        while not self._left:
            chunk = await self._inner.read()
            if not chunk:
                return b""
            self._left = b"".join(frame(zlib.compress(line)) for line in self._lines.feed(chunk))
        piece, self._left = self._left[:7], self._left[7:]
        return piece

    def abort(self) -> None:
        self._inner.abort()

    async def aclose(self) -> None:
        await self._inner.aclose()


class AsyncTranslator:
    """Makes the server in the process one that speaks the second format, and not only that."""

    def __init__(self, cluster: FakeCluster) -> None:
        self._inner = AsyncInProcessTransport(cluster.dispatcher)
        self.content_types: list[str] = []
        self.accepted: list[str] = []
        self.only_json = False

    def _translated(self, request: HttpRequest) -> HttpRequest:
        headers, body = dict(request.headers), request.body
        assert headers["Accept"].endswith(ZippedCodec.accept)
        self.accepted.append(headers["Accept"])
        if body is not None:
            self.content_types.append(headers["Content-Type"])
        if body is not None and headers["Content-Type"] == ZIPPED:
            headers["Content-Type"], body = "application/json", zlib.decompress(body)
        headers["Accept"] = headers["Accept"].replace(ZIPPED, "application/json")
        return HttpRequest(request.method, request.target, tuple(headers.items()), body)

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        answer = await self._inner.send(self._translated(request), timeout)
        if self.only_json:
            return answer
        headers = {**answer.headers, "content-type": ZIPPED}
        return HttpResponse(answer.status, headers, zlib.compress(answer.body))

    async def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> AsyncByteStream:
        inner = await self._inner.stream(self._translated(request), timeout, read_timeout)
        return inner if self.only_json else AsyncZippedStream(inner)

    async def aclose(self) -> None:
        await self._inner.aclose()


def pod(name: str) -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, namespace="shop"),
        spec=PodSpec(containers=[Container(name="main", image="nginx")]),
    )


def clientset(*pods: str) -> tuple[AsyncClientset, AsyncTranslator]:
    translator = AsyncTranslator(FakeCluster(*map(pod, pods)))
    return AsyncClientset(AsyncRest(CONFIG, transport=translator, codec=ZippedCodec())), translator


@pytest.mark.parametrize("only_json", [False, True])
async def test_all_verbs_go_through_the_codec_of_the_client(only_json: bool) -> None:
    k, translator = clientset("web-0", "web-1")
    translator.only_json = only_json
    async with k:
        pods = k.core_v1.pods("shop")
        assert (await pods.get("web-0")).spec.containers[0].image == "nginx"
        assert [each.metadata.name for each in await pods.list()] == ["web-0", "web-1"]
        made = await pods.create(pod("web-2"))
        assert (made.metadata.name, bool(made.metadata.uid)) == ("web-2", True)
        made.metadata.labels["app"] = "web"
        assert (await pods.update(made)).metadata.labels == {"app": "web"}
        patch = MergePatch({"metadata": {"labels": {"app": "db"}}})
        assert (await pods.patch("web-2", patch)).metadata.labels == {"app": "db"}
        await pods.delete("web-2", grace_period_seconds=0)
        with pytest.raises(NotFound, match='pods "web-2" not found'):
            await pods.get("web-2")
        with pytest.raises(AlreadyExists):
            await pods.create(pod("web-0"))
    merge = MergePatch.content_type
    assert translator.content_types == [ZIPPED, ZIPPED, merge, ZIPPED, ZIPPED]


@pytest.mark.parametrize("only_json", [False, True])
async def test_a_watch_is_cut_and_read_by_the_codec_of_its_answer(only_json: bool) -> None:
    k, translator = clientset("web-0")
    translator.only_json = only_json
    async with k:
        pods = k.core_v1.pods("shop")
        version = (await pods.list()).metadata.resource_version
        await pods.create(pod("web-1"))
        await pods.delete("web-0", grace_period_seconds=0)
        seen: list[tuple[str, str]] = []
        async with pods.watch(resource_version=version) as watch:
            async for event in watch:
                seen.append((event.type, event.object.metadata.name))
                if len(seen) == 2:
                    break
    assert seen == [("ADDED", "web-1"), ("DELETED", "web-0")]


@pytest.mark.parametrize("only_json", [False, True])
async def test_an_informer_keeps_what_the_codec_reads(only_json: bool) -> None:
    k, translator = clientset("web-0", "web-1")
    translator.only_json = only_json
    async with k, k.informers(namespace="shop") as factory:
        pods = factory.core_v1.pods()
        factory.start()
        assert all((await factory.wait_for_sync(timeout=30)).values())
        assert sorted(each.metadata.name for each in pods.lister.list()) == ["web-0", "web-1"]
        await k.core_v1.pods("shop").create(pod("web-2"))
        while len(pods.lister.list()) < 3:
            await sleep(0.001)


class PodName(View[Pod]):
    """The metadata of a pod."""


@pytest.mark.parametrize("only_json", [False, True])
async def test_views_are_read_by_any_codec(only_json: bool) -> None:
    k, translator = clientset("web-0", "web-1")
    translator.only_json = only_json
    images = view_of(["spec.containers.image"])
    async with k, k.informers(namespace="shop") as factory:
        parts = factory.informer(PODS, images, UnstructuredList)
        factory.start()
        assert all((await factory.wait_for_sync(timeout=30)).values())
        part = parts.lister.get("shop", "web-0")
        assert (type(part), part["spec"]) == (images, {"containers": [{"image": "nginx"}]})
        assert set(translator.accepted) == {ZippedCodec.accept}
        translator.accepted.clear()
        names = factory.view(PodName)
        factory.start()
        assert all((await factory.wait_for_sync(timeout=30)).values())
        assert names.lister.get("shop", "web-1") == await k.get(PodName, "web-1", namespace="shop")
        (name, _) = await k.list(PodName)
        assert (type(name), name.metadata.name) == (PodName, "web-0")
    assert len(translator.accepted) == 3
    for accept in translator.accepted:
        form, whole = f"{ZIPPED};as=PartialObjectMetadata", ZippedCodec.accept
        assert (accept.startswith(form), accept.endswith(f",{whole}")) == (True, True)


class MetadataCodec(JsonCodec):
    accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class MetadataListCodec(JsonCodec):
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


async def test_a_media_type_parameter_is_a_subclass_with_one_attribute() -> None:
    cluster = FakeCluster(pod("web-0"))

    def rest(codec: Codec) -> AsyncRest:
        return AsyncRest(CONFIG, transport=AsyncInProcessTransport(cluster.dispatcher), codec=codec)

    async with AsyncClientset(rest(MetadataCodec())) as k:
        one: Pod = await k.core_v1.pods("shop").get("web-0")
    assert (one.metadata.name, one.spec.containers) == ("web-0", [])
    async with AsyncClientset(rest(MetadataListCodec())) as k:
        several: PodList = await k.core_v1.pods("shop").list()
    assert [(each.metadata.name, each.spec.containers) for each in several] == [("web-0", [])]
