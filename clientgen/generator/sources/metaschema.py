"""Is it an OpenAPI document at all? openapi-spec-validator knows.

Only the meta-schema part is asked: Kubernetes' own documents break the finer rules. Loading the
validator takes longer than its verdict, so a good verdict is remembered by the document's digest.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clientgen.generator.problems import Problems
from clientgen.generator.sources.document import pointer

__all__ = ["check_metaschema", "is_known_valid", "remember_valid"]

# Raised whenever a check is added: verdicts of older checks then count no more.
_CHECKS = "1"
_AT_MOST = 20
_LONG = 200


def check_metaschema(document: dict[str, Any], shown: str, problems: Problems) -> None:
    """Report where the document is not OpenAPI v2, up to a readable number of places."""
    from openapi_spec_validator import OpenAPIV2SpecValidator

    errors: Iterable[Any] = OpenAPIV2SpecValidator(document).schema_validator.iter_errors(document)
    for count, error in enumerate(errors):
        if count == _AT_MOST:
            problems.add(shown, f"more than {_AT_MOST} places are not OpenAPI v2")
            return
        problems.add(
            shown + pointer(*_path(error)),
            f"is not OpenAPI v2: {_shorten(str(error.message))}",
            "See the OpenAPI 2.0 specification for what may stand here.",
        )


def _path(error: Any) -> list[str | int]:
    """Jsonschema and jsonschema-rs name the place differently."""
    found = getattr(error, "absolute_path", None)
    return list(found if found is not None else error.instance_path)


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
