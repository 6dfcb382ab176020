"""Is it an OpenAPI document at all? The schemas of openapi-spec-validator know.

Only the meta-schema part is asked: Kubernetes' own documents break the finer rules, such as that a
default fits its own schema.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from clientgen._openapi.json_source import (
    FLATTER,
    TOO_DEEP,
    duplicate_keys,
    pointer,
    too_deep,
)
from clientgen._openapi.references import check_references
from clientgen._problems import Problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Edition = Literal["2.0", "3.0"]

CHECKS: Final = "openapi 4"
"""Names the checks and their edition, which is raised whenever one is added."""
_MAX_PROBLEMS = 20
_MAX_PROBLEM_CHARS = 200
_LARGE_DOCUMENT_BYTES = 4 * 2**20


def check_document(
    document: dict[str, Any], edition: Edition, data: bytes, shown: str, *schemas: str
) -> Problems:
    """Tell everything that keeps a document from being sound.

    Args:
        document: what was read.
        edition: the specification it says it follows.
        data: the bytes it was read from.
        shown: how messages call it.
        schemas: the keys that lead to its named schemas.
    """
    problems = Problems()
    deep = too_deep(document)
    if deep:
        problems.add(shown + pointer(*deep), TOO_DEEP, FLATTER)
        return problems
    duplicate_keys(data, shown, problems)
    check_metaschema(document, edition, len(data), shown, problems)
    if not problems:
        check_references(document, shown, problems, *schemas)
    return problems


def check_metaschema(
    document: dict[str, Any], edition: Edition, size: int, shown: str, problems: Problems
) -> None:
    """Report where the document is not OpenAPI, up to a readable number of places.

    Args:
        document: what was read.
        edition: the specification it says it follows.
        size: how many bytes it was read from; of a large document only the first place is told,
            since looking for all of them takes a second for each megabyte of nonsense.
        shown: how messages call it.
        problems: takes the reports.
    """
    validator = _validator(edition)
    if validator.is_valid(document):
        return
    reported = (
        _first(validator, document)
        if size > _LARGE_DOCUMENT_BYTES
        else validator.iter_errors(document)
    )
    errors: dict[str, str] = {}
    for error in chain.from_iterable(map(_innermost, reported)):
        errors.setdefault(pointer(*error.instance_path), _shorten(str(error.message)))
    for place, message in list(errors.items())[:_MAX_PROBLEMS]:
        problems.add(
            shown + place,
            f"is not OpenAPI v{edition[0]}: {message}",
            f"See the OpenAPI {edition} specification for what may stand here.",
        )
    if len(errors) > _MAX_PROBLEMS:
        problems.add(
            shown, f"{len(errors) - _MAX_PROBLEMS} more places are not OpenAPI v{edition[0]}"
        )


@cache
def _validator(edition: Edition) -> Any:
    """The validator's own schema, asked without loading the validator: it takes 0.3 s to load."""
    import jsonschema_rs  # late: reading documents that are known to be valid does without

    package = find_spec("openapi_spec_validator")
    folder = package.submodule_search_locations if package else None
    schema = Path(folder[0]) / f"resources/schemas/v{edition}/schema.json" if folder else None
    if schema and schema.is_file():
        content = json.loads(schema.read_bytes())
    else:
        from openapi_spec_validator.schemas.utils import get_schema_content  # it knows where it is

        content = dict(get_schema_content(edition))
    # Patterns of Kubernetes are Go's regular expressions, which no validator of JSON reads.
    return jsonschema_rs.validator_for(content, validate_formats=False)


def _first(validator: Any, document: dict[str, Any]) -> list[Any]:
    from jsonschema_rs import ValidationError

    try:
        validator.validate(document)
    except ValidationError as error:
        return [error]
    return []


def _innermost(error: Any) -> Iterator[Any]:
    """Yield the errors of a value against the alternative that it nearly fits.

    Nearly everything in OpenAPI v3 may also be a reference. A message that `$ref` is missing would
    help nobody who wrote something else.
    """
    alternatives = [branch for branch in getattr(error.kind, "context", ()) if branch]
    if not alternatives:
        yield error
        return
    for part in max(alternatives, key=_depth):
        yield from _innermost(part)


def _depth(errors: Iterable[Any]) -> int:
    return max(len(error.instance_path) for error in errors)


def _shorten(message: str) -> str:
    """Messages quote the value at fault, which may be half the document."""
    return message if len(message) <= _MAX_PROBLEM_CHARS else f"{message[:120]} … {message[-60:]}"
