"""The reader of OpenAPI v3, the documents an API server answers below /openapi/v3.

There is one for each group version, and each holds every schema that it refers to: the same schema
stands in many of them and is taken once. It says more than v2: defaults, what may be null, and the
types of custom resources in full (https://kubernetes.io/docs/concepts/overview/kubernetes-api/).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from clientgen._openapi.json_text import named_schemas, parse_json, pointer
from clientgen._openapi.metaschema import check_document
from clientgen._openapi.operation import OperationReader, check_unique
from clientgen._problems import ClientgenError, Problems
from clientgen.generator.api_words import Words
from clientgen.generator.sources.spec import (
    Definition,
    Input,
    Precedence,
    Schema,
    Spec,
    check_definitions,
    gvks_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["parse", "parse_documents"]

_SCHEMAS = ("components", "schemas")
_KINDS = "x-kubernetes-group-version-kind"
_SUCCESS = ("200", "201", "202")
_ANY_TYPE = "*/*"
_JSON = "application/json"


def parse(inputs: Sequence[Input]) -> Spec:
    """Understand the documents of one server.

    Raises:
        ClientgenError: with everything that keeps any of them from being sound, and where they
            contradict each other.
    """
    problems = Problems()
    documents: list[tuple[Input, dict[str, Any]]] = []
    for one in inputs:
        try:
            documents.append((one, parse_json(one.data, one.shown)))
        except ClientgenError as error:
            problems.extend(error.problems)
    return parse_documents(documents, problems)


def parse_documents(documents: Iterable[tuple[Input, dict[str, Any]]], problems: Problems) -> Spec:
    """Understand documents that were read already: see `parse`."""
    merged = _Merged(problems)
    for one, document in sorted(documents, key=lambda pair: pair[0].name):
        if _is_sound(document, one, problems):
            merged.take(_Document(document, one.shown, problems))
    spec = merged.spec()
    problems.raise_if_any()
    return spec


def _is_sound(document: dict[str, Any], one: Input, problems: Problems) -> bool:
    found = Problems()
    _check_version(document, one.shown, found)
    if not found:
        found = check_document(document, "3.0", one.data, one.shown, *_SCHEMAS)
    problems.extend(found)
    return not found


def _check_version(document: dict[str, Any], shown: str, problems: Problems) -> None:
    said = document.get("openapi")
    if isinstance(said, str) and said.startswith("3.0"):
        return
    if said is None:
        what = 'is not an OpenAPI v3 document: it does not say "openapi": "3.0..."'
    else:
        what = f"is an OpenAPI {said} document; 3.0 is what API servers speak and what is read"
    problems.add(shown, what, "An API server names its documents on /openapi/v3.")


class _Document:
    """A document that is sound by itself."""

    def __init__(self, document: dict[str, Any], shown: str, problems: Problems) -> None:
        self.shown = shown
        self.schemas: dict[str, Schema] = named_schemas(document, *_SCHEMAS)
        words = Words(problems)
        check_definitions(self.schemas, shown + pointer(*_SCHEMAS), words)
        reader = _Operations(document, shown, words)
        self.operations = tuple(reader.operations())
        self.ignored = tuple(reader.ignored)

    def definition(self, name: str) -> Definition:
        """One of its schemas."""
        where = self.shown + pointer(*_SCHEMAS, name)
        return Definition(name, self.schemas[name], where, Precedence.EXACT_DOCUMENT)

    def is_home_of(self, name: str) -> bool:
        """Whether it serves kinds of the same Go package."""
        return _package(name) in self._own_packages

    @cached_property
    def _own_packages(self) -> set[str]:
        served = {operation.group_version for operation in self.operations}
        return {
            _package(name)
            for name, schema in self.schemas.items()
            if any(gvk.group_version in served for gvk in gvks_of(schema))
        }


class _Merged:
    """Puts documents together: what several of them say alike is taken once."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._documents: list[_Document] = []
        self._definitions: dict[str, Definition] = {}
        self._holders: dict[str, _Document] = {}

    def take(self, document: _Document) -> None:
        """Add a document."""
        self._documents.append(document)
        for name, schema in document.schemas.items():
            first = self._definitions.get(name)
            if first is None:
                self._put(name, document)
            elif first.schema != schema:
                self._reconcile(first, document)

    def spec(self) -> Spec:
        """Everything that was taken."""
        operations = tuple(op for document in self._documents for op in document.operations)
        check_unique(operations, self._problems)
        return Spec(
            source=", ".join(document.shown for document in self._documents),
            definitions=dict(sorted(self._definitions.items())),
            operations=operations,
            ignored=tuple(ignored for document in self._documents for ignored in document.ignored),
            precedence=Precedence.EXACT_DOCUMENT,
        )

    def _put(self, name: str, document: _Document) -> None:
        self._definitions[name] = document.definition(name)
        self._holders[name] = document

    def _reconcile(self, first: Definition, document: _Document) -> None:
        name = first.name
        kinds = _kinds_of_both(first.schema, document.schemas[name])
        if kinds:
            self._definitions[name] = replace(first, schema={**first.schema, _KINDS: kinds})
        elif _is_vendored(name):
            if document.is_home_of(name) and not self._holders[name].is_home_of(name):
                self._put(name, document)
        else:
            self._problems.add(
                document.definition(name).where,
                f"differs from the schema of that name at {first.where}",
                "Take all documents from the same API server, at the same time.",
            )


def _package(name: str) -> str:
    return name.rpartition(".")[0]


def _kinds_of_both(first: Schema, second: Schema) -> list[Any]:
    """The kinds that either stands for, if they differ in nothing else; else nothing.

    The options of a delete stand in each document for the kinds of its own group version.
    """
    rests = [{k: v for k, v in schema.items() if k != _KINDS} for schema in (first, second)]
    if rests[0] != rests[1]:
        return []
    kinds = {
        tuple(sorted(kind.items())): kind for one in (first, second) for kind in one.get(_KINDS, [])
    }
    return [kinds[key] for key in sorted(kinds)]


def _is_vendored(name: str) -> bool:
    """Kubernetes' own types: servers behind the aggregator have them as of their own release."""
    return name.startswith("io.k8s.")


class _Operations(OperationReader):
    """Bodies and answers have a schema for each media type."""

    def body(self, raw: dict[str, Any], item: dict[str, Any]) -> Schema | None:
        _ = item
        return _schema(self._content(raw.get("requestBody", {})))

    def response(self, raw: dict[str, Any]) -> Schema | None:
        responses = raw.get("responses", {})
        found = (_schema(self._content(responses.get(code, {}))) for code in _SUCCESS)
        return next((schema for schema in found if schema is not None), None)

    def consumes(self, raw: dict[str, Any]) -> Iterable[str]:
        return (kind for kind in sorted(self._content(raw.get("requestBody", {}))))

    def _content(self, part: dict[str, Any]) -> dict[str, Any]:
        content: dict[str, Any] = self.followed(part).get("content", {})
        return content


def _schema(content: Mapping[str, Any]) -> Schema | None:
    """The schema of JSON; a log has none but that of its text."""
    for kind in (_JSON, _ANY_TYPE, *sorted(content)):
        if "schema" in content.get(kind, {}):
            schema: Schema = content[kind]["schema"]
            return schema
    return None
