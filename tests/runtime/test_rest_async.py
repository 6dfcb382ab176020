"""Calls against a scripted TLS server; `test_rest_sync` runs the same, derived, on threads."""

# A loop or a block that fails half way is what is tested.
# ruff: noqa: PERF401, PT012

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import pytest
from support.models import NODES, PODS, Pod, PodList, pod, pod_list
from support.server import (
    CLOSE,
    CUT,
    END,
    HALF_CLOSE,
    Certificates,
    ScriptedServer,
    chunk,
    event,
    failure,
    head,
    ok,
    reply,
    zipped,
)

import clientgen.runtime._async.client as client_module
from clientgen.runtime import errors
from clientgen.runtime._async._primitives import call_later
from clientgen.runtime._async.requests import permitted_pause
from clientgen.runtime._config.cluster_config import AuthConfig, Impersonation, TlsConfig
from clientgen.runtime._http.patches import JsonPatch, MergePatch, StrategicMergePatch
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._models.meta_v1 import ObjectMeta, Status
from clientgen.runtime._models.model_codec import DecodeError
from clientgen.runtime.aio import AsyncResourceClient, AsyncRest


class AsyncPodClient(AsyncResourceClient):
    resource = PODS


class AsyncNodeClient(AsyncResourceClient):
    resource = NODES


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was slept; nobody really sleeps."""
    taken: list[float] = []

    async def nap(seconds: float) -> None:
        taken.append(seconds)

    monkeypatch.setattr(permitted_pause, "sleep", nap)
    monkeypatch.setattr(client_module, "sleep", nap)
    return taken


# ---- what goes out ----------------------------------------------------------------------------


async def test_a_get_asks_for_the_object_and_gives_it_typed(server, config_for):
    server.reply(ok(pod("web-0")))
    async with AsyncRest(config_for(server)) as rest:
        got = await AsyncPodClient(rest, "default")._get(Pod, "web-0", {"resource_version": "0"})
    assert got.metadata.name == "web-0"
    assert got.spec.containers[0].image == "nginx"
    (request,) = server.requests
    assert (request.method, request.target) == (
        "GET",
        "/api/v1/namespaces/default/pods/web-0?resourceVersion=0",
    )
    assert request.header("authorization") == "Bearer s3cret"
    assert request.header("accept") == "application/json"
    assert request.header("content-type") is None
    assert request.header("accept-encoding") == "gzip"
    assert request.header("user-agent").endswith(")")


async def test_the_accept_header_of_a_request_wins(server, config_for):
    server.reply(ok({}))
    table = "application/json;as=Table;v=v1;g=meta.k8s.io"
    async with AsyncRest(config_for(server)) as rest:
        await rest.send(HttpRequest("GET", "/api/v1/pods", (("Accept", table),)))
    headers = server.requests[0].headers
    assert [value for name, value in headers if name.lower() == "accept"] == [table]


async def test_the_path_prefix_of_the_server_stays(server, config_for):
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server, server=server.url + "/k8s/clusters/c-1")) as rest:
        await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    assert server.requests[0].path == "/k8s/clusters/c-1/api/v1/namespaces/default/pods/web-0"


async def test_a_create_sends_what_was_set_and_nothing_else(server, config_for):
    server.reply(reply(201, pod()))
    body = Pod(metadata=ObjectMeta(name="web-0"))
    async with AsyncRest(config_for(server)) as rest:
        made = await AsyncPodClient(rest, "default")._create(
            Pod, body, {"dry_run": True, "field_manager": "me", "field_validation": "Strict"}
        )
    assert made.metadata.uid == "uid-web-0"
    (request,) = server.requests
    assert request.method == "POST"
    assert request.target == (
        "/api/v1/namespaces/default/pods?dryRun=All&fieldManager=me&fieldValidation=Strict"
    )
    assert request.header("content-type") == "application/json"
    assert request.json() == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0"}}


async def test_an_update_takes_the_name_from_the_object(server, config_for):
    server.reply(ok({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1"}}))
    async with AsyncRest(config_for(server)) as rest:
        await AsyncNodeClient(rest)._update(
            Pod, Pod(metadata=ObjectMeta(name="n1")), {}, subresource="status"
        )
    assert (server.requests[0].method, server.requests[0].target) == (
        "PUT",
        "/api/v1/nodes/n1/status",
    )


@pytest.mark.parametrize(
    ("patch", "content_type", "sent"),
    [
        (MergePatch({"a": None}), "application/merge-patch+json", {"a": None}),
        (StrategicMergePatch({"a": 1}), "application/strategic-merge-patch+json", {"a": 1}),
        (
            JsonPatch([{"op": "remove", "path": "/a"}]),
            "application/json-patch+json",
            [{"op": "remove", "path": "/a"}],
        ),
    ],
)
async def test_a_patch_is_told_by_its_content_type(server, config_for, patch, content_type, sent):
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server)) as rest:
        await AsyncPodClient(rest, "default")._patch(Pod, "web-0", patch, {})
    assert server.requests[0].header("content-type") == content_type
    assert server.requests[0].json() == sent


async def test_an_apply_names_a_field_manager_even_if_nobody_gave_one(server, config_for):
    server.reply(ok(pod()))
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server), user_agent="tool/1.0 (x/y)") as rest:
        pods = AsyncPodClient(rest, "default")
        await pods._apply(Pod, {"metadata": {"name": "web-0"}}, {"force": True})
        await pods._apply(Pod, Pod(metadata=ObjectMeta(name="web-0")), {"field_manager": "me"})
    first, second = server.requests
    assert first.method == "PATCH"
    assert first.header("content-type") == "application/apply-patch+yaml"
    assert first.query == "force=true&fieldManager=tool"
    assert second.query == "fieldManager=me"


async def test_delete_options_travel_in_the_body(server, config_for):
    server.reply(ok(pod()))
    server.reply(ok({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}))
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        gone = await pods._delete(
            Pod,
            "web-0",
            {
                "dry_run": True,
                "grace_period_seconds": 0,
                "propagation_policy": "Foreground",
                "uid": "u",
                "resource_version": "7",
            },
        )
        status = await pods._delete(Pod, "web-0", {})
    assert isinstance(gone, Pod)
    assert isinstance(status, Status)
    first, second = server.requests
    assert (first.method, first.query) == ("DELETE", "")
    assert first.json() == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "dryRun": ["All"],
        "gracePeriodSeconds": 0,
        "propagationPolicy": "Foreground",
        "preconditions": {"uid": "u", "resourceVersion": "7"},
    }
    assert second.body == b""


async def test_a_deletecollection_gives_the_list_that_the_server_answers(server, config_for):
    server.reply(ok(pod_list(pod())))
    async with AsyncRest(config_for(server)) as rest:
        gone = await AsyncPodClient(rest, "default")._delete_collection(
            PodList, {"label_selector": "app=web", "propagation_policy": "Orphan"}
        )
    assert isinstance(gone, PodList)
    assert [each.metadata.name for each in gone] == ["web-0"]
    assert server.requests[0].query == "labelSelector=app%3Dweb"
    assert server.requests[0].json()["propagationPolicy"] == "Orphan"


async def test_a_post_to_a_subresource_answers_a_status(server, config_for):
    server.reply(
        reply(201, {"kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201})
    )
    async with AsyncRest(config_for(server)) as rest:
        status = await AsyncPodClient(rest, "default")._create_named(
            Status, "web-0", {"kind": "Eviction"}, {}, subresource="eviction"
        )
    assert status.code == 201
    assert server.requests[0].path == "/api/v1/namespaces/default/pods/web-0/eviction"


async def test_a_subresource_has_its_own_verbs(server, config_for):
    for _ in range(5):
        server.reply(ok(pod()))
    async with AsyncRest(config_for(server)) as rest:
        part = AsyncPodClient(rest, "default")._subresource(Pod, "web-0", "resize")
        await part.get()
        await part.update(Pod())
        await part.patch(MergePatch({}))
        await part.apply({})
        await part.edit(lambda pod: None)
    assert [request.method for request in server.requests] == [
        "GET",
        "PUT",
        "PATCH",
        "PATCH",
        "GET",
    ]
    assert {request.path for request in server.requests} == {
        "/api/v1/namespaces/default/pods/web-0/resize"
    }


async def test_impersonation_headers_repeat(server, config_for):
    server.reply(ok(pod()))
    server.reply(ok(pod()))
    who = Impersonation("jane", groups=("a", "b"), extra={"acme.com/scope": ("x", "y")})
    async with AsyncRest(config_for(server, impersonate=who)) as rest:
        await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    async with AsyncRest(config_for(server, impersonate=who), impersonate_user="joë") as rest:
        await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    sent = [(k, v) for k, v in server.requests[0].headers if k.startswith("Impersonate")]
    assert sent == [
        ("Impersonate-User", "jane"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-acme.com%2Fscope", "x"),
        ("Impersonate-Extra-acme.com%2Fscope", "y"),
    ]
    sent = [(k, v) for k, v in server.requests[1].headers if k.startswith("Impersonate")]
    assert sent == [("Impersonate-User", "joë")]


async def test_invalid_names_are_refused_before_sending(server, config_for):
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        for name in ("", ".", "..", "a/b", "a%2fb"):
            with pytest.raises(ValueError, match="name"):
                await pods._get(Pod, name, {})
        with pytest.raises(TypeError, match="label_selektor"):
            await pods._list(PodList, {"label_selektor": "x"})
        with pytest.raises(TypeError, match="resourceVersion"):
            pods._watch(Pod, {"resourceVersion": "1"})
    assert server.requests == []


# ---- errors -----------------------------------------------------------------------------------


async def attempt(server, config_for, *acts: Any, method: str = "GET", **options: Any) -> Any:
    server.reply(*acts)
    async with AsyncRest(config_for(server), **options) as rest:
        pods = AsyncPodClient(rest, "default")
        with pytest.raises(Exception) as caught:
            if method == "GET":
                await pods._get(Pod, "web-0", {})
            elif method == "POST":
                await pods._create(Pod, Pod(), {})
            else:
                await pods._delete(Pod, "web-0", {})
    assert "s3cret" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("code", "reason", "expected"),
    [
        (404, "NotFound", errors.NotFound),
        (409, "AlreadyExists", errors.AlreadyExists),
        (409, "Conflict", errors.Conflict),
        (410, "Gone", errors.Gone),
        (410, "Expired", errors.Expired),
        (410, "", errors.Gone),
        (409, "", errors.Conflict),
        (422, "Invalid", errors.Invalid),
        (429, "TooManyRequests", errors.TooManyRequests),
        (500, "", errors.InternalError),
        (500, "ServerTimeout", errors.ServerTimeout),
        (504, "Timeout", errors.Timeout),
        (404, "SomethingNew", errors.NotFound),
        (418, "", errors.ApiError),
    ],
)
async def test_each_reason_is_an_error_class(server, config_for, code, reason, expected):
    error = await attempt(server, config_for, failure(code, reason, "the words"))
    assert type(error) is expected
    assert (error.code, error.reason, error.message) == (code, reason, "the words")
    assert str(error.request) == "GET /api/v1/namespaces/default/pods/web-0"


@pytest.mark.parametrize(
    ("code", "method", "expected"),
    [
        (400, "GET", errors.BadRequest),
        (401, "GET", errors.Unauthorized),
        (403, "GET", errors.Forbidden),
        (404, "GET", errors.NotFound),
        (405, "GET", errors.MethodNotAllowed),
        (406, "GET", errors.NotAcceptable),
        (409, "GET", errors.Conflict),
        (409, "POST", errors.AlreadyExists),
        (415, "GET", errors.UnsupportedMediaType),
        (422, "GET", errors.Invalid),
        (429, "GET", errors.TooManyRequests),
        (500, "GET", errors.InternalError),
        (502, "GET", errors.InternalError),
        (503, "GET", errors.ServiceUnavailable),
        (504, "GET", errors.Timeout),
        (302, "GET", errors.ApiError),
    ],
)
async def test_answers_of_a_proxy_become_errors(server, config_for, code, method, expected):
    page = b"<html>" + b"x" * 5000
    error = await attempt(server, config_for, reply(code, page), method=method)
    assert type(error) is expected
    assert error.code == code
    (cause,) = error.causes
    assert cause.reason == "UnexpectedServerResponse"
    assert len(cause.message) == 2048
    assert ("<html>" in error.message) == (code in {403, 406, 415})


async def test_an_unknown_path_answers_in_plain_text(server, config_for):
    error = await attempt(server, config_for, reply(404, b"404 page not found\n"))
    assert type(error) is errors.NotFound
    assert error.causes[0].message == "404 page not found"


async def test_a_success_code_with_a_failure_status_is_a_failure(server, config_for):
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": "NotFound",
        "code": 404,
    }
    assert type(await attempt(server, config_for, ok(body))) is errors.NotFound


async def test_an_empty_answer_is_an_error(server, config_for):
    assert type(await attempt(server, config_for, ok(b""))) is errors.ResponseBroken


async def test_an_answer_that_is_not_json_is_an_error(server, config_for):
    assert type(await attempt(server, config_for, ok(b"<html>"))) is DecodeError


async def test_apply_conflicts_are_told_from_others(server, config_for):
    causes = [{"reason": "FieldManagerConflict", "message": "conflict with x", "field": ".data.a"}]
    error = await attempt(server, config_for, failure(409, "Conflict", details={"causes": causes}))
    assert type(error) is errors.ApplyConflict
    assert error.causes[0].field == ".data.a"


@pytest.mark.parametrize(
    "garbage",
    [b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000 + b"\r\n\r\n"],
)
async def test_garbage_is_not_http(server, config_for, naps, garbage):
    error = await attempt(server, config_for, garbage, CLOSE)
    assert type(error) is errors.ResponseBroken
    assert naps == []


@pytest.mark.parametrize("ending", [CUT, CLOSE, HALF_CLOSE])
async def test_a_write_is_not_repeated_when_its_answer_is_lost(server, config_for, naps, ending):
    for method in ("POST", "DELETE"):
        error = await attempt(server, config_for, ending, CLOSE, method=method)
        assert isinstance(error, errors.ConnectionLost), error
    assert len(server.requests) == 2
    assert naps == []


@pytest.mark.parametrize("ending", [CUT, CLOSE, HALF_CLOSE])
async def test_a_body_that_breaks_off_is_an_error(server, config_for, ending):
    error = await attempt(server, config_for, head(length=1000), b"{", ending, CLOSE, method="POST")
    assert isinstance(error, errors.ConnectionLost), error
    error = await attempt(
        server, config_for, head(chunked=True), chunk(b"{"), ending, CLOSE, method="POST"
    )
    assert isinstance(error, errors.ConnectionLost), error


async def test_a_get_is_repeated_after_a_second_when_its_answer_is_lost(server, config_for, naps):
    server.reply(head(length=1000), b"{", CUT)
    server.reply(head(length=1000), b"{", CLOSE)
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server)) as rest:
        assert (await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})).metadata.name
    assert naps == [1.0, 1.0]
    assert server.connections == 3


async def test_the_last_error_says_how_often_it_was_tried(server, config_for, naps):
    for _ in range(3):
        server.reply(failure(503, "ServiceUnavailable", "starting", "Retry-After: 2"))
    error = await attempt(
        server, config_for, failure(429, "", "busy", "Retry-After: 2"), max_retries=3
    )
    assert type(error) is errors.TooManyRequests
    assert naps == [2.0, 2.0, 2.0]
    (note,) = error.__notes__
    assert note.startswith("gave up after 3 retries; the error before: GET ")
    assert "starting" in note


async def test_nobody_there_is_an_error_at_once(server, config_for, naps):
    server.close()
    error = await attempt(server, config_for)
    assert type(error) is errors.ConnectionFailed
    assert f"cannot connect to {server.url}: " in str(error)
    assert "refused" in str(error)
    assert naps == []


async def test_an_unknown_authority_is_an_error_at_once(server, config_for, naps):
    tls = TlsConfig(ca_data=Certificates().ca_pem)
    async with AsyncRest(config_for(server, tls=tls)) as rest:
        with pytest.raises(errors.ConnectionFailed, match=r"(?i)certificate verify failed"):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    assert naps == []


async def test_verification_can_be_turned_off(server, config_for):
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server, tls=TlsConfig(insecure=True))) as rest:
        assert (await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})).metadata.name


async def test_the_server_may_go_by_another_name(server, config_for, certificates):
    server.reply(ok(pod()))
    tls = TlsConfig(ca_data=certificates.ca_pem, server_name="localhost")
    async with AsyncRest(config_for(server, tls=tls)) as rest:
        assert (await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})).metadata.name
    tls = TlsConfig(ca_data=certificates.ca_pem, server_name="elsewhere")
    async with AsyncRest(config_for(server, tls=tls)) as rest:
        with pytest.raises(errors.ConnectionFailed):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})


# ---- retries, deadlines, rates ----------------------------------------------------------------


async def test_retry_after_is_obeyed_for_every_verb(server, config_for, naps):
    server.reply(failure(429, "TooManyRequests", "busy", "Retry-After: 3"))
    server.reply(failure(500, "", "oops", "Retry-After: 1"))
    server.reply(reply(201, pod()))
    async with AsyncRest(config_for(server)) as rest:
        await AsyncPodClient(rest, "default")._create(Pod, Pod(), {})
    assert naps == [3.0, 1.0]
    assert len({request.body for request in server.requests}) == 1
    assert len(server.requests[2].headers) == len(server.requests[0].headers)


@pytest.mark.parametrize("header", ["Retry-After: Wed, 21 Oct 2026 07:28:00 GMT", "X: y"])
async def test_without_seconds_to_wait_nothing_is_tried_again(server, config_for, naps, header):
    await attempt(server, config_for, failure(429, "TooManyRequests", "busy", header))
    await attempt(server, config_for, failure(404, "NotFound", "no", "Retry-After: 1"))
    assert naps == []
    assert len(server.requests) == 2


async def test_ten_retries_are_enough(server, config_for, naps):
    for _ in range(10):
        server.reply(failure(503, "", "no", "Retry-After: 1"))
    error = await attempt(server, config_for, failure(503, "", "no", "Retry-After: 1"))
    assert error.retry_after == 1
    assert len(naps) == 10
    assert len(server.requests) == 11


async def test_the_deadline_covers_a_slow_answer(server, config_for):
    never = threading.Event()
    for acts in ([never], [head(length=10), b"{", never], [head(chunked=True), chunk(b"{"), never]):
        server.reply(*acts)
    async with AsyncRest(config_for(server)) as rest:
        for _ in range(3):
            with pytest.raises(errors.RequestTimeout) as caught:
                await AsyncPodClient(rest, "default")._get(Pod, "web-0", {"timeout": 0.1})
            assert isinstance(caught.value, TimeoutError)


async def test_a_deadline_of_the_client_serves_calls_that_have_none(server, config_for):
    late = threading.Event()
    server.reply(late, ok(pod()))  # also to the second call, if the first one came too late to ask
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server), timeout=0.1) as rest:
        with pytest.raises(errors.RequestTimeout):
            await AsyncPodClient(rest, "default")._list(PodList, {})
        late.set()
        await AsyncPodClient(rest, "default")._get(Pod, "web-0", {"timeout": 60})


async def test_a_retry_that_would_come_too_late_is_not_waited_for(server, config_for, naps):
    server.reply(failure(429, "", "busy", "Retry-After: 60"))
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.TooManyRequests):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {"timeout": 30})
    assert naps == []


async def test_the_rate_of_requests_can_be_limited(server, config_for, naps):
    for _ in range(4):
        server.reply(ok(pod()))
    async with AsyncRest(config_for(server), qps=0.001, burst=2) as rest:
        for _ in range(3):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
        assert len(naps) == 1
        with pytest.raises(errors.RequestTimeout, match="rate limit"):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {"timeout": 5})


# ---- credentials and connections --------------------------------------------------------------


async def test_connections_are_used_again(server, config_for):
    for _ in range(5):
        server.reply(ok(pod()))
    server.reply(failure(404, "NotFound"))
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        for _ in range(5):
            await pods._get(Pod, "web-0", {})
        with pytest.raises(errors.NotFound):
            await pods._delete(Pod, "web-0", {})
    assert server.connections == 1


async def test_a_401_makes_the_token_file_be_read_again(server, config_for, tmp_path):
    token = tmp_path / "token"
    token.write_text("old")
    server.reply(ok(pod()))
    server.reply(failure(401, "Unauthorized"))
    server.reply(ok(pod()))
    server.reply(failure(401, "Unauthorized"))
    async with AsyncRest(config_for(server, auth=AuthConfig(token_file=str(token)))) as rest:
        pods = AsyncPodClient(rest, "default")
        await pods._get(Pod, "web-0", {})
        token.write_text("new")
        await pods._get(Pod, "web-0", {})
        with pytest.raises(errors.Unauthorized):
            await pods._get(Pod, "web-0", {})
    sent = [request.header("authorization") for request in server.requests]
    assert sent == ["Bearer old", "Bearer old", "Bearer new", "Bearer new"]
    assert server.connections == 1


async def test_a_new_certificate_means_new_connections(certificates, config_for, tmp_path):
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"

    def issue() -> None:
        made = certificates.authority.issue_cert("client@example.com")
        certificate.write_bytes(b"".join(blob.bytes() for blob in made.cert_chain_pems))
        key.write_bytes(made.private_key_pem.bytes())

    issue()
    server = ScriptedServer(certificates, ask_certificate=True)
    auth = AuthConfig(certificate_file=str(certificate), key_file=str(key))
    server.reply(ok(pod()))
    server.reply(head(chunked=True), event("ADDED", pod(version="5")), threading.Event())
    server.reply(failure(401, "Unauthorized"))
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server, auth=auth)) as rest:
        pods = AsyncPodClient(rest, "default")
        await pods._get(Pod, "web-0", {})
        watch = pods._watch(Pod, {})
        await watch.__anext__()
        issue()
        await pods._get(Pod, "web-0", {})
        with pytest.raises(errors.ConnectionLost):
            await watch.__anext__()
    server.close()
    numbers = [request.connection for request in server.requests]
    assert numbers[0] == numbers[2]
    assert numbers[3] not in numbers[:3]


async def test_a_closed_client_says_so(server, config_for):
    rest = AsyncRest(config_for(server))
    await rest.aclose()
    with pytest.raises(RuntimeError, match="closed"):
        await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    server.reply(ok(pod()))
    rest = AsyncRest(config_for(server))
    await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    await rest.aclose()
    await rest.aclose()
    with pytest.raises(RuntimeError, match="closed"):
        await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})


async def test_secrets_are_not_shown(server, config_for):
    async with AsyncRest(config_for(server)) as rest:
        assert repr(rest).endswith(f"Rest('{server.url}')")
        assert "s3cret" not in repr(AsyncPodClient(rest, "default"))
        assert "'default'" in repr(AsyncPodClient(rest, "default"))


async def test_large_answers_may_be_compressed(server, config_for):
    big = pod_list(*[pod(f"web-{n}") for n in range(300)])
    server.reply(zipped(big))
    server.reply(zipped(big))
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        assert len(await pods._list(PodList, {})) == 300
        assert len(await pods._list(PodList, {"timeout": 60})) == 300
    server.reply(ok(big))
    async with AsyncRest(config_for(server, disable_compression=True)) as rest:
        await AsyncPodClient(rest, "default")._list(PodList, {})
    assert server.requests[2].header("accept-encoding") == "identity"


async def test_large_bodies_are_sent_whole(server, config_for):
    server.reply(reply(201, pod()))
    body = Pod(metadata=ObjectMeta(name="x", annotations={"a": "x" * 2_000_000}))
    async with AsyncRest(config_for(server)) as rest:
        await AsyncPodClient(rest, "default")._create(Pod, body, {})
    assert len(server.requests[0].body) > 2_000_000


# ---- warnings ---------------------------------------------------------------------------------


async def test_warnings_reach_the_handler_also_from_errors(server, config_for):
    heard: list[str] = []
    first = 'Warning: 299 - "unknown field \\"bogus\\""'
    server.reply(
        ok(pod(), first, 'Warning: 299 - "second, with a comma"', 'Warning: 199 x "other"')
    )
    server.reply(failure(404, "NotFound", "no", 'Warning: 299 - "third"'))
    async with AsyncRest(config_for(server), warning_handler=heard.append) as rest:
        pods = AsyncPodClient(rest, "default")
        await pods._get(Pod, "web-0", {})
        with pytest.raises(errors.NotFound):
            await pods._get(Pod, "web-0", {})
    assert heard == ['unknown field "bogus"', "second, with a comma", "third"]


async def test_each_warning_is_logged_once(server, config_for, caplog):
    for _ in range(2):
        server.reply(ok(pod(), 'Warning: 299 - "deprecated"'))
    async with AsyncRest(config_for(server)) as rest:
        for _ in range(2):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    line = "GET /api/v1/namespaces/default/pods/web-0: deprecated"
    assert caplog.record_tuples == [("clientgen.warnings", logging.WARNING, line)]


async def test_the_log_of_a_warning_names_the_object_that_is_created(server, config_for, caplog):
    server.reply(ok(pod(), 'Warning: 299 - "unknown field \\"spec.contaners\\""'))
    server.reply(ok(pod(), 'Warning: 299 - "other"'))
    async with AsyncRest(config_for(server)) as rest:
        await AsyncPodClient(rest, "default")._create(
            Pod, Pod(metadata=ObjectMeta(name="web-0")), {}
        )
        made = Pod(metadata=ObjectMeta(generate_name="web-"))
        await AsyncPodClient(rest, "default")._create(Pod, made, {})
    assert caplog.messages == [
        'POST /api/v1/namespaces/default/pods (Pod web-0): unknown field "spec.contaners"',
        "POST /api/v1/namespaces/default/pods (Pod web-): other",
    ]


async def test_warnings_can_be_switched_off(server, config_for, caplog):
    server.reply(ok(pod(), 'Warning: 299 - "deprecated"'))
    async with AsyncRest(config_for(server), warning_handler=None) as rest:
        await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    assert caplog.record_tuples == []


# ---- collections ------------------------------------------------------------------------------


async def names(items: Any) -> list[str]:
    return [item.metadata.name async for item in items]


async def test_a_list_follows_the_pages(server, config_for):
    server.reply(ok(pod_list(pod("a"), version="7", token="t1")))
    server.reply(ok(pod_list(pod("b"), version="7", token="t2")))
    server.reply(ok(pod_list(pod("c"), version="7")))
    async with AsyncRest(config_for(server)) as rest:
        whole = await AsyncPodClient(rest)._list(
            PodList, {"label_selector": "app=web", "resource_version": "5"}
        )
    assert [each.metadata.name for each in whole] == ["a", "b", "c"]
    assert whole.items[0].kind == "Pod"
    assert whole.metadata.resource_version == "7"
    assert whole.metadata.continue_ == ""
    assert whole.metadata.remaining_item_count is None
    assert [request.target for request in server.requests] == [
        (
            "/api/v1/pods?labelSelector=app%3Dweb&resourceVersion=5&limit=500"
            "&resourceVersionMatch=NotOlderThan"
        ),
        "/api/v1/pods?labelSelector=app%3Dweb&limit=500&continue=t1",
        "/api/v1/pods?labelSelector=app%3Dweb&limit=500&continue=t2",
    ]


async def test_a_list_with_a_limit_is_one_page(server, config_for):
    server.reply(ok(pod_list(pod("a"), token="t1")))
    server.reply(ok(pod_list(pod("b"))))
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        first = await pods._list(PodList, {"limit": 1})
        second = await pods._list(PodList, {"limit": 1, "continue_": first.metadata.continue_})
    assert first.metadata.remaining_item_count == 1
    assert second.metadata.continue_ == ""
    assert [request.query for request in server.requests] == ["limit=1", "limit=1&continue=t1"]


async def test_a_list_whose_state_expires_is_read_again_in_one_go(server, config_for):
    server.reply(ok(pod_list(pod("a"), pod("x"), token="t1")))
    server.reply(failure(410, "Expired", metadata={"continue": "fresh"}))
    server.reply(ok(pod_list(pod("a"), pod("b"), version="9")))
    async with AsyncRest(config_for(server)) as rest:
        whole = await AsyncPodClient(rest)._list(PodList, {"field_selector": "a=b"})
    assert [each.metadata.name for each in whole] == ["a", "b"]
    assert whole.metadata.resource_version == "9"
    assert server.requests[2].query == "fieldSelector=a%3Db"


async def test_a_list_that_was_never_there_is_an_error(server, config_for):
    server.reply(failure(410, "Expired"))
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.Expired):
            await AsyncPodClient(rest)._list(
                PodList, {"resource_version": "1", "resource_version_match": "Exact"}
            )


async def test_items_may_be_null(server, config_for):
    server.reply(ok({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": None}))
    async with AsyncRest(config_for(server)) as rest:
        assert list(await AsyncPodClient(rest)._list(PodList, {})) == []


async def test_each_goes_on_with_the_fresh_token_after_a_410(server, config_for):
    server.reply(ok(pod_list(pod("a"), token="t1")))
    server.reply(failure(410, "Expired", metadata={"continue": "fresh"}))
    server.reply(ok(pod_list(pod("b"))))
    async with AsyncRest(config_for(server)) as rest:
        assert await names(AsyncPodClient(rest)._each(PodList, {"limit": 1})) == ["a", "b"]
    assert [request.query for request in server.requests] == [
        "limit=1",
        "limit=1&continue=t1",
        "limit=1&continue=fresh",
    ]


async def test_each_without_a_fresh_token_is_an_error(server, config_for):
    server.reply(ok(pod_list(pod("a"), token="t1")))
    server.reply(failure(410, "Expired"))
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.Expired):
            await names(AsyncPodClient(rest)._each(PodList, {}))
    assert server.requests[0].query == "limit=500"


# ---- edit -------------------------------------------------------------------------------------


async def test_edit_sends_the_difference_guarded_by_what_was_read(server, config_for, naps):
    server.reply(ok(pod(version="1", newer={"field": 1})))
    server.reply(failure(409, "Conflict"))
    server.reply(ok(pod(version="2")))
    server.reply(ok(pod(version="3")))

    def change(pod: Pod) -> None:
        pod.metadata.labels["a"] = "b"

    async with AsyncRest(config_for(server)) as rest:
        edited = await AsyncPodClient(rest, "default")._edit(
            Pod, "web-0", change, {"field_manager": "me"}
        )
    assert edited.metadata.resource_version == "3"
    assert [request.method for request in server.requests] == ["GET", "PATCH", "GET", "PATCH"]
    assert server.requests[1].header("content-type") == "application/merge-patch+json"
    assert server.requests[1].query == "fieldManager=me"
    assert server.requests[1].json() == {
        "metadata": {"labels": {"a": "b"}, "uid": "uid-web-0", "resourceVersion": "1"}
    }
    assert server.requests[3].json()["metadata"]["resourceVersion"] == "2"
    assert len(naps) == 1
    assert 0 <= naps[0] <= 0.01


async def test_edit_that_changes_nothing_sends_nothing(server, config_for, caplog):
    caplog.set_level("DEBUG", "clientgen.runtime._http.edit")
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server)) as rest:
        edited = await AsyncPodClient(rest, "default")._edit(Pod, "web-0", lambda obj: None, {})
    assert edited.metadata.name == "web-0"
    assert len(server.requests) == 1
    assert "default/pods/web-0: the function changed nothing" in caplog.text


async def test_edit_goes_on_after_many_conflicts(server, config_for, naps):
    for _ in range(30):
        server.reply(ok(pod()))
        server.reply(failure(409, "Conflict", "changed"))
    server.reply(ok(pod()))
    server.reply(ok(pod(version="9")))
    async with AsyncRest(config_for(server)) as rest:
        edited = await AsyncPodClient(rest, "default")._edit(
            Pod, "web-0", lambda obj: obj.metadata.labels.update(a="b"), {}
        )
    assert edited.metadata.resource_version == "9"
    assert len(naps) == 30
    assert max(naps) < 0.5


@pytest.mark.parametrize("options", [{}, {"timeout": 5.0}])
async def test_edit_gives_up_at_its_deadline(server, config_for, naps, monkeypatch, options):
    limit, begun = options.get("timeout", 60.0), time.monotonic()
    monkeypatch.setattr(client_module, "monotonic", lambda: begun + sum(naps))
    for _ in range(600):
        server.reply(ok(pod()))
        server.reply(failure(409, "Conflict", "changed"))
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.Conflict, match="changed") as caught:
            await AsyncPodClient(rest, "default")._edit(
                Pod, "web-0", lambda obj: obj.metadata.labels.update(a="b"), options
            )
    assert limit - 0.6 < sum(naps) <= limit + 0.1
    assert caught.value.__notes__ == [f"gave up after {len(naps)} retries"]


# ---- logs -------------------------------------------------------------------------------------


async def test_logs_are_text(server, config_for):
    server.reply(head(length=8), b"one\ntw\xff\n")
    async with AsyncRest(config_for(server)) as rest:
        text = await AsyncPodClient(rest, "default")._logs(
            "web-0", {"tail_lines": 2, "container": "c"}
        )
    assert text == "one\ntw\ufffd\n"
    assert server.requests[0].target == (
        "/api/v1/namespaces/default/pods/web-0/log?tailLines=2&container=c"
    )


async def test_followed_logs_are_lines_wherever_the_network_cuts(server, config_for):
    pieces = [chunk(b) for b in (b"o", b"ne\nt", b"w\xc3", b"\xa9\n\nlast \xff", b" line")]
    server.reply(head(chunked=True), *pieces, END)
    async with (
        AsyncRest(config_for(server)) as rest,
        AsyncPodClient(rest, "default")._follow_logs("web-0", {"timestamps": True}) as lines,
    ):
        assert [line async for line in lines] == ["one", "tw\u00e9", "", "last \ufffd line"]
        assert [line async for line in lines] == []
    assert server.requests[0].query == "timestamps=true&follow=true"


async def test_followed_logs_that_are_cut_off_are_an_error(server, config_for):
    server.reply(head(chunked=True), chunk(b"one\n"), CUT)
    heard: list[str] = []
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.ConnectionLost):
            async for line in AsyncPodClient(rest, "default")._follow_logs("web-0", {}):
                heard.append(line)
    assert heard in (["one"], [])


async def test_followed_logs_can_be_stopped(server, config_for):
    server.reply(head(chunked=True), chunk(b"one\n"), threading.Event())
    heard: list[str] = []
    async with AsyncRest(config_for(server)) as rest:
        lines = AsyncPodClient(rest, "default")._follow_logs("web-0", {})
        async for line in lines:
            heard.append(line)
            call_later(0.05, lines.stop)
    assert heard == ["one"]


async def test_followed_logs_of_a_pod_that_is_not_there(server, config_for):
    server.reply(failure(404, "NotFound"))
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.NotFound):
            await AsyncPodClient(rest, "default")._follow_logs("web-0", {}).__anext__()


async def test_a_deadline_ends_followed_logs(server, config_for):
    server.reply(head(chunked=True), chunk(b"one\n"), threading.Event())
    async with AsyncRest(config_for(server)) as rest:
        lines = AsyncPodClient(rest, "default")._follow_logs("web-0", {"timeout": 0.1})
        assert await lines.__anext__() == "one"
        with pytest.raises(errors.RequestTimeout):
            await lines.__anext__()
