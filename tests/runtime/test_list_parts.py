"""Lists that are decoded in parts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from kubeapi.apps.v1 import StatefulSet
from kubeapi.apps.v1.models import StatefulSetList

from clientgen.runtime._http.list_parts import decode_in_parts
from clientgen.runtime._models.decode_error import DecodeError
from clientgen.runtime._models.model_codec import decode_list, encode

PART = 400
BOUNDARY = '},{"metadata":{"name":"'


def read(body: bytes) -> StatefulSetList:
    return decode_list(body, StatefulSetList, usable=True)


def parts_of(body: bytes, size: int = PART) -> list[StatefulSetList]:
    return [*decode_in_parts(body, read, size)]


def items_of(parts: list[StatefulSetList]) -> list[StatefulSet]:
    return [item for part in parts for item in part.items]


def set_with(number: int, claims: list[str], note: str) -> dict[str, Any]:
    """Return a set whose claims begin as sets do, with a note of any text."""
    metadata = {"name": f"set-{number}", "annotations": {"note": note}}
    templates = [{"metadata": {"name": claim}} for claim in claims]
    return {"metadata": metadata, "spec": {"replicas": 1, "volumeClaimTemplates": templates}}


def body_of(items: list[Any], **metadata: Any) -> bytes:
    document = {"kind": "StatefulSetList", "apiVersion": "apps/v1", "metadata": metadata}
    return json.dumps({**document, "items": items}, separators=(",", ":")).encode()


texts = some.text(max_size=30) | some.sampled_from(
    [BOUNDARY, 'items":[', "]}", "\\", '"', BOUNDARY * 9]
)
names = some.lists(some.text("ab", min_size=1, max_size=8), max_size=5)


@given(some.lists(some.tuples(names, texts), max_size=12), some.integers(1, 600))
def test_all_parts_have_the_items_of_the_whole(items, size):
    body = body_of(
        [set_with(number, *each) for number, each in enumerate(items)], resourceVersion="7"
    )
    parts = parts_of(body, size)
    assert encode(items_of(parts)) == encode(read(body).items)
    assert parts[-1].metadata.resource_version == "7"


def test_a_long_list_has_many_parts_and_a_short_list_has_one():
    body = body_of([set_with(number, ["data"], "") for number in range(100)], resourceVersion="7")
    assert len(parts_of(body)) > 20
    assert len(parts_of(body, len(body))) == 1


def test_bytes_between_items_inside_of_an_item_do_not_end_it():
    body = body_of([set_with(number, ["a"] * 40, BOUNDARY * 40) for number in range(3)])
    assert [each.metadata.name for each in items_of(parts_of(body))] == ["set-0", "set-1", "set-2"]


def test_metadata_may_follow_the_items():
    items = [set_with(number, [], "") for number in range(20)]
    body = json.dumps({"items": items, "metadata": {"resourceVersion": "7"}}, separators=(",", ":"))
    parts = parts_of(body.encode())
    assert len(parts) > 1
    assert len(items_of(parts)) == 20
    assert parts[-1].metadata.resource_version == "7"


@pytest.mark.parametrize("end", [b"", b"]", b"]}}", b"]}{}", b',{"metadata":7}]}'])
def test_a_broken_list_is_an_error(end):
    body = body_of([set_with(number, [], "") for number in range(20)]).removesuffix(b"]}") + end
    with pytest.raises(DecodeError):
        parts_of(body)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"items":null}', b'{"items":[]}', b"items"])
def test_a_body_of_another_form_is_decoded_as_a_whole(body):
    decoded: list[bytes] = []

    def record(part: bytes) -> StatefulSetList:
        decoded.append(part)
        return StatefulSetList(items=[])

    assert len([*decode_in_parts(body, record, 1)]) == 1
    assert decoded == [body]
