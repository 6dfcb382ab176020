"""Objects out of YAML or JSON files: several documents each, lists taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from clientgen.runtime._manifests.documents import Manifest, ManifestError, documents, split_lists

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Manifest", "ManifestError", "Source", "manifests"]

Source: TypeAlias = Path | str


def manifests(source: Source) -> Iterator[Manifest]:
    """The objects of a file, of all YAML and JSON files of a folder, or of a string.

    A string that has several lines or starts with a brace is YAML or JSON; any other is a path.

    Raises:
        ManifestError: a file cannot be read, or a document is no object.
    """
    is_text = isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{"))
    for document in documents(source if is_text else Path(source)):
        for manifest in split_lists(document):
            manifest.check()
            yield manifest
