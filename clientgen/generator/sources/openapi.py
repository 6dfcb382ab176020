"""An OpenAPI source as users name it: a v2 document, a v3 document, or a folder of v3.

What a file holds is told by what it says, not by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clientgen.generator.problems import Problems
from clientgen.generator.sources import openapi_v2, openapi_v3
from clientgen.generator.sources.document import parse_json
from clientgen.generator.sources.spec import Input, Spec

__all__ = ["gather", "parse"]


def gather(path: Path, name: str) -> tuple[Input, ...]:
    """Read the file or the documents of the folder: see `openapi_v3.gather`."""
    return openapi_v3.gather(path, name)


def parse(inputs: Sequence[Input]) -> Spec:
    """Understand what `gather` read of one file or folder.

    Raises:
        ClientgenError: with all that is wrong with any of it.
    """
    if len(inputs) != 1:
        return openapi_v3.parse(inputs)
    (one,) = inputs
    document = parse_json(one.data, one.shown)
    if "openapi" in document:
        return openapi_v3.parse_documents([(one, document)], Problems())
    return openapi_v2.parse_document(document, one.data, one.shown)
