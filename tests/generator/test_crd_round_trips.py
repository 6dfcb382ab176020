"""The hard round trips of `tests/runtime/test_round_trips.py`, of types that a manifest says.

Equal means: the same JSON value after decoding and encoding, where null counts as absent unless the
schema says that it is a value.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from click.testing import CliRunner
from support.imports import importable

from clientgen.cli.program import program
from clientgen.runtime._models import model_codec
from clientgen.runtime._models.quantity import Quantity
from clientgen.runtime._models.raw_json import raw_value

_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
_MANIFEST = f"""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: trips.round.example.com}}
spec:
  group: round.example.com
  scope: Namespaced
  names: {{kind: Trip, plural: trips}}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {{status: {{}}}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              surge: {{x-kubernetes-int-or-string: true}}
              cpu:
                x-kubernetes-int-or-string: true
                anyOf: [{{type: integer}}, {{type: string}}]
                pattern: '{_QUANTITY}'
              renewed: {{type: string, format: date-time, pattern: '\\.\\d{{6}}Z$'}}
              at: {{type: string, format: date-time}}
              large: {{type: integer, format: int64}}
              secret: {{type: string, format: byte}}
              selector: {{type: object, additionalProperties: {{type: string}}}}
              words: {{type: array, items: {{type: string}}}}
              required: &inner
                type: object
                required: [name, parts]
                properties:
                  name: {{type: string}}
                  parts: {{type: array, items: {{type: string}}}}
              optional: *inner
              anything: {{x-kubernetes-preserve-unknown-fields: true}}
              template:
                type: object
                x-kubernetes-embedded-resource: true
                x-kubernetes-preserve-unknown-fields: true
              owned:
                type: object
                x-kubernetes-embedded-resource: true
                properties:
                  spec: {{type: object, properties: {{size: {{type: integer}}}}}}
              open:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties: {{driver: {{type: string}}}}
              mode: {{type: string, enum: [fast, slow]}}
              nullable: {{type: string, nullable: true}}
              blocks:
                type: array
                items:
                  type: object
                  required: [cidr, gap]
                  properties:
                    cidr: {{type: string}}
                    from: {{type: string}}
                    except: {{type: array, items: {{type: string}}}}
                    continue: {{type: string}}
                    gap: {{type: string, nullable: true}}
              empty: {{type: object, properties: {{}}}}
          status:
            type: object
            properties:
              phase: {{type: string}}
"""


@pytest.fixture(scope="module")
def v1(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The models of a package that is generated from the manifest above."""
    folder = tmp_path_factory.mktemp("trips")
    (folder / "trips.yaml").write_text(_MANIFEST)
    arguments = ["--crd", str(folder / "trips.yaml"), "--package", "crd_trips"]
    done = CliRunner().invoke(program, ["generate", *arguments, "--output", str(folder)])
    assert done.exit_code == 0, done.stderr
    with importable([folder]):
        yield importlib.import_module("crd_trips.round.v1")


def meaning(value: Any) -> Any:
    """Return a JSON value without its nulls."""
    if isinstance(value, dict):
        return {key: meaning(inner) for key, inner in value.items() if inner is not None}
    return [meaning(item) for item in value] if isinstance(value, list) else value


def trip(**spec: Any) -> dict[str, Any]:
    kind = {"apiVersion": "round.example.com/v1", "kind": "Trip"}
    return {**kind, "metadata": {"name": "there-and-back"}, "spec": spec}


def comes_back(v1: Any, sent: dict[str, Any]) -> Any:
    """Decode, check that encoding and copying give what was sent, and return the object."""
    decoded = model_codec.decode(json.dumps(sent).encode(), v1.Trip)
    assert meaning(json.loads(model_codec.encode(decoded))) == meaning(sent)
    assert model_codec.encode(model_codec.deep_copy(decoded)) == model_codec.encode(decoded)
    return decoded


@pytest.mark.parametrize("surge", [1, "25%"])
def test_an_int_or_string_stays_the_one_it_was(v1: Any, surge: int | str) -> None:
    assert comes_back(v1, trip(surge=surge)).spec.surge == surge


def test_a_status_nobody_sent_is_not_added(v1: Any) -> None:
    decoded = comes_back(v1, trip())
    assert decoded.status.phase is None
    assert "status" not in model_codec.to_dict(decoded)


def test_an_empty_status_that_was_sent_is_kept(v1: Any) -> None:
    assert model_codec.to_dict(comes_back(v1, {**trip(), "status": {}}))["status"] == {}


@pytest.mark.parametrize("cpu", [1, 0.5, "500m", "1e3", "1.50"])
def test_a_quantity_given_as_a_number_stays_a_number(v1: Any, cpu: float | str) -> None:
    assert comes_back(v1, trip(cpu=cpu)).spec.cpu == Quantity(cpu)


def test_a_micro_time_keeps_its_fraction(v1: Any) -> None:
    decoded = comes_back(v1, trip(renewed="2026-01-01T10:00:00.123456Z"))
    assert decoded.spec.renewed == datetime(2026, 1, 1, 10, 0, 0, 123456, UTC)


def test_a_micro_time_at_a_full_second_keeps_six_digits(v1: Any) -> None:
    comes_back(v1, trip(renewed="2026-01-01T10:00:00.000000Z"))


@pytest.mark.parametrize(
    "time",
    ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00.5+02:00", "yesterday", "0001-01-01T00:00:00Z"],
)
def test_a_time_is_what_was_sent(v1: Any, time: str) -> None:
    decoded = model_codec.decode(json.dumps(trip(at=time)).encode(), v1.Trip)
    back = model_codec.to_dict(decoded)["spec"]["at"]
    assert back == time or datetime.fromisoformat(back) == datetime.fromisoformat(time)


def test_a_large_integer_keeps_every_digit(v1: Any) -> None:
    assert comes_back(v1, trip(large=2**53 + 1)).spec.large == 9007199254740993


def test_bytes_that_are_no_text_are_bytes(v1: Any) -> None:
    assert comes_back(v1, trip(secret="//79")).spec.secret == b"\xff\xfe\xfd"


def test_null_items_are_an_empty_list(v1: Any) -> None:
    sent = b'{"kind":"TripList","metadata":{"resourceVersion":"5"},"items":null}'
    decoded = model_codec.decode_list(sent, v1.TripList)
    assert list(decoded) == []
    assert model_codec.to_dict(decoded)["items"] == []


def test_null_maps_lists_and_objects_are_empty_and_absent(v1: Any) -> None:
    decoded = comes_back(v1, trip(selector=None, words=None, optional=None))
    assert (decoded.spec.selector, decoded.spec.words, decoded.spec.optional) == ({}, [], None)
    assert model_codec.to_dict(decoded)["spec"] == {}


def test_a_required_list_that_is_null_is_an_empty_list(v1: Any) -> None:
    decoded = model_codec.decode(
        json.dumps(trip(required={"name": "n", "parts": None})).encode(), v1.Trip
    )
    assert list(decoded.spec.required.parts) == []


def test_a_null_that_has_to_be_said_is_said(v1: Any) -> None:
    sent = trip(blocks=[{"cidr": "10.0.0.0/8", "gap": None}])
    decoded = comes_back(v1, sent)
    assert json.loads(model_codec.encode(decoded)) == sent
    assert v1.TripSpecBlocks(cidr="", gap=None).gap is None


def test_keywords_of_python_are_fields_like_others(v1: Any) -> None:
    block = {"cidr": "10.0.0.0/8", "from": "a", "except": ["b"], "continue": "c", "gap": "d"}
    decoded = comes_back(v1, trip(blocks=[block])).spec.blocks[0]
    assert (decoded.from_, decoded.except_, decoded.continue_) == ("a", ["b"], "c")


@pytest.mark.parametrize(
    "value", [5, 0.5, "text", [1, {"a": None}], {"deep": {"er": []}}, True, {}]
)
def test_free_form_values_are_kept_as_they_are(v1: Any, value: Any) -> None:
    sent = trip(anything=value, open={"driver": "d", "more": value})
    decoded = model_codec.decode(json.dumps(sent).encode(), v1.Trip)
    # Here a null is a value.
    assert json.loads(model_codec.encode(decoded)) == sent


def test_raw_content_is_kept_to_the_byte(v1: Any) -> None:
    content = b'{"b": 1.10, "a" : [ 1e3, "\\u0041" ]}'
    decoded = model_codec.decode(b'{"spec": {"anything": ' + content + b"}}", v1.Trip)
    assert content in model_codec.encode(decoded)
    assert raw_value(decoded.spec.anything) == {"b": 1.1, "a": [1000.0, "A"]}


def test_managed_fields_are_kept_to_the_byte(v1: Any) -> None:
    fields = b'{"f:metadata" : {"f:labels":{".":{},"k:{\\"uid\\":\\"5\\"}":{}}}}'
    entry = b'{"manager":"kubectl","operation":"Update","fieldsType":"FieldsV1","fieldsV1":'
    decoded = model_codec.decode(
        b'{"metadata": {"managedFields": [' + entry + fields + b"}]}}", v1.Trip
    )
    assert decoded.metadata.managed_fields[0].manager == "kubectl"
    assert fields in model_codec.encode(decoded)


def test_a_field_that_is_newer_than_the_definition_is_kept_to_the_byte(v1: Any) -> None:
    value = b'{"z": 1.50, "a":[ ]}'
    decoded = model_codec.decode(
        b'{"spec": {"required": {"name": "n", "new": ' + value + b"}}}", v1.Trip
    )
    assert value in model_codec.encode(decoded)
    unknown = model_codec.unknown_fields(decoded.spec.required)
    assert {name: bytes(kept) for name, kept in unknown.items()} == {"new": value}


def test_embedded_objects_come_back_whole(v1: Any) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": {"a": "b"}},
        "spec": {"x": [1]},
    }
    owned = {**pod, "spec": {"size": 3}}
    decoded = comes_back(v1, trip(template=pod, owned=owned))
    assert raw_value(decoded.spec.template) == pod
    assert (decoded.spec.owned.metadata.labels, decoded.spec.owned.spec.size) == ({"a": "b"}, 3)


def test_a_new_value_of_an_enum_is_kept(v1: Any) -> None:
    assert comes_back(v1, trip(mode="sideways")).spec.mode == "sideways"


def test_an_empty_object_is_not_its_absence(v1: Any) -> None:
    assert comes_back(v1, trip(empty={})).spec.empty == v1.TripSpecEmpty()
    assert comes_back(v1, trip()).spec.empty is None
    assert model_codec.to_dict(v1.Trip(spec=v1.TripSpec(empty=v1.TripSpecEmpty())))["spec"] == {
        "empty": {}
    }


def test_a_required_field_may_be_missing_in_what_is_read_but_not_in_what_is_built(v1: Any) -> None:
    decoded = model_codec.decode(json.dumps(trip(required={"parts": ["a"]})).encode(), v1.Trip)
    assert decoded.spec.required.name == ""
    with pytest.raises(TypeError, match="name"):
        v1.TripSpecRequired(parts=[])


def test_a_new_object_is_its_api_version_and_kind(v1: Any) -> None:
    assert model_codec.to_dict(v1.Trip()) == {"apiVersion": "round.example.com/v1", "kind": "Trip"}
