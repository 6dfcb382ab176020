"""What a model reads as, and what it shows, before anything is sent or received."""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pydoc
import typing
from typing import Annotated, Any

import pytest
from msgspec import Meta

from clientgen.runtime._models import argument_errors, field_texts, model_codec
from clientgen.runtime._models.custom_resource import CustomResource
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model import (
    NO_RAW,
    Literal,
    Model,
    UnsetDict,
    UnsetList,
    auto,
    constant,
    field,
)
from clientgen.runtime._models.quantity import Quantity
from clientgen.runtime._models.raw_json import raw, raw_value
from tests.runtime.sample_models import (
    ConfigMap,
    Container,
    ControllerRevision,
    Deployment,
    EnvVar,
    Pod,
    PodList,
    PodSpec,
    PodStatus,
    Secret,
    SecretList,
    StatefulSetSpec,
    Toleration,
)

PRIVATE = "cHJpdmF0ZQ=="


def test_unset_fields_read_as_empty() -> None:
    pod = Pod()
    assert pod.metadata.name == ""
    assert pod.metadata.labels == {}
    assert pod.spec.containers == []
    assert pod.spec.tolerations == []
    assert pod.spec.node_name is None
    assert pod.status.phase is None
    assert Deployment().spec.template.spec.containers == []


def test_unset_fields_are_not_shared_between_objects() -> None:
    one, other = Pod(), Pod()
    one.metadata.labels["app"] = "web"
    one.spec.tolerations.append(Toleration(key="a"))
    assert other == Pod()


def test_an_object_nobody_set_equals_an_empty_one() -> None:
    assert Pod() == Pod(metadata=ObjectMeta(), spec=PodSpec(containers=[]), status=PodStatus())
    assert Pod(metadata=ObjectMeta()) == Pod()
    assert Pod().metadata != ObjectMeta(name="web")
    assert ObjectMeta(name="web") != Pod().metadata
    assert isinstance(Pod().spec, PodSpec)


def test_the_repr_shows_what_is_set() -> None:
    assert repr(Toleration(key="a")) == "Toleration(key='a')"
    assert repr(ObjectMeta(name="web", labels={"a": "b"})) == (
        "ObjectMeta(name='web', labels={'a': 'b'})"
    )


def test_the_repr_of_a_kind_says_which_one_it_is() -> None:
    pod = model_codec.from_dict(
        Pod,
        {
            "metadata": {"name": "web-0", "namespace": "shop", "resourceVersion": "12"},
            "spec": {"containers": [{"name": "app"}], "nodeName": "a"},
            "status": {"phase": "Running"},
        },
    )
    shown = "Pod(namespace='shop', name='web-0', resource_version='12')"
    assert repr(pod) == str(pod) == shown
    assert repr([pod, {"a": pod}]) == f"[{shown}, {{'a': {shown}}}]"
    assert repr(Pod(metadata=ObjectMeta(generate_name="web-"))) == "Pod(generate_name='web-')"
    assert repr(Pod()) == "Pod()"
    unnamed = Pod(spec=PodSpec(containers=[Container(name="app")]))
    assert repr(unnamed) == "Pod(spec=PodSpec(containers=[Container(name='app')]))"
    assert repr(ConfigMap(metadata=ObjectMeta(name="a"), data={"k": "v"})) == (
        "ConfigMap(name='a', data={'k': 'v'})"
    )


def test_the_repr_is_short_whatever_is_inside() -> None:
    pods = [Pod(metadata=ObjectMeta(name=f"web-{number}")) for number in range(9)]
    listed = PodList(items=pods)
    first = "Pod(name='web-0'), Pod(name='web-1'), Pod(name='web-2')"
    assert repr(listed) == f"PodList(items=[{first}, …+6])"
    long = Container(name="a", image="x" * 5_000, args=["y" * 50] * 90, env=[EnvVar(name="z")] * 9)
    for obj in (long, PodSpec(containers=[long] * 50), Pod(spec=PodSpec(containers=[long] * 50))):
        assert len(repr(obj)) <= 400
        assert "\n" not in repr(obj)
    assert "image='xxx" in repr(long)
    assert "…+87" in repr(Container(name="a", args=["y"] * 90))
    deep = model_codec.from_dict(Deployment, {"spec": {"template": {"spec": {"containers": [{}]}}}})
    assert repr(deep).endswith("spec=PodSpec(…))))")


