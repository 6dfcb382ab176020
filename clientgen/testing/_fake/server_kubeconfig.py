"""Kubeconfig files for the test server."""

from __future__ import annotations

import base64
import json
import os
import secrets
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

# kubectl asks for a user name over HTTPS if the kubeconfig has no credentials.
_UNUSED_TOKEN: Final = "none-is-needed"  # noqa: S105 - not a secret
_FIRST_LINE: Final = "# Written by clientgen serve, which will overwrite it.\n"


class ForeignFile(Exception):  # noqa: N818 - a public name
    """The file exists and was not written by clientgen, so it is not overwritten."""


def kubeconfig(
    url: str,
    authority: bytes = b"",
    token: str = "",
    user_name: str = "",
    namespace: str = "default",
) -> str:
    """Return the text of a kubeconfig. With `user_name`, its clients impersonate that user.

    The names in the kubeconfig contain the port, so that the files of several servers can be merged
    (KUBECONFIG=a:b).
    """
    ca_data = base64.b64encode(authority).decode()
    cluster = {"server": url, **({"certificate-authority-data": ca_data} if ca_data else {})}
    credentials = token or (_UNUSED_TOKEN if url.startswith("https:") else "")
    user = {"token": credentials} if credentials else {}
    user |= {"as": user_name} if user_name else {}
    name = f"clientgen-{urlsplit(url).port}"
    # JSON strings are valid YAML.
    context = f"cluster: {name}, user: {name}, namespace: {json.dumps(namespace)}"
    return (
        f"{_FIRST_LINE}"
        "apiVersion: v1\n"
        "kind: Config\n"
        f"current-context: {name}\n"
        "clusters:\n"
        f"- name: {name}\n  cluster: {json.dumps(cluster)}\n"
        "users:\n"
        f"- name: {name}\n  user: {json.dumps(user)}\n"
        "contexts:\n"
        f"- name: {name}\n  context: {{{context}}}\n"
    )


def write_kubeconfig(path: Path, text: str) -> None:
    """Write a kubeconfig atomically, readable by its owner only.

    Raises:
        ForeignFile: the file exists and was not written by this function.
        OSError: the file cannot be written.
    """
    if path.exists() and not _is_ours(path):
        raise ForeignFile(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        error.filename = str(path)  # the user does not know the name of the temporary file
        raise
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(len(_FIRST_LINE))
    return start in {b"", _FIRST_LINE.encode()}
