"""CustomResourceDefinitions: what is wrong with them, and what comes of them."""

from __future__ import annotations

import json
import zlib
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
from support import wrong_definitions
from support.crds import Server
from support.definitions import custom_definition
from support.wrong_definitions import (
    ROOTS,
    SCHEMAS_OF_SPEC,
    SPECS,
    TEXT,
    UNREADABLE,
    version,
    with_root,
    with_spec,
)

from clientgen import _apiextensions
from clientgen._openapi.resolved import Schemas
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import FakeCluster
from clientgen.testing._apiserver.responses.answers import Response

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def definition(*versions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return as_created(wrong_definitions.definition(*versions, **spec))


def as_created(crd: dict[str, Any]) -> dict[str, Any]:
    """What the server has when it looks at a new definition."""
    created = deepcopy(crd)
    _apiextensions.default_definition(created)
    stored = [each["name"] for each in created["spec"]["versions"] if each.get("storage")][:1]
    created["status"] = {"storedVersions": stored}
    return created


def wrong(crd: dict[str, Any], old: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    return [
        (cause.reason.removeprefix("FieldValue"), cause.field)
        for cause in _apiextensions.validate_definition(crd, old)
    ]


def test_a_good_definition_gets_its_other_names() -> None:
    crd = definition()
    assert wrong(crd) == []
    assert crd["spec"]["names"]["listKind"] == "WidgetList"
    assert crd["spec"]["names"]["singular"] == "widget"
    assert crd["spec"]["conversion"] == {"strategy": "None"}


@pytest.mark.parametrize(("schema", "expected"), SCHEMAS_OF_SPEC)
def test_schema_errors_are_reported(
    schema: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert wrong(as_created(with_spec(schema))) == expected


@pytest.mark.parametrize(("schema", "expected"), ROOTS)
def test_root_schema_errors_are_reported(
    schema: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert wrong(as_created(with_root(schema))) == expected


@pytest.mark.parametrize(("crd", "expected"), SPECS)
def test_definition_errors_are_reported(
    crd: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert wrong(as_created(crd)) == expected


@pytest.mark.parametrize("crd", UNREADABLE)
def test_unreadable_definitions_are_refused(crd: dict[str, Any]) -> None:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    code, answer = Server().ask("POST", path, crd)
    assert code == 400
    assert "cannot unmarshal" in answer["message"]


def test_versions_that_differ_are_told_apart() -> None:
    bad = {"openAPIV3Schema": {"type": "string"}}
    problems = wrong(definition(version(), version("v2", schema=bad)))
    assert problems == [("Invalid", "spec.versions[1].schema.openAPIV3Schema.type")]


def test_names_of_an_established_definition_are_immutable() -> None:
    old = definition()
    old["status"] = _apiextensions.status_of(old, [], NOW)
    new = definition(scope="Cluster", names={"plural": "widgets", "kind": "Gadget"})
    assert wrong(new, old) == [("Invalid", "spec.scope"), ("Invalid", "spec.names.kind")]


def test_versions_that_were_stored_stay() -> None:
    crd = definition()
    crd["status"]["storedVersions"] = ["v0", "v1"]
    assert wrong(crd, definition()) == [("Invalid", "status.storedVersions[0]")]


def test_kubernetes_own_groups_need_approval() -> None:
    crd = definition(group="x.k8s.io")
    crd["metadata"]["name"] = "widgets.x.k8s.io"
    annotation = "api-approved.kubernetes.io"
    assert wrong(crd) == [("Required", f"metadata.annotations[{annotation}]")]
    crd["metadata"]["annotations"] = {annotation: "unapproved, an experiment"}
    assert wrong(crd) == []


def test_unknown_formats_are_warned_of_once() -> None:
    odd = {"type": "object", "properties": {"a": {**TEXT, "format": "odd"}}}
    crd = definition(version(schema={"openAPIV3Schema": odd}))
    assert _apiextensions.definition_warnings(crd, None) == ['unrecognized format "odd"']
    assert _apiextensions.definition_warnings(crd, crd) == []


# ------------------------------------------------------------------------------------- status


def conditions(status: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {each["type"]: (each["status"], each["reason"]) for each in status["conditions"]}


def test_free_names_are_accepted() -> None:
    status = _apiextensions.status_of(definition(), [], NOW)
    assert conditions(status) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    assert status["acceptedNames"]["listKind"] == "WidgetList"
    assert status["conditions"][0]["lastTransitionTime"] == "2026-01-02T03:04:05Z"


def test_taken_names_are_not_accepted() -> None:
    first = definition(names={"plural": "widgets", "kind": "Widget", "shortNames": ["w"]})
    first["status"] = _apiextensions.status_of(first, [], NOW)
    second = definition(names={"plural": "gadgets", "kind": "Widget", "shortNames": ["w"]})
    status = _apiextensions.status_of(second, [first], NOW)
    assert conditions(status)["NamesAccepted"] == ("False", "ListKindConflict")
    assert conditions(status)["Established"] == ("False", "NotAccepted")
    assert status["acceptedNames"] == {"kind": "", "plural": "gadgets"}


def test_a_status_that_holds_stays() -> None:
    crd = definition()
    crd["status"] = _apiextensions.status_of(crd, [], NOW)
    later = datetime(2027, 1, 1, tzinfo=UTC)
    assert _apiextensions.status_of(crd, [], later) == crd["status"]


# ----------------------------------------------------------------------------------- versions


def test_conversion_changes_only_the_version() -> None:
    crd = _apiextensions.read(
        definition(version(), version("v1beta1", deprecated=True)), Schemas({})
    )
    assert crd.storage_version.name == "v1"
    converted = crd.convert({"apiVersion": "example.com/v1", "spec": {}}, crd.versions[1])
    assert converted == {"apiVersion": "example.com/v1beta1", "spec": {}}


def test_a_definition_knows_its_webhook() -> None:
    webhook = {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": ["v1"]}
    conversion = {"strategy": "Webhook", "webhook": webhook}
    read_crd = _apiextensions.read(definition(version(), conversion=conversion), Schemas({}))
    assert (read_crd.conversion, read_crd.webhook) == ("Webhook", webhook)


def test_deprecated_versions_name_the_one_to_use() -> None:
    old = version("v1beta1", deprecated=True)
    crd = _apiextensions.read(definition(old, version("v1alpha1"), version()), Schemas({}))
    assert crd.versions[0].deprecation_warning == (
        "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"
    )
    assert crd.versions[2].deprecation_warning == ""


def test_what_a_definition_describes_is_read_when_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Big clusters have thousands of definitions, of which most are never used."""
    read: list[bytes] = []

    def decompress(data: bytes) -> bytes:
        read.append(data)
        return zlib.decompress(data)

    monkeypatch.setattr("clientgen._apiextensions.custom_versions.decompress", decompress)
    cluster = FakeCluster()
    for kind in ("Cup", "Mug", "Jug"):
        cluster.add(custom_definition("shop.example", kind))
    agent = (("accept", "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io"),)
    answer = cluster.server.handle(HttpRequest("GET", "/apis", agent, None))
    assert isinstance(answer, Response)
    assert b'"mugs"' in answer.body
    path = "/apis/shop.example/v1/namespaces/default/cups"
    cluster.server.handle(HttpRequest("GET", path, (), None))
    assert read == []
    cup = {"apiVersion": "shop.example/v1", "kind": "Cup", "metadata": {"name": "a"}}
    body = json.dumps(cup).encode()
    headers = (("content-type", "application/json"),)
    answer = cluster.server.handle(HttpRequest("POST", path, headers, body))
    assert isinstance(answer, Response)
    assert (answer.status, len(read)) == (201, 1)
