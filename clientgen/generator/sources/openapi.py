"""An OpenAPI source as users name it: a v2 document, a v3 document, or a folder of v3.

The content of a file decides what it is, not its name. `clientgen._openapi` reads documents; this
module checks them first, and their words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from clientgen._json import is_object
from clientgen._openapi import v2, v3
from clientgen._openapi.document import Document
from clientgen._openapi.json_source import parse_json, pointer
from clientgen._openapi.metaschema import CHECKS, Edition, check_document
from clientgen._openapi.operation import Operation, check_unique
from clientgen._openapi.schema import KINDS
from clientgen._problems import ClientgenError, Problems
from clientgen.generator.api_words import DEFINITION, PLURAL, SUBRESOURCE, Words
from clientgen.generator.sources.files import read_file
from clientgen.generator.sources.folder import gather_folder
from clientgen.generator.sources.spec import Definition, Input, Precedence, Spec
from clientgen.generator.user_cache import is_known_sound, remember_sound


def gather(path: Path, name: str) -> tuple[Input, ...]:
    """Read a document, or the documents of a folder with an index.

    Args:
        path: the file or the folder.
        name: what it is called on every machine.

    Raises:
        ClientgenError: with everything that cannot be read.
    """
    if path.is_dir():
        return gather_folder(path, name)
    return (Input(name, str(path), read_file(path, str(path))),)


def parse(inputs: Sequence[Input]) -> Spec:
    """Understand what `gather` read of one file or folder.

    Raises:
        ClientgenError: with everything that keeps any document from being sound, and where they
            contradict each other.
    """
    problems = Problems()
    documents = _decoded(inputs, problems)
    if len(inputs) == 1 and len(documents) == 1 and "openapi" not in documents[0][1]:
        return _parse_v2(*documents[0])
    return _parse_v3(documents, problems)


def _decoded(inputs: Iterable[Input], problems: Problems) -> list[tuple[Input, dict[str, Any]]]:
    documents: list[tuple[Input, dict[str, Any]]] = []
    for one in inputs:
        try:
            documents.append((one, parse_json(one.data, one.shown)))
        except ClientgenError as error:
            problems.extend(error.problems)
    return documents


def _parse_v2(one: Input, raw: dict[str, Any]) -> Spec:
    problems = Problems()
    if raw.get("swagger") != "2.0":
        what = 'is not an OpenAPI document: it has neither "swagger": "2.0" nor "openapi": "3.0..."'
        problems.add(one.shown, what, "`clientgen spec pull` fetches one from your cluster.")
        problems.raise_if_any()
    notes = _described(raw, one.shown)
    problems.extend(_check_once(raw, "2.0", one, *v2.SCHEMAS))
    problems.raise_if_any()
    document = v2.read(raw, one.shown)
    _check_words(document, problems)
    definitions = {
        name: Definition(name, schema, document.where(name), Precedence.DOCUMENT)
        for name, schema in sorted(document.schemas.items())
    }
    return _spec([document], definitions, Precedence.DOCUMENT, problems, notes)


def _parse_v3(documents: Iterable[tuple[Input, dict[str, Any]]], problems: Problems) -> Spec:
    read: list[Document] = []
    notes = Problems()
    for one, raw in sorted(documents, key=lambda pair: pair[0].name):
        notes.extend(_described(raw, one.shown))
        unsound = _unsound_v3(raw, one)
        problems.extend(unsound)
        if not unsound:
            read.append(v3.read(raw, one.shown))
            _check_words(read[-1], problems)
    precedence = Precedence.EXACT_DOCUMENT
    definitions = {
        name: Definition(name, schema, document.where(name), precedence)
        for name, (schema, document) in sorted(v3.merge(read, problems).items())
    }
    return _spec(read, definitions, precedence, problems, notes)


def _described(raw: dict[str, Any], shown: str) -> Problems:
    """Give a description to responses without one, which OpenAPI wants and nothing here needs.

    Returns:
        A note, if there were any.
    """
    places: list[str] = []
    for path, method, operation in _operations(raw):
        responses = operation.get("responses")
        for code, response in responses.items() if is_object(responses) else ():
            if is_object(response) and not response.keys() & {"description", "$ref"}:
                response["description"] = ""
                places.append(shown + pointer("paths", path, method, "responses", code))
    notes = Problems()
    if places:
        more = f", and so have {len(places) - 1} more" if len(places) > 1 else ""
        what = f"has no description{more}"
        notes.add(places[0], what, "Nothing that is generated depends on it.")
    return notes


def _operations(raw: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    paths = raw.get("paths")
    for path, item in paths.items() if is_object(paths) else ():
        for method, operation in item.items() if is_object(item) else ():
            if is_object(operation):
                yield path, method, operation


def _unsound_v3(raw: dict[str, Any], one: Input) -> Problems:
    stated = raw.get("openapi")
    if isinstance(stated, str) and stated.startswith("3.0"):
        return _check_once(raw, "3.0", one, *v3.SCHEMAS)
    if stated is None:
        what = 'is not an OpenAPI v3 document: it does not have "openapi": "3.0..."'
    else:
        what = f"is an OpenAPI {stated} document; clientgen reads 3.0, as API servers do"
    problems = Problems()
    problems.add(one.shown, what, "An API server lists its documents at /openapi/v3.")
    return problems


def _check_once(raw: dict[str, Any], edition: Edition, one: Input, *schemas: str) -> Problems:
    """Check a document, unless its very bytes were found sound before."""
    if is_known_sound(CHECKS, one.data):
        return Problems()
    problems = check_document(raw, edition, one.data, one.shown, *schemas)
    if not problems:
        remember_sound(CHECKS, one.data)
    return problems


def _spec(
    documents: Sequence[Document],
    definitions: Mapping[str, Definition],
    precedence: Precedence,
    problems: Problems,
    notes: Problems,
) -> Spec:
    operations = tuple(chain.from_iterable(document.operations for document in documents))
    check_unique(operations, problems, notes)
    problems.raise_if_any()
    return Spec(
        source=", ".join(document.shown for document in documents),
        definitions=definitions,
        operations=operations,
        ignored=tuple(chain.from_iterable(document.ignored for document in documents)),
        precedence=precedence,
        notes=tuple(notes),
    )


# ------------------------------------------------------------------------------------- words


def _check_words(document: Document, problems: Problems) -> None:
    """Check that names, paths and kinds are made of words that a server could serve."""
    words, at_kinds = Words(problems), pointer(KINDS)[1:]
    for name, schema in document.schemas.items():
        where = document.where(name)
        words.fit(name, DEFINITION, where)
        for kind in schema.kinds:
            words.name(kind, where + at_kinds)
    for operation in document.operations:
        _check_operation(operation, words)


def _check_operation(operation: Operation, words: Words) -> None:
    words.name(operation.group_version, operation.where)
    for kind in operation.kinds:
        words.name(kind, operation.where)
    words.fit(operation.plural, PLURAL, operation.where)
    if operation.subresource:
        words.fit(operation.subresource, SUBRESOURCE, operation.where)
