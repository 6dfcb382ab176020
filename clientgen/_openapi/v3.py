"""The reader of OpenAPI v3, the documents an API server answers below /openapi/v3.

There is one for each group version, and each holds every schema that it refers to: the same schema
stands in many of them and is taken once. It says more than v2: defaults, what may be null, and the
types of custom resources in full (https://kubernetes.io/docs/concepts/overview/kubernetes-api/).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clientgen._json import is_object
from clientgen._openapi.document import Document
from clientgen._openapi.json_source import pointer
from clientgen._openapi.operation import SUCCESS, OperationReader
from clientgen._openapi.schema import KINDS, Schema, named_schemas, written_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clientgen._problems import Problems

SCHEMAS: Final = ("components", "schemas")
"""The keys that lead to the schemas of a document that have a name."""
_ANY_TYPE = "*/*"
_JSON = "application/json"


def read(document: Mapping[str, Any], shown: str) -> Document:
    """Understand a document that is sound.

    Args:
        document: what was read.
        shown: how messages call it.
    """
    named = named_schemas(document, *SCHEMAS)
    schemas = {name: Schema(raw) for name, raw in named.items()}
    reader = _Operations(document, shown)
    operations = tuple(reader.operations())
    at = shown + pointer(*SCHEMAS)
    return Document(shown, schemas, at, operations, tuple(reader.ignored))


class Held(NamedTuple):
    """A schema and the document that has it."""

    schema: Schema
    document: Document


def merge(documents: Iterable[Document], problems: Problems) -> dict[str, Held]:
    """Put the schemas of one server together: what several documents say alike is taken once.

    Args:
        documents: in the order in which the first word counts.
        problems: takes what tells that they contradict each other.
    """
    merged = _Merged(problems)
    for document in documents:
        merged.take(document)
    return {name: Held(schema, part.document) for name, (schema, part) in merged.schemas.items()}


class _Part:
    """One of the documents that are put together."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def is_home_of(self, name: str) -> bool:
        """Return whether it serves kinds of the same Go package."""
        return _package(name) in self._own_packages

    @cached_property
    def _own_packages(self) -> set[str]:
        served = {operation.group_version for operation in self.document.operations}
        return {
            _package(name)
            for name, schema in self.document.schemas.items()
            if any(kind.group_version in served for kind in schema.kinds)
        }


class _Merged:
    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self.schemas: dict[str, tuple[Schema, _Part]] = {}

    def take(self, document: Document) -> None:
        """Add the schemas of a document."""
        part = _Part(document)
        for name, schema in document.schemas.items():
            first = self.schemas.setdefault(name, (schema, part))
            if first[0].raw != schema.raw:
                self._reconcile(name, first, (schema, part))

    def _reconcile(
        self, name: str, first: tuple[Schema, _Part], second: tuple[Schema, _Part]
    ) -> None:
        united = _with_kinds_of_both(first[0], second[0])
        if united:
            self.schemas[name] = united, first[1]
        elif _is_vendored(name):
            if second[1].is_home_of(name) and not first[1].is_home_of(name):
                self.schemas[name] = second
        else:
            self._problems.add(
                second[1].document.where(name),
                f"differs from the schema of that name at {first[1].document.where(name)}",
                "Take all documents from the same API server, at the same time.",
            )


def _package(name: str) -> str:
    return name.rpartition(".")[0]


def _with_kinds_of_both(first: Schema, second: Schema) -> Schema | None:
    """The schema with the kinds that either stands for, if they differ in nothing else.

    The options of a delete stand in each document for the kinds of its own group version.
    """
    rests = [{k: v for k, v in schema.raw.items() if k != KINDS} for schema in (first, second)]
    kinds = {*first.kinds, *second.kinds}
    if rests[0] != rests[1] or not kinds:
        return None
    ordered = sorted(kinds, key=lambda kind: (kind.group, kind.kind, kind.version))
    return Schema({**first.raw, KINDS: [written_kind(kind) for kind in ordered]})


def _is_vendored(name: str) -> bool:
    """Kubernetes' own types: servers behind the aggregator have them as of their own release."""
    return name.startswith("io.k8s.")


class _Operations(OperationReader):
    """Bodies and answers have a schema for each media type."""

    def body(self, raw: dict[str, Any], item: dict[str, Any]) -> Schema | None:
        _ = item
        return _schema(self._content(raw.get("requestBody")))

    def response(self, raw: dict[str, Any]) -> Schema | None:
        responses = raw.get("responses", {})
        schemas = (_schema(self._content(responses.get(code))) for code in SUCCESS)
        return next((schema for schema in schemas if schema is not None), None)

    def consumes(self, raw: dict[str, Any]) -> Iterable[str]:
        return sorted(self._content(raw.get("requestBody")))

    def _content(self, part: object) -> dict[str, Any]:
        content: dict[str, Any] = self.followed(part).get("content", {})
        return content


def _schema(content: Mapping[str, Any]) -> Schema | None:
    """Return the schema of the JSON form; for a log, that of its text."""
    for kind in (_JSON, _ANY_TYPE, *sorted(content)):
        raw = content.get(kind, {}).get("schema")
        if is_object(raw):
            return Schema(raw)
    return None
