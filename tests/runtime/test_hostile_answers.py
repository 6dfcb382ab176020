"""Answers that no API server gives, over a real socket: none raises anything but a ClientError.

The tests of threads are derived from these.
"""

from __future__ import annotations

import json
import threading

import pytest
from kubeapi.core.v1 import Pod, PodList
from kubeapi.core.v1.async_clients import AsyncPodClient
from kubeapi.core.v1.resources import PODS
from support.raw_server import Peer, RawServer
from support.server import END, chunk, event, failure, head, ok, reply

from clientgen.runtime import errors
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._http.patches import MergePatch
from clientgen.runtime._models import model_codec
from clientgen.runtime.aio import AsyncRest, AsyncSharedInformer

NAMES = [
    'a"b',
    "a\\b",
    'a"b\\',
    "a\nb",
    "a\x00b",
    "\x7f",
    "😀",
    "",
    "__class__",
    "__init__",
    "self",
    "mro",
    "class",
    "unknown_0",
    "api_version",
    "ﬁ",
]


def body(name: str, **more: object) -> dict[str, object]:
    """A pod with fields of that name at two depths."""
    metadata = {"name": "web", "namespace": "default", "resourceVersion": "2", "uid": "u"}
    spec = {"containers": [{"name": "c", name: [1, {"x": None}]}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec,
        name: {"z": 1},
        **more,
    }


@pytest.mark.parametrize("name", NAMES)
async def test_fields_of_any_name_are_read_and_sent_back(server, config_for, name):
    sent = body(name)
    listed = {
        "kind": "PodList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "2"},
        "items": [sent],
    }
    server.reply(ok(sent))
    server.reply(ok(sent))
    server.reply(ok(sent))
    server.reply(ok(sent))
    server.reply(ok(listed))
    server.reply(head(chunked=True), event("ADDED", sent), END)
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        got = await pods.get("web")
        await pods.update(got)
        await pods.edit("web", lambda pod: pod.metadata.labels.update(a="b"))
        (item,) = (await pods.list()).items
        async with pods.watch(resource_version="1") as events:
            async for change in events:
                seen = change.object
                break
    assert (
        model_codec.to_dict(item) == model_codec.to_dict(seen) == model_codec.to_dict(got) == sent
    )
    _, put, _, patch, *_ = server.requests
    assert put.json() == sent
    assert patch.json()["metadata"]["labels"] == {"a": "b"}
    assert name not in {*patch.json()} - {"metadata"}


@pytest.mark.parametrize(
    "text",
    [
        rb'{"kind":"Pod","metadata":{"name":"w\ud800"},"\udc00":"\udc00\ud800"}',
        rb'{"kind":"Pod","kind":"Pod","metadata":null,"metadata":{"name":"w\ufffd"},"\ufffd":1}',
        rb'{"kind":"Pod","metadata":{"name":"w\\ud800"}}',
    ],
)
async def test_halves_of_characters_are_read_as_go_reads_them(server, config_for, text):
    server.reply(ok(text))
    server.reply(head(chunked=True), chunk(b'{"type":"ADDED","object":%b}\n' % text), END)
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        pod = await pods.get("web")
        async for change in pods.watch(resource_version="1"):
            assert change.object == pod
            break
    assert pod.metadata.name in {"w\ufffd", "w\\ud800"}
    assert json.loads(model_codec.encode(pod))["metadata"]["name"] == pod.metadata.name


DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"<html>no</html>",
        b'{"kind":"Na\xd2"}',
        b'{"kind":"Status","message":"\xff"}',
        b'{"kind":"Status","reason":' + DEEP + b"}",
        b'{"kind":"Status","code":' + b"9" * 5000 + b"}",
        b'{"kind":"Status","code":NaN}',
        b'{"kind":{"a":1}}',
        b'["Status"]',
        b'"Status"',
        b"null",
        b"x" * 3_000_000,
        *(
            json.dumps({"kind": "Status", member: wrong}).encode()
            for member in (
                "apiVersion",
                "metadata",
                "status",
                "message",
                "reason",
                "details",
                "code",
                'a"b',
            )
            for wrong in ({}, [], 5, "x", True, None, 1.5, {"a": [1]}, 10**400)
        ),
        *(
            json.dumps({"kind": "Status", "details": {member: wrong}}).encode()
            for member in ("name", "kind", "causes", "retryAfterSeconds")
            for wrong in ({}, [5], -5, "x", True, None, [{"reason": {}}], 10**400)
        ),
        json.dumps({"kind": "Status", "message": "m" * 5_000_000}).encode(),
        json.dumps({"kind": "Status", "details": {"causes": [{"message": "m"}] * 50_000}}).encode(),
    ],
    ids=lambda text: repr(text[:60]),
)
async def test_any_body_of_a_refusal_is_an_api_error_of_its_code(server, config_for, text):
    server.reply(reply(404, text))
    server.reply(reply(409, text))
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        with pytest.raises(errors.NotFound) as caught:
            await pods.get("web")
        with pytest.raises(errors.Conflict):
            await pods.patch("web", MergePatch({}))
    error = caught.value
    assert error.code in {404, 5}
    assert isinstance(error.message, str)
    assert isinstance(error.reason, str)
    assert len(str(error)) < 20_000
    assert error.retry_after is None or 0 < error.retry_after <= 300
    for cause in error.causes:
        assert error.has_cause(cause.reason) or cause.reason is None
    assert len(error.causes) <= 1000


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("9" * 400, 300),
        ("0" * 400, None),
        ("-5", None),
        ("1.5", None),
        ("\u0661", None),
        ("Wed, 21 Oct 2099 07:28:00 GMT", None),
        ("x", None),
        ("", None),
        ("7", 7),
    ],
)
async def test_any_retry_after_is_read(server, config_for, header, seconds):
    server.reply(failure(429, "", "no", f"Retry-After: {header}"))
    async with AsyncRest(config_for(server), max_retries=0) as rest:
        with pytest.raises(errors.TooManyRequests) as caught:
            await AsyncPodClient(rest, "default").get("web")
    assert caught.value.retry_after == seconds


