"""An OpenAPI source as users name it: a v2 document, a v3 document, or a folder of v3.

What a file holds is told by what it says, not by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clientgen._openapi import v2, v3
from clientgen._openapi.json_text import parse_json, read_file
from clientgen._problems import Problems
from clientgen.generator.sources.folder import gather_folder
from clientgen.generator.sources.spec import Input, Spec

__all__ = ["gather", "parse"]


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
        ClientgenError: with all that is wrong with any of it.
    """
    if len(inputs) != 1:
        return v3.parse(inputs)
    (one,) = inputs
    document = parse_json(one.data, one.shown)
    if "openapi" in document:
        return v3.parse_documents([(one, document)], Problems())
    return v2.parse_document(document, one.data, one.shown)
