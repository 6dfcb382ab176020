"""Splits YAML and JSON manifests into documents, and finds the lines of their fields.

Documents and lists are recognized as in kubectl: cli-runtime, resource/visitor.go and
apimachinery, util/yaml/decoder.go.
"""

from __future__ import annotations

import json
import math
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from .._models.arguments import type_of
from ..errors import one_line
from .manifest_files import SUFFIXES, files, texts
from .manifest_text import ManifestError, ManifestText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from yaml import Node

    from .type_errors import FieldPath

__all__ = [
    "DocumentText",
    "Manifest",
    "ManifestError",
    "ManifestText",
    "check_source",
    "documents",
    "files",
    "split_lists",
]

_SEPARATOR: Final = re.compile(r"^---(.*)$", re.MULTILINE)
_SPACE: Final = re.compile(r"\s*")
_INT64_LIMIT: Final = 2.0**63


class DocumentText:
    """The text of a document. It is parsed at most once, to find the lines of fields."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def root(self) -> Node | None:
        """The YAML node of the document; None if the text is not YAML."""
        from yaml import YAMLError

        from clientgen._yaml.composer import compose

        try:
            # YAML allows no tabs as indentation. In JSON, tabs are white space.
            is_json = self._text.lstrip().startswith("{")
            return next(compose(self._text.replace("\t", " ") if is_json else self._text), None)
        except (YAMLError, RecursionError):  # the text is JSON, but not valid YAML
            return None


class Manifest(Struct, frozen=True):
    """An object with its place: `web.yaml, document 2, line 17`."""

    source: str
    number: int
    """The number of the document, from 1; 0 for an object that was not read from text."""
    line: int
    """The line of the file in which the document begins."""
    text: DocumentText | None
    """The text of the whole document; None for an object that was not read from text."""
    value: Any
    """The object: a mapping after `check`, a value of any type before."""
    inside: FieldPath = ()
    """The path of the object in the document: empty, or the path of an item of a list."""

    @property
    def where(self) -> str:
        """The place of the object, for messages."""
        return self.at(())

    def at(self, path: FieldPath) -> str:
        """Return the place of a field, or of the innermost existing field on its path."""
        place = self.source if self.source.isprintable() else one_line(self.source)
        if self.number:
            line = self.line_of(path)
            place = f"{place}, document {self.number}, line {line}"
        items = [step for step in self.inside if isinstance(step, int)]
        return "".join([place, *(f", items[{index}]" for index in items)])

    def line_of(self, path: FieldPath) -> int:
        """Return the line of a field, or of the innermost existing field on its path."""
        inside = (*self.inside, *path)
        if not inside:
            return self.line
        from clientgen._yaml.composer import line_of  # imported late: PyYAML is large

        root = self.text.root if self.text else None
        return self.line if root is None else self.line - 1 + line_of(root, inside)

    def check(self) -> None:
        """Check that the value is a mapping with an apiVersion and a kind.

        Raises:
            ManifestError: the value is not such a mapping.
        """
        document: object = self.value
        if not isinstance(document, dict):
            actual = "a list" if isinstance(document, list) else "a plain value"
            is_path = isinstance(document, str) and (
                document.endswith(tuple(SUFFIXES)) or "/" in document
            )
            hint = "; to read a file or a folder, pass a Path" if is_path else ""
            raise ManifestError(f"{self.where}: the manifest is {actual}, not an object{hint}")
        value = cast("dict[str, object]", document)
        for name in ("apiVersion", "kind"):
            entry = value.get(name)
            if not entry:
                # The output of `helm install --dry-run`, `helm get all` and `helm status`.
                is_release = "LAST DEPLOYED" in value
                hint = "; pass the output of `helm template`" if is_release else ""
                raise ManifestError(f"{self.where}: the manifest has no {name}{hint}")
            if not isinstance(entry, str):
                raise ManifestError(f"{self.at((name,))}: {name} is not a string; put it in quotes")


def check_source(source: object) -> None:
    """Check the source of manifests.

    Raises:
        TypeError: the source is not a string, bytes, a ManifestText or a Path.
    """
    if not isinstance(source, (str, bytes, ManifestText, Path)):
        hint = ": pass the result of its read()" if hasattr(source, "read") else ""
        raise TypeError(f"load() takes a string, bytes or a Path, not {type_of(source)}{hint}")


def documents(source: str | bytes | ManifestText | Path) -> Iterator[Manifest]:
    """Yield the documents of a text, of a file, or of all YAML and JSON files below a folder.

    Documents without content, or with comments only, are skipped and not counted.

    Raises:
        ManifestError: a file cannot be read, a kustomization cannot be built, or a document is
            neither YAML nor JSON.
    """
    for each in texts(source):
        yield from _documents_in(each.text, each.source)


def split_lists(
    manifest: Manifest, is_list: Callable[[Mapping[str, Any]], bool] = lambda _: True
) -> Iterator[Manifest]:
    """Yield the items of a document that is a list, or else the document. Nothing is checked.

    Items of a `PodList` without apiVersion and kind are Pods.

    Args:
        manifest: the document.
        is_list: returns whether an object that looks like a list is a list.
    """
    items = _list_items(manifest.value)
    if items is None or not is_list(manifest.value):
        yield manifest
        return
    for index, item in enumerate(items):
        value, inside = _with_type_meta(manifest.value, item), (*manifest.inside, "items", index)
        source, number, line = manifest.source, manifest.number, manifest.line
        yield from split_lists(  # an item may be a list, too
            Manifest(source, number, line, manifest.text, value, inside), is_list
        )


def _list_items(value: object) -> list[Any] | None:
    """Return the items of an object that looks like a list; None for other objects.

    `items: null` is an empty list, as in Go.
    """
    if not isinstance(value, dict) or "items" not in value:
        return None
    mapping = cast("dict[str, Any]", value)
    items: object = mapping["items"] or []
    is_list = str(mapping.get("kind") or "").endswith("List") and isinstance(items, list)
    return cast("list[Any]", items) if is_list else None


def _with_type_meta(of: Mapping[str, Any], item: Any) -> Any:
    kind = str(of["kind"]).removesuffix("List")
    if not kind or not isinstance(item, dict) or "kind" in item or "apiVersion" in item:
        return cast("Any", item)
    return {"apiVersion": of.get("apiVersion"), "kind": kind, **cast("dict[str, Any]", item)}


# ---- texts ------------------------------------------------------------------------------------


def _documents_in(text: str, name: str) -> Iterator[Manifest]:
    number = 0
    for start, part in _split_documents(text, name):
        for line, own, value in _values_of_part(part, f"{name}, document {number + 1}", start):
            if value is not None:  # None is an empty document
                number += 1
                yield Manifest(name, number, line, DocumentText(own), value)


def _split_documents(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield the texts between the separators, each with the number of its first line."""
    start, line = 0, 1
    for match in (*_SEPARATOR.finditer(text), None):  # None is the end of the text
        yield line, text[start : match.start()] if match else text[start:]
        if match:
            line += text.count("\n", start, match.end())
            start = match.end()
            rest = match[1].strip()
            if rest and not rest.startswith("#"):
                message = "the separator `---` is followed by text: move the text to the next line"
                raise ManifestError(f"{name}, line {line}: {message}")


