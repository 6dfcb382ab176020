"""managedFields after writes, and server-side apply: who owns, who loses, who conflicts."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import try_examples

from clientgen._apimachinery.failures import Failure
from clientgen._gvk import GroupVersionKind
from clientgen._openapi.resolved import Schemas
from clientgen.testing._apiserver.apply import (
    SchemaOf,
    Writer,
    applied,
    same_but_times,
    updated,
)
from clientgen.testing._apiserver.kinds.catalog import strategy_of
from clientgen.testing._apiserver.kinds.custom_strategy import CustomStrategy
from clientgen.testing._apiserver.served_resources import Resource, Subresource

if TYPE_CHECKING:
    from clientgen._openapi.resolved import Schema

NOW = datetime(2026, 11, 21, 12, 0, 0, 999, tzinfo=UTC)
SPEC = Path(__file__).parents[2] / "specs/kubernetes/swagger.json"
GROUP = "things.example.com"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@cache
def built_in() -> Schemas:
    return Schemas(json.loads(SPEC.read_bytes())["definitions"])


def kind(name: str, api_version: str = "v1") -> SchemaOf:
    """The schemas of a built-in kind that has one version."""
    schema = built_in().named(f"io.k8s.api.{name}")
    return lambda version: schema if version == api_version else None


def custom(spec: dict[str, Any], *, versions: tuple[str, ...] = ("v1",)) -> SchemaOf:
    """The schemas of a custom kind whose spec is this in all versions."""
    status = {"x-kubernetes-preserve-unknown-fields": True}
    members = {"spec": {"type": "object", "properties": spec}, "status": status}
    raw = {"type": "object", "properties": members}
    schema = Schemas({}).of(raw)
    known: dict[str, Schema] = {f"{GROUP}/{version}": schema for version in versions}
    return known.get


class Stored:
    """An object, and writes to it one second after the other."""

    def __init__(
        self,
        schema_of: SchemaOf,
        api_version: str = "v1",
        kind: str = "ConfigMap",
        ignored: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        self.schema_of = schema_of
        self.about = {"apiVersion": api_version, "kind": kind}
        self.ignored = ignored
        self.value: dict[str, Any] | None = None
        self.now = NOW

    def writer(self, manager: str, subresource: str) -> Writer:
        self.now += timedelta(seconds=1)
        return Writer(manager, self.about["apiVersion"], subresource, self.now)

    def update(self, manager: str, subresource: str = "", **parts: Any) -> dict[str, Any]:
        new: dict[str, Any] = deepcopy({**self.about, "metadata": {"name": "a"}, **parts})
        updated(self.value, new, self.writer(manager, subresource), self.schema_of, self.ignored)
        self.value = {**new, "metadata": {**new["metadata"], "uid": "u"}}
        return self.value

    def apply(
        self, manager: str, subresource: str = "", *, force: bool = False, **parts: Any
    ) -> dict[str, Any]:
        config = deepcopy({**self.about, "metadata": {"name": "a"}, **parts})
        before = deepcopy((self.value, config))
        writer = self.writer(manager, subresource)
        value = applied(
            self.value, config, writer, self.schema_of, force=force, ignored=self.ignored
        )
        assert (self.value, config) == before
        if self.value is None or not same_but_times(self.value, value):
            self.value = value
        return self.value

    def owned(self) -> dict[str, Any]:
        """Fields by `name/Operation`, with version and subresource where they matter."""
        assert self.value is not None
        owned_fields: dict[str, Any] = {}
        for entry in self.value["metadata"].get("managedFields", []):
            assert entry["fieldsType"] == "FieldsV1"
            parts = [entry["manager"], entry["operation"], entry.get("subresource")]
            if entry["apiVersion"] != self.about["apiVersion"]:
                parts.append(entry["apiVersion"])
            owned_fields["/".join(part for part in parts if part)] = entry["fieldsV1"]
        return owned_fields

    def times(self) -> dict[str, str | None]:
        assert self.value is not None
        entries = self.value["metadata"]["managedFields"]
        return {entry["manager"]: entry.get("time") for entry in entries}


@pytest.fixture
def settings_map() -> Stored:
    return Stored(kind("core.v1.ConfigMap"))


# ------------------------------------------------------------------------------ updates


def test_the_creator_of_an_object_owns_its_fields(settings_map: Stored) -> None:
    value = settings_map.update("me", data={"a": "1"})
    assert value["metadata"]["managedFields"] == [
        {
            "manager": "me",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-11-21T12:00:01Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {".": {}, "f:a": {}}},
        }
    ]


def test_metadata_of_the_server_belongs_to_nobody(settings_map: Stored) -> None:
    metadata = {"name": "a", "namespace": "n", "uid": "u", "labels": {"x": "y"}, "generation": 1}
    settings_map.update("me", metadata=metadata)
    assert settings_map.owned() == {"me/Update": {"f:metadata": {"f:labels": {".": {}, "f:x": {}}}}}


def test_an_object_that_says_nothing_has_no_owner(settings_map: Stored) -> None:
    assert "managedFields" not in settings_map.update("me")["metadata"]


def test_updates_take_what_they_change_and_drop_what_they_remove(settings_map: Stored) -> None:
    settings_map.update("one", data={"a": "1", "b": "1", "c": "1"})
    settings_map.update("two", data={"a": "2", "b": "1", "d": "1"})
    assert settings_map.owned() == {
        "one/Update": {"f:data": {".": {}, "f:b": {}}},
        "two/Update": {"f:data": {"f:a": {}, "f:d": {}}},
    }


def test_an_update_that_changes_nothing_owns_nothing(settings_map: Stored) -> None:
    first = settings_map.update("one", data={"a": "1"})
    second = settings_map.update("two", data={"a": "1"})
    assert first["metadata"]["managedFields"] == second["metadata"]["managedFields"]


def test_managers_without_a_name_are_unknown(settings_map: Stored) -> None:
    settings_map.update("", data={"a": "1"})
    assert list(settings_map.owned()) == ["unknown/Update"]


def test_only_ten_updaters_are_told_apart(settings_map: Stored) -> None:
    data = {}
    for number in range(12):
        data[f"k{number}"] = "1"
        settings_map.update(f"m{number:02}", data=data)
    owned = settings_map.owned()
    assert len(owned) == 10
    assert owned["ancient-changes/Update"] == {
        "f:data": {".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {}}
    }
    assert settings_map.times()["ancient-changes"] == "2026-11-21T12:00:03Z"


def test_appliers_are_never_folded_together(settings_map: Stored) -> None:
    for number in range(12):
        settings_map.apply(f"m{number:02}", data={f"k{number}": "1"})
    assert len(settings_map.owned()) == 12


# ------------------------------------------------------- managedFields of the client's own


@pytest.mark.parametrize("entries", [[], [{}], [{"manager": ""}]])
def test_clients_may_reset_ownership(settings_map: Stored, entries: list[Any]) -> None:
    settings_map.update("one", data={"a": "1"})
    metadata = {"name": "a", "managedFields": entries}
    value = settings_map.update("two", metadata=metadata, data={"a": "2"})
    assert "managedFields" not in value["metadata"]
    assert "managedFields" not in settings_map.update("two", data={"a": "3"})["metadata"]


def test_clients_may_rewrite_ownership(settings_map: Stored) -> None:
    settings_map.update("one", data={"a": "1"})
    entry: dict[str, Any] = {
        "manager": "other",
        "operation": "Apply",
        "apiVersion": "v1",
        "time": "2020-01-01T02:00:00.5+02:00",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {"f:a": {}}},
    }
    settings_map.update("two", metadata={"name": "a", "managedFields": [entry]}, data={"a": "1"})
    assert settings_map.owned() == {"other/Apply": {"f:data": {"f:a": {}}}}
    assert settings_map.times() == {"other": "2020-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"operation": "Patch"},
        {"apiVersion": ""},
        {"fieldsType": "FieldsV2"},
        {"fieldsType": None},
        {"fieldsV1": {"data": {}}},
        {"fieldsV1": []},
        {"time": "yesterday"},
    ],
)
def test_unreadable_managed_fields_are_ignored(settings_map: Stored, wrong: dict[str, Any]) -> None:
    settings_map.update("one", data={"a": "1"})
    entry: dict[str, Any] = {
        "manager": "other",
        "operation": "Update",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {"f:a": {}}},
    }
    metadata: dict[str, Any] = {"name": "a", "managedFields": [{**entry, **wrong}]}
    settings_map.update("two", metadata=metadata, data={"a": "1"})
    assert list(settings_map.owned()) == ["one/Update"]


def test_subresources_cannot_rewrite_ownership() -> None:
    pods = Stored(kind("core.v1.Pod"), kind="Pod")
    pods.update("one", metadata={"name": "a", "labels": {"x": "y"}})
    metadata: dict[str, Any] = {"name": "a", "labels": {"x": "y"}, "managedFields": [{}]}
    pods.update("two", "status", metadata=metadata, status={"phase": "Failed"})
    assert pods.owned() == {
        "one/Update": {"f:metadata": {"f:labels": {".": {}, "f:x": {}}}},
        "two/Update/status": {"f:status": {"f:phase": {}}},
    }


# -------------------------------------------------------------------------------- apply


def test_appliers_own_what_they_apply_and_no_more(settings_map: Stored) -> None:
    value = settings_map.apply("me", data={"a": "1"})
    assert value["data"] == {"a": "1"}
    assert settings_map.owned() == {"me/Apply": {"f:data": {"f:a": {}}}}


def test_fields_no_longer_applied_are_removed(settings_map: Stored) -> None:
    settings_map.apply("me", data={"a": "1", "b": "1"})
    assert settings_map.apply("me", data={"a": "1"})["data"] == {"a": "1"}
    assert "data" not in settings_map.apply("me")
    assert settings_map.owned() == {}


def test_fields_of_others_and_unowned_fields_stay(settings_map: Stored) -> None:
    settings_map.apply("me", data={"a": "1", "b": "1"})
    settings_map.apply("you", data={"a": "1"})
    assert settings_map.value is not None
    settings_map.value["data"]["c"] = "nobody's"
    assert settings_map.apply("me", data={})["data"] == {"a": "1", "c": "nobody's"}


def test_others_values_are_conflicts(settings_map: Stored) -> None:
    settings_map.apply("one", data={"a": "1", "b": "1"})
    settings_map.update("two", data={"a": "1", "b": "2"})
    with pytest.raises(Failure) as caught:
        settings_map.apply("three", data={"a": "2", "b": "3"})
    assert caught.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": (
            'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n'
            'conflicts with "two" using v1:\n- .data.b'
        ),
        "reason": "Conflict",
        "details": {
            "causes": [
                {
                    "reason": "FieldManagerConflict",
                    "message": 'conflict with "one"',
                    "field": ".data.a",
                },
                {
                    "reason": "FieldManagerConflict",
                    "message": 'conflict with "two" using v1',
                    "field": ".data.b",
                },
            ]
        },
        "code": 409,
    }


def test_a_single_conflict_has_a_one_line_message(settings_map: Stored) -> None:
    settings_map.apply("one", data={"a": "1"})
    with pytest.raises(Failure, match=r'with 1 conflict: conflict with "one": \.data\.a$'):
        settings_map.apply("two", data={"a": "2"})


def test_the_same_value_is_shared(settings_map: Stored) -> None:
    settings_map.apply("one", data={"a": "1"})
    settings_map.apply("two", data={"a": "1"})
    assert settings_map.owned() == {
        "one/Apply": {"f:data": {"f:a": {}}},
        "two/Apply": {"f:data": {"f:a": {}}},
    }
    assert settings_map.times() == {"one": "2026-11-21T12:00:01Z", "two": None}


def test_force_takes_what_conflicts(settings_map: Stored) -> None:
    settings_map.apply("one", data={"a": "1", "b": "1"})
    value = settings_map.apply("two", force=True, data={"a": "2"})
    assert value["data"] == {"a": "2", "b": "1"}
    assert settings_map.owned() == {
        "one/Apply": {"f:data": {"f:b": {}}},
        "two/Apply": {"f:data": {"f:a": {}}},
    }


def test_applying_again_changes_nothing_not_even_times(settings_map: Stored) -> None:
    first = settings_map.apply("me", data={"a": "1"})
    assert settings_map.apply("me", data={"a": "1"}) is first


@try_examples(30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["one", "two"]),
            st.dictionaries(st.sampled_from("abc"), st.sampled_from("12")),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_any_apply_is_idempotent(applies: list[tuple[str, dict[str, str]]]) -> None:
    stored = Stored(kind("core.v1.ConfigMap"))
    for manager, data in applies:
        first = stored.apply(manager, force=True, data=data)
        assert first.get("data", {}).items() >= data.items()
        assert stored.apply(manager, data=data) == first


def test_fields_from_before_the_first_apply_get_an_owner(settings_map: Stored) -> None:
    settings_map.value = {
        **settings_map.about,
        "metadata": {"name": "a", "uid": "u"},
        "data": {"a": "1", "b": "1"},
    }
    with pytest.raises(Failure, match='"before-first-apply" using v1'):
        settings_map.apply("me", data={"a": "2"})
    settings_map.apply("me", data={"a": "1"})
    assert settings_map.owned() == {
        "me/Apply": {"f:data": {"f:a": {}}},
        "before-first-apply/Update": {"f:data": {".": {}, "f:a": {}, "f:b": {}}},
    }


def test_writes_that_cannot_change_a_field_cannot_own_it() -> None:
    stored = Stored(kind("core.v1.Pod"), kind="Pod", ignored=(("status",),))
    metadata = {"name": "a", "labels": {"x": "y"}}
    stored.apply("one", metadata=metadata, status={"phase": "Failed"})
    assert stored.owned() == {"one/Apply": {"f:metadata": {"f:labels": {"f:x": {}}}}}
    stored.update("two", metadata=metadata, status={"phase": "Running"})
    assert list(stored.owned()) == ["one/Apply"]


def resource(plural: str, kind: str, group: str = "", *, status: bool = True) -> Resource:
    about = GroupVersionKind(group, "v1", kind)
    parts = {"status": Subresource("status", about, ("patch",))} if status else {}
    return Resource(group, "v1", plural, kind, True, frozenset(), subresources=parts)


def test_fields_that_writes_cannot_change_are_listed_by_kind() -> None:
    assert strategy_of(resource("configmaps", "ConfigMap", status=False)).reset_fields("") == ()
    assert strategy_of(resource("services", "Service")).reset_fields("") == (("status",),)
    assert strategy_of(resource("services", "Service")).reset_fields("status") == (("spec",),)
    deployments = resource("deployments", "Deployment", "apps")
    assert strategy_of(deployments).reset_fields("status") == (("spec",), ("metadata", "labels"))
    version: Any = SimpleNamespace(name="v1", columns=[])
    definition: Any = SimpleNamespace(conversion="None")
    converter: Any = SimpleNamespace()
    kind = resource("things", "Thing", GROUP)
    things = CustomStrategy(kind, version, definition, "1", converter)
    assert things.reset_fields("status") == (("spec",), ("metadata",))


# ------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("parts", "code", "message"),
    [
        ({"apiVersion": "v2"}, 400, "invalid object type: /v2, Kind=ConfigMap"),
        ({"kind": None}, 400, "invalid object type: /v1, Kind="),
        ({"metadata": {"managedFields": []}}, 400, "metadata.managedFields must be nil"),
        (
            {"metadata": {"name": "a", "namespace": "n"}, "bogus": 1},
            500,
            (
                "failed to create typed patch object (n/a; /v1, Kind=ConfigMap): "
                ".bogus: field not declared in schema"
            ),
        ),
        (
            {"data": {"a": 1}, "immutable": "x"},
            500,
            (
                "failed to create typed patch object (/a; /v1, Kind=ConfigMap): errors:\n"
                "  .data.a: expected string, got &value.valueUnstructured{Value:1}\n"
                "  .immutable: expected boolean, got &{x}"
            ),
        ),
    ],
)
def test_invalid_apply_bodies_are_refused(
    settings_map: Stored, parts: dict[str, Any], code: int, message: str
) -> None:
    with pytest.raises(Failure) as caught:
        settings_map.apply("me", **parts)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_live_entries_that_cannot_be_read_stop_an_apply(settings_map: Stored) -> None:
    settings_map.update("me", data={"a": "1"})
    assert settings_map.value is not None
    settings_map.value["metadata"]["managedFields"] = [{"operation": "Patch"}]
    with pytest.raises(Failure, match="operation must be") as caught:
        settings_map.apply("me", data={"a": "1"})
    assert caught.value.code == 500


# -------------------------------------------------------------------------- built-in kinds


def deployment(**template: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "x", **template}
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
    return {"selector": {"matchLabels": {"a": "b"}}, "template": pod, "strategy": {"type": "R"}}


def test_parts_that_are_always_there_are_not_owned() -> None:
    stored = Stored(kind("apps.v1.Deployment", "apps/v1"), "apps/v1", "Deployment")
    stored.update("me", spec=deployment(), status={})
    assert stored.owned() == {
        "me/Update": {
            "f:spec": {
                "f:selector": {},
                "f:strategy": {"f:type": {}},
                "f:template": {
                    "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
                    "f:spec": {
                        "f:containers": {'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}}}
                    },
                },
            }
        }
    }


def test_zeros_and_nulls_that_say_nothing_are_not_owned() -> None:
    stored = Stored(kind("core.v1.Event"), kind="Event")
    nothing: Any = {
        "source": {},
        "firstTimestamp": None,
        "eventTime": None,
        "reportingComponent": "",
    }
    stored.update("me", reason="R", involvedObject={"name": "x"}, **nothing)
    assert stored.owned() == {"me/Update": {"f:involvedObject": {}, "f:reason": {}}}


def test_ports_without_a_protocol_are_tcp() -> None:
    stored = Stored(kind("core.v1.Service"), kind="Service")
    stored.apply("me", spec={"ports": [{"port": 80}, {"port": 80, "protocol": "UDP"}, {}]})
    ports = stored.owned()["me/Apply"]["f:spec"]["f:ports"]
    assert list(ports) == [
        'k:{"port":0,"protocol":"TCP"}',
        'k:{"port":80,"protocol":"TCP"}',
        'k:{"port":80,"protocol":"UDP"}',
    ]


def test_quantities_extensions_and_recursive_kinds_are_known() -> None:
    name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"
    crd = built_in().named(name)
    stored = Stored(lambda _: crd, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
    schema: Any = {"type": "object", "properties": {"a": {"type": "object", "properties": {}}}}
    version: Any = {"name": "v1", "schema": {"openAPIV3Schema": {**schema, "default": {"a": 1}}}}
    stored.apply("me", spec={"versions": [version]})
    assert stored.owned() == {"me/Apply": {"f:spec": {"f:versions": {}}}}
    quota = Stored(kind("core.v1.ResourceQuota"), kind="ResourceQuota")
    quota.apply("me", spec={"hard": {"cpu": 1, "memory": "1Gi"}})
    revision = Stored(
        kind("apps.v1.ControllerRevision", "apps/v1"), "apps/v1", "ControllerRevision"
    )
    revision.apply("me", data={"any": [{"thing": 1}]}, revision=1)
    assert revision.owned() == {"me/Apply": {"f:data": {}, "f:revision": {}}}


def test_doubled_items_may_be_updated_but_not_applied() -> None:
    stored = Stored(kind("apps.v1.Deployment", "apps/v1"), "apps/v1", "Deployment")
    twice = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    stored.update("one", spec=deployment(env=twice))
    with pytest.raises(Failure, match=r'duplicate entries for key \[name="A"\]'):
        stored.apply("two", spec=deployment(env=twice))
    value = stored.apply("two", force=True, spec=deployment(env=twice[:1]))
    assert value["spec"]["template"]["spec"]["containers"][0]["env"] == twice[:1]


# ------------------------------------------------------------------------------- custom


TEXT = {"type": "string"}


def test_versions_are_told_apart_for_updates_only() -> None:
    stored = Stored(custom({"a": TEXT, "b": TEXT}, versions=("v1", "v2")), f"{GROUP}/v1", "Thing")
    stored.apply("me", spec={"a": "1"})
    stored.update("me", spec={"a": "1", "b": "1"})
    stored.about["apiVersion"] = f"{GROUP}/v2"
    stored.update("me", spec={"a": "1", "b": "2"})
    stored.apply("me", spec={"a": "2"})
    assert stored.owned() == {
        "me/Apply": {"f:spec": {"f:a": {}}},
        "me/Update": {"f:spec": {"f:b": {}}},
    }
    stored.about["apiVersion"] = f"{GROUP}/v1"
    with pytest.raises(Failure, match=rf'"me" using {GROUP}/v2: \.spec\.b'):
        stored.apply("you", spec={"b": "3"})


def test_custom_status_is_ignored_in_the_version_of_the_write_only() -> None:
    schema_of = custom({"a": TEXT}, versions=("v1", "v2"))
    stored = Stored(schema_of, f"{GROUP}/v1", "Thing")
    stored.update("me", "status", spec={"a": "1"}, status={"b": "1"})
    stored.ignored = (("status",),)
    stored.update("you", spec={"a": "1"})
    assert list(stored.owned()) == ["me/Update/status"]
    assert stored.value is not None
    stored.value["status"] = {"b": "1"}
    stored.about["apiVersion"] = f"{GROUP}/v2"
    stored.update("you", spec={"a": "1"})
    assert list(stored.owned().values()) == [{"f:spec": {".": {}, "f:a": {}}}]


def test_custom_ownership_in_a_version_that_is_gone_is_lost_as_a_whole() -> None:
    stored = Stored(custom({"a": TEXT}, versions=("v1", "v2")), f"{GROUP}/v2", "Thing")
    stored.apply("me", spec={"a": "1"})
    stored.schema_of = custom({"a": TEXT})
    stored.about["apiVersion"] = f"{GROUP}/v1"
    with pytest.raises(Failure, match=f"invalid group/version: {GROUP}/v2") as caught:
        stored.apply("you", spec={"a": "1"})
    assert caught.value.code == 500
    assert "managedFields" not in stored.update("you", spec={"a": "2"})["metadata"]


def test_built_in_ownership_in_a_version_that_is_gone_is_dropped(settings_map: Stored) -> None:
    settings_map.apply("me", data={"a": "1"})
    assert settings_map.value is not None
    settings_map.value["metadata"]["managedFields"][0]["apiVersion"] = "v0"
    settings_map.update("you", data={"a": "1", "b": "1"})
    assert settings_map.owned() == {"you/Update": {"f:data": {"f:b": {}}}}


def test_live_objects_that_are_not_of_their_type_lose_their_owners() -> None:
    stored = Stored(custom({"a": {"x-kubernetes-preserve-unknown-fields": True}}), f"{GROUP}/v1")
    stored.update("me", spec={"a": 1})
    stored.schema_of = custom({"a": TEXT})
    assert "managedFields" not in stored.update("me", spec={"a": "1"})["metadata"]
    stored.value = {**stored.about, "metadata": {"name": "a"}, "spec": {"a": 1}}
    with pytest.raises(Failure, match="failed to create typed live object"):
        stored.apply("me", spec={"a": "1"})


def test_a_list_that_becomes_atomic_is_owned_as_a_whole() -> None:
    struct = {"type": "object", "properties": {"x": TEXT, "y": TEXT}}
    listed = {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}
    nested: Any = {"type": "object", "additionalProperties": {"type": "object", "properties": {}}}
    stored = Stored(custom({"s": struct, "l": listed, "n": nested}), f"{GROUP}/v1", "Thing")
    stored.apply("me", spec={"s": {"x": "1"}, "l": ["a"], "n": {"k": {}}})
    atomic = {**struct, "x-kubernetes-map-type": "atomic"}
    whole = {**listed, "x-kubernetes-list-type": "atomic"}
    stored.schema_of = custom({"s": atomic, "l": whole, "n": nested})
    spec: Any = {"s": {"x": "1"}, "l": ["a"], "n": {"k": {}, "o": {}}}
    stored.update("you", spec=spec)
    assert stored.owned() == {
        "me/Apply": {"f:spec": {"f:s": {}, "f:l": {}, "f:n": {"f:k": {}}}},
        "you/Update": {"f:spec": {"f:n": {"f:o": {}}}},
    }


def test_kinds_that_nobody_declared_are_owned_by_field() -> None:
    stored = Stored(lambda _: None, f"{GROUP}/v1", "Thing")
    stored.apply("me", spec={"a": {"b": [1]}})
    stored.apply("you", spec={"a": {"c": 1}})
    assert stored.value is not None
    assert stored.value["spec"] == {"a": {"b": [1], "c": 1}}


def test_lists_of_items_are_owned_item_by_item() -> None:
    item = {"type": "object", "properties": {"id": TEXT, "v": TEXT}}
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]}
    stored = Stored(custom({"l": {"type": "array", "items": item, **keyed}}), f"{GROUP}/v1")
    stored.apply("one", spec={"l": [{"id": "a", "v": "1"}, {"id": "b", "v": "1"}]})
    stored.apply("two", spec={"l": [{"id": "b", "v": "1"}, {"id": "c"}]})
    with pytest.raises(Failure, match=r'\.spec\.l\[id="a"\]\.v'):
        stored.apply("two", spec={"l": [{"id": "a", "v": "2"}]})
    assert stored.apply("one", spec={"l": []})["spec"]["l"] == [{"id": "b", "v": "1"}, {"id": "c"}]


# -------------------------------------------------------------------------------- kubectl


def last_applied(data: dict[str, str], version: str = "v1") -> dict[str, Any]:
    config = {"apiVersion": version, "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}
    return {"name": "a", "annotations": {LAST_APPLIED: json.dumps(config)}}


def test_kubectl_takes_over_what_it_applied_client_side(settings_map: Stored) -> None:
    settings_map.update("client-side", metadata=last_applied({"a": "1"}), data={"a": "1", "b": "1"})
    with pytest.raises(Failure, match="conflict with"):
        settings_map.apply("someone", data={"a": "2"})
    with pytest.raises(Failure, match=r"with 1 conflict: .*\.data\.b$"):
        settings_map.apply("kubectl", data={"a": "2", "b": "2"})
    value = settings_map.apply("kubectl", data={"a": "2"})
    assert value["data"] == {"a": "2", "b": "1"}
    text = value["metadata"]["annotations"][LAST_APPLIED]
    assert text == (
        '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n'
    )


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "a"},
        {"name": "a", "annotations": {LAST_APPLIED: "{"}},
        last_applied({"a": "0"}),
        last_applied({"a": "1"}, "v0"),
        last_applied({"a": 1}),  # type: ignore[dict-item]
    ],
)
def test_kubectl_does_not_take_over_the_rest(
    settings_map: Stored, metadata: dict[str, Any]
) -> None:
    settings_map.update("client-side", metadata=metadata, data={"a": "1"})
    with pytest.raises(Failure, match="conflict with"):
        settings_map.apply("kubectl", data={"a": "2"})


def test_the_annotation_itself_is_not_kept_in_it(settings_map: Stored) -> None:
    metadata = last_applied({"a": "1"})
    settings_map.update("client-side", metadata=metadata, data={"a": "1"})
    value = settings_map.apply("kubectl", metadata=metadata, data={"a": "1"})
    text = value["metadata"]["annotations"][LAST_APPLIED]
    assert json.loads(text)["metadata"] == {"name": "a", "annotations": {}}
