"""Objects as metadata alone and as tables, in answers to every verb and in watches."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.errors import BadRequest
from clientgen.runtime.sync import Rest
from clientgen.testing import FakeCluster

MAPS = "/api/v1/namespaces/default/configmaps"
FORM = "application/json;as={};g=meta.k8s.io;v=v1"
BODY = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}, "data": {"a": "b"}}


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster(
        *(ConfigMap(metadata=ObjectMeta(name=name, namespace="default")) for name in ("a", "b"))
    )


@pytest.fixture
def rest(cluster: FakeCluster) -> Rest:
    return cluster.clientset(_Clientset).rest


class _Clientset:
    def __init__(self, rest: Rest) -> None:
        self.rest = rest


def ask(
    rest: Rest,
    call: str,
    kind: str,
    body: Any = None,
    content: str = "application/json",
) -> Any:
    """Send a request, such as `GET /api`, that wants its answer as a kind."""
    method, _, target = call.partition(" ")
    typed = (("Content-Type", content),) if body is not None else ()
    headers = (("Accept", FORM.format(kind)), *typed)
    data = None if body is None else json.dumps(body).encode()
    return json.loads(rest.send(HttpRequest(method, target, headers, data)).body)


@pytest.mark.parametrize("kind", ["PartialObjectMetadata", "Table"])
def test_every_verb_of_one_object(rest: Rest, kind: str) -> None:
    made = ask(rest, f"POST {MAPS}", kind, BODY)
    merge = "application/merge-patch+json"
    apply = "application/apply-patch+yaml"
    answers = [
        made,
        ask(rest, f"GET {MAPS}/new", kind),
        ask(rest, f"PUT {MAPS}/new", kind, {**BODY, "data": {"c": "d"}}),
        ask(rest, f"PATCH {MAPS}/new", kind, {"metadata": {"finalizers": ["a/b"]}}, merge),
        ask(rest, f"PATCH {MAPS}/new?fieldManager=me&force=true", kind, BODY, apply),
        ask(rest, f"DELETE {MAPS}/new", kind),
    ]
    for answer in answers:
        assert (answer["kind"], answer["apiVersion"]) == (kind, "meta.k8s.io/v1")
        shown = answer["rows"][0]["object"] if kind == "Table" else answer
        assert set(shown) == {"kind", "apiVersion", "metadata"}
    assert ask(rest, f"DELETE {MAPS}/a", kind)["kind"] == "Status"


def test_lists_and_what_a_delete_of_many_answers(rest: Rest) -> None:
    for kind, items in (("PartialObjectMetadataList", "items"), ("Table", "rows")):
        first = ask(rest, f"GET {MAPS}?limit=1", kind)
        assert (first["kind"], len(first[items])) == (kind, 1)
        assert first["metadata"]["remainingItemCount"] == 1
        token = first["metadata"]["continue"]
        second = ask(rest, f"GET {MAPS}?limit=1&continue={token}", kind)
        assert (len(second[items]), "continue" in second["metadata"]) == (1, False)
    assert ask(rest, f"DELETE {MAPS}", "Table")["kind"] == "Table"


def test_a_watch_whose_objects_have_no_such_form_ends(rest: Rest, cluster: FakeCluster) -> None:
    """And nobody else is troubled (apiserver: WatchServer.HandleHTTP)."""
    accept = (("Accept", FORM.format("PartialObjectMetadataList")),)
    assert rest.stream(HttpRequest("GET", f"{MAPS}?watch=1", accept)).read() == b""
    version = json.loads(rest.send(HttpRequest("GET", MAPS)).body)["metadata"]["resourceVersion"]
    later = rest.stream(HttpRequest("GET", f"{MAPS}?watch=1&resourceVersion={version}", accept))
    cluster.add(ConfigMap(metadata=ObjectMeta(name="c", namespace="default")))
    assert later.read() == b""
    assert json.loads(rest.send(HttpRequest("GET", f"{MAPS}/c")).body)["kind"] == "ConfigMap"


def test_a_watch_of_tables_checks_its_options_first(rest: Rest) -> None:
    accept = (("Accept", FORM.format("Table")),)
    target = f"{MAPS}?watch=1&resourceVersion=1&includeObject=Some"
    with pytest.raises(BadRequest, match="must be 'Metadata', 'Object', 'None', or empty"):
        rest.stream(HttpRequest("GET", target, accept))


@pytest.mark.parametrize(("include", "kind"), [("Object", "ConfigMap"), ("None", None)])
def test_rows_hold_what_is_asked_for(rest: Rest, include: str, kind: str | None) -> None:
    table = ask(rest, f"GET {MAPS}/a?includeObject={include}", "Table")
    assert (table["rows"][0]["object"] or {}).get("kind") == kind
    accept = (("Accept", FORM.format("Table")),)
    target = f"{MAPS}?watch=1&allowWatchBookmarks=1&includeObject={include}"
    lines = rest.stream(HttpRequest("GET", target, accept)).read().splitlines()
    objects = [json.loads(line)["object"]["rows"][0]["object"] for line in lines]
    assert [(obj or {}).get("kind") for obj in objects] == 3 * [kind]


def test_an_error_in_a_watch_is_a_status_in_any_form(rest: Rest, cluster: FakeCluster) -> None:
    cluster.compact()
    cluster.add(ConfigMap(metadata=ObjectMeta(name="c", namespace="default")))
    cluster.compact()
    for kind in ("PartialObjectMetadata", "Table"):
        accept = (("Accept", FORM.format(kind)),)
        stream = rest.stream(HttpRequest("GET", f"{MAPS}?watch=1&resourceVersion=1", accept))
        event = json.loads(stream.read())
        assert (event["type"], event["object"]["kind"]) == ("ERROR", "Status")
        assert event["object"]["code"] == 410
