"""Reads a kubeconfig from files, from text, or from a dict."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..errors import ConfigError
from .file_content import MAX_FILE_BYTES
from .kubeconfig_files import (
    ConfigFile,
    Document,
    config_files,
    home_directory,
    merge_documents,
    parse_document,
    read_files,
)
from .yaml_reader import read_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

Kubeconfig: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]
"""The path of a kubeconfig, or its content as a dict."""

_TEXT = "the kubeconfig in text="
_DICT = "the kubeconfig in a dict"


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """A kubeconfig, and the files that it comes from.

    `is_content` says whether the program passed the content, instead of the path of a file.
    """

    document: Document
    files: Sequence[ConfigFile]
    is_content: bool = False

    @property
    def shown(self) -> str:
        """The names of the files, for messages."""
        return ", ".join(file.shown for file in self.files) or "KUBECONFIG or a home directory"


def read_source(
    kubeconfig: Kubeconfig | None,
    env: Mapping[str, str],
    *,
    text: str | bytes | None = None,
    base: str | os.PathLike[str] | None = None,
) -> Source:
    """Read the kubeconfig in `text`, in a dict or at a path; else the files that kubectl reads.

    Raises:
        ConfigError: the kubeconfig is not valid, or the arguments contradict each other.
    """
    if text is not None:
        if kubeconfig is not None:
            raise ConfigError("kubeconfig and text= are both given; pass one of them")
        file = _content_file(_TEXT, base)
        return _content_source(read_yaml(_checked_text(text), file.shown), file)
    if isinstance(kubeconfig, Mapping):
        return _content_source(dict(kubeconfig), _content_file(_DICT, base))
    if base is not None:
        raise ConfigError("base= is for text= and dicts: paths in a file are relative to the file")
    files = source_files(kubeconfig, env)
    return Source(merge_documents(read_files(files, must_exist=kubeconfig is not None)), files)


def source_files(
    kubeconfig: str | os.PathLike[str] | None, env: Mapping[str, str]
) -> list[ConfigFile]:
    """Return the file at a path, or else the files that kubectl reads.

    Raises:
        ConfigError: the argument is not a path.
    """
    if kubeconfig is None:
        return config_files(env)
    path = cast("object", kubeconfig)
    if isinstance(path, os.PathLike):
        path = os.fspath(cast("os.PathLike[str]", path))
    if not isinstance(path, str):
        hint = "; pass the content of a kubeconfig as text=" if isinstance(path, bytes) else ""
        raise ConfigError(f"kubeconfig is {_a_type(path)}, not a path or a dict{hint}")
    if "\n" in path:
        raise ConfigError("kubeconfig is not a path; pass the content of a kubeconfig as text=")
    if path.startswith("~/"):
        path = home_directory(env) + path[1:]
    return [ConfigFile.at(path, env)]


def _content_file(shown: str, base: str | os.PathLike[str] | None) -> ConfigFile:
    return ConfigFile(None, shown, None if base is None else Path(base).absolute())


def _content_source(content: object, file: ConfigFile) -> Source:
    return Source(parse_document(content, file), [file], is_content=True)


def _checked_text(text: object) -> bytes:
    if isinstance(text, str):
        try:
            text = text.encode()
        except UnicodeEncodeError:
            raise ConfigError(f"{_TEXT} contains half of a surrogate pair") from None
    if not isinstance(text, bytes):
        raise ConfigError(f"text= must be a string or bytes, not {_a_type(text)}")
    if len(text) > MAX_FILE_BYTES:
        raise ConfigError(f"{_TEXT} is larger than {MAX_FILE_BYTES >> 20} MiB")
    return text


def _a_type(value: object) -> str:
    return f"of type {type(value).__name__}"
