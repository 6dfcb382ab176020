"""Who owns the replicas, told in terms of the object and in terms of its Scale."""

from __future__ import annotations

from typing import Any

from clientgen.testing._apiserver.apply import for_scale, from_scale, replicas_path

PATHS = {"apps/v1": replicas_path(".spec.replicas"), "apps/v2": None}


def entry(manager: str, fields: Any, *, operation: str = "Apply", **more: str) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": more.pop("version", "apps/v1"),
        **({"time": "2026-01-01T00:00:00Z"} if more.pop("timed", "yes") == "yes" else {}),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        **more,
    }


REPLICAS: Any = {"f:spec": {"f:replicas": {}}}
PAUSED: Any = {"f:spec": {"f:paused": {}}}
BOTH: Any = {"f:spec": {"f:paused": {}, "f:replicas": {}}}


def test_a_scale_shows_who_owns_the_replicas() -> None:
    entries = [
        entry("one", BOTH),
        entry("two", PAUSED),
        entry("three", REPLICAS, operation="Update", subresource="scale"),
        entry("four", REPLICAS, version="apps/v2"),
        entry("five", REPLICAS, version="apps/v3"),
    ]
    assert for_scale(entries, PATHS) == [
        entry("one", REPLICAS, version="autoscaling/v1"),
        entry("three", REPLICAS, operation="Update", version="autoscaling/v1", subresource="scale"),
    ]
    assert for_scale(None, PATHS) == []


def test_replicas_may_be_anywhere_in_the_object() -> None:
    paths = {"x/v1": replicas_path(".spec.pool.size")}
    parent = [entry("one", {"f:spec": {"f:pool": {"f:size": {}}}}, version="x/v1")]
    scale = for_scale(parent, paths)
    assert scale == [entry("one", REPLICAS, version="autoscaling/v1")]
    assert from_scale(parent, scale, "x/v1", paths) == parent


def test_fields_taken_by_scale_are_lost_by_the_object() -> None:
    parent = [entry("one", BOTH), entry("two", REPLICAS), entry("three", PAUSED)]
    scale = [entry("hpa", REPLICAS, operation="Update", version="autoscaling/v1")]
    assert from_scale(parent, scale, "apps/v1", PATHS) == [
        entry("one", PAUSED),
        entry("three", PAUSED),
        entry("hpa", REPLICAS, operation="Update", timed="no"),
    ]


def test_appliers_that_keep_the_replicas_keep_their_entry() -> None:
    parent = [entry("one", BOTH)]
    scale = [
        entry("one", REPLICAS, version="autoscaling/v1"),
        entry("two", REPLICAS, version="autoscaling/v1", subresource="scale"),
    ]
    assert from_scale(parent, scale, "apps/v1", PATHS) == [
        entry("two", REPLICAS, subresource="scale", timed="no"),
        entry("one", BOTH),
    ]


def test_entries_of_unknown_versions_go() -> None:
    parent = [entry("one", BOTH, version="apps/v3"), entry("two", BOTH, version="apps/v2")]
    assert from_scale(parent, [], "apps/v1", PATHS) == [entry("two", BOTH, version="apps/v2")]


def test_other_fields_of_scale_are_not_added_to_the_object() -> None:
    scale = [entry("one", PAUSED, version="autoscaling/v1")]
    assert from_scale([], scale, "apps/v1", PATHS) == []
