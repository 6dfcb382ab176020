"""Unions of models: the right class for each object, and nothing lost of any."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any, TypeAlias, assert_never

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from typing_extensions import TypeAliasType

from clientgen.runtime._models.model_codec import decode_event, decode_list
from clientgen.runtime._models.unions import BadUnionError
from clientgen.runtime.models import (
    CustomResource,
    Literal,
    Model,
    ModelList,
    ObjectMeta,
    Time,
    constant,
    decode,
    encode,
    field,
    to_dict,
    unknown_fields,
)


class Http(Model):
    type: Literal["Http"] = constant("Http")
    url: str
    at: Time | None = None
    headers: dict[str, str] = field(default_factory=dict)


class Tcp(Model):
    type: Literal["Tcp"] = constant("Tcp")
    port: int
    hosts: list[str] = field(default_factory=list)


class FromSecret(Model):
    secret: str
    key: str | None = None


class FromText(Model):
    text: str
    nested: Http | Tcp | None = None


Target: TypeAlias = Http | Tcp
Source: TypeAlias = FromSecret | FromText


class ProbeSpec(Model):
    target: Target
    source: Source | None = None
    then: list[Target] = field(default_factory=list)
    by_name: dict[str, Source] = field(default_factory=dict)


class Probe(CustomResource, group="example.com", version="v1"):
    spec: ProbeSpec


class ProbeList(ModelList[Probe]):
    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["ProbeList"] = constant("ProbeList")


TYPE_META = {"apiVersion": "example.com/v1", "kind": "Probe"}


def read(spec: Any) -> ProbeSpec:
    """Decode a spec, and expect that it is sent back, copied and pickled as it came."""
    text = json.dumps({**TYPE_META, "spec": spec})
    probe = decode(text.encode(), Probe)
    assert json.loads(encode(probe)) == json.loads(text)
    for twin in (copy.deepcopy(probe), pickle.loads(pickle.dumps(probe))):
        assert (twin == probe, encode(twin)) == (True, encode(probe))
    return probe.spec


def shown(spec: ProbeSpec) -> str:
    """Type checkers know that these are all."""
    match spec.target:
        case Http(url=url):
            target = url
        case Tcp() as tcp:
            target = str(tcp.port)
        case _:
            assert_never(spec.target)
    match spec.source:
        case FromSecret(secret=secret):
            return f"{target} {secret}"
        case FromText(text=text):
            return f"{target} {text}"
        case None:
            return target


def test_objects_are_of_the_right_class() -> None:
    spec = read({
        "target": {"type": "Http", "url": "u", "at": "2026-01-01T00:00:00.50Z"},
        "source": {"text": "t", "nested": {"type": "Tcp", "port": 1}},
        "then": [{"type": "Tcp", "port": 5, "hosts": []}, {"type": "Http", "url": "v"}],
        "byName": {"a": {"secret": "s"}, "b": {"text": "t"}},
    })  # fmt: skip
    assert shown(spec) == "u t"
    assert [type(each) for each in spec.then] == [Tcp, Http]
    assert spec.by_name == {"a": FromSecret(secret="s"), "b": FromText(text="t")}
    if spec.target.type == "Http":  # type checkers tell the class by the tag
        assert spec.target.headers == {}


def test_objects_of_newer_versions_and_broken_ones_are_kept() -> None:
    spec = read({
        "target": {"type": "Http", "url": 7, "new": {"a": [1.50, 1e3]}},
        "source": {"secret": "s", "text": "t"},
        "then": [{"type": "Udp", "port": 5}, {"type": "Tcp", "port": "5"}, {"type": {}}, 3],
        "byName": {"a": {}, "b": {"secret": "s", "more": [1]}},
    })  # fmt: skip
    assert unknown_fields(spec.target)["new"] == Raw(b'{"a": [1.5, 1000.0]}')
    assert isinstance(spec.source, FromSecret)
    assert [type(each) for each in spec.then] == [Raw, Tcp, Raw, int]
    assert [each.__class__.__name__ for each in spec.by_name.values()] == ["Raw", "FromSecret"]


def test_numbers_keep_their_spelling() -> None:
    spec = b'{"target":{"type":"Tcp","port":1,"x":%s}}'
    text = b'{"apiVersion":"example.com/v1","kind":"Probe","spec":' + spec + b"}"
    for number in (b"1e3", b"1.50", b"1e999", b"123456789012345678901234567890"):
        assert encode(decode(text % number, Probe)) == text % number


def test_a_missing_union_is_not_sent() -> None:
    assert read({}).target == Http(url="")
    assert read({"then": [], "byName": {}}).source is None


@pytest.mark.parametrize("wrong", ["x", 5, [1]])
def test_values_of_other_types_are_kept(wrong: Any) -> None:
    assert to_dict(read({"target": wrong, "source": wrong}))["target"] == wrong


def test_lists_and_watches_have_unions_too() -> None:
    probe = Probe(metadata=ObjectMeta(name="a"), spec=ProbeSpec(target=Tcp(port=5)))
    page = encode(ProbeList(items=[probe]))
    assert decode_list(page, ProbeList).items == [probe]
    line = b'{"type":"ADDED","object":%s}' % encode(probe)
    assert decode_event(line, Probe).object == probe


NAMES = st.sampled_from(["type", "url", "port", "secret", "text", "key", "hosts", "nested", "new"])
SCALARS = st.one_of(
    st.text(max_size=3), st.integers(), st.booleans(), st.sampled_from(["Http", "Tcp"])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4)
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=5)


@given(OBJECTS, OBJECTS, st.lists(OBJECTS, max_size=3), st.dictionaries(NAMES, OBJECTS, max_size=2))
def test_nothing_is_lost_of_any_object(
    target: Any, source: Any, then: list[Any], by_name: dict[str, Any]
) -> None:
    read({"target": target, "source": source, "then": then, "byName": by_name})


Named = TypeAliasType("Named", Http | Tcp)
Perhaps = TypeAliasType("Perhaps", Named | None)


class Aliased(Model):
    one: Named
    other: Perhaps = None
    many: list[Named] = field(default_factory=list)


def test_unions_with_names_are_unions() -> None:
    """As `type Named = Http | Tcp` of Python 3.12."""
    web = {"type": "Http", "url": "u"}
    aliased = decode(json.dumps({"one": web, "other": web, "many": [web]}).encode(), Aliased)
    assert aliased == Aliased(one=Http(url="u"), other=Http(url="u"), many=[Http(url="u")])
    assert decode(b'{"one": {"type": "Tcp", "port": 1}}', Aliased).other is None


class Twin(Model):
    type: Literal["Tcp"] = constant("Tcp")


class Vague(Model):
    text: str | None = None


class SameTag(Model):
    target: Tcp | Twin


class NoKey(Model):
    source: FromText | Vague


def test_unions_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(BadUnionError, match="`Tcp` and `Twin` have the same `type`, `Tcp`"):
        decode(b"{}", SameTag)
    with pytest.raises(BadUnionError, match="no required field of `FromText` tells it from"):
        decode(b"{}", NoKey)
