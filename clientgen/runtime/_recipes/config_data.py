"""ConfigMaps and Secrets from files, literals and env files, by the rules of `kubectl create`.

kubectl: pkg/cmd/create/create_configmap.go, create_secret*.go; pkg/cmd/util/env_file.go.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from .._models.arguments import type_of
from .._models.unstructured import Unstructured
from ..errors import one_line
from .data_hash import go_json, name_hash
from .data_sources import Entries, content_of, env_file_entries, file_entries

if TYPE_CHECKING:
    from typing import Any

PathArgument: TypeAlias = str | os.PathLike[str]
Files: TypeAlias = PathArgument | Iterable[PathArgument] | Mapping[str, PathArgument]
EnvFiles: TypeAlias = PathArgument | Iterable[PathArgument]

_DOCKER_CONFIG: Final = ".dockerconfigjson"
_DOCKER_HUB: Final = "https://index.docker.io/v1/"


def new_config_map(
    name: str,
    *,
    files: Files = (),
    literals: Mapping[str, str | bytes] | None = None,
    env_files: EnvFiles = (),
    append_hash: bool = False,
) -> Unstructured:
    """Make a ConfigMap from files and values, as `kubectl create configmap`. Sends nothing.

        k.core_v1.config_maps("shop").apply(new_config_map("nginx", files="conf"))

    Text is put into `data`, and bytes that are not UTF-8 into `binaryData`.

    Args:
        name: The name of the ConfigMap.
        files: Paths of files and folders, or a dict of files by key. The key of a file is its name
            by default. In a folder, subfolders and symbolic links are skipped.
        literals: Values by key.
        env_files: Paths of files with lines `KEY=VALUE`. Blank lines and comments (`#`) are
            skipped. A line `KEY` takes the value of the environment variable.
        append_hash: Append a hash of the contents to the name.

    Raises:
        OSError: A file cannot be read.
        TypeError: An argument has a wrong type.
        ValueError: A key is not valid or occurs twice, the values are larger than 1 MiB, an env
            file has an invalid line, or `env_files` are combined with others.
    """
    entries = _entries("new_config_map", "ConfigMap", files, literals, env_files)
    data: dict[str, str] = {}
    binary_data: dict[str, str] = {}
    for key, value in entries.items():
        try:
            data[key] = value.decode()
        except UnicodeDecodeError:
            binary_data[key] = _base64(value)
    hashed: dict[str, Any] = {"kind": "ConfigMap", "name": name, "data": data}
    if binary_data:
        hashed["binaryData"] = binary_data
    contents = {"data": data, "binaryData": binary_data}
    return _object(
        "new_config_map", hashed, {k: v for k, v in contents.items() if v}, append_hash=append_hash
    )


def new_secret(
    name: str,
    *,
    files: Files = (),
    literals: Mapping[str, str | bytes] | None = None,
    env_files: EnvFiles = (),
    type: str = "",  # noqa: A002 - the name of the field
    append_hash: bool = False,
) -> Unstructured:
    """Make a Secret from files and values, as `kubectl create secret generic`. Sends nothing.

        k.core_v1.secrets("shop").create(new_secret("db", literals={"password": password}))

    The object that it returns, and its errors, show no values.

    Args:
        name: The name of the Secret.
        files: Paths of files and folders, or a dict of files by key; see `new_config_map`.
        literals: Values by key.
        env_files: Paths of files with lines `KEY=VALUE`; see `new_config_map`.
        type: The type of the Secret; the server's default is `Opaque`.
        append_hash: Append a hash of the contents to the name.

    Raises:
        OSError: A file cannot be read.
        TypeError: An argument has a wrong type.
        ValueError: As for `new_config_map`.
    """
    entries = _entries("new_secret", "Secret", files, literals, env_files)
    return secret_of("new_secret", name, type, entries, append_hash=append_hash)


def new_docker_registry_secret(
    name: str,
    *,
    username: str = "",
    password: str = "",
    email: str = "",
    server: str = _DOCKER_HUB,
    config: PathArgument | None = None,
    append_hash: bool = False,
) -> Unstructured:
    """Make a Secret to pull images with, as `kubectl create secret docker-registry`. Sends nothing.

    Args:
        name: The name of the Secret.
        username: The user at the registry.
        password: The password of the user.
        email: The address of the user, which few registries need.
        server: The registry; Docker Hub by default.
        config: The path of a Docker configuration, such as `~/.docker/config.json`, to use instead.
        append_hash: Append a hash of the contents to the name.

    Raises:
        OSError: The file cannot be read.
        TypeError: An argument has a wrong type.
        ValueError: The user, the password or the server is missing, or a configuration is given
            with a user.
    """
    call = "new_docker_registry_secret"
    if config is not None:
        if username or password or email:
            raise ValueError(f"{call}: give either config or a username and password, not both")
        content = content_of(call, config)
    else:
        if not (username and password and server):
            raise ValueError(f"{call}: username, password and server are needed, or config")
        content = _docker_config(username, password, email, server)
    entries = {_DOCKER_CONFIG: content}
    return secret_of(call, name, "kubernetes.io/dockerconfigjson", entries, append_hash=append_hash)


def _docker_config(username: str, password: str, email: str, server: str) -> bytes:
    login = {"username": username, "password": password}
    if email:
        login["email"] = email
    login["auth"] = _base64(f"{username}:{password}".encode())
    return go_json({"auths": {server: login}}).encode()


def _entries(
    call: str,
    kind: str,
    files: Files,
    literals: Mapping[str, str | bytes] | None,
    env_files: EnvFiles,
) -> dict[str, bytes]:
    """Return the values by key.

    Raises:
        OSError, TypeError, ValueError: As for `new_config_map`.
    """
    entries = Entries(call, kind)
    file_entries(entries, files)
    for key, value in (literals or {}).items():
        entries.add_value(key, value)
    before = bool(entries.found)
    env_file_entries(entries, env_files)
    if before and env_files:
        raise ValueError(f"{call}: env_files cannot be combined with files or literals")
    return entries.found


def secret_of(
    call: str, name: str, secret_type: str, entries: Mapping[str, bytes], *, append_hash: bool
) -> Unstructured:
    """Return a Secret.

    Raises:
        TypeError: The name is not a text.
        ValueError: The name is empty.
    """
    data = {key: _base64(value) for key, value in entries.items()}
    hashed = {"kind": "Secret", "type": secret_type, "name": name, "data": data}
    contents: dict[str, Any] = {"type": secret_type} if secret_type else {}
    if data:
        contents["data"] = data
    return _object(call, hashed, contents, append_hash=append_hash)


def _object(
    call: str, hashed: Mapping[str, Any], contents: Mapping[str, Any], *, append_hash: bool
) -> Unstructured:
    """Return the object.

    Raises:
        TypeError: The name is not a text.
        ValueError: The name is empty.
    """
    name = hashed["name"]
    if not isinstance(name, str):
        raise TypeError(f"{call} takes the name as a text, not {type_of(name)}")
    if not name:
        raise ValueError(f"{call} needs a name, not {one_line(repr(name))}")
    if append_hash:
        name = f"{name}-{name_hash(hashed)}"
    identity = {"apiVersion": "v1", "kind": hashed["kind"], "metadata": {"name": name}}
    return Unstructured({**identity, **contents})


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