def test_the_repr_shows_what_was_read_empty_and_what_is_unknown() -> None:
    sent = {"containers": [], "tolerations": [], "new": {"a": "b"}}
    assert repr(model_codec.from_dict(PodSpec, sent)) == (
        "PodSpec(containers=[], tolerations=[], new=<9 bytes of JSON>)"
    )


def _secret(**more: object) -> Secret:
    content = {"data": {"key": PRIVATE}, "stringData": {"other": "private"}, **more}
    return model_codec.from_dict(Secret, content)


def _shown(obj: object) -> str:
    rich: Any = getattr(obj, "__rich_repr__", list)()
    return f"{obj!r} {obj} {list(rich)!r}"


def test_sensitive_values_are_not_shown() -> None:
    secret = _secret(metadata={"name": "token"}, type="Opaque")
    assert "private" not in _shown(secret)
    assert PRIVATE not in _shown(secret)
    assert "data=<hidden>" in repr(secret)
    assert "name='token'" in repr(secret)
    assert "type='Opaque'" in repr(secret)
    assert "private" not in _shown(SecretList(items=[secret]))
    assert "private" not in _shown({"secret": secret})


def test_empty_sensitive_fields_are_not_shown_as_hidden() -> None:
    assert "hidden" not in repr(Secret())


def test_sensitive_fields_that_are_required_are_hidden_too() -> None:
    class Review(Model, sensitive=("token",)):
        token: str
        audience: str | None = None

    assert repr(Review(token="private", audience="me")) == "Review(token=<hidden>, audience='me')"


def test_unknown_fields_of_a_sensitive_model_are_hidden_like_their_neighbours() -> None:
    secret = _secret(newData={"key": "newer private"})
    assert type(secret) is not Secret
    assert "private" not in _shown(secret)
    assert "newData=<hidden>" in repr(secret)


def test_the_manifest_kubectl_keeps_in_an_annotation_is_not_shown() -> None:
    last_applied = "kubectl.kubernetes.io/last-applied-configuration"
    secret = _secret(metadata={"annotations": {last_applied: "private", "team": "web"}})
    assert "private" not in _shown(secret)
    assert "'team': 'web'" in repr(secret.metadata)
    assert "private" not in _shown(secret.metadata)
    assert "private" not in _shown(model_codec.from_dict(Pod, model_codec.to_dict(secret)))
    assert secret.metadata.annotations[last_applied] == "private"


def test_a_malformed_sensitive_value_is_not_shown() -> None:
    secret = model_codec.from_dict(Secret, {"data": "not a map, but private"})
    assert "private" not in _shown(secret)
    assert model_codec.to_dict(secret)["data"] == "not a map, but private"


def test_a_list_is_iterable_and_has_a_length() -> None:
    pods = PodList(items=[Pod(metadata=ObjectMeta(name="a")), Pod()])
    assert [pod.metadata.name for pod in pods] == ["a", ""]
    assert len(pods) == 2
    assert not PodList()


def test_a_list_without_items_says_so_on_the_wire() -> None:
    assert model_codec.to_dict(PodList()) == {"apiVersion": "v1", "kind": "PodList", "items": []}


def test_raw_json_is_made_of_any_value_and_read_back() -> None:
    assert bytes(raw({"a": [1, None]})) == b'{"a":[1,null]}'
    assert raw_value(raw(Pod())) == {"apiVersion": "v1", "kind": "Pod"}
    assert raw_value(NO_RAW) is None
    assert raw_value(ControllerRevision(revision=1).data) is None


