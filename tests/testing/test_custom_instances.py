"""Instances of custom resources: pruned, defaulted and validated as a real server does."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from clientgen import _apiextensions
from clientgen._apimachinery.failures import Failure
from clientgen._openapi.resolved import Schemas
from clientgen.testing._apiserver.served_spec import load

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
SCHEMAS: Schemas = load().schemas


def members(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def version(spec: dict[str, Any], **more: Any) -> _apiextensions.CustomVersion:
    schema = {"type": "object", "properties": {"spec": spec, "status": members(ready=NUMBER)}}
    crd = {
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    **more,
                }
            ],
        }
    }
    _apiextensions.default_definition(crd)
    return _apiextensions.read(crd, SCHEMAS).versions[0]


def widget(spec: Any, **more: Any) -> dict[str, Any]:
    named = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}
    return {**named, "spec": spec, **more}


def wrong(spec: dict[str, Any], value: Any, old: Any = None) -> list[tuple[str, str]]:
    custom_version = version(members(x=spec))
    before = None if old is None else widget({"x": old})
    causes = custom_version.validate(widget({"x": value}), before)
    return [(cause.reason.removeprefix("FieldValue"), cause.field) for cause in causes]


ONE_OF = {
    **members(a=TEXT, b=NUMBER),
    "oneOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"minimum": 3}}}],
}
MAP = {
    "type": "array",
    "items": {**members(k=TEXT, v=NUMBER), "required": ["k"]},
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
}
VALUES: list[tuple[dict[str, Any], Any, list[tuple[str, str]]]] = [
    (TEXT, 5, [("TypeInvalid", "spec.x")]),
    (NUMBER, 2.0, []),
    (NUMBER, 1.5, [("TypeInvalid", "spec.x"), ("Invalid", "<nil>")]),
    ({"type": "number"}, 1, []),
    (NUMBER, True, [("TypeInvalid", "spec.x")]),
    ({"type": "integer", "format": "int32"}, 3_000_000_000, [("Invalid", "<nil>")]),
    ({"type": "string", "enum": ["a"]}, "b", [("NotSupported", "spec.x")]),
    ({"type": "string", "maxLength": 2}, "abc", [("TooLong", "spec.x")]),
    ({"type": "string", "minLength": 2}, "é", [("Invalid", "spec.x")]),
    ({"type": "string", "pattern": r"^\pL+$"}, "é", []),
    ({"type": "string", "pattern": "^[a-z]+$"}, "A", [("Invalid", "spec.x")]),
    ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, 1, [("Invalid", "spec.x")]),
    ({"type": "integer", "maximum": 1.5}, 1, [("Invalid", "<nil>")]),
    ({"type": "number", "multipleOf": 0.5}, 1.5, []),
    ({"type": "integer", "multipleOf": 3}, 4, [("Invalid", "spec.x")]),
    ({"type": "array", "items": TEXT, "maxItems": 1}, ["a", "b"], [("TooMany", "spec.x")]),
    ({"type": "array", "items": TEXT, "minItems": 1}, [], [("Invalid", "spec.x")]),
    ({"type": "array", "items": TEXT}, ["a", 5], [("TypeInvalid", "spec.x[1]")]),
    ({"type": "object", "additionalProperties": NUMBER}, {"k": "v"}, [("TypeInvalid", "spec.x.k")]),
    ({**members(a=TEXT), "required": ["a"]}, {}, [("Required", "spec.x.a")]),
    ({"x-kubernetes-int-or-string": True}, "80%", []),
    ({"x-kubernetes-int-or-string": True}, True, [("TypeInvalid", "spec.x")]),
    ({"type": "string", "nullable": True}, None, []),
    (ONE_OF, {"a": "1"}, []),
    (ONE_OF, {"a": "1", "b": 5}, [("Invalid", "<nil>")]),
    (ONE_OF, {"b": 1}, [("Invalid", "<nil>"), ("Invalid", "spec.x.b")]),
    (ONE_OF, {}, [("Invalid", "<nil>"), ("Required", "spec.x.a")]),
    ({"type": "string", "not": {"enum": ["bad"]}}, "bad", [("Invalid", "<nil>")]),
    ({"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}, ["a", "b", "a", "a"],
     [("Duplicate", "spec.x[2]")]),
    (MAP, [{"k": "a"}, {"k": "b"}, {"k": "a"}], [("Duplicate", "spec.x[2]")]),
    (MAP, [{"v": 1}], [("Required", "spec.x[0].k")]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected"), VALUES)
def test_validation_errors_match_the_server(
    schema: dict[str, Any], value: Any, expected: list[tuple[str, str]]
) -> None:
    assert wrong(schema, value) == expected


FORMATS = [
    ("date-time", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00"),
    ("date", "2020-02-29", "2021-02-29"),
    ("duration", "1h30m", "soon"),
    ("duration", "3 days", "3 moons"),
    ("byte", "YWI=", "YWI"),
    ("ipv4", "01.2.3.4", "1.2.3"),
    ("ipv6", "::1", "1.2.3.4"),
    ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
    ("uri", "urn:a:b", "no scheme"),
    ("email", "A B <a@b.c>", "a@"),
    ("hostname", "a-b.com", "-a"),
    ("mac", "01:23:45:67:89:ab", "01:23"),
    ("isbn", "978-0321751041", "978-0321751042"),
    ("creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"),
    ("ssn", "111-22-3333", "111223333"),
    ("rgbcolor", "rgb(1, 2, 3)", "rgb(1, 2, 256)"),
    ("k8s-short-name", "a-b", "a.b"),
    ("k8s-long-name", "a.b", "A.b"),
]


@pytest.mark.parametrize(("name", "good", "bad"), FORMATS)
def test_formats_are_those_the_server_knows(name: str, good: str, bad: str) -> None:
    schema = {"type": "string", "format": name}
    assert wrong(schema, good) == []
    assert wrong(schema, bad) == [("TypeInvalid", "spec.x")]


def test_unknown_formats_are_ignored() -> None:
    assert wrong({"type": "string", "format": "quantity"}, "1Zi") == []


def test_a_list_passes_for_a_date_as_it_does_on_a_real_server() -> None:
    assert wrong({"type": "string", "format": "date"}, []) == []


# ------------------------------------------------------------------------------------ pruning


def test_unknown_fields_go_and_are_named() -> None:
    free = {**members(t=members(a=TEXT)), "x-kubernetes-preserve-unknown-fields": True}
    served = version(members(a=TEXT, items={"type": "array", "items": members(a=TEXT)}, free=free))
    obj = widget(
        {"a": "1", "b": 2, "items": [{"z": 1}], "free": {"t": {"z": 1}, "u": {"v": 1}}}, extra=1
    )
    assert served.prune(obj) == ["extra", "spec.b", "spec.free.t.z", "spec.items[0].z"]
    assert obj == widget({"a": "1", "items": [{}], "free": {"t": {}, "u": {"v": 1}}})


EMBEDDED = {
    "type": "object",
    "x-kubernetes-embedded-resource": True,
    "x-kubernetes-preserve-unknown-fields": True,
}


def test_metadata_of_embedded_objects_is_read_like_any_other() -> None:
    custom_version = version(members(pod=EMBEDDED))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "bogus": 1}, "spec": {}}
    obj = widget({"pod": pod})
    assert custom_version.prune(obj) == ["spec.pod.metadata.bogus"]
    assert obj["spec"]["pod"]["metadata"] == {"name": "p"}


def test_metadata_of_the_wrong_type_cannot_be_read() -> None:
    custom_version = version(members(pod=EMBEDDED))
    with pytest.raises(Failure, match=r"spec\.pod\.metadata") as caught:
        custom_version.prune(widget({"pod": {"metadata": {"labels": {"a": 5}}}}))
    assert caught.value.code == 400


def test_embedded_objects_need_a_kind() -> None:
    assert wrong(EMBEDDED, {"metadata": {"labels": {"a b": "c"}}}) == [
        ("Required", "spec.x.apiVersion"),
        ("Required", "spec.x.kind"),
        ("Invalid", "spec.x.metadata.labels"),
    ]


# --------------------------------------------------------------------------------- defaulting


def test_defaults_fill_what_is_absent_or_null() -> None:
    inner = members(a={"type": "string", "default": "x"})
    custom_version = version(
        members(
            a={"type": "string", "default": "d"},
            b={"type": "string", "default": "d", "nullable": True},
            c=TEXT,
            made={**inner, "default": {}},
            absent=inner,
            items={"type": "array", "items": inner},
            map={"type": "object", "additionalProperties": inner},
        )
    )
    obj = widget({"a": None, "b": None, "c": None, "items": [{}], "map": {"k": {}}})
    custom_version.default(obj)
    assert obj["spec"] == {
        "a": "d",
        "b": None,
        "made": {"a": "x"},
        "items": [{"a": "x"}],
        "map": {"k": {"a": "x"}},
    }


def test_objects_do_not_share_defaults() -> None:
    custom_version = version(members(list={"type": "array", "items": TEXT, "default": ["a"]}))
    first, second = widget({}), widget({})
    custom_version.default(first)
    first["spec"]["list"].append("b")
    custom_version.default(second)
    assert second["spec"] == {"list": ["a"]}


# ---------------------------------------------------------------------------------- ratcheting


@pytest.mark.parametrize(
    ("schema", "old", "new", "expected"),
    [
        ({"type": "string", "maxLength": 1}, "long", "long", []),
        ({"type": "string", "maxLength": 1}, "long", "longer", [("TooLong", "spec.x")]),
        ({"type": "array", "items": {"maxLength": 1, **TEXT}}, ["long"], ["long", "a"],
         [("TooLong", "spec.x[0]")]),
        ({**MAP, "items": {**members(k=TEXT, v={"minimum": 1, **NUMBER}), "required": ["k"]}},
         [{"k": "a", "v": 0}], [{"k": "b"}, {"k": "a", "v": 0}], []),
        ({"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}, ["a", "a"],
         ["b", "b"], []),
    ],
)  # fmt: skip
def test_unchanged_invalid_values_are_tolerated_in_updates(
    schema: dict[str, Any], old: Any, new: Any, expected: list[tuple[str, str]]
) -> None:
    assert wrong(schema, new, old) == expected


# --------------------------------------------------------------------------- scale, selecting

SCALED = version(
    members(replicas=NUMBER),
    subresources={
        "status": {},
        "scale": {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.ready",
            "labelSelectorPath": ".status.selector",
        },
    },
)


def test_a_scale_shows_the_replicas() -> None:
    assert SCALED.scale is not None
    assert SCALED.has_status
    obj = widget({"replicas": 3}, status={"ready": 2, "selector": "a=b"})
    scale = SCALED.scale.read(obj)
    assert scale["metadata"] == {"name": "w"}
    assert (scale["spec"], scale["status"]) == ({"replicas": 3}, {"replicas": 2, "selector": "a=b"})


def test_a_scale_needs_replicas_to_show() -> None:
    assert SCALED.scale is not None
    with pytest.raises(Failure, match=r"\.spec\.replicas") as caught:
        SCALED.scale.read(widget({}))
    assert caught.value.code == 500


def test_there_are_no_negative_replicas() -> None:
    causes = SCALED.validate(widget({"replicas": -1}), None)
    assert [(cause.reason, cause.field) for cause in causes] == [
        ("FieldValueInvalid", ".spec.replicas")
    ]


def test_only_the_status_is_checked_when_it_is_written() -> None:
    old = widget({"replicas": 1})
    causes = SCALED.validate(widget({"replicas": "x"}, status={"ready": "y"}), old, "status")
    assert ("FieldValueTypeInvalid", "status.ready") in [
        (cause.reason, cause.field) for cause in causes
    ]
    assert not [cause for cause in causes if cause.field == "spec.replicas"]


def test_selectable_fields_have_texts() -> None:
    fields = [{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.size"}, {"jsonPath": ".spec.on"}]
    custom_version = version(
        members(color=TEXT, size=NUMBER, on={"type": "boolean"}), selectableFields=fields
    )
    assert list(custom_version.selectable_fields) == ["spec.color", "spec.size", "spec.on"]
    values = custom_version.field_values(widget({"size": 3, "on": True}))
    assert values == {"spec.color": "", "spec.size": "3", "spec.on": "true"}


def test_validating_changes_nothing() -> None:
    custom_version = version(members(x=MAP))
    obj = widget({"x": [{"k": "a"}]})
    before = deepcopy(obj)
    assert custom_version.validate(obj, deepcopy(obj)) == []
    assert obj == before


def test_the_schema_has_the_metadata_of_all_objects() -> None:
    custom_version = version(members(x=EMBEDDED))
    assert "labels" in custom_version.schema.properties["metadata"].properties
    embedded = custom_version.schema.properties["spec"].properties["x"]
    assert "annotations" in embedded.properties["metadata"].properties


def test_odd_finalizers_are_warned_of_when_they_are_new() -> None:
    custom_version = version(members())
    old = widget({})
    new = widget({})
    new["metadata"] = {"name": "w", "finalizers": ["plain", "a.b", "example.com/good", "orphan"]}
    warnings = custom_version.warnings(new, old)
    assert [each.split('"')[1] for each in warnings] == ["a.b", "plain"]
    assert "including a path (/)" in warnings[0]
    assert custom_version.warnings(new, new) == []
