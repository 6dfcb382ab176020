"""The meta/v1 types by hand agree with the spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clientgen.runtime._models import meta_v1
from clientgen.runtime._models.model_info import fields_of

if TYPE_CHECKING:
    from clientgen.runtime._models.model import Model

SPEC = Path(__file__).parents[2] / "specs" / "kubernetes" / "swagger.json"
PREFIX = "io.k8s.apimachinery.pkg.apis.meta.v1."
# Plain Python types here; a WatchEvent is what codec.decode_event returns.
NOT_MODELS = {"FieldsV1", "MicroTime", "Patch", "Time", "WatchEvent"}
# Not in the spec, because no endpoint of it answers them without being asked to.
NOT_IN_SPEC = {"ModelList", "PartialObjectMetadata", "PartialObjectMetadataList"}
PLAIN = {"Time": "datetime", "FieldsV1": "Raw"}
SCALARS = {"string": "str", "integer": "int", "boolean": "bool"}


@pytest.fixture(scope="module")
def definitions() -> dict[str, Any]:
    all_definitions = json.loads(SPEC.read_bytes())["definitions"]
    return {
        name.removeprefix(PREFIX): definition
        for name, definition in all_definitions.items()
        if name.startswith(PREFIX)
    }


def _models() -> dict[str, type[Model]]:
    return {name: getattr(meta_v1, name) for name in meta_v1.__all__ if name not in NOT_IN_SPEC}


def test_every_definition_has_its_model(definitions: dict[str, Any]) -> None:
    assert set(_models()) == set(definitions) - NOT_MODELS


def test_the_public_names_are_sorted() -> None:
    assert meta_v1.__all__ == sorted(meta_v1.__all__)


@pytest.mark.parametrize("name", sorted(_models()))
def test_a_model_has_the_fields_of_the_spec(name: str, definitions: dict[str, Any]) -> None:
    fields = {field.encode_name: field for field in msgspec.structs.fields(_models()[name])}
    properties = definitions[name]["properties"]
    assert set(fields) == set(properties)
    required = {wire for wire, field in fields.items() if field.required}
    assert required == set(definitions[name].get("required", ()))


@pytest.mark.parametrize("name", sorted(_models()))
def test_a_field_has_the_type_of_the_spec(name: str, definitions: dict[str, Any]) -> None:
    for wire, field in fields_of(_models()[name]).items():
        declared = definitions[name]["properties"][wire]
        assert _name_of(declared) in str(field.type), field.name


def _name_of(declared: dict[str, Any]) -> str:
    """Return a word the type of a property must contain."""
    if "$ref" in declared:
        name = declared["$ref"].rpartition(".")[2]
        return PLAIN.get(name, str(name))
    if declared["type"] == "array":
        return "list[" + ("str" if "type" in declared["items"] else "")
    return "dict[str, str]" if declared["type"] == "object" else SCALARS[declared["type"]]


@pytest.mark.parametrize("name", sorted(_models()))
def test_every_model_and_field_is_documented_in_our_words(name: str) -> None:
    model = _models()[name]
    assert model.__doc__
    assert not model.__doc__.startswith(name)


def test_texts_of_metadata_are_empty_when_absent() -> None:
    meta = meta_v1.ObjectMeta()
    assert (meta.name, meta.namespace, meta.uid, meta.resource_version) == ("", "", "", "")
    listed = meta_v1.ListMeta()
    assert (listed.continue_, listed.resource_version) == ("", "")