async def test_a_status_of_a_watch_is_as_odd_as_others(server, config_for):
    status = {"kind": "Status", "reason": {}, "code": 410, "details": "x", "metadata": 5}
    server.reply(head(chunked=True), event("ERROR", status), END)
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.Gone):
            async for _ in AsyncPodClient(rest, "default").watch(resource_version="1"):
                pass


@pytest.mark.parametrize(
    "text",
    [
        b'{"metadata":"x"}',
        b'{"metadata":[1]}',
        b'{"metadata":{"resourceVersion":{}}}',
        b'{"metadata":{"resourceVersion":5}}',
        b'{"metadata":{"name":["x"]}}',
        b'{"metadata":{"namespace":{}}}',
        b'{"metadata":{"continue":{}}}',
        b'{"metadata":{"annotations":[]}}',
        b'{"metadata":{"ownerReferences":{}}}',
        b'{"metadata":{"ownerReferences":[5]}}',
        b'{"items":{"a":1}}',
        b'{"items":[5,"x",null,[]]}',
        b'{"items":"x"}',
        b"[]",
        b"5",
        b'{"spec":5}',
        b'{"x":' + DEEP + b"}",
        b'{"x":NaN}',
        b'{"x":"\xff"}',
    ],
    ids=lambda text: repr(text[:40]),
)
async def test_objects_of_any_shape_are_read_or_refused(server, config_for, text):
    listed = b'{"metadata":{"resourceVersion":"1"},"items":[%b]}' % text
    for data in (text, text, listed):
        server.reply(ok(data))
    server.reply(head(chunked=True), chunk(b'{"type":"MODIFIED","object":%b}\n' % text), END)
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        for call in (lambda: pods.get("web"), pods.list, pods.list):
            try:
                pod_list = await call()
            except errors.ClientError:
                continue
            if isinstance(pod_list, Pod):
                assert isinstance(pod_list.metadata.name, str)
            else:
                assert all(isinstance(each, Pod) for each in pod_list.items)
        try:
            async for change in pods.watch(resource_version="1"):
                assert isinstance(change.object, Pod)
                break
        except errors.ClientError:
            pass


