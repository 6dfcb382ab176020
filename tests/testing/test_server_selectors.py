"""Selectors, negotiation and watch streams, as functions of what is asked."""

from __future__ import annotations

import json

import pytest

from clientgen._apimachinery.failures import Failure
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import FakeClock
from clientgen.testing._apiserver.requests.negotiation import negotiate
from clientgen.testing._apiserver.responses.answers import Deferred, Response, Stream
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._apiserver.server_selectors import field_terms, label_test

WEB = {"app": "web", "n": "10", "example.com/tier": "front", "empty": ""}


@pytest.mark.parametrize(
    ("selector", "selects"),
    [
        ("app=web", True),
        ("app==web,n=10", True),
        ("app!=web", False),
        ("other!=x", True),
        ("app in (web,db)", True),
        ("app notin (web)", False),
        ("other notin (x)", True),
        ("example.com/tier", True),
        ("!app", False),
        ("!other", True),
        ("n>9", True),
        ("n<9", False),
        ("app>1", False),
        ("empty=", True),
        ("empty in (,x)", True),
        (" app = web , n in ( 10 ) ", True),
    ],
)
def test_labels(selector: str, selects: bool) -> None:
    test = label_test(selector)
    assert test is not None
    assert test(WEB) is selects


@pytest.mark.parametrize(
    "selector",
    ["a=b=c", "a in b", "a in (b", "=x", "a,,b", "!a=b", "-a=b", "a=b!", "n>x", "x/y/z=a"],
)
def test_invalid_label_selectors(selector: str) -> None:
    with pytest.raises(Failure) as refused:
        label_test(selector)
    assert refused.value.code == 400


def test_nothing_selects_everything() -> None:
    assert label_test("") is None
    assert field_terms("") == ()


def test_fields_are_unescaped() -> None:
    [first, second] = field_terms(r"metadata.name=a\,b\=c\\,spec.x!=y")
    assert (first.field, first.value, first.equal) == ("metadata.name", r"a,b=c\\"[:-1], True)
    assert (second.field, second.value, second.equal) == ("spec.x", "y", False)


TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@pytest.mark.parametrize(
    ("accept", "format_", "kind"),
    [
        ("", "json", ""),
        ("*/*", "json", ""),
        ("application/yaml", "yaml", ""),
        ("application/x, application/yaml;q=0.1", "yaml", ""),
        (f"{TABLE},application/json", "json", "Table"),
        (f"{TABLE.replace('v1;', 'v9;')},application/json", "json", ""),
        ("application/vnd.kubernetes.protobuf,application/json", "json", ""),
    ],
)
def test_valid_label_selectors(accept: str, format_: str, kind: str) -> None:
    encoding = negotiate(accept)
    assert (encoding.format, encoding.form.kind) == (format_, kind)


def test_a_watch_is_never_yaml() -> None:
    with pytest.raises(Failure) as refused:
        negotiate("application/yaml", stream=True)
    assert refused.value.code == 406


MAPS = "/api/v1/namespaces/default/configmaps"


def served() -> tuple[ApiServer, FakeClock]:
    clock = FakeClock()
    return ApiServer(clock=clock, seed=1), clock


def create(server: ApiServer, name: str) -> None:
    body = json.dumps({"metadata": {"name": name}}).encode()
    answer = server.handle(HttpRequest("POST", MAPS, (), body))
    assert isinstance(answer, Response)
    assert answer.status == 201


def lines(stream: Stream) -> list[tuple[str, str]]:
    taken = stream.take()
    events = [json.loads(line) for line in (taken or b"").splitlines()]
    return [(each["type"], each["object"]["metadata"].get("name", "")) for each in events]


def test_a_watch_ends_by_the_clock_and_says_where_it_was() -> None:
    server, clock = served()
    target = f"{MAPS}?watch=1&timeoutSeconds=90&allowWatchBookmarks=true"
    stream = server.handle(HttpRequest("GET", target))
    assert not isinstance(stream, Response | Deferred)
    assert lines(stream) == [("BOOKMARK", "")]  # the end of what was there: nothing
    clock.step(60)
    assert lines(stream) == [("BOOKMARK", "")]
    create(server, "a")
    assert lines(stream) == [("ADDED", "a")]
    clock.step(28)
    assert lines(stream) == [("BOOKMARK", "")]
    clock.step(2)
    assert stream.take() is None


def test_a_read_waits_for_a_version_to_come() -> None:
    server, _ = served()
    now = server.cluster.store.version
    answer = server.handle(HttpRequest("GET", f"{MAPS}?resourceVersion={now + 1}"))
    assert isinstance(answer, Deferred)
    assert isinstance(answer.resume(), Deferred)
    create(server, "a")
    listed = answer.resume()
    assert isinstance(listed, Response)
    assert [item["metadata"]["name"] for item in json.loads(listed.body)["items"]] == ["a"]


def test_a_version_that_does_not_come_is_too_large() -> None:
    server, clock = served()
    answer = server.handle(HttpRequest("GET", f"{MAPS}/a?resourceVersion=999999"))
    assert isinstance(answer, Deferred)
    clock.step(3)
    refused = answer.resume()
    assert isinstance(refused, Response)
    status = json.loads(refused.body)
    assert (refused.status, status["reason"]) == (504, "Timeout")
    assert ("retry-after", "1") in refused.headers


def test_a_watch_that_nobody_reads_is_closed() -> None:
    server, _ = served()
    stream = server.handle(HttpRequest("GET", f"{MAPS}?watch=1"))
    assert not isinstance(stream, Response | Deferred)
    stream.close()
    create(server, "a")
    assert stream.take() is None


def test_owners_are_forgotten_with_those_they_own() -> None:
    server, _ = served()
    for number in range(3):
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": f"u{number}"}
        body = {"metadata": {"name": f"d{number}", "ownerReferences": [owner]}}
        server.handle(HttpRequest("POST", MAPS, (), json.dumps(body).encode()))
    assert len(server.garbage.owners) == 3
    for number in range(3):
        server.handle(HttpRequest("DELETE", f"{MAPS}/d{number}"))
    assert not server.garbage.owners


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", 200),
        ("/apis/storage.k8s.io/v1/storageclasses", 200),
        ("/api/v1/configmaps", 200),
        ("/api/v1/nodes", 400),  # kinds with fields of their own name all that they have
        ("/api/v1/namespaces", 400),
    ],
)
def test_cluster_scoped_kinds_know_a_namespace_too(path: str, status: int) -> None:
    answer = ApiServer(clock=FakeClock()).handle(
        HttpRequest("GET", f"{path}?fieldSelector=metadata.namespace%3Dx")
    )
    assert isinstance(answer, Response)
    assert answer.status == status
