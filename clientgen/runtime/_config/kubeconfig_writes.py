"""Lists the contexts of a kubeconfig, and changes kubeconfig files, as `kubectl config` does.

The rules, such as which of the files in KUBECONFIG is changed, are those of client-go's
`clientcmd.ModifyConfig`. Fields that clientgen does not know are kept; comments are not.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import ConfigError
from .file_content import read_file
from .kubeconfig_files import ConfigFile, parse_document, read_files
from .kubeconfig_source import read_source, source_files
from .yaml_reader import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from .kubeconfig_files import Document, Entry
    from .kubeconfig_source import Kubeconfig

_PATHS = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
_LISTS = (("clusters", "cluster"), ("users", "user"), ("contexts", "context"))
_OWNER_ONLY = 0o600
_LOCK_TRIES = 20
_LOCK_PAUSE_SECONDS = 0.05
_threads = threading.Lock()


@dataclass(frozen=True, slots=True)
class KubeContext:
    """A context of a kubeconfig: the names of its cluster and user, and its namespace."""

    name: str
    cluster: str
    user: str
    namespace: str
    is_current: bool


def contexts(
    kubeconfig: Kubeconfig | None = None,
    *,
    text: str | bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> list[KubeContext]:
    """Return the contexts of a kubeconfig, as `kubectl config get-contexts` lists them.

    The arguments are those of `load_config`. Without a kubeconfig, the list is empty.

    Raises:
        ConfigError: the kubeconfig is not valid.
    """
    document = read_source(kubeconfig, os.environ if env is None else env, text=text).document
    return [
        KubeContext(
            name,
            cluster=_shown(entry.value.get("cluster")),
            user=_shown(entry.value.get("user")),
            namespace=_shown(entry.value.get("namespace")) or "default",
            is_current=name == document.current_context,
        )
        for name, entry in sorted(document.contexts.items())
    ]


def _shown(value: object) -> str:
    return value if isinstance(value, str) else ""


def use_context(
    name: str,
    kubeconfig: str | os.PathLike[str] | None = None,
    *,
    env: Mapping[str, str] | None = None,
) -> None:
    """Make a context the current one, as `kubectl config use-context` does.

    With several files in KUBECONFIG, the first that has a current context is changed.

    Args:
        name: The name of the context.
        kubeconfig: The file to change; by default, the files that kubectl uses.
        env: The environment variables to use instead of those of the process.

    Raises:
        ConfigError: there is no such context, or the file cannot be changed.
    """
    files = source_files(kubeconfig, os.environ if env is None else env)
    documents = [(file, _read(file)) for file in files]
    known = [key for _, document in documents if document for key in document.contexts]
    if name not in known:
        names = ", ".join(dict.fromkeys(known)) or "none"
        raise ConfigError(f'context "{name}" does not exist; existing names: {names}')
    chosen = (file for file, document in documents if document and document.current_context)
    file = next(chosen, None) or _default_file(files)
    _change(file, lambda content, _: content.update({"current-context": name}))


def merge_kubeconfig(
    source: Kubeconfig | None = None,
    kubeconfig: str | os.PathLike[str] | None = None,
    *,
    text: str | bytes | None = None,
    base: str | os.PathLike[str] | None = None,
    replace: bool = False,
    env: Mapping[str, str] | None = None,
) -> None:
    """Add the clusters, users and contexts of a kubeconfig to a file. Its current context stays.

    Relative paths become absolute. A new file is readable by its owner only.

    Args:
        source: The kubeconfig to add: the path of a file, or a dict.
        kubeconfig: The file to change; by default, the file that kubectl would change.
        text: The kubeconfig to add, as YAML or JSON, instead of `source`.
        base: The folder of relative paths in `text` or in a dict.
        replace: Whether entries of the file are replaced by entries with the same name.
        env: The environment variables to use instead of those of the process.

    Raises:
        ConfigError: a kubeconfig is not valid, both have different entries with the same name, or
            the file cannot be changed. The file is unchanged then.
    """
    env = os.environ if env is None else env
    if source is None and text is None:
        raise ConfigError("there is no kubeconfig to add; pass a path, a dict or text=")
    document = read_source(source, env, text=text, base=base).document
    added: dict[str, dict[str, Entry]] = {
        "clusters": document.clusters,
        "users": document.users,
        "contexts": document.contexts,
    }
    entries = {
        key: [{"name": each.name, kind: _with_absolute_paths(each)} for each in added[key].values()]
        for key, kind in _LISTS
    }

    def merge(content: dict[str, Any], shown: str) -> None:
        for key, kind in _LISTS:
            content[key] = _merged(content.get(key) or [], entries[key], kind, replace, shown)
        content["current-context"] = content.get("current-context") or document.current_context

    _change(_default_file(source_files(kubeconfig, env)), merge)


def save_tokens(user: Entry, tokens: Mapping[str, str]) -> None:
    """Write new tokens into the auth-provider of a user.

    Raises:
        ConfigError: the file cannot be changed, or the user is gone.
    """

    def save(content: dict[str, Any], shown: str) -> None:
        for each in cast("list[dict[str, Any]]", content.get("users") or []):
            user_fields = cast("dict[str, Any]", each.get("user") or {})
            provider: object = user_fields.get("auth-provider")
            if each.get("name") == user.name and isinstance(provider, dict):
                fields = cast("dict[str, Any]", provider)
                fields["config"] = {**(fields.get("config") or {}), **tokens}
                return
        raise ConfigError(f'{shown}: user "{user.name}" has no auth-provider any more')

    _change(user.file, save)


def _with_absolute_paths(entry: Entry) -> dict[str, Any]:
    """Return the fields of an entry, for a file in another folder."""
    fields = dict(entry.value)
    for key in _PATHS:
        if fields.get(key) and isinstance(fields[key], str):
            fields[key] = _absolute(entry, key, fields[key])
    plugin = fields.get("exec")
    command = cast("dict[str, Any]", plugin).get("command") if isinstance(plugin, dict) else None
    if isinstance(command, str) and os.sep in command:
        fields["exec"] = {**cast("Any", plugin), "command": _absolute(entry, "command", command)}
    return fields


def _absolute(entry: Entry, key: str, path: str) -> str:
    if entry.file.folder is not None:
        return str(entry.file.folder / path)
    if Path(path).is_absolute():
        return path
    message = "is a relative path; pass the folder of such paths as base="
    raise ConfigError(f"{entry.where}: {key} {message}")


def _merged(
    old: list[dict[str, Any]], new: list[dict[str, Any]], kind: str, replace: bool, shown: str
) -> list[dict[str, Any]]:
    entries = {each["name"]: each for each in old}
    for each in new:
        present = entries.get(each["name"])
        if not replace and present is not None and present.get(kind) != each[kind]:
            message = "has other fields; pass replace=True to replace the entry, or rename one"
            raise ConfigError(f'{shown}: {kind} "{each["name"]}" {message}')
        entries[each["name"]] = each
    return list(entries.values())


def _read(file: ConfigFile) -> Document | None:
    documents = read_files([file], must_exist=False)
    return documents[0] if documents else None


def _default_file(files: list[ConfigFile]) -> ConfigFile:
    """Return the file for what is new: the first that exists, or else the last."""
    if not files:
        raise ConfigError("there is no home directory; pass the path of the kubeconfig")
    return next((file for file in files if file.path and file.path.exists()), files[-1])


def _change(file: ConfigFile, change: Callable[[dict[str, Any], str], object]) -> None:
    """Change the content of a file, with a lock against other programs.

    Raises:
        ConfigError: the file is not a kubeconfig, is locked, or cannot be written.
    """
    from clientgen._yaml.dumper import write_yaml  # imported late: few programs write

    assert file.path is not None
    try:
        path = file.path.resolve()  # a link stays a link
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(path, file.shown):
            content = _read_content(path, file)
            change(content, file.shown)
            _write_atomically(path, write_yaml(content, sort_keys=False, width=None).encode())
    except OSError as error:
        raise ConfigError(f"{file.shown}: cannot be written: {error.strerror}") from None


def _read_content(path: Path, file: ConfigFile) -> dict[str, Any]:
    try:
        content = read_yaml(read_file(path), file.shown)
    except FileNotFoundError:
        content = None
    parse_document(content, file)  # refuses what is not a kubeconfig
    head = {"apiVersion": "v1", "kind": "Config"}
    return head | cast("dict[str, Any]", content or {})


@contextmanager
def _locked(path: Path, shown: str) -> Generator[None]:
    """Hold the lock file of client-go: `<path>.lock`, which exists while a program writes."""
    lock = path.with_name(f"{path.name}.lock")
    with _threads:
        for tries in range(1, _LOCK_TRIES + 1):
            try:
                os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0))
                break
            except FileExistsError:
                if tries == _LOCK_TRIES:
                    raise ConfigError(
                        f"{shown}: another program is writing this file; if none is, remove {lock}"
                    ) from None
            time.sleep(_LOCK_PAUSE_SECONDS)
        try:
            yield
        finally:
            with suppress(OSError):
                lock.unlink()


def _write_atomically(path: Path, content: bytes) -> None:
    """Replace a file, and keep its mode. A new file is readable by its owner only."""
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else _OWNER_ONLY
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
