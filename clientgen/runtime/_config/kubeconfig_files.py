"""Finds, reads, checks and merges kubeconfig files.

The rules are those of client-go's ClientConfigLoadingRules:
https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import ConfigError
from .file_content import read_file
from .yaml_reader import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A kubeconfig file, or a kubeconfig that is no file. `shown` is its name in messages.

    `path` is None for text and dicts. Their relative paths are relative to `base`.
    """

    path: Path | None
    shown: str
    base: Path | None = None

    @property
    def folder(self) -> Path | None:
        """The folder of relative paths; None if relative paths are not allowed."""
        return self.base if self.path is None else self.path.parent

    @classmethod
    def at(cls, path: str | os.PathLike[str], env: Mapping[str, str]) -> ConfigFile:
        """Return the file at a path. Messages show the home directory as `~`."""
        home = home_directory(env).rstrip("/")
        text = str(Path(path))
        inside = bool(home) and text.startswith(f"{home}{os.sep}")
        return cls(Path(path).absolute(), f"~{text[len(home) :]}" if inside else text)


@dataclass(frozen=True, slots=True, repr=False)
class Entry:
    """A named cluster, user or context, and its file."""

    kind: str
    name: str
    value: Mapping[str, Any]
    file: ConfigFile

    @property
    def where(self) -> str:
        """The beginning of messages about this entry."""
        return f'{self.file.shown}: {self.kind} "{self.name}"'


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """The content of a kubeconfig file, or of several merged files."""

    clusters: dict[str, Entry] = field(default_factory=dict[str, Entry])
    users: dict[str, Entry] = field(default_factory=dict[str, Entry])
    contexts: dict[str, Entry] = field(default_factory=dict[str, Entry])
    current_context: str = ""


def home_directory(env: Mapping[str, str]) -> str:
    """Return the home directory; empty if there is none, as in some containers."""
    home = env.get("HOME") or env.get("USERPROFILE") or ""
    if home or env is not os.environ:
        return home
    try:
        return str(Path.home())
    except RuntimeError:
        return ""


def config_files(env: Mapping[str, str]) -> list[ConfigFile]:
    """Return the files in KUBECONFIG, else `~/.kube/config`. They need not exist."""
    listed = env.get("KUBECONFIG", "")
    if listed:
        # As in client-go, a file that is listed twice is read once.
        paths = [path for path in dict.fromkeys(listed.split(os.pathsep)) if path]
    else:
        home = home_directory(env)
        paths = [str(Path(home, ".kube", "config"))] if home else []
    return [ConfigFile.at(path, env) for path in paths]


def read_files(files: Iterable[ConfigFile], *, must_exist: bool) -> list[Document]:
    """Read the files. Missing files are skipped, unless `must_exist`.

    Raises:
        ConfigError: a file is not valid. The message has a line for each problem of all files.
    """
    documents: list[Document] = []
    problems: list[str] = []
    for file in files:
        try:
            content = read_file(file.path or "")
            documents.append(parse_document(read_yaml(content, file.shown), file))
        except FileNotFoundError:
            if must_exist:
                problems.append(f"{file.shown}: the kubeconfig does not exist")
        except OSError as error:
            problems.append(f"{file.shown}: the kubeconfig cannot be read: {error.strerror}")
        except ValueError:
            problems.append(f"{file.shown!r} is not a path")
        except ConfigError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError("\n".join(problems))
    return documents


def merge_documents(documents: Iterable[Document]) -> Document:
    """Merge documents. An entry, or the current context, comes from the first document that has it.

    Entries of the same name are not merged field by field.
    """
    clusters: dict[str, Entry] = {}
    users: dict[str, Entry] = {}
    contexts: dict[str, Entry] = {}
    current = ""
    for document in documents:
        # The right operand of `|` wins: the entries of earlier documents.
        clusters = document.clusters | clusters
        users = document.users | users
        contexts = document.contexts | contexts
        current = current or document.current_context
    return Document(clusters, users, contexts, current)


def parse_document(content: object, file: ConfigFile) -> Document:
    """Check the structure of a file: three lists of named mappings.

    Raises:
        ConfigError: the structure is not valid. The message has a line for each problem.
    """
    if content is None:
        return Document()
    if not isinstance(content, dict):
        hint = "a kubeconfig is a mapping with clusters, users and contexts"
        raise ConfigError(f"{file.shown}: the file contains {kind_of(content)}; {hint}")
    top = cast("dict[object, object]", content)
    problems = _type_meta_problems(top, file)
    document = Document(
        _read_entries(top, "clusters", file, problems),
        _read_entries(top, "users", file, problems),
        _read_entries(top, "contexts", file, problems),
        _read_name(top.get("current-context"), f"{file.shown}: current-context", problems),
    )
    if problems:
        raise ConfigError("\n".join(problems))
    return document


def kind_of(value: object) -> str:
    """Return the type of a YAML value, for messages that must not show the value."""
    kinds: dict[type, str] = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "a mapping",
        type(None): "nothing",
    }
    return kinds.get(type(value), "something else")


def _type_meta_problems(top: dict[object, object], file: ConfigFile) -> list[str]:
    """Return a problem for a wrong apiVersion, and a problem for a wrong kind."""
    return [
        f'{file.shown}: {key} is not "{wanted}"; this is not a kubeconfig'
        for key, wanted in (("apiVersion", "v1"), ("kind", "Config"))
        if top.get(key) not in (None, "", wanted)
    ]


def _read_entries(
    top: dict[object, object], key: str, file: ConfigFile, problems: list[str]
) -> dict[str, Entry]:
    """Read one of the three lists. Invalid entries are added to `problems`."""
    listed = top.get(key)
    if listed is None:
        return {}
    if not isinstance(listed, list):
        problems.append(f"{file.shown}: {key} must be a list, not {kind_of(listed)}")
        return {}
    entries: dict[str, Entry] = {}
    for position, item in enumerate(cast("list[object]", listed)):
        entry = _read_entry(item, key.removesuffix("s"), f"{file.shown}: {key}[{position}]", file)
        if isinstance(entry, str):
            problems.append(entry)
        elif entry.name in entries:
            problems.append(f"{entry.where} appears twice; remove one of them")
        else:
            entries[entry.name] = entry
    return entries


def _read_entry(item: object, kind: str, where: str, file: ConfigFile) -> Entry | str:
    """Read an entry such as `{name: ..., cluster: {...}}`. Returns a message if it is invalid."""
    if not isinstance(item, dict):
        return f"{where} must be a mapping with name and {kind}, not {kind_of(item)}"
    fields = cast("dict[object, object]", item)
    problems: list[str] = []
    name = _read_name(fields.get("name"), f"{where}: name", problems)
    value = fields.get(kind)
    if value is not None and not isinstance(value, dict):
        problems.append(f"{where}: {kind} must be a mapping, not {kind_of(value)}")
    if problems:
        return "\n".join(problems)
    return Entry(kind, name, cast("dict[str, Any]", value or {}), file)


def _read_name(value: object, where: str, problems: list[str]) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    problems.append(f"{where} must be a string, not {kind_of(value)}; put it in quotes")
    return ""