@pytest.mark.parametrize(
    "sent",
    [
        {"metadata": {"name": "web"}},
        {"metadata": {"name": "web"}, "status": {}},
        {"spec": {"containers": [], "newField": [1], "node_name": 2, "unknown_0": 3, "x-y": {}}},
    ],
)
def test_objects_survive_pickling_and_copying(sent: dict[str, object]) -> None:
    pod = model_codec.from_dict(Pod, sent)
    for twin in (pickle.loads(pickle.dumps(pod)), copy.deepcopy(pod), model_codec.deep_copy(pod)):
        assert twin == pod
        assert model_codec.encode(twin) == model_codec.encode(pod)
        twin.metadata.name = "other"
        assert pod.metadata.name == model_codec.from_dict(Pod, sent).metadata.name


# ---- empty lists and maps -----------------------------------------------------------------------


class Rule(Model):
    """Lists and maps in every way a class may declare them."""

    names: list[str]
    plain: list[str] = field(default_factory=list)
    mapping: dict[str, str] = field(default_factory=dict)
    literal: list[int] = []  # noqa: RUF012 - msgspec makes a factory of it
    limited: Annotated[list[str], Meta(max_length=3)] = field(default_factory=list)
    filled: Annotated[list[str], Meta(min_length=1)] = field(default_factory=list)
    perhaps: list[str] | None = None
    matches: list[str] = field(default_factory=UnsetList)
    options: dict[str, str] = field(default_factory=UnsetDict)


