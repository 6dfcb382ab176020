"""From options to requests, and from answers to objects and errors."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from support.models import Pod

from clientgen.runtime import errors
from clientgen.runtime._http import call_options, request
from clientgen.runtime._http.json_codec import JSON
from clientgen.runtime._http.patches import MergePatch
from clientgen.runtime._http.request import (
    HttpRequest,
    HttpResponse,
    build,
    build_delete,
    build_patch,
    build_write,
)
from clientgen.runtime._http.response import error_from, read_object_or_status, retry_after
from clientgen.runtime._http.server_warnings import warnings_in
from clientgen.runtime._http.user_agent import field_manager, user_agent

EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("given", "known", "query"),
    [
        ({}, request.LIST, ""),
        ({"timeout": 3.0}, request.LIST, ""),
        (
            {"label_selector": "a in (b,c),d!=é"},
            request.LIST,
            "?labelSelector=a%20in%20%28b%2Cc%29%2Cd%21%3D%C3%A9",
        ),
        ({"label_selector": "", "resource_version": ""}, request.LIST, ""),
        ({"resource_version": None, "limit": 0}, request.LIST, "?limit=0"),
        ({"continue_": "a+b/c=", "limit": 5}, request.LIST, "?continue=a%2Bb%2Fc%3D&limit=5"),
        ({"dry_run": True, "force": False}, request.PATCH, "?dryRun=All&force=false"),
        ({"dry_run": False}, request.PATCH, ""),
        (
            {"bookmarks": True, "allow_watch_bookmarks": False},
            request.WATCH,
            "?allowWatchBookmarks=false",
        ),
        (
            {"since_time": datetime(2026, 1, 2, 3, tzinfo=EAST)},
            request.LOGS,
            "?sinceTime=2026-01-02T01%3A00%3A00.000000Z",
        ),
        (
            {"insecure_skip_tls_verify_backend": True},
            request.LOGS,
            "?insecureSkipTLSVerifyBackend=true",
        ),
    ],
)
def test_options_become_a_query(given, known, query):
    assert build("GET", "/x", given, known).target == "/x" + query


@pytest.mark.parametrize(
    ("declared", "known"),
    [
        (call_options.GetOptions, request.GET),
        (call_options.ListOptions, request.LIST),
        (call_options.EachOptions, {k: v for k, v in request.LIST.items() if k != "continue_"}),
        (call_options.WatchOptions, {k: v for k, v in request.WATCH.items() if k != "watch"}),
        (call_options.WriteOptions, request.WRITE),
        (call_options.EditOptions, request.WRITE),
        (call_options.PatchOptions, request.PATCH),
        (call_options.ApplyOptions, request.PATCH),
        (call_options.DeleteCollectionOptions, request.DELETE_COLLECTION),
        (call_options.LogOptions, {k: v for k, v in request.LOGS.items() if k != "follow"}),
    ],
)
def test_every_declared_option_is_known(declared, known):
    assert declared.__optional_keys__ == set(known)


def test_every_delete_option_is_known():
    for name in call_options.DeleteOptions.__optional_keys__:
        build_delete("/x", {name: True}, JSON)


def test_an_unknown_option_is_an_unexpected_keyword():
    for call in (
        lambda: build("GET", "/x", {"labelSelector": "a"}, request.LIST),
        lambda: build_write("POST", "/x", {}, {"labelSelector": "a"}, JSON),
        lambda: build_patch("/x", MergePatch({}), {"labelSelector": "a"}, JSON),
        lambda: build_delete("/x", {"labelSelector": "a"}, JSON),
        lambda: build_delete("/x", {"uid": "a"}, JSON, collection=True),
    ):
        with pytest.raises(TypeError, match="unexpected option"):
            call()


def test_delete_options_are_a_body_and_selectors_a_query():
    assert build_delete("/x", {}, JSON) == HttpRequest("DELETE", "/x")
    assert build_delete("/x", {"timeout": 1.0}, JSON) == HttpRequest("DELETE", "/x")
    made = build_delete("/x", {"orphan_dependents": False, "dry_run": False}, JSON)
    assert made.body == b'{"apiVersion":"v1","kind":"DeleteOptions","orphanDependents":false}'
    made = build_delete("/x", {"limit": 1, "grace_period_seconds": 0}, JSON, collection=True)
    assert made.target == "/x?limit=1"
    assert made.body == b'{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0}'
    assert build_delete("/x", {"limit": 1}, JSON, collection=True).body is None


def test_errors_and_reprs_show_nothing_secret():
    made = HttpRequest("GET", "/x?continue=token", (("Authorization", "Bearer x"),), b"body")
    assert str(made.info) == "GET /x"
    assert repr(made) == "HttpRequest(GET /x)"


def answer(status: int, body: bytes = b"", **headers: str) -> HttpResponse:
    return HttpResponse(status, {k.replace("_", "-"): v for k, v in headers.items()}, body)


GET = HttpRequest("GET", "/api/v1/pods/x")


def test_the_code_and_the_header_fill_what_a_status_leaves_out():
    error = error_from(GET, answer(429, b'{"kind":"Status"}', retry_after="7"), JSON)
    assert type(error) is errors.TooManyRequests
    assert (error.code, error.retry_after) == (429, 7)
    body = b'{"kind":"Status","details":{"retryAfterSeconds":3}}'
    error = error_from(GET, answer(429, body, retry_after="7"), JSON)
    assert error.retry_after == 3


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe", b"null", b"[]", b'"x"', b'{"kind":5}', b"{" * 5000]
)
def test_any_body_of_an_error_makes_an_error(body):
    error = error_from(GET, answer(500, body), JSON)
    assert type(error) is errors.InternalError
    assert error.causes[0].reason == "UnexpectedServerResponse"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3),
        (" 3 ", 3),
        ("0", 0),
        ("-1", None),
        ("1.5", None),
        ("", None),
        ("²", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_only_seconds_count_as_retry_after(value, seconds):
    assert retry_after({"retry-after": value}) == seconds


def test_a_delete_answer_is_told_by_its_kind():
    def read(body: bytes) -> object:
        return read_object_or_status(answer(200, body), Pod, GET, JSON)

    assert read(b'{"kind":"Status","status":"Success"}').status == "Success"
    assert isinstance(read(b'{"kind":"Pod"}'), Pod)
    with pytest.raises(errors.ResponseBroken):
        read(b"")
    with pytest.raises(errors.Conflict):
        read(b'{"kind":"Status","status":"Failure","reason":"Conflict"}')


@pytest.mark.parametrize(
    ("header", "texts"),
    [
        ('299 - "a"', ["a"]),
        ('299 - "a", 299 - "b, \\"c\\" \\\\"', ["a", 'b, "c" \\']),
        ('199 host "x",299 - "y" "Wed, 21 Oct 2026 07:28:00 GMT"', ["y"]),
        ("garbage", []),
        ("", []),
    ],
)
def test_warnings_are_those_of_code_299(header, texts):
    assert list(warnings_in(header)) == texts


@pytest.mark.parametrize(
    ("argv0", "program"),
    [
        ("/usr/bin/my-tool", "my-tool"),
        ("/src/operator.py", "operator"),
        ("/site-packages/acme/__main__.py", "acme"),
        ("-c", "c"),
        ("", "python"),
        ("/opt/strange näme (1)", "strange-n-me-1"),
    ],
)
def test_a_program_introduces_itself(argv0, program):
    agent = user_agent(argv0)
    assert agent.startswith(f"{program}/")
    assert agent.endswith(")")
    assert agent.isascii()
    assert field_manager(agent) == program


def test_a_moment_without_zone_is_local_time():
    local = datetime(2026, 1, 2).astimezone(UTC)
    query = build("GET", "/x", {"since_time": datetime(2026, 1, 2)}, request.LOGS).target
    assert query.endswith(local.strftime("%Y-%m-%dT%H%%3A%M%%3A%S.000000Z"))


def test_force_is_for_apply_only():
    with pytest.raises(ValueError, match="force is for ApplyPatch only, not for MergePatch"):
        request.build_patch("/p", MergePatch({}), {"force": True}, JSON)


@pytest.mark.parametrize("name", ["label_selector", "field_selector"])
@pytest.mark.parametrize("selector", [["app=web"], 5, True, b"app=web"])
def test_a_selector_is_text_or_a_mapping(name, selector):
    with pytest.raises(TypeError, match=f"{name} must be a string or a mapping"):
        request.query_string({name: selector}, request.LIST)


@pytest.mark.parametrize(
    ("name", "selector", "query"),
    [
        ("label_selector", {"app": "web", "tier": ["b"]}, "app%3Dweb%2Ctier%3Db"),
        ("label_selector", {"tier": ["b", "a"]}, "tier%20in%20%28a%2Cb%29"),
        ("label_selector", {"old": None, "e": ""}, "%21old%2Ce%3D"),
        ("field_selector", {"metadata.name": "a,b"}, "metadata.name%3Da%5C%2Cb"),
    ],
)
def test_a_selector_may_be_a_mapping(name, selector, query):
    parameter = request.LIST[name]
    assert request.query_string({name: selector}, request.LIST) == f"?{parameter}={query}"
    assert request.query_string({name: {}}, request.LIST) == ""


@pytest.mark.parametrize(
    "labels",
    [
        *({"app": value} for value in ("a,b=c", "a)", ["a", "b c"], 5, [], "x" * 64, ["a", None])),
        *({key: "a"} for key in ("a,b", "", "!app", 5)),
        {"a=b": None},
    ],
)
def test_no_label_can_become_another_condition(labels):
    with pytest.raises(ValueError, match="label"):
        request.query_string({"label_selector": labels}, request.LIST)


def test_deleting_by_no_label_at_all_is_refused():
    with pytest.raises(ValueError, match="label_selector must not be"):
        request.build_delete("/api/v1/pods", {"label_selector": {}}, JSON, collection=True)
