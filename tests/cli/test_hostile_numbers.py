"""Numbers and characters that one reader of JSON or YAML takes and another does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.definitions import custom_definition, custom_version
from support.documents import document_v2, document_v3

Run = Callable[..., Result]

RAW = {
    "integer of 5,000 digits": b"9" * 5000,
    "integer of 400 digits": b"9" * 400,
    "negative": b"-" + b"9" * 400,
    "fraction": b"0." + b"3" * 5000,
    "exponent": b"1e400",
    "NaN": b"NaN",
    "Infinity": b"-Infinity",
    "half a pair": b'"\\ud800"',
    "pair the wrong way": b'"\\udfff\\ud800"',
    "encoded surrogate": b'"\xed\xa0\x80"',
    "NUL": b'"\\u0000"',
    "hexadecimal": b"0x" + b"f" * 5000,
}
HERE = "@here@"
SCHEMAS: dict[str, dict[str, Any]] = {
    "default": {"type": "integer", "default": HERE},
    "minimum": {"type": "number", "minimum": HERE},
    "maxLength": {"type": "string", "maxLength": HERE},
    "enum": {"type": "string", "enum": ["a", HERE]},
    "description": {"type": "string", "description": HERE},
    "open": {"x-kubernetes-preserve-unknown-fields": True, "default": {"a": [HERE]}},
}


def documents(schema: dict[str, Any], raw: bytes) -> dict[str, bytes]:
    properties = {"type": "object", "properties": {"a": schema}}
    whole = {"type": "object", "properties": {"spec": properties}}
    crd = custom_definition("shop.example.com", "Crate", custom_version("v1", whole))
    made = {
        "v2.json": document_v2(schema=properties),
        "v3.json": document_v3(schema=properties),
        "crd.json": crd,
        "crd.yaml": crd,
    }
    texts = {name: json.dumps(value).encode() for name, value in made.items()}
    texts["crd.yaml"] = b"---\n" + texts["crd.yaml"]
    return {name: text.replace(f'"{HERE}"'.encode(), raw) for name, text in texts.items()}


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
def test_hostile_numbers_are_read_or_reported(run: Run, raw: bytes):
    """By all of the run, which reads most documents more than once."""
    for schema in SCHEMAS.values():
        for name, data in documents(schema, raw).items():
            Path(name).write_bytes(data)
            flag = "--crd" if name.startswith("crd") else "--spec"
            result = run("resources", flag, name)
            assert result.exit_code == 0 or name in result.stderr, (name, schema)


@pytest.mark.parametrize("raw", [b"NaN", b"1e400", b"9" * 5000, b'"\\ud800"'])
def test_json_that_is_none_is_told_in_all_sources(run: Run, raw: bytes):
    for name, data in documents(SCHEMAS["open"], raw).items():
        Path(name).write_bytes(data)
        flag = "--crd" if name.startswith("crd") else "--spec"
        if name.endswith(".json"):
            result = run("resources", flag, name)
            assert result.exit_code == 1, name
            assert result.stderr.startswith(name)


def test_other_problems_in_such_a_file_have_their_line(run: Run):
    """Lines are looked up by reading the file once more."""
    broken = json.dumps(custom_definition("nowhere", "Crate")).encode()
    Path("two.json").write_bytes(
        broken + b"\n" + documents(SCHEMAS["default"], b"1e400")["crd.json"]
    )
    result = run("resources", "--crd", "two.json")
    assert result.exit_code == 1
    assert "two.json:1 #/spec/group" in result.stderr
    assert "two.json: has a number" in result.stderr


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("apis/shop.example.com/v1", {"file": "a\0b.json"}),
        ("apis/shop.example.com/v1", {"file": "\n"}),
        ("apis/shop.example.com/v1", {"file": "x" * 300}),
        ("apis/shop\0example.com/v1", {}),
        ("apis/" + "x" * 300 + "/v1", {}),
    ],
)
def test_an_index_names_files_that_can_be_there(run: Run, key: str, entry: dict[str, str]):
    Path("specs").mkdir()
    Path("specs/index.json").write_text(json.dumps({"paths": {key: entry}}))
    result = run("generate", "--spec", "specs", "--output", "out", "--package", "x")
    assert result.exit_code == 1
    assert "specs/index.json#/paths/apis~1" in result.stderr
    assert "which is not a file of the folder" in result.stderr
