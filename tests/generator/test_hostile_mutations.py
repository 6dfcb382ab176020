"""Sound documents with a few values exchanged give a package or problems, and never a traceback."""

from __future__ import annotations

import ast
import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.definitions import custom_definition, custom_version
from support.documents import document_v2, document_v3
from support.shapes import strange
from support.tricks import PIECES, TEXTS

from clientgen._problems import ClientgenError
from clientgen.generator import go_types
from clientgen.generator.plan import plan
from clientgen.generator.render import Renderer
from clientgen.generator.resolve import resolve
from clientgen.generator.sources import crd, openapi
from clientgen.generator.sources.spec import Input, Spec

Json = dict[str, Any]
TRIES = 150

_SCHEMA: Json = {
    "type": "object",
    "description": "What it is.\n+genclient:noVerbs\n+k8s:client-gen=true",
    "required": ["a"],
    "properties": {
        "a": {
            "type": "string",
            "enum": ["x", "y"],
            "default": "x",
            "pattern": "^x",
            "maxLength": 3,
        },
        "b": {
            "type": "array",
            "items": {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]},
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
        },
        "c": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
        "d": {"x-kubernetes-int-or-string": True},
        "e": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "x-kubernetes-embedded-resource": True,
        },
        "f": {
            "type": "object",
            "properties": {"g": {"type": "string", "format": "date-time"}},
            "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "stays"}],
        },
    },
}
_NAME = "com.example.shop.v1.Crate"
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 2**63, 10**300, "", "x", "v1", "#/definitions/x", "__init__"),
    *(
        [],
        [None],
        ["x"],
        [1],
        [[]],
        [{}],
        {},
        {"x": 1},
        {"type": ["a"]},
        {"properties": {"x": None}},
    ),
    *({"$ref": f"#/definitions/{_NAME}"}, {"$ref": f"#/components/schemas/{_NAME}"}, {"$ref": "#"}),
    *({"$ref": 1}, {"allOf": [{"$ref": f"#/definitions/{_NAME}"}]}, "object", "array", "string"),
    *(text for text in TEXTS if "\ud800" not in text),
)
_EXTENSIONS = (
    *("x-kubernetes-validations", "x-kubernetes-list-map-keys", "x-kubernetes-list-type"),
    *("x-kubernetes-group-version-kind", "x-kubernetes-action", "x-kubernetes-embedded-resource"),
    *("nullable", "enum", "default", "allOf", "$ref", "required", "description", "format"),
)


def from_v2() -> tuple[Json, Callable[[bytes], Spec]]:
    return document_v2(schema=_SCHEMA, subresource="scale"), read_openapi


def from_v3() -> tuple[Json, Callable[[bytes], Spec]]:
    return document_v3(schema=_SCHEMA), read_openapi


def from_crd() -> tuple[Json, Callable[[bytes], Spec]]:
    whole = {"type": "object", "properties": {"spec": _SCHEMA, "status": {"type": "object"}}}
    scale = {"specReplicasPath": ".spec.c", "statusReplicasPath": ".status.c"}
    version = custom_version("v1", whole, subresources={"status": {}, "scale": scale})
    return custom_definition("shop.example.com", "Crate", version), read_crd


def read_openapi(data: bytes) -> Spec:
    return openapi.parse([Input("a.json", "a.json", data)])


def read_crd(data: bytes) -> Spec:
    manifest = crd.Manifest("a.json", "a.json", data)
    try:
        return crd.parse([manifest])
    except ClientgenError as error:
        raise ClientgenError(crd.located(error.problems, [manifest])) from None


@pytest.mark.slow
@pytest.mark.parametrize("source", [from_v2, from_v3, from_crd])
def test_a_document_gives_a_package_or_problems(
    source: Callable[[], tuple[Json, Callable[[bytes], Spec]]],
):
    chance = random.Random(source.__name__)
    sound, told = 0, list[str]()
    for _ in range(TRIES):
        document, read = source()
        document = mutated(copy.deepcopy(document), chance)
        try:
            spec = read(json.dumps(document).encode())
            files, modules = plan(resolve([spec], ()), {})
        except ClientgenError as error:
            told += map(str, error.problems)
            continue
        sound += 1
        for path, text in Renderer(modules).render(files).items():
            assert not strange(text), (path, document)
    assert 0 < sound < TRIES
    assert all(told)


def mutated(document: Json, chance: random.Random) -> Json:
    for _ in range(chance.choice((1, 1, 2, 3))):
        holder, key = chance.choice(list(places(document)))
        match chance.randrange(5):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[str(chance.choice(_VALUES))] = holder.pop(key)
            case 2 if isinstance(holder, dict):
                holder[chance.choice(_EXTENSIONS)] = copy.deepcopy(chance.choice(_VALUES))
            case _:
                holder[key] = copy.deepcopy(chance.choice(_VALUES))
    return document


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in entries:
        yield value, key
        if isinstance(each, dict | list):
            yield from places(each)


_GO = """// +groupName=shop.example.com
package v1

// Crate is what things are packed in.
// +genclient
// +genclient:method=GetIt,verb=get,subresource=status,result=Crate
// +resourceName=crates
type Crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
"""
_METHOD = "\n// +genclient:method={},verb=get,subresource=status,result=Crate\n"
_IN_GO = (
    *(*TEXTS, *PIECES, "{", "}", "`", "/*", "*/", "//", "'", "type", "struct", "\t", "=", ","),
    *(
        _METHOD.format(name)
        for name in ("import", "None", "list", "__init__", 'a"b', "x y", "self")
    ),
)


def test_go_gives_markers_or_problems():
    chance = random.Random("go")
    spec = read_openapi(json.dumps(document_v2()).encode())
    sound, told = 0, list[str]()
    for _ in range(TRIES):
        text = _GO
        for _ in range(chance.choice((1, 1, 2, 4))):
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(_IN_GO) + text[at + chance.choice((0, 0, 1, 5, 20)) :]
        data = text.encode("utf-8", "surrogatepass")
        try:
            markers = go_types.parse([Input("v1/crate.go", "v1/crate.go", data)])
            files, modules = plan(resolve([spec], (markers,)), {})
        except ClientgenError as error:
            told += map(str, error.problems)
            continue
        sound += 1
        for path, rendered in Renderer(modules).render(files).items():
            assert not strange(rendered), (path, text)
    assert 0 < sound < TRIES
    assert all(told)


@pytest.mark.parametrize("name", ["Import", "None", "Resource", "Class", "Def", "Str", "Object"])
def test_a_method_may_be_called_like_a_word_of_python(name: str):
    data = _GO.replace("GetIt", name).encode()
    markers = go_types.parse([Input("v1/crate.go", "v1/crate.go", data)])
    spec = read_openapi(json.dumps(document_v2()).encode())
    files, modules = plan(resolve([spec], (markers,)), {})
    text = Renderer(modules).render(files)["shop/v1/clients.py"]

    named = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    assert named & {name.lower(), f"{name.lower()}_"}
    assert not strange(text)