@pytest.mark.parametrize(
    "start", [b"", b'{"type":"ADDED","object":', b'{"type":"ADDED","object":{"x":']
)
async def test_a_last_line_without_an_end_may_be_nested_without_one(server, config_for, start):
    server.reply(head(chunked=True), chunk(start + DEEP), END)
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.ClientError):
            async for _ in AsyncPodClient(rest, "default").watch(resource_version="1", timeout=0.3):
                pass


@pytest.mark.parametrize("name", NAMES)
async def test_informers_keep_fields_of_any_name(server, config_for, name):
    sent, hold = body(name), threading.Event()
    last = {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {
            "resourceVersion": "2",
            "annotations": {"k8s.io/initial-events-end": "true"},
        },
    }
    server.reply(head(chunked=True), event("ADDED", sent), event("BOOKMARK", last), hold)
    async with AsyncRest(config_for(server)) as rest:
        informer = AsyncSharedInformer(rest, PODS, Pod, PodList, namespace="default")
        informer.start()
        assert await informer.wait_for_sync(10)
        cached = informer.lister.get("default", "web")
        await informer.stop()
    hold.set()
    assert model_codec.to_dict(cached) == sent


HEAD = b"HTTP/1.1 200 OK\r\n"
JSON = b'{"kind":"Pod","metadata":{"name":"web"}}'
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
NO_HTTP = {
    "two lengths": HEAD + b"Content-Length: 40\r\nContent-Length: 5\r\n\r\n" + JSON,
    "negative length": HEAD + b"Content-Length: -1\r\n\r\n" + JSON,
    "length of 5000 digits": HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n" + JSON,
    "length and chunks": HEAD + b"Content-Length: 3\r\n" + CHUNKED[len(HEAD) :] + b"0\r\n\r\n",
    "too short": HEAD + b"Content-Length: 1000\r\n\r\n" + JSON,
    "too long": HEAD + b"Content-Length: 10\r\n\r\n" + JSON,
    "nothing to say": b"HTTP/1.1 204 No\r\n\r\n",
    "another protocol": b"HTTP/1.1 101 Sw\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    "no code": b"HTTP/1.1 000 Sw\r\n\r\n",
    "a code of four digits": b"HTTP/1.1 1000 Sw\r\nContent-Length: 0\r\n\r\n",
    "another version": b"HTTP/9.9 200 OK\r\n\r\n" + JSON,
    "a header without a colon": HEAD + b"Xabc\r\nContent-Length: 0\r\n\r\n",
    "a header with NUL": HEAD + b"X: a\0b\r\nContent-Length: 0\r\n\r\n",
    "a header in no encoding": b"HTTP/1.1 429 No\r\nRetry-After: \xff\r\nContent-Length: 0\r\n\r\n",
    "a chunk of negative size": CHUNKED + b"-5\r\nabc\r\n0\r\n\r\n",
    "a chunk of no size": CHUNKED + b"zz\r\n",
    "a chunk without an end": CHUNKED + b"28\r\n" + JSON + b"0\r\n\r\n",
    "a chunk that is cut": CHUNKED + b"28\r\n" + JSON,
    "another transfer encoding": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "two objects": HEAD + b"Connection: close\r\n\r\n" + JSON + JSON,
    "a byte order mark": HEAD + b"Connection: close\r\n\r\n\xef\xbb\xbf" + JSON,
    "UTF-16": HEAD + b"Connection: close\r\n\r\n" + JSON.decode().encode("utf-16"),
    "garbage": b"\x00\x1b[31m\n\r\x02" * 1000,
    "nothing": b"",
}


@pytest.mark.parametrize("what", NO_HTTP)
async def test_an_invalid_answer_is_a_client_error_in_one_line(what):
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.send(NO_HTTP[what])

    with RawServer(talk) as broken:
        config = ClusterConfig(f"http://127.0.0.1:{broken.port}")
        async with AsyncRest(config, max_retries=0) as rest:
            pods = AsyncPodClient(rest, "default")
            for call in (lambda: pods.get("web", timeout=20), lambda: pods.get("web")):
                message = ""
                try:
                    assert isinstance(await call(), Pod)  # threads are more lenient here and there
                except errors.ClientError as error:
                    message = str(error)
                assert message.isprintable()
                assert len(message) < 400
