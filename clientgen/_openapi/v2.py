"""The reader of OpenAPI v2, the document an API server answers on /openapi/v2.

It is weaker than v3: no defaults, and what a custom resource says beyond plain types is dropped
(https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._openapi.json_text import named_schemas, parse_json, pointer, read_file
from clientgen._openapi.metaschema import check_document
from clientgen._openapi.operation import OperationReader, check_unique
from clientgen._problems import Problems
from clientgen.generator.api_words import Words
from clientgen.generator.sources.spec import Definition, Schema, Spec, check_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["parse", "parse_document", "read"]


def read(path: Path, shown: str) -> Spec:
    """Read the document in a file.

    Args:
        path: the file.
        shown: how messages call it.

    Raises:
        ClientgenError: it cannot be read or is not a sound OpenAPI v2 document.
    """
    return parse(read_file(path, shown), shown)


def parse(data: bytes, shown: str) -> Spec:
    """Read a document: see `read`."""
    return parse_document(parse_json(data, shown), data, shown)


def parse_document(document: dict[str, Any], data: bytes, shown: str) -> Spec:
    """Understand a document.

    Args:
        document: what the bytes say.
        data: the bytes.
        shown: how messages call it.

    Raises:
        ClientgenError: it is not a sound OpenAPI v2 document.
    """
    problems = Problems()
    _check_version(document, shown, problems)
    problems.raise_if_any()
    check_document(document, "2.0", data, shown, "definitions").raise_if_any()
    schemas = named_schemas(document, "definitions")
    words = Words(problems)
    check_definitions(schemas, shown + pointer("definitions"), words)
    reader = _Operations(document, shown, words)
    operations = tuple(reader.operations())
    check_unique(operations, problems)
    problems.raise_if_any()
    definitions = {
        name: Definition(name, schema, shown + pointer("definitions", name))
        for name, schema in sorted(schemas.items())
    }
    return Spec(shown, definitions, operations, tuple(reader.ignored))


def _check_version(document: dict[str, Any], shown: str, problems: Problems) -> None:
    if document.get("swagger") != "2.0":
        what = (
            'is not an OpenAPI document: it says neither "swagger": "2.0" nor "openapi": "3.0..."'
        )
        problems.add(shown, what, "`clientgen spec pull` fetches one from your cluster.")


class _Operations(OperationReader):
    """Bodies are parameters, and a response has one schema for all media types."""

    def body(self, raw: dict[str, Any], item: dict[str, Any]) -> Schema | None:
        found = (p.get("schema") for p in self.parameters(raw, item) if p.get("in") == "body")
        return next(found, None)

    def response(self, raw: dict[str, Any]) -> Schema | None:
        responses = raw.get("responses", {})
        found = (self.followed(responses.get(code, {})) for code in ("200", "201", "202"))
        return next((answer["schema"] for answer in found if "schema" in answer), None)

    def consumes(self, raw: dict[str, Any]) -> Iterable[str]:
        consumes: list[str] = raw.get("consumes", [])
        return consumes
