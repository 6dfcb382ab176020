"""The reader of OpenAPI v2, the document an API server answers on /openapi/v2.

It is weaker than v3: no defaults, and what a custom resource says beyond plain types is dropped
(https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_object
from clientgen._openapi.document import Document
from clientgen._openapi.json_source import pointer
from clientgen._openapi.operation import SUCCESS, OperationReader
from clientgen._openapi.schema import Schema, named_schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCHEMAS: Final = ("definitions",)
"""The path in a document to the schemas that have a name."""


def read(document: Mapping[str, Any], shown: str) -> Document:
    """Understand a document that is sound.

    Args:
        document: what was read.
        shown: how messages call it.
    """
    named = named_schemas(document, *SCHEMAS)
    schemas = {name: Schema(raw) for name, raw in named.items()}
    reader = Operations(document, shown)
    operations = tuple(reader.operations())
    at = shown + pointer(*SCHEMAS)
    return Document(shown, schemas, at, operations, tuple(reader.ignored))


class Operations(OperationReader):
    """Bodies are parameters, and a response has one schema for all media types."""

    def body(self, raw: dict[str, Any], item: dict[str, Any]) -> Schema | None:
        schemas = (p.get("schema") for p in self.parameters(raw, item) if p.get("in") == "body")
        return _schema(next(schemas, None))

    def response(self, raw: dict[str, Any]) -> Schema | None:
        responses = raw.get("responses", {})
        answers = (self.followed(responses.get(code)) for code in SUCCESS)
        return _schema(next((answer["schema"] for answer in answers if "schema" in answer), None))

    def consumes(self, raw: dict[str, Any]) -> Iterable[str]:
        consumes: list[str] = raw.get("consumes", [])
        return consumes


def _schema(raw: Any) -> Schema | None:
    return Schema(raw) if is_object(raw) else None
