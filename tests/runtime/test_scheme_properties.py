"""What is written as a manifest is read as the same objects, whatever is in them."""

# Strategies made of annotations have no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

from __future__ import annotations

import types
from datetime import UTC, datetime
from functools import cache
from typing import Any, Union, get_args, get_origin

import kubeapi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from support.examples import try_examples

from clientgen.runtime._manifests.manifest_documents import ManifestError
from clientgen.runtime._manifests.scheme import Scheme
from clientgen.runtime._models.base import ModelMeta
from clientgen.runtime._models.model_codec import to_dict
from clientgen.runtime._models.model_info import bare, fields_of
from clientgen.runtime._models.quantity import Quantity
from clientgen.runtime._models.raw_json import raw

KINDS = [
    "v1/ConfigMap",
    "v1/Secret",
    "v1/Pod",
    "v1/Event",
    "apps/v1/Deployment",
    "apps/v1/StatefulSet",
    "apps/v1/ControllerRevision",
    "batch/v1/CronJob",
    "coordination.k8s.io/v1/Lease",
    "networking.k8s.io/v1/NetworkPolicy",
    "apiextensions.k8s.io/v1/CustomResourceDefinition",
    "rbac.authorization.k8s.io/v1/ClusterRole",
]
# What YAML takes for something else, breaks over lines, or cannot say without quotes.
ODD = [
    *("yes", "No", "on", "y", "n", "true", "null", "~", "", " ", "=", "<<", "-", "?", ":", "- a"),
    *("1", "1.0", "0x1F", "0o17", "017", "1_000", "1e3", ".5", "+1", ".inf", ".NaN", "1:30"),
    *("2001-01-01", "2001-01-01T00:00:00Z", "a: b", "a #b", "#a", "*a", "&a", "!a", "%a", "@a"),
    *("a\n", "a\nb", "\n", " a\nb", "a \nb", "a\n\n", "\na", "a\r\nb", "\t", "a\tb\nc", "---\na"),
    *("'", '"', "a'b\"c", "\\n", "ä", "\u2028", "\x85", "\ufeff", "\U0001f600", "\x00", "\x7f"),
]
TEXTS = st.sampled_from(ODD) | st.text(max_size=12) | st.text(alphabet="ab \n\t'\"#:-{", max_size=9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e6, 1e6) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(lambda t: t.replace(tzinfo=UTC))
DEEPEST = 5


def settled(value: Any) -> Any:
    """JSON as Go writes it: whole numbers have no fraction."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [settled(item) for item in value]
    return {k: settled(v) for k, v in value.items()} if isinstance(value, dict) else value


SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    bool: st.booleans(),
    int: st.integers(-(2**31), 2**31),
    float: st.floats(-1e6, 1e6),
    bytes: st.binary(max_size=6),
    datetime: TIMES,
    Quantity: st.sampled_from(["1", "500m", "1Gi", "0.5", "1e3", "12E"]).map(Quantity),
    Raw: JSON.map(lambda value: raw(settled(value))),
}


@cache
def values(annotation: Any, depth: int) -> st.SearchStrategy[Any]:
    plain = bare(annotation)
    inner = [one for one in get_args(plain) if one is not types.NoneType]
    if isinstance(plain, types.UnionType) or get_origin(plain) is Union:
        return st.one_of([values(one, depth) for one in inner])
    if get_origin(plain) is list:
        return st.lists(values(inner[0], depth), max_size=2)
    if get_origin(plain) is dict:
        return st.dictionaries(TEXTS, values(inner[1], depth), max_size=3)
    model = get_origin(plain) or plain
    return st.deferred(lambda: objects(model, depth)) if of_model(model) else SCALARS[plain]


def of_model(kind: Any) -> bool:
    return isinstance(kind, ModelMeta)


def is_deep(annotation: Any) -> bool:
    return of_model(annotation) or any(map(is_deep, get_args(annotation)))


def objects(model: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for field in fields_of(model).values():
        if field.wire in {"apiVersion", "kind"} and not field.required and depth == 0:
            continue
        if field.required:
            required[field.name] = values(field.type, depth + 1)
        elif depth < DEEPEST or not is_deep(field.type):
            optional[field.name] = values(field.type, depth + 1)
    few = st.lists(st.sampled_from(sorted(optional)), max_size=4, unique=True) if optional else None
    chosen = st.just([]) if few is None else few
    return chosen.flatmap(
        lambda names: st.builds(model, **required, **{name: optional[name] for name in names})
    )


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    made = Scheme()
    kubeapi.add_to_scheme(made)
    return made


@pytest.mark.parametrize("kind", KINDS)
@try_examples(25)
@given(data=st.data())
def test_written_manifests_are_read_back(scheme: Scheme, kind: str, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(objects(scheme.model(kind)), min_size=1, max_size=3))

    written = scheme.dump(drawn)
    again = scheme.load(written)

    assert [to_dict(each) for each in again] == [to_dict(each) for each in drawn]
    assert again == drawn
    assert scheme.dump(again) == written
    assert scheme.load(scheme.dump_json(drawn)) == drawn


@try_examples(200)
@given(value=st.dictionaries(TEXTS, JSON, max_size=4))
def test_kinds_without_a_class_are_read_as_mappings(scheme: Scheme, value: dict[str, Any]) -> None:
    given_ = {"apiVersion": "example.com/v1", "kind": "Odd", "spec": settled(value)}

    (once,) = scheme.load(scheme.dump(given_), unknown="keep")

    assert once == given_
    assert scheme.load(scheme.dump_json(once), unknown="keep") == [given_]


@try_examples(300)
@given(text=st.text(max_size=60), strict=st.booleans())
def test_any_text_is_read_or_refused(scheme: Scheme, text: str, strict: bool) -> None:
    try:
        objects = scheme.load(text, strict=strict, unknown="keep")
    except ManifestError:
        return
    assert scheme.load(scheme.dump(objects), unknown="keep") == objects