def _values_of_part(part: str, where: str, start: int) -> Iterator[tuple[int, str, Any]]:
    """Yield (line, text, value) for a part: one YAML value, or any number of JSON values."""
    text = part.lstrip()
    line = start + part.count("\n", 0, len(part) - len(text))
    if text.startswith("{"):
        try:
            values = [*_json_values(text, line)]
        except (ValueError, RecursionError):
            pass  # not JSON, but maybe a flow mapping of YAML; the YAML reader reports errors
        else:
            yield from values
            return
    # Indentation matters in YAML, so the first line keeps its leading spaces.
    text = part[part.rfind("\n", 0, len(part) - len(text)) + 1 :]
    yield line, text, _yaml_value(text, f"{where}, line {line}", line)


def _yaml_value(text: str, where: str, line: int) -> Any:
    from clientgen._yaml.loader import load_yaml  # imported late: PyYAML is large

    try:
        value, duplicates = load_yaml(text.encode(), overriding=True)
        if not duplicates:
            return value
        # Load the text again, so that messages count lines from the beginning of the file.
        _, duplicates = load_yaml(_with_offset(text, line), overriding=True)
        reason = "; ".join(duplicates)
    except ValueError as error:
        reason = _reason(text, line, error)
    raise ManifestError(f"{where}: {reason}")


def _reason(text: str, line: int, error: ValueError) -> str:
    """Return the message of an error with the line in the file, and without secret values."""
    from clientgen._yaml.loader import BadText, load_yaml

    try:
        load_yaml(_with_offset(text, line), overriding=True)
    except ValueError as second_error:
        error = second_error
    return error.without_value if isinstance(error, BadText) else str(error)


def _with_offset(text: str, line: int) -> bytes:
    """Return the text after empty lines, so that its first line has this number."""
    return b"\n" * (line - 1) + text.encode()


# ---- JSON -------------------------------------------------------------------------------------


def _json_values(text: str, line: int) -> Iterator[tuple[int, str, Any]]:
    start = 0
    while start < len(text):
        value, end = _json_decoder.raw_decode(text, start)
        yield line, text[start:end], value
        space = _SPACE.match(text, end)
        next_start = space.end() if space else end
        line += text.count("\n", start, next_start)
        start = next_start


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key appears twice")  # the YAML reader then reports the key and its line
    return members


def _parse_number(text: str) -> int | float:
    """Parse a number. A whole number becomes an int, because Go writes 1.0 as 1."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is out of range")
    return int(value) if value.is_integer() and abs(value) < _INT64_LIMIT else value


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


_json_decoder = json.JSONDecoder(
    object_pairs_hook=_without_duplicates,
    parse_float=_parse_number,
    parse_constant=_refuse_constant,
)
