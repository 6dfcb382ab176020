"""Kubeconfig files that lead to a server of ours."""

from __future__ import annotations

import base64
import json
import os
import secrets
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ForeignFile", "kubeconfig", "write_kubeconfig"]

_NO_TOKEN: Final = "none-is-needed"  # noqa: S105 - it is none
"""kubectl asks for a user name where HTTPS is spoken and a kubeconfig says nothing of its user."""
_FIRST_LINE: Final = "# Written by clientgen serve, which will overwrite it.\n"


class ForeignFile(Exception):  # noqa: N818 - says what was met
    """There is a file already, and somebody else wrote it."""


def kubeconfig(
    url: str,
    authority: bytes = b"",
    token: str = "",
    user_name: str = "",
    namespace: str = "default",
) -> str:
    """The text of a kubeconfig, whose requests are those of `user_name` if there is one.

    JSON strings are YAML as well.

    Its names have the port in them: files of several servers can be used together (KUBECONFIG=a:b).
    """
    trust = base64.b64encode(authority).decode()
    cluster = {"server": url, **({"certificate-authority-data": trust} if trust else {})}
    shown = token or (_NO_TOKEN if url.startswith("https:") else "")
    user = {"token": shown} if shown else {}
    user |= {"as": user_name} if user_name else {}
    name = f"clientgen-{urlsplit(url).port}"
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
    """Put a kubeconfig there, readable to its owner alone; whole or not at all.

    Raises:
        ForeignFile: there is a file that this function did not write.
        OSError: it cannot be written.
    """
    if path.exists() and not _is_ours(path):
        raise ForeignFile(path)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        error.filename = str(path)  # nobody asked for the other one
        raise
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(len(_FIRST_LINE))
    return start in {b"", _FIRST_LINE.encode()}
