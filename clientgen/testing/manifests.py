"""Objects out of YAML or JSON files: several documents each, lists taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from .apiserver.decoding.yaml_text import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Manifest", "ManifestError", "Source", "manifests"]

Source: TypeAlias = Path | str

_ENDINGS: Final = frozenset({".yaml", ".yml", ".json"})
_SEPARATOR: Final = re.compile(r"^---(?=\s|$).*$", re.MULTILINE)


class ManifestError(ValueError):
    """A manifest cannot be used; the message says which, and why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object, and where it stands: `web.yaml, document 2, line 17`."""

    where: str
    value: dict[str, Any]


def manifests(source: Source) -> Iterator[Manifest]:
    """The objects of a file, of all YAML and JSON files of a folder, or of a text.

    A string is a text if it has several lines or opens with a brace, otherwise a path.

    Raises:
        ManifestError: a file cannot be read, or a document is no object.
    """
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        yield from _documents(source, "the text")
        return
    for path in _files(Path(source)):
        yield from _documents(_text(path), str(path))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.rglob("*") if each.suffix in _ENDINGS and each.is_file())
    if not found:
        raise ManifestError(f"{path}: there is no .yaml, .yml or .json file in this folder")
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise ManifestError(f"{path}: it cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ManifestError(f"{path}: it is not UTF-8 text: {error.reason}") from error


def _documents(text: str, name: str) -> Iterator[Manifest]:
    number = 0
    for line, part in _parts(text):
        number += 1
        where = f"{name}, document {number}, line {line}"
        value = _value(part, where)
        if value is None:  # nothing but comments
            number -= 1
        else:
            yield from _objects(value, where)


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The texts between the separators, each with the line it begins at."""
    start, line = 0, 1
    for match in (*_SEPARATOR.finditer(text), None):
        part = text[start : match.start()] if match else text[start:]
        blank = len(part) - len(part.lstrip())
        yield line + part.count("\n", 0, blank), part
        if match:
            line += text.count("\n", start, match.end())
            start = match.end()


def _value(part: str, where: str) -> Any:
    try:
        value, twice = load_yaml(part.encode())
    except ValueError as error:
        raise ManifestError(f"{where}: {error}") from error
    if twice:
        raise ManifestError(f"{where}: {'; '.join(twice)}")
    return value


def _objects(value: Any, where: str) -> Iterator[Manifest]:
    if not isinstance(value, dict):
        raise ManifestError(f"{where}: it is no object, but {_word(value)}")
    value = cast("dict[str, Any]", value)
    if "items" in value and str(value.get("kind", "")).endswith("List"):
        for index, item in enumerate(value["items"] or ()):
            yield from _objects(item, f"{where}, items[{index}]")
        return
    for name in ("apiVersion", "kind"):
        if not isinstance(value.get(name), str) or not value[name]:
            raise ManifestError(f"{where}: it has no {name}")
    yield Manifest(where, value)


def _word(value: object) -> str:
    return "a list" if isinstance(value, list) else "a plain value"
