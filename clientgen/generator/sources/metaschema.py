"""Is it an OpenAPI document at all? openapi-spec-validator knows.

Only the meta-schema part is asked: Kubernetes' own documents break the finer rules. Loading the
validator takes longer than its verdict, so a good verdict is remembered by the document's digest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clientgen.generator.problems import Problems
from clientgen.generator.sources.document import pointer

__all__ = ["check_metaschema", "is_known_valid", "remember_valid"]

# Raised whenever a check is added: verdicts of older checks then count no more.
_CHECKS = "1"
_AT_MOST = 20
_LONG = 200
_LARGE = 4 * 2**20


def check_metaschema(document: dict[str, Any], size: int, shown: str, problems: Problems) -> None:
    """Report where the document is not OpenAPI v2, up to a readable number of places.

    Args:
        document: what was read.
        size: how many bytes it was read from; of a large document only the first place is told,
            since looking for all of them takes a second for each megabyte of nonsense.
        shown: how messages call it.
        problems: takes the reports.
    """
    if _is_sound(document):
        return
    from jsonschema.exceptions import ValidationError
    from openapi_spec_validator import OpenAPIV2SpecValidator

    validator = OpenAPIV2SpecValidator(document).schema_validator
    if validator.is_valid(document):
        return
    if size > _LARGE:
        try:
            validator.validate(document)
        except ValidationError as first:
            _report(first, shown, problems)
        return
    errors = list(validator.iter_errors(document))
    for error in errors[:_AT_MOST]:
        _report(error, shown, problems)
    if len(errors) > _AT_MOST:
        problems.add(shown, f"{len(errors) - _AT_MOST} more places are not OpenAPI v2")


def _is_sound(document: dict[str, Any]) -> bool:
    """The validator's own schema, asked without loading the validator: it takes 0.3 s to load."""
    import jsonschema_rs

    package = find_spec("openapi_spec_validator")
    folder = package.submodule_search_locations if package else None
    schema = Path(folder[0]) / "resources/schemas/v2.0/schema.json" if folder else None
    if schema is None or not schema.is_file():
        return False  # so the validator is asked itself
    return jsonschema_rs.validator_for(json.loads(schema.read_bytes())).is_valid(document)


def _report(error: Any, shown: str, problems: Problems) -> None:
    problems.add(
        shown + pointer(*_path(error)),
        f"is not OpenAPI v2: {_shorten(str(error.message))}",
        "See the OpenAPI 2.0 specification for what may stand here.",
    )


def _path(error: Any) -> list[str | int]:
    """The place of an error; the first of a large document has it from jsonschema-rs."""
    return list(error.absolute_path or getattr(error.__cause__, "instance_path", ()))


def _shorten(message: str) -> str:
    """Messages quote the value at fault, which may be half the document."""
    message = message.partition("\n\n")[0]
    return message if len(message) <= _LONG else f"{message[:120]} … {message[-60:]}"


def is_known_valid(data: bytes) -> bool:
    """Whether these very bytes passed every check before."""
    return _verdict(data).is_file()


def remember_valid(data: bytes) -> None:
    """Note that these bytes passed. A cache that cannot be written is no one's problem."""
    verdict = _verdict(data)
    with contextlib.suppress(OSError):
        verdict.parent.mkdir(parents=True, exist_ok=True)
        verdict.touch()


def _verdict(data: bytes) -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(data).hexdigest()
    return Path(home) / "clientgen" / "valid" / f"{digest}-{_CHECKS}"
