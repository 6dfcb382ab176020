"""Typed manifests: which keys and types they have, and their names."""

from __future__ import annotations

import importlib
import subprocess
import sys
import typing
from collections.abc import Mapping

import msgspec
import pytest
from kubeapi.apiextensions.v1 import manifests as apiextensions
from kubeapi.core.v1 import manifests as core

from clientgen._gvk import GroupVersion
from clientgen.generator.ir import (
    EnumType,
    ListType,
    MapType,
    ModelId,
    ModelType,
    Scalar,
    TypeRef,
    UnionType,
)
from clientgen.generator.plan import FieldPlan, ModelPlan
from clientgen.generator.typed_manifests import ManifestWriter
from clientgen.runtime import manifests as meta
from clientgen.runtime._models import meta_v1
from clientgen.runtime.models import ModelList, Quantity

GV = GroupVersion("shop", "v1")


def source(fields: Mapping[str, TypeRef], **given: typing.Any) -> str:
    plans = tuple(FieldPlan(name, name, type_, "none", "") for name, type_ in fields.items())
    writer = ManifestWriter(lambda _, name: name, lambda model: f"{model.name}Manifest")
    return writer.source(ModelPlan("Cup", "", plans, **given))


@pytest.mark.parametrize(
    ("type_", "written"),
    [
        (Scalar.STRING, "str | None"),
        (Scalar.BYTES, "str | bytes | None"),
        (Scalar.TIME, "str | datetime | None"),
        (Scalar.MICRO_TIME, "str | None"),
        (Scalar.QUANTITY, "str | int | float | Quantity | None"),
        (Scalar.INT_OR_STRING, "int | str | None"),
        (Scalar.JSON, "Any"),
        (EnumType(("a", "b")), 'Literal["a", "b"] | str | None'),
        (EnumType(()), "str | None"),
        (ModelType(ModelId(GV, "Tea")), "TeaManifest | None"),
        (ListType(Scalar.INT_OR_STRING), "list[int | str] | None"),
        (MapType(Scalar.STRING), "Mapping[str, str | None] | None"),
        (MapType(Scalar.JSON), "Mapping[str, Any] | None"),
        (UnionType((Scalar.STRING, Scalar.NULL)), "str | None"),
        (UnionType((Scalar.INT_OR_STRING, Scalar.STRING)), "int | str | None"),
        (UnionType((Scalar.JSON, Scalar.STRING)), "Any"),
    ],
)
def test_types_are_those_of_yaml(type_: TypeRef, written: str) -> None:
    assert source({"x": type_}).endswith(f"\n    x: {written}")


@pytest.mark.parametrize(
    "key", ["from", "$ref", "x-y", "__hidden", "str", "datetime", "TeaManifest", "é", 'a"b', "1a"]
)
def test_keys_that_cannot_be_attributes(key: str) -> None:
    text = source({key: Scalar.STRING, "plain": Scalar.STRING})
    assert text.startswith('CupManifest = TypedDict(\n    "CupManifest",\n    {\n')
    names: dict[str, typing.Any] = {"TypedDict": typing.TypedDict}
    exec(text, names)
    assert set(names["CupManifest"].__annotations__) == {key, "plain"}


def test_what_takes_any_key_is_any_dict() -> None:
    written = source({"x": Scalar.STRING}, open_ended=True)
    assert written == "CupManifest: TypeAlias = dict[str, Any]"


def test_kinds_say_what_they_are() -> None:
    text = source({}, api_version="shop/v1", kind="Cup")
    assert '    apiVersion: Literal["shop/v1"]\n    kind: Literal["Cup"]' in text


def test_manifests_can_be_resolved_at_run_time() -> None:
    hints = typing.get_type_hints(core.PodManifest)
    assert hints["spec"] == core.PodSpecManifest | None
    assert typing.get_type_hints(core.ResourceRequirementsManifest)["limits"] == (
        Mapping[str, str | int | float | Quantity | None] | None
    )
    schema = typing.get_type_hints(apiextensions.JSONSchemaPropsManifest)
    assert schema["not"] == apiextensions.JSONSchemaPropsManifest | None


def test_meta_v1_has_the_fields_of_its_models() -> None:
    for name in meta.__all__:
        model = getattr(meta_v1, name.removesuffix("Manifest"))
        wire = {field.encode_name for field in msgspec.structs.fields(model)}
        assert set(getattr(meta, name).__annotations__) == wire, name
    lists = {name for name in meta_v1.__all__ if name.endswith("List")}
    kinds = {
        name
        for name in meta_v1.__all__
        if isinstance(getattr(meta_v1, name), type)
        and issubclass(getattr(meta_v1, name), msgspec.Struct)
        and not issubclass(getattr(meta_v1, name), ModelList)
    }
    assert {f"{name}Manifest" for name in kinds} == set(meta.__all__), lists


def test_no_program_loads_them() -> None:
    code = (
        "import sys, kubeapi; k = kubeapi.Clientset; import kubeapi.apps.v1.clients;"
        "print([name for name in sys.modules if name.endswith('.manifests')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_names_of_modules() -> None:
    assert importlib.import_module("kubeapi.meta.v1.manifests").ObjectMetaManifest is (
        meta.ObjectMetaManifest
    )