EMPTY: dict[str, Any] = {
    "names": [],
    "plain": [],
    "mapping": {},
    "literal": [],
    "limited": [],
    "filled": [],
    "perhaps": [],
    "matches": [],
    "options": {},
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_list_or_map_that_was_read_empty_goes_back_empty(name: str) -> None:
    sent = {"names": ["a"], name: EMPTY[name]}
    rule = model_codec.from_dict(Rule, sent)
    copies = (rule, model_codec.deep_copy(rule), copy.copy(rule), pickle.loads(pickle.dumps(rule)))
    assert [model_codec.to_dict(each) for each in copies] == [sent] * 4
    assert getattr(rule, name) == EMPTY[name]


def test_a_copy_does_not_share_what_was_read_empty() -> None:
    rule = model_codec.from_dict(Rule, EMPTY)
    other = model_codec.deep_copy(rule)
    other.plain.append("a")
    other.mapping["a"] = "b"
    other.matches.append("a")
    assert model_codec.to_dict(rule) == EMPTY
    assert model_codec.to_dict(other)["plain"] == ["a"]
    assert model_codec.deep_copy(other) == other


def test_unset_fields_are_omitted_unless_the_schema_has_a_default() -> None:
    assert model_codec.to_dict(Rule(names=[])) == {"names": []}
    rule = Rule(names=[], plain=[], matches=[], options={})
    assert model_codec.to_dict(rule) == {"names": [], "matches": [], "options": {}}
    filled = Rule(names=[])
    filled.matches.append("a")
    filled.options["a"] = "b"
    assert model_codec.to_dict(filled) == {"names": [], "matches": ["a"], "options": {"a": "b"}}
    assert model_codec.to_dict(model_codec.deep_copy(Rule(names=[]))) == {"names": []}


def test_null_is_absent_where_an_empty_list_is_not() -> None:
    rule = model_codec.decode(
        b'{"names": ["a"], "plain": null, "matches": null, "mapping": null}', Rule
    )
    assert model_codec.to_dict(rule) == {"names": ["a"]}


# ---- objects inside others ----------------------------------------------------------------------


class Reference(Model):
    """No kind: its constants are what it is about."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["Secret"] = constant("Secret")
    name: str = ""


class Claim(Model):
    """A kind, which is also inside of others."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["Claim"] = constant("Claim")
    metadata: ObjectMeta = auto(ObjectMeta)


class Holder(Model):
    """A kind with others inside."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["Holder"] = constant("Holder")
    metadata: ObjectMeta = auto(ObjectMeta)
    claim: Claim | None = None
    claims: list[Claim] = field(default_factory=list)
    by_name: dict[str, Claim] = field(default_factory=dict)
    secret: Reference | None = None


TYPE_META = {"apiVersion": "v1", "kind": "Claim"}


@pytest.mark.parametrize("type_meta", [{}, TYPE_META, {"kind": "Claim"}, {"apiVersion": "v2"}])
def test_an_object_inside_another_has_the_kind_that_it_was_read_with(
    type_meta: dict[str, str],
) -> None:
    inside = {"claim": type_meta, "claims": [type_meta, {}], "byName": {"a": type_meta}}
    sent = {"apiVersion": "v1", "kind": "Holder", **inside}
    holder = model_codec.from_dict(Holder, sent)
    copies = (holder, model_codec.deep_copy(holder), pickle.loads(pickle.dumps(holder)))
    assert [model_codec.to_dict(each) for each in copies] == [sent] * 3
    assert holder.claims[0].kind == "Claim"


def test_a_kind_that_is_set_is_sent_and_one_that_is_not_is_not() -> None:
    holder = Holder(claims=[Claim(), Claim(kind="Claim")], secret=Reference(name="a"))
    assert model_codec.to_dict(holder) == {
        "apiVersion": "v1",
        "kind": "Holder",
        "claims": [{}, {"kind": "Claim"}],
        "secret": {"apiVersion": "v1", "kind": "Secret", "name": "a"},
    }


def test_an_object_by_itself_always_has_its_kind() -> None:
    assert model_codec.to_dict(Claim()) == TYPE_META
    assert model_codec.to_dict(model_codec.from_dict(Claim, {"metadata": {}})) == {
        **TYPE_META,
        "metadata": {},
    }
    assert model_codec.to_dict({"items": [Claim()]}) == {"items": [TYPE_META]}
    assert bytes(raw(Claim())) == b'{"apiVersion":"v1","kind":"Claim"}'


# ---- objects that are not made as they should ---------------------------------------------------


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        (PodSpec, {"container": []}, "PodSpec has no field 'container'; did you mean"),
        (PodSpec, {"container": []}, "'containers'?; PodSpec needs 'containers'"),
        (PodStatus, {"hostIP": "a"}, "no field 'hostIP'; did you mean 'host_ip'?"),
        (PodStatus, {"hostIp": "a"}, "no field 'hostIp'; did you mean 'host_ip'?"),
        (Pod, {"apiVersion": "v1"}, "no field 'apiVersion'; did you mean 'api_version'?"),
        (Pod, {"zzz": 1, "yyy": 2}, "Pod has no field 'zzz'; Pod has no field 'yyy'"),
        (Pod, {"cls": 1, "self": 2}, "Pod has no field 'cls'; Pod has no field 'self'"),
        (Container, {}, "Container needs 'name'"),
        (StatefulSetSpec, {"replicas": 1}, "StatefulSetSpec needs 'selector' and"),
    ],
)
def test_an_error_names_the_class_and_what_was_meant(
    model: Any, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError) as raised:
        model(**given)
    assert message in str(raised.value)
    assert raised.value.__suppress_context__


def test_an_error_of_the_class_itself_is_what_it_was() -> None:
    class Picky(Model):
        size: int = 0

        def __post_init__(self) -> None:
            if self.size:
                raise TypeError("too large")

    with pytest.raises(TypeError, match=r"^too large$"):
        Picky(size=1)


# ---- slips ------------------------------------------------------------------------------------


def test_fields_of_other_libraries_are_refused_when_the_class_is_made():
    """Such a Field passes type checkers, and would be the value of the field."""
    with pytest.raises(TypeError) as raised:

        class Wrong(Model):  # pyright: ignore[reportUnusedClass]
            names: list[str] = dataclasses.field(default_factory=list)

    assert str(raised.value) == (
        "Wrong.names is declared with a function of dataclasses, which models do not support: write"
        " `from clientgen.runtime.models import field`, which takes default= and default_factory=,"
        " too"
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [("resourceVersion", "resource_version"), ("lables", "labels"), ("uuid", "uid")],
)
def test_an_unknown_attribute_is_told_with_what_was_meant(name: str, meant: str):
    """As by the constructor, for reading and assigning"""
    obj: Any = ObjectMeta()
    message = f"'ObjectMeta' object has no attribute {name!r}; did you mean {meant!r}?"
    with pytest.raises(AttributeError) as read:
        getattr(obj, name)
    with pytest.raises(AttributeError) as assigned:
        setattr(obj, name, "x")
    for error in (read.value, assigned.value):
        assert str(error) == message
        assert error.name == name
        assert str(pickle.loads(pickle.dumps(error))) == message
        assert repr(error) == f"AttributeError({message!r})"


def test_whether_there_is_an_attribute_is_asked_without_a_search(monkeypatch: pytest.MonkeyPatch):
    searched: list[str] = []
    monkeypatch.setattr(argument_errors, "_normalized", lambda name: searched.append(name) or name)
    obj: Any = ObjectMeta()
    assert not hasattr(obj, "resourceVersion")
    assert getattr(obj, "_repr_html_", None) is None
    assert copy.copy(obj) == copy.deepcopy(obj) == pickle.loads(pickle.dumps(obj)) == obj
    assert searched == []


def test_signatures_show_defaults_as_people_write_them():
    class Tab(CustomResource, group="example.com", version="v1"):
        spec: Annotated[dict[str, Annotated[Quantity, "small"]], "limits"]
        mode: Annotated[Literal["a", "b"] | None, "words"] = None
        size: typing.Literal["s", "m"] = "s"
        template: PodSpec = auto(PodSpec)

    lines = str(inspect.signature(Tab)).splitlines()
    assert lines[:2] == ["(", "    *,"]
    assert "    mode: str | None = None," in lines
    assert "    size: Literal['s', 'm'] = 's'," in lines
    assert "    spec: dict[str, Quantity]," in lines
    assert "    metadata: ObjectMeta = ObjectMeta()," in lines
    assert "    template: PodSpec = PodSpec()," in lines
    assert "    kind: str = 'Tab'," in lines
    assert "<factory>" not in "".join(lines)
    assert str(inspect.signature(EnvVar)).startswith("(*, name: str, ")


def test_signatures_are_readable_and_true():
    signature = inspect.signature(ObjectMeta)
    assert [*signature.parameters] == [*ObjectMeta.__struct_fields__]
    assert "Annotated" not in str(signature)
    assert "    owner_references: list[OwnerReference] = [],\n" in str(signature)
    assert "creation_timestamp: datetime | None = None" in str(signature)
    assert {each.kind for each in signature.parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert signature.bind(name="a").arguments == {"name": "a"}
    shown = pydoc.render_doc(ObjectMeta, renderer=pydoc.plaintext)  # 3.13 has a line for each
    assert all(str(each) in shown for each in signature.parameters.values())


class Shop(Model):
    """Sells things."""

    name: str
    open_hours: list[str] = field(default_factory=list)
    """When it is open, as `09:00-17:00`.

    One entry for each time of the day.
    """

    class Shelf(Model):
        width: int = 0
        """Centimetres."""


class CornerShop(Shop):
    corner: str = ""
    """Where it stands."""

    def close(self) -> None:
        """Close it."""


def test_help_shows_the_texts_below_fields():
    assert Shop.__doc__ == (
        "Sells things.\n"
        "\n"
        "Attributes:\n"
        "    open_hours: When it is open, as `09:00-17:00`. One entry for each time of the day."
    )
    assert Shop.Shelf.__doc__ == "Attributes:\n    width: Centimetres."
    shown = pydoc.render_doc(CornerShop, renderer=pydoc.plaintext)
    assert shown.index("open_hours: When it is open") < shown.index("corner: Where it stands.")
    assert "__constants__:" not in shown
    assert Shop(name="a").__doc__ == "Sells things."  # reading a source is for those who ask


def test_a_model_without_a_source_has_its_docstring(monkeypatch: pytest.MonkeyPatch):
    made = type(Model)("Made", (Model,), {"__module__": "made_up", "__doc__": "Made up."})
    assert made.__doc__ == "Made up."
    assert type(Model)("Bare", (Model,), {"__module__": __name__}).__doc__ is None

    def without_source(*_: object) -> str:
        raise OSError

    monkeypatch.setattr(inspect, "getsource", without_source)
    field_texts._texts_of_module.cache_clear()
    assert Shop.__doc__ == "Sells things."
    field_texts._texts_of_module.cache_clear()
