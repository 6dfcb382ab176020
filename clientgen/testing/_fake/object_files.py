"""Reads objects from YAML and JSON: from files with several documents, and from lists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from clientgen._apimachinery.failures import Failure
from clientgen.runtime._manifests.manifest_documents import (
    Manifest,
    ManifestError,
    documents,
    files,
    split_lists,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen.testing._apiserver.server import ApiServer

__all__ = ["Manifest", "ManifestError", "Source", "files", "manifests", "put", "put_manifest"]

Source: TypeAlias = Path | str


def manifests(source: Source) -> Iterator[Manifest]:
    """Yield the objects of a file, of all YAML and JSON files of a folder, or of a string.

    A string that has several lines or starts with a brace is YAML or JSON; other strings are paths.

    Raises:
        ManifestError: a file cannot be read, or a document is not an object.
    """
    is_text = isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{"))
    for document in documents(source if is_text else Path(source)):
        for manifest in split_lists(document):
            manifest.check()
            yield manifest


def put(server: ApiServer, value: dict[str, Any]) -> None:
    """Store an object. The kind of a stored CustomResourceDefinition is served at once.

    Raises:
        ValueError: the object is invalid.
    """
    try:
        server.put(value)
    except Failure as failure:
        raise ValueError(failure.message) from failure
    server.run_due()


def put_manifest(server: ApiServer, manifest: Manifest) -> None:
    """Store the object of a manifest, like `put`.

    Raises:
        ManifestError: the object is invalid; the message names its place.
    """
    try:
        put(server, manifest.value)
    except ValueError as error:
        raise ManifestError(f"{manifest.where}: {error}") from None
