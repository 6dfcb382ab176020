"""`CustomResource`: what its classes declare, and that they are models like all others."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from clientgen._gvk import GroupVersionKind
from clientgen.runtime import Scheme
from clientgen.runtime.models import (
    CustomResource,
    Literal,
    Model,
    ModelList,
    ObjectMeta,
    Quantity,
    auto,
    constant,
    decode,
    deep_copy,
    encode,
    from_dict,
    to_dict,
    unknown_fields,
)


class Window(Model):
    begin: str


class TabSpec(Model):
    schedule: str
    window: Window
    memory: Quantity | None = None


class TabStatus(Model):
    active: int = 0


class Tab(CustomResource, group="example.com", version="v1"):
    """A kind."""

    spec: TabSpec
    status: TabStatus = auto(TabStatus)


class TabList(ModelList[Tab]):
    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["TabList"] = constant("TabList")


class Holder(Model):
    """An object with a kind inside."""

    template: Tab


class _Shared(CustomResource, group="shared.example.com", version="v1alpha1"):
    """The group version of several kinds."""

    paused: bool = False


class Renamed(_Shared, kind="Other"):
    """A kind with another name than its class."""


class Newer(Tab, version="v2", sensitive=("token",)):
    """A kind derived from one."""

    token: str = ""


def tab(**values: Any) -> Tab:
    spec = TabSpec(schedule="daily", window=Window(begin="3:00"))
    return Tab(metadata=ObjectMeta(name="a", namespace="x"), spec=spec, **values)


SENT = {
    "apiVersion": "example.com/v1",
    "kind": "Tab",
    "metadata": {"name": "a", "namespace": "x"},
    "spec": {"schedule": "daily", "window": {"begin": "3:00"}},
}
OLD = {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "old"}}


def test_the_class_statement_says_the_api_version_and_the_kind():
    assert json.loads(encode(tab())) == SENT
    assert list(to_dict(tab())) == ["apiVersion", "kind", "metadata", "spec"]
    assert (tab().api_version, tab().kind) == ("example.com/v1", "Tab")


def test_an_explicit_class_says_the_same():
    class Explicit(Model):
        api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
        kind: Literal["Tab"] = constant("Tab")
        metadata: ObjectMeta = auto(ObjectMeta)
        spec: TabSpec
        status: TabStatus = auto(TabStatus)

    explicit = Explicit(metadata=tab().metadata, spec=tab().spec)
    assert encode(explicit) == encode(tab())
    assert Explicit.__struct_fields__ == Tab.__struct_fields__
    assert Explicit.__struct_encode_fields__ == Tab.__struct_encode_fields__


@pytest.mark.parametrize(
    ("made", "api_version", "kind"),
    [
        (Renamed(), "shared.example.com/v1alpha1", "Other"),
        (Newer(spec=tab().spec), "example.com/v2", "Newer"),
    ],
)
def test_a_class_has_the_group_and_version_of_its_base(
    made: CustomResource, api_version: str, kind: str
):
    assert (made.api_version, made.kind) == (api_version, kind)
    sent = json.loads(encode(made))
    assert (sent["apiVersion"], sent["kind"]) == (api_version, kind)


def test_a_field_without_a_default_is_required():
    with pytest.raises(TypeError, match=r"^Tab needs 'spec'$"):
        Tab(metadata=ObjectMeta(name="a"))  # type: ignore[call-arg]


def test_a_base_class_is_no_kind():
    for base in (CustomResource, _Shared):
        with pytest.raises(TypeError, match=f"{base.__name__} needs 'api_version' and 'kind'"):
            base()
        with pytest.raises(TypeError, match="has no kind"):
            Scheme().register(base)


@pytest.mark.parametrize(
    ("name", "keywords", "declared", "told"),
    [
        ("Tab", {}, {}, "the kind Tab has no group and no version: write class Tab(CustomResource"),
        ("Tab", {"group": "example.com"}, {}, "the kind Tab has no version: "),
        ("Tab", {"version": "v1"}, {}, "the kind Tab has no group: "),
        ("_Tab", {"kind": "Tab"}, {}, "_Tab begins with an underscore, so it is a base class "),
        ("Tab", {"group": "a.b", "version": "v1"}, {"kind": str}, "Tab declares its api_version"),
    ],
)
def test_a_class_that_does_not_say_its_kind_is_not_made(
    name: str, keywords: dict[str, str], declared: dict[str, type], told: str
):
    body = {"__annotations__": declared, "__module__": __name__}
    with pytest.raises(TypeError) as caught:
        type(CustomResource)(name, (CustomResource,), body, **keywords)  # type: ignore[call-overload]
    assert str(caught.value).startswith(told)


def test_an_object_inside_another_has_its_kind_if_it_was_read_or_set():
    inside = {key: value for key, value in SENT.items() if key not in {"apiVersion", "kind"}}
    assert json.loads(encode(Holder(template=tab()))) == {"template": inside}
    for template in (SENT, inside):
        read = decode(json.dumps({"template": template}).encode(), Holder)
        assert json.loads(encode(read)) == {"template": template}


def test_it_is_copied_pickled_shown_and_compared():
    original = tab(status=TabStatus(active=2))
    for copied in (
        deep_copy(original),
        copy.deepcopy(original),
        copy.copy(original),
        pickle.loads(pickle.dumps(original)),
        from_dict(Tab, to_dict(original)),
    ):
        assert type(copied) is Tab
        assert copied == original
        assert encode(copied) == encode(original)
    copied = deep_copy(original)
    copied.spec.window.begin = "4:00"
    assert original.spec.window.begin == "3:00"
    assert repr(original) == "Tab(namespace='x', name='a')"
    assert repr(Newer(token="xyz", spec=original.spec)).count("<hidden>") == 1


def test_a_pickled_kind_has_the_constants_of_its_class():
    held = pickle.loads(pickle.dumps(Holder(template=tab())))
    assert "kind" not in json.loads(encode(held))["template"]


def test_a_scheme_registers_and_reads_it():
    scheme = Scheme()
    for each in (Tab, Renamed, Newer):
        assert scheme.register(each) is each
    assert GroupVersionKind("shared.example.com", "v1alpha1", "Other") in scheme
    assert scheme.load(scheme.dump([tab(), Renamed(paused=True)])) == [tab(), Renamed(paused=True)]


def test_fields_that_are_not_known_go_back():
    sent = {**SENT, "spec": {**SENT["spec"], "colour": "blue"}, "more": [1]}
    read = decode(json.dumps(sent).encode(), Tab)
    assert isinstance(read, Tab)
    assert list(unknown_fields(read)) == ["more"]
    assert json.loads(encode(deep_copy(read))) == sent
    assert json.loads(encode(pickle.loads(pickle.dumps(read)))) == sent


class TestWithoutWhatIsRequired:
    """An object that was stored before its class required the field."""

    def test_it_is_read_and_goes_back_as_it_was(self):
        read = decode(json.dumps(OLD).encode(), Tab)
        assert isinstance(read, Tab)
        assert (read.spec.schedule, read.spec.window.begin) == ("", "")
        for each in (read, deep_copy(read), pickle.loads(pickle.dumps(read))):
            assert json.loads(encode(each)) == OLD

    def test_it_is_read_as_an_item_of_a_list(self):
        page = {"kind": "TabList", "apiVersion": "example.com/v1", "items": [OLD, SENT]}
        read = decode(json.dumps(page).encode(), TabList)
        assert [each.spec.schedule for each in read] == ["", "daily"]
        assert [json.loads(encode(each)) for each in read] == [OLD, SENT]

    def test_changes_are_sent(self):
        read = decode(json.dumps(OLD).encode(), Tab)
        read.spec.schedule, read.spec.window = "hourly", Window(begin="3:00")
        spec = {"schedule": "hourly", "window": {"begin": "3:00"}}
        assert json.loads(encode(read)) == {**OLD, "spec": spec}

    def test_fields_set_to_empty_are_sent(self):
        spec = TabSpec(schedule="", window=Window(begin=""))
        sent = json.loads(encode(Tab(metadata=ObjectMeta(name="old"), spec=spec)))
        assert sent["spec"] == {"schedule": "", "window": {"begin": ""}}

    def test_missing_inner_fields_are_not_invented(self):
        sent = {**OLD, "spec": {"schedule": "daily"}}
        read = decode(json.dumps(sent).encode(), Tab)
        assert read.spec.window.begin == ""
        assert json.loads(encode(read)) == sent
