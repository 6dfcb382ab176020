"""The documents of YAML and JSON manifests, and where everything in them stands.

What kubectl takes for a document and for a list: cli-runtime, resource/visitor.go and
apimachinery, util/yaml/decoder.go.
"""

from __future__ import annotations

import json
import math
import re
from functools import cached_property
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from .._models.arguments import named
from ..errors import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from yaml import Node

    from .type_errors import FieldPath

__all__ = ["Manifest", "ManifestError", "check_source", "documents", "files", "split_lists"]

_ENDINGS: Final = frozenset({".yaml", ".yml", ".json"})
_SEPARATOR: Final = re.compile(r"^---(.*)$", re.MULTILINE)
_SPACE: Final = re.compile(r"\s*")
_WHOLE: Final = 2.0**63
_LARGEST: Final = 64 << 20  # bytes of a file


class ManifestError(ValueError):
    """Manifests cannot be used; the message says which, where and why, a line for each problem."""

    __module__ = "clientgen.runtime"  # where it is public, and tracebacks say so


class DocumentText:
    """The text of a document, parsed for lines at most once."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def root(self) -> Node | None:
        """Its YAML node; None if it has none."""
        from yaml import YAMLError

        from clientgen._yaml.composer import compose

        try:
            # JSON may be indented by tabs, which stand for themselves nowhere in it.
            is_json = self._text.lstrip().startswith("{")
            return next(compose(self._text.replace("\t", " ") if is_json else self._text), None)
        except (YAMLError, RecursionError):  # JSON that is no YAML
            return None


class Manifest(Struct, frozen=True):
    """One object, and where it stands: `web.yaml, document 2, line 17`."""

    source: str
    number: int
    """The number of the document; 0 for an object that is not from a text."""
    line: int
    """The line of the file in which the document begins."""
    text: DocumentText | None
    """The text of the whole document; None for an object that is not from a text."""
    value: Any
    """A mapping, once it is checked."""
    inside: FieldPath = ()
    """The path of the object in the document: items of a list have one."""

    @property
    def where(self) -> str:
        """The place, for messages."""
        return self.at(())

    def at(self, path: FieldPath) -> str:
        """The place of something in the object: of a field, or of what is to hold it."""
        place = self.source if self.source.isprintable() else one_line(self.source)
        if self.number:
            line = self.line_of(path)
            place = f"{place}, document {self.number}, line {line}"
        items = [step for step in self.inside if isinstance(step, int)]
        return "".join([place, *(f", items[{index}]" for index in items)])

    def line_of(self, path: FieldPath) -> int:
        """The line of something in the object; of the innermost that is there, if it is not."""
        inside = (*self.inside, *path)
        if not inside:
            return self.line
        from clientgen._yaml.composer import line_of  # PyYAML is more than start-up needs

        root = self.text.root if self.text else None
        return self.line if root is None else self.line - 1 + line_of(root, inside)

    def check(self) -> None:
        """See to it that the value is an object of some kind.

        Raises:
            ManifestError: it is not.
        """
        document: object = self.value
        if not isinstance(document, dict):
            what = "a list" if isinstance(document, list) else "a plain value"
            is_path = isinstance(document, str) and document.endswith(tuple(_ENDINGS))
            hint = "; if it is the name of a file, give a Path" if is_path else ""
            raise ManifestError(f"{self.where}: it is not an object but {what}{hint}")
        value = cast("dict[str, object]", document)
        for name in ("apiVersion", "kind"):
            entry = value.get(name)
            if not entry:
                raise ManifestError(f"{self.where}: it has no {name}")
            if not isinstance(entry, str):
                raise ManifestError(
                    f"{self.at((name,))}: its {name} is not a string; put it in quotes"
                )


def check_source(source: object) -> None:
    """See to it that manifests can be read of it.

    Raises:
        TypeError: it is not a string, bytes or a Path.
    """
    if not isinstance(source, (str, bytes, Path)):
        hint = ": give what its read() gives" if hasattr(source, "read") else ""
        raise TypeError(f"load() takes a string, bytes or a Path, not {named(source)}{hint}")


def documents(source: str | bytes | Path) -> Iterator[Manifest]:
    """The documents of a string, of a file, or of all YAML and JSON files below a folder.

    Documents of nothing but comments do not count.

    Raises:
        ManifestError: a file cannot be read, or a document is neither YAML nor JSON.
    """
    if isinstance(source, Path):
        for path in files(source):
            yield from _documents(_decoded(_read(path), str(path)), str(path))
    else:
        name = "the text"
        text = _decoded(source, name) if isinstance(source, bytes) else source
        yield from _documents(text, name)


def split_lists(
    manifest: Manifest, is_list: Callable[[Mapping[str, Any]], bool] = lambda _: True
) -> Iterator[Manifest]:
    """The objects of a document, not yet checked: itself, or the items if it is a list.

    Items of a `PodList` need not say that they are Pods.

    Args:
        manifest: the document.
        is_list: asked about what looks like a list, whether it is one.
    """
    items = _items(manifest.value)
    if items is None or not is_list(manifest.value):
        yield manifest
        return
    for index, item in enumerate(items):
        value, inside = _item(manifest.value, item), (*manifest.inside, "items", index)
        source, number, line = manifest.source, manifest.number, manifest.line
        yield from split_lists(
            Manifest(source, number, line, manifest.text, value, inside), is_list
        )


def _items(value: object) -> list[Any] | None:
    """The items of what looks like a list; none is as good as an empty list to Go."""
    if not isinstance(value, dict) or "items" not in value:
        return None
    mapping = cast("dict[str, Any]", value)
    items: object = mapping["items"] or []
    is_list = str(mapping.get("kind") or "").endswith("List") and isinstance(items, list)
    return cast("list[Any]", items) if is_list else None


def _item(of: Mapping[str, Any], item: Any) -> Any:
    kind = str(of["kind"]).removesuffix("List")
    if not kind or not isinstance(item, dict) or "kind" in item or "apiVersion" in item:
        return cast("Any", item)
    return {"apiVersion": of.get("apiVersion"), "kind": kind, **cast("dict[str, Any]", item)}


# ---- files and texts --------------------------------------------------------------------------


def files(path: Path) -> list[Path]:
    """The YAML and JSON files below a folder; a file is itself.

    Raises:
        ManifestError: there are none.
    """
    if not path.is_dir():
        return [path]
    # A link to nowhere is no file: reading it says so, passing it over would lose what is meant.
    candidates = (file for file in path.rglob("*") if file.suffix in _ENDINGS)
    paths = sorted(file for file in candidates if file.is_file() or not file.exists())
    if not paths:
        raise ManifestError(f"{path}: there is no .yaml, .yml or .json file in this folder")
    return paths


def _read(path: Path) -> bytes:
    """The content of a regular file: others may block or never end."""
    try:
        if not S_ISREG(path.stat().st_mode):
            raise ManifestError(f"{path}: it is neither a regular file nor a folder")
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise ManifestError(f"{path}: it cannot be read: {error.strerror or error}") from error
    if len(data) > _LARGEST:
        raise ManifestError(f"{path}: it is larger than {_LARGEST >> 20} MiB; split it")
    return data


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ManifestError(f"{name}: it is not UTF-8 text: {error.reason}") from error


def _documents(text: str, name: str) -> Iterator[Manifest]:
    number = 0
    for start, part in _parts(text, name):
        for line, own, value in _values(part, f"{name}, document {number + 1}", start):
            if value is not None:  # else nothing but comments
                number += 1
                yield Manifest(name, number, line, DocumentText(own), value)


def _parts(text: str, name: str) -> Iterator[tuple[int, str]]:
    """The texts between the separators, each with the line it begins at."""
    start, line = 0, 1
    for match in (*_SEPARATOR.finditer(text), None):
        yield line, text[start : match.start()] if match else text[start:]
        if match:
            line += text.count("\n", start, match.end())
            start = match.end()
            rest = match[1].strip()
            if rest and not rest.startswith("#"):
                what = "this is no separator of documents: put what follows --- on a new line"
                raise ManifestError(f"{name}, line {line}: {what}")


def _values(part: str, where: str, start: int) -> Iterator[tuple[int, str, Any]]:
    """The values of a part, with their lines and texts: of YAML one, of JSON any number."""
    text = part.lstrip()
    line = start + part.count("\n", 0, len(part) - len(text))
    if text.startswith("{"):
        try:
            values = [*_json_values(text, line)]
        except (ValueError, RecursionError):
            pass  # it may be a flow mapping of YAML; if it is not, that is told
        else:
            yield from values
            return
    # Indentation counts, so the first line is kept from its beginning.
    text = part[part.rfind("\n", 0, len(part) - len(text)) + 1 :]
    yield line, text, _yaml_value(text, f"{where}, line {line}", line)


def _yaml_value(text: str, where: str, line: int) -> Any:
    from clientgen._yaml.loader import load_yaml  # PyYAML is more than start-up needs

    try:
        value, twice = load_yaml(text.encode(), overriding=True)
        if not twice:
            return value
        # Once more, to have lines counted from the beginning of the file.
        _, twice = load_yaml(_in_place(text, line), overriding=True)
        why = "; ".join(twice)
    except ValueError as error:
        why = _why(text, line, error)
    raise ManifestError(f"{where}: {why}")


def _why(text: str, line: int, error: ValueError) -> str:
    """The same error, with its line in the file, and no value: that may be a secret."""
    from clientgen._yaml.loader import BadText, load_yaml

    try:
        load_yaml(_in_place(text, line), overriding=True)
    except ValueError as second_error:
        error = second_error
    return error.without_value if isinstance(error, BadText) else str(error)


def _in_place(text: str, line: int) -> bytes:
    return b"\n" * (line - 1) + text.encode()


# ---- JSON -------------------------------------------------------------------------------------


def _json_values(text: str, line: int) -> Iterator[tuple[int, str, Any]]:
    start = 0
    while start < len(text):
        value, end = _json.raw_decode(text, start)
        yield line, text[start:end], value
        space = _SPACE.match(text, end)
        after = space.end() if space else end
        line += text.count("\n", start, after)
        start = after


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key appears twice")  # it is read as YAML then, which tells the line
    return members


def _number(text: str) -> int | float:
    """As it is written again by Go: 1.0 is 1."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is out of range")
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


_json = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_float=_number, parse_constant=_no_constant
)
